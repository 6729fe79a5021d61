//! Rules and their parts in words.

use super::*;
use crate::math::exact::parse;
use crate::spec::{Dimension, EvidenceKind, EvidenceRef, Quantity, Relation, ValueTable};

fn quantity(text: &str) -> Quantity {
    Quantity { value: parse(text).unwrap(), dimension: Dimension::Difference }
}

fn evidence(kind: EvidenceKind) -> Term {
    Term::Evidence(EvidenceRef { about: "gap".to_owned(), method: None, kind })
}

fn case(label: &str, class: Class, when: Option<Condition>) -> Case {
    let when = when.map_or(CaseCondition::Otherwise, CaseCondition::When);
    Case { label: label.to_owned(), class, when, because: None }
}

fn spec() -> Spec {
    let mut spec = Spec::default();
    let band =
        Margin { low: quantity("-0.02"), high: Some(quantity("0.02")), higher: None, source: "a paper".to_owned() };
    spec.margins.insert("same".to_owned(), band);
    let material = Margin { low: quantity("0.1"), high: None, higher: Some(true), source: String::new() };
    spec.margins.insert("material".to_owned(), material);
    spec.values.insert(
        "baseline".to_owned(),
        ValueTable {
            per: Some("model".to_owned()),
            entries: [("opus".to_owned(), quantity("0.3")), ("haiku".to_owned(), quantity("0.2"))].into(),
            source: "table 2".to_owned(),
        },
    );
    spec
}

fn found(condition: &Condition, member: &[(Name, Name)]) -> Vec<(f64, String)> {
    thresholds(&spec(), [condition], "gap", member).into_iter().map(|found| (found.at, found.name)).collect()
}

#[test]
fn thresholds_are_the_places_that_a_rule_compares_the_axis_with() {
    let material = || Term::Margin("material".to_owned());
    let above = Condition::Compare(evidence(EvidenceKind::Lower), Relation::GreaterEqual, material());
    assert_eq!(found(&above, &[]), [(0.1, "material = 10 pp".to_owned())]);
    let turned = Condition::Compare(Term::Constant(quantity("0")), Relation::Less, evidence(EvidenceKind::Estimate));
    assert_eq!(found(&turned, &[]), [(0.0, "0 pp".to_owned())]);
    let size = Term::Abs(Box::new(evidence(EvidenceKind::Estimate)));
    let both = Condition::Compare(size, Relation::Less, material());
    assert_eq!(found(&both, &[]).iter().map(|(at, _)| *at).collect::<Vec<_>>(), [-0.1, 0.1]);
    let size = Term::Abs(Box::new(evidence(EvidenceKind::Estimate)));
    let number = Condition::Compare(size, Relation::Less, Term::Constant(quantity("0.15")));
    assert_eq!(found(&number, &[]), [(-0.15, "-15 pp".to_owned()), (0.15, "15 pp".to_owned())]);
    let [low, high] = [Term::Margin("same".to_owned()), Term::MarginHigh("same".to_owned())];
    let within = Condition::Within(evidence(EvidenceKind::Upper), low, high);
    assert_eq!(found(&within, &[]).len(), 2);
}

#[test]
fn thresholds_leave_out_what_has_no_place_on_the_axis() {
    let p = Condition::Compare(evidence(EvidenceKind::PAdjusted), Relation::Less, Term::Constant(quantity("0.05")));
    assert!(found(&p, &[]).is_empty());
    let moving = Condition::Compare(evidence(EvidenceKind::Lower), Relation::Less, evidence(EvidenceKind::Estimate));
    assert!(found(&moving, &[]).is_empty());
    let other = Condition::Compare(evidence(EvidenceKind::Lower), Relation::Less, Term::Margin("unknown".to_owned()));
    assert!(found(&other, &[]).is_empty());
}

#[test]
fn a_table_gives_each_member_its_own_threshold() {
    let member = |level: &str| vec![("model".to_owned(), level.to_owned())];
    let above =
        || Condition::Compare(evidence(EvidenceKind::Lower), Relation::Greater, Term::Value("baseline".to_owned()));
    assert_eq!(found(&above(), &member("opus")), [(0.3, "baseline = 30 pp".to_owned())]);
    assert_eq!(found(&above(), &member("haiku")), [(0.2, "baseline = 20 pp".to_owned())]);
    assert!(found(&above(), &[]).is_empty());
}

#[test]
fn ways_to_a_class_name_labels_and_earlier_cases() {
    let above = Condition::Compare(evidence(EvidenceKind::Lower), Relation::Greater, Term::Constant(quantity("0")));
    let below = Condition::Compare(evidence(EvidenceKind::Upper), Relation::Less, Term::Constant(quantity("0")));
    let cases = vec![
        case("works", Class::Supported, Some(above)),
        case("hurts", Class::Contradicted, Some(below)),
        case("inconclusive", Class::Inconclusive, None),
    ];
    let rule = Rule { in_order: true, cases };
    assert_eq!(ways_to(&rule, Class::Contradicted), ["hurts: when gap.upper < 0 pp, if no earlier case applied"]);
    assert_eq!(ways_to(&rule, Class::Supported), ["works: when gap.lower > 0 pp"]);
    assert_eq!(ways_to(&rule, Class::Inconclusive), ["otherwise"]);
    assert_eq!(case_label(&rule.cases[1]), "hurts (contradicted)");
}

#[test]
fn constants_are_given_with_size_and_source() {
    let condition = Condition::And(vec![
        Condition::Compare(evidence(EvidenceKind::Lower), Relation::Greater, Term::Margin("same".to_owned())),
        Condition::Not(Box::new(Condition::Compare(
            evidence(EvidenceKind::Lower),
            Relation::Greater,
            Term::Negate(Box::new(Term::Value("baseline".to_owned()))),
        ))),
    ]);
    let spec = spec();
    let found = constants(&spec, [&condition]);
    let words: Vec<(&str, &str, &str)> =
        found.iter().map(|(name, size, source)| (name.as_str(), size.as_str(), source.as_str())).collect();
    assert_eq!(
        words,
        [("baseline", "haiku: 20 pp, opus: 30 pp", "table 2"), ("same", "from -2 pp to 2 pp", "a paper")]
    );
}

#[test]
fn formulas_keep_their_parentheses() {
    let accuracy = || Expr::Measure("accuracy".to_owned(), Vec::new());
    let at = |level: &str| {
        let cell = vec![("scaffold".to_owned(), LevelRef::Level(level.to_owned()))];
        Box::new(Expr::At(Box::new(accuracy()), cell))
    };
    let gain = Expr::Arithmetic(at("s2"), ArithmeticOp::Subtract, at("s1"));
    let double = Expr::Arithmetic(Box::new(gain.clone()), ArithmeticOp::Subtract, Box::new(gain.clone()));
    let s = "accuracy[scaffold: s2] - accuracy[scaffold: s1]";
    assert_eq!(formula(&gain), s);
    assert_eq!(formula(&double), format!("{s} - ({s})"));
    let product = Expr::Arithmetic(Box::new(gain.clone()), ArithmeticOp::Multiply, Box::new(accuracy()));
    assert_eq!(formula(&product), format!("({s}) * accuracy"));
    let filtered = Expr::For(Box::new(gain), crate::spec::RecordExpr::Field("document".to_owned()));
    assert_eq!(formula(&filtered), format!("({s}) for document"));
    let spread = Expr::Reduce(ReduceKind::Spread, "scaffold".to_owned(), Box::new(accuracy()));
    assert_eq!(formula(&spread), "spread(accuracy over scaffold)");
}
