//! Who uses most, and why somebody was slow, through the command line (T21).

use crate::program::Server;

#[test]
fn a_page_about_an_owner_is_for_people_and_a_document_for_programs() {
    let server = Server::demo();
    server.run("policy new Closed --set EWSMaxConcurrency=0").good();
    server.run("mailbox set JohnDoe --policy Closed").good();
    server.ews_status("JohnDoe", "demo-password");
    let page = server.run("budget show JohnDoe --since 1h").good();
    for said in [
        "Policy            Closed (assigned)\n",
        "Right now         EWS: a further call is refused, MaxConcurrency is used up\n",
        "requests: 1, refused: 1, delayed: 0\n",
        "(says no name)",
        "  refuse   MaxConcurrency  0 ms    1      500\n",
    ] {
        assert!(page.contains(said), "no {said:?} in {page}");
    }
    let document = server.run("budget show JohnDoe --json").json();
    assert_eq!(document["throttled"][0]["verdict"], "refuse");
    assert!(document.get("log").is_none(), "nobody asked for it");
    let why = server.run("budget show JohnDoe --at noon").refused();
    assert!(why.contains("\"noon\" is no time") && why.contains("10:14"), "{why}");
    assert_eq!(server.run("budget show JohnDoe --at 10:14 --since 1h").status, 2);
}

#[test]
fn a_listing_is_watched_until_ctrl_c() {
    let server = Server::demo();
    let nobody = "nobody has used anything in the last minute";
    assert_eq!(server.run("budget list --top 5").good(), format!("{nobody}\n"));
    let watch = server.follow("budget list --watch");
    assert_eq!(watch.line(), nobody);
    server.ews_status("JohnDoe", "demo-password");
    let mut line = watch.line();
    while !line.starts_with("john.doe@example.com") {
        line = watch.line();
    }
    assert!(line.contains("EWS"), "{line}");
    assert_eq!(watch.interrupt(), 0);
    let why = server.run("budget list --top 0").refused();
    assert!(why.contains("1 to 1000"), "{why}");
    assert_eq!(server.run("budget list --watch --json").status, 2);
}
