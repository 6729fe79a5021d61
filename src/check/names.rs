//! Every declared name, collected before anything is resolved, so that order never matters. Owns duplicates, look-alikes,
//! names of the wrong form and names that nobody uses; it resolves nothing else.

use std::collections::{BTreeMap, BTreeSet};

use super::places::{Kind, Part};
use super::{Checker, texts};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::syntax::ast::{self, Declaration, Name};

/// Declarations by kind and name; the first of two with one name is kept.
#[derive(Debug, Default)]
pub(super) struct Names<'a> {
    pub study: Option<&'a ast::Study>,
    pub design: Option<&'a ast::Design>,
    pub tasks: Option<&'a ast::Tasks>,
    pub factors: BTreeMap<&'a str, &'a ast::Factor>,
    pub models: BTreeMap<&'a str, &'a ast::Model>,
    pub scaffolds: BTreeMap<&'a str, &'a ast::Scaffold>,
    pub tools: BTreeMap<&'a str, &'a ast::Tool>,
    pub outcomes: BTreeMap<&'a str, &'a ast::Outcome>,
    pub flags: BTreeMap<&'a str, &'a ast::Flag>,
    pub sets: BTreeMap<&'a str, &'a ast::AnalysisSet>,
    pub measures: BTreeMap<&'a str, &'a ast::Measure>,
    pub values: BTreeMap<&'a str, &'a ast::Value>,
    pub estimands: BTreeMap<&'a str, &'a ast::Estimand>,
    pub paired: BTreeSet<&'a str>,
    pub picks: BTreeMap<&'a str, &'a ast::Pick>,
    pub intervals: BTreeMap<&'a str, &'a ast::Method>,
    pub tests: BTreeMap<&'a str, &'a ast::Method>,
    pub margins: BTreeMap<&'a str, &'a ast::Margin>,
    pub families: BTreeMap<&'a str, &'a ast::Family>,
    pub gates: BTreeMap<&'a str, &'a ast::Gate>,
    pub hypotheses: BTreeMap<&'a str, &'a ast::Hypothesis>,
    pub conclusions: BTreeMap<&'a str, &'a ast::Conclusion>,
    pub publishes: BTreeMap<&'a str, &'a ast::Publish>,
    pub comparisons: BTreeMap<&'a str, &'a ast::Compare>,
    pub rankings: BTreeMap<&'a str, &'a ast::Ranking>,
    pub looks: Option<&'a ast::Looks>,
    pub scenarios: BTreeMap<&'a str, &'a ast::Scenario>,
    pub results: BTreeMap<&'a str, &'a ast::Results>,
    pub waivers: Vec<&'a ast::Waive>,
    /// Every name of the study with what it is and where it stands, for messages and suggestions.
    pub all: BTreeMap<&'a str, Vec<(Kind, Span)>>,
}

/// Names that share one space: two of them may not be alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Space {
    /// What expressions name.
    Expressions,
    /// Intervals and tests.
    Methods,
    /// Hypotheses and gates.
    Verdicts,
    /// Each other kind alone.
    Own(Kind),
}

fn space(kind: Kind) -> Space {
    match kind {
        Kind::Factor | Kind::Field | Kind::Measure | Kind::Value | Kind::Estimand | Kind::Pick | Kind::Margin => {
            Space::Expressions
        }
        Kind::Interval | Kind::Test => Space::Methods,
        Kind::Gate | Kind::Hypothesis => Space::Verdicts,
        other @ (Kind::Study
        | Kind::Model
        | Kind::Scaffold
        | Kind::Tool
        | Kind::Tasks
        | Kind::Design
        | Kind::Set
        | Kind::Family
        | Kind::Conclusion
        | Kind::Publish
        | Kind::Compare
        | Kind::Ranking
        | Kind::Looks
        | Kind::Scenario
        | Kind::Results
        | Kind::Waive) => Space::Own(other),
    }
}

