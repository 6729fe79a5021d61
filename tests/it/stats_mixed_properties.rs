//! Mixed models: what must hold of any fit, what is refused and in which words, and the tests between models.
#![allow(clippy::float_cmp, reason = "the same bits are what is claimed")]

use std::collections::BTreeMap;

use prespec::math::philox::{Philox, Stream};
use prespec::math::special::normal_quantile;
use prespec::stats::likelihood::LikelihoodRatio;
use prespec::stats::mixed::design::DesignError;
use prespec::stats::mixed::fit::{Fit, FitError, Observations, Options, fit};
use prespec::stats::mixed::formula::Formula;
use prespec::stats::mixed::likelihood_ratio::{RatioError, likelihood_ratio, likelihood_ratio_of};
use prespec::stats::mixed::parametric::parametric_bootstrap;
use prespec::stats::mixed::table::{Column, Factor, Table, TableError};
use prespec::stats::sides::Sides;
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};

fn formula(text: &str) -> Formula {
    Formula::parse(text).unwrap()
}

fn fitted(text: &str, table: &Table, options: Options) -> Result<Fit, FitError> {
    fit(&formula(text), table, options)
}

/// Rows of a made-up study, kept as rows so that they can be shuffled.
#[derive(Clone)]
struct Row {
    unit: String,
    a: &'static str,
    b: &'static str,
    x: f64,
    right: u64,
    trials: u64,
}

const A: [&str; 2] = ["p", "q"];
const B: [&str; 3] = ["k", "l", "m"];

fn uniform(stream: &mut Stream) -> f64 {
    (f64::from(stream.next_word()) + 0.5) / 4_294_967_296.0
}

/// Every unit in every cell; standard deviations between units, and between units within `a`; `effect` of `a`.
fn study(seed: u64, units: usize, most: u32, sds: [f64; 2], effect: f64) -> Vec<Row> {
    let mut stream = Philox::from_seed(seed).stream(1, 0);
    let mut rows = Vec::new();
    for unit in 0..units {
        let own = sds[0] * normal_quantile(uniform(&mut stream));
        for (at, a) in A.into_iter().enumerate() {
            let within = sds[1] * normal_quantile(uniform(&mut stream));
            for (bt, b) in B.into_iter().enumerate() {
                let x = f64::from(stream.next_word() % 5) / 2.0 - 1.0;
                let eta = 0.2 + own + within + 0.4 * x + [0.0, effect][at] + [0.0, 0.5, 0.8][bt];
                let trials = u64::from(stream.next_word() % (most + 1));
                let p = 1.0 / (1.0 + (-eta).exp());
                let right = (0..trials).filter(|_| uniform(&mut stream) < p).count() as u64;
                rows.push(Row { unit: format!("unit {unit}"), a, b, x, right, trials });
            }
        }
    }
    rows
}

/// A table with the levels of `b` in this order and the first of them as reference.
fn table_of(rows: &[Row], b_levels: &[&str]) -> Table {
    let column = |get: fn(&Row) -> &str| rows.iter().map(get).collect::<Vec<_>>();
    let b = Factor::declared(&column(|row| row.b), b_levels, b_levels[0]).unwrap();
    let columns = BTreeMap::from([
        ("unit".to_owned(), Column::Factor(Factor::grouping(&column(|row| &row.unit)))),
        ("a".to_owned(), Column::Factor(Factor::declared(&column(|row| row.a), &A, "p").unwrap())),
        ("b".to_owned(), Column::Factor(b)),
        ("x".to_owned(), Column::Number(rows.iter().map(|row| row.x).collect())),
    ]);
    let count = |get: fn(&Row) -> u64| rows.iter().map(get).collect();
    Table::new("y", count(|row| row.right), count(|row| row.trials), columns).unwrap()
}

fn table(rows: &[Row]) -> Table {
    table_of(rows, &B)
}

/// Every number of a fit, as bits.
fn bits(fit: &Fit) -> Vec<u64> {
    let coefficients = fit.coefficients.iter().flat_map(|own| [own.estimate, own.standard_error]);
    let intercepts = fit.intercepts.iter().flat_map(|own| [own.sd, own.standard_error.unwrap_or(-1.0)]);
    let modes = fit.modes.iter().flat_map(|own| [own.mode, own.sd]);
    let rest = [fit.log_likelihood, fit.trials, fit.convergence.remaining];
    coefficients
        .chain(intercepts)
        .chain(modes)
        .chain(fit.covariance.iter().copied())
        .chain(rest)
        .map(f64::to_bits)
        .collect()
}

