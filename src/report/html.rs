//! A judgment as one HTML file that needs no script, no network and no other file. Owns the templates and what they are given;
//! every text of the study is escaped by the template engine.

use std::fmt;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment, UndefinedBehavior};

use crate::decide::judgment::Judgment;
use crate::spec::Spec;

mod compared;
mod evidence;
mod flow;
mod hypothesis;
mod plot;
mod rules;
mod view;

/// Macros first, then the page: one template, because templates that include others are switched off.
const TEMPLATE: &str =
    concat!(include_str!("html/macros.html"), include_str!("html/hypothesis.html"), include_str!("html/page.html"));
const STYLE: &str = include_str!("html/style.css");

/// Why there is no report.
#[derive(Debug)]
pub enum ReportError {
    /// The judgment speaks of something that the study does not declare.
    NotInStudy {
        /// What kind of thing: `hypothesis`, `gate`, …
        kind: &'static str,
        /// Its name.
        name: String,
    },
    /// A template could not be rendered, which is a defect of this program.
    Template(minijinja::Error),
}

impl fmt::Display for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInStudy { kind, name } => write!(
                f,
                "the judgment has the {kind} `{name}`, which the study does not declare; the report explains verdicts by \
                 the study's rules, so give it the study that was judged"
            ),
            Self::Template(error) => {
                write!(f, "the report's template failed: {error:#}; this is a defect of the program, please report it")
            }
        }
    }
}

impl std::error::Error for ReportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NotInStudy { .. } => None,
            Self::Template(error) => Some(error),
        }
    }
}

impl From<minijinja::Error> for ReportError {
    fn from(error: minijinja::Error) -> Self {
        Self::Template(error)
    }
}

/// The whole report; the same judgment and study give the same bytes.
///
/// # Errors
/// When the judgment names a hypothesis, clause, gate or family that the study does not have.
pub fn html(judgment: &Judgment, spec: &Spec) -> Result<String, ReportError> {
    let view = view::view(judgment, spec)?;
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment
        .set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build()?);
    environment.add_template("report", TEMPLATE)?;
    let text = environment.get_template("report")?.render(
        minijinja::context! { page => Value::from(Serde(view)), style => Value::from_safe_string(STYLE.to_owned()) },
    )?;
    // Characters that turn the direction of what follows could make a verdict read as another; no template has any.
    Ok(text.chars().map(visible).collect())
}

/// The character, or a mark for one that is no text: control characters and directional overrides.
const fn visible(character: char) -> char {
    match character {
        '\n' | '\t' => character,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        other => other,
    }
}
