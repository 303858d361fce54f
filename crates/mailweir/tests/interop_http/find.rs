//! The find count limit met exactly, one more than it, and paged through (T10–T12, E4).

use crate::support::Server;
use crate::support::soap::{
    self, BEFORE_2010, Client, Root, find_item, folder, item_ids, page, roots, usual,
};

/// How many items the large folder holds.
const MANY: usize = 20_000;

/// A policy without any limit for the account that fills folders.
fn unlimited(server: &Server) {
    let null: Vec<String> = [
        "EWSMaxConcurrency",
        "EWSPercentTimeInAD",
        "EWSPercentTimeInCAS",
        "EWSPercentTimeInAddressBook",
        "EWSPercentTimeInMailboxRPC",
        "CPUStartPercent",
        "EWSFindCountLimit",
    ]
    .map(|name| format!("{name}=null"))
    .into();
    let null: Vec<&str> = null.iter().map(String::as_str).collect();
    server.limit("Unlimited", &null, &["JohnDoe"]);
}

/// Gives John the limit alone; everything else stays unlimited.
fn find_limit(server: &Server, limit: &str) {
    server.run(&["policy", "set", "Unlimited", "--set", &format!("EWSFindCountLimit={limit}")]);
}

#[test]
fn exactly_the_limit_passes_and_one_more_is_refused_in_the_words_of_the_version() {
    let server = Server::start("");
    unlimited(&server);
    let john = Client::new(&server, "john.doe");
    let thousand = john.create_folder("Thousand");
    john.fill(&folder(&thousand), 1000);
    find_limit(&server, "1000");

    for john in [john, john.speaking(BEFORE_2010)] {
        let reply = john.call(&find_item("", &folder(&thousand)));
        assert_eq!(reply.status, 200, "{}", reply.head);
        let root = &roots(&reply.body)[0];
        assert_eq!((root.items, root.total, root.last.as_str()), (1000, 1000, "true"));
    }

    find_limit(&server, "null");
    john.fill(&folder(&thousand), 1);
    find_limit(&server, "1000");
    let later = john.call(&find_item("", &folder(&thousand)));
    assert_eq!(later.status, 200);
    for said in [
        "ResponseClass=\"Error\"",
        "<m:ResponseCode>ErrorExceededFindCountLimit</m:ResponseCode>",
        "<m:DescriptiveLinkKey>0</m:DescriptiveLinkKey>",
        "<t:Value Name=\"PolicyLimit\">1000</t:Value>",
        "You have exceeded the maximum number of objects that can be returned for the find operation. \
         Use paging to reduce the result size and try your request again.",
    ] {
        assert!(later.body.contains(said), "no {said} in {}", later.body);
    }
    let earlier = john.speaking(BEFORE_2010).call(&find_item("", &folder(&thousand)));
    assert_eq!(earlier.status, 200);
    assert!(earlier.body.contains("<m:ResponseCode>ErrorServerBusy</m:ResponseCode>"), "{}", earlier.body);
    assert!(earlier.body.contains("<t:Value Name=\"PolicyLimit\">1000</t:Value>"), "{}", earlier.body);
    assert!(!earlier.body.contains("BackOffMilliseconds"), "{}", earlier.body);
}

#[test]
fn twenty_thousand_items_come_page_by_page_each_once() {
    let server = Server::start("");
    unlimited(&server);
    let john = Client::new(&server, "john.doe");
    let large = john.create_folder("Large");
    john.fill(&folder(&large), MANY);
    find_limit(&server, "1000");

    let total = u32::try_from(MANY).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    let mut offset = 0;
    loop {
        let reply = john.call(&find_item(&page(5000, offset), &folder(&large)));
        let root = &roots(&reply.body)[0];
        let last = if offset + 1000 == total { "true" } else { "false" };
        let meant = Root { offset: Some(offset + 1000), total, last: last.to_owned(), items: 1000 };
        assert_eq!(*root, meant, "at {offset}");
        seen.extend(item_ids(&reply.body));
        offset += 1000;
        if last == "true" {
            break;
        }
    }
    assert_eq!(seen.len(), MANY);
}

#[test]
fn a_page_beyond_the_end_is_empty_and_the_last() {
    let server = Server::start("");
    let reply = Client::new(&server, "john.doe").call(&find_item(&page(10, 100), &usual("drafts")));
    let root = &roots(&reply.body)[0];
    assert_eq!((root.items, root.total, root.last.as_str()), (0, 6, "true"), "{}", reply.body);
    assert!(root.offset.is_some(), "no IndexedPagingOffset: {}", reply.body);
}

#[test]
fn an_empty_folder_among_several_says_true_and_the_others_stay_right() {
    let server = Server::start("");
    server.limit("Few", &["EWSFindCountLimit=4"], &["JohnDoe"]);
    let john = Client::new(&server, "john.doe");
    let empty = john.create_folder("Empty");
    let folders = format!("{}{}", folder(&empty), usual("drafts"));
    let reply = john.call(&find_item(&page(100, 0), &folders));
    let roots = roots(&reply.body);
    assert_eq!(roots.len(), 2, "{}", reply.body);
    assert_eq!((roots[0].items, roots[0].total, roots[0].last.as_str()), (0, 0, "true"), "{}", reply.body);
    assert_eq!((roots[1].total, roots[1].last.as_str()), (6, "false"), "{}", reply.body);
    assert_eq!(roots[1].offset, u32::try_from(roots[1].items).ok(), "{}", reply.body);
    assert!((1..=4).contains(&roots[1].items), "{}", reply.body);
}

#[test]
fn six_drafts_and_a_limit_of_one_are_answered_as_the_document_shows() {
    let server = Server::start("");
    server.limit("FooPolicy", &["EWSFindCountLimit=1"], &["JohnDoe"]);
    let reply = Client::new(&server, "john.doe").call(&find_item(&page(10_000, 0), &usual("drafts")));
    let meant = Root { offset: Some(1), total: 6, last: "false".to_owned(), items: 1 };
    assert_eq!(roots(&reply.body), [meant], "{}", reply.body);
    assert!(
        soap::attribute(&reply.body, "FindItemResponseMessage", "ResponseClass")
            .is_some_and(|class| class == "Success")
    );
}
