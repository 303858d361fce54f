use maud::PreEscaped;
use serde_json::json;

use super::*;

#[test]
fn an_event_keeps_its_lines_and_cannot_be_ended_by_what_it_holds() {
    assert_eq!(event("page", "a\nb"), "event: page\ndata: a\ndata: b\n\n");
    assert_eq!(
        event("page", "a\n\nevent: x\r\rb"),
        "event: page\ndata: a\ndata: \ndata: event: x\ndata: \ndata: b\n\n"
    );
}

#[test]
fn a_second_without_plots_is_one_event() {
    let fragment = PreEscaped("<p id=a>1</p>".to_owned());
    assert_eq!(events(&fragment, &Value::Null), "event: page\ndata: <p id=a>1</p>\n\n");
    assert_eq!(
        events(&fragment, &json!({"load": [[1, 2]]})),
        "event: page\ndata: <p id=a>1</p>\n\nevent: plot\ndata: {\"load\":[[1,2]]}\n\n"
    );
}

#[test]
fn the_latest_moments_are_the_last_ones_and_the_whole_is_all() {
    let moments = [1, 2, 3, 4];
    assert_eq!(Span::Latest.of(&moments, 3), [2, 3, 4]);
    assert_eq!(Span::Latest.of(&moments, 9), moments);
    assert_eq!(Span::Whole.of(&moments, 3), moments);
}
