//! Gates, hypotheses and conclusions together: none may wait for itself.

use std::collections::{BTreeMap, BTreeSet};

use super::condition::RulePlace;
use super::estimands::ast_children;
use super::hypotheses::labels;
use super::places::Part;
use super::{Checker, Kind, order};
use crate::diagnostic::{Code, Diagnostic};
use crate::spec::{CaseCondition, Conclusion, Say};
use crate::syntax::ast::{self, Expr, ExprKind};

impl Checker<'_> {
    /// Everything that gives or reads verdicts.
    pub(super) fn verdicts(&mut self) {
        for (name, item) in &self.names.hypotheses {
            self.labels.insert((*name).to_owned(), labels(item.rule.as_ref()));
        }
        self.waiting();
        self.gates();
        self.hypotheses();
        self.conclusions();
    }

    /// Refuses verdicts that wait for each other.
    fn waiting(&mut self) {
        let mut needs: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (name, item) in &self.names.hypotheses {
            let clauses: BTreeSet<&str> = item.clauses.iter().map(|clause| clause.name.node.as_str()).collect();
            let own = |subject: String| {
                if clauses.contains(subject.as_str()) { format!("{name}.{subject}") } else { subject }
            };
            let mut found: Vec<String> = item.requires.iter().map(|gate| gate.node.clone()).collect();
            let mut subjects = Vec::new();
            item.after.iter().chain(&item.evaluable).for_each(|expr| subjects_in(expr, &mut subjects));
            rule_subjects(item.rule.as_ref(), &mut subjects);
            found.extend(subjects.into_iter().map(own));
            // Its own clauses are part of it: what they wait for, it waits for.
            found.extend(clauses.iter().map(|clause| format!("{name}.{clause}")));
            needs.insert((*name).to_owned(), found);
            for clause in &item.clauses {
                let mut subjects = Vec::new();
                clause.evaluable.iter().for_each(|expr| subjects_in(expr, &mut subjects));
                rule_subjects(clause.rule.as_ref(), &mut subjects);
                needs.insert(format!("{name}.{}", clause.name.node), subjects.into_iter().map(own).collect());
            }
        }
        for (name, item) in &self.names.gates {
            let mut subjects = Vec::new();
            item.require.iter().for_each(|expr| subjects_in(expr, &mut subjects));
            needs.insert((*name).to_owned(), subjects);
        }
        for cycle in order::order(&needs).cycles {
            let span = |name: &String| {
                let top = name.split('.').next().unwrap_or_default();
                let hypothesis = self.names.hypotheses.get(top).map(|item| item.name.span);
                hypothesis.or_else(|| self.names.gates.get(top).map(|item| item.name.span)).unwrap_or_default()
            };
            let mut found = Diagnostic::error(
                Code::Cycle,
                cycle.first().map_or_else(Default::default, span),
                format!("these verdicts wait for each other: {}", order::path(&cycle)),
            )
            .note("none of them could ever be given")
            .help("take one of the references out");
            for name in cycle.iter().skip(1) {
                found = found.also(span(name), "waits too");
            }
            self.report(found);
        }
    }

    fn conclusions(&mut self) {
        for (name, item) in self.names.conclusions.clone() {
            self.place(Kind::Conclusion, name, Part::Name, item.name.span);
            if let Some(conclusion) = self.conclusion(name, item) {
                self.spec.conclusions.insert(name.to_owned(), conclusion);
            }
        }
    }

    fn conclusion(&mut self, name: &str, item: &ast::Conclusion) -> Option<Conclusion> {
        let mut place = RulePlace { verdicts_only: true, subject: name.to_owned(), ..RulePlace::default() };
        let mut cases = Vec::new();
        let mut failed = false;
        for (at, case) in item.cases.iter().enumerate() {
            self.place(Kind::Conclusion, name, Part::Say(at), case.span);
            let sentence = case.sentence.as_ref().map(|text| self.prose(text));
            let when = match &case.when {
                None => Some(CaseCondition::Otherwise),
                Some(expr) => self.condition(expr, &mut place).map(CaseCondition::When),
            };
            if case.when.is_none() && at + 1 != item.cases.len() {
                self.report(
                    Diagnostic::error(Code::DeadCase, case.span, "nothing after `otherwise` can be reached")
                        .help("`otherwise` comes last"),
                );
                failed = true;
            }
            match when {
                Some(when) => cases.push(Say { sentence, when }),
                None => failed = true,
            }
        }
        // Nothing is said unless a case licenses it.
        if !matches!(cases.last(), Some(Say { when: CaseCondition::Otherwise, .. })) {
            cases.push(Say { sentence: None, when: CaseCondition::Otherwise });
        }
        (!failed).then_some(Conclusion { cases })
    }
}

fn rule_subjects(rule: Option<&ast::Rule>, found: &mut Vec<String>) {
    for case in rule.into_iter().flat_map(|rule| &rule.cases) {
        case.when.iter().for_each(|expr| subjects_in(expr, found));
    }
}

fn subjects_in(expr: &Expr, found: &mut Vec<String>) {
    if let ExprKind::Is { subject, .. } = &*expr.kind {
        found.push(subject.node.clone());
    }
    for child in ast_children(expr) {
        subjects_in(child, found);
    }
}
