//! Whether the cases of a rule leave a hole, overlap, or can never apply.

use super::RuleSite;
use super::translate::{Context, Translator};
use crate::check::places::{Kind, Part, Places};
use crate::check::prover::{self, Formula, Mode, Question, Refusal, Report};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::spec::{Case, CaseCondition, Class, Condition, Spec};

/// The formulas of a rule's cases and the translator that made them; `None` when a case names what does not exist.
pub(super) fn formulas<'a>(spec: &'a Spec, site: &RuleSite<'_>) -> Option<(Translator<'a>, Vec<Formula>)> {
    let mut translator = Translator::new(spec);
    let context = Context { hypothesis: site.name, about: site.about, engine_classes: false };
    let mut cases = Vec::new();
    for case in &site.rule.cases {
        if let CaseCondition::When(condition) = &case.when {
            cases.push(translator.condition(context, condition)?);
        }
    }
    Some((translator, cases))
}

/// The cases that have a condition, with their index as written.
pub(super) fn conditioned(cases: &[Case]) -> Vec<(usize, &Case)> {
    cases.iter().enumerate().filter(|(_, case)| case.when != CaseCondition::Otherwise).collect()
}

/// Reports everything that is wrong with one rule as a set of cases.
pub(super) fn check(spec: &Spec, site: &RuleSite<'_>, places: &Places, out: &mut Vec<Diagnostic>) {
    shape(site, places, out);
    let Some((translator, formulas)) = formulas(spec, site) else { return };
    let listed = conditioned(&site.rule.cases);
    let clause = site.clause.cloned();
    let place = |index: usize| {
        let written = listed.get(index).map_or(0, |(at, _)| *at);
        places.get(Kind::Hypothesis, site.name, &Part::Case(clause.clone(), written))
    };
    let label = |index: usize| listed.get(index).map_or("", |(_, case)| case.label.as_str());
    let mode = if site.rule.in_order { Mode::InOrder } else { Mode::Unordered };
    let otherwise = listed.len() < site.rule.cases.len();
    let report = prover::partition(&translator.problem, &formulas, mode, otherwise, &translator.budget);
    let whole = places.get(Kind::Hypothesis, site.name, &Part::Rule(clause.clone()));
    let otherwise_at = site
        .rule
        .cases
        .iter()
        .position(|case| case.when == CaseCondition::Otherwise)
        .map_or(whole, |at| places.get(Kind::Hypothesis, site.name, &Part::Case(clause.clone(), at)));
    let found = Found { subject: subject(site), whole, otherwise_at };
    say(&translator, &report, &found, place, label, out);
}

struct Found {
    subject: String,
    whole: Span,
    otherwise_at: Span,
}

fn subject(site: &RuleSite<'_>) -> String {
    site.name.to_owned()
}

fn say<'l>(
    translator: &Translator<'_>,
    report: &Report,
    found: &Found,
    place: impl Fn(usize) -> Span,
    label: impl Fn(usize) -> &'l str,
    out: &mut Vec<Diagnostic>,
) {
    let subject = &found.subject;
    for overlap in &report.overlaps {
        let (first, second) = (label(overlap.first), label(overlap.second));
        out.push(
            Diagnostic::error(Code::Overlap, place(overlap.second), format!("`{first}` and `{second}` can both hold"))
                .label("this case")
                .also(place(overlap.first), "and this one")
                .note(format!("for example when {}", translator.show(&overlap.witness)))
                .help("make the conditions exclude each other, or write `decide in order` so that the first one wins")
                .about(subject),
        );
    }
    if let Some(witness) = &report.hole {
        out.push(
            Diagnostic::error(Code::Hole, found.whole, "the rule does not say what happens for some results")
                .note(format!("for example when {}", translator.show(witness)))
                .help("add a case for it, or `inconclusive otherwise`")
                .about(subject),
        );
    }
    for dead in &report.dead {
        let mut diagnostic =
            Diagnostic::error(Code::DeadCase, place(dead.case), format!("`{}` can never be reached", label(dead.case)))
                .about(subject);
        if dead.shadowed_by.is_empty() {
            diagnostic =
                diagnostic.note("no result satisfies its condition").help("correct the condition, or remove the case");
        } else {
            for earlier in &dead.shadowed_by {
                diagnostic = diagnostic.also(place(*earlier), "taken by this case");
            }
            diagnostic = diagnostic.help("move it before the cases that take everything from it, or remove it");
        }
        out.push(diagnostic);
    }
    if report.otherwise_dead {
        out.push(
            Diagnostic::error(Code::DeadCase, found.otherwise_at, "nothing is left for `otherwise`")
                .note("the cases before it cover every result")
                .help("remove it, so that a reader does not look for a result that cannot occur")
                .about(subject),
        );
    }
    for refused in &report.refused {
        let at = match refused.question {
            Question::Case(case) | Question::Pair(_, case) => place(case),
            Question::Axioms | Question::Remainder => found.whole,
        };
        out.push(refusal(&refused.refusal, at).about(subject));
    }
}

