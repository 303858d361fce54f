use std::collections::HashSet;
use std::net::IpAddr;

use proptest::prelude::*;
use weir_throttle::{Evidence, Manner, PartState, Snapshot};
use weir_units::{Component, Micros, Part, Tick, TimePart, WallTime};

use super::escape::LONGEST;
use super::{CallFields, Counted, FIELDS, Line, OwnFields, RequestId, RequestIds, Verdict, anonymised};

/// The documents' own line, with its addresses filled in and our fields behind the last snapshot.
const SAMPLE: &str = "2010-03-09 15:15:12 192.0.2.10 POST /ews/Exchange.asmx ;RC:bfe35012-30fd-499e-90d6-552d0ca89fab;\
    Init>>Conn:0,AD:30000/30000/0%,CAS:54000/54000/0%,AB:30000/30000/0%,RPC:36000/36000/0%,FC:1000/0,Hash:14366112,Sub:20/0;\
    SoapAction=m:GetDelegate;Version=1;RpcC=14;RpcL=687;LdapC=0;LdapL=0;\
    End(17156.25ms)>>Conn:3,AD:30000/30000/0%,CAS:54000/36907/28%,AB:30000/30000/0%,RPC:36000/35985/0%,FC:1000/0,Hash:14366112,Sub:20/0;\
    OWN 443 Domain\\User 203.0.113.77 - 200 0 0 17468";

static RUNS: Evidence = Evidence::new(Manner::Held);

const OWN: &str =
    "Waited=0ms;Why=-;Policy=-;Verdict=run;Seq=1;Tick=0;Component=EWS;Cost=0/17093250/0/15020;Saw=held;";

const ID: [u8; 16] =
    [0xbf, 0xe3, 0x50, 0x12, 0x30, 0xfd, 0x49, 0x9e, 0x90, 0xd6, 0x55, 0x2d, 0x0c, 0xa8, 0x9f, 0xab];

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn millis(count: u64) -> Micros {
    Micros::new(count * 1000)
}

fn part(allowance: u64, used: u64) -> PartState {
    PartState { allowance: Some(millis(allowance)), used: millis(used) }
}

/// A budget of the documents' sample, of which so much was used in CAS and RPC.
fn snapshot(connections: u32, cas: u64, rpc: u64) -> Snapshot {
    Snapshot {
        connections,
        time: [part(30_000, 0), part(54_000, cas), part(30_000, 0), part(36_000, rpc)],
        find_count: (Some(1000), 0),
        hash: 14_366_112,
        subscriptions: (Some(20), 0),
        waiting: 0,
        hanging: 0,
    }
}

fn own() -> OwnFields<'static> {
    OwnFields {
        waited: Micros::ZERO,
        queued: Micros::ZERO,
        why: None,
        policy: None,
        verdict: Verdict::Run,
        sequence: 1,
        tick: Tick::START,
        component: Some(Component::Ews),
        cost: [0, 17_093_250, 0, 15_020].map(Micros::new),
        found: None,
        evidence: &RUNS,
    }
}

fn sample() -> Line<'static, Snapshot> {
    Line {
        at: WallTime::from_unix_micros(1_268_147_712_999_999),
        server: ip("192.0.2.10"),
        port: 443,
        method: "POST",
        path: "/ews/Exchange.asmx",
        user: Some("Domain\\User"),
        client: ip("203.0.113.77"),
        user_agent: None,
        status: 200,
        taken: Micros::new(17_468_999),
        call: CallFields {
            id: RequestId::from_bytes(ID),
            init: Some(snapshot(0, 0, 0)),
            end: Some(snapshot(3, 17_093, 15)),
            operation: Some("GetDelegate"),
            rpc: Counted { count: 14, took: millis(687) },
            ldap: Counted::default(),
            elapsed: Micros::new(17_156_259),
        },
        own: own(),
    }
}

/// The columns of a line, by their names.
fn column<'a>(line: &'a str, name: &str) -> &'a str {
    let nth = FIELDS.split(' ').position(|field| field == name).unwrap();
    line.split(' ').nth(nth).unwrap()
}

#[test]
fn the_documents_own_line_is_printed_exactly() {
    assert_eq!(sample().to_string(), SAMPLE.replace("OWN", OWN));
}

#[test]
fn our_own_fields_follow_the_last_snapshot() {
    let own = OwnFields {
        waited: Micros::new(1_234_999),
        queued: Micros::ZERO,
        why: Some(Part::Time(TimePart::Cas)),
        policy: Some("Service Accounts; all"),
        verdict: Verdict::Delay,
        sequence: 42,
        tick: Tick::new(123_456_789),
        component: Some(Component::Ews),
        cost: [0, 17_093_250, 0, 15_020].map(Micros::new),
        found: None,
        evidence: &RUNS,
    };
    let line = Line { own, ..sample() }.to_string();
    let fields = "Waited=1234ms;Why=PercentTimeInCAS;Policy=Service+Accounts%3B+all;Verdict=delay;Seq=42;Tick=123456789;Component=EWS;Cost=0/17093250/0/15020;Saw=held;";
    assert_eq!(line, SAMPLE.replace("OWN", fields));
}

