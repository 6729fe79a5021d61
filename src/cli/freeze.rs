//! `prespec freeze FILE [--out preregistrations]`

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::output::Output;
use super::{Exit, load};
use crate::canon::study::LANG;
use crate::diagnostic::Severity;
use crate::register::file::{Access, AccessLevel, Registration, RunLog, Source, Tool, UtcTime, Waiver, Warned};
use crate::register::inputs::InputPath;
use crate::register::store::{StoreError, existing, store};
use crate::render;

/// Arguments of `freeze`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The spec
    file: PathBuf,
    /// The folder that holds the frozen files of all studies
    #[arg(long, value_name = "DIR", default_value = "preregistrations")]
    out: PathBuf,
}

/// Freezes a spec; says so when its meaning is frozen already.
pub fn run(arguments: &Arguments, output: &mut Output) -> Exit {
    let study = match load::study(&arguments.file, output) {
        Ok(study) => study,
        Err(exit) => return exit,
    };
    let folder = arguments.out.join(&study.spec.study);
    let digest = study.leaves.spec_digest(LANG);
    match existing(&folder) {
        Ok(known) => {
            if let Some((path, frozen)) = known.iter().find(|(_, frozen)| frozen.spec_digest() == digest) {
                output.line(&format!("already frozen as {}", frozen.id()));
                output.line(&path.display().to_string());
                return Exit::Done;
            }
        }
        Err(error) => return refused(&error, output),
    }
    if !study.read.diagnostics.is_empty() {
        output.error(&render::human(&study.read.diagnostics, &study.read.sources, output.style()));
    }
    let registration = match registration(&study, &arguments.out) {
        Ok(registration) => registration,
        Err(problem) => {
            output.problem(
                &problem,
                "the frozen file must say when and from what it was made",
                "correct it, and freeze again",
            );
            return Exit::Usage;
        }
    };
    let frozen = match registration.freeze() {
        Ok(frozen) => frozen,
        Err(findings) => {
            for finding in findings {
                output.error(&finding.to_string());
            }
            return Exit::Failed;
        }
    };
    match store(&folder, &frozen) {
        Ok(path) => {
            output.line(&frozen.id().to_string());
            output.line(&path.display().to_string());
            Exit::Done
        }
        Err(error) => refused(&error, output),
    }
}

/// The time by this machine's clock, which is shown as claimed and proves nothing.
pub fn now() -> Result<UtcTime, String> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the command line is an edge: the claimed time is the author's clock"
    )]
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|_| "the clock stands before 1970".to_owned())?;
    UtcTime::from_unix(now.as_secs()).ok_or_else(|| "the clock stands beyond the year 9999".to_owned())
}

fn registration(study: &load::Study, out: &Path) -> Result<Registration, String> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the command line is an edge: the claimed time is the author's clock"
    )]
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|_| "the clock stands before 1970".to_owned())?;
    let claimed_time = UtcTime::from_unix(now.as_secs()).ok_or("the clock stands beyond the year 9999")?;
    let named_in = |text: &str| study.spec.waivers.iter().find(|waiver| text.contains(&waiver.because));
    let mut warnings = Vec::new();
    let mut waivers = Vec::new();
    for diagnostic in study.read.diagnostics.iter().filter(|it| it.severity == Severity::Warning) {
        let waiver = diagnostic.notes.iter().find_map(|note| note.strip_prefix("waived: ").and_then(named_in));
        match waiver {
            Some(waiver) => waivers.push(Waiver {
                code: diagnostic.code.number().to_owned(),
                text: diagnostic.message.clone(),
                reason: waiver.because.clone(),
            }),
            None => {
                warnings.push(Warned { code: diagnostic.code.number().to_owned(), text: diagnostic.message.clone() });
            }
        }
    }
    let base = Place::new(&study.read.path, out)?;
    let sources = study
        .read
        .sources
        .iter()
        .enumerate()
        .map(|(at, source)| {
            let path = if at == 0 { base.main.clone() } else { format!("{}{}", base.folder, source.name) };
            let path = InputPath::new(path).map_err(|fault| format!("{}: {fault}", source.name))?;
            Ok(Source { path, text: source.text.clone() })
        })
        .collect::<Result<_, String>>()?;
    Ok(Registration {
        lang: LANG.to_owned(),
        study: study.spec.study.clone(),
        leaves: study.leaves.clone(),
        sources,
        claimed_time,
        access: Access { level: AccessLevel::None, note: None },
        runlog: RunLog::Empty,
        tool: Tool { name: env!("CARGO_PKG_NAME").to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
        git: None,
        authors: study.spec.about.authors.clone(),
        warnings,
        waivers,
    })
}

/// Where the spec stands, seen from the folder that holds the preregistrations; its bare name when it stands elsewhere.
struct Place {
    main: String,
    folder: String,
}

impl Place {
    fn new(spec: &Path, out: &Path) -> Result<Self, String> {
        let whole = |path: &Path| std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()));
        let name = spec.file_name().map(|name| name.to_string_lossy().into_owned()).ok_or("the spec has no name")?;
        let spec = whole(spec)?;
        let out = whole(out)?;
        let inside = out.parent().and_then(|project| spec.strip_prefix(project).ok());
        let parts: Vec<String> = inside
            .into_iter()
            .flat_map(Path::components)
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .collect();
        if parts.is_empty() {
            return Ok(Self { main: name, folder: String::new() });
        }
        let main = parts.join("/");
        let folder = main.strip_suffix(&name).unwrap_or("").to_owned();
        Ok(Self { main, folder })
    }
}

fn refused(error: &StoreError, output: &mut Output) -> Exit {
    output.problem(
        &error.to_string(),
        "a frozen file is never changed and never replaced",
        "read what stands there; a changed plan is a new study or, later, an amendment",
    );
    Exit::Failed
}
