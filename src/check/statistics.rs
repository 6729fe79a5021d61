//! Statistics of whole records: which arguments each takes and what type it has.

use num_traits::Zero as _;

use super::Checker;
use super::expr::{deviation, fractional};
use super::record_expr::{RecordKind, RecordPlace};
use super::units::{self, Ty};
use crate::diagnostic::{Code, Diagnostic};
use crate::math::Rational;
use crate::source::Span;
use crate::spec::{AggregateKind, Bounds, Dimension, RecordExpr, Statistic};
use crate::syntax::ast::{Expr, ExprKind};

/// A statistic with its arguments and its type; `None` when it was refused.
type Made = Option<(Statistic, Vec<RecordExpr>, Ty)>;

impl Checker<'_> {
    /// A statistic of whole records, with the type of each argument.
    pub(super) fn statistic(
        &mut self,
        name: &str,
        first: &Expr,
        rest: &[Expr],
        span: Span,
        place: &RecordPlace,
    ) -> Option<(AggregateKind, Vec<RecordExpr>, Ty)> {
        let wrong = |checker: &mut Self, wanted: &str| {
            checker.report(Diagnostic::error(Code::TypeMismatch, span, format!("`{name}` takes {wanted}")));
        };
        let number = |checker: &mut Self, expr: &Expr| checker.record_number(expr, place).map(|(expr, _)| expr);
        let probability = |checker: &mut Self, expr: &Expr| {
            let (checked, ty) = checker.record_number(expr, place)?;
            let share = *ty.dimension() == Dimension::Proportion;
            if !share {
                checker.report(
                    Diagnostic::error(Code::TypeMismatch, expr.span, format!("`{name}` needs a probability here"))
                        .help("declare the outcome as a `proportion`"),
                );
            }
            share.then_some(checked)
        };
        let plain = |low: i64| Ty::new(Dimension::Plain, units::between(low, 1), false);
        let (statistic, arguments, ty) = match (name, rest) {
            ("auroc" | "average_precision", [event]) => {
                let (score, event) = (number(self, first), self.record_condition(event, place));
                let statistic = if name == "auroc" { Statistic::Auroc } else { Statistic::AveragePrecision };
                (statistic, vec![score?, event?], Ty::proportion())
            }
            ("precision" | "recall" | "f1" | "kappa", [actual]) => {
                let (predicted, actual) = (self.record_condition(first, place), self.record_condition(actual, place));
                let (statistic, ty) = match name {
                    "precision" => (Statistic::Precision, Ty::proportion()),
                    "recall" => (Statistic::Recall, Ty::proportion()),
                    "f1" => (Statistic::F1, Ty::proportion()),
                    _ => (Statistic::Kappa, plain(-1)),
                };
                (statistic, vec![predicted?, actual?], ty)
            }
            ("pearson" | "spearman" | "kendall", [other]) => {
                let (one, other) = (number(self, first), number(self, other));
                let statistic = match name {
                    "pearson" => Statistic::Pearson,
                    "spearman" => Statistic::Spearman,
                    _ => Statistic::Kendall,
                };
                (statistic, vec![one?, other?], Ty::correlation())
            }
            ("brier" | "log_loss", [event]) => {
                let (share, event) = (probability(self, first), self.record_condition(event, place));
                let (statistic, ty) = if name == "brier" {
                    (Statistic::Brier, plain(0))
                } else {
                    let bounds = Bounds { lower: Some(Rational::zero()), upper: None };
                    (Statistic::LogLoss, Ty::new(Dimension::Nats, bounds, false))
                };
                (statistic, vec![share?, event?], ty)
            }
            ("calibration_error", [event, bins]) => {
                let (share, event) = (probability(self, first), self.record_condition(event, place));
                let bins = self.at_least_one(bins, "the number of bins");
                let ty = Ty::new(Dimension::Difference, units::between(0, 1), false);
                (Statistic::CalibrationError { bins: bins? }, vec![share?, event?], ty)
            }
            ("pass_at" | "pass_all", [attempts]) => {
                let success = self.record_condition(first, place);
                let attempts = self.at_least_one(attempts, "the number of attempts")?;
                let statistic =
                    if name == "pass_at" { Statistic::PassAt { attempts } } else { Statistic::PassAll { attempts } };
                (statistic, vec![success?], Ty::proportion())
            }
            ("median_survival", [seen]) => {
                let (time, seen) = (self.record_number(first, place), self.record_condition(seen, place));
                let (time, ty) = time?;
                (Statistic::MedianSurvival, vec![time, seen?], fractional(ty))
            }
            _ => {
                if let Some(made) = self.ordered_statistic(name, first, rest, span, place) {
                    let (statistic, arguments, ty) = made?;
                    return Some((AggregateKind::Statistic(statistic), arguments, ty));
                }
                wrong(self, wanted(name));
                return None;
            }
        };
        Some((AggregateKind::Statistic(statistic), arguments, ty))
    }

    /// A statistic that reads an order or a group; `None` where it is another one or has other arguments.
    #[expect(clippy::option_option, reason = "another statistic is not a refused one")]
    fn ordered_statistic(
        &mut self,
        name: &str,
        first: &Expr,
        rest: &[Expr],
        span: Span,
        place: &RecordPlace,
    ) -> Option<Option<(Statistic, Vec<RecordExpr>, Ty)>> {
        Some(match (name, rest) {
            ("spearman_within" | "kendall_within" | "groups_without", [other, group]) => {
                self.grouped(name, first, other, group, place)
            }
            ("survival_at" | "restricted_mean", [seen, until]) => self.survival(name, first, seen, until, place),
            ("theil_sen", [dose]) => self.theil_sen(first, dose, place),
            ("first_crossing", [step, threshold]) => self.first_crossing(first, step, threshold, place),
            ("window_mean", [step, from, until]) => self.window_mean(first, step, (from, until), span, place),
            ("largest_rise" | "largest_fall", [step]) => {
                let statistic = if name == "largest_rise" { Statistic::LargestRise } else { Statistic::LargestFall };
                self.largest(statistic, first, step, place)
            }
            _ => return None,
        })
    }

    fn grouped(&mut self, name: &str, one: &Expr, other: &Expr, group: &Expr, place: &RecordPlace) -> Made {
        let (one, other) = (self.record_number(one, place), self.record_number(other, place));
        let group = self.group(group, place);
        let (statistic, ty) = match name {
            "spearman_within" => (Statistic::SpearmanWithin, Ty::correlation()),
            "kendall_within" => (Statistic::KendallWithin, Ty::correlation()),
            _ => (Statistic::GroupsWithout, Ty::count()),
        };
        Some((statistic, vec![one?.0, other?.0, group?], ty))
    }

    fn survival(&mut self, name: &str, time: &Expr, seen: &Expr, until: &Expr, place: &RecordPlace) -> Made {
        let (time, seen) = (self.record_number(time, place), self.record_condition(seen, place));
        let (time, ty) = time?;
        let limit = self.constant_of(until, ty.dimension())?;
        if limit.value <= Rational::zero() {
            self.report(Diagnostic::error(Code::BadNumber, until.span, "a time under risk lies above zero"));
            return None;
        }
        let arguments = vec![time, seen?, RecordExpr::Number(limit)];
        Some(if name == "survival_at" {
            (Statistic::SurvivalAt, arguments, Ty::proportion())
        } else {
            (Statistic::RestrictedMean, arguments, fractional(ty))
        })
    }

    fn theil_sen(&mut self, outcome: &Expr, dose: &Expr, place: &RecordPlace) -> Made {
        let (outcome, dose) = (self.record_number(outcome, place), self.record_number(dose, place));
        let (outcome, ty) = outcome?;
        let ty = Ty::new(deviation(&ty).dimension().clone(), Bounds::default(), false);
        Some((Statistic::TheilSen, vec![outcome, dose?.0], ty))
    }

    fn first_crossing(&mut self, value: &Expr, step: &Expr, threshold: &Expr, place: &RecordPlace) -> Made {
        let (value, step) = (self.record_number(value, place), self.record_number(step, place));
        let ((value, ty), (step, step_ty)) = (value?, step?);
        let threshold = self.constant_of(threshold, ty.dimension())?;
        Some((Statistic::FirstCrossing, vec![value, step, RecordExpr::Number(threshold)], fractional(step_ty)))
    }

    fn window_mean(
        &mut self,
        value: &Expr,
        step: &Expr,
        (from, until): (&Expr, &Expr),
        span: Span,
        place: &RecordPlace,
    ) -> Made {
        let (value, step) = (self.record_number(value, place), self.record_number(step, place));
        let ((value, ty), (step, step_ty)) = (value?, step?);
        let (from, until) = (self.constant_of(from, step_ty.dimension()), self.constant_of(until, step_ty.dimension()));
        let (from, until) = (from?, until?);
        if until.value < from.value {
            self.report(
                Diagnostic::error(Code::BadNumber, span, "the window ends before it starts")
                    .help("the first step comes first, and both ends are included"),
            );
            return None;
        }
        let arguments = vec![value, step, RecordExpr::Number(from), RecordExpr::Number(until)];
        Some((Statistic::WindowMean, arguments, fractional(ty)))
    }

    fn largest(&mut self, statistic: Statistic, value: &Expr, step: &Expr, place: &RecordPlace) -> Made {
        let (value, step) = (self.record_number(value, place), self.record_number(step, place));
        let (value, ty) = value?;
        Some((statistic, vec![value, step?.0], deviation(&ty)))
    }

    /// What records are grouped by: a factor, an attribute with levels or text, or the unit itself.
    fn group(&mut self, expr: &Expr, place: &RecordPlace) -> Option<RecordExpr> {
        if let ExprKind::Name(name) = &*expr.kind
            && self.spec.tasks.as_ref().is_some_and(|tasks| tasks.name == *name)
        {
            return Some(RecordExpr::Factor(name.clone()));
        }
        let (checked, kind) = self.record(expr, place)?;
        if matches!(kind, RecordKind::Level(..) | RecordKind::Text) {
            return Some(checked);
        }
        self.report(
            Diagnostic::error(
                Code::TypeMismatch,
                expr.span,
                format!("records are not grouped by {}", super::record_expr::shown(&kind)),
            )
            .help("name a factor, an attribute with levels, or the unit"),
        );
        None
    }

    pub(super) fn at_least_one(&mut self, expr: &Expr, what: &str) -> Option<u64> {
        let number = self.whole_expr(expr, what)?;
        if number == 0 {
            self.report(Diagnostic::error(Code::BadNumber, expr.span, format!("{what} is at least 1")));
            return None;
        }
        Some(number)
    }
}

