//! The value layer of the commitment against other implementations: the Python oracle written from
//! `docs/commitment.md`, two JCS crates, the published vectors and the project's own golden files.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use prespec::canon::digest::{content_id, freeze_id, hex, leaf_digest, seed, sha256, spec_digest};
use prespec::canon::leaf::{Leaf, LeafState, Leaves, Salt};
use prespec::canon::read::decode;
use prespec::canon::value::{Key, Value};
use prespec::canon::write::encode;
use prespec::register::file::{
    Access, AccessLevel, Change, FreezeFile, Frozen, GitHint, Kind, Registration, RunLog, Source, Tool, Waiver, Warned,
    file_name, read_frozen,
};
use prespec::register::finding::{Finding, Severity};
use prespec::register::inputs::{InputPath, read_input};
use prespec::register::store::store;
use prespec::verify::frozen::verify_frozen;
use prespec::verify::{LIMIT, Verdict};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::json;
use unicode_normalization::UnicodeNormalization;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn data(name: &str) -> PathBuf {
    Path::new(ROOT).join("tests/data/commitment").join(name)
}

/// Asks the oracle everything in one process.
fn oracle(requests: &[serde_json::Value]) -> Vec<serde_json::Value> {
    let mut child = Command::new("python3")
        .arg(Path::new(ROOT).join("tests/oracle/commitment.py"))
        .arg("batch")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 runs the oracle");
    let mut lines = String::new();
    for request in requests {
        lines.push_str(&request.to_string());
        lines.push('\n');
    }
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());
    let answers: Vec<serde_json::Value> =
        String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), requests.len());
    answers
}

fn ask_canon(bytes: &[u8]) -> serde_json::Value {
    json!({"op": "canon", "hex": hex(bytes)})
}

fn accepted(answer: &serde_json::Value) -> bool {
    answer["verdict"] == "verified"
}

#[test]
fn both_implementations_agree_with_the_reference_documents() {
    let Ok(text) = fs::read_to_string(Path::new(ROOT).join("../shared/reference/trust/canon-cases.json")) else {
        eprintln!("SKIPPED both_implementations_agree_with_the_reference_documents: ../shared is absent");
        return;
    };
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let cases = file["cases"].as_array().unwrap();
    assert!(cases.len() >= 47);
    let texts: Vec<&str> = cases.iter().map(|case| case["text"].as_str().unwrap()).collect();
    let answers = oracle(&texts.iter().map(|text| ask_canon(text.as_bytes())).collect::<Vec<_>>());
    for ((case, text), answer) in cases.iter().zip(texts).zip(answers) {
        let expected = case["expect"] == "accept";
        assert_eq!(decode(text.as_bytes()).is_ok(), expected, "{case}");
        assert_eq!(accepted(&answer), expected, "oracle: {case}");
        if expected {
            assert_eq!(case["sha256"], hex(&sha256(text.as_bytes())), "{case}");
            assert_eq!(case["sha256"], answer["sha256"], "{case}");
        }
    }
}

#[test]
fn both_implementations_agree_with_the_stored_documents() {
    let file: serde_json::Value = serde_json::from_slice(&fs::read(data("documents.json")).unwrap()).unwrap();
    let cases = file.as_array().unwrap();
    assert!(cases.len() >= 90);
    let texts: Vec<&str> = cases.iter().map(|case| case["text"].as_str().unwrap()).collect();
    let answers = oracle(&texts.iter().map(|text| ask_canon(text.as_bytes())).collect::<Vec<_>>());
    for ((case, text), answer) in cases.iter().zip(texts).zip(answers) {
        assert_eq!(decode(text.as_bytes()).is_ok(), case["expect"] == "verified", "{case}");
        assert_eq!(answer["verdict"], case["expect"], "oracle: {case}");
        assert_eq!(answer["sha256"], case["sha256"], "oracle: {case}");
        if let Some(digest) = case["sha256"].as_str() {
            assert_eq!(digest, hex(&sha256(text.as_bytes())));
        }
    }
}