/// Words that have a meaning of their own inside expressions.
const BUILT_IN: [&str; 14] = [
    "estimate",
    "lower",
    "upper",
    "p",
    "p_adjusted",
    "n",
    "clusters",
    "true",
    "false",
    "completed",
    "errored",
    "missing",
    "otherwise",
    "flagged",
];

/// What a kind is called in messages.
pub(super) fn noun(kind: Kind) -> &'static str {
    match kind {
        Kind::Study => "a study",
        Kind::Factor => "a factor",
        Kind::Model => "a model",
        Kind::Scaffold => "a scaffold",
        Kind::Tool => "a tool",
        Kind::Tasks => "a unit of analysis",
        Kind::Design => "a design",
        Kind::Field => "an outcome, a flag or a task attribute",
        Kind::Set => "an analysis set",
        Kind::Measure => "a measure",
        Kind::Value => "a value",
        Kind::Estimand => "an estimand",
        Kind::Pick => "a pick",
        Kind::Interval => "an interval",
        Kind::Test => "a test",
        Kind::Margin => "a margin",
        Kind::Family => "a family",
        Kind::Gate => "a gate",
        Kind::Hypothesis => "a hypothesis",
        Kind::Conclusion => "a conclusion",
        Kind::Publish => "a set of published figures",
        Kind::Compare => "a comparison",
        Kind::Ranking => "a ranking",
        Kind::Looks => "the planned looks",
        Kind::Scenario => "a scenario",
        Kind::Results => "a results block",
        Kind::Waive => "a waiver",
    }
}

/// Collects all names; reports what can be said of names alone.
pub(super) fn collect<'a>(file: &'a ast::File, diagnostics: &mut Vec<Diagnostic>) -> Names<'a> {
    let mut collector = Collector { names: Names::default(), diagnostics, spaces: BTreeMap::new() };
    for item in &file.items {
        collector.declaration(&item.node, item.span);
    }
    if let Some(tasks) = collector.names.tasks {
        for field in &tasks.fields {
            collector.enter(Kind::Field, &field.field.name);
        }
        for (name, _) in &tasks.defines {
            collector.enter(Kind::Field, name);
        }
    }
    collector.alike();
    collector.names
}

struct Collector<'a, 'd> {
    names: Names<'a>,
    diagnostics: &'d mut Vec<Diagnostic>,
    spaces: BTreeMap<(Space, &'a str), (Kind, Span)>,
}

impl<'a> Collector<'a, '_> {
    /// Whether the name is new in its space.
    fn enter(&mut self, kind: Kind, name: &'a Name) -> bool {
        let text = name.node.as_str();
        self.form(kind, name);
        self.names.all.entry(text).or_default().push((kind, name.span));
        let key = (space(kind), text);
        if let Some((other, first)) = self.spaces.get(&key) {
            let mut found = Diagnostic::error(Code::Duplicate, name.span, format!("`{text}` is declared twice"))
                .label("again here");
            if *other != kind {
                found = found.note(format!("the first is {}, the second {}", noun(*other), noun(kind)));
            }
            self.diagnostics.push(found.also(*first, "first declared here").help("give one of them another name"));
            return false;
        }
        self.spaces.insert(key, (kind, name.span));
        true
    }

    fn form(&mut self, kind: Kind, name: &Name) {
        let text = name.node.as_str();
        let upper_allowed = matches!(kind, Kind::Hypothesis | Kind::Gate | Kind::Waive);
        let first_fits = text.starts_with(|c: char| c.is_ascii_lowercase() || upper_allowed && c.is_ascii_uppercase());
        let rest_fits = text.chars().all(|c| {
            c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || upper_allowed && c.is_ascii_uppercase()
        });
        if !first_fits || !rest_fits {
            let lower = snake_case(text);
            let found = Diagnostic::error(Code::BadName, name.span, format!("`{text}` has not the form of a name"))
                .help("a name starts with a lower-case letter and goes on with lower-case letters, digits and `_`; only hypotheses, questions, clauses and levels may use upper case");
            let fixable = lower != text && lower.starts_with(|c: char| c.is_ascii_lowercase());
            self.diagnostics.push(if fixable { found.fix("write it in lower case", name.span, lower) } else { found });
        }
        let in_expressions = space(kind) == Space::Expressions;
        if in_expressions && BUILT_IN.contains(&text) {
            self.diagnostics.push(
                Diagnostic::error(Code::Shadowed, name.span, format!("`{text}` would hide a word of the language"))
                    .note("inside expressions and rules this word always has its built-in meaning")
                    .help("give it a longer name that says what it is"),
            );
        }
        if let Some(mark) = texts::placeholder_name(text) {
            self.diagnostics.push(texts::placeholder(name.span, mark));
        }
    }

