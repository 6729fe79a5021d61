//! Values, margins, measures, estimands, paired differences and picks. Each is checked after what it names, in whatever
//! order they were written.

use std::collections::{BTreeMap, BTreeSet};

use super::expr::CellPlace;
use super::places::Part;
use super::record_expr::RecordPlace;
use super::units::{self, Ty};
use super::{Checker, Kind, order};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::spec::{
    Bounds, Dimension, Estimand, EstimandBody, Margin, Measure, Name, NumberType, Per, Pick, Publish, Quantity,
    RecordExpr, ValueTable,
};
use crate::syntax::ast::{self, Expr, ExprKind};

impl<'a> Checker<'a> {
    /// Sourced constants and tables.
    pub(super) fn values(&mut self) {
        for (name, value) in self.names.values.clone() {
            self.place(Kind::Value, name, Part::Name, value.name.span);
            let source = self.source(value.source.as_ref(), &value.name, "value");
            let mut entries = BTreeMap::new();
            let mut bare = true;
            let mut failed = false;
            if let Some(constant) = &value.constant {
                match self.constant(constant) {
                    Some((quantity, unitless)) => {
                        bare &= unitless;
                        entries.insert(String::new(), quantity);
                    }
                    None => failed = true,
                }
            }
            let per = value.per.as_ref().filter(|factor| self.factor_like(factor)).map(|factor| factor.node.clone());
            failed |= per.is_none() && value.per.is_some();
            for (level, constant) in &value.table {
                let known = per.as_ref().is_none_or(|factor| self.level(factor, level));
                match self.constant(constant) {
                    Some((quantity, unitless)) if known => {
                        bare &= unitless;
                        if entries.insert(level.node.clone(), quantity).is_some() {
                            self.report(Diagnostic::error(
                                Code::Duplicate,
                                level.span,
                                format!("`{}` has two entries", level.node),
                            ));
                        }
                    }
                    _ => failed = true,
                }
            }
            if failed {
                continue;
            }
            let units: BTreeSet<&Dimension> = entries.values().map(|quantity| &quantity.dimension).collect();
            if units.len() > 1 {
                self.report(
                    Diagnostic::error(
                        Code::MixedUnits,
                        value.name.span,
                        format!("the entries of `{name}` have different units"),
                    )
                    .help("give every entry the same unit"),
                );
                continue;
            }
            if let Some(factor) = &per {
                let missing: Vec<Name> = self
                    .levels_of(factor)
                    .unwrap_or_default()
                    .into_iter()
                    .filter(|level| !entries.contains_key(level))
                    .collect();
                if !missing.is_empty() {
                    self.report(Diagnostic::error(
                        Code::MissingClause,
                        value.name.span,
                        format!("`{name}` has no entry for {}", super::names::list(&missing)),
                    ));
                    continue;
                }
            }
            if bare {
                self.bare_values.insert(name.to_owned());
            }
            self.spec.values.insert(name.to_owned(), ValueTable { per, entries, source });
        }
    }

    fn source(&mut self, source: Option<&ast::Text>, name: &ast::Name, what: &str) -> String {
        if source.is_none_or(|text| text.node.trim().is_empty()) {
            self.report(
                Diagnostic::error(
                    Code::MarginWithoutSource,
                    name.span,
                    format!("the {what} `{}` does not say where it comes from", name.node),
                )
                .note("a number without a source can be chosen to suit the result")
                .help("add it in quotes: the study, standard or reasoning that gave the number"),
            );
        }
        self.prose_or_empty(source)
    }

    /// The type of a value: bounds over all its entries.
    pub(super) fn value_type(&self, name: &str) -> Option<Ty> {
        let table = self.spec.values.get(name)?;
        let bare = self.bare_values.contains(name);
        let mut types = table.entries.values().map(|quantity| Ty::constant(quantity, bare));
        let first = types.next()?;
        Some(types.fold(first, |mut so_far, next| {
            so_far.number.bounds = units::union(&so_far.number.bounds, &next.number.bounds);
            so_far.number.integer &= next.number.integer;
            so_far
        }))
    }

