//! Tests that cannot reach the level their rule asks for: the smallest p at the planned number of units, adjusted as the
//! family adjusts it, against the level. Every bound errs towards what the test could still reach.

use super::RuleSite;
use super::plan::{outer_conditions, records_per_label, units_by_member};
use super::translate::{level_count, members};
use crate::check::places::{Kind, Part, Places};
use crate::diagnostic::{Code, Diagnostic};
use crate::math::{Rational, exact};
use crate::spec::{
    About, Adjustment, CaseCondition, Class, Condition, EstimandBody, EvidenceKind, EvidenceRef, Family,
    QuantifierKind, RecordExpr, Relation, Sides, Spec, Term, TestMethod, words,
};
use crate::stats::attainable::{Reach, smallest_p};
use crate::stats::sides;

/// Beyond this many units every sign test reaches every level that a double can hold.
const MOST_UNITS: u64 = 1074;

/// A level that a case asks of a p-value.
struct Asked {
    level: f64,
    strict: bool,
    shown: String,
}

impl Asked {
    fn reached(&self, p: f64) -> bool {
        if self.strict { p < self.level } else { p <= self.level }
    }
}

/// Why a level is out of reach.
struct Finding<'a> {
    evidence: &'a EvidenceRef,
    message: String,
    help: String,
}

/// Checks one rule.
pub(super) fn check(spec: &Spec, site: &RuleSite<'_>, places: &Places, out: &mut Vec<Diagnostic>) {
    let mut reported: Vec<(&EvidenceRef, String)> = Vec::new();
    for (at, case) in site.rule.cases.iter().enumerate() {
        let CaseCondition::When(condition) = &case.when else { continue };
        if case.class == Class::Inconclusive {
            continue;
        }
        let judge = |evidence, asked: &Asked| out_of_reach(spec, site, evidence, asked);
        let Some(found) = never(spec, condition, true, &judge) else { continue };
        // One test that cannot reach its level is one mistake, however many cases ask for it.
        if reported.iter().any(|(evidence, message)| *evidence == found.evidence && *message == found.message) {
            continue;
        }
        let place = places.get(Kind::Hypothesis, site.name, &Part::Case(site.clause.cloned(), at));
        out.push(
            Diagnostic::error(Code::Unattainable, place, found.message.clone())
                .note(format!("`{}` can never be given, whatever the data say", case.label))
                .help(found.help)
                .about(site.name),
        );
        reported.push((found.evidence, found.message));
    }
}

/// What makes a condition one that never holds, if it asks for a level that no data reach. `truth` is whether the condition is
/// asked to hold or to fail.
fn never<'a>(
    spec: &Spec,
    condition: &'a Condition,
    truth: bool,
    judge: &dyn Fn(&'a EvidenceRef, &Asked) -> Option<Finding<'a>>,
) -> Option<Finding<'a>> {
    match condition {
        Condition::Compare(left, relation, right) => {
            let (evidence, relation, level) = match (left, right) {
                (Term::Evidence(evidence), level) => (evidence, *relation, level),
                (level, Term::Evidence(evidence)) => (evidence, mirrored(*relation), level),
                _ => return None,
            };
            let strict = match (relation, truth) {
                (Relation::Less, true) | (Relation::GreaterEqual, false) => true,
                (Relation::LessEqual, true) | (Relation::Greater, false) => false,
                _ => return None,
            };
            judge(evidence, &asked(spec, level, strict)?)
        }
        Condition::Within(Term::Evidence(evidence), _, high) if truth => judge(evidence, &asked(spec, high, false)?),
        Condition::Within(..) | Condition::Is { .. } => None,
        Condition::Not(inner) => never(spec, inner, !truth, judge),
        Condition::And(parts) | Condition::Or(parts) => {
            let found: Vec<Option<Finding<'a>>> = parts.iter().map(|part| never(spec, part, truth, judge)).collect();
            let one_is_enough = matches!(condition, Condition::And(_)) == truth;
            if one_is_enough || found.iter().all(Option::is_some) { found.into_iter().flatten().next() } else { None }
        }
    }
}

