//! Orders of arms: by findings, by an estimate, by several objectives at once.

use std::collections::BTreeSet;

use super::places::Part;
use super::{Checker, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::spec::{IntervalMethod, Name, Objective, RankOrder, Ranking, RankingKind};
use crate::syntax::ast;

impl Checker<'_> {
    /// Every ranking.
    pub(super) fn rankings(&mut self) {
        for (name, item) in self.names.rankings.clone() {
            self.place(Kind::Ranking, name, Part::Name, item.name.span);
            let before = self.error_count();
            let ranking = self.ranking(item);
            if let Some(ranking) = ranking.filter(|_| self.error_count() == before) {
                self.spec.rankings.insert(name.to_owned(), ranking);
            }
        }
    }

    fn ranking(&mut self, item: &ast::Ranking) -> Option<Ranking> {
        match (&item.by, item.fronts.is_empty()) {
            (Some((by, None)), true) => self.by_findings(item, by),
            (Some((by, Some(which))), true) => self.by_estimate(item, by, which.node == "largest"),
            (None, false) => self.front(item),
            (Some((by, _)), false) => {
                self.report(
                    Diagnostic::error(Code::NotAllowedHere, by.span, "a ranking has one order: `by …`, or a `front`")
                        .help("declare two rankings"),
                );
                None
            }
            (None, true) => {
                self.missing_clause(
                    &item.name,
                    "ranking",
                    "by",
                    "`by COMPARE`, `by ESTIMAND largest`, or a `front ESTIMAND higher` for each objective",
                );
                None
            }
        }
    }

    fn refuse(&mut self, name: Option<&ast::Name>, clause: &str, what: &str) {
        if let Some(name) = name {
            self.report(
                Diagnostic::error(Code::NotAllowedHere, name.span, format!("{what} takes no `{clause}`"))
                    .help(format!("leave `{clause}` out")),
            );
        }
    }

    fn by_findings(&mut self, item: &ast::Ranking, by: &ast::Name) -> Option<Ranking> {
        self.refuse(item.ranked.first(), "rank", "a ranking by findings");
        self.refuse(item.draws.as_ref(), "draws", "a ranking by findings");
        self.refuse(item.set.as_ref(), "set", "a ranking by findings");
        if !self.names.comparisons.contains_key(by.node.as_str()) {
            if self.names.estimands.contains_key(by.node.as_str()) {
                self.report(
                    Diagnostic::error(
                        Code::MissingClause,
                        by.span,
                        format!("`{}` is an estimand, and its order is not said", by.node),
                    )
                    .help(format!("write `by {} largest` or `by {} smallest`", by.node, by.node)),
                );
            } else {
                self.undefined(by, "a comparison", &[Kind::Compare]);
            }
            return None;
        }
        let comparison = self.spec.comparisons.get(&by.node)?.clone();
        let estimand = comparison.lines.first().and_then(|line| self.spec.estimands.get(&line.estimand))?;
        if !estimand.per.iter().any(|per| per.pair) {
            self.report(
                Diagnostic::error(Code::TypeMismatch, by.span, format!("`{}` does not compare every pair of arms", by.node))
                    .note("ranks rest on who is reliably above whom, for all pairs; comparisons with one control order nothing else")
                    .help("compare an estimand that is computed `per pair of` the factor that is ranked"),
            );
            return None;
        }
        let order = match item.order.as_ref().map(|word| word.node.as_str()) {
            Some("inclusion") => RankOrder::Inclusion,
            Some(_) => RankOrder::Count,
            None => {
                self.missing_clause(
                    &item.name,
                    "ranking",
                    "order",
                    "`inclusion`, where arms whose findings are not nested do not push each other down, or `count`",
                );
                return None;
            }
        };
        let kind = RankingKind::Findings { comparison: by.node.clone(), order };
        Some(Ranking { kind, set: comparison.set })
    }

    fn by_estimate(&mut self, item: &ast::Ranking, by: &ast::Name, largest: bool) -> Option<Ranking> {
        self.refuse(item.order.as_ref(), "order", "a ranking by an estimate");
        self.refuse(item.draws.as_ref(), "draws", "a ranking by an estimate");
        let ranked = self.ranked(item, std::slice::from_ref(by))?;
        let set = self.ranking_set(item)?;
        self.report(
            Diagnostic::warning(
                Code::PointOnly,
                by.span,
                format!("`{}` orders arms by their estimates alone", item.name.node),
            )
            .note("estimates are almost never equal, so that arms which nothing tells apart get different ranks")
            .help(
                "rank `by` a comparison of all pairs, which shows ties as ties and the interval that each rank lies in",
            )
            .about(item.name.node.clone()),
        );
        Some(Ranking { kind: RankingKind::Estimate { estimand: by.node.clone(), largest, ranked }, set })
    }

    fn front(&mut self, item: &ast::Ranking) -> Option<Ranking> {
        self.refuse(item.order.as_ref(), "order", "a front");
        let names: Vec<ast::Name> = item.fronts.iter().map(|(name, _)| name.clone()).collect();
        let ranked = self.ranked(item, &names);
        if item.fronts.len() < 2 {
            self.report(
                Diagnostic::error(Code::MissingClause, item.name.span, "a front has at least two objectives").help(
                    "write `front accuracy higher` and `front cost lower`; one objective alone is `by … largest`",
                ),
            );
        }
        let draws = match &item.draws {
            None => {
                self.missing_clause(
                    &item.name,
                    "ranking",
                    "draws",
                    "the bootstrap that says how often each arm is on the front",
                );
                None
            }
            Some(draws) if self.names.intervals.contains_key(draws.node.as_str()) => {
                self.mark(Kind::Interval, &draws.node);
                let resampled = self.spec.intervals.get(&draws.node).is_some_and(|interval| {
                    matches!(
                        interval.method,
                        IntervalMethod::BootstrapPercentile { .. } | IntervalMethod::Bootstrap { .. }
                    )
                });
                if !resampled {
                    self.report(
                        Diagnostic::error(
                            Code::TypeMismatch,
                            draws.span,
                            format!("`{}` draws no resamples", draws.node),
                        )
                        .help("name a `bootstrap(…)` interval"),
                    );
                }
                Some(draws.node.clone())
            }
            Some(draws) => {
                self.undefined(draws, "an interval", &[Kind::Interval]);
                None
            }
        };
        let set = self.ranking_set(item);
        let objectives: BTreeSet<Objective> = item
            .fronts
            .iter()
            .map(|(name, better)| Objective { estimand: name.node.clone(), higher: better.node == "higher" })
            .collect();
        if objectives.len() < item.fronts.len() {
            self.report(Diagnostic::error(Code::Duplicate, item.name.span, "an objective stands twice"));
        }
        let kind = RankingKind::Front { objectives, ranked: ranked?, draws: draws? };
        Some(Ranking { kind, set: set? })
    }

    /// What is ranked: factors along which every estimand named is computed, and all of them alike.
    fn ranked(&mut self, item: &ast::Ranking, estimands: &[ast::Name]) -> Option<BTreeSet<Name>> {
        let mut shape = None;
        for name in estimands {
            if !self.names.estimands.contains_key(name.node.as_str()) {
                self.undefined(name, "an estimand", &[Kind::Estimand]);
                return None;
            }
            self.mark(Kind::Estimand, &name.node);
            let per = self.spec.estimands.get(&name.node)?.per.clone();
            if *shape.get_or_insert_with(|| per.clone()) != per {
                self.report(
                    Diagnostic::error(
                        Code::FamilyConflict,
                        name.span,
                        format!("`{}` is not computed for the same members as the others", name.node),
                    )
                    .help("give the objectives of one front the same `per`"),
                );
                return None;
            }
        }
        if item.ranked.is_empty() {
            self.missing_clause(
                &item.name,
                "ranking",
                "rank",
                "the factors whose levels are put in order, as in `rank scaffold, model`",
            );
            return None;
        }
        let per = shape?;
        let mut ranked = BTreeSet::new();
        for factor in &item.ranked {
            if !per.iter().any(|own| own.factor == factor.node && !own.pair) {
                self.report(
                    Diagnostic::error(
                        Code::WrongKind,
                        factor.span,
                        format!("the estimand is not computed per `{}`", factor.node),
                    )
                    .help("rank factors of the estimand's own `per`"),
                );
                return None;
            }
            ranked.insert(factor.node.clone());
        }
        Some(ranked)
    }

    fn ranking_set(&mut self, item: &ast::Ranking) -> Option<Name> {
        match &item.set {
            None => self.default_set(&item.name),
            Some(set) if self.spec.sets.contains_key(&set.node) => {
                self.mark(Kind::Set, &set.node);
                Some(set.node.clone())
            }
            Some(set) => {
                self.undefined(set, "an analysis set", &[Kind::Set]);
                None
            }
        }
    }
}
