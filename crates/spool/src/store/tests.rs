use super::*;
use crate::disk::{Disk, Fault, Simulated};
use crate::record::Identity;

type Answer = Result<MessageId, SpoolError>;
type TestStore = Store<Simulated, u32>;

const LIMITS: Limits = Limits {
    disk_bytes: 64 << 10,
    segment_bytes: 4 << 10,
    messages: 100,
    drafts: 2,
    body_bytes: 20_000,
    envelope_bytes: 100,
    recipients: 3,
    state_bytes: 50,
    damaged_bytes: 8 << 10,
};

fn at(micros: i64) -> WallTime {
    WallTime::from_unix_micros(micros)
}

fn waiting(micros: i64) -> State {
    State { due: Some(at(micros)), bytes: b"jane".to_vec() }
}

fn done(recipient: u32) -> Change {
    Change { recipient, state: State { due: None, bytes: Vec::new() } }
}

fn open(disk: &Simulated) -> (TestStore, Recovery) {
    Store::open(disk.clone(), LIMITS, Identity(7)).unwrap()
}

fn reopen(disk: &Simulated) -> (TestStore, Recovery) {
    disk.restart(true);
    open(disk)
}

/// Queues a message, commits, and says what came of it.
fn queue(store: &mut TestStore, body: &[u8]) -> Answer {
    store.queue(0, body, b"john", &[waiting(10)], 1);
    committed(store)
}

fn finish(store: &mut TestStore, id: MessageId) -> Answer {
    store.update(id, &[done(0)], 1);
    committed(store)
}

fn committed(store: &mut TestStore) -> Answer {
    store.commit();
    let mut results = store.take_results();
    assert_eq!(results.len(), 1);
    results.remove(0).1
}

fn body(store: &TestStore, id: MessageId) -> Result<Vec<u8>, SpoolError> {
    let mut stored = store.locate(id)?.read()?;
    let mut body = Vec::new();
    while let Some(piece) = stored.body.next_piece()? {
        body.extend(piece);
    }
    assert_eq!(wide(body.len()), stored.body.bytes());
    Ok(body)
}

fn segments(disk: &Simulated) -> Vec<String> {
    let mut names = disk.names().unwrap();
    names.retain(|name| !name.contains("damaged"));
    names.sort();
    names
}

/// Where `bytes` stand in a file of the disk.
fn find(disk: &Simulated, bytes: &[u8]) -> (String, usize) {
    let at = |name: &String| disk.content(name).unwrap().windows(bytes.len()).rposition(|part| part == bytes);
    segments(disk).into_iter().find_map(|name| at(&name).map(|at| (name, at))).unwrap()
}

/// Damages the file that has `bytes`, there.
fn spoil(disk: &Simulated, bytes: &[u8]) {
    let (name, at) = find(disk, bytes);
    let mut content = disk.content(&name).unwrap();
    content[at] ^= 1;
    disk.overwrite(&name, &content);
}

#[test]
fn thirty_two_messages_share_one_write_and_one_sync() {
    let disk = Simulated::new(1);
    let (mut store, _) = open(&disk);
    let before = disk.operations();
    for token in 0..32 {
        store.queue(u64::from(token), b"hi", b"", &[waiting(0)], token);
    }
    assert_eq!((store.take_results().len(), disk.operations()), (0, before), "nothing lasts, nobody is told");
    store.commit();
    let tokens: Vec<u32> =
        store.take_results().into_iter().map(|(token, answer)| answer.map(|_| token).unwrap()).collect();
    assert_eq!(tokens, (0..32).collect::<Vec<_>>());
    assert_eq!(disk.operations() - before, 2);
}

#[test]
fn what_was_kept_is_as_it_was_after_a_crash() {
    let disk = Simulated::new(1);
    let (mut store, _) = open(&disk);
    store.piece(5, b"Subject: ").unwrap();
    store.queue(5, b"hello", b"john", &[waiting(30), waiting(20)], 1);
    let id = committed(&mut store).unwrap();
    let state = State { due: None, bytes: b"250".to_vec() };
    store.update(id, &[Change { recipient: 1, state: state.clone() }], 2);
    committed(&mut store).unwrap();
    let (mut store, recovery) = reopen(&disk);
    assert_eq!((recovery.messages, recovery.torn, recovery.damaged_places), (1, None, 0));
    let stored = store.locate(id).unwrap().read().unwrap();
    assert_eq!((stored.envelope, stored.recipients), (b"john".to_vec(), vec![waiting(30), state]));
    assert_eq!(body(&store, id).unwrap(), b"Subject: hello");
    assert_eq!(store.take_due(9, at(30)), [Due { id, recipients: vec![0] }]);
}

