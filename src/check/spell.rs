//! One canonical spelling of an expression, for the parts of a study that are kept as text.

use crate::math::exact;
use crate::syntax::ast::{ArithmeticOp, CompareOp, Expr, ExprKind, Literal, Selector};

/// The expression in one line: the same tree always gives the same text, with brackets only where the tree needs them.
pub(super) fn spell(expr: &Expr) -> String {
    at(expr, 0)
}

/// The expression in back-quotes for a message, or a word in its stead when it is long.
pub(super) fn quoted(expr: &Expr) -> String {
    let text = spell(expr);
    if text.chars().count() <= 40 { format!("`{text}`") } else { "this".into() }
}

fn level(kind: &ExprKind) -> u8 {
    match kind {
        ExprKind::Or(_) => 1,
        ExprKind::And(_) => 2,
        ExprKind::Not(_) => 3,
        ExprKind::Compare(..)
        | ExprKind::Within(..)
        | ExprKind::OneOf(..)
        | ExprKind::Is { .. }
        | ExprKind::EndsWith(..) => 4,
        ExprKind::Arithmetic(_, ArithmeticOp::Add | ArithmeticOp::Subtract, _) => 5,
        ExprKind::Arithmetic(_, ArithmeticOp::Multiply | ArithmeticOp::Divide, _) => 6,
        ExprKind::Negate(_) => 7,
        ExprKind::For(..) => 8,
        ExprKind::Number(_)
        | ExprKind::Text(_)
        | ExprKind::Name(_)
        | ExprKind::Path(..)
        | ExprKind::Call(_)
        | ExprKind::At(..) => 9,
    }
}

fn at(expr: &Expr, outside: u8) -> String {
    let own = level(&expr.kind);
    let text = match &*expr.kind {
        ExprKind::Number(literal) => number(literal),
        ExprKind::Text(text) => format!("{text:?}"),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Path(first, second) => format!("{}.{}", first.node, second.node),
        ExprKind::Call(call) => {
            let mut inside = join(&call.arguments, ", ", 0);
            if !call.over.is_empty() {
                let over: Vec<&str> = call.over.iter().map(|name| name.node.as_str()).collect();
                inside = format!("{inside} over {}", over.join(", "));
            }
            if let Some(filter) = &call.filter {
                inside = format!("{inside} where {}", at(filter, 0));
            }
            format!("{}({inside})", call.function.node)
        }
        ExprKind::At(inner, selectors) => {
            let cells: Vec<String> = selectors.iter().map(selector).collect();
            format!("{}[{}]", at(inner, 9), cells.join(", "))
        }
        ExprKind::Negate(inner) => format!("-{}", at(inner, 7)),
        ExprKind::Not(inner) => format!("not {}", at(inner, 3)),
        ExprKind::Arithmetic(left, op, right) => format!("{} {} {}", at(left, own), sign(*op), at(right, own + 1)),
        ExprKind::Compare(left, op, right) => format!("{} {} {}", at(left, 5), comparison(*op), at(right, 5)),
        ExprKind::And(parts) => join(parts, " and ", 3),
        ExprKind::Or(parts) => join(parts, " or ", 2),
        ExprKind::Within(value, low, high) => format!("{} in [{}, {}]", at(value, 5), at(low, 0), at(high, 0)),
        ExprKind::OneOf(value, choices) => format!("{} is one of {}", at(value, 5), join(choices, ", ", 9)),
        ExprKind::Is { subject, negated, label, some } => {
            let not = if *negated { "not " } else { "" };
            let some = some.as_ref().map_or_else(String::new, |factor| format!(" for some {}", factor.node));
            format!("{} is {not}{}{some}", subject.node, label.node)
        }
        ExprKind::For(inner, condition) => format!("({}) for {}", at(inner, 0), at(condition, 9)),
        ExprKind::EndsWith(value, endings) => {
            let endings: Vec<String> = endings.iter().map(|text| format!("{:?}", text.node)).collect();
            format!("{} ends_with any [{}]", at(value, 5), endings.join(", "))
        }
    };
    if own < outside { format!("({text})") } else { text }
}

fn join(parts: &[Expr], between: &str, outside: u8) -> String {
    parts.iter().map(|part| at(part, outside)).collect::<Vec<_>>().join(between)
}

fn selector(selector: &Selector) -> String {
    let level = &selector.level.node;
    selector.factor.as_ref().map_or_else(|| level.clone(), |factor| format!("{}: {level}", factor.node))
}

fn number(literal: &Literal) -> String {
    let digits: String = literal.number.node.chars().filter(|c| *c != '_').collect();
    let digits = exact::parse(&digits).map_or(digits, |value| exact::canonical(&value));
    literal.unit.as_ref().map_or_else(|| digits.clone(), |unit| format!("{digits} {}", unit.node))
}

fn sign(op: ArithmeticOp) -> &'static str {
    match op {
        ArithmeticOp::Add => "+",
        ArithmeticOp::Subtract => "-",
        ArithmeticOp::Multiply => "*",
        ArithmeticOp::Divide => "/",
    }
}

fn comparison(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Less => "<",
        CompareOp::LessEqual => "<=",
        CompareOp::Equal => "==",
        CompareOp::NotEqual => "!=",
        CompareOp::GreaterEqual => ">=",
        CompareOp::Greater => ">",
    }
}
