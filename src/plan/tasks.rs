//! Tasks out of the study's task file: keys, attributes, definitions, selection and expected counts. Pure: bytes in,
//! tasks out.

use std::collections::BTreeMap;

use super::eval::{Bindings, CompiledExpr, Schema, compile};
use super::typed::{TypeRule, listed};
use super::units::CellRow;
use super::{PlanError, PlanErrorKind, Task};
use crate::spec::{Name, RecordExpr, TaskSource, Tasks};
use crate::table::cell::{Cell, CellFault, read_key};
use crate::table::csv::Table;
use crate::table::json::{self, Node};
use crate::table::path::{Bound, Path, follow};
use crate::table::{jsonl, shown};

/// The most tasks.
pub const MAX_TASKS: u64 = 5_000_000;
/// The most defects that are listed one by one.
const MOST_FINDINGS: usize = 50;

const WHY_KEY: &str = "A task is found again in the results by its key alone";
const WHY_VALUE: &str = "Attributes decide which cells are planned and which records count";
const WHY_COUNT: &str = "A study that plans another number of tasks than it says is another study";

/// Reads, defines, selects and counts the tasks; sorted bytewise by key. `bytes` are those of the task file, when the
/// tasks come from one. Expected counts are of the tasks selected.
pub fn read_tasks(tasks: &Tasks, bytes: Option<&[u8]>) -> Result<Vec<Task>, Vec<PlanError>> {
    let mut findings = Findings::default();
    let mut read = match &tasks.source {
        TaskSource::Count(count) => numbered(*count).map_err(|error| vec![error])?,
        TaskSource::List(keys) => keys.iter().map(|key| bare(key)).collect(),
        TaskSource::File { file, key } => {
            let Some(bytes) = bytes else {
                return Err(vec![PlanError::new(
                    PlanErrorKind::NoFile,
                    format!("`{}`", file.path),
                    "the task file was not read",
                    WHY_COUNT,
                    "put the file where the study names it, relative to the study",
                )]);
            };
            let mut reader = FileReader::new(tasks, &file.path, key).map_err(|error| vec![error])?;
            reader.file(bytes, &mut findings);
            reader.tasks
        }
    };
    if !findings.list.is_empty() {
        return Err(findings.finish());
    }
    read.sort_by(|a, b| a.key.cmp(&b.key));
    for pair in read.windows(2) {
        if let [a, b] = pair
            && a.key == b.key
        {
            findings.add(PlanError::new(
                PlanErrorKind::BadKey,
                format!("the {}s", tasks.name),
                format!("the key `{}` stands twice", shown(&a.key)),
                WHY_KEY,
                "keep one of them, or use a key that tells them apart",
            ));
        }
    }
    define(tasks, &mut read).map_err(|error| vec![error])?;
    let schema = Schema::of_tasks(tasks);
    if let Some(select) = &tasks.select {
        let select = condition(select, &schema, "`select` of the tasks").map_err(|error| vec![error])?;
        read.retain(|task| holds(&select, &schema, task));
    }
    for expectation in &tasks.expectations {
        let found = match &expectation.filter {
            Some(filter) => {
                let filter = condition(filter, &schema, "`expect` of the tasks").map_err(|error| vec![error])?;
                read.iter().filter(|task| holds(&filter, &schema, task)).count()
            }
            None => read.len(),
        };
        if u64::try_from(found) != Ok(expectation.count) {
            let of_which = if expectation.filter.is_some() { " of the kind it names" } else { "" };
            findings.add(PlanError::new(
                PlanErrorKind::CountMismatch,
                format!("`expect {}` of the tasks", expectation.count),
                format!("{} {}s{of_which} are expected and {found} were found", expectation.count, tasks.name),
                WHY_COUNT,
                "check the file, the selection and the condition; only then correct the number",
            ));
        }
    }
    if findings.list.is_empty() { Ok(read) } else { Err(findings.finish()) }
}

#[derive(Default)]
struct Findings {
    list: Vec<PlanError>,
    more: usize,
}

impl Findings {
    fn add(&mut self, error: PlanError) {
        if self.list.len() < MOST_FINDINGS {
            self.list.push(error);
        } else {
            self.more += 1;
        }
    }

    fn finish(mut self) -> Vec<PlanError> {
        if self.more > 0
            && let Some(last) = self.list.last().cloned()
        {
            let message = format!("and {} more findings of this kind or others", self.more);
            self.list.push(PlanError { message, ..last });
        }
        self.list
    }
}

fn bare(key: &str) -> Task {
    Task { key: key.to_owned(), attributes: BTreeMap::new() }
}

fn numbered(count: u64) -> Result<Vec<Task>, PlanError> {
    if count > MAX_TASKS {
        return Err(too_many(count));
    }
    Ok((1..=count).map(|number| bare(&number.to_string())).collect())
}

