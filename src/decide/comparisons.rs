//! Comparisons of arms: from the evidence of each difference to a finding. Owns which p-values belong to one comparison and which
//! comparisons to one family; how findings follow is in `stats`.

use std::collections::BTreeMap;

use super::evidence::{Evidence, Key, Store, Wanted};
use super::frame::Frame;
use super::judgment::{ComparedMember, ComparisonResult};
use super::members::{Binding, listed, members};
use crate::math::exact;
use crate::spec::{Adjustment, Comparison, ComparisonLine, Name, Precedence};
use crate::stats::comparison::{self, FamilyAdjustment, FamilyRules, Finding, Found, judge};
use crate::stats::equivalence::Better;
use crate::stats::multiplicity;

/// Asks for every test and interval of every comparison. `sets` are the analysis sets by number.
pub(super) fn want(frame: &Frame<'_>, sets: &[Name], wanted: &mut BTreeMap<Key, Wanted>) {
    for comparison in frame.spec.comparisons.values() {
        let Some(set) = sets.iter().position(|set| *set == comparison.set) else { continue };
        for line in &comparison.lines {
            for member in members_of(frame, line) {
                let slot = wanted.entry((set, line.estimand.clone(), member)).or_default();
                slot.tests.insert(line.difference.clone());
                slot.tests.extend(line.equivalence.clone());
                slot.intervals.extend(line.intervals.iter().cloned());
            }
        }
    }
}

fn members_of(frame: &Frame<'_>, line: &ComparisonLine) -> Vec<Binding> {
    frame
        .spec
        .estimands
        .get(&line.estimand)
        .map(|estimand| members(frame, estimand, &Binding::new()))
        .unwrap_or_default()
}

/// Members with their findings.
pub(super) type Findings = Vec<(Binding, Found)>;

/// Every comparison with its findings, in the order of their names.
pub(super) fn find(
    frame: &Frame<'_>,
    sets: &[Name],
    store: &Store,
) -> (Vec<ComparisonResult>, BTreeMap<Name, Findings>) {
    let (mut results, mut findings) = (Vec::new(), BTreeMap::new());
    for (name, comparison) in &frame.spec.comparisons {
        let Some(set) = sets.iter().position(|set| *set == comparison.set) else { continue };
        let Some(first) = comparison.lines.first() else { continue };
        let mut groups: BTreeMap<Vec<(Name, Name)>, Vec<Binding>> = BTreeMap::new();
        for member in members_of(frame, first) {
            let within =
                comparison.within.iter().filter_map(|factor| Some((factor.clone(), member.get(factor)?.clone())));
            groups.entry(within.collect()).or_default().push(member);
        }
        let mut all: Findings = Vec::new();
        for (within, members) in groups {
            let compared: Vec<Compared<'_>> =
                members.iter().map(|member| compared(store, set, comparison, member)).collect();
            let inputs: Vec<comparison::Comparison> = compared.iter().map(|one| one.input).collect();
            let found = judge(&inputs, &rules(comparison));
            let shown = members.iter().zip(compared).enumerate().map(|(at, (member, one))| {
                let found = found.as_ref().ok().and_then(|found| found.get(at)).copied();
                if let Some(found) = found {
                    all.push((member.clone(), found));
                }
                let reason = found.as_ref().map_or_else(
                    || judge(&inputs, &rules(comparison)).err().map(|error| error.to_string()),
                    |found| one.why(found.finding, comparison),
                );
                ComparedMember {
                    member: frame.spec.estimands.get(&first.estimand).map(|e| listed(e, member)).unwrap_or_default(),
                    finding: found.map_or("no_verdict", |found| word(found.finding)),
                    within_margin: found.is_some_and(|found| found.within_margin),
                    reason,
                    units: one.input.units as u64,
                    left_out: one.left_out,
                    p_difference: found.map_or(1.0, |found| found.p_difference),
                    p_equivalence: found.filter(|_| comparison.precedence.is_some()).map(|found| found.p_equivalence),
                    lines: one.evidence.into_iter().map(|evidence| evidence.shown.clone()).collect(),
                }
            });
            results.push(ComparisonResult {
                name: name.clone(),
                set: comparison.set.clone(),
                within,
                adjust: adjustment_word(comparison.adjust),
                level: exact::nearest_f64(&comparison.level.value),
                count: comparison.count,
                members: shown.collect(),
            });
        }
        findings.insert(name.clone(), all);
    }
    (results, findings)
}

/// One comparison before it is judged.
struct Compared<'s> {
    input: comparison::Comparison,
    left_out: u64,
    undefined: Option<String>,
    evidence: Vec<&'s Evidence>,
}

