//! `prespec judge FROZEN|FILE --results PATH..`

use std::path::{Path, PathBuf};

use super::fmt::replace;
use super::output::Output;
use super::verify::inputs_root;
use super::{Exit, load};
use crate::canon::study::{LANG, spec as decode};
use crate::decide::{self, Judgment, Options};
use crate::diagnostic::Severity;
use crate::plan::Task;
use crate::plan::tasks::read_tasks;
use crate::records;
use crate::register::file::SUFFIX;
use crate::register::inputs::{InputPath, MAX_INPUT_BYTES, read_input};
use crate::register::looks::{self, Look, append};
use crate::report::{document, html, terminal};
use crate::spec::{Spec, TaskSource, VerdictClass};
use crate::verify::Verdict;
use crate::verify::frozen::verify_frozen;
use crate::verify::study::study;

/// Arguments of `judge`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// A frozen file, or with --exploratory a spec
    study: PathBuf,
    /// Result files, or folders that hold them
    #[arg(long, required = true, num_args = 1.., value_name = "PATH")]
    results: Vec<PathBuf>,
    /// The folder of the spec, in which its inputs stand [default: found from the frozen file]
    #[arg(long, value_name = "DIR")]
    inputs: Option<PathBuf>,
    /// human or json
    #[arg(long, default_value = "human", value_parser = ["human", "json"])]
    format: String,
    /// Write a report to read in a browser
    #[arg(long, value_name = "OUT.html")]
    report: Option<PathBuf>,
    /// Write the verdict document
    #[arg(long, value_name = "VERDICT.json")]
    out: Option<PathBuf>,
    #[expect(clippy::doc_markdown, reason = "this is the help text, which shows no markup")]
    /// Exit with code 1 when a confirmatory hypothesis has this class (supported, contradicted, inconclusive, void,
    /// not_evaluated or not_evaluable)
    #[arg(long, value_name = "CLASS")]
    fail_on: Vec<String>,
    /// Judge although planned units have not been run; every output says so
    #[arg(long)]
    partial: bool,
    /// Judge a spec that is not frozen; every output says so
    #[arg(long)]
    exploratory: bool,
}

/// What is judged: the study in its normal form, its tasks, and how it is bound.
struct Bound {
    spec: Spec,
    tasks: Vec<Task>,
    freeze_id: Option<String>,
    spec_digest: String,
    warnings: Vec<decide::judgment::Warning>,
}

/// Judges results and prints the verdicts.
pub fn run(arguments: &Arguments, output: &mut Output) -> Exit {
    for class in &arguments.fail_on {
        if VerdictClass::from_word(class).is_none() {
            output.problem(
                &format!("`{class}` is not a class of verdicts"),
                "--fail-on could never fire",
                "use supported, contradicted, inconclusive, void, not_evaluated or not_evaluable",
            );
            return Exit::Usage;
        }
    }
    if let Some(problem) = overwrites(arguments) {
        output.problem(
            &problem,
            "what is judged, and what it is judged by, must be there afterwards as it was",
            "write the document and the report to files of their own, outside the results",
        );
        return Exit::Usage;
    }
    let bound = match bind(arguments, output) {
        Ok(bound) => bound,
        Err(exit) => return exit,
    };
    let judgment = match judge(arguments, bound, output) {
        Ok(judgment) => judgment,
        Err(exit) => return exit,
    };
    if let Err(exit) = log_look(arguments, &judgment.0, output) {
        return exit;
    }
    present(arguments, &judgment, output)
}

/// What would be lost if the document and the report were written where they should go.
fn overwrites(arguments: &Arguments) -> Option<String> {
    let whole = |path: &Path| std::fs::canonicalize(path).or_else(|_| std::path::absolute(path)).ok();
    let targets = || [("--out", &arguments.out), ("--report", &arguments.report)];
    for (flag, target) in targets() {
        let Some(target) = target else { continue };
        let Some(path) = whole(target) else { continue };
        let text = path.to_string_lossy();
        let of_study = text.ends_with(SUFFIX) || text.ends_with(".prespec");
        let result = arguments.results.iter().filter_map(|root| whole(root)).any(|root| path.starts_with(root));
        if of_study || result || whole(&arguments.study).is_some_and(|study| study == path) {
            return Some(format!("{flag} {} would write over what is judged", target.display()));
        }
    }
    let same = arguments.out.as_deref().and_then(whole).zip(arguments.report.as_deref().and_then(whole));
    same.filter(|(out, report)| out == report).map(|_| "--out and --report name one file".to_owned())
}