const FORMS: [(&str, Options); 4] = [
    ("y ~ a * b + x + (1 | unit)", Options::LAPLACE),
    ("y ~ a * b + x + (1 | unit)", Options::quadrature(7)),
    ("y ~ a + b + x + (1 | unit) + (1 | unit:a)", Options::LAPLACE),
    ("y ~ a + b + x", Options::LAPLACE),
];

#[test]
fn no_order_of_rows_levels_or_terms_changes_a_bit() {
    let rows = study(11, 24, 4, [1.1, 0.8], -0.5);
    let plain = table(&rows);
    for (text, options) in FORMS {
        let want = fitted(text, &plain, options).unwrap();
        let mut turned = rows.clone();
        turned.reverse();
        turned.rotate_left(37);
        let mut shuffled = table(&turned);
        assert_eq!(shuffled.fingerprint(), plain.fingerprint());
        let got = fitted(text, &shuffled, options).unwrap();
        assert_eq!(bits(&got), bits(&want), "{text}");
        assert_eq!(got.modes, want.modes);
        // The units declared in another order.
        let mut columns = shuffled.columns().clone();
        let units: Vec<&str> = turned.iter().map(|row| row.unit.as_str()).collect();
        let mut levels: Vec<&str> = units.clone();
        levels.sort_unstable_by(|a, b| b.cmp(a));
        levels.dedup();
        columns.insert("unit".to_owned(), Column::Factor(Factor::declared(&units, &levels, levels[3]).unwrap()));
        shuffled = Table::new("y", shuffled.successes().to_vec(), shuffled.trials().to_vec(), columns).unwrap();
        assert_eq!(bits(&fitted(text, &shuffled, options).unwrap()), bits(&want), "{text}");
    }
    let other = fitted("y ~ (1|unit) + x + b*a", &plain, Options::LAPLACE).unwrap();
    assert_eq!(bits(&other), bits(&fitted(FORMS[0].0, &plain, Options::LAPLACE).unwrap()));
}

#[test]
fn single_trials_and_counts_are_one_model() {
    let rows = study(12, 20, 3, [1.2, 0.5], 0.4);
    let singles: Vec<Row> = rows
        .iter()
        .flat_map(|row| (0..row.trials).map(|at| Row { right: u64::from(at < row.right), trials: 1, ..row.clone() }))
        .collect();
    for (text, options) in FORMS {
        let counts = fitted(text, &table(&rows), options).unwrap();
        let trials = fitted(text, &table(&singles), options).unwrap();
        assert_eq!(bits(&counts), bits(&trials), "{text}");
        assert_eq!(trials.binomial_constant, 0.0);
        assert!(counts.binomial_constant > 1.0);
        assert_eq!(counts.rows_without_trials, rows.iter().filter(|row| row.trials == 0).count());
    }
}

#[test]
fn the_reference_level_moves_no_likelihood() {
    let rows = study(13, 25, 4, [1.0, 0.7], -0.3);
    for (text, options) in FORMS {
        let by_k = fitted(text, &table_of(&rows, &["k", "l", "m"]), options).unwrap();
        let by_m = fitted(text, &table_of(&rows, &["m", "k", "l"]), options).unwrap();
        assert!((by_k.log_likelihood - by_m.log_likelihood).abs() < 1e-9, "{text}");
        for (one, other) in by_k.intercepts.iter().zip(&by_m.intercepts) {
            assert!((one.sd - other.sd).abs() < 1e-7);
        }
        let (forth, back) = (by_k.coefficient("b[m]").unwrap(), by_m.coefficient("b[k]").unwrap());
        assert!((forth.estimate + back.estimate).abs() < 1e-7);
        assert!((forth.standard_error - back.standard_error).abs() < 1e-6);
        assert!(by_k.convergence.remaining < 1e-8);
    }
}

