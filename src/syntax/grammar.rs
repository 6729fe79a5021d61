//! The pest parser and what each of its rules is called in front of people. Owns the mapping from rule to noun; no rule
//! name ever reaches a message.

/// The parser that pest derives from `grammar/prespec.pest`.
#[derive(pest_derive::Parser)]
#[grammar = "../grammar/prespec.pest"]
pub(super) struct Grammar;

/// What a rule stands for when something else stands in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Noun {
    /// A word of the language, which could be inserted as it stands.
    Word(&'static str),
    /// A punctuation mark, which could be inserted as it stands.
    Mark(&'static str),
    /// Something the writer has to supply.
    Thing(&'static str),
    /// Any operator that joins two expressions.
    Operator,
    /// The end of the clause.
    End,
    /// A spelling that is understood but never suggested.
    Unsaid,
    /// A whole clause; never what is missing inside one.
    Whole,
}

/// What `rule` is called.
#[expect(clippy::too_many_lines, reason = "one line per rule of the grammar, exhaustive on purpose")]
pub(super) const fn noun(rule: Rule) -> Noun {
    match rule {
        Rule::EOI => Noun::End,
        Rule::name | Rule::path | Rule::operand | Rule::source_name => Noun::Thing("a name"),
        Rule::level | Rule::selector => Noun::Thing("a level"),
        Rule::date => Noun::Thing("a date such as `2026-05-01`"),
        Rule::number | Rule::literal => Noun::Thing("a number"),
        Rule::unit => Noun::Thing("a unit"),
        Rule::string => Noun::Thing("a quoted text"),
        Rule::comma => Noun::Mark(","),
        Rule::colon => Noun::Mark(":"),
        Rule::bar => Noun::Mark("|"),
        Rule::arrow => Noun::Mark("->"),
        Rule::open_paren | Rule::parameters | Rule::arguments | Rule::lost_part => Noun::Mark("("),
        Rule::close_paren => Noun::Mark(")"),
        Rule::open_bracket => Noun::Mark("["),
        Rule::close_bracket => Noun::Mark("]"),
        Rule::assign | Rule::derived => Noun::Mark("="),
        Rule::expr
        | Rule::or_expr
        | Rule::and_expr
        | Rule::not_expr
        | Rule::comparison
        | Rule::sum
        | Rule::product
        | Rule::unary
        | Rule::postfix
        | Rule::paren
        | Rule::call => Noun::Thing("an expression"),
        Rule::comparison_tail
        | Rule::is_tail
        | Rule::in_tail
        | Rule::ends_tail
        | Rule::foreign_or
        | Rule::foreign_and
        | Rule::foreign_not
        | Rule::less
        | Rule::greater
        | Rule::less_equal
        | Rule::greater_equal
        | Rule::equal
        | Rule::not_equal
        | Rule::foreign_relation
        | Rule::vague
        | Rule::plus
        | Rule::minus
        | Rule::star
        | Rule::slash => Noun::Operator,
        Rule::one_of | Rule::k_one => Noun::Word("one"),
        Rule::some_tail | Rule::for_tail | Rule::every_part | Rule::k_for => Noun::Word("for"),
        Rule::range => Noun::Thing("a range `[a, b]`"),
        Rule::atom => Noun::Thing("a value"),
        Rule::over_tail | Rule::k_over => Noun::Word("over"),
        Rule::where_tail | Rule::k_where => Noun::Word("where"),
        Rule::selectors => Noun::Thing("a level in brackets"),
        Rule::for_condition | Rule::for_level | Rule::fallback_when => Noun::Thing("a condition"),
        Rule::names | Rule::record_names => Noun::Thing("a list of names"),
        Rule::attribute => Noun::Thing("a word, a number or a quoted text"),
        Rule::fill => Noun::Thing("a number with what it counts as, as in `cost as 0 usd`"),
        Rule::kind => Noun::Thing("a type"),
        Rule::level_list | Rule::levels | Rule::comma_levels => Noun::Thing("levels"),
        Rule::level_range => Noun::Thing("a range of levels"),
        Rule::typed_name => Noun::Thing("a name with its type"),
        Rule::per_part | Rule::per_names | Rule::k_per => Noun::Word("per"),
        Rule::per_factor | Rule::quantified => Noun::Thing("a factor"),
        Rule::except_part | Rule::k_except => Noun::Word("except"),
        Rule::from_part | Rule::source | Rule::k_from => Noun::Word("from"),
        Rule::d_language
        | Rule::d_include
        | Rule::d_study
        | Rule::c_title
        | Rule::c_author
        | Rule::c_question
        | Rule::c_limitation
        | Rule::c_epoch
        | Rule::d_factor
        | Rule::d_model
        | Rule::c_provider
        | Rule::c_id
        | Rule::c_prices
        | Rule::c_settings
        | Rule::c_price
        | Rule::c_setting
        | Rule::d_scaffold
        | Rule::c_harness
        | Rule::c_tools
        | Rule::c_role
        | Rule::c_flow
        | Rule::c_limit
        | Rule::c_check
        | Rule::c_prompt
        | Rule::c_reply
        | Rule::c_context
        | Rule::c_reply_field
        | Rule::c_loop
        | Rule::c_fan_out
        | Rule::t_merge
        | Rule::c_candidates
        | Rule::t_select
        | Rule::c_hand_over
        | Rule::c_run
        | Rule::d_tool
        | Rule::c_schema
        | Rule::c_description
        | Rule::d_tasks
        | Rule::c_file
        | Rule::c_key
        | Rule::c_count
        | Rule::c_list
        | Rule::c_field
        | Rule::c_define
        | Rule::c_expect
        | Rule::c_select
        | Rule::c_provenance
        | Rule::d_design
        | Rule::c_cross
        | Rule::c_nest
        | Rule::c_repeat
        | Rule::c_hold
        | Rule::c_exclude
        | Rule::c_order
        | Rule::c_minimum
        | Rule::c_cap
        | Rule::c_collapse
        | Rule::d_outcome
        | Rule::d_flag
        | Rule::d_analysis_set
        | Rule::c_drop
        | Rule::c_keep
        | Rule::c_count_as
        | Rule::c_pool
        | Rule::d_measure
        | Rule::d_value
        | Rule::d_value_table
        | Rule::t_source
        | Rule::c_table_row
        | Rule::d_estimand
        | Rule::d_paired
        | Rule::d_pick
        | Rule::d_interval
        | Rule::d_test
        | Rule::d_margin
        | Rule::d_family
        | Rule::c_members
        | Rule::c_within
        | Rule::c_adjust
        | Rule::c_alpha
        | Rule::c_sequence
        | Rule::c_weight
        | Rule::c_pass
        | Rule::d_gate
        | Rule::d_control
        | Rule::c_about
        | Rule::c_scope
        | Rule::c_per
        | Rule::c_set
        | Rule::c_require
        | Rule::c_fail
        | Rule::d_hypothesis
        | Rule::c_descriptive
        | Rule::c_answers
        | Rule::c_sets
        | Rule::c_requires
        | Rule::c_after
        | Rule::c_evaluable
        | Rule::c_clause
        | Rule::c_decide
        | Rule::c_note
        | Rule::c_expects
        | Rule::c_case
        | Rule::d_conclusion
        | Rule::c_say
        | Rule::c_silent
        | Rule::d_publish
        | Rule::d_waive
        | Rule::d_compare
        | Rule::c_on
        | Rule::c_at_level
        | Rule::c_precedence
        | Rule::d_ranking
        | Rule::c_by
        | Rule::c_rank_order
        | Rule::c_rank
        | Rule::c_front
        | Rule::c_draws
        | Rule::c_together
        | Rule::d_looks
        | Rule::c_look_at
        | Rule::c_maximum
        | Rule::c_spend
        | Rule::d_scenario
        | Rule::c_seed
        | Rule::c_draw
        | Rule::c_mean
        | Rule::c_shift
        | Rule::c_times
        | Rule::c_vary
        | Rule::c_lose
        | Rule::c_promise
        | Rule::d_results
        | Rule::c_result_file
        | Rule::c_format
        | Rule::c_unit
        | Rule::c_level
        | Rule::c_repeat_at
        | Rule::c_records
        | Rule::c_columns
        | Rule::c_state
        | Rule::c_successes
        | Rule::c_absent
        | Rule::c_estimate
        | Rule::c_interval
        | Rule::c_mapped
        | Rule::c_spelling => Noun::Whole,
        Rule::at_most | Rule::at_least | Rule::at_part | Rule::k_at => Noun::Word("at"),
        Rule::until_part | Rule::k_until => Noun::Word("until"),
        Rule::nesting => Noun::Thing("a nesting `a in b`"),
        Rule::within_part | Rule::k_within => Noun::Word("within"),
        Rule::seed_part | Rule::k_seed => Noun::Word("seed"),
        Rule::cap => Noun::Thing("a cap `5 usd per attempt`"),
        Rule::bounds | Rule::unit_part | Rule::k_in => Noun::Word("in"),
        Rule::version_part | Rule::k_version => Noun::Word("version"),
        Rule::censored | Rule::k_censored => Noun::Word("censored"),
        Rule::undefined_part | Rule::k_undefined => Noun::Word("undefined"),
        Rule::fitted | Rule::k_fitted => Noun::Word("fitted"),
        Rule::reported | Rule::k_reported => Noun::Word("reported"),
        Rule::ties_part | Rule::k_ties => Noun::Word("ties"),
        Rule::resample_part | Rule::k_resample => Noun::Word("resample"),
        Rule::method => Noun::Thing("a method"),
        Rule::argument => Noun::Thing("an argument"),
        Rule::fallback | Rule::k_or => Noun::Word("or"),
        Rule::with_one | Rule::with_many | Rule::k_with => Noun::Word("with"),
        Rule::as_part | Rule::k_as => Noun::Word("as"),
        Rule::quantifier | Rule::quantity => Noun::Thing("a quantity such as `all` or `at least 2 of 3`"),
        Rule::lost => Noun::Thing("`2 of 2 when one is lost`"),
        Rule::because | Rule::k_because => Noun::Word("because"),
        Rule::on_part | Rule::k_on => Noun::Word("on"),
        Rule::interval_part | Rule::k_interval => Noun::Word("interval"),
        Rule::level_part | Rule::k_level => Noun::Word("level"),
        Rule::p_part | Rule::k_p => Noun::Word("p"),
        Rule::n_part | Rule::k_n => Noun::Word("n"),
        Rule::k_about => Noun::Word("about"),
        Rule::k_absent => Noun::Word("absent"),
        Rule::k_adjust => Noun::Word("adjust"),
        Rule::k_after => Noun::Word("after"),
        Rule::k_again => Noun::Word("again"),
        Rule::k_all => Noun::Word("all"),
        Rule::k_alpha => Noun::Word("alpha"),
        Rule::k_analysis_set => Noun::Word("analysis_set"),
        Rule::k_and => Noun::Word("and"),
        Rule::k_answers => Noun::Word("answers"),
        Rule::k_any => Noun::Word("any"),
        Rule::k_approximately => Noun::Word("approximately"),
        Rule::k_are => Noun::Word("are"),
        Rule::k_author => Noun::Word("author"),
        Rule::k_by => Noun::Word("by"),
        Rule::k_candidates => Noun::Word("candidates"),
        Rule::k_cap => Noun::Word("cap"),
        Rule::k_check => Noun::Word("check"),
        Rule::k_clause => Noun::Word("clause"),
        Rule::k_collapse => Noun::Word("collapse"),
        Rule::k_columns => Noun::Word("columns"),
        Rule::k_comparable => Noun::Word("comparable"),
        Rule::k_conclusion => Noun::Word("conclusion"),
        Rule::k_context => Noun::Word("context"),
        Rule::k_control => Noun::Word("control"),
        Rule::k_count => Noun::Word("count"),
        Rule::k_cross => Noun::Word("cross"),
        Rule::k_csv => Noun::Word("csv"),
        Rule::k_decide => Noun::Word("decide"),
        Rule::k_define => Noun::Word("define"),
        Rule::k_description => Noun::Word("description"),
        Rule::k_descriptive => Noun::Word("descriptive"),
        Rule::k_design => Noun::Word("design"),
        Rule::k_draw => Noun::Word("draw"),
        Rule::k_drop => Noun::Word("drop"),
        Rule::k_effect => Noun::Word("effect"),
        Rule::k_else => Noun::Word("else"),
        Rule::k_ends_with => Noun::Word("ends_with"),
        Rule::k_epoch => Noun::Word("epoch"),
        Rule::k_estimand => Noun::Word("estimand"),
        Rule::k_estimate => Noun::Word("estimate"),
        Rule::k_evaluable => Noun::Word("evaluable"),
        Rule::k_every => Noun::Word("every"),
        Rule::k_exclude => Noun::Word("exclude"),
        Rule::k_expect => Noun::Word("expect"),
        Rule::k_expects => Noun::Word("expects"),
        Rule::k_exploratory => Noun::Word("exploratory"),
        Rule::k_factor => Noun::Word("factor"),
        Rule::k_fail => Noun::Word("fail"),
        Rule::k_family => Noun::Word("family"),
        Rule::k_fan => Noun::Word("fan"),
        Rule::k_field => Noun::Word("field"),
        Rule::k_file => Noun::Word("file"),
        Rule::k_first => Noun::Word("first"),
        Rule::k_fixed => Noun::Word("fixed"),
        Rule::k_flag => Noun::Word("flag"),
        Rule::k_flow => Noun::Word("flow"),
        Rule::k_format => Noun::Word("format"),
        Rule::k_fresh => Noun::Word("fresh"),
        Rule::k_gate => Noun::Word("gate"),
        Rule::k_gives => Noun::Word("gives"),
        Rule::k_hand => Noun::Word("hand"),
        Rule::k_harness => Noun::Word("harness"),
        Rule::k_has => Noun::Word("has"),
        Rule::k_higher => Noun::Word("higher"),
        Rule::k_hold => Noun::Word("hold"),
        Rule::k_hypothesis => Noun::Word("hypothesis"),
        Rule::k_id => Noun::Word("id"),
        Rule::k_if => Noun::Word("if"),
        Rule::k_include => Noun::Word("include"),
        Rule::k_is => Noun::Word("is"),
        Rule::k_json => Noun::Word("json"),
        Rule::k_jsonl => Noun::Word("jsonl"),
        Rule::k_keep => Noun::Word("keep"),
        Rule::k_key => Noun::Word("key"),
        Rule::k_language => Noun::Word("language"),
        Rule::k_largest => Noun::Word("largest"),
        Rule::k_least => Noun::Word("least"),
        Rule::k_limit => Noun::Word("limit"),
        Rule::k_limitation => Noun::Word("limitation"),
        Rule::k_list => Noun::Word("list"),
        Rule::k_listed => Noun::Word("listed"),
        Rule::k_looks => Noun::Word("looks"),
        Rule::k_loop => Noun::Word("loop"),
        Rule::k_lose => Noun::Word("lose"),
        Rule::k_lost => Noun::Word("lost"),
        Rule::k_lower => Noun::Word("lower"),
        Rule::k_margin => Noun::Word("margin"),
        Rule::k_maximum => Noun::Word("maximum"),
        Rule::k_mean => Noun::Word("mean"),
        Rule::k_measure => Noun::Word("measure"),
        Rule::k_members => Noun::Word("members"),
        Rule::k_merge => Noun::Word("merge"),
        Rule::k_minimum => Noun::Word("minimum"),
        Rule::k_model => Noun::Word("model"),
        Rule::k_most => Noun::Word("most"),
        Rule::k_near => Noun::Word("near"),
        Rule::k_negative => Noun::Word("negative"),
        Rule::k_nest => Noun::Word("nest"),
        Rule::k_none => Noun::Word("none"),
        Rule::k_not => Noun::Word("not"),
        Rule::k_not_evaluated => Noun::Word("not_evaluated"),
        Rule::k_note => Noun::Word("note"),
        Rule::k_null => Noun::Word("null"),
        Rule::k_of => Noun::Word("of"),
        Rule::k_optional => Noun::Word("optional"),
        Rule::k_order => Noun::Word("order"),
        Rule::k_ordered => Noun::Word("ordered"),
        Rule::k_otherwise => Noun::Word("otherwise"),
        Rule::k_out => Noun::Word("out"),
        Rule::k_outcome => Noun::Word("outcome"),
        Rule::k_pair => Noun::Word("pair"),
        Rule::k_paired => Noun::Word("paired"),
        Rule::k_pass => Noun::Word("pass"),
        Rule::k_pick => Noun::Word("pick"),
        Rule::k_pinned => Noun::Word("pinned"),
        Rule::k_planned => Noun::Word("planned"),
        Rule::k_pool => Noun::Word("pool"),
        Rule::k_positive => Noun::Word("positive"),
        Rule::k_present => Noun::Word("present"),
        Rule::k_prices => Noun::Word("prices"),
        Rule::k_primary => Noun::Word("primary"),
        Rule::k_prompt => Noun::Word("prompt"),
        Rule::k_provenance => Noun::Word("provenance"),
        Rule::k_provider => Noun::Word("provider"),
        Rule::k_publish => Noun::Word("publish"),
        Rule::k_question => Noun::Word("question"),
        Rule::k_record => Noun::Word("record"),
        Rule::k_records => Noun::Word("records"),
        Rule::k_refuse => Noun::Word("refuse"),
        Rule::k_repeat => Noun::Word("repeat"),
        Rule::k_reply => Noun::Word("reply"),
        Rule::k_require => Noun::Word("require"),
        Rule::k_requires => Noun::Word("requires"),
        Rule::k_results => Noun::Word("results"),
        Rule::k_role => Noun::Word("role"),
        Rule::k_roughly => Noun::Word("roughly"),
        Rule::k_rounds => Noun::Word("rounds"),
        Rule::k_row => Noun::Word("row"),
        Rule::k_say => Noun::Word("say"),
        Rule::k_scaffold => Noun::Word("scaffold"),
        Rule::k_scenario => Noun::Word("scenario"),
        Rule::k_schema => Noun::Word("schema"),
        Rule::k_scope => Noun::Word("scope"),
        Rule::k_secondary => Noun::Word("secondary"),
        Rule::k_select => Noun::Word("select"),
        Rule::k_sequence => Noun::Word("sequence"),
        Rule::k_set => Noun::Word("set"),
        Rule::k_sets => Noun::Word("sets"),
        Rule::k_settings => Noun::Word("settings"),
        Rule::k_shared => Noun::Word("shared"),
        Rule::k_shift => Noun::Word("shift"),
        Rule::k_shuffled => Noun::Word("shuffled"),
        Rule::k_silent => Noun::Word("silent"),
        Rule::k_similar => Noun::Word("similar"),
        Rule::k_smallest => Noun::Word("smallest"),
        Rule::k_some => Noun::Word("some"),
        Rule::k_spend => Noun::Word("spend"),
        Rule::k_compare => Noun::Word("compare"),
        Rule::k_difference => Noun::Word("difference"),
        Rule::k_draws => Noun::Word("draws"),
        Rule::k_equivalence => Noun::Word("equivalence"),
        Rule::k_front => Noun::Word("front"),
        Rule::k_inclusion => Noun::Word("inclusion"),
        Rule::k_precedence => Noun::Word("precedence"),
        Rule::k_rank => Noun::Word("rank"),
        Rule::k_ranking => Noun::Word("ranking"),
        Rule::k_together => Noun::Word("together"),
        Rule::k_state => Noun::Word("state"),
        Rule::k_study => Noun::Word("study"),
        Rule::k_successes => Noun::Word("successes"),
        Rule::k_tasks => Noun::Word("tasks"),
        Rule::k_test => Noun::Word("test"),
        Rule::k_three => Noun::Word("three"),
        Rule::k_times => Noun::Word("times"),
        Rule::k_title => Noun::Word("title"),
        Rule::k_to => Noun::Word("to"),
        Rule::k_tool => Noun::Word("tool"),
        Rule::k_tools => Noun::Word("tools"),
        Rule::k_two => Noun::Word("two"),
        Rule::k_unit => Noun::Word("unit"),
        Rule::k_value => Noun::Word("value"),
        Rule::k_vary => Noun::Word("vary"),
        Rule::k_void => Noun::Word("void"),
        Rule::k_waive => Noun::Word("waive"),
        Rule::k_weight => Noun::Word("weight"),
        Rule::k_when => Noun::Word("when"),
        // Silent rules are never reported; they are listed so that a new rule cannot be forgotten.
        Rule::foreign_number
        | Rule::foreign_string
        | Rule::foreign_arrow
        | Rule::foreign_assign
        | Rule::foreign_colon
        | Rule::foreign_if
        | Rule::foreign_else
        | Rule::WHITESPACE
        | Rule::COMMENT
        | Rule::wc
        | Rule::digits
        | Rule::exponent
        | Rule::after_number
        | Rule::string_char
        | Rule::text
        | Rule::path_text
        | Rule::to_arrow
        | Rule::equals
        | Rule::primary
        | Rule::or_op
        | Rule::and_op
        | Rule::not_op
        | Rule::relation
        | Rule::condition
        | Rule::when
        | Rule::otherwise => Noun::Unsaid,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_rule_is_shown_by_its_own_name() {
        for rule in Rule::all_rules() {
            let shown = match noun(*rule) {
                Noun::Word(text) | Noun::Mark(text) | Noun::Thing(text) => text,
                Noun::Operator | Noun::End | Noun::Unsaid | Noun::Whole => continue,
            };
            let name = format!("{rule:?}");
            assert!(!shown.is_empty(), "{name} has no noun");
            assert!(
                !shown.contains("_expr") && !shown.contains("_tail") && !shown.contains("_part"),
                "{name}: {shown}"
            );
            assert!(!name.starts_with("k_") || name == format!("k_{shown}"), "{name} is called {shown}");
        }
    }
}
