use super::super::{Callee, Ground, SeenCall, Told, told};
use super::*;

#[test]
fn what_is_reported_is_told() {
    let mut reports = Reports::default();
    reports.process(4711, [7; 16], "OUTLOOK.EXE");
    reports.client("PC-17", "jöhn", ClientMode::Cached);
    reports.call(Millis::new(12), Millis::new(u64::MAX));
    let told = told(&reports.buffer());
    let call = SeenCall {
        callee: Callee::Mailbox,
        ground: Ground::Foreground,
        took: Millis::new(12),
        ago: Millis::new(u32::MAX.into()),
        failed: false,
    };
    let (machine, user) = ("PC-17".to_owned(), "jöhn".to_owned());
    assert_eq!(
        told,
        [
            Told::Process { name: "OUTLOOK.EXE".to_owned() },
            Told::Client { machine, user, mode: ClientMode::Cached },
            Told::Call(call)
        ]
    );
}

#[test]
fn nothing_to_report_is_an_empty_buffer() {
    assert_eq!(Reports::default().buffer(), []);
}

#[test]
fn a_name_is_cut_and_a_report_beyond_the_payload_is_left_out() {
    let mut reports = Reports::default();
    reports.process(1, [0; 16], &"x".repeat(70_000));
    assert_eq!(told(&reports.buffer()), [Told::Process { name: "x".repeat(MAX_TEXT) }]);
    for _ in 0..10_000 {
        reports.call(Millis::new(1), Millis::new(1));
    }
    assert!(reports.buffer().len() <= MAX_PAYLOAD + 8);
    assert!(!told(&reports.buffer()).is_empty());
}
