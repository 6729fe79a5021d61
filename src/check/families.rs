//! Families: the comparisons that share an error rate, listed and counted from the study alone.

use std::collections::{BTreeMap, BTreeSet};

use super::levels::{Member, decided};
use super::names::list;
use super::places::Part;
use super::record_expr::RecordPlace;
use super::{Checker, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::spec::{Adjustment, Family, FamilyMembers, Name};
use crate::syntax::ast;

/// Every adjustment by name.
const ADJUSTMENTS: [&str; 10] = [
    "holm",
    "hochberg",
    "hommel",
    "bonferroni",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "fixed_sequence",
    "graph",
    "joint",
    "none",
];

/// Members in each combination of the levels of `within`.
type Counts = BTreeMap<Vec<Name>, u64>;

impl Checker<'_> {
    /// The tests that some hypothesis or gate uses with each estimand.
    pub(super) fn gather_tests(&mut self) {
        let hypotheses = self.names.hypotheses.values().flat_map(|hypothesis| {
            hypothesis.about.iter().chain(hypothesis.clauses.iter().flat_map(|clause| &clause.about))
        });
        let abouts: Vec<&ast::About> =
            hypotheses.chain(self.names.gates.values().flat_map(|gate| &gate.about)).collect();
        for about in abouts {
            for method in about.with.iter().filter(|method| self.names.tests.contains_key(method.node.as_str())) {
                self.tests_used.entry(about.estimand.node.clone()).or_default().insert(method.node.clone());
            }
        }
    }

    /// Every family, its members counted.
    pub(super) fn families(&mut self) {
        for (name, item) in self.names.families.clone() {
            self.place(Kind::Family, name, Part::Name, item.name.span);
            match self.family(item) {
                Some(family) => {
                    self.spec.families.insert(name.to_owned(), family);
                }
                None => self.families_failed = true,
            }
        }
    }

    fn family(&mut self, item: &ast::Family) -> Option<Family> {
        let name = item.name.node.as_str();
        let within_known: Vec<bool> = item.within.iter().map(|factor| self.factor_like(factor)).collect();
        let adjust = self.adjustment(item.adjust.as_ref());
        if let Some(alpha) = &item.alpha {
            self.report(
                Diagnostic::error(Code::FamilyConflict, alpha.number.span, "a family has no level of its own")
                    .note("the level stands in the rules that read `p_adjusted`, and two places could disagree")
                    .help("write it in the rule: `p_adjusted < 5 %`"),
            );
        }
        let mut within: Vec<Name> = item.within.iter().map(|factor| factor.node.clone()).collect();
        within.sort();
        within.dedup();
        let mut members = Vec::new();
        let mut failed = within_known.contains(&false) || item.members.is_empty();
        if item.members.is_empty() {
            self.missing_clause(&item.name, "family", "members", "as in `members gap with flat`");
        }
        let mut untested = false;
        let mut cells: Counts = BTreeMap::new();
        for (at, line) in item.members.iter().enumerate() {
            self.place(Kind::Family, name, Part::Members(at), line.estimand.span);
            match self.family_members(item, line, &within) {
                Some((one, counts)) => {
                    // Lines that are one claim together are counted once.
                    let counted = item.together.iter().skip(1).any(|name| name.node == line.estimand.node);
                    for (cell, count) in counts {
                        *cells.entry(cell).or_default() += if counted { 0 } else { count };
                    }
                    untested |= one.is_none();
                    members.extend(one);
                }
                None => failed = true,
            }
        }
        if failed {
            return None;
        }
        members.sort();
        if members.windows(2).any(|pair| pair.first() == pair.last()) {
            self.report(Diagnostic::error(
                Code::Miscounted,
                item.name.span,
                format!("a line of `{name}` stands twice"),
            ));
            return None;
        }
        // Where a factorial is incomplete, the largest family is the planned one.
        let computed = cells.values().copied().max().unwrap_or(0);
        if let Some(written) = &item.count {
            let span = Self::literal_span(written);
            self.place(Kind::Family, name, Part::Count, span);
            let count = self.whole(written, "the number of members")?;
            if count != computed {
                let each = if within.is_empty() {
                    String::new()
                } else {
                    format!(" in each combination of {}", list(&within))
                };
                self.report(
                    Diagnostic::error(
                        Code::Miscounted,
                        span,
                        format!(
                            "`{name}` says {count} members{each}; there {} {computed}",
                            if computed == 1 { "is" } else { "are" }
                        ),
                    )
                    .note(self.how_counted(item))
                    .help("the number of members sets how strictly each is judged, so it must be the planned one")
                    .fix(format!("write {computed}"), span, computed.to_string())
                    .about(name),
                );
                return None;
            }
        }
        if computed == 0 {
            self.report(Diagnostic::error(
                Code::EmptyScope,
                item.name.span,
                format!("the family `{name}` has no members"),
            ));
            return None;
        }
        if untested {
            return None;
        }
        let mut family = Family {
            members,
            within,
            adjust: adjust?,
            count: computed,
            sequence: Vec::new(),
            weights: BTreeMap::new(),
            passes: Vec::new(),
            together: Vec::new(),
        };
        self.structure(item, &mut family).then_some(family)
    }

    fn how_counted(&self, item: &ast::Family) -> String {
        let mut parts = Vec::new();
        for line in &item.members {
            let Some(estimand) = self.spec.estimands.get(&line.estimand.node) else { continue };
            let factors: Vec<String> = estimand
                .per
                .iter()
                .map(|per| {
                    let levels =
                        self.levels_of(&per.factor).map_or(0, |levels| levels.len()).saturating_sub(per.except.len());
                    if per.pair {
                        format!(
                            "{} pairs of {levels} levels of `{}`",
                            levels * levels.saturating_sub(1) / 2,
                            per.factor
                        )
                    } else {
                        format!("{levels} levels of `{}`", per.factor)
                    }
                })
                .collect();
            let one = "one value".to_owned();
            parts.push(format!(
                "`{}` has {}",
                line.estimand.node,
                if factors.is_empty() { one } else { factors.join(" times ") }
            ));
        }
        parts.join("; ")
    }

    /// One `members` line, with the number of members in each combination of `within`.
    fn family_members(
        &mut self,
        item: &ast::Family,
        line: &ast::Members,
        within: &[Name],
    ) -> Option<(Option<FamilyMembers>, Counts)> {
        let estimand_name = line.estimand.node.as_str();
        if !self.names.estimands.contains_key(estimand_name) {
            self.undefined(&line.estimand, "an estimand", &[Kind::Estimand]);
            return None;
        }
        self.mark(Kind::Estimand, estimand_name);
        let test = self.family_test(line);
        let per = self.spec.estimands.get(estimand_name)?.per.clone();
        let factors: BTreeSet<Name> = per.iter().map(|one| one.factor.clone()).collect();
        let place = RecordPlace { only: Some(factors.clone()), ..RecordPlace::cells("the family") };
        let filter = match &line.filter {
            None => None,
            Some(filter) => Some(self.record_condition(filter, &place)?),
        };
        let mut listed: BTreeSet<Name> = within.iter().cloned().collect();
        for one in &line.per {
            match per.iter().find(|own| own.factor == one.factor.node) {
                Some(own) if own.pair == one.pair => {
                    listed.insert(one.factor.node.clone());
                }
                Some(_) => {
                    self.report(Diagnostic::error(
                        Code::WrongKind,
                        one.factor.span,
                        format!(
                            "`{estimand_name}` is computed per {}`{}`, not otherwise",
                            if one.pair { "" } else { "pair of " },
                            one.factor.node
                        ),
                    ));
                    return None;
                }
                None => {
                    self.report(
                        Diagnostic::error(
                            Code::WrongKind,
                            one.factor.span,
                            format!("`{estimand_name}` is not computed per `{}`", one.factor.node),
                        )
                        .help("a family lists members along the factors of the estimand's own `per`"),
                    );
                    return None;
                }
            }
        }
        for factor in within {
            if !factors.contains(factor) {
                self.report(
                    Diagnostic::error(
                        Code::WrongKind,
                        line.estimand.span,
                        format!(
                            "`{estimand_name}` is not computed per `{factor}`, so `within {factor}` has no meaning"
                        ),
                    )
                    .about(item.name.node.clone()),
                );
                return None;
            }
        }
        let pinned = filter.as_ref().map(super::hypotheses::pinned).unwrap_or_default();
        if !line.per.is_empty()
            && let Some(open) = factors.iter().find(|factor| !listed.contains(*factor) && !pinned.contains(*factor))
        {
            self.report(
                    Diagnostic::error(Code::UnquantifiedFactor, line.estimand.span, format!("`{estimand_name}` also has a value for each `{open}`"))
                        .help(format!("list it (`per …, {open}`), pin it (`where {open} == …`), or make one family in each (`within {open}`)")),
                );
            return None;
        }
        let members: Vec<Member> = self.members(&per)?;
        let mut counts: Counts = BTreeMap::new();
        for member in members {
            if filter.as_ref().is_some_and(|filter| decided(filter, &member) == Some(false)) {
                continue;
            }
            let cell: Vec<Name> = within.iter().filter_map(|factor| member.get(factor)).flatten().cloned().collect();
            *counts.entry(cell).or_default() += 1;
        }
        // Without its test the line is refused, and its members are counted all the same.
        let members = test.map(|test| FamilyMembers { estimand: estimand_name.to_owned(), test, filter });
        Some((members, counts))
    }

    fn family_test(&mut self, line: &ast::Members) -> Option<Name> {
        if let Some(test) = &line.test {
            if !self.names.tests.contains_key(test.node.as_str()) {
                self.undefined(test, "a test", &[Kind::Test]);
                return None;
            }
            self.mark(Kind::Test, &test.node);
            // A test that does not suit is reported; how many members there are is another question.
            self.suits(test, &line.estimand.node, line.estimand.span);
            return Some(test.node.clone());
        }
        let used: Vec<Name> = self.tests_used.get(&line.estimand.node).into_iter().flatten().cloned().collect();
        match used.as_slice() {
            [only] => Some(only.clone()),
            [] => {
                self.report(
                    Diagnostic::error(
                        Code::MissingEvidence,
                        line.estimand.span,
                        format!("no test is used with `{}`", line.estimand.node),
                    )
                    .help(format!("name it: `members {} with …`", line.estimand.node)),
                );
                None
            }
            several => {
                self.report(
                    Diagnostic::error(
                        Code::AmbiguousEvidence,
                        line.estimand.span,
                        format!("`{}` is tested by {}", line.estimand.node, list(several)),
                    )
                    .help(format!("say which: `members {} with …`", line.estimand.node)),
                );
                None
            }
        }
    }

    fn adjustment(&mut self, word: Option<&ast::Name>) -> Option<Adjustment> {
        let Some(word) = word else { return Some(Adjustment::Holm) };
        match word.node.as_str() {
            "holm" => Some(Adjustment::Holm),
            "bonferroni" => Some(Adjustment::Bonferroni),
            "hochberg" => Some(Adjustment::Hochberg),
            "benjamini_hochberg" => Some(Adjustment::BenjaminiHochberg),
            "none" => Some(Adjustment::None),
            "hommel" => Some(Adjustment::Hommel),
            "benjamini_yekutieli" => Some(Adjustment::BenjaminiYekutieli),
            "fixed_sequence" => Some(Adjustment::FixedSequence),
            "graph" => Some(Adjustment::Graph),
            "joint" => Some(Adjustment::Joint),
            other => {
                let nearest = self.nearest(other, ADJUSTMENTS);
                let found = Diagnostic::error(Code::Undefined, word.span, format!("no adjustment is called `{other}`"))
                    .help(format!("adjustments are {}", list(&ADJUSTMENTS)));
                self.report(match nearest {
                    Some(near) => found.fix(format!("write `{near}`"), word.span, near),
                    None => found,
                });
                None
            }
        }
    }
}
