//! Every rule that refuses a file, a record or a value, and what each one says.

use prespec::math::exact;
use prespec::plan::Scalar;
use prespec::records::RecordErrorKind as Kind;
use prespec::records::{RecordError, records_digest};
use prespec::spec::*;

use super::build::*;

const HEAD: &str = "item,arm,correct,cost,bad\n";
const FULL: &str = "a,x,1,0.5,0\nb,x,0,,0\nc,x,true,1.25,1\na,y,false,2,0\nb,y,1.0,1e-3,\nc,y,0,0,0\n";

fn csv(rows: &str) -> Result<prespec::records::Joined, Vec<RecordError>> {
    judge(&small(), &[("runs.csv", &format!("{HEAD}{rows}"))])
}

#[test]
fn a_whole_file_joins() {
    let joined = csv(FULL).unwrap();
    assert_eq!(joined.len(), 6);
    assert_eq!(joined.counts[&State::Scored], 6);
    let cell = joined.cell(4).unwrap();
    assert_eq!((cell.unit.as_str(), cell.levels["arm"].as_str(), cell.repeat), ("b", "y", 1));
    assert_eq!(joined.column("correct").unwrap().get(4), Some(Scalar::Bool(true)));
    assert_eq!(joined.column("cost").unwrap().get(1), None);
    assert_eq!(joined.column("bad").unwrap().get(4), None);
    assert_eq!(joined.origin(4).unwrap(), "runs.csv, row 5");
    assert_eq!(joined.files.len(), 1);
}

#[test]
fn what_never_came_is_missing() {
    let joined = csv("c,y,0,0,0\n").unwrap();
    assert_eq!((joined.counts[&State::Scored], joined.counts[&State::Missing]), (1, 5));
    assert_eq!(joined.states[5], State::Scored);
    assert!(joined.origin(0).is_none());
}

#[test]
fn marks_line_ends_and_order_of_rows_and_columns_give_one_digest() {
    let whole = records_digest(&csv(FULL).unwrap());
    let mut rows: Vec<&str> = FULL.lines().collect();
    rows.reverse();
    assert_eq!(records_digest(&csv(&rows.join("\n")).unwrap()), whole);
    let marked = format!("\u{feff}{HEAD}{FULL}").replace('\n', "\r\n");
    assert_eq!(records_digest(&judge(&small(), &[("runs.csv", &marked)]).unwrap()), whole);
    let mut ordered = small();
    ordered.factors.insert("arm".to_owned(), Factor { ordered: true, ..factor(&["y", "x"]) });
    let text = format!("{HEAD}{FULL}");
    assert_eq!(records_digest(&judge(&ordered, &[("runs.csv", &text)]).unwrap()), whole);
    for (from, to) in [("a,x,1", "a,x,0"), ("1.25", "1.250001"), ("c,y,0,0,0\n", ""), ("1.25,1", "1.25,0")] {
        assert!(FULL.contains(from));
        assert_ne!(records_digest(&csv(&FULL.replacen(from, to, 1)).unwrap()), whole, "{from}");
    }
    assert_eq!(records_digest(&csv(&FULL.replacen("1.25", "1.250", 1)).unwrap()), whole);
}

#[test]
fn every_bad_value_is_named_with_its_place() {
    for (row, words) in [
        ("a,x,0.5,1,0", &["row 1", "`correct`", "`0.5`", "neither true nor false", "graded"][..]),
        ("a,x,yes,1,0", &["`yes`", "-> true"]),
        ("a,x,2,1,0", &["`2`"]),
        ("a,x,NaN,1,0", &["`NaN`", "absent"]),
        ("a,x, 1,1,0", &["spaces"]),
        ("a,x,1,NaN,0", &["`cost`", "`NaN`", "absent \"NaN\""]),
        ("a,x,1,inf,0", &["`inf`"]),
        ("a,x,1,-Infinity,0", &["`-Infinity`"]),
        ("a,x,1,-1,0", &["`-1`", "outside 0 and above"]),
        ("a,x,1,abc,0", &["`abc`", "no number"]),
        ("a,x,1,\"1,000\",0", &["separators"]),
        ("a,x,1,5%,0", &["in percent"]),
        ("a,x,1,NA,0", &["absent \"NA\""]),
    ] {
        refused(csv(&format!("{row}\n")), Kind::BadValue, words);
    }
}

