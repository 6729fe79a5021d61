//! Judgments made by hand: every class, a grid, clauses, gates, reported and undefined evidence, and hostile texts.

use prespec::decide::judgment::*;
use prespec::math::exact;
use prespec::spec::*;

mod declarations;

use declarations::declare;

pub fn q(text: &str, dimension: Dimension) -> Quantity {
    Quantity { value: exact::parse(text).unwrap(), dimension }
}

fn pp(text: &str) -> Quantity {
    let value = exact::parse(text).unwrap() / exact::parse("100").unwrap();
    Quantity { value, dimension: Dimension::Difference }
}

fn share(text: &str) -> Quantity {
    q(text, Dimension::Proportion)
}

fn name(text: &str) -> Name {
    text.to_owned()
}

pub fn ev(about: &str, kind: EvidenceKind) -> Term {
    Term::Evidence(EvidenceRef { about: name(about), method: None, kind })
}

pub fn cmp(left: Term, relation: Relation, right: Term) -> Condition {
    Condition::Compare(left, relation, right)
}

pub fn case(label: &str, class: Class, when: Option<Condition>) -> Case {
    Case { label: name(label), class, when: when.map_or(CaseCondition::Otherwise, CaseCondition::When), because: None }
}

fn about(alias: &str, estimand: &str, intervals: &[&str], tests: &[&str]) -> About {
    About {
        alias: name(alias),
        estimand: name(estimand),
        at: Vec::new(),
        intervals: intervals.iter().map(|text| name(text)).collect(),
        tests: tests.iter().map(|text| name(text)).collect(),
    }
}

pub fn hypothesis(claim: &str, standing: Claim, rule: Option<Rule>) -> Hypothesis {
    Hypothesis {
        role: standing,
        descriptive: rule.is_none(),
        claim: name(claim),
        answers: Vec::new(),
        about: Vec::new(),
        scope: None,
        grid: Vec::new(),
        sets: vec![name("primary")],
        requires: Vec::new(),
        after: Vec::new(),
        evaluable: None,
        clauses: Default::default(),
        rule,
        notes: Default::default(),
    }
}

/// Supported above a margin, contradicted below zero.
pub fn gain_rule(alias: &str) -> Rule {
    Rule {
        in_order: false,
        cases: vec![
            case(
                "supported",
                Class::Supported,
                Some(cmp(ev(alias, EvidenceKind::Lower), Relation::Greater, Term::Margin(name("slight")))),
            ),
            case(
                "contradicted",
                Class::Contradicted,
                Some(cmp(ev(alias, EvidenceKind::Upper), Relation::Less, Term::Constant(pp("0")))),
            ),
            case("inconclusive", Class::Inconclusive, None),
        ],
    }
}

fn gain_regions() -> Vec<Region> {
    vec![
        region(None, Some(0.0), VerdictClass::Contradicted, "contradicted"),
        region(Some(0.0), Some(0.05), VerdictClass::Inconclusive, "inconclusive"),
        region(Some(0.05), None, VerdictClass::Supported, "supported"),
    ]
}

fn region(from: Option<f64>, to: Option<f64>, class: VerdictClass, label: &str) -> Region {
    Region { from, to, class, label: name(label) }
}

pub fn outcome(class: VerdictClass, case: Option<usize>) -> Outcome {
    Outcome { class, label: name(class.word()), case, reason: None, nearest: None, named: Vec::new() }
}

pub fn because(class: VerdictClass, reason: &str) -> Outcome {
    Outcome { reason: Some(name(reason)), ..outcome(class, None) }
}

pub fn pairs(levels: &[(&str, &str)]) -> Vec<(Name, Name)> {
    levels.iter().map(|(factor, level)| (name(factor), name(level))).collect()
}

pub fn evidence(alias: &str, member: &[(&str, &str)], estimate: f64, limits: (f64, f64)) -> EstimandResult {
    EstimandResult {
        alias: name(alias),
        estimand: name(alias),
        member: pairs(member),
        dimension: Dimension::Difference,
        reported: false,
        estimate: Ok(Number::Float(estimate)),
        intervals: vec![IntervalResult {
            name: name("ci95"),
            method: name("percentile bootstrap, 5000 resamples of task"),
            level: 0.95,
            limits: Ok(limits),
            undefined: 0,
            monte_carlo_error: Some((0.0004, 0.0006)),
        }],
        tests: Vec::new(),
        n: Some(159),
        clusters: Some(53),
        regions: gain_regions(),
    }
}