/// The diagnostic for a question that the prover does not answer.
fn refusal(refusal: &Refusal, at: Span) -> Diagnostic {
    let (code, help) = match refusal {
        Refusal::TooLarge { .. } | Refusal::TooDeep { .. } => {
            (Code::TooHard, "split the rule into clauses with a verdict of their own")
        }
        Refusal::Integers { .. } => {
            (Code::TooHard, "give the counts bounds (`reported count in [0, 1000]`), or compare fewer of them at once")
        }
        Refusal::Denominator { .. } => (
            Code::OutsideFragment,
            "give the measure bounds that keep the denominator away from zero, or compare without dividing",
        ),
        Refusal::Nonlinear { .. } | Refusal::Contradiction | Refusal::Defect | Refusal::Malformed { .. } => (
            Code::OutsideFragment,
            "rules compare sums and differences of evidence with constants; name a product as an estimand of its own",
        ),
    };
    Diagnostic::error(code, at, refusal.to_string())
        .note("a rule that cannot be decided exactly could turn out to have a hole after the data are in")
        .help(help)
}

/// What can be said of a rule without proving anything.
fn shape(site: &RuleSite<'_>, places: &Places, out: &mut Vec<Diagnostic>) {
    for (at, case) in site.rule.cases.iter().enumerate() {
        let place = places.get(Kind::Hypothesis, site.name, &Part::Case(site.clause.cloned(), at));
        match &case.when {
            CaseCondition::Otherwise if case.class != Class::Inconclusive && case.because.is_none() => out.push(
                Diagnostic::error(
                    Code::BadOtherwise,
                    place,
                    format!("`otherwise` gives `{}` without saying why", case.label),
                )
                .note("a verdict that is reached by leaving everything else out needs a reason a reader can weigh")
                .help("write the condition, or add `because \"…\"`")
                .about(subject(site)),
            ),
            CaseCondition::When(condition) if case.class != Class::Inconclusive && negates_verdict(condition) => out
                .push(
                    Diagnostic::error(Code::IsNot, place, "`is not` may only stand in an inconclusive case")
                        .note("a component that could not be evaluated is not evidence for the opposite")
                        .help("name the labels that are meant, one by one")
                        .about(subject(site)),
                ),
            CaseCondition::Otherwise | CaseCondition::When(_) => {}
        }
    }
}

fn negates_verdict(condition: &Condition) -> bool {
    fn walk(condition: &Condition, negated: bool) -> bool {
        match condition {
            Condition::Is { negated: not, .. } => negated != *not,
            Condition::Not(inner) => walk(inner, !negated),
            Condition::And(parts) | Condition::Or(parts) => parts.iter().any(|part| walk(part, negated)),
            Condition::Compare(..) | Condition::Within(..) => false,
        }
    }
    walk(condition, false)
}

/// Conclusions: the first match wins and silence is the default, so only cases that can never speak are wrong.
pub(super) fn conclusions(spec: &Spec, places: &Places, out: &mut Vec<Diagnostic>) {
    for (name, conclusion) in &spec.conclusions {
        let mut translator = Translator::new(spec);
        let context = Context { hypothesis: "", about: &[], engine_classes: true };
        let mut formulas = Vec::new();
        let mut listed = Vec::new();
        for (at, say) in conclusion.cases.iter().enumerate() {
            if let CaseCondition::When(condition) = &say.when {
                let Some(formula) = translator.condition(context, condition) else { return };
                formulas.push(formula);
                listed.push(at);
            }
        }
        let place =
            |index: usize| places.get(Kind::Conclusion, name, &Part::Say(listed.get(index).copied().unwrap_or(0)));
        let report = prover::partition(&translator.problem, &formulas, Mode::InOrder, true, &translator.budget);
        for dead in &report.dead {
            out.push(
                Diagnostic::error(Code::DeadCase, place(dead.case), "this sentence can never be said")
                    .help("earlier sentences take every case from it: reorder or remove it")
                    .about(name),
            );
        }
        for refused in &report.refused {
            out.push(refusal(&refused.refusal, places.get(Kind::Conclusion, name, &Part::Name)).about(name));
        }
    }
}
