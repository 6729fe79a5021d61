//! Tasks, planned units, and expressions over them.

use std::collections::BTreeMap;

use prespec::diagnostic::Code;
use prespec::plan::{PlanError, PlanErrorKind as Kind, Task, Value, planned, read_tasks};
use prespec::spec::*;

use super::build::*;

fn from(path: &str) -> Tasks {
    let file = InputFile { path: path.to_owned(), digest: None };
    let mut tasks = tasks("task", TaskSource::File { file, key: "id".to_owned() });
    let attribute = |kind, optional, from: &str| TaskAttribute { kind, optional, from: from.to_owned() };
    tasks.attributes.insert("level".to_owned(), attribute(ValueType::Level(names(&["1", "2"])), false, "level"));
    tasks.attributes.insert("file".to_owned(), attribute(ValueType::Text, true, "file"));
    let ends = RecordExpr::EndsWith(Box::new(field("file")), names(&[".pdf", ".csv"]));
    tasks.defines.insert("document".to_owned(), Derived { kind: ValueType::Bool, expr: ends });
    let plain = RecordExpr::Not(Box::new(field("document")));
    tasks.defines.insert("bare".to_owned(), Derived { kind: ValueType::Bool, expr: plain });
    tasks
}

fn expect(count: u64, level: &str) -> TaskExpectation {
    let filter = compare(field("level"), Relation::Equal, num(level));
    TaskExpectation { count, filter: Some(filter) }
}

fn refused(result: Result<Vec<Task>, Vec<PlanError>>, kind: Kind, words: &[&str]) {
    let errors = result.unwrap_err();
    assert_eq!((errors.len(), errors[0].kind), (1, kind), "{errors:?}");
    let text = errors[0].to_string();
    for word in words {
        assert!(text.contains(word), "`{word}` is not in: {text}");
    }
}

const CSV: &str = "id,level,file\nb,2,x.pdf\na,1.0,\nc,1,x.pdf.txt\n";