#[test]
fn numbers_are_not_given_twice_though_everything_is_done_and_removed() {
    let disk = Simulated::new(1);
    let (mut store, _) = open(&disk);
    let first = queue(&mut store, b"one").unwrap();
    finish(&mut store, first).unwrap();
    for _ in 0..3 {
        store.sweep(0).unwrap();
        (store, _) = reopen(&disk);
    }
    assert_eq!(segments(&disk).len(), 1);
    assert!(queue(&mut store, b"two").unwrap() > first);
}

#[test]
fn nor_are_they_when_the_disk_was_full_meanwhile() {
    let disk = Simulated::new(1);
    let (mut store, _) = open(&disk);
    let first = queue(&mut store, b"one").unwrap();
    finish(&mut store, first).unwrap();
    disk.set_capacity(0);
    for _ in 0..3 {
        (store, _) = reopen(&disk);
        store.sweep(0).unwrap();
        assert!(!store.usage().writable);
    }
    disk.set_capacity(u64::MAX);
    assert!(queue(&mut store, b"two").unwrap() > first);
}

#[test]
fn a_full_queue_says_how_full_it_is_and_takes_messages_again_when_some_are_done() {
    let disk = Simulated::new(1);
    let (mut store, _) = open(&disk);
    let mut ids = Vec::new();
    let refused = loop {
        match queue(&mut store, &[7; 1_000]) {
            Ok(id) => ids.push(id),
            Err(error) => break error,
        }
        store.sweep(10_000).unwrap();
    };
    let SpoolError::Full { used, limit } = refused else { panic!("{refused}") };
    assert_eq!(limit, LIMITS.message_room());
    assert!(used <= limit && used + 1_100 > limit, "{used} of {limit}");
    assert!(store.usage().disk_bytes < LIMITS.disk_bytes);
    for id in &ids {
        finish(&mut store, *id).unwrap();
    }
    assert_eq!(store.usage().bytes, 0);
    queue(&mut store, &[7; 1_000]).unwrap();
}

#[test]
fn messages_that_come_and_go_for_ever_stay_within_the_disk() {
    let disk = Simulated::new(1);
    let (mut store, _) = open(&disk);
    let stays = queue(&mut store, b"stays").unwrap();
    for _ in 0..500 {
        let id = queue(&mut store, &[7; 1_000]).unwrap();
        finish(&mut store, id).unwrap();
        store.sweep(10_000).unwrap();
    }
    let usage = store.usage();
    assert!(usage.disk_bytes < 5 * u64::from(LIMITS.segment_bytes), "{usage:?}");
    assert_eq!(body(&store, stays).unwrap(), b"stays");
}

#[test]
fn a_message_is_read_on_though_its_segment_is_removed() {
    let disk = Simulated::new(1);
    let (mut store, _) = open(&disk);
    let id = queue(&mut store, b"still here").unwrap();
    let mut stored = store.locate(id).unwrap().read().unwrap();
    finish(&mut store, id).unwrap();
    while segments(&disk).len() < 2 || store.usage().segments > 1 {
        let other = queue(&mut store, &[7; 3_000]).unwrap();
        finish(&mut store, other).unwrap();
        store.sweep(0).unwrap();
        if !disk.names().unwrap().contains(&"0000000001-0000000000000007.spool".to_owned()) {
            break;
        }
    }
    assert!(matches!(store.locate(id), Err(SpoolError::Unknown(unknown)) if unknown == id));
    assert_eq!(stored.body.next_piece().unwrap().unwrap(), b"still here");
    assert_eq!(stored.body.next_piece().unwrap(), None);
}

#[test]
fn after_a_failed_sync_nothing_is_kept_and_the_segment_is_never_written_again() {
    let disk = Simulated::new(1);
    let (mut store, _) = open(&disk);
    let kept = queue(&mut store, b"kept").unwrap();
    store.piece(8, b"a draft").unwrap();
    // The write goes well, its sync does not.
    disk.inject(disk.operations() + 2, Fault::Error);
    assert!(matches!(queue(&mut store, b"failed"), Err(SpoolError::NotKept(_))));
    let given_up = segments(&disk)[0].clone();
    let length = disk.content(&given_up).unwrap().len();
    store.queue(8, b"", b"", &[waiting(0)], 1);
    let (_, answer) = store.take_results().remove(0);
    assert!(matches!(answer, Err(SpoolError::NotKept(_))), "a draft with a piece that is lost is lost");
    let next = queue(&mut store, b"next").unwrap();
    assert_eq!(disk.content(&given_up).unwrap().len(), length);
    let (store, recovery) = reopen(&disk);
    assert_eq!((store.ids_after(None, 9), recovery.damaged_places), (vec![kept, next], 0));
}

