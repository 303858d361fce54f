use serde_json::json;

use super::*;

#[test]
fn a_change_shows_what_differs_and_nothing_else() {
    let before = json!({"name": "Foo", "settings": {"a": 1, "b": 2}, "effective": {"a": 1}});
    let after = json!({"name": "Foo", "settings": {"a": null, "c": 3}, "effective": {"a": null}});
    let told = "settings.a: 1 → null, settings.b: 2 → -, settings.c: - → 3";
    assert_eq!(difference(Some(&before), Some(&after)), told);
    assert_eq!(difference(None, Some(&after)), "", "made: the action says so");
}

#[test]
fn a_long_value_is_cut() {
    let long = json!("ü".repeat(100));
    assert_eq!(shown(Some(&long)).chars().count(), MOST_SHOWN + 1);
}

#[test]
fn what_is_left_out_of_a_listing_is_told() {
    let found = Excerpt::<EventRecord> { items: Vec::new(), complete: false, broken: 2 };
    let text = answer(&found, String::new()).unwrap().text();
    assert!(text.contains("older ones are not shown") && text.contains("2 lines"), "{text}");
}
