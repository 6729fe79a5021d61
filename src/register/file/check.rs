//! Checking a frozen file: bytes, fields, digests and name, all findings at once.

use std::collections::BTreeMap;

use crate::canon::digest::{FreezeId, SpecDigest, freeze_id, leaf_digest, spec_digest};
use crate::canon::leaf::{LeafPath, LeafState, MAX_LEAF_DEPTH, Manifest};
use crate::canon::read::{MAX_BYTES, ReadError, Rule, decode};
use crate::canon::value::{CANON, Key, TextFault, Value, ValueError};

use super::super::finding::{Finding, FindingCode, sort};
use super::super::inputs::{self, InputPath, InputRef, RefFault};
use super::fields::{Fields, Findings, bad};
use super::parts::{Access, AccessLevel, Change, Changed, GitHint, Kind, RunLog, Source, Tool, Waiver, Warned};
use super::{FORMAT, FreezeFile, Frozen, MAX_SEQ, file_name};

/// Why a frozen file is read strictly.
pub const WHY_STRICT: &str = "A part that is not checked could be changed after the freeze";

/// Reads and checks a frozen file: strict bytes, known fields, leaf digests, spec digest and file name.
///
/// `name` is the last part of the file's path. Reports every finding, sorted, not the first.
pub fn read_frozen(bytes: &[u8], name: &str) -> Result<Frozen, Vec<Finding>> {
    let mut found = Findings::default();
    let id = freeze_id(bytes);
    let file = check(bytes, name, &id, &mut found);
    let mut found = found.into_list(name);
    sort(&mut found);
    match file {
        Some(file) if found.is_empty() => Ok(Frozen { file, bytes: bytes.to_vec(), id }),
        _ => Err(found),
    }
}

fn check(bytes: &[u8], name: &str, id: &FreezeId, found: &mut Findings) -> Option<FreezeFile> {
    let value = document(bytes, name, found);
    let Some(Value::Object(members)) = &value else {
        if let Some(value) = value {
            found.push(bad(name, format!("expected an object, found {}", value.kind())));
        }
        check_name(name, None, id, found);
        return None;
    };
    let mut fields = Fields::of(members, name.to_owned());
    let versions = [("format", FORMAT), ("canon", CANON)].map(|(key, known)| version(&mut fields, key, known, found));
    if versions.contains(&false) {
        // The fields of another version are unknown by definition: complaining of each would mislead. The name's rule
        // is the same for every version.
        check_name(name, None, id, found);
        return None;
    }
    let file = read_fields(fields, name, found);
    check_name(name, file.as_ref().map(|file| file.seq), id, found);
    file
}

fn document(bytes: &[u8], name: &str, found: &mut Findings) -> Option<Value> {
    if bytes.len() > MAX_BYTES {
        found.push(Finding::error(
            FindingCode::OverLimit,
            name,
            format!("{} bytes are over the limit of {MAX_BYTES}", bytes.len()),
            "A reader must be able to refuse a hostile file in bounded time and memory",
            "Move large data into input files, which are bound by their digest",
        ));
        return None;
    }
    let Some(body) = bytes.strip_suffix(b"\n") else {
        found.push(Finding::error(
            FindingCode::NotCanonical,
            name,
            format!("byte {}: the file does not end with a line feed", bytes.len()),
            "The file was cut off or changed, so its digest is another one",
            "Restore the file as it was frozen",
        ));
        return None;
    };
    match decode(body) {
        Ok(value) => Some(value),
        Err(error) => {
            found.push(not_canonical(name, &error));
            None
        }
    }
}

fn not_canonical(name: &str, error: &ReadError) -> Finding {
    let (why, fix) = (error.rule.why(), error.rule.fix());
    let finding = Finding::error(FindingCode::NotCanonical, name, error.to_string(), why, fix);
    // A later Unicode version may have assigned it: this build cannot tell, which is not a failure.
    if matches!(&error.rule, Rule::Value(ValueError::Text(text)) if text.fault == TextFault::Unassigned) {
        return Finding { code: FindingCode::UnknownVersion, ..finding }.inconclusive();
    }
    finding
}

