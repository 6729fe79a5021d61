//! From replicates to limits: which replicates each kind of bootstrap needs and what it makes of them. The arithmetic is in `stats`.

use super::evaluate::Evaluator;
use super::{Group, Job, Resampled};
use crate::decide::node::Node;
use crate::decide::sample::{Column, Sample};
use crate::math::{Rational, exact};
use crate::spec::{ArithmeticOp, BootstrapKind, ReduceKind};
use crate::stats::bca::{Ties, acceleration, bca_interval};
use crate::stats::bootstrap::{percentile_interval, percentile_interval_with_errors};
use crate::stats::column::ExactColumn;
use crate::stats::picks::Picks;
use crate::stats::simultaneous::{Arm, simultaneous_bands, spread_lower_bound};
use crate::stats::studentised::{Studentised, Term};
use crate::stats::undefined::Undefined;

/// Whether a kind needs the replicates of the jackknife.
pub(super) fn needs_jackknife(kind: Option<BootstrapKind>) -> bool {
    kind == Some(BootstrapKind::Bca)
}

/// The limits of one job. `jackknife` is the group that leaves every cluster out once.
pub(super) fn limits(job: &Job<'_>, group: &Group, jackknife: Option<&Group>) -> Resampled {
    made(job, group, jackknife).unwrap_or_else(|reason| Resampled::failed(&reason))
}

fn text(reason: impl std::fmt::Display) -> String {
    reason.to_string()
}

fn picks(group: &Group) -> Result<&Picks, String> {
    group.picks.as_ref().map(AsRef::as_ref).map_err(Clone::clone)
}

fn replicates(job: &Job<'_>, group: &Group, node: &Node) -> Result<Vec<f64>, String> {
    Evaluator { set: job.set, group, picks: picks(group)? }.replicates(node)
}

/// A quotient of sums by cluster, with its weight in a linear combination.
struct Columns {
    factor: f64,
    numerator: ExactColumn,
    denominator: ExactColumn,
}

impl Columns {
    fn term(&self) -> Term<'_> {
        Term { factor: self.factor, numerator: &self.numerator, denominator: &self.denominator }
    }
}

