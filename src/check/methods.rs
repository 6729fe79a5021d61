//! Intervals and tests with every argument. Owns which arguments a method takes; whether a method suits an estimand is
//! checked where the two meet.

use super::places::Part;
use super::units::Ty;
use super::{Checker, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::math::Rational;
use crate::source::Span;
use crate::spec::{
    Dimension, Estimand, EstimandBody, Expr, Interval, IntervalMethod, Name, Quantity, ReduceKind, Sides, Test,
    TestMethod,
};
use crate::syntax::ast::{self, ExprKind, Method};
use num_traits::Zero as _;

/// Arguments that are taken out as they are read; what is left was not known.
struct Arguments<'m> {
    method: &'m Method,
    left: Vec<&'m ast::Argument>,
}

impl<'m> Arguments<'m> {
    fn new(method: &'m Method) -> Self {
        Self { method, left: method.arguments.iter().collect() }
    }

    fn take(&mut self, key: &str) -> Option<&'m ast::Expr> {
        let at = self.left.iter().position(|argument| argument.key.as_ref().is_some_and(|name| name.node == key))?;
        Some(&self.left.remove(at).value)
    }

    /// A positional word, such as `percentile`.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
    fn word(&mut self, words: &[&str]) -> Option<&'m str> {
        let at = self.left.iter().position(|argument| {
            argument.key.is_none()
                && matches!(&*argument.value.kind, ExprKind::Name(name) if words.contains(&name.as_str()))
        })?;
        match &*self.left.remove(at).value.kind {
            ExprKind::Name(name) => Some(name),
            _ => None,
        }
    }
}