fn too_many(count: u64) -> PlanError {
    PlanError::new(
        PlanErrorKind::TooLarge,
        "the tasks",
        format!("there are {count} tasks or more and the limit is {MAX_TASKS}"),
        "Every planned unit has a place in memory",
        "judge parts of the study on their own",
    )
}

fn condition(expr: &RecordExpr, schema: &Schema, place: &str) -> Result<CompiledExpr, PlanError> {
    compile(expr, schema, &Bindings::new()).map_err(|error| {
        PlanError::new(
            PlanErrorKind::BadExpression,
            place,
            error.to_string(),
            WHY_VALUE,
            "name attributes of the tasks",
        )
    })
}

fn holds(expr: &CompiledExpr, schema: &Schema, task: &Task) -> bool {
    expr.truth(&CellRow { schema, task: Some(task), levels: &[], repeat: None })
}

/// Computes the defined attributes; one may use others, in any order.
fn define(tasks: &Tasks, read: &mut [Task]) -> Result<(), PlanError> {
    let schema = Schema::of_tasks(tasks);
    let mut waiting: BTreeMap<&Name, CompiledExpr> = BTreeMap::new();
    for (name, derived) in &tasks.defines {
        waiting.insert(name, condition(&derived.expr, &schema, &format!("`define {name}`"))?);
    }
    while !waiting.is_empty() {
        let open: Vec<usize> = waiting.keys().filter_map(|name| schema.attribute(name)).collect();
        let ready = waiting
            .iter()
            .find(|(_, expr)| expr.reads_attributes().iter().all(|at| !open.contains(at)))
            .map(|(name, _)| *name);
        let Some((name, expr)) = ready.and_then(|name| waiting.remove(name).map(|expr| (name, expr))) else {
            let names: Vec<&Name> = waiting.into_keys().collect();
            return Err(PlanError::new(
                PlanErrorKind::BadExpression,
                "the tasks",
                format!("{} are defined by each other", listed(&names)),
                WHY_VALUE,
                "define one of them from attributes of the file alone",
            ));
        };
        for task in &mut *read {
            let value = expr.value(&CellRow { schema: &schema, task: Some(task), levels: &[], repeat: None });
            if let Some(value) = value {
                task.attributes.insert(name.clone(), value);
            }
        }
    }
    Ok(())
}

struct Source<'a> {
    name: &'a Name,
    rule: TypeRule,
    optional: bool,
    from: &'a str,
    keys: Vec<String>,
}

struct FileReader<'a> {
    file: &'a str,
    key: &'a str,
    key_path: Vec<String>,
    sources: Vec<Source<'a>>,
    tasks: Vec<Task>,
}

impl<'a> FileReader<'a> {
    fn new(tasks: &'a Tasks, file: &'a str, key: &'a str) -> Result<Self, PlanError> {
        let csv = is_csv(file);
        let keys = |path: &str| -> Result<Vec<String>, PlanError> {
            if csv {
                return Ok(Vec::new());
            }
            let fault = |what: String| {
                let help = "name a key, or keys joined by dots, without placeholders";
                PlanError::new(PlanErrorKind::MissingColumn, format!("`{file}`"), what, WHY_VALUE, help)
            };
            let path_read = Path::parse(path).map_err(|error| fault(error.to_string()))?;
            path_read.fill(&Bound::new()).ok_or_else(|| fault(format!("the path `{path}` has a placeholder")))
        };
        let mut sources = Vec::new();
        for (name, attribute) in &tasks.attributes {
            sources.push(Source {
                name,
                rule: TypeRule::new(&attribute.kind),
                optional: attribute.optional,
                from: &attribute.from,
                keys: keys(&attribute.from)?,
            });
        }
        Ok(Self { file, key, key_path: keys(key)?, sources, tasks: Vec::new() })
    }

    fn fault(&self, kind: PlanErrorKind, at: &str, message: String, help: impl Into<String>) -> PlanError {
        let why = if kind == PlanErrorKind::BadKey { WHY_KEY } else { WHY_VALUE };
        let place = if at.is_empty() { format!("`{}`", self.file) } else { format!("`{}`, {at}", self.file) };
        PlanError::new(kind, place, message, why, help)
    }

    fn file(&mut self, bytes: &[u8], findings: &mut Findings) {
        let result = if is_csv(self.file) {
            self.csv(bytes, findings)
        } else if has_ending(self.file, "jsonl") {
            self.lines(bytes, findings)
        } else {
            self.document(bytes, findings)
        };
        if let Err(error) = result {
            findings.add(error);
        }
    }

