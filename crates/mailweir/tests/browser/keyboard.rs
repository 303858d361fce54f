//! Everything can be reached and done with the keyboard, and one sees where one is.

use crate::driver::{ENTER, RIGHT, TAB};
use crate::support::Server;
use crate::visitor::{ADMINISTRATOR, Visitor};
use crate::walk::PAGES;
use std::collections::BTreeSet;

/// How many times Tab is pressed at most on one page.
const MOST_STEPS: u32 = 400;

/// Where the focus is: what it is called, and whether that can be seen.
const FOCUS: &str = "const at = document.activeElement; if (!at || at === document.body) return ['', true]; \
                     const look = getComputedStyle(at); \
                     const name = at.localName + ' ' + (at.name ?? '') + ' ' + (at.getAttribute('href') ?? '') + ' ' + at.innerText; \
                     return [name.trim(), look.outlineStyle !== 'none' || at.className === 'skip']";

/// What can be clicked or typed into on a page, apart from what a radio group's arrows reach.
const REACHABLE: &str = "return [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary')] \
                         .filter((each) => each.checkVisibility() && !each.disabled && !(each.type === 'radio' && !each.checked)).length";

#[test]
#[ignore = "needs chromium, which ./check installs"]
fn chromium_reaches_everything_with_the_tab_key_and_shows_where_it_is() {
    let server = Server::start("");
    server.limit("Foo", &["EWSMaxConcurrency=2"], &["JohnDoe"]);
    let visitor = Visitor::log_in(&server, ADMINISTRATOR);
    for path in PAGES {
        visitor.see(path);
        visitor.browser.run("document.querySelector('#pause').click()");
        visitor.browser.run("document.activeElement.blur(); window.getSelection().removeAllRanges()");
        let meant = visitor.browser.run(REACHABLE).as_u64().unwrap();
        let (mut reached, mut steps) = (BTreeSet::new(), 0);
        loop {
            visitor.browser.press(&[TAB]);
            visitor.browser.run("document.activeElement.dataset.reached = 'yes'");
            let focus = visitor.browser.run(FOCUS);
            assert_eq!(focus[1], true, "{path}: one does not see the focus at {}", focus[0]);
            let first = reached.is_empty();
            if first {
                assert_eq!(focus[0], "a  #content Skip to the content", "{path}");
            }
            reached.insert(focus[0].as_str().unwrap().to_owned());
            steps += 1;
            let missing = visitor.browser.run(
                "return [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary')] \
                 .filter((each) => each.checkVisibility() && !each.disabled && !(each.type === 'radio' && !each.checked) \
                 && !each.dataset.reached).map((each) => each.outerHTML.slice(0, 200))",
            );
            if missing.as_array().unwrap().is_empty() {
                break;
            }
            assert!(steps < MOST_STEPS, "{path}: of {meant} these are not reached: {missing}");
        }
    }
}

#[test]
#[ignore = "needs chromium, which ./check installs"]
fn chromium_edits_a_policy_with_the_keyboard_alone() {
    let server = Server::start("");
    server.limit("Foo", &["EWSFindCountLimit=7"], &["JohnDoe"]);
    let visitor = Visitor::log_in(&server, ADMINISTRATOR);
    visitor.see("/policies/Foo");
    // Past the frame to the content, to the first setting, one choice further, and on to the button.
    visitor.browser.press(&[TAB, ENTER]);
    // The browser follows the link when it comes to it; the next key goes on from there.
    visitor.browser.wait_until("location.hash === '#content'");
    let at = |script: &str| visitor.browser.run(&format!("return document.activeElement.{script}"));
    visitor.browser.press(&[TAB]);
    assert_eq!((at("name"), at("value")), ("how.EWSMaxConcurrency".into(), "inherit".into()));
    visitor.browser.press(&[RIGHT]);
    assert_eq!(at("value"), "none");
    for _ in 0..MOST_STEPS {
        visitor.browser.press(&[TAB]);
        if at("innerText") == "Review changes…" {
            break;
        }
    }
    visitor.browser.press(&[ENTER]);
    visitor.browser.wait_until("location.pathname === '/policies/Foo/review'");
    visitor.browser.wait_until("document.activeElement.innerText === 'Change it'");
    visitor.browser.press(&[ENTER]);
    visitor.browser.wait_until("location.search === '?done=changed'");
    assert_eq!(server.budget("JohnDoe")["max_concurrency"], serde_json::Value::Null);
}
