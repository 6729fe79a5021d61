//! Findings of comparisons and places of rankings in words, as every presentation shows them.

use super::{figures, words};
use crate::decide::judgment::{ComparedMember, ComparisonResult, RankRow, RankingResult};
use crate::spec::{Dimension, Estimand, Spec};

/// What one comparison found, such as `better, within the margin`.
#[must_use]
pub fn finding(member: &ComparedMember) -> String {
    let word = match member.finding {
        "not_separable" => "not separable",
        "no_interval" => "no interval",
        "no_verdict" => "no verdict",
        other => other,
    };
    if member.within_margin { format!("{word}, within the margin") } else { word.to_owned() }
}

/// Which arms are compared: of a pair the first against the second.
#[must_use]
pub fn arms(member: &ComparedMember) -> String {
    let levels: Vec<(String, String)> =
        member.member.iter().map(|(factor, level)| (factor.clone(), level.replacen(", ", " against ", 1))).collect();
    words::member(&levels)
}

/// What a finding rests on: each difference, the adjusted p-values, who was left out, why there is none.
#[must_use]
pub fn evidence(spec: &Spec, member: &ComparedMember) -> String {
    let mut parts: Vec<String> = Vec::new();
    for line in &member.lines {
        // The mean of log ratios is read as the ratio that it is the logarithm of.
        let logs = spec.estimands.get(&line.estimand).is_some_and(Estimand::takes_logarithms);
        let read = |value: f64| if logs { libm::exp(value) } else { value };
        let dimension = if logs { Dimension::Ratio } else { line.dimension.clone() };
        let estimate = match &line.estimate {
            Ok(value) if logs => figures::value(read(value.to_f64()), &dimension),
            other => figures::figure(other, &dimension),
        };
        let intervals = line.intervals.iter().filter_map(|interval| {
            let (lower, upper) = interval.limits.as_ref().map(|(lower, upper)| (read(*lower), read(*upper))).ok()?;
            Some(format!(" {} {}", figures::level(interval.level), figures::interval(lower, upper, &dimension)))
        });
        parts.push(format!("{} {estimate}{}", line.estimand, intervals.collect::<String>()));
    }
    parts.push(figures::p_named("adjusted p", member.p_difference));
    parts.extend(member.p_equivalence.map(|p| figures::p_named("of equivalence", p)));
    parts.push(words::counted(member.units, "unit"));
    if member.left_out > 0 {
        parts.push(format!("{} left out because a side does not count", words::counted(member.left_out, "pair")));
    }
    parts.extend(member.reason.clone());
    parts.join("; ")
}

/// A comparison's heading: set, adjustment, level, number.
#[must_use]
pub fn heading(result: &ComparisonResult) -> String {
    let within = words::member(&result.within);
    let within = if within.is_empty() { String::new() } else { format!(", within {within}") };
    format!(
        "set {}{within}: adjusted by {}, level {}, {} planned; intervals are not adjusted",
        result.set,
        result.adjust,
        figures::level(result.level),
        words::counted(result.count, "comparison")
    )
}

/// A ranking's heading.
#[must_use]
pub fn order(result: &RankingResult) -> String {
    let within = words::member(&result.within);
    let within = if within.is_empty() { String::new() } else { format!(", {within}") };
    let by = match result.kind {
        "findings" => "ranks by who is reliably above whom; `=` marks ties",
        "front" => "arms that no other is at least as good as throughout and better somewhere",
        _ => "ranks by the estimate alone, which tells nothing apart",
    };
    format!("set {}{within}: {by}", result.set)
}

/// A rank as it is printed: `=1` for a tie, `front` or `dominated` in a front.
#[must_use]
pub fn place(row: &RankRow) -> String {
    match (row.rank, row.place) {
        (Some(rank), _) => format!("{}{rank}", if row.tied { "=" } else { "" }),
        (None, Some(place)) => place.to_owned(),
        (None, None) => "undefined".to_owned(),
    }
}

/// What stands beside a rank: the interval it lies in, the estimates, how often it is on the front.
#[must_use]
pub fn beside(row: &RankRow) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(row.bounds.map(|(best, worst)| format!("rank between {best} and {worst}")));
    for (name, figure, dimension) in &row.values {
        parts.push(format!("{name} {}", figures::figure(figure, dimension)));
    }
    parts.extend(row.frequency.as_ref().map(|share| match share {
        Ok(share) => format!("on the front in {} of resamples", figures::level(*share)),
        Err(reason) => format!("no frequency: {reason}"),
    }));
    parts.join("; ")
}
