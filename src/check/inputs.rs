//! Input files of a study: their digests, and whether prompts are templates that can be rendered. The bytes are given; no
//! file is opened here.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use super::{Kind, Part, Places};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::spec::{InputFile, Name, Spec, TaskSource};

/// Fills in the digest of every input file and checks prompts. `read` gives the bytes of a file by its path.
///
/// Prompts are parsed strictly as `MiniJinja` templates. One note lists the variables that no role, reply, factor or task field
/// of the study provides: a typing mistake, or something that two runners may give in two ways.
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
    let study_wide = provided(spec);
    let mut unknown: Unknown = BTreeMap::new();
    for (name, scaffold) in &mut spec.scaffolds {
        let span = places.get(Kind::Scaffold, name, &Part::Name);
        let replies = scaffold.roles.values().flat_map(|role| role.reply.keys());
        let own: BTreeSet<Name> = scaffold.roles.keys().chain(replies).cloned().collect();
        for (role, checked) in &mut scaffold.roles {
            if let Some(prompt) = &mut checked.prompt
                && let Some(bytes) = digest(prompt, read, span, &mut found)
            {
                for free in self::prompt(&prompt.path, role, &bytes, span, &mut found) {
                    if !own.contains(&free) && !study_wide.contains(&free) {
                        unknown.entry(free).or_insert((span, prompt.path.clone()));
                    }
                }
            }
        }
    }
    found.extend(unprovided(&unknown));
    found
}

/// Variables that nothing provides, with the scaffold and the prompt that need them first.
type Unknown = BTreeMap<Name, (Span, String)>;

/// What a prompt of any scaffold can name: the unit, its fields and the factors.
fn provided(spec: &Spec) -> BTreeSet<Name> {
    let mut names: BTreeSet<Name> = spec.factors.keys().cloned().collect();
    if let Some(tasks) = &spec.tasks {
        names.insert(tasks.name.clone());
        names.extend(tasks.attributes.keys().chain(tasks.defines.keys()).cloned());
        if let TaskSource::File { key, .. } = &tasks.source {
            names.insert(key.clone());
        }
    }
    names
}

fn unprovided(unknown: &Unknown) -> Option<Diagnostic> {
    let (span, _) = unknown.values().min_by_key(|(span, _)| *span)?;
    let shown: Vec<String> = unknown.iter().map(|(name, (_, path))| format!("`{name}` (in `{path}`)")).collect();
    let message = if shown.len() == 1 {
        "a prompt names a variable that the study says nothing of".to_owned()
    } else {
        format!("prompts name {} variables that the study says nothing of", shown.len())
    };
    Some(
        Diagnostic::note_at(Code::BadPrompt, *span, message)
            .note(format!("no role, reply, factor or field of the tasks is called {}", shown.join(", ")))
            .help("correct the name, declare a `field` of the tasks, or see that everybody who runs the study gives the same"),
    )
}

fn digest(
    file: &mut InputFile,
    read: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
    span: Span,
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

/// Checks a prompt; gives the variables that nothing in it defines.
fn prompt(path: &str, role: &str, bytes: &[u8], span: Span, found: &mut Vec<Diagnostic>) -> BTreeSet<Name> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        found.push(Diagnostic::error(Code::BadPrompt, span, format!("the prompt `{path}` of `{role}` is not UTF-8")));
        return BTreeSet::new();
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
        Ok(template) => template.undeclared_variables(false).into_iter().collect(),
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
            BTreeSet::new()
        }
    }
}
