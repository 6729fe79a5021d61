//! Agreement with z3 on random rules, question by question.

use super::{check_witnesses, decimal};
use num_rational::BigRational;
use prespec::check::prover::{
    Budget, Formula, Mode, Problem, Question, Refusal, Relation, Report, Sort, Term, VarId, Variable, partition,
};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

const RULES: usize = 1000;

/// `SplitMix64`: the same rules on every machine.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

struct Rule {
    problem: Problem,
    cases: Vec<Formula>,
}

struct Ids {
    numbers: Vec<VarId>,
    positive: Vec<VarId>,
    classes: Vec<(VarId, usize)>,
}

fn constant(dice: &mut Dice) -> BigRational {
    let text = dice.pick(&["0", "0", "1", "-1", "2", "3", "5", "0.5", "0.05", "-0.05", "0.25", "0.8", "1.5", "7"]);
    decimal(text)
}

fn term(dice: &mut Dice, ids: &Ids, depth: usize) -> Term {
    if depth == 0 || dice.chance(45) {
        return if dice.chance(80) { Term::Var(dice.pick(&ids.numbers)) } else { Term::Const(constant(dice)) };
    }
    let below = depth - 1;
    match dice.below(8) {
        0 => Term::Add((0..=dice.below(3)).map(|_| term(dice, ids, below)).collect()),
        1 => Term::Sub(Box::new(term(dice, ids, below)), Box::new(term(dice, ids, below))),
        2 => Term::Scale(constant(dice), Box::new(term(dice, ids, below))),
        3 | 4 => term(dice, ids, below).abs(),
        5 => Term::Min((0..=dice.below(3)).map(|_| term(dice, ids, below)).collect()),
        6 => Term::Max((0..=dice.below(3)).map(|_| term(dice, ids, below)).collect()),
        _ => -term(dice, ids, below),
    }
}

fn relation(dice: &mut Dice) -> Relation {
    dice.pick(&[
        Relation::Lt,
        Relation::Le,
        Relation::Ge,
        Relation::Gt,
        Relation::Lt,
        Relation::Le,
        Relation::Ge,
        Relation::Gt,
        Relation::Eq,
        Relation::Ne,
    ])
}

fn comparison(dice: &mut Dice, ids: &Ids) -> Formula {
    if !ids.positive.is_empty() && dice.chance(20) {
        let bottom = Term::Var(dice.pick(&ids.positive));
        let bottom = match dice.below(3) {
            0 => -bottom,
            1 => Term::Min(ids.positive.iter().map(|id| Term::Var(*id)).collect()),
            _ => bottom,
        };
        let ratio = term(dice, ids, 1) / bottom;
        let ratio = if dice.chance(25) { ratio.abs() } else { ratio };
        return ratio.compare(relation(dice), Term::Const(constant(dice)));
    }
    let right = if dice.chance(70) { Term::Const(constant(dice)) } else { term(dice, ids, 1) };
    term(dice, ids, 2).compare(relation(dice), right)
}

fn formula(dice: &mut Dice, ids: &Ids, depth: usize) -> Formula {
    if depth > 0 && dice.chance(60) {
        let inner: Vec<Formula> = (0..=dice.below(3)).map(|_| formula(dice, ids, depth - 1)).collect();
        return match dice.below(5) {
            0 | 1 => Formula::And(inner),
            2 | 3 => Formula::Or(inner),
            _ => !Formula::Or(inner),
        };
    }
    if !ids.classes.is_empty() && dice.chance(25) {
        let (id, count) = dice.pick(&ids.classes);
        return Formula::Is(id, (0..count).filter(|_| dice.chance(40)).collect());
    }
    comparison(dice, ids)
}

/// Cases that cut one term at ascending thresholds: nearly a partition, with single-point mistakes at the ends.
fn ladder(dice: &mut Dice, ids: &Ids) -> Vec<Formula> {
    let along = term(dice, ids, 2);
    let mut cuts: Vec<BigRational> = (0..=dice.below(3)).map(|_| constant(dice)).collect();
    cuts.sort();
    cuts.dedup();
    let mut cases = Vec::new();
    let mut from: Option<(BigRational, bool)> = None;
    for cut in cuts {
        let inside = dice.chance(50);
        let below = if inside { Relation::Le } else { Relation::Lt };
        let upper = along.clone().compare(below, Term::Const(cut.clone()));
        cases.push(lower(&along, from.as_ref()).map_or(upper.clone(), |lower| lower.and(upper)));
        // One time in four the next case forgets or repeats the end.
        from = Some((cut, if dice.chance(25) { inside } else { !inside }));
    }
    cases.extend(lower(&along, from.as_ref()));
    cases
}

