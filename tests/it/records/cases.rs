//! Published data of four shapes, read as their authors left them.

use prespec::math::exact;
use prespec::plan::eval::{Bindings, compile};
use prespec::plan::{Scalar, read_tasks};
use prespec::records::{Joined, RecordErrorKind, join, read, records_digest};
use prespec::spec::*;

use super::build::*;

fn spec(unit: Tasks, cross: &[(&str, &[&str])]) -> Spec {
    let mut spec = Spec { language: 1, study: "case".to_owned(), tasks: Some(unit), ..Spec::default() };
    for (name, levels) in cross {
        spec.factors.insert((*name).to_owned(), factor(levels));
    }
    let names: Vec<&str> = cross.iter().map(|(name, _)| *name).collect();
    spec.design = Some(design(&names, 1));
    spec
}

fn count(joined: &Joined, field: &str, arm: Option<&str>, test: impl Fn(Scalar<'_>) -> bool) -> usize {
    let column = joined.column(field).unwrap();
    let wanted = |at: usize| arm.is_none_or(|arm| joined.cell(at).unwrap().levels.values().any(|level| level == arm));
    (0..joined.len()).filter(|at| wanted(*at) && column.get(*at).is_some_and(&test)).count()
}

#[test]
fn chess_moves_are_columns_of_one_position() {
    let Some(folder) = shared("chess_moves_are_columns_of_one_position", "cases/a1-chess") else { return };
    let file = InputFile { path: "positions.csv".to_owned(), digest: None };
    let mut units = tasks("position", TaskSource::File { file, key: "puzzle_id".to_owned() });
    let kinds = ValueType::Level(names(&["sacrifice", "quiet"]));
    let kind = TaskAttribute { kind: kinds, optional: false, from: "kind".to_owned() };
    units.attributes.insert("kind".to_owned(), kind);
    let is = |level: &str| compare(field("kind"), Relation::Equal, RecordExpr::Level(level.to_owned()));
    units.expectations = vec![
        TaskExpectation { count: 240, filter: Some(is("sacrifice")) },
        TaskExpectation { count: 120, filter: Some(is("quiet")) },
    ];
    let bytes = std::fs::read(folder.join("positions.csv")).unwrap();
    let list = read_tasks(&units, Some(&bytes)).unwrap();
    let mut spec = spec(units, &[("move", &["key", "greedy", "random", "deep_alt", "best"])]);
    let never = |level: &str, kind: &str| ExcludedCells {
        condition: RecordExpr::And(vec![
            compare(RecordExpr::Factor("move".to_owned()), Relation::Equal, RecordExpr::Level(level.to_owned())),
            is(kind),
        ]),
    };
    spec.design.as_mut().unwrap().exclude = vec![
        never("best", "sacrifice"),
        never("key", "quiet"),
        never("greedy", "quiet"),
        never("random", "quiet"),
        never("deep_alt", "quiet"),
    ];
    for name in ["local_cost", "p_win", "useful_shift"] {
        spec.fields.insert(name.to_owned(), outcome(plain()));
    }
    spec.fields.insert("potential".to_owned(), outcome(number(Dimension::Bits, None, None, false)));
    let block = Block {
        unit: Some(UnitAt::At("puzzle_id".to_owned())),
        fields: vec![("potential", at("potential_bits"))],
        columns: vec![
            ("local_cost_{move}", "local_cost"),
            ("p_win_{move}", "p_win"),
            ("useful_shift_{move}", "useful_shift"),
        ],
        ..Block::default()
    };
    spec.results.insert("positions".to_owned(), block.build("positions.csv", FileFormat::Csv));
    let joined = join(&spec, &list, read(&spec, &[folder]).unwrap()).unwrap();
    assert_eq!(joined.len(), 240 * 4 + 120);
    assert_eq!(joined.counts[&State::Scored], 1080);
    // C2: useful_shift of key above greedy: 238 above, 2 below.
    let shift = |level: &str| {
        RecordExpr::At(Box::new(field("useful_shift")), vec![("move".to_owned(), LevelRef::Level(level.to_owned()))])
    };
    let above = |a: &str, b: &str| {
        let expr = compile(&compare(shift(a), Relation::Greater, shift(b)), &joined.schema, &Bindings::new()).unwrap();
        let key = joined.plan.factors[0].1.iter().position(|level| level == "key").unwrap();
        let rows =
            (0..joined.len()).filter(|at| joined.plan.level(joined.plan.units[*at].arm, 0) == u16::try_from(key).ok());
        rows.filter(|at| expr.truth(&joined.row(*at))).count()
    };
    assert_eq!((above("key", "greedy"), above("greedy", "key")), (238, 2));
    assert_eq!((above("key", "random"), above("random", "key")), (239, 0));
}

fn overcooked() -> Spec {
    let seeds: Vec<String> = (77001..=77012).map(|seed| seed.to_string()).collect();
    let systems = [
        "learned",
        "initial_twin",
        "scripted_roles",
        "bc_clone",
        "untrained_other",
        "learned_contract_b",
        "twin_contract_b",
    ];
    let mut spec = spec(tasks("seed", TaskSource::List(seeds)), &[("system", &systems)]);
    spec.fields.insert("emergent".to_owned(), optional(ValueType::Bool));
    spec.fields.insert("usefulness".to_owned(), outcome(plain()));
    spec.fields.insert("trigger_gap_zero".to_owned(), optional(plain()));
    let full = Block {
        records: Some("seeds.{seed}.{system}"),
        fields: vec![
            ("emergent", at("verdict.emergent")),
            ("usefulness", at("metrics.usefulness_gap")),
            ("trigger_gap_zero", at("metrics.trigger_rates.0")),
        ],
        ..Block::default()
    };
    let bare = Block { fields: vec![("usefulness", at("usefulness_gap"))], ..full.clone() };
    spec.results.insert("contract_a".to_owned(), full.build("s{seed}.json", FileFormat::Json));
    spec.results.insert("contract_b".to_owned(), bare.build("s{seed}.json", FileFormat::Json));
    spec
}

#[test]
fn overcooked_seeds_are_nested_documents() {
    let Some(folder) = shared("overcooked_seeds_are_nested_documents", "cases/a3-overcooked") else { return };
    let spec = overcooked();
    let joined = join(&spec, &list(&spec), read(&spec, std::slice::from_ref(&folder)).unwrap()).unwrap();
    assert_eq!((joined.len(), joined.counts[&State::Scored]), (84, 84));
    let yes = |value: Scalar<'_>| value == Scalar::Bool(true);
    assert_eq!(count(&joined, "emergent", Some("learned"), yes), 8);
    assert_eq!(count(&joined, "emergent", None, yes), 8);
    let positive = |value: Scalar<'_>| value.number().unwrap() > prespec::table::number::Exact::ZERO;
    assert_eq!(count(&joined, "usefulness", Some("learned"), positive), 12);
    let copy = |skip: &str, extra: Option<&str>| {
        let copy = Folder::new(&[]);
        for seed in 77001..=77012 {
            let name = format!("s{seed}.json");
            let text = std::fs::read_to_string(folder.join(&name)).unwrap();
            if name != skip {
                copy.write(&name, &text);
            }
            if let Some(extra) = extra.filter(|_| seed == 77012) {
                copy.write(extra, &text.replace("77012", "77013"));
            }
        }
        copy
    };
    let fewer = copy("s77005.json", None);
    let joined = join(&spec, &list(&spec), read(&spec, &fewer.root()).unwrap()).unwrap();
    assert_eq!(joined.counts[&State::Missing], 7);
    let more = copy("", Some("s77013.json"));
    let errors = read(&spec, &more.root()).unwrap_err();
    assert!(errors.iter().all(|error| error.kind == RecordErrorKind::ExtraFile && error.place == "s77013.json"));
}

#[test]
fn defence_matrices_are_wide() {
    let Some(folder) = shared("defence_matrices_are_wide", "cases/a5-defence") else { return };
    let defences = ["llamaguard", "ppl_filter", "probe", "probe_b", "refusal_prime", "smoothllm", "token_anomaly"];
    let mut spec = spec(tasks("behaviour", TaskSource::Count(100)), &[("defence", &defences)]);
    for name in ["breach", "refusal"] {
        spec.fields.insert(name.to_owned(), outcome(ValueType::Bool));
        let block = Block { unit: Some(UnitAt::Row), columns: vec![("{defence}", name)], ..Block::default() };
        spec.results.insert(name.to_owned(), block.build(&format!("{name}.csv"), FileFormat::Csv));
    }
    let joined = join(&spec, &list(&spec), read(&spec, std::slice::from_ref(&folder)).unwrap()).unwrap();
    assert_eq!((joined.len(), joined.counts[&State::Scored], joined.files.len()), (700, 700, 2));
    let text = std::fs::read_to_string(folder.join("breach.csv")).unwrap();
    let ones = text.lines().skip(1).flat_map(|line| line.split(',')).filter(|cell| *cell == "1").count();
    assert_eq!(count(&joined, "breach", None, |value| value == Scalar::Bool(true)), ones);
    assert!(records_digest(&joined).starts_with("sha256:"));
}

#[test]
fn probe_estimates_are_reported() {
    let Some(folder) = shared("probe_estimates_are_reported", "cases/a2-probe") else { return };
    let mut spec = Spec::default();
    spec.factors.insert("condition".to_owned(), factor(&["full", "cot_removed", "random_removed"]));
    spec.factors.insert("readout".to_owned(), factor(&["mean_diff", "logistic_regression"]));
    let own = str::to_owned;
    let auroc = ReportedEstimate {
        estimand: own("auroc"),
        per: names(&["condition", "readout"]),
        at: own("conditions.{condition}.{readout}.auroc"),
        interval: Some((own("conditions.{condition}.{readout}.ci"), None)),
        level: Some(quantity("0.95")),
        p: None,
        n: Some(own("n")),
    };
    let drop = ReportedEstimate {
        estimand: own("drop"),
        per: Vec::new(),
        at: own("gate1.R_minus_C"),
        interval: Some((own("gate1.ci.0"), Some(own("gate1.ci.1")))),
        ..auroc.clone()
    };
    let block = |estimates: Vec<ReportedEstimate>| ResultsBlock {
        file: own("gates_v5.json"),
        for_every: Vec::new(),
        format: FileFormat::Json,
        shape: ResultsShape::Reported(estimates),
    };
    spec.results.insert(own("gates"), block(vec![auroc.clone(), drop]));
    let received = read(&spec, std::slice::from_ref(&folder)).unwrap();
    let joined = join(&spec, &[], received).unwrap();
    assert_eq!(joined.estimates.len(), 7);
    let full = joined
        .estimates
        .iter()
        .find(|e| {
            e.member.get("condition").map(String::as_str) == Some("full")
                && e.member["readout"] == "logistic_regression"
        })
        .unwrap();
    assert_eq!(full.estimate, exact::parse("0.9735811396075773").ok());
    assert_eq!(full.interval.as_ref().unwrap().0, exact::parse("0.9618067093151461").unwrap());
    assert_eq!((full.n, full.level.clone()), (Some(485), exact::parse("0.95").ok()));
    let drop = joined.estimates.iter().find(|e| e.estimand == "drop").unwrap();
    assert_eq!(drop.interval.as_ref().unwrap().1, exact::parse("0.14461995312873266").unwrap());
    let lost = ReportedEstimate { at: own("condition.{condition}.{readout}.auroc"), ..auroc };
    spec.results.insert(own("gates"), block(vec![lost]));
    let errors = read(&spec, &[folder]).unwrap_err();
    assert_eq!(errors[0].kind, RecordErrorKind::MissingColumn);
    assert!(errors[0].help.contains("`conditions`"), "{}", errors[0]);
}
