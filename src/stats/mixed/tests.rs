//! Likelihoods against slow recomputation: differences of values, brute-force integrals, special cases that must coincide.

use std::collections::BTreeMap;

use super::blocks::Problem;
use super::fit::{Fit, FitError, Options, fit};
use super::formula::Formula;
use super::plain;
use super::several::Several;
use super::single::Single;
use super::surface::{Surface, information};
use super::table::{Column, Factor, Table};
use crate::math::philox::{Philox, Stream};
use crate::math::special::normal_quantile;

pub(super) fn uniform(stream: &mut Stream) -> f64 {
    (f64::from(stream.next_word()) + 0.5) / 4_294_967_296.0
}

/// A made-up study of `units` units, each in every cell of 2 x 3, with numbers of trials from 0 to 3.
pub(super) fn study(seed: u64, units: usize, sd: f64) -> Table {
    let mut stream = Philox::from_seed(seed).stream(0, 0);
    let (mut unit, mut a, mut b, mut x, mut right, mut all) = (vec![], vec![], vec![], vec![], vec![], vec![]);
    let names: Vec<String> = (0..units).map(|at| format!("u{at}")).collect();
    for name in &names {
        let effect = sd * normal_quantile(uniform(&mut stream));
        for (at, own_a) in ["p", "q"].into_iter().enumerate() {
            for (bt, own_b) in ["k", "l", "m"].into_iter().enumerate() {
                let own_x = f64::from(stream.next_word() % 7) / 3.0 - 1.0;
                let eta = 0.3 + effect + 0.5 * own_x + [0.0, -0.8][at] + [0.0, 0.6, 0.9][bt];
                let trials = u64::from(stream.next_word() % 4);
                let p = 1.0 / (1.0 + libm::exp(-eta));
                unit.push(name.as_str());
                a.push(own_a);
                b.push(own_b);
                x.push(own_x);
                right.push((0..trials).filter(|_| uniform(&mut stream) < p).count() as u64);
                all.push(trials);
            }
        }
    }
    let columns = BTreeMap::from([
        ("unit".to_owned(), Column::Factor(Factor::grouping(&unit))),
        ("a".to_owned(), Column::Factor(Factor::declared(&a, &["p", "q"], "p").unwrap())),
        ("b".to_owned(), Column::Factor(Factor::declared(&b, &["k", "l", "m"], "l").unwrap())),
        ("x".to_owned(), Column::Number(x)),
    ]);
    Table::new("y", right, all, columns).unwrap()
}

fn problem(formula: &str, table: &Table) -> Problem {
    Problem::build(&Formula::parse(formula).unwrap(), table).unwrap()
}

fn fitted(formula: &str, table: &Table, options: Options) -> Result<Fit, FitError> {
    fit(&Formula::parse(formula).unwrap(), table, options)
}

/// The gradient against central differences of the value.
fn check_gradient(surface: &mut impl Surface, at: &[f64]) {
    let gradient = surface.height(at, false).gradient;
    for (place, slope) in gradient.iter().enumerate() {
        let step = 1e-5;
        let (mut ahead, mut behind) = (at.to_vec(), at.to_vec());
        ahead[place] += step;
        behind[place] -= step;
        let rise = surface.height(&ahead, false).value - surface.height(&behind, false).value;
        assert!(
            (rise / (2.0 * step) - slope).abs() < 1e-6 * (1.0 + slope.abs()),
            "{place}: {} {slope}",
            rise / (2.0 * step)
        );
    }
}

#[test]
fn gradients_are_the_slopes_of_the_values() {
    let table = study(1, 12, 1.2);
    let one = problem("y ~ a * b + x + (1 | unit)", &table);
    let at = [0.2, -0.4, 0.1, 0.5, 0.3, -0.2, 0.15, 1.3];
    for nodes in [1, 2, 5, 8] {
        check_gradient(&mut Single::new(&one, nodes), &at);
    }
    for sigma in [-0.8, 0.0, 4.0] {
        let mut at = at;
        at[7] = sigma;
        check_gradient(&mut Single::new(&one, 1), &at);
        check_gradient(&mut Single::new(&one, 6), &at);
    }
    let three = problem("y ~ a * b + x + (1 | unit) + (1 | unit:a) + (1 | unit:b)", &table);
    for sigmas in [[1.1, 0.6, 0.9], [0.7, 0.0, -0.4]] {
        let at: Vec<f64> = at.iter().take(7).copied().chain(sigmas).collect();
        check_gradient(&mut Several::new(&three), &at);
    }
}