fn with_test(mut result: EstimandResult, p: f64, adjusted: f64) -> EstimandResult {
    result.tests.push(TestResult {
        name: name("flat"),
        method: name("permutation of scaffold within task, 9999 draws"),
        p: Ok(p),
        p_adjusted: Some(Ok(adjusted)),
        family: Some(name("gaps")),
        counts: String::new(),
    });
    result
}

fn undefined(mut result: EstimandResult, why: &str) -> EstimandResult {
    result.estimate = Err(name(why));
    for interval in &mut result.intervals {
        interval.limits = Err(name(why));
    }
    for test in &mut result.tests {
        test.p = Err(name(why));
        test.p_adjusted = Some(Err(name(why)));
    }
    result
}

fn member(levels: &[(&str, &str)], outcome: Outcome, evidence: Vec<EstimandResult>) -> MemberVerdict {
    MemberVerdict { member: pairs(levels), outcome, evidence }
}

pub fn set(set: &str, outcome: Option<Outcome>, evidence: Vec<EstimandResult>) -> SetVerdict {
    SetVerdict { set: name(set), outcome, grid: Vec::new(), members: Vec::new(), clauses: Vec::new(), evidence }
}

pub fn verdict(found: &str, spec: &Spec, sets: Vec<SetVerdict>) -> HypothesisVerdict {
    let declared = &spec.hypotheses[found];
    HypothesisVerdict {
        name: name(found),
        role: declared.role,
        claim: declared.claim.clone(),
        answers: declared.answers.clone(),
        descriptive: declared.descriptive,
        disagree: sets
            .iter()
            .any(|set| set.outcome.as_ref().map(|it| it.class) != sets[0].outcome.as_ref().map(|it| it.class)),
        sets,
    }
}

fn near(comparison: &str, value: f64, threshold: f64, error: Option<f64>, fragile: bool) -> Distance {
    Distance {
        comparison: name(comparison),
        value,
        threshold,
        distance: value - threshold,
        dimension: Dimension::Difference,
        monte_carlo_error: error,
        fragile,
    }
}

/// A study without declarations, and its judgment.
pub fn empty() -> (Judgment, Spec) {
    let spec = Spec { language: 1, study: name("empty"), ..Spec::default() };
    let judgment = Judgment {
        look: None,
        study: name("empty"),
        title: String::new(),
        freeze_id: Some(format!("sha256:{}", "1f".repeat(32))),
        spec_digest: format!("sha256:{}", "ab".repeat(32)),
        exploratory: false,
        partial: false,
        records_digest: format!("sha256:{}", "0c".repeat(32)),
        files: Vec::new(),
        flows: Vec::new(),
        hypotheses: Vec::new(),
        gates: Vec::new(),
        families: Vec::new(),
        comparisons: Vec::new(),
        rankings: Vec::new(),
        conclusions: Vec::new(),
        figures: Vec::new(),
        warnings: Vec::new(),
        waivers: Vec::new(),
        limitations: Vec::new(),
    };
    (judgment, spec)
}

