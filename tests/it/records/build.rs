//! Specs by hand, and files in a temporary folder.

use std::collections::BTreeMap;
use std::path::PathBuf;

use prespec::math::exact;
use prespec::plan::{Task, read_tasks};
use prespec::records::{Joined, RecordError, RecordErrorKind, join, read};
use prespec::spec::*;

pub fn number(dimension: Dimension, lower: Option<&str>, upper: Option<&str>, integer: bool) -> ValueType {
    let end = |text: Option<&str>| text.map(|text| exact::parse(text).unwrap());
    ValueType::Number(NumberType { dimension, bounds: Bounds { lower: end(lower), upper: end(upper) }, integer })
}

pub fn plain() -> ValueType {
    number(Dimension::Plain, None, None, false)
}

pub fn quantity(text: &str) -> Quantity {
    Quantity { value: exact::parse(text).unwrap(), dimension: Dimension::Plain }
}

pub fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

pub fn outcome(kind: ValueType) -> Field {
    Field { role: FieldRole::Outcome, kind, optional: false, source: None, derived: None, text: None }
}

pub fn optional(kind: ValueType) -> Field {
    Field { optional: true, ..outcome(kind) }
}

pub fn flag() -> Field {
    Field { role: FieldRole::Flag, ..outcome(ValueType::Bool) }
}

pub fn derived(kind: ValueType, expr: RecordExpr) -> Field {
    Field { derived: Some(expr), ..outcome(kind) }
}

pub fn field(name: &str) -> RecordExpr {
    RecordExpr::Field(name.to_owned())
}

pub fn compare(left: RecordExpr, relation: Relation, right: RecordExpr) -> RecordExpr {
    RecordExpr::Compare(Box::new(left), relation, Box::new(right))
}

pub fn num(text: &str) -> RecordExpr {
    RecordExpr::Number(quantity(text))
}

pub fn at(at: &str) -> FieldMapping {
    FieldMapping { at: at.to_owned(), spellings: BTreeMap::new(), unit: None }
}

pub fn level(at: &str) -> LevelMapping {
    LevelMapping { at: at.to_owned(), spellings: BTreeMap::new() }
}

/// The parts of a records block, all empty.
#[derive(Default, Clone)]
pub struct Block {
    pub unit: Option<UnitAt>,
    pub levels: Vec<(&'static str, LevelMapping)>,
    pub repeat: Option<&'static str>,
    pub records: Option<&'static str>,
    pub fields: Vec<(&'static str, FieldMapping)>,
    pub columns: Vec<(&'static str, &'static str)>,
    pub state: Option<(&'static str, Vec<(&'static str, State)>)>,
    pub successes: Option<(&'static str, &'static str, &'static str)>,
    pub absent: Vec<&'static str>,
}

impl Block {
    pub fn build(self, file: &str, format: FileFormat) -> ResultsBlock {
        let own = |text: &str| text.to_owned();
        ResultsBlock {
            file: own(file),
            for_every: Vec::new(),
            format,
            shape: ResultsShape::Records {
                unit: self.unit,
                levels: self.levels.into_iter().map(|(name, at)| (own(name), at)).collect(),
                repeat: self.repeat.map(own),
                records: self.records.map(|path| (Vec::new(), own(path))),
                fields: self.fields.into_iter().map(|(name, at)| (own(name), at)).collect(),
                columns: self.columns.into_iter().map(|(pattern, field)| (own(pattern), own(field))).collect(),
                state: self
                    .state
                    .map(|(at, words)| (own(at), words.into_iter().map(|(word, state)| (own(word), state)).collect())),
                successes: self.successes.map(|(ok, of, field)| (own(ok), own(of), own(field))),
                absent: self.absent.into_iter().map(own).collect(),
            },
        }
    }
}

pub fn tasks(name: &str, source: TaskSource) -> Tasks {
    Tasks {
        name: name.to_owned(),
        source,
        attributes: BTreeMap::new(),
        defines: BTreeMap::new(),
        expectations: Vec::new(),
        select: None,
        provenance: None,
    }
}

pub fn design(cross: &[&str], repeat: u64) -> Design {
    Design {
        cross: names(cross),
        nest: BTreeMap::new(),
        repeat,
        hold: BTreeMap::new(),
        exclude: Vec::new(),
        order: Order::Listed,
        minimum: None,
        caps: Vec::new(),
        collapse: BTreeMap::new(),
    }
}

pub fn factor(levels: &[&str]) -> Factor {
    Factor { origin: FactorOrigin::Declared, ordered: false, levels: names(levels) }
}

/// Units `a`, `b`, `c` by arms `x`, `y`: `correct`, an optional `cost`, a flag `bad`; one CSV block in long form.
pub fn small() -> Spec {
    let mut spec = Spec { language: 1, study: "small".to_owned(), ..Spec::default() };
    spec.tasks = Some(tasks("item", TaskSource::List(names(&["a", "b", "c"]))));
    spec.factors.insert("arm".to_owned(), factor(&["x", "y"]));
    spec.design = Some(design(&["arm"], 1));
    spec.fields.insert("correct".to_owned(), outcome(ValueType::Bool));
    spec.fields.insert("cost".to_owned(), optional(number(Dimension::Money, Some("0"), None, false)));
    spec.fields.insert("bad".to_owned(), flag());
    spec.results.insert("runs".to_owned(), long().build("runs.csv", FileFormat::Csv));
    spec
}

pub fn long() -> Block {
    Block {
        unit: Some(UnitAt::At("item".to_owned())),
        levels: vec![("arm", level("arm"))],
        fields: vec![("correct", at("correct")), ("cost", at("cost")), ("bad", at("bad"))],
        ..Block::default()
    }
}

pub struct Folder(pub tempfile::TempDir);

impl Folder {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn root(&self) -> Vec<PathBuf> {
        vec![self.0.path().to_owned()]
    }
}

pub fn list(spec: &Spec) -> Vec<Task> {
    read_tasks(spec.tasks.as_ref().unwrap(), None).unwrap()
}

pub fn judge(spec: &Spec, files: &[(&str, &str)]) -> Result<Joined, Vec<RecordError>> {
    let folder = Folder::new(files);
    join(spec, &list(spec), read(spec, &folder.root())?)
}

/// The only finding: its kind, and that its text has every one of these.
pub fn refused(result: Result<Joined, Vec<RecordError>>, kind: RecordErrorKind, words: &[&str]) {
    let errors = result.expect_err("a refusal");
    let text = errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert_eq!(errors.len(), 1, "{text}");
    assert_eq!(errors[0].kind, kind, "{text}");
    for word in words {
        assert!(text.contains(word), "`{word}` is not in: {text}");
    }
}

pub fn shared(test: &str, path: &str) -> Option<PathBuf> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared"));
    if !root.exists() {
        eprintln!("SKIPPED {test}: ../shared is absent");
        return None;
    }
    Some(root.join(path))
}
