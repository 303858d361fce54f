use super::*;

#[test]
fn names_are_found_in_any_case_and_spelled_as_the_protocol_does() {
    for (request, name) in TABLE {
        assert_eq!(RequestType::from_name(name), request);
        assert_eq!(RequestType::from_name(&name.to_lowercase()), request);
        assert_eq!(request.to_string(), name);
    }
    assert_eq!(RequestType::from_name("Bind"), RequestType::Other);
    assert_eq!(RequestType::from_name("Other"), RequestType::Other);
}

#[test]
fn waiting_and_keeping_alive_are_no_work() {
    let idle: Vec<_> =
        TABLE.iter().filter(|(request, _)| !request.is_work()).map(|(_, name)| *name).collect();
    assert_eq!(idle, ["NotificationWait", "PING"]);
}