    /// Remembers the unit that a bare value takes on; two different ones are refused.
    pub(super) fn value_meets(&mut self, name: &str, dimension: &Dimension) {
        if !self.bare_values.contains(name) {
            return;
        }
        match self.value_units.get(name) {
            Some(known) if known != dimension => {
                let span = self.places.get(Kind::Value, name, &Part::Name);
                let (first, second) = (units::describe(known), units::describe(dimension));
                self.report(
                    Diagnostic::error(
                        Code::MixedUnits,
                        span,
                        format!("the value `{name}` is used as {first} and as {second}"),
                    )
                    .help("give it a unit, or declare two values"),
                );
            }
            Some(_) => {}
            None => {
                self.value_units.insert(name.to_owned(), dimension.clone());
            }
        }
    }

    /// Writes out the units that bare values took on.
    pub(super) fn settle_values(&mut self) {
        for (name, dimension) in &self.value_units {
            for quantity in self.spec.values.get_mut(name).into_iter().flat_map(|table| table.entries.values_mut()) {
                quantity.dimension = dimension.clone();
            }
        }
        for (name, dimension) in &self.margin_units {
            if let Some(margin) = self.spec.margins.get_mut(name) {
                margin.low.dimension = dimension.clone();
                if let Some(high) = &mut margin.high {
                    high.dimension = dimension.clone();
                }
            }
        }
    }

    /// Margins and bands.
    pub(super) fn margins(&mut self) {
        for (name, margin) in self.names.margins.clone() {
            self.place(Kind::Margin, name, Part::Name, margin.name.span);
            let source = self.source(margin.source.as_ref(), &margin.name, "margin");
            let low = self.constant(&margin.low);
            let high = margin.high.as_ref().map(|high| self.constant(high));
            let Some((low, low_bare)) = low else { continue };
            let (high, bare) = match high {
                None => (None, low_bare),
                Some(None) => continue,
                Some(Some((high, high_bare))) => {
                    let (a, b) = (Ty::constant(&low, low_bare), Ty::constant(&high, high_bare));
                    let span = margin.high.as_ref().map_or(margin.low.span, |high| high.span);
                    if let Err(mix) = units::unify(&a, &b) {
                        let sides = (
                            super::literals::Side { span: margin.low.span, ty: &a },
                            super::literals::Side { span, ty: &b },
                        );
                        self.mixed(&mix, "compared with", sides.0, sides.1, margin.low.span.to(span));
                        continue;
                    }
                    if low.value > high.value {
                        self.report(
                            Diagnostic::error(
                                Code::BadNumber,
                                margin.low.span.to(span),
                                "the band is the wrong way round",
                            )
                            .help("the smaller end comes first"),
                        );
                        continue;
                    }
                    (Some(high), low_bare && high_bare)
                }
            };
            if bare {
                self.bare_margins.insert(name.to_owned());
            }
            let higher = match margin.direction.as_ref().map(|word| word.node.as_str()) {
                Some("higher") => Some(true),
                Some("lower") => Some(false),
                _ => None,
            };
            if high.is_none() && higher.is_none() {
                self.report(
                    Diagnostic::error(
                        Code::MissingClause,
                        margin.name.span,
                        format!("the margin `{name}` does not say which direction is better"),
                    )
                    .help("write `higher` or `lower` after the number"),
                );
                continue;
            }
            self.spec.margins.insert(name.to_owned(), Margin { low, high, higher, source });
        }
    }

    /// Remembers the unit that a bare margin takes on.
    pub(super) fn margin_meets(&mut self, name: &str, dimension: &Dimension) {
        if !self.bare_margins.contains(name) {
            return;
        }
        match self.margin_units.get(name) {
            Some(known) if known != dimension => {
                let span = self.places.get(Kind::Margin, name, &Part::Name);
                let (first, second) = (units::describe(known), units::describe(dimension));
                self.report(
                    Diagnostic::error(
                        Code::MixedUnits,
                        span,
                        format!("the margin `{name}` is used as {first} and as {second}"),
                    )
                    .help("give it a unit, or declare two margins"),
                );
            }
            Some(_) => {}
            None => {
                self.margin_units.insert(name.to_owned(), dimension.clone());
            }
        }
    }