fn lower(along: &Term, from: Option<&(BigRational, bool)>) -> Option<Formula> {
    let (cut, included) = from?;
    let above = if *included { Relation::Ge } else { Relation::Gt };
    Some(along.clone().compare(above, Term::Const(cut.clone())))
}

fn rule(dice: &mut Dice) -> Rule {
    let mut problem = Problem::default();
    let mut ids = Ids { numbers: Vec::new(), positive: Vec::new(), classes: Vec::new() };
    for index in 0..=dice.below(4) {
        let kind = dice.below(10);
        let sort = if kind < 5 { Sort::Real } else { Sort::Int };
        let mut variable = Variable::new(format!("x{index}"), sort);
        match dice.below(6) {
            0 => {}
            1 => variable = variable.at_least(decimal("0")).at_most(decimal("1")),
            2 => variable = variable.above(decimal("0")).at_most(decimal("8")),
            3 => variable = variable.at_least(decimal("-3.5")).below(decimal("6")),
            4 => variable = variable.at_least(decimal("1")).at_most(decimal("21")),
            _ => variable = variable.above(decimal("0")),
        }
        let positive = variable.lower.as_ref().is_some_and(|b| b.strict || b.value > decimal("0"));
        let id = problem.add(variable);
        ids.numbers.push(id);
        if positive {
            ids.positive.push(id);
        }
    }
    for index in 0..dice.below(3) {
        let count = 2 + dice.below(3);
        let classes = (0..count).map(|class| format!("c{class}")).collect();
        ids.classes.push((problem.add(Variable::new(format!("k{index}"), Sort::Class(classes))), count));
    }
    if let [first, second, ..] = ids.numbers[..]
        && dice.chance(40)
    {
        problem.assume(Term::from(first).le(second.into()));
    }
    let cases = if dice.chance(40) {
        ladder(dice, &ids)
    } else {
        (0..=dice.below(4)).map(|_| formula(dice, &ids, 2)).collect()
    };
    Rule { problem, cases }
}

fn write_number(value: &BigRational, text: &mut String) {
    write!(text, "(/ {}.0 {}.0)", value.numer(), value.denom()).unwrap();
    // SMT-LIB has no negative literals.
    if let Some(at) = text.rfind("(/ -") {
        let tail = text.split_off(at);
        write!(text, "(- {})", tail.replacen('-', "", 1)).unwrap();
    }
}

fn write_call(problem: &Problem, name: &str, parts: &[&Term], text: &mut String) {
    write!(text, "({name}").unwrap();
    for part in parts {
        text.push(' ');
        write_term(problem, part, text);
    }
    text.push(')');
}

fn write_term(problem: &Problem, term: &Term, text: &mut String) {
    match term {
        Term::Const(value) => write_number(value, text),
        Term::Var(id) => {
            let variable = problem.variable(*id).unwrap();
            match variable.sort {
                Sort::Int => write!(text, "(to_real {})", variable.name).unwrap(),
                Sort::Real | Sort::Class(_) => text.push_str(&variable.name),
            }
        }
        Term::Add(all) => {
            let all: Vec<&Term> = all.iter().collect();
            text.push_str("(+ 0.0 0.0");
            for part in all {
                text.push(' ');
                write_term(problem, part, text);
            }
            text.push(')');
        }
        Term::Neg(inner) => write_call(problem, "-", &[inner], text),
        Term::Sub(left, right) => write_call(problem, "-", &[left, right], text),
        Term::Mul(left, right) => write_call(problem, "*", &[left, right], text),
        Term::Div(left, right) => write_call(problem, "/", &[left, right], text),
        Term::Scale(factor, inner) => write_call(problem, "*", &[&Term::Const(factor.clone()), inner], text),
        Term::Abs(inner) => {
            let mut once = String::new();
            write_term(problem, inner, &mut once);
            write!(text, "(ite (>= {once} 0.0) {once} (- {once}))").unwrap();
        }
        Term::Min(all) | Term::Max(all) => {
            let relation = if matches!(term, Term::Min(_)) { "<=" } else { ">=" };
            let mut best = String::new();
            write_term(problem, &all[0], &mut best);
            for next in &all[1..] {
                let mut other = String::new();
                write_term(problem, next, &mut other);
                best = format!("(ite ({relation} {best} {other}) {best} {other})");
            }
            text.push_str(&best);
        }
    }
}

