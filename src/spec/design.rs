//! Factors, arms and what is planned.

use std::collections::BTreeMap;

use super::{InputFile, Name, Quantity, RecordExpr};

/// Where a factor's levels come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FactorOrigin {
    /// A `factor` declaration.
    Declared,
    /// The `model` declarations.
    Models,
    /// The `scaffold` declarations.
    Scaffolds,
}

/// A named set of levels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Factor {
    /// Where the levels come from.
    pub origin: FactorOrigin,
    /// Whether the order of the levels is meaning.
    pub ordered: bool,
    /// The levels; sorted by name unless ordered. An ordered `model` factor is sorted by tier.
    pub levels: Vec<Name>,
}

/// A word, number or text given to a model's attribute or setting.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Attribute {
    /// A bare word.
    Word(Name),
    /// A number with its dimension.
    Number(Quantity),
    /// A text.
    Text(String),
}

/// A setting sent to the provider.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SettingValue {
    /// Not sent at all, which differs from any value.
    Omitted,
    /// Sent with this value.
    Sent(Attribute),
}

/// A model and how it is pinned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// `anthropic`, `openai`, …
    pub provider: Name,
    /// The provider's id.
    pub id: String,
    /// `dated`, `canonical` or `preview`.
    pub pinned: Name,
    /// Attributes such as `provider_family` and `tier`.
    pub attributes: BTreeMap<Name, Attribute>,
    /// Price lists by date (`YYYY-MM-DD`).
    pub prices: BTreeMap<String, PriceList>,
    /// Settings.
    pub settings: BTreeMap<Name, SettingValue>,
}

/// Prices per token stream, exact, in micro-dollars per million tokens.
pub type PriceList = BTreeMap<Name, i64>;

/// A scaffold: roles, prompts, tools and flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scaffold {
    /// Its title.
    pub title: String,
    /// The external agent's command, when it is a harness.
    pub harness: Option<String>,
    /// All tools any of its roles can call; sorted.
    pub tools: Vec<Name>,
    /// Roles.
    pub roles: BTreeMap<Name, Role>,
    /// The flow; empty for a harness or a scaffold that is only named.
    pub flow: Vec<FlowStep>,
    /// Limits of one attempt, sorted.
    pub limits: Vec<Quantity>,
    /// Fidelity checks, as their text in the canonical spelling of the formatter.
    pub checks: BTreeMap<Name, String>,
}

/// A role of a scaffold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    /// Its prompt.
    pub prompt: Option<InputFile>,
    /// Its tools, sorted; empty for `none`.
    pub tools: Vec<Name>,
    /// What a structured reply holds, by field.
    pub reply: BTreeMap<Name, ReplyField>,
    /// Whether it starts from an empty context.
    pub fresh: bool,
}

/// A field of a structured reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyField {
    /// Its type's word: `bool`, `text`, `count`, `number`.
    pub kind: Name,
    /// Whether it may be absent.
    pub optional: bool,
}

/// A step of a flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FlowStep {
    /// A role runs.
    Run {
        /// The role.
        role: Name,
        /// When its own tool loop ends, as text.
        until: Option<String>,
    },
    /// Steps repeat.
    Loop {
        /// The largest number of rounds.
        at_most: u64,
        /// When the loop ends, as text.
        until: Option<String>,
        /// The steps.
        body: Vec<FlowStep>,
    },
    /// Branches run and are merged.
    FanOut {
        /// The smallest number of branches.
        at_least: u64,
        /// The steps of a branch.
        body: Vec<FlowStep>,
        /// The role that merges.
        merge: Name,
    },
    /// Candidates are made and one is chosen.
    Candidates {
        /// How many.
        count: u64,
        /// The steps of a candidate.
        body: Vec<FlowStep>,
        /// The role that selects.
        select: Name,
    },
    /// A role goes on with a fresh context.
    HandOver {
        /// The role.
        role: Name,
    },
}

/// A tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// Its JSON schema.
    pub schema: Option<InputFile>,
    /// What it does.
    pub description: String,
}

/// What is planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Design {
    /// The crossed factors, sorted; the unit is always crossed with them.
    pub cross: Vec<Name>,
    /// Inner factor to outer factor or attribute.
    pub nest: BTreeMap<Name, Name>,
    /// Planned replicates per cell and unit.
    pub repeat: u64,
    /// What is held fixed.
    pub hold: BTreeMap<Name, String>,
    /// Cells that are never run.
    pub exclude: Vec<ExcludedCells>,
    /// The order of the units.
    pub order: Order,
    /// The smallest number of units per cell of these factors.
    pub minimum: Option<(u64, Vec<Name>)>,
    /// Caps per `attempt`, `arm` or `study`: what and how much.
    pub caps: Vec<(Name, Quantity)>,
    /// How repeats of an outcome become one value before a test: outcome to `mean`, `any`, `all`, `first`.
    pub collapse: BTreeMap<Name, Name>,
}

/// `exclude move == best where kind == sacrifice`
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExcludedCells {
    /// Which cells, over factors, task attributes and the field `repeat`, the replicate's number from 1, unless an attribute is
    /// called so; both conditions joined.
    pub condition: RecordExpr,
}

/// The order in which units run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    /// As listed.
    Listed,
    /// Shuffled; the seed derives from the freeze unless it is given.
    Shuffled {
        /// The block that is shuffled inside.
        within: Option<Name>,
        /// An explicit seed.
        seed: Option<u64>,
    },
}
