//! The canonical form of expressions: the tree as it stands.

use super::{record, variants, words};
use crate::spec::{
    Aggregate, AggregateKind, ArithmeticOp, Expr, LevelRef, RecordExpr, ReduceKind, Relation, Statistic,
};

words!(Relation {
    Less = "lt",
    LessEqual = "le",
    Equal = "eq",
    NotEqual = "ne",
    GreaterEqual = "ge",
    Greater = "gt",
});
words!(ArithmeticOp { Add = "add", Subtract = "sub", Multiply = "mul", Divide = "div" });
words!(ReduceKind { Spread = "spread", Max = "max", Min = "min", Sum = "sum", Product = "product", Mean = "mean", MeanDefined = "mean_defined" });

variants!(LevelRef { Level(name) = "level", Parameter(name) = "parameter", Picked(name) = "picked", Next = "next" });

variants!(RecordExpr {
    Bool(value) = "bool",
    Number(value) = "number",
    Text(value) = "text",
    Level(name) = "level",
    Field(name) = "field",
    Factor(name) = "factor",
    At(inner, cell) = "at",
    Flagged(name) = "flagged",
    State(class) = "state",
    Present(inner) = "present",
    EndsWith(inner, endings) = "ends_with",
    OneOf(inner, levels) = "one_of",
    Not(inner) = "not",
    And(parts) = "and",
    Or(parts) = "or",
    Compare(left, relation, right) = "compare",
    Arithmetic(left, op, right) = "arithmetic",
    Negate(inner) = "negate",
    Abs(inner) = "abs",
    Log(inner) = "log",
    Step(name) = "step",
});

variants!(AggregateKind {
    Mean = "mean",
    Rate = "rate",
    Sum = "sum",
    Count = "count",
    Median = "median",
    Quantile(at) = "quantile",
    Sd = "sd",
    Min = "min",
    Max = "max",
    Phi = "phi",
    Statistic(statistic) = "statistic",
});

variants!(Statistic {
    Auroc = "auroc",
    AveragePrecision = "average_precision",
    Precision = "precision",
    Recall = "recall",
    F1 = "f1",
    Kappa = "kappa",
    Pearson = "pearson",
    Spearman = "spearman",
    Kendall = "kendall",
    Brier = "brier",
    LogLoss = "log_loss",
    CalibrationError { bins } = "calibration_error",
    PassAt { attempts } = "pass_at",
    PassAll { attempts } = "pass_all",
    MedianSurvival = "median_survival",
    SurvivalAt = "survival_at",
    RestrictedMean = "restricted_mean",
    SpearmanWithin = "spearman_within",
    KendallWithin = "kendall_within",
    GroupsWithout = "groups_without",
    TheilSen = "theil_sen",
    FirstCrossing = "first_crossing",
    WindowMean = "window_mean",
    LargestRise = "largest_rise",
    LargestFall = "largest_fall",
});

record!(Aggregate { kind = "kind", arguments = "arguments", filter = "filter" });

variants!(Expr {
    Constant(value) = "number",
    Value(name) = "value",
    Aggregate(aggregate) = "aggregate",
    Measure(name, arguments) = "measure",
    Estimand(name) = "estimand",
    At(inner, cell) = "at",
    For(inner, condition) = "for",
    Reduce(kind, factor, inner) = "reduce",
    Slope(factor, inner) = "slope",
    Arithmetic(left, op, right) = "arithmetic",
    Negate(inner) = "negate",
    Abs(inner) = "abs",
    Log(inner) = "log",
    Minimum(parts) = "minimum",
    Maximum(parts) = "maximum",
});