#[test]
fn units_and_scales_of_a_number_do_not_matter() {
    let rows = study(14, 25, 4, [1.0, 0.7], -0.3);
    let scaled: Vec<Row> = rows.iter().map(|row| Row { x: 5e5 + 1e4 * row.x, ..row.clone() }).collect();
    for (text, options) in FORMS {
        let (one, other) =
            (fitted(text, &table(&rows), options).unwrap(), fitted(text, &table(&scaled), options).unwrap());
        assert!((one.log_likelihood - other.log_likelihood).abs() < 1e-7, "{text}");
        let (one, other) = (one.coefficient("x").unwrap(), other.coefficient("x").unwrap());
        assert!((one.estimate / (1e4 * other.estimate) - 1.0).abs() < 1e-5);
        assert!((one.standard_error / (1e4 * other.standard_error) - 1.0).abs() < 1e-4);
    }
}

#[test]
fn criteria_count_their_parameters() {
    let rows = study(15, 20, 3, [1.0, 0.5], 0.0);
    let fit = fitted("y ~ a + x + (1 | unit)", &table(&rows), Options::LAPLACE).unwrap();
    assert_eq!((fit.parameters(), fit.units, fit.rows + fit.rows_without_trials), (4, 20, 120));
    assert!((fit.aic() - (8.0 - 2.0 * fit.log_likelihood_of_counts())).abs() < 1e-12);
    for (observations, count) in
        [(Observations::Units, 20.0), (Observations::Rows, fit.rows as f64), (Observations::Trials, fit.trials)]
    {
        let want = 4.0 * count.ln() - 2.0 * (fit.log_likelihood + fit.binomial_constant);
        assert!((fit.bic(observations) - want).abs() < 1e-9);
    }
}

fn refused(text: &str, rows: &[Row], options: Options) -> FitError {
    let error = fitted(text, &table(rows), options).unwrap_err();
    assert!(error.to_string().len() > 40, "{error}");
    error
}

#[test]
fn what_has_no_answer_is_refused_by_name() {
    let rows = study(16, 15, 4, [1.0, 0.3], 0.3);
    let change = |f: fn(&mut Row)| {
        let mut rows = rows.clone();
        rows.iter_mut().for_each(f);
        rows
    };
    let laplace = Options::LAPLACE;
    let one = "y ~ a + b + (1 | unit)";

    // Everything in cell q succeeds; then only in q with m.
    let separated = change(|row| {
        if row.a == "q" {
            row.right = row.trials;
        }
    });
    assert_eq!(refused(one, &separated, laplace), FitError::Separation { coefficients: vec!["`a[q]`".into()] });
    assert_eq!(refused("y ~ a", &separated, laplace), FitError::Separation { coefficients: vec!["`a[q]`".into()] });
    let quasi = change(|row| {
        if row.a == "q" && row.b == "m" {
            row.right = 0;
        }
    });
    let interaction = FitError::Separation { coefficients: vec!["`a[q]:b[m]`".into()] };
    assert_eq!(refused("y ~ a * b + (1 | unit)", &quasi, laplace), interaction);
    assert!(fitted(one, &table(&quasi), laplace).is_ok(), "without the interaction nothing is separated");
    // A number that orders the outcomes without overlap.
    let ordered = change(|row| row.right = if row.x > 0.2 { row.trials } else { 0 });
    assert!(matches!(refused("y ~ x + (1 | unit)", &ordered, laplace), FitError::Separation { .. }));

    let all = change(|row| row.right = row.trials);
    assert_eq!(refused(one, &all, laplace), FitError::OneOutcome { all_right: true });
    let none = change(|row| row.right = 0);
    assert_eq!(refused(one, &none, laplace), FitError::OneOutcome { all_right: false });
    let constant = change(|row| row.right = if row.unit.ends_with(['1', '4', '6']) { row.trials } else { 0 });
    assert_eq!(refused("y ~ a + (1 | unit)", &constant, laplace), FitError::ConstantUnits);
    let empty = change(|row| (row.right, row.trials) = (0, 0));
    assert_eq!(refused(one, &empty, laplace), FitError::Design(DesignError::NoTrials));

    // One trial for each group of the random intercept: the data do not hold its standard deviation.
    let mut single: Vec<Row> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        single.push(Row { unit: format!("{at}"), right: (at % 3 / 2) as u64, trials: 1, ..row.clone() });
    }
    assert!(fitted("y ~ 1 + (1 | unit)", &table(&single), laplace).is_err());

    assert_eq!(refused("y ~ a + (1 | unit)", &rows, Options::quadrature(0)), FitError::Nodes(0));
    assert_eq!(refused("y ~ a + (1 | unit)", &rows, Options::quadrature(102)), FitError::Nodes(102));
    assert_eq!(
        refused("y ~ a + (1 | unit) + (1 | unit:a)", &rows, Options::quadrature(5)),
        FitError::QuadratureNeedsOneIntercept { intercepts: 2 }
    );
    assert_eq!(
        refused("y ~ a + (1 | unit) + (1 | b)", &rows, laplace),
        FitError::NoCommonUnit { terms: vec!["`(1 | b)`".into(), "`(1 | unit)`".into()] }
    );
    assert_eq!(refused(one, &rows, Options { iterations: 0, ..laplace }), FitError::NoIterations);
    let hasty = Options { iterations: 1, ..laplace };
    assert!(matches!(refused(one, &rows, hasty), FitError::NotConverged { iterations: 1, .. }));
}

