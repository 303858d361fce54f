//! What an answer proves of the credentials that it was given to (T8).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use weir_units::Component;

use super::stage::{Got, JOHN, Origin, Stage, answer, basic, ews, header_of, reply, well};

fn token(upn: &str) -> String {
    let part = |text: &str| URL_SAFE_NO_PAD.encode(text);
    let claims = format!("{{\"upn\":\"{upn}\"}}");
    format!(
        "Authorization: Bearer {}.{}.{}\r\n",
        part("{\"alg\":\"none\"}"),
        part(&claims),
        part("signature")
    )
}

fn is_charged(stage: &Stage) -> bool {
    stage.budget(JOHN, Component::Ews).is_some()
}

#[tokio::test]
async fn an_accepted_token_is_remembered_until_a_401_removes_it() {
    let origin = Origin::new(|got: &Got| match header_of(&got.head, "x-say") {
        Some(_) => reply("401 Unauthorized", "WWW-Authenticate: Bearer\r\n", ""),
        None => well(),
    })
    .await;
    let stage = Stage::before(&origin.scripted).await;
    assert_eq!(stage.ask(ews("", &token(JOHN))).await.status, 200);
    assert!(is_charged(&stage));
    stage.world.hold_john_to(&[("EWSMaxConcurrency", Some(0))]);
    assert_eq!(stage.ask(ews("", &token(JOHN))).await.status, 500, "he is known, and held to his budget");
    stage.world.store.set_mailbox_policy("JohnDoe", None).unwrap();
    stage.world.gateway.policies.invalidate();
    assert_eq!(stage.ask(ews("", &format!("{}X-Say: 401\r\n", token(JOHN)))).await.status, 401);
    stage.world.store.set_mailbox_policy("JohnDoe", Some("FooPolicy")).unwrap();
    stage.world.gateway.policies.invalidate();
    assert_eq!(stage.ask(ews("", &token(JOHN))).await.status, 200, "he is a stranger until the answer");
}

#[tokio::test]
async fn only_answers_that_need_the_credential_prove_it() {
    let soap = "<s:Envelope xmlns:s=\"s\"><s:Body><s:Fault/></s:Body></s:Envelope>";
    let chunked = format!(
        "HTTP/1.1 500 Oops\r\nContent-Type: text/xml\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{soap}\r\n0\r\n\r\n",
        soap.len()
    );
    let cases: [(Vec<u8>, u16, bool); 9] = [
        (reply("302 Found", "Location: /owa\r\n", ""), 302, false),
        (reply("400 Bad Request", "", ""), 400, false),
        (reply("403 Forbidden", "", ""), 403, false),
        (reply("502 Bad Gateway", "", ""), 502, false),
        (reply("503 Service Unavailable", "", ""), 503, false),
        (reply("500 Oops", "Content-Type: text/html\r\n", "<html><body>oops</body></html>"), 500, false),
        (reply("500 Oops", "Content-Type: text/xml\r\n", soap), 500, true),
        (chunked.into_bytes(), 500, true),
        (well(), 200, true),
    ];
    for (bytes, status, accepted) in cases {
        let said = bytes.clone();
        let origin = Origin::new(move |_| said.clone()).await;
        let stage = Stage::before(&origin.scripted).await;
        let answered = stage.ask(ews("", &basic(JOHN, "secret"))).await;
        assert_eq!((answered.status, is_charged(&stage)), (status, accepted), "{}", answered.head);
        assert!(bytes.ends_with(&answered.body) || answered.text() == soap, "{}", answered.text());
    }
}

#[tokio::test(start_paused = true)]
async fn a_guesser_neither_spends_johns_budget_nor_slows_him_down() {
    let good = basic(JOHN, "secret");
    let shown = good.clone();
    let origin =
        Origin::new(
            move |got: &Got| {
                if got.head.contains(&shown) { well() } else { reply("401 Unauthorized", "", "") }
            },
        )
        .await;
    let stage = Stage::before(&origin.scripted).await;
    stage.accept_john().await;
    let mut guesser = stage.client().await;
    let began = stage.world.gateway.clock.tick();
    for guess in 0..20 {
        guesser.say(ews("", &basic(JOHN, &format!("guess {guess}")))).await;
        assert_eq!(answer(&mut guesser).await.status, 401);
        let before = stage.world.gateway.clock.tick();
        assert_eq!(stage.ask(ews("", &good)).await.status, 200);
        assert_eq!(stage.world.gateway.clock.tick(), before, "John's accepted credential waits for nothing");
    }
    assert!(stage.world.gateway.clock.tick().since(began).count() > 2_000_000, "the guesser does");
    let budget = stage.budget(JOHN, Component::Ews).unwrap();
    assert_eq!(budget.connections, 0);
}
