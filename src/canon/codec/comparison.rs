//! The canonical form of comparisons and orders of arms.

use super::{record, variants, words};
use crate::spec::{Comparison, ComparisonLine, Objective, Precedence, RankOrder, Ranking, RankingKind};

record!(Comparison {
    lines = "lines" set,
    within = "within" set,
    adjust = "adjust",
    level = "level",
    minimum = "minimum",
    precedence = "precedence",
    set = "set",
    count = "count",
});
record!(ComparisonLine {
    estimand = "estimand",
    difference = "difference",
    equivalence = "equivalence",
    intervals = "intervals" set,
    higher = "higher",
});
words!(Precedence { Difference = "difference", Equivalence = "equivalence" });
record!(Ranking { kind = "kind", set = "set" });
variants!(RankingKind {
    Findings { comparison, order } = "findings",
    Estimate { estimand, largest, ranked } = "estimate",
    Front { objectives, ranked, draws } = "front",
});
record!(Objective { estimand = "estimand", higher = "higher" });
words!(RankOrder { Inclusion = "inclusion", Count = "count" });