#[test]
fn when_not_even_the_failure_can_be_written_down_it_is_in_doubt() {
    let disk = Simulated::new(1);
    let (mut store, _) = open(&disk);
    for operation in 2..9 {
        disk.inject(disk.operations() + operation, Fault::Error);
    }
    assert!(matches!(queue(&mut store, b"who knows"), Err(SpoolError::InDoubt(_))));
    assert!(!store.usage().writable);
    disk.forget_faults();
    queue(&mut store, b"works again").unwrap();
    assert!(store.usage().writable);
    let (store, _) = reopen(&disk);
    assert_eq!(store.usage().messages, 1, "what is written later says what does not count");
}

#[test]
fn a_segment_whose_making_failed_is_no_damage() {
    for seed in 0..20 {
        let disk = Simulated::new(seed);
        let (mut store, _) = open(&disk);
        // The sync of the message fails, then the sync of the next segment, and then its removal.
        for operation in [2, 6, 7] {
            disk.inject(disk.operations() + operation, Fault::Error);
        }
        assert!(matches!(queue(&mut store, b"who knows"), Err(SpoolError::InDoubt(_))));
        assert_eq!(segments(&disk).len(), 2);
        let id = queue(&mut store, b"kept").unwrap();
        let (store, recovery) = reopen(&disk);
        assert_eq!((store.ids_after(None, 9), recovery.damaged_places), (vec![id], 0), "{recovery:?}");
    }
}

#[test]
fn on_a_full_disk_nothing_is_accepted_and_what_is_there_can_be_read_and_finished_later() {
    let disk = Simulated::new(1);
    let (mut store, _) = open(&disk);
    let id = queue(&mut store, b"kept").unwrap();
    disk.set_capacity(600);
    assert!(queue(&mut store, &[7; 1_000]).unwrap_err().retry());
    assert_eq!(body(&store, id).unwrap(), b"kept");
    let (mut store, _) = reopen(&disk);
    assert_eq!(body(&store, id).unwrap(), b"kept");
    disk.set_capacity(u64::MAX);
    finish(&mut store, id).unwrap();
}

#[test]
fn a_torn_last_record_is_cut_off() {
    let disk = Simulated::new(1);
    let (mut store, _) = open(&disk);
    let id = queue(&mut store, b"whole").unwrap();
    let name = segments(&disk)[0].clone();
    let whole = disk.content(&name).unwrap();
    queue(&mut store, b"torn").unwrap();
    let all = disk.content(&name).unwrap();
    for length in whole.len()..all.len() {
        disk.overwrite(&name, &all[..length]);
        for later in segments(&disk).into_iter().skip(1) {
            disk.remove(&later).unwrap();
        }
        disk.sync_names().unwrap();
        let (store, recovery) = reopen(&disk);
        assert_eq!((store.ids_after(None, 9), recovery.damaged_places), (vec![id], 0));
        if let Some(torn) = recovery.torn {
            let cut = disk.content(&name).unwrap();
            assert_eq!((torn.kept, wide(cut.len())), (None, u64::from(torn.offset)), "at {length}");
        }
    }
}

#[test]
fn a_damaged_record_is_set_aside_and_what_follows_it_counts() {
    let disk = Simulated::new(1);
    let (mut store, _) = open(&disk);
    store.queue(0, b"", b"first envelope", &[waiting(0)], 1);
    committed(&mut store).unwrap();
    let second = queue(&mut store, b"second").unwrap();
    queue(&mut store, b"third").unwrap();
    spoil(&disk, b"first envelope");
    let (store, recovery) = reopen(&disk);
    assert_eq!((store.ids_after(None, 1), recovery.damaged_places), (vec![second], 1));
    let kept = recovery.damage[0].kept.clone().unwrap();
    let content = disk.content(&kept).unwrap();
    assert!(content.ends_with(b"jane") && wide(content.len()) == recovery.damage[0].bytes);
    // It is told again for as long as it is there, and kept once.
    let (_, again) = reopen(&disk);
    assert_eq!(again.damage, recovery.damage);
}

#[test]
fn a_damaged_body_is_found_when_it_is_read_and_never_taken_for_another() {
    let disk = Simulated::new(1);
    let (mut store, _) = open(&disk);
    let id = queue(&mut store, b"a body that rots").unwrap();
    let other = queue(&mut store, b"another").unwrap();
    spoil(&disk, b"body that rots");
    let is_damaged =
        |store: &TestStore| matches!(body(store, id), Err(SpoolError::Damaged { what: Measure::Body, .. }));
    assert!(is_damaged(&store));
    // Copied, it stays known as damaged, and its envelope is there for whoever tells the sender.
    let mut damage = Vec::new();
    while segments(&disk).contains(&"0000000001-0000000000000007.spool".to_owned()) {
        let filler = queue(&mut store, &[7; 3_000]).unwrap();
        finish(&mut store, filler).unwrap();
        store.sweep(10_000).unwrap();
        damage.extend(store.take_damage());
    }
    assert_eq!((damage.len(), damage[0].kept.is_some()), (1, true));
    let (store, _) = reopen(&disk);
    assert!(is_damaged(&store));
    assert_eq!(store.locate(id).unwrap().read().unwrap().envelope, b"john");
    assert_eq!(body(&store, other).unwrap(), b"another");
}

