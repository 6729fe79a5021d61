//! Methods that are kept so that a published analysis can be repeated, and that mislead where simulation has tried them: each is
//! said, with the one to take instead. `docs/validation.md` has the rates. Also what the plan of a comparison cannot show.

use std::collections::{BTreeMap, BTreeSet};

use super::plan::{records_per_label, units_by_member};
use super::translate::level_count;
use super::units::used;
use crate::check::methods::{has_unit_values, is_rate, is_spread};
use crate::check::places::{Kind, Part, Places};
use crate::diagnostic::{Code, Diagnostic};
use crate::math::exact;
use crate::spec::{
    About, Adjustment, BootstrapKind, Comparison, Dimension, EstimandBody, FitTarget, FittedModel, IntervalMethod,
    Name, Sides, Spec, TestMethod, words,
};
use crate::stats::attainable::{Reach, smallest_p};
use crate::stats::mixed::formula::{Formula, Term};
use crate::stats::sides;

/// Below so many clusters a percentile interval of a rate, or of a difference, misses it more often than it says.
const FEW_FOR_A_RATE: u64 = 50;
const FEW_FOR_A_DIFFERENCE: u64 = 25;

/// Records of a unit below which Laplace's approximation of a logistic model is coarse.
const FEW_RECORDS: u64 = 10;

/// Unit differences of pass rates seldom have a smaller standard deviation than this.
const USUAL_SD: f64 = 0.2;

/// Two one-sided tests at 5 % show equivalence of equal arms in four of five studies when the margin is so many standard errors:
/// the normal quantiles of 95 % and 90 % together.
const ERRORS_NEEDED: f64 = 2.926_405_191_788_213;

/// Checks every method that some verdict, comparison, ranking or family uses.
pub(super) fn check(spec: &Spec, places: &Places, out: &mut Vec<Diagnostic>) {
    let used = used(spec);
    let mut seen: BTreeSet<(Code, Name)> = BTreeSet::new();
    for (estimand, method) in &used {
        let found = percentile(spec, estimand, method, places)
            .or_else(|| fitted(spec, estimand, method, places))
            .or_else(|| permuted(spec, estimand, method, places))
            .or_else(|| equivalence(spec, estimand, method, places));
        // One method of one kind of estimand is one mistake, however many estimands meet it.
        if let Some(diagnostic) = found.filter(|found| seen.insert((found.code, method.clone()))) {
            out.push(diagnostic);
        }
    }
    apart(spec, places, out);
    for (name, comparison) in &spec.comparisons {
        out_of_reach(spec, name, comparison, places, out);
    }
}

/// A percentile or basic bootstrap over few clusters, or of a spread.
fn percentile(spec: &Spec, estimand: &Name, method: &Name, places: &Places) -> Option<Diagnostic> {
    let interval = spec.intervals.get(method)?;
    let (IntervalMethod::BootstrapPercentile { resample: cluster, .. }
    | IntervalMethod::Bootstrap { kind: BootstrapKind::Basic, resample: cluster, .. }) = &interval.method
    else {
        return None;
    };
    let own = spec.estimands.get(estimand)?;
    let place = places.get(Kind::Interval, method, &Part::Name);
    let warn = |text: String, note: &str, help: String| {
        Some(Diagnostic::warning(Code::Misleads, place, text).note(note).help(help).about(method.as_str()))
    };
    if is_spread(spec, own) {
        return warn(
            format!("`{method}` is a percentile interval of the spread `{estimand}`"),
            "the largest minus the smallest is above zero in every resample, so that this interval excludes zero whether or not arms differ",
            "bound it by `bootstrap(spread_bound, …)`, and test it by `hotelling`".to_owned(),
        );
    }
    // An upper bound: what the study does not say may be many.
    let is_unit = spec.tasks.as_ref().is_some_and(|tasks| tasks.name == *cluster);
    let clusters = if is_unit { most_units(spec, estimand)? } else { level_count(spec, cluster)? };
    let clustered = format!("{clusters} clusters of `{cluster}`");
    if is_rate(spec, own) && clusters < FEW_FOR_A_RATE {
        return warn(
            format!("`{method}` resamples {clustered} for the rate `{estimand}`"),
            "a resampled rate near 0 or 1 hardly varies: a 95 % interval misses a rate of 95 % in 56 % of data sets with 5 tasks and in 18 % with 25",
            format!("use `korn_graubard(cluster: {cluster}, level: …)`"),
        );
    }
    if !is_rate(spec, own) && has_unit_values(spec, own) && clusters < FEW_FOR_A_DIFFERENCE {
        return warn(
            format!("`{method}` resamples {clustered} for `{estimand}`"),
            "resamples of few clusters vary too little: a 95 % interval of no difference excludes zero in 9 % of data sets with 5 to 8 tasks",
            format!("use `cluster_t(cluster: {cluster}, level: …)`, and decide by the exact `sign_flip` test"),
        );
    }
    None
}

