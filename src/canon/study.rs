//! A study as leaves and back: which part of a study is in which leaf.

use std::collections::BTreeMap;

use super::codec::{Codec, CodecError, element};
use super::leaf::{Leaf, Leaves};
use super::value::Value;
use crate::spec::{Name, Spec};

/// The language version inside the digest.
pub const LANG: &str = "prespec-lang/1";

/// The versions of everything that gives a number its meaning without standing in the spec. An unknown one is refused.
pub const SEMANTICS: [(&str, &str); 6] = [
    ("generator", "philox4x32-10/stafford13/1"),
    ("bootstrap", "shared-picks/1"),
    ("quantile", "type-7/1"),
    ("sign_test", "ties-dropped/1"),
    ("records", "states-15/1"),
    ("verdicts", "prespec-verdicts/1"),
];

/// Encodes a study. Fails only on text that may not be committed to, or on an expression nested too deeply.
pub fn leaves(spec: &Spec) -> Result<Leaves, CodecError> {
    let mut out = Vec::new();
    put(&mut out, "study", &spec.about)?;
    put(&mut out, "tasks", &spec.tasks)?;
    put(&mut out, "design", &spec.design)?;
    put(&mut out, "looks", &spec.looks)?;
    put(&mut out, "waivers", &spec.waivers.iter().cloned().collect::<std::collections::BTreeSet<_>>())?;
    let semantics: BTreeMap<String, String> =
        SEMANTICS.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    put(&mut out, "semantics", &semantics)?;
    section(&mut out, "factors", &spec.factors)?;
    section(&mut out, "models", &spec.models)?;
    section(&mut out, "scaffolds", &spec.scaffolds)?;
    section(&mut out, "tools", &spec.tools)?;
    section(&mut out, "fields", &spec.fields)?;
    section(&mut out, "sets", &spec.sets)?;
    section(&mut out, "values", &spec.values)?;
    section(&mut out, "measures", &spec.measures)?;
    section(&mut out, "estimands", &spec.estimands)?;
    section(&mut out, "picks", &spec.picks)?;
    section(&mut out, "intervals", &spec.intervals)?;
    section(&mut out, "tests", &spec.tests)?;
    section(&mut out, "margins", &spec.margins)?;
    section(&mut out, "families", &spec.families)?;
    section(&mut out, "gates", &spec.gates)?;
    section(&mut out, "hypotheses", &spec.hypotheses)?;
    section(&mut out, "conclusions", &spec.conclusions)?;
    section(&mut out, "publish", &spec.publishes)?;
    section(&mut out, "comparisons", &spec.comparisons)?;
    section(&mut out, "rankings", &spec.rankings)?;
    section(&mut out, "scenarios", &spec.scenarios)?;
    section(&mut out, "results", &spec.results)?;
    Leaves::new(out).map_err(|error| CodecError::new(error.to_string()))
}

fn put<T: Codec>(out: &mut Vec<Leaf>, path: &str, item: &T) -> Result<(), CodecError> {
    if let Some(value) = item.encode().map_err(|error| error.inside(path))? {
        out.push(Leaf::open(path, value).map_err(|error| CodecError::new(error.to_string()))?);
    }
    Ok(())
}

fn section<T: Codec>(out: &mut Vec<Leaf>, name: &str, items: &BTreeMap<Name, T>) -> Result<(), CodecError> {
    for (id, item) in items {
        let path = format!("{name}/{id}");
        let value = element(item).map_err(|error| error.inside(path.clone()))?;
        out.push(Leaf::open(path, value).map_err(|error| CodecError::new(error.to_string()))?);
    }
    Ok(())
}

/// The normal form of a study: what decoding its own leaves gives. Judging reads only this, so that a verdict never depends on
/// the order in which a spec was written.
pub fn normal(spec: &Spec) -> Result<Spec, CodecError> {
    let open: Vec<(String, Value)> =
        leaves(spec)?.iter().map(|leaf| (leaf.path().as_str().to_owned(), leaf.value().clone())).collect();
    self::spec(&spec.study, &open)
}