#[test]
fn percentages_and_fractions_are_not_confused() {
    let mut spec = small();
    spec.fields.insert("cost".to_owned(), optional(number(Dimension::Proportion, None, None, false)));
    let file = |value: &str| format!("{HEAD}a,x,1,{value},0\n");
    refused(judge(&spec, &[("runs.csv", &file("45"))]), Kind::BadValue, &["`45`", "in percent", "between 0 and 1"]);
    refused(judge(&spec, &[("runs.csv", &file("-0.1"))]), Kind::BadValue, &["outside 0 to 1"]);
    assert!(judge(&spec, &[("runs.csv", &file("1"))]).is_ok());
    let mut block = long();
    let percent = FileUnit { word: "percent".to_owned(), factor: exact::parse("0.01").unwrap() };
    block.fields[1].1.unit = Some(percent);
    spec.results.insert("runs".to_owned(), block.build("runs.csv", FileFormat::Csv));
    let joined = judge(&spec, &[("runs.csv", &file("45"))]).unwrap();
    let value = joined.column("cost").unwrap().get(0).unwrap().number().unwrap();
    assert_eq!(value.canonical(), "0.45");
    refused(judge(&spec, &[("runs.csv", &file("101"))]), Kind::BadValue, &["`1.01`", "outside 0 to 1"]);
}

#[test]
fn whole_numbers_are_whole() {
    let mut spec = small();
    spec.fields.insert("cost".to_owned(), optional(number(Dimension::Count, Some("0"), None, true)));
    let file = |value: &str| format!("{HEAD}a,x,1,{value},0\n");
    assert!(judge(&spec, &[("runs.csv", &file("3.0"))]).is_ok());
    refused(judge(&spec, &[("runs.csv", &file("3.5"))]), Kind::BadValue, &["no whole number"]);
}

#[test]
fn cells_outside_the_plan_are_refused() {
    refused(csv("a,z,1,1,0\n"), Kind::UnknownLevel, &["`z`", "row 1"]);
    refused(csv("A,x,1,1,0\n"), Kind::Unplanned, &["unit `A`", "did you mean `a`"]);
    refused(csv("a,,1,1,0\n"), Kind::UnknownLevel, &["no `arm`"]);
    refused(csv(",x,1,1,0\n"), Kind::Unplanned, &["no item"]);
    refused(
        csv("a,x,1,1,0\nb,x,1,1,0\na,x,1,1,0\n"),
        Kind::DuplicateCell,
        &["arm x, unit `a`, repeat 1", "runs.csv, row 3", "runs.csv, row 1"],
    );
}

#[test]
fn levels_have_near_misses() {
    let mut spec = small();
    spec.factors.insert("arm".to_owned(), factor(&["baseline", "treated"]));
    let file = format!("{HEAD}a,Baselin,1,1,0\n");
    refused(judge(&spec, &[("runs.csv", &file)]), Kind::UnknownLevel, &["did you mean `baseline`"]);
}

#[test]
fn repeats_beyond_the_plan_are_refused_and_must_be_said() {
    let mut spec = small();
    spec.design = Some(design(&["arm"], 2));
    let head = "item,arm,correct,cost,bad,n\n";
    refused(judge(&spec, &[("runs.csv", &format!("{head}a,x,1,1,0,1\n"))]), Kind::Unmapped, &["repeats 2 times"]);
    let block = Block { repeat: Some("n"), ..long() };
    spec.results.insert("runs".to_owned(), block.build("runs.csv", FileFormat::Csv));
    let run = |rows: &str| judge(&spec, &[("runs.csv", &format!("{head}{rows}"))]);
    assert_eq!(run("a,x,1,1,0,1\na,x,1,1,0,2\n").unwrap().counts[&State::Scored], 2);
    refused(run("a,x,1,1,0,3\n"), Kind::Unplanned, &["repeats go from 1 to 2"]);
    refused(run("a,x,1,1,0,0\n"), Kind::BadValue, &["no repeat"]);
    refused(run("a,x,1,1,0,1.5\n"), Kind::BadValue, &["no repeat"]);
}

