//! The closed table from what a source says of a record to its one [`State`]. Every importer states the circumstances; none of
//! them chooses a state.

use super::Score;
use crate::spec::State;

/// Which limit ended a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LimitKind {
    /// Messages.
    Messages,
    /// Tokens.
    Tokens,
    /// Turns of the model.
    Turns,
    /// Time on the clock.
    Time,
    /// Time of work.
    WorkingTime,
    /// Costs.
    Cost,
    /// The context window; no declared limit, so the state is `context_overflow`.
    Context,
    /// Somebody ended the run by hand; no declared limit, so the state is `cancelled`.
    Operator,
    /// A limit that the task itself declares.
    Custom,
}

/// What a source says of a record, apart from its scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent facts, and any combination occurs")]
pub struct Circumstances {
    /// A later attempt stands in its place.
    pub superseded: bool,
    /// Its source never planned it.
    pub surplus: bool,
    /// It was marked as invalid.
    pub invalidated: bool,
    /// It was stopped from outside.
    pub cancelled: bool,
    /// It failed.
    pub errored: bool,
    /// It failed after every retry of the infrastructure, and the source says so.
    pub exhausted: bool,
    /// The source says that it has not ended.
    pub unfinished: bool,
    /// The limit that ended it.
    pub limit: Option<LimitKind>,
}

/// The state of a record. The first line that fits gives it:
///
/// | circumstance | state |
/// |---|---|
/// | a later attempt stands in its place | superseded |
/// | its source never planned it | surplus |
/// | marked as invalid | invalidated |
/// | stopped from outside, by hand, or not ended | cancelled |
/// | every retry of the infrastructure failed | `infrastructure_exhausted` |
/// | failed, with a score / without | `errored_but_scored` / errored |
/// | no score, because the model refused | refusal |
/// | no score, a scorer gave none / no scorer ran | unscored / `scorer_absent` |
/// | a score, changed after the run | edited |
/// | a score, after the context window overflowed | `context_overflow` |
/// | a score, after another limit | limited |
/// | a score | scored |
///
/// A limit without a score is thus unscored; the limit stays in the record. `declared` says whether any scorer was to run.
#[must_use]
pub fn state_of<'a>(facts: &Circumstances, scores: impl Iterator<Item = &'a Score> + Clone, declared: bool) -> State {
    let is_scored = scores.clone().any(|score| !score.value.is_no_score());
    if facts.superseded {
        State::Superseded
    } else if facts.surplus {
        State::Surplus
    } else if facts.invalidated {
        State::Invalidated
    } else if facts.cancelled || facts.unfinished || facts.limit == Some(LimitKind::Operator) {
        State::Cancelled
    } else if facts.exhausted {
        State::InfrastructureExhausted
    } else if facts.errored {
        if is_scored { State::ErroredButScored } else { State::Errored }
    } else if !is_scored {
        let refused = scores.clone().any(|score| score.reason.as_deref() == Some("refusal"));
        if refused {
            State::Refusal
        } else if declared || scores.count() > 0 {
            State::Unscored
        } else {
            State::ScorerAbsent
        }
    } else if scores.clone().any(|score| score.original.is_some()) {
        State::Edited
    } else {
        match facts.limit {
            Some(LimitKind::Context) => State::ContextOverflow,
            Some(_) => State::Limited,
            None => State::Scored,
        }
    }
}
