use super::*;

const TAG: PropertyTag = PropertyTag::new(0x1013, PropertyType::BINARY);

fn stream(target: Option<u32>) -> Stream {
    Stream::new(TAG, b"0123456789".to_vec(), target)
}

#[test]
fn reading_goes_on_where_it_left_off_and_ends_at_the_end() {
    let mut stream = stream(None);
    assert_eq!(stream.read(4), b"0123");
    assert_eq!(stream.read(100), b"456789");
    assert_eq!(stream.read(1), b"");
}

#[test]
fn a_place_is_counted_from_the_beginning_from_here_or_from_the_end() {
    let mut stream = stream(None);
    assert_eq!(stream.seek(From::Beginning, 4), Ok(4));
    assert_eq!(stream.seek(From::Here, 2), Ok(6));
    assert_eq!(stream.seek(From::End, -1), Ok(9));
    assert_eq!(stream.read(5), b"9");
    for (from, offset) in
        [(From::Beginning, -1), (From::End, 1), (From::Here, i64::MAX), (From::Beginning, i64::MIN)]
    {
        assert_eq!(stream.seek(from, offset), Err(ErrorCode::STREAM_SEEK_ERROR), "{from:?} {offset}");
    }
    assert_eq!(stream.seek(From::Here, 0), Ok(10), "it stays where it was");
}

#[test]
fn what_is_written_stands_where_the_stream_was() {
    let mut stream = stream(Some(7));
    stream.seek(From::Beginning, 8).unwrap();
    assert_eq!(stream.len_after(4), 12);
    stream.write(b"abcd").unwrap();
    stream.seek(From::Beginning, 2).unwrap();
    stream.write(b"xy").unwrap();
    let written = PropertyValue::Binary(b"01xy4567abcd".to_vec());
    assert_eq!(stream.take_written(), Some((7, TAG, written)));
    assert_eq!(stream.take_written(), None, "once");
}

#[test]
fn a_stream_is_cut_and_lengthened() {
    let mut stream = stream(Some(7));
    stream.seek(From::End, 0).unwrap();
    stream.set_len(2).unwrap();
    stream.set_len(4).unwrap();
    assert_eq!(stream.read(9), b"\0\0");
}

#[test]
fn a_stream_that_is_only_read_refuses_to_be_written_to() {
    let mut stream = stream(None);
    assert_eq!(stream.write(b"a"), Err(ErrorCode::STREAM_ACCESS_DENIED));
    assert_eq!(stream.set_len(1), Err(ErrorCode::STREAM_ACCESS_DENIED));
    assert_eq!(stream.take_written(), None);
}

#[test]
fn text_has_no_zero_in_a_stream() {
    assert_eq!(to_bytes(PropertyValue::Unicode("ab".to_owned())), Ok(b"a\0b\0".to_vec()));
    assert_eq!(to_bytes(PropertyValue::Integer32(1)), Err(ErrorCode::NOT_SUPPORTED));
    let mut stream = Stream::new(TAG.with_kind(PropertyType::UNICODE), Vec::new(), Some(1));
    stream.write(b"a\0b\0").unwrap();
    let (_, _, value) = stream.take_written().unwrap();
    assert_eq!(value, PropertyValue::Unicode("ab".to_owned()));
}
