use super::World;
use crate::client::ClientError;
use crate::types::{MailboxChange, MailboxFilter, NewMailbox, NewOrganisation, PasswordChange, Secret};

#[tokio::test]
async fn a_mailbox_is_found_under_each_of_its_names() {
    let world = World::example().await;
    let john = world.client.mailbox("john.doe@example.com").await.unwrap();
    for name in ["JOHNDOE", "EXAMPLE\\johndoe", &john.legacy_dn.clone()] {
        assert_eq!(world.client.mailbox(name).await.unwrap(), john, "{name}");
    }
    assert_eq!(john.alias, "JohnDoe");
    assert_eq!(john.throttling_policy, None);
    assert!(john.has_password && !john.policy_deleted);
    let all = world.client.mailboxes(&MailboxFilter::default()).await.unwrap();
    let addresses: Vec<&str> = all.iter().map(|mailbox| mailbox.address.as_str()).collect();
    assert_eq!(addresses, ["jane.doe@example.com", "john.doe@example.com"]);
}

#[tokio::test]
async fn a_name_that_nobody_has_is_not_found() {
    let world = World::example().await;
    for name in ["nobody@example.com", "a/b", "ä", "%41", "..", "S\\"] {
        let error = world.client.mailbox(name).await.unwrap_err();
        assert!(matches!(error, ClientError::Refused { status: 404, .. }), "{name}: {error:?}");
    }
}

#[tokio::test]
async fn every_change_of_a_mailbox_makes_its_owner_log_in_again() {
    let world = World::example().await;
    let (client, forgotten) = (&world.client, &world.gateway.forgotten);
    forgotten.lock().unwrap().clear();
    let told = || std::mem::take(&mut *forgotten.lock().unwrap());
    let secret = PasswordChange { password: Some(Secret::new("another one")) };
    client.change_password("JohnDoe", &secret).await.unwrap();
    assert_eq!(told(), ["john.doe@example.com"]);
    let change = MailboxChange { display_name: Some("John".to_owned()), ..MailboxChange::default() };
    assert_eq!(client.change_mailbox("JohnDoe", &change).await.unwrap().display_name, "John");
    assert_eq!(told(), ["john.doe@example.com"]);
    client.change_mailbox("JohnDoe", &change).await.unwrap();
    assert!(told().is_empty(), "nothing changed");
    client.remove_mailbox("JaneDoe").await.unwrap();
    assert_eq!(told(), ["jane.doe@example.com"]);
}

#[tokio::test]
async fn impersonation_is_granted_and_taken_away() {
    let world = World::example().await;
    for allowed in [true, false] {
        let change = MailboxChange { may_impersonate: Some(allowed), ..MailboxChange::default() };
        assert_eq!(world.client.change_mailbox("JohnDoe", &change).await.unwrap().may_impersonate, allowed);
    }
}

#[tokio::test]
async fn a_password_is_taken_away_by_null() {
    let world = World::example().await;
    let john = world.client.change_password("JohnDoe", &PasswordChange { password: None }).await.unwrap();
    assert!(!john.has_password);
}

#[tokio::test]
async fn no_password_reaches_the_audit_log() {
    let world = World::example().await;
    let secret = PasswordChange { password: Some(Secret::new("hunter2-hunter2")) };
    world.client.change_password("JohnDoe", &secret).await.unwrap();
    let log = serde_json::to_string(&world.audit()).unwrap();
    assert!(log.contains("mailbox.password"));
    for secret in ["demo-password", "hunter2-hunter2", "argon2", &world.token()] {
        assert!(!log.contains(secret), "{secret}");
    }
}

#[tokio::test]
async fn addresses_and_alias_are_changed_in_the_documented_order() {
    let world = World::example().await;
    let add = MailboxChange {
        alias: Some("Johnny".to_owned()),
        add_addresses: vec!["j@example.com".to_owned()],
        ..MailboxChange::default()
    };
    let john = world.client.change_mailbox("JohnDoe", &add).await.unwrap();
    assert_eq!(john.alias, "Johnny");
    assert_eq!(john.addresses, ["john.doe@example.com", "j@example.com"]);
    let exchange = MailboxChange {
        remove_addresses: vec!["j@example.com".to_owned()],
        add_addresses: vec!["jd@example.com".to_owned(), "jane.doe@example.com".to_owned()],
        ..MailboxChange::default()
    };
    let error = world.client.change_mailbox("Johnny", &exchange).await.unwrap_err().to_string();
    assert!(error.contains("has the address jane.doe@example.com already"), "{error}");
    let john = world.client.mailbox("Johnny").await.unwrap();
    assert_eq!(john.addresses, ["john.doe@example.com", "jd@example.com"], "what came before stays done");
    assert_eq!(
        world.audit().last().unwrap()["after"]["addresses"][1],
        "jd@example.com",
        "and is written down"
    );
}

