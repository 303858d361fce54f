use proptest::prelude::*;

use super::*;

const GUIDS: Guids = Guids { store: [7; 16], mailbox: [9; 16] };

#[test]
fn an_identifier_is_the_replica_and_a_counter_with_its_highest_byte_first() {
    assert_eq!(folder(FolderKey(0x0102)).to_le_bytes(), [1, 0, 0, 0, 0, 0, 0x02, 0x04]);
    assert_eq!(message(ItemKey(0x0102)).to_le_bytes(), [1, 0, 0, 0, 0, 0, 0x02, 0x05]);
}

#[test]
fn a_folder_and_a_message_of_one_key_have_different_identifiers() {
    assert_eq!(read_folder(folder(FolderKey(5))), Some(FolderKey(5)));
    assert_eq!(read_message(folder(FolderKey(5))), None);
    assert_eq!(read_message(message(ItemKey(5))), Some(ItemKey(5)));
    assert_eq!(read_folder(message(ItemKey(5))), None);
}

#[test]
fn an_identifier_of_another_replica_names_nothing() {
    assert_eq!(read(folder(FolderKey(5)) ^ 1), None);
    assert_eq!(read(0), None);
}

#[test]
fn the_long_form_of_another_store_names_nothing() {
    let id = message(ItemKey(0x0012_3456_789A));
    let long = GUIDS.long_term(id);
    assert_eq!(GUIDS.read_long_term(&long), Some(id));
    let other = Guids { store: [8; 16], ..GUIDS };
    assert_eq!(other.read_long_term(&long), None);
}

#[test]
fn entry_identifiers_have_their_documented_lengths_and_kinds() {
    let (inbox, mail) = (folder(FolderKey(5)), message(ItemKey(6)));
    let entry = GUIDS.folder_entry(inbox);
    assert_eq!((entry.len(), &entry[20..22]), (46, &[1, 0][..]));
    let entry = GUIDS.message_entry(inbox, mail);
    assert_eq!((entry.len(), &entry[20..22]), (70, &[7, 0][..]));
    assert_eq!(entry[4..20], GUIDS.mailbox);
    assert_eq!(GUIDS.source_key(mail).len(), 22);
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(key in 1..(1_i64 << 46)) {
        prop_assert_eq!(read(folder(FolderKey(key))), Some(Named::Folder(FolderKey(key))));
        prop_assert_eq!(read(message(ItemKey(key))), Some(Named::Message(ItemKey(key))));
    }

    #[test]
    fn no_number_is_read_as_an_identifier_that_would_be_written_otherwise(id: u64) {
        match read(id) {
            Some(Named::Folder(key)) => prop_assert_eq!(folder(key), id),
            Some(Named::Message(key)) => prop_assert_eq!(message(key), id),
            None => {}
        }
    }
}
