//! A judgment as text of at most 100 columns: plain, or coloured when asked. Owns layout for a terminal; every text of the
//! study is cleaned of control characters, so that no study can move the cursor.

use super::{compared, document::LIMIT, figures, reading, words};
use crate::decide::judgment::{
    EstimandResult, Flow, GateVerdict, HypothesisVerdict, Judgment, MemberVerdict, Outcome, SetVerdict,
};
use crate::spec::{CaseCondition, Condition, Rule, Spec, VerdictClass};

mod page;

use page::{Page, Paint};

#[cfg(test)]
mod tests;

/// How a summary is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Whether to use ANSI colours; a pipe gets none.
    pub colour: bool,
    /// The width in columns; used between 40 and 100.
    pub width: usize,
}

impl Default for Style {
    fn default() -> Self {
        Self { colour: false, width: 100 }
    }
}

/// Longer lists of members are cut in the terminal, and say so.
const MEMBERS_SHOWN: usize = 40;

/// The whole judgment, ending with a line break.
#[must_use]
pub fn summary(judgment: &Judgment, spec: &Spec, style: Style) -> String {
    let mut page = Page::new(style.colour, style.width);
    let writer = Writer { judgment, spec };
    writer.header(&mut page);
    for hypothesis in &judgment.hypotheses {
        writer.hypothesis(&mut page, hypothesis);
    }
    writer.conclusions(&mut page);
    writer.gates(&mut page);
    writer.comparisons(&mut page);
    writer.families(&mut page);
    writer.flows(&mut page);
    writer.figures(&mut page);
    writer.remarks(&mut page);
    page.blank();
    page.paragraph(0, "", LIMIT);
    page.finish()
}

struct Writer<'a> {
    judgment: &'a Judgment,
    spec: &'a Spec,
}

