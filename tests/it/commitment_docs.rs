//! Section 5 of `docs/commitment.md` against the code: every member and word of the codec stands in it, and an implementation
//! that was written from it accepts and refuses the same leaves.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use prespec::canon::digest::{freeze_id, hex};
use prespec::canon::leaf::{Leaf, Leaves};
use prespec::canon::study::{self, SEMANTICS};
use prespec::canon::value::{Key, Value};
use prespec::canon::write::encode;
use prespec::check::analyse;
use prespec::register::file::{Access, AccessLevel, Registration, RunLog, Source, Tool, file_name, read_frozen};
use prespec::register::inputs::InputPath;
use serde_json::json;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

const STUDIES: [&str; 9] = [
    "specs/gaia_scaffolds/gaia_scaffolds.prespec",
    "examples/first_study/first_study.prespec",
    "tests/cases/a1_chess/a1_chess.prespec",
    "tests/cases/a2_probe/a2_probe.prespec",
    "tests/cases/a3_overcooked/a3_overcooked.prespec",
    "tests/cases/a4_placebo/a4_placebo.prespec",
    "tests/cases/a5_defence/a5_defence.prespec",
    "tests/cases/a6_quotient/a6_quotient.prespec",
    "tests/cases/comparisons/comparisons.prespec",
];

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).unwrap()
}

fn chapter() -> String {
    let text = read("docs/commitment.md");
    let (_, rest) = text.split_once("<!-- begin: how a spec becomes leaves -->").unwrap();
    rest.split_once("<!-- end: how a spec becomes leaves -->").unwrap().0.to_owned()
}

/// What stands between back-quotes.
fn quoted(text: &str) -> BTreeSet<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The text of every codec file without its comments.
fn codec() -> String {
    let mut files: Vec<_> =
        fs::read_dir(Path::new(ROOT).join("src/canon/codec")).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 8, "{files:?}");
    let texts = files.iter().map(|path| fs::read_to_string(path).unwrap());
    let lines: Vec<String> = texts
        .flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>())
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect();
    lines.join("\n")
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

#[test]
fn every_member_and_word_of_the_codec_stands_in_the_chapter() {
    let (chapter, codec) = (chapter(), codec());
    let documented = quoted(&chapter);
    // Literals of one lower-case word are keys and words; messages have spaces.
    let literals: BTreeSet<&str> = codec.split('"').skip(1).step_by(2).filter(|text| is_word(text)).collect();
    assert!(literals.len() > 180, "{}", literals.len());
    let missing: Vec<&&str> = literals.iter().filter(|word| !documented.contains(**word)).collect();
    assert!(missing.is_empty(), "not in the chapter: {missing:?}");
}

/// `record!(Name { field = "key" set, … })`: name to key to whether it is a set.
fn records(codec: &str) -> BTreeMap<&str, BTreeMap<&str, bool>> {
    let mut found = BTreeMap::new();
    for block in codec.split("record!(").skip(1) {
        let (name, rest) = block.split_once('{').unwrap();
        let body = rest.split_once('}').unwrap().0;
        let members = body.split(',').filter_map(|member| {
            let (_, rest) = member.split_once('"')?;
            let (key, mark) = rest.split_once('"')?;
            Some((key, mark.trim() == "set"))
        });
        found.insert(name.trim(), members.collect());
    }
    found
}

/// The rows of the table whose head names the record: member to type.
fn table<'a>(chapter: &'a str, name: &str) -> Option<BTreeMap<&'a str, &'a str>> {
    let head = format!("| `{name}`");
    let mut lines =
        chapter.lines().skip_while(|line| !(line.starts_with(&head) && line.ends_with("| type |"))).peekable();
    lines.peek()?;
    let rows = lines.skip(2).take_while(|line| line.starts_with('|'));
    Some(
        rows.map(|row| {
            let (member, kind) = row.trim_start_matches("| ").split_once(" | ").unwrap();
            (member.trim_matches('`'), kind)
        })
        .collect(),
    )
}

#[test]
fn every_table_lists_exactly_the_members_of_its_record() {
    let (chapter, codec) = (chapter(), codec());
    let records = records(&codec);
    assert!(records.len() > 40, "{}", records.len());
    for (name, members) in &records {
        let Some(rows) = table(&chapter, name) else {
            let [key] = members.keys().collect::<Vec<_>>()[..] else { panic!("`{name}` has no table") };
            let sentence = format!("`{name}` is an object with one member, `{key}`, a");
            assert!(chapter.replace('\n', " ").contains(&sentence), "no sentence `{sentence}`");
            continue;
        };
        assert_eq!(rows.keys().collect::<Vec<_>>(), members.keys().collect::<Vec<_>>(), "{name}");
        for (key, set) in members {
            if *set {
                assert!(rows[key].starts_with('{'), "`{name}`: `{key}` is a set, not {}", rows[key]);
            }
        }
    }
}

