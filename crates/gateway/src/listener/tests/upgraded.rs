//! Connections that stop speaking HTTP.

use super::*;

const UPGRADE: &str = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n";

#[tokio::test]
async fn an_upgraded_connection_goes_on_and_keeps_its_place_until_it_ends() {
    let limits = ConnectionLimits { connections_per_address: 1, ..ConnectionLimits::default() };
    let server = serve_with(listen(false, false), limits, None).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(UPGRADE.as_bytes()).await.unwrap();
    stream.write_all(b"[hello]").await.unwrap();
    let answered = answer(&mut stream).await;
    assert!(answered.starts_with("HTTP/1.1 101 "), "{answered}");
    assert!(answered.ends_with("\r\n\r\n[hello]"), "{answered}");
    assert_eq!(said_to(server.address, request("").as_bytes()).await, "", "it still has the address's place");
    drop(stream);
    while said_to(server.address, request("").as_bytes()).await.is_empty() {}
}