/// A study with every kind of declaration, and a judgment with every kind of verdict.
pub fn whole() -> (Judgment, Spec) {
    let (mut judgment, mut spec) = empty();
    declare(&mut spec);
    judgment.study.clone_from(&spec.study);
    judgment.title.clone_from(&spec.about.title);
    judgment.limitations = spec.about.limitations.iter().map(|(name, text)| (name.clone(), text.clone())).collect();
    judgment.files = vec![
        (name("runs/opus.jsonl"), "5e".repeat(32), 4_812_331),
        (name("runs/sonnet.jsonl"), "7a".repeat(32), 4_790_002),
    ];
    judgment.waivers = vec![(
        name("E0311"),
        name("H4"),
        name("Registered so by the authors of the first study; replayed as it stands."),
    )];
    judgment.warnings = vec![
        Warning { code: name("E0502"), subject: name("H4"), text: name("the claim carries no uncertainty") },
        Warning { code: String::new(), subject: String::new(), text: name("2 of 5000 resamples were undefined") },
    ];
    judgment.hypotheses = vec![h1(&spec), h2(&spec), h3(&spec), h4(&spec), h5(&spec), h6(&spec), h7(&spec), h8(&spec)];
    judgment.gates = gates();
    judgment.families = vec![FamilyResult {
        name: name("gaps"),
        set: name("primary"),
        within: pairs(&[("level", "1")]),
        adjust: "holm",
        count: 5,
        members: MODELS
            .iter()
            .enumerate()
            .map(|(at, model)| {
                let p = [0.0004, 0.0034, 0.21, 0.049_96, 1.0][at];
                let p = if at == 4 { Err(name("no records")) } else { Ok(p) };
                (format!("gap, model {model}"), p, [0.002, 0.0136, 0.42, 0.149_88, 1.0][at])
            })
            .collect(),
    }];
    judgment.comparisons = vec![ComparisonResult {
        name: name("leads"),
        set: name("primary"),
        within: pairs(&[("level", "1")]),
        adjust: "joint",
        level: 0.05,
        count: 3,
        members: [
            ("better", 0.0004, false, None),
            ("no_interval", 1.0, false, Some("every task moved alike")),
            ("worse", 0.02, true, None),
        ]
        .into_iter()
        .zip(["s1, s2", "s1, s3", "s2, s3"])
        .map(|((finding, p, within_margin, reason), pair)| ComparedMember {
            member: pairs(&[("scaffold", pair)]),
            finding,
            within_margin,
            reason: reason.map(name),
            units: 53,
            left_out: 2,
            p_difference: p,
            p_equivalence: Some(0.8),
            lines: vec![evidence("lead", &[("scaffold", pair)], 0.08, (0.01, 0.15))],
        })
        .collect(),
    }];
    let row = |level: &str, rank: u64, tied: bool, bounds: (u64, u64)| RankRow {
        member: pairs(&[("scaffold", level)]),
        rank: Some(rank),
        tied,
        bounds: Some(bounds),
        values: Vec::new(),
        place: None,
        frequency: None,
    };
    let point = |level: &str, place: &'static str, share: Result<f64, String>| RankRow {
        member: pairs(&[("scaffold", level)]),
        rank: None,
        tied: false,
        bounds: None,
        values: vec![
            (name("accuracy"), Ok(Number::Float(0.82)), Dimension::Proportion),
            (name("cost"), Err(name("no records")), Dimension::Money),
        ],
        place: Some(place),
        frequency: Some(share),
    };
    judgment.rankings = vec![
        RankingResult {
            name: name("order_of_scaffolds"),
            set: name("primary"),
            within: pairs(&[("level", "1")]),
            kind: "findings",
            rows: Ok(vec![row("s1", 1, false, (1, 2)), row("s2", 2, true, (1, 3)), row("s3", 2, true, (2, 3))]),
        },
        RankingResult {
            name: name("frontier"),
            set: name("primary"),
            within: Vec::new(),
            kind: "front",
            rows: Ok(vec![point("s1", "front", Ok(0.93)), point("s2", "dominated", Err(name("too many undefined")))]),
        },
        RankingResult {
            name: name("nothing"),
            set: name("primary"),
            within: Vec::new(),
            kind: "front",
            rows: Err(name("nothing to rank")),
        },
    ];
    judgment.conclusions = vec![
        ConclusionResult {
            name: name("headline"),
            sentence: Some(name(
                "Scaffolds move measured accuracy by an amount that would reorder published rankings.",
            )),
            case: Some(0),
        },
        ConclusionResult { name: name("cost"), sentence: None, case: None },
    ];
    judgment.figures = vec![EstimandResult {
        alias: name("cost_per_correct"),
        dimension: Dimension::Money,
        regions: Vec::new(),
        ..evidence("cost_per_correct", &[("model", "opus")], 0.142, (0.121, 0.171))
    }];
    judgment.flows = ["primary", "robust", "intersection"].iter().enumerate().map(|(at, set)| flow(set, at)).collect();
    (judgment, spec)
}

pub const MODELS: [&str; 5] = ["opus", "sonnet", "haiku", "large_open", "small_open"];