#[test]
fn every_leaf_and_version_stands_in_the_chapter() {
    let chapter = chapter();
    let documented = quoted(&chapter);
    let source = read("src/canon/study.rs");
    let named = |call: &str, ending: &str| -> Vec<String> {
        let parts = source.split(call).skip(1).map(|rest| rest.split('"').next().unwrap());
        parts.map(|name| format!("{name}{ending}")).collect()
    };
    let (single, listed) = (named("put(&mut out, \"", ""), named("section(&mut out, \"", "/<name>"));
    assert_eq!((single.len(), listed.len()), (6, 22));
    for leaf in single.iter().chain(&listed) {
        assert!(documented.contains(leaf.as_str()), "{leaf}");
    }
    for (key, version) in SEMANTICS {
        assert!(chapter.contains(&format!("| `{key}` | `{version}` |")), "{key}");
    }
}

fn oracle(requests: &[serde_json::Value]) -> Vec<serde_json::Value> {
    let mut child = Command::new("python3")
        .arg(Path::new(ROOT).join("tests/oracle/commitment.py"))
        .arg("batch")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 runs the oracle");
    let lines: String = requests.iter().map(|request| format!("{request}\n")).collect();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), requests.len());
    answers
}

type Open = Vec<(String, Value)>;

/// Path, id and leaves of every study that checks; that all of them do is the business of `check_studies`.
fn studies() -> Vec<(&'static str, String, Open)> {
    let mut found = Vec::new();
    for path in STUDIES {
        let analysis = analyse(path, &read(path), &mut |include| Err(format!("{include} is not expected")));
        let Some(spec) = analysis.spec else { continue };
        let leaves = study::leaves(&spec).unwrap_or_else(|error| panic!("{path}: {error}"));
        let open = leaves.iter().map(|leaf| (leaf.path().to_string(), leaf.value().clone())).collect();
        found.push((path, spec.study, open));
    }
    assert!(found.len() > 5, "{} studies check", found.len());
    found
}

#[test]
fn every_study_that_ships_becomes_leaves_and_comes_back() {
    for (path, id, open) in studies() {
        let again = study::spec(&id, &open).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_eq!(study::leaves(&again).unwrap().iter().count(), open.len(), "{path}");
        let requests: Vec<_> = open
            .iter()
            .map(|(leaf, value)| json!({"op": "structure", "path": leaf, "hex": hex(&encode(value))}))
            .collect();
        for ((leaf, _), answer) in open.iter().zip(oracle(&requests)) {
            assert_eq!(answer["verdict"], "verified", "{path} {leaf}: {answer}");
        }
    }
}

fn words(text: &str) -> Value {
    Value::text(text).unwrap()
}

/// All values that differ from this one in one place.
fn edits(value: &Value) -> Vec<Value> {
    let mut found = vec![Value::Bool(true), words("other"), Value::array([]), Value::integer(-1).unwrap()];
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
            for key in ["zz", "filter", "at", "about"] {
                let mut more = members.clone();
                more.entry(Key::new(key).unwrap()).or_insert_with(|| words("x"));
                found.push(Value::Object(more));
            }
        }
        Value::Array(items) => {
            for (at, inner) in items.iter().enumerate() {
                let mut fewer = items.clone();
                fewer.remove(at);
                found.push(Value::Array(fewer));
                let mut twice = items.clone();
                twice.insert(at, inner.clone());
                found.push(Value::Array(twice));
                let mut swapped = items.clone();
                swapped.swap(at, 0);
                found.push(Value::Array(swapped));
                for edited in edits(inner) {
                    let mut items = items.clone();
                    items[at] = edited;
                    found.push(Value::Array(items));
                }
            }
        }
        Value::String(text) => {
            found.extend([format!("{text}x"), format!("0{text}"), format!("{text}0")].iter().map(|text| words(text)));
            for word in ["", "level", "number", "not", "and", "2/6", "1/4", "1/3", "paired_t", "otherwise", "completed"]
            {
                found.push(words(word));
            }
        }
        Value::Integer(_) | Value::Bool(_) => found.push(Value::integer(7).unwrap()),
    }
    found
}

