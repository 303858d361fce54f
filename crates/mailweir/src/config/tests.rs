use std::time::Duration;

use weir_units::Micros;

use super::*;

/// Reads `text`, which has to be right.
fn good(text: &str) -> Config {
    Config::parse(text, "mailweir.toml").unwrap()
}

/// Reads `text`, which has to be wrong in exactly this way.
#[track_caller]
fn check_bad(text: &str, message: &str) {
    let error = Config::parse(text, "mailweir.toml").expect_err(text);
    assert_eq!(error.to_string(), message, "for {text}");
}

#[test]
fn an_empty_file_is_the_default_configuration() {
    let config = good("");
    assert_eq!(config.data, Path::new("mailweir-data"));
    assert_eq!(config.listen.http, Some("127.0.0.1:8080".parse().unwrap()));
    assert_eq!(config.listen.https, Some("127.0.0.1:8443".parse().unwrap()));
    assert_eq!(config.listen.admin, Some("127.0.0.1:8090".parse().unwrap()));
    assert_eq!(config.listen.imaps, None);
    assert_eq!(config.limits.body_bytes, 150 << 20);
    assert_eq!(config.throttle.gateway.max_delay, Duration::from_mins(1));
    assert!(config.gateway_settings().throttle.enforce, "the embedded origin is enforced");
    assert_eq!(config.policy_cache.idle, Micros::MINUTE.times(5));
    assert_eq!(config.policy_cache.max_age, Micros::MINUTE.times(15));
    assert_eq!(config.mailbox.workers, 4);
    assert_eq!(config.log.requests.keep, Duration::from_hours(30 * 24));
}

#[test]
fn every_loopback_listener_of_the_default_is_on_a_port_of_its_own() {
    let config = good("");
    let mut ports: Vec<_> = config.listen.named().iter().filter_map(|(_, address)| *address).collect();
    assert!(ports.iter().all(|address| address.ip().is_loopback()));
    let before = ports.len();
    ports.sort_unstable();
    ports.dedup();
    assert_eq!(ports.len(), before);
}

#[test]
fn durations_sizes_and_lists_read_in_all_their_spellings() {
    for (text, expected) in [("250ms", 250), ("30s", 30_000), ("5m", 300_000), ("0s", 0), ("10 m", 600_000)] {
        let config = good(&format!("throttle.max_delay = \"{text}\""));
        assert_eq!(config.throttle.gateway.max_delay, Duration::from_millis(expected), "{text}");
    }
    for (text, expected) in [("25MiB", 25 << 20), ("64KiB", 64 << 10), ("1GiB", 1 << 30), ("70000B", 70_000)]
    {
        assert_eq!(good(&format!("[limits]\nbody_bytes = \"{text}\"")).limits.body_bytes, expected, "{text}");
    }
    for (text, expected) in [("0%", 0), ("25%", 25), ("100 %", 100)] {
        assert_eq!(
            good(&format!("warnings.many_owners = \"{text}\"")).warnings.many_owners,
            expected,
            "{text}"
        );
    }
    let ranges =
        good("[listen]\ntrusted_proxies = [\"10.0.0.0/8\", \"2001:db8::/32\", \"192.0.2.1\", \"0.0.0.0/0\"]");
    let ranges: Vec<_> = ranges.listen.trusted_proxies.iter().map(ToString::to_string).collect();
    assert_eq!(ranges, ["10.0.0.0/8", "2001:db8::/32", "192.0.2.1/32", "0.0.0.0/0"]);
    assert_eq!(good("listen.http = \"\"").listen.http, None);
    assert_eq!(good("listen.http = \"[::1]:0\"").listen.http, Some("[::1]:0".parse().unwrap()));
}

#[test]
fn relative_paths_begin_at_the_folder_of_the_file() {
    let text = "data = \"d\"\n[tls]\ncertificate = \"c.pem\"\nkey = \"/etc/k.pem\"";
    let config = Config::parse(text, "/etc/mailweir/mailweir.toml").unwrap();
    assert_eq!(config.data, Path::new("/etc/mailweir/d"));
    let (certificate, key) = config.tls.files().unwrap();
    assert_eq!(
        (certificate.as_path(), key.as_path()),
        (Path::new("/etc/mailweir/c.pem"), Path::new("/etc/k.pem"))
    );
    assert_eq!(Config::parse("", "/etc/mailweir/mailweir.toml").unwrap().data, Path::new("mailweir-data"));
}

