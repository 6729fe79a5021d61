//! Which words may start a line in which block, the grammar rule each promises, and what may follow. The one table that
//! layout, lowering and did-you-mean share.

use super::grammar::Rule;

/// The kind of block a line stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// The file itself.
    Top,
    Study,
    Model,
    Prices,
    Settings,
    Scaffold,
    Role,
    Reply,
    Flow,
    Tool,
    Tasks,
    Design,
    AnalysisSet,
    Table,
    Family,
    Gate,
    Hypothesis,
    Clause,
    Decide,
    Conclusion,
    Compare,
    Ranking,
    Looks,
    Scenario,
    Draw,
    Results,
    Spellings,
    /// The block of a line that was not understood: laid out, never read.
    Skipped,
}

/// Whether a line opens a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opens {
    /// It does not.
    Nothing,
    /// It may.
    Perhaps(Context),
    /// It must.
    Always(Context),
}

/// What a first word promises.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    /// The first word.
    pub word: &'static str,
    /// The rule of the head.
    pub rule: Rule,
    /// Its block.
    pub opens: Opens,
    /// The rule of what follows the block, if anything may.
    pub tail: Option<Rule>,
    /// Whether the clause may stand more than once in its block.
    pub repeats: bool,
}

const fn once(word: &'static str, rule: Rule) -> Form {
    Form { word, rule, opens: Opens::Nothing, tail: None, repeats: false }
}

const fn many(word: &'static str, rule: Rule) -> Form {
    Form { word, rule, opens: Opens::Nothing, tail: None, repeats: true }
}

impl Form {
    const fn block(mut self, context: Context) -> Self {
        self.opens = Opens::Always(context);
        self
    }

    const fn perhaps(mut self, context: Context) -> Self {
        self.opens = Opens::Perhaps(context);
        self
    }

    const fn then(mut self, rule: Rule) -> Self {
        self.tail = Some(rule);
        self
    }
}

/// Words that will start a declaration one day.
pub(super) const PLANNED: &[&str] = &["audit", "profile", "track", "design_space"];

const TOP: &[Form] = &[
    many("language", Rule::d_language),
    many("include", Rule::d_include),
    many("study", Rule::d_study).block(Context::Study),
    many("factor", Rule::d_factor),
    many("model", Rule::d_model).perhaps(Context::Model),
    many("scaffold", Rule::d_scaffold).perhaps(Context::Scaffold),
    many("tool", Rule::d_tool).perhaps(Context::Tool),
    many("tasks", Rule::d_tasks).block(Context::Tasks),
    many("design", Rule::d_design).block(Context::Design),
    many("outcome", Rule::d_outcome),
    many("flag", Rule::d_flag),
    many("analysis_set", Rule::d_analysis_set).block(Context::AnalysisSet),
    many("measure", Rule::d_measure),
    many("value", Rule::d_value).perhaps(Context::Table).then(Rule::t_source),
    many("estimand", Rule::d_estimand),
    many("paired", Rule::d_paired),
    many("pick", Rule::d_pick),
    many("interval", Rule::d_interval),
    many("test", Rule::d_test),
    many("margin", Rule::d_margin),
    many("family", Rule::d_family).block(Context::Family),
    many("gate", Rule::d_gate).block(Context::Gate),
    many("control", Rule::d_control).block(Context::Gate),
    many("hypothesis", Rule::d_hypothesis).block(Context::Hypothesis),
    many("conclusion", Rule::d_conclusion).block(Context::Conclusion),
    many("publish", Rule::d_publish),
    many("compare", Rule::d_compare).block(Context::Compare),
    many("ranking", Rule::d_ranking).block(Context::Ranking),
    many("looks", Rule::d_looks).block(Context::Looks),
    many("scenario", Rule::d_scenario).block(Context::Scenario),
    many("results", Rule::d_results).block(Context::Results),
    many("waive", Rule::d_waive),
];

