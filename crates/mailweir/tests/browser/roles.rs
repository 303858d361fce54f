//! What the helpdesk sees, and what nobody can do from elsewhere.

use crate::support::Server;
use crate::visitor::{ADMINISTRATOR, HELPDESK, Visitor};
use crate::walk::PAGES;

#[test]
#[ignore = "needs chromium, which ./check installs"]
fn chromium_shows_the_helpdesk_everything_and_lets_it_change_nothing() {
    let server = Server::start("");
    server.limit("Foo", &["EWSFindCountLimit=7"], &["JohnDoe"]);
    let visitor = Visitor::log_in(&server, HELPDESK);
    for path in PAGES {
        visitor.see(path);
        assert!(visitor.browser.text_of("header").contains("read-only"), "{path}");
        assert_eq!(visitor.browser.count("main form[method=post] button"), 0, "{path} has a button");
    }
    visitor.see("/policies/Foo");
    assert!(visitor.browser.count("main input") > 0);
    assert_eq!(visitor.browser.count("main input:enabled:not([type=hidden])"), 0);
    let script = "const form = new URLSearchParams({form_token: document.querySelector('[name=form_token]').value, on: 'true'}); \
                  return fetch('/bypass', {method: 'POST', body: form}).then((answer) => answer.status)";
    assert_eq!(visitor.browser.run(script), 403, "nor with a form that it makes itself");
    assert!(server.run(&["bypass", "status"]).contains("off"));
}

#[test]
#[ignore = "needs chromium, which ./check installs"]
fn chromium_sends_no_form_of_another_site_and_shows_the_page_in_no_frame() {
    let server = Server::start("");
    let visitor = Visitor::log_in(&server, ADMINISTRATOR);
    // The gateway's own listener is another origin on the same host.
    let elsewhere = format!("http://127.0.0.1:{}/", server.http.port());
    let token = visitor.browser.run("return document.querySelector('[name=form_token]').value");
    visitor.browser.go(&elsewhere);
    let admin = server.admin;
    visitor.browser.run(&format!(
        "const form = document.createElement('form'); form.method = 'post'; form.action = 'http://{admin}/bypass'; \
         for (const [name, value] of [['form_token', {token}], ['on', 'true']]) {{ \
         const field = document.createElement('input'); field.name = name; field.value = value; form.append(field); }} \
         document.documentElement.append(form); form.submit();"
    ));
    visitor.browser.wait_until("document.body.innerText.includes('not sent from this page')");
    assert!(server.run(&["bypass", "status"]).contains("off"));
    visitor.browser.go(&elsewhere);
    visitor.browser.run(&format!(
        "const frame = document.createElement('iframe'); frame.src = 'http://{admin}/'; \
         frame.onload = () => (window.loaded = true); document.documentElement.append(frame);"
    ));
    visitor.browser.wait_until("window.loaded === true");
    let said = visitor.browser.console().join("\n");
    assert!(said.contains("frame-ancestors") || said.contains("X-Frame-Options"), "{said}");
}

#[test]
#[ignore = "needs chromium, which ./check installs"]
fn chromium_is_logged_out_and_the_way_back_leads_nowhere() {
    let server = Server::start("");
    let visitor = Visitor::log_in(&server, ADMINISTRATOR);
    visitor.see("/policies");
    visitor.send("header form button");
    assert_eq!(visitor.browser.path(), "/login");
    visitor.browser.run("history.back()");
    visitor.browser.wait_until("location.pathname === '/login' && document.querySelector('#token') !== null");
}
