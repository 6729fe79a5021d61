//! Intervals: which arguments each method takes.

use num_traits::Zero as _;

use super::Arguments;
use crate::check::{Checker, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::math::Rational;
use crate::spec::{BootstrapKind, Dimension, Interval, IntervalMethod, Name};
use crate::syntax::ast::{ExprKind, Method};

/// Every method that a spec may name.
const METHODS: [&str; 13] = [
    "bootstrap",
    "wilson",
    "korn_graubard",
    "clopper_pearson",
    "jeffreys",
    "beta_binomial",
    "cluster_t",
    "newcombe",
    "newcombe_paired",
    "agresti_caffo",
    "fieller",
    "wald",
    "paired_t",
];

/// Every kind of bootstrap.
const KINDS: [&str; 6] = ["percentile", "basic", "bca", "studentised", "max_t", "spread_bound"];

impl Checker<'_> {
    pub(super) fn interval(&mut self, method: &Method) -> Option<Interval> {
        let mut arguments = Arguments::new(method);
        self.no_fallback(method);
        let level = arguments.take("level");
        let word = method.method.node.as_str();
        let made = match word {
            "bootstrap" => self.bootstrap(&mut arguments, method),
            "paired_t" => Some(IntervalMethod::PairedT),
            "newcombe_paired" => Some(IntervalMethod::NewcombePaired),
            "agresti_caffo" => Some(IntervalMethod::AgrestiCaffo),
            "wald" => Some(IntervalMethod::Wald),
            _ if METHODS.contains(&word) => {
                let cluster = self.cluster(arguments.take("cluster"), method, "cluster");
                cluster.and_then(|cluster| match word {
                    "wilson" => Some(IntervalMethod::Wilson { cluster, korn_graubard: false }),
                    "korn_graubard" => Some(IntervalMethod::Wilson { cluster, korn_graubard: true }),
                    "clopper_pearson" => Some(IntervalMethod::ClopperPearson { cluster }),
                    "jeffreys" => Some(IntervalMethod::Jeffreys { cluster }),
                    "beta_binomial" => Some(IntervalMethod::BetaBinomial { cluster }),
                    "cluster_t" => Some(IntervalMethod::ClusterT { cluster }),
                    "newcombe" => Some(IntervalMethod::Newcombe { cluster }),
                    "fieller" => Some(IntervalMethod::Fieller { cluster }),
                    _ => None,
                })
            }
            _ => {
                self.unknown_method(&method.method, "interval", &METHODS);
                return None;
            }
        };
        let over = match arguments.take("over") {
            Some(expr) => Some(self.shared_with(expr, made.as_ref())?),
            None => None,
        };
        self.unknown_arguments(&arguments);
        let Some(level) = level else {
            self.report(
                Diagnostic::error(
                    Code::MissingClause,
                    method.name.span,
                    format!("the interval `{}` has no `level`", method.name.node),
                )
                .help("write its confidence level, as in `level: 95 %`"),
            );
            return None;
        };
        let span = level.span;
        let level = self.constant_of(level, &Dimension::Proportion)?;
        let inside = level.value > Rational::zero() && level.value < Rational::from_integer(1.into());
        if !inside {
            self.report(
                Diagnostic::error(Code::Unreachable, span, "a confidence level lies between 0 % and 100 %")
                    .help("write it as in `level: 95 %`"),
            );
            return None;
        }
        Some(Interval { method: made?, level, over })
    }

    /// `over: gaps`: the family whose members share the level.
    fn shared_with(&mut self, expr: &crate::syntax::ast::Expr, made: Option<&IntervalMethod>) -> Option<Name> {
        let ExprKind::Name(name) = &*expr.kind else {
            self.report(Diagnostic::error(Code::TypeMismatch, expr.span, "`over` takes the name of a family"));
            return None;
        };
        if !self.names.families.contains_key(name.as_str()) {
            self.undefined_at(name, expr.span, "a family", &[Kind::Family]);
            return None;
        }
        let simultaneous = matches!(
            made,
            Some(IntervalMethod::Bootstrap { kind: BootstrapKind::MaxT | BootstrapKind::SpreadBound, .. })
        );
        if simultaneous {
            self.report(
                Diagnostic::error(Code::NotAllowedHere, expr.span, "this interval holds for all members already")
                    .help("leave `over` out, or use an interval of one member"),
            );
            return None;
        }
        self.mark(Kind::Family, name);
        Some(name.clone())
    }

    fn bootstrap(&mut self, arguments: &mut Arguments<'_>, method: &Method) -> Option<IntervalMethod> {
        let kind = arguments.word(&KINDS);
        if kind.is_none() && !arguments.left.iter().any(|argument| argument.key.is_none()) {
            self.report(
                Diagnostic::error(Code::MissingClause, method.method.span, "`bootstrap` does not say which kind").help(
                    "write one of `percentile`, `basic`, `bca`, `studentised`, `max_t` and `spread_bound` first, as in \
                     `bootstrap(percentile, …)`",
                ),
            );
        }
        let resample = self.cluster(arguments.take("resample"), method, "resample");
        let resamples = self.number(arguments.take("resamples"), method, "resamples");
        let seed = self.number(arguments.take("seed"), method, "seed");
        let (kind, resample, resamples, seed) = (kind?, resample?, resamples?, seed?);
        Some(match BootstrapKind::ALL.into_iter().find(|own| own.word() == kind) {
            None => IntervalMethod::BootstrapPercentile { resample, resamples, seed },
            Some(kind) => IntervalMethod::Bootstrap { kind, resample, resamples, seed },
        })
    }
}