const STUDY: &[Form] = &[
    once("title", Rule::c_title),
    many("author", Rule::c_author),
    many("question", Rule::c_question),
    many("limitation", Rule::c_limitation),
    many("epoch", Rule::c_epoch),
];

const MODEL: &[Form] = &[
    once("provider", Rule::c_provider),
    once("id", Rule::c_id),
    many("prices", Rule::c_prices).block(Context::Prices),
    once("settings", Rule::c_settings).block(Context::Settings),
];

const SCAFFOLD: &[Form] = &[
    once("harness", Rule::c_harness),
    once("tools", Rule::c_tools),
    many("role", Rule::c_role).block(Context::Role),
    once("flow", Rule::c_flow).block(Context::Flow),
    many("limit", Rule::c_limit),
    many("check", Rule::c_check),
];

const ROLE: &[Form] = &[
    once("prompt", Rule::c_prompt),
    once("tools", Rule::c_tools),
    once("reply", Rule::c_reply).block(Context::Reply),
    once("context", Rule::c_context),
];

const FLOW: &[Form] = &[
    many("loop", Rule::c_loop).block(Context::Flow),
    many("fan", Rule::c_fan_out).block(Context::Flow).then(Rule::t_merge),
    many("candidates", Rule::c_candidates).block(Context::Flow).then(Rule::t_select),
    many("hand", Rule::c_hand_over),
];

const TOOL: &[Form] = &[once("schema", Rule::c_schema), once("description", Rule::c_description)];

const TASKS: &[Form] = &[
    once("file", Rule::c_file),
    once("key", Rule::c_key),
    once("count", Rule::c_count),
    once("list", Rule::c_list),
    many("field", Rule::c_field),
    many("define", Rule::c_define),
    many("expect", Rule::c_expect),
    once("select", Rule::c_select),
    once("provenance", Rule::c_provenance),
];

const DESIGN: &[Form] = &[
    once("cross", Rule::c_cross),
    many("nest", Rule::c_nest),
    once("repeat", Rule::c_repeat),
    many("hold", Rule::c_hold),
    many("exclude", Rule::c_exclude),
    once("order", Rule::c_order),
    once("minimum", Rule::c_minimum),
    many("cap", Rule::c_cap),
    many("collapse", Rule::c_collapse),
];

const ANALYSIS_SET: &[Form] = &[
    many("drop", Rule::c_drop),
    many("keep", Rule::c_keep),
    many("count", Rule::c_count_as),
    once("pool", Rule::c_pool),
];

const FAMILY: &[Form] = &[
    many("members", Rule::c_members),
    once("within", Rule::c_within),
    once("adjust", Rule::c_adjust),
    once("count", Rule::c_count),
    once("alpha", Rule::c_alpha),
    once("sequence", Rule::c_sequence),
    many("weight", Rule::c_weight),
    many("pass", Rule::c_pass),
    once("together", Rule::c_together),
];

const GATE: &[Form] = &[
    many("about", Rule::c_about),
    once("scope", Rule::c_scope),
    once("per", Rule::c_per),
    once("set", Rule::c_set),
    once("require", Rule::c_require),
    once("fail", Rule::c_fail),
];

const HYPOTHESIS: &[Form] = &[
    once("descriptive", Rule::c_descriptive),
    once("answers", Rule::c_answers),
    many("about", Rule::c_about),
    once("scope", Rule::c_scope),
    once("per", Rule::c_per),
    once("sets", Rule::c_sets),
    once("requires", Rule::c_requires),
    many("after", Rule::c_after),
    once("evaluable", Rule::c_evaluable),
    many("clause", Rule::c_clause).block(Context::Clause),
    once("decide", Rule::c_decide).block(Context::Decide),
    many("note", Rule::c_note),
    many("expects", Rule::c_expects),
];

const CLAUSE: &[Form] = &[
    many("about", Rule::c_about),
    once("scope", Rule::c_scope),
    once("evaluable", Rule::c_evaluable),
    once("decide", Rule::c_decide).block(Context::Decide),
];

const CONCLUSION: &[Form] = &[many("say", Rule::c_say), many("silent", Rule::c_silent)];