fn bind(arguments: &Arguments, output: &mut Output) -> Result<Bound, Exit> {
    let frozen = arguments.study.to_string_lossy().ends_with(SUFFIX);
    match (frozen, arguments.exploratory) {
        (true, false) => bind_frozen(arguments, output),
        (false, true) => bind_spec(&arguments.study, output),
        (true, true) => {
            output.problem(
                "a frozen file is not judged with --exploratory",
                "its verdicts are confirmatory, and marking them otherwise would hide that",
                "leave --exploratory out",
            );
            Err(Exit::Usage)
        }
        (false, false) => {
            output.problem(
                &format!("{} is not a frozen file", arguments.study.display()),
                "a rule that could still be changed after the results are known decides nothing",
                "freeze it first with `prespec freeze`, or add --exploratory to look at results without a verdict that counts",
            );
            Err(Exit::Usage)
        }
    }
}

fn bind_spec(path: &Path, output: &mut Output) -> Result<Bound, Exit> {
    let study = load::study(path, output)?;
    let warnings = study
        .read
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Warning)
        .map(|diagnostic| decide::judgment::Warning {
            code: diagnostic.code.number().to_owned(),
            subject: diagnostic.subject.clone().unwrap_or_default(),
            text: diagnostic.message.clone(),
        })
        .collect();
    Ok(Bound {
        spec_digest: study.leaves.spec_digest(LANG).to_string(),
        spec: study.spec,
        tasks: study.read.tasks,
        freeze_id: None,
        warnings,
    })
}

fn bind_frozen(arguments: &Arguments, output: &mut Output) -> Result<Bound, Exit> {
    let path = &arguments.study;
    let root = inputs_root(path, arguments.inputs.as_deref());
    let mut kept = None;
    let verification = verify_frozen(path, &root, |frozen| {
        kept = Some(frozen.clone());
        study(frozen)
    })
    .map_err(|error| {
        output.problem(&error.to_string(), "nothing can be judged without the frozen study", "name the frozen file");
        Exit::Usage
    })?;
    let exit = match verification.verdict {
        Verdict::Verified => Exit::Done,
        Verdict::Failed => Exit::Failed,
        Verdict::Inconclusive => Exit::Unchecked,
    };
    if exit != Exit::Done {
        for finding in &verification.findings {
            output.error(&finding.to_string());
        }
        output.problem(
            &format!("{} does not verify, so nothing was judged", path.display()),
            "a verdict binds only to the study that was frozen, with the inputs that were frozen",
            "see the findings above",
        );
        return Err(exit);
    }
    let unreadable = |output: &mut Output, problem: &str| {
        output.problem(problem, "a verdict binds only to what was frozen", "verify the file with `prespec verify`");
        Exit::Failed
    };
    let Some(frozen) = kept else { return Err(unreadable(output, "the frozen file could not be read")) };
    let open: Vec<_> =
        frozen.file().open.iter().map(|(path, value)| (path.as_str().to_owned(), value.clone())).collect();
    let spec = decode(&frozen.file().study, &open).map_err(|error| unreadable(output, &error.to_string()))?;
    let tasks = frozen_tasks(&spec, &root).map_err(|problem| unreadable(output, &problem))?;
    let warnings = frozen
        .file()
        .warnings
        .iter()
        .map(|warned| decide::judgment::Warning {
            code: warned.code.clone(),
            subject: String::new(),
            text: warned.text.clone(),
        })
        .collect();
    Ok(Bound {
        spec,
        tasks,
        freeze_id: Some(frozen.id().to_string()),
        spec_digest: frozen.spec_digest().to_string(),
        warnings,
    })
}