#[test]
fn the_closed_information_is_that_of_the_differenced_gradient() {
    struct Differenced<'p>(Single<'p>);
    impl Surface for Differenced<'_> {
        fn height(&mut self, at: &[f64], _: bool) -> super::surface::Height {
            self.0.height(at, false)
        }
    }
    let table = study(2, 15, 1.5);
    let one = problem("y ~ a * b + x + (1 | unit)", &table);
    for sigma in [1.3, 0.05, 0.0, -2.2] {
        let at = [0.2, -0.4, 0.1, 0.5, 0.3, -0.2, 0.15, sigma];
        let closed = Single::new(&one, 1).height(&at, true).information.unwrap();
        let differenced = information(&mut Differenced(Single::new(&one, 1)), &at, &[1e-4; 8]);
        for (place, (closed, differenced)) in closed.iter().zip(&differenced).enumerate() {
            assert!(
                (closed - differenced).abs() < 1e-5 * (1.0 + closed.abs()),
                "{sigma} {place}: {closed} {differenced}"
            );
        }
    }
}

#[test]
fn one_intercept_is_the_same_by_either_way() {
    let table = study(3, 20, 1.0);
    let one = problem("y ~ a + x + (1 | unit)", &table);
    for sigma in [0.4, 1.7] {
        let at = [0.3, -0.5, 0.4, sigma];
        let (single, several) = (Single::new(&one, 1).height(&at, true), Several::new(&one).height(&at, false));
        assert!((single.value - several.value).abs() < 1e-11);
        for (own, other) in single.gradient.iter().zip(&several.gradient) {
            assert!((own - other).abs() < 1e-10);
        }
        let by_node = Single::new(&one, 1).by_quadrature(&at);
        assert!((single.value - by_node.value).abs() < 1e-11, "Laplace's method is quadrature with one node");
        for (own, other) in single.gradient.iter().zip(&by_node.gradient) {
            assert!((own - other).abs() < 1e-10);
        }
    }
}

/// `log` of the integral over each unit's effect by the trapezoid rule, which is exact to rounding for such functions.
fn brute_force(table: &Table, linear: impl Fn(usize) -> f64, sigma: f64) -> f64 {
    let Column::Factor(units) = &table.columns()["unit"] else { panic!("units are labels") };
    let step = 0.01;
    (0..units.levels().len())
        .map(|unit| {
            let rows: Vec<usize> = (0..units.codes().len()).filter(|row| units.codes()[*row] == unit).collect();
            let at = |u: f64| {
                let one = |row: &usize| {
                    let real = |count: u64| f64::from(u32::try_from(count).unwrap());
                    let (k, n) = (real(table.successes()[*row]), real(table.trials()[*row]));
                    let eta = linear(*row) + sigma * u;
                    k * eta - n * libm::log1p(libm::exp(eta))
                };
                libm::exp(rows.iter().map(one).sum::<f64>() - 0.5 * u * u)
            };
            let sum: f64 = (-1_000..=1_000).map(|place| at(f64::from(place) * step)).sum();
            libm::log(sum * step / (2.0 * std::f64::consts::PI).sqrt())
        })
        .sum()
}

#[test]
fn quadrature_reaches_the_integral() {
    let table = study(4, 10, 1.5);
    let Column::Number(x) = table.columns()["x"].clone() else { panic!("x is a number") };
    let one = problem("y ~ x + (1 | unit)", &table);
    let (beta, sigma) = ([0.25, 0.6], 1.6);
    let truth = brute_force(&table, |row| beta[0] + beta[1] * x[row], sigma);
    let error = |nodes| (Single::new(&one, nodes).height(&[beta[0], beta[1], sigma], false).value - truth).abs();
    assert!(error(1) > 1e-3, "Laplace's method is not exact here");
    assert!(error(9) < 1e-4 && error(25) < 1e-9 && error(60) < 1e-11, "{} {} {}", error(9), error(25), error(60));
}

#[test]
fn without_spread_it_is_logistic_regression() {
    let table = study(5, 25, 0.0);
    let none = problem("y ~ a * b + x", &table);
    let start = plain::fit(&none).unwrap();
    let one = problem("y ~ a * b + x + (1 | unit)", &table);
    let three = problem("y ~ a * b + x + (1 | unit) + (1 | unit:a) + (1 | unit:b)", &table);
    for sigma in [0.0, 1e-6] {
        let at = |count| start.beta.iter().copied().chain(std::iter::repeat_n(sigma, count)).collect::<Vec<f64>>();
        for height in [
            Single::new(&one, 1).height(&at(1), true),
            Single::new(&one, 7).height(&at(1), false),
            Several::new(&three).height(&at(3), false),
        ] {
            assert!((height.value - start.value).abs() < 1e-9);
            assert!(height.gradient.iter().all(|slope| slope.abs() < 1e-4));
        }
    }
    let plain = fitted("y ~ a * b + x", &table, Options::LAPLACE).unwrap();
    assert!((plain.log_likelihood - start.value).abs() < 1e-12 && plain.units == 1 && plain.intercepts.is_empty());
}