fn version(fields: &mut Fields, key: &str, known: &str, found: &mut Findings) -> bool {
    match fields.text(key, found) {
        Some(text) if text == known => true,
        Some(text) => {
            let shown: String = text.escape_debug().take(80).collect();
            found.push(
                Finding::error(
                    FindingCode::UnknownVersion,
                    fields.place(key),
                    format!("`{shown}` is unknown; this build knows `{known}`"),
                    "A format that is not known cannot be checked",
                    "Use a newer prespec",
                )
                .inconclusive(),
            );
            false
        }
        None => false,
    }
}

fn check_name(name: &str, seq: Option<u16>, id: &FreezeId, found: &mut Findings) {
    let expected = match seq {
        Some(seq) => file_name(seq, id),
        // Without a readable number, only the digest can be compared.
        None => match name.get(..4).and_then(|digits| digits.parse().ok()) {
            Some(seq) => file_name(seq, id),
            None => file_name(0, id),
        },
    };
    if name != expected {
        found.push(Finding::error(
            FindingCode::NameMismatch,
            name,
            format!("the content belongs to the name `{expected}`"),
            "The name carries the digest, so that an edit of the file shows at once",
            "Restore the file as it was frozen; a changed plan is a new freeze",
        ));
    }
}

fn read_fields(mut fields: Fields, name: &str, found: &mut Findings) -> Option<FreezeFile> {
    let before = found.total();
    let lang = fields.parsed("lang", found, language);
    let study = fields.parsed("study", found, |text| Key::new(text).map(|_| text.to_owned()));
    let seq = fields.integer::<u16>("seq", found).filter(|seq| {
        let fits = *seq <= MAX_SEQ;
        if !fits {
            found.push(bad(&format!("{name}#seq"), format!("{seq} is over {MAX_SEQ}")));
        }
        fits
    });
    let prev = optional_digest(&mut fields, "prev", found);
    let kind = fields.word("kind", found, Kind::from_word, "registration, amendment, amendment-after-run, deviation");
    let stated = fields.parsed("spec_digest", found, str::parse::<SpecDigest>);
    let manifest = fields.value("manifest", found).and_then(|value| match Manifest::from_value(value) {
        Ok(manifest) => Some(manifest),
        Err(error) => {
            found.push(bad(&format!("{name}#manifest"), error.to_string()));
            None
        }
    });
    let open = fields.array("open", found).and_then(|rows| read_open(rows, name, found));
    let sources = read_list(&mut fields, "sources", found, read_source);
    let claimed_time = fields.parsed("claimed_time", found, str::parse);
    let access = nested(&mut fields, "access", found, read_access);
    let runlog = nested(&mut fields, "runlog", found, read_runlog);
    let changes = read_changes(&mut fields, name, found);
    let reason = fields.optional_text("reason", found).map(str::to_owned);
    let tool = nested(&mut fields, "tool", found, read_tool);
    let git = read_git(&mut fields, found);
    let authors = fields.array("authors", found).map(|items| read_authors(items, name, found));
    let warnings = read_set(&mut fields, "warnings", found, read_warned);
    let waivers = read_set(&mut fields, "waivers", found, read_waiver);
    fields.close(found);

    let unreadable = found.total() > before;
    if let (Some(manifest), Some(open)) = (&manifest, &open) {
        check_leaves(manifest, open, name, found);
    }
    if let (Some(lang), Some(manifest), Some(stated)) = (&lang, &manifest, &stated) {
        check_spec(lang, manifest, stated, name, found);
    }
    let file = FreezeFile {
        lang: lang?,
        study: study?,
        seq: seq?,
        prev,
        kind: kind?,
        manifest: manifest?,
        open: open?,
        sources: sources?,
        claimed_time: claimed_time?,
        access: access?,
        runlog: runlog?,
        changes,
        reason,
        tool: tool?,
        git,
        authors: authors?,
        warnings: warnings?,
        waivers: waivers?,
    };
    if !unreadable {
        check_together(&file, name, found);
    }
    Some(file)
}

fn language(text: &str) -> Result<String, &'static str> {
    let number = text.strip_prefix("prespec-lang/").unwrap_or_default();
    let digits = (1..=4).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
    if digits && !number.starts_with('0') {
        Ok(text.to_owned())
    } else {
        Err("a language is `prespec-lang/` and its number")
    }
}

