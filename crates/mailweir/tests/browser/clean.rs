//! No page breaks its own content policy, says anything in the console, jumps, or is wider than a phone.

use crate::support::Server;
use crate::support::soap::Client;
use crate::visitor::{ADMINISTRATOR, Visitor};
use crate::walk::PAGES;

/// The largest layout shift, as browsers measure it, that counts as none: a scroll bar's worth.
const NO_JUMP: f64 = 0.01;

fn server() -> Server {
    let server = Server::start("");
    server.limit("Foo", &["EWSMaxConcurrency=2", "EASMaxDevices=3"], &["JohnDoe"]);
    assert!(Client::new(&server, "john.doe").is_served());
    server
}

#[test]
#[ignore = "needs chromium, which ./check installs"]
fn chromium_has_nothing_to_complain_of() {
    let server = server();
    let visitor = Visitor::log_in(&server, ADMINISTRATOR);
    for dark in [false, true] {
        visitor.browser.prefer_dark(dark);
        for path in PAGES {
            visitor.see(path);
            let mut said = visitor.browser.console();
            // It has advice about saving passwords, which is no complaint.
            said.retain(|line| !line.contains("[DOM]"));
            assert!(said.is_empty(), "{path}: {said:#?}");
        }
    }
}

#[test]
#[ignore = "needs chromium, which ./check installs"]
fn chromium_on_a_phone_never_scrolls_sideways() {
    let server = server();
    let visitor = Visitor::log_in(&server, ADMINISTRATOR);
    visitor.browser.size(360, 740);
    for path in PAGES {
        visitor.see(path);
        let width = visitor.browser.run("return document.documentElement.scrollWidth").as_u64().unwrap();
        assert!(width <= 360, "{path} is {width} wide");
    }
}

#[test]
#[ignore = "needs chromium, which ./check installs"]
fn chromium_sees_no_page_jump_while_figures_change() {
    let server = server();
    let visitor = Visitor::log_in(&server, ADMINISTRATOR);
    for path in ["/", "/owners", "/owners/JohnDoe", "/sessions"] {
        visitor.see(path);
        visitor.browser.run(
            "window.jumped = 0; window.seconds = 0; \
             new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.jumped += entry.value; }) \
             .observe({type: 'layout-shift', buffered: true}); \
             const stream = new EventSource(document.querySelector('[data-live]').dataset.live); \
             stream.addEventListener('page', () => { window.seconds += 1; });",
        );
        assert!(Client::new(&server, "john.doe").is_served());
        visitor.browser.wait_until("window.seconds >= 3");
        let jumped = visitor.browser.run("return window.jumped").as_f64().unwrap();
        assert!(jumped <= NO_JUMP, "{path} jumped by {jumped}");
    }
}
