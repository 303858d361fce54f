use weir_transport::queue::QueueState;
use weir_units::{EventId, Micros};

use world::{Fault, Manner, Sink, World, settings, until};

mod partners;
mod world;

#[tokio::test]
async fn a_message_goes_to_its_next_hop_and_leaves_the_disk() {
    let sink = Sink::new().await;
    let world = World::new(settings(&[sink.address])).await;
    world.send(&["ken@b.example", "jane@c.example"]).await;
    until("it arrives, and is gone", || world.held() == 0).await;
    let got = sink.got();
    assert_eq!(got.len(), 1, "both recipients share a next hop, and one copy");
    assert_eq!((got[0].from.as_str(), got[0].to.len()), ("john@example.com", 2));
    assert!(got[0].text.ends_with("\r\n\r\nHello\r\n"), "{}", got[0].text);
}

#[tokio::test]
async fn local_recipients_get_theirs_and_others_go_on() {
    let sink = Sink::new().await;
    let world = World::new(settings(&[sink.address])).await;
    world.send(&["jane@example.com", "ken@b.example"]).await;
    until("both have it", || world.held() == 0).await;
    assert_eq!((world.people.got("jane@example.com").len(), sink.got().len()), (1, 1));
}

#[tokio::test]
async fn with_one_of_three_down_each_of_the_others_has_half_and_the_dead_one_is_tried_once() {
    let (one, mut two, three) = (Sink::new().await, Sink::new().await, Sink::new().await);
    two.stop().await;
    let mut settings = settings(&[one.address, two.address, three.address]);
    settings.balance.schedule = weir_balance::Schedule::hub();
    settings.queue.smtp_max_messages_per_connection = 1;
    let world = World::new(settings).await;
    for _ in 0..10 {
        world.send(&["ken@b.example"]).await;
    }
    until("all have proved themselves, or failed", || world.held() == 0).await;
    let before = (one.connections(), three.connections());
    for _ in 0..60 {
        world.send(&["ken@b.example"]).await;
    }
    until("all arrive", || world.held() == 0).await;
    assert_eq!(one.got().len() + three.got().len(), 70);
    let (of_one, of_three) = (one.connections() - before.0, three.connections() - before.1);
    assert!(of_one.abs_diff(of_three) <= 1, "{of_one} {of_three}");
    let marked = world.mta.health().unhealthy();
    assert_eq!((marked.len(), marked[0].address, marked[0].failures), (1, two.address, 1));
    let events = world.events.lock().unwrap();
    assert_eq!(events.iter().filter(|event| event.id == EventId::TARGET_UNHEALTHY).count(), 1);
}

#[tokio::test]
async fn mail_waits_for_a_next_hop_that_is_down_and_goes_when_it_is_back() {
    let mut sink = Sink::new().await;
    sink.stop().await;
    let world = World::new(settings(&[sink.address])).await;
    world.send(&["ken@b.example"]).await;
    until("the queue is in retry", || {
        world.mta.queues().iter().any(|queue| queue.state == QueueState::Retry && queue.retry_count > 0)
    })
    .await;
    let queues = world.mta.queues();
    assert_eq!((queues[0].next_hop.clone(), queues[0].ready), (World::lab(), 1));
    assert_eq!(queues[0].last_error.as_deref(), Some("connection refused"));
    let sink = Sink::at(sink.address).await;
    until("it arrives", || world.held() == 0).await;
    assert_eq!(sink.got().len(), 1);
    let ids: Vec<EventId> = world.events.lock().unwrap().iter().map(|event| event.id).collect();
    assert_eq!(ids, [EventId::TARGET_UNHEALTHY, EventId::TARGET_HEALTHY]);
}

#[tokio::test]
async fn more_mail_than_targets_does_not_put_off_the_retries_of_those_that_are_down() {
    let (mut one, mut two) = (Sink::new().await, Sink::new().await);
    one.stop().await;
    two.stop().await;
    let world = World::new(settings(&[one.address, two.address])).await;
    for _ in 0..5 {
        world.send(&["ken@b.example"]).await;
    }
    until("both are tried again by the schedule", || {
        let marked = world.mta.health().unhealthy();
        marked.len() == 2 && marked.iter().all(|mark| mark.failures > 1)
    })
    .await;
    let one = Sink::at(one.address).await;
    until("all goes to the one that is back", || one.got().len() == 5).await;
}