#[test]
fn tables_and_columns_are_checked() {
    let run = |text: &str| judge(&small(), &[("runs.csv", text)]);
    refused(
        run("item,arm,corect,cost,bad\na,x,1,1,0\n"),
        Kind::MissingColumn,
        &["did you mean `corect`", "`item`, `arm`"],
    );
    refused(run("item,arm,correct,cost,bad,bad\n"), Kind::Unreadable, &["`bad` twice"]);
    refused(run(&format!("{HEAD}a,x,1,1\n")), Kind::Unreadable, &["row 1", "4 cells"]);
    refused(run(""), Kind::Unreadable, &["empty"]);
    refused(judge(&small(), &[("other.csv", HEAD)]), Kind::NoFile, &["no file fits `runs.csv`"]);
}

#[test]
fn a_completed_record_has_its_outcome() {
    refused(csv("a,x,,1,0\n"), Kind::MissingValue, &["`correct` has no value", "unit `a`", "row 1"]);
    let mut spec = small();
    let block = Block {
        fields: long().fields,
        state: Some(("bad", vec![("0", State::Scored), ("1", State::Errored), ("2", State::Superseded)])),
        ..long()
    };
    spec.results.insert("runs".to_owned(), block.build("runs.csv", FileFormat::Csv));
    let run = |rows: &str| judge(&spec, &[("runs.csv", &format!("{HEAD}{rows}"))]);
    let joined = run("a,x,,1,1\n").unwrap();
    assert_eq!(joined.counts[&State::Errored], 1);
    refused(run("a,x,1,1,9\n"), Kind::BadState, &["`9`", "no state"]);
    refused(run("a,x,1,1,\n"), Kind::BadState, &["nothing is no state"]);
}

#[test]
fn superseded_records_stand_aside_and_are_counted() {
    let mut spec = small();
    let mut block = long();
    block.fields.pop();
    block.state = Some(("bad", vec![]));
    spec.results.insert("runs".to_owned(), block.build("runs.csv", FileFormat::Csv));
    let run = |rows: &str| judge(&spec, &[("runs.csv", &format!("{HEAD}{rows}"))]).unwrap();
    let joined = run("a,x,0,1,superseded\na,x,1,1,scored\na,x,0,1,superseded\n");
    assert_eq!((joined.counts[&State::Superseded], joined.counts[&State::Scored]), (2, 1));
    assert_eq!(joined.column("correct").unwrap().get(0), Some(Scalar::Bool(true)));
    assert_ne!(records_digest(&joined), records_digest(&run("a,x,1,1,scored\n")));
}

#[test]
fn blocks_merge_fields_and_refuse_conflicts() {
    let mut spec = small();
    let mut first = long();
    first.fields = vec![("correct", at("correct"))];
    let mut second = long();
    second.fields = vec![("cost", at("cost")), ("bad", at("bad"))];
    let mut third = long();
    third.fields = vec![("cost", at("price"))];
    spec.results.clear();
    spec.results.insert("a".to_owned(), first.build("a.csv", FileFormat::Csv));
    spec.results.insert("b".to_owned(), second.build("b.csv", FileFormat::Csv));
    spec.results.insert("c".to_owned(), third.build("c.csv", FileFormat::Csv));
    let run = |price: &str| {
        let c = format!("item,arm,price\na,x,{price}\n");
        judge(
            &spec,
            &[("a.csv", "item,arm,correct\na,x,1\n"), ("b.csv", "item,arm,cost,bad\na,x,2.50,1\n"), ("c.csv", &c)],
        )
    };
    let joined = run("2.5").unwrap();
    let value = |name: &str| joined.column(name).unwrap().get(0).unwrap().number().unwrap().canonical();
    assert_eq!((value("correct"), value("cost"), value("bad")), ("1".to_owned(), "2.5".to_owned(), "1".to_owned()));
    refused(run("2.6"), Kind::Conflict, &["`cost`", "`2.6` here and `2.5`", "c.csv, row 1"]);
}

#[test]
fn spellings_replace_guesses() {
    let mut spec = small();
    let mut block = long();
    let words = [("C", "true"), ("I", "false")];
    block.fields[0].1.spellings =
        words.iter().map(|(text, word)| ((*text).to_owned(), Attribute::Word((*word).to_owned()))).collect();
    block.levels[0].1.spellings = [("Arm X".to_owned(), "x".to_owned())].into();
    block.absent = vec!["-"];
    spec.results.insert("runs".to_owned(), block.build("runs.csv", FileFormat::Csv));
    let run = |rows: &str| judge(&spec, &[("runs.csv", &format!("{HEAD}{rows}"))]);
    let joined = run("a,Arm X,C,-,-\nb,Arm X,I,,0\n").unwrap();
    assert_eq!(joined.column("correct").unwrap().get(0), Some(Scalar::Bool(true)));
    assert_eq!(joined.column("cost").unwrap().get(0), None);
    refused(run("a,Arm X,1,1,0\n"), Kind::BadValue, &["not among the spellings"]);
    refused(run("a,x,C,1,0\n"), Kind::UnknownLevel, &["`x`"]);
}