fn h1(spec: &Spec) -> HypothesisVerdict {
    let rows = |shift: f64| -> Vec<MemberVerdict> {
        MODELS
            .iter()
            .enumerate()
            .map(|(at, model)| {
                let levels = [("model", *model), ("level", "1")];
                let estimate = [0.14, 0.083, 0.021, 0.0512, 0.0][at] + shift;
                let found = with_test(
                    evidence("gap", &levels, estimate, (estimate - 0.058, estimate + 0.058)),
                    [0.0004, 0.0034, 0.21, 0.049_96, 1.0][at],
                    [0.002, 0.0136, 0.42, 0.149_88, 1.0][at],
                );
                match at {
                    0 | 1 => member(&levels, outcome(VerdictClass::Supported, Some(0)), vec![found]),
                    2 => member(&levels, outcome(VerdictClass::Contradicted, Some(1)), vec![found]),
                    3 => member(&levels, outcome(VerdictClass::Inconclusive, Some(2)), vec![found]),
                    _ => member(
                        &levels,
                        because(VerdictClass::NotEvaluable, "gap is undefined: no records"),
                        vec![undefined(found, "no records")],
                    ),
                }
            })
            .collect()
    };
    let supported = Outcome {
        nearest: Some(near("gap.estimate >= slight", 0.0512, 0.05, Some(0.0004), false)),
        ..because(VerdictClass::Supported, "2 of 5 members are supported and any needs 1")
    };
    let mut sets = vec![
        set("primary", Some(supported.clone()), Vec::new()),
        set("robust", Some(supported), Vec::new()),
        set(
            "intersection",
            Some(because(VerdictClass::Inconclusive, "no member is supported and 3 are open")),
            Vec::new(),
        ),
    ];
    for (at, set) in sets.iter_mut().enumerate() {
        set.members = rows([0.0, -0.006, -0.031][at]);
    }
    verdict("H1", spec, sets)
}

fn h2(spec: &Spec) -> HypothesisVerdict {
    let contradicted = Outcome {
        nearest: Some(near("gain.upper < 0 pp", -0.0004, 0.0, Some(0.0006), true)),
        ..outcome(VerdictClass::Contradicted, Some(1))
    };
    let of = |estimate: f64, limits| EstimandResult {
        estimand: name("file_gain"),
        estimate: Ok(Number::Exact(exact::from_f64(estimate).unwrap())),
        ..evidence("gain", &[], estimate, limits)
    };
    verdict(
        "H2",
        spec,
        vec![
            set("primary", Some(contradicted), vec![of(-0.042, (-0.081, -0.0004))]),
            set("robust", Some(outcome(VerdictClass::Inconclusive, Some(2))), vec![of(-0.038, (-0.079, 0.0021))]),
            set("intersection", Some(outcome(VerdictClass::Inconclusive, Some(2))), vec![of(-0.03, (-0.077, 0.0181))]),
        ],
    )
}

fn h3(spec: &Spec) -> HypothesisVerdict {
    let clause = |found: &str, class, offset: f64| {
        let members = MODELS
            .iter()
            .take(3)
            .enumerate()
            .map(|(at, model)| {
                let levels = [("model", *model)];
                let estimate = offset + [0.0, 0.02, -0.015][at];
                member(
                    &levels,
                    outcome(class, Some(if class == VerdictClass::Supported { 0 } else { 2 })),
                    vec![evidence("par_gain", &levels, estimate, (estimate - 0.03, estimate + 0.035))],
                )
            })
            .collect();
        (name(found), because(class, "3 of 3 members agree"), members)
    };
    let mut first = set(
        "primary",
        Some(Outcome {
            label: name("conditional"),
            named: vec![name("claude")],
            ..outcome(VerdictClass::Inconclusive, Some(2))
        }),
        Vec::new(),
    );
    first.clauses =
        vec![clause("easy", VerdictClass::Inconclusive, 0.03), clause("hard", VerdictClass::Supported, 0.12)];
    let mut second = set("robust", Some(outcome(VerdictClass::Inconclusive, Some(3))), Vec::new());
    second.clauses =
        vec![clause("easy", VerdictClass::Inconclusive, 0.025), clause("hard", VerdictClass::Inconclusive, 0.07)];
    verdict("H3", spec, vec![first, second])
}

fn h4(spec: &Spec) -> HypothesisVerdict {
    verdict(
        "H4",
        spec,
        vec![set(
            "primary",
            Some(because(VerdictClass::Void, "gate pipeline failed: a solved task must be scored as solved")),
            vec![evidence("gain", &[], 0.02, (-0.01, 0.06))],
        )],
    )
}