#[test]
fn a_mistyped_key_is_told_with_its_line_the_nearest_word_and_what_is_allowed() {
    check_bad(
        "\n[policy_cache]\nidel = \"5m\"",
        "mailweir.toml:3: unknown key policy_cache.idel; did you mean idle? (allowed here: entries, idle, max_age)",
    );
    check_bad(
        "[tls]\ncolour = 1",
        "mailweir.toml:2: unknown key tls.colour (allowed here: certificate, key)",
    );
    check_bad(
        "[polcy_cache]",
        "mailweir.toml:1: unknown key polcy_cache; did you mean policy_cache? (allowed here: admin, block, credentials, data, explain, guard, limits, \
         listen, log, mailbox, mapi, origin, policy_cache, throttle, tls, transport, warnings)",
    );
}

#[test]
fn a_number_without_unit_is_told_how_to_write_it() {
    for (text, message) in [
        (
            "throttle.max_delay = 60",
            "throttle.max_delay: a duration needs a unit: write \"60s\" (units: ms, s, m, h or d)",
        ),
        (
            "throttle.max_delay = \"60\"",
            "throttle.max_delay: \"60\" has no unit; write a duration such as \"30s\", \"5m\" or \"30d\"",
        ),
        (
            "throttle.max_delay = \"60 fortnights\"",
            "throttle.max_delay: unknown unit \"fortnights\"; durations are written in ms, s, m, h or d",
        ),
        (
            "throttle.max_delay = \"-1s\"",
            "throttle.max_delay: \"-1s\" is not a duration such as \"30s\", \"5m\" or \"30d\"",
        ),
        (
            "limits.body_bytes = 25",
            "limits.body_bytes: a size needs a unit: write \"25MiB\" (units: B, KiB, MiB or GiB)",
        ),
        (
            "limits.body_bytes = \"25MB\"",
            "limits.body_bytes: unknown unit \"MB\"; sizes are written in B, KiB, MiB or GiB",
        ),
        ("warnings.many_owners = 25", "warnings.many_owners: a share needs a unit: write \"25%\" (units: %)"),
        (
            "warnings.many_owners = \"101%\"",
            "warnings.many_owners: \"101%\" is out of range; allowed is 0%–100%",
        ),
        (
            "warnings.many_owners = \"some\"",
            "warnings.many_owners: \"some\" is no share; write it as \"25%\"",
        ),
    ] {
        check_bad(text, &format!("mailweir.toml:1: {message}"));
    }
}

#[test]
fn a_value_out_of_range_is_told_the_range() {
    for (text, message) in [
        (
            "throttle.rpc_throttling_factor = 5001",
            "throttle.rpc_throttling_factor: 5001 is out of range; allowed is 0–5000",
        ),
        (
            "throttle.rpc_throttling_factor = -1",
            "throttle.rpc_throttling_factor: -1 is out of range; allowed is 0–5000",
        ),
        (
            "throttle.rpc_throttling_factor = 99999999999999999999",
            "throttle.rpc_throttling_factor: 99999999999999999999 is out of range; allowed is 0–5000",
        ),
        (
            "throttle.rpc_throttling_factor = \"1000\"",
            "throttle.rpc_throttling_factor: a whole number from 0 to 5000 is meant, not string",
        ),
        ("throttle.max_delay = \"11m\"", "throttle.max_delay: \"11m\" is out of range; allowed is 0ms–10m"),
        (
            "throttle.max_delay = \"18446744073709551615d\"",
            "throttle.max_delay: \"18446744073709551615d\" is out of range; allowed is 0ms–10m",
        ),
        ("policy_cache.max_age = \"0s\"", "policy_cache.max_age: \"0s\" is out of range; allowed is 1s–1d"),
        (
            "limits.body_bytes = \"1KiB\"",
            "limits.body_bytes: \"1KiB\" is out of range; allowed is 64KiB–4GiB",
        ),
        (
            "throttle.over_budget = \"wait\"",
            "throttle.over_budget: \"wait\" is unknown; allowed is \"delay\", \"refuse\"",
        ),
        ("throttle.enforce = \"yes\"", "throttle.enforce: write true or false, not string"),
        (
            "log.level = \"a=b=c\"",
            "log.level: \"a=b=c\" is not a level; allowed is error, warn, info, debug, trace, or target=level with commas",
        ),
    ] {
        check_bad(text, &format!("mailweir.toml:1: {message}"));
    }
}