#[test]
fn no_column_is_dropped() {
    let rows = study(17, 12, 4, [1.0, 0.3], 0.3);
    let design = |text: &str, table: &Table| match fit(&formula(text), table, Options::LAPLACE) {
        Err(FitError::Design(error)) => error,
        other => panic!("{other:?}"),
    };
    let plain = table(&rows);
    assert!(matches!(design("z ~ a", &plain), DesignError::OtherResponse { .. }));
    assert!(matches!(design("y ~ c", &plain), DesignError::NoSuchColumn { .. }));
    assert!(matches!(design("y ~ a + (1 | c)", &plain), DesignError::NoSuchColumn { .. }));
    assert_eq!(design("y ~ a + (1 | x)", &plain), DesignError::GroupingOfNumbers("x".into()));
    let margin = |term: &str, missing: &str| DesignError::MissingMargin { term: term.into(), missing: missing.into() };
    assert_eq!(design("y ~ a + a:b", &plain), margin("a:b", "b"));
    assert_eq!(design("y ~ a + b + a:b + a:b:x", &plain), margin("a:b:x", "b:x"));
    assert!(fitted("y ~ a + x:a + x", &plain, Options::LAPLACE).is_ok());
    // A level that is declared and never occurs, and a combination that never does.
    let missing: Vec<Row> = rows.iter().filter(|row| row.b != "m").cloned().collect();
    assert_eq!(design("y ~ a + b", &table(&missing)), DesignError::NeverSeen { column: "b[m]".into() });
    let hole: Vec<Row> = rows.iter().filter(|row| (row.a, row.b) != ("q", "m")).cloned().collect();
    assert_eq!(design("y ~ a * b", &table(&hole)), DesignError::NeverSeen { column: "a[q]:b[m]".into() });
    // A number that is a combination of factors.
    let with_x = |x: fn(&Row) -> f64| {
        let rows: Vec<Row> = rows.iter().map(|row| Row { x: x(row), ..row.clone() }).collect();
        table(&rows)
    };
    let aliased = |with: &[&str]| DesignError::Aliased {
        column: "x".into(),
        with: with.iter().map(|name| format!("`{name}`")).collect(),
    };
    assert_eq!(design("y ~ b + x", &with_x(|row| 0.1 * one_if(row.b == "l"))), aliased(&["b[l]"]));
    let both = with_x(|row| 3.0 - 0.7 * one_if(row.b == "l") + 0.3 * one_if(row.b == "m"));
    assert_eq!(design("y ~ a + b + x", &both), aliased(&["(Intercept)", "b[l]", "b[m]"]));
    assert_eq!(design("y ~ x", &with_x(|_| 7.25)), aliased(&["(Intercept)"]));
}

fn one_if(on: bool) -> f64 {
    if on { 1.0 } else { 0.0 }
}

