use proptest::prelude::*;

use super::*;

fn token() -> impl Strategy<Value = ShadowId> {
    "[A-Za-z0-9._-]{1,64}".prop_map(|text| text.parse().unwrap())
}

proptest! {
    #[test]
    fn what_is_written_is_read_and_nothing_else(
        names in (token(), token(), token()),
        cursor: u64,
        micros: i64,
        cut in 0..300_usize,
    ) {
        let (one, two, three) = names;
        let since = WallTime::from_unix_micros(micros);
        let promise = Promise { holder: one.clone(), shadow: two.clone() };
        let notice = Notice { promise: promise.clone(), cursor, since };
        let shadow = Shadow { partner: one, shadow: two, database: three, since };
        let records = [promise.to_bytes(), notice.to_bytes(), shadow.to_bytes()];
        prop_assert_eq!(Promise::from_bytes(&records[0]), Ok(promise));
        prop_assert_eq!(Notice::from_bytes(&records[1]), Ok(notice));
        prop_assert_eq!(Shadow::from_bytes(&records[2]), Ok(shadow));
        for bytes in records {
            let readers = |bytes: &[u8]| {
                usize::from(Promise::from_bytes(bytes).is_ok())
                    + usize::from(Notice::from_bytes(bytes).is_ok())
                    + usize::from(Shadow::from_bytes(bytes).is_ok())
            };
            prop_assert_eq!(readers(&bytes), 1, "one kind alone");
            prop_assert_eq!(readers(&bytes[..cut.min(bytes.len() - 1)]), 0, "cut");
            prop_assert_eq!(readers(&[bytes, vec![0]].concat()), 0, "too long");
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        kind in prop::sample::select(vec![PROMISE, NOTICE, SHADOW]),
    ) {
        let bytes = [&[kind][..], &bytes].concat();
        let _ = (Promise::from_bytes(&bytes), Notice::from_bytes(&bytes), Shadow::from_bytes(&bytes));
    }
}

#[test]
fn an_identity_is_short_and_plain() {
    for bad in ["", "a b", "a\r\n", "\u{e9}", &"a".repeat(65)] {
        assert_eq!(bad.parse::<ShadowId>(), Err(TokenError), "{bad}");
    }
    assert_eq!("hub01.example-1_x".parse::<ShadowId>().unwrap().to_string(), "hub01.example-1_x");
    assert_eq!(
        Notice::from_bytes(&[0x22]).unwrap_err().to_string(),
        "the record begins with 0x22, which is not the kind that was asked for"
    );
}
