use super::*;

/// What the bytes behind a head without a string table complete.
fn scan(body: &[u8]) -> Result<Vec<Token>, NotUnderstood> {
    let mut scanner = Scanner::new();
    let head = [0x03, 0x01, 0x6A, 0x00];
    head.iter().chain(body).filter_map(|byte| scanner.step(*byte).transpose()).collect()
}

const fn start(page: u8, tag: u8, content: bool) -> Token {
    Token::Start { name: (page, tag), content }
}

#[test]
fn tokens_come_out_one_by_one() {
    let cases: [(&[u8], &[Token]); 9] = [
        (b"", &[]),
        (b"\x45\x01", &[start(0, 5, true), Token::End]),
        (b"\x05\x3F\x7F", &[start(0, 5, false), start(0, 0x3F, false), start(0, 0x3F, true)]),
        (b"\x00\x0D\x45\x00\x02\x05", &[start(13, 5, true), start(2, 5, false)]),
        (b"\x038\x01\x00\x01", &[Token::Text(b'8'), Token::Text(1), Token::End]),
        (b"\x03\x00\x05", &[start(0, 5, false)]),
        (b"\xC3\x02\x01\x01\x05", &[start(0, 5, false)]),
        (b"\xC3\x00\x05", &[start(0, 5, false)]),
        (b"\xC3\x80\x80\x80\x80\x80\x01\xFF\x05", &[start(0, 5, false)]),
    ];
    for (body, tokens) in cases {
        assert_eq!(scan(body).as_deref(), Ok(tokens), "{body:?}");
    }
}

#[test]
fn what_the_protocol_has_not_is_not_understood() {
    for byte in 0..=u8::MAX {
        let known = matches!(byte, SWITCH_PAGE | END | STR_I | OPAQUE | 0x05..=0x3F | 0x45..=0x7F);
        assert_eq!(scan(&[byte]).is_ok(), known, "{byte:#04x}");
    }
}

#[test]
fn a_number_has_thirty_two_bits() {
    assert_eq!(scan(b"\xC3\x8F\xFF\xFF\xFF\x7F\x05"), Ok(vec![]), "u32::MAX bytes are to be skipped");
    assert_eq!(scan(b"\xC3\x90\x80\x80\x80\x00"), Err(NotUnderstood), "one more");
    assert_eq!(scan(b"\xC3\xFF\xFF\xFF\xFF\x7F"), Err(NotUnderstood));
}
