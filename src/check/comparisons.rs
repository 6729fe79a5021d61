//! Comparisons of arms: differences, their tests, and everything a finding depends on, declared and none of it assumed.

use std::collections::BTreeMap;

use num_traits::Zero as _;

use super::names::list;
use super::places::Part;
use super::{Checker, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::math::Rational;
use crate::spec::{Adjustment, Comparison, ComparisonLine, Dimension, Name, Per, Precedence, Sides};
use crate::syntax::ast;

/// Adjustments that a comparison may name.
const ADJUSTMENTS: [(&str, Adjustment); 4] = [
    ("joint", Adjustment::Joint),
    ("holm", Adjustment::Holm),
    ("hochberg", Adjustment::Hochberg),
    ("bonferroni", Adjustment::Bonferroni),
];

impl Checker<'_> {
    /// Every comparison.
    pub(super) fn comparisons(&mut self) {
        for (name, item) in self.names.comparisons.clone() {
            self.place(Kind::Compare, name, Part::Name, item.name.span);
            let before = self.error_count();
            let comparison = self.comparison(item);
            if let Some(comparison) = comparison.filter(|_| self.error_count() == before) {
                self.spec.comparisons.insert(name.to_owned(), comparison);
            }
        }
    }

    fn comparison(&mut self, item: &ast::Compare) -> Option<Comparison> {
        let name = &item.name;
        if item.lines.is_empty() {
            self.missing_clause(name, "compare", "on", "as in `on lead with flip, same higher`");
        }
        let mut lines = Vec::new();
        for (at, line) in item.lines.iter().enumerate() {
            self.place(Kind::Compare, &name.node, Part::Members(at), line.estimand.span);
            lines.extend(self.comparison_line(line));
        }
        lines.sort();
        let adjust = self.comparison_adjustment(item);
        let level = self.comparison_level(item);
        let minimum = self.comparison_minimum(item);
        let set = match &item.set {
            None => self.default_set(name),
            Some(set) if self.spec.sets.contains_key(&set.node) => {
                self.mark(Kind::Set, &set.node);
                Some(set.node.clone())
            }
            Some(set) => {
                self.undefined(set, "an analysis set", &[Kind::Set]);
                None
            }
        };
        let per = self.comparison_members(item, &lines)?;
        let tested = lines.iter().filter(|line| line.equivalence.is_some()).count();
        if tested > 0 && tested < lines.len() {
            self.report(
                Diagnostic::error(
                    Code::MissingEvidence,
                    name.span,
                    format!("some lines of `{}` test equivalence and others do not", name.node),
                )
                .help(
                    "arms are equivalent only where every line shows it: give each line an equivalence test, or none",
                ),
            );
        }
        let precedence = self.precedence(item, tested > 0);
        let mut within: Vec<Name> = Vec::new();
        for factor in &item.within {
            if per.iter().any(|own| own.factor == factor.node && !own.pair) {
                within.push(factor.node.clone());
            } else {
                self.report(
                    Diagnostic::error(
                        Code::WrongKind,
                        factor.span,
                        format!("the differences are not computed per `{}`, so `within` has no meaning", factor.node),
                    )
                    .about(name.node.clone()),
                );
            }
        }
        within.sort();
        within.dedup();
        let count = self.comparison_count(item, &per, &within)?;
        let adjust = adjust?;
        if adjust == Adjustment::Joint && tested == 0 {
            self.report(
                Diagnostic::error(
                    Code::MissingEvidence,
                    name.span,
                    "`adjust joint` takes a difference and an equivalence test of each comparison",
                )
                .help("name an equivalence test on every line, or write `adjust holm`"),
            );
        }
        Some(Comparison { lines, within, adjust, level: level?, minimum: minimum?, precedence, set: set?, count })
    }

    /// One difference with its tests.
    fn comparison_line(&mut self, line: &ast::CompareLine) -> Option<ComparisonLine> {
        let estimand = line.estimand.node.as_str();
        if !self.names.estimands.contains_key(estimand) {
            self.undefined(&line.estimand, "an estimand", &[Kind::Estimand]);
            return None;
        }
        self.mark(Kind::Estimand, estimand);
        let (mut difference, mut equivalence, mut intervals) = (Vec::new(), Vec::new(), Vec::new());
        for method in &line.with {
            let word = method.node.as_str();
            if self.names.intervals.contains_key(word) {
                self.mark(Kind::Interval, word);
                intervals.push(method.node.clone());
            } else if self.names.tests.contains_key(word) {
                self.mark(Kind::Test, word);
                let test = self.spec.tests.get(word)?.method.clone();
                if test.is_equivalence() {
                    equivalence.push(method.node.clone());
                } else if test.reads_unit_values() && test.sides() == Some(Sides::Two) {
                    difference.push(method.node.clone());
                } else {
                    self.report(
                        Diagnostic::error(
                            Code::TypeMismatch,
                            method.span,
                            format!("`{word}` shows no difference of unit values in either direction"),
                        )
                        .help("a comparison takes a two-sided `sign_flip`, `paired_t`, `wilcoxon`, `sign` or `mcnemar` test"),
                    );
                    return None;
                }
            } else {
                self.undefined(method, "an interval or test", &[Kind::Interval, Kind::Test]);
                return None;
            }
            if !self.suits(method, estimand, line.estimand.span) {
                return None;
            }
        }
        intervals.sort();
        intervals.dedup();
        let ([difference], [] | [_]) = (difference.as_slice(), equivalence.as_slice()) else {
            self.report(
                Diagnostic::error(
                    Code::AmbiguousEvidence,
                    line.estimand.span,
                    format!("`{estimand}` needs one test of a difference and at most one of equivalence"),
                )
                .note("a finding rests on one test of each kind; two could disagree, and none finds nothing")
                .help("write `on … with flip, same higher`, `flip` being two-sided and `same` an `equivalence` test"),
            );
            return None;
        };
        Some(ComparisonLine {
            estimand: estimand.to_owned(),
            difference: difference.clone(),
            equivalence: equivalence.first().cloned(),
            intervals,
            higher: line.better.node == "higher",
        })
    }

    /// The factors of all lines, which must be the same.
    fn comparison_members(&mut self, item: &ast::Compare, lines: &[ComparisonLine]) -> Option<Vec<Per>> {
        let first = lines.first()?;
        let per = self.spec.estimands.get(&first.estimand)?.per.clone();
        for line in lines {
            if self.spec.estimands.get(&line.estimand)?.per != per {
                self.report(
                    Diagnostic::error(
                        Code::FamilyConflict,
                        item.name.span,
                        format!("`{}` and `{}` are not computed for the same members", first.estimand, line.estimand),
                    )
                    .help("the lines of one comparison look at the same arms: give their estimands the same `per`"),
                );
                return None;
            }
        }
        if let Some(twice) = lines.array_windows::<2>().find(|[one, two]| one.estimand == two.estimand) {
            let [one, _] = twice;
            self.report(Diagnostic::error(
                Code::Miscounted,
                item.name.span,
                format!("`{}` stands on two lines", one.estimand),
            ));
            return None;
        }
        Some(per)
    }

    fn comparison_adjustment(&mut self, item: &ast::Compare) -> Option<Adjustment> {
        let Some(word) = &item.adjust else {
            self.missing_clause(
                &item.name,
                "compare",
                "adjust",
                "as in `adjust joint`, which holds the chance of any false finding of either kind",
            );
            return None;
        };
        let found = ADJUSTMENTS.iter().find(|(known, _)| *known == word.node).map(|(_, adjust)| *adjust);
        if found.is_none() {
            let known = ADJUSTMENTS.map(|(known, _)| known);
            self.report(
                Diagnostic::error(Code::Undefined, word.span, format!("findings are not adjusted by `{}`", word.node))
                    .help(format!("adjustments of a comparison are {}", list(&known))),
            );
        }
        found
    }

    fn comparison_level(&mut self, item: &ast::Compare) -> Option<crate::spec::Quantity> {
        let Some(literal) = &item.level else {
            self.missing_clause(&item.name, "compare", "level", "as in `level 5 %`");
            return None;
        };
        let (quantity, _) = self.quantity(literal)?;
        let one = Rational::from_integer(1.into());
        let inside = quantity.value > Rational::zero() && quantity.value < one;
        if !inside || !matches!(quantity.dimension, Dimension::Proportion | Dimension::Plain) {
            self.report(
                Diagnostic::error(
                    Code::Unreachable,
                    Self::literal_span(literal),
                    "the level of a comparison lies between 0 % and 100 %",
                )
                .help("write it as in `level 5 %`"),
            );
            return None;
        }
        Some(crate::spec::Quantity { dimension: Dimension::Proportion, ..quantity })
    }

    fn comparison_minimum(&mut self, item: &ast::Compare) -> Option<u64> {
        let Some(literal) = &item.minimum else {
            self.missing_clause(
                &item.name,
                "compare",
                "minimum",
                "the fewest units that may give a finding, as in `minimum 10 task`",
            );
            return None;
        };
        let bare = ast::Literal { number: literal.number.clone(), unit: None };
        let span = Self::literal_span(literal);
        if let Some(unit) = literal.unit.as_ref().filter(|unit| !self.is_unit(&unit.node)) {
            let word = unit.node.clone();
            self.report(
                Diagnostic::error(Code::WrongKind, span, format!("`{word}` is not the unit of analysis"))
                    .help("findings rest on whole units, in the word that `tasks` declares"),
            );
            return None;
        }
        let minimum = self.whole(&bare, "the minimum")?;
        if minimum < 5 {
            self.report(
                Diagnostic::error(Code::FewClusters, span, format!("{minimum} units are too few for a finding"))
                    .note("with fewer than five units no test holds its level and no interval its coverage")
                    .help("write `minimum 10`; 5 is the fewest")
                    .about(item.name.node.clone()),
            );
            return None;
        }
        if minimum < 10 {
            self.report(
                Diagnostic::warning(Code::FewClusters, span, format!("a finding may rest on {minimum} units"))
                    .note("over 5 to 8 units a percentile bootstrap finds a difference that is not there in 9 % of studies where 5 % is declared")
                    .help("write `minimum 10`, and test differences by `sign_flip`, which never exceeds its level")
                    .about(item.name.node.clone()),
            );
        }
        Some(minimum)
    }

    fn precedence(&mut self, item: &ast::Compare, tested: bool) -> Option<Precedence> {
        match (&item.precedence, tested) {
            (Some(word), true) if word.node == "difference" => Some(Precedence::Difference),
            (Some(_), true) => Some(Precedence::Equivalence),
            (None, false) => None,
            (None, true) => {
                self.missing_clause(
                    &item.name,
                    "compare",
                    "precedence",
                    "`difference` or `equivalence`: a difference can be shown, and shown to be smaller than the margin",
                );
                None
            }
            (Some(word), false) => {
                self.report(
                    Diagnostic::error(
                        Code::NotAllowedHere,
                        word.span,
                        "no line tests equivalence, so nothing takes precedence",
                    )
                    .help("leave `precedence` out, or name an equivalence test"),
                );
                None
            }
        }
    }

    fn comparison_count(&mut self, item: &ast::Compare, per: &[Per], within: &[Name]) -> Option<u64> {
        let mut cells: BTreeMap<Vec<Name>, u64> = BTreeMap::new();
        for member in self.members(per)? {
            let cell = within.iter().filter_map(|factor| member.get(factor)).flatten().cloned().collect();
            *cells.entry(cell).or_default() += 1;
        }
        let computed = cells.values().copied().max().unwrap_or(0);
        if computed == 0 {
            self.report(Diagnostic::error(
                Code::EmptyScope,
                item.name.span,
                format!("`{}` compares nothing", item.name.node),
            ));
            return None;
        }
        if let Some(written) = &item.count {
            let span = Self::literal_span(written);
            let count = self.whole(written, "the number of comparisons")?;
            if count != computed {
                self.report(
                    Diagnostic::error(
                        Code::Miscounted,
                        span,
                        format!("`{}` says {count} comparisons; there are {computed}", item.name.node),
                    )
                    .help("the number of comparisons sets how strictly each is judged, so it must be the planned one")
                    .fix(format!("write {computed}"), span, computed.to_string())
                    .about(item.name.node.clone()),
                );
                return None;
            }
        }
        Some(computed)
    }
}