/// The quotients of a linear combination of means and of quotients of sums.
fn columns(node: &Node, group: &Group) -> Result<Vec<Columns>, String> {
    let mut found = Vec::new();
    gather(node, 1.0, group, &mut found)?;
    Ok(found)
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
fn gather(node: &Node, factor: f64, group: &Group, found: &mut Vec<Columns>) -> Result<(), String> {
    let column = |sample: &Sample, column| sample.column(column, group.clusters, &group.cluster);
    let mut add = |top: (ExactColumn, Rational), bottom: (ExactColumn, Rational)| {
        let over = exact::nearest_f64(&(bottom.1 / top.1));
        found.push(Columns { factor: factor * over, numerator: top.0, denominator: bottom.0 });
    };
    match node {
        Node::Mean(sample) => add(column(sample, Column::Sum(0))?, column(sample, Column::Count)?),
        Node::Arithmetic(left, ArithmeticOp::Divide, right) => match (&**left, &**right) {
            (Node::Sum(top) | Node::Count(top), Node::Sum(bottom) | Node::Count(bottom)) => {
                add(column(top, Column::Sum(0))?, column(bottom, Column::Sum(0))?);
            }
            _ => return Err(NOT_LINEAR.to_owned()),
        },
        Node::Arithmetic(left, ArithmeticOp::Add, right) => {
            gather(left, factor, group, found)?;
            gather(right, factor, group, found)?;
        }
        Node::Arithmetic(left, ArithmeticOp::Subtract, right) => {
            gather(left, factor, group, found)?;
            gather(right, -factor, group, found)?;
        }
        Node::Negate(body) => gather(body, -factor, group, found)?,
        Node::Undefined(reason) => return Err(reason.clone()),
        _ => return Err(NOT_LINEAR.to_owned()),
    }
    Ok(())
}

const NOT_LINEAR: &str = "it needs means, quotients of sums, or their sums and differences";

fn made(job: &Job<'_>, group: &Group, jackknife: Option<&Group>) -> Result<Resampled, String> {
    let mut values = replicates(job, group, job.node)?;
    let undefined = values.iter().filter(|value| !value.is_finite()).count() as u64;
    let (limits, errors) = match job.kind {
        None => match percentile_interval_with_errors(&mut values, job.level) {
            Ok((drawn, errors)) => (Ok((drawn.limits.lower, drawn.limits.upper)), Some(errors)),
            Err(reason) => (Err(reason.to_string()), None),
        },
        Some(BootstrapKind::Basic) => {
            let whole = percentile_interval(&mut values, job.level).map_err(|reason| reason.to_string())?;
            let estimate = job.node.exact()?.to_f64();
            // The replicates' limits mirrored about the estimate.
            (Ok((2.0 * estimate - whole.limits.upper, 2.0 * estimate - whole.limits.lower)), None)
        }
        Some(BootstrapKind::Bca) => {
            let jackknife = jackknife.ok_or_else(|| "the jackknife was not drawn".to_owned())?;
            let without = replicates(job, jackknife, job.node)?;
            let acceleration = acceleration(&without).map_err(text)?;
            let estimate = job.node.exact()?.to_f64();
            let found = bca_interval(&mut values, estimate, acceleration, Ties::Half, job.level).map_err(text)?;
            (Ok((found.limits.lower, found.limits.upper)), None)
        }
        Some(BootstrapKind::Studentised) => {
            let columns = columns(job.node, group)?;
            let terms: Vec<Term<'_>> = columns.iter().map(Columns::term).collect();
            let drawn = Studentised::new(picks(group)?, &terms, 1).and_then(|series| series.interval(job.level));
            (drawn.map(|drawn| (drawn.limits.lower, drawn.limits.upper)).map_err(text), None)
        }
        Some(BootstrapKind::MaxT) => (together(job, group, values), None),
        Some(BootstrapKind::SpreadBound) => (spread_bound(job, group), None),
    };
    Ok(Resampled { limits, undefined, errors })
}

/// Limits that hold for all members of the estimand at once.
fn together(job: &Job<'_>, group: &Group, values: Vec<f64>) -> Result<(f64, f64), String> {
    let mut series = vec![Studentised::from_replicates(job.node.exact()?.to_f64(), values).map_err(text)?];
    for node in &job.members {
        let own = replicates(job, group, node)?;
        match Studentised::from_replicates(node.exact()?.to_f64(), own) {
            Ok(other) => series.push(other),
            // A member without spread is known exactly, and widens nothing.
            Err(Undefined::Constant) => {}
            Err(reason) => return Err(text(reason)),
        }
    }
    let series: Vec<&Studentised> = series.iter().collect();
    let bands = simultaneous_bands(&series, job.level).map_err(text)?;
    let own = bands.intervals.first().ok_or_else(|| text(Undefined::NoRecords))?;
    Ok((own.lower, own.upper))
}

/// How large a spread is at least; nothing is said of how large it can be.
fn spread_bound(job: &Job<'_>, group: &Group) -> Result<(f64, f64), String> {
    let Node::Reduce(ReduceKind::Spread, parts) = job.node else {
        return Err("it needs a spread of means over a factor".to_owned());
    };
    let arms: Vec<Vec<Columns>> = parts.iter().map(|part| columns(part, group)).collect::<Result<_, _>>()?;
    let mut each = Vec::new();
    for arm in &arms {
        let [one] = arm.as_slice() else { return Err("it needs one mean at each level".to_owned()) };
        each.push(Arm { numerator: &one.numerator, denominator: &one.denominator });
    }
    let bound = spread_lower_bound(picks(group)?, &each, job.level, 1).map_err(text)?;
    Ok((bound.lower, f64::INFINITY))
}