const COMPARE: &[Form] = &[
    many("on", Rule::c_on),
    once("within", Rule::c_within),
    once("adjust", Rule::c_adjust),
    once("level", Rule::c_at_level),
    once("minimum", Rule::c_minimum),
    once("precedence", Rule::c_precedence),
    once("set", Rule::c_set),
    once("count", Rule::c_count),
];

const RANKING: &[Form] = &[
    once("by", Rule::c_by),
    once("order", Rule::c_rank_order),
    once("rank", Rule::c_rank),
    many("front", Rule::c_front),
    once("draws", Rule::c_draws),
    once("set", Rule::c_set),
];

const LOOKS: &[Form] = &[once("at", Rule::c_look_at), once("maximum", Rule::c_maximum), once("spend", Rule::c_spend)];

const SCENARIO: &[Form] = &[
    once("seed", Rule::c_seed),
    many("draw", Rule::c_draw).block(Context::Draw),
    many("lose", Rule::c_lose),
    many("expect", Rule::c_promise),
];

const DRAW: &[Form] = &[
    once("mean", Rule::c_mean),
    many("shift", Rule::c_shift),
    many("times", Rule::c_times),
    many("vary", Rule::c_vary),
];

const RESULTS: &[Form] = &[
    once("file", Rule::c_result_file),
    once("format", Rule::c_format),
    many("unit", Rule::c_unit),
    many("level", Rule::c_level).perhaps(Context::Spellings),
    once("repeat", Rule::c_repeat_at),
    many("records", Rule::c_records),
    many("record", Rule::c_records),
    many("columns", Rule::c_columns),
    once("state", Rule::c_state).perhaps(Context::Spellings),
    many("successes", Rule::c_successes),
    many("absent", Rule::c_absent),
    many("estimate", Rule::c_estimate),
    many("interval", Rule::c_interval),
];

/// The words that start a clause in this block.
pub(super) const fn forms(context: Context) -> &'static [Form] {
    match context {
        Context::Top => TOP,
        Context::Study => STUDY,
        Context::Model => MODEL,
        Context::Scaffold => SCAFFOLD,
        Context::Role => ROLE,
        Context::Flow => FLOW,
        Context::Tool => TOOL,
        Context::Tasks => TASKS,
        Context::Design => DESIGN,
        Context::AnalysisSet => ANALYSIS_SET,
        Context::Family => FAMILY,
        Context::Gate => GATE,
        Context::Hypothesis => HYPOTHESIS,
        Context::Clause => CLAUSE,
        Context::Conclusion => CONCLUSION,
        Context::Compare => COMPARE,
        Context::Ranking => RANKING,
        Context::Looks => LOOKS,
        Context::Scenario => SCENARIO,
        Context::Draw => DRAW,
        Context::Results => RESULTS,
        Context::Prices
        | Context::Settings
        | Context::Reply
        | Context::Table
        | Context::Decide
        | Context::Spellings
        | Context::Skipped => &[],
    }
}

/// The form of a line that starts with none of those words, where the writer chooses the first word.
pub(super) const fn open_form(context: Context) -> Option<Form> {
    Some(match context {
        Context::Prices => many("", Rule::c_price),
        Context::Model | Context::Settings => many("", Rule::c_setting),
        Context::Reply => many("", Rule::c_reply_field),
        Context::Flow => many("", Rule::c_run),
        Context::Table => many("", Rule::c_table_row),
        Context::Decide => many("", Rule::c_case),
        Context::Results => many("", Rule::c_mapped).perhaps(Context::Spellings),
        Context::Spellings => many("", Rule::c_spelling),
        Context::Top
        | Context::Study
        | Context::Scaffold
        | Context::Role
        | Context::Tool
        | Context::Tasks
        | Context::Design
        | Context::AnalysisSet
        | Context::Family
        | Context::Gate
        | Context::Hypothesis
        | Context::Clause
        | Context::Conclusion
        | Context::Compare
        | Context::Ranking
        | Context::Looks
        | Context::Scenario
        | Context::Draw
        | Context::Skipped => return None,
    })
}