/// A fitted model whose test misleads: a variation that is left out, or a likelihood that is too coarse.
fn fitted(spec: &Spec, estimand: &Name, method: &Name, places: &Places) -> Option<Diagnostic> {
    let EstimandBody::Fitted(model) = &spec.estimands.get(estimand)?.body else { return None };
    let test = spec.tests.get(method).map(|test| &test.method);
    let wald = matches!(spec.intervals.get(method).map(|interval| &interval.method), Some(IntervalMethod::Wald));
    if !wald && !matches!(test, Some(TestMethod::LikelihoodRatio | TestMethod::Wald { .. })) {
        return None;
    }
    let place = places.get(Kind::Estimand, estimand, &Part::Expr);
    let unit = spec.tasks.as_ref().map(|tasks| tasks.name.clone())?;
    let formula = Formula::parse(&model.formula).ok()?;
    let crossed: Vec<Name> = tested(model).into_iter().filter(|name| is_crossed(spec, name)).collect();
    let alone = formula.random().len() == 1 && formula.random().contains(&Term::of([unit.as_str()]));
    if alone && !crossed.is_empty() {
        let intercept = format!("(1 | {unit}:{})", crossed.join(":"));
        return Some(
            Diagnostic::warning(
                Code::OmittedVariation,
                place,
                format!("`{estimand}` lets each `{unit}` be easier or harder, and suit no level of {} more than another", list(&crossed)),
            )
            .note("where units do differ in what suits them, the test takes that for an effect: it finds one that is not there in 11 % of data sets where 5 % is declared, and in more with more records of each unit")
            .help(format!("add `{intercept}` to the formula, or test the spread over units by `hotelling`"))
            .about(estimand.as_str()),
        );
    }
    let records = records_of_a_unit(spec, &unit)?;
    if model.nodes == 1 && alone && records < FEW_RECORDS {
        return Some(
            Diagnostic::warning(
                Code::CoarseLikelihood,
                place,
                format!("`{estimand}` is fitted by Laplace's approximation to {records} records of each `{unit}`"),
            )
            .note("with so few records the likelihood of a unit is far from a normal curve, and the standard deviation comes out wrong by several per cent")
            .help("write `nodes: 25`: with one random intercept adaptive quadrature costs little")
            .about(estimand.as_str()),
        );
    }
    None
}

/// Labels permuted among records of a unit that has several under one label.
fn permuted(spec: &Spec, estimand: &Name, method: &Name, places: &Places) -> Option<Diagnostic> {
    let (TestMethod::Permutation { labels, within, .. }
    | TestMethod::PermutationContrast { labels, within, .. }
    | TestMethod::Isotonic { labels, within, .. }) = &spec.tests.get(method)?.method
    else {
        return None;
    };
    let unit = &spec.tasks.as_ref()?.name;
    let records = records_per_label(spec, &about(estimand), labels);
    if within != unit || records < 2 {
        return None;
    }
    Some(
        Diagnostic::warning(
            Code::OmittedVariation,
            places.get(Kind::Test, method, &Part::Name),
            format!("`{method}` permutes `{labels}` among single records, of which each `{unit}` has {records} under one label"),
        )
        .note("it tests that labels make no difference on any unit: where units differ in what suits them, it finds a difference of means that is not there in 10 % of data sets where 5 % is declared")
        .help("test the contrasts of units, by `hotelling` of a spread or `sign_flip` of a difference; keep this where a published analysis is repeated")
        .about(method.as_str()),
    )
}

/// The names in the term or coefficient that a fitted model is asked for.
fn tested(model: &FittedModel) -> Vec<Name> {
    match &model.target {
        FitTarget::Without(term) => term.split([':', '*']).map(|name| name.trim().to_owned()).collect(),
        FitTarget::Coefficient(name) => {
            name.split(':').map(|part| part.split('[').next().unwrap_or(part).trim().to_owned()).collect()
        }
    }
}

fn is_crossed(spec: &Spec, name: &Name) -> bool {
    spec.factors.contains_key(name) && spec.design.as_ref().is_some_and(|design| design.cross.contains(name))
}

fn list(names: &[Name]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ")
}

/// How many records the plan has of each unit.
fn records_of_a_unit(spec: &Spec, unit: &str) -> Option<u64> {
    let design = spec.design.as_ref()?;
    let factors = design.cross.iter().filter(|factor| *factor != unit);
    factors.map(|factor| level_count(spec, factor)).try_fold(design.repeat, |all, levels| all.checked_mul(levels?))
}

/// An estimand as evidence, for the plan.
fn about(estimand: &Name) -> About {
    About {
        alias: estimand.clone(),
        estimand: estimand.clone(),
        at: Vec::new(),
        intervals: Vec::new(),
        tests: Vec::new(),
    }
}

/// The most units that some member of an estimand has.
fn most_units(spec: &Spec, estimand: &Name) -> Option<u64> {
    units_by_member(spec, &about(estimand), &[])?.into_iter().max()
}

