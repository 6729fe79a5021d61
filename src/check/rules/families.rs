//! Confirmatory claims and the families that share their error rate.

use std::collections::{BTreeMap, BTreeSet};

use super::evidence::evidence_of;
use super::{confirmatory, sites};
use crate::check::places::{Kind, Part, Places};
use crate::diagnostic::{Code, Diagnostic};
use crate::math::Rational;
use crate::spec::{
    BootstrapKind, CaseCondition, Claim, Class, Condition, EvidenceKind, EvidenceRef, IntervalMethod, Name, Spec, Term,
};

/// Checks families against what rules read.
pub(super) fn check(spec: &Spec, places: &Places, out: &mut Vec<Diagnostic>) {
    no_family(spec, places, out);
    levels_of_one_family(spec, places, out);
    bounds(spec, places, out);
    exploratory_feeds(spec, places, out);
}

fn in_family(spec: &Spec, estimand: &str) -> bool {
    spec.families.values().flat_map(|family| &family.members).any(|members| members.estimand == estimand)
}

/// Two or more confirmatory claims, some of which share their error rate with nothing.
fn no_family(spec: &Spec, places: &Places, out: &mut Vec<Diagnostic>) {
    let claims: Vec<&Name> =
        spec.hypotheses.iter().filter(|(_, hypothesis)| confirmatory(hypothesis)).map(|(name, _)| name).collect();
    if claims.len() < 2 {
        return;
    }
    let alone: Vec<&Name> = claims
        .iter()
        .copied()
        .filter(|name| {
            let abouts = spec.hypotheses.get(*name).into_iter().flat_map(|hypothesis| {
                hypothesis.about.iter().chain(hypothesis.clauses.values().flat_map(|clause| &clause.about))
            });
            !abouts.into_iter().any(|about| in_family(spec, &about.estimand))
        })
        .collect();
    let Some(first) = alone.first() else { return };
    let listed: Vec<String> = alone.iter().map(|name| format!("`{name}`")).collect();
    out.push(
        Diagnostic::warning(
            Code::NoFamily,
            places.get(Kind::Hypothesis, first, &Part::Name),
            format!(
                "{} of {} confirmatory claims stand in no family: {}",
                alone.len(),
                claims.len(),
                listed.join(", ")
            ),
        )
        .note("with several claims the chance that one of them is false grows with each")
        .help("declare a `family` with their members, or say in a note why each stands for itself")
        .about(first.as_str()),
    );
}

/// Members of one family that are read at two levels of significance.
fn levels_of_one_family(spec: &Spec, places: &Places, out: &mut Vec<Diagnostic>) {
    let mut levels: BTreeMap<&Name, BTreeMap<Rational, String>> = BTreeMap::new();
    for site in sites(spec) {
        for case in &site.rule.cases {
            let CaseCondition::When(condition) = &case.when else { continue };
            if case.class != Class::Supported {
                continue;
            }
            for (evidence, level) in thresholds(condition) {
                let Some(about) = site.about.iter().find(|about| about.alias == evidence.about) else { continue };
                for (family, declared) in &spec.families {
                    let member = declared.members.iter().any(|members| {
                        members.estimand == about.estimand && Some(&members.test) == evidence.method.as_ref()
                    });
                    if member {
                        levels.entry(family).or_default().entry(level.clone()).or_insert_with(|| site.name.to_owned());
                    }
                }
            }
        }
    }
    for (family, levels) in levels {
        if levels.len() > 1 {
            let shown: Vec<String> = levels
                .iter()
                .map(|(level, name)| {
                    format!("{} in `{name}`", crate::spec::words::quantity(level, &crate::spec::Dimension::Proportion))
                })
                .collect();
            out.push(
                Diagnostic::error(
                    Code::FamilyConflict,
                    places.get(Kind::Family, family, &Part::Name),
                    format!("members of `{family}` are read at several levels: {}", shown.join(", ")),
                )
                .note("a family shares one error rate; two levels leave open which one it is")
                .help("use one level, or split the family")
                .about(family.as_str()),
            );
        }
    }
}

/// Adjusted p-values, or p-values, that a condition compares with a constant.
fn thresholds(condition: &Condition) -> Vec<(&EvidenceRef, Rational)> {
    match condition {
        Condition::Compare(left, _, right) => [(left, right), (right, left)]
            .into_iter()
            .filter_map(|pair| match pair {
                (Term::Evidence(evidence), Term::Constant(level))
                    if matches!(evidence.kind, EvidenceKind::P | EvidenceKind::PAdjusted) =>
                {
                    Some((evidence, level.value.clone()))
                }
                _ => None,
            })
            .collect(),
        Condition::Within(..) | Condition::Is { .. } => Vec::new(),
        Condition::Not(inner) => thresholds(inner),
        Condition::And(parts) | Condition::Or(parts) => parts.iter().flat_map(thresholds).collect(),
    }
}

