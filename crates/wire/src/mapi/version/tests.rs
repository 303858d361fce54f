use super::*;

#[test]
fn the_headers_say_it() {
    for (value, version) in [
        ("Outlook/15.0.4420.1017", Some([15, 0, 4420, 1017])),
        ("Outlook/16.0.17126", Some([16, 0, 17126, 0])),
        ("Outlook/12.0.4228.0 (beta)", Some([12, 0, 4228, 0])),
        ("Outlook", None),
        ("Outlook/", None),
        ("Outlook/16", None),
        ("Outlook/16..1", None),
        ("Outlook/16.0.99999.1", None),
        ("Outlook/16.0.1.1.1", None),
        ("Outlook/newest", None),
    ] {
        assert_eq!(ClientVersion::from_client_application(value), version.map(ClientVersion::new), "{value}");
    }
    for (value, version) in [
        ("MAPI 11.0.5608", Some([11, 0, 5608, 0])),
        ("Microsoft Office/16.0 (Windows NT 10.0; MAPI 16.0.17126; Pro)", Some([16, 0, 17126, 0])),
        ("archiver/1.0 mapi/12.0.4518.1014", Some([12, 0, 4518, 1014])),
        ("MAPI", None),
        ("Outlook 16.0.17126", None),
    ] {
        assert_eq!(ClientVersion::from_user_agent(value), version.map(ClientVersion::new), "{value}");
    }
}

#[test]
fn outlook_2007_and_later_understand_and_earlier_ones_do_not() {
    for (numbers, understands) in [
        ([11, 0, 0, 8303], false),
        ([12, 0, 4227, 9999], false),
        ([12, 0, 4228, 0], true),
        ([12, 0, 4518, 1014], true),
        ([16, 0, 0, 0], true),
        ([0, 0, 0, 0], false),
    ] {
        assert_eq!(ClientVersion::new(numbers).understands_backoff(), understands, "{numbers:?}");
    }
}
