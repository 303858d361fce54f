use super::*;

/// A connection that has greeted, and a message that has begun.
const IN_DATA: &str = "
    S: 220 *
    C: HELO pc1
    C: MAIL FROM:<a@example.net>
    C: RCPT TO:<john@example.com>
    C: DATA
    S: 250 *
    S: 250 *
    S: 250 *
    S: 354 *
";

#[tokio::test]
async fn whoever_speaks_before_he_is_greeted_is_sent_away() {
    let world = World::new();
    let mut client = world.connect_early("198.51.100.7", b"EHLO a\r\nMAIL FROM:<a@b.example>\r\n");
    client.play("S: 554 5.5.0 Synchronization error*\nS.").await;
    let mut client = world.connect("198.51.100.7");
    client.send(b"HELO a\r\n").await;
    client.play("S: 554 5.5.0 Synchronization error*\nS.").await;
}

#[tokio::test]
async fn garbage_ends_after_so_many_errors() {
    World::new()
        .check(
            r"S: 220 *
              C: HELO pc1
              C: MAIL FROM:<a@example.net
              C: RCPT TO:<john@example.com>
              C: \0\0\x80
              C: A bare LF\nand no more
              C: FOO
              C: BAR
              C: NOOP
              S: 250 *
              S: 501 5.1.7 *
              S: 503 5.5.1 *
              S: 500 5.5.2 *
              S: 500 5.5.2 *
              S: 500 5.5.1 *
              S: 421 4.7.0 Too many errors*
              S.",
        )
        .await;
}

#[tokio::test]
async fn a_browser_is_sent_away_at_once() {
    World::new().check("S: 220 *\nC: GET / HTTP/1.1\nC: MAIL FROM:<>\nS: 554 5.5.1 This is SMTP*\nS.").await;
}

#[tokio::test]
async fn what_another_server_takes_for_an_end_is_no_end_and_nothing_is_kept() {
    let cases = [
        (r"C| \n.\n", "S: 554 5.6.11 *\nS."),
        (r"C| \n.\r\n", "S: 554 5.6.11 *\nS."),
        (r"C| \r.\r", "S: 554 5.6.11 *\nS."),
        (r"C| x\r.\r\n", "S: 554 5.6.11 *\nS."),
        (r"C: a\nb", "S: 550 5.6.11 *"),
        (r"C: a\rb", "S: 550 5.6.11 *"),
        (r"C: a\0b", "S: 550 5.6.11 *"),
    ];
    let world = World::new();
    for (content, answer) in cases {
        // What is smuggled would be a second message.
        let smuggled = "C: MAIL FROM:<evil@example.com>\nC: RCPT TO:<jane@example.com>\nC: DATA\nC: evil";
        world.check(&format!("{IN_DATA}\n{content}\n{smuggled}\nC: .\n{answer}")).await;
    }
    assert!(world.kept().await.is_empty());
}

#[tokio::test]
async fn nothing_may_come_behind_data_before_it_is_answered() {
    World::new()
        .check(
            "S: 220 *
             C: HELO pc1
             C: MAIL FROM:<a@example.net>
             C: RCPT TO:<john@example.com>
             C: DATA
             C: Subject: early
             S: 250 *
             S: 250 *
             S: 250 *
             S: 554 5.5.0 *
             S.",
        )
        .await;
}

/// The most bytes that a session holds at once while `flood` goes on, one megabyte at a time; then it is asked for the
/// answer.
fn flooded(begin: &str, flood: &[u8], megabytes: usize, end: &str) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (world, mut client) = runtime.block_on(async {
        let world = World::new();
        let mut client = world.connect("198.51.100.7");
        client.play(begin).await;
        (world, client)
    });
    let piece = flood.repeat((1 << 20) / flood.len());
    let measured = allocation_counter::measure(|| {
        runtime.block_on(async {
            for _ in 0..megabytes {
                client.send(&piece).await;
            }
        });
    });
    runtime.block_on(async {
        client.play(end).await;
        assert!(world.kept().await.is_empty());
    });
    measured.bytes_max
}

#[tokio::test]
async fn every_command_of_a_flood_is_answered() {
    let world = World::new();
    let mut client = world.connect("198.51.100.7");
    client.hear("220 *").await;
    client.send(&b"HELP\r\n".repeat(2_000)).await;
    for _ in 0..2_000 {
        client.hear("214 *").await;
    }
    client.play("C: QUIT\nS: 221 *\nS.").await;
}

#[test]
fn a_line_without_end_costs_nothing() {
    let held = flooded("S: 220 *", b"x", 64, "C:\nC: QUIT\nS: 500 5.5.2 Line too long\nS: 221 *\nS.");
    assert!(held < 256 << 10, "{held} bytes");
}

#[test]
fn a_header_without_end_costs_its_bound_at_most() {
    let held = flooded(IN_DATA, b"X-Header: y\r\n", 32, "C: .\nS: 552 5.3.4 Header size*");
    assert!(held < 2 << 20, "{held} bytes");
}

#[test]
fn a_line_of_a_message_without_end_costs_nothing() {
    let held = flooded(IN_DATA, b"x", 32, "C:\nC: .\nS: 554 5.6.0 *");
    assert!(held < 2 << 20, "{held} bytes");
}