const fn mirrored(relation: Relation) -> Relation {
    match relation {
        Relation::Less => Relation::Greater,
        Relation::LessEqual => Relation::GreaterEqual,
        Relation::GreaterEqual => Relation::LessEqual,
        Relation::Greater => Relation::Less,
        same @ (Relation::Equal | Relation::NotEqual) => same,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "only fixed numbers are levels")]
fn asked(spec: &Spec, level: &Term, strict: bool) -> Option<Asked> {
    let quantity = match level {
        Term::Constant(quantity) => quantity,
        Term::Value(name) => spec.values.get(name).filter(|table| table.per.is_none())?.entries.get("")?,
        Term::Margin(name) => &spec.margins.get(name)?.low,
        _ => return None,
    };
    let sign = if strict { "<" } else { "<=" };
    Some(Asked {
        level: exact::nearest_f64(&quantity.value),
        strict,
        shown: format!("{sign} {}", percent(&quantity.value)),
    })
}

/// Whether the evidence, a p-value, stays above the level whatever the data say.
fn out_of_reach<'a>(spec: &Spec, site: &RuleSite<'a>, evidence: &'a EvidenceRef, asked: &Asked) -> Option<Finding<'a>> {
    if !matches!(evidence.kind, EvidenceKind::P | EvidenceKind::PAdjusted) {
        return None;
    }
    let about = site.about.iter().find(|about| about.alias == evidence.about)?;
    let name = evidence.method.as_ref()?;
    let method = &spec.tests.get(name)?.method;
    let filter = site.scope.and_then(|scope| scope.filter.as_ref());
    let bounds = bounds(spec, about, method, filter)?;
    // Where one member is enough, the one that reaches furthest decides; else the one that stays behind.
    let one_is_enough = site.scope.is_some_and(|scope| {
        scope.quantifiers.iter().any(|quantifier| match quantifier.kind {
            QuantifierKind::Any => true,
            QuantifierKind::AtLeast { at_least, of } => at_least < of,
            QuantifierKind::All | QuantifierKind::None => false,
        })
    });
    let order = |a: &&Bound, b: &&Bound| a.p.total_cmp(&b.p);
    let bound = if one_is_enough { bounds.iter().min_by(order) } else { bounds.iter().max_by(order) }?;
    let family = (evidence.kind == EvidenceKind::PAdjusted).then(|| family_of(spec, about, name)).flatten();
    let times = family.map_or(1, |(_, family)| multiplier(spec, family, about, name, bound.p));
    let adjusted = |p: f64| (p * real(times)).min(1.0);
    if asked.reached(adjusted(bound.p)) {
        return None;
    }
    let kind = if family.is_some() { "an adjusted p" } else { "p" };
    let mut message = format!("`{name}` cannot give {kind} {}: {}", asked.shown, bound.why);
    if let Some((family_name, _)) = family.filter(|_| times > 1) {
        message =
            format!("{message}, and `{family_name}` multiplies it by {times}, which is {}", shown(adjusted(bound.p)));
    }
    Some(Finding { evidence, message, help: remedy(spec, method, about, asked, times) })
}

/// The smallest p of one member.
struct Bound {
    p: f64,
    why: String,
}