#[test]
fn addresses_are_checked() {
    for (text, message) in [
        (
            "listen.http = \"localhost:8080\"",
            "listen.http: \"localhost:8080\" is not an IP address with a port, such as \"127.0.0.1:8080\" or \"[::1]:8080\"",
        ),
        (
            "listen.http = \"127.0.0.1\"",
            "listen.http: \"127.0.0.1\" is not an IP address with a port, such as \"127.0.0.1:8080\" or \"[::1]:8080\"",
        ),
        ("listen.http = 8080", "listen.http: a text in quotes is meant, not integer"),
        (
            "listen.trusted_proxies = [\"10.0.0.1/8\"]",
            "listen.trusted_proxies: \"10.0.0.1/8\" has bits set behind its prefix; write \"10.0.0.0/8\"",
        ),
        (
            "listen.trusted_proxies = [\"10.0.0.0/33\"]",
            "listen.trusted_proxies: \"10.0.0.0/33\": a prefix of 33 bits is too long; at most 32",
        ),
        (
            "listen.trusted_proxies = [\"ten\"]",
            "listen.trusted_proxies: \"ten\" is not a range of addresses, such as \"10.0.0.0/8\" or \"2001:db8::/32\"",
        ),
        (
            "listen.trusted_proxies = \"10.0.0.0/8\"",
            "listen.trusted_proxies: a list in [ ] is meant, not string",
        ),
    ] {
        check_bad(text, &format!("mailweir.toml:1: {message}"));
    }
    let origin = |key, value| format!("[origin]\nkind = \"remote\"\n{key} = [\"{value}\"]");
    for (key, value) in [
        ("http", "https://192.0.2.10"),
        ("http", "http://mail.example.com:8080/"),
        ("http", "https://[2001:db8::1]:443"),
        ("imap", "192.0.2.10:143"),
        ("pop3", "[2001:db8::1]:110"),
    ] {
        good(&origin(key, value));
    }
    for (key, value) in [
        ("http", "192.0.2.10"),
        ("http", "https://mail.example.com/EWS"),
        ("http", "ftp://mail.example.com"),
        ("http", "https://admin:secret@mail.example.com"),
        ("http", "https://mail.example.com:0"),
        ("http", "https://mail!example.com"),
        ("http", "https://"),
        ("imap", "192.0.2.10"),
        ("imap", "host:0"),
        ("pop3", "two words:110"),
    ] {
        assert!(Config::parse(&origin(key, value), "mailweir.toml").is_err(), "{key} {value}");
    }
}

#[test]
fn two_listeners_on_one_address_are_refused() {
    check_bad(
        "[listen]\nhttp = \"127.0.0.1:9000\"\nhttps = \"127.0.0.1:9000\"",
        "mailweir.toml:3: listen.https is the same address as listen.http (127.0.0.1:9000); give one of them another \
         port, or switch it off with \"\"",
    );
    good("[listen]\nhttp = \"127.0.0.1:0\"\nhttps = \"127.0.0.1:0\"");
}

