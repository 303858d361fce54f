use super::*;

layout! {
    /// Fields of every kind.
    struct Everything {
        /// A number.
        number: u16,
        /// Text.
        text: String as Text16,
        /// Text.
        narrow: Vec<u8> as Text8,
        /// Bytes.
        bytes: Vec<u8> as Sized<u8>,
        /// Numbers.
        numbers: Vec<u32> as Counted<u8, Plain>,
        /// Yes or no.
        set: bool,
    }
}

fn written<T, C: Codec<T>>(value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    C::write(value, &mut out);
    out
}

#[test]
fn a_layout_is_its_fields_in_their_order() {
    let everything = Everything {
        number: 0x0201,
        text: "é".into(),
        narrow: b"ab".into(),
        bytes: vec![9],
        numbers: vec![5],
        set: true,
    };
    let bytes = [1, 2, 0xE9, 0, 0, 0, b'a', b'b', 0, 1, 9, 1, 5, 0, 0, 0, 1];
    assert_eq!(written::<_, Plain>(&everything), bytes);
    assert_eq!(Plain::read(&mut Reader::new(&bytes), "it"), Ok(everything));
    for cut in 0..bytes.len() {
        let read: Result<Everything, _> = Plain::read(&mut Reader::new(&bytes[..cut]), "it");
        assert_eq!(read, Err(Malformed::Ends("it")), "{cut}");
    }
}

#[test]
fn what_is_longer_than_its_size_can_say_is_cut_off() {
    assert_eq!(written::<_, Sized<u8>>(&vec![7; 300]).len(), 256);
    assert_eq!(written::<_, Counted<u8, Plain>>(&vec![7u16; 300]).len(), 511);
    assert_eq!(written::<_, Sized<u16>>(&vec![7; 70_000]).len(), 0x1_0001);
}

#[test]
fn text_ends_before_its_first_zero() {
    assert_eq!(written::<_, Text8>(&b"a\0b".to_vec()), b"a\0");
    assert_eq!(written::<_, Text16>(&"a\0b".to_owned()), b"a\0\0\0");
}

#[test]
fn a_count_that_lies_costs_no_more_than_the_bytes_there_are() {
    let lies = [0xFF; 8];
    assert_eq!(<Sized<u32>>::read(&mut Reader::new(&lies), "it"), Err(Malformed::Ends("it")));
    let read: Result<Vec<u64>, _> = <Counted<u32, Plain>>::read(&mut Reader::new(&lies), "it");
    assert_eq!(read, Err(Malformed::Ends("it")));
}

#[test]
fn half_a_character_is_read_as_a_replacement() {
    assert_eq!(Text16::read(&mut Reader::new(&[0, 0xD8, 0, 0]), "it"), Ok("\u{FFFD}".to_owned()));
}