#[tokio::test]
async fn a_policy_deleted_behind_its_back_is_listed_and_repaired() {
    let world = World::example().await;
    world.new_policy("Foo", 1).await;
    let assign =
        MailboxChange { throttling_policy: Some(Some("Foo".to_owned())), ..MailboxChange::default() };
    world.client.change_mailbox("JohnDoe", &assign).await.unwrap();
    let deleted = MailboxFilter { deleted_policy: true, policy: None };
    assert!(world.client.mailboxes(&deleted).await.unwrap().is_empty());
    world.behind_its_back("DELETE FROM policy WHERE name = 'Foo'");
    let broken = world.client.mailboxes(&deleted).await.unwrap();
    assert_eq!(broken.len(), 1);
    assert!(broken[0].policy_deleted);
    let tombstone = broken[0].throttling_policy.clone().unwrap();
    assert!(tombstone.starts_with("Foo\nDEL:"), "{tombstone:?}");
    let repaired = world.client.repair_mailboxes().await.unwrap();
    assert_eq!(repaired.mailboxes, ["john.doe@example.com"]);
    assert!(world.client.mailboxes(&deleted).await.unwrap().is_empty());
    assert_eq!(world.client.mailbox("JohnDoe").await.unwrap().throttling_policy, None);
    let line = world.audit().pop().unwrap();
    assert_eq!(line["action"], "mailbox.repair");
    assert_eq!(line["before"]["throttling_policy"], tombstone.as_str());
    assert_eq!(line["after"], serde_json::to_value(world.client.mailbox("JohnDoe").await.unwrap()).unwrap());
    assert!(world.client.repair_mailboxes().await.unwrap().mailboxes.is_empty());
}

#[tokio::test]
async fn the_mailboxes_of_one_policy_are_listed() {
    let world = World::example().await;
    world.new_policy("Foo bar", 1).await;
    let assign =
        MailboxChange { throttling_policy: Some(Some("Foo bar".to_owned())), ..MailboxChange::default() };
    world.client.change_mailbox("JohnDoe", &assign).await.unwrap();
    for (policy, aliases) in
        [("foo BAR", &["JohnDoe"][..]), ("EXAMPLE\\Foo bar", &["JohnDoe"]), ("null", &["JaneDoe"])]
    {
        let which = MailboxFilter { deleted_policy: false, policy: Some(policy.to_owned()) };
        let found = world.client.mailboxes(&which).await.unwrap();
        assert_eq!(found.iter().map(|mailbox| &mailbox.alias).collect::<Vec<_>>(), aliases, "{policy}");
    }
    let which = MailboxFilter { deleted_policy: false, policy: Some("Fool".to_owned()) };
    let error = world.client.mailboxes(&which).await.unwrap_err();
    assert!(matches!(error, ClientError::Refused { status: 404, .. }), "{error:?}");
    world.behind_its_back("DELETE FROM policy WHERE name = 'Foo bar'");
    let null = MailboxFilter { deleted_policy: false, policy: Some("null".to_owned()) };
    assert_eq!(world.client.mailboxes(&null).await.unwrap().len(), 1, "a deleted policy is not none");
}

#[tokio::test]
async fn an_organisation_goes_only_when_its_mailboxes_have_gone() {
    let world = World::example().await;
    let error = world.client.remove_organisation("example.com").await.unwrap_err().to_string();
    assert_eq!(error, "2 mailboxes belong to the organisation \"example.com\"; remove them first");
    for mailbox in ["JohnDoe", "JaneDoe"] {
        world.client.remove_mailbox(mailbox).await.unwrap();
    }
    world.client.remove_organisation("Example.com").await.unwrap();
    assert!(world.client.organisations().await.unwrap().is_empty());
    assert_eq!(world.audit().last().unwrap()["target"], "example.com");
}

#[tokio::test]
async fn what_is_taken_or_not_accepted_is_refused() {
    let world = World::example().await;
    let mailbox = |address: &str, alias: &str| NewMailbox {
        address: address.to_owned(),
        alias: Some(alias.to_owned()),
        display_name: None,
        password: None,
    };
    for (wanted, status) in [
        (mailbox("john.doe@example.com", "x"), 409),
        (mailbox("x@example.com", "JohnDoe"), 409),
        (mailbox("x@elsewhere.example", "x"), 400),
        (mailbox("no address", "x"), 400),
    ] {
        let error = world.client.new_mailbox(&wanted).await.unwrap_err();
        assert!(matches!(error, ClientError::Refused { status: told, .. } if told == status), "{error:?}");
    }
    let same = NewOrganisation {
        name: "other".to_owned(),
        short_name: "OTHER".to_owned(),
        domains: vec!["example.com".to_owned()],
    };
    let error = world.client.new_organisation(&same).await.unwrap_err();
    assert!(matches!(error, ClientError::Refused { status: 409, .. }), "{error:?}");
}
