use super::*;

fn token(text: &str) -> Token {
    Token::new(text).unwrap()
}

#[test]
fn notices_are_read_as_they_were_written() {
    for count in [0, 1, 2, MAX_NOTICES] {
        let messages: Vec<Token> = (0..count).map(|number| token(&format!("2.0.{number}"))).collect();
        let notices = DiscardNotices { cursor: 9, left: 3, messages };
        assert_eq!(DiscardNotices::read(&notices.reply()), Some(notices), "{count}");
    }
}

#[test]
fn an_answer_that_was_cut_short_or_refuses_has_no_notices() {
    let whole = DiscardNotices { cursor: 1, left: 0, messages: vec![token("a"), token("b")] }.reply();
    assert!(DiscardNotices::read(&whole).is_some());
    let cut = Reply::new(Code::OK, 0, 0, "1 2 0").and("a");
    let wordy = Reply::new(Code::OK, 0, 0, "1 2 0 7").and("a").and("b");
    for reply in [cut, wordy, Reply::ok(), Reply::local_error()] {
        assert_eq!(DiscardNotices::read(&reply), None, "{reply}");
    }
}

#[test]
fn the_queue_database_of_a_peer_is_known_by_its_answer() {
    assert_eq!(database(&database_reply(&token("4f2a90c1"))), Some(token("4f2a90c1")));
    assert_eq!(database(&Reply::local_error()), None);
    assert_eq!(database(&Reply::plain(Code::OK, "two words")), None);
}

#[test]
fn a_token_has_letters_that_go_anywhere() {
    let long = "a".repeat(super::super::token::MAX_TOKEN + 1);
    for text in ["", "a b", "a/b", "ä", "a\n", "<a>", &long] {
        assert_eq!(Token::new(text), None, "{text:?}");
    }
}
