//! Client programs that are kept out of the embedded mailbox server (R16).

use std::time::Duration;

use crate::metrics::{has, look};
use crate::support::soap::{Client, get_folder};
use crate::support::{Server, eventually};

const RULE: &str = "[[block]]\nprotocol = \"http\"\nprogram = \"Interop Test\"\nversions = \"-1\"\n\
                    message = \"This test is too old.\"\n";

#[test]
fn a_program_on_the_list_is_kept_out_until_it_is_taken_off() {
    let server = Server::start(RULE);
    let john = Client::new(&server, "john.doe");
    let refused = john.call(&get_folder("inbox"));
    assert_eq!(refused.status, 500);
    assert!(refused.body.contains("ErrorAccessDenied"), "{}", refused.body);
    assert!(refused.body.contains("This test is too old."), "{}", refused.body);
    let line = eventually(Duration::from_secs(5), || server.requests().pop()).unwrap();
    for said in ["Why=BlockList;", "Verdict=refuse;", "Saw=held,BlockList:1/0;", " john.doe@example.com "] {
        assert!(line.contains(said), "no {said} in {line}");
    }
    let metrics = look(&server, "/metrics").body;
    assert!(has(&metrics, "mailweir_blocked_total", &["protocol=\"http\""], "1"), "{metrics}");
    assert_eq!(server.budget("JohnDoe")["active"], false, "and nothing was charged");
    server.rewrite("versions = \"-1\"", "versions = \"-0.9\"");
    assert!(john.is_served());
}

#[test]
fn a_list_that_is_not_enforced_keeps_nobody_out() {
    let server = Server::start(&format!("[throttle]\nenforce = false\n{RULE}"));
    assert!(Client::new(&server, "john.doe").is_served());
    let line = eventually(Duration::from_secs(5), || server.requests().pop()).unwrap();
    assert!(line.contains("Verdict=would-refuse;") && line.contains("BlockList:1/0"), "{line}");
    let metrics = look(&server, "/metrics").body;
    assert!(has(&metrics, "mailweir_would_block_total", &["protocol=\"http\""], "1"), "{metrics}");
}
