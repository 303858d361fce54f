use tokio::net::{TcpListener, TcpSocket};
use weir_balance::Failure;
use weir_transport::queue::Fate::{Bounced, Done};

use super::*;

#[tokio::test]
async fn a_refused_connection_marks() {
    // A port that is taken, and where nobody listens.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let error = dialer().open(socket.local_addr().unwrap(), "x.test", &smtp()).await.err().unwrap();
    assert_eq!((error.failure, error.marks(), error.connected), (Failure::Refused, true, false));
    assert_eq!(error.to_string(), "connection refused");
}

#[tokio::test(start_paused = true)]
async fn a_black_hole_costs_one_connect_timeout() {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    // Nobody accepts, and the two places to wait are taken: the system swallows what comes.
    let _waiting =
        [std::net::TcpStream::connect(address).unwrap(), std::net::TcpStream::connect(address).unwrap()];
    let begun = weir_clock::Clock::start();
    let error = dialer().open(address, "x.test", &smtp()).await.err().unwrap();
    assert_eq!((error.failure, error.marks()), (Failure::TimedOut, true));
    assert_eq!(begun.tick().micros() / 1_000_000, 30);
}

#[tokio::test]
async fn a_message_goes_over_a_real_socket_and_one_that_is_cut_off_is_answered_by_its_last_words() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let envelope =
        "C: MAIL FROM:<a@x.test>\nS: 250 OK\nC: RCPT TO:<b@y.test>\nS: 250 OK\nC: DATA\nS: 354 go on\n";
    let large = format!("Subject: x\r\n\r\n{}", "line\r\n".repeat(1_000_000));
    let scripts = [
        format!("{BARE}{envelope}{WRITTEN}S: 250 OK\nC: QUIT\nS: 221 bye\n"),
        format!("{BARE}{envelope}C: Subject: x\nC: \nC: line\nS: 554 5.3.4 too large\n"),
    ];
    let peer = async {
        for script in scripts {
            play(listener.accept().await.unwrap().0, &script).await;
        }
    };
    let sending = async {
        let (dialer, way) = (dialer(), smtp());
        let mut outcomes = Vec::new();
        for text in [MESSAGE, &large] {
            let mut connection = dialer.open(address, "mx.test", &way).await.unwrap();
            let (content, facts) = content(text);
            let to = recipients(&["<b@y.test>"]);
            outcomes.extend(fates(&connection.send(&mail("<a@x.test>"), &to, content, facts).await));
            connection.quit().await;
        }
        outcomes
    };
    let (outcomes, ()) = tokio::join!(sending, peer);
    assert_eq!(outcomes, [(Done, Some(250)), (Bounced, Some(554))]);
}