/// What the block is called, as in "in a study".
pub(super) const fn title(context: Context) -> &'static str {
    match context {
        Context::Top | Context::Skipped => "at the top of a file",
        Context::Study => "in `study`",
        Context::Model => "in `model`",
        Context::Prices => "in `prices`",
        Context::Settings => "in `settings`",
        Context::Scaffold => "in `scaffold`",
        Context::Role => "in `role`",
        Context::Reply => "in `reply`",
        Context::Flow => "in `flow`",
        Context::Tool => "in `tool`",
        Context::Tasks => "in `tasks`",
        Context::Design => "in `design`",
        Context::AnalysisSet => "in `analysis_set`",
        Context::Table => "in a table of values",
        Context::Family => "in `family`",
        Context::Gate => "in `gate`",
        Context::Hypothesis => "in `hypothesis`",
        Context::Clause => "in `clause`",
        Context::Decide => "in `decide`",
        Context::Conclusion => "in `conclusion`",
        Context::Compare => "in `compare`",
        Context::Ranking => "in `ranking`",
        Context::Looks => "in `looks`",
        Context::Scenario => "in `scenario`",
        Context::Draw => "in `draw`",
        Context::Results => "in `results`",
        Context::Spellings => "in a list of spellings",
    }
}

/// Every block, in the order in which suggestions name them.
pub(super) const CONTEXTS: &[Context] = &[
    Context::Top,
    Context::Study,
    Context::Model,
    Context::Scaffold,
    Context::Role,
    Context::Flow,
    Context::Tool,
    Context::Tasks,
    Context::Design,
    Context::AnalysisSet,
    Context::Family,
    Context::Gate,
    Context::Hypothesis,
    Context::Clause,
    Context::Conclusion,
    Context::Compare,
    Context::Ranking,
    Context::Looks,
    Context::Scenario,
    Context::Draw,
    Context::Results,
];

/// What the first two tokens of a line promise.
#[derive(Debug, Clone, Copy)]
pub(super) enum Promise {
    /// A known form.
    Known(Form),
    /// A known word, misspelt.
    Misspelt(Form),
    /// A word that is planned.
    Planned,
    /// Nothing.
    Unknown,
}

/// What a line with this first word promises; `second` is the token after it.
pub(super) fn promise(context: Context, first: &str, second: &str) -> Promise {
    let open = open_form(context);
    if let Some(form) = forms(context).iter().find(|form| form.word == first) {
        // `state = "status"` maps an outcome called `state`: a clause word is reserved by position only.
        return match open {
            Some(open) if context == Context::Results && second == "=" => Promise::Known(open),
            Some(open) if context == Context::Flow && first == "hand" && second != "over" => Promise::Known(open),
            Some(open) if context == Context::Flow && first == "fan" && second != "out" => Promise::Known(open),
            Some(_) | None => Promise::Known(*form),
        };
    }
    if context == Context::Top && PLANNED.contains(&first) {
        return Promise::Planned;
    }
    let far = if open.is_some() { 1 } else { 2 };
    if let Some(form) = nearest(first, forms(context).iter(), |form| form.word, far)
        && !(context == Context::Results && second == "=")
    {
        return Promise::Misspelt(*form);
    }
    open.map_or(Promise::Unknown, Promise::Known)
}

/// The candidate closest to `word`, when it is close enough to be what was meant.
pub(super) fn nearest<T>(
    word: &str,
    candidates: impl Iterator<Item = T>,
    name: impl Fn(&T) -> &'static str,
    far: usize,
) -> Option<T> {
    if word.len() > 40 {
        return None;
    }
    candidates
        .map(|candidate| (strsim::osa_distance(word, name(&candidate)), candidate))
        .filter(|(distance, candidate)| {
            *distance > 0
                && *distance <= far
                && name(candidate).len() >= 4
                && *distance * 3 <= name(candidate).len().max(word.len())
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}
