//! Reading a spec with everything it names: includes, prompts, task files. Each file is read once; the bytes that are hashed
//! are the bytes that are used.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Exit;
use super::output::Output;
use crate::canon::leaf::Leaves;
use crate::canon::study::{leaves, normal};
use crate::check::{Analysis, analyse, inputs};
use crate::diagnostic::{Code, Diagnostic, Severity, sort};
use crate::plan::Task;
use crate::plan::tasks::read_tasks;
use crate::register::inputs::{InputPath, MAX_INPUT_BYTES, read_input};
use crate::render;
use crate::source::Sources;
use crate::spec::{Spec, TaskSource};

/// The largest spec or include.
const MAX_SPEC_BYTES: u64 = 8 * 1024 * 1024;

/// A spec as analysed, whatever is wrong with it.
pub struct Read {
    /// The spec's file.
    pub path: PathBuf,
    /// Every file of the text, the spec first.
    pub sources: Sources,
    /// The checked study, absent when there are errors.
    pub spec: Option<Spec>,
    /// The tasks, when the study has a task file that could be read.
    pub tasks: Vec<Task>,
    /// Everything that was found, sorted.
    pub diagnostics: Vec<Diagnostic>,
}

/// A study without errors, in its normal form.
pub struct Study {
    /// What was read.
    pub read: Read,
    /// The normal form.
    pub spec: Spec,
    /// Its leaves.
    pub leaves: Leaves,
}

/// Reads and analyses a spec and its inputs. Fails only when the spec's own file cannot be read.
pub fn read(path: &Path, output: &mut Output) -> Result<Read, Exit> {
    let text = spec_text(path).map_err(|problem| {
        output.problem(
            &format!("{}: {problem}", path.display()),
            "a spec is a text file in UTF-8 that ends in .prespec",
            "name a spec, or make one with `prespec new DIR`",
        );
        Exit::Usage
    })?;
    let root = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_path_buf();
    let name = path.display().to_string();
    let Analysis { sources, mut spec, places, mut diagnostics, .. } =
        analyse(&name, &text, &mut |wanted| include(&root, wanted));
    let mut files = Files { root, read: BTreeMap::new() };
    let mut tasks = Vec::new();
    if let Some(spec) = &mut spec {
        diagnostics.extend(inputs(spec, &places, &mut |wanted| files.bytes(wanted)));
        let bytes = match spec.tasks.as_ref().map(|tasks| &tasks.source) {
            Some(TaskSource::File { file, .. }) => files.read.get(&file.path).and_then(|read| read.as_ref().ok()),
            Some(TaskSource::Count(_) | TaskSource::List(_)) | None => None,
        };
        let readable =
            bytes.is_some() || !matches!(spec.tasks.as_ref().map(|it| &it.source), Some(TaskSource::File { .. }));
        if let Some(declared) = &spec.tasks
            && readable
        {
            let place =
                places.get(crate::check::places::Kind::Tasks, &declared.name, &crate::check::places::Part::Name);
            match read_tasks(declared, bytes.map(Vec::as_slice)) {
                Ok(found) => tasks = found,
                Err(errors) => {
                    diagnostics.extend(errors.iter().map(|error| {
                        Diagnostic::error(error.code(), place, format!("{}: {}", error.place, error.message))
                            .note(error.why)
                            .help(error.help.as_str())
                    }));
                }
            }
        }
    }
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        spec = None;
    }
    // What cannot be committed to must be known before anything is frozen.
    if let Some(checked) = &spec
        && let Err(error) = leaves(checked)
    {
        diagnostics.push(
            Diagnostic::error(
                Code::TooLarge,
                crate::source::Span::default(),
                format!("the study cannot be committed to: {error}"),
            )
            .help("shorten or split the part that is named"),
        );
        spec = None;
    }
    sort(&mut diagnostics);
    Ok(Read { path: path.to_path_buf(), sources, spec, tasks, diagnostics })
}

/// Reads a spec that must have no errors; prints what is wrong with it otherwise.
pub fn study(path: &Path, output: &mut Output) -> Result<Study, Exit> {
    let mut read = read(path, output)?;
    let style = output.style();
    let Some(spec) = read.spec.take() else {
        output.error(&render::human(&read.diagnostics, &read.sources, style));
        return Err(Exit::Failed);
    };
    let encoded = leaves(&spec).and_then(|leaves| normal(&spec).map(|spec| (leaves, spec)));
    match encoded {
        Ok((leaves, spec)) => Ok(Study { read, spec, leaves }),
        Err(error) => {
            output.problem(
                &format!("{}: the study has no canonical form: {error}", path.display()),
                "what is frozen must be exactly what is judged",
                "please report this with the spec",
            );
            Err(Exit::Failed)
        }
    }
}

fn spec_text(path: &Path) -> Result<String, String> {
    let size = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !size.is_file() {
        return Err("not a plain file".to_owned());
    }
    if size.len() > MAX_SPEC_BYTES {
        return Err(format!("{} bytes, at most {MAX_SPEC_BYTES} are allowed", size.len()));
    }
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| format!("byte {} is not UTF-8", error.utf8_error().valid_up_to()))
}

fn include(root: &Path, wanted: &str) -> Result<String, String> {
    let path = InputPath::new(wanted).map_err(|fault| fault.to_string())?;
    let input = read_input(root, &path, MAX_SPEC_BYTES).map_err(|error| error.to_string())?;
    String::from_utf8(input.bytes).map_err(|_| "the file is not UTF-8".to_owned())
}

struct Files {
    root: PathBuf,
    read: BTreeMap<String, Result<Vec<u8>, String>>,
}

impl Files {
    fn bytes(&mut self, wanted: &str) -> Result<Vec<u8>, String> {
        let root = &self.root;
        self.read
            .entry(wanted.to_owned())
            .or_insert_with(|| {
                let path = InputPath::new(wanted).map_err(|fault| fault.to_string())?;
                read_input(root, &path, MAX_INPUT_BYTES).map(|input| input.bytes).map_err(|error| error.to_string())
            })
            .clone()
    }
}
