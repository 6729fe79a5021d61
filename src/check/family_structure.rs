//! What ties the lines of a family together: the sequence of a fixed sequence, the weights and passes of a graph, the pairs of a
//! joint adjustment.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::{Signed as _, Zero as _};

use super::Checker;
use super::names::list;
use crate::diagnostic::{Code, Diagnostic};
use crate::math::Rational;
use crate::spec::{Adjustment, Dimension, Family, Name, Pass, Quantity};
use crate::syntax::ast;

impl Checker<'_> {
    /// Reads the clauses that the adjustment asks for and refuses the others; false when something was refused.
    pub(super) fn structure(&mut self, item: &ast::Family, family: &mut Family) -> bool {
        let refused = [
            (item.sequence.first(), "sequence", Adjustment::FixedSequence, "fixed_sequence"),
            (item.weights.first().map(|(name, _)| name), "weight", Adjustment::Graph, "graph"),
            (item.passes.first().map(|(name, ..)| name), "pass", Adjustment::Graph, "graph"),
        ];
        for (first, clause, needs, word) in refused {
            if let Some(first) = first
                && family.adjust != needs
            {
                self.report(
                    Diagnostic::error(
                        Code::NotAllowedHere,
                        first.span,
                        format!("`{clause}` belongs to `adjust {word}`"),
                    )
                    .help(format!("write `adjust {word}`, or leave `{clause}` out")),
                );
                return false;
            }
        }
        if !item.together.is_empty() && !self.together(item, family) {
            return false;
        }
        match family.adjust {
            Adjustment::FixedSequence => self.sequence(item, family),
            Adjustment::Graph => self.graph(item, family),
            Adjustment::Joint => self.joint(item, family),
            Adjustment::Holm
            | Adjustment::Bonferroni
            | Adjustment::Hochberg
            | Adjustment::BenjaminiHochberg
            | Adjustment::Hommel
            | Adjustment::BenjaminiYekutieli
            | Adjustment::None => true,
        }
    }

    /// Estimands that are one claim together: at least two, each on one line, over the same members, in a plain adjustment.
    fn together(&mut self, item: &ast::Family, family: &mut Family) -> bool {
        let span = item.together.first().map_or(item.name.span, |name| name.span);
        let plain = !matches!(family.adjust, Adjustment::FixedSequence | Adjustment::Graph | Adjustment::Joint);
        let estimands = self.spec.estimands.clone();
        let mut refuse = |message: String, help: &str| {
            self.report(Diagnostic::error(Code::FamilyConflict, span, message).help(help));
            false
        };
        if !plain {
            return refuse(
                "`together` goes with an adjustment of p-values alone".to_owned(),
                "write `adjust holm`, or another that takes one p-value of each claim",
            );
        }
        let mut names: Vec<Name> = item.together.iter().map(|name| name.node.clone()).collect();
        names.sort();
        names.dedup();
        if names.len() < 2 || names.len() != item.together.len() {
            return refuse(
                "a claim that needs several estimands names each once, and at least two".to_owned(),
                "write `together lead, saving`",
            );
        }
        let per: Vec<_> = names.iter().map(|name| estimands.get(name).map(|estimand| estimand.per.clone())).collect();
        let mut shape = None;
        for (name, per) in names.iter().zip(per) {
            let mut lines = family.members.iter().filter(|line| line.estimand == *name);
            let (Some(line), None) = (lines.next(), lines.next()) else {
                return refuse(
                    format!("`{name}` does not stand on one line of the family"),
                    "give each estimand of the claim one `members` line with its test",
                );
            };
            let own = (per, line.filter.clone());
            if *shape.get_or_insert_with(|| own.clone()) != own {
                return refuse(
                    format!("`{name}` is not computed for the same members as the others"),
                    "give the estimands of one claim the same `per`, and their lines the same `where`",
                );
            }
        }
        family.together = names;
        true
    }

    /// Estimands of the family, each on one line; refuses one that stands on two.
    fn lines_by_estimand(&mut self, item: &ast::Family, family: &Family) -> Option<BTreeSet<Name>> {
        let mut seen = BTreeSet::new();
        for line in &family.members {
            if !seen.insert(line.estimand.clone()) {
                self.report(
                    Diagnostic::error(
                        Code::FamilyConflict,
                        item.name.span,
                        format!("`{}` stands on two lines, and its place would be in doubt", line.estimand),
                    )
                    .help("give each estimand one line and one test"),
                );
                return None;
            }
        }
        Some(seen)
    }

    fn sequence(&mut self, item: &ast::Family, family: &mut Family) -> bool {
        let Some(estimands) = self.lines_by_estimand(item, family) else { return false };
        if item.sequence.is_empty() {
            self.missing_clause(
                &item.name,
                "family",
                "sequence",
                "as in `sequence gap, gain`, in the order of testing",
            );
            return false;
        }
        let mut order: Vec<Name> = Vec::new();
        for name in &item.sequence {
            if !estimands.contains(&name.node) || order.contains(&name.node) {
                let problem =
                    if order.contains(&name.node) { "stands twice in the sequence" } else { "is not a member" };
                self.report(
                    Diagnostic::error(Code::FamilyConflict, name.span, format!("`{}` {problem}", name.node))
                        .help("name every estimand of the family once"),
                );
                return false;
            }
            order.push(name.node.clone());
        }
        let left: Vec<Name> = estimands.into_iter().filter(|name| !order.contains(name)).collect();
        if !left.is_empty() {
            self.report(
                Diagnostic::error(
                    Code::FamilyConflict,
                    item.name.span,
                    format!("the sequence leaves out {}", list(&left)),
                )
                .help("name every estimand of the family once"),
            );
            return false;
        }
        family.sequence = order;
        true
    }

    fn graph(&mut self, item: &ast::Family, family: &mut Family) -> bool {
        let Some(estimands) = self.lines_by_estimand(item, family) else { return false };
        if family.count != estimands.len() as u64 {
            self.report(
                Diagnostic::error(
                    Code::FamilyConflict,
                    item.name.span,
                    "a line of a graph has more than one member, and a weight for each could not be told apart",
                )
                .help("pin the other factors (`where …`), or make one family in each (`within …`)"),
            );
            return false;
        }
        let mut weights: BTreeMap<Name, Quantity> = BTreeMap::new();
        for (name, share) in &item.weights {
            let Some(share) = self.family_share(&estimands, name, share) else { return false };
            if weights.insert(name.node.clone(), share).is_some() {
                self.report(Diagnostic::error(Code::RepeatedClause, name.span, "this weight stands twice"));
                return false;
            }
        }
        let mut passes: Vec<Pass> = Vec::new();
        for (from, to, share) in &item.passes {
            let Some(share) = self.family_share(&estimands, from, share) else { return false };
            if !estimands.contains(&to.node) || from.node == to.node {
                self.report(
                    Diagnostic::error(
                        Code::FamilyConflict,
                        to.span,
                        format!("nothing can be passed to `{}` from here", to.node),
                    )
                    .help("a share goes to another estimand of the family"),
                );
                return false;
            }
            if passes.iter().any(|pass| pass.from == from.node && pass.to == to.node) {
                self.report(Diagnostic::error(Code::RepeatedClause, from.span, "this pass stands twice"));
                return false;
            }
            passes.push(Pass { from: from.node.clone(), to: to.node.clone(), share });
        }
        passes.sort();
        let one = Rational::from_integer(1.into());
        let spent: Rational = weights.values().map(|weight| &weight.value).sum();
        if weights.is_empty() || spent > one {
            self.report(
                Diagnostic::error(
                    Code::FamilyConflict,
                    item.name.span,
                    "the weights of a graph share out the level: at least one, and together at most 1",
                )
                .help("write them as in `weight gain 1/2`"),
            );
            return false;
        }
        for name in &estimands {
            let given_away: Rational =
                passes.iter().filter(|pass| pass.from == *name).map(|pass| &pass.share.value).sum();
            if given_away > one {
                self.report(Diagnostic::error(
                    Code::FamilyConflict,
                    item.name.span,
                    format!("`{name}` passes on more than it holds"),
                ));
                return false;
            }
        }
        family.weights = weights;
        family.passes = passes;
        true
    }

    fn family_share(&mut self, estimands: &BTreeSet<Name>, name: &ast::Name, share: &ast::Literal) -> Option<Quantity> {
        if !estimands.contains(&name.node) {
            self.report(
                Diagnostic::error(Code::FamilyConflict, name.span, format!("`{}` is not a member", name.node))
                    .help("name an estimand of the family"),
            );
            return None;
        }
        let (quantity, bare) = self.quantity(share)?;
        let quantity = self.fit(quantity, bare, Self::literal_span(share), &Dimension::Proportion)?;
        if quantity.value.is_negative() || quantity.value.is_zero() || quantity.value > Rational::from_integer(1.into())
        {
            self.report(Diagnostic::error(
                Code::Unreachable,
                Self::literal_span(share),
                "a share lies above 0 and is at most 1",
            ));
            return None;
        }
        Some(quantity)
    }

    /// Every estimand has one test of a difference and one of equivalence, over the same members.
    fn joint(&mut self, item: &ast::Family, family: &Family) -> bool {
        let is_equivalence = |test: &Name| self.spec.tests.get(test).is_some_and(|test| test.method.is_equivalence());
        let mut pairs: BTreeMap<(&Name, Option<String>), [u32; 2]> = BTreeMap::new();
        for line in &family.members {
            let [difference, equivalence] =
                pairs.entry((&line.estimand, line.filter.as_ref().map(ToString::to_string))).or_default();
            *(if is_equivalence(&line.test) { equivalence } else { difference }) += 1;
        }
        let unpaired = pairs.iter().find(|(_, counts)| **counts != [1, 1]).map(|((name, _), _)| (*name).clone());
        if let Some(name) = unpaired {
            self.report(
                Diagnostic::error(
                    Code::FamilyConflict,
                    item.name.span,
                    format!("`{name}` does not have one test of a difference and one of equivalence"),
                )
                .note("the joint adjustment rests on the two nulls of each comparison excluding each other")
                .help("give it two lines: one `with` a test of a difference, one `with` an `equivalence` test"),
            );
            return false;
        }
        true
    }
}
