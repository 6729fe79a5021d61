//! From replicates to limits: which replicates each kind of bootstrap needs and what it makes of them. The arithmetic is in `stats`.

use super::evaluate::Evaluator;
use super::{Group, Job, Resampled};
use crate::decide::node::Node;
use crate::spec::BootstrapKind;
use crate::stats::bootstrap::{monte_carlo_errors, percentile_interval};

/// Whether a kind needs the replicates of the jackknife.
pub(super) fn needs_jackknife(kind: Option<BootstrapKind>) -> bool {
    kind == Some(BootstrapKind::Bca)
}

/// The limits of one job. `jackknife` is the group that leaves every cluster out once.
pub(super) fn limits(job: &Job<'_>, group: &Group, jackknife: Option<&Group>) -> Resampled {
    made(job, group, jackknife).unwrap_or_else(|reason| Resampled::failed(&reason))
}

fn replicates(job: &Job<'_>, group: &Group, node: &Node) -> Result<Vec<f64>, String> {
    let picks = group.picks.as_ref().map_err(Clone::clone)?;
    Evaluator { set: job.set, group, picks }.replicates(node)
}

fn made(job: &Job<'_>, group: &Group, _jackknife: Option<&Group>) -> Result<Resampled, String> {
    let mut values = replicates(job, group, job.node)?;
    let undefined = values.iter().filter(|value| !value.is_finite()).count() as u64;
    let (limits, errors) = match job.kind {
        None => {
            let limits = percentile_interval(&mut values, job.level);
            let errors = limits.is_ok().then(|| monte_carlo_errors(&mut values, job.level).ok()).flatten();
            (limits.map(|drawn| (drawn.limits.lower, drawn.limits.upper)).map_err(|reason| reason.to_string()), errors)
        }
        Some(BootstrapKind::Basic) => {
            let whole = percentile_interval(&mut values, job.level).map_err(|reason| reason.to_string())?;
            let estimate = job.node.exact()?.to_f64();
            // The replicates' limits mirrored about the estimate.
            (Ok((2.0 * estimate - whole.limits.upper, 2.0 * estimate - whole.limits.lower)), None)
        }
        Some(BootstrapKind::Bca | BootstrapKind::Studentised | BootstrapKind::MaxT | BootstrapKind::SpreadBound) => {
            return Err("this version cannot compute it".to_owned());
        }
    };
    Ok(Resampled { limits, undefined, errors })
}
