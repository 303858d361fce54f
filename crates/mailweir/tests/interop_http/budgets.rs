//! Places taken and given back, refusals word for word, and waiting instead of refusing (T6, T7, T19).

use crate::support::http;
use crate::support::soap::{Client, SINCE_2010, envelope, get_folder, text_of, usual};
use crate::support::{Server, eventually};
use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Begins a request and stops half-way: it has a place from then on.
pub(crate) fn half_a_request(server: &Server, john: &Client<'_>) -> TcpStream {
    let body = envelope(SINCE_2010, &get_folder("inbox"));
    let mut stream = http::connect(server.http);
    let head = http::head(&john.authorization(), &format!("Content-Length: {}", body.len()));
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&body.as_bytes()[..body.len() / 2]).unwrap();
    stream
}

/// Waits until so many calls of John hold a place.
fn wait_for_running(server: &Server, meant: u64) {
    let seen =
        eventually(Duration::from_secs(5), || (server.budget("JohnDoe")["running"] == meant).then_some(()));
    assert!(seen.is_some(), "{meant} calls should run: {}", server.budget("JohnDoe"));
}

/// Waits until John is refused, or served again.
fn soon(john: &Client<'_>, served: bool) -> bool {
    eventually(Duration::from_secs(5), || (john.is_served() == served).then_some(())).is_some()
}

#[test]
fn clients_that_hang_up_half_way_leave_every_place_free() {
    let server = Server::start("");
    server.limit("Places", &["EWSMaxConcurrency=27"], &["JohnDoe"]);
    let john = Client::new(&server, "john.doe");
    assert!(john.is_served());
    let halves: Vec<TcpStream> = (0..27).map(|_| half_a_request(&server, &john)).collect();
    wait_for_running(&server, 27);
    assert!(!john.is_served(), "27 begun requests take 27 places");
    drop(halves);
    wait_for_running(&server, 0);
    assert!(john.is_served(), "27 clients that went away hold no place");
}

#[test]
fn more_calls_than_places_are_refused_word_for_word() {
    let server = Server::start("");
    server.limit("OnePlace", &["EWSMaxConcurrency=1"], &["JohnDoe"]);
    let john = Client::new(&server, "john.doe");
    assert!(john.is_served());
    let _holds_the_place = half_a_request(&server, &john);
    wait_for_running(&server, 1);
    let reply = john.call(&get_folder("inbox"));
    assert_eq!(reply.status, 500, "{reply:?}");
    let text = "You have exceeded the available concurrent connections for your account.  \
                Try again once your other requests have completed.";
    assert_eq!(text_of(&reply.body, "faultstring").as_deref(), Some(text), "{}", reply.body);
    for said in [
        ">ErrorExceededConnectionCount</e:ResponseCode>",
        "<t:Value Name=\"Policy\">MaxConcurrency</t:Value>",
        "<t:Value Name=\"MaxConcurrencyLimit\">1</t:Value>",
        "<t:Value Name=\"ErrorMessage\">",
    ] {
        assert!(reply.body.contains(said), "no {said} in {}", reply.body);
    }
}

#[test]
fn one_owner_has_one_budget_whatever_he_calls_himself() {
    let server = Server::start("");
    server.limit("OnePlace", &["EWSMaxConcurrency=1"], &["JohnDoe"]);
    let john = Client::new(&server, "john.doe");
    let _holds_the_place = half_a_request(&server, &john);
    wait_for_running(&server, 1);
    let body = envelope(SINCE_2010, &get_folder("inbox"));
    for name in ["JohnDoe", "JOHN.DOE@EXAMPLE.COM"] {
        let reply = http::post(server.http, &http::basic(name, crate::support::PASSWORD), body.as_bytes());
        assert_eq!(reply.status, 500, "{name}: {reply:?}");
        assert!(reply.body.contains("ErrorExceededConnectionCount"), "{name}: {reply:?}");
    }
    assert!(Client::new(&server, "jane.doe").is_served(), "another owner has a budget of her own");
}

#[test]
fn whoever_acts_for_another_pays_himself() {
    let server = Server::start("");
    let john = Client::new(&server, "john.doe");
    let as_jane = envelope(SINCE_2010, &get_folder("inbox")).replace(
        "</s:Header>",
        "<t:ExchangeImpersonation><t:ConnectingSID><t:PrimarySmtpAddress>jane.doe@example.com</t:PrimarySmtpAddress>\
         </t:ConnectingSID></t:ExchangeImpersonation></s:Header>",
    );
    let call = || http::post(server.http, &john.authorization(), as_jane.as_bytes());
    let refused = call();
    assert_eq!(refused.status, 500, "{refused:?}");
    assert!(refused.body.contains("ErrorImpersonateUserDenied"), "{refused:?}");

    server.run(&["mailbox", "set", "JohnDoe", "--impersonation", "on"]);
    let reply =
        eventually(Duration::from_secs(2), || Some(call()).filter(|reply| reply.status == 200)).unwrap();
    assert_eq!(text_of(&reply.body, "TotalCount").as_deref(), Some("25"), "Jane's inbox: {}", reply.body);
    assert_eq!(server.budget("JaneDoe")["active"], false, "{}", server.budget("JaneDoe"));
    server.limit("NoPlace", &["EWSMaxConcurrency=0"], &["JohnDoe"]);
    assert!(call().body.contains("ErrorExceededConnectionCount"));
}