#[test]
fn keys_that_need_one_another_are_checked_together() {
    for (text, message) in [
        (
            "[tls]\ncertificate = \"c.pem\"",
            "2: tls.certificate is given without tls.key; give both files, or neither for a self-signed certificate",
        ),
        (
            "[tls]\nkey = \"k.pem\"",
            "2: tls.key is given without tls.certificate; give both files, or neither for a self-signed certificate",
        ),
        (
            "[listen]\nproxy_protocol = true",
            "2: listen.proxy_protocol = true believes nobody while listen.trusted_proxies is empty; name the balancers' ranges there",
        ),
        (
            "[origin]\nkind = \"remote\"",
            "2: origin.kind = \"remote\" needs servers: give origin.http, origin.imap or origin.pop3",
        ),
        (
            "[origin]\nhttp = [\"https://192.0.2.10\"]",
            "1: origin names servers, but origin.kind is \"embedded\", which asks none; write kind = \"remote\" or remove the servers",
        ),
        (
            "[origin]\nkind = \"remote\"\nhttp = [\"http://192.0.2.1\"]\n[[origin.for]]\ndomains = [\"b.example\", \"B.example\"]\nhttp = [\"http://192.0.2.2\"]",
            "4: origin.for: the domain \"b.example\" is named twice; one origin answers for it",
        ),
        (
            "[origin]\ncheck = \"health\"",
            "2: origin.check: \"health\" is not the path of a URL, such as \"/owa/healthcheck.htm\"; encode what is not ASCII as %XX",
        ),
        (
            "[policy_cache]\nidle = \"20m\"",
            "2: policy_cache.idle is longer than policy_cache.max_age, which ends every entry before; lower idle or raise max_age",
        ),
        (
            "[limits]\nbodies_bytes = \"1MiB\"",
            "2: limits.bodies_bytes is less than limits.body_bytes: not even one body of that size would fit",
        ),
        (
            "[transport]\nshadow_partners = [\"hub9\"]",
            "2: transport.shadow_partners: no [[transport.server]] is named \"hub9\"",
        ),
    ] {
        check_bad(text, &format!("mailweir.toml:{message}"));
    }
}

#[test]
fn a_section_in_a_list_needs_its_required_keys() {
    check_bad(
        "[[transport.server]]\nname = \"hub04\"",
        "mailweir.toml:1: transport.server.address is missing; allowed is host and port",
    );
    check_bad(
        "[[origin.for]]\ndomains = [\"b.example\"]",
        "mailweir.toml:2: origin.for needs servers: give http, imap or pop3",
    );
    check_bad(
        "[transport.server]\nname = \"a\"",
        "mailweir.toml:1: transport.server is a list of sections: write [[transport.server]], at most 1000 times",
    );
    check_bad("listen = 3", "mailweir.toml:1: listen is a section: write [listen], not a value (integer)");
}

#[test]
fn all_mistakes_of_a_file_are_told_at_once_in_the_order_of_their_lines() {
    check_bad(
        "[throttle]\nmax_delay = 60\n[listen]\nhttp = \"x\"\n[log]\nkeep = \"1h\"",
        "mailweir.toml:2: throttle.max_delay: a duration needs a unit: write \"60s\" (units: ms, s, m, h or d)\n\
         mailweir.toml:4: listen.http: \"x\" is not an IP address with a port, such as \"127.0.0.1:8080\" or \"[::1]:8080\"\n\
         mailweir.toml:6: log.keep: \"1h\" is out of range; allowed is 1d–3660d",
    );
}

#[test]
fn what_is_no_toml_is_told_with_its_line() {
    let error = Config::parse("[throttle]\nmax_delay = = 3", "mailweir.toml").unwrap_err().to_string();
    assert!(error.starts_with("mailweir.toml:2: not TOML: "), "{error}");
    let error = Config::parse("data = \"a\"\ndata = \"b\"", "mailweir.toml").unwrap_err().to_string();
    assert!(error.starts_with("mailweir.toml:2: not TOML: duplicate key"), "{error}");
}

#[test]
fn a_file_that_is_not_there_is_told_by_its_name() {
    let error = Config::load(Path::new("/nonexistent/mailweir.toml")).unwrap_err().to_string();
    assert_eq!(
        error,
        "cannot read the configuration /nonexistent/mailweir.toml: No such file or directory (os error 2); give its \
         path with --config"
    );
}

#[test]
fn what_this_build_does_not_serve_is_said() {
    let quiet = "[listen]\nimap = \"\"\npop3 = \"\"\n";
    assert_eq!(unserved(&good(quiet)), Vec::<String>::new());
    assert_eq!(
        unserved(&good("")),
        ["not served by this build, these listeners stay off: imap 127.0.0.1:1143, pop3 127.0.0.1:1110"]
    );
    let text = format!(
        "{quiet}[origin]\nkind = \"remote\"\nhttp = [\"http://127.0.0.1:1\"]\nimap = [\"127.0.0.1:2\"]"
    );
    assert!(
        unserved(&good(&text))
            .iter()
            .any(|line| line.contains("without effect: origin.imap and origin.pop3"))
    );
}

