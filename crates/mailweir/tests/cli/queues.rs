//! Queues through the command line.

use crate::program::{CONFIG, Server, folder};

#[test]
fn without_a_mail_transport_there_is_no_queue_to_ask_for() {
    let remote = format!("{CONFIG}[origin]\nkind = \"remote\"\nhttp = [\"http://127.0.0.1:9\"]\n");
    let server = Server::start(folder(&remote), &["serve"]);
    for command in [
        "queue list",
        "queue show pool.test",
        "queue show 17",
        "queue retry pool.test",
        "queue suspend pool.test",
        "queue resume pool.test",
        "queue remove 17 --no-report",
        "Get-Queue",
        "Retry-Queue -Identity pool.test",
    ] {
        let why = server.run(command).refused();
        assert!(
            why.starts_with(
                "no mail transport runs here, since the mailboxes are elsewhere; write transport.delivery"
            ),
            "{command}: {why}"
        );
    }
    for wrong in
        ["queue", "queue retry", "queue remove pool.test", "queue list --watch --json", "Get-Message"]
    {
        assert_eq!(server.run(wrong).status, 2, "{wrong}");
    }
}
