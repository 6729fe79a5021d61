//! Counts what a call spends and stops it at the budget. It counts steps, never time.

use super::outcome::{Budget, Measure, Refusal};

/// What was spent so far, against a budget.
#[derive(Clone, Debug)]
pub(super) struct Meter {
    budget: Budget,
    branches: u64,
    steps: u64,
}

impl Meter {
    pub(super) const fn new(budget: Budget) -> Self {
        Self { budget, branches: 0, steps: 0 }
    }

    pub(super) const fn nodes_limit(&self) -> u64 {
        self.budget.nodes
    }

    pub(super) const fn branches(&self) -> u64 {
        self.branches
    }

    pub(super) const fn branch(&mut self) -> Result<(), Refusal> {
        self.branches += 1;
        if self.branches > self.budget.branches {
            return Err(Refusal::TooLarge {
                measure: Measure::Branches,
                count: self.branches,
                limit: self.budget.branches,
            });
        }
        Ok(())
    }

    pub(super) const fn steps(&mut self, count: u64) -> Result<(), Refusal> {
        self.steps = self.steps.saturating_add(count);
        if self.steps > self.budget.steps {
            return Err(Refusal::TooLarge { measure: Measure::Steps, count: self.steps, limit: self.budget.steps });
        }
        Ok(())
    }
}