    /// Names of one space that differ only in ways the eye misses.
    fn alike(&mut self) {
        let mut seen: BTreeMap<(Space, String), (&str, Span)> = BTreeMap::new();
        let mut found = Vec::new();
        for ((space, text), (_, span)) in &self.spaces {
            match seen.get(&(*space, skeleton(text))) {
                Some((other, first)) => {
                    let (early, late) = if first < span { (first, span) } else { (span, first) };
                    found.push(confusable(*late, text, *early, other));
                }
                None => {
                    seen.insert((*space, skeleton(text)), (text, *span));
                }
            }
        }
        self.diagnostics.append(&mut found);
    }

    fn declaration(&mut self, declaration: &'a Declaration, span: Span) {
        macro_rules! keep {
            ($kind:ident, $map:ident, $item:expr) => {
                if self.enter(Kind::$kind, &$item.name) {
                    self.names.$map.insert($item.name.node.as_str(), $item);
                }
            };
        }
        match declaration {
            Declaration::Study(item) => {
                self.enter(Kind::Study, &item.name);
                let first = self.names.study.map(|first| first.name.span);
                self.once("study", span, first);
                self.names.study.get_or_insert(item);
            }
            Declaration::Tasks(item) => {
                self.enter(Kind::Tasks, &item.name);
                let first = self.names.tasks.map(|first| first.name.span);
                self.once("tasks", span, first);
                self.names.tasks.get_or_insert(item);
            }
            Declaration::Design(item) => {
                let first = self.names.design.map(|first| first.span);
                self.once("design", span, first);
                self.names.design.get_or_insert(item);
            }
            Declaration::Factor(item) => keep!(Factor, factors, item),
            Declaration::Model(item) => keep!(Model, models, item),
            Declaration::Scaffold(item) => keep!(Scaffold, scaffolds, item),
            Declaration::Tool(item) => keep!(Tool, tools, item),
            Declaration::Outcome(item) => {
                if self.enter(Kind::Field, &item.field.name) {
                    self.names.outcomes.insert(item.field.name.node.as_str(), item);
                }
            }
            Declaration::Flag(item) => keep!(Field, flags, item),
            Declaration::AnalysisSet(item) => keep!(Set, sets, item),
            Declaration::Measure(item) => {
                keep!(Measure, measures, item);
                if !item.parameters.is_empty() && FUNCTIONS.contains(&item.name.node.as_str()) {
                    self.diagnostics.push(
                        Diagnostic::error(
                            Code::Shadowed,
                            item.name.span,
                            format!("the measure `{}` would hide the function of this name", item.name.node),
                        )
                        .help("a measure with parameters is called like a function; give it another name"),
                    );
                }
            }
            Declaration::Value(item) => keep!(Value, values, item),
            Declaration::Estimand(item) => keep!(Estimand, estimands, item),
            Declaration::Paired(item) => {
                if self.enter(Kind::Estimand, &item.name) {
                    self.names.estimands.insert(item.name.node.as_str(), item);
                    self.names.paired.insert(item.name.node.as_str());
                }
            }
            Declaration::Pick(item) => keep!(Pick, picks, item),
            Declaration::Interval(item) => keep!(Interval, intervals, item),
            Declaration::Test(item) => keep!(Test, tests, item),
            Declaration::Margin(item) => keep!(Margin, margins, item),
            Declaration::Family(item) => keep!(Family, families, item),
            Declaration::Gate(item) => keep!(Gate, gates, item),
            Declaration::Hypothesis(item) => keep!(Hypothesis, hypotheses, item),
            Declaration::Conclusion(item) => keep!(Conclusion, conclusions, item),
            Declaration::Publish(item) => keep!(Publish, publishes, item),
            Declaration::Compare(item) => keep!(Compare, comparisons, item),
            Declaration::Ranking(item) => keep!(Ranking, rankings, item),
            Declaration::Looks(item) => {
                self.once("looks", item.span, self.names.looks.map(|looks| looks.span));
                self.names.looks = Some(item);
            }
            Declaration::Scenario(item) => keep!(Scenario, scenarios, item),
            Declaration::Results(item) => keep!(Results, results, item),
            Declaration::Waive(item) => self.names.waivers.push(item),
            Declaration::Planned(_) => {} // refused where it was read
        }
    }