fn optional_digest(fields: &mut Fields, key: &str, found: &mut Findings) -> Option<FreezeId> {
    let text = fields.optional_text(key, found)?;
    match text.parse() {
        Ok(id) => Some(id),
        Err(error) => {
            found.push(bad(&fields.place(key), format!("{error}")));
            None
        }
    }
}

fn read_open(rows: &[Value], name: &str, found: &mut Findings) -> Option<BTreeMap<LeafPath, Value>> {
    let mut open: BTreeMap<LeafPath, Value> = BTreeMap::new();
    let before = found.total();
    for (row, item) in rows.iter().enumerate() {
        let place = format!("{name}#open.{row}");
        let pair = match item {
            Value::Array(pair) => pair.as_slice(),
            Value::Object(_) | Value::String(_) | Value::Integer(_) | Value::Bool(_) => &[],
        };
        let [Value::String(path), value] = pair else {
            found.push(bad(&place, "expected [path, value]".to_owned()));
            continue;
        };
        match LeafPath::new(path.as_str()) {
            Err(error) => found.push(bad(&place, error.to_string())),
            Ok(path) if open.last_key_value().is_some_and(|(last, _)| *last >= path) => {
                found.push(bad(&place, format!("leaf `{path}` is out of order or repeated")));
            }
            Ok(path) if value.depth() > MAX_LEAF_DEPTH => {
                found.push(bad(&place, format!("leaf `{path}` nests deeper than {MAX_LEAF_DEPTH}")));
            }
            Ok(path) => {
                open.insert(path, value.clone());
            }
        }
    }
    (found.total() == before).then_some(open)
}

fn nested<T>(
    fields: &mut Fields,
    key: &str,
    found: &mut Findings,
    read: impl FnOnce(&mut Fields, &mut Findings) -> Option<T>,
) -> Option<T> {
    let value = fields.value(key, found)?;
    one(value, fields.place(key), found, read)
}

fn one<T>(
    value: &Value,
    place: String,
    found: &mut Findings,
    read: impl FnOnce(&mut Fields, &mut Findings) -> Option<T>,
) -> Option<T> {
    let mut inner = Fields::open(value, place, found)?;
    let read = read(&mut inner, found);
    inner.close(found);
    read
}

fn each<T>(
    items: &[Value],
    place: &str,
    found: &mut Findings,
    read: impl Fn(&mut Fields, &mut Findings) -> Option<T>,
) -> Option<Vec<T>> {
    // Every item is read before the first failure counts, so that all are reported.
    let read: Vec<Option<T>> =
        items.iter().enumerate().map(|(i, item)| one(item, format!("{place}.{i}"), found, &read)).collect();
    read.into_iter().collect()
}

fn read_list<T>(
    fields: &mut Fields,
    key: &str,
    found: &mut Findings,
    read: impl Fn(&mut Fields, &mut Findings) -> Option<T>,
) -> Option<Vec<T>> {
    let items = fields.array(key, found)?;
    each(items, &fields.place(key), found, read)
}

fn read_set<T>(
    fields: &mut Fields,
    key: &str,
    found: &mut Findings,
    read: impl Fn(&mut Fields, &mut Findings) -> Option<T>,
) -> Option<Vec<T>> {
    let items = fields.set(key, found)?;
    each(items, &fields.place(key), found, read)
}

fn read_source(fields: &mut Fields, found: &mut Findings) -> Option<Source> {
    let path = fields.parsed("path", found, |text| InputPath::new(text));
    let text = fields.text("text", found);
    Some(Source { path: path?, text: text?.to_owned() })
}

fn read_access(fields: &mut Fields, found: &mut Findings) -> Option<Access> {
    let level = fields.word("level", found, AccessLevel::from_word, "none, runs, results");
    let note = fields.optional_text("note", found).map(str::to_owned);
    Some(Access { level: level?, note })
}

fn read_runlog(fields: &mut Fields, found: &mut Findings) -> Option<RunLog> {
    let count = fields.integer::<u32>("count", found);
    let head = optional_digest(fields, "head", found).map(|head| super::LogHead::from_bytes(*head.as_bytes()));
    match (count?, head) {
        (0, None) => Some(RunLog::Empty),
        (count, Some(head)) if count > 0 => Some(RunLog::Lines { count, head }),
        _ => {
            found.push(bad(&fields.place("head"), "a log has a head if and only if it has lines".to_owned()));
            None
        }
    }
}

