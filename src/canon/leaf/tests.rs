//! Paths, limits, order and the manifest's two directions.

use super::*;

fn leaf(path: &str) -> Leaf {
    Leaf::open(path, Value::Bool(true)).unwrap()
}

#[test]
fn paths_are_section_or_section_and_id() {
    for path in ["plan", "hypotheses/H1", "a_1/Z_9", "tasks/easy"] {
        assert_eq!(LeafPath::new(path).unwrap().as_str(), path);
    }
    let path = LeafPath::new("hypotheses/H1").unwrap();
    assert_eq!((path.section(), path.id()), ("hypotheses", Some("H1")));
    let long = "a".repeat(65);
    let (id, section) = (format!("a/{long}"), format!("{long}/a"));
    for path in ["", "/", "a/", "/a", "a/b/c", "A", "a/1", "a/_b", "a/b-c", "a/é", "a b", "../x", &id, &section] {
        assert!(matches!(LeafPath::new(path), Err(LeafError::Path { .. })), "{path}");
    }
}

#[test]
fn leaves_are_sorted_unique_and_bounded() {
    let forward = Leaves::new([leaf("b"), leaf("a/z"), leaf("a")]).unwrap();
    let paths: Vec<&str> = forward.iter().map(|leaf| leaf.path().as_str()).collect();
    assert_eq!(paths, ["a", "a/z", "b"]);
    assert_eq!(forward, Leaves::new([leaf("a"), leaf("b"), leaf("a/z")]).unwrap());
    assert!(matches!(Leaves::new([leaf("a"), leaf("a")]), Err(LeafError::Duplicate { .. })));
    assert_eq!(Leaves::new([]), Err(LeafError::None));
    let many = |n: usize| Leaves::new((0..n).map(|i| leaf(&format!("a/x{i}"))));
    assert!(many(MAX_LEAVES).is_ok());
    assert_eq!(many(MAX_LEAVES + 1), Err(LeafError::TooMany));
}

#[test]
fn a_leaf_cannot_nest_beyond_what_a_file_can_hold() {
    let nested = |n: usize| (0..n).fold(Value::Bool(true), |inner, _| Value::array([inner]));
    assert!(Leaf::open("a", nested(MAX_LEAF_DEPTH)).is_ok());
    assert!(matches!(Leaf::open("a", nested(MAX_LEAF_DEPTH + 1)), Err(LeafError::TooDeep { .. })));
}

#[test]
fn a_manifest_reads_back_and_strictly() {
    let salt = Salt::from_bytes([9; 32]);
    let leaves = Leaves::new([leaf("plan"), Leaf::sealed("hypotheses/S1", Value::Bool(false), salt).unwrap()]).unwrap();
    let manifest = leaves.manifest();
    assert_eq!(Manifest::from_value(&manifest.to_value()), Ok(manifest.clone()));
    let Value::Array(rows) = manifest.to_value() else { panic!() };
    let reversed = Value::array(rows.iter().rev().cloned());
    assert!(matches!(Manifest::from_value(&reversed), Err(LeafError::Order { .. })));
    let twice = Value::array([rows[0].clone(), rows[0].clone()]);
    assert!(matches!(Manifest::from_value(&twice), Err(LeafError::Duplicate { .. })));
    let text = |s: &str| Value::text(s).unwrap();
    let hex = "0".repeat(64);
    for row in [
        vec![text("a"), text("closed"), text(&hex)],
        vec![text("a"), text("open"), text(&"0".repeat(63))],
        vec![text("a"), text("open")],
        vec![text("a"), text("open"), text(&hex), text("")],
        vec![text("a"), Value::Bool(true), text(&hex)],
    ] {
        assert_eq!(Manifest::from_value(&Value::array([Value::Array(row)])), Err(LeafError::Row { row: 0 }));
    }
    assert_eq!(Manifest::from_value(&Value::array([])), Err(LeafError::None));
}

#[test]
fn a_salt_does_not_print() {
    assert_eq!(format!("{:?}", Salt::from_bytes([1; 32])), "Salt(…)");
}
