use proptest::prelude::*;

use super::{
    ChangeNumber, FolderKey, Format, ItemKey, MailboxKey, Named, change_key, read, read_change_key,
    read_numbers, write, write_numbers,
};

const FORMATS: [Format; 6] =
    [Format::Ews, Format::EwsLegacy, Format::Entry, Format::HexEntry, Format::Store, Format::Owa];

#[test]
fn a_text_that_never_was_an_identifier_is_none() {
    let good = write(Format::Ews, Named::Item(MailboxKey(1), ItemKey(2)));
    let cut = good.get(..good.len() - 4).unwrap();
    let swapped = good.replacen('A', "B", 1);
    for text in ["", "DUMMY", "AAAA", cut, &swapped, &"A".repeat(10_000), "ü", "===="] {
        for format in FORMATS {
            assert_eq!(read(format, text), None, "{text}");
        }
    }
}

#[test]
fn a_change_key_is_no_identifier_and_an_identifier_no_change_key() {
    let key = change_key(ChangeNumber(7));
    assert_eq!(read_change_key(&key), Some(ChangeNumber(7)));
    assert_eq!(read(Format::Ews, &key), None);
    assert_eq!(read_change_key(&write(Format::Ews, Named::Folder(MailboxKey(1), FolderKey(2)))), None);
}

proptest! {
    #[test]
    fn what_is_written_is_read_in_its_own_format_alone(mailbox in any::<i64>(), key in any::<i64>(), item in any::<bool>()) {
        let mailbox = MailboxKey(mailbox);
        let named = if item { Named::Item(mailbox, ItemKey(key)) } else { Named::Folder(mailbox, FolderKey(key)) };
        for format in FORMATS {
            let text = write(format, named);
            prop_assert_eq!(read(format, &text), Some(named));
            if format != Format::Ews {
                prop_assert_eq!(read(Format::Ews, &text), None);
            }
        }
    }

    #[test]
    fn numbers_come_back_under_their_tag_and_count_alone(numbers in any::<[i64; 3]>()) {
        let text = write_numbers(b'X', &numbers);
        prop_assert_eq!(read_numbers(b'X', &text), Some(numbers));
        prop_assert_eq!(read_numbers::<3>(b'Y', &text), None);
        prop_assert_eq!(read_numbers::<2>(b'X', &text), None);
        prop_assert_eq!(read_numbers::<4>(b'X', &text), None);
    }

    #[test]
    fn no_text_panics(text in ".{0,80}") {
        for format in FORMATS {
            let _ = read(format, &text);
        }
    }
}
