//! From the syntax tree to the checked study: names, units, types, bounds, defaults, rules. Owns everything that can be said
//! of a spec without its data; it reads no files (`inputs` is given the bytes), and asks `stats` only what a test can reach.

mod arms;
mod comparisons;
mod condition;
mod design;
mod estimands;
mod expr;
mod families;
mod fitted;
mod family_structure;
mod fields;
mod gates;
mod hypotheses;
mod inputs;
mod levels;
mod literals;
mod looks;
mod methods;
mod names;
mod never_run;
mod order;
pub mod places;
pub mod prover;
mod rankings;
mod record_expr;
mod results;
mod scenarios;
pub mod rules;
mod scaffolds;
mod sets;
mod spell;
mod statistics;
mod study;
mod tasks;
mod texts;
mod transforms;
mod unequal;
mod units;
mod verdicts;
mod waivers;

use std::collections::{BTreeMap, BTreeSet};

pub use inputs::inputs;
pub use places::{Kind, Part, Places};

use crate::diagnostic::{self, Code, Diagnostic, Severity};
use crate::source::Sources;
use crate::spec::{Name, Spec, ValueType, Waiver};
use crate::syntax::{self, ast};

/// Everything that is known of a spec after reading it.
#[derive(Debug, Clone)]
pub struct Analysis {
    /// The files read: the spec first, then its includes.
    pub sources: Sources,
    /// What was written.
    pub file: ast::File,
    /// The study; only when there is no error.
    pub spec: Option<Spec>,
    /// Where its parts stand.
    pub places: Places,
    /// Everything to report, in the order of the source.
    pub diagnostics: Vec<Diagnostic>,
}

impl Analysis {
    /// Whether anything stands in the way of a freeze.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        has_error(&self.diagnostics)
    }
}

/// Reads and checks a spec. `load` gives the text of an included file by its path as written.
///
/// Pure: the same texts give the same analysis. Whatever could be built is returned, with every diagnostic.
pub fn analyse(name: &str, text: &str, load: &mut dyn FnMut(&str) -> Result<String, String>) -> Analysis {
    let mut sources = Sources::default();
    let (file, mut diagnostics) = syntax::parse(&mut sources, name, text, load);
    let unread = |found: &Diagnostic| matches!(found.code, Code::Unreadable | Code::TooLarge);
    if file.items.is_empty() && diagnostics.iter().any(unread) {
        // Nothing was read, so that everything would be missing.
        return Analysis { sources, file, spec: None, places: Places::default(), diagnostics };
    }
    let Checked { spec, places, diagnostics: mut found, .. } = check(&file);
    // What is missing may stand in a line that could not be read: that line is the mistake, and it is reported.
    found.retain(|finding| {
        !matches!(finding.code, Code::Undefined | Code::UnknownLevel)
            || !file.unread.contains(sources.text(finding.primary.span))
    });
    let structure_failed = has_error(&diagnostics) || has_error(&found);
    // What was refused may be the very use that is missed.
    found.retain(|finding| !structure_failed || finding.code != Code::Unused);
    let mut of_rules = Vec::new();
    rules::check(&spec, &places, &mut of_rules);
    // What was refused is not in the study, so that a warning about what is missing could be about that.
    of_rules.retain(|finding| !structure_failed || finding.severity == Severity::Error);
    found.append(&mut of_rules);
    let idle: Vec<Waiver> = rules::waive(&spec.waivers, &mut found).into_iter().cloned().collect();
    if !structure_failed {
        waivers::idle(&idle, &places, &mut found);
    }
    diagnostics.append(&mut found);
    diagnostic::sort(&mut diagnostics);
    let failed = has_error(&diagnostics);
    Analysis { sources, file, spec: (!failed).then_some(spec), places, diagnostics }
}

fn has_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// What the rules of a study that was frozen would be refused for; what is waived in it is not here.
#[must_use]
pub fn recheck(spec: &Spec) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    rules::check(spec, &Places::default(), &mut found);
    rules::waive(&spec.waivers, &mut found);
    found.retain(|diagnostic| diagnostic.severity == Severity::Error);
    found
}

