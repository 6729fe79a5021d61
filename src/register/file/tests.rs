//! Making, reading and refusing frozen files.

use super::*;
use crate::canon::leaf::{Leaf, Salt};
use crate::canon::read::decode;
use crate::canon::value::Key;
use crate::register::finding::{FindingCode, Severity};

fn text(text: &str) -> Value {
    Value::text(text).unwrap()
}

pub(crate) fn registration(sealed: bool) -> Registration {
    let plan = Value::object([("n", Value::integer(40).unwrap()), ("alpha", text("0.05"))]).unwrap();
    let hypothesis = Value::object([("id", text("H1")), ("claim", text("Größer\nals 2 pp"))]).unwrap();
    let second = if sealed {
        Leaf::sealed("hypotheses/H2", hypothesis.clone(), Salt::from_bytes([5; 32])).unwrap()
    } else {
        Leaf::open("hypotheses/H2", hypothesis.clone()).unwrap()
    };
    let leaves = [Leaf::open("plan", plan).unwrap(), Leaf::open("hypotheses/H1", hypothesis).unwrap(), second];
    let warned = |code: &str| Warned { code: code.into(), text: "fewer than ten clusters".into() };
    Registration {
        lang: "prespec-lang/1".into(),
        study: "noise".into(),
        leaves: Leaves::new(leaves).unwrap(),
        sources: vec![Source {
            path: InputPath::new("noise.prespec").unwrap(),
            text: "language 1\nstudy noise {}\n".into(),
        }],
        claimed_time: "2026-03-01T12:00:00Z".parse().unwrap(),
        access: Access { level: AccessLevel::None, note: None },
        runlog: RunLog::Empty,
        tool: Tool { name: "prespec".into(), version: "0.1.0".into() },
        git: GitHint::new(&"a".repeat(40)),
        authors: vec!["Ada".into(), "Bo".into()],
        warnings: vec![warned("W0502"), warned("W0501"), warned("W0502")],
        waivers: vec![Waiver { code: "W0101".into(), text: "point estimate".into(), reason: "pilot".into() }],
    }
}

/// Encodes an edited value and names the file after its content, so that only the edit itself can be refused.
fn findings(edit: impl FnOnce(&mut BTreeMap<Key, Value>)) -> Vec<(FindingCode, String)> {
    let frozen = registration(false).freeze().unwrap();
    let Value::Object(mut members) = decode(frozen.bytes().strip_suffix(b"\n").unwrap()).unwrap() else { panic!() };
    edit(&mut members);
    let mut bytes = encode(&Value::Object(members));
    bytes.push(b'\n');
    let name = file_name(0, &freeze_id(&bytes));
    let found = read_frozen(&bytes, &name).expect_err("the edit is refused");
    found.into_iter().map(|f| (f.code, f.path.strip_prefix(&name).unwrap_or(&f.path).to_owned())).collect()
}

fn set(key: &str, value: Value) -> Vec<(FindingCode, String)> {
    findings(|members| {
        members.insert(Key::new(key).unwrap(), value);
    })
}

#[test]
fn a_freeze_reads_back_as_it_was() {
    let frozen = registration(false).freeze().unwrap();
    let again = read_frozen(frozen.bytes(), &frozen.name()).unwrap();
    assert_eq!(again, frozen);
    assert_eq!(again.file().warnings.len(), 2, "a set");
    assert_eq!(again.file().warnings[0].code, "W0501");
    assert_eq!(again.file().kind, Kind::Registration);
    assert_eq!(registration(false).freeze().unwrap().bytes(), frozen.bytes(), "no clock, no chance");
}

#[test]
fn a_sealed_freeze_holds_no_source_and_no_sealed_value() {
    let frozen = registration(true).freeze().unwrap();
    assert!(frozen.file().sources.is_empty());
    assert_eq!(frozen.file().open.len(), 2);
    let bytes = String::from_utf8(frozen.bytes().to_vec()).unwrap();
    assert!(bytes.contains("\"hypotheses/H2\",\"sealed\"") && !bytes.contains("language 1"));
}

