use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;

#[test]
fn a_second_server_is_told_the_first_ones_process() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("a/b");
    let first = Lock::take(&data).unwrap();
    assert_eq!(
        Lock::take(&data).unwrap_err().to_string(),
        format!(
            "a server (process {}) already runs on the data directory {}; stop it, or name another directory with --data",
            std::process::id(),
            data.display()
        )
    );
    drop(first);
    Lock::take(&data).unwrap();
}

#[test]
fn a_lock_file_that_was_left_behind_locks_nobody_out() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(FILE), "123456789\nand more").unwrap();
    let _lock = Lock::take(folder.path()).unwrap();
    assert_eq!(fs::read_to_string(folder.path().join(FILE)).unwrap(), format!("{}\n", std::process::id()));
}

#[test]
fn a_directory_that_is_made_is_closed_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let _lock = Lock::take(&data).unwrap();
    assert_eq!(fs::metadata(&data).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn what_is_no_directory_is_refused_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let error = Lock::take(&file).unwrap_err().to_string();
    assert!(error.starts_with(&format!("cannot use the data directory {}: ", file.display())), "{error}");
}
