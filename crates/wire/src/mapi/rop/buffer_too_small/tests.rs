use super::*;

#[test]
fn it_is_read_and_written_and_takes_the_rest_of_the_list() {
    let list = [0xFF, 0x34, 0x12, 9, 0, 0, 1, 0, 0];
    let response = BufferTooSmall { size_needed: 0x1234, requests: vec![9, 0, 0, 1, 0, 0] };
    assert_eq!(BufferTooSmall::read(&list), Ok(Some(response.clone())));
    let mut written = Vec::new();
    response.write(&mut written);
    assert_eq!(written, list);
}

#[test]
fn another_response_is_none_and_one_that_is_cut_off_an_error() {
    assert_eq!(BufferTooSmall::read(&[0xF9, 0]), Ok(None));
    assert_eq!(BufferTooSmall::read(&[]), Ok(None));
    assert_eq!(BufferTooSmall::read(&[0xFF, 1]), Err(Malformed::Ends("RopBufferTooSmall")));
}
