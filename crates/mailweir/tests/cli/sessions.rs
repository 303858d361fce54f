//! MAPI sessions through the command line (R13).

use serde_json::json;

use crate::program::Server;

#[test]
fn without_a_mapi_client_there_is_no_session_to_list_or_to_end() {
    let server = Server::demo();
    let listed = server.run("session list --sort backoffs --top 5").good();
    assert!(listed.ends_with("there is no MAPI session\n"), "{listed}");
    let document = server.run("session list --owner JohnDoe --json").json();
    assert_eq!((&document["total"], &document["items"]), (&json!(0), &json!([])));
    let why = server.run("session close 7").refused();
    assert!(why.contains("there is no MAPI session \"7\""), "{why}");
    let why = server.run("session list --top 0").refused();
    assert!(why.contains("1 to 10000"), "{why}");
    for wrong in ["session list --sort age", "session close seven", "session list --watch --json"] {
        assert_eq!(server.run(wrong).status, 2, "{wrong}");
    }
}