    fn csv(&mut self, bytes: &[u8], findings: &mut Findings) -> Result<(), PlanError> {
        let unreadable = |file: &str, error: crate::table::TableError| {
            PlanError::new(
                PlanErrorKind::Unreadable,
                format!("`{file}`, {}", error.at),
                error.what,
                WHY_COUNT,
                error.help,
            )
        };
        let mut table = Table::open(bytes).map_err(|error| unreadable(self.file, error))?;
        let column = |name: &str| {
            table.column(name).ok_or_else(|| {
                self.fault(
                    PlanErrorKind::MissingColumn,
                    "line 1",
                    format!("there is no column `{}`", shown(name)),
                    format!("the columns are {}", listed(table.header())),
                )
            })
        };
        let key = column(self.key)?;
        let columns = self.sources.iter().map(|source| column(source.from)).collect::<Result<Vec<_>, _>>()?;
        while table.advance().map_err(|error| unreadable(self.file, error))? {
            let cells = columns.iter().map(|column| Cell::of_text(table.cell(*column)));
            let at = format!("row {}", table.row());
            self.task(&at, Cell::of_text(table.cell(key)), cells, findings)?;
        }
        Ok(())
    }

    fn lines(&mut self, bytes: &[u8], findings: &mut Findings) -> Result<(), PlanError> {
        for (line, document) in jsonl::documents(bytes) {
            match document {
                Ok(node) => self.node(&format!("line {line}"), &node, findings)?,
                Err(error) => {
                    findings.add(self.fault(PlanErrorKind::Unreadable, &error.at, error.what, error.help));
                }
            }
        }
        Ok(())
    }

    fn document(&mut self, bytes: &[u8], findings: &mut Findings) -> Result<(), PlanError> {
        let node = json::parse(bytes).map_err(|error| {
            self.fault(PlanErrorKind::Unreadable, &format!("byte {}", error.offset), error.what.clone(), error.help)
        })?;
        let Node::Array(items) = &node else {
            return Err(self.fault(
                PlanErrorKind::Unreadable,
                "",
                "the document is no array".to_owned(),
                "write an array with one object for each task",
            ));
        };
        for (index, item) in items.iter().enumerate() {
            self.node(&format!("item {index}"), item, findings)?;
        }
        Ok(())
    }

    fn node(&mut self, at: &str, node: &Node<'_>, findings: &mut Findings) -> Result<(), PlanError> {
        let cell = |keys: &[String]| follow(node, keys).map_or(Cell::Absent, Node::cell);
        // An array of keys alone has no attributes.
        let key = if matches!(node, Node::Object(_)) { cell(&self.key_path) } else { node.cell() };
        let cells: Vec<Cell<'_>> = self.sources.iter().map(|source| cell(&source.keys)).collect();
        self.task(at, key, cells.into_iter(), findings)
    }

    fn task<'c>(
        &mut self,
        at: &str,
        key: Cell<'c>,
        cells: impl Iterator<Item = Cell<'c>>,
        findings: &mut Findings,
    ) -> Result<(), PlanError> {
        if self.tasks.len() as u64 >= MAX_TASKS {
            return Err(too_many(MAX_TASKS + 1));
        }
        let key = match read_key(key) {
            Ok(Some(key)) => key.to_owned(),
            Ok(None) => {
                let message = format!("there is no value at `{}`, which names the task", shown(self.key));
                findings.add(self.fault(PlanErrorKind::BadKey, at, message, "give every task a key"));
                return Ok(());
            }
            Err(CellFault { what, help }) => {
                findings.add(self.fault(PlanErrorKind::BadKey, at, what, help));
                return Ok(());
            }
        };
        let mut attributes = BTreeMap::new();
        for (source, cell) in self.sources.iter().zip(cells) {
            match source.rule.read(cell) {
                Ok(Some(value)) => {
                    attributes.insert(source.name.clone(), value.to_value());
                }
                Ok(None) if source.optional => {}
                Ok(None) => findings.add(self.fault(
                    PlanErrorKind::BadValue,
                    &format!("{at}, `{}`", shown(source.from)),
                    format!("`{}` has no value and is not optional", source.name),
                    format!("expected {}; declare it `optional` if tasks may lack it", source.rule.expected()),
                )),
                Err(CellFault { what, help }) => findings.add(self.fault(
                    PlanErrorKind::BadValue,
                    &format!("{at}, `{}`", shown(source.from)),
                    format!("{what}; expected {}", source.rule.expected()),
                    help,
                )),
            }
        }
        self.tasks.push(Task { key, attributes });
        Ok(())
    }
}

fn has_ending(file: &str, ending: &str) -> bool {
    std::path::Path::new(file).extension().is_some_and(|found| found.eq_ignore_ascii_case(ending))
}

fn is_csv(file: &str) -> bool {
    has_ending(file, "csv")
}