#[test]
fn excluded_cells_stay_empty() {
    let mut spec = small();
    let rule = compare(RecordExpr::Factor("arm".to_owned()), Relation::Equal, RecordExpr::Level("y".to_owned()));
    spec.design.as_mut().unwrap().exclude.push(ExcludedCells { condition: rule });
    let run = |rows: &str| judge(&spec, &[("runs.csv", &format!("{HEAD}{rows}"))]);
    assert_eq!(run("a,x,1,1,0\na,y,,,\n").unwrap().len(), 3);
    refused(run("a,x,1,1,0\na,y,1,,\n"), Kind::Excluded, &["arm y", "design excludes"]);
}

#[test]
fn wide_columns_and_row_numbers() {
    let mut spec = small();
    spec.tasks = Some(tasks("item", TaskSource::Count(3)));
    let block = Block { unit: Some(UnitAt::Row), columns: vec![("ok_{arm}", "correct")], ..Block::default() };
    spec.results.insert("runs".to_owned(), block.build("runs.csv", FileFormat::Csv));
    let run = |text: &str| judge(&spec, &[("runs.csv", text)]);
    let joined = run("ok_y,note,ok_x\n1,hm,0\n,,1\n0,,0\n").unwrap();
    assert_eq!((joined.counts[&State::Scored], joined.counts[&State::Missing]), (5, 1));
    refused(run("ok_x,ok_y\n1,1\n1,1\n1,1\n,0\n"), Kind::Unplanned, &["unit `4`"]);
    refused(run("a,b\n1,1\n"), Kind::MissingColumn, &["ok_{arm}"]);
    refused(run("ok_x,ok_y\n1,0.5\n"), Kind::BadValue, &["`ok_y`", "row 1"]);
    spec.factors.insert("arm".to_owned(), factor(&["baseline", "treated"]));
    let run = |text: &str| judge(&spec, &[("runs.csv", text)]);
    refused(run("ok_basline,ok_treated\n1,1\n"), Kind::UnknownLevel, &["`ok_basline`", "`ok_baseline`"]);
}

#[test]
fn counts_become_records() {
    let mut spec = small();
    spec.tasks = Some(tasks("item", TaskSource::Count(5)));
    let block =
        Block { levels: vec![("arm", level("arm"))], successes: Some(("ok", "n", "correct")), ..Block::default() };
    spec.results.insert("runs".to_owned(), block.build("runs.csv", FileFormat::Csv));
    let run = |rows: &str| judge(&spec, &[("runs.csv", &format!("arm,ok,n\n{rows}"))]);
    let joined = run("x,3,5\ny,0,4\n").unwrap();
    let column = joined.column("correct").unwrap();
    let trues = (0..joined.len()).filter(|at| column.get(*at) == Some(Scalar::Bool(true))).count();
    assert_eq!((trues, joined.counts[&State::Scored], joined.counts[&State::Missing]), (3, 9, 1));
    refused(run("x,4,3\n"), Kind::BadValue, &["4 successes of 3"]);
    refused(run("x,4,6\n"), Kind::BadValue, &["6 trials where 5 are planned"]);
    refused(run("x,1.5,5\n"), Kind::BadValue, &["no whole number"]);
}

fn seeds() -> Spec {
    let mut spec = small();
    spec.tasks = Some(tasks("seed", TaskSource::List(names(&["s1", "s2"]))));
    let block = Block {
        records: Some("runs.{seed}.{arm}"),
        fields: vec![("correct", at("verdict.ok")), ("cost", at(r"cost\.usd"))],
        ..Block::default()
    };
    spec.results.insert("runs".to_owned(), block.build("out/{seed}.json", FileFormat::Json));
    spec
}

fn seed(name: &str) -> String {
    format!(
        r#"{{"runs": {{"{name}": {{"minutes": 3, "x": {{"verdict": {{"ok": 1}}, "cost.usd": 0.10}},
        "y": {{"verdict": {{"ok": false}}, "cost.usd": null}}, "other": {{"note": "kept beside"}}}}}}}}"#
    )
}