impl Checker<'_> {
    /// Every interval and test.
    pub(super) fn methods(&mut self) {
        for (name, method) in self.names.intervals.clone() {
            self.place(Kind::Interval, name, Part::Name, method.name.span);
            if let Some(interval) = self.interval(method) {
                self.spec.intervals.insert(name.to_owned(), interval);
            }
        }
        for (name, method) in self.names.tests.clone() {
            self.place(Kind::Test, name, Part::Name, method.name.span);
            if let Some(test) = self.test(method) {
                self.spec.tests.insert(name.to_owned(), test);
            }
        }
    }

    fn interval(&mut self, method: &Method) -> Option<Interval> {
        let mut arguments = Arguments::new(method);
        self.no_fallback(method);
        let level = arguments.take("level");
        let made = match method.method.node.as_str() {
            "bootstrap" => {
                let kind = arguments.word(&["percentile"]);
                if kind.is_none() && !arguments.left.iter().any(|argument| argument.key.is_none()) {
                    self.report(
                        Diagnostic::error(
                            Code::MissingClause,
                            method.method.span,
                            "`bootstrap` does not say which kind",
                        )
                        .help("write `bootstrap(percentile, …)`"),
                    );
                }
                let resample = self.cluster(arguments.take("resample"), method, "resample");
                let resamples = self.number(arguments.take("resamples"), method, "resamples");
                let seed = self.number(arguments.take("seed"), method, "seed");
                match (resample, resamples, seed) {
                    (Some(resample), Some(resamples), Some(seed)) => {
                        Some(IntervalMethod::BootstrapPercentile { resample, resamples, seed })
                    }
                    _ => None,
                }
            }
            "wilson" | "korn_graubard" => {
                let korn_graubard = method.method.node == "korn_graubard";
                self.cluster(arguments.take("cluster"), method, "cluster")
                    .map(|cluster| IntervalMethod::Wilson { cluster, korn_graubard })
            }
            "paired_t" => Some(IntervalMethod::PairedT),
            _ => {
                self.unknown_method(&method.method, "interval", &["bootstrap", "wilson", "korn_graubard", "paired_t"]);
                return None;
            }
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
        Some(Interval { method: made?, level })
    }

    fn test(&mut self, method: &Method) -> Option<Test> {
        let mut arguments = Arguments::new(method);
        self.no_fallback(method);
        let word = method.method.node.as_str();
        let made = match word {
            "sign" | "sign_flip" | "paired_t" => {
                let sides = self.sides(&mut arguments, method);
                let null = match arguments.take("null") {
                    None => Some(Quantity { value: Rational::zero(), dimension: Dimension::Plain }),
                    Some(expr) => self.constant(expr).map(|(quantity, _)| quantity),
                };
                if let Some(ties) = arguments.take("ties") {
                    let dropped = matches!(&*ties.kind, ExprKind::Name(word) if word == "drop");
                    if word != "sign" || !dropped {
                        self.report(
                            Diagnostic::error(Code::NotAllowedHere, ties.span, format!("`{word}` does not take these ties"))
                                .help("the sign test drops and counts ties: `ties: drop`; the others have no choice about them"),
                        );
                    }
                }
                match (sides, null, word) {
                    (Some(sides), Some(null), "sign") => Some(TestMethod::Sign { sides, null }),
                    (Some(sides), Some(null), "sign_flip") => Some(TestMethod::SignFlip { sides, null }),
                    (Some(sides), Some(null), _) => Some(TestMethod::PairedT { sides, null }),
                    _ => None,
                }
            }
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
                self.unknown_method(&method.method, "test", &["sign", "sign_flip", "paired_t", "permutation"]);
                return None;
            }
        };
        self.unknown_arguments(&arguments);
        made.map(|method| Test { method })
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
    fn sides(&mut self, arguments: &mut Arguments<'_>, method: &Method) -> Option<Sides> {
        let written = arguments.take("sides");
        let word = match written {
            Some(expr) => match &*expr.kind {
                ExprKind::Name(word) => Some((word.as_str(), expr.span)),
                ExprKind::Number(literal) => Some((literal.number.node.as_str(), expr.span)),
                _ => Some(("", expr.span)),
            },
            None => arguments.word(&["two", "greater", "less"]).map(|word| (word, method.method.span)),
        };
        let Some((word, span)) = word else {
            self.report(
                Diagnostic::error(
                    Code::MissingClause,
                    method.name.span,
                    format!("the test `{}` does not say its sides", method.name.node),
                )
                .help("write `sides: two`, `sides: greater` or `sides: less`"),
            );
            return None;
        };
        match word {
            "two" | "2" => Some(Sides::Two),
            "greater" => Some(Sides::Greater),
            "less" => Some(Sides::Less),
            other => {
                self.report(
                    Diagnostic::error(Code::WrongKind, span, format!("a test has no sides `{other}`"))
                        .help("write `two`, `greater` or `less`"),
                );
                None
            }
        }
    }

    fn no_fallback(&mut self, method: &Method) {
        if let Some((fallback, _)) = &method.fallback {
            self.report(
                Diagnostic::error(Code::Planned, fallback.span, "`or else` is planned and not available")
                    .help("declare one method; a result it cannot give is not evaluable"),
            );
        }
    }

    /// The factor, attribute or unit given to an argument.
    fn cluster(&mut self, expr: Option<&ast::Expr>, method: &Method, key: &str) -> Option<Name> {
        let expr = self.given(expr, method, key)?;
        let ExprKind::Name(name) = &*expr.kind else {
            self.report(Diagnostic::error(Code::TypeMismatch, expr.span, format!("`{key}` takes a name")));
            return None;
        };
        if self.is_factor_like(name) {
            self.mark(Kind::Factor, name);
            self.mark(Kind::Field, name);
            return Some(name.clone());
        }
        self.undefined_at(name, expr.span, "a factor, attribute or unit", &[Kind::Factor, Kind::Tasks]);
        None
    }

    fn number(&mut self, expr: Option<&ast::Expr>, method: &Method, key: &str) -> Option<u64> {
        let expr = self.given(expr, method, key)?;
        let number = self.whole_expr(expr, &format!("`{key}`"))?;
        if number == 0 && key != "seed" {
            self.report(Diagnostic::error(Code::BadNumber, expr.span, format!("`{key}` is at least 1")));
            return None;
        }
        Some(number)
    }

    fn given<'e>(&mut self, expr: Option<&'e ast::Expr>, method: &Method, key: &str) -> Option<&'e ast::Expr> {
        if expr.is_none() {
            self.report(
                Diagnostic::error(
                    Code::MissingClause,
                    method.method.span,
                    format!("`{}` does not say its `{key}`", method.method.node),
                )
                .note("what is not written here would be a default that nobody chose")
                .help(format!("add `{key}: …`")),
            );
        }
        expr
    }

    fn unknown_method(&mut self, name: &ast::Name, what: &str, known: &[&str]) {
        let nearest = self.nearest(&name.node, known.iter().copied());
        let found =
            Diagnostic::error(Code::Undefined, name.span, format!("no {what} method is called `{}`", name.node))
                .help(format!("methods are {}", super::names::list(known)));
        self.report(match nearest {
            Some(near) => found.fix(format!("write `{near}`"), name.span, near),
            None => found,
        });
    }

    fn unknown_arguments(&mut self, arguments: &Arguments<'_>) {
        for argument in &arguments.left {
            let span = argument.key.as_ref().map_or(argument.value.span, |key| key.span);
            let word = argument.key.as_ref().map_or("this", |key| key.node.as_str());
            self.report(Diagnostic::error(
                Code::NotAllowedHere,
                span,
                format!("`{}` takes no argument `{word}`", arguments.method.method.node),
            ));
        }
    }

    /// Refuses an interval or test that cannot be computed for an estimand.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
    pub(super) fn suits(&mut self, method: &ast::Name, estimand_name: &str, span: Span) -> bool {
        let Some(estimand) = self.spec.estimands.get(estimand_name) else { return true };
        let paired = matches!(estimand.body, EstimandBody::Paired { .. });
        let reported = estimand.body == EstimandBody::Reported;
        let dimension = estimand.kind.dimension.clone();
        let problem = if reported {
            Some("it is reported, so its interval and p-value come from the results as well".to_owned())
        } else if let Some(interval) = self.spec.intervals.get(&method.node) {
            match &interval.method {
                IntervalMethod::PairedT if !paired => {
                    Some("it needs a value of each unit: declare the estimand with `paired`".into())
                }
                IntervalMethod::Wilson { .. } if dimension != Dimension::Proportion => {
                    Some("it is for a share of records only".into())
                }
                _ => None,
            }
        } else if let Some(test) = self.spec.tests.get(&method.node) {
            match &test.method {
                TestMethod::Permutation { labels, .. } if !spread_over(estimand, labels) => {
                    Some(format!("a permutation of `{labels}` tests a spread over `{labels}`"))
                }
                TestMethod::Sign { .. } | TestMethod::SignFlip { .. } | TestMethod::PairedT { .. } if !paired => {
                    Some("it needs a value of each unit: declare the estimand with `paired`".into())
                }
                TestMethod::Sign { null, .. }
                | TestMethod::SignFlip { null, .. }
                | TestMethod::PairedT { null, .. }
                    if !null_fits(null, &dimension) =>
                {
                    Some(format!(
                        "its null is {}, and the estimand is {}",
                        super::units::describe(&null.dimension),
                        super::units::describe(&dimension)
                    ))
                }
                _ => None,
            }
        } else {
            None
        };
        let Some(problem) = problem else { return true };
        self.report(
            Diagnostic::error(
                Code::TypeMismatch,
                span,
                format!("`{}` cannot be computed for `{estimand_name}`", method.node),
            )
            .also(method.span, "used here")
            .note(problem),
        );
        false
    }
}

/// A null without a unit fits what a bare number fits; zero fits everything.
fn null_fits(null: &Quantity, dimension: &Dimension) -> bool {
    let bare = null.dimension == Dimension::Plain;
    let other = Ty::new(dimension.clone(), crate::spec::Bounds::default(), false);
    null.value.is_zero() && bare || super::units::unify(&other, &Ty::constant(null, bare)).is_ok()
}

fn spread_over(estimand: &Estimand, labels: &str) -> bool {
    match &estimand.body {
        EstimandBody::Contrast(expr) => over(expr, labels),
        EstimandBody::Paired { .. } | EstimandBody::Reported => false,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
fn over(expr: &Expr, labels: &str) -> bool {
    match expr {
        Expr::Reduce(ReduceKind::Spread, factor, _) => factor == labels,
        Expr::For(inner, _) | Expr::At(inner, _) => over(inner, labels),
        _ => false,
    }
}
