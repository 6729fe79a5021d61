//! `results` blocks: how files map onto records, and whether they map everything that the study needs.

use std::collections::{BTreeMap, BTreeSet};

use super::places::Part;
use super::{Checker, Kind, units};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::spec::{
    Attribute, Dimension, EstimandBody, EvidenceKind, FieldMapping, FieldRole, FileFormat, FileUnit, LevelMapping,
    Name, ReportedEstimate, ResultsBlock, ResultsShape, State, UnitAt, ValueType,
};
use crate::syntax::ast::{self, Mapping, Text};

/// What the mappings of a block of records say so far.
#[derive(Default)]
struct Records {
    unit: Option<UnitAt>,
    levels: BTreeMap<Name, LevelMapping>,
    repeat: Option<String>,
    place: Option<(Vec<Name>, String)>,
    fields: BTreeMap<Name, FieldMapping>,
    columns: BTreeMap<String, Name>,
    state: Option<(String, BTreeMap<String, State>)>,
    successes: Option<(String, String, Name)>,
    absent: BTreeSet<String>,
}

/// The names in braces of a path.
fn placeholders(path: &str) -> BTreeSet<Name> {
    path.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name.to_owned()).collect()
}

impl Checker<'_> {
    /// Every results block, and what none of them maps.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
    pub(super) fn results(&mut self) {
        let mut mapped: BTreeSet<Name> = BTreeSet::new();
        let mut any_records = false;
        for (name, item) in self.names.results.clone() {
            self.place(Kind::Results, name, Part::Name, item.name.span);
            any_records |= !item.reported;
            for mapping in &item.mappings {
                match &mapping.node {
                    Mapping::Field { field, .. }
                    | Mapping::Columns { field, .. }
                    | Mapping::Successes { field, .. } => {
                        mapped.insert(field.node.clone());
                    }
                    _ => {}
                }
            }
            if let Some(block) = self.block(item) {
                self.spec.results.insert(name.to_owned(), block);
            }
        }
        if any_records {
            self.unmapped(&mapped);
        }
        self.unreported();
    }

    /// Outcomes and flags that the study reads and no block maps.
    fn unmapped(&mut self, mapped: &BTreeSet<Name>) {
        let missing: Vec<(Name, FieldRole)> = self
            .spec
            .fields
            .iter()
            .filter(|(name, field)| {
                field.derived.is_none()
                    && !mapped.contains(*name)
                    && self.used.contains(&(Kind::Field, (*name).clone()))
            })
            .map(|(name, field)| (name.clone(), field.role))
            .collect();
        for (name, role) in missing {
            let span = self.places.get(Kind::Field, &name, &Part::Name);
            let what = if role == FieldRole::Flag { "flag" } else { "outcome" };
            self.report(
                Diagnostic::error(
                    Code::ResultsIncomplete,
                    span,
                    format!("no results block says where the {what} `{name}` stands"),
                )
                .help(format!("add `{name} = \"column\"` to a `results` block")),
            );
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
    fn unreported(&mut self) {
        let mapped: BTreeSet<&str> = self
            .names
            .results
            .values()
            .flat_map(|block| &block.mappings)
            .filter_map(|mapping| match &mapping.node {
                Mapping::Estimate { estimand, .. } => Some(estimand.node.as_str()),
                _ => None,
            })
            .collect();
        let missing: Vec<Name> = self
            .spec
            .estimands
            .iter()
            .filter(|(name, estimand)| estimand.body == EstimandBody::Reported && !mapped.contains(name.as_str()))
            .map(|(name, _)| name.clone())
            .collect();
        for name in missing {
            let span = self.places.get(Kind::Estimand, &name, &Part::Name);
            self.report(
                Diagnostic::error(
                    Code::ResultsIncomplete,
                    span,
                    format!("no results block says where the reported `{name}` stands"),
                )
                .help(format!("add `estimate {name} at \"path\"` to a `results … reported` block")),
            );
        }
    }

    /// Whether some block reports this number of an estimand; reports it when none does.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
    pub(super) fn reported_has(&mut self, estimand: &str, kind: EvidenceKind, span: Span) -> Option<()> {
        let (mut found, mut listed) = (false, false);
        for mapping in self.names.results.values().flat_map(|block| &block.mappings) {
            if let Mapping::Estimate { estimand: own, interval, p, .. } = &mapping.node
                && own.node == estimand
            {
                listed = true;
                found |= match kind {
                    EvidenceKind::P | EvidenceKind::PAdjusted => p.is_some(),
                    EvidenceKind::Lower | EvidenceKind::Upper => interval.is_some(),
                    EvidenceKind::Estimate | EvidenceKind::N | EvidenceKind::Clusters => true,
                };
            }
        }
        if found || !listed {
            return Some(()); // an estimand that no block reports is reported as such
        }
        let (what, example) = match kind {
            EvidenceKind::P | EvidenceKind::PAdjusted => ("p-value", "p \"path\""),
            _ => ("interval", "interval \"path\" level 95 %"),
        };
        self.report(
            Diagnostic::error(Code::MissingEvidence, span, format!("the results report no {what} of `{estimand}`"))
                .help(format!("add `{example}` to its `estimate` line")),
        );
        None
    }

    fn block(&mut self, item: &ast::Results) -> Option<ResultsBlock> {
        let Some(file) = &item.file else {
            self.missing_clause(&item.name, "results block", "file", "as in `file \"results.csv\"`");
            return None;
        };
        let mut good = self.relative_path(file);
        let mut for_every = Vec::new();
        for name in &item.for_every {
            if self.is_unit(&name.node) || self.spec.factors.contains_key(&name.node) {
                self.mark(Kind::Factor, &name.node);
                for_every.push(name.node.clone());
            } else {
                self.undefined(name, "a factor or the unit", &[Kind::Factor, Kind::Tasks]);
                good = false;
            }
        }
        let in_path = placeholders(&file.node);
        for name in &for_every {
            if !in_path.contains(name) {
                self.report(
                    Diagnostic::error(
                        Code::ResultsIncomplete,
                        file.span,
                        format!("one file for every `{name}`, and the path has no `{{{name}}}`"),
                    )
                    .help(format!("write the place of its name in the path, as in `runs_{{{name}}}.csv`")),
                );
                good = false;
            }
        }
        for name in &in_path {
            if !for_every.contains(name) {
                self.report(
                    Diagnostic::error(
                        Code::ResultsIncomplete,
                        file.span,
                        format!("the path names `{{{name}}}` and nothing says for which"),
                    )
                    .help(format!("add `for every {name}`")),
                );
                good = false;
            }
        }
        let format = self.format(item, file)?;
        let shape = if item.reported { self.reported_shape(item) } else { self.record_shape(item, &for_every, format) };
        let shape = shape?;
        good.then(|| ResultsBlock { file: file.node.clone(), for_every, format, shape })
    }

    fn format(&mut self, item: &ast::Results, file: &Text) -> Option<FileFormat> {
        let word = match &item.format {
            Some(word) => word.node.clone(),
            None => file.node.rsplit_once('.').map_or_else(String::new, |(_, ending)| ending.to_ascii_lowercase()),
        };
        match word.as_str() {
            "csv" => Some(FileFormat::Csv),
            "jsonl" => Some(FileFormat::Jsonl),
            "json" => Some(FileFormat::Json),
            _ => {
                let span = item.format.as_ref().map_or(file.span, |word| word.span);
                self.report(
                    Diagnostic::error(Code::ResultsIncomplete, span, "the format of this file is not known")
                        .help("add `format csv`, `format jsonl` or `format json`"),
                );
                None
            }
        }
    }

    fn reported_shape(&mut self, item: &ast::Results) -> Option<ResultsShape> {
        let mut estimates: Vec<ReportedEstimate> = Vec::new();
        let mut failed = false;
        for mapping in &item.mappings {
            let Mapping::Estimate { estimand, per, at, interval, level, p, n } = &mapping.node else {
                self.report(
                    Diagnostic::error(
                        Code::NotAllowedHere,
                        mapping.span,
                        "a block of reported estimates maps no records",
                    )
                    .help("write `estimate name at \"path\"`, or take out `reported`"),
                );
                failed = true;
                continue;
            };
            let Some(one) =
                self.reported_estimate(estimand, per, at, interval.as_ref(), level.as_ref(), (p.as_ref(), n.as_ref()))
            else {
                failed = true;
                continue;
            };
            estimates.push(one);
        }
        estimates.sort_by(|a, b| (&a.estimand, &a.at).cmp(&(&b.estimand, &b.at)));
        (!failed).then_some(ResultsShape::Reported(estimates))
    }

    fn reported_estimate(
        &mut self,
        estimand: &ast::Name,
        per: &[ast::Name],
        at: &Text,
        interval: Option<&(Text, Option<Text>)>,
        level: Option<&ast::Literal>,
        (p, n): (Option<&Text>, Option<&Text>),
    ) -> Option<ReportedEstimate> {
        if !self.names.estimands.contains_key(estimand.node.as_str()) {
            self.undefined(estimand, "an estimand", &[Kind::Estimand]);
            return None;
        }
        let known = self.spec.estimands.get(&estimand.node)?;
        if known.body != EstimandBody::Reported {
            self.report(
                Diagnostic::error(
                    Code::WrongKind,
                    estimand.span,
                    format!("`{}` is computed from records, not reported", estimand.node),
                )
                .help("declare it as `= reported …`, or map records"),
            );
            return None;
        }
        let wanted: BTreeSet<Name> = known.per.iter().map(|one| one.factor.clone()).collect();
        let given: BTreeSet<Name> = per.iter().map(|one| one.node.clone()).collect();
        if wanted != given {
            let missing: Vec<&Name> = wanted.symmetric_difference(&given).collect();
            self.report(
                Diagnostic::error(
                    Code::ResultsIncomplete,
                    estimand.span,
                    format!(
                        "the `per` of `{}` here and in its declaration differ in {}",
                        estimand.node,
                        super::names::list(&missing)
                    ),
                )
                .help("name the same factors, and put each in braces in the path"),
            );
            return None;
        }
        let paths = std::iter::once(at)
            .chain(interval.map(|(low, _)| low))
            .chain(interval.and_then(|(_, high)| high.as_ref()))
            .chain(p)
            .chain(n);
        let mut failed = false;
        for path in paths {
            let named = placeholders(&path.node);
            if named != wanted {
                let missing: Vec<&Name> = wanted.symmetric_difference(&named).collect();
                self.report(
                    Diagnostic::error(
                        Code::ResultsIncomplete,
                        path.span,
                        format!(
                            "the path and the `per` of `{}` differ in {}",
                            estimand.node,
                            super::names::list(&missing)
                        ),
                    )
                    .help(
                        "every factor of the `per` stands in braces in the path, as in `conditions.{condition}.auroc`",
                    ),
                );
                failed = true;
            }
        }
        let level = match level {
            None => None,
            Some(literal) => {
                let (quantity, bare) = self.quantity(literal)?;
                Some(self.fit(quantity, bare, Self::literal_span(literal), &Dimension::Proportion)?)
            }
        };
        if interval.is_some() && level.is_none() {
            self.report(
                Diagnostic::error(
                    Code::MissingClause,
                    estimand.span,
                    format!("the interval of `{}` has no level", estimand.node),
                )
                .help("add `level 95 %`"),
            );
            failed = true;
        }
        let text = |text: Option<&Text>| text.map(|text| text.node.clone());
        (!failed).then(|| ReportedEstimate {
            estimand: estimand.node.clone(),
            per: per.iter().map(|one| one.node.clone()).collect(),
            at: at.node.clone(),
            interval: interval.map(|(low, high)| (low.node.clone(), text(high.as_ref()))),
            level,
            p: text(p),
            n: text(n),
        })
    }

    fn record_shape(&mut self, item: &ast::Results, for_every: &[Name], format: FileFormat) -> Option<ResultsShape> {
        if self.names.tasks.is_none() || self.names.design.is_none() {
            self.report(
                Diagnostic::error(Code::ResultsIncomplete, item.name.span, "records need units and a design")
                    .help("declare `tasks` and `design`, or write `results … reported` for estimates"),
            );
            return None;
        }
        let mut records = Records::default();
        let before = self.error_count();
        for mapping in &item.mappings {
            self.mapping(&mapping.node, mapping.span, &mut records);
        }
        if records.place.is_some() && format != FileFormat::Json {
            self.report(
                Diagnostic::error(
                    Code::NotAllowedHere,
                    item.name.span,
                    "only a JSON document has a path to its records",
                )
                .help("every row of a CSV or JSONL file is a record; take `records` out"),
            );
        }
        self.located(item, for_every, &records);
        let Records { unit, levels, repeat, place: records, fields, columns, state, successes, absent } = records;
        (self.error_count() == before).then_some(ResultsShape::Records {
            unit,
            levels,
            repeat,
            records,
            fields,
            columns,
            state,
            successes,
            absent,
        })
    }

    /// Every crossed factor, the unit and the repeat are given by something.
    fn located(&mut self, item: &ast::Results, for_every: &[Name], records: &Records) {
        let mut known: BTreeSet<Name> = for_every.iter().cloned().collect();
        known.extend(records.levels.keys().cloned());
        if let Some((names, path)) = &records.place {
            known.extend(names.iter().cloned());
            known.extend(placeholders(path));
        }
        known.extend(records.columns.keys().flat_map(|pattern| placeholders(pattern)));
        let mut missing: Vec<Name> = Vec::new();
        if let Some(tasks) = self.names.tasks
            && records.unit.is_none()
            && !known.contains(&tasks.name.node)
        {
            missing.push(tasks.name.node.clone());
        }
        let cross = self.names.design.map(|design| design.cross.as_slice()).unwrap_or_default();
        let crossed: Vec<Name> = cross
            .iter()
            .map(|factor| factor.node.clone())
            .filter(|name| self.spec.factors.contains_key(name) && !self.is_unit(name))
            .collect();
        for factor in crossed {
            let single = self.levels_of(&factor).is_some_and(|levels| levels.len() == 1);
            if !known.contains(&factor) && !single {
                missing.push(factor);
            }
        }
        missing.retain(|_| !["unit", "level"].iter().any(|word| self.unread.contains(*word)));
        for name in missing {
            let line = if self.is_unit(&name) {
                format!("unit {name} at \"column\"")
            } else {
                format!("level {name} at \"column\"")
            };
            self.report(
                Diagnostic::error(
                    Code::ResultsIncomplete,
                    item.name.span,
                    format!("`{}` does not say where the `{name}` of a record stands", item.name.node),
                )
                .help(format!("add `{line}`, or name `{{{name}}}` in the file, the records or the columns")),
            );
        }
        let repeats = self.spec.design.as_ref().map_or(1, |design| design.repeat);
        if repeats > 1 && records.repeat.is_none() && records.successes.is_none() && !known.contains("repeat") {
            self.report(
                Diagnostic::error(
                    Code::ResultsIncomplete,
                    item.name.span,
                    format!(
                        "the design repeats {repeats} times, and `{}` does not say which repeat a record is",
                        item.name.node
                    ),
                )
                .help("add `repeat at \"column\"`"),
            );
        }
    }

    fn once<T>(&mut self, slot: &mut Option<T>, value: T, span: Span, what: &str) {
        if slot.is_some() {
            self.report(Diagnostic::error(Code::RepeatedClause, span, format!("{what} stands twice")));
        }
        slot.get_or_insert(value);
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each line of a block")]
    fn mapping(&mut self, mapping: &Mapping, span: Span, records: &mut Records) {
        match mapping {
            Mapping::Unit { unit, at } => {
                if !self.is_unit(&unit.node) {
                    self.undefined(unit, "the unit of analysis", &[Kind::Tasks]);
                    return;
                }
                let at = at.as_ref().map_or(UnitAt::Row, |path| UnitAt::At(path.node.clone()));
                self.once(&mut records.unit, at, span, "the unit");
            }
            Mapping::Level { factor, at, spellings } => {
                if !self.spec.factors.contains_key(&factor.node) {
                    if !self.names.factors.contains_key(factor.node.as_str()) {
                        self.undefined(factor, "a factor", &[Kind::Factor]);
                    }
                    return;
                }
                self.mark(Kind::Factor, &factor.node);
                let mut known = BTreeMap::new();
                for (text, level) in spellings {
                    if self.level(&factor.node, level) && known.insert(text.node.clone(), level.node.clone()).is_some()
                    {
                        self.spelled_twice(text);
                    }
                }
                let mapping = LevelMapping { at: at.node.clone(), spellings: known };
                if records.levels.insert(factor.node.clone(), mapping).is_some() {
                    self.twice(factor, "factor");
                }
            }
            Mapping::Repeat(path) => self.once(&mut records.repeat, path.node.clone(), span, "the repeat"),
            Mapping::Records { of, at } => {
                for name in of {
                    if !self.is_unit(&name.node) && !self.spec.factors.contains_key(&name.node) {
                        self.undefined(name, "a factor or the unit", &[Kind::Factor, Kind::Tasks]);
                    } else if !placeholders(&at.node).contains(&name.node) {
                        self.report(
                            Diagnostic::error(
                                Code::ResultsIncomplete,
                                at.span,
                                format!("the path has no `{{{}}}`", name.node),
                            )
                            .help("every name before `at` stands in braces in the path"),
                        );
                    }
                }
                let of = of.iter().map(|name| name.node.clone()).collect();
                self.once(&mut records.place, (of, at.node.clone()), span, "the place of the records");
            }
            Mapping::Field { field, at, spellings, unit } => {
                self.field_mapping(field, at, spellings, unit.as_ref(), records);
            }
            Mapping::Columns { pattern, field } => {
                for name in placeholders(&pattern.node) {
                    if self.spec.factors.contains_key(&name) {
                        self.mark(Kind::Factor, &name);
                    } else {
                        self.undefined_at(&name, pattern.span, "a factor", &[Kind::Factor]);
                    }
                }
                if placeholders(&pattern.node).is_empty() {
                    self.report(
                        Diagnostic::error(Code::ResultsIncomplete, pattern.span, "the header pattern names no factor")
                            .help("put the factor in braces, as in `\"{defence}\"`; one plain column is `field = \"column\"`"),
                    );
                }
                if self.readable(field).is_some()
                    && records.columns.insert(pattern.node.clone(), field.node.clone()).is_some()
                {
                    self.report(Diagnostic::error(Code::Duplicate, pattern.span, "this header pattern stands twice"));
                }
            }
            Mapping::State { at, spellings } => {
                let mut known = BTreeMap::new();
                for (text, word) in spellings {
                    match State::from_word(&word.node) {
                        Some(state) => {
                            if known.insert(text.node.clone(), state).is_some() {
                                self.spelled_twice(text);
                            }
                        }
                        None => self.unknown_state(word),
                    }
                }
                self.once(&mut records.state, (at.node.clone(), known), span, "the state");
            }
            Mapping::Successes { successes, trials, field } => {
                match self.readable(field) {
                    Some(ValueType::Bool) => {}
                    Some(_) => self.report(Diagnostic::error(
                        Code::TypeMismatch,
                        field.span,
                        format!("`{}` is not true or false, so it has no successes", field.node),
                    )),
                    None => return,
                }
                let value = (successes.node.clone(), trials.node.clone(), field.node.clone());
                self.once(&mut records.successes, value, span, "`successes`");
            }
            Mapping::Absent(texts) => records.absent.extend(texts.iter().map(|text| text.node.clone())),
            Mapping::Estimate { estimand, .. } => self.report(
                Diagnostic::error(Code::NotAllowedHere, estimand.span, "a block of records reports no estimates")
                    .help("write `results … reported`"),
            ),
        }
    }

    fn spelled_twice(&mut self, text: &Text) {
        self.report(Diagnostic::error(
            Code::Duplicate,
            text.span,
            format!("the spelling `{}` stands twice", text.node),
        ));
    }

    fn unknown_state(&mut self, word: &ast::Name) {
        let words: Vec<&str> = State::ALL.iter().map(|state| state.word()).collect();
        let nearest = self.nearest(&word.node, words.iter().copied());
        let found = Diagnostic::error(Code::WrongKind, word.span, format!("no state is called `{}`", word.node))
            .help(format!("states are {}", super::names::list(&words)));
        self.report(match nearest {
            Some(near) => found.fix(format!("write `{near}`"), word.span, near),
            None => found,
        });
    }

    /// The type of a field that results may give.
    fn readable(&mut self, field: &ast::Name) -> Option<ValueType> {
        let name = field.node.as_str();
        if !self.names.outcomes.contains_key(name) && !self.names.flags.contains_key(name) {
            self.undefined(field, "an outcome or flag", &[Kind::Field]);
            return None;
        }
        let known = self.spec.fields.get(name)?;
        if known.derived.is_some() {
            self.report(
                Diagnostic::error(
                    Code::NotAllowedHere,
                    field.span,
                    format!("`{name}` is derived from other outcomes and never read"),
                )
                .help("take this line out, or the expression of the outcome"),
            );
            return None;
        }
        Some(known.kind.clone())
    }

    fn field_mapping(
        &mut self,
        field: &ast::Name,
        at: &Text,
        spellings: &[(Text, ast::Attribute)],
        unit: Option<&ast::Name>,
        records: &mut Records,
    ) {
        let Some(kind) = self.readable(field) else { return };
        let mut known: BTreeMap<String, Attribute> = BTreeMap::new();
        for (text, value) in spellings {
            if let Some(value) = self.spelled_value(value, &kind, field)
                && known.insert(text.node.clone(), value).is_some()
            {
                self.spelled_twice(text);
            }
        }
        let unit = match unit {
            None => None,
            Some(word) => match self.field_unit(word, &kind, field) {
                Some(unit) => Some(unit),
                None => return,
            },
        };
        let mapping = FieldMapping { at: at.node.clone(), spellings: known, unit };
        if records.fields.insert(field.node.clone(), mapping).is_some() {
            self.twice(field, "field");
        }
    }

    fn spelled_value(&mut self, value: &ast::Attribute, kind: &ValueType, field: &ast::Name) -> Option<Attribute> {
        let (wrong, span) = match (value, kind) {
            (ast::Attribute::Word(word), ValueType::Bool) if ["true", "false"].contains(&word.node.as_str()) => {
                return Some(Attribute::Word(word.node.clone()));
            }
            (ast::Attribute::Word(word), ValueType::Bool) => ("`true` or `false`".to_owned(), word.span),
            (ast::Attribute::Word(word), ValueType::Level(levels)) => {
                if levels.contains(&word.node) {
                    return Some(Attribute::Word(word.node.clone()));
                }
                (format!("one of {}", super::names::list(levels)), word.span)
            }
            (ast::Attribute::Number(literal), ValueType::Level(levels)) => {
                if literal.unit.is_none() && levels.contains(&literal.number.node) {
                    return Some(Attribute::Word(literal.number.node.clone()));
                }
                (format!("one of {}", super::names::list(levels)), literal.number.span)
            }
            (ast::Attribute::Number(literal), ValueType::Number(number)) => {
                let (quantity, bare) = self.quantity(literal)?;
                let dimension = number.dimension.clone();
                return self.fit(quantity, bare, Self::literal_span(literal), &dimension).map(Attribute::Number);
            }
            (ast::Attribute::Text(text), ValueType::Text) => return Some(Attribute::Text(text.node.clone())),
            (ast::Attribute::Word(name), ValueType::Number(_)) => ("a number".to_owned(), name.span),
            (ast::Attribute::Word(name), ValueType::Text) => ("a text in quotes".to_owned(), name.span),
            (ast::Attribute::Text(text), ValueType::Bool) => ("`true` or `false`".to_owned(), text.span),
            (ast::Attribute::Text(text), ValueType::Number(_)) => ("a number".to_owned(), text.span),
            (ast::Attribute::Text(text), ValueType::Level(levels)) => {
                (format!("one of {}", super::names::list(levels)), text.span)
            }
            (ast::Attribute::Number(literal), ValueType::Bool) => ("`true` or `false`".to_owned(), literal.number.span),
            (ast::Attribute::Number(literal), ValueType::Text) => ("a text in quotes".to_owned(), literal.number.span),
        };
        self.report(Diagnostic::error(Code::TypeMismatch, span, format!("`{}` is {wrong}", field.node)));
        None
    }

    fn field_unit(&mut self, word: &ast::Name, kind: &ValueType, field: &ast::Name) -> Option<FileUnit> {
        let Some((dimension, factor)) = units::file_unit(&word.node) else {
            let words = [
                "percent",
                "permille",
                "points",
                "ms",
                "s",
                "min",
                "h",
                "usd",
                "cents",
                "micro_usd",
                "tokens",
                "ktok",
                "bits",
                "nats",
            ];
            let nearest = self.nearest(&word.node, words);
            let found =
                Diagnostic::error(Code::UnknownUnit, word.span, format!("no unit of a file is called `{}`", word.node))
                    .help(format!("units are {}", super::names::list(&words)));
            self.report(match nearest {
                Some(near) => found.fix(format!("write `{near}`"), word.span, near),
                None => found,
            });
            return None;
        };
        match kind {
            ValueType::Number(number) if number.dimension == dimension => {
                Some(FileUnit { word: word.node.clone(), factor })
            }
            ValueType::Number(number) => {
                let (own, other) = (units::describe(&number.dimension), units::describe(&dimension));
                self.report(Diagnostic::error(
                    Code::MixedUnits,
                    word.span,
                    format!("`{}` is {own}, and `{}` is a unit of {other}", field.node, word.node),
                ));
                None
            }
            ValueType::Bool | ValueType::Level(_) | ValueType::Text => {
                self.report(Diagnostic::error(
                    Code::TypeMismatch,
                    word.span,
                    format!("`{}` is no number and has no unit", field.node),
                ));
                None
            }
        }
    }
}
