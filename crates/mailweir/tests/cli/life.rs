//! A server's life: start, one a directory, stop.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;

use crate::program::{CONFIG, Server, folder, run_in};

#[test]
fn a_demo_greets_with_addresses_and_accounts() {
    let server = Server::demo();
    for listener in ["http", "https", "admin"] {
        let address = server.address(listener);
        assert_ne!(address.port(), 0, "the port that was chosen is told");
        TcpStream::connect(address).unwrap();
    }
    let greeting = server.greeting.join("\n");
    for account in ["JohnDoe", "JaneDoe", "KenMalcolmson", "john.doe@example.com", "demo-password"] {
        assert!(greeting.contains(account), "{greeting}");
    }
    let written = fs::read_to_string(server.data().join("admin-address")).unwrap();
    assert_eq!(written.trim(), server.address("admin").to_string());
    let token = fs::metadata(server.data().join("admin-token")).unwrap();
    assert_eq!(token.permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_second_server_on_the_same_directory_is_refused_and_told_the_first_ones_process() {
    let server = Server::demo();
    let why = run_in(server.folder(), &["serve"], "").refused();
    let process = fs::read_to_string(server.data().join("lock")).unwrap();
    assert!(why.starts_with(&format!("a server (process {}) already runs", process.trim())), "{why}");
    server.run("policy list").good();
}

#[test]
fn told_to_stop_a_server_ends_well_and_the_next_one_finds_everything() {
    let server = Server::demo();
    server.run("policy new Kept --set EWSMaxConcurrency=3").good();
    server.signal("TERM");
    let (status, folder) = server.end();
    assert_eq!(status, 0);
    let why = run_in(folder.path(), &["policy", "list"], "").refused();
    assert!(why.starts_with("no server is running on the data directory mailweir-data"), "{why}");
    assert!(why.contains("mailweir serve"), "it says how to start one: {why}");

    let server = Server::start(folder, &["serve", "--demo"]);
    assert!(
        server.greeting.iter().any(|line| line.contains("JohnDoe")),
        "the demo's accounts are told again"
    );
    server.run("policy show Kept").good();
    server.signal("INT");
    assert_eq!(server.end().0, 0);
}

#[test]
fn a_demo_never_touches_a_directory_with_something_of_its_own() {
    let server = Server::start(folder(CONFIG), &["serve"]);
    server.run("organisation new Own --domain own.example --short-name O").good();
    server.signal("TERM");
    let (_, folder) = server.end();
    let server = Server::start(folder, &["serve", "--demo"]);
    assert!(
        server.greeting.contains(&"the data directory is not empty: --demo adds nothing to it".to_owned())
    );
    assert_eq!(server.run("mailbox list").good(), "there are no mailboxes\n");
}

#[test]
fn an_address_in_use_is_told_with_its_listener() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    for listener in ["http", "admin"] {
        let config = CONFIG
            .replace(&format!("\n{listener} = \"127.0.0.1:0\""), &format!("\n{listener} = \"{address}\""));
        let folder = folder(&config);
        let why = run_in(folder.path(), &["serve"], "");
        assert_eq!(why.status, 1);
        let last = why.err.lines().last().unwrap();
        assert_eq!(
            last,
            format!(
                "mailweir: cannot listen on {address} ({listener}): Address already in use (os error 98); choose another \
                 address under [listen], or stop what uses it"
            )
        );
        assert!(!folder.path().join("mailweir-data/admin-address").exists());
    }
}

#[test]
fn a_server_is_found_by_url_and_token_and_a_wrong_token_is_refused() {
    let server = Server::demo();
    let elsewhere = tempfile::tempdir().unwrap();
    let url = format!("http://{}", server.address("admin"));
    let token = server.data().join("admin-token");
    let words = ["--server", &url, "--token-file", token.to_str().unwrap(), "policy", "list"];
    run_in(elsewhere.path(), &words, "").good();
    let wrong = elsewhere.path().join("wrong");
    fs::write(&wrong, "0123456789abcdef0123456789abcdef\n").unwrap();
    let words = ["policy", "list", "--server", &url, "--token-file", wrong.to_str().unwrap()];
    let why = run_in(elsewhere.path(), &words, "").refused();
    assert!(why.starts_with("the server does not accept the token in "), "{why}");
    let data = server.data();
    run_in(elsewhere.path(), &["policy", "list", "--data", data.to_str().unwrap()], "").good();
}

#[test]
fn without_a_server_commands_say_how_to_start_one() {
    let folder = tempfile::tempdir().unwrap();
    let why = run_in(folder.path(), &["mailbox", "list", "--data", "nowhere"], "").refused();
    assert_eq!(
        why,
        "no server is running on the data directory nowhere: there is no file nowhere/admin-address; start one with \
         `mailweir serve --data nowhere`, or name another data directory with --data"
    );
}

#[test]
fn connections_that_idle_do_not_hold_a_stop_up() {
    let server =
        Server::start(folder(&format!("{CONFIG}[limits]\ndrain_time = \"5s\"\n")), &["serve", "--demo"]);
    let silent = TcpStream::connect(server.address("http")).unwrap();
    let mut idle = TcpStream::connect(server.address("http")).unwrap();
    idle.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut answer = [0; 16];
    idle.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 404 Not");
    server.signal("TERM");
    let (status, _folder, said) = server.end_with_messages();
    assert_eq!(status, 0);
    assert!(!said.iter().any(|line| line.contains("cut off")), "{said:?}");
    drop(silent);
}

#[test]
fn an_address_that_a_killed_server_left_behind_misleads_nobody() {
    let server = Server::demo();
    server.signal("KILL");
    let (_, folder) = server.end();
    let why = run_in(folder.path(), &["policy", "list"], "").refused();
    assert!(why.starts_with("no server answers at 127.0.0.1:"), "{why}");
    let off = format!("{}admin = \"\"\n", CONFIG.replace("admin = \"127.0.0.1:0\"\n", ""));
    fs::write(folder.path().join("mailweir.toml"), off).unwrap();
    let server = Server::start(folder, &["serve"]);
    let why = server.run("policy list").refused();
    assert!(why.starts_with("no server is running"), "the API is off, and the old address is gone: {why}");
}
