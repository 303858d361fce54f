//! Mail that waits, looked at and told what to do.

use crate::support::Server;
use crate::visitor::{ADMINISTRATOR, HELPDESK, Visitor};
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

/// An address that nobody listens on.
fn nobodys() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// A server that takes mail at `inward` for a smart host that is down.
fn server(inward: SocketAddr) -> Server {
    let outward = nobodys();
    Server::start(&format!(
        "[[transport.send_connector]]\nname = \"lab\"\naddress_spaces = [\"pool.test;1\"]\nsmart_hosts = [\"{outward}\"]\n\
         [[transport.receive_connector]]\nname = \"default\"\nbindings = [\"{inward}\"]\n\
         remote_ranges = [\"127.0.0.0/8\"]\npermission_groups = [\"relay\"]\n"
    ))
}

/// Hands a message for this recipient to the server at `address`.
fn send(address: SocketAddr, to: &str) {
    let mut stream = TcpStream::connect(address).unwrap();
    let mut replies = BufReader::new(stream.try_clone().unwrap()).lines();
    let commands = [
        "EHLO client.test",
        "MAIL FROM:<john.doe@example.com>",
        &format!("RCPT TO:<{to}>"),
        "DATA",
        "Subject: waits\r\n\r\nfor you\r\n.",
        "QUIT",
    ];
    for command in commands {
        let reply =
            replies.find(|line| line.as_ref().is_ok_and(|line| line.as_bytes().get(3) == Some(&b' ')));
        assert!(matches!(reply.unwrap().unwrap().as_bytes().first(), Some(b'2' | b'3')), "before {command}");
        write!(stream, "{command}\r\n").unwrap();
    }
}

#[test]
#[ignore = "needs chromium, which ./check installs"]
fn chromium_sees_mail_wait_and_stops_its_queue_and_removes_it() {
    let inward = nobodys();
    let server = server(inward);
    let visitor = Visitor::log_in(&server, ADMINISTRATOR);
    visitor.see("/queues");
    assert!(visitor.browser.text().contains("Nothing waits."), "{}", visitor.browser.text());
    send(inward, "ann@pool.test");
    visitor.browser.wait_until("document.querySelector('#queues').innerText.includes('Retry')");
    let told = visitor.browser.text_of("#queues");
    assert!(
        told.contains("lab") && told.contains("SmartHostConnectorDelivery") && told.contains("refused"),
        "{told}"
    );
    visitor.send("#queues button[formaction$='/suspend']");
    let told = visitor.browser.text();
    assert!(told.contains("The queue is as it was told to be.") && told.contains("Suspended"), "{told}");
    visitor.send("#queues button[formaction$='/resume']");
    visitor.browser.wait_until("document.querySelector('#queues').innerText.includes('Retry')");
    visitor.send("#queues th a");
    let told = visitor.browser.text();
    assert!(told.contains("SmartHostConnectorDelivery/lab") && told.contains("unhealthy"), "{told}");
    visitor.send("a[href^='/messages/']");
    let told = visitor.browser.text();
    assert!(told.contains("ann@pool.test") && told.contains("waiting") && told.contains("default"), "{told}");
    // The question is answered before it is asked: a dialog stops every script.
    visitor.browser.run("window.confirm = (question) => question.includes('Nobody else will get it')");
    visitor.send("button[name=report][value=false]");
    assert!(visitor.browser.text().contains("The message is removed."), "{}", visitor.browser.text());
    visitor.browser.wait_until("document.querySelector('#queues td.number').firstChild.textContent === '0'");
    visitor.see("/audit");
    let told = visitor.browser.text();
    assert!(told.contains("message.remove") && told.contains("queue.suspend"), "{told}");
}

#[test]
#[ignore = "needs chromium, which ./check installs"]
fn chromium_shows_the_helpdesk_mail_that_waits_and_fits_it_on_a_phone() {
    let inward = nobodys();
    let server = server(inward);
    send(inward, "ann@pool.test");
    let visitor = Visitor::log_in(&server, HELPDESK);
    visitor.browser.size(360, 740);
    visitor.see("/queues");
    visitor.browser.wait_until("document.querySelector('#queues').innerText.includes('Retry')");
    assert_eq!(visitor.browser.count("main button"), 0);
    let fits = || {
        let width = visitor.browser.run("return document.documentElement.scrollWidth").as_u64().unwrap();
        assert!(width <= 360, "{} is {width} wide", visitor.browser.path());
    };
    fits();
    visitor.send("#queues th a");
    fits();
    visitor.send("a[href^='/messages/']");
    assert_eq!(visitor.browser.count("main button"), 0);
    fits();
    visitor.see("/");
    visitor
        .browser
        .wait_until("document.querySelector('#mail').innerText.includes('Messages that wait: 1.')");
}