#[test]
fn too_much_time_is_refused_word_for_word() {
    let server = Server::start("[throttle]\nover_budget = \"refuse\"\n");
    server.limit("LittleTime", &["EWSPercentTimeInCAS=1"], &["JohnDoe"]);
    let john = Client::new(&server, "john.doe");
    let reply = eventually(Duration::from_mins(1), || {
        let reply = john.call(&get_folder("inbox"));
        (reply.status != 200).then_some(reply)
    })
    .unwrap();
    assert_eq!(reply.status, 500, "{reply:?}");
    let values = &reply.body[reply.body.find("MessageXml").unwrap()..];
    let back_off: u64 = text_of(values, "Value").unwrap().parse().unwrap();
    assert!((1..=60_000).contains(&back_off), "{back_off}");
    assert_eq!(values.matches("Name=").count(), 1, "BackOffMilliseconds is alone: {values}");
    let meant = format!(
        "<s:Fault><faultcode xmlns:a=\"http://schemas.microsoft.com/exchange/services/2006/types\">a:ErrorServerBusy</faultcode>\
         <faultstring xml:lang=\"en-US\">The server cannot service this request right now. Try again later.</faultstring>\
         <detail><e:ResponseCode xmlns:e=\"http://schemas.microsoft.com/exchange/services/2006/errors\">ErrorServerBusy</e:ResponseCode>\
         <e:Message xmlns:e=\"http://schemas.microsoft.com/exchange/services/2006/errors\">The server cannot service this request right now. Try again later.</e:Message>\
         <t:MessageXml xmlns:t=\"http://schemas.microsoft.com/exchange/services/2006/types\">\
         <t:Value Name=\"BackOffMilliseconds\">{back_off}</t:Value></t:MessageXml></detail></s:Fault>"
    );
    assert!(without_white_space_between(&reply.body).contains(&meant), "{}", reply.body);
    assert!(
        reply.head.to_ascii_lowercase().contains("content-type: text/xml; charset=utf-8"),
        "{}",
        reply.head
    );
}

#[test]
fn a_wait_ends_in_a_refusal_at_the_cap() {
    let server = Server::start("[throttle]\nmax_delay = \"1s\"\n");
    server.limit("LittleTime", &["EWSPercentTimeInCAS=1"], &["JohnDoe"]);
    let john = Client::new(&server, "john.doe");
    let (reply, took) = eventually(Duration::from_mins(1), || {
        let began = Instant::now();
        let reply = john.call(&get_folder("inbox"));
        (reply.status != 200).then_some((reply, began.elapsed()))
    })
    .unwrap();
    assert_eq!(reply.status, 500, "{reply:?}");
    assert!(reply.body.contains("ErrorServerBusy"), "{reply:?}");
    assert!((Duration::from_millis(900)..Duration::from_secs(4)).contains(&took), "{took:?}");
}

#[test]
fn a_batch_that_has_begun_runs_to_its_end_in_debt() {
    let server = Server::start("[throttle]\nover_budget = \"refuse\"\nmax_delay = \"1s\"\n");
    server.limit("LittleTime", &["EWSPercentTimeInCAS=1"], &["JohnDoe"]);
    let john = Client::new(&server, "john.doe");
    john.fill_at_once(&usual("drafts"), 3000);
    assert!(!john.is_served(), "the batch was not charged");
}

#[test]
fn a_policy_is_in_force_within_a_second() {
    let server = Server::start("");
    let john = Client::new(&server, "john.doe");
    assert!(john.is_served());
    server.limit("NoPlace", &["EWSMaxConcurrency=0"], &["JohnDoe"]);
    let changed = Instant::now();
    assert!(soon(&john, false));
    assert!(changed.elapsed() < Duration::from_millis(1500), "{:?}", changed.elapsed());
}

#[test]
fn a_server_that_only_observes_refuses_nobody() {
    let server = Server::start("[throttle]\nenforce = false\n");
    server.limit("NoPlace", &["EWSMaxConcurrency=0", "EWSPercentTimeInCAS=0"], &["JohnDoe"]);
    let john = Client::new(&server, "john.doe");
    for _ in 0..10 {
        assert!(john.is_served());
    }
}

/// The document without the white space that stands between two elements.
fn without_white_space_between(xml: &str) -> String {
    xml.split('<')
        .map(|piece| piece.strip_suffix(char::is_whitespace).map_or(piece, str::trim_end))
        .collect::<Vec<_>>()
        .join("<")
}
