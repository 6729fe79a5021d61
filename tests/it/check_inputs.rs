//! Input files of a study: digests and prompts.

use std::path::Path;

use prespec::check::{analyse, inputs};
use prespec::diagnostic::{Code, Diagnostic, Severity};
use prespec::spec::{Spec, TaskSource};

fn run(read: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>) -> (Spec, Vec<Diagnostic>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/gaia_scaffolds/gaia_scaffolds.prespec");
    let text = std::fs::read_to_string(path).unwrap();
    let analysis = analyse("gaia", &text, &mut |_| Err(String::new()));
    let mut spec = analysis.spec.unwrap();
    let found = inputs(&mut spec, &analysis.places, read);
    (spec, found)
}

fn on_disk(path: &str) -> Result<Vec<u8>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/gaia_scaffolds");
    std::fs::read(folder.join(path)).map_err(|error| error.to_string())
}

#[test]
fn every_input_gets_its_digest_and_prompts_say_what_they_need() {
    let (spec, found) = run(&mut on_disk);
    let TaskSource::File { file, .. } = &spec.tasks.as_ref().unwrap().source else { panic!("a file") };
    let (hex, size) = file.digest.clone().unwrap();
    assert_eq!((hex.len(), size), (64, on_disk(&file.path).unwrap().len() as u64));
    let prompts =
        spec.scaffolds.values().flat_map(|scaffold| scaffold.roles.values()).filter_map(|role| role.prompt.as_ref());
    assert!(prompts.clone().count() >= 5);
    assert!(prompts.clone().all(|prompt| prompt.digest.is_some()));
    assert!(found.iter().all(|found| found.severity != Severity::Error), "{found:?}");
    let notes: Vec<_> = found.iter().filter(|found| found.code == Code::BadPrompt).collect();
    assert_eq!(notes.len(), 1, "{notes:?}");
    let listed = notes[0].notes.join(" ");
    assert!(listed.contains("`question`") && listed.contains("`transcript`"), "{listed}");
    assert!(!listed.contains("`attachment`"), "a field of the tasks: {listed}");
}

#[test]
fn prompts_that_name_what_the_study_declares_need_no_note() {
    let (_, found) = run(&mut |path| match path {
        "prompts/react.md.j2" => Ok(b"{{ attachment }} at {{ level }} for {{ solver }}".to_vec()),
        path if path.starts_with("prompts/") => Ok(b"{% for x in [1] %}{{ x }} {{ planner }}{% endfor %}".to_vec()),
        other => on_disk(other),
    });
    assert!(found.iter().all(|found| found.code != Code::BadPrompt), "{found:?}");
}

#[test]
fn the_digest_is_sha256() {
    let (spec, _) = run(&mut |_| Ok(b"abc".to_vec()));
    let TaskSource::File { file, .. } = &spec.tasks.as_ref().unwrap().source else { panic!("a file") };
    let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(file.digest, Some((known.into(), 3)));
}

#[test]
fn a_missing_file_and_a_broken_prompt_are_refused() {
    let (spec, found) = run(&mut |path| match path {
        "data/gaia_sample_ids.csv" => Err("there is no such file".into()),
        "prompts/react.md.j2" => Ok(b"Answer: {{ question".to_vec()),
        "prompts/actor.md.j2" => Ok(b"TODO".to_vec()),
        other => on_disk(other),
    });
    let told = |code: Code, part: &str| {
        found
            .iter()
            .any(|found| found.code == code && found.severity == Severity::Error && found.message.contains(part))
    };
    assert!(told(Code::BadInput, "data/gaia_sample_ids.csv"), "{found:?}");
    assert!(told(Code::BadPrompt, "react.md.j2"), "{found:?}");
    assert!(told(Code::Placeholder, "actor.md.j2"), "{found:?}");
    let TaskSource::File { file, .. } = &spec.tasks.as_ref().unwrap().source else { panic!("a file") };
    assert_eq!(file.digest, None);
}
