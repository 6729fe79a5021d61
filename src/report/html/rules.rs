//! The study's own rules in words, for the reader who checks them.

use serde::Serialize;

use super::view::Named;
use crate::decide::judgment::Judgment;
use crate::report::words;
use crate::spec::{About, Rule, Spec};

/// Everything that was decided before the data came.
#[derive(Serialize)]
pub(super) struct RulesView {
    hypotheses: Vec<RuleView>,
    lists: Vec<List>,
}

#[derive(Serialize)]
struct List {
    title: &'static str,
    items: Vec<Named>,
}

/// A rule, or a clause's.
#[derive(Serialize)]
struct RuleView {
    name: String,
    clause: bool,
    about: Vec<String>,
    scope: String,
    evaluable: String,
    after: Vec<String>,
    requires: String,
    reading: &'static str,
    cases: Vec<CaseView>,
}

#[derive(Serialize)]
struct CaseView {
    class: &'static str,
    label: String,
    when: String,
}

/// In the order of names.
pub(super) fn rules(judgment: &Judgment, spec: &Spec) -> RulesView {
    let mut hypotheses = Vec::new();
    for verdict in &judgment.hypotheses {
        let Some(declared) = spec.hypotheses.get(&verdict.name) else { continue };
        for (name, clause) in &declared.clauses {
            hypotheses.push(RuleView {
                name: format!("{}, clause {name}", verdict.name),
                clause: true,
                about: clause.about.iter().map(about).collect(),
                scope: clause.scope.as_ref().map_or_else(String::new, ToString::to_string),
                evaluable: clause.evaluable.as_ref().map_or_else(String::new, ToString::to_string),
                after: Vec::new(),
                requires: String::new(),
                reading: words::rule_reading(&clause.rule),
                cases: cases(&clause.rule),
            });
        }
        hypotheses.push(RuleView {
            name: verdict.name.clone(),
            clause: false,
            about: declared.about.iter().map(about).collect(),
            scope: declared.scope.as_ref().map_or_else(String::new, ToString::to_string),
            evaluable: declared.evaluable.as_ref().map_or_else(String::new, ToString::to_string),
            after: declared.after.iter().map(ToString::to_string).collect(),
            requires: declared.requires.join(", "),
            reading: declared.rule.as_ref().map_or("There is no rule on purpose: it describes.", words::rule_reading),
            cases: declared.rule.as_ref().map(cases).unwrap_or_default(),
        });
    }
    RulesView { hypotheses, lists: lists(spec).into_iter().filter(|list| !list.items.is_empty()).collect() }
}

fn cases(rule: &Rule) -> Vec<CaseView> {
    rule.cases
        .iter()
        .map(|case| CaseView {
            class: crate::spec::VerdictClass::from(case.class).word(),
            label: words::case_label(case),
            when: words::case_condition(case),
        })
        .collect()
}

fn about(about: &About) -> String {
    let at: Vec<String> = about
        .at
        .iter()
        .map(|(factor, level)| match level {
            crate::spec::LevelRef::Level(name)
            | crate::spec::LevelRef::Parameter(name)
            | crate::spec::LevelRef::Picked(name) => format!("{factor} {name}"),
            crate::spec::LevelRef::Next => format!("{factor} next"),
        })
        .collect();
    let at = if at.is_empty() { String::new() } else { format!(" at {}", at.join(", ")) };
    let name = if about.alias == about.estimand {
        about.estimand.clone()
    } else {
        format!("{} = {}", about.alias, about.estimand)
    };
    let with: Vec<&str> = about.intervals.iter().chain(&about.tests).map(String::as_str).collect();
    let with = if with.is_empty() { String::new() } else { format!(", with {}", with.join(", ")) };
    format!("{name}{at}{with}")
}

fn lists(spec: &Spec) -> [List; 10] {
    [
        List {
            title: "Measures",
            items: spec
                .measures
                .iter()
                .map(|(name, measure)| Named::new(name, words::formula(&measure.expr)))
                .collect(),
        },
        List {
            title: "Estimands",
            items: spec
                .estimands
                .iter()
                .map(|(name, estimand)| {
                    let per = words::per(&estimand.per);
                    let per = if per.is_empty() { String::new() } else { format!(", per {per}") };
                    Named::new(name, format!("{}{per}", words::body(&estimand.body)))
                })
                .collect(),
        },
        List {
            title: "Margins",
            items: spec
                .margins
                .iter()
                .map(|(name, margin)| Named::new(name, format!("{} — {}", words::margin(margin), margin.source)))
                .collect(),
        },
        List {
            title: "Intervals",
            items: spec.intervals.iter().map(|(name, interval)| Named::new(name, words::interval(interval))).collect(),
        },
        List {
            title: "Tests",
            items: spec.tests.iter().map(|(name, test)| Named::new(name, test.method.to_string())).collect(),
        },
        List {
            title: "Analysis sets",
            items: spec.sets.iter().map(|(name, set)| Named::new(name, words::set(set).join("; "))).collect(),
        },
        List {
            title: "Families",
            items: spec
                .families
                .iter()
                .map(|(name, family)| {
                    let members: Vec<String> = family
                        .members
                        .iter()
                        .map(|member| {
                            let filter =
                                member.filter.as_ref().map_or_else(String::new, |filter| format!(" where {filter}"));
                            format!("{} by {}{filter}", member.estimand, member.test)
                        })
                        .collect();
                    let together = if family.together.is_empty() {
                        String::new()
                    } else {
                        format!(", {} being one claim that needs them all", family.together.join(" and "))
                    };
                    let within = if family.within.is_empty() {
                        String::new()
                    } else {
                        format!(", within each {}", family.within.join(", "))
                    };
                    Named::new(
                        name,
                        format!(
                            "{}{together}{within}; {}; {}",
                            members.join(", "),
                            words::adjustment(family.adjust),
                            words::counted(family.count, "member")
                        ),
                    )
                })
                .collect(),
        },
        List {
            title: "Comparisons",
            items: spec.comparisons.iter().map(|(name, own)| Named::new(name, words::comparison(own))).collect(),
        },
        List {
            title: "Rankings",
            items: spec.rankings.iter().map(|(name, own)| Named::new(name, words::ranking(own))).collect(),
        },
        List {
            title: "Gates",
            items: spec
                .gates
                .iter()
                .map(|(name, gate)| {
                    Named::new(name, format!("requires {}; {}", gate.require, words::gate(gate.polarity, gate.fail)))
                })
                .collect(),
        },
    ]
}
