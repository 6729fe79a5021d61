//! Tests: which arguments each method takes.

use num_traits::{Signed as _, Zero as _};

use super::Arguments;
use crate::check::Checker;
use crate::diagnostic::{Code, Diagnostic};
use crate::math::Rational;
use crate::spec::{Dimension, Name, Quantity, Sides, Test, TestMethod, Trend, Zeros};
use crate::syntax::ast::{ExprKind, Method};

/// Every method that a spec may name.
const METHODS: [&str; 15] = [
    "sign",
    "sign_flip",
    "paired_t",
    "wilcoxon",
    "mcnemar",
    "fisher",
    "equivalence",
    "non_inferiority",
    "spearman",
    "isotonic",
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
            "equivalence" => {
                let exact = arguments.word(&["exact"]).is_some();
                self.margin(&mut arguments, method).map(|(margin, _)| {
                    if exact { TestMethod::EquivalenceExact { margin } } else { TestMethod::Equivalence { margin } }
                })
            }
            "non_inferiority" => self.non_inferiority(&mut arguments, method),
            "spearman" => {
                let how = arguments.word(&["exact", "t"]);
                if how.is_none() {
                    self.report(
                        Diagnostic::error(
                            Code::MissingClause,
                            method.method.span,
                            "`spearman` does not say how p is found",
                        )
                        .help("write `spearman(exact, …)`, for up to 12 records, or `spearman(t, …)`"),
                    );
                }
                let sides = self.sides(&mut arguments, method);
                sides.zip(how).map(|(sides, how)| TestMethod::Spearman { sides, exact: how == "exact" })
            }
            "isotonic" => self.isotonic(&mut arguments, method),
            "hotelling" => Some(TestMethod::Hotelling),
            "log_rank" => Some(TestMethod::LogRank),
            "likelihood_ratio" => Some(TestMethod::LikelihoodRatio),
            "wald" => self.sides(&mut arguments, method).map(|sides| TestMethod::Wald { sides }),
            "permutation" => {
                let has_sides =
                    method.arguments.iter().any(|one| one.key.as_ref().is_some_and(|key| key.node == "sides"));
                let alternative = if has_sides { Some(self.sides(&mut arguments, method)?) } else { None };
                let (labels, within, draws, seed) = self.permuted(&mut arguments, method)?;
                Some(match alternative {
                    None => TestMethod::Permutation { labels, within, draws, seed },
                    Some(sides) => TestMethod::PermutationContrast { sides, labels, within, draws, seed },
                })
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

    /// What is permuted, within what, how often and from which seed.
    fn permuted(&mut self, arguments: &mut Arguments<'_>, method: &Method) -> Option<(Name, Name, u64, u64)> {
        let labels = self.cluster(arguments.take("labels"), method, "labels");
        let within = self.cluster(arguments.take("within"), method, "within");
        let draws = self.number(arguments.take("draws"), method, "draws");
        let seed = self.number(arguments.take("seed"), method, "seed");
        Some((labels?, within?, draws?, seed?))
    }

    /// A monotone trend, whose labels have an order.
    fn isotonic(&mut self, arguments: &mut Arguments<'_>, method: &Method) -> Option<TestMethod> {
        let word = arguments.word(&["up", "down", "either"]);
        if word.is_none() {
            self.report(
                Diagnostic::error(Code::MissingClause, method.method.span, "`isotonic` does not say which way")
                    .help("write `isotonic(up, …)`, `isotonic(down, …)` or `isotonic(either, …)`"),
            );
        }
        let (labels, within, draws, seed) = self.permuted(arguments, method)?;
        let ordered = self.spec.factors.get(&labels).is_some_and(|factor| factor.ordered);
        if !ordered {
            self.report(
                Diagnostic::error(
                    Code::TypeMismatch,
                    method.method.span,
                    format!("a monotone trend runs over ordered levels, and `{labels}` has no order"),
                )
                .help(format!("declare it: `factor {labels} ordered = …`")),
            );
            return None;
        }
        let trend = match word? {
            "up" => Trend::Up,
            "down" => Trend::Down,
            _ => Trend::Either,
        };
        Some(TestMethod::Isotonic { trend, labels, within, draws, seed })
    }

    /// One side of a margin: the margin's own direction says which values are better.
    fn non_inferiority(&mut self, arguments: &mut Arguments<'_>, method: &Method) -> Option<TestMethod> {
        let exact = arguments.word(&["exact"]).is_some();
        let (margin, higher) = self.margin(arguments, method)?;
        let Some(higher) = higher else {
            self.report(
                Diagnostic::error(
                    Code::MissingClause,
                    method.method.span,
                    "nothing says whether higher or lower values are better",
                )
                .note("not worse by the margin means above its negative where higher is better, and below it where lower is")
                .help("declare the margin with its direction, `margin small = 5 pp higher \"source\"`, and name it"),
            );
            return None;
        };
        Some(TestMethod::NonInferiority { margin, higher, exact })
    }

    /// A margin as a size, and which direction is better where a declared margin says so.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
    fn margin(&mut self, arguments: &mut Arguments<'_>, method: &Method) -> Option<(Quantity, Option<bool>)> {
        let mut higher = None;
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
                higher = margin.higher;
                margin.low.clone()
            }
            _ => self.constant(expr)?.0,
        };
        let one = Rational::from_integer(1.into());
        if margin.dimension == Dimension::Ratio && margin.value <= one {
            self.report(
                Diagnostic::error(Code::Unreachable, expr.span, "a margin of a ratio is a factor above 1")
                    .help("write `1.1 x` or `10 % rel`; its reciprocal stands on the other side"),
            );
            return None;
        }
        if !margin.value.is_positive() {
            self.report(Diagnostic::error(Code::Unreachable, expr.span, "a margin is a size, and lies above zero"));
            return None;
        }
        Some((margin, higher))
    }
}
