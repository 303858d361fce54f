//! How many connections one address may have.

use super::*;

/// One connection from each address.
fn one_each() -> ConnectionLimits {
    ConnectionLimits { connections_per_address: 1, ..ConnectionLimits::default() }
}

/// A connection that has been answered and stays open; none where it was closed.
async fn open(address: SocketAddr, header: &str) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // It may be closed before everything is written.
    let _ = stream.write_all(format!("{header}{}", request("")).as_bytes()).await;
    let answered = answer(&mut stream).await;
    answered.ends_with(']').then_some(stream)
}

fn header(client: &str) -> String {
    format!("PROXY TCP4 {client} 198.51.100.1 50000 443\r\n")
}

#[tokio::test]
async fn an_address_has_as_many_connections_as_it_may_and_gives_them_back() {
    let server = serve_with(listen(false, false), one_each(), None).await;
    let first = open(server.address, "").await;
    assert!(first.is_some());
    assert!(open(server.address, "").await.is_none(), "the second one is closed");
    drop(first);
    while open(server.address, "").await.is_none() {}
}

#[tokio::test]
async fn a_trusted_proxy_may_have_as_many_as_there_are() {
    let server = serve_with(listen(true, false), one_each(), None).await;
    let [first, second] = [open(server.address, "").await, open(server.address, "").await];
    assert!(first.is_some() && second.is_some());
}

#[tokio::test]
async fn announced_clients_are_counted_each_for_itself() {
    let server = serve_with(listen(true, true), one_each(), None).await;
    let first = open(server.address, &header("203.0.113.7")).await;
    assert!(first.is_some());
    assert!(open(server.address, &header("203.0.113.7")).await.is_none(), "the same client again");
    assert!(open(server.address, &header("203.0.113.8")).await.is_some(), "another client");
}