#[test]
fn three_formats_give_the_same_tasks() {
    let csv = read_tasks(&from("t.csv"), Some(CSV.as_bytes())).unwrap();
    assert_eq!(csv.iter().map(|task| task.key.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
    let json = r#"[{"id":"b","level":2,"file":"x.pdf"},{"id":"a","level":"1","file":null},{"id":"c","level":1,"file":"x.pdf.txt"}]"#;
    assert_eq!(read_tasks(&from("t.json"), Some(json.as_bytes())).unwrap(), csv);
    let lines = json.trim_matches(['[', ']']).replace("},{", "}\n{");
    assert_eq!(read_tasks(&from("t.jsonl"), Some(lines.as_bytes())).unwrap(), csv);
    let documents: Vec<_> = csv.iter().map(|task| &task.attributes["document"]).collect();
    assert_eq!(documents, [&Value::Bool(false), &Value::Bool(true), &Value::Bool(false)]);
    assert_eq!(csv[0].attributes["bare"], Value::Bool(true));
    assert_eq!(csv[0].attributes.get("file"), None);
}

#[test]
fn counts_are_checked_after_selection() {
    let mut tasks = from("t.csv");
    tasks.expectations = vec![expect(2, "1"), expect(1, "2"), TaskExpectation { count: 3, filter: None }];
    assert!(read_tasks(&tasks, Some(CSV.as_bytes())).is_ok());
    tasks.expectations = vec![expect(3, "1")];
    refused(read_tasks(&tasks, Some(CSV.as_bytes())), Kind::CountMismatch, &["3 tasks", "2 were found"]);
    tasks.expectations = vec![TaskExpectation { count: 1, filter: None }];
    tasks.select = Some(field("document"));
    assert_eq!(read_tasks(&tasks, Some(CSV.as_bytes())).unwrap()[0].key, "b");
    tasks.expectations = vec![expect(1, "1")];
    let error = read_tasks(&tasks, Some(CSV.as_bytes())).unwrap_err().remove(0);
    assert_eq!(error.code(), Code::CountMismatch);
}

#[test]
fn bad_task_files_are_refused_with_their_place() {
    let run = |text: &str| read_tasks(&from("t.csv"), Some(text.as_bytes()));
    refused(run("id,level,file\na,1,\na,2,\n"), Kind::BadKey, &["`a` stands twice"]);
    refused(run("id,level,file\n,1,\n"), Kind::BadKey, &["row 1", "`id`"]);
    refused(run("id,level,file\n a,1,\n"), Kind::BadKey, &["spaces"]);
    refused(run("id,level,file\na,3,\n"), Kind::BadValue, &["row 1, `level`", "`3` is none of `1`, `2`"]);
    refused(run("id,level,file\na,,\n"), Kind::BadValue, &["not optional"]);
    refused(run("id,file\na,\n"), Kind::MissingColumn, &["no column `level`", "`id`, `file`"]);
    refused(run("id,level,file\na,1\n"), Kind::Unreadable, &["row 1"]);
    refused(read_tasks(&from("t.csv"), None), Kind::NoFile, &["t.csv"]);
    refused(read_tasks(&from("t.json"), Some(b"{}")), Kind::Unreadable, &["no array"]);
    refused(read_tasks(&from("t.json"), Some(b"[{\"id\":1,}]")), Kind::Unreadable, &["byte"]);
    let mut circular = from("t.csv");
    circular.defines.insert("document".to_owned(), Derived { kind: ValueType::Bool, expr: field("bare") });
    refused(read_tasks(&circular, Some(CSV.as_bytes())), Kind::BadExpression, &["`bare`, `document`"]);
}

#[test]
fn keys_alone_are_tasks() {
    let mut tasks = from("t.json");
    tasks.attributes.clear();
    tasks.defines.clear();
    let read = read_tasks(&tasks, Some(br#"["b", "a", 10]"#)).unwrap();
    assert_eq!(read.iter().map(|task| task.key.as_str()).collect::<Vec<_>>(), ["10", "a", "b"]);
}

#[test]
fn units_are_crossed_without_excluded_cells() {
    let mut spec = small();
    spec.tasks = Some(from("t.csv"));
    spec.factors.insert("model".to_owned(), factor(&["m1", "m2", "m3"]));
    let mut plan = design(&["model", "arm", "task"], 2);
    let is = |name: &str, level: &str| {
        compare(RecordExpr::Factor(name.to_owned()), Relation::Equal, RecordExpr::Level(level.to_owned()))
    };
    let never = RecordExpr::And(vec![is("arm", "y"), is("model", "m2"), field("document")]);
    plan.exclude.push(ExcludedCells { condition: never });
    spec.design = Some(plan);
    let tasks = read_tasks(spec.tasks.as_ref().unwrap(), Some(CSV.as_bytes())).unwrap();
    let plan = planned(&spec, &tasks).unwrap();
    assert_eq!(plan.units.len(), 2 * 3 * 3 * 2 - 2);
    assert!(plan.units.is_sorted());
    for (at, unit) in plan.units.iter().enumerate() {
        assert_eq!(plan.position(*unit), Some(at));
        let cell = plan.cell(*unit, &tasks);
        assert!(!(cell.levels["arm"] == "y" && cell.levels["model"] == "m2" && cell.unit == "b"));
        for factor in 0..2 {
            let level = plan.level(unit.arm, factor).unwrap();
            assert_eq!(plan.with_level(unit.arm, factor, level), Some(unit.arm));
        }
    }
    spec.design.as_mut().unwrap().repeat = 10_000_000;
    assert_eq!(planned(&spec, &tasks).unwrap_err()[0].kind, Kind::TooLarge);
    spec.design.as_mut().unwrap().repeat = 1;
    spec.design.as_mut().unwrap().exclude = vec![ExcludedCells { condition: field("correct") }];
    let error = planned(&spec, &tasks).unwrap_err().remove(0);
    assert_eq!((error.kind, error.code()), (Kind::BadExpression, Code::BadDesign));
    spec.design = None;
    assert!(planned(&spec, &tasks).unwrap().units.is_empty());
}

#[test]
fn a_repeat_can_be_left_out_of_one_arm() {
    let mut spec = small();
    let mut plan = design(&["arm", "item"], 3);
    let third = compare(field("repeat"), Relation::GreaterEqual, num("3"));
    let arm = compare(RecordExpr::Factor("arm".to_owned()), Relation::Equal, RecordExpr::Level("y".to_owned()));
    plan.exclude.push(ExcludedCells { condition: RecordExpr::And(vec![third, arm]) });
    spec.design = Some(plan);
    let tasks = read_tasks(&tasks("item", TaskSource::Count(4)), None).unwrap();
    let plan = planned(&spec, &tasks).unwrap();
    assert_eq!(plan.units.len(), 4 * 3 + 4 * 2);
    let cells: Vec<_> = plan.units.iter().map(|unit| plan.cell(*unit, &tasks)).collect();
    assert!(cells.iter().all(|cell| cell.levels["arm"] == "x" || cell.repeat < 3), "{cells:?}");
}

#[test]
fn expressions_reach_other_cells_of_the_same_unit() {
    use prespec::plan::eval::{Bindings, compile};
    let spec = small();
    let text = "item,arm,correct,cost,bad\na,x,1,0.5,0\na,y,0,2,1\nb,x,1,,0\n";
    let joined = judge(&spec, &[("runs.csv", text)]).unwrap();
    let pinned = |level: LevelRef| RecordExpr::At(Box::new(field("cost")), vec![("arm".to_owned(), level)]);
    let gain = RecordExpr::Arithmetic(
        Box::new(pinned(LevelRef::Level("y".to_owned()))),
        ArithmeticOp::Subtract,
        Box::new(pinned(LevelRef::Parameter("a".to_owned()))),
    );
    let bindings: Bindings = BTreeMap::from([("a".to_owned(), "x".to_owned())]);
    assert!(compile(&gain, &joined.schema, &Bindings::new()).is_err());
    let gain = compile(&gain, &joined.schema, &bindings).unwrap();
    assert_eq!(gain.number(&joined.row(0)).unwrap().canonical(), "1.5");
    assert_eq!(gain.number(&joined.row(1)), None);
    let truth = |expr: RecordExpr, at: usize| compile(&expr, &joined.schema, &bindings).unwrap().truth(&joined.row(at));
    let not = |expr: RecordExpr| RecordExpr::Not(Box::new(expr));
    let cheap = || compare(field("cost"), Relation::Less, num("1"));
    assert!(truth(cheap(), 0) && !truth(cheap(), 1) && truth(not(cheap()), 1));
    assert!(!truth(compare(field("cost"), Relation::NotEqual, num("1")), 1));
    assert!(truth(RecordExpr::Present(Box::new(field("cost"))), 0));
    assert!(!truth(RecordExpr::Present(Box::new(field("cost"))), 1));
    assert!(truth(RecordExpr::Flagged("bad".to_owned()), 3) && !truth(RecordExpr::Flagged("bad".to_owned()), 0));
    assert!(truth(RecordExpr::State(StateClass::Missing), 2) && truth(RecordExpr::State(StateClass::Completed), 0));
    assert!(truth(RecordExpr::OneOf(Box::new(RecordExpr::Factor("arm".to_owned())), names(&["y", "z"])), 3));
    let order = |relation| compare(RecordExpr::Factor("arm".to_owned()), relation, RecordExpr::Level("y".to_owned()));
    assert!(truth(order(Relation::Less), 0) && !truth(order(Relation::Less), 3));
    let zero = RecordExpr::Arithmetic(Box::new(num("1")), ArithmeticOp::Divide, Box::new(num("0")));
    assert!(!truth(compare(zero.clone(), Relation::GreaterEqual, num("0")), 0));
    assert!(truth(not(compare(zero, Relation::GreaterEqual, num("0"))), 0));
    assert!(compile(&field("nothing"), &joined.schema, &bindings).is_err());
}
