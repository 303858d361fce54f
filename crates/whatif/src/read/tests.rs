use weir_throttle::{OverBudget, Verdict};
use weir_units::{Component, Micros, Part, TimePart};

use super::{Call, Parsed, Reader, component_of, seconds, unescaped};
use crate::format::Format;

/// The one call in `text`, whose other lines say nothing.
#[track_caller]
fn call(format: Format, text: &str, check: impl FnOnce(&Call<'_>)) {
    let mut reader = Reader::new(format);
    let mut check = Some(check);
    for line in text.lines() {
        match reader.read(line) {
            Parsed::Call(call) => check.take().expect("one call")(&call),
            Parsed::Nothing => {}
            Parsed::Malformed(why) => panic!("{why}: {line}"),
        }
    }
    assert!(check.is_none(), "there is a call");
}

#[track_caller]
fn malformed(format: Format, text: &str) {
    let mut reader = Reader::new(format);
    let last = text.lines().map(|line| matches!(reader.read(line), Parsed::Malformed(_))).last();
    assert_eq!(last, Some(true), "{text}");
}

/// Microseconds since 1970 of 2026-11-30 10:35:08.
const AT: i64 = 1_796_034_908_000_000;

fn ms(count: u64) -> Micros {
    Micros::new(count * 1000)
}

const OWN: &str = "2026-11-30 10:35:08 127.0.0.1 POST /EWS/Exchange.asmx ;RC:0b9c;\
    Init>>Conn:0,AD:30000/30000/0%,CAS:54000/-100/90%,AB:$null/$null/0%,RPC:36000/36000/0%,FC:1000/0,Hash:1,Sub:5000/3;\
    SoapAction=m:FindItem;Version=1;RpcC=1;RpcL=12;LdapC=0;LdapL=0;\
    End(1262.50ms)>>Conn:1,AD:30000/30000/0%,CAS:54000/1/0%,AB:$null/$null/0%,RPC:36000/36000/0%,FC:1000/25,Hash:1,Sub:5000/3;\
    Waited=1250ms;Why=PercentTimeInCAS;Policy=Archivers;Verdict=delay;Seq=7;Tick=99000000;Component=EWS;\
    Cost=5/12500/0/12000;Found=25/paged;\
    Saw=held,MaxConcurrency:0/10,turn:refuse:0:CAS=0/54000000; \
    8080 john.doe@example.com 127.0.0.1 Exchanger/1.0 200 0 0 1262";

#[test]
fn a_line_of_ours_says_everything() {
    call(Format::Mailweir, OWN, |call| {
        assert_eq!((call.logged, call.tick, call.arrived), (AT, Some(99_000_000), None));
        assert_eq!(
            (&*call.user, &*call.agent, &*call.policy),
            ("john.doe@example.com", "Exchanger/1.0", "Archivers")
        );
        assert_eq!((call.operation, call.component), ("FindItem", Some(Component::Ews)));
        assert_eq!((call.taken, call.waited, call.found), (ms(1262), ms(1250), Some((25, true))));
        assert_eq!(call.cost, [5, 12_500, 0, 12_000].map(Micros::new));
        assert_eq!(call.verdict, Some((Verdict::Delay, Some(Part::Time(TimePart::Cas)))));
        assert_eq!(call.allowed.time, [Some(ms(30_000)), Some(ms(54_000)), None, Some(ms(36_000))]);
        assert_eq!((call.allowed.places, call.allowed.find_count), (Some(10), Some(1000)));
        assert_eq!((call.allowed.subscriptions, call.subscriptions), (Some(5000), Some(3)));
        assert_eq!((call.allowed.over_budget, call.hangs), (OverBudget::Refuse, false));
        assert_eq!(
            call.evidence.as_ref().map(ToString::to_string).as_deref(),
            OWN.split("Saw=").nth(1).unwrap().split(';').next()
        );
    });
}

#[test]
fn a_line_of_ours_that_is_wrong_somewhere_is_told_apart() {
    for (from, to) in [
        ("2026-11-30", "2026-11-31"),
        ("10:35:08", "25:35:08"),
        ("Cost=5/", "Cost=5/1/"),
        ("Verdict=delay", "Verdict=perhaps"),
        ("Why=PercentTimeInCAS", "Why=Reasons"),
        ("Waited=1250ms", "Waited=long"),
        ("Saw=held", "Saw=hold"),
        ("Tick=99000000", "Tick=-1"),
        ("Found=25/paged", "Found=25"),
        (" 200 0 0 1262", " 200 0 0 soon"),
        (" 200 0 0 1262", " 200 0 0"),
        (" 200 0 0 1262", " 200 0 0 1262 1"),
    ] {
        assert!(OWN.contains(from), "{from}");
        malformed(Format::Mailweir, &OWN.replace(from, to));
    }
}

#[test]
fn the_documents_own_line_is_read() {
    let text = "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) sc-status sc-substatus sc-win32-status time-taken\n\
        2010-03-09 15:15:12 192.0.2.10 POST /ews/Exchange.asmx ;RC:bfe35012-30fd-499e-90d6-552d0ca89fab;\
        Init>>Conn:0,AD:30000/30000/0%,CAS:54000/54000/0%,AB:30000/30000/0%,RPC:36000/36000/0%,FC:1000/0,Hash:14366112,Sub:20/0;\
        SoapAction=m:GetDelegate;Version=1;RpcC=14;RpcL=687;LdapC=0;LdapL=0;\
        End(17156.25ms)>>Conn:3,AD:30000/30000/0%,CAS:54000/36907/28%,AB:30000/30000/0%,RPC:36000/35985/0%,FC:1000/0,Hash:14366112,Sub:20/0; \
        443 Domain\\User 203.0.113.77 - 200 0 0 17468";
    call(Format::Iis, text, |call| {
        assert_eq!((call.logged, call.taken), (1_268_147_712_000_000, ms(17_468)));
        assert_eq!((&*call.user, call.client, &*call.agent), ("Domain\\User", "203.0.113.77", ""));
        assert_eq!((call.operation, call.component), ("GetDelegate", Some(Component::Ews)));
        assert_eq!(call.cost, [Micros::ZERO, Micros::new(17_156_250), Micros::ZERO, ms(687)]);
        assert_eq!(call.allowed.time, [30_000, 54_000, 30_000, 36_000].map(|count| Some(ms(count))));
        assert_eq!((call.allowed.subscriptions, call.subscriptions), (Some(20), Some(0)));
        assert_eq!((call.verdict, call.evidence.is_none()), (None, true));
    });
}

#[test]
fn columns_of_iis_come_in_any_order_and_some_are_missing() {
    let text = "#Software: Microsoft Internet Information Services 7.5\n\
        #Fields: time cs-username date time-taken sc-status\n\
        10:35:08 john 2026-11-30 20 200\n";
    call(Format::Iis, text, |call| {
        assert_eq!((call.logged, &*call.user, call.taken, call.component), (AT, "john", ms(20), None));
    });
    malformed(Format::Iis, "10:35:08 john 2026-11-30 20 200");
    malformed(Format::Iis, "#Fields: time cs-username\n10:35:08 john");
}

#[test]
fn the_budget_of_the_first_service_pack_is_read_too() {
    let ews = ";Init>>Conn:1,HangingConn:0,AD:$null/$null/0%,CAS:$null/$null/1%,AB:$null/$null/0%,RPC:60000/59000/0%,\
        FC:1000/0,Policy:DefaultThrottlingPolicy^Archivers,Norm,Sub:5000/2;SoapAction=Subscribe;Version=1;RpcL=95;LdapL=3;End(109ms)>>Conn:2;";
    let text = |query: &str| {
        format!(
            "#Fields: date time cs-uri-stem cs-uri-query time-taken\n2026-11-30 10:35:08 /EWS/Exchange.asmx {query} 109"
        )
    };
    call(Format::Iis, &text(ews), |call| {
        assert_eq!((&*call.policy, call.operation, call.subscriptions), ("Archivers", "Subscribe", Some(2)));
        assert_eq!(call.allowed.time, [None, None, None, Some(ms(60_000))]);
        assert_eq!(call.cost, [ms(3), ms(109), Micros::ZERO, ms(95)]);
    });
    let active_sync = "Cmd=Ping&User=john&DeviceType=phone&Log=V141_Budget%3a(D)Conn%3a1%2cHangingConn%3a1%2cAD%3a%24null%2f%24null%2f0%25%2c\
        CAS%3a54000%2f54000%2f0%25%2cAB%3a%24null%2f%24null%2f0%25%2cRPC%3a%24null%2f%24null%2f0%25%2cFC%3a1000%2f0%2c\
        Policy%3aDefaultThrottlingPolicy%5eArchivers%2cNorm%5bResources%3a(DC)dc1%5d_";
    call(Format::Iis, &text(active_sync), |call| {
        assert_eq!((&*call.policy, call.operation, call.hangs), ("Archivers", "Ping", true));
        assert_eq!((call.allowed.time[1], call.allowed.find_count), (Some(ms(54_000)), Some(1000)));
    });
}

#[test]
fn combined_logs_of_nginx_are_read_with_and_without_our_fields() {
    let combined = r#"127.0.0.1 - EX\x5Cjohn [30/Nov/2026:11:35:08 +0100] "POST /EWS/Exchange.asmx?a=b HTTP/1.1" 200 5 "-" "Exchanger/1.0 \x22beta\x22|x""#;
    call(Format::Nginx, combined, |call| {
        assert_eq!((call.logged, &*call.user, call.client), (AT, "EX\\john", "127.0.0.1"));
        assert_eq!((&*call.agent, call.path), ("Exchanger/1.0 \"beta\"|x", "/EWS/Exchange.asmx"));
        assert_eq!((call.component, call.taken), (Some(Component::Ews), Micros::ZERO));
    });
    let ours = format!("{combined} request_time=0.253 upstream_time=0.100, 0.150 : 0.001");
    call(Format::Nginx, &ours, |call| {
        assert_eq!((call.taken, call.cost), (ms(253), [Micros::ZERO, ms(253), Micros::ZERO, ms(251)]));
    });
    let failed = format!("{combined} request_time=0.001 upstream_time=-");
    call(Format::Nginx, &failed, |call| assert_eq!(call.cost[3], Micros::ZERO));
    for wrong in ["", "x", "127.0.0.1 - - [x] \"", "127.0.0.1 - - [30/Nov/2026:11:35:08 +0100] \"GET"] {
        malformed(Format::Nginx, &format!("{wrong} "));
    }
    malformed(Format::Nginx, &combined.replace("Nov", "Nev"));
    malformed(Format::Nginx, &format!("{combined} request_time=soon"));
}

#[test]
fn http_logs_of_haproxy_are_read_with_and_without_captures() {
    let text = r#"127.0.0.1:35572 [30/Nov/2026:10:35:08.566] mail origin/mail1 10/0/1/69/109 200 119 - - ---- 1/1/0/0/0 0/0 {john.doe@example.com|Exchanger/1.0 #22beta#22#7Cx} "POST /EWS/Exchange.asmx?a=b HTTP/1.1""#;
    call(Format::HaProxy, text, |call| {
        assert_eq!((call.arrived, call.logged), (Some(AT + 566_000), AT + 675_000));
        assert_eq!((&*call.user, &*call.agent), ("john.doe@example.com", "Exchanger/1.0 \"beta\"|x"));
        assert_eq!((call.path, call.component), ("/EWS/Exchange.asmx", Some(Component::Ews)));
        assert_eq!((call.taken, call.cost), (ms(109), [Micros::ZERO, ms(99), Micros::ZERO, ms(69)]));
    });
    let syslog = r#"Nov 30 10:35:08 lb1 haproxy[4711]: 2001:db8::7:35592 [30/Nov/2026:10:35:08.566] mail~ origin/<NOSRV> 0/-1/-1/-1/+3009 503 217 - - SC-- 1/1/0/0/3 0/0 "GET /owa/ HTTP/1.1""#;
    call(Format::HaProxy, syslog, |call| {
        assert_eq!((call.client, &*call.user, call.taken), ("2001:db8::7", "", ms(3009)));
        assert_eq!(call.component, Some(Component::Owa));
    });
    malformed(Format::HaProxy, &text.replace("10/0/1/69/109", "10/0/1/69"));
    malformed(Format::HaProxy, &text.replace("[30/", "[31/"));
    malformed(Format::HaProxy, "Nov 30 10:35:08 lb1 haproxy[4711]: Proxy mail started.");
}

#[test]
fn a_path_is_of_a_component_up_to_its_first_stroke() {
    for (path, component) in [
        ("/EWS/Exchange.asmx", Some(Component::Ews)),
        ("/ews", Some(Component::Ews)),
        ("/ewsish", None),
        ("/Microsoft-Server-ActiveSync?Cmd=Sync", Some(Component::Eas)),
        ("/mapi/emsmdb", Some(Component::Rca)),
        ("/", None),
        ("/é", None),
    ] {
        assert_eq!(component_of(path), component, "{path}");
    }
}

#[test]
fn seconds_have_as_many_digits_as_they_like() {
    for (text, micros) in [
        ("0.253", Some(253_000)),
        ("1", Some(1_000_000)),
        ("0.1234567", Some(123_456)),
        ("x", None),
        ("1.x", None),
    ] {
        assert_eq!(seconds(text).map(Micros::count), micros, "{text}");
    }
}

#[test]
fn escapes_stand_for_bytes_and_what_is_none_stays() {
    assert_eq!(unescaped(r"a\x5Cb\xC3\xA9\xzz\x", r"\x"), "a\\b\u{e9}\\xzz\\x");
    assert_eq!(unescaped("plain", "#"), "plain");
}

proptest::proptest! {
    #[test]
    fn whatever_stands_in_a_line_it_is_read_or_told(line in "[ -~]{0,200}|.{0,80}", cut in 0_usize..700, other: char) {
        for format in Format::ALL {
            let mut reader = Reader::new(format);
            reader.read("#Fields: date time cs-uri-query");
            reader.read(&line);
            reader.read(&format!("2026-11-30 10:35:08 {}", line.replace(' ', "+")));
            let mut own: Vec<char> = OWN.chars().collect();
            let last = own.len() - 1;
            own[cut.min(last)] = other;
            let own: String = own.into_iter().collect();
            Reader::new(format).read(&own);
        }
    }
}
