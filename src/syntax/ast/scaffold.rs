//! Scaffolds as written: roles, prompts, tools and flow.

use super::{Expr, Levels, Literal, Name, Text};
use crate::source::Span;

/// `scaffold NAME "title" { … }`
#[derive(Debug, Clone, PartialEq)]
pub struct Scaffold {
    /// Its name, a level of the factor `scaffold`.
    pub name: Name,
    /// A title.
    pub title: Option<Text>,
    /// `harness "command"`: an external agent instead of roles and a flow.
    pub harness: Option<Text>,
    /// `tools bash, python`: tools of the whole scaffold when it has no roles.
    pub tools: Option<Vec<Name>>,
    /// `role planner { … }`
    pub roles: Vec<Role>,
    /// `flow { … }`
    pub flow: Option<Vec<Step>>,
    /// `limit 200 rounds`, `limit 30 min`.
    pub limits: Vec<Literal>,
    /// `check plan_exists: condition`
    pub checks: Vec<(Name, Expr)>,
}

/// `role NAME { prompt "file"; tools …; reply { … } }`
#[derive(Debug, Clone, PartialEq)]
pub struct Role {
    /// Its name.
    pub name: Name,
    /// The prompt's template file.
    pub prompt: Option<Text>,
    /// `tools none` is an empty list; absent is `None`.
    pub tools: Option<Vec<Name>>,
    /// `reply { done: bool; reason: text optional }`
    pub reply: Vec<TypedName>,
    /// `context fresh` or `context shared`.
    pub context: Option<Name>,
}

/// `name: type optional`
#[derive(Debug, Clone, PartialEq)]
pub struct TypedName {
    /// The field.
    pub name: Name,
    /// Its type.
    pub kind: TypeName,
    /// Whether it may be absent.
    pub optional: bool,
}

/// A type as written.
#[derive(Debug, Clone, PartialEq)]
pub enum TypeName {
    /// `bool`, `text`, `count`, `usd`, `tokens`, `seconds`, `bits`, `proportion`, `number`, `duration`, …
    Named(Name),
    /// `sacrifice | quiet`, `1 | 2`
    Levels(Levels),
}

/// A step of a flow.
#[derive(Debug, Clone)]
pub enum Step {
    /// `planner`, `actor until submit`
    Run {
        /// The role that runs.
        role: Name,
        /// When its own loop ends.
        until: Option<Expr>,
    },
    /// `loop at most 6 rounds until rater.done { … }`
    Loop {
        /// The round limit.
        at_most: Option<Literal>,
        /// When it ends.
        until: Option<Expr>,
        /// Its steps.
        body: Vec<Step>,
        /// Where it stands.
        span: Span,
    },
    /// `fan out at least 2 { worker } merge by merger`
    FanOut {
        /// The smallest number of branches.
        at_least: Option<Literal>,
        /// What each branch runs.
        body: Vec<Step>,
        /// The role that merges.
        merge: Name,
    },
    /// `candidates 3 { actor } select by selector`
    Candidates {
        /// How many candidates.
        count: Literal,
        /// What each candidate runs.
        body: Vec<Step>,
        /// The role that selects.
        select: Name,
    },
    /// `hand over to executor`: a fresh context.
    HandOver {
        /// The role that goes on.
        role: Name,
    },
}

/// `tool NAME { schema "file"; … }`
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: Name,
    /// A JSON schema file.
    pub schema: Option<Text>,
    /// What it does.
    pub description: Option<Text>,
}