    /// Measures, estimands, paired differences and picks, each after what it names.
    pub(super) fn quantities(&mut self) {
        let mut needs: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut exprs: Vec<(&str, &Expr, Span)> = Vec::new();
        exprs.extend(self.names.measures.iter().map(|(name, item)| (*name, &item.expr, item.name.span)));
        exprs.extend(self.names.estimands.iter().map(|(name, item)| (*name, &item.expr, item.name.span)));
        exprs.extend(self.names.picks.iter().map(|(name, item)| (*name, &item.expr, item.name.span)));
        let spans: BTreeMap<&str, Span> = exprs.iter().map(|(name, _, span)| (*name, *span)).collect();
        for (name, expr, _) in &exprs {
            let mut named = BTreeSet::new();
            mentions(expr, &self.names.picks, &mut named);
            needs.insert(
                (*name).to_owned(),
                named.into_iter().filter(|other| spans.contains_key(other.as_str())).collect(),
            );
        }
        let sorted = order::order(&needs);
        for cycle in &sorted.cycles {
            let span = cycle.first().and_then(|name| spans.get(name.as_str())).copied().unwrap_or_default();
            let mut found =
                Diagnostic::error(Code::Cycle, span, format!("these need each other: {}", order::path(cycle)))
                    .help("write one of them without the other");
            for name in cycle.iter().skip(1) {
                if let Some(span) = spans.get(name.as_str()) {
                    found = found.also(*span, "needed here");
                }
            }
            self.report(found);
        }
        self.infer_parameters();
        for name in &sorted.sorted {
            let name = name.as_str();
            if let Some(item) = self.names.measures.get(name).copied() {
                self.measure(item);
            } else if let Some(item) = self.names.estimands.get(name).copied() {
                self.estimand(item);
            } else if let Some(item) = self.names.picks.get(name).copied() {
                self.pick(item);
            }
        }
    }

    /// The factor of each parameter, from where it is used: `[factor: parameter]` in the measure, the levels given to it,
    /// the factor whose pairs fill it, or the only factor there is.
    fn infer_parameters(&mut self) {
        let with_parameters: Vec<&'a ast::Measure> =
            self.names.measures.values().copied().filter(|measure| !measure.parameters.is_empty()).collect();
        if with_parameters.is_empty() {
            return;
        }
        let mut given: BTreeMap<Name, Vec<BTreeSet<Name>>> = BTreeMap::new();
        for estimand in self.names.estimands.values() {
            let pair = estimand.per.iter().find(|per| per.pair).map(|per| per.factor.node.clone());
            self.calls(&estimand.expr, pair.as_ref(), &mut given);
        }
        for measure in self.names.measures.values() {
            self.calls(&measure.expr, None, &mut given);
        }
        for measure in with_parameters {
            let mut own: BTreeMap<Name, Name> = BTreeMap::new();
            for (at, parameter) in measure.parameters.iter().enumerate() {
                let mut factors = BTreeSet::new();
                written_factor(&measure.expr, &parameter.node, &mut factors);
                if factors.is_empty() {
                    factors =
                        given.get(measure.name.node.as_str()).and_then(|all| all.get(at)).cloned().unwrap_or_default();
                }
                if factors.is_empty() && self.spec.factors.len() == 1 {
                    factors.extend(self.spec.factors.keys().cloned());
                }
                let factors: Vec<Name> = factors.into_iter().collect();
                match factors.as_slice() {
                    [factor] => {
                        own.insert(parameter.node.clone(), factor.clone());
                    }
                    [] => self.report(
                        Diagnostic::error(
                            Code::AmbiguousLevel,
                            parameter.span,
                            format!("nothing says which factor the parameter `{}` belongs to", parameter.node),
                        )
                        .help(format!("name the factor where it is used, as in `outcome[factor: {}]`", parameter.node)),
                    ),
                    several => self.report(
                        Diagnostic::error(
                            Code::AmbiguousLevel,
                            parameter.span,
                            format!(
                                "the parameter `{}` is used for levels of {}",
                                parameter.node,
                                super::names::list(several)
                            ),
                        )
                        .help("a parameter stands for levels of one factor; declare two measures"),
                    ),
                }
            }
            self.parameters.insert(measure.name.node.clone(), own);
        }
    }