fn write_formula(problem: &Problem, formula: &Formula, text: &mut String) {
    match formula {
        Formula::True => text.push_str("true"),
        Formula::False => text.push_str("false"),
        Formula::Compare(left, relation, right) => {
            let name = match relation {
                Relation::Lt => "<",
                Relation::Le => "<=",
                Relation::Eq => "=",
                Relation::Ne => "distinct",
                Relation::Ge => ">=",
                Relation::Gt => ">",
            };
            write_call(problem, name, &[left, right], text);
        }
        Formula::Is(id, classes) => {
            text.push_str("(or false");
            for class in classes {
                write!(text, " (= {} {class})", problem.variable(*id).unwrap().name).unwrap();
            }
            text.push(')');
        }
        Formula::Not(inner) => {
            text.push_str("(not ");
            write_formula(problem, inner, text);
            text.push(')');
        }
        Formula::And(all) | Formula::Or(all) => {
            text.push_str(if matches!(formula, Formula::And(_)) { "(and true" } else { "(or false" });
            for inner in all {
                text.push(' ');
                write_formula(problem, inner, text);
            }
            text.push(')');
        }
    }
}

/// Declarations, ranges and axioms as assertions, then one assertion per case.
fn script(rule: &Rule) -> (String, usize) {
    let mut text = String::new();
    let mut known = Vec::new();
    for variable in &rule.problem.variables {
        let name = &variable.name;
        let sort = if variable.sort == Sort::Real { "Real" } else { "Int" };
        writeln!(text, "(declare-const {name} {sort})").unwrap();
        if let Sort::Class(classes) = &variable.sort {
            known.push(format!("(and (>= {name} 0) (< {name} {}))", classes.len()));
        }
        let itself = if variable.sort == Sort::Int { format!("(to_real {name})") } else { name.clone() };
        for (bound, open, closed) in [(&variable.lower, ">", ">="), (&variable.upper, "<", "<=")] {
            if let Some(bound) = bound {
                let mut end = String::new();
                write_number(&bound.value, &mut end);
                known.push(format!("({} {itself} {end})", if bound.strict { open } else { closed }));
            }
        }
    }
    for axiom in &rule.problem.axioms {
        let mut axiom_text = String::new();
        write_formula(&rule.problem, axiom, &mut axiom_text);
        known.push(axiom_text);
    }
    for part in &known {
        writeln!(text, "(assert {part})").unwrap();
    }
    for case in &rule.cases {
        text.push_str("(assert ");
        write_formula(&rule.problem, case, &mut text);
        text.push_str(")\n");
    }
    (text, known.len())
}

const JUDGE: &str = r#"
import json, sys, z3
def ask(known, parts):
    solver = z3.Solver()
    solver.set("timeout", 2000)
    solver.add(*known)
    solver.add(*parts)
    return {"sat": "s", "unsat": "u"}.get(str(solver.check()), "?")
for line in sys.stdin:
    rule = json.loads(line)
    parsed = list(z3.parse_smt2_string(rule["text"]))
    assert len(parsed) == rule["assertions"], (len(parsed), rule)
    known, cases = parsed[:rule["known"]], parsed[rule["known"]:]
    no = [z3.Not(case) for case in cases]
    count = len(cases)
    print(json.dumps({
        "axioms": ask(known, []),
        "alone": [ask(known, [case]) for case in cases],
        "reached": [ask(known, no[:i] + [cases[i]]) for i in range(count)],
        "pairs": [[ask(known, [cases[i], cases[j]]) if i < j else "-" for j in range(count)] for i in range(count)],
        "rest": ask(known, no),
    }))
"#;

#[derive(serde::Deserialize)]
struct Judged {
    axioms: String,
    alone: Vec<String>,
    reached: Vec<String>,
    pairs: Vec<Vec<String>>,
    rest: String,
}

/// What z3 says of every question about every rule; `None` when it is not on this machine.
fn judge(rules: &[Rule]) -> Option<Vec<Judged>> {
    let probe = Command::new("python3").args(["-c", "import z3"]).stderr(Stdio::null()).status();
    if !probe.is_ok_and(|status| status.success()) {
        return None;
    }
    let mut child = Command::new("python3")
        .args(["-c", JUDGE])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 was there a moment ago");
    let mut input = child.stdin.take().unwrap();
    let mut lines = String::new();
    for rule in rules {
        let (text, known) = script(rule);
        let assertions = known + rule.cases.len();
        writeln!(lines, "{}", serde_json::json!({"text": text, "known": known, "assertions": assertions})).unwrap();
    }
    // Written from another thread, so that neither pipe can fill up and stop both sides.
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "the judge failed");
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