    fn once(&mut self, keyword: &str, span: Span, first: Option<Span>) {
        if let Some(first) = first {
            self.diagnostics.push(
                Diagnostic::error(Code::Duplicate, span, format!("a second `{keyword}` block"))
                    .also(first, "the first is here")
                    .help(format!("a spec has one `{keyword}` block; join the two")),
            );
        }
    }
}

/// `meanCost` as `mean_cost`.
fn snake_case(name: &str) -> String {
    let mut out = String::new();
    let mut after_small = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && after_small {
            out.push('_');
        }
        after_small = c.is_ascii_lowercase() || c.is_ascii_digit();
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// Names of functions; a measure with parameters may not take one.
pub(super) const FUNCTIONS: [&str; 48] = [
    "mean",
    "rate",
    "sum",
    "count",
    "median",
    "quantile",
    "sd",
    "min",
    "max",
    "phi",
    "abs",
    "spread",
    "product",
    "ratio",
    "log_ratio",
    "log",
    "step",
    "survival_at",
    "restricted_mean",
    "spearman_within",
    "kendall_within",
    "groups_without",
    "theil_sen",
    "first_crossing",
    "window_mean",
    "largest_rise",
    "largest_fall",
    "slope",
    "auroc",
    "kappa",
    "spearman",
    "present",
    "flagged",
    "every",
    "pearson",
    "kendall",
    "mean_defined",
    "average_precision",
    "precision",
    "recall",
    "f1",
    "brier",
    "log_loss",
    "calibration_error",
    "pass_at",
    "pass_all",
    "median_survival",
    "log",
];

/// Functions of whole records, which no sums give.
pub(super) const STATISTICS: [&str; 25] = [
    "auroc",
    "average_precision",
    "precision",
    "recall",
    "f1",
    "kappa",
    "pearson",
    "spearman",
    "kendall",
    "brier",
    "log_loss",
    "calibration_error",
    "pass_at",
    "pass_all",
    "median_survival",
    "survival_at",
    "restricted_mean",
    "spearman_within",
    "kendall_within",
    "groups_without",
    "theil_sen",
    "first_crossing",
    "window_mean",
    "largest_rise",
    "largest_fall",
];

/// What remains of a name when look-alike characters are made equal.
pub(super) fn skeleton(name: &str) -> String {
    name.chars()
        .filter(|c| *c != '_')
        .map(|c| match c.to_ascii_lowercase() {
            'l' | 'i' => '1',
            'o' => '0',
            other => other,
        })
        .collect()
}

/// Two names that look alike.
pub(super) fn confusable(span: Span, name: &str, first: Span, other: &str) -> Diagnostic {
    Diagnostic::error(Code::Confusable, span, format!("`{name}` and `{other}` are easily taken for each other"))
        .also(first, "the other is here")
        .note("they differ only in case, in `_`, or in characters that look alike, such as `l` and `1` or `o` and `0`")
        .help("give one of them another name")
}

impl Checker<'_> {
    /// The nearest of some names, when one is near.
    pub(super) fn nearest<'n>(&mut self, name: &str, candidates: impl IntoIterator<Item = &'n str>) -> Option<String> {
        // Suggestions cost time in proportion to the study; after many errors nobody reads them.
        if self.suggestions >= 100 {
            return None;
        }
        self.suggestions += 1;
        let limit = (name.chars().count() / 3).max(1);
        candidates
            .into_iter()
            .filter(|candidate| *candidate != name)
            .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
            .filter(|(distance, _)| *distance <= limit)
            .min()
            .map(|(_, candidate)| candidate.to_owned())
    }

    /// Reports a name that nothing declares, or that is declared as something else.
    pub(super) fn undefined(&mut self, name: &Name, wanted: &str, kinds: &[Kind]) {
        self.undefined_at(&name.node, name.span, wanted, kinds);
    }

    /// The same for a name inside an expression.
    pub(super) fn undefined_at(&mut self, name: &str, span: Span, wanted: &str, kinds: &[Kind]) {
        let others: Vec<(Kind, Span)> = self.names.all.get(name).cloned().unwrap_or_default();
        if let Some((kind, place)) = others.into_iter().find(|(kind, _)| !kinds.contains(kind)) {
            self.report(
                Diagnostic::error(Code::WrongKind, span, format!("`{name}` is {}, not {wanted}", noun(kind)))
                    .also(place, "declared here"),
            );
            return;
        }
        let known: Vec<String> = self
            .names
            .all
            .iter()
            .filter(|(_, found)| found.iter().any(|(kind, _)| kinds.contains(kind)))
            .map(|(known, _)| (*known).to_owned())
            .collect();
        let nearest = self.nearest(name, known.iter().map(String::as_str));
        let mut found = Diagnostic::error(Code::Undefined, span, format!("no {} is called `{name}`", bare(wanted)));
        if let Some(near) = nearest {
            found = found.help(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), span, near);
        } else if !known.is_empty() && known.len() <= 12 {
            found = found.help(format!("there are {}", list(&known)));
        }
        self.report(found);
    }

    /// Records that a declaration is used.
    pub(super) fn mark(&mut self, kind: Kind, name: &str) {
        if !self.used.contains(&(kind, name.to_owned())) {
            self.used.insert((kind, name.to_owned()));
        }
    }

    /// Warns of declarations that nothing uses.
    pub(super) fn unused(&mut self) {
        // What a prompt prints is known only with its file.
        let prompted = self.spec.scaffolds.values().flat_map(|it| it.roles.values()).any(|role| role.prompt.is_some());
        if prompted {
            self.used.extend(self.attributes.keys().map(|name| (Kind::Field, name.clone())));
        }
        let mut found = Vec::new();
        let kinds = [
            Kind::Factor,
            Kind::Field,
            Kind::Set,
            Kind::Measure,
            Kind::Value,
            Kind::Pick,
            Kind::Interval,
            Kind::Test,
            Kind::Margin,
            Kind::Gate,
            Kind::Tool,
        ];
        for (name, places) in &self.names.all {
            for (kind, span) in places {
                if kinds.contains(kind) && !self.used.contains(&(*kind, (*name).to_owned())) {
                    found.push(
                        Diagnostic::warning(Code::Unused, *span, format!("`{name}` is declared and nothing uses it"))
                            .label(format!("{} without a use", noun(*kind)))
                            .help("use it or take it out, so that a reader does not look for its role"),
                    );
                }
            }
        }
        for diagnostic in found {
            self.report(diagnostic);
        }
    }

    /// Records the place of a declaration.
    pub(super) fn place(&mut self, kind: Kind, name: &str, part: Part, span: Span) {
        self.places.put(kind, name, part, span);
    }
}

fn bare(wanted: &str) -> &str {
    wanted.strip_prefix("an ").or_else(|| wanted.strip_prefix("a ")).unwrap_or(wanted)
}

/// "`a`, `b` and `c`"
pub(super) fn list<T: AsRef<str>>(names: &[T]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    match quoted.split_last() {
        None => "none".into(),
        Some((only, [])) => only.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}