#[test]
fn the_spec_digest_depends_on_the_meaning_alone() {
    let base = registration(false).freeze().unwrap();
    let mut other = registration(false);
    other.study = "other".into();
    other.claimed_time = "2027-01-01T00:00:00Z".parse().unwrap();
    other.authors.clear();
    other.git = None;
    let other = other.freeze().unwrap();
    assert_eq!(base.spec_digest(), other.spec_digest());
    assert_ne!(base.id(), other.id());
}

#[test]
fn every_bit_of_every_byte_counts() {
    let frozen = registration(false).freeze().unwrap();
    let name = frozen.name();
    let mut bytes = frozen.bytes().to_vec();
    let mut refused = 0;
    for at in 0..bytes.len() {
        for bit in 0..8 {
            bytes[at] ^= 1 << bit;
            refused += usize::from(read_frozen(&bytes, &name).is_err());
            bytes[at] ^= 1 << bit;
        }
        let mut shorter = bytes.clone();
        let gone = shorter.remove(at);
        refused += usize::from(read_frozen(&shorter, &name).is_err());
        let mut longer = bytes.clone();
        longer.insert(at, gone);
        refused += usize::from(read_frozen(&longer, &name).is_err());
    }
    assert_eq!(refused, bytes.len() * 10);
}

#[test]
fn without_its_name_a_file_still_refuses_edits_of_what_is_hashed() {
    // The same edits, but with the name following the content: only strict fields and digests protect the rest.
    assert_eq!(set("lang", text("prespec-lang/2")), [(FindingCode::SpecMismatch, "#spec_digest".into())]);
    let other = format!("sha256:{}", "0".repeat(64));
    assert_eq!(set("spec_digest", text(&other)), [(FindingCode::SpecMismatch, "#spec_digest".into())]);
    let found = findings(|members| {
        let Some(Value::Array(rows)) = members.get_mut("open") else { panic!() };
        let Value::Array(pair) = &mut rows[2] else { panic!() };
        pair[1] = text("other");
    });
    assert_eq!(found, [(FindingCode::LeafMismatch, "#plan".into())]);
    let found = findings(|members| {
        let Some(Value::Array(rows)) = members.get_mut("open") else { panic!() };
        rows.remove(0);
    });
    assert_eq!(found, [(FindingCode::LeafMismatch, "#hypotheses/H1".into())]);
    let found = findings(|members| {
        let Some(Value::Array(rows)) = members.get_mut("manifest") else { panic!() };
        rows.remove(0);
    });
    assert_eq!(
        found,
        [(FindingCode::LeafMismatch, "#hypotheses/H1".into()), (FindingCode::SpecMismatch, "#spec_digest".into())]
    );
}

#[test]
fn unknown_fields_are_refused_everywhere() {
    let unknown = |place: &str| [(FindingCode::UnknownField, place.to_owned())];
    assert_eq!(set("extra", Value::Bool(true)), unknown("#extra"));
    for (key, place) in [("access", "#access.x"), ("runlog", "#runlog.x"), ("tool", "#tool.x"), ("git", "#git.x")] {
        let found = findings(|members| {
            let Some(Value::Object(inner)) = members.get_mut(key) else { panic!() };
            inner.insert(Key::new("x").unwrap(), Value::Bool(false));
        });
        assert_eq!(found, unknown(place));
    }
    for (key, place) in [("sources", "#sources.0.x"), ("warnings", "#warnings.0.x"), ("waivers", "#waivers.0.x")] {
        let found = findings(|members| {
            let Some(Value::Array(items)) = members.get_mut(key) else { panic!() };
            let Value::Object(inner) = &mut items[0] else { panic!() };
            inner.insert(Key::new("x").unwrap(), Value::Bool(false));
        });
        assert_eq!(found[0], unknown(place)[0]);
    }
}

