//! Tests: which arguments each method takes.

use num_traits::{Signed as _, Zero as _};

use super::Arguments;
use crate::check::Checker;
use crate::diagnostic::{Code, Diagnostic};
use crate::math::Rational;
use crate::spec::{Dimension, Quantity, Sides, Test, TestMethod, Zeros};
use crate::syntax::ast::{ExprKind, Method};

/// Every method that a spec may name.
const METHODS: [&str; 12] = [
    "sign",
    "sign_flip",
    "paired_t",
    "wilcoxon",
    "mcnemar",
    "fisher",
    "equivalence",
    "hotelling",
    "log_rank",
    "likelihood_ratio",
    "wald",
    "permutation",
];

impl Checker<'_> {
    pub(super) fn test(&mut self, method: &Method) -> Option<Test> {
        let mut arguments = Arguments::new(method);
        self.no_fallback(method);
        let made = match method.method.node.as_str() {
            "sign" | "sign_flip" | "paired_t" | "wilcoxon" => self.unit_test(&mut arguments, method),
            "mcnemar" => {
                let kind = arguments.word(&["exact", "mid_p"]);
                if kind.is_none() {
                    self.report(
                        Diagnostic::error(Code::MissingClause, method.method.span, "`mcnemar` does not say which kind")
                            .help("write `mcnemar(exact, …)`, or `mcnemar(mid_p, …)`, which is less conservative and not exact"),
                    );
                }
                let sides = self.sides(&mut arguments, method);
                if kind == Some("mid_p") && sides.is_some_and(|sides| sides != Sides::Two) {
                    self.report(
                        Diagnostic::error(Code::NotAllowedHere, method.method.span, "the mid-p test is two-sided")
                            .help("write `sides: two`, or use the exact test"),
                    );
                    return None;
                }
                sides.zip(kind).map(|(sides, kind)| TestMethod::Mcnemar { sides, mid_p: kind == "mid_p" })
            }
            "fisher" => self.sides(&mut arguments, method).map(|sides| TestMethod::Fisher { sides }),
            "equivalence" => self.equivalence(&mut arguments, method),
            "hotelling" => Some(TestMethod::Hotelling),
            "log_rank" => Some(TestMethod::LogRank),
            "likelihood_ratio" => Some(TestMethod::LikelihoodRatio),
            "wald" => self.sides(&mut arguments, method).map(|sides| TestMethod::Wald { sides }),
            "permutation" => {
                let labels = self.cluster(arguments.take("labels"), method, "labels");
                let within = self.cluster(arguments.take("within"), method, "within");
                let draws = self.number(arguments.take("draws"), method, "draws");
                let seed = self.number(arguments.take("seed"), method, "seed");
                match (labels, within, draws, seed) {
                    (Some(labels), Some(within), Some(draws), Some(seed)) => {
                        Some(TestMethod::Permutation { labels, within, draws, seed })
                    }
                    _ => None,
                }
            }
            _ => {
                self.unknown_method(&method.method, "test", &METHODS);
                return None;
            }
        };
        self.unknown_arguments(&arguments);
        made.map(|method| Test { method })
    }

    /// A test of unit values against a null.
    fn unit_test(&mut self, arguments: &mut Arguments<'_>, method: &Method) -> Option<TestMethod> {
        let word = method.method.node.as_str();
        let sides = self.sides(arguments, method);
        let null = match arguments.take("null") {
            None => Some(Quantity { value: Rational::zero(), dimension: Dimension::Plain }),
            Some(expr) => self.constant(expr).map(|(quantity, _)| quantity),
        };
        if let Some(ties) = arguments.take("ties") {
            let dropped = matches!(&*ties.kind, ExprKind::Name(word) if word == "drop");
            if word != "sign" || !dropped {
                self.report(
                    Diagnostic::error(Code::NotAllowedHere, ties.span, format!("`{word}` does not take these ties"))
                        .help(
                            "the sign test drops and counts ties: `ties: drop`; the others have no choice about them",
                        ),
                );
            }
        }
        let zeros = if word == "wilcoxon" { Some(self.zeros(arguments, method)?) } else { None };
        let (sides, null) = (sides?, null?);
        Some(match (word, zeros) {
            ("sign", _) => TestMethod::Sign { sides, null },
            ("sign_flip", _) => TestMethod::SignFlip { sides, null },
            (_, Some(zeros)) => TestMethod::Wilcoxon { sides, null, zeros },
            _ => TestMethod::PairedT { sides, null },
        })
    }

    fn zeros(&mut self, arguments: &mut Arguments<'_>, method: &Method) -> Option<Zeros> {
        let expr = arguments.take("zeros");
        let expr = self.given(expr, method, "zeros")?;
        let word = if let ExprKind::Name(word) = &*expr.kind { word.as_str() } else { "" };
        match word {
            "wilcox" => Some(Zeros::Wilcox),
            "pratt" => Some(Zeros::Pratt),
            "split" => Some(Zeros::Split),
            _ => {
                self.report(
                    Diagnostic::error(Code::WrongKind, expr.span, "this is no way to treat zeros")
                        .note("the three ways give different p-values, so one is declared")
                        .help("write `wilcox` (dropped before ranking), `pratt` (ranked, then dropped) or `split`"),
                );
                None
            }
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
    fn equivalence(&mut self, arguments: &mut Arguments<'_>, method: &Method) -> Option<TestMethod> {
        let expr = arguments.take("margin");
        let expr = self.given(expr, method, "margin")?;
        let margin = match &*expr.kind {
            ExprKind::Name(name) if self.names.margins.contains_key(name.as_str()) => {
                self.mark(crate::check::Kind::Margin, name);
                let margin = self.spec.margins.get(name)?;
                if margin.high.is_some() {
                    self.report(
                        Diagnostic::error(Code::WrongKind, expr.span, format!("`{name}` is a band"))
                            .help("an equivalence test takes one margin, which stands on both sides of zero"),
                    );
                    return None;
                }
                margin.low.clone()
            }
            _ => self.constant(expr)?.0,
        };
        if !margin.value.is_positive() {
            self.report(Diagnostic::error(Code::Unreachable, expr.span, "an equivalence margin lies above zero"));
            return None;
        }
        Some(TestMethod::Equivalence { margin })
    }
}