#[derive(Default)]
struct Tally {
    compared: usize,
    unknown: usize,
    holes: usize,
    overlaps: usize,
    dead: usize,
}

impl Tally {
    fn compare(&mut self, rule: &Rule, what: &str, ours: bool, theirs: &str) {
        if theirs == "?" {
            self.unknown += 1;
            return;
        }
        self.compared += 1;
        assert_eq!(ours, theirs == "s", "{what}: the prover says {ours}, z3 says {theirs}\n{}", script(rule).0);
    }
}

fn compare(
    rule: &Rule,
    judged: &Judged,
    unordered: &Report,
    ordered: &Report,
    with_otherwise: &Report,
    tally: &mut Tally,
) {
    let dead = |report: &Report, case: usize| report.dead.iter().any(|dead| dead.case == case);
    for case in 0..rule.cases.len() {
        tally.compare(rule, &format!("case {case} alone"), !dead(unordered, case), &judged.alone[case]);
        tally.compare(rule, &format!("case {case} in order"), !dead(ordered, case), &judged.reached[case]);
        for second in case + 1..rule.cases.len() {
            let ours = unordered.overlaps.iter().any(|o| (o.first, o.second) == (case, second));
            tally.compare(rule, &format!("pair {case} {second}"), ours, &judged.pairs[case][second]);
        }
    }
    tally.compare(rule, "hole", unordered.hole.is_some(), &judged.rest);
    tally.compare(rule, "hole in order", ordered.hole.is_some(), &judged.rest);
    tally.compare(rule, "otherwise", !with_otherwise.otherwise_dead, &judged.rest);
    assert!(with_otherwise.hole.is_none());
    tally.holes += usize::from(unordered.hole.is_some());
    tally.overlaps += unordered.overlaps.len();
    tally.dead += ordered.dead.len();
}

#[test]
fn random_rules_agree_with_z3() {
    let mut dice = Dice(20_260_607);
    let rules: Vec<Rule> = (0..RULES).map(|_| rule(&mut dice)).collect();
    let budget = Budget::default();
    let judged = judge(&rules);
    if judged.is_none() {
        eprintln!(
            "SKIPPED random_rules_agree_with_z3: python3 with the package z3-solver is absent; witnesses checked only"
        );
    }
    let mut tally = Tally::default();
    let mut refused = 0;
    for (index, rule) in rules.iter().enumerate() {
        let unordered = partition(&rule.problem, &rule.cases, Mode::Unordered, false, &budget);
        let ordered = partition(&rule.problem, &rule.cases, Mode::InOrder, false, &budget);
        let with_otherwise = partition(&rule.problem, &rule.cases, Mode::InOrder, true, &budget);
        for report in [&unordered, &ordered, &with_otherwise] {
            check_witnesses(&rule.problem, &rule.cases, report);
            for refusal in &report.refused {
                let expected = matches!(
                    refusal.refusal,
                    Refusal::Nonlinear { .. } | Refusal::Integers { .. } | Refusal::Contradiction
                );
                assert!(expected, "{refusal:?}\n{}", script(rule).0);
            }
        }
        let judged = judged.as_ref().map(|judged| &judged[index]);
        if let Some(first) = unordered.refused.first() {
            refused += 1;
            if first.question == Question::Axioms && first.refusal == Refusal::Contradiction {
                judged.inspect(|judged| assert_ne!(judged.axioms, "s", "{}", script(rule).0));
            }
            continue;
        }
        if let Some(judged) = judged {
            compare(rule, judged, &unordered, &ordered, &with_otherwise, &mut tally);
        }
    }
    eprintln!(
        "{} questions compared, {} unknown to z3, {refused} rules refused; {} holes, {} overlaps, {} dead cases",
        tally.compared, tally.unknown, tally.holes, tally.overlaps, tally.dead
    );
    assert!(refused * 10 <= RULES, "{refused} of {RULES} rules were refused");
    if judged.is_some() {
        assert!(tally.unknown * 50 <= tally.compared, "z3 left {} questions open", tally.unknown);
        assert!(tally.holes > 100 && tally.overlaps > 100 && tally.dead > 100, "the rules are too tame");
    }
}