#[test]
fn every_field_is_needed_and_typed() {
    let frozen = registration(false).freeze().unwrap();
    let Value::Object(members) = decode(frozen.bytes().strip_suffix(b"\n").unwrap()).unwrap() else { panic!() };
    for key in members.keys().filter(|key| key.as_str() != "git") {
        let missing = findings(|members| {
            members.remove(key);
        });
        let place = format!("#{key}");
        assert!(missing.contains(&(FindingCode::BadField, place.clone())), "{key}: {missing:?}");
        let typed = set(key.as_str(), Value::Bool(true));
        assert!(typed.contains(&(FindingCode::BadField, place)), "{key}: {typed:?}");
    }
}

#[test]
fn fields_agree_with_each_other() {
    let bad = |place: &str| [(FindingCode::BadField, place.to_owned())];
    assert_eq!(set("prev", text(&format!("sha256:{}", "0".repeat(64)))), bad("#prev"));
    assert_eq!(set("reason", text("because")), bad("#reason"));
    assert_eq!(set("changes", Value::array([])), bad("#changes"));
    assert_eq!(set("kind", text("deviation")), bad("#kind"));
    assert_eq!(set("sources", Value::array([])), bad("#sources"));
    assert_eq!(set("study", text("Noise")), bad("#study"));
    assert_eq!(set("claimed_time", text("2026-02-29T12:00:00Z")), bad("#claimed_time"));
    assert_eq!(set("authors", Value::array([text(" ")])), bad("#authors.0"));
    let log = Value::object([("count", Value::integer(2).unwrap())]).unwrap();
    assert_eq!(set("runlog", log), bad("#runlog.head"));
    let head = format!("sha256:{}", "1".repeat(64));
    let log = Value::object([("count", Value::integer(2).unwrap()), ("head", text(&head))]).unwrap();
    assert_eq!(set("runlog", log), [(FindingCode::AccessBelowFloor, "#access".into())]);
    let warning = |code: &str| Value::object([("code", text(code)), ("text", text("t"))]).unwrap();
    assert_eq!(set("warnings", Value::array([warning("b"), warning("a")])), bad("#warnings"));
}

#[test]
fn all_findings_are_reported_and_sorted() {
    let found = findings(|members| {
        members.insert(Key::new("extra").unwrap(), Value::Bool(true));
        members.insert(Key::new("lang").unwrap(), text("prespec-lang/3"));
        members.remove("tool");
    });
    assert_eq!(
        found,
        [
            (FindingCode::UnknownField, "#extra".into()),
            (FindingCode::SpecMismatch, "#spec_digest".into()),
            (FindingCode::BadField, "#tool".into()),
        ]
    );
}

#[test]
fn another_version_is_inconclusive_not_a_failure() {
    let frozen = registration(false).freeze().unwrap();
    let text = String::from_utf8(frozen.bytes().to_vec()).unwrap();
    let later = text.replace("prespec-freeze/1", "prespec-freeze/2");
    let found = read_frozen(later.as_bytes(), &file_name(0, &freeze_id(later.as_bytes()))).unwrap_err();
    let [finding] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((finding.code, finding.severity), (FindingCode::UnknownVersion, Severity::Inconclusive));
    // U+50000 is unassigned in every Unicode version so far; a later one might assign it.
    let unknown = text.replace("Größer", "\u{50000}");
    let found = read_frozen(unknown.as_bytes(), &file_name(0, &freeze_id(unknown.as_bytes()))).unwrap_err();
    assert!(found.iter().all(|f| f.code == FindingCode::UnknownVersion && f.severity == Severity::Inconclusive));
}

#[test]
fn a_name_carries_number_and_digest() {
    let frozen = registration(false).freeze().unwrap();
    let name = frozen.name();
    assert_eq!(name.len(), 4 + 1 + 16 + SUFFIX.len());
    for wrong in ["plan.json", "", &name.replacen('0', "1", 1), &name.to_uppercase(), &format!("./{name}")] {
        let found = read_frozen(frozen.bytes(), wrong).unwrap_err();
        assert_eq!(found.iter().map(|f| f.code).collect::<Vec<_>>(), [FindingCode::NameMismatch], "{wrong}");
    }
}

