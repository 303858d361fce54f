use std::path::Path;

use weir_spool::{Identity, Limits};

use super::*;
use crate::envelope::Standing;

async fn shadows(folder: &Path) -> Shadows {
    let (spool, _) = Spool::open(folder, Limits::default(), Identity(7)).unwrap();
    let shadows =
        Shadows::new(ShadowSettings::default(), Arc::new(spool), Token::new("db").unwrap(), Clock::start());
    for id in shadows.shared.spool.ids_after(None, 1_000).await.unwrap() {
        let stored = shadows.shared.spool.locate(id).await.unwrap().read().unwrap();
        if envelope::is_of_notices(&stored.envelope) {
            shadows.recovered_notices(id, &stored.recipients);
        }
    }
    shadows.all_recovered().await;
    shadows
}

fn hub01() -> Token {
    Token::new("hub01").unwrap()
}

fn told(shadows: &Shadows, seen: Option<u64>) -> (u64, Vec<String>) {
    let notices = shadows.discards(&hub01(), DiscardQuery { most: 100, seen });
    (notices.cursor, notices.messages.iter().map(ToString::to_string).collect())
}

async fn messages(shadows: &Shadows) -> usize {
    shadows.shared.spool.ids_after(None, 1_000).await.unwrap().len()
}

#[tokio::test]
async fn notices_outlive_the_process_until_they_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let before = shadows(folder.path()).await;
    for name in ["a", "b", "c"] {
        before.onward("hub01", &Token::new(name).unwrap()).await;
    }
    let (cursor, names) = told(&before, None);
    assert_eq!(names, ["a", "b", "c"]);
    drop(before);
    let after = shadows(folder.path()).await;
    assert_eq!(told(&after, None), (cursor, names), "nobody said that they were read");
    assert_eq!(told(&after, Some(cursor)).1, Vec::<String>::new());
    let gone = async {
        // Whoever removes them lets go of the disk after that.
        while messages(&after).await > 0 || Arc::strong_count(&after.shared) > 1 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(10), gone).await.unwrap();
    drop(after);
    assert_eq!(told(&shadows(folder.path()).await, None).1, Vec::<String>::new());
}

#[tokio::test]
async fn notices_of_one_moment_share_a_message() {
    let folder = tempfile::tempdir().unwrap();
    let shadows = shadows(folder.path()).await;
    let mut running = JoinSet::new();
    for number in 0..250 {
        let shadows = shadows.clone();
        running.spawn(async move {
            shadows.onward("hub01", &Token::new(&number.to_string()).unwrap()).await;
        });
    }
    running.join_all().await;
    assert!((3..100).contains(&messages(&shadows).await), "{}", messages(&shadows).await);
    let stored: usize = {
        let mut stored = 0;
        for id in shadows.shared.spool.ids_after(None, 1_000).await.unwrap() {
            stored += shadows.shared.spool.locate(id).await.unwrap().read().unwrap().recipients.len();
        }
        stored
    };
    assert_eq!(stored, 250);
}

#[tokio::test]
async fn a_copy_leaves_the_disk_when_its_partner_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let shadows = shadows(folder.path()).await;
    let state = ShadowState {
        partner: "hub04".to_owned(),
        shadow: "1.0.ff".to_owned(),
        database: "4f".to_owned(),
        since: shadows.shared.clock.wall().unix_micros(),
        next_hop: "SmtpRelayWithinSite/hub04".to_owned(),
    };
    let bytes = Standing::Shadow(state.clone()).to_bytes();
    let states = vec![State { due: Some(shadows.shared.clock.wall()), bytes }];
    let id = shadows.shared.spool.draft().queue(b"{}".to_vec(), states).await.unwrap();
    let next_hop = state.next_hop.parse().unwrap();
    let handle = shadows.hold(&state, Copy { id, places: vec![0], next_hop }).unwrap();
    assert_eq!(shadows.counts(), (1, 0));
    let hub04 = state.shadow().unwrap().partner;
    let asking = shadows.ask(&hub04).unwrap();
    assert!(shadows.ask(&hub04).is_none(), "one session at a time asks");
    assert_eq!(asking.query().seen, None);
    let messages_onward = vec![Token::new("1.0.ff").unwrap()];
    let more = asking.answered(&DiscardNotices { cursor: 9, left: 0, messages: messages_onward }).await;
    assert_eq!((more, asking.query().seen), (true, Some(9)));
    assert!(!asking.answered(&DiscardNotices { cursor: 9, left: 0, messages: Vec::new() }).await);
    drop(asking);
    assert!(shadows.ask(&hub04).is_some());
    assert_eq!(messages(&shadows).await, 1, "its state is not on disk yet");
    assert_eq!(shadows.written(vec![handle]).await, []);
    assert_eq!((messages(&shadows).await, shadows.counts()), (0, (0, 0)));
}

#[tokio::test]
async fn whoever_has_nothing_of_ours_is_not_asked() {
    let folder = tempfile::tempdir().unwrap();
    let shadows = shadows(folder.path()).await;
    assert!(shadows.ask(&"hub04".parse().unwrap()).is_none());
    assert_eq!(shadows.next_heartbeat(), Tick::NEVER);
}
