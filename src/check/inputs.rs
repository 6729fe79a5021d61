//! Input files of a study: their digests, and whether prompts are templates that can be rendered. The bytes are given; no
//! file is opened here.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use super::{Kind, Part, Places};
use crate::diagnostic::{Code, Diagnostic};
use crate::spec::{InputFile, Spec, TaskSource};

/// Fills in the digest of every input file and checks prompts. `read` gives the bytes of a file by its path.
///
/// Prompts are parsed strictly as `MiniJinja` templates; the variables that nothing defines are listed in a note, because
/// they are what the runner must provide.
pub fn inputs(
    spec: &mut Spec,
    places: &Places,
    read: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if let Some(tasks) = &mut spec.tasks
        && let TaskSource::File { file, .. } = &mut tasks.source
    {
        let span = places.get(Kind::Tasks, &tasks.name, &Part::Name);
        digest(file, read, span, &mut found);
    }
    for (name, tool) in &mut spec.tools {
        let span = places.get(Kind::Tool, name, &Part::Name);
        if let Some(schema) = &mut tool.schema
            && let Some(bytes) = digest(schema, read, span, &mut found)
            && let Err(error) = serde_json::from_slice::<serde_json::Value>(&bytes)
        {
            let message = format!("the schema `{}` is no JSON: {error}", schema.path);
            found.push(Diagnostic::error(Code::BadInput, span, message).about(name.clone()));
        }
    }
    for (name, scaffold) in &mut spec.scaffolds {
        let span = places.get(Kind::Scaffold, name, &Part::Name);
        for (role, checked) in &mut scaffold.roles {
            if let Some(prompt) = &mut checked.prompt
                && let Some(bytes) = digest(prompt, read, span, &mut found)
            {
                self::prompt(&prompt.path, role, &bytes, span, &mut found);
            }
        }
    }
    found
}

fn digest(
    file: &mut InputFile,
    read: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
    span: crate::source::Span,
    found: &mut Vec<Diagnostic>,
) -> Option<Vec<u8>> {
    match read(&file.path) {
        Ok(bytes) => {
            let mut hex = String::new();
            for byte in Sha256::digest(&bytes) {
                let _ = write!(hex, "{byte:02x}");
            }
            file.digest = Some((hex, bytes.len() as u64));
            Some(bytes)
        }
        Err(why) => {
            found.push(
                Diagnostic::error(Code::BadInput, span, format!("the file `{}` cannot be read: {why}", file.path))
                    .note("files that a study names are part of what is frozen")
                    .help("put the file there, relative to the spec's folder"),
            );
            None
        }
    }
}

fn prompt(path: &str, role: &str, bytes: &[u8], span: crate::source::Span, found: &mut Vec<Diagnostic>) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        found.push(Diagnostic::error(Code::BadPrompt, span, format!("the prompt `{path}` of `{role}` is not UTF-8")));
        return;
    };
    if let Some(mark) = super::texts::placeholder_text(text) {
        found.push(
            Diagnostic::error(Code::Placeholder, span, format!("the prompt `{path}` holds the placeholder `{mark}`"))
                .help("fill it in; a prompt is frozen as it stands"),
        );
    }
    let mut environment = minijinja::Environment::new();
    environment.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
    match environment.template_from_str(text) {
        Ok(template) => {
            let mut free: Vec<String> = template.undeclared_variables(false).into_iter().collect();
            free.sort();
            if !free.is_empty() {
                found.push(
                    Diagnostic::note_at(
                        Code::BadPrompt,
                        span,
                        format!("the prompt `{path}` of `{role}` needs {}", super::names::list(&free)),
                    )
                    .note("whoever runs the study must give these variables to the template"),
                );
            }
        }
        Err(error) => {
            let line = error.line().map_or_else(String::new, |line| format!(" in line {line}"));
            let why = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
            found.push(
                Diagnostic::error(
                    Code::BadPrompt,
                    span,
                    format!("the prompt `{path}` of `{role}` is no template{line}: {why}"),
                )
                .help("a prompt is a MiniJinja template: `{{ name }}` prints, `{% if … %}` decides"),
            );
        }
    }
}
