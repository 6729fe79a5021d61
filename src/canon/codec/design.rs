//! The canonical form of factors, arms and the plan.

use super::{record, variants, words};
use crate::spec::{
    Attribute, Design, ExcludedCells, Factor, FactorOrigin, FlowStep, Model, Order, ReplyField, Role, Scaffold,
    SettingValue, Tool,
};

words!(FactorOrigin { Declared = "declared", Models = "models", Scaffolds = "scaffolds" });
record!(Factor { origin = "origin", ordered = "ordered", levels = "levels" });
variants!(Attribute { Word(word) = "word", Number(value) = "number", Text(text) = "text" });
variants!(SettingValue { Omitted = "omitted", Sent(value) = "sent" });
record!(Model {
    provider = "provider",
    id = "id",
    pinned = "pinned",
    attributes = "attributes",
    prices = "prices",
    settings = "settings",
});
record!(ReplyField { kind = "type", optional = "optional" });
record!(Role { prompt = "prompt", tools = "tools" set, reply = "reply", fresh = "fresh" });
variants!(FlowStep {
    Run { role, until } = "run",
    Loop { at_most, until, body } = "loop",
    FanOut { at_least, body, merge } = "fan_out",
    Candidates { count, body, select } = "candidates",
    HandOver { role } = "hand_over",
});
record!(Scaffold {
    title = "title",
    harness = "harness",
    tools = "tools" set,
    roles = "roles",
    flow = "flow",
    limits = "limits" set,
    checks = "checks",
});
record!(Tool { schema = "schema", description = "description" });
record!(ExcludedCells { condition = "condition" });
variants!(Order { Listed = "listed", Shuffled { within, seed } = "shuffled" });
record!(Design {
    cross = "cross" set,
    nest = "nest",
    repeat = "repeat",
    hold = "hold",
    exclude = "exclude" set,
    order = "order",
    minimum = "minimum",
    caps = "caps" set,
    collapse = "collapse",
});
