//! Expressions: precedence has been settled by the grammar; here the shapes become a tree, and what only looks like an
//! expression of the language is refused by name.

use super::super::ast::{ArithmeticOp, Call, CompareOp, Expr, ExprKind, Name, Selector};
use super::super::grammar::Rule;
use super::super::node::{Cursor, Node};
use super::super::read::Reader;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;

/// Longest chain of one operator, or of prefixes, that is read; it bounds the depth of the tree.
const MAX_CHAIN: usize = 256;

fn expr(kind: ExprKind, span: Span) -> Expr {
    Expr { kind: Box::new(kind), span }
}

impl Reader<'_> {
    /// The next expression.
    pub(super) fn find_expr(&mut self, cursor: &mut Cursor<'_>) -> Option<Expr> {
        cursor.find(&[Rule::expr]).and_then(|node| self.expr_of(node))
    }

    /// The expression of an optional part such as `where …`.
    pub(super) fn expr_in(&mut self, cursor: &mut Cursor<'_>, rule: Rule) -> Result<Option<Expr>, ()> {
        match cursor.eat(rule) {
            None => Ok(None),
            Some(node) => self.find_expr(&mut Cursor::new(node)).map(Some).ok_or(()),
        }
    }

    /// An expression; `None` when a mistake in it was reported.
    pub(super) fn expr_of(&mut self, node: &Node) -> Option<Expr> {
        match node.rule {
            Rule::expr => node.parts.first().and_then(|inner| self.expr_of(inner)),
            Rule::or_expr => self.joined(node, Rule::and_expr, ExprKind::Or),
            Rule::and_expr => self.joined(node, Rule::not_expr, ExprKind::And),
            Rule::not_expr => self.negated(node),
            Rule::comparison => self.comparison(node),
            Rule::sum => self.chain(node, Rule::product),
            Rule::product => self.chain(node, Rule::unary),
            Rule::unary => self.unary(node),
            Rule::postfix => self.postfix(node),
            Rule::atom => node.parts.first().and_then(|inner| self.primary(inner)),
            _ => self.primary(node),
        }
    }

    fn joined(&mut self, node: &Node, part: Rule, join: fn(Vec<Expr>) -> ExprKind) -> Option<Expr> {
        let mut members = Vec::new();
        let mut good = true;
        for inner in &node.parts {
            match inner.rule {
                rule if rule == part => match self.expr_of(inner) {
                    Some(member) => members.push(member),
                    None => good = false,
                },
                Rule::foreign_or => self.foreign(inner.span, "or", "conditions are joined with words"),
                Rule::foreign_and => self.foreign(inner.span, "and", "conditions are joined with words"),
                _ => {}
            }
        }
        if !good {
            return None;
        }
        if members.len() == 1 { members.pop() } else { Some(expr(join(members), node.span)) }
    }

    fn negated(&mut self, node: &Node) -> Option<Expr> {
        let mut prefixes = Vec::new();
        let mut inner = None;
        for part in &node.parts {
            match part.rule {
                Rule::k_not => prefixes.push(part.span),
                Rule::foreign_not => {
                    self.foreign(part.span, "not ", "a condition is negated with a word");
                    prefixes.push(part.span);
                }
                _ => inner = Some(part),
            }
        }
        self.short_enough(prefixes.len(), node.span)?;
        let mut value = self.expr_of(inner?)?;
        for prefix in prefixes.into_iter().rev() {
            let span = prefix.to(value.span);
            value = expr(ExprKind::Not(value), span);
        }
        Some(value)
    }

    fn short_enough(&mut self, length: usize, place: Span) -> Option<()> {
        if length <= MAX_CHAIN {
            return Some(());
        }
        self.report(
            Diagnostic::error(Code::TooLarge, place, format!("an expression chains more than {MAX_CHAIN} parts"))
                .help("name parts of it and use the names"),
        );
        None
    }

    fn comparison(&mut self, node: &Node) -> Option<Expr> {
        let (first, tails) = node.parts.split_first()?;
        let compared: Vec<&Node> = tails.iter().filter(|tail| tail.rule == Rule::comparison_tail).collect();
        if tails.len() > 1 {
            self.chained(node, &compared);
            return None;
        }
        let Some(tail) = tails.first() else { return self.expr_of(first) };
        match tail.rule {
            Rule::is_tail => self.is_tail(first, tail, node.span),
            Rule::in_tail => {
                let subject = self.expr_of(first)?;
                let (low, high) = match tail.parts.last().filter(|part| part.rule == Rule::name) {
                    Some(band) => (self.primary(band)?, self.primary(band)?),
                    None => self.range_below(tail)?,
                };
                Some(expr(ExprKind::Within(subject, low, high), node.span))
            }
            Rule::ends_tail => {
                let subject = self.expr_of(first)?;
                let endings = self.rest_texts(&mut Cursor::new(tail));
                Some(expr(ExprKind::EndsWith(subject, endings), node.span))
            }
            _ => {
                let left = self.expr_of(first);
                let mut parts = Cursor::new(tail);
                let operator = parts.next()?;
                let right = parts.next().and_then(|right| self.expr_of(right));
                let operator = self.relation(operator)?;
                Some(expr(ExprKind::Compare(left?, operator, right?), node.span))
            }
        }
    }

    fn chained(&mut self, node: &Node, compared: &[&Node]) {
        let operands: Vec<Span> = node
            .parts
            .iter()
            .filter_map(|part| if part.rule == Rule::comparison_tail { part.parts.last() } else { Some(part) })
            .map(|part| part.span)
            .collect();
        let diagnostic = Diagnostic::error(Code::ForeignSpelling, node.span, "comparisons cannot be chained")
            .help("compare two things at a time and join the comparisons with `and`");
        if let ([a, b, c], [first, second]) = (operands.as_slice(), compared) {
            let operator = |tail: &Node| tail.parts.first().map_or("", |operator| self.text(operator.span)).to_owned();
            let (a, b, c) = (self.text(*a), self.text(*b), self.text(*c));
            let apart = format!("{a} {} {b} and {b} {} {c}", operator(first), operator(second));
            self.report(diagnostic.fix("compare twice", node.span, apart));
        } else {
            self.report(diagnostic);
        }
    }

    /// The operator; foreign ones are refused by name and read as what they mean, vague ones have no meaning.
    fn relation(&mut self, node: &Node) -> Option<CompareOp> {
        let written = self.text(node.span).to_owned();
        Some(match node.rule {
            Rule::less => CompareOp::Less,
            Rule::less_equal => CompareOp::LessEqual,
            Rule::equal => CompareOp::Equal,
            Rule::not_equal => CompareOp::NotEqual,
            Rule::greater_equal => CompareOp::GreaterEqual,
            Rule::greater => CompareOp::Greater,
            Rule::vague => {
                self.report(
                    Diagnostic::error(Code::VagueRelation, node.span, format!("`{written}` does not say how close"))
                        .label("a margin is missing")
                        .help("declare a margin and compare with it: `x in [-near_enough, near_enough]`, or an interval inside the band"),
                );
                return None;
            }
            _ => {
                let (operator, right) = match written.as_str() {
                    "≥" | "=>" => (CompareOp::GreaterEqual, ">="),
                    "≤" | "=<" => (CompareOp::LessEqual, "<="),
                    "≠" | "<>" => (CompareOp::NotEqual, "!="),
                    _ => (CompareOp::Equal, "=="),
                };
                self.foreign(node.span, right, "a comparison is spelt otherwise here");
                operator
            }
        })
    }

    fn is_tail(&mut self, first: &Node, tail: &Node, span: Span) -> Option<Expr> {
        let mut cursor = Cursor::new(tail);
        cursor.eat(Rule::k_is);
        let negated = cursor.eat(Rule::k_not).is_some();
        let subject = self.expr_of(first)?;
        if let Some(list) = cursor.eat(Rule::one_of) {
            let atoms = list.parts.iter().filter(|part| part.rule == Rule::atom);
            let members: Option<Vec<Expr>> = atoms.map(|atom| self.expr_of(atom)).collect();
            let value = expr(ExprKind::OneOf(subject, members?), span);
            return Some(if negated { expr(ExprKind::Not(value), span) } else { value });
        }
        let ExprKind::Name(name) = *subject.kind else {
            self.report(
                Diagnostic::error(
                    Code::UnexpectedToken,
                    subject.span,
                    "`is` asks for the verdict of something that has a name",
                )
                .help("write the name of a hypothesis, clause or gate before `is`; compare values with `==`"),
            );
            return None;
        };
        let label = self.find_name(&mut cursor)?;
        let some = self.name_in(&mut cursor, Rule::some_tail);
        Some(expr(ExprKind::Is { subject: Name::new(name, subject.span), negated, label, some }, span))
    }

    /// `[low, high]` somewhere below a node.
    pub(super) fn range_below(&mut self, node: &Node) -> Option<(Expr, Expr)> {
        let range =
            if node.rule == Rule::range { node } else { node.parts.iter().find(|part| part.rule == Rule::range)? };
        let mut cursor = Cursor::new(range);
        let low = self.find_expr(&mut cursor);
        let high = self.find_expr(&mut cursor);
        Some((low?, high?))
    }

    /// `a + b - c`, from the left.
    fn chain(&mut self, node: &Node, part: Rule) -> Option<Expr> {
        self.short_enough(node.parts.len() / 2, node.span)?;
        let mut value: Option<Expr> = None;
        let mut operator = None;
        let mut good = true;
        for inner in &node.parts {
            if inner.rule != part {
                operator = Some(self.arithmetic(inner));
                continue;
            }
            match (self.expr_of(inner), value.take(), operator.take()) {
                (Some(right), Some(left), Some(operator)) => {
                    let span = left.span.to(right.span);
                    value = Some(expr(ExprKind::Arithmetic(left, operator, right), span));
                }
                (Some(first), None, _) => value = Some(first),
                (_, left, _) => {
                    good = false;
                    value = left;
                }
            }
        }
        value.filter(|_| good)
    }

    fn arithmetic(&mut self, node: &Node) -> ArithmeticOp {
        let (operator, right) = match node.rule {
            Rule::plus => (ArithmeticOp::Add, "+"),
            Rule::star => (ArithmeticOp::Multiply, "*"),
            Rule::slash => (ArithmeticOp::Divide, "/"),
            _ => (ArithmeticOp::Subtract, "-"),
        };
        if self.text(node.span) != right {
            self.foreign(node.span, right, "an operator is spelt otherwise here");
        }
        operator
    }

    fn unary(&mut self, node: &Node) -> Option<Expr> {
        let (last, signs) = node.parts.split_last()?;
        self.short_enough(signs.len(), node.span)?;
        let mut value = self.expr_of(last)?;
        for sign in signs.iter().rev() {
            self.arithmetic(sign);
            let span = sign.span.to(value.span);
            value = expr(ExprKind::Negate(value), span);
        }
        Some(value)
    }

    fn postfix(&mut self, node: &Node) -> Option<Expr> {
        self.short_enough(node.parts.len(), node.span)?;
        let mut parts = node.parts.iter();
        let base = parts.next()?;
        let mut value = self.primary(base);
        for part in parts {
            if part.rule == Rule::selectors {
                let selectors = self.selectors_of(part);
                value = value.map(|inner| {
                    let span = inner.span.to(part.span);
                    expr(ExprKind::At(inner, selectors), span)
                });
                continue;
            }
            if base.rule != Rule::paren || node.parts.len() > 2 {
                let whole = node.parts.iter().take_while(|part| part.rule != Rule::for_tail).map(|part| part.span);
                let whole = whole.reduce(Span::to)?;
                let bracketed = format!("({})", self.text(whole));
                self.report(
                    Diagnostic::error(Code::MissingToken, whole, "`for` restricts an expression in brackets")
                        .help("put what it restricts in brackets")
                        .fix("add the brackets", whole, bracketed),
                );
                return None;
            }
            let condition = part.parts.iter().find(|part| part.rule == Rule::for_condition);
            let condition = condition.and_then(|condition| self.for_condition(condition))?;
            value = value.map(|inner| expr(ExprKind::For(inner, condition), node.span));
        }
        value
    }

    fn for_condition(&mut self, node: &Node) -> Option<Expr> {
        let Some(level) = node.parts.last().filter(|part| part.rule == Rule::for_level) else {
            return self.negated(node);
        };
        let mut parts = level.parts.iter();
        let (left, operator, right) = (parts.next()?, parts.next()?, parts.next()?);
        let operator = self.relation(operator)?;
        let mut value = expr(ExprKind::Compare(self.expr_of(left)?, operator, self.expr_of(right)?), level.span);
        for _ in 1..node.parts.len() {
            value = expr(ExprKind::Not(value), node.span);
        }
        Some(value)
    }

    /// `[s2, model: opus]`
    pub(super) fn selectors_of(&self, node: &Node) -> Vec<Selector> {
        let selectors = node.parts.iter().filter(|part| part.rule == Rule::selector);
        selectors
            .filter_map(|selector| {
                let mut cursor = Cursor::new(selector);
                let factor = cursor.eat(Rule::name).map(|name| self.name_of(name));
                let level = cursor.find(&[Rule::level]).map(|level| self.name_of(level))?;
                Some(Selector { factor, level })
            })
            .collect()
    }

    fn primary(&mut self, node: &Node) -> Option<Expr> {
        Some(match node.rule {
            // The brackets belong to the place, so that a fix can put an operator behind them.
            Rule::paren => {
                let inner = self.find_expr(&mut Cursor::new(node))?;
                Expr { kind: inner.kind, span: node.span }
            }
            Rule::literal => expr(ExprKind::Number(self.literal_of(node)?), node.span),
            Rule::string | Rule::foreign_string => expr(ExprKind::Text(self.text_of(node).node), node.span),
            Rule::operand | Rule::name => expr(ExprKind::Name(self.text(node.span).to_owned()), node.span),
            Rule::path => {
                let [owner, field] = node.parts.as_slice() else { return None };
                expr(ExprKind::Path(self.name_of(owner), self.name_of(field)), node.span)
            }
            Rule::call => self.call(node)?,
            _ => return None,
        })
    }

    fn call(&mut self, node: &Node) -> Option<Expr> {
        let function = node.parts.first().map(|name| self.name_of(name))?;
        let mut call = Call { function, arguments: Vec::new(), over: Vec::new(), filter: None };
        let mut good = true;
        for part in &node.parts {
            match part.rule {
                Rule::expr => match self.expr_of(part) {
                    Some(argument) => call.arguments.push(argument),
                    None => good = false,
                },
                Rule::over_tail => call.over = self.names_below(part),
                Rule::where_tail => {
                    call.filter = self.find_expr(&mut Cursor::new(part));
                    good &= call.filter.is_some();
                }
                _ => {}
            }
        }
        good.then(|| expr(ExprKind::Call(call), node.span))
    }
}
