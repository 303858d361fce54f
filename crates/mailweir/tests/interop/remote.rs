//! The same clients through a gateway before a remote origin, which is another server of ours that limits nobody: what
//! holds before the embedded origin holds by the protocol alone (E7).

use crate::ews_javascript_api::EWS_JAVASCRIPT_API;
use crate::exchangelib::EXCHANGELIB;
use crate::support::Server;

const FREE: &str = "[throttle]\nenforce = false\n";
const HELD: &str = "[throttle]\nenforce = true\nover_budget = \"refuse\"\n";

#[test]
#[ignore = "needs exchangelib, which ./check installs"]
fn exchangelib_works_unchanged_through_a_gateway_before_a_remote_origin() {
    let origin = Server::start(FREE);
    let gateway = Server::before(&origin, HELD);
    for script in ["login.py", "messages.py", "calendar_view.py", "mail.py", "folders.py", "sync.py"] {
        EXCHANGELIB.run(&gateway, script, &[]);
    }
}

#[test]
#[ignore = "needs exchangelib, which ./check installs"]
fn exchangelib_is_held_to_its_limits_before_a_remote_origin() {
    let origin = Server::start(FREE);
    let gateway = Server::before(&origin, HELD);
    gateway.limit("OneFound", &["EWSFindCountLimit=1"], &["JohnDoe"]);
    EXCHANGELIB.run(&gateway, "drafts.py", &[]);
    gateway.limit("OneSubscription", &["EWSMaxSubscriptions=1"], &["JohnDoe"]);
    EXCHANGELIB.run(&gateway, "refusals.py", &["subscriptions"]);
    gateway.limit("NoPlace", &["EWSMaxConcurrency=0"], &["JohnDoe"]);
    EXCHANGELIB.run(&gateway, "refusals.py", &["concurrency"]);
    gateway.limit("TwoFound", &["EWSFindCountLimit=2"], &["KenMalcolmson"]);
    EXCHANGELIB.run(&gateway, "refusals.py", &["find-count"]);
}

#[test]
#[ignore = "needs exchangelib, which ./check installs"]
fn exchangelib_notices_nothing_of_a_gateway_that_only_observes() {
    let origin = Server::start(FREE);
    let gateway = Server::before(&origin, "");
    gateway.limit("Nothing", &["EWSFindCountLimit=1", "EWSMaxConcurrency=0"], &["JohnDoe"]);
    EXCHANGELIB.run(&gateway, "mail.py", &[]);
}

#[test]
#[ignore = "needs ews-javascript-api, which ./check installs"]
fn ews_javascript_api_works_unchanged_through_a_gateway_before_a_remote_origin() {
    let origin = Server::start(FREE);
    let gateway = Server::before(&origin, HELD);
    for script in ["messages.mjs", "calendar_view.mjs", "mail.mjs", "folders.mjs"] {
        EWS_JAVASCRIPT_API.run(&gateway, script, &[]);
    }
    gateway.limit("OneFound", &["EWSFindCountLimit=1"], &["JohnDoe"]);
    EWS_JAVASCRIPT_API.run(&gateway, "drafts.mjs", &[]);
}