#[test]
fn tables_are_checked() {
    let grouping = |values: &[&str]| Column::Factor(Factor::grouping(values));
    let make = |k: &[u64], n: &[u64], column: Column| {
        Table::new("y", k.to_vec(), n.to_vec(), BTreeMap::from([("c".to_owned(), column)]))
    };
    assert_eq!(make(&[], &[], grouping(&[])), Err(TableError::NoRows));
    assert_eq!(make(&[2], &[1], grouping(&["u"])), Err(TableError::MoreSuccessesThanTrials(0)));
    assert!(matches!(make(&[1], &[1, 1], grouping(&["u", "u"])), Err(TableError::Length { have: 1, need: 2, .. })));
    assert!(matches!(make(&[1, 0], &[1, 1], grouping(&["u"])), Err(TableError::Length { have: 1, need: 2, .. })));
    assert_eq!(make(&[1, 1], &[1 << 52, 1 << 52], grouping(&["u", "v"])), Err(TableError::TooManyTrials));
    assert_eq!(make(&[1, 1], &[u64::MAX, 2], grouping(&["u", "v"])), Err(TableError::TooManyTrials));
    let wrong = Column::Number(vec![1.0, f64::NAN]);
    assert_eq!(make(&[1, 0], &[1, 1], wrong), Err(TableError::NotFinite { column: "c".into(), row: 1 }));
    let named = Table::new("c", vec![1], vec![1], BTreeMap::from([("c".to_owned(), grouping(&["u"]))]));
    assert_eq!(named, Err(TableError::ResponseIsAColumn("c".into())));
    assert_eq!(Factor::declared(&["p"], &["p", "q", "p"], "p"), Err(TableError::LevelTwice("p".into())));
    assert_eq!(Factor::declared(&["p"], &["p"], "q"), Err(TableError::ReferenceNotALevel("q".into())));
    let stray = TableError::ValueNotALevel { row: 1, value: "r".into() };
    assert_eq!(Factor::declared(&["p", "r"], &["p"], "p"), Err(stray));
}

#[test]
fn nested_models_are_tested_and_others_refused() {
    let rows = study(18, 30, 4, [1.0, 0.9], -0.9);
    let plain = table(&rows);
    let test =
        |full: &str, reduced: &str| likelihood_ratio(&formula(full), &formula(reduced), &plain, Options::LAPLACE);
    let full = fitted("y ~ a + b + (1 | unit)", &plain, Options::LAPLACE).unwrap();
    let reduced = fitted("y ~ b + (1 | unit)", &plain, Options::LAPLACE).unwrap();
    let LikelihoodRatio { statistic, df, p } = test("y ~ a + b + (1 | unit)", "y ~ b + (1 | unit)").unwrap();
    assert_eq!((df, statistic), (1, 2.0 * (full.log_likelihood - reduced.log_likelihood)));
    assert!(p < 0.05 && p > 0.0);
    // Its direction, which the likelihood ratio lacks.
    let down = full.wald("a[q]", Sides::Less).unwrap();
    let up = full.wald("a[q]", Sides::Greater).unwrap();
    let both = full.wald("a[q]", Sides::TwoSided).unwrap();
    assert!(
        down.z < 0.0 && down.p < 0.025 && (down.p + up.p - 1.0).abs() < 1e-12 && (both.p - 2.0 * down.p).abs() < 1e-12
    );
    assert!((both.z * both.z / statistic - 1.0).abs() < 0.1, "near the null the two tests agree");
    assert!(full.wald("a[p]", Sides::TwoSided).is_none());

    // One further intercept: half the mass sits at zero.
    let edge = test("y ~ a + b + (1 | unit) + (1 | unit:a)", "y ~ a + b + (1 | unit)").unwrap();
    let chi = prespec::math::special::chi2_sf(edge.statistic, 1.0);
    assert!(edge.statistic > 0.1 && (edge.p - 0.5 * chi).abs() < 1e-15);

    let not_nested = |extra: &str| Err(RatioError::NotNested { extra: vec![extra.into()] });
    assert_eq!(test("y ~ a + (1 | unit)", "y ~ b + (1 | unit)"), not_nested("`b`"));
    assert_eq!(test("y ~ a + b", "y ~ b + (1 | unit)"), not_nested("`(1 | unit)`"));
    assert_eq!(test("y ~ a", "z ~ 1"), not_nested("the response `z`"));
    assert_eq!(test("y ~ a * b", "y ~ b + a + b:a"), Err(RatioError::SameModel));
    assert!(matches!(test("y ~ a + (1 | unit) + (1 | unit:a)", "y ~ a"), Err(RatioError::UnknownLaw { .. })));
    assert!(matches!(test("y ~ a + c", "y ~ a"), Err(RatioError::Full(FitError::Design(_)))));

    let other = fitted("y ~ b + (1 | unit)", &table(&rows[..rows.len() - 1]), Options::LAPLACE).unwrap();
    assert_eq!(likelihood_ratio_of(&full, &other), Err(RatioError::OtherTable));
    let by_nodes = fitted("y ~ b + (1 | unit)", &plain, Options::quadrature(9)).unwrap();
    assert_eq!(likelihood_ratio_of(&full, &by_nodes), Err(RatioError::OtherApproximation));
    let by_one = fitted("y ~ b + (1 | unit)", &plain, Options::quadrature(1)).unwrap();
    assert_eq!(likelihood_ratio_of(&full, &by_one).unwrap().statistic, statistic);
}

