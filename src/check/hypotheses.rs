//! Hypotheses: evidence, scope, sets, clauses and rules.

use std::collections::{BTreeMap, BTreeSet};

use super::condition::RulePlace;
use super::levels::{Member, decided};
use super::names::list;
use super::places::Part;
use super::record_expr::RecordPlace;
use super::{Checker, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::spec::{
    About, Case, CaseCondition, Claim, Class, Clause, Hypothesis, Name, Per, Quantifier, QuantifierKind, RecordExpr,
    Relation, Rule, Scope, VerdictClass,
};
use crate::syntax::ast;

/// Factors that a filter pins to one level.
#[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
pub(super) fn pinned(filter: &RecordExpr) -> BTreeSet<Name> {
    match filter {
        RecordExpr::And(parts) => parts.iter().flat_map(pinned).collect(),
        RecordExpr::Compare(left, Relation::Equal, right) => match (&**left, &**right) {
            (RecordExpr::Factor(name) | RecordExpr::Field(name), RecordExpr::Level(_)) => {
                BTreeSet::from([name.clone()])
            }
            _ => BTreeSet::new(),
        },
        RecordExpr::OneOf(subject, levels) if levels.len() == 1 => match &**subject {
            RecordExpr::Factor(name) | RecordExpr::Field(name) => BTreeSet::from([name.clone()]),
            _ => BTreeSet::new(),
        },
        // An attribute that is true or false is pinned by naming it.
        RecordExpr::Field(name) => BTreeSet::from([name.clone()]),
        RecordExpr::Not(inner) => match &**inner {
            RecordExpr::Field(name) => BTreeSet::from([name.clone()]),
            _ => BTreeSet::new(),
        },
        _ => BTreeSet::new(),
    }
}

impl<'a> Checker<'a> {
    /// Every hypothesis.
    pub(super) fn hypotheses(&mut self) {
        for (name, item) in self.names.hypotheses.clone() {
            self.place(Kind::Hypothesis, name, Part::Name, item.name.span);
            if let Some(hypothesis) = self.hypothesis(item) {
                self.spec.hypotheses.insert(name.to_owned(), hypothesis);
            }
        }
        if self.names.hypotheses.is_empty() {
            let span = self.names.study.map_or_else(Default::default, |study| study.name.span);
            self.report(
                Diagnostic::error(Code::NothingToJudge, span, "the spec has no hypothesis")
                    .note("without one there is nothing that the results could support or contradict")
                    .help("add `hypothesis H1 primary \"…\" { about …; decide { … } }`"),
            );
        }
    }

    fn hypothesis(&mut self, item: &'a ast::Hypothesis) -> Option<Hypothesis> {
        let name = item.name.node.as_str();
        let before = self.error_count();
        let standing = self.role_of(item);
        let claim = if let Some(text) = &item.claim {
            self.place(Kind::Hypothesis, name, Part::Claim, text.span);
            self.prose(text)
        } else {
            self.report(
                Diagnostic::error(Code::MissingClause, item.name.span, format!("`{name}` does not say what it claims"))
                    .help("add the claim in quotes after the name"),
            );
            String::new()
        };
        let answers = self.answers(item);
        let sets = self.sets_of(item);
        let requires = self.requires(item);
        let about = self.abouts(&item.about, name, None);
        let mut clause_labels: BTreeMap<Name, BTreeSet<Name>> = BTreeMap::new();
        for clause in &item.clauses {
            if clause_labels.insert(clause.name.node.clone(), labels(clause.rule.as_ref())).is_some() {
                self.twice(&clause.name, "clause");
            }
            if self.names.hypotheses.contains_key(clause.name.node.as_str()) {
                self.report(
                    Diagnostic::error(
                        Code::Shadowed,
                        clause.name.span,
                        format!("the clause `{}` hides the hypothesis of this name", clause.name.node),
                    )
                    .help("give the clause another name"),
                );
            }
        }
        let (scope, bound) = self.scope(item.scope.as_ref(), &about, &item.grid, name, None);
        let mut place = RulePlace {
            abouts: about.clone(),
            bound: bound.clone(),
            clauses: clause_labels.clone(),
            subject: name.to_owned(),
            ..RulePlace::default()
        };
        let after = self.after(item, &place);
        let evaluable = item.evaluable.as_ref().and_then(|expr| {
            self.place(Kind::Hypothesis, name, Part::Evaluable(None), expr.span);
            self.condition(expr, &mut place)
        });
        let rule = item.rule.as_ref().and_then(|rule| self.rule(rule, name, None, &mut place));
        self.has_rule(item);
        let mut read = std::mem::take(&mut place.read);
        let mut clauses = BTreeMap::new();
        for clause in &item.clauses {
            if let Some((checked, used)) = self.clause(clause, name, &about, &bound, &clause_labels) {
                read.extend(used);
                clauses.insert(clause.name.node.clone(), checked);
            }
        }
        let clean = self.error_count() == before;
        if clean && !item.descriptive {
            self.unread(item, &about, &read);
        }
        let mut notes = BTreeMap::new();
        for note in &item.notes {
            let text = self.prose(&note.text);
            if notes.insert(note.name.node.clone(), text).is_some() {
                self.twice(&note.name, "note");
            }
        }
        let grid = item.grid.iter().map(|factor| factor.node.clone()).collect();
        clean.then_some(Hypothesis {
            role: standing,
            descriptive: item.descriptive,
            claim,
            answers,
            about,
            scope,
            grid,
            sets,
            requires,
            after,
            evaluable,
            clauses,
            rule,
            notes,
        })
    }

    fn has_rule(&mut self, item: &ast::Hypothesis) {
        let name = item.name.node.as_str();
        match (&item.rule, item.descriptive) {
            (None, false) => {
                let clauses = !item.clauses.is_empty();
                let help = if clauses {
                    "say how the clauses make up the verdict: `decide { supported when a is supported and b is supported … }`"
                } else {
                    "add `decide { … }`, or say `descriptive` when it only describes"
                };
                self.report(
                    Diagnostic::error(Code::NoRule, item.name.span, format!("`{name}` has no rule"))
                        .note("a claim without a rule can be read as confirmed by any result")
                        .help(help)
                        .about(name),
                );
            }
            (Some(rule), true) => self.report(
                Diagnostic::error(Code::RepeatedClause, rule.span, format!("`{name}` is descriptive and has a rule"))
                    .help("take out `descriptive` or the rule"),
            ),
            _ => {}
        }
    }

    fn unread(&mut self, item: &ast::Hypothesis, about: &[About], read: &BTreeSet<Name>) {
        for (at, line) in about.iter().enumerate() {
            if !read.contains(&line.alias) {
                let span = item.about.get(at).map_or(item.name.span, |line| line.estimand.span);
                self.report(
                    Diagnostic::warning(Code::Unused, span, format!("the rule never reads `{}`", line.alias))
                        .help("use it in the rule, or take out the `about`")
                        .about(item.name.node.clone()),
                );
            }
        }
    }

    fn role_of(&mut self, item: &ast::Hypothesis) -> Claim {
        match item.role.as_ref().map(|role| role.node.as_str()) {
            Some("primary") => Claim::Primary,
            Some("secondary") => Claim::Secondary,
            Some("exploratory") => Claim::Exploratory,
            Some(_) | None => {
                self.report(
                    Diagnostic::error(
                        Code::MissingClause,
                        item.name.span,
                        format!("`{}` does not say its standing", item.name.node),
                    )
                    .help("write `primary`, `secondary` or `exploratory` after its name"),
                );
                Claim::Exploratory
            }
        }
    }

    fn answers(&mut self, item: &ast::Hypothesis) -> Vec<Name> {
        let known: Vec<Name> = self.spec.about.questions.keys().cloned().collect();
        let mut answers = Vec::new();
        for question in &item.answers {
            if known.contains(&question.node) {
                answers.push(question.node.clone());
                continue;
            }
            let nearest = self.nearest(&question.node, known.iter().map(String::as_str));
            let found =
                Diagnostic::error(Code::Undefined, question.span, format!("no question is called `{}`", question.node));
            self.report(match nearest {
                Some(near) => {
                    found.help(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), question.span, near)
                }
                None => found.help("declare it in `study`: `question RQ1 primary \"…\"`"),
            });
        }
        answers.sort();
        answers.dedup();
        answers
    }

    fn sets_of(&mut self, item: &ast::Hypothesis) -> Vec<Name> {
        let name = item.name.node.as_str();
        let mut sets: Vec<Name> = Vec::new();
        for set in &item.sets {
            self.place(Kind::Hypothesis, name, Part::Sets, set.span);
            if !self.spec.sets.contains_key(&set.node) {
                self.undefined(set, "an analysis set", &[Kind::Set]);
            } else if sets.contains(&set.node) {
                self.twice(set, "set");
            } else {
                self.mark(Kind::Set, &set.node);
                sets.push(set.node.clone());
            }
        }
        if item.sets.is_empty() {
            sets.extend(self.default_set(&item.name));
        }
        sets
    }

    /// The only analysis set; reports when there are several.
    pub(super) fn default_set(&mut self, name: &ast::Name) -> Option<Name> {
        let known: Vec<Name> = self.spec.sets.keys().cloned().collect();
        if let [only] = known.as_slice() {
            self.mark(Kind::Set, only);
            return Some(only.clone());
        }
        self.report(
            Diagnostic::error(
                Code::SetsMissing,
                name.span,
                format!("`{}` does not say which analysis sets it is judged in", name.node),
            )
            .note(format!("there are {}; the first one named is the headline", list(&known)))
            .help(format!("add `sets {}`", known.join(", ")))
            .about(name.node.clone()),
        );
        None
    }

    fn requires(&mut self, item: &ast::Hypothesis) -> Vec<Name> {
        let mut requires = Vec::new();
        for gate in &item.requires {
            if self.names.gates.contains_key(gate.node.as_str()) {
                self.mark(Kind::Gate, &gate.node);
                requires.push(gate.node.clone());
            } else {
                self.undefined(gate, "a gate", &[Kind::Gate]);
            }
        }
        requires.sort();
        requires.dedup();
        requires
    }

    fn after(&mut self, item: &ast::Hypothesis, place: &RulePlace) -> Vec<crate::spec::Condition> {
        let mut verdicts = RulePlace { verdicts_only: true, clauses: BTreeMap::new(), ..place.clone() };
        let mut after = Vec::new();
        for (at, expr) in item.after.iter().enumerate() {
            self.place(Kind::Hypothesis, &item.name.node, Part::After(at), expr.span);
            after.extend(self.condition(expr, &mut verdicts));
        }
        after
    }

    /// `about` lines: estimand, pins, methods, alias.
    pub(super) fn abouts(&mut self, lines: &[ast::About], subject: &str, clause: Option<&str>) -> Vec<About> {
        self.about_failed = false;
        let kind = if self.names.gates.contains_key(subject) { Kind::Gate } else { Kind::Hypothesis };
        let mut abouts: Vec<About> = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            self.place(kind, subject, Part::About(clause.map(str::to_owned), at), line.estimand.span);
            match self.about(line) {
                Some(about) if abouts.iter().any(|other| other.alias == about.alias) => {
                    let span = line.alias.as_ref().map_or(line.estimand.span, |alias| alias.span);
                    self.report(
                        Diagnostic::error(Code::Duplicate, span, format!("two lines are called `{}`", about.alias))
                            .help(format!("give one another name: `about {} … as other`", line.estimand.node)),
                    );
                }
                Some(about) => abouts.push(about),
                None => self.about_failed = true,
            }
        }
        abouts
    }

    fn about(&mut self, line: &ast::About) -> Option<About> {
        let name = line.estimand.node.as_str();
        let (mut intervals, mut tests, mut failed) = (Vec::new(), Vec::new(), false);
        for method in &line.with {
            let word = method.node.as_str();
            if self.names.intervals.contains_key(word) {
                self.mark(Kind::Interval, word);
                intervals.push(word.to_owned());
            } else if self.names.tests.contains_key(word) {
                self.mark(Kind::Test, word);
                tests.push(word.to_owned());
            } else {
                self.undefined(method, "an interval or test", &[Kind::Interval, Kind::Test]);
                failed = true;
            }
        }
        if !self.names.estimands.contains_key(name) {
            if self.names.measures.contains_key(name) {
                self.report(
                    Diagnostic::error(
                        Code::WrongKind,
                        line.estimand.span,
                        format!("`{name}` is a measure, and a rule is about an estimand"),
                    )
                    .help(format!("declare what is estimated: `estimand name per … = {name}`")),
                );
            } else {
                self.undefined(&line.estimand, "an estimand", &[Kind::Estimand]);
            }
            return None;
        }
        self.mark(Kind::Estimand, name);
        let estimand = self.spec.estimands.get(name)?;
        let per = estimand.per.clone();
        let pairs: BTreeSet<Name> = per.iter().filter(|one| one.pair).map(|one| one.factor.clone()).collect();
        let at = self.selectors(&line.at, &BTreeMap::new(), &pairs)?;
        for (factor, _) in &at {
            if !per.iter().any(|one| one.factor == *factor) {
                self.report(
                    Diagnostic::error(
                        Code::WrongKind,
                        line.estimand.span,
                        format!("`{name}` is not computed per `{factor}`, so it cannot be pinned"),
                    )
                    .help(if per.is_empty() {
                        "it has one value".to_owned()
                    } else {
                        format!(
                            "it is computed per {}",
                            list(&per.iter().map(|one| one.factor.clone()).collect::<Vec<_>>())
                        )
                    }),
                );
                failed = true;
            }
        }
        for method in &line.with {
            failed |= !self.suits(method, name, line.estimand.span);
        }
        intervals.sort();
        intervals.dedup();
        tests.sort();
        tests.dedup();
        let alias = line.alias.as_ref().map_or_else(|| name.to_owned(), |alias| alias.node.clone());
        (!failed).then(|| About { alias, estimand: name.to_owned(), at, intervals, tests })
    }

    /// A scope with the factors it binds; its members are listed and quorums compared with their number.
    pub(super) fn scope(
        &mut self,
        scope: Option<&ast::Scope>,
        about: &[About],
        grid: &[ast::Name],
        subject: &str,
        clause: Option<&str>,
    ) -> (Option<Scope>, BTreeSet<Name>) {
        let kind = if self.names.gates.contains_key(subject) { Kind::Gate } else { Kind::Hypothesis };
        let mut bound = BTreeSet::new();
        let open: BTreeSet<Name> = about
            .iter()
            .filter_map(|line| Some((line, self.spec.estimands.get(&line.estimand)?)))
            .flat_map(|(line, estimand)| {
                estimand
                    .per
                    .iter()
                    .map(|per| per.factor.clone())
                    .filter(|factor| !line.at.iter().any(|(pin, _)| pin == factor))
            })
            .collect();
        for factor in grid {
            if self.runs_over(factor, &open, about) && !bound.insert(factor.node.clone()) {
                self.twice(factor, "factor");
            }
        }
        let Some(scope) = scope else { return (None, bound) };
        self.place(kind, subject, Part::Scope(clause.map(str::to_owned)), scope.span);
        let place = RecordPlace { only: Some(open.clone()), ..RecordPlace::cells("the scope") };
        let filter = scope.filter.as_ref().map(|filter| self.record_condition(filter, &place));
        let failed = matches!(filter, Some(None));
        let filter = filter.flatten();
        let mut quantifiers = Vec::new();
        for quantifier in &scope.quantifiers {
            let mut factors = Vec::new();
            for factor in &quantifier.factors {
                if self.runs_over(factor, &open, about) {
                    if !bound.insert(factor.node.clone()) {
                        self.twice(factor, "quantified factor");
                    }
                    factors.push(factor.node.clone());
                } else {
                    // Bound all the same, so that one mistake is reported once.
                    bound.insert(factor.node.clone());
                }
            }
            let members = if failed { None } else { self.member_count(&factors, about, filter.as_ref(), scope) };
            if let Some(checked) = self.quantifier(quantifier, factors, members) {
                quantifiers.push(checked);
            }
        }
        bound.extend(filter.as_ref().map(pinned).unwrap_or_default());
        (Some(Scope { quantifiers, filter }), bound)
    }

    fn runs_over(&mut self, factor: &ast::Name, open: &BTreeSet<Name>, about: &[About]) -> bool {
        if open.contains(&factor.node) {
            self.mark(Kind::Factor, &factor.node);
            return true;
        }
        if about.is_empty() {
            if !self.about_failed {
                self.report(
                    Diagnostic::error(Code::MissingEvidence, factor.span, "a scope without an `about` has no members")
                        .help("name the estimand: `about estimand with interval`"),
                );
            }
            return false;
        }
        if !self.factor_like(factor) {
            return false;
        }
        let estimands: Vec<&Name> = about.iter().map(|line| &line.estimand).collect();
        self.report(
            Diagnostic::error(
                Code::WrongKind,
                factor.span,
                format!(
                    "{} {} no value per `{}`",
                    list(&estimands),
                    if estimands.len() == 1 { "has" } else { "have" },
                    factor.node
                ),
            )
            .help(format!("add it to the estimand's `per`, or take `{}` out", factor.node)),
        );
        false
    }

    /// How many members the factors have under the filter; reports an empty scope and cells that are never run.
    fn member_count(
        &mut self,
        factors: &[Name],
        about: &[About],
        filter: Option<&RecordExpr>,
        scope: &ast::Scope,
    ) -> Option<u64> {
        let per: Vec<Per> = about
            .iter()
            .filter_map(|line| self.spec.estimands.get(&line.estimand))
            .map(|estimand| estimand.per.clone())
            .find(|per| factors.iter().all(|factor| per.iter().any(|one| one.factor == *factor)))?;
        if factors.is_empty() {
            return None;
        }
        let passes = |member: &Member| filter.is_none_or(|filter| decided(filter, member) != Some(false));
        let named: Vec<Member> = self.combinations(&per)?.into_iter().filter(passes).collect();
        let planned: Vec<Member> = self.members(&per)?.into_iter().filter(passes).collect();
        if named.is_empty() || planned.is_empty() {
            let (code, message) = if named.is_empty() {
                (Code::EmptyScope, "no member satisfies this scope")
            } else {
                (Code::CellNeverRun, "every cell of this scope is excluded by the design")
            };
            if self.scope_reported != Some(scope.span) {
                self.scope_reported = Some(scope.span);
                self.report(
                    Diagnostic::error(code, scope.span, message)
                        .note("a rule about no member has no verdict")
                        .help("change the `where`, or the design's `exclude`"),
                );
            }
            return None;
        }
        let distinct: BTreeSet<Vec<&Vec<Name>>> =
            planned.iter().map(|member| factors.iter().filter_map(|factor| member.get(factor)).collect()).collect();
        Some(distinct.len() as u64)
    }

    fn quantifier(&mut self, item: &ast::Quantifier, factors: Vec<Name>, members: Option<u64>) -> Option<Quantifier> {
        let mut planned = members;
        let kind = match &item.kind {
            ast::QuantifierKind::All => QuantifierKind::All,
            ast::QuantifierKind::Any => QuantifierKind::Any,
            ast::QuantifierKind::None => QuantifierKind::None,
            ast::QuantifierKind::AtLeast(least, of) => {
                let (k, n) = (self.whole(least, "a quorum"), self.whole(of, "the number of members"));
                let (k, n) = (k?, n?);
                let span = Self::literal_span(of);
                if let Some(members) = members.filter(|members| *members != n) {
                    self.report(
                        Diagnostic::error(
                            Code::BadQuorum,
                            span,
                            format!(
                                "the quorum is out of {n}, and {} {} {members} members",
                                list(&factors),
                                if factors.len() == 1 { "has" } else { "have" }
                            ),
                        )
                        .help("the number after `of` is the number of members that are planned")
                        .fix(format!("write {members}"), span, members.to_string()),
                    );
                    return None;
                }
                if k == 0 || k > n {
                    self.report(
                        Diagnostic::error(
                            Code::BadQuorum,
                            Self::literal_span(least),
                            format!("a quorum of {k} out of {n} decides nothing"),
                        )
                        .help(format!("it lies between 1 and {n}")),
                    );
                    return None;
                }
                planned = Some(n);
                QuantifierKind::AtLeast { at_least: k, of: n }
            }
        };
        let mut when_lost = Vec::new();
        for (least, of) in &item.when_lost {
            let (k, n) = (self.whole(least, "a quorum")?, self.whole(of, "the number of members")?);
            if k == 0 || k > n || planned.is_some_and(|planned| n >= planned) {
                self.report(
                    Diagnostic::error(
                        Code::BadQuorum,
                        Self::literal_span(least),
                        format!("a quorum of {k} out of {n} does not fit a loss"),
                    )
                    .help("after a loss there are fewer members than planned"),
                );
                return None;
            }
            when_lost.push((k, n));
        }
        when_lost.sort_unstable();
        Some(Quantifier { kind, factors, when_lost })
    }

    fn clause(
        &mut self,
        item: &ast::HypothesisClause,
        subject: &str,
        outer: &[About],
        outer_bound: &BTreeSet<Name>,
        clauses: &BTreeMap<Name, BTreeSet<Name>>,
    ) -> Option<(Clause, BTreeSet<Name>)> {
        let name = item.name.node.as_str();
        self.place(Kind::Hypothesis, subject, Part::Clause(name.to_owned()), item.name.span);
        let inherits = item.about.is_empty();
        let about = if inherits { outer.to_vec() } else { self.abouts(&item.about, subject, Some(name)) };
        let (scope, mut bound) = self.scope(item.scope.as_ref(), &about, &[], subject, Some(name));
        bound.extend(outer_bound.iter().cloned());
        let mut place = RulePlace {
            abouts: about.clone(),
            bound,
            clauses: clauses
                .iter()
                .filter(|(other, _)| *other != name)
                .map(|(name, labels)| (name.clone(), labels.clone()))
                .collect(),
            subject: subject.to_owned(),
            ..RulePlace::default()
        };
        let evaluable = item.evaluable.as_ref().and_then(|expr| {
            self.place(Kind::Hypothesis, subject, Part::Evaluable(Some(name.to_owned())), expr.span);
            self.condition(expr, &mut place)
        });
        let Some(rule) = &item.rule else {
            self.report(
                Diagnostic::error(Code::NoRule, item.name.span, format!("the clause `{name}` has no rule"))
                    .help("add `decide { … }` to it")
                    .about(subject),
            );
            return None;
        };
        let rule = self.rule(rule, subject, Some(name), &mut place)?;
        let read = if inherits { place.read } else { BTreeSet::new() };
        Some((Clause { about, scope, evaluable, rule }, read))
    }

    /// The cases of a rule.
    fn rule(&mut self, rule: &ast::Rule, subject: &str, clause: Option<&str>, place: &mut RulePlace) -> Option<Rule> {
        let own = |part: fn(Option<Name>, usize) -> Part, at| part(clause.map(str::to_owned), at);
        self.place(Kind::Hypothesis, subject, Part::Rule(clause.map(str::to_owned)), rule.span);
        let mut cases = Vec::new();
        let mut failed = rule.cases.is_empty();
        if failed {
            self.report(
                Diagnostic::error(Code::NoRule, rule.span, "a rule without a case decides nothing")
                    .help("add cases, as in `supported when lower > 0 pp`")
                    .about(subject),
            );
        }
        let mut classes: BTreeMap<&str, Class> = BTreeMap::new();
        for (at, case) in rule.cases.iter().enumerate() {
            self.place(Kind::Hypothesis, subject, own(Part::Case, at), case.span);
            let class = self.class(case);
            let when = match &case.when {
                None => Some(CaseCondition::Otherwise),
                Some(expr) => {
                    self.place(Kind::Hypothesis, subject, own(Part::When, at), expr.span);
                    self.condition(expr, place).map(CaseCondition::When)
                }
            };
            if case.when.is_none() && at + 1 != rule.cases.len() && rule.in_order {
                self.report(
                    Diagnostic::error(Code::DeadCase, case.span, "nothing after `otherwise` can be reached")
                        .help("`otherwise` comes last"),
                );
                failed = true;
            }
            let because = case.because.as_ref().map(|text| self.prose(text));
            let (Some(class), Some(when)) = (class, when) else {
                failed = true;
                continue;
            };
            if let Some(other) = classes.insert(case.label.node.as_str(), class).filter(|other| *other != class) {
                let words = [VerdictClass::from(other).word(), VerdictClass::from(class).word()];
                self.report(
                    Diagnostic::error(
                        Code::BadLabel,
                        case.label.span,
                        format!("`{}` counts as {}", case.label.node, list(&words)),
                    )
                    .help("one label has one class"),
                );
                failed = true;
            }
            cases.push(Case { label: case.label.node.clone(), class, when, because });
        }
        let otherwise: Vec<&ast::Case> = rule.cases.iter().filter(|case| case.when.is_none()).collect();
        if let [_, second, ..] = otherwise.as_slice() {
            self.report(Diagnostic::error(Code::RepeatedClause, second.span, "a second `otherwise`"));
            failed = true;
        }
        (!failed).then_some(Rule { in_order: rule.in_order, cases })
    }

    fn class(&mut self, case: &ast::Case) -> Option<Class> {
        let class_of = |word: &str| match word {
            "supported" => Some(Class::Supported),
            "contradicted" => Some(Class::Contradicted),
            "inconclusive" => Some(Class::Inconclusive),
            _ => None,
        };
        let label = case.label.node.as_str();
        let engine = class_of(label).is_none() && VerdictClass::from_word(label).is_some();
        let classes = ["supported", "contradicted", "inconclusive"];
        let Some(written) = &case.class else {
            let class = class_of(label);
            if class.is_none() {
                let message = if engine {
                    format!("a rule cannot give `{label}`; only the engine does")
                } else {
                    format!("the label `{label}` has no class")
                };
                let nearest = self.nearest(label, classes);
                let found = Diagnostic::error(Code::BadLabel, case.label.span, message);
                self.report(match nearest {
                    Some(near) => found.help(format!("did you mean `{near}`?")).fix(
                        format!("write `{near}`"),
                        case.label.span,
                        near,
                    ),
                    None if engine => found.help("use a gate, `evaluable when …`, or a label `as inconclusive`"),
                    None => found.help(format!("say what it counts as: `{label} as supported when …`")),
                });
            }
            return class;
        };
        let class = class_of(&written.node);
        match (class, class_of(label)) {
            (None, _) => {
                let nearest = self.nearest(&written.node, classes);
                let found = Diagnostic::error(
                    Code::BadLabel,
                    written.span,
                    format!("a rule cannot give the class `{}`", written.node),
                )
                .help(format!("classes are {}", list(&classes)));
                self.report(match nearest {
                    Some(near) => found.fix(format!("write `{near}`"), written.span, near),
                    None => found,
                });
                None
            }
            (Some(class), Some(own)) if class != own => {
                self.report(
                    Diagnostic::error(
                        Code::BadLabel,
                        case.label.span,
                        format!("`{label}` cannot count as `{}`", written.node),
                    )
                    .help("the name of a class always means that class; choose another label"),
                );
                None
            }
            _ if engine => {
                self.report(
                    Diagnostic::error(Code::BadLabel, case.label.span, format!("`{label}` is a word of the engine"))
                        .help("choose another label"),
                );
                None
            }
            (class, _) => class,
        }
    }

    /// Errors reported so far.
    pub(super) fn error_count(&self) -> usize {
        self.diagnostics.iter().filter(|found| found.severity == crate::diagnostic::Severity::Error).count()
    }
}

/// The labels of a rule.
pub(super) fn labels(rule: Option<&ast::Rule>) -> BTreeSet<Name> {
    rule.into_iter().flat_map(|rule| &rule.cases).map(|case| case.label.node.clone()).collect()
}