fn h5(spec: &Spec) -> HypothesisVerdict {
    let mut only = set("primary", None, Vec::new());
    for (at, technique) in ["step_by_step", "role_play", "emotional"].iter().enumerate() {
        for (column, model) in ["small", "large", "reasoning"].iter().enumerate() {
            if at > 0 && column == 2 {
                continue;
            }
            let levels = [("technique", *technique), ("model", *model)];
            let (label, class, fired, estimate) = match (at + column) % 4 {
                0 => ("placebo", VerdictClass::Contradicted, 0, 0.002),
                1 => ("works", VerdictClass::Supported, 1, 0.036),
                2 => ("hurts", VerdictClass::Contradicted, 2, -0.031),
                _ => ("inconclusive", VerdictClass::Inconclusive, 3, 0.004),
            };
            let half = if label == "inconclusive" { 0.034 } else { 0.016 };
            let mut found = evidence("effect", &levels, estimate, (estimate - half, estimate + half));
            found.regions = vec![
                region(None, Some(-0.02), VerdictClass::Contradicted, "hurts"),
                region(Some(-0.02), Some(0.02), VerdictClass::Contradicted, "placebo"),
                region(Some(0.02), None, VerdictClass::Supported, "works"),
            ];
            let verdict = Outcome { label: name(label), ..outcome(class, Some(fired)) };
            only.grid.push(member(&levels, verdict, vec![found]));
        }
    }
    verdict("H5", spec, vec![only])
}

fn h6(spec: &Spec) -> HypothesisVerdict {
    let why = "gate enough_errors did not pass: without errors there is nothing to recover from";
    verdict("H6", spec, vec![set("primary", Some(because(VerdictClass::NotEvaluated, why)), Vec::new())])
}

fn h7(spec: &Spec) -> HypothesisVerdict {
    let mut found = evidence("gain", &[], 0.117, (0.061, 0.171));
    found.reported = true;
    found.n = None;
    found.clusters = None;
    found.intervals[0].name = name("reported");
    found.intervals[0].method = name("as reported");
    found.intervals[0].monte_carlo_error = None;
    let supported = Outcome {
        nearest: Some(near("gain.lower > slight", 0.061, 0.05, None, false)),
        ..outcome(VerdictClass::Supported, Some(0))
    };
    verdict("H7", spec, vec![set("primary", Some(supported), vec![found])])
}

fn h8(spec: &Spec) -> HypothesisVerdict {
    let mut found = evidence("spread", &[], 0.09, (0.03, 0.15));
    found.regions.clear();
    verdict("H8", spec, vec![set("primary", None, vec![found])])
}

fn gates() -> Vec<GateVerdict> {
    let check = |estimate: f64, member: &[(&str, &str)]| EstimandResult {
        dimension: Dimension::Proportion,
        regions: vec![
            region(None, Some(0.9), VerdictClass::Void, "failed"),
            region(Some(0.9), None, VerdictClass::Supported, "passed"),
        ],
        ..evidence("check", member, estimate, (estimate - 0.03, estimate + 0.02))
    };
    vec![
        GateVerdict {
            name: name("enough_errors"),
            set: name("primary"),
            fail: GateFailure::NotEvaluated,
            reason: name("without errors there is nothing to recover from"),
            members: vec![
                (pairs(&[("model", "opus")]), Ok(true), vec![check(0.95, &[("model", "opus")])]),
                (pairs(&[("model", "haiku")]), Ok(false), vec![check(0.82, &[("model", "haiku")])]),
                (
                    pairs(&[("model", "small_open")]),
                    Err(name("no records")),
                    vec![undefined(check(0.0, &[("model", "small_open")]), "no records")],
                ),
            ],
        },
        GateVerdict {
            name: name("pipeline"),
            set: name("primary"),
            fail: GateFailure::Void,
            reason: name("a solved task must be scored as solved"),
            members: vec![(Vec::new(), Ok(false), vec![check(0.87, &[])])],
        },
    ]
}