impl Writer<'_> {
    fn header(&self, page: &mut Page) {
        let title = if self.judgment.title.is_empty() { &self.judgment.study } else { &self.judgment.title };
        page.painted(0, Paint::Strong, title);
        self.watermark(page);
        page.field("study", &self.judgment.study);
        page.field("freeze", self.judgment.freeze_id.as_deref().unwrap_or("none: exploratory"));
        page.field("spec", &self.judgment.spec_digest);
        page.field("records", &self.judgment.records_digest);
        page.field("engine", concat!("prespec ", env!("CARGO_PKG_VERSION")));
    }

    /// On every block, so that no excerpt loses it.
    fn watermark(&self, page: &mut Page) {
        for mark in reading::watermarks(self.judgment) {
            page.painted(0, Paint::Warning, &format!("[{mark}]"));
        }
    }

    fn block(&self, page: &mut Page, title: &str) {
        page.blank();
        page.rule();
        page.painted(0, Paint::Strong, title);
        self.watermark(page);
    }

    fn hypothesis(&self, page: &mut Page, hypothesis: &HypothesisVerdict) {
        page.blank();
        page.rule();
        let first = hypothesis.sets.first();
        let verdict =
            first.map_or_else(|| "no verdict".to_owned(), |set| reading::set_verdict(self.judgment, hypothesis, set));
        let paint = first.and_then(|set| set.outcome.as_ref()).map_or(Paint::Strong, |outcome| paint(outcome.class));
        let waived = if self.waived(&hypothesis.name) { "  [judged under a waiver]" } else { "" };
        page.painted(0, paint, &format!("{}  {}  ({}){waived}", hypothesis.name, verdict, reading::role(hypothesis)));
        self.watermark(page);
        page.paragraph(2, "", &hypothesis.claim);
        if !hypothesis.answers.is_empty() {
            page.paragraph(2, "answers    ", &hypothesis.answers.join(", "));
        }
        let rule = reading::rule(self.spec, &hypothesis.name);
        if let Some(scope) = self.spec.hypotheses.get(&hypothesis.name).and_then(|found| found.scope.as_ref()) {
            page.paragraph(2, "scope      ", &scope.to_string());
        }
        if let Some(set) = first {
            self.set(page, hypothesis, set, rule);
        }
        if hypothesis.sets.len() > 1 {
            let note = if hypothesis.disagree { "they disagree" } else { "they agree" };
            page.paragraph(2, "sets       ", note);
            for set in &hypothesis.sets {
                let evidence = set.evidence.iter().map(short).collect::<Vec<_>>().join("; ");
                let evidence = if evidence.is_empty() { reading::tally(&set.members) } else { evidence };
                page.row(4, &set.set, &reading::set_verdict(self.judgment, hypothesis, set), &evidence);
            }
        }
        for warning in self.judgment.warnings.iter().filter(|warning| warning.subject == hypothesis.name) {
            page.paragraph(2, "warning    ", &coded(&warning.code, &warning.text));
        }
    }

    fn waived(&self, name: &str) -> bool {
        self.judgment.waivers.iter().any(|(_, on, _)| on == name)
    }

    fn set(&self, page: &mut Page, hypothesis: &HypothesisVerdict, set: &SetVerdict, rule: Option<&Rule>) {
        if hypothesis.sets.len() > 1 {
            page.paragraph(2, "set        ", &set.set);
        }
        for result in &set.evidence {
            let member = words::member(&result.member);
            let whose = if result.member.is_empty() { String::new() } else { format!(", {member}") };
            let found = reading::evidence(result).join("; ");
            page.paragraph(2, "evidence   ", &format!("{}{whose}: {found}", alias(result)));
        }
        if let Some(outcome) = &set.outcome {
            self.outcome(page, 2, rule, outcome);
        }
        for (name, outcome, members) in &set.clauses {
            let words = reading::outcome_words(self.judgment, outcome);
            page.painted(2, paint(outcome.class), &format!("clause {name}  {words}"));
            self.outcome(page, 4, reading::clause_rule(self.spec, &hypothesis.name, name), outcome);
            self.members(page, 4, members);
        }
        self.members(page, 2, &set.grid);
        self.members(page, 2, &set.members);
    }

    fn outcome(&self, page: &mut Page, indent: usize, rule: Option<&Rule>, outcome: &Outcome) {
        if let Some(case) = reading::fired(rule, outcome) {
            page.paragraph(indent, "case       ", &case);
            let conditions = outcome.case.and_then(|at| rule?.cases.get(at)).and_then(|case| match &case.when {
                CaseCondition::When(condition) => Some(condition),
                CaseCondition::Otherwise => None,
            });
            self.constants(page, indent, conditions);
        }
        if let Some(reason) = &outcome.reason {
            page.paragraph(indent, "because    ", reason);
        }
        if !outcome.named.is_empty() {
            page.paragraph(indent, "holds for  ", &outcome.named.join(", "));
        }
        if let Some(distance) = &outcome.nearest {
            page.paragraph(indent, "nearest    ", &reading::nearest(distance));
        }
    }

    fn constants<'b>(&self, page: &mut Page, indent: usize, conditions: impl IntoIterator<Item = &'b Condition>) {
        for condition in conditions {
            for (name, size, _) in words::constants(self.spec, [condition]) {
                page.paragraph(indent, "           ", &format!("{name} is {size}"));
            }
        }
    }

    fn members(&self, page: &mut Page, indent: usize, members: &[MemberVerdict]) {
        if members.is_empty() {
            return;
        }
        page.paragraph(indent, "members    ", &reading::tally(members));
        for member in members.iter().take(MEMBERS_SHOWN) {
            let evidence = member.evidence.iter().map(short).collect::<Vec<_>>().join("; ");
            let reason = match (&member.outcome.reason, member.outcome.class) {
                (Some(reason), VerdictClass::Void | VerdictClass::NotEvaluated | VerdictClass::NotEvaluable) => {
                    reason.clone()
                }
                _ => String::new(),
            };
            let detail = [evidence, reason].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
            let words = reading::outcome_words(self.judgment, &member.outcome);
            page.row(indent + 2, &words::member(&member.member), &words, &detail);
        }
        if let Some(more) = members.len().checked_sub(MEMBERS_SHOWN).filter(|more| *more > 0) {
            page.paragraph(indent + 2, "", &format!("and {more} more, all of them in the verdict document"));
        }
    }

    fn conclusions(&self, page: &mut Page) {
        if self.judgment.conclusions.is_empty() {
            return;
        }
        self.block(page, "Conclusions");
        for conclusion in &self.judgment.conclusions {
            let sentence = conclusion.sentence.as_deref().unwrap_or("no sentence is licensed");
            let sentence = reading::labelled(self.judgment, sentence);
            page.paragraph(2, &format!("{}  ", page::clean(&conclusion.name)), &sentence);
        }
    }

    fn gates(&self, page: &mut Page) {
        if self.judgment.gates.is_empty() {
            return;
        }
        self.block(page, "Gates");
        for gate in &self.judgment.gates {
            self.gate(page, gate);
        }
    }

    fn gate(&self, page: &mut Page, gate: &GateVerdict) {
        let declared = self.spec.gates.get(&gate.name);
        let kind = words::gate(declared.and_then(|found| found.polarity), gate.fail);
        page.paragraph(2, "", &format!("{} (set {}; {kind})", gate.name, gate.set));
        if let Some(found) = declared {
            page.paragraph(4, "requires   ", &found.require.to_string());
        }
        if !gate.reason.is_empty() {
            page.paragraph(4, "reason     ", &gate.reason);
        }
        for (member, passed, evidence) in &gate.members {
            let words = match passed {
                Ok(true) => "passed".to_owned(),
                Ok(false) => "failed".to_owned(),
                Err(why) => format!("could not be evaluated: {why}"),
            };
            let evidence = evidence.iter().map(short).collect::<Vec<_>>().join("; ");
            page.row(4, &words::member(member), &reading::labelled(self.judgment, &words), &evidence);
        }
    }

    fn families(&self, page: &mut Page) {
        if self.judgment.families.is_empty() {
            return;
        }
        self.block(page, "Families");
        for family in &self.judgment.families {
            let within = words::member(&family.within);
            let within = if within.is_empty() { String::new() } else { format!(", within {within}") };
            page.paragraph(
                2,
                "",
                &format!(
                    "{} (set {}{within}): {}, {} planned",
                    family.name,
                    family.set,
                    family.adjust,
                    words::counted(family.count, "member")
                ),
            );
            if let Some(declared) = self.spec.families.get(&family.name) {
                page.paragraph(4, "", words::intervals_of(declared.adjust));
            }
            for (member, p, adjusted) in family.members.iter().take(MEMBERS_SHOWN) {
                let p = match p {
                    Ok(p) => figures::p_named("p", *p),
                    Err(why) => format!("undefined, counted as p = 1 ({why})"),
                };
                page.row(4, member, &figures::p_named("adjusted", *adjusted), &p);
            }
            if let Some(more) = family.members.len().checked_sub(MEMBERS_SHOWN).filter(|more| *more > 0) {
                page.paragraph(4, "", &format!("and {more} more, all of them in the verdict document"));
            }
        }
    }

    fn comparisons(&self, page: &mut Page) {
        if !self.judgment.comparisons.is_empty() {
            self.block(page, "Comparisons");
        }
        for result in &self.judgment.comparisons {
            page.paragraph(2, "", &format!("{} ({})", result.name, compared::heading(result)));
            for member in result.members.iter().take(MEMBERS_SHOWN) {
                let finding = reading::labelled(self.judgment, &compared::finding(member));
                page.row(4, &compared::arms(member), &finding, &compared::evidence(self.spec, member));
            }
            if let Some(more) = result.members.len().checked_sub(MEMBERS_SHOWN).filter(|more| *more > 0) {
                page.paragraph(4, "", &format!("and {more} more, all of them in the verdict document"));
            }
        }
        if !self.judgment.rankings.is_empty() {
            self.block(page, "Rankings");
        }
        for result in &self.judgment.rankings {
            page.paragraph(2, "", &format!("{} ({})", result.name, compared::order(result)));
            match &result.rows {
                Ok(rows) => {
                    for row in rows.iter().take(MEMBERS_SHOWN) {
                        page.row(4, &words::member(&row.member), &compared::place(row), &compared::beside(row));
                    }
                }
                Err(reason) => page.paragraph(4, "none because ", reason),
            }
        }
    }

    fn flows(&self, page: &mut Page) {
        if self.judgment.flows.is_empty() {
            return;
        }
        self.block(page, "Records, from planned to counted");
        for flow in &self.judgment.flows {
            page.paragraph(2, &format!("{}  ", page::clean(&flow.set)), &flow_words(flow));
            for (arm, [planned, completed, errored, missing, counted]) in flow.arms.iter().take(MEMBERS_SHOWN) {
                let detail =
                    format!("{completed} completed, {errored} errored, {missing} missing of {planned} planned");
                page.row(4, arm, &format!("{counted} counted"), &detail);
            }
        }
    }

    fn figures(&self, page: &mut Page) {
        if self.judgment.figures.is_empty() {
            return;
        }
        self.block(page, "Other figures");
        for result in &self.judgment.figures {
            let member = words::member(&result.member);
            let member = if member.is_empty() { String::new() } else { format!(" ({member})") };
            let name = format!("{}{member}", alias(result));
            page.paragraph(2, &format!("{}  ", page::clean(&name)), &reading::evidence(result).join("; "));
        }
    }

    fn remarks(&self, page: &mut Page) {
        let judgment = self.judgment;
        if !judgment.waivers.is_empty() {
            self.block(page, "Waivers");
            for (code, on, because) in &judgment.waivers {
                page.paragraph(2, "", &format!("{code} waived for {on}: {because}"));
            }
        }
        if !judgment.warnings.is_empty() {
            self.block(page, "Warnings");
            for warning in &judgment.warnings {
                let subject = if warning.subject.is_empty() { String::new() } else { format!("{}: ", warning.subject) };
                page.paragraph(2, "", &coded(&warning.code, &format!("{subject}{}", warning.text)));
            }
        }
        if !judgment.limitations.is_empty() {
            self.block(page, "Limitations");
            for (name, text) in &judgment.limitations {
                page.paragraph(2, &format!("{}  ", page::clean(name)), text);
            }
        }
    }
}

