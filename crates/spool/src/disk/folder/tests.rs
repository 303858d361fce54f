use std::os::unix::fs::PermissionsExt;

use super::*;

#[test]
fn a_folder_has_one_user_at_a_time() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("spool");
    let first = Folder::open(&path).unwrap();
    let error = Folder::open(&path).unwrap_err();
    assert!(matches!(error, FolderError::InUse { .. }));
    assert!(error.to_string().contains("in use by another process"), "{error}");
    drop(first);
    Folder::open(&path).unwrap();
}

#[test]
fn a_folder_that_cannot_be_made_says_where_and_why() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("file");
    fs::write(&path, "").unwrap();
    let error = Folder::open(&path).unwrap_err();
    assert!(error.to_string().contains("file"), "{error}");
}

#[test]
fn files_come_are_written_cut_and_go() {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder::open(place.path()).unwrap();
    let file = folder.create("a").unwrap();
    assert!(folder.create("a").is_err());
    assert_eq!(DiskFile::write_at(&file, b"hello", 2).unwrap(), 5);
    file.truncate(4).unwrap();
    file.sync().unwrap();
    let mut buffer = [9; 8];
    assert_eq!(DiskFile::read_at(&folder.open("a").unwrap(), &mut buffer, 0).unwrap(), 4);
    assert_eq!((buffer, file.length().unwrap()), (*b"\0\0he\x09\x09\x09\x09", 4));
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert!(folder.names().unwrap().contains(&"a".to_owned()));
    folder.remove("a").unwrap();
    folder.sync_names().unwrap();
    assert_eq!(folder.names().unwrap(), [LOCK]);
}
