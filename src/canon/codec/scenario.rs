//! The canonical form of assumed truths.

use super::record;
use crate::spec::{Change, Draw, Expectation, Scenario, Variation};

record!(Scenario {
    null = "null",
    words = "words",
    seed = "seed",
    draws = "draws",
    losses = "losses" set,
    expects = "expects" set,
});
record!(Draw { mean = "mean", changes = "changes", varies = "varies" set });
record!(Change { by = "by", times = "times", filter = "filter" });
record!(Variation { within = "within" set, sd = "sd" });
record!(Expectation { hypothesis = "hypothesis", class = "class", at_most = "at_most", share = "share" });