#[test]
fn published_jcs_vectors_are_accepted_where_they_are_in_the_subset() {
    let Ok(folder) = fs::read_dir(Path::new(ROOT).join("../shared/reference/trust/jcs/output")) else {
        eprintln!("SKIPPED published_jcs_vectors_are_accepted_where_they_are_in_the_subset: ../shared is absent");
        return;
    };
    let mut documents: Vec<Vec<u8>> = folder.map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
    documents.sort();
    assert_eq!(documents.len(), 6);
    // Whole documents use capitals, floats or null; their parts that are values of ours keep their bytes.
    let mut kept = 0;
    let mut requests = Vec::new();
    let mut ours = Vec::new();
    for bytes in &documents {
        let whole: serde_json::Value = serde_json::from_slice(bytes).unwrap();
        for part in parts(&whole) {
            let jcs = serde_jcs::to_vec(&part).unwrap();
            requests.push(ask_canon(&jcs));
            ours.push(decode(&jcs).is_ok_and(|value| encode(&value) == jcs));
        }
    }
    for (ours, answer) in ours.into_iter().zip(oracle(&requests)) {
        assert_eq!(ours, accepted(&answer));
        kept += usize::from(ours);
    }
    assert!(kept >= 20, "{kept} of {}", requests.len());
}

fn parts(value: &serde_json::Value) -> Vec<serde_json::Value> {
    let inner: Vec<serde_json::Value> = if let Some(items) = value.as_array() {
        items.iter().flat_map(parts).collect()
    } else if let Some(members) = value.as_object() {
        members.values().flat_map(parts).collect()
    } else {
        Vec::new()
    };
    std::iter::once(value.clone()).chain(inner).collect()
}

/// Text in normal form C of characters that every Unicode version since 14.0 has.
fn text() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        4 => prop::char::range(' ', '~'),
        1 => prop::sample::select(vec!['\n', '\t', '"', '\\', '/', '\u{2028}', '\u{200d}', '\u{a0}', '\u{fffd}']),
        1 => prop::char::range('\u{a1}', '\u{ff}'),
        1 => prop::char::range('\u{300}', '\u{36f}'),
        1 => prop::char::range('\u{5d0}', '\u{5ea}'),
        1 => prop::char::range('\u{4e00}', '\u{4fff}'),
        1 => prop::char::range('\u{1100}', '\u{11ff}'),
        1 => prop::char::range('\u{1f600}', '\u{1f64f}'),
    ];
    prop::collection::vec(character, 0..12).prop_map(|chars| chars.into_iter().nfc().collect())
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        text().prop_map(|text| Value::text(text).unwrap()),
        (-9_007_199_254_740_991_i64..=9_007_199_254_740_991).prop_map(|n| Value::integer(n).unwrap()),
        (-20_i64..20).prop_map(|n| Value::integer(n).unwrap()),
        any::<bool>().prop_map(Value::Bool),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::set),
            prop::collection::btree_map("[a-z][a-z0-9_]{0,5}", inner, 0..6).prop_map(|members| {
                Value::Object(members.into_iter().map(|(key, value)| (Key::new(key).unwrap(), value)).collect())
            }),
        ]
    })
}

