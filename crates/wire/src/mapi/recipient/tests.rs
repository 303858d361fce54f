use proptest::prelude::*;

use super::super::property::tests::any_text8;
use super::super::row::tests::any_row;
use super::super::text::tests::any_width;
use super::*;

fn any_address() -> impl Strategy<Value = Address> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..5);
    prop_oneof![
        prop::option::of(any_text8()).prop_map(Address::Other),
        (any::<u8>(), any::<u8>(), any_text8()).prop_map(|(prefix_used, display_type, name)| {
            Address::Directory { prefix_used, display_type, name }
        }),
        (2u8..6).prop_map(Address::Numbered),
        (any::<bool>(), bytes(), bytes()).prop_map(|(second, entry_id, search_key)| {
            Address::PersonalList { second, entry_id, search_key }
        }),
    ]
}

/// Columns and a recipient with a cell for each. The texts have one width, as they have where they are sent.
pub(in super::super) fn any_recipient() -> impl Strategy<Value = (Vec<PropertyTag>, RecipientRow)> {
    let texts = || {
        let text = any_width().prop_map(|text| text.to_str().into_owned());
        prop::array::uniform4(prop::option::of(text))
    };
    (any_row(), any_address(), texts(), any::<bool>(), any::<u16>()).prop_map(
        |((columns, cells), address, texts, wide, flags)| {
            let texts = texts.map(|text| {
                text.map(|text| if wide { Text::Wide(text) } else { Text::Narrow(text.into_bytes()) })
            });
            let [email_address, display_name, simple_display_name, transmittable_display_name] = texts;
            let row = RecipientRow {
                address,
                email_address,
                display_name,
                simple_display_name,
                transmittable_display_name,
                flags: flags & !FIELDS,
                cells,
            };
            (columns, row)
        },
    )
}

fn written(columns: &[PropertyTag], row: &RecipientRow) -> Vec<u8> {
    let mut out = Vec::new();
    row.write(columns, &mut out);
    let (size, row) = out.split_at(2);
    assert_eq!(usize::from(u16::from_le_bytes([size[0], size[1]])), row.len());
    row.to_vec()
}

#[test]
fn a_recipient_says_which_fields_it_has() {
    let row = RecipientRow {
        address: Address::SMTP,
        email_address: Some("a@b".into()),
        display_name: Some("A".into()),
        flags: RecipientRow::SAME_NAME,
        ..RecipientRow::default()
    };
    assert_eq!(written(&[], &row), b"\x5B\x02a\0@\0b\0\0\0A\0\0\0\0\0\0");
}

#[test]
fn a_recipient_with_more_columns_than_there_are_is_an_error() {
    let read = RecipientRow::read(&[PropertyTag(3)], &[0, 0, 2, 0, 0, 0, 0, 0, 0]);
    assert_eq!(read, Err(Malformed::Wrong("the columns of a recipient")));
}

proptest! {
    #[test]
    fn every_recipient_is_read_as_it_was_written((columns, row) in any_recipient()) {
        prop_assert_eq!(RecipientRow::read(&columns, &written(&columns, &row)), Ok(row));
    }

    #[test]
    fn any_bytes_are_a_recipient_or_an_error((columns, row) in any_recipient(), cut: prop::sample::Index, byte: u8) {
        let mut bytes = written(&columns, &row);
        let place = cut.index(bytes.len());
        prop_assert!(RecipientRow::read(&columns, &bytes[..place]).is_err());
        bytes[place] = byte;
        let _ = RecipientRow::read(&columns, &bytes);
    }
}