#[test]
fn one_file_for_every_unit() {
    let (one, two) = (seed("s1"), seed("s2"));
    let joined = judge(&seeds(), &[("out/s1.json", &one), ("out/s2.json", &two)]).unwrap();
    assert_eq!(joined.counts[&State::Scored], 4);
    assert_eq!(joined.column("cost").unwrap().get(0).unwrap().number().unwrap().canonical(), "0.1");
    let joined = judge(&seeds(), &[("out/s1.json", &one)]).unwrap();
    assert_eq!(joined.counts[&State::Missing], 2);
    let three = seed("s3");
    refused(
        judge(&seeds(), &[("out/s1.json", &one), ("out/s2.json", &two), ("out/s3.json", &three)]),
        Kind::ExtraFile,
        &["out/s3.json", "`s3` is no planned seed"],
    );
    let smuggled = one.replace("\"s1\":", "\"s2\":");
    let errors = judge(&seeds(), &[("out/s1.json", &smuggled)]).unwrap_err();
    assert!(errors.iter().all(|error| error.to_string().contains("only the records that its name says")), "{errors:?}");
    let twin = one.replacen("\"y\":", "\"zz\":", 1);
    refused(judge(&seeds(), &[("out/s1.json", &twin)]), Kind::UnknownLevel, &["arm `zz`"]);
}

