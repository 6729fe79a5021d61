//! Nothing is overwritten, and what is frozen is found again.

use std::fs;

use super::super::file::tests::registration;
use super::*;

fn bytes_of(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .map(|p| (p.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(p).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn a_freeze_is_stored_once_and_found_again() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("preregistrations/noise");
    assert!(existing(&folder).unwrap().is_empty());
    let frozen = registration(false).freeze().unwrap();
    let path = store(&folder, &frozen).unwrap();
    assert_eq!(bytes_of(&folder), [(frozen.name(), frozen.bytes().to_vec())], "no file is left beside it");
    assert_eq!(existing(&folder).unwrap(), [(path.clone(), frozen.clone())]);

    let mut later = registration(false);
    later.claimed_time = "2027-01-01T00:00:00Z".parse().unwrap();
    let later = later.freeze().unwrap();
    assert!(matches!(store(&folder, &later), Err(StoreError::AlreadyFrozen { path: known }) if known == path));
    let other = registration(true).freeze().unwrap();
    assert!(matches!(store(&folder, &other), Err(StoreError::StudyTaken { path: known }) if known == path));
    assert_eq!(bytes_of(&folder), [(frozen.name(), frozen.bytes().to_vec())]);
}

#[test]
fn nothing_that_is_there_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let frozen = registration(false).freeze().unwrap();
    let taken = dir.path().join(frozen.name());
    fs::write(&taken, b"mine").unwrap();
    assert!(matches!(store(dir.path(), &frozen), Err(StoreError::Invalid { .. })));
    assert!(matches!(write_new(&taken, b"new"), Err(StoreError::Exists { path }) if path == taken));
    let beside = dir.path().join("beside");
    fs::write(&beside, b"new").unwrap();
    for moved in [place(&beside, &taken), claim(&beside, &taken)] {
        assert_eq!(moved.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    }
    assert_eq!(fs::read(&taken).unwrap(), b"mine");
    let free = dir.path().join("free");
    claim(&beside, &free).unwrap();
    assert_eq!(fs::read(&free).unwrap(), b"new");
}

#[test]
fn a_file_left_beside_by_another_process_stays() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.json");
    fs::write(dir.path().join("x.json.new"), b"other").unwrap();
    assert!(matches!(write_new(&path, b"new"), Err(StoreError::Exists { .. })));
    assert_eq!(bytes_of(dir.path()), [("x.json.new".to_owned(), b"other".to_vec())]);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    let real = dir.path().join("real");
    let frozen = registration(false).freeze().unwrap();
    let path = store(&real, &frozen).unwrap();
    let link = dir.path().join("link");
    std::os::unix::fs::symlink(&real, &link).unwrap();
    assert!(matches!(store(&link, &frozen), Err(StoreError::WrongType { .. })));
    let file = dir.path().join(frozen.name());
    std::os::unix::fs::symlink(&path, &file).unwrap();
    assert!(matches!(read_plain(&file, 10_000), Err(StoreError::WrongType { .. })));
    assert!(matches!(existing(dir.path()), Err(StoreError::WrongType { .. })));
}
