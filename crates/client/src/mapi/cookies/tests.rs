use super::*;

fn sent_back(set: &[&str]) -> Option<String> {
    let mut cookies = Cookies::default();
    for header in set {
        cookies.set(header);
    }
    cookies.header()
}

#[test]
fn every_cookie_is_sent_back_with_its_latest_value() {
    for (set, back) in [
        (&[][..], None),
        (&["MapiContext=abc=; path=/mapi; secure; HttpOnly"], Some("MapiContext=abc=")),
        (&["a=1", "b=2", "a=3; Max-Age=60"], Some("b=2; a=3")),
        (&["a=1", "b=2", "a=; max-age=0"], Some("b=2")),
        (&["a="], Some("a=")),
        (&["nonsense", "=nobody", ""], None),
    ] {
        assert_eq!(sent_back(set).as_deref(), back, "{set:?}");
    }
}

#[test]
fn no_more_than_32_are_kept_and_none_beyond_4096_bytes() {
    let many: Vec<String> = (0..40).map(|number| format!("c{number}=x")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(sent_back(&many).unwrap().split("; ").count(), MAX_COOKIES);
    let long = "x".repeat(MAX_COOKIE - 1);
    assert!(sent_back(&[&format!("a={long}")]).is_some());
    assert_eq!(sent_back(&[&format!("ab={long}")]), None);
}