#[test]
fn both_implementations_judge_every_edit_of_a_leaf_alike() {
    let (mut requests, mut ours) = (Vec::new(), Vec::new());
    let mut seen = BTreeSet::new();
    for (_, id, open) in studies() {
        let part = |name: &str| open.iter().find(|(leaf, _)| leaf == name).cloned().unwrap();
        // A study of three leaves: what is named elsewhere is not looked for when leaves are read.
        let base = [part("study"), part("semantics")];
        for (leaf, value) in &open {
            // Every third edit: enough to meet every kind in every place of some leaf, and three times as fast.
            for edited in edits(value).into_iter().step_by(3) {
                let bytes = encode(&edited);
                if !seen.insert((leaf.split('/').next().unwrap().to_owned(), bytes.clone())) {
                    continue;
                }
                let mut leaves: Vec<(String, Value)> = base.iter().filter(|(name, _)| name != leaf).cloned().collect();
                leaves.push((leaf.clone(), edited));
                requests.push(json!({"op": "structure", "path": leaf, "hex": hex(&bytes)}));
                ours.push((leaf.clone(), bytes, study::spec(&id, &leaves).map(|_| ()).map_err(|e| e.to_string())));
            }
        }
    }
    let accepted = ours.iter().filter(|(_, _, result)| result.is_ok()).count();
    assert!(ours.len() > 5_000 && accepted > 500 && ours.len() - accepted > 3_000, "{accepted} of {}", ours.len());
    let mut differing = Vec::new();
    for ((leaf, bytes, result), answer) in ours.iter().zip(oracle(&requests)) {
        if result.is_ok() != (answer["verdict"] == "verified") {
            differing.push(format!("{leaf}: {result:?}, oracle {answer}: {}", String::from_utf8_lossy(bytes)));
        }
    }
    differing.truncate(20);
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

/// A frozen file of these leaves; every digest is right.
fn freeze(study: &str, open: &[(String, Value)]) -> (String, Vec<u8>) {
    let leaves = open.iter().map(|(path, value)| Leaf::open(path.as_str(), value.clone()).unwrap());
    let registration = Registration {
        lang: study::LANG.into(),
        study: study.into(),
        leaves: Leaves::new(leaves).unwrap(),
        sources: vec![Source { path: InputPath::new("a.prespec").unwrap(), text: "language 1\n".into() }],
        claimed_time: "2026-03-01T12:00:00Z".parse().unwrap(),
        access: Access { level: AccessLevel::None, note: None },
        runlog: RunLog::Empty,
        tool: Tool { name: "prespec".into(), version: "0.1.0".into() },
        git: None,
        authors: Vec::new(),
        warnings: Vec::new(),
        waivers: Vec::new(),
    };
    let frozen = registration.freeze().unwrap();
    (frozen.name(), frozen.bytes().to_vec())
}

/// Changes the leaf with this path.
fn changed(open: &[(String, Value)], path: &str, edit: impl Fn(&mut BTreeMap<Key, Value>)) -> Vec<(String, Value)> {
    let mut open = open.to_vec();
    let (_, value) = open.iter_mut().find(|(leaf, _)| leaf == path).unwrap();
    let Value::Object(members) = value else { panic!("{path} is no object") };
    edit(members);
    open
}

#[test]
fn a_frozen_file_with_consistent_digests_and_a_faulty_leaf_is_refused_by_both() {
    let (_, id, open) = studies().into_iter().find(|(path, ..)| path.contains("gaia")).unwrap();
    let key = |name: &str| Key::new(name).unwrap();
    let mut faults = vec![("nothing", "verified", open.clone())];
    let mut more = open.clone();
    more.push(("profiles/x".into(), Value::Bool(true)));
    faults.push(("an unknown leaf", "failed", more));
    let with = |path: &str, edit: &dyn Fn(&mut BTreeMap<Key, Value>)| changed(&open, path, edit);
    faults.push((
        "an unknown member",
        "failed",
        with("margins/material", &|members| {
            members.insert(key("note"), words("x"));
        }),
    ));
    faults.push((
        "a member that is missing",
        "failed",
        with("margins/material", &|members| {
            members.remove(&key("source"));
        }),
    ));
    faults.push((
        "an unknown word",
        "failed",
        with("families/gaps", &|members| {
            members.insert(key("adjust"), words("sidak"));
        }),
    ));
    faults.push((
        "an unsorted set",
        "failed",
        with("design", &|members| {
            let Some(Value::Array(cross)) = members.get_mut(&key("cross")) else { panic!("no `cross`") };
            cross.reverse();
        }),
    ));
    faults.push((
        "an empty array",
        "failed",
        with("hypotheses/H1", &|members| {
            members.insert(key("requires"), Value::array([]));
        }),
    ));
    faults.push((
        "a number in another spelling",
        "failed",
        with("margins/material", &|members| {
            members.insert(key("low"), Value::array([words("0.10"), words("difference")]));
        }),
    ));
    let mut other = open.clone();
    let semantics = other.iter_mut().find(|(leaf, _)| leaf == "semantics").unwrap();
    semantics.1 = Value::set(SEMANTICS.iter().map(|(name, version)| {
        Value::array([words(name), words(if *name == "quantile" { "type-6/1" } else { version })])
    }));
    faults.push(("an unknown version", "failed", other));

    let mut requests = Vec::new();
    for (what, verdict, open) in &faults {
        let (name, bytes) = freeze(&id, open);
        assert_eq!(name, file_name(0, &freeze_id(&bytes)));
        let frozen = read_frozen(&bytes, &name).unwrap_or_else(|found| panic!("{what}: {found:?}"));
        let read: Vec<(String, Value)> =
            frozen.file().open.iter().map(|(path, value)| (path.to_string(), value.clone())).collect();
        let ours = study::spec(&id, &read);
        assert_eq!(ours.is_ok(), *verdict == "verified", "{what}: {:?}", ours.err());
        requests.push(json!({"op": "verify", "hex": hex(&bytes), "name": name, "leaves": true}));
    }
    for ((what, verdict, _), answer) in faults.iter().zip(oracle(&requests)) {
        assert_eq!(answer["verdict"], *verdict, "{what}: {answer}");
        let codes = if *verdict == "verified" { json!([]) } else { json!(["PR105"]) };
        assert_eq!(answer["codes"], codes, "{what}");
    }
}
