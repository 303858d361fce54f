use weir_wire::ews::field::Field;
use weir_wire::ews::property::Value;
use weir_wire::ews::request::{
    ConflictResolution, DeleteItem, DeleteType, Disposition, GetEvents, ItemChange, Request, Subscribe,
    TransferItem, Unsubscribe, Update, UpdateItem,
};
use weir_wire::ews::response::{Answer, Events};

use crate::Settings;
use crate::test_world::{World, create, id_of, items, jane, john, known, message, message_to, text};

const ALL: [&str; 6] =
    ["NewMailEvent", "CreatedEvent", "DeletedEvent", "ModifiedEvent", "MovedEvent", "CopiedEvent"];

fn subscribe(folders: &[&str], events: &[&str], watermark: Option<String>) -> Request {
    Request::Subscribe(Subscribe {
        folders: folders.iter().map(|name| known(name)).collect(),
        all_folders: folders.is_empty(),
        events: events.iter().map(|event| (*event).to_owned()).collect(),
        watermark,
        timeout_minutes: 10,
    })
}

fn get(subscription: &str, watermark: &str) -> Request {
    Request::GetEvents(GetEvents { subscription: subscription.to_owned(), watermark: watermark.to_owned() })
}

async fn subscribed(world: &World, folders: &[&str], events: &[&str]) -> (String, String) {
    match world.one(&john(), subscribe(folders, events, None)).await.unwrap() {
        Answer::Subscribed { subscription, watermark } => (subscription, watermark),
        other => panic!("{other:?}"),
    }
}

async fn events(world: &World, subscription: &str, watermark: &str) -> Events {
    match world.one(&john(), get(subscription, watermark)).await.unwrap() {
        Answer::Events(events) => events,
        other => panic!("{other:?}"),
    }
}

fn kinds(events: &Events) -> Vec<&str> {
    events.events.iter().map(|event| event.kind.as_str()).collect()
}

#[tokio::test]
async fn what_happens_in_a_folder_is_told_in_order() {
    let world = World::new();
    let (subscription, watermark) = subscribed(&world, &["inbox"], &ALL).await;
    let status = events(&world, &subscription, &watermark).await;
    assert_eq!((kinds(&status), status.more), (vec!["StatusEvent"], false));
    let sent = create(Disposition::SendOnly, None, vec![message_to("a", &["john.doe@example.com"])]);
    world.one(&jane(), sent).await.unwrap();
    let id = id_of(&world.find(&john(), crate::test_world::find("inbox")).await.page[0]);
    let conflict = ConflictResolution::AlwaysOverwrite;
    let updates = vec![Update::Set(Field::SUBJECT.into(), text("b"))];
    let changes = vec![ItemChange { item: id.clone(), updates }];
    world
        .one(&john(), Request::UpdateItem(UpdateItem { disposition: None, conflict, changes }))
        .await
        .unwrap();
    let transfer = |to: &str| TransferItem { to: known(to), items: vec![id.clone()], return_new_ids: true };
    world.one(&john(), Request::CopyItem(transfer("drafts"))).await.unwrap();
    let moved = items(world.one(&john(), Request::MoveItem(transfer("junkemail"))).await.unwrap());
    world.save(&john(), Some("drafts"), message("elsewhere", "")).await;
    let told = events(&world, &subscription, &watermark).await;
    assert_eq!(kinds(&told), ["CreatedEvent", "NewMailEvent", "ModifiedEvent", "CopiedEvent", "MovedEvent"]);
    let subject = told.events[4].subject.as_ref().unwrap();
    assert_eq!(subject.item.as_ref().unwrap().id, id_of(&moved[0]).id);
    assert_eq!(subject.old.as_ref().unwrap().item.as_ref().unwrap().id, id.id);
    let again = events(&world, &subscription, &told.events[1].watermark).await;
    assert_eq!(kinds(&again), ["ModifiedEvent", "CopiedEvent", "MovedEvent"], "from the watermark on");
    let earlier = world.refusal(&john(), get(&subscription, &watermark)).await;
    assert_eq!(earlier, "ErrorInvalidWatermark", "what was read is not kept");
}

#[tokio::test]
async fn only_the_events_that_were_asked_for_are_told() {
    let world = World::new();
    let (subscription, watermark) = subscribed(&world, &[], &["DeletedEvent"]).await;
    let id = world.save(&john(), None, message("a", "")).await;
    let how = DeleteType::HardDelete;
    world.one(&john(), Request::DeleteItem(DeleteItem { how, items: vec![id] })).await.unwrap();
    world.save(&jane(), None, message("another's", "")).await;
    let told = events(&world, &subscription, &watermark).await;
    assert_eq!(kinds(&told), ["DeletedEvent"]);
}

