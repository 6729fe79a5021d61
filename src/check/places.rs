//! Where things of the checked study stand in the source. Kept beside the study, never in it: a frozen study has no source.

use std::collections::BTreeMap;

use crate::source::Span;
use crate::spec::Name;

/// Kinds of declarations that have a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// `study`
    Study,
    /// `factor`
    Factor,
    /// `model`
    Model,
    /// `scaffold`
    Scaffold,
    /// `tool`
    Tool,
    /// `tasks`
    Tasks,
    /// `design`
    Design,
    /// `outcome`, `flag`
    Field,
    /// `analysis_set`
    Set,
    /// `measure`
    Measure,
    /// `value`
    Value,
    /// `estimand`, `paired`
    Estimand,
    /// `pick`
    Pick,
    /// `interval`
    Interval,
    /// `test`
    Test,
    /// `margin`
    Margin,
    /// `family`
    Family,
    /// `gate`, `control`
    Gate,
    /// `hypothesis`
    Hypothesis,
    /// `conclusion`
    Conclusion,
    /// `publish`
    Publish,
    /// `compare`
    Compare,
    /// `ranking`
    Ranking,
    /// `looks`
    Looks,
    /// `scenario`
    Scenario,
    /// `results`
    Results,
    /// `waive`, named by its code and what it is waived for
    Waive,
}

/// A place inside a declaration.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Its name.
    Name,
    /// The claim's text.
    Claim,
    /// The rule of the hypothesis, or of this clause.
    Rule(Option<Name>),
    /// A case of a rule: clause, index as written.
    Case(Option<Name>, usize),
    /// The condition of a case.
    When(Option<Name>, usize),
    /// The scope of the hypothesis, or of this clause.
    Scope(Option<Name>),
    /// The `about` line with this index, of the hypothesis or of this clause.
    About(Option<Name>, usize),
    /// The `evaluable` line.
    Evaluable(Option<Name>),
    /// An `after` line.
    After(usize),
    /// A clause of a hypothesis.
    Clause(Name),
    /// The expression of a measure, estimand or paired difference; a gate's `require`.
    Expr,
    /// The sentence of a conclusion.
    Say(usize),
    /// A `members` line.
    Members(usize),
    /// A `count`.
    Count,
    /// Sets named by a hypothesis.
    Sets,
}

/// Places by declaration and part.
#[derive(Debug, Clone, Default)]
pub struct Places {
    map: BTreeMap<(Kind, Name, Part), Span>,
}

impl Places {
    /// Records a place; the first one stays.
    pub fn put(&mut self, kind: Kind, name: &str, part: Part, span: Span) {
        self.map.entry((kind, name.to_owned(), part)).or_insert(span);
    }

    /// The place of a part, else of the declaration's name, else the start of the file.
    #[must_use]
    pub fn get(&self, kind: Kind, name: &str, part: &Part) -> Span {
        self.map
            .get(&(kind, name.to_owned(), part.clone()))
            .or_else(|| self.map.get(&(kind, name.to_owned(), Part::Name)))
            .copied()
            .unwrap_or_default()
    }
}
