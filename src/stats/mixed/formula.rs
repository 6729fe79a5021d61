//! The text of a model: `y ~ 1 + a * b + (1 | unit) + (1 | unit:a)`.
//!
//! Owns the grammar, the expansion of `*` and the canonical text; it knows no data. The grammar is the part of lme4's that means
//! the same thing in both: a response, main effects and interactions, and random intercepts. What it leaves out (random
//! slopes, removed intercepts, functions of columns) it refuses, saying what to write.

use std::collections::BTreeSet;
use std::fmt;

/// The longest formula that is read, in bytes.
const LONGEST: usize = 4_096;
/// The most factors of one product `a * b * ...`, whose expansion doubles with each.
const MOST_FACTORS: usize = 6;

/// A main effect, an interaction, or the grouping of a random intercept: one or more names, sorted, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    names: Vec<String>,
}

impl Term {
    /// The term of these names; their order and repetitions do not matter.
    #[must_use]
    pub fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let names: BTreeSet<&str> = names.into_iter().collect();
        Self { names: names.into_iter().map(str::to_owned).collect() }
    }

    /// The names, sorted bytewise.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether every name of `other` is one of this term's.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        other.names.iter().all(|name| self.names.contains(name))
    }

    /// The same without one name; without names when that was the only one.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        Self { names: self.names.iter().filter(|own| *own != name).cloned().collect() }
    }

    fn joined(&self, other: &Self) -> Self {
        Self::of(self.names.iter().chain(&other.names).map(String::as_str))
    }
}

impl PartialOrd for Term {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Term {
    /// Main effects before interactions, then bytewise by name.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.names.len().cmp(&other.names.len()).then_with(|| self.names.cmp(&other.names))
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names.join(":"))
    }
}

/// What is modelled, on what, with which random intercepts. The fixed intercept is always there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    response: String,
    fixed: BTreeSet<Term>,
    random: BTreeSet<Term>,
}

impl Formula {
    /// Reads a formula.
    pub fn parse(text: &str) -> Result<Self, FormulaError> {
        if text.len() > LONGEST {
            return Err(FormulaError { at: LONGEST, fault: FormulaFault::TooLong });
        }
        Reader { text, at: 0 }.formula()
    }

    /// The name of the modelled column.
    #[must_use]
    pub fn response(&self) -> &str {
        &self.response
    }

    /// Fixed effects beside the intercept, in canonical order.
    #[must_use]
    pub fn fixed(&self) -> &BTreeSet<Term> {
        &self.fixed
    }

    /// The groupings of the random intercepts, in canonical order.
    #[must_use]
    pub fn random(&self) -> &BTreeSet<Term> {
        &self.random
    }
}

impl fmt::Display for Formula {
    /// The canonical text: products expanded, names and terms sorted, repetitions gone. Two formulas are the same model
    /// exactly when these texts are equal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ~ 1", self.response)?;
        for term in &self.fixed {
            write!(f, " + {term}")?;
        }
        for term in &self.random {
            write!(f, " + (1 | {term})")?;
        }
        Ok(())
    }
}

/// A formula that cannot be read, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaError {
    /// Offset in bytes from the start of the text.
    pub at: usize,
    /// What is wrong there.
    pub fault: FormulaFault,
}

/// What is wrong with a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormulaFault {
    /// It is longer than 4,096 bytes.
    TooLong,
    /// A name should stand here.
    NameExpected,
    /// This sign should stand here.
    SignExpected(char),
    /// A character that no formula has.
    Unreadable(char),
    /// The intercept is taken out with `0` or `- 1`.
    NoIntercept,
    /// A term is taken out with `-`.
    Removal,
    /// A number other than 1 stands as a term.
    Number,
    /// A random slope, or several names before the bar.
    RandomSlope,
    /// A slash in a grouping.
    Nesting,
    /// A function of columns, or brackets around fixed terms.
    Brackets,
    /// The response stands among its own predictors.
    ResponseAsPredictor(String),
    /// A product of more factors than are expanded.
    TooManyFactors,
}

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {} of the formula: ", self.at)?;
        match &self.fault {
            FormulaFault::TooLong => write!(f, "it is longer than {LONGEST} bytes; name fewer terms"),
            FormulaFault::NameExpected => {
                f.write_str("a column's name should stand here; a whole formula reads `y ~ a * b + (1 | unit)`")
            }
            FormulaFault::SignExpected(sign) => write!(f, "`{sign}` should stand here"),
            FormulaFault::Unreadable(found) => write!(
                f,
                "`{found}` has no meaning in a formula; names have letters, digits, `_` and `.`, terms are joined by `+`, `*` or `:`"
            ),
            FormulaFault::NoIntercept => f.write_str(
                "the intercept cannot be taken out, because without it the other coefficients change their meaning; write `1`, \
                 and read a cell's value as the sum of its coefficients",
            ),
            FormulaFault::Removal => f.write_str("terms cannot be taken out with `-`; write the terms that stay, joined by `+`"),
            FormulaFault::Number => f.write_str("the only number that can stand as a term is `1`, the intercept"),
            FormulaFault::RandomSlope => f.write_str(
                "only random intercepts are fitted; write `(1 | unit)`, and for an effect that differs by unit `(1 | unit:effect)`",
            ),
            FormulaFault::Nesting => {
                f.write_str("write `(1 | a/b)` out as its two intercepts, `(1 | a) + (1 | a:b)`")
            }
            FormulaFault::Brackets => f.write_str(
                "brackets hold random intercepts only; write fixed terms without brackets, and compute functions of a column as a \
                 column of their own",
            ),
            FormulaFault::ResponseAsPredictor(name) => {
                write!(f, "`{name}` is what is modelled, so it cannot explain itself; take this term out")
            }
            FormulaFault::TooManyFactors => {
                write!(f, "a product of more than {MOST_FACTORS} factors is not expanded; write the terms that matter")
            }
        }
    }
}

