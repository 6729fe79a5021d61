//! Diagnostics as plain data: what is wrong, where, why it matters and what to do. Owns their shape and order; must not
//! render them or know which phase made them.

mod code;

pub use code::{CODES, Code, CodeEntry};

use crate::source::Span;

/// How much a diagnostic matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing is frozen while it stands.
    Error,
    /// Recorded in the frozen file and printed beside the verdicts it touches.
    Warning,
    /// Something a reader may want to know.
    Note,
}

/// A place and what is to be said of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What to say there; may be empty.
    pub text: String,
}

/// A suggested edit, as data, so that an editor can apply it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What the edit does.
    pub message: String,
    /// What is replaced.
    pub span: Span,
    /// What replaces it.
    pub replacement: String,
}

/// One finding about a spec.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    /// Its stable code.
    pub code: Code,
    /// How much it matters.
    pub severity: Severity,
    /// One line: lower case, no full stop, user text in back-quotes.
    pub message: String,
    /// Where it is.
    pub primary: Label,
    /// Other places that explain it.
    pub secondary: Vec<Label>,
    /// Facts, such as a witness or why the rule exists.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Vec<String>,
    /// Suggested edits.
    pub fixes: Vec<Fix>,
    /// The hypothesis or other declaration it touches, if any, so that verdicts can show it.
    pub subject: Option<String>,
}

impl Diagnostic {
    fn new(severity: Severity, code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity,
            message: message.into(),
            primary: Label { span, text: String::new() },
            secondary: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            fixes: Vec::new(),
            subject: None,
        }
    }

    /// An error at `span`.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, span, message)
    }

    /// A warning at `span`.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, span, message)
    }

    /// A note at `span`.
    pub fn note_at(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, span, message)
    }

    /// Says something at the primary place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Points at another place.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Adds a fact.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// Says what to do, when there is something to say.
    #[must_use]
    pub fn help_opt(mut self, text: Option<String>) -> Self {
        self.help.extend(text);
        self
    }

    /// Suggests an edit.
    #[must_use]
    pub fn fix(mut self, message: impl Into<String>, span: Span, replacement: impl Into<String>) -> Self {
        self.fixes.push(Fix { message: message.into(), span, replacement: replacement.into() });
        self
    }

    /// Names the declaration it touches.
    #[must_use]
    pub fn about(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
        self
    }
}

/// Sorts by place, then code, then message, so that the order never depends on which check ran first.
pub fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by(|a, b| (a.primary.span, a.code, &a.message).cmp(&(b.primary.span, b.code, &b.message)));
}