/// Equivalence within a margin that so many units can hardly show.
fn equivalence(spec: &Spec, estimand: &Name, method: &Name, places: &Places) -> Option<Diagnostic> {
    let (TestMethod::Equivalence { margin } | TestMethod::EquivalenceExact { margin }) =
        &spec.tests.get(method)?.method
    else {
        return None;
    };
    if spec.estimands.get(estimand)?.kind.dimension != Dimension::Difference {
        return None;
    }
    let units = most_units(spec, estimand)?;
    let most = exact::nearest_f64(&margin.value) * real(units).sqrt() / ERRORS_NEEDED;
    if most >= USUAL_SD {
        return None;
    }
    let needed = libm::ceil((USUAL_SD * ERRORS_NEEDED / exact::nearest_f64(&margin.value)).powi(2));
    let unit = spec.tasks.as_ref().map_or("unit", |tasks| tasks.name.as_str());
    Some(
        Diagnostic::warning(
            Code::EquivalenceRemote,
            places.get(Kind::Test, method, &Part::Name),
            format!(
                "{units} {unit}s show that arms are within {} in four of five studies only where unit differences have a standard \
                 deviation below {:.1} pp",
                words::quantity(&margin.value, &margin.dimension),
                most * 100.0
            ),
        )
        .note("differences of pass rates between two arms on one unit seldom vary by less than 20 pp, and then equal arms end as not separable")
        .help(format!("plan {needed:.0} {unit}s, widen the margin if the source allows it, or leave equivalence out"))
        .about(method.as_str()),
    )
}

/// Differences and equivalence of the same comparisons that are not adjusted together.
fn apart(spec: &Spec, places: &Places, out: &mut Vec<Diagnostic>) {
    let mut report = |kind: Kind, name: &Name, text: String| {
        out.push(
            Diagnostic::warning(Code::AdjustedApart, places.get(kind, name, &Part::Name), text)
                .note("each kind of claim then holds the level alone, and the chance of a false claim of either kind can be nearly twice that")
                .help("write `adjust joint`: of a difference and equivalence at most one null is true, so both are held at little cost")
                .about(name.as_str()),
        );
    };
    for (name, comparison) in &spec.comparisons {
        let tests_equivalence = comparison.lines.iter().any(|line| line.equivalence.is_some());
        if tests_equivalence && comparison.adjust != Adjustment::Joint {
            report(Kind::Compare, name, format!("`{name}` adjusts differences and equivalence apart"));
        }
    }
    // By estimand: the families in which it is tested for a difference, and for equivalence.
    let mut tested: BTreeMap<&Name, [Vec<&Name>; 2]> = BTreeMap::new();
    for (name, family) in spec.families.iter().filter(|(_, family)| family.adjust != Adjustment::Joint) {
        for line in &family.members {
            let equivalence = spec.tests.get(&line.test).is_some_and(|test| test.method.is_equivalence());
            if let Some(side) = tested.entry(&line.estimand).or_default().get_mut(usize::from(equivalence)) {
                side.push(name);
            }
        }
    }
    for (estimand, [difference, equivalence]) in tested {
        if let (Some(_), Some(family)) = (difference.first(), equivalence.first()) {
            report(
                Kind::Family,
                family,
                format!("`{estimand}` is tested for a difference and for equivalence, and the two are adjusted apart"),
            );
        }
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other tests have no floor that the number of units sets")]
/// A comparison whose test of a difference cannot reach the level, whatever the data say: the smallest p of all is multiplied by the
/// number of comparisons.
fn out_of_reach(spec: &Spec, name: &Name, comparison: &Comparison, places: &Places, out: &mut Vec<Diagnostic>) {
    if comparison.adjust == Adjustment::Hochberg {
        return;
    }
    for line in &comparison.lines {
        let Some(test) = spec.tests.get(&line.difference) else { continue };
        let reach = match &test.method {
            TestMethod::Sign { sides: Sides::Two, .. } => Reach::SignTest,
            TestMethod::SignFlip { sides: Sides::Two, .. } | TestMethod::Wilcoxon { sides: Sides::Two, .. } => {
                Reach::SignFlip
            }
            TestMethod::Mcnemar { sides: Sides::Two, mid_p: false } => Reach::McnemarExact,
            _ => continue,
        };
        let Some(units) = most_units(spec, &line.estimand) else { continue };
        let smallest = smallest_p(reach(units), sides::Sides::TwoSided) * real(comparison.count);
        if smallest <= exact::nearest_f64(&comparison.level.value) {
            continue;
        }
        out.push(
            Diagnostic::error(
                Code::Unattainable,
                places.get(Kind::Compare, name, &Part::Name),
                format!(
                    "`{}` on {units} units has no p that passes {} among {} comparisons",
                    line.difference,
                    words::quantity(&comparison.level.value, &comparison.level.dimension),
                    comparison.count
                ),
            )
            .note("no comparison can end better or worse, whatever the data say")
            .help("plan more units, compare fewer arms, or test by `paired_t`, whose p has no floor and rests on its normal law")
            .about(name.as_str()),
        );
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts beyond 2^53 need no exact level")]
fn real(n: u64) -> f64 {
    n as f64
}