/// Whether bounds hold for all members of a family that the estimand is in.
fn simultaneous(spec: &Spec, estimand: &str, evidence: &EvidenceRef) -> bool {
    let Some(interval) = evidence.method.as_ref().and_then(|method| spec.intervals.get(method)) else { return false };
    if matches!(interval.method, IntervalMethod::Bootstrap { kind: BootstrapKind::MaxT, .. }) {
        return true;
    }
    let family = interval.over.as_ref().and_then(|family| spec.families.get(family));
    family.is_some_and(|family| family.members.iter().any(|line| line.estimand == estimand))
}

/// A member of a family that decides by bounds or by an unadjusted p-value: the adjustment never reaches its verdict.
fn bounds(spec: &Spec, places: &Places, out: &mut Vec<Diagnostic>) {
    for site in sites(spec) {
        if !confirmatory(site.hypothesis) {
            continue;
        }
        for (at, case) in site.rule.cases.iter().enumerate() {
            let CaseCondition::When(condition) = &case.when else { continue };
            if case.class != Class::Supported {
                continue;
            }
            let mut read = Vec::new();
            evidence_of(condition, &mut read);
            let unadjusted: BTreeSet<&Name> = site
                .about
                .iter()
                .filter(|about| in_family(spec, &about.estimand))
                .filter(|about| {
                    let own: Vec<&EvidenceRef> = read.iter().filter(|evidence| evidence.about == about.alias).collect();
                    let bound = own.iter().any(|evidence| match evidence.kind {
                        EvidenceKind::P => true,
                        EvidenceKind::Lower | EvidenceKind::Upper => !simultaneous(spec, &about.estimand, evidence),
                        EvidenceKind::Estimate | EvidenceKind::PAdjusted | EvidenceKind::N | EvidenceKind::Clusters => {
                            false
                        }
                    });
                    bound && !own.iter().any(|evidence| evidence.kind == EvidenceKind::PAdjusted)
                })
                .map(|about| &about.alias)
                .collect();
            for alias in unadjusted {
                out.push(
                    Diagnostic::warning(
                        Code::BoundsNotAdjusted,
                        places.get(Kind::Hypothesis, site.name, &Part::Case(site.clause.cloned(), at)),
                        format!("`{alias}` is in a family, but `{}` reads evidence that is not adjusted", case.label),
                    )
                    .note("the family's adjustment reaches `p_adjusted` only; bounds stay as they are")
                    .help("read `p_adjusted` in this case as well")
                    .about(site.name),
                );
            }
        }
    }
}

/// Exploratory results that a confirmatory rule, order condition or conclusion reads.
fn exploratory_feeds(spec: &Spec, places: &Places, out: &mut Vec<Diagnostic>) {
    let exploratory = |name: &str| spec.hypotheses.get(name).is_some_and(|it| it.role == Claim::Exploratory);
    let mut report = |subject: &str, kind: Kind, reader: &str, part: &Part| {
        out.push(
            Diagnostic::error(
                Code::ExploratoryFeeds,
                places.get(kind, reader, part),
                format!("`{reader}` reads `{subject}`, which is exploratory"),
            )
            .note("an exploratory result was not protected against choice, and cannot carry a confirmatory one")
            .help(format!("make `{subject}` primary or secondary, or do not read it here"))
            .about(reader),
        );
    };
    for (name, hypothesis) in &spec.hypotheses {
        if hypothesis.role == Claim::Exploratory {
            continue;
        }
        let conditions = hypothesis.rule.iter().flat_map(|rule| &rule.cases).filter_map(|case| match &case.when {
            CaseCondition::When(condition) => Some(condition),
            CaseCondition::Otherwise => None,
        });
        for condition in conditions.chain(&hypothesis.after) {
            for subject in subjects(condition) {
                if exploratory(subject) {
                    report(subject, Kind::Hypothesis, name, &Part::Rule(None));
                }
            }
        }
    }
    for (name, conclusion) in &spec.conclusions {
        for (at, say) in conclusion.cases.iter().enumerate() {
            if let CaseCondition::When(condition) = &say.when {
                for subject in subjects(condition) {
                    if exploratory(subject) {
                        report(subject, Kind::Conclusion, name, &Part::Say(at));
                    }
                }
            }
        }
    }
}

/// The hypotheses that a condition names.
fn subjects(condition: &Condition) -> Vec<&Name> {
    match condition {
        Condition::Is { subject, clause: false, .. } => vec![subject],
        Condition::Is { .. } | Condition::Compare(..) | Condition::Within(..) => Vec::new(),
        Condition::Not(inner) => subjects(inner),
        Condition::And(parts) | Condition::Or(parts) => parts.iter().flat_map(subjects).collect(),
    }
}