#[test]
fn of_a_state_that_is_damaged_the_one_before_is_left_and_it_is_said() {
    let disk = Simulated::new(1);
    let (mut store, _) = open(&disk);
    let id = queue(&mut store, b"").unwrap();
    let state = State { due: Some(at(20)), bytes: b"a state that rots".to_vec() };
    store.update(id, &[Change { recipient: 0, state }], 1);
    committed(&mut store).unwrap();
    spoil(&disk, b"state that rots");
    let stored = store.locate(id).unwrap().read().unwrap();
    assert_eq!((stored.recipients, stored.outdated), (vec![waiting(10)], vec![0]));
}

#[test]
fn records_in_a_body_are_a_body() {
    let disk = Simulated::new(1);
    let (mut store, _) = open(&disk);
    queue(&mut store, b"an ordinary message").unwrap();
    let records = disk.content(&segments(&disk)[0]).unwrap();
    let id = queue(&mut store, &records).unwrap();
    queue(&mut store, b"another").unwrap();
    // The way to the next record has to be found through the body.
    let (name, at) = find(&disk, &records);
    let mut content = disk.content(&name).unwrap();
    content[at - 1] ^= 1;
    disk.overwrite(&name, &content);
    let (store, recovery) = reopen(&disk);
    assert_eq!((store.usage().messages, recovery.damaged_places), (3, 1));
    assert!(body(&store, id).is_err());
}

#[test]
fn whatever_is_too_much_is_refused_with_its_limit() {
    let (mut store, _) = open(&Simulated::new(1));
    let state = |length| State { due: Some(at(0)), bytes: vec![0; length] };
    let mut check = |envelope: usize, recipients: &[State], what| {
        store.queue(0, b"", &vec![0; envelope], recipients, 1);
        let answer = committed(&mut store);
        assert!(
            matches!(answer, Err(SpoolError::TooLarge { what: found, .. }) if found == what),
            "{answer:?}"
        );
    };
    check(101, &[state(0)], Measure::Envelope);
    check(100, &vec![state(0); 4], Measure::Recipients);
    check(100, &[state(51)], Measure::State);
    for _ in 0..2 {
        store.piece(1, &[0; 10_000]).unwrap();
    }
    assert!(matches!(store.piece(1, b"a"), Err(SpoolError::TooLarge { what: Measure::Body, .. })));
    store.piece(2, b"a").unwrap();
    assert!(matches!(store.piece(3, b"a"), Err(SpoolError::TooMany { limit: 2 })));
}

#[test]
fn what_is_not_there_cannot_be_changed() {
    let (mut store, _) = open(&Simulated::new(1));
    let id = queue(&mut store, b"").unwrap();
    store.update(id, &[done(1)], 1);
    assert!(matches!(committed(&mut store), Err(SpoolError::UnknownRecipient { recipient: 1, .. })));
    finish(&mut store, id).unwrap();
    assert!(matches!(finish(&mut store, id), Err(SpoolError::Unknown(unknown)) if unknown == id));
}

#[test]
fn a_folder_with_two_spools_or_another_version_is_not_opened() {
    let disk = Simulated::new(1);
    drop(open(&disk));
    let name = segments(&disk)[0].clone();
    disk.create("0000000009-0000000000000008.spool").unwrap();
    let error = Store::<_, u32>::open(disk.clone(), LIMITS, Identity(7)).unwrap_err();
    assert!(matches!(error, OpenError::Mixed(7, 8)), "{error}");
    disk.remove("0000000009-0000000000000008.spool").unwrap();
    let mut newer = Vec::new();
    let place = Place { segment: 1, offset: 0 };
    crate::record::write(&mut newer, Identity(7), place, Kind::Segment, |out| {
        out.extend_from_slice(b"weirspl2");
    });
    disk.overwrite(&name, &newer);
    let error = Store::<_, u32>::open(disk, LIMITS, Identity(7)).unwrap_err();
    assert!(matches!(error, OpenError::Version(1)), "{error}");
}

#[test]
fn limits_that_cannot_be_kept_are_refused() {
    let check = |limits: Limits| limits.check().unwrap_err().to_string();
    Limits::default().check().unwrap();
    assert!(check(Limits { disk_bytes: 1 << 20, ..Limits::default() }).contains("room for 8 segments"));
    assert!(check(Limits { segment_bytes: 100, ..Limits::default() }).contains("segment has from 4096"));
    assert!(check(Limits { recipients: 1 << 20, ..Limits::default() }).contains("at most 16777216 bytes"));
}
