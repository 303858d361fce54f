//! What an administrator does at the page, and what follows from it.

use crate::support::soap::{Client, get_folder};
use crate::support::{Server, eventually, http};
use crate::visitor::{ADMINISTRATOR, Visitor};
use std::io::Write;
use std::time::Duration;

/// How long a change may take to be in force.
const SOON: Duration = Duration::from_secs(5);

/// The figure of the last minute's refusals on the overview.
const REFUSED: &str = "Number([...document.querySelectorAll('.figure')].find((figure) => \
                       figure.querySelector('dt').textContent === 'Refused').querySelector('dd').firstChild.textContent)";

#[test]
#[ignore = "needs chromium, which ./check installs"]
fn chromium_sees_the_refusals_rise_while_a_client_is_throttled() {
    let server = Server::start("");
    server.limit("OnePlace", &["EWSMaxConcurrency=1"], &["JohnDoe"]);
    let visitor = Visitor::log_in(&server, ADMINISTRATOR);
    visitor.browser.wait_until(&format!("{REFUSED} === 0"));
    let john = Client::new(&server, "john.doe");
    assert!(john.is_served());
    let mut holds_the_place = http::connect(server.http);
    let head = http::head(&john.authorization(), "Content-Length: 1000");
    holds_the_place.write_all(head.as_bytes()).unwrap();
    // Not before the place is taken: else it might be this connection that is refused.
    let is_held = || (server.budget("JohnDoe")["running"] == 1).then_some(());
    assert!(eventually(SOON, is_held).is_some(), "the place is held");
    assert!(!john.is_served(), "John is refused");
    visitor.browser.wait_until(&format!("{REFUSED} >= 1"));
    let before = visitor.browser.run(&format!("return {REFUSED}")).as_u64().unwrap();
    for _ in 0..5 {
        assert_eq!(john.call(&get_folder("inbox")).status, 500);
    }
    visitor.browser.wait_until(&format!("{REFUSED} >= {}", before + 5));
    visitor
        .browser
        .wait_until("document.querySelector('#owners').innerText.includes('john.doe@example.com')");
    visitor.see("/owners/JohnDoe");
    let told = visitor.browser.text();
    assert!(told.contains("OnePlace – assigned to the mailbox"), "{told}");
    visitor.browser.click("#history details summary");
    let line = visitor.browser.text_of("#history pre");
    assert!(line.contains("POST /EWS/Exchange.asmx") && line.contains("john.doe@example.com"), "{line}");
}

#[test]
#[ignore = "needs chromium, which ./check installs"]
fn chromium_edits_a_policy_and_it_is_in_force_at_once() {
    let server = Server::start("");
    server.limit("Foo", &["EWSFindCountLimit=7"], &["JohnDoe"]);
    let visitor = Visitor::log_in(&server, ADMINISTRATOR);
    visitor.see("/policies");
    visitor.send("a[href='/policies/Foo']");
    let choice = |how: &str| format!("input[name='how.EWSMaxConcurrency'][value={how}]:checked");
    assert_eq!(visitor.browser.count(&choice("inherit")), 1);
    assert!(visitor.browser.text().contains("inherit 10"));
    visitor.browser.fill("input[name='value.EWSMaxConcurrency']", "3");
    assert_eq!(visitor.browser.count(&choice("limit")), 1, "whoever types a number means it");
    visitor.browser.click("input[name='how.EWSFindCountLimit'][value=none]");
    visitor.send("form.editor button[type=submit]");
    let told = visitor.browser.text();
    assert!(told.contains("This concerns 1 mailbox: 1 mailbox assigned to it."), "{told}");
    assert_eq!(server.budget("JohnDoe")["find_count_limit"], 7, "nothing is changed by looking");
    visitor.send("button[formaction]");
    let told = visitor.browser.text();
    assert!(told.contains("What if") && told.contains("This is an estimate."), "{told}");
    assert_eq!(server.budget("JohnDoe")["find_count_limit"], 7, "nor by trying");
    visitor.send("form.actions button.primary");
    assert!(visitor.browser.text().contains("The policy is changed"), "{}", visitor.browser.text());
    let budget = server.budget("JohnDoe");
    assert_eq!(
        (&budget["max_concurrency"], &budget["find_count_limit"]),
        (&3.into(), &serde_json::Value::Null)
    );
    visitor.see("/audit");
    assert!(visitor.browser.text().contains("settings.ews_max_concurrency 3"), "{}", visitor.browser.text());
}

#[test]
#[ignore = "needs chromium, which ./check installs"]
fn chromium_refuses_a_limit_that_cannot_be_where_it_was_typed() {
    let server = Server::start("");
    server.limit("Foo", &["EWSFindCountLimit=7"], &["JohnDoe"]);
    let visitor = Visitor::log_in(&server, ADMINISTRATOR);
    visitor.see("/policies/Foo");
    visitor.browser.fill("input[name='value.CPUStartPercent']", "101");
    visitor.send("form.editor button[type=submit]");
    let told = visitor.browser.text();
    assert!(told.contains("1 of the limits cannot be"), "{told}");
    assert!(told.contains("CPUStartPercent is 101; allowed is 0 to 100"), "{told}");
}

#[test]
#[ignore = "needs chromium, which ./check installs"]
fn chromium_works_without_scripts() {
    let server = Server::start("");
    server.limit("Foo", &["EWSFindCountLimit=7"], &["JohnDoe"]);
    let visitor = Visitor::log_in(&server, ADMINISTRATOR);
    visitor.browser.without_scripts(true);
    visitor.see("/policies/Foo");
    visitor.browser.click("input[name='how.EWSFindCountLimit'][value=inherit]");
    visitor.browser.click("form.editor button[type=submit]");
    visitor.browser.click("form.actions button[type=submit]");
    let changed = eventually(SOON, || (server.budget("JohnDoe")["find_count_limit"] == 1000).then_some(()));
    assert!(changed.is_some(), "{}", server.budget("JohnDoe"));
}

#[test]
#[ignore = "needs chromium, which ./check installs"]
fn chromium_finds_mailboxes_while_one_types() {
    let server = Server::start("");
    let visitor = Visitor::log_in(&server, ADMINISTRATOR);
    visitor.see("/mailboxes");
    assert!(visitor.browser.text().contains("Jane Doe") && visitor.browser.text().contains("Ken"));
    visitor.browser.fill("#search", "jane");
    visitor.browser.wait_until("!document.querySelector('#found').innerText.includes('Ken')");
    assert!(
        visitor.browser.text().contains("Jane Doe") && visitor.browser.text().contains("1 of 3 mailboxes")
    );
    assert_eq!(visitor.browser.path(), "/mailboxes?search=jane&policy=", "and the address can be passed on");
}

#[test]
#[ignore = "needs chromium, which ./check installs"]
fn chromium_switches_the_bypass_on_and_off() {
    let server = Server::start("");
    let visitor = Visitor::log_in(&server, ADMINISTRATOR);
    for (told, status) in [("The bypass is on.", "on"), ("The bypass is off.", "off")] {
        visitor.see("/bypass");
        visitor.send("form.actions button[type=submit]");
        assert!(visitor.browser.text().contains(told), "{}", visitor.browser.text());
        assert!(server.run(&["bypass", "status"]).contains(status));
    }
}