impl std::error::Error for FormulaError {}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&mut self) -> Option<char> {
        self.at += self.rest().len() - self.rest().trim_start().len();
        self.rest().chars().next()
    }

    fn fail<T>(&self, fault: FormulaFault) -> Result<T, FormulaError> {
        Err(FormulaError { at: self.at, fault })
    }

    fn take(&mut self, sign: char) -> bool {
        let found = self.peek() == Some(sign);
        if found {
            self.at += sign.len_utf8();
        }
        found
    }

    fn expect(&mut self, sign: char) -> Result<(), FormulaError> {
        if self.take(sign) { Ok(()) } else { self.fail(FormulaFault::SignExpected(sign)) }
    }

    fn word(&mut self) -> &'t str {
        self.peek();
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    }

    fn name(&mut self) -> Result<&'t str, FormulaError> {
        let word = self.word();
        if word.chars().next().is_none_or(char::is_numeric) {
            return match self.peek() {
                Some(c) if !(c.is_numeric() || "~+*:()|-/".contains(c)) => self.fail(FormulaFault::Unreadable(c)),
                _ => self.fail(FormulaFault::NameExpected),
            };
        }
        self.at += word.len();
        Ok(word)
    }

    fn formula(mut self) -> Result<Formula, FormulaError> {
        let response = self.name()?.to_owned();
        if self.peek() == Some('(') {
            return self.fail(FormulaFault::Brackets);
        }
        self.expect('~')?;
        let mut formula = Formula { response, fixed: BTreeSet::new(), random: BTreeSet::new() };
        loop {
            self.peek();
            let start = self.at;
            self.term(&mut formula)?;
            let own = Term::of([formula.response.as_str()]);
            if formula.fixed.iter().chain(&formula.random).any(|term| term.contains(&own)) {
                let fault = FormulaFault::ResponseAsPredictor(formula.response);
                return Err(FormulaError { at: start, fault });
            }
            match self.peek() {
                None => return Ok(formula),
                Some('+') => self.at += 1,
                Some('-') => return self.removal(),
                Some('(') => return self.fail(FormulaFault::Brackets),
                Some('|' | ')' | '~' | '/' | ':' | '*') => return self.fail(FormulaFault::SignExpected('+')),
                Some(c) if c.is_alphanumeric() => return self.fail(FormulaFault::SignExpected('+')),
                Some(c) => return self.fail(FormulaFault::Unreadable(c)),
            }
        }
    }

    fn removal<T>(&mut self) -> Result<T, FormulaError> {
        let at = self.at;
        self.at += 1;
        let fault = if self.word() == "1" { FormulaFault::NoIntercept } else { FormulaFault::Removal };
        Err(FormulaError { at, fault })
    }

    fn term(&mut self, formula: &mut Formula) -> Result<(), FormulaError> {
        if self.peek() == Some('-') {
            return self.removal();
        }
        if self.take('(') {
            let grouping = self.random_intercept()?;
            formula.random.insert(grouping);
            return Ok(());
        }
        match self.word() {
            "1" => self.at += 1,
            "0" => return self.fail(FormulaFault::NoIntercept),
            word if word.chars().next().is_some_and(char::is_numeric) => return self.fail(FormulaFault::Number),
            _ => formula.fixed.extend(self.product()?),
        }
        Ok(())
    }

    /// `a:b * c`: every way to multiply some of the factors.
    fn product(&mut self) -> Result<BTreeSet<Term>, FormulaError> {
        let mut terms = BTreeSet::new();
        let mut factors = 0;
        loop {
            if factors == MOST_FACTORS {
                return self.fail(FormulaFault::TooManyFactors);
            }
            let factor = self.interaction()?;
            let longer: Vec<Term> = terms.iter().map(|term: &Term| term.joined(&factor)).collect();
            terms.extend(longer);
            terms.insert(factor);
            factors += 1;
            if !self.take('*') {
                return Ok(terms);
            }
        }
    }

    fn interaction(&mut self) -> Result<Term, FormulaError> {
        let mut names = vec![self.name()?];
        while self.take(':') {
            names.push(self.name()?);
        }
        Ok(Term::of(names))
    }

    /// After the opening bracket: `1 | unit:a)`.
    fn random_intercept(&mut self) -> Result<Term, FormulaError> {
        let start = self.at;
        let (slope, bar) = match (self.rest().find('|'), self.rest().find(')')) {
            (Some(bar), close) if close.is_none_or(|close| bar < close) => {
                (self.rest().get(..bar).unwrap_or_default().trim(), bar)
            }
            _ => return self.fail(FormulaFault::Brackets),
        };
        if slope != "1" {
            return self.fail(FormulaFault::RandomSlope);
        }
        self.at = start + bar;
        self.expect('|')?;
        let grouping = self.interaction()?;
        match self.peek() {
            Some('/') => self.fail(FormulaFault::Nesting),
            _ => self.expect(')').map(|()| grouping),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Formula, FormulaFault};

    fn canonical(text: &str) -> String {
        Formula::parse(text).unwrap().to_string()
    }

    #[test]
    fn products_expand_and_terms_sort() {
        assert_eq!(canonical("y~b*a+(1|unit)"), "y ~ 1 + a + b + a:b + (1 | unit)");
        assert_eq!(canonical("y ~ 1 + a + b + b:a + ( 1 | unit )"), canonical("y ~ b * a + (1 | unit)"));
        assert_eq!(
            canonical("ok ~ z + a*b*c + (1|t:s) + (1|t)"),
            "ok ~ 1 + a + b + c + z + a:b + a:c + b:c + a:b:c + (1 | t) + (1 | s:t)"
        );
        assert_eq!(canonical("y ~ a:b * c"), "y ~ 1 + c + a:b + a:b:c");
        assert_eq!(canonical("y ~ 1"), "y ~ 1");
        assert_eq!(canonical("y ~ a + a + a:a + (1|u) + (1|u)"), "y ~ 1 + a + (1 | u)");
        assert_eq!(canonical("höhe_1.x ~ größe"), "höhe_1.x ~ 1 + größe");
    }

    #[test]
    fn the_canonical_text_reads_back_as_itself() {
        for text in ["y ~ a*b + (1|u:a) + (1|u)", "y ~ 1", "y ~ a:b + c"] {
            let formula = Formula::parse(text).unwrap();
            assert_eq!(Formula::parse(&formula.to_string()), Ok(formula));
        }
    }

    #[test]
    fn every_refusal_has_its_place() {
        let cases = [
            ("", 0, FormulaFault::NameExpected),
            ("~ a", 0, FormulaFault::NameExpected),
            ("y", 1, FormulaFault::SignExpected('~')),
            ("y ~", 3, FormulaFault::NameExpected),
            ("y ~ a +", 7, FormulaFault::NameExpected),
            ("y ~ a b", 6, FormulaFault::SignExpected('+')),
            ("y ~ a ^ b", 6, FormulaFault::Unreadable('^')),
            ("y ~ ^", 4, FormulaFault::Unreadable('^')),
            ("y ~ 0 + a", 4, FormulaFault::NoIntercept),
            ("y ~ a - 1", 6, FormulaFault::NoIntercept),
            ("y ~ - 1 + a", 4, FormulaFault::NoIntercept),
            ("y ~ a - b", 6, FormulaFault::Removal),
            ("y ~ 2", 4, FormulaFault::Number),
            ("y ~ (x | u)", 5, FormulaFault::RandomSlope),
            ("y ~ (1 + x | u)", 5, FormulaFault::RandomSlope),
            ("y ~ (1 | a/b)", 10, FormulaFault::Nesting),
            ("y ~ (a + b)", 5, FormulaFault::Brackets),
            ("y ~ log(a)", 7, FormulaFault::Brackets),
            ("cbind(k, m) ~ a", 5, FormulaFault::Brackets),
            ("y ~ (1 | u", 10, FormulaFault::SignExpected(')')),
            ("y ~ a + y", 8, FormulaFault::ResponseAsPredictor("y".into())),
            ("y ~ (1 | y)", 4, FormulaFault::ResponseAsPredictor("y".into())),
            ("y ~ a*b*c*d*e*f*g", 16, FormulaFault::TooManyFactors),
        ];
        for (text, at, fault) in cases {
            let error = Formula::parse(text).unwrap_err();
            assert_eq!((error.at, &error.fault), (at, &fault), "{text}: {error}");
            assert!(error.to_string().len() > 20);
        }
        assert_eq!(Formula::parse(&"y".repeat(5_000)).unwrap_err().fault, FormulaFault::TooLong);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[y~a-c0-2+*:()|/ ^ü-]{0,40}") {
            match Formula::parse(&text) {
                Ok(formula) => proptest::prop_assert_eq!(Formula::parse(&formula.to_string()).unwrap(), formula),
                Err(error) => proptest::prop_assert!(error.at <= text.len()),
            }
        }
    }
}