    /// Collects the factors of the levels that calls give to each parameter.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
    fn calls(&self, expr: &Expr, pair: Option<&Name>, given: &mut BTreeMap<Name, Vec<BTreeSet<Name>>>) {
        match &*expr.kind {
            ExprKind::Name(name) => {
                if let (Some(measure), Some(factor)) = (self.names.measures.get(name.as_str()), pair) {
                    let slots = given.entry(name.clone()).or_default();
                    slots.resize(measure.parameters.len().max(slots.len()), BTreeSet::new());
                    for slot in slots.iter_mut().take(measure.parameters.len()) {
                        slot.insert(factor.clone());
                    }
                }
            }
            ExprKind::Call(call) => {
                if let Some(measure) = self.names.measures.get(call.function.node.as_str()) {
                    let slots = given.entry(call.function.node.clone()).or_default();
                    slots.resize(measure.parameters.len().max(slots.len()), BTreeSet::new());
                    for (slot, argument) in slots.iter_mut().zip(&call.arguments) {
                        if let ExprKind::Name(word) = &*argument.kind {
                            match self.level_owners.get(word) {
                                Some(owners) if owners.len() == 1 => slot.extend(owners.iter().cloned()),
                                Some(_) => {}
                                None => slot.extend(pair.cloned()),
                            }
                        }
                    }
                }
                for argument in &call.arguments {
                    self.calls(argument, pair, given);
                }
            }
            _ => ast_children(expr).into_iter().for_each(|child| self.calls(child, pair, given)),
        }
    }

    fn measure(&mut self, item: &ast::Measure) {
        let name = item.name.node.as_str();
        self.place(Kind::Measure, name, Part::Name, item.name.span);
        self.place(Kind::Measure, name, Part::Expr, item.expr.span);
        let own = self.parameters.get(name).cloned().unwrap_or_default();
        if own.len() < item.parameters.len() {
            return; // a parameter without a factor was refused
        }
        let checked = self.cell(&item.expr, &CellPlace { parameters: own.clone(), ..CellPlace::default() });
        let parameters: Vec<(Name, Name)> = item
            .parameters
            .iter()
            .filter_map(|parameter| Some((parameter.node.clone(), own.get(&parameter.node)?.clone())))
            .collect();
        let Some((expr, ty)) = checked else { return };
        let undefined = match &item.undefined {
            None => None,
            Some(expr) => match self.constant_of(expr, ty.dimension()) {
                Some(quantity) => Some(quantity),
                None => return,
            },
        };
        let mut kind = ty.number;
        if let Some(quantity) = &undefined {
            // What stands for an undefined value is one of the values.
            let point = Bounds { lower: Some(quantity.value.clone()), upper: Some(quantity.value.clone()) };
            kind.bounds = units::union(&kind.bounds, &point);
            kind.integer &= quantity.value.is_integer();
        }
        self.spec.measures.insert(name.to_owned(), Measure { parameters, expr, undefined, kind });
    }

    /// The factors of a `per`, checked.
    pub(super) fn per(&mut self, written: &[ast::Per]) -> Option<Vec<Per>> {
        let mut per: Vec<Per> = Vec::new();
        let mut failed = false;
        for one in written {
            if !self.factor_like(&one.factor) {
                failed = true;
                continue;
            }
            if per.iter().any(|other| other.factor == one.factor.node) {
                self.report(Diagnostic::error(
                    Code::Duplicate,
                    one.factor.span,
                    format!("`{}` stands twice in `per`", one.factor.node),
                ));
                failed = true;
                continue;
            }
            let mut except: Vec<Name> = Vec::new();
            for level in &one.except {
                if self.level(&one.factor.node, level) {
                    except.push(level.node.clone());
                } else {
                    failed = true;
                }
            }
            except.sort();
            except.dedup();
            per.push(Per { factor: one.factor.node.clone(), except, pair: one.pair });
        }
        (!failed).then_some(per)
    }

    fn estimand(&mut self, item: &ast::Estimand) {
        let name = item.name.node.as_str();
        self.place(Kind::Estimand, name, Part::Name, item.name.span);
        self.place(Kind::Estimand, name, Part::Expr, item.expr.span);
        let mut per = self.per(&item.per);
        self.next_used.clear();
        self.next_allowed = item.per.iter().filter(|per| !per.pair).map(|per| per.factor.node.clone()).collect();
        if let Some(reported) = &item.reported {
            let kind = units::type_named(&reported.kind.node);
            let Some(kind) = kind else {
                self.unknown_type(&reported.kind);
                return;
            };
            let kind = self.narrowed(kind, reported.bounds.as_ref());
            if let Some(per) = per {
                self.spec.estimands.insert(name.to_owned(), Estimand { per, body: EstimandBody::Reported, kind });
            }
            return;
        }
        if let Some(fitted) = &item.fitted {
            let checked = self.fitted(fitted);
            if let (Some(per), Some((body, kind))) = (per, checked) {
                self.spec.estimands.insert(name.to_owned(), Estimand { per, body, kind });
            }
            return;
        }
        if self.names.paired.contains(name) {
            let checked = self.paired_body(&item.expr);
            self.leave_out_last(&mut per);
            if let (Some(per), Some((body, kind))) = (per, checked) {
                self.spec.estimands.insert(name.to_owned(), Estimand { per, body, kind });
            }
            return;
        }
        let pair = item.per.iter().find(|per| per.pair).map(|per| per.factor.node.clone());
        let pinned = item.per.iter().filter(|per| !per.pair).map(|per| per.factor.node.clone()).collect();
        let checked = self.cell(&item.expr, &CellPlace { pinned, pair, ..CellPlace::default() });
        self.leave_out_last(&mut per);
        if let (Some(per), Some((expr, ty))) = (per, checked) {
            self.spec
                .estimands
                .insert(name.to_owned(), Estimand { per, body: EstimandBody::Contrast(expr), kind: ty.number });
        }
    }