fn samples(count: usize) -> Vec<Value> {
    let mut runner = TestRunner::deterministic();
    let strategy = value();
    (0..count).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

#[test]
fn thousands_of_values_have_the_same_bytes_everywhere() {
    let values = samples(5_000);
    let encoded: Vec<Vec<u8>> = values.iter().map(encode).collect();
    for (value, bytes) in values.iter().zip(&encoded) {
        assert_eq!(decode(bytes).as_ref(), Ok(value));
        let parsed: serde_json::Value = serde_json::from_slice(bytes).unwrap();
        assert_eq!(&serde_jcs::to_vec(&parsed).unwrap(), bytes);
        assert_eq!(&serde_json_canonicalizer::to_vec(&parsed).unwrap(), bytes);
    }
    for (bytes, answer) in encoded.iter().zip(oracle(&encoded.iter().map(|b| ask_canon(b)).collect::<Vec<_>>())) {
        assert_eq!(answer["sha256"], hex(&sha256(bytes)), "{}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn both_implementations_refuse_the_same_edits_of_documents() {
    // Every place of some documents gets each of these bytes, put over it or before it.
    let mut edited = Vec::new();
    for bytes in samples(120).iter().map(encode).filter(|bytes| bytes.len() < 200) {
        for at in 0..bytes.len() {
            for byte in [b' ', b'0', b'"', b'\\', b',', b'}', b'-', b'e', 0x80, b'\n'] {
                let mut over = bytes.clone();
                over[at] = byte;
                edited.push(over);
                let mut before = bytes.clone();
                before.insert(at, byte);
                edited.push(before);
            }
        }
    }
    edited.sort();
    edited.dedup();
    assert!(edited.len() > 10_000);
    let answers = oracle(&edited.iter().map(|bytes| ask_canon(bytes)).collect::<Vec<_>>());
    for (bytes, answer) in edited.iter().zip(answers) {
        assert_eq!(decode(bytes).is_ok(), accepted(&answer), "{}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn digests_and_seeds_are_the_same() {
    let mut requests = Vec::new();
    let mut ours = Vec::new();
    for (i, value) in samples(300).into_iter().enumerate() {
        let path = format!("section/X{i}");
        let salt = (i % 2 == 1).then(|| Salt::from_bytes(sha256(path.as_bytes())));
        let shown = salt.as_ref().map(Salt::to_hex).unwrap_or_default();
        requests.push(json!({"op": "leaf", "path": path, "salt": shown, "hex": hex(&encode(&value))}));
        ours.push(leaf_digest(&path, salt.as_ref(), &value).to_hex());
        let first = Leaf::open("plan", value.clone()).unwrap();
        let second = match salt {
            Some(salt) => Leaf::sealed(path, value, salt),
            None => Leaf::open(path, value),
        };
        let manifest = Leaves::new([second.unwrap(), first]).unwrap().manifest();
        requests.push(json!({"op": "spec", "lang": "prespec-lang/1", "hex": hex(&encode(&manifest.to_value()))}));
        ours.push(spec_digest("prespec-lang/1", &manifest).to_string());
        let (id, cell) = (freeze_id(shown.as_bytes()), format!("arm=\u{e4}; task={i}"));
        let entropy = (i % 3 == 0).then(|| sha256(b"token"));
        let entropy_hex = entropy.map(|bytes| hex(&bytes)).unwrap_or_default();
        requests.push(json!({
            "op": "seed", "freeze": id.to_string(), "entropy": entropy_hex, "cell": cell, "replicate": i
        }));
        ours.push(hex(&seed(&id, entropy.as_ref(), &cell, u64::try_from(i).unwrap())));
    }
    for (ours, answer) in ours.into_iter().zip(oracle(&requests)) {
        assert_eq!(answer["digest"], ours);
    }
}

fn words(text: &str) -> Value {
    Value::text(text).unwrap()
}

/// The study behind the golden files: one open and one sealable hypothesis, a plan and an input of three bytes.
fn golden(sealed: bool) -> Registration {
    let object = |members: &[(&str, Value)]| Value::object(members.iter().cloned()).unwrap();
    let input = object(&[
        ("path", words("data/tasks.csv")),
        ("sha256", words(&content_id(b"id\n").to_hex())),
        ("bytes", Value::integer(3).unwrap()),
    ]);
    let second = object(&[("id", words("S1")), ("direction", words("greater"))]);
    let leaves = [
        Leaf::open("hypotheses/H1", object(&[("id", words("H1")), ("claim", words("Größer\nals „2 pp“ 😀"))])).unwrap(),
        if sealed {
            Leaf::sealed("hypotheses/S1", second, Salt::from_bytes([7; 32])).unwrap()
        } else {
            Leaf::open("hypotheses/S1", second).unwrap()
        },
        Leaf::open("plan", object(&[("alpha", words("0.05")), ("n", Value::integer(40).unwrap())])).unwrap(),
        Leaf::open("tasks/main", object(&[("file", input), ("levels", Value::array([words("b"), words("a")]))]))
            .unwrap(),
    ];
    let warned = |code: &str| Warned { code: code.into(), text: "fewer than ten clusters".into() };
    Registration {
        lang: "prespec-lang/1".into(),
        study: "noise".into(),
        leaves: Leaves::new(leaves).unwrap(),
        sources: vec![Source {
            path: InputPath::new("noise.prespec").unwrap(),
            text: "language 1\n\n# \"noise\"\n".into(),
        }],
        claimed_time: "2026-03-01T12:00:00Z".parse().unwrap(),
        access: Access { level: AccessLevel::None, note: Some("pilot with other tasks".into()) },
        runlog: RunLog::Empty,
        tool: Tool { name: "prespec".into(), version: "0.1.0".into() },
        git: GitHint::new("0123456789abcdef0123456789abcdef01234567"),
        authors: vec!["Ada".into()],
        warnings: vec![warned("W0502"), warned("W0501")],
        waivers: vec![Waiver { code: "W0101".into(), text: "a point estimate alone".into(), reason: "pilot".into() }],
    }
}

fn deviation(before: &Frozen) -> Frozen {
    let mut file: FreezeFile = before.file().clone();
    let mut leaves: Vec<Leaf> = Vec::new();
    for (path, value) in &file.open {
        let value = if path.as_str() == "plan" { words("other") } else { value.clone() };
        if path.as_str() != "hypotheses/S1" {
            leaves.push(Leaf::open(path.as_str(), value).unwrap());
        }
    }
    leaves.push(Leaf::open("margins/m", words("2")).unwrap());
    let leaves = Leaves::new(leaves).unwrap();
    file.manifest = leaves.manifest();
    file.open = leaves.iter().map(|leaf| (leaf.path().clone(), leaf.value().clone())).collect();
    file.seq = 1;
    file.prev = Some(before.id());
    file.access.level = AccessLevel::Results;
    file.runlog = RunLog::Lines { count: 12, head: content_id(b"line\n") };
    file.kind = Kind::Deviation;
    file.changes = Some(file.changes_from(&before.file().manifest));
    file.reason = Some("the scorer was wrong".into());
    file.freeze().unwrap()
}

/// Frozen files never change: `BLESS=1` writes the ones that are not there yet, and replaces none.
#[test]
fn golden_files_are_made_again_byte_for_byte() {
    let open = golden(false).freeze().unwrap();
    let sealed = golden(true).freeze().unwrap();
    for frozen in [&open, &sealed, &deviation(&open)] {
        let path = data(&frozen.name());
        if std::env::var_os("BLESS").is_some() && !path.exists() {
            fs::write(&path, frozen.bytes()).unwrap();
        }
        assert_eq!(fs::read(&path).expect("a golden file of this name"), frozen.bytes());
        assert_eq!(read_frozen(frozen.bytes(), &frozen.name()).as_ref(), Ok(frozen));
    }
    let stored = fs::read_dir(data("")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(stored.filter(|name| name.ends_with(".freeze.json")).count(), 3, "and no other frozen file is there");
}

fn codes(findings: &[Finding]) -> Vec<String> {
    let mut codes: Vec<String> = findings.iter().map(|finding| finding.code.number().to_owned()).collect();
    codes.sort();
    codes.dedup();
    codes
}

/// All values that differ from this one in one place: a member gone, added, renamed or of another content.
fn edits(value: &Value) -> Vec<Value> {
    let mut found = vec![Value::Bool(true), words("other"), Value::array([]), Value::integer(-1).unwrap()];
    found.push(words(&format!("sha256:{}", "0".repeat(64))));
    found.push(words(&"0".repeat(64)));
    found.push(words("../x"));
    found.push(Value::object([]).unwrap());
    match value {
        Value::Object(members) => {
            for (key, inner) in members {
                let with = |replacement: Option<Value>| {
                    let mut members = members.clone();
                    members.remove(key);
                    members.extend(replacement.map(|value| (key.clone(), value)));
                    Value::Object(members)
                };
                found.push(with(None));
                found.extend(edits(inner).into_iter().map(|inner| with(Some(inner))));
            }
            let mut more = members.clone();
            more.insert(Key::new("zz").unwrap(), Value::Bool(false));
            found.push(Value::Object(more));
        }
        Value::Array(items) => {
            for (i, inner) in items.iter().enumerate() {
                let mut fewer = items.clone();
                fewer.remove(i);
                found.push(Value::Array(fewer));
                let mut twice = items.clone();
                twice.insert(i, inner.clone());
                found.push(Value::Array(twice));
                let mut swapped = items.clone();
                swapped.swap(i, 0);
                found.push(Value::Array(swapped));
                for edited in edits(inner) {
                    let mut items = items.clone();
                    items[i] = edited;
                    found.push(Value::Array(items));
                }
            }
        }
        Value::Integer(n) => {
            found.extend([n.get() + 1, 0, 2, 10_000].map(|n| Value::integer(n).unwrap()));
        }
        Value::String(text) => {
            found.push(words(&format!("{text}x")));
            found.push(words(""));
            for word in ["results", "runs", "amendment", "amendment-after-run", "deviation", "sealed", "open", "sha256"]
            {
                found.push(words(word));
            }
        }
        Value::Bool(_) => {}
    }
    found
}

#[test]
fn both_implementations_judge_every_edit_of_a_frozen_file_alike() {
    let open = golden(false).freeze().unwrap();
    let mut requests = Vec::new();
    let mut ours: Vec<(String, &str, Vec<String>)> = Vec::new();
    for frozen in [&open, &golden(true).freeze().unwrap(), &deviation(&open)] {
        let original = decode(frozen.bytes().strip_suffix(b"\n").unwrap()).unwrap();
        for edited in edits(&original) {
            let mut bytes = encode(&edited);
            bytes.push(b'\n');
            // Named after its content, so that the name hides no other finding.
            let stated = if let Value::Object(members) = &edited { members.get("seq") } else { None };
            let seq = if let Some(Value::Integer(seq)) = stated { u16::try_from(seq.get()).unwrap_or(0) } else { 0 };
            let seq = if seq > 9_999 { 0 } else { seq };
            let name = file_name(seq, &freeze_id(&bytes));
            requests.push(json!({"op": "verify", "hex": hex(&bytes), "name": name}));
            let (verdict, codes) = match read_frozen(&bytes, &name) {
                Ok(_) => ("verified", Vec::new()),
                Err(found) if found.iter().any(|f| f.severity == Severity::Error) => ("failed", codes(&found)),
                Err(found) => ("inconclusive", codes(&found)),
            };
            ours.push((String::from_utf8(bytes).unwrap(), verdict, codes));
        }
    }
    assert!(ours.len() > 3_000, "{}", ours.len());
    let mut verdicts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut differing = Vec::new();
    for ((text, verdict, codes), answer) in ours.iter().zip(oracle(&requests)) {
        if (answer["verdict"].as_str(), &answer["codes"]) != (Some(*verdict), &json!(codes)) {
            differing.push(format!("{verdict} {codes:?}, oracle {answer}: {text}"));
        }
        *verdicts.entry(verdict).or_default() += 1;
    }
    assert!(differing.is_empty(), "{} differ\n{}", differing.len(), differing.join("\n"));
    // An edit of what nothing depends on, such as an author's name, makes another valid file under another name.
    assert!(verdicts["failed"] > 2_500 && verdicts["inconclusive"] > 0 && verdicts["verified"] > 0, "{verdicts:?}");
}

#[test]
fn no_edit_of_any_byte_keeps_its_name() {
    for name in fs::read_dir(data("")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()) {
        if !name.ends_with(".freeze.json") {
            continue;
        }
        let mut bytes = fs::read(data(&name)).unwrap();
        assert!(read_frozen(&bytes, &name).is_ok());
        for at in 0..bytes.len() {
            for bit in 0..8 {
                bytes[at] ^= 1 << bit;
                assert!(read_frozen(&bytes, &name).is_err(), "byte {at} bit {bit}");
                bytes[at] ^= 1 << bit;
            }
            let mut shorter = bytes.clone();
            let byte = shorter.remove(at);
            assert!(read_frozen(&shorter, &name).is_err(), "byte {at} removed");
            for inserted in [byte, b' ', 0] {
                let mut longer = bytes.clone();
                longer.insert(at, inserted);
                assert!(read_frozen(&longer, &name).is_err(), "byte {at} inserted");
            }
        }
    }
}

#[test]
fn level_a0_is_reached_and_lost_alike() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("preregistrations/noise");
    let input = dir.path().join("data/tasks.csv");
    fs::create_dir(dir.path().join("data")).unwrap();
    fs::write(&input, b"id\n").unwrap();
    assert_eq!(read_input(dir.path(), &InputPath::new("data/tasks.csv").unwrap(), 9).unwrap().bytes, b"id\n");
    let first = golden(false).freeze().unwrap();
    let second = deviation(&first);
    let mut paths = vec![store(&folder, &first).unwrap()];
    paths.push(store(&folder, &second).unwrap());

    let compare = |path: &Path, expected: &[&str], verdict: Verdict| {
        let ours = verify_frozen(path, dir.path(), |_| Vec::new()).unwrap();
        assert_eq!(
            (codes(&ours.findings), ours.verdict),
            (expected.iter().map(|c| (*c).to_owned()).collect(), verdict)
        );
        assert!(ours.sentences().contains(&LIMIT));
        let output = Command::new("python3")
            .arg(Path::new(ROOT).join("tests/oracle/commitment.py"))
            .args([Path::new("verify"), path, Path::new("--values"), Path::new("--inputs"), dir.path()])
            .output()
            .unwrap();
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((answer["verdict"].as_str(), &answer["codes"]), (Some(verdict.word()), &json!(expected)));
        assert_eq!(answer["freeze_id"], ours.freeze_id.to_string());
    };
    for path in &paths {
        compare(path, &[], Verdict::Verified);
    }
    fs::write(&input, b"ID\n").unwrap();
    compare(&paths[1], &["PR111"], Verdict::Failed);
    fs::write(dir.path().join("data/TASKS.csv"), b"").unwrap();
    compare(&paths[1], &["PR112"], Verdict::Failed);
    fs::remove_file(dir.path().join("data/TASKS.csv")).unwrap();
    fs::write(&input, b"id\n").unwrap();
    let kept = fs::read(&paths[0]).unwrap();
    fs::write(&paths[0], kept.strip_suffix(b"\n").unwrap()).unwrap();
    compare(&paths[1], &["PR101", "PR104", "PR601"], Verdict::Failed);
    fs::remove_file(&paths[0]).unwrap();
    compare(&paths[1], &["PR601"], Verdict::Inconclusive);
    fs::write(&paths[0], kept).unwrap();

    // A second amendment that hides what it changed and goes back to "nothing seen".
    let mut file = second.file().clone();
    file.seq = 2;
    file.prev = Some(second.id());
    file.changes = Some(vec![Change {
        path: prespec::canon::leaf::LeafPath::new("plan").unwrap(),
        change: prespec::register::file::Changed::Changed,
    }]);
    let hidden = file.freeze().unwrap();
    let path = folder.join(hidden.name());
    fs::write(&path, hidden.bytes()).unwrap();
    compare(&path, &["PR601"], Verdict::Failed);
}

#[test]
fn a_manifest_names_what_is_sealed() {
    let sealed = golden(true).freeze().unwrap();
    let states: Vec<(String, LeafState)> =
        sealed.file().manifest.iter().map(|(path, state, _)| (path.to_string(), state)).collect();
    assert_eq!(states.iter().filter(|(_, state)| *state == LeafState::Sealed).count(), 1);
    assert_ne!(sealed.spec_digest(), golden(false).freeze().unwrap().spec_digest());
}
