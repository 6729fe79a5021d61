//! What varies: factors and models, with their levels, pins, prices and settings.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::Signed as _;

use super::names::{confusable, list, skeleton};
use super::places::Part;
use super::{Checker, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::math::Rational;
use crate::spec::{Attribute, Dimension, Factor, FactorOrigin, Model, Name, PriceList, SettingValue};
use crate::syntax::ast::{self, Levels, Literal};

/// The longest range of numbered levels.
const MAX_LEVELS: u64 = 100_000;

impl Checker<'_> {
    /// Factors that are declared, and those that models, scaffolds and listed units make.
    pub(super) fn factors(&mut self) {
        for (name, factor) in self.names.factors.clone() {
            self.place(Kind::Factor, name, Part::Name, factor.name.span);
            if (name == "model" && !self.names.models.is_empty())
                || (name == "scaffold" && !self.names.scaffolds.is_empty())
            {
                self.report(
                    Diagnostic::error(
                        Code::Duplicate,
                        factor.name.span,
                        format!("the factor `{name}` is already made by the `{name}` declarations"),
                    )
                    .help(format!("take the factor out; every `{name}` declaration is a level of it")),
                );
                continue;
            }
            let Some(mut levels) = self.levels(&factor.levels, name) else { continue };
            if !factor.ordered {
                levels.sort();
            }
            self.own(name, &levels);
            self.spec
                .factors
                .insert(name.to_owned(), Factor { origin: FactorOrigin::Declared, ordered: factor.ordered, levels });
        }
        let models: Vec<Name> = self.names.models.keys().map(|name| (*name).to_owned()).collect();
        let scaffolds: Vec<Name> = self.names.scaffolds.keys().map(|name| (*name).to_owned()).collect();
        for (name, origin, levels) in
            [("model", FactorOrigin::Models, models), ("scaffold", FactorOrigin::Scaffolds, scaffolds)]
        {
            if !levels.is_empty() {
                self.own(name, &levels);
                self.spec.factors.insert(name.into(), Factor { origin, ordered: false, levels });
            }
        }
        if let Some((tasks, list)) = self.names.tasks.and_then(|tasks| Some((tasks, tasks.list.as_ref()?))) {
            let name = tasks.name.node.as_str();
            if let Some(levels) = self.levels(list, name) {
                self.own(name, &levels);
                self.mark(Kind::Factor, name);
                self.spec
                    .factors
                    .insert(name.to_owned(), Factor { origin: FactorOrigin::Declared, ordered: false, levels });
            }
        }
    }

    /// Remembers whose levels these are.
    pub(super) fn own(&mut self, factor: &str, levels: &[Name]) {
        for level in levels {
            self.level_owners.entry(level.clone()).or_default().insert(factor.to_owned());
        }
    }

    /// The levels as written, each once.
    pub(super) fn levels(&mut self, levels: &Levels, owner: &str) -> Option<Vec<Name>> {
        match levels {
            Levels::Range(from, to) => {
                let number = |name: &ast::Name| name.node.parse::<i64>().ok();
                let (Some(low), Some(high)) = (number(from), number(to)) else {
                    self.report(Diagnostic::error(
                        Code::BadNumber,
                        from.span.to(to.span),
                        "a range of levels needs whole numbers at both ends",
                    ));
                    return None;
                };
                let size = high.checked_sub(low).and_then(|gap| u64::try_from(gap).ok());
                let Some(size) = size.filter(|size| *size < MAX_LEVELS) else {
                    self.report(
                        Diagnostic::error(
                            Code::BadNumber,
                            from.span.to(to.span),
                            "the range of levels is empty or too long",
                        )
                        .help(format!("the smaller number comes first, and {MAX_LEVELS} levels are the most")),
                    );
                    return None;
                };
                Some(
                    (0..=size)
                        .filter_map(|step| low.checked_add_unsigned(step))
                        .map(|level| level.to_string())
                        .collect(),
                )
            }
            Levels::Listed(names) => {
                let mut seen: BTreeMap<&str, &ast::Name> = BTreeMap::new();
                let mut alike: BTreeMap<String, &ast::Name> = BTreeMap::new();
                let mut kept = Vec::new();
                for name in names {
                    self.mark_placeholder_name(name);
                    if let Some(first) = seen.insert(name.node.as_str(), name) {
                        self.report(
                            Diagnostic::error(
                                Code::Duplicate,
                                name.span,
                                format!("the level `{}` stands twice in `{owner}`", name.node),
                            )
                            .also(first.span, "the first is here"),
                        );
                        continue;
                    }
                    let numeric = name.node.parse::<f64>().is_ok();
                    if let Some(other) = alike
                        .insert(skeleton(&name.node), name)
                        .filter(|other| !numeric || other.node.parse::<f64>().is_err())
                    {
                        self.report(confusable(name.span, &name.node, other.span, &other.node));
                    }
                    kept.push(name.node.clone());
                }
                Some(kept)
            }
        }
    }

    /// Models: pins, attributes, prices, settings.
    pub(super) fn models(&mut self) {
        let mut attribute_kinds: BTreeMap<Name, BTreeSet<bool>> = BTreeMap::new();
        for (name, model) in self.names.models.clone() {
            self.place(Kind::Model, name, Part::Name, model.name.span);
            let provider = if let Some(provider) = &model.provider {
                provider.node.clone()
            } else {
                self.missing_clause(&model.name, "model", "provider", "as in `provider anthropic`");
                String::new()
            };
            let (id, pinned) = if let Some((id, pinned)) = &model.id {
                (self.prose(id), self.pin(pinned))
            } else {
                self.missing_clause(&model.name, "model", "id", "as in `id \"name-2026-01-01\" pinned dated`");
                (String::new(), String::new())
            };
            let mut attributes = BTreeMap::new();
            for (key, value) in &model.attributes {
                if let Some(value) = self.attribute(value) {
                    attribute_kinds.entry(key.node.clone()).or_default().insert(matches!(value, Attribute::Number(_)));
                    if attributes.insert(key.node.clone(), value).is_some() {
                        self.twice(key, "attribute");
                    }
                }
            }
            let mut settings = BTreeMap::new();
            for (key, value) in &model.settings {
                let setting = match self.attribute(value) {
                    Some(Attribute::Word(word)) if word == "omitted" => SettingValue::Omitted,
                    Some(value) => SettingValue::Sent(value),
                    None => continue,
                };
                if settings.insert(key.node.clone(), setting).is_some() {
                    self.twice(key, "setting");
                }
            }
            let mut prices = BTreeMap::new();
            for list in &model.prices {
                self.date(&list.date);
                let streams = self.prices(&list.streams);
                if prices.insert(list.date.node.clone(), streams).is_some() {
                    self.report(Diagnostic::error(
                        Code::Duplicate,
                        list.date.span,
                        format!("two price lists from {}", list.date.node),
                    ));
                }
            }
            self.spec.models.insert(name.to_owned(), Model { provider, id, pinned, attributes, prices, settings });
        }
        for (name, kinds) in attribute_kinds {
            if kinds.len() > 1 {
                let span = self.names.models.values().next().map_or_else(Default::default, |model| model.name.span);
                self.report(
                    Diagnostic::error(
                        Code::TypeMismatch,
                        span,
                        format!("`{name}` is a number for some models and a word for others"),
                    )
                    .help("give it the same kind of value for every model"),
                );
            }
        }
    }

    fn pin(&mut self, pinned: &ast::Name) -> Name {
        let words = ["dated", "canonical", "preview"];
        if !words.contains(&pinned.node.as_str()) {
            let nearest = self.nearest(&pinned.node, words);
            let found = Diagnostic::error(
                Code::WrongKind,
                pinned.span,
                format!("a model is not pinned `{}`", pinned.node),
            )
            .help(format!(
                "write {}: a dated snapshot, the provider's own name for a version, or a preview that may change",
                list(&words)
            ));
            self.report(match nearest {
                Some(near) => found.fix(format!("write `{near}`"), pinned.span, near),
                None => found,
            });
        }
        pinned.node.clone()
    }

    /// A word, number or text.
    pub(super) fn attribute(&mut self, value: &ast::Attribute) -> Option<Attribute> {
        Some(match value {
            ast::Attribute::Word(word) => {
                self.mark_placeholder_name(word);
                Attribute::Word(word.node.clone())
            }
            ast::Attribute::Number(literal) => Attribute::Number(self.quantity(literal)?.0),
            ast::Attribute::Text(text) => Attribute::Text(self.prose(text)),
        })
    }

    /// Reports a clause that a declaration cannot do without.
    pub(super) fn missing_clause(&mut self, name: &ast::Name, what: &str, clause: &str, example: &str) {
        if clause.split(' ').next().is_some_and(|word| self.unread.contains(word)) {
            return;
        }
        self.report(
            Diagnostic::error(Code::MissingClause, name.span, format!("the {what} `{}` has no `{clause}`", name.node))
                .help(format!("add it, {example}")),
        );
    }

    fn date(&mut self, date: &ast::Text) {
        let mut parts = date.node.split('-').map(|part| part.parse::<u32>().ok());
        let fits = match (parts.next().flatten(), parts.next().flatten(), parts.next().flatten()) {
            (Some(year), Some(month), Some(day)) => {
                let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
                let days = match month {
                    2 => {
                        if leap {
                            29
                        } else {
                            28
                        }
                    }
                    4 | 6 | 9 | 11 => 30,
                    1..=12 => 31,
                    _ => 0,
                };
                (1..=days).contains(&day) && date.node.len() == 10
            }
            _ => false,
        };
        if !fits {
            self.report(
                Diagnostic::error(Code::BadNumber, date.span, format!("`{}` is no date", date.node))
                    .help("write it as `2026-05-01`"),
            );
        }
    }

    fn prices(&mut self, streams: &[(ast::Name, Literal)]) -> PriceList {
        let wanted = Dimension::Per(Box::new(Dimension::Money), Box::new(Dimension::Tokens));
        let mut prices = PriceList::new();
        for (stream, literal) in streams {
            let Some((quantity, _)) = self.quantity(literal) else { continue };
            let span = Self::literal_span(literal);
            if quantity.dimension != wanted {
                self.report(
                    Diagnostic::error(
                        Code::MixedUnits,
                        span,
                        format!("the price of `{}` is not money per token", stream.node),
                    )
                    .help("write prices as in `5 usd/Mtok`"),
                );
                continue;
            }
            // Dollars per token times 10^12 are micro-dollars per million tokens.
            let micro = quantity.value * Rational::from_integer(1_000_000_000_000_i64.into());
            let exact =
                (micro.is_integer() && !micro.is_negative()).then(|| i64::try_from(micro.to_integer()).ok()).flatten();
            let Some(exact) = exact else {
                self.report(
                    Diagnostic::error(
                        Code::BadNumber,
                        span,
                        format!(
                            "the price of `{}` is no whole number of micro-dollars per million tokens",
                            stream.node
                        ),
                    )
                    .note("prices are kept exact, so that a cost never depends on rounding"),
                );
                continue;
            };
            if prices.insert(stream.node.clone(), exact).is_some() {
                self.twice(stream, "token stream");
            }
        }
        prices
    }
}