#[test]
fn the_catalogue_holds_every_key_once() {
    let keys = keys();
    let mut paths: Vec<_> = keys.iter().map(Key::path).collect();
    assert!(
        paths.contains(&"data".to_owned())
            && paths.contains(&"transport.receive_connector.bindings".to_owned())
    );
    let before = paths.len();
    paths.sort_unstable();
    paths.dedup();
    assert_eq!(paths.len(), before);
}

#[test]
fn a_default_that_is_written_out_changes_nothing() {
    let default = format!("{:?}", Config::default());
    let lists =
        ["block", "origin.for", "transport.server", "transport.site_link", "transport.send_connector"];
    let lists = lists.into_iter().chain(["transport.receive_connector"]).collect::<Vec<_>>();
    for key in keys().into_iter().filter(|key| !lists.contains(&key.section.as_str())) {
        let Some(value) = &key.default else { continue };
        let config = good(&format!("{} = {value}", key.path()));
        assert_eq!(format!("{config:?}"), default, "{} = {value}", key.path());
    }
}

#[test]
fn keys_that_only_a_start_reads_are_named_where_they_changed() {
    let before = good("[listen]\nhttp = \"127.0.0.1:1\"");
    assert!(before.waits_for_restart(&before).is_empty());
    let after =
        good("[listen]\nhttp = \"127.0.0.1:2\"\n[throttle]\nmax_delay = \"1s\"\n[log]\nkeep = \"2d\"");
    assert_eq!(before.waits_for_restart(&after), ["listen.http", "log.keep"]);
    let origin = |first: &str, rest: &str| {
        good(&format!(
            "[origin]\nkind = \"remote\"\nhttp = [\"http://192.0.2.1\"]\n{rest}\n[[origin.for]]\ndomains = [\"{first}\"]\n\
             http = [\"http://192.0.2.2\"]\n[[origin.for]]\ndomains = [\"b.example\"]\nhttp = [\"http://192.0.2.3\"]"
        ))
    };
    let (before, after) = (origin("a.example", ""), origin("c.example", "check = \"/\"\nca = \"ca.pem\""));
    assert_eq!(
        before.waits_for_restart(&after),
        ["origin.ca", "origin.check", "origin.for.domains"],
        "a section of a list that is not the last, and keys without a default"
    );
}

#[test]
fn who_is_believed_about_clients_reaches_the_gateway() {
    let text = "[listen]\ntrusted_proxies = [\"10.0.0.0/8\"]\nproxy_protocol = true";
    let listen = good(text).gateway_settings().listen;
    assert_eq!(listen.trusted_proxies, ["10.0.0.0/8".parse().unwrap()]);
    assert!(listen.proxy_protocol);
}

#[test]
fn whatever_a_file_holds_reading_it_only_complains() {
    let deep = |open: &str, close: &str| format!("data = {}{}", open.repeat(20_000), close.repeat(20_000));
    for text in [
        "\u{0}",
        "\u{feff}data = 1",
        "data = 1979-05-27T07:32:00Z",
        "listen = [[1]]",
        "transport.server = [1]",
        "transport.server = [{ name = \"a\" }, 3]",
        "ü.\"\".x = \"\\u0000\"",
        "data = \"\"\"\n\n\"\"\"",
        "[limits]\nheaders = 0x7fffffffffffffffffff",
        "[listen]\ntrusted_proxies = [\"::ffff:1.2.3.4/200\", \"/\", \"1.2.3.4/\", \"::1/-1\"]",
        &deep("[", "]"),
        &deep("{a=", "}"),
        &format!("listen.trusted_proxies = [{}]", "\"10.0.0.0/8\",".repeat(1_001)),
    ] {
        let shown: String = text.chars().take(40).collect();
        let error = Config::parse(text, "mailweir.toml").expect_err(&shown).to_string();
        assert!(error.starts_with("mailweir.toml:"), "{shown}: {error}");
    }
}