fn read_tool(fields: &mut Fields, found: &mut Findings) -> Option<Tool> {
    let name = fields.words("name", found);
    let version = fields.words("version", found);
    Some(Tool { name: name?.to_owned(), version: version?.to_owned() })
}

fn read_warned(fields: &mut Fields, found: &mut Findings) -> Option<Warned> {
    let code = fields.words("code", found);
    let text = fields.words("text", found);
    Some(Warned { code: code?.to_owned(), text: text?.to_owned() })
}

fn read_waiver(fields: &mut Fields, found: &mut Findings) -> Option<Waiver> {
    let code = fields.words("code", found);
    let text = fields.words("text", found);
    let reason = fields.words("reason", found);
    Some(Waiver { code: code?.to_owned(), text: text?.to_owned(), reason: reason?.to_owned() })
}

fn read_git(fields: &mut Fields, found: &mut Findings) -> Option<GitHint> {
    let value = fields.optional("git")?;
    one(value, fields.place("git"), found, |git, found| {
        let parent =
            git.parsed("parent", found, |text| GitHint::new(text).ok_or("a commit id has 40 or 64 of `0-9a-f`"));
        let format = git.text("object_format", found);
        let (parent, format) = (parent?, format?);
        if parent.object_format() == format {
            return Some(parent);
        }
        found.push(bad(
            &git.place("object_format"),
            format!("the commit id's length says `{}`", parent.object_format()),
        ));
        None
    })
}

fn read_changes(fields: &mut Fields, name: &str, found: &mut Findings) -> Option<Vec<Change>> {
    let value = fields.optional("changes")?;
    let place = fields.place("changes");
    let items = super::fields::as_array(value, &place, found)?;
    let changes = each(items, &place, found, |fields, found| {
        let path = fields.parsed("path", found, |text| LeafPath::new(text));
        let change = fields.word("change", found, Changed::from_word, "added, removed, changed");
        Some(Change { path: path?, change: change? })
    })?;
    if !changes.windows(2).all(|pair| matches!(pair, [a, b] if a.path < b.path)) {
        found.push(bad(&format!("{name}#changes"), "the leaves are not in order, each once".to_owned()));
    }
    Some(changes)
}

fn read_authors(items: &[Value], name: &str, found: &mut Findings) -> Vec<String> {
    let mut authors = Vec::new();
    for (i, item) in items.iter().enumerate() {
        if let Value::String(author) = item
            && !author.as_str().trim().is_empty()
        {
            authors.push(author.to_string());
        } else {
            found.push(bad(&format!("{name}#authors.{i}"), "expected a name".to_owned()));
        }
    }
    authors
}

fn check_leaves(manifest: &Manifest, open: &BTreeMap<LeafPath, Value>, name: &str, found: &mut Findings) {
    let mismatch = |path: &LeafPath, message: &str| {
        Finding::error(
            FindingCode::LeafMismatch,
            format!("{name}#{path}"),
            message,
            "The content is not what was committed to",
            "Restore the file as it was frozen",
        )
    };
    for (path, state, digest) in manifest.iter() {
        match (state, open.get(path)) {
            (LeafState::Open, Some(value)) if leaf_digest(path.as_str(), None, value) == *digest => {}
            (LeafState::Open, Some(_)) => found.push(mismatch(path, "the leaf does not match its digest")),
            (LeafState::Open, None) => found.push(mismatch(path, "the leaf is open but its value is not in the file")),
            (LeafState::Sealed, None) => {}
            (LeafState::Sealed, Some(_)) => {
                found.push(mismatch(path, "the leaf is sealed but its value is in the file"));
            }
        }
    }
    for path in open.keys().filter(|path| manifest.get(path).is_none()) {
        found.push(mismatch(path, "the leaf is in the file but not in the manifest"));
    }
}

fn check_spec(lang: &str, manifest: &Manifest, stated: &SpecDigest, name: &str, found: &mut Findings) {
    let computed = spec_digest(lang, manifest);
    if computed != *stated {
        found.push(Finding::error(
            FindingCode::SpecMismatch,
            format!("{name}#spec_digest"),
            format!("the manifest has the digest {computed}"),
            "The stated spec is not the one in the file",
            "Restore the file as it was frozen",
        ));
    }
}