fn bounds(spec: &Spec, about: &About, method: &TestMethod, filter: Option<&RecordExpr>) -> Option<Vec<Bound>> {
    let mut filters: Vec<&RecordExpr> = filter.into_iter().collect();
    match &spec.estimands.get(&about.estimand)?.body {
        EstimandBody::Paired { filter, .. } => filters.extend(filter),
        EstimandBody::Contrast(expr) => outer_conditions(expr, &mut filters),
        EstimandBody::Fitted(_) | EstimandBody::Reported => return None,
    }
    let unit = spec.tasks.as_ref().map(|tasks| tasks.name.as_str())?;
    let units = |n: u64| if n == 1 { format!("1 {unit}") } else { format!("{n} {unit}s") };
    let (reach, sides): (fn(u64) -> Reach, Sides) = match method {
        TestMethod::Sign { sides, .. } => (Reach::SignTest, *sides),
        // Signed ranks have one sign vector that is most extreme, as sign flips have.
        TestMethod::SignFlip { sides, .. } | TestMethod::Wilcoxon { sides, .. } => (Reach::SignFlip, *sides),
        TestMethod::Mcnemar { sides, mid_p: false } => (Reach::McnemarExact, *sides),
        TestMethod::Mcnemar { sides, mid_p: true } => (Reach::McnemarMidP, *sides),
        TestMethod::PairedT { .. }
        | TestMethod::Fisher { .. }
        | TestMethod::Equivalence { .. }
        | TestMethod::EquivalenceExact { .. }
        | TestMethod::NonInferiority { .. }
        | TestMethod::Spearman { .. }
        | TestMethod::Hotelling
        | TestMethod::LogRank
        | TestMethod::LikelihoodRatio
        | TestMethod::Wald { .. } => return None,
        // How many arrangements give the same value depends on the statistic; the draws bound p in any case.
        TestMethod::PermutationContrast { draws, .. } | TestMethod::Isotonic { draws, .. } => {
            let p = smallest_p(Reach::Permutation { draws: *draws }, sides::Sides::TwoSided);
            return Some(vec![Bound { p, why: format!("with {draws} draws its smallest p is {}", shown(p)) }]);
        }
        TestMethod::Permutation { labels, within, draws, .. } => {
            let drawn = smallest_p(Reach::Permutation { draws: *draws }, sides::Sides::TwoSided);
            let drawn = || Bound { p: drawn, why: format!("with {draws} draws its smallest p is {}", shown(drawn)) };
            let blocks = if within == unit { units_by_member(spec, about, &filters) } else { None };
            let bounds = blocks.unwrap_or_default().into_iter().map(|blocks| {
                let share = fewest_alike(spec, about, labels, blocks);
                let why =
                    || format!("with {} every arrangement has others like it, {} of all", units(blocks), shown(share));
                if share > drawn().p { Bound { p: share, why: why() } } else { drawn() }
            });
            let bounds: Vec<Bound> = bounds.collect();
            return Some(if bounds.is_empty() { vec![drawn()] } else { bounds });
        }
    };
    let two = if sides == Sides::Two { "two-sided" } else { "one-sided" };
    let members = units_by_member(spec, about, &filters)?;
    let bound = |n: u64| {
        let p = smallest_p(reach(n), one_of(sides));
        Bound { p, why: format!("with {} its smallest {two} p is {}", units(n), shown(p)) }
    };
    Some(members.into_iter().map(bound).collect())
}

/// The share of all arrangements that give the same spread as the observed one: labels exchanged as a whole. With k labels of r
/// records each there are `((k r)! / (r!)^k)^blocks` arrangements, of which `k!` differ in the names of labels only.
fn fewest_alike(spec: &Spec, about: &About, labels: &str, blocks: u64) -> f64 {
    let count = level_count(spec, labels).unwrap_or(1);
    let records = records_per_label(spec, about, labels);
    if count > 64 || records > 64 {
        return 0.0; // more arrangements than any level asks for
    }
    let mut one_block = 1.0_f64;
    let mut exchanged = 1.0_f64;
    for label in 1..=count {
        exchanged *= real(label);
        // Which of the records left go to this label: a binomial coefficient.
        for record in 1..=records {
            one_block *= real((label - 1) * records + record) / real(record);
        }
    }
    let mut share = exchanged;
    for _ in 0..blocks.min(MOST_UNITS) {
        share /= one_block;
    }
    share.min(1.0)
}

const fn one_of(sides: Sides) -> sides::Sides {
    match sides {
        Sides::Two => sides::Sides::TwoSided,
        Sides::Greater => sides::Sides::Greater,
        Sides::Less => sides::Sides::Less,
    }
}

fn family_of<'s>(spec: &'s Spec, about: &About, test: &str) -> Option<(&'s str, &'s Family)> {
    spec.families.iter().find_map(|(name, family)| {
        let member = family.members.iter().any(|line| line.estimand == about.estimand && line.test == test);
        member.then_some((name.as_str(), family))
    })
}

