//! The canonical form of units, fields, states and analysis sets.

use super::{Codec, CodecError, Members, Taking, record, variants, words};
use crate::canon::value::Value;
use crate::spec::{
    AnalysisSet, CountAs, Derived, Field, FieldRole, Fill, InputFile, Keep, Pool, State, StateClass, TaskAttribute,
    TaskExpectation, TaskSource, Tasks, ValueType,
};

variants!(ValueType { Bool = "bool", Number(kind) = "number", Level(levels) = "level", Text = "text" });

/// `{path, sha256, bytes}`; the last two are absent only before the bytes were read.
impl Codec for InputFile {
    fn encode(&self) -> Result<Option<Value>, CodecError> {
        let mut members = Members::default();
        members.put("path", &self.path)?;
        members.put("sha256", &self.digest.as_ref().map(|(hex, _)| hex.clone()))?;
        members.put("bytes", &self.digest.as_ref().map(|(_, bytes)| *bytes))?;
        Ok(Some(members.finish()))
    }

    fn decode(value: Option<&Value>) -> Result<Self, CodecError> {
        let mut members = Taking::new(value)?;
        let path = members.take("path")?;
        let digest: (Option<String>, Option<u64>) = (members.take("sha256")?, members.take("bytes")?);
        members.finish(&["path", "sha256", "bytes"])?;
        match digest {
            (Some(hex), Some(bytes)) => Ok(Self { path, digest: Some((hex, bytes)) }),
            (None, None) => Ok(Self { path, digest: None }),
            _ => Err(CodecError::new("`sha256` and `bytes` go together")),
        }
    }
}

variants!(TaskSource { File { file, key } = "file", Count(count) = "count", List(keys) = "list" });
record!(TaskAttribute { kind = "type", optional = "optional", from = "from" });
record!(Derived { kind = "type", expr = "expr" });
record!(TaskExpectation { count = "count", filter = "filter" });
record!(Tasks {
    name = "name",
    source = "source",
    attributes = "attributes",
    defines = "defines",
    expectations = "expectations",
    select = "select",
    provenance = "provenance",
});

words!(FieldRole { Outcome = "outcome", Flag = "flag" });
record!(Field {
    role = "role",
    kind = "type",
    optional = "optional",
    source = "source",
    derived = "derived",
    text = "text",
});

words!(State {
    Scored = "scored",
    Unscored = "unscored",
    ScorerAbsent = "scorer_absent",
    Errored = "errored",
    ErroredButScored = "errored_but_scored",
    Limited = "limited",
    ContextOverflow = "context_overflow",
    Refusal = "refusal",
    Cancelled = "cancelled",
    InfrastructureExhausted = "infrastructure_exhausted",
    Missing = "missing",
    Invalidated = "invalidated",
    Edited = "edited",
    Superseded = "superseded",
    Surplus = "surplus",
});
words!(StateClass { Completed = "completed", Errored = "errored", Missing = "missing" });
variants!(CountAs { Incorrect = "incorrect", Excluded = "excluded", Value(value) = "value" });
variants!(Fill { Absent = "absent", Value(value) = "value" });
words!(Pool { Planned = "planned", Present = "present" });
record!(Keep { every = "every" set, count = "count", state = "state" });
record!(AnalysisSet { drops = "drop" set, keeps = "keep" set, counts = "count", fills = "fill", pool = "pool" });
