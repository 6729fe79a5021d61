//! The study in a frozen file: that its leaves are one, that it could have been frozen, and that its source text says the same. Pure;
//! reads no file.

use crate::canon::study::{normal, spec};
use crate::check::{analyse, recheck};
use crate::diagnostic::{Diagnostic, Severity};
use crate::register::file::Frozen;
use crate::register::finding::{Finding, FindingCode};
use crate::spec::{Spec, TaskSource};

/// Everything that is wrong with the study of a file whose bytes and digests hold.
#[must_use]
pub fn study(frozen: &Frozen) -> Vec<Finding> {
    let open: Vec<_> =
        frozen.file().open.iter().map(|(path, value)| (path.as_str().to_owned(), value.clone())).collect();
    let sealed = open.len() < frozen.file().manifest.len();
    let decoded = match spec(&frozen.file().study, &open) {
        Ok(decoded) => decoded,
        // A study with sealed leaves is not whole, so its references cannot be followed yet.
        Err(_) if sealed => return Vec::new(),
        Err(error) => {
            return vec![Finding::error(
                FindingCode::UnknownField,
                frozen.name(),
                format!("the leaves are not a study in its canonical form: {error}"),
                "a part that this program reads differently could be judged differently",
                "check which version froze the file; a newer one may be needed",
            )];
        }
    };
    if sealed {
        return Vec::new();
    }
    let mut found: Vec<Finding> = recheck(&decoded).iter().map(|diagnostic| refused(frozen, diagnostic)).collect();
    found.extend(told(frozen, &decoded));
    found
}

/// A refusal of the checker on what was frozen.
fn refused(frozen: &Frozen, diagnostic: &Diagnostic) -> Finding {
    let subject = diagnostic.subject.as_ref().map_or_else(String::new, |subject| format!("#{subject}"));
    Finding::error(
        FindingCode::NotFreezable,
        format!("{}{subject}", frozen.name()),
        format!("{}: {}", diagnostic.code.number(), diagnostic.message),
        "`freeze` refuses such a study, so this file was not made by it, and a rule that is not proved can be bent",
        "do not rely on it; ask for a file that `freeze` made",
    )
}

/// Whether the source text, which is what people read, says what the leaves say, which is what is judged.
fn told(frozen: &Frozen, decoded: &Spec) -> Vec<Finding> {
    let differs = |message: String| {
        Finding::error(
            FindingCode::SourcesDiffer,
            frozen.name(),
            message,
            "people read the source text, and verdicts come from the leaves",
            "do not rely on it; ask for a file that `freeze` made",
        )
    };
    let file = frozen.file();
    let Some(main) = file.sources.first() else { return vec![differs("it holds no source text".to_owned())] };
    // Includes are named from the folder of the main file.
    let folder = main.path.as_str().rsplit_once('/').map_or_else(String::new, |(folder, _)| format!("{folder}/"));
    let load = &mut |path: &str| {
        let source = file.sources.iter().find(|source| source.path.as_str() == format!("{folder}{path}"));
        source.map(|source| source.text.clone()).ok_or_else(|| format!("{path} is not among the sources"))
    };
    let analysis = analyse(main.path.as_str(), &main.text, load);
    let mut found = Vec::new();
    match analysis.spec.as_ref().map(|told| normal(&without_digests(told))) {
        Some(Ok(told)) if told == without_digests(decoded) => {}
        Some(_) => found.push(differs("its source text is another study than its leaves".to_owned())),
        None => found.push(differs("its source text does not pass the checks".to_owned())),
    }
    let recorded = |diagnostic: &&Diagnostic| {
        let is = |code: &str, text: &str| code == diagnostic.code.number() && text == diagnostic.message;
        let warned = file.warnings.iter().any(|warned| is(&warned.code, &warned.text));
        !warned && !file.waivers.iter().any(|waiver| is(&waiver.code, &waiver.text))
    };
    let warnings = analysis.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Warning);
    if let Some(missing) = warnings.clone().find(recorded) {
        found.push(differs(format!("it does not record the warning {}: {}", missing.code.number(), missing.message)));
    }
    // Another version may read or warn differently, and that is no fault of the file.
    if file.tool.version != env!("CARGO_PKG_VERSION") {
        found = found.into_iter().map(Finding::inconclusive).collect();
    }
    found
}

/// The study without the digests of its inputs, which its text does not hold.
fn without_digests(spec: &Spec) -> Spec {
    let mut spec = spec.clone();
    if let Some(tasks) = &mut spec.tasks
        && let TaskSource::File { file, .. } = &mut tasks.source
    {
        file.digest = None;
    }
    let roles = spec.scaffolds.values_mut().flat_map(|scaffold| scaffold.roles.values_mut());
    roles.filter_map(|role| role.prompt.as_mut()).for_each(|file| file.digest = None);
    spec.tools.values_mut().filter_map(|tool| tool.schema.as_mut()).for_each(|file| file.digest = None);
    spec
}