#[tokio::test]
async fn the_administrator_need_not_wait_for_the_next_retry() {
    let mut sink = Sink::new().await;
    sink.stop().await;
    let mut settings = settings(&[sink.address]);
    settings.balance.schedule = weir_balance::Schedule::hub();
    let world = World::new(settings).await;
    world.send(&["ken@b.example"]).await;
    until("it is marked", || !world.mta.health().unhealthy().is_empty()).await;
    let sink = Sink::at(sink.address).await;
    world.mta.retry_target(sink.address).unwrap();
    until("it arrives a minute early", || sink.got().len() == 1).await;
}

#[tokio::test]
async fn who_is_refused_is_reported_to_the_sender_and_the_others_get_theirs() {
    let sink = Sink::new().await;
    let refused = [("no@b.example".to_owned(), (550, "5.1.1 nobody of that name"))].into();
    sink.behave(Manner { recipients: refused, ..Manner::default() });
    let world = World::new(settings(&[sink.address])).await;
    world.send(&["ken@b.example", "no@b.example"]).await;
    until("the report arrives", || world.people.got("john@example.com").len() == 1).await;
    let report = &world.people.got("john@example.com")[0];
    for words in [
        "Final-Recipient: rfc822; no@b.example",
        "Action: failed",
        "Status: 5.1.1",
        "5.1.1 nobody of that name",
    ] {
        assert!(report.contains(words), "{words} is not in\n{report}");
    }
    assert!(!report.contains("ken@b.example\r\nAction"), "he has it");
    until("nothing is left", || world.held() == 0).await;
    assert_eq!(sink.got()[0].to, ["ken@b.example"]);
}

#[tokio::test]
async fn a_message_that_is_deferred_comes_again_after_the_interval() {
    let sink = Sink::new().await;
    sink.behave(Manner { messages: Some((2, 451, "4.3.0 later")), ..Manner::default() });
    let world = World::new(settings(&[sink.address])).await;
    let id = world.send(&["ken@b.example"]).await;
    until("it was deferred", || world.mta.queues().iter().any(|queue| queue.deferred == 1)).await;
    let message = world.mta.message(id).await;
    until("it arrives", || world.held() == 0).await;
    assert_eq!(sink.got().len(), 1);
    // Between the look at the queue and that at the message it may have been tried again, but hardly gone.
    if let Some(message) = message {
        let standing = format!("{:?}", message.recipients[0].standing);
        assert!(standing.contains("451 4.3.0 later") && standing.contains("by_peer: true"), "{standing}");
    }
}

#[tokio::test]
async fn a_peer_that_takes_few_recipients_at_once_gets_them_in_turns() {
    let sink = Sink::new().await;
    sink.behave(Manner { most_recipients: Some(2), ..Manner::default() });
    let world = World::new(settings(&[sink.address])).await;
    world.send(&["a@b.example", "b@b.example", "c@b.example", "d@b.example", "e@b.example"]).await;
    until("all have it", || world.held() == 0).await;
    let sizes: Vec<usize> = sink.got().iter().map(|got| got.to.len()).collect();
    assert_eq!(sizes, [2, 2, 1]);
}

#[tokio::test]
async fn what_is_queued_goes_after_a_restart() {
    let mut sink = Sink::new().await;
    sink.stop().await;
    let world = World::new(settings(&[sink.address])).await;
    for _ in 0..30 {
        world.send(&["ken@b.example"]).await;
    }
    let sink = Sink::new().await;
    let hosts = vec![sink.address.to_string().parse().unwrap()];
    let world = world.restart(|settings| settings.routing.send_connectors[0].smart_hosts = hosts).await;
    until("all arrive", || world.held() == 0).await;
    assert_eq!(sink.got().len(), 30);
}