#[test]
fn a_standard_deviation_of_zero_is_reported_as_zero() {
    // Every unit has the same counts in both cells, so nothing differs between units beyond chance; less than chance, in fact.
    let units: Vec<String> = (0..30).map(|at| format!("u{at:02}")).collect();
    let unit: Vec<&str> = units.iter().flat_map(|name| [name.as_str(), name]).collect();
    let a: Vec<&str> = (0..60).map(|at| if at % 2 == 0 { "p" } else { "q" }).collect();
    let right: Vec<u64> = (0..60).map(|at| if at % 2 == 0 { 2 } else { 3 }).collect();
    let columns = BTreeMap::from([
        ("unit".to_owned(), Column::Factor(Factor::grouping(&unit))),
        ("a".to_owned(), Column::Factor(Factor::declared(&a, &["p", "q"], "p").unwrap())),
    ]);
    let table = Table::new("y", right, vec![4; 60], columns).unwrap();
    let plain = fitted("y ~ a", &table, Options::LAPLACE).unwrap();
    assert!((plain.coefficients[0].estimate).abs() < 1e-9);
    assert!((plain.coefficients[1].estimate - libm::log(3.0)).abs() < 1e-9);
    // Variance of a log-odds from 120 trials at 1/2 and at 3/4.
    let se = (1.0_f64 / 30.0 + 1.0 / 22.5).sqrt();
    assert!((plain.coefficients[1].standard_error - se).abs() < 1e-9);
    for (formula, options, zeros) in [
        ("y ~ a + (1 | unit)", Options::LAPLACE, 1),
        ("y ~ a + (1 | unit)", Options::quadrature(9), 1),
        ("y ~ a + (1 | unit) + (1 | unit:a)", Options::LAPLACE, 2),
    ] {
        let fit = fitted(formula, &table, options).unwrap();
        assert_eq!(fit.convergence.at_zero, zeros, "{formula}");
        assert!(fit.intercepts.iter().all(|own| own.sd.to_bits() == 0 && own.standard_error.is_none()));
        assert!(fit.modes.iter().all(|mode| mode.mode.abs() < 1e-300 && mode.sd.abs() < 1e-300));
        assert!((fit.log_likelihood - plain.log_likelihood).abs() < 1e-10);
        for (own, other) in fit.coefficients.iter().zip(&plain.coefficients) {
            assert!((own.estimate - other.estimate).abs() < 1e-7);
            assert!((own.standard_error - other.standard_error).abs() < 1e-7);
        }
    }
}

#[test]
fn a_block_is_what_all_groupings_share() {
    let table = study(6, 8, 1.0);
    let blocks = |formula: &str| {
        let problem = problem(formula, &table);
        let most = problem.blocks.iter().map(|block| block.effects.len()).max().unwrap();
        (problem.blocks.len(), most, problem.effects.len())
    };
    // Combinations without a trial have no block and no effect.
    let shown = |names: &[&str]| {
        let codes = |name: &str, row: usize| match &table.columns()[name] {
            Column::Factor(factor) => factor.codes()[row],
            Column::Number(_) => panic!("labels only"),
        };
        let rows = (0..table.trials().len()).filter(|row| table.trials()[*row] > 0);
        let keys: std::collections::BTreeSet<Vec<usize>> =
            rows.map(|row| names.iter().map(|name| codes(name, row)).collect()).collect();
        keys.len()
    };
    assert_eq!(blocks("y ~ x + (1 | unit)"), (shown(&["unit"]), 1, shown(&["unit"])));
    assert_eq!(blocks("y ~ x + (1 | unit:a)"), (shown(&["unit", "a"]), 1, shown(&["unit", "a"])));
    let (count, most, effects) = blocks("y ~ x + (1 | unit:a) + (1 | unit:b)");
    assert_eq!((count, effects), (shown(&["unit"]), shown(&["unit", "a"]) + shown(&["unit", "b"])));
    assert_eq!(most, 5);
    assert_eq!(blocks("y ~ x"), (1, 0, 0));
}