#[test]
fn a_request_that_was_charged_to_nobody_shows_no_budget() {
    let sample = sample();
    let call = CallFields { init: None, end: None, operation: None, elapsed: Micros::new(70), ..sample.call };
    let line = Line { call, user: None, status: 401, ..sample }.to_string();
    let query = ";RC:bfe35012-30fd-499e-90d6-552d0ca89fab;SoapAction=-;Version=1;RpcC=14;RpcL=687;LdapC=0;LdapL=0;\
                 End(0.07ms);Waited=0ms;Why=-;Policy=-;Verdict=run;Seq=1;Tick=0;Component=EWS;Cost=0/17093250/0/15020;Saw=held;";
    assert_eq!(column(&line, "cs-uri-query"), query);
    assert_eq!((column(&line, "cs-username"), column(&line, "sc-status")), ("-", "401"));
}

#[test]
fn the_user_agent_s_spaces_become_plus_signs() {
    let line = Line { user_agent: Some("exchangelib/5.4 (python-requests/2.32)"), ..sample() }.to_string();
    assert_eq!(column(&line, "cs(User-Agent)"), "exchangelib/5.4+(python-requests/2.32)");
}

#[test]
fn a_forged_line_feed_stays_within_its_line() {
    let line = Line { user_agent: Some("a\r\n2010-03-09 forged\u{7f}é"), user: Some("jö\thn"), ..sample() }
        .to_string();
    assert_eq!(column(&line, "cs(User-Agent)"), "a%0D%0A2010-03-09+forged%7F%C3%A9");
    assert_eq!(column(&line, "cs-username"), "j%C3%B6%09hn");
}

#[test]
fn a_long_user_agent_is_cut() {
    let line = Line { user_agent: Some(&"x".repeat(LONGEST + 1)), ..sample() }.to_string();
    assert_eq!(column(&line, "cs(User-Agent)").len(), LONGEST);
}

#[test]
fn an_ipv4_client_of_an_ipv6_socket_is_logged_as_ipv4() {
    let line = Line { client: ip("::ffff:203.0.113.77"), server: ip("2001:db8::1"), ..sample() }.to_string();
    assert_eq!((column(&line, "c-ip"), column(&line, "s-ip")), ("203.0.113.77", "2001:db8::1"));
}

#[test]
fn anonymised_addresses_keep_their_network() {
    let cases = [
        ("203.0.113.77", "203.0.113.0"),
        ("::ffff:203.0.113.77", "203.0.113.0"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1::"),
        ("::1", "::"),
    ];
    for (address, expected) in cases {
        assert_eq!(anonymised(ip(address)), ip(expected));
    }
}

#[test]
fn ids_are_guids_that_differ_within_a_process_and_between_two() {
    let random = ring::rand::SystemRandom::new();
    let (ids, others) = (RequestIds::new(&random).unwrap(), RequestIds::new(&random).unwrap());
    let all = (0..10_000).flat_map(|sequence| [ids.of(sequence), others.of(sequence)]);
    assert_eq!(all.collect::<HashSet<_>>().len(), 20_000);
    let one = ids.of(1);
    assert_eq!(one, ids.of(1));
    let text = one.to_string();
    let groups: Vec<usize> = text.split('-').map(str::len).collect();
    assert_eq!(groups, [8, 4, 4, 4, 12]);
    assert_eq!(text.as_bytes()[14], b'4');
    assert!(matches!(text.as_bytes()[19], b'8' | b'9' | b'a' | b'b'));
}

#[test]
fn every_verdict_has_a_word_of_its_own() {
    let words = [
        (Verdict::Unjudged, "-"),
        (Verdict::Run, "run"),
        (Verdict::Delay, "delay"),
        (Verdict::Refuse, "refuse"),
        (Verdict::WouldDelay, "would-delay"),
        (Verdict::WouldRefuse, "would-refuse"),
    ];
    for (verdict, word) in words {
        let line = Line { own: OwnFields { verdict, ..own() }, ..sample() }.to_string();
        assert!(line.contains(&format!(";Verdict={word};")), "{line}");
    }
}

proptest! {
    #[test]
    fn one_request_is_one_line_of_fourteen_columns(
        texts in proptest::collection::vec(any::<String>(), 6), micros in any::<i64>(), taken in any::<u64>(),
    ) {
        let [method, path, user, user_agent, action, policy] = texts.try_into().unwrap();
        let sample = sample();
        let line = Line {
            at: WallTime::from_unix_micros(micros),
            method: &method,
            path: &path,
            user: Some(&user),
            user_agent: Some(&user_agent),
            taken: Micros::new(taken),
            call: CallFields { operation: Some(&action), elapsed: Micros::new(taken), ..sample.call },
            own: OwnFields { policy: Some(&policy), ..own() },
            ..sample
        };
        let text = line.to_string();
        prop_assert!(text.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{}", text);
        prop_assert_eq!(text.split(' ').count(), 14);
        prop_assert!(text.split(' ').all(|column| !column.is_empty()));
        prop_assert_eq!(column(&text, "cs-uri-query").split(';').count(), 20);
    }
}
