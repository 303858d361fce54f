//! ews-javascript-api, the JavaScript port of the EWS Managed API.

use crate::peer::{Peer, requests_of};
use crate::support::Server;

pub(crate) const EWS_JAVASCRIPT_API: Peer =
    Peer { name: "ews-javascript-api", interpreter: "node", trust: "NODE_EXTRA_CA_CERTS" };

/// Refuses at once, so that a script sees the refusal; waiting is the default.
const REFUSE: &str = "[throttle]\nover_budget = \"refuse\"\n";

#[test]
#[ignore = "needs ews-javascript-api, which ./check installs"]
fn ews_javascript_api_pages_six_drafts_through_a_limit_of_one() {
    let server = Server::start("");
    server.run(&["New-ThrottlingPolicy", "-Name", "FooPolicy", "-EWSFindCountLimit", "1"]);
    server.run(&["Set-Mailbox", "JohnDoe", "-ThrottlingPolicy", "FooPolicy"]);
    EWS_JAVASCRIPT_API.run(&server, "drafts.mjs", &[]);
    EWS_JAVASCRIPT_API.run_over_tls(&server, "drafts.mjs", &[]);
}

#[test]
#[ignore = "needs ews-javascript-api, which ./check installs"]
fn ews_javascript_api_loads_subject_and_body_of_a_page_with_one_request() {
    let server = Server::start("");
    EWS_JAVASCRIPT_API.run(&server, "messages.mjs", &[]);
    assert_eq!(requests_of(&server, "GetItem"), 1, "{}", server.request_log());
}

#[test]
#[ignore = "needs ews-javascript-api, which ./check installs"]
fn ews_javascript_api_loads_the_attendees_of_a_calendar_view_with_one_request() {
    let server = Server::start("");
    EWS_JAVASCRIPT_API.run(&server, "calendar_view.mjs", &[]);
    assert_eq!(requests_of(&server, "GetItem"), 1, "{}", server.request_log());
}

#[test]
#[ignore = "needs ews-javascript-api, which ./check installs"]
fn ews_javascript_api_sends_changes_moves_copies_and_deletes() {
    EWS_JAVASCRIPT_API.run(&Server::start(""), "mail.mjs", &[]);
}

#[test]
#[ignore = "needs ews-javascript-api, which ./check installs"]
fn ews_javascript_api_works_with_folders_and_follows_them() {
    EWS_JAVASCRIPT_API.run(&Server::start(""), "folders.mjs", &[]);
}

#[test]
#[ignore = "needs ews-javascript-api, which ./check installs"]
fn ews_javascript_api_sees_each_limit_as_an_error_of_its_own() {
    let server = Server::start(REFUSE);
    server.limit("NoPlace", &["EWSMaxConcurrency=0"], &["JohnDoe"]);
    EWS_JAVASCRIPT_API.run(&server, "refusals.mjs", &["concurrency"]);
    server.limit("OneSubscription", &["EWSMaxSubscriptions=1"], &["JohnDoe"]);
    EWS_JAVASCRIPT_API.run(&server, "refusals.mjs", &["subscriptions"]);
    server.limit("TwoFound", &["EWSFindCountLimit=2"], &["KenMalcolmson"]);
    EWS_JAVASCRIPT_API.run(&server, "refusals.mjs", &["find-count"]);
    server.limit("LittleTime", &["EWSPercentTimeInCAS=1"], &["JohnDoe"]);
    EWS_JAVASCRIPT_API.run(&server, "refusals.mjs", &["time"]);
}