#[test]
fn a_surplus_file_is_refused_when_only_the_task_file_knows_the_units() {
    let mut spec = seeds();
    let file = InputFile { path: "tasks.csv".to_owned(), digest: None };
    spec.tasks = Some(tasks("seed", TaskSource::File { file, key: "id".to_owned() }));
    let planned = prespec::plan::read_tasks(spec.tasks.as_ref().unwrap(), Some(b"id\ns1\n")).unwrap();
    let folder = Folder::new(&[
        ("out/s1.json", &seed("s1")),
        ("out/s2.json", r#"{"runs": {"s2": {"x": {"verdict": {"ok": 1}, "cost.usd": 1}}}}"#),
    ]);
    let received = prespec::records::read(&spec, &folder.root()).unwrap();
    let errors = prespec::records::join(&spec, &planned, received).unwrap_err();
    assert!(errors.iter().any(|error| error.kind == Kind::ExtraFile && error.place == "out/s2.json"), "{errors:?}");
}

#[test]
fn documents_are_strict() {
    let run = |text: &str| judge(&seeds(), &[("out/s1.json", text)]);
    refused(run(r#"{"runs": {"s1": 1, "s1": 2}}"#), Kind::Unreadable, &["byte 19", "twice"]);
    refused(run(r#"{"runs": {"s1": {"#), Kind::Unreadable, &["key in double quotes"]);
    refused(run(r#"{"results": {}}"#), Kind::MissingColumn, &["no record stands", "`results`"]);
    refused(
        run(&seed("s1").replace("\"ok\": 1", "\"ok\": NaN")),
        Kind::BadValue,
        &["`runs.s1.x`", "`verdict.ok`", "`NaN`"],
    );
    refused(
        run(&seed("s1").replace("verdict", "verdikt")),
        Kind::MissingColumn,
        &["`verdict.ok` leads nowhere", "`verdikt`"],
    );
}

#[test]
fn lines_are_read_one_by_one() {
    let mut spec = small();
    spec.results.insert("runs".to_owned(), long().build("runs.jsonl", FileFormat::Jsonl));
    let run = |text: &str| judge(&spec, &[("runs.jsonl", text)]);
    let whole = run("{\"item\":\"a\",\"arm\":\"x\",\"correct\":\"1\",\"cost\":0.50,\"bad\":true}\n\n{\"item\":\"b\",\"arm\":\"x\",\"correct\":true,\"cost\":null}\n").unwrap();
    assert_eq!(whole.counts[&State::Scored], 2);
    assert_eq!(whole.origin(1).unwrap(), "runs.jsonl, line 3");
    refused(
        run("{\"item\":\"a\",\"arm\":\"x\",\"correct\":1,\"cost\":[],\"bad\":0}\n"),
        Kind::BadValue,
        &["line 1", "an array"],
    );
    refused(
        run("{\"item\":\"a\",\"arm\":\"x\",\"correct\":1,\"cost\":true,\"bad\":0}\n"),
        Kind::BadValue,
        &["`true`", "a number"],
    );
    refused(
        run("{\"item\":\"a\",\"arm\":\"x\",\"correct\":1,\"cost\":1,\"bad\":0}\n{bad\n"),
        Kind::Unreadable,
        &["line 2"],
    );
    refused(
        run("{\"item\":\"a\",\"arm\":\"x\",\"correct\":1,\"bad\":0}\n"),
        Kind::MissingColumn,
        &["`cost` leads nowhere", "`item`"],
    );
}

#[test]
fn files_given_by_name_serve_the_block_they_fit() {
    let folder = Folder::new(&[("elsewhere.csv", &format!("{HEAD}{FULL}")), ("note.txt", "x")]);
    let spec = small();
    let path = |name: &str| folder.0.path().join(name);
    let read = |paths: &[std::path::PathBuf]| prespec::records::read(&spec, paths);
    assert_eq!(read(&[path("elsewhere.csv")]).unwrap().records.len(), 6);
    assert_eq!(read(&[path("gone")]).unwrap_err()[0].kind, Kind::NoFile);
    let folder = Folder::new(&[("out/s1.json", &seed("s1")), ("out/note.txt", "x")]);
    let read = |name: &str| prespec::records::read(&seeds(), &[folder.0.path().join(name)]);
    assert_eq!(read("out/s1.json").unwrap().records.len(), 2);
    assert!(read("out/note.txt").is_err());
}

#[test]
fn patterns_stay_in_their_folder() {
    let mut spec = small();
    spec.results.insert("runs".to_owned(), long().build("../runs.csv", FileFormat::Csv));
    refused(judge(&spec, &[]), Kind::BadPattern, &["steps out"]);
    for path in [r"..\/runs.csv", r"a/\.\./runs.csv", r"c:runs.csv", r"\/etc\/passwd"] {
        spec.results.insert("runs".to_owned(), long().build(path, FileFormat::Csv));
        refused(judge(&spec, &[]), Kind::BadPattern, &["steps out"]);
    }
    spec.results.insert("runs".to_owned(), long().build("/runs.csv", FileFormat::Csv));
    refused(judge(&spec, &[]), Kind::BadPattern, &["empty part"]);
    spec.results.insert("runs".to_owned(), long().build("{what}.csv", FileFormat::Csv));
    refused(judge(&spec, &[]), Kind::BadPattern, &["`{what}`"]);
}

#[test]
fn many_findings_are_counted_after_the_first_fifty() {
    let mut spec = small();
    spec.tasks = Some(tasks("item", TaskSource::Count(200)));
    let rows = (1..=200).map(|i| format!("{i},x,maybe,1,0")).collect::<Vec<_>>().join("\n");
    let errors = judge(&spec, &[("runs.csv", &format!("{HEAD}{rows}"))]).unwrap_err();
    assert_eq!(errors.len(), 51);
    assert_eq!((errors[50].kind, errors[50].message.as_str()), (Kind::More, "and 150 more findings"));
}

#[test]
fn derived_outcomes_follow_the_rule_of_absence() {
    let mut spec = small();
    let cheap = compare(field("cost"), Relation::Less, num("1"));
    spec.fields.insert("cheap".to_owned(), derived(ValueType::Bool, cheap));
    spec.fields.insert("dear".to_owned(), derived(ValueType::Bool, RecordExpr::Not(Box::new(field("cheap")))));
    spec.fields.insert("wrong".to_owned(), derived(ValueType::Bool, RecordExpr::Not(Box::new(field("correct")))));
    let double = RecordExpr::Arithmetic(Box::new(field("cost")), ArithmeticOp::Multiply, Box::new(num("2")));
    spec.fields.insert("twice".to_owned(), Field { optional: true, ..derived(plain(), double) });
    let joined = judge(&spec, &[("runs.csv", &format!("{HEAD}a,x,1,0.5,0\nb,x,0,,0\n"))]).unwrap();
    let value =
        |name: &str, at: usize| joined.column(name).unwrap().get(at).map(|value| value.number().unwrap().canonical());
    let row = |at: usize| ["cheap", "dear", "wrong", "twice"].map(|name| value(name, at));
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(row(0), [some("1"), some("0"), some("0"), some("1")]);
    assert_eq!(row(1), [some("0"), some("1"), some("1"), None]);
    assert_eq!(row(2), [None, None, None, None]);
}