/// How many expression nodes the check of a spec without includes visits: its cost, free of any clock.
#[must_use]
pub fn work(text: &str) -> usize {
    let mut sources = Sources::default();
    let (file, _) = syntax::parse(&mut sources, "spec", text, &mut |_| Err("no includes here".into()));
    check(&file).work
}

/// The study as far as it could be built, places, what is wrong, and how many nodes were visited.
struct Checked {
    spec: Spec,
    places: Places,
    diagnostics: Vec<Diagnostic>,
    work: usize,
}

/// Checks a syntax tree.
fn check(file: &ast::File) -> Checked {
    let mut diagnostics = Vec::new();
    let names = names::collect(file, &mut diagnostics);
    let mut checker = Checker {
        names,
        unread: &file.unread,
        spec: Spec { language: file.language.as_ref().map_or(1, |version| version.node), ..Spec::default() },
        places: Places::default(),
        diagnostics,
        used: BTreeSet::new(),
        attributes: BTreeMap::new(),
        level_owners: BTreeMap::new(),
        value_units: BTreeMap::new(),
        bare_values: BTreeSet::new(),
        bare_margins: BTreeSet::new(),
        margin_units: BTreeMap::new(),
        parameters: BTreeMap::new(),
        tests_used: BTreeMap::new(),
        next_allowed: BTreeSet::new(),
        next_used: BTreeSet::new(),
        labels: BTreeMap::new(),
        families_failed: false,
        about_failed: false,
        scope_reported: None,
        suggestions: 0,
        work: 0,
    };
    checker.run();
    let Checker { spec, places, diagnostics, work, .. } = checker;
    Checked { spec, places, diagnostics, work }
}

/// The state of one check.
struct Checker<'a> {
    names: names::Names<'a>,
    /// The words of lines that could not be read.
    unread: &'a BTreeSet<String>,
    spec: Spec,
    places: Places,
    diagnostics: Vec<Diagnostic>,
    /// Declarations that something uses.
    used: BTreeSet<(Kind, Name)>,
    /// Task attributes with their types, defined ones included; `None` when the type could not be found.
    attributes: BTreeMap<Name, Option<ValueType>>,
    /// Level name to the factors and attributes that have it.
    level_owners: BTreeMap<Name, BTreeSet<Name>>,
    /// Units that bare values took on where they are used.
    value_units: BTreeMap<Name, crate::spec::Dimension>,
    /// Values and margins written without a unit.
    bare_values: BTreeSet<Name>,
    bare_margins: BTreeSet<Name>,
    /// Units that bare margins took on where they are used.
    margin_units: BTreeMap<Name, crate::spec::Dimension>,
    /// The factor of each parameter of each measure.
    parameters: BTreeMap<Name, BTreeMap<Name, Name>>,
    /// Tests that some `about` line uses with an estimand.
    tests_used: BTreeMap<Name, BTreeSet<Name>>,
    /// Factors whose `next` rung the estimand at hand may name, and those whose it names.
    next_allowed: BTreeSet<Name>,
    next_used: BTreeSet<Name>,
    /// Labels that each hypothesis can give.
    labels: BTreeMap<Name, BTreeSet<Name>>,
    /// Whether some family was refused, so that nothing is said of what it would have held.
    families_failed: bool,
    /// Whether some `about` of the rule at hand was refused.
    about_failed: bool,
    /// The scope that was reported as empty last.
    scope_reported: Option<crate::source::Span>,
    /// Suggestions searched for so far.
    suggestions: usize,
    /// Expression nodes visited: what a check costs.
    work: usize,
}

impl Checker<'_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Phases in the order in which each needs the one before; within a phase order never matters.
    fn run(&mut self) {
        self.study();
        self.factors();
        self.models();
        self.tools();
        self.scaffolds();
        self.tasks();
        self.design();
        self.fields();
        self.values();
        self.margins();
        self.quantities();
        self.methods();
        self.sets();
        self.gather_tests();
        self.families();
        self.verdicts();
        self.comparisons();
        self.rankings();
        self.publishes();
        self.looks();
        self.scenarios();
        self.results();
        self.never_run();
        self.unequal_repeats();
        self.unfilled();
        self.settle_values();
        self.waivers();
        self.unused();
    }
}
