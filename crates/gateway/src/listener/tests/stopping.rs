//! What becomes of connections when the gateway is told to stop.

use super::*;

#[tokio::test]
async fn a_connection_between_two_requests_ends_at_once() {
    let server = served(Listen::default()).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(request("").as_bytes()).await.unwrap();
    assert!(answer(&mut stream).await.ends_with(']'));
    server.stop.send_replace(true);
    server.serving.await.unwrap();
    assert_eq!(answer(&mut stream).await, "");
}

#[tokio::test]
async fn a_connection_that_was_only_just_accepted_is_answered_once() {
    let server = served(Listen::default()).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    // A second one that is answered proves that the first was accepted.
    let mut other = TcpStream::connect(server.address).await.unwrap();
    other.write_all(request("").as_bytes()).await.unwrap();
    assert!(answer(&mut other).await.ends_with(']'));
    server.stop.send_replace(true);
    assert_eq!(answer(&mut other).await, "", "the listener has heard it");
    stream.write_all(request("Connection: close\r\n").as_bytes()).await.unwrap();
    assert!(answer(&mut stream).await.ends_with("[127.0.0.1]"));
    server.serving.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_says_nothing_does_not_hold_the_stop_up() {
    let hour = Duration::from_hours(1);
    let patient = ConnectionLimits { first_byte_time: hour, drain_time: hour, ..ConnectionLimits::default() };
    for proxy_protocol in [false, true] {
        let server = serve_with(listen(true, proxy_protocol), patient.clone(), None).await;
        let silent = TcpStream::connect(server.address).await.unwrap();
        tokio::task::yield_now().await;
        server.stop.send_replace(true);
        let soon = tokio::time::timeout(Duration::from_secs(10), server.serving);
        soon.await.expect("it ends long before the hour is over").unwrap();
        drop(silent);
    }
}
