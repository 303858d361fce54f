//! exchangelib, the Python client.

use crate::peer::{Peer, requests_of};
use crate::support::Server;

pub(crate) const EXCHANGELIB: Peer =
    Peer { name: "exchangelib", interpreter: "python3", trust: "REQUESTS_CA_BUNDLE" };

/// Refuses at once, so that a script sees the refusal; waiting is the default.
const REFUSE: &str = "[throttle]\nover_budget = \"refuse\"\n";

#[test]
#[ignore = "needs exchangelib, which ./check installs"]
fn exchangelib_logs_in_over_tls_and_without() {
    let server = Server::start("");
    EXCHANGELIB.run_over_tls(&server, "login.py", &[]);
    EXCHANGELIB.run(&server, "login.py", &[]);
}

#[test]
#[ignore = "needs exchangelib, which ./check installs"]
fn exchangelib_pages_six_drafts_through_a_limit_of_one() {
    let server = Server::start("");
    server.run(&["New-ThrottlingPolicy", "-Name", "FooPolicy", "-EWSFindCountLimit", "1"]);
    server.run(&["Set-Mailbox", "JohnDoe", "-ThrottlingPolicy", "FooPolicy"]);
    EXCHANGELIB.run(&server, "drafts.py", &[]);
}

#[test]
#[ignore = "needs exchangelib, which ./check installs"]
fn exchangelib_loads_the_bodies_of_a_page_with_one_request() {
    let server = Server::start("");
    EXCHANGELIB.run(&server, "messages.py", &[]);
    assert_eq!(requests_of(&server, "GetItem"), 1, "{}", server.request_log());
}

#[test]
#[ignore = "needs exchangelib, which ./check installs"]
fn exchangelib_loads_the_attendees_of_a_calendar_view_with_one_request() {
    let server = Server::start("");
    EXCHANGELIB.run(&server, "calendar_view.py", &[]);
    assert_eq!(requests_of(&server, "GetItem"), 1, "{}", server.request_log());
}

#[test]
#[ignore = "needs exchangelib, which ./check installs"]
fn exchangelib_sends_changes_moves_copies_and_deletes() {
    EXCHANGELIB.run(&Server::start(""), "mail.py", &[]);
}

#[test]
#[ignore = "needs exchangelib, which ./check installs"]
fn exchangelib_works_with_folders() {
    EXCHANGELIB.run(&Server::start(""), "folders.py", &[]);
}

#[test]
#[ignore = "needs exchangelib, which ./check installs"]
fn exchangelib_follows_a_mailbox() {
    EXCHANGELIB.run(&Server::start(""), "sync.py", &[]);
}

#[test]
#[ignore = "needs exchangelib, which ./check installs"]
fn exchangelib_acts_for_others_where_it_may() {
    let server = Server::start("");
    EXCHANGELIB.run(&server, "impersonation.py", &["denied"]);
    server.run(&["mailbox", "set", "JohnDoe", "--impersonation", "on"]);
    EXCHANGELIB.run(&server, "impersonation.py", &["allowed"]);
}

#[test]
#[ignore = "needs exchangelib, which ./check installs"]
fn exchangelib_sees_each_limit_as_an_error_of_its_own() {
    let server = Server::start(REFUSE);
    server.limit("NoPlace", &["EWSMaxConcurrency=0"], &["JohnDoe"]);
    EXCHANGELIB.run(&server, "refusals.py", &["concurrency"]);
    server.limit("OneSubscription", &["EWSMaxSubscriptions=1"], &["JohnDoe"]);
    EXCHANGELIB.run(&server, "refusals.py", &["subscriptions"]);
    server.limit("TwoFound", &["EWSFindCountLimit=2"], &["KenMalcolmson"]);
    EXCHANGELIB.run(&server, "refusals.py", &["find-count"]);
    server.limit("LittleTime", &["EWSPercentTimeInCAS=1"], &["JohnDoe"]);
    EXCHANGELIB.run(&server, "refusals.py", &["time"]);
}

#[test]
#[ignore = "needs exchangelib, which ./check installs"]
fn exchangelib_obeys_a_back_off_and_then_succeeds() {
    let server = Server::start(REFUSE);
    server.limit("LittleTime", &["EWSPercentTimeInCAS=1"], &["JohnDoe"]);
    EXCHANGELIB.run(&server, "back_off.py", &[]);
}

#[test]
#[ignore = "needs exchangelib, which ./check installs"]
fn exchangelib_notices_nothing_but_time_when_the_server_makes_it_wait() {
    let server = Server::start("");
    server.limit("LittleTime", &["EWSPercentTimeInCAS=1"], &["JohnDoe"]);
    EXCHANGELIB.run(&server, "patience.py", &[]);
}