/// What the adjustment multiplies the member's smallest p by, at least. Under Holm only members that can have a smaller p come
/// before it, and each of those takes one from the factor.
fn multiplier(spec: &Spec, family: &Family, about: &About, test: &str, p: f64) -> u64 {
    match family.adjust {
        // Step-up and sequential procedures can leave a p as it is; by how much they raise it depends on the others.
        Adjustment::None
        | Adjustment::Hochberg
        | Adjustment::BenjaminiHochberg
        | Adjustment::Hommel
        | Adjustment::BenjaminiYekutieli
        | Adjustment::FixedSequence
        | Adjustment::Graph
        | Adjustment::Joint => 1,
        Adjustment::Bonferroni => family.count,
        Adjustment::Holm => {
            let before = family.members.iter().fold(0_u64, |before, line| {
                let own = line.estimand == about.estimand && line.test == test;
                let of_line = About { estimand: line.estimand.clone(), at: Vec::new(), ..about.clone() };
                let reach = spec
                    .tests
                    .get(&line.test)
                    .and_then(|test| bounds(spec, &of_line, &test.method, line.filter.as_ref()))
                    .and_then(|bounds| bounds.iter().map(|bound| bound.p).min_by(f64::total_cmp));
                if reach.is_some_and(|smallest| smallest >= p) {
                    return before;
                }
                let factors: Vec<_> = spec
                    .estimands
                    .get(&line.estimand)
                    .map(|it| it.per.iter().map(|per| per.factor.clone()).collect())
                    .unwrap_or_default();
                let listed = members(spec, &[of_line], &factors).unwrap_or(family.count);
                before.saturating_add(listed.saturating_sub(u64::from(own)))
            });
            family.count.saturating_sub(before).max(1)
        }
    }
}

fn remedy(spec: &Spec, method: &TestMethod, about: &About, asked: &Asked, times: u64) -> String {
    let unit = spec.tasks.as_ref().map_or("unit", |tasks| tasks.name.as_str());
    let enough = |p: f64| asked.reached(p * real(times));
    let (needed, which) = match method {
        TestMethod::Sign { sides, .. }
        | TestMethod::SignFlip { sides, .. }
        | TestMethod::Wilcoxon { sides, .. }
        | TestMethod::Mcnemar { sides, .. } => {
            let needed = (1..=MOST_UNITS).find(|n| enough(smallest_p(Reach::SignFlip(*n), one_of(*sides))));
            (needed, " with a difference")
        }
        TestMethod::PermutationContrast { labels, draws, .. }
        | TestMethod::Isotonic { labels, draws, .. }
        | TestMethod::Permutation { labels, draws, .. } => {
            let drawn = |draws: u64| smallest_p(Reach::Permutation { draws }, sides::Sides::TwoSided);
            if !enough(drawn(*draws)) {
                // The quotient is the number of arrangements, the observed one included, or one too few where it must be passed.
                let whole = num_traits::cast::<f64, u64>((real(times) / asked.level).ceil()).unwrap_or(0);
                let needed = (whole.saturating_sub(1)..=whole.saturating_add(1)).find(|draws| enough(drawn(*draws)));
                return needed.map_or_else(
                    || "no number of draws reaches this level; ask for one above 0".to_owned(),
                    |draws| format!("draw at least {draws} times, or ask for a level that can be reached"),
                );
            }
            ((1..=MOST_UNITS).find(|n| enough(fewest_alike(spec, about, labels, *n))), "")
        }
        TestMethod::PairedT { .. }
        | TestMethod::Fisher { .. }
        | TestMethod::Equivalence { .. }
        | TestMethod::EquivalenceExact { .. }
        | TestMethod::NonInferiority { .. }
        | TestMethod::Spearman { .. }
        | TestMethod::Hotelling
        | TestMethod::LogRank
        | TestMethod::LikelihoodRatio
        | TestMethod::Wald { .. } => (None, ""),
    };
    needed.map_or_else(
        || "no number of units reaches this level; ask for one above 0".to_owned(),
        |needed| format!("{needed} {unit}s{which} would do; plan more, or ask for a level that can be reached"),
    )
}

fn percent(value: &Rational) -> String {
    words::quantity(value, &crate::spec::Dimension::Proportion)
}

/// A probability in per cent, to four digits or more.
fn shown(p: f64) -> String {
    let percent = p * 100.0;
    if percent < 0.001 {
        return format!("{percent:.1e} %");
    }
    let places = if percent >= 10.0 { 2 } else { 4 };
    let text = format!("{percent:.places$}");
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

#[expect(clippy::cast_precision_loss, reason = "counts beyond 2^53 need no exact level")]
fn real(n: u64) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests;