/// Rules between fields.
fn check_together(file: &FreezeFile, name: &str, found: &mut Findings) {
    let place = |key: &str| format!("{name}#{key}");
    let later = file.seq > 0;
    for (key, present) in
        [("prev", file.prev.is_some()), ("changes", file.changes.is_some()), ("reason", file.reason.is_some())]
    {
        if present != later {
            let message =
                if later { "a later freeze has this field" } else { "a first freeze does not have this field" };
            found.push(bad(&place(key), message.to_owned()));
        }
    }
    if file.reason.as_ref().is_some_and(|reason| reason.trim().is_empty()) {
        found.push(bad(&place("reason"), "the text is empty".to_owned()));
    }
    let computed = Kind::of(file.seq, &file.runlog, file.access.level);
    if file.kind != computed {
        let message =
            format!("`{}` is stated, but number, log and access make it `{}`", file.kind.word(), computed.word());
        found.push(bad(&place("kind"), message));
    }
    if file.runlog.count() > 0 && file.access.level == AccessLevel::None {
        found.push(Finding::error(
            FindingCode::AccessBelowFloor,
            place("access"),
            "access is stated as `none`, but the run log has lines",
            "Whoever could run the study could see data",
            "State `runs`, or `results` if an outcome was seen",
        ));
    }
    let sealed = file.manifest.iter().any(|(_, state, _)| state == LeafState::Sealed);
    if sealed != file.sources.is_empty() {
        let message = if sealed {
            "source text is in the file although a leaf is sealed, which would reveal it"
        } else {
            "no source text is in the file although every leaf is open"
        };
        found.push(bad(&place("sources"), message.to_owned()));
    }
    let mut sources: Vec<&InputPath> = file.sources.iter().map(|source| &source.path).collect();
    for (path, fault) in inputs::clashes(sources.iter().copied()) {
        found.push(bad(&place("sources"), format!("`{path}`: {fault}")));
    }
    sources.sort();
    if sources.windows(2).any(|pair| matches!(pair, [a, b] if a == b)) {
        found.push(bad(&place("sources"), "a path is given twice".to_owned()));
    }
    check_inputs(file, name, found);
}

/// The references to inputs inside open leaves: their form, paths and agreement.
fn check_inputs(file: &FreezeFile, name: &str, found: &mut Findings) {
    let mut known: BTreeMap<InputPath, InputRef> = BTreeMap::new();
    for (leaf, value) in &file.open {
        let place = format!("{name}#{leaf}");
        for reference in InputRef::collect(value) {
            match reference {
                Err(RefFault::Shape) => found.push(bad(
                    &place,
                    "an object with `sha256` is not exactly {bytes, path, sha256}, as a reference to an input is"
                        .to_owned(),
                )),
                Err(RefFault::Path { path, fault }) => found.push(path_finding(&place, &path, &fault)),
                Ok(reference) => {
                    let first = known.entry(reference.path.clone()).or_insert_with(|| reference.clone());
                    if *first != reference {
                        let message = format!("input `{}` is bound to two different contents", reference.path);
                        found.push(bad(&place, message));
                    }
                }
            }
        }
    }
    for (path, fault) in inputs::clashes(known.keys()) {
        found.push(path_finding(name, path.as_str(), &fault));
    }
}

/// PR112 for a path and the rule it breaks.
fn path_finding(place: &str, path: &str, fault: &inputs::PathFault) -> Finding {
    Finding::error(
        FindingCode::InputPath,
        place,
        format!("input `{}`: {fault}", path.escape_debug()),
        "An input must be the same file for everyone who checks",
        fault.fix(),
    )
}

/// A field that cannot be committed to, found when a file is made.
pub(super) fn refused(study: &str, error: &ValueError) -> Finding {
    let place: String = study.chars().take(80).collect();
    Finding::error(FindingCode::BadField, place, error.to_string(), error.why(), error.fix())
}

/// What was read back is not what was written.
pub(super) fn unfaithful(name: &str) -> Finding {
    bad(name, "the file reads back differently than it was written".to_owned())
}
