//! Queues through the command line.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};

use crate::program::{CONFIG, Server, folder};

/// How long a reply may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often one looks whether something has come about; each look is a command.
const LOOKS: usize = 1_000;

/// An address that nobody listens on.
fn nobodys() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// A server that takes mail at the first address for a smart host at the second.
fn relaying(inward: SocketAddr, outward: SocketAddr) -> String {
    format!(
        "{CONFIG}[transport]\nqueue_glitch_retry_interval = \"1h\"\n\
         [[transport.send_connector]]\nname = \"lab\"\naddress_spaces = [\"pool.test;1\"]\nsmart_hosts = [\"{outward}\"]\n\
         [[transport.receive_connector]]\nname = \"default\"\nbindings = [\"{inward}\"]\n\
         remote_ranges = [\"127.0.0.0/8\"]\npermission_groups = [\"relay\"]\n"
    )
}

/// Hands a message for this recipient to the server at `address`.
fn send(address: SocketAddr, to: &str) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut replies = BufReader::new(stream.try_clone().unwrap()).lines();
    let mut expect = |code: &str| {
        let reply =
            replies.find(|line| line.as_ref().is_ok_and(|line| line.as_bytes().get(3) == Some(&b' ')));
        let reply = reply.unwrap().unwrap();
        assert!(reply.starts_with(code), "{reply}");
    };
    expect("220");
    for (command, code) in [
        ("EHLO client.test", "250"),
        ("MAIL FROM:<john.doe@example.com>", "250"),
        (&format!("RCPT TO:<{to}>"), "250"),
        ("DATA", "354"),
        ("Subject: waits\r\n\r\nfor you\r\n.", "250"),
        ("QUIT", "221"),
    ] {
        write!(stream, "{command}\r\n").unwrap();
        expect(code);
    }
}

/// What a monitoring system reads.
fn metrics(server: &Server) -> String {
    let mut stream = TcpStream::connect(server.address("admin")).unwrap();
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

/// A queue for which `is_it` holds, once there is one.
fn once(server: &Server, is_it: impl Fn(&Value) -> bool) -> Value {
    let mut last = Value::Null;
    for _ in 0..LOOKS {
        last = server.run("queue list --json").json();
        if let Some(queue) = last.as_array().unwrap().iter().find(|queue| is_it(queue)) {
            return queue.clone();
        }
    }
    panic!("{last}");
}

#[test]
fn mail_that_waits_is_shown_with_why_and_is_told_what_to_do() {
    let (inward, outward) = (nobodys(), nobodys());
    let server = Server::start(folder(&relaying(inward, outward)), &["serve"]);
    assert_eq!(server.run("queue list").good(), "nothing waits: there is no queue\n");
    send(inward, "ann@pool.test");
    send(inward, "bob@pool.test");
    let name = "SmartHostConnectorDelivery/lab";
    let queue = once(&server, |queue| queue["state"] == "Retry" && queue["message_count"] == 2);
    assert_eq!((&queue["next_hop"], &queue["next_hop_connector"]), (&json!(name), &json!("lab")));
    assert!(queue["last_error"].as_str().unwrap().contains("refused"), "{queue}");
    assert!(queue["next_retry_time"].is_string(), "{queue}");
    assert_eq!(queue["targets"][0]["state"], "unhealthy", "{queue}");
    let target = &server.run("target list --json").json()[0];
    assert_eq!((&target["address"], &target["used_by"]), (&json!(outward.to_string()), &json!("transport")));

    let metrics = self::metrics(&server);
    for sample in [
        "mailweir_queue_messages{next_hop=\"SmartHostConnectorDelivery/lab\",state=\"ready\"} 2",
        "mailweir_queues{state=\"retry\"} 1",
        "mailweir_messages_received_total{connector=\"default\"} 2",
        "mailweir_targets{state=\"unhealthy\"} 1",
        "mailweir_spool_messages 2",
        "mailweir_connections{front=\"smtp\"} 0",
    ] {
        assert!(metrics.lines().any(|line| line == sample), "no {sample} in {metrics}");
    }

    let shown = server.run("queue show LAB --json").json();
    let messages = shown["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 2, "{shown}");
    let id = messages[0]["id"].as_u64().unwrap();
    let message = server.run(&format!("queue show {id} --json")).json();
    assert_eq!(message["recipients"][0]["address"], "ann@pool.test", "{message}");
    assert_eq!(message["recipients"][0]["state"], "waiting", "{message}");
    assert_eq!(message["source"]["connector"], "default", "{message}");

    server.run("Suspend-Queue lab").good();
    once(&server, |queue| queue["state"] == "Suspended");
    server.run("queue resume lab").good();
    once(&server, |queue| queue["state"] == "Retry");
    let told = server.run(&format!("queue remove {id} --no-report")).good();
    assert_eq!(told, format!("removed message {id}; nobody is told\n"));
    once(&server, |queue| queue["message_count"] == 1);
    send(inward, "eve@pool.test");
    let shown = server.run(&format!("Get-Message -Queue {name} --json")).json();
    let last =
        shown["messages"].as_array().unwrap().iter().map(|message| message["id"].as_u64().unwrap()).max();
    let told = server.run(&format!("Remove-Message {} -WithNDR $true", last.unwrap())).good();
    assert!(told.ends_with("john.doe@example.com is told\n"), "{told}");
    let metrics = self::metrics(&server);
    assert!(metrics.contains("mailweir_delivery_reports_total{kind=\"failure\"} 1"), "{metrics}");

    let why = server.run("queue retry lap").refused();
    assert!(why.contains(&format!("close names are {name}")), "{why}");

    let sink = TcpListener::bind(outward).unwrap();
    let told = server.run(&format!("queue retry {name}")).good();
    assert!(told.starts_with(&format!("{name} is tried at once")), "{told}");
    // It is not before the hour is over that it would have come by itself.
    let connected = sink.accept();
    assert!(connected.is_ok(), "{connected:?}");
}

#[test]
fn without_a_mail_transport_there_is_no_queue_to_ask_for() {
    let origin = nobodys();
    let config = format!("{CONFIG}[origin]\nkind = \"remote\"\nhttp = [\"http://{origin}\"]\n");
    let server = Server::start(folder(&config), &["serve"]);
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
        let told = "no mail transport runs here, since the mailboxes are elsewhere; write transport.delivery";
        assert!(why.starts_with(told), "{command}: {why}");
    }
    for wrong in
        ["queue", "queue retry", "queue remove pool.test", "queue list --watch --json", "Get-Message"]
    {
        assert_eq!(server.run(wrong).status, 2, "{wrong}");
    }
}