/// Decodes a study from open leaves, and refuses every leaf that is not known and every value that would be written
/// otherwise. `study` is the study's id, which is in no leaf.
pub fn spec(study: &str, open: &[(String, Value)]) -> Result<Spec, CodecError> {
    let mut spec = Spec { language: 1, study: study.to_owned(), ..Spec::default() };
    let mut semantics: BTreeMap<String, String> = BTreeMap::new();
    for (path, value) in open {
        read_leaf(&mut spec, &mut semantics, path, value).map_err(|error| error.inside(path.clone()))?;
    }
    for (key, value) in &semantics {
        if !SEMANTICS.contains(&(key.as_str(), value.as_str())) {
            return Err(CodecError::new(format!(
                "`{key}` has the version `{value}`, which this program does not know"
            ))
            .inside("semantics"));
        }
    }
    if semantics.len() != SEMANTICS.len() {
        return Err(CodecError::new("a version is missing").inside("semantics"));
    }
    let again = leaves(&spec)?;
    let mut expected = again.iter();
    let mut sorted: Vec<_> = open.iter().collect();
    sorted.sort_by(|a, b| a.0.cmp(&b.0));
    for (path, value) in sorted {
        let Some(leaf) = expected.next() else { return Err(CodecError::new("a leaf too many").inside(path.clone())) };
        if leaf.path().as_str() != path || leaf.value() != value {
            return Err(
                CodecError::new("the value has a second spelling; this one is not canonical").inside(path.clone())
            );
        }
    }
    if expected.next().is_some() {
        return Err(CodecError::new("a leaf is missing"));
    }
    Ok(spec)
}

fn read_leaf(
    spec: &mut Spec,
    semantics: &mut BTreeMap<String, String>,
    path: &str,
    value: &Value,
) -> Result<(), CodecError> {
    fn add<T: Codec>(map: &mut BTreeMap<Name, T>, id: &str, value: &Value) -> Result<(), CodecError> {
        if map.insert(id.to_owned(), T::decode(Some(value))?).is_some() {
            return Err(CodecError::new("the leaf stands twice"));
        }
        Ok(())
    }
    let value_of = Some(value);
    match path.split_once('/') {
        None => match path {
            "study" => spec.about = Codec::decode(value_of)?,
            "tasks" => spec.tasks = Codec::decode(value_of)?,
            "design" => spec.design = Codec::decode(value_of)?,
            "looks" => spec.looks = Codec::decode(value_of)?,
            "waivers" => {
                spec.waivers = std::collections::BTreeSet::decode(value_of)?.into_iter().collect();
            }
            "semantics" => *semantics = Codec::decode(value_of)?,
            _ => return Err(CodecError::new("unknown leaf")),
        },
        Some((section, id)) => match section {
            "factors" => add(&mut spec.factors, id, value)?,
            "models" => add(&mut spec.models, id, value)?,
            "scaffolds" => add(&mut spec.scaffolds, id, value)?,
            "tools" => add(&mut spec.tools, id, value)?,
            "fields" => add(&mut spec.fields, id, value)?,
            "sets" => add(&mut spec.sets, id, value)?,
            "values" => add(&mut spec.values, id, value)?,
            "measures" => add(&mut spec.measures, id, value)?,
            "estimands" => add(&mut spec.estimands, id, value)?,
            "picks" => add(&mut spec.picks, id, value)?,
            "intervals" => add(&mut spec.intervals, id, value)?,
            "tests" => add(&mut spec.tests, id, value)?,
            "margins" => add(&mut spec.margins, id, value)?,
            "families" => add(&mut spec.families, id, value)?,
            "gates" => add(&mut spec.gates, id, value)?,
            "hypotheses" => add(&mut spec.hypotheses, id, value)?,
            "conclusions" => add(&mut spec.conclusions, id, value)?,
            "publish" => add(&mut spec.publishes, id, value)?,
            "comparisons" => add(&mut spec.comparisons, id, value)?,
            "rankings" => add(&mut spec.rankings, id, value)?,
            "scenarios" => add(&mut spec.scenarios, id, value)?,
            "results" => add(&mut spec.results, id, value)?,
            _ => return Err(CodecError::new("unknown leaf")),
        },
    }
    Ok(())
}
