//! Intervals and tests with every argument. Owns which arguments a method takes; whether a method suits an estimand is
//! checked where the two meet.

use super::places::Part;
use super::{Checker, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::spec::{Name, Sides};
use crate::syntax::ast::{self, ExprKind, Method};

mod interval;
mod suits;
mod test;

pub(super) use suits::{has_unit_values, is_rate, is_spread};

/// Every key that some method takes.
const KEYS: [&str; 14] = [
    "cluster",
    "draws",
    "labels",
    "level",
    "margin",
    "null",
    "resample",
    "resamples",
    "seed",
    "sides",
    "ties",
    "within",
    "zeros",
    "nodes",
];

/// Arguments that are taken out as they are read; what is left was not known.
pub(super) struct Arguments<'m> {
    method: &'m Method,
    left: Vec<&'m ast::Argument>,
    /// Keys that were read for another, as a slip of the pen, with what they were read for.
    misspelt: Vec<(&'m ast::Name, String)>,
}

impl<'m> Arguments<'m> {
    pub(super) fn new(method: &'m Method) -> Self {
        Self { method, left: method.arguments.iter().collect(), misspelt: Vec::new() }
    }

    /// The first argument without a key.
    pub(super) fn positional(&mut self) -> Option<&'m ast::Expr> {
        let at = self.left.iter().position(|argument| argument.key.is_none())?;
        Some(&self.left.remove(at).value)
    }

    /// The argument with a key, or with a key that is nearly so; the latter is reported with what is left over.
    pub(super) fn take(&mut self, key: &str) -> Option<&'m ast::Expr> {
        let place = |asked: &dyn Fn(&str) -> bool| {
            self.left.iter().position(|argument| argument.key.as_ref().is_some_and(|name| asked(&name.node)))
        };
        let slip =
            |name: &str| !KEYS.contains(&name) && strsim::damerau_levenshtein(name, key) <= (key.len() / 3).max(1);
        let at = place(&|name| name == key).or_else(|| place(&slip))?;
        let argument = self.left.remove(at);
        self.misspelt.extend(argument.key.as_ref().filter(|name| name.node != key).map(|name| (name, key.to_owned())));
        Some(&argument.value)
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

    pub(super) fn unknown_arguments(&mut self, arguments: &Arguments<'_>) {
        for (name, key) in &arguments.misspelt {
            let word = &name.node;
            self.report(
                Diagnostic::error(
                    Code::NotAllowedHere,
                    name.span,
                    format!("`{}` takes no argument `{word}`", arguments.method.method.node),
                )
                .help(format!("did you mean `{key}`?"))
                .fix(format!("write `{key}`"), name.span, key.clone()),
            );
        }
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
}