#[test]
fn what_cannot_be_frozen_is_refused_when_freezing() {
    let mut bidi = registration(false);
    bidi.sources[0].text = "a\u{202e}b".into();
    let found = bidi.freeze().unwrap_err();
    assert!(found[0].message.contains("U+202E"), "{found:?}");
    let mut bad = registration(false);
    bad.lang = "english".into();
    assert_eq!(bad.freeze().unwrap_err()[0].code, FindingCode::BadField);
    let reference = |path: &str, sha: &str| {
        let members = [("path", text(path)), ("sha256", text(sha)), ("bytes", Value::integer(1).unwrap())];
        Leaf::open("inputs", Value::object(members).unwrap()).unwrap()
    };
    let hex = "0".repeat(64);
    for (path, sha, code) in [
        ("../x", hex.as_str(), FindingCode::InputPath),
        ("a\\b", hex.as_str(), FindingCode::InputPath),
        ("a", "00", FindingCode::BadField),
    ] {
        let mut unsafe_input = registration(false);
        unsafe_input.leaves = Leaves::new([reference(path, sha)]).unwrap();
        assert_eq!(unsafe_input.freeze().unwrap_err()[0].code, code, "{path}");
    }
}

#[test]
fn times_exist_in_the_calendar() {
    let time = |text: &str| text.parse::<UtcTime>();
    for good in ["2026-03-01T12:00:00Z", "2024-02-29T23:59:59Z", "2000-02-29T00:00:00Z"] {
        assert_eq!(time(good).unwrap().to_string(), good);
    }
    for bad in [
        "2026-03-01",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-04-31T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "2026-03-01T24:00:00Z",
        "2026-03-01T12:60:00Z",
        "2026-03-01T12:00:60Z",
        "2026-03-01T12:00:00",
        "2026-3-01T12:00:00Z",
        "2026-03-01t12:00:00Z",
        "2026-03-01T12:00:00+00:00",
        "2026-03-01T12:00:00.0Z",
        "+026-03-01T12:00:00Z",
    ] {
        assert_eq!(time(bad), Err(TimeError), "{bad}");
    }
    assert_eq!(UtcTime::from_unix(0).unwrap().to_string(), "1970-01-01T00:00:00Z");
    assert_eq!(UtcTime::from_unix(951_827_696).unwrap().to_string(), "2000-02-29T12:34:56Z");
    assert_eq!(UtcTime::from_unix(253_402_300_799).unwrap().to_string(), "9999-12-31T23:59:59Z");
    assert_eq!(UtcTime::from_unix(253_402_300_800), None);
}

#[test]
fn the_kind_follows_from_number_log_and_access() {
    let lines = RunLog::Lines { count: 1, head: LogHead::from_bytes([0; 32]) };
    assert_eq!(Kind::of(0, &lines, AccessLevel::Results), Kind::Registration);
    assert_eq!(Kind::of(1, &RunLog::Empty, AccessLevel::None), Kind::Amendment);
    assert_eq!(Kind::of(1, &lines, AccessLevel::Runs), Kind::AmendmentAfterRun);
    assert_eq!(Kind::of(1, &RunLog::Empty, AccessLevel::Runs), Kind::AmendmentAfterRun);
    assert_eq!(Kind::of(2, &lines, AccessLevel::Results), Kind::Deviation);
}

#[test]
fn a_hostile_file_earns_a_bounded_report() {
    let empty = || Value::object([]).unwrap();
    let found = set("warnings", Value::Array((0..50_000).map(|_| empty()).collect()));
    assert_eq!(found.len(), MAX_FINDINGS + 1);
    let text = format!("{{{}}}\n", (0..200_000).map(|i| format!("\"k{i:06}\":1")).collect::<Vec<_>>().join(","));
    let found = read_frozen(text.as_bytes(), "x").unwrap_err();
    assert!(found.len() <= MAX_FINDINGS + 1);
}
