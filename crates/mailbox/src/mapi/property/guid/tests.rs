use super::*;

const PUBLIC_STRINGS: [u8; 16] = [0x29, 0x03, 0x02, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0x46];

#[test]
fn the_first_three_parts_are_little_endian_as_sent() {
    assert_eq!(to_text(PUBLIC_STRINGS), "00020329-0000-0000-c000-000000000046");
    assert_eq!(from_text("00020329-0000-0000-c000-000000000046"), Some(PUBLIC_STRINGS));
}

#[test]
fn what_is_no_guid_is_none() {
    for text in
        ["", "0002", "00020329-0000-0000-c000-00000000004", "00020329-0000-0000-c000-0000000000461", "x"]
    {
        assert_eq!(from_text(text), None, "{text}");
    }
}

#[test]
fn sets_that_ews_has_names_for_go_by_them_and_others_by_their_guids() {
    assert_eq!(set_name(PUBLIC_STRINGS), "PublicStrings");
    assert_eq!(set_guid("PublicStrings"), Some(PUBLIC_STRINGS));
    let other = [1; 16];
    assert_eq!(set_guid(&set_name(other)), Some(other));
    assert_eq!(set_guid("NoSuchSet"), None);
    for (name, guid) in SETS {
        assert_eq!(to_text(set_guid(name).unwrap()), *guid);
    }
}