fn flow(set: &str, at: usize) -> Flow {
    let (dropped, not_kept) = [(0, 0), (212, 0), (0, 1840)][at];
    Flow {
        set: name(set),
        planned: 13_320,
        states: vec![("scored", 12_770), ("errored", 401), ("limited", 88), ("missing", 61), ("superseded", 14)],
        dropped,
        not_kept,
        excluded: 61,
        imputed: 401,
        counted: 13_259 - dropped - not_kept,
        units: (148, 148),
        arms: MODELS
            .iter()
            .flat_map(|model| {
                ["s1", "s2"].map(|scaffold| (format!("model {model}, scaffold {scaffold}"), [1332, 1280, 40, 12, 1320]))
            })
            .collect(),
    }
}

/// Two hundred members in three sets.
pub fn many() -> (Judgment, Spec) {
    let (mut judgment, spec) = whole();
    let first = &mut judgment.hypotheses[0];
    for set in &mut first.sets {
        set.members = (0..200_u32)
            .map(|at| {
                let level = format!("model_{at:03}");
                let levels = [("model", level.as_str())];
                let estimate = f64::from(at) * 0.0009 - 0.05;
                let class = if estimate > 0.05 { VerdictClass::Supported } else { VerdictClass::Contradicted };
                member(
                    &levels,
                    outcome(class, Some(0)),
                    vec![evidence("gap", &levels, estimate, (estimate - 0.02, estimate + 0.02))],
                )
            })
            .collect();
    }
    (judgment, spec)
}

pub const HOSTILE: [&str; 5] = [
    "<script>document.title='owned'</script>",
    "</style></title><img src=x onerror=alert(1)>",
    "\" onload='alert(1)' {{ page.title }} {% for x in y %}",
    "\u{202e}תוצאה הפוכה עם טקסט מימין לשמאל",
    "Averyveryverylongwordwithoutanyspaceatallthatgoesonandonandonandonandonandonandonandonandonandonandonandonandonandonandonandonandonandon",
];

/// Every text that an author or a result file can choose is hostile.
pub fn hostile() -> (Judgment, Spec) {
    let (mut judgment, mut spec) = whole();
    let text = |at: usize| HOSTILE[at % HOSTILE.len()].to_owned();
    judgment.title = HOSTILE.join(" ");
    spec.about.authors = HOSTILE.iter().map(|text| name(text)).collect();
    for (at, question) in spec.about.questions.values_mut().enumerate() {
        question.text = text(at);
    }
    for (at, hypothesis) in judgment.hypotheses.iter_mut().enumerate() {
        hypothesis.claim = text(at);
        for set in &mut hypothesis.sets {
            for found in &mut set.evidence {
                found.alias = text(at + 1);
                for region in &mut found.regions {
                    region.label = text(at + 4);
                }
                for interval in &mut found.intervals {
                    interval.method = text(at + 2);
                }
            }
            for (index, member) in set.members.iter_mut().enumerate() {
                for (factor, level) in &mut member.member {
                    (*factor, *level) = (text(index), text(index + 1));
                }
                member.outcome.label = text(index + 2);
            }
            if let Some(outcome) = &mut set.outcome {
                outcome.label = text(at + 3);
                outcome.reason = Some(text(at + 4));
            }
        }
    }
    for hypothesis in spec.hypotheses.values_mut() {
        hypothesis.notes.insert(text(0), text(1));
        if let Some(rule) = &mut hypothesis.rule {
            for case in &mut rule.cases {
                case.because = Some(text(0));
            }
        }
    }
    for margin in spec.margins.values_mut() {
        margin.source = text(0);
    }
    for flow in &mut judgment.flows {
        for (at, (arm, _)) in flow.arms.iter_mut().enumerate() {
            *arm = text(at);
        }
    }
    for (at, conclusion) in judgment.conclusions.iter_mut().enumerate() {
        conclusion.sentence = Some(text(at));
    }
    for gate in &mut judgment.gates {
        gate.reason = text(1);
    }
    for family in &mut judgment.families {
        for (at, (member, ..)) in family.members.iter_mut().enumerate() {
            *member = text(at);
        }
    }
    judgment.files.push((text(0), "00".repeat(32), 1));
    judgment.warnings.push(Warning { code: text(0), subject: text(1), text: text(2) });
    judgment.waivers.push((text(0), text(1), text(2)));
    judgment.limitations = (0..5).map(|at| (text(at), text(at + 1))).collect();
    (judgment, spec)
}
