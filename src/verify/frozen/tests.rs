//! Level A0 on real folders: good, changed inputs, broken chains.

use std::fs;

use super::*;
use crate::canon::leaf::{Leaf, Leaves};
use crate::canon::value::Value;
use crate::register::file::tests::registration;
use crate::register::file::{FreezeFile, Kind};
use crate::register::finding::Severity;
use crate::register::inputs::InputPath;
use crate::register::store::store;
use crate::verify::{LIMIT, Verdict};

struct Lab {
    dir: tempfile::TempDir,
}

impl Lab {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("tasks.csv"), b"id\n1\n").unwrap();
        Self { dir }
    }

    fn first(&self) -> Frozen {
        let path = InputPath::new("tasks.csv").unwrap();
        let input = read_input(self.dir.path(), &path, 100).unwrap().reference().to_value().unwrap();
        let mut first = registration(false);
        first.leaves = Leaves::new([
            Leaf::open("plan", Value::integer(1).unwrap()).unwrap(),
            Leaf::open("tasks/main", Value::object([("file", input)]).unwrap()).unwrap(),
        ])
        .unwrap();
        first.freeze().unwrap()
    }

    fn verify(&self, frozen: &Frozen) -> Verification {
        let path = self.dir.path().join("frozen").join(frozen.name());
        verify_frozen(&path, self.dir.path(), |_| Vec::new()).unwrap()
    }

    fn store(&self, frozen: &Frozen) {
        store(&self.dir.path().join("frozen"), frozen).unwrap();
    }

    fn codes(&self, frozen: &Frozen) -> Vec<(FindingCode, Severity)> {
        self.verify(frozen).findings.iter().map(|f| (f.code, f.severity)).collect()
    }
}

fn amendment(before: &Frozen, edit: impl FnOnce(&mut FreezeFile)) -> Frozen {
    let mut file = before.file().clone();
    let (path, value) = (before.file().open.first_key_value().unwrap().0.as_str(), Value::Bool(true));
    let mut leaves: Vec<Leaf> =
        file.open.iter().skip(1).map(|(p, v)| Leaf::open(p.as_str(), v.clone()).unwrap()).collect();
    leaves.push(Leaf::open(path, value).unwrap());
    let leaves = Leaves::new(leaves).unwrap();
    file.manifest = leaves.manifest();
    file.open = leaves.iter().map(|l| (l.path().clone(), l.value().clone())).collect();
    file.seq += 1;
    file.prev = Some(before.id());
    file.kind = Kind::Amendment;
    file.changes = Some(file.changes_from(&before.file().manifest));
    file.reason = Some("a better plan".into());
    edit(&mut file);
    file.freeze().unwrap()
}

#[test]
fn a_whole_folder_verifies_and_says_what_that_means() {
    let lab = Lab::new();
    let first = lab.first();
    lab.store(&first);
    let result = lab.verify(&first);
    assert_eq!((result.verdict, result.level, result.findings.len()), (Verdict::Verified, Some(Level::A0), 0));
    assert_eq!(result.sentences(), [Level::A0.sentence(), LIMIT]);
    assert_eq!(result.freeze_id, first.id());
    let second = amendment(&first, |_| ());
    lab.store(&second);
    assert_eq!(lab.verify(&second).verdict, Verdict::Verified);
}

#[test]
fn changed_inputs_are_named() {
    let lab = Lab::new();
    let first = lab.first();
    lab.store(&first);
    let input = lab.dir.path().join("tasks.csv");
    fs::write(&input, b"id\n2\n").unwrap();
    let result = lab.verify(&first);
    assert_eq!(lab.codes(&first), [(FindingCode::InputChanged, Severity::Error)]);
    assert!(result.findings[0].message.contains("expected 5 bytes with sha256:"), "{}", result.findings[0]);
    assert_eq!((result.verdict, result.level), (Verdict::Failed, None));
    assert_eq!(result.sentences(), [LIMIT]);
    fs::write(&input, b"id\r\n1\r\n").unwrap();
    assert_eq!(lab.codes(&first), [(FindingCode::InputChanged, Severity::Error)]);
    fs::remove_file(&input).unwrap();
    assert_eq!(lab.codes(&first), [(FindingCode::InputPath, Severity::Error)]);
    let file = fs::File::create(&input).unwrap();
    file.set_len(MAX_INPUT_BYTES + 1).unwrap(); // sparse: takes no room
    assert_eq!(lab.codes(&first), [(FindingCode::OverLimit, Severity::Error)]);
}

#[test]
fn the_chain_is_followed_to_the_first_freeze() {
    let lab = Lab::new();
    let first = lab.first();
    let second = amendment(&first, |_| ());
    lab.store(&second);
    assert_eq!(lab.codes(&second), [(FindingCode::ChainBroken, Severity::Inconclusive)]);
    assert_eq!(lab.verify(&second).verdict, Verdict::Inconclusive);
    let place = lab.dir.path().join("frozen").join(first.name());
    fs::write(&place, b"{}\n").unwrap();
    let codes = lab.codes(&second);
    assert!(codes.contains(&(FindingCode::ChainBroken, Severity::Error)), "{codes:?}");
    assert!(codes.contains(&(FindingCode::NameMismatch, Severity::Error)), "{codes:?}");
    fs::write(&place, first.bytes()).unwrap();
    assert_eq!(lab.codes(&second), []);
}

#[test]
fn a_link_states_what_changed() {
    let first = Lab::new().first();
    assert!(link_faults(&amendment(&first, |_| ()), &first).is_empty());
    let no_changes = amendment(&first, |file| file.changes = Some(Vec::new()));
    assert!(link_faults(&no_changes, &first)[0].contains("`changes`"));
    let other_study = amendment(&first, |file| file.study = "other".into());
    assert!(link_faults(&other_study, &first)[0].contains("study"));
    let skipped = amendment(&first, |file| file.seq = 2);
    assert!(link_faults(&skipped, &first)[0].contains("number 2"));
    let stranger = amendment(&first, |file| file.prev = Some(freeze_id(b"")));
    assert!(link_faults(&stranger, &first)[0].contains("`prev`"));
}

#[test]
fn the_meaning_is_looked_at_by_the_caller() {
    let lab = Lab::new();
    let first = lab.first();
    lab.store(&first);
    let path = lab.dir.path().join("frozen").join(first.name());
    let add = |frozen: &Frozen| {
        vec![Finding::error(FindingCode::BadField, frozen.name(), "no such section", "why", "fix").inconclusive()]
    };
    assert_eq!(verify_frozen(&path, lab.dir.path(), add).unwrap().verdict, Verdict::Inconclusive);
}