impl Compared<'_> {
    /// Why there is no finding, in words.
    fn why(&self, finding: Finding, comparison: &Comparison) -> Option<String> {
        match finding {
            Finding::NoVerdict => Some(self.undefined.clone().unwrap_or_else(|| {
                format!("{} units have a difference and {} are the fewest", self.input.units, comparison.minimum)
            })),
            Finding::NoInterval => {
                Some("every unit moved by the same amount, so that nothing says how far another would".to_owned())
            }
            Finding::Better | Finding::Worse | Finding::Equivalent | Finding::NotSeparable => self.undefined.clone(),
        }
    }
}

/// The evidence of all lines as one comparison: better only where all are better, and shown only as well as the least of them.
fn compared<'s>(store: &'s Store, set: usize, comparison: &Comparison, member: &Binding) -> Compared<'s> {
    let mut one = Compared {
        input: comparison::Comparison {
            units: usize::MAX,
            difference: 0.0,
            constant: false,
            p_difference: Some(0.0),
            p_equivalence: comparison.precedence.map(|_| 0.0),
        },
        left_out: 0,
        undefined: None,
        evidence: Vec::new(),
    };
    let mut directions = Vec::new();
    for line in &comparison.lines {
        let Some(evidence) = store.evidence.get(&(set, line.estimand.clone(), member.clone())) else {
            one.undefined = Some(format!("{} is not planned for this member", line.estimand));
            one.input.units = 0;
            continue;
        };
        one.evidence.push(evidence);
        let units = evidence.units.clone().unwrap_or_else(|| Err("there are no unit values".to_owned()));
        match (&units, &evidence.shown.estimate) {
            (Ok(units), Ok(estimate)) => {
                one.input.units = one.input.units.min(units.count);
                one.input.constant |= units.constant;
                one.left_out = one.left_out.max(units.left_out);
                let estimate = estimate.to_f64();
                directions.push(if line.higher { estimate } else { -estimate });
            }
            (Err(reason), _) | (_, Err(reason)) => {
                one.undefined = Some(reason.clone());
                one.input.units = 0;
            }
        }
        let worst = |so_far: Option<f64>, test: &Name| {
            let p = evidence.p.get(test)?.as_ref().ok()?.to_f64();
            so_far.map(|so_far| so_far.max(p))
        };
        one.input.p_difference = worst(one.input.p_difference, &line.difference);
        if let Some(test) = &line.equivalence {
            one.input.p_equivalence = worst(one.input.p_equivalence, test);
        }
    }
    let least = directions.iter().copied().fold(f64::INFINITY, f64::min);
    let most = directions.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    one.input.difference = if least > 0.0 {
        least
    } else if most < 0.0 {
        most
    } else {
        0.0
    };
    // Lines that point both ways show neither arm to be better.
    if one.input.difference == 0.0 && directions.iter().any(|direction| *direction != 0.0) && directions.len() > 1 {
        one.input.p_difference = None;
    }
    if directions.len() < comparison.lines.len() {
        one.input.units = 0;
    }
    one
}

fn rules(comparison: &Comparison) -> FamilyRules {
    let adjustment = match comparison.adjust {
        Adjustment::Joint => FamilyAdjustment::Joint,
        Adjustment::Hochberg => FamilyAdjustment::Separate(multiplicity::Adjustment::Hochberg),
        Adjustment::Bonferroni => FamilyAdjustment::Separate(multiplicity::Adjustment::Bonferroni),
        Adjustment::Holm
        | Adjustment::BenjaminiHochberg
        | Adjustment::Hommel
        | Adjustment::BenjaminiYekutieli
        | Adjustment::FixedSequence
        | Adjustment::Graph
        | Adjustment::None => FamilyAdjustment::Separate(multiplicity::Adjustment::Holm),
    };
    FamilyRules {
        planned: usize::try_from(comparison.count).unwrap_or(usize::MAX),
        alpha: exact::nearest_f64(&comparison.level.value),
        fewest_units: usize::try_from(comparison.minimum).unwrap_or(usize::MAX),
        better: Better::Higher,
        adjustment,
        precedence: match comparison.precedence {
            Some(Precedence::Equivalence) => comparison::Precedence::Equivalence,
            Some(Precedence::Difference) | None => comparison::Precedence::Difference,
        },
    }
}

/// The word of a finding.
const fn word(finding: Finding) -> &'static str {
    match finding {
        Finding::Better => "better",
        Finding::Worse => "worse",
        Finding::Equivalent => "equivalent",
        Finding::NotSeparable => "not_separable",
        Finding::NoInterval => "no_interval",
        Finding::NoVerdict => "no_verdict",
    }
}

const fn adjustment_word(adjust: Adjustment) -> &'static str {
    match adjust {
        Adjustment::Joint => "joint",
        Adjustment::Hochberg => "hochberg",
        Adjustment::Bonferroni => "bonferroni",
        Adjustment::Holm
        | Adjustment::BenjaminiHochberg
        | Adjustment::Hommel
        | Adjustment::BenjaminiYekutieli
        | Adjustment::FixedSequence
        | Adjustment::Graph
        | Adjustment::None => "holm",
    }
}
