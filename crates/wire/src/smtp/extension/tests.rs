use super::*;
use proptest::prelude::*;

fn reply(text: &str) -> Reply {
    let mut lines = text.split('|');
    let first = Reply::plain(Code::OK, lines.next().unwrap());
    lines.fold(first, Reply::and)
}

#[test]
fn what_odd_servers_offer_is_understood() {
    let offered = Extensions::of(&reply(
        "mx.example.com at your service|pipelining|SIZE|8bitmime|AUTH=LOGIN|AUTH PLAIN LOGIN XOAUTH2|X-UNKNOWN 1||STARTTLS",
    ));
    let keywords = [Extension::Pipelining, Extension::EightBitMime, Extension::StartTls];
    assert_eq!(offered.keywords, keywords.into());
    assert_eq!(offered.size, Some(0), "a size without a number states no limit");
    assert_eq!(offered.mechanisms, [Mechanism::Login, Mechanism::Plain]);
}

#[test]
fn the_first_line_offers_nothing() {
    assert_eq!(Extensions::of(&reply("PIPELINING")), Extensions::none());
}

proptest! {
    #[test]
    fn what_is_offered_is_read_back(
        keywords in proptest::sample::subsequence(Extension::ALL.to_vec(), 0..=8),
        size in any::<Option<u64>>(),
        mechanisms in proptest::sample::subsequence(vec![Mechanism::Plain, Mechanism::Login], 0..=2),
    ) {
        let offered = Extensions { keywords: keywords.into_iter().collect(), size, mechanisms };
        prop_assert_eq!(Extensions::of(&offered.reply("hub01.example.com")), offered);
    }
}