#[test]
fn the_parametric_bootstrap_draws_the_law_of_its_statistic() {
    let rows = study(19, 40, 4, [1.0, 0.0], -0.25);
    let plain = table(&rows);
    let (full, reduced) = (formula("y ~ a * b + (1 | unit)"), formula("y ~ a + b + (1 | unit)"));
    let run = |table: &Table, count, seed| parametric_bootstrap(&full, &reduced, table, Options::LAPLACE, count, seed);
    let drawn = run(&plain, 300, 5).unwrap();
    let chi = likelihood_ratio(&full, &reduced, &plain, Options::LAPLACE).unwrap();
    assert_eq!(drawn.statistic, chi.statistic);
    assert_eq!((drawn.resamples, drawn.p), (300, f64::from(1 + drawn.at_least) / f64::from(301 - drawn.refused)));
    // With 40 units the chi-squared law is close; three Monte Carlo errors and a little for what is not.
    assert!((drawn.p - chi.p).abs() < 3.0 * drawn.monte_carlo_error + 0.03, "{} {}", drawn.p, chi.p);
    // The same whatever the order of rows, and more data sets only add to the earlier ones.
    let mut turned = rows.clone();
    turned.reverse();
    assert_eq!(run(&table(&turned), 300, 5).unwrap(), drawn);
    let more = run(&plain, 301, 5).unwrap();
    assert!(more.at_least - drawn.at_least <= 1);
    assert_ne!(run(&plain, 300, 6).unwrap().at_least, drawn.at_least);

    // A random intercept: where units do not differ, its statistic is zero and every data set is as large.
    let flat = study(20, 30, 4, [0.0, 0.0], 0.0);
    let (with, without) = (formula("y ~ a + (1 | unit)"), formula("y ~ a"));
    let none = parametric_bootstrap(&with, &without, &table(&flat), Options::LAPLACE, 60, 1).unwrap();
    assert!(none.p > 0.05, "{none:?}");
    let spread = parametric_bootstrap(&with, &without, &plain, Options::LAPLACE, 60, 1).unwrap();
    assert!(spread.at_least == 0 && spread.statistic > 10.0, "{spread:?}");
    assert_eq!(run(&plain, 0, 1), Err(RatioError::Resamples(0)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]
    #[test]
    fn any_table_is_fitted_or_refused(
        seed in 0_u64..1 << 40,
        units in 2_usize..9,
        most in 1_u32..4,
        sd in 0.0_f64..4.0,
        effect in -4.0_f64..4.0,
        form in 0_usize..4,
    ) {
        let rows = study(seed, units, most, [sd, 0.5], effect);
        let (text, options) = FORMS[form];
        let first = fitted(text, &table(&rows), options);
        let mut turned = rows;
        turned.reverse();
        let second = fitted(text, &table(&turned), options);
        match (first, second) {
            (Ok(first), Ok(second)) => {
                prop_assert_eq!(bits(&first), bits(&second));
                prop_assert!(first.convergence.remaining <= 1e-5);
                prop_assert!(first.log_likelihood <= 0.0 && first.log_likelihood.is_finite());
                prop_assert!(first.coefficients.iter().all(|own| own.standard_error > 0.0 && own.standard_error.is_finite()));
                prop_assert!(first.intercepts.iter().all(|own| own.sd >= 0.0));
            }
            (first, second) => prop_assert_eq!(first.err(), second.err()),
        }
    }
}
