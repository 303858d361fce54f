//! Throttle settings and a connection that stays.

use std::net::TcpStream;

use crate::program::{CONFIG, Server, folder};
use crate::wire::get_folder;

#[test]
fn a_reloaded_throttle_setting_reaches_the_next_request_of_an_open_connection() {
    let enforced = |enforce: bool| format!("{CONFIG}[throttle]\nenforce = {enforce}\n");
    let server = Server::start(folder(&enforced(true)), &["serve", "--demo"]);
    server.run("policy new Closed --set EWSMaxConcurrency=0").good();
    server.run("mailbox set JohnDoe --policy Closed").good();
    let mut stream = TcpStream::connect(server.address("http")).unwrap();
    for enforce in [true, false, true] {
        server.configure(&enforced(enforce));
        assert!(server.run("reload").good().starts_with("reloaded\n"));
        let answer = get_folder(&mut stream).unwrap();
        assert_eq!(answer.contains("ErrorExceededConnectionCount"), enforce, "{answer}");
        assert_eq!(answer.contains("<t:DisplayName>Inbox</t:DisplayName>"), !enforce, "{answer}");
    }
}
