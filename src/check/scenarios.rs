//! Assumed truths: that every draw has a mean, a scale that suits its outcome and deviations that the design knows.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::{Signed as _, Zero as _};

use super::places::Part;
use super::record_expr::{RecordPlace, state_class};
use super::{Checker, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::math::Rational;
use crate::spec::{
    Change, Claim, Dimension, Draw, Expectation, FieldRole, Name, Quantity, Scenario, StateClass, ValueType, Variation,
    VerdictClass,
};
use crate::syntax::ast;

impl Checker<'_> {
    /// Every scenario.
    pub(super) fn scenarios(&mut self) {
        for (name, item) in self.names.scenarios.clone() {
            self.place(Kind::Scenario, name, Part::Name, item.name.span);
            if let Some(scenario) = self.scenario(item) {
                self.spec.scenarios.insert(name.to_owned(), scenario);
            }
        }
    }

    fn scenario(&mut self, item: &ast::Scenario) -> Option<Scenario> {
        let Some(seed) = &item.seed else {
            self.missing_clause(&item.name, "scenario", "seed", "as in `seed 7`, so that its draws can be repeated");
            return None;
        };
        let seed = self.whole(seed, "a seed");
        let words = self.prose_or_empty(item.words.as_ref());
        let mut draws = BTreeMap::new();
        let mut failed = false;
        for draw in &item.draws {
            match self.draw(draw) {
                Some(checked) => {
                    if draws.insert(draw.field.node.clone(), checked).is_some() {
                        failed = true;
                        self.report(Diagnostic::error(
                            Code::Duplicate,
                            draw.field.span,
                            format!("`{}` is drawn twice", draw.field.node),
                        ));
                    }
                }
                None => failed = true,
            }
        }
        let losses = self.losses(&item.losses);
        let mut expects = Vec::new();
        for one in &item.expects {
            match self.expectation(one) {
                Some(checked) => expects.push(checked),
                None => failed = true,
            }
        }
        if !failed {
            self.undrawn(item, &draws);
        }
        expects.sort();
        expects.dedup();
        let (seed, losses) = (seed?, losses?);
        (!failed).then(|| Scenario { null: item.kind.node == "null", words, seed, draws, losses, expects })
    }

    /// An outcome that every record must hold cannot be left undrawn.
    fn undrawn(&mut self, item: &ast::Scenario, draws: &BTreeMap<Name, Draw>) {
        let missing: Vec<Name> = self
            .spec
            .fields
            .iter()
            .filter(|(name, field)| {
                field.role == FieldRole::Outcome
                    && field.derived.is_none()
                    && !field.optional
                    && !draws.contains_key(*name)
            })
            .map(|(name, _)| name.clone())
            .collect();
        if !missing.is_empty() {
            self.report(
                Diagnostic::error(
                    Code::MissingClause,
                    item.name.span,
                    format!("the scenario `{}` does not draw {}", item.name.node, super::names::list(&missing)),
                )
                .note("every completed record holds these outcomes, so a drawn one must too")
                .help("add a `draw` block for each, or declare the outcome `optional`"),
            );
        }
    }

    fn draw(&mut self, item: &ast::Draw) -> Option<Draw> {
        let name = item.field.node.as_str();
        self.mark(Kind::Field, name);
        let Some(field) = self.spec.fields.get(name).filter(|field| field.role == FieldRole::Outcome) else {
            self.undefined_at(name, item.field.span, "an outcome", &[Kind::Field]);
            return None;
        };
        if field.derived.is_some() {
            self.report(
                Diagnostic::error(
                    Code::NotAllowedHere,
                    item.field.span,
                    format!("`{name}` follows from other outcomes"),
                )
                .help("draw those; it is computed from them"),
            );
            return None;
        }
        let dimension = match &field.kind {
            ValueType::Bool => Dimension::Proportion,
            ValueType::Number(kind) => kind.dimension.clone(),
            ValueType::Level(_) | ValueType::Text => {
                self.report(
                    Diagnostic::error(
                        Code::TypeMismatch,
                        item.field.span,
                        format!("`{name}` is no number and no condition"),
                    )
                    .help("true-or-false outcomes and numbers can be drawn"),
                );
                return None;
            }
        };
        let Some(mean) = &item.mean else {
            self.missing_clause(&item.field, "draw of", "mean", "as in `mean 62 %`");
            return None;
        };
        let mean_span = mean.span;
        let mean = self.constant_of(mean, &dimension)?;
        let share = dimension == Dimension::Proportion;
        let amount = is_amount(&dimension);
        let one = Rational::from_integer(1.into());
        if share && (!mean.value.is_positive() || mean.value >= one) || amount && !mean.value.is_positive() {
            let bounds = if share { "between 0 % and 100 %" } else { "above zero" };
            self.report(Diagnostic::error(Code::Unreachable, mean_span, format!("the mean of `{name}` lies {bounds}")));
            return None;
        }
        let mut changes = Vec::new();
        for change in &item.changes {
            changes.push(self.change(change, &dimension)?);
        }
        let mut varies: Vec<Variation> = Vec::new();
        for (names, sd) in &item.varies {
            let variation = self.variation(name, names, sd, share || amount, &dimension)?;
            if varies.iter().any(|own| own.within == variation.within) {
                let span = names.first().map_or(item.field.span, |name| name.span);
                self.report(Diagnostic::error(Code::RepeatedClause, span, "this deviation stands twice"));
                return None;
            }
            varies.push(variation);
        }
        varies.sort();
        Some(Draw { mean, changes, varies })
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
    fn change(&mut self, item: &ast::Change, dimension: &Dimension) -> Option<Change> {
        let filter = match &item.filter {
            None => None,
            // Only what is known from the plan: a change that followed from another outcome would be no truth about the cell.
            Some(filter) => Some(self.record_condition(filter, &RecordPlace::cells("`where`"))?),
        };
        if let Some(shift) = &item.shift {
            let difference = match dimension {
                Dimension::Proportion => Dimension::Difference,
                other => other.clone(),
            };
            return Some(Change { by: self.constant_of(shift, &difference)?, times: false, filter });
        }
        let literal = item.times.as_ref()?;
        let (by, bare) = self.quantity(literal)?;
        let by = self.fit(by, bare, Self::literal_span(literal), &Dimension::Ratio)?;
        if !by.value.is_positive() {
            self.report(Diagnostic::error(Code::Unreachable, Self::literal_span(literal), "a factor lies above zero"));
            return None;
        }
        Some(Change { by, times: true, filter })
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
    fn variation(
        &mut self,
        field: &str,
        names: &[ast::Name],
        sd: &ast::Literal,
        relative: bool,
        dimension: &Dimension,
    ) -> Option<Variation> {
        let mut within = BTreeSet::new();
        for name in names {
            let word = name.node.as_str();
            if word == "record" && names.len() == 1 {
                continue;
            }
            let known = self.is_unit(word) || self.spec.factors.contains_key(word);
            if !known {
                self.undefined_at(word, name.span, "the unit, a factor or `record`", &[Kind::Factor, Kind::Tasks]);
                return None;
            }
            self.mark(Kind::Factor, word);
            within.insert(word.to_owned());
        }
        let (sd, bare) = self.quantity(sd)?;
        let own = match dimension {
            Dimension::Proportion => &Dimension::Difference,
            other => other,
        };
        let wanted = if relative { &Dimension::Plain } else { own };
        let span = names.first().map_or(crate::source::Span::default(), |name| name.span);
        let sd: Quantity = self.fit(sd, bare, span, wanted)?;
        if sd.value.is_negative() {
            self.report(Diagnostic::error(
                Code::Unreachable,
                span,
                format!("a deviation of `{field}` is not negative"),
            ));
            return None;
        }
        Some(Variation { within: within.into_iter().collect(), sd })
    }

    fn losses(&mut self, items: &[(ast::Literal, ast::Name)]) -> Option<Vec<(StateClass, Quantity)>> {
        let mut losses: Vec<(StateClass, Quantity)> = Vec::new();
        let mut sum = Rational::zero();
        for (share, word) in items {
            let Some(class @ (StateClass::Errored | StateClass::Missing)) = state_class(&word.node) else {
                self.report(
                    Diagnostic::error(Code::WrongKind, word.span, format!("records are not lost as `{}`", word.node))
                        .help("they are lost as `missing` or as `errored`"),
                );
                return None;
            };
            let (quantity, bare) = self.quantity(share)?;
            let quantity = self.fit(quantity, bare, Self::literal_span(share), &Dimension::Proportion)?;
            sum += &quantity.value;
            if quantity.value.is_negative() || sum > Rational::from_integer(1.into()) {
                self.report(Diagnostic::error(
                    Code::Unreachable,
                    Self::literal_span(share),
                    "the shares that are lost lie between 0 % and 100 % together",
                ));
                return None;
            }
            if losses.iter().any(|(own, _)| *own == class) {
                self.report(Diagnostic::error(Code::RepeatedClause, word.span, "this loss stands twice"));
                return None;
            }
            losses.push((class, quantity));
        }
        losses.sort();
        Some(losses)
    }

    fn expectation(&mut self, item: &ast::Expectation) -> Option<Expectation> {
        let name = item.hypothesis.node.as_str();
        self.mark(Kind::Hypothesis, name);
        let Some(hypothesis) = self.spec.hypotheses.get(name) else {
            self.undefined_at(name, item.hypothesis.span, "a hypothesis", &[Kind::Hypothesis]);
            return None;
        };
        if hypothesis.descriptive {
            let exploratory = if hypothesis.role == Claim::Exploratory { "exploratory and " } else { "" };
            self.report(Diagnostic::error(
                Code::WrongKind,
                item.hypothesis.span,
                format!("`{name}` is {exploratory}descriptive, so it has no verdict"),
            ));
            return None;
        }
        let Some(class) = VerdictClass::from_word(&item.class.node) else {
            self.report(
                Diagnostic::error(
                    Code::WrongKind,
                    item.class.span,
                    format!("`{}` is no class of verdicts", item.class.node),
                )
                .help("write `supported`, `contradicted`, `inconclusive`, `void`, `not_evaluated` or `not_evaluable`"),
            );
            return None;
        };
        let (share, bare) = self.quantity(&item.share)?;
        let share = self.fit(share, bare, Self::literal_span(&item.share), &Dimension::Proportion)?;
        Some(Expectation { hypothesis: name.to_owned(), class, at_most: item.at_most, share })
    }
}

/// Whether a number is an amount, which deviations multiply.
fn is_amount(dimension: &Dimension) -> bool {
    match dimension {
        Dimension::Money | Dimension::Tokens | Dimension::Time | Dimension::Count | Dimension::Ratio => true,
        Dimension::Per(over, _) => is_amount(over),
        Dimension::Plain | Dimension::Proportion | Dimension::Difference | Dimension::Bits | Dimension::Nats => false,
    }
}
