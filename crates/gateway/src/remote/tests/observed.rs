//! Who only observes changes nothing (T20): a recorded conversation through the gateway, byte for byte.

use std::io::Write;

use weir_units::Component;

use super::find_drafts;
use super::listening;
use super::stage::{JOHN, Origin, Stage, answer, basic, header_of, message, post, reply};
use crate::remote::RemoteSettings;
use crate::remote::scripted::{Scripted, Talk};

/// What a client sent, and what came back: heads in odd spelling and order, bodies of any bytes.
fn conversation() -> [(String, Vec<u8>); 4] {
    let answer = |head: &str, body: &[u8]| {
        [format!("{head}Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
    };
    let soap = "HTTP/1.1 200 Fine Indeed\r\nX-Odd-CASE: 1\r\nDate: Fri, 05 Mar 2010 17:00:00 GMT\r\nServer: other/1\r\n\
                Set-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Type: text/xml\r\nContent-Encoding: gzip\r\n";
    let found =
        "HTTP/1.1 200 OK\r\nDate: Fri, 05 Mar 2010 17:00:01 GMT\r\nContent-Type: text/xml; charset=utf-8\r\n";
    let items = "<t:Message><t:ItemId Id='1'/></t:Message>".repeat(2000);
    let many = format!(
        "<e:Envelope xmlns:e='e'><e:Body><FindItemResponse><ResponseMessages><FindItemResponseMessage \
         ResponseClass='Success'><RootFolder TotalItemsInView='2000' IncludesLastItemInRange='true'><Items>{items}\
         </Items></RootFolder></FindItemResponseMessage></ResponseMessages></FindItemResponse></e:Body></e:Envelope>"
    );
    let fields = format!("{}ACCEPT-encoding: gzip, deflate\r\nX-b: 2\r\nx-A: 1\r\n", basic(JOHN, "secret"));
    let subscribe = super::envelope(
        "<m:Subscribe><m:PullSubscriptionRequest><t:Timeout>10</t:Timeout></m:PullSubscriptionRequest></m:Subscribe>",
    );
    let failed = "HTTP/1.1 500 Oops\r\nDate: Fri, 05 Mar 2010 17:00:02 GMT\r\nContent-Type: text/html\r\n";
    [
        (post("/EWS/Exchange.asmx", &find_drafts(""), &fields), answer(soap, b"\x1f\x8b\x08 no real gzip")),
        (post("/EWS/Exchange.asmx?x=%20y", &find_drafts(""), &fields), answer(found, many.as_bytes())),
        (post("/EWS/Exchange.asmx", &subscribe, &fields), answer(found, b"<odd")),
        (post("/EWS/Exchange.asmx", "not <xml", &fields), answer(failed, b"<html>")),
    ]
}

/// The head without the fields that the documentation says are added.
fn without_added(head: &str) -> String {
    let added = ["x-forwarded-for:", "client-request-id:"];
    let kept = head.split_inclusive("\r\n").filter(|line| {
        let line = line.to_lowercase();
        !added.iter().any(|added| line.starts_with(added))
    });
    kept.collect()
}

/// Plays the conversation through `stage` and compares both ends.
async fn plays_unchanged(stage: &Stage, origin: &Origin) {
    // Policies of all kinds, over every one of which the calls are.
    stage.world.hold_john_to(&[
        ("EWSFindCountLimit", Some(1)),
        ("EWSMaxConcurrency", Some(0)),
        ("EWSMaxSubscriptions", Some(0)),
        ("EWSPercentTimeInCAS", Some(0)),
        ("CPUStartPercent", Some(0)),
    ]);
    let mut client = stage.client().await;
    for (request, expected) in conversation() {
        client.say(&request).await;
        let head = client.head().await.unwrap();
        let body = client.body(header_of(&head, "content-length").unwrap().parse().unwrap()).await;
        let answered = [head.as_bytes(), &body].concat();
        assert_eq!(String::from_utf8_lossy(&answered), String::from_utf8_lossy(&expected));
        let got = origin.got().pop().unwrap();
        assert!(header_of(&got.head, "x-forwarded-for").is_some());
        let received = [without_added(&got.head).as_bytes(), &got.body].concat();
        assert_eq!(String::from_utf8_lossy(&received), request);
    }
}

/// An origin that answers as it was recorded.
async fn recorded() -> Origin {
    Origin::new(|got| {
        let played = conversation();
        let of_this = played.iter().find(|(request, _)| {
            request.ends_with(&got.text()) && {
                let line = request.lines().next().unwrap();
                got.head.starts_with(line)
            }
        });
        of_this.unwrap().1.clone()
    })
    .await
}

#[tokio::test]
async fn a_conversation_that_is_only_observed_is_the_same_byte_for_byte() {
    let origin = recorded().await;
    let stage = Stage::observing(&origin.scripted).await;
    // Once as a stranger and once known.
    plays_unchanged(&stage, &origin).await;
}

#[tokio::test]
async fn a_bypass_lets_everything_pass_at_once() {
    let origin = recorded().await;
    let stage = Stage::before(&origin.scripted).await;
    stage.ask(&conversation()[1].0).await;
    stage.world.gateway.set_bypass(true);
    plays_unchanged(&stage, &origin).await;
    stage.world.gateway.set_bypass(false);
    assert_eq!(stage.ask(&conversation()[1].0).await.status, 500, "and no longer than it is on");
}

/// The bytes, compressed.
fn zipped(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn a_compressed_answer_is_counted_on_a_decoded_copy() {
    let item = "<t:Message><t:ItemId Id='1'/></t:Message>".repeat(40);
    let found = format!(
        "<e:Envelope xmlns:e='e'><e:Body><FindItemResponse><ResponseMessages><FindItemResponseMessage \
         ResponseClass='Success'><RootFolder TotalItemsInView='40' IncludesLastItemInRange='true'><Items>{item}\
         </Items></RootFolder></FindItemResponseMessage></ResponseMessages></FindItemResponse></e:Body></e:Envelope>"
    );
    let body = zipped(&found);
    let (go, leave) = tokio::sync::watch::channel(false);
    let sent = body.clone();
    let origin = Scripted::start(move |_, mut talk: Talk| {
        let (mut leave, body) = (leave.clone(), sent.clone());
        async move {
            while message(&mut talk).await.is_some() {
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Encoding: gzip\r\n";
                talk.say(format!("{head}Content-Length: {}\r\n\r\n", body.len())).await;
                // All but the checksum.
                let (first, last) = body.split_at(body.len() - 8);
                talk.say(first).await;
                leave.wait_for(|leave| *leave).await.unwrap();
                talk.say(last).await;
            }
        }
    })
    .await;
    let stage = Stage::observing(&origin).await;
    let mut client = stage.client().await;
    client.say(post("/EWS/Exchange.asmx", &find_drafts(""), &basic(JOHN, "secret"))).await;
    stage.johns(Component::Ews, |budget| budget.find_count.1 == 40).await;
    go.send(true).unwrap();
    assert_eq!(answer(&mut client).await.body, body);
    stage.johns(Component::Ews, |budget| budget.find_count.1 == 0).await;
}

#[tokio::test(start_paused = true)]
async fn guesses_that_are_only_observed_wait_for_no_turn() {
    let origin = Origin::new(|_| super::stage::reply("401 Unauthorized", "", "")).await;
    let stage = Stage::with(settings(&origin.scripted), listening(false)).await;
    let before = stage.world.gateway.clock.tick();
    for guess in 0..50 {
        let request = super::stage::ews("", &basic(JOHN, &format!("guess {guess}")));
        assert_eq!(stage.ask(request).await.status, 401);
    }
    assert_eq!(origin.got().len(), 50);
    assert_eq!(stage.world.gateway.clock.tick(), before);
}

fn settings(origin: &Scripted) -> RemoteSettings {
    RemoteSettings::new(vec![origin.url()])
}

#[tokio::test]
async fn a_find_that_the_limit_would_not_let_pass_is_logged_and_counted() {
    let item = "<t:Message><t:ItemId Id='1'/></t:Message>".repeat(3);
    let found = format!(
        "<e:Envelope xmlns:e='e'><e:Body><FindItemResponse><ResponseMessages><FindItemResponseMessage \
         ResponseClass='Success'><RootFolder TotalItemsInView='3' IncludesLastItemInRange='true'><Items>{item}\
         </Items></RootFolder></FindItemResponseMessage></ResponseMessages></FindItemResponse></e:Body></e:Envelope>"
    );
    for (limit, verdict) in [(3, "run"), (2, "would-refuse")] {
        let answer = reply("200 OK", "Content-Type: text/xml\r\n", &found);
        let origin = Origin::new(move |_| answer.clone()).await;
        let stage = Stage::observing(&origin.scripted).await;
        stage.world.hold_john_to(&[("EWSFindCountLimit", Some(limit))]);
        let request = post("/EWS/Exchange.asmx", &find_drafts(""), &basic(JOHN, "secret"));
        assert_eq!(stage.ask(request).await.text(), found);
        let logged = stage.world.logged();
        assert!(logged.contains(&format!(";Verdict={verdict};")), "{logged}");
    }
}
