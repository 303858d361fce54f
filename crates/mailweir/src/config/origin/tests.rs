use std::path::Path;

use super::super::Config;
use super::super::unserved::unserved;
use super::*;

/// Reads `text`, which has to be right.
fn good(text: &str) -> Config {
    Config::parse(text, "mailweir.toml").unwrap()
}

#[test]
fn before_a_remote_origin_nothing_is_enforced_until_the_file_says_so() {
    let remote = "[origin]\nkind = \"remote\"\nhttp = [\"https://192.0.2.10\"]\n";
    assert!(!good(remote).gateway_settings().throttle.enforce);
    assert!(good(&format!("{remote}[throttle]\nenforce = true")).gateway_settings().throttle.enforce);
    assert!(!good("throttle.enforce = false").gateway_settings().throttle.enforce);
}

#[test]
fn what_is_not_served_before_a_remote_origin_is_said() {
    let quiet = "[listen]\nsmtp = \"\"\nsubmission = \"\"\nimap = \"\"\npop3 = \"\"\n";
    let said = |origin: &str| unserved(&good(&format!("{quiet}[origin]\n{origin}")));
    let remote = "kind = \"remote\"\nhttp = [\"https://192.0.2.10\"]\n";
    assert_eq!(said(remote), Vec::<String>::new());
    let mail = said("kind = \"remote\"\nimap = [\"192.0.2.10:143\"]");
    assert_eq!(
        mail,
        [
            "http and https stay off: origin.kind is \"remote\" and origin.http names no servers",
            "not served by this build, and without effect: origin.imap and origin.pop3"
        ]
    );
    let beside = "[[origin.for]]\ndomains = [\"b.example\"]\nhttp = [\"http://192.0.2.20\"]";
    assert_eq!(
        said(beside),
        ["[[origin.for]] has no effect beside the embedded origin, which answers for everybody"]
    );
    assert_eq!(said(&format!("{remote}{beside}")), Vec::<String>::new());
}

#[test]
fn the_gateway_listens_only_where_something_served_is_behind_it() {
    let listens = |text: &str| {
        let listen = good(text).gateway_settings().listen;
        (listen.http.is_some(), listen.https.is_some())
    };
    assert_eq!(listens(""), (true, true));
    let remote = "[origin]\nkind = \"remote\"\nhttp = [\"https://192.0.2.10\"]";
    assert_eq!(listens(remote), (true, true));
    assert_eq!(listens("[origin]\nkind = \"remote\"\nimap = [\"192.0.2.10:143\"]"), (false, false));
}

#[test]
fn each_remote_origin_has_its_own_servers_and_shares_how_they_are_talked_to() {
    let text = "[origin]\nkind = \"remote\"\nhttp = [\"https://192.0.2.10\", \"http://mail.example.com:8080/\"]\n\
                ca = \"a.pem\"\nconnect_time = \"2s\"\nheaders = 50\nhost = \"server\"\ncheck = \"/health?deep=1\"\n\
                [[origin.for]]\ndomains = [\"B.example\"]\nhttp = [\"http://192.0.2.20\"]\n\
                [[origin.for]]\ndomains = [\"c.example\", \"d.example\"]\nhttp = [\"http://192.0.2.30\"]\nca = \"c.pem\"\n\
                [[origin.for]]\ndomains = [\"mail.example\"]\nimap = [\"192.0.2.40:143\"]";
    let Remotes { usual, others } = good(text).origin.remotes().unwrap();
    let servers: Vec<_> = usual.servers.iter().map(ToString::to_string).collect();
    assert_eq!(servers, ["https://192.0.2.10", "http://mail.example.com:8080"]);
    assert_eq!(usual.ca.as_deref(), Some(Path::new("a.pem")));
    let told: Vec<_> = others
        .iter()
        .map(|(domains, origin)| (domains.join(" "), origin.servers.len(), origin.ca.clone().unwrap()))
        .collect();
    assert_eq!(
        told,
        [("b.example".to_owned(), 1, "a.pem".into()), ("c.example d.example".to_owned(), 1, "c.pem".into())],
        "one without HTTP servers is none for HTTP"
    );
    for origin in std::iter::once(&usual).chain(others.iter().map(|(_, origin)| origin)) {
        assert_eq!((origin.connect_time, origin.headers), (Duration::from_secs(2), 50));
        assert_eq!(origin.forwarding.host, HostHeader::Server);
        let check = origin.check.as_ref().unwrap();
        assert_eq!((check.path.as_str(), check.interval), ("/health?deep=1", Duration::from_secs(10)));
    }
    assert!(good("").origin.remotes().is_none(), "the embedded origin is none");
    let unchecked = good("[origin]\nkind = \"remote\"\nhttp = [\"http://192.0.2.10\"]\ncheck_time = \"1s\"");
    assert_eq!(unchecked.origin.remotes().unwrap().usual.check, None);
}

#[test]
fn a_reload_that_waits_for_another_kind_of_origin_leaves_enforcement_alone() {
    let remote = good("[origin]\nkind = \"remote\"\nhttp = [\"https://192.0.2.10\"]");
    assert!(remote.gateway_settings_before(OriginKind::Embedded).throttle.enforce);
    assert!(!good("").gateway_settings_before(OriginKind::Remote).throttle.enforce);
}