/// The tasks from the bytes that carry the frozen digest: read once more, hashed and used.
fn frozen_tasks(spec: &Spec, root: &Path) -> Result<Vec<Task>, String> {
    let Some(declared) = &spec.tasks else { return Ok(Vec::new()) };
    let bytes = match &declared.source {
        TaskSource::Count(_) | TaskSource::List(_) => None,
        TaskSource::File { file, .. } => {
            let path = InputPath::new(file.path.as_str()).map_err(|fault| fault.to_string())?;
            let input = read_input(root, &path, MAX_INPUT_BYTES).map_err(|error| error.to_string())?;
            if file.digest.as_ref().is_none_or(|(hex, _)| *hex != input.id.to_hex()) {
                return Err(format!("{}: the file changed while it was read", file.path));
            }
            Some(input.bytes)
        }
    };
    read_tasks(declared, bytes.as_deref())
        .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

fn judge(arguments: &Arguments, bound: Bound, output: &mut Output) -> Result<(Judgment, Spec), Exit> {
    let refuse = |errors: &[records::RecordError], output: &mut Output| {
        for error in errors {
            output.problem(&format!("{}: {}", error.place, error.message), error.why, &error.help);
        }
        output.error("nothing was judged");
        Exit::Failed
    };
    let received = records::read(&bound.spec, &arguments.results).map_err(|errors| refuse(&errors, output))?;
    let joined = records::join(&bound.spec, &bound.tasks, received).map_err(|errors| refuse(&errors, output))?;
    let options = Options {
        exploratory: arguments.exploratory,
        partial: arguments.partial,
        freeze_id: bound.freeze_id,
        spec_digest: bound.spec_digest,
        warnings: bound.warnings,
        workers: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
    };
    match decide::judge(&bound.spec, &bound.tasks, &joined, &options) {
        Ok(judgment) => Ok((judgment, bound.spec)),
        Err(refusal) => {
            output.error(&format!("error: {refusal}\nnothing was judged"));
            Err(Exit::Failed)
        }
    }
}

/// Records a judgment of a part of the plan, planned look or not, beside the frozen file, before anything of it is shown.
fn log_look(arguments: &Arguments, judgment: &Judgment, output: &mut Output) -> Result<(), Exit> {
    let is_early = judgment.partial || judgment.look.as_ref().is_some_and(|look| look.units < look.maximum);
    let (true, Some(freeze_id)) = (is_early, &judgment.freeze_id) else { return Ok(()) };
    let flow = judgment.flows.first();
    let missing = flow.map_or(0, |flow| {
        flow.states.iter().filter(|(state, _)| *state == "missing").map(|(_, records)| *records).sum()
    });
    let planned = flow.map_or(0, |flow| flow.planned);
    let folder = arguments.study.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let recorded = super::freeze::now().and_then(|claimed_time| {
        let look = Look {
            freeze_id: freeze_id.clone(),
            records_digest: judgment.records_digest.clone(),
            planned,
            present: planned.saturating_sub(missing),
            claimed_time,
        };
        append(folder, &look).map_err(|error| error.to_string())
    });
    match recorded {
        Ok(count) => {
            let path = folder.join(looks::NAME);
            output.error(&format!("look {count} at results before they were whole, recorded in {}", path.display()));
            Ok(())
        }
        Err(problem) => {
            output.problem(
                &problem,
                "a look that leaves no trace could be repeated until the result pleases, so nothing is shown",
                "make the folder of the frozen file writable, and judge again",
            );
            Err(Exit::Failed)
        }
    }
}

fn present(arguments: &Arguments, (judgment, spec): &(Judgment, Spec), output: &mut Output) -> Exit {
    let document = match document::bytes(judgment) {
        Ok(document) => document,
        Err(error) => {
            output.problem(
                &format!("the verdict document could not be written: {error}"),
                "it holds every verdict",
                "please report this",
            );
            return Exit::Failed;
        }
    };
    let mut exit = Exit::Done;
    if let Some(path) = &arguments.out {
        exit = exit.and(write(path, &document, output));
    }
    if let Some(path) = &arguments.report {
        match html(judgment, spec) {
            Ok(page) => exit = exit.and(write(path, &page, output)),
            Err(error) => {
                output.problem(
                    &format!("the report could not be written: {error}"),
                    "the verdicts above stand all the same",
                    "please report this",
                );
                exit = exit.and(Exit::Failed);
            }
        }
    }
    if arguments.format == "json" {
        output.print(&document);
    } else {
        output.print(&terminal::summary(judgment, spec, terminal::Style { colour: output.colour(), width: 100 }));
        if let Some(path) = &arguments.report {
            output.line(&format!("report: {}", path.display()));
        }
        if let Some(path) = &arguments.out {
            output.line(&format!("verdict document: {}", path.display()));
        }
    }
    let fired = judgment.hypotheses.iter().filter(|it| it.role != crate::spec::Claim::Exploratory).any(|hypothesis| {
        let headline = hypothesis.sets.first();
        let classes = headline
            .into_iter()
            .flat_map(|set| set.outcome.iter().chain(set.grid.iter().map(|member| &member.outcome)));
        classes.into_iter().any(|outcome| arguments.fail_on.iter().any(|class| class == outcome.class.word()))
    });
    if fired { exit.and(Exit::Failed) } else { exit }
}

fn write(path: &Path, text: &str, output: &mut Output) -> Exit {
    match replace(path, text) {
        Ok(()) => Exit::Done,
        Err(error) => {
            output.problem(
                &format!("{}: {error}", path.display()),
                "the file was not written",
                "name a file in a folder that exists and can be written",
            );
            Exit::Usage
        }
    }
}
