//! Path rules, links, case, size and references.

use std::fs;

use super::*;

fn fault(path: &str) -> PathFault {
    InputPath::new(path).expect_err(path)
}

#[test]
fn only_safe_paths_are_paths() {
    for path in ["a", "data/tasks.csv", ".hidden/x", "a b/é.txt", "...x", "a/..b"] {
        assert_eq!(InputPath::new(path).unwrap().as_str(), path);
    }
    assert_eq!(fault(""), PathFault::Length { bytes: 0 });
    assert_eq!(fault(&"a".repeat(513)), PathFault::Length { bytes: 513 });
    assert_eq!(fault("/etc/passwd"), PathFault::Absolute);
    for path in ["..", "../x", "a/../b", "a/.."] {
        assert_eq!(fault(path), PathFault::Parent, "{path}");
    }
    for path in [".", "./a", "a/./b", "a//b", "a/"] {
        assert_eq!(fault(path), PathFault::EmptyPart, "{path}");
    }
    for (path, character) in [("a\\b", '\\'), ("C:/x", ':'), ("a\nb", '\n'), ("a\tb", '\t')] {
        assert_eq!(fault(path), PathFault::Character { character });
    }
    assert_eq!(fault("a./b"), PathFault::TrailingDot);
    assert_eq!(fault("a "), PathFault::TrailingDot);
    assert!(matches!(fault("e\u{301}"), PathFault::Text(_)));
    assert!(matches!(fault("a\0b"), PathFault::Text(_)));
}

#[test]
fn paths_that_some_system_confuses_are_found() {
    let paths = |list: &[&str]| list.iter().map(|p| InputPath::new(*p).unwrap()).collect::<Vec<_>>();
    assert_eq!(clashes(&paths(&["a", "b/a", "b/c", "a"])), []);
    let clash = |list: &[&str]| clashes(&paths(list)).into_iter().map(|(p, f)| (p.to_string(), f)).collect::<Vec<_>>();
    assert_eq!(clash(&["A", "a"]), [("a".into(), PathFault::CaseClash { other: "A".into() })]);
    assert_eq!(clash(&["STRASSE", "straße"]).len(), 1);
    assert_eq!(clash(&["a", "A/b"]), [("a".into(), PathFault::FileAndFolder { other: "A/b".into() })]);
}

#[test]
fn an_input_is_read_once_with_its_digest() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("data")).unwrap();
    fs::write(dir.path().join("data/x.txt"), b"abc").unwrap();
    let path = InputPath::new("data/x.txt").unwrap();
    let input = read_input(dir.path(), &path, 3).unwrap();
    assert_eq!(input.bytes, b"abc");
    assert_eq!(input.id.to_hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert!(matches!(read_input(dir.path(), &path, 2), Err(InputError::TooLarge { bytes: 3, limit: 2 })));
    let reference = input.reference();
    let value = reference.to_value().unwrap();
    assert_eq!(InputRef::collect(&Value::array([Value::Bool(true), value])), [Ok(reference)]);
}

#[test]
fn odd_files_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    fs::create_dir(root.join("d")).unwrap();
    fs::write(root.join("d/x"), b"1").unwrap();
    fs::write(root.join("f"), b"1").unwrap();
    let read = |path: &str| match read_input(root, &InputPath::new(path).unwrap(), 10) {
        Err(InputError::Path(fault)) => fault,
        other => panic!("{path}: {other:?}"),
    };
    assert_eq!(read("absent"), PathFault::Missing);
    assert_eq!(read("absent/x"), PathFault::Missing);
    assert_eq!(read("d"), PathFault::WrongType { part: "d".into() });
    assert_eq!(read("f/x"), PathFault::WrongType { part: "f".into() });
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(root.join("f"), root.join("link")).unwrap();
        std::os::unix::fs::symlink(root.join("d"), root.join("folder")).unwrap();
        assert_eq!(read("link"), PathFault::Symlink { part: "link".into() });
        assert_eq!(read("folder/x"), PathFault::Symlink { part: "folder".into() });
        let socket = std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap();
        assert_eq!(read("socket"), PathFault::WrongType { part: "socket".into() });
        drop(socket);
    }
    fs::write(root.join("F"), b"2").unwrap();
    assert_eq!(read("f"), PathFault::CaseClash { other: "F".into() });
}

#[test]
fn malformed_references_do_not_pass_as_other_objects() {
    let text = |s: &str| Value::text(s).unwrap();
    let hex = "0".repeat(64);
    let one = Value::integer(1).unwrap();
    let good = [("path", text("a")), ("sha256", text(&hex)), ("bytes", one.clone())];
    assert!(InputRef::collect(&Value::object(good.clone()).unwrap())[0].is_ok());
    let shape = |members: Vec<(&str, Value)>| InputRef::collect(&Value::object(members).unwrap());
    let mut extra = good.to_vec();
    extra.push(("note", text("x")));
    assert_eq!(shape(extra), [Err(RefFault::Shape)]);
    assert_eq!(shape(vec![("sha256", text(&hex))]), [Err(RefFault::Shape)]);
    let mut negative = good.to_vec();
    negative[2].1 = Value::integer(-1).unwrap();
    assert_eq!(shape(negative), [Err(RefFault::Shape)]);
    let mut upper = good.to_vec();
    upper[1].1 = text(&"A".repeat(64));
    assert_eq!(shape(upper), [Err(RefFault::Shape)]);
    assert_eq!(shape(vec![("path", text("a")), ("bytes", one)]), []);
}
