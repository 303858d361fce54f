use super::*;

#[test]
fn sockets_are_known_by_their_names_in_any_order() {
    assert_eq!(listeners("admin:http", 2).unwrap(), ["admin", "http"]);
    assert_eq!(listeners("https", 1).unwrap(), ["https"]);
    assert_eq!(listeners("submission:smtp", 2).unwrap(), ["submission", "smtp"]);
}

#[test]
fn what_cannot_be_told_apart_is_refused_with_the_name_to_correct() {
    let check = |names: &str, sockets, part: &str| {
        let why = listeners(names, sockets).unwrap_err().to_string();
        assert!(why.contains(part), "{names:?}: {why}");
    };
    check("", 1, "1 listening sockets were given and 0 names");
    check("http", 2, "2 listening sockets were given and 1 names");
    check("mailweir.socket", 1, "\"mailweir.socket\"");
    check("http:http", 2, "two listening sockets named http");
}
