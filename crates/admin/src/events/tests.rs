use std::fs;
use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::Value;
use weir_units::{EventId, Level};

use super::*;

const MINUTE: i64 = 60_000_000;
/// 2010-03-09T15:15:12Z.
const START: i64 = 1_268_147_712_000_000;

struct World {
    directory: tempfile::TempDir,
    log: EventLog,
    now: Arc<AtomicI64>,
    counted: Arc<Mutex<Vec<EventId>>>,
}

fn world(settings: EventSettings) -> World {
    let directory = tempfile::tempdir().unwrap();
    let now = Arc::new(AtomicI64::new(START));
    let clock = Arc::clone(&now);
    let clock: WallClock = Arc::new(move || WallTime::from_unix_micros(clock.load(Ordering::SeqCst)));
    let counted = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&counted);
    let hear: EventCounter = Arc::new(move |id| told.lock().unwrap().push(id));
    let log = EventLog::open(directory.path(), settings, clock, hear).unwrap();
    World { directory, log, now, counted }
}

impl World {
    /// Closes the log and reads its lines.
    fn lines(self) -> Vec<Value> {
        drop(self.log);
        let text = fs::read_to_string(self.directory.path().join(EVENTS_FILE)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn event(id: u16) -> Event {
    let fields = vec![("policy", "Foo\nDEL:1".to_owned())];
    Event { id: EventId(id), level: Level::Warning, text: "a policy is gone".to_owned(), fields }
}

#[test]
fn an_event_is_one_line_with_everything_that_t16_asks_for() {
    let world = world(EventSettings::default());
    world.log.sink().emit(event(2914));
    let lines = world.lines();
    let expected = serde_json::json!({
        "time": "2010-03-09T15:15:12.000000Z", "id": 2914, "level": "warning", "text": "a policy is gone",
        "process": "mailweir", "pid": std::process::id(), "fields": {"policy": "Foo\nDEL:1"},
    });
    assert_eq!(lines, [expected]);
}

#[test]
fn a_storm_is_cut_to_its_share_of_lines_and_none_of_it_goes_uncounted() {
    let world = world(EventSettings { per_minute: 5, ..EventSettings::default() });
    let sink = world.log.sink();
    for _ in 0..1000 {
        sink.emit(event(2915));
    }
    sink.emit(event(2916));
    let counted = world.counted.lock().unwrap().iter().filter(|id| **id == EventId(2915)).count();
    assert_eq!(counted, 1000, "the counter hears of all");
    let lines = world.lines();
    let of = |id: u16| lines.iter().filter(move |line| line["id"] == id);
    assert_eq!(of(2915).count(), 6, "five and the summary at the end");
    assert_eq!(of(2916).count(), 1, "another id is not held back");
    let suppressed: u64 = of(2915).filter_map(|line| line["suppressed"].as_u64()).sum();
    assert_eq!(suppressed, 995);
}

#[test]
fn the_next_minute_begins_with_the_count_of_what_was_left_out() {
    let world = world(EventSettings { per_minute: 1, ..EventSettings::default() });
    let sink = world.log.sink();
    for after in [0, 1, MINUTE - 1, MINUTE] {
        world.now.store(START + after, Ordering::SeqCst);
        sink.emit(event(2901));
    }
    let lines = world.lines();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1]["suppressed"], 2);
}

#[test]
fn a_storm_that_is_over_is_told_once_without_a_further_event() {
    let at = WallTime::from_unix_micros;
    let mut storm = Storm::new(1);
    assert_eq!(storm.admit(EventId(1), Level::Error, at(0)), Some(0));
    assert_eq!(storm.admit(EventId(1), Level::Error, at(1)), None);
    assert!(storm.overdue(Some(at(MINUTE - 1))).is_empty());
    let told = storm.overdue(Some(at(MINUTE)));
    assert_eq!(told, [storm::Overdue { id: EventId(1), level: Level::Error, suppressed: 1 }]);
    assert!(storm.overdue(None).is_empty());
}

#[test]
fn a_clock_set_back_does_not_silence_an_event() {
    let at = WallTime::from_unix_micros;
    let mut storm = Storm::new(1);
    assert!(storm.admit(EventId(1), Level::Error, at(MINUTE)).is_some());
    assert!(storm.admit(EventId(1), Level::Error, at(0)).is_some());
}

#[test]
fn a_sink_outlives_its_log_without_harm() {
    let world = world(EventSettings::default());
    let sink = world.log.sink();
    assert!(world.lines().is_empty());
    sink.emit(event(2901));
}

#[test]
fn an_endless_text_is_cut_at_a_letter() {
    let world = world(EventSettings::default());
    let text = "ü".repeat(10_000);
    world.log.sink().emit(Event { text, ..event(2902) });
    let lines = world.lines();
    assert_eq!(lines[0]["text"].as_str().unwrap().chars().count(), 4096);
}
