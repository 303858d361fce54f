use super::*;

#[test]
fn requests_are_numbered_in_rising_order_under_one_identifier() {
    let identity = Identity::random();
    let ids: Vec<String> = (0..3).map(|_| identity.request()).collect();
    for (place, id) in ids.iter().enumerate() {
        let (guid, number) = id.split_once("}:").unwrap();
        assert_eq!((guid.len(), number), (37, (place + 1).to_string().as_str()), "{id}");
        assert_eq!(ids[0].split_once(':').unwrap().0, id.split_once(':').unwrap().0);
    }
    assert_ne!(identity.client().split_once(':').unwrap().0, ids[0].split_once(':').unwrap().0);
}

#[test]
fn an_identifier_is_written_as_people_write_it_and_sent_as_the_protocol_has_it() {
    let guid = Guid::of(*b"\x01\x23\x45\x67\x89\xAB\xFD\xEF\x11\x23\x45\x67\x89\xAB\xCD\xEF");
    assert_eq!(guid.text(), "{01234567-89AB-4DEF-9123-456789ABCDEF}");
    assert_eq!(guid.wire()[..8], [0x67, 0x45, 0x23, 0x01, 0xAB, 0x89, 0xEF, 0x4D]);
    assert_ne!(Guid::random(), Guid::random());
}
