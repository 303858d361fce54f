//! What was just done, said once at the head of the page that follows.

use maud::{Markup, html};

use super::form::Fields;

/// Each thing that can have been done: its word in the address, and the sentence.
const DONE: [(&str, &str); 11] = [
    ("made", "The policy is made. It leaves everything out, and so inherits everything."),
    ("changed", "The policy is changed, and holds from the next request on."),
    ("unchanged", "Nothing was changed: every setting is as it was."),
    ("default", "This is the organisation's default policy from the next request on."),
    ("removed", "The policy is removed."),
    ("assigned", "The policy is assigned, and holds from the next request on."),
    ("repaired", "Every mailbox whose policy was deleted has the default policy."),
    ("session", "The MAPI session is ended; its client opens another one."),
    ("server", "The server is as it was told to be."),
    ("queue", "The queue is as it was told to be."),
    ("message", "The message is removed."),
];

/// The notice that the page's address asks for.
pub(super) fn notice(asked: &Fields) -> Markup {
    let done = asked.one("done");
    let told = DONE.iter().find(|(word, _)| Some(*word) == done);
    html! {
        @if let Some((_, sentence)) = told { p.notice.good role="status" { (sentence) } }
    }
}