fn coded(code: &str, text: &str) -> String {
    if code.is_empty() { text.to_owned() } else { format!("{code} {text}") }
}

/// The alias, with the estimand where it is another word.
fn alias(result: &EstimandResult) -> String {
    if result.alias == result.estimand || result.alias.is_empty() {
        result.estimand.clone()
    } else {
        format!("{} ({})", result.alias, result.estimand)
    }
}

/// Evidence in the little room of a row.
fn short(result: &EstimandResult) -> String {
    format!("{} {}", result.alias, reading::evidence(result).join(" "))
}

fn flow_words(flow: &Flow) -> String {
    let states: Vec<String> = flow
        .states
        .iter()
        .map(|(state, count)| format!("{} {}", figures::count(*count), state.replace('_', " ")))
        .collect();
    let mut parts = vec![format!("{} planned", words::counted(flow.planned, "record"))];
    if !states.is_empty() {
        parts.push(format!("came as {}", states.join(", ")));
    }
    for (count, text) in [
        (flow.dropped, "dropped"),
        (flow.not_kept, "lost with units that were not kept"),
        (flow.excluded, "left out of the denominator"),
        (flow.imputed, "counted as incorrect or as a value"),
    ] {
        if count > 0 {
            parts.push(format!("{} {text}", figures::count(count)));
        }
    }
    parts.push(format!("{} counted", figures::count(flow.counted)));
    parts.push(format!("{} of {} units", figures::count(flow.units.0), figures::count(flow.units.1)));
    parts.join("; ")
}

const fn paint(class: VerdictClass) -> Paint {
    match class {
        VerdictClass::Supported => Paint::Good,
        VerdictClass::Contradicted => Paint::Bad,
        VerdictClass::Inconclusive => Paint::Middle,
        VerdictClass::Void | VerdictClass::NotEvaluated | VerdictClass::NotEvaluable => Paint::Warning,
    }
}
