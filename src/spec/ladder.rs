//! Numbers that two declarations give together: which level comes after which, which number a level stands for, the level of
//! an interval that shares it with a family.

use super::{Attribute, FactorOrigin, Interval, Name, Spec};
use crate::math::{Rational, exact};

impl Interval {
    /// The confidence level of each interval: the declared one, or what Bonferroni leaves of it for each member of the family
    /// that it is shared with.
    #[must_use]
    pub fn level_of_each(&self, spec: &Spec) -> Rational {
        let one = Rational::from_integer(1.into());
        let count =
            self.over.as_ref().and_then(|family| spec.families.get(family)).map_or(1, |family| family.count.max(1));
        &one - (&one - &self.level.value) / Rational::from_integer(count.into())
    }
}

impl Spec {
    /// The levels of a factor from the first rung of its ladder to the last: the declared order of an `ordered` factor, and
    /// models by their `tier`, a number that every model has and no two share. `None` where there is no such order.
    #[must_use]
    pub fn ladder(&self, factor: &str) -> Option<Vec<Name>> {
        let declared = self.factors.get(factor)?;
        if declared.ordered {
            return Some(declared.levels.clone());
        }
        if declared.origin != FactorOrigin::Models {
            return None;
        }
        let mut rungs: Vec<(&Rational, &Name)> = Vec::new();
        for level in &declared.levels {
            let Some(Attribute::Number(tier)) = self.models.get(level)?.attributes.get("tier") else { return None };
            rungs.push((&tier.value, level));
        }
        rungs.sort();
        let distinct = rungs.array_windows::<2>().all(|[one, two]| one.0 < two.0);
        distinct.then(|| rungs.into_iter().map(|(_, level)| level.clone()).collect())
    }

    /// The level after one on the ladder of its factor; `None` for the last, and without a ladder.
    #[must_use]
    pub fn next_level(&self, factor: &str, level: &str) -> Option<Name> {
        let ladder = self.ladder(factor)?;
        let own = ladder.iter().position(|rung| rung == level)?;
        ladder.get(own + 1).cloned()
    }

    /// The number that each level of a factor is, in the order of the levels: the level itself where all are numbers, else
    /// its place on the ladder from 1. `None` where the levels are words without an order.
    #[must_use]
    pub fn steps(&self, factor: &str) -> Option<Vec<Rational>> {
        let levels = &self.factors.get(factor)?.levels;
        let numbers: Option<Vec<Rational>> = levels.iter().map(|level| exact::parse(level).ok()).collect();
        if numbers.is_some() {
            return numbers;
        }
        let ladder = self.ladder(factor)?;
        let place =
            |level: &Name| Some(Rational::from_integer((ladder.iter().position(|rung| rung == level)? + 1).into()));
        levels.iter().map(place).collect()
    }
}