/// The arguments that a statistic takes, in words.
fn wanted(name: &str) -> &'static str {
    match name {
        "auroc" | "average_precision" => "a score and a condition, as in `auroc(confidence, correct)`",
        "pearson" | "spearman" | "kendall" => "two numbers",
        "brier" | "log_loss" => "a probability and a condition, as in `brier(confidence, correct)`",
        "calibration_error" => {
            "a probability, a condition and a number of bins, as in `calibration_error(confidence, correct, 10)`"
        }
        "pass_at" | "pass_all" => "a condition and a number of attempts, as in `pass_at(correct, 3)`",
        "median_survival" => "a time and whether the event was seen, as in `median_survival(hours, solved)`",
        "spearman_within" | "kendall_within" | "groups_without" => {
            "two numbers and a group, as in `spearman_within(rank, gain, scenario)`"
        }
        "survival_at" | "restricted_mean" => {
            "a time, whether the event was seen, and a time asked, as in `survival_at(hours, solved, 8)`"
        }
        "theil_sen" => "a number and a dose, as in `theil_sen(score, step(dose))`",
        "first_crossing" => "a value, a step and a threshold, as in `first_crossing(score, step(round), 80 %)`",
        "window_mean" => "a value, a step and the two ends of a window, as in `window_mean(score, step(round), 1, 3)`",
        "largest_rise" | "largest_fall" => "a value and a step, as in `largest_rise(score, step(round))`",
        _ => "two conditions",
    }
}
