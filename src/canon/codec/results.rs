//! The canonical form of `results` blocks.

use super::{record, variants, words};
use crate::spec::{
    FieldMapping, FileFormat, FileUnit, LevelMapping, ReportedEstimate, ResultsBlock, ResultsShape, UnitAt,
};

words!(FileFormat { Csv = "csv", Jsonl = "jsonl", Json = "json" });
variants!(UnitAt { Row = "row", At(path) = "at" });
record!(LevelMapping { at = "at", spellings = "spellings" });
record!(FileUnit { word = "word", factor = "factor" });
record!(FieldMapping { at = "at", spellings = "spellings", unit = "unit" });
record!(ReportedEstimate {
    estimand = "estimand",
    per = "per" set,
    at = "at",
    interval = "interval",
    level = "level",
    p = "p",
    n = "n",
});
variants!(ResultsShape {
    Records { unit, levels, repeat, records, fields, columns, state, successes, absent } = "records",
    Reported(estimates) = "reported",
});
record!(ResultsBlock { file = "file", for_every = "for_every", format = "format", shape = "shape" });