    /// The last rung of a ladder has no next one, so it has no member.
    fn leave_out_last(&mut self, per: &mut Option<Vec<Per>>) {
        self.next_allowed.clear();
        for factor in std::mem::take(&mut self.next_used) {
            let last = self.spec.ladder(&factor).and_then(|ladder| ladder.last().cloned());
            let own = per.iter_mut().flatten().find(|per| per.factor == factor);
            if let Some((own, last)) = own.zip(last)
                && !own.except.contains(&last)
            {
                own.except.push(last);
                own.except.sort();
            }
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
    fn paired_body(&mut self, expr: &Expr) -> Option<(EstimandBody, NumberType)> {
        let place = RecordPlace { transforms: true, ..RecordPlace::records("a paired difference") };
        let (inner, filter) = match &*expr.kind {
            ExprKind::For(inner, condition) => {
                let filter = self.record_condition(condition, &RecordPlace::records("`for`"));
                (inner, Some(filter))
            }
            _ => (expr, None),
        };
        let checked = self.record_number(inner, &place);
        let filter: Option<RecordExpr> = match filter {
            None => None,
            Some(checked) => Some(checked?),
        };
        let (value, ty) = checked?;
        let kind = NumberType { integer: false, ..ty.number };
        Some((EstimandBody::Paired { value, filter }, kind))
    }

    fn pick(&mut self, item: &ast::Pick) {
        let name = item.name.node.as_str();
        self.place(Kind::Pick, name, Part::Name, item.name.span);
        let known = self.factor_like(&item.factor);
        let checked = self.cell(&item.expr, &CellPlace::default());
        let per: Vec<bool> = item.per.iter().map(|factor| self.factor_like(factor)).collect();
        let Some((expr, _)) = checked else { return };
        if !known || per.contains(&false) {
            return;
        }
        let word = |name: &Option<ast::Name>| name.as_ref().map(|word| word.node.clone());
        self.spec.picks.insert(
            name.to_owned(),
            Pick {
                factor: item.factor.node.clone(),
                largest: item.direction.node == "largest",
                expr,
                per: item.per.iter().map(|factor| factor.node.clone()).collect(),
                ties_refuse: word(&item.ties).as_deref() == Some("refuse"),
                // Picking again in every resample is the default: a fixed pick hides the selection from the interval.
                resample_again: word(&item.resample).as_deref() != Some("fixed"),
            },
        );
    }

    /// Figures that appear only together.
    pub(super) fn publishes(&mut self) {
        for (name, item) in self.names.publishes.clone() {
            self.place(Kind::Publish, name, Part::Name, item.name.span);
            let mut figures = Vec::new();
            let mut failed = false;
            for figure in &item.figures {
                let text = figure.node.as_str();
                if self.names.measures.contains_key(text) {
                    self.mark(Kind::Measure, text);
                } else if self.names.estimands.contains_key(text) {
                    self.mark(Kind::Estimand, text);
                } else {
                    self.undefined(figure, "a measure or estimand", &[Kind::Measure, Kind::Estimand]);
                    failed = true;
                    continue;
                }
                figures.push(figure.node.clone());
            }
            figures.sort();
            figures.dedup();
            if !failed {
                self.spec.publishes.insert(name.to_owned(), Publish { figures });
            }
        }
    }

    /// A type word that names no type.
    pub(super) fn unknown_type(&mut self, word: &ast::Name) {
        let words = [
            "bool",
            "text",
            "count",
            "usd",
            "tokens",
            "seconds",
            "bits",
            "nats",
            "proportion",
            "difference",
            "ratio",
            "number",
        ];
        let nearest = self.nearest(&word.node, words);
        let mut found = Diagnostic::error(Code::UnknownUnit, word.span, format!("no type is called `{}`", word.node));
        found = match nearest {
            Some(near) => found.help(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), word.span, near),
            None => found.help(format!("types are {}", super::names::list(&words))),
        };
        self.report(found);
    }

    /// A margin's ends as types.
    pub(super) fn margin_types(&self, name: &str) -> Option<(Ty, Option<Ty>)> {
        let margin = self.spec.margins.get(name)?;
        let bare = self.bare_margins.contains(name);
        let ty = |quantity: &Quantity| Ty::constant(quantity, bare);
        Some((ty(&margin.low), margin.high.as_ref().map(ty)))
    }
}

/// The direct parts of an expression.
pub(super) fn ast_children(expr: &Expr) -> Vec<&Expr> {
    match &*expr.kind {
        ExprKind::Number(_) | ExprKind::Text(_) | ExprKind::Name(_) | ExprKind::Path(..) | ExprKind::Is { .. } => {
            Vec::new()
        }
        ExprKind::Call(call) => call.arguments.iter().chain(&call.filter).collect(),
        ExprKind::At(inner, _) | ExprKind::Negate(inner) | ExprKind::Not(inner) | ExprKind::EndsWith(inner, _) => {
            vec![inner]
        }
        ExprKind::Arithmetic(left, _, right) | ExprKind::Compare(left, _, right) | ExprKind::For(left, right) => {
            vec![left, right]
        }
        ExprKind::And(parts) | ExprKind::Or(parts) => parts.iter().collect(),
        ExprKind::Within(value, low, high) => vec![value, low, high],
        ExprKind::OneOf(subject, choices) => std::iter::once(subject).chain(choices).collect(),
    }
}

/// Every name that an expression over cells needs: measures, estimands, values and picks. What stands inside an aggregate
/// or a condition is about records and names none of them.
fn mentions(expr: &Expr, picks: &BTreeMap<&str, &ast::Pick>, found: &mut BTreeSet<String>) {
    match &*expr.kind {
        ExprKind::Name(name) => {
            found.insert(name.clone());
        }
        ExprKind::Call(call) => {
            found.insert(call.function.node.clone());
            let over_cells = !call.over.is_empty()
                || matches!(call.function.node.as_str(), "abs" | "ratio" | "log_ratio")
                || matches!(call.function.node.as_str(), "min" | "max") && call.arguments.len() > 1;
            if over_cells {
                call.arguments.iter().for_each(|argument| mentions(argument, picks, found));
            }
            // A level given to a measure may be a pick.
            for argument in &call.arguments {
                if let ExprKind::Name(word) = &*argument.kind {
                    found.extend(picks.contains_key(word.as_str()).then(|| word.clone()));
                }
            }
        }
        ExprKind::At(inner, selectors) => {
            let levels = selectors.iter().map(|selector| &selector.level.node);
            found.extend(levels.filter(|level| picks.contains_key(level.as_str())).cloned());
            mentions(inner, picks, found);
        }
        ExprKind::For(inner, _) | ExprKind::Negate(inner) => mentions(inner, picks, found),
        ExprKind::Arithmetic(left, _, right) => {
            mentions(left, picks, found);
            mentions(right, picks, found);
        }
        ExprKind::Number(_)
        | ExprKind::Text(_)
        | ExprKind::Path(..)
        | ExprKind::Is { .. }
        | ExprKind::Not(_)
        | ExprKind::EndsWith(..)
        | ExprKind::Compare(..)
        | ExprKind::And(_)
        | ExprKind::Or(_)
        | ExprKind::Within(..)
        | ExprKind::OneOf(..) => {}
    }
}

/// Factors that indices write beside a parameter.
fn written_factor(expr: &Expr, parameter: &str, found: &mut BTreeSet<Name>) {
    if let ExprKind::At(_, selectors) = &*expr.kind {
        for selector in selectors.iter().filter(|selector| selector.level.node == parameter) {
            found.extend(selector.factor.as_ref().map(|factor| factor.node.clone()));
        }
    }
    for child in ast_children(expr) {
        written_factor(child, parameter, found);
    }
}
