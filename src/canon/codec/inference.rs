//! The canonical form of what is estimated, tested and claimed.

use super::{record, variants, words};
use crate::spec::{
    About, Adjustment, BootstrapKind, Claim, Clause, Estimand, EstimandBody, Family, FamilyMembers, FitTarget,
    FittedModel, Gate, GateFailure, Hypothesis, Interval, IntervalMethod, Margin, Measure, Pass, Per, Pick, Polarity,
    Publish, Quantifier, QuantifierKind, Scope, Sides, Test, TestMethod, Trend, ValueTable, Waiver, Zeros,
};

record!(Measure { parameters = "parameters", expr = "expr", undefined = "undefined", kind = "type" });
record!(ValueTable { per = "per", entries = "entries", source = "source" });
record!(Per { factor = "factor", except = "except" set, pair = "pair" });
variants!(EstimandBody { Contrast(expr) = "contrast", Paired { value, filter } = "paired", Reported = "reported", Fitted(model) = "fitted" });
record!(FittedModel { formula = "formula", target = "target", nodes = "nodes", filter = "filter" });
variants!(FitTarget { Without(term) = "without", Coefficient(name) = "coefficient" });
record!(Estimand { per = "per", body = "body", kind = "type" });
record!(Pick {
    factor = "factor",
    largest = "largest",
    expr = "expr",
    per = "per" set,
    ties_refuse = "ties_refuse",
    resample_again = "resample_again",
});
variants!(IntervalMethod {
    BootstrapPercentile { resample, resamples, seed } = "bootstrap_percentile",
    Wilson { cluster, korn_graubard } = "wilson",
    PairedT = "paired_t",
    Bootstrap { kind, resample, resamples, seed } = "bootstrap",
    ClopperPearson { cluster } = "clopper_pearson",
    Jeffreys { cluster } = "jeffreys",
    BetaBinomial { cluster } = "beta_binomial",
    ClusterT { cluster } = "cluster_t",
    Newcombe { cluster } = "newcombe",
    NewcombePaired = "newcombe_paired",
    AgrestiCaffo = "agresti_caffo",
    Fieller { cluster } = "fieller",
    Wald = "wald",
});
words!(BootstrapKind {
    Basic = "basic",
    Bca = "bca",
    Studentised = "studentised",
    MaxT = "max_t",
    SpreadBound = "spread_bound",
});
words!(Zeros { Wilcox = "wilcox", Pratt = "pratt", Split = "split" });
record!(Interval { method = "method", level = "level", over = "over" });
words!(Sides { Two = "two", Greater = "greater", Less = "less" });
variants!(TestMethod {
    Sign { sides, null } = "sign",
    SignFlip { sides, null } = "sign_flip",
    PairedT { sides, null } = "paired_t",
    Permutation { labels, within, draws, seed } = "permutation",
    Wilcoxon { sides, null, zeros } = "wilcoxon",
    Mcnemar { sides, mid_p } = "mcnemar",
    Fisher { sides } = "fisher",
    Equivalence { margin } = "equivalence",
    Hotelling = "hotelling",
    LogRank = "log_rank",
    LikelihoodRatio = "likelihood_ratio",
    Wald { sides } = "wald",
    EquivalenceExact { margin } = "equivalence_exact",
    NonInferiority { margin, higher, exact } = "non_inferiority",
    Spearman { sides, exact } = "spearman",
    PermutationContrast { sides, labels, within, draws, seed } = "permutation_contrast",
    Isotonic { trend, labels, within, draws, seed } = "isotonic",
});
words!(Trend { Up = "up", Down = "down", Either = "either" });
record!(Test { method = "method" });
record!(Margin { low = "low", high = "high", higher = "higher", source = "source" });
words!(Adjustment {
    Holm = "holm",
    Bonferroni = "bonferroni",
    Hochberg = "hochberg",
    BenjaminiHochberg = "benjamini_hochberg",
    Hommel = "hommel",
    BenjaminiYekutieli = "benjamini_yekutieli",
    FixedSequence = "fixed_sequence",
    Graph = "graph",
    Joint = "joint",
    None = "none",
});
record!(FamilyMembers { estimand = "estimand", test = "test", filter = "filter" });
record!(Family {
    members = "members" set,
    within = "within" set,
    adjust = "adjust",
    count = "count",
    sequence = "sequence",
    weights = "weights",
    passes = "passes" set,
    together = "together" set,
});
record!(Pass { from = "from", to = "to", share = "share" });
words!(Polarity { Positive = "positive", Negative = "negative" });
words!(GateFailure { Void = "void", NotEvaluated = "not_evaluated" });
record!(About {
    alias = "alias",
    estimand = "estimand",
    at = "at" set,
    intervals = "intervals" set,
    tests = "tests" set,
});
variants!(QuantifierKind { All = "all", Any = "any", None = "none", AtLeast { at_least, of } = "at_least" });
record!(Quantifier { kind = "kind", factors = "factors" set, when_lost = "when_lost" set });
record!(Scope { quantifiers = "quantifiers", filter = "filter" });
words!(Claim { Primary = "primary", Secondary = "secondary", Exploratory = "exploratory" });
record!(Gate {
    polarity = "polarity",
    about = "about" set,
    scope = "scope",
    per = "per" set,
    set = "set",
    require = "require",
    fail = "fail",
    reason = "reason",
});
record!(Clause { about = "about" set, scope = "scope", evaluable = "evaluable", rule = "rule" });
record!(Hypothesis {
    role = "role",
    descriptive = "descriptive",
    claim = "claim",
    answers = "answers" set,
    about = "about" set,
    scope = "scope",
    grid = "grid",
    sets = "sets",
    requires = "requires" set,
    after = "after" set,
    evaluable = "evaluable",
    clauses = "clauses",
    rule = "rule",
    notes = "notes",
});
record!(Publish { figures = "figures" set });
record!(Waiver { code = "code", on = "on", because = "because" });
