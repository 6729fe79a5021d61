//! Arms that an estimand compares and that are planned with different numbers of records for one unit, because `exclude` takes
//! some away. Counts from the plan alone; where a condition of `exclude` cannot be decided from levels, it takes nothing away.

use std::collections::BTreeSet;

use super::levels::{Member, REPLICATE, decided};
use super::never_run::{cells, equalities, record_cells};
use super::places::Part;
use super::record_expr::REPEAT;
use super::{Checker, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::spec::{EstimandBody, Expr, Name, RecordExpr};

/// At most this many combinations of levels are counted for one estimand; beyond it nothing is said.
const MOST_CELLS: usize = 20_000;

/// Two arms with the records of one unit in each, and the stratum in which they differ.
struct Difference {
    fewer: (Member, u64),
    more: (Member, u64),
    stratum: Member,
}

/// There are more combinations than are counted.
struct Spent;

impl Checker<'_> {
    /// Warns of estimands that compare arms with different numbers of records per unit.
    pub(super) fn unequal_repeats(&mut self) {
        let Some(design) = &self.spec.design else { return };
        let conditions: Vec<RecordExpr> = design.exclude.iter().map(|cells| cells.condition.clone()).collect();
        if conditions.is_empty() {
            return;
        }
        let read = self.estimands_of_rules();
        let found: Vec<(Name, Difference)> = self
            .spec
            .estimands
            .keys()
            .filter(|name| read.contains(*name))
            .filter_map(|name| Some((name.clone(), self.difference(name, &conditions)?)))
            .collect();
        for (name, Difference { fewer, more, stratum }) in found {
            let of = if stratum.is_empty() { String::new() } else { format!(" of {}", shown(&stratum)) };
            let unit = self.names.tasks.map_or("unit", |tasks| tasks.name.node.as_str());
            let records = |count: u64| if count == 1 { "1 record".to_owned() } else { format!("{count} records") };
            let mut report = Diagnostic::warning(
                Code::UnequalRepeats,
                self.places.get(Kind::Estimand, &name, &Part::Expr),
                format!(
                    "`{name}` compares {} of each `{unit}`{of} under {} with {} under {}",
                    records(fewer.1),
                    shown(&fewer.0),
                    records(more.1),
                    shown(&more.0)
                ),
            );
            report = if fewer.1 == 0 {
                report.note("the two arms are then measured on different units, and a difference may be theirs")
            } else {
                report.note("the arm with more records has less noise, and a sum, a largest or an \"any\" of it is larger by that alone")
            };
            self.report(
                report
                    .help("plan both arms alike, restrict the estimand with `for` to what both have, or name it in a `limitation`")
                    .about(name),
            );
        }
    }

    /// Estimands that some hypothesis or gate is about.
    fn estimands_of_rules(&self) -> BTreeSet<Name> {
        let hypotheses = self.spec.hypotheses.values().flat_map(|hypothesis| {
            hypothesis.about.iter().chain(hypothesis.clauses.values().flat_map(|clause| &clause.about))
        });
        let gates = self.spec.gates.values().flat_map(|gate| &gate.about);
        hypotheses.chain(gates).map(|about| about.estimand.clone()).collect()
    }

    fn difference(&self, name: &str, conditions: &[RecordExpr]) -> Option<Difference> {
        let estimand = self.spec.estimands.get(name)?;
        let mut compared: Vec<Member> = Vec::new();
        let mut keep = |cell: &Member| {
            if !compared.contains(cell) {
                compared.push(cell.clone());
            }
        };
        let paired = match &estimand.body {
            EstimandBody::Contrast(expr) => {
                self.arms(expr, &Member::new(), &mut keep);
                false
            }
            EstimandBody::Paired { value, filter } => {
                let known = filter.as_ref().map(equalities).unwrap_or_default();
                record_cells(value, &known, &mut keep);
                true
            }
            EstimandBody::Fitted(_) | EstimandBody::Reported => return None,
        };
        if compared.len() < 2 {
            return None;
        }
        let mut budget = MOST_CELLS;
        for member in self.members(&estimand.per)? {
            if member.values().any(|levels| levels.len() != 1) {
                continue; // both levels of a pair are parameters, which no cell pins
            }
            let arms: Vec<Member> = compared
                .iter()
                .map(|cell| {
                    let mut arm = member.clone();
                    arm.extend(cell.iter().map(|(factor, levels)| (factor.clone(), levels.clone())));
                    arm
                })
                .collect();
            for (at, first) in arms.iter().enumerate() {
                for second in arms.iter().skip(at + 1) {
                    if let Some(found) = self.differ(first, second, paired, conditions, &mut budget).ok()? {
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    /// The cells that an expression reads, with the levels that a reduction runs over.
    fn arms(&self, expr: &Expr, known: &Member, keep: &mut dyn FnMut(&Member)) {
        match expr {
            Expr::Reduce(_, factor, inner) | Expr::Slope(factor, inner) => {
                for level in self.levels_of(factor).unwrap_or_default() {
                    let mut known = known.clone();
                    known.insert(factor.clone(), vec![level]);
                    self.arms(inner, &known, keep);
                }
            }
            Expr::For(inner, condition) => {
                let mut known = known.clone();
                known.extend(equalities(condition));
                self.arms(inner, &known, keep);
            }
            Expr::Arithmetic(left, _, right) => {
                self.arms(left, known, keep);
                self.arms(right, known, keep);
            }
            Expr::Negate(inner) | Expr::Abs(inner) | Expr::Log(inner) => self.arms(inner, known, keep),
            Expr::Minimum(parts) | Expr::Maximum(parts) => {
                for part in parts {
                    self.arms(part, known, keep);
                }
            }
            Expr::Measure(..)
            | Expr::Estimand(_)
            | Expr::Aggregate(_)
            | Expr::At(..)
            | Expr::Constant(_)
            | Expr::Value(_) => cells(expr, known, keep),
        }
    }

    /// How two arms differ, in every stratum or in one.
    fn differ(
        &self,
        first: &Member,
        second: &Member,
        paired: bool,
        conditions: &[RecordExpr],
        budget: &mut usize,
    ) -> Result<Option<Difference>, Spent> {
        // Arms that stand in different strata of the units are not compared unit by unit.
        let attribute = |factor: &Name| self.attributes.contains_key(factor);
        let apart = |(factor, levels): (&Name, &Vec<Name>)| attribute(factor) && second.get(factor) != Some(levels);
        if first.iter().any(apart) || second.keys().any(|factor| attribute(factor) && !first.contains_key(factor)) {
            return Ok(None);
        }
        let mut strata = vec![Member::new()];
        for (name, levels) in self.strata(conditions) {
            if !first.contains_key(&name) {
                strata = spread(&strata, &name, &levels, budget)?;
            }
        }
        let mut counted: Vec<(Member, u64, u64)> = Vec::new();
        for stratum in strata {
            let mut count = |arm: &Member| {
                let mut cell = arm.clone();
                cell.extend(stratum.clone());
                self.records(&cell, conditions, budget)
            };
            let (one, other) = (count(first)?, count(second)?);
            counted.push((stratum, one, other));
        }
        let alike = counted.windows(2).all(|pair| matches!(pair, [a, b] if (a.1, a.2) == (b.1, b.2)));
        let found = counted.into_iter().find(|(_, one, other)| {
            // A unit without a partner makes no pair, and an arm that is never run at all is another mistake.
            one != other && (*one.min(other) > 0 || !(paired || alike))
        });
        Ok(found.map(|(stratum, one, other)| {
            let own = |arm: &Member, than: &Member| -> Member {
                let own = arm.iter().filter(|(factor, levels)| than.get(*factor) != Some(*levels));
                own.map(|(factor, levels)| (factor.clone(), levels.clone())).collect()
            };
            let (a, b) = ((own(first, second), one), (own(second, first), other));
            let (fewer, more) = if one < other { (a, b) } else { (b, a) };
            let known = first.iter().filter(|(factor, _)| attribute(factor));
            let mut shared: Member = known.map(|(factor, levels)| (factor.clone(), levels.clone())).collect();
            if !alike {
                shared.extend(stratum);
            }
            Difference { fewer, more, stratum: shared }
        }))
    }

    /// Attributes with listed levels that a condition names.
    fn strata(&self, conditions: &[RecordExpr]) -> Vec<(Name, Vec<Name>)> {
        let mut named = BTreeSet::new();
        for condition in conditions {
            fields(condition, &mut named);
        }
        let listed = named.into_iter().filter(|name| self.attributes.contains_key(name));
        listed.filter_map(|name| Some((name.clone(), self.levels_of(&name)?))).collect()
    }

    /// Planned records of one unit in a cell: the levels of what the cell leaves open, times repeats.
    fn records(&self, cell: &Member, conditions: &[RecordExpr], budget: &mut usize) -> Result<u64, Spent> {
        let Some(design) = &self.spec.design else { return Err(Spent) };
        let mut places = vec![cell.clone()];
        for factor in design.cross.iter().filter(|factor| !cell.contains_key(*factor) && !self.is_unit(factor)) {
            places = spread(&places, factor, &self.levels_of(factor).ok_or(Spent)?, budget)?;
        }
        let mut named = BTreeSet::new();
        for condition in conditions {
            fields(condition, &mut named);
        }
        let planned = |place: &&Member| !conditions.iter().any(|condition| decided(condition, place) == Some(true));
        if named.contains(REPEAT) && !self.attributes.contains_key(REPEAT) {
            let numbers: Vec<Name> = (1..=design.repeat).take(MOST_CELLS).map(|number| number.to_string()).collect();
            places = spread(&places, REPLICATE, &numbers, budget)?;
            return Ok(places.iter().filter(planned).count() as u64);
        }
        (places.iter().filter(planned).count() as u64).checked_mul(design.repeat).ok_or(Spent)
    }
}

/// Every place with every level of one more factor.
fn spread(places: &[Member], factor: &str, levels: &[Name], budget: &mut usize) -> Result<Vec<Member>, Spent> {
    let size = places.len().saturating_mul(levels.len());
    *budget = budget.checked_sub(size).ok_or(Spent)?;
    let longer = |place: &Member, level: &Name| {
        let mut place = place.clone();
        place.insert(factor.to_owned(), vec![level.clone()]);
        place
    };
    Ok(places.iter().flat_map(|place| levels.iter().map(move |level| longer(place, level))).collect())
}

/// Attributes, and `repeat`, that a condition names.
fn fields(condition: &RecordExpr, found: &mut BTreeSet<Name>) {
    match condition {
        RecordExpr::Field(name) => {
            found.insert(name.clone());
        }
        RecordExpr::At(inner, _)
        | RecordExpr::Present(inner)
        | RecordExpr::EndsWith(inner, _)
        | RecordExpr::OneOf(inner, _)
        | RecordExpr::Not(inner)
        | RecordExpr::Negate(inner)
        | RecordExpr::Abs(inner)
        | RecordExpr::Log(inner) => fields(inner, found),
        RecordExpr::And(parts) | RecordExpr::Or(parts) => {
            for part in parts {
                fields(part, found);
            }
        }
        RecordExpr::Compare(left, _, right) | RecordExpr::Arithmetic(left, _, right) => {
            fields(left, found);
            fields(right, found);
        }
        RecordExpr::Bool(_)
        | RecordExpr::Number(_)
        | RecordExpr::Text(_)
        | RecordExpr::Level(_)
        | RecordExpr::Factor(_)
        | RecordExpr::Step(_)
        | RecordExpr::Flagged(_)
        | RecordExpr::State(_) => {}
    }
}

fn shown(cell: &Member) -> String {
    if cell.is_empty() {
        return "all levels".to_owned();
    }
    let parts: Vec<String> =
        cell.iter().map(|(factor, levels)| format!("`{factor} == {}`", levels.join(", "))).collect();
    parts.join(" and ")
}