#[tokio::test]
async fn a_refused_step_tells_nothing() {
    let world = World::new();
    let (subscription, watermark) = subscribed(&world, &[], &ALL).await;
    let from = Value::Mailbox(jane().as_mailbox());
    let forged = crate::test_world::with(message_to("a", &["john.doe@example.com"]), Field::FROM, from);
    assert!(world.one(&john(), create(Disposition::SendAndSaveCopy, None, vec![forged])).await.is_err());
    assert_eq!(kinds(&events(&world, &subscription, &watermark).await), ["StatusEvent"]);
}

#[tokio::test]
async fn many_events_come_in_several_answers() {
    let world = World::new();
    let (subscription, mut watermark) = subscribed(&world, &["inbox"], &["CreatedEvent"]).await;
    let mails = (0..250).map(|number| message(&number.to_string(), "")).collect();
    world.server.deliver_many(&john(), "inbox", mails, world.now).await.unwrap();
    let mut pieces = Vec::new();
    loop {
        let told = events(&world, &subscription, &watermark).await;
        pieces.push(told.events.len());
        watermark.clone_from(&told.events.last().unwrap().watermark);
        if !told.more {
            break;
        }
    }
    assert_eq!(pieces, [100, 100, 50]);
}

#[tokio::test]
async fn a_subscription_ends_when_it_is_ended_or_nobody_asks() {
    let mut world = World::new();
    let (first, watermark) = subscribed(&world, &["inbox"], &ALL).await;
    let end =
        |subscription: &str| Request::Unsubscribe(Unsubscribe { subscription: subscription.to_owned() });
    assert_eq!(world.one(&john(), end(&first)).await, Ok(Answer::Done));
    assert_eq!(world.refusal(&john(), get(&first, &watermark)).await, "ErrorSubscriptionNotFound");
    assert_eq!(world.refusal(&john(), end(&first)).await, "ErrorSubscriptionNotFound");
    let (second, watermark) = subscribed(&world, &["inbox"], &ALL).await;
    world.pass(10);
    events(&world, &second, &watermark).await;
    world.pass(10);
    events(&world, &second, &watermark).await;
    assert!(world.server.forgotten_subscriptions(world.now).is_empty(), "asking keeps it alive");
    world.pass(11);
    assert_eq!(world.refusal(&john(), get(&second, &watermark)).await, "ErrorSubscriptionNotFound");
    assert_eq!(world.server.forgotten_subscriptions(world.now), [second]);
    assert!(world.server.forgotten_subscriptions(world.now).is_empty(), "told once");
    let (third, _) = subscribed(&world, &["inbox"], &ALL).await;
    world.pass(11);
    assert_eq!(world.server.forgotten_subscriptions(world.now), [third], "even if nobody ever asks");
}

#[tokio::test]
async fn a_subscription_is_its_owners_alone() {
    let world = World::new();
    let (subscription, watermark) = subscribed(&world, &["inbox"], &ALL).await;
    assert_eq!(world.refusal(&jane(), get(&subscription, &watermark)).await, "ErrorSubscriptionAccessDenied");
    let end = Request::Unsubscribe(Unsubscribe { subscription: subscription.clone() });
    assert_eq!(world.refusal(&jane(), end).await, "ErrorSubscriptionAccessDenied");
    events(&world, &subscription, &watermark).await;
}

#[tokio::test]
async fn subscriptions_that_make_no_sense_are_refused() {
    let world = World::with(Settings { max_subscriptions: 1, ..Settings::default() });
    let cases = [
        (subscribe(&["nowhere"], &ALL, None), "ErrorFolderNotFound"),
        (subscribe(&["inbox"], &["WeatherEvent"], None), "ErrorInvalidSubscriptionRequest"),
        (subscribe(&["inbox"], &ALL, Some("nonsense".into())), "ErrorInvalidWatermark"),
        (get("nonsense", "nonsense"), "ErrorInvalidWatermark"),
    ];
    for (request, code) in cases {
        assert_eq!(world.refusal(&john(), request).await, code);
    }
    let (_, watermark) = subscribed(&world, &["inbox"], &ALL).await;
    assert_eq!(world.refusal(&john(), get("nonsense", &watermark)).await, "ErrorInvalidSubscription");
    assert_eq!(
        world.refusal(&john(), subscribe(&["inbox"], &ALL, None)).await,
        "ErrorExceededSubscriptionCount"
    );
}

#[tokio::test]
async fn a_subscription_that_fell_behind_says_so_and_is_gone() {
    let world = World::with(Settings { max_events: 3, ..Settings::default() });
    let (subscription, watermark) = subscribed(&world, &["inbox"], &["CreatedEvent"]).await;
    let mails = (0..4).map(|number| message(&number.to_string(), "")).collect();
    world.server.deliver_many(&john(), "inbox", mails, world.now).await.unwrap();
    assert_eq!(world.refusal(&john(), get(&subscription, &watermark)).await, "ErrorMissedNotificationEvents");
    assert_eq!(world.refusal(&john(), get(&subscription, &watermark)).await, "ErrorSubscriptionNotFound");
    assert_eq!(world.server.forgotten_subscriptions(world.now), [subscription]);
}
