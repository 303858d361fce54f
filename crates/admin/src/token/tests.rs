use super::*;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_token_is_made_once_and_only_its_owner_may_read_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(TOKEN_FILE);
    let check = TokenCheck::open(&path).unwrap();
    let token = fs::read_to_string(&path).unwrap();
    assert_eq!(token.trim().len(), 64);
    assert_eq!(mode(&path), 0o600);
    assert!(check.accepts(token.trim()));
    let again = TokenCheck::open(&path).unwrap();
    assert!(again.accepts(token.trim()), "the second start keeps the token");
    assert_eq!(fs::read_to_string(&path).unwrap(), token);
}

#[test]
fn anything_but_the_token_is_refused() {
    let check = TokenCheck::new("0123456789abcdef0123456789abcdef").unwrap();
    for wrong in ["", "0123456789abcdef0123456789abcde", "0123456789ABCDEF0123456789ABCDEF"] {
        assert!(!check.accepts(wrong), "{wrong:?}");
    }
    assert!(check.accepts("0123456789abcdef0123456789abcdef"));
}

#[test]
fn a_token_file_that_everybody_can_read_is_closed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(TOKEN_FILE);
    fs::write(&path, "a".repeat(40)).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    assert!(TokenCheck::open(&path).unwrap().accepts(&"a".repeat(40)));
    assert_eq!(mode(&path), 0o600);
}

#[test]
fn an_empty_token_file_is_filled_and_a_short_one_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(TOKEN_FILE);
    fs::write(&path, "\n").unwrap();
    assert!(!TokenCheck::open(&path).unwrap().accepts(""));
    fs::write(&path, "secret").unwrap();
    let error = TokenCheck::open(&path).unwrap_err().to_string();
    assert!(error.contains("has 6 letters, at least 32 are needed"), "{error}");
}

#[test]
fn a_directory_that_is_missing_is_named() {
    let error = Tokens::open(Path::new("/does/not/exist")).unwrap_err().to_string();
    assert!(error.contains("/does/not/exist/admin-token"), "{error}");
}

#[test]
fn debug_shows_nothing_of_the_token() {
    let check = TokenCheck::new("0123456789abcdef0123456789abcdef").unwrap();
    assert_eq!(format!("{check:?}"), "TokenCheck");
}

#[test]
fn the_address_file_is_replaced_whole() {
    let directory = tempfile::tempdir().unwrap();
    for address in ["127.0.0.1:8090", "[::1]:1"] {
        publish_address(directory.path(), address.parse().unwrap()).unwrap();
        assert_eq!(read_small(&directory.path().join(ADDRESS_FILE)).unwrap().trim(), address);
    }
}

#[test]
fn a_server_that_stopped_leaves_no_address() {
    let directory = tempfile::tempdir().unwrap();
    publish_address(directory.path(), "127.0.0.1:8090".parse().unwrap()).unwrap();
    for _ in 0..2 {
        withdraw_address(directory.path()).unwrap();
        assert!(!directory.path().join(ADDRESS_FILE).exists());
    }
}

#[test]
fn each_token_has_its_role() {
    let directory = tempfile::tempdir().unwrap();
    let tokens = Tokens::open(directory.path()).unwrap();
    for (file, role) in [(TOKEN_FILE, Role::Administrator), (READ_ONLY_TOKEN_FILE, Role::Helpdesk)] {
        let path = directory.path().join(file);
        assert_eq!(mode(&path), 0o600, "{file}");
        assert_eq!(tokens.role(read_small(&path).unwrap().trim()), Some(role), "{file}");
    }
    assert_eq!(tokens.role(""), None);
}