#[tokio::test]
async fn a_peer_that_hangs_up_gets_the_message_again() {
    let sink = Sink::new().await;
    sink.behave(Manner { drops: true, ..Manner::default() });
    let world = World::new(settings(&[sink.address])).await;
    world.send(&["ken@b.example"]).await;
    until("it was sent", || sink.got().len() == 1).await;
    sink.behave(Manner::default());
    until("it is acknowledged", || world.held() == 0).await;
    assert!(sink.got().len() >= 2, "nobody can know that the first one was taken");
}

#[tokio::test]
async fn a_message_that_is_too_old_goes_back() {
    let mut sink = Sink::new().await;
    sink.stop().await;
    let mut settings = settings(&[sink.address]);
    settings.queue.delay_notification_timeout = Micros::new(60_000);
    settings.queue.message_expiration_timeout = Micros::new(300_000);
    let world = World::new(settings).await;
    world.send(&["ken@b.example"]).await;
    until("both reports arrive", || world.people.got("john@example.com").len() == 2).await;
    let reports = world.people.got("john@example.com");
    assert!(reports[0].contains("Action: delayed") && reports[0].contains("Status: 4.4.7"), "{}", reports[0]);
    assert!(reports[1].contains("Action: failed") && reports[1].contains("Status: 5.4.7"), "{}", reports[1]);
    until("nothing is left", || world.held() == 0).await;
}

#[tokio::test]
async fn a_report_that_cannot_be_delivered_is_reported_to_nobody() {
    let sink = Sink::new().await;
    let refused = [("no@b.example".to_owned(), (550, "5.1.1 nobody"))].into();
    sink.behave(Manner { recipients: refused, ..Manner::default() });
    let world = World::new(settings(&[sink.address])).await;
    world.people.trouble("john@example.com", Some(Fault::Refuses));
    world.send(&["no@b.example"]).await;
    until("all is over", || world.held() == 0).await;
    assert_eq!(world.people.got("john@example.com").len(), 0);
}

#[tokio::test]
async fn a_message_that_the_process_fails_over_twice_is_set_aside_until_it_is_wanted_again() {
    let sink = Sink::new().await;
    let mut settings = settings(&[sink.address]);
    settings.poison_threshold = 1;
    let world = World::new(settings).await;
    world.people.trouble("jane@example.com", Some(Fault::Panics));
    let id = world.send(&["jane@example.com"]).await;
    let aside = weir_transport::routing::NextHopKey::Unreachable;
    until("it is set aside", || world.mta.queues().iter().any(|queue| queue.next_hop == aside)).await;
    assert_eq!(world.events.lock().unwrap()[0].id, EventId::MESSAGE_SET_ASIDE);
    let world = world.restart(|_| {}).await;
    until("it is set aside still", || world.mta.queues().iter().any(|queue| queue.next_hop == aside)).await;
    world.people.trouble("jane@example.com", None);
    assert!(world.mta.retry(&aside));
    until("she has it", || world.people.got("jane@example.com").len() == 1).await;
    until("nothing is left", || world.held() == 0).await;
    assert_eq!(world.mta.message(id).await, None);
}

#[tokio::test]
async fn a_suspended_queue_sends_nothing_and_a_removed_message_is_gone() {
    let sink = Sink::new().await;
    let world = World::new(settings(&[sink.address])).await;
    world.send(&["ken@b.example"]).await;
    until("it arrives", || world.held() == 0).await;
    assert!(world.mta.suspend(&World::lab(), true));
    let (kept, removed) = (world.send(&["ken@b.example"]).await, world.send(&["jane@b.example"]).await);
    let listed = world.mta.queue_messages(&World::lab(), Some(kept), 10).await;
    assert_eq!(listed.iter().map(|message| message.id).collect::<Vec<_>>(), [removed]);
    assert!(world.mta.remove(removed, true).await.unwrap());
    assert!(!world.mta.remove(removed, true).await.unwrap(), "it is gone");
    until("its sender hears of it", || world.people.got("john@example.com").len() == 1).await;
    assert_eq!(
        world.mta.queues().iter().find(|queue| queue.next_hop == World::lab()).unwrap().state,
        QueueState::Suspended
    );
    assert!(world.mta.suspend(&World::lab(), false));
    until("the other one goes", || sink.got().len() == 2).await;
}
