use weir_wire::ews::property::Mailbox;
use weir_wire::ews::request::{AlternateId, ConvertId, GetDelegate, Request, ResolveNames};
use weir_wire::ews::response::Answer;

use crate::test_world::{World, john, message};

fn resolve(entry: &str) -> Request {
    Request::ResolveNames(ResolveNames { entry: entry.to_owned(), full_contact: false })
}

#[tokio::test]
async fn people_are_found_by_the_beginning_of_any_of_their_names() {
    let world = World::new();
    let cases: &[(&str, &[&str])] = &[
        ("john", &["John Doe"]),
        ("J", &["John Doe", "Jane Doe"]),
        ("KenMalcolmson", &["Ken Malcolmson"]),
        ("jane.doe@example.com", &["Jane Doe"]),
        ("smtp:jane.doe@example.com", &["Jane Doe"]),
        ("/o=example.com/ou=Site/cn=Recipients/cn=JOHN.DOE", &["John Doe"]),
    ];
    for (entry, expected) in cases {
        let Answer::Resolved { people, complete } = world.one(&john(), resolve(entry)).await.unwrap() else {
            panic!()
        };
        let names: Vec<_> = people.iter().filter_map(|person| person.mailbox.name.as_deref()).collect();
        assert_eq!((names.as_slice(), complete), (*expected, true), "{entry}");
    }
    for entry in ["nobody", "", " "] {
        assert_eq!(world.refusal(&john(), resolve(entry)).await, "ErrorNameResolutionNoResults", "{entry:?}");
    }
}

#[tokio::test]
async fn identifiers_convert_there_and_back() {
    let world = World::new();
    let item = world.save(&john(), None, message("a", "")).await;
    let convert = |format: &str, from: &str, id: &str| {
        let id = AlternateId { format: from.into(), id: id.into(), mailbox: "x".into(), archive: false };
        Request::ConvertId(ConvertId { format: format.into(), ids: vec![id] })
    };
    for format in ["EwsId", "EwsLegacyId", "EntryId", "HexEntryId", "StoreId", "OwaId"] {
        let there = world.one(&john(), convert(format, "EwsId", &item.id)).await.unwrap();
        let Answer::Converted(there) = there else { panic!("{there:?}") };
        assert_eq!((there.format.as_str(), there.mailbox.as_str()), (format, "john.doe@example.com"));
        assert_eq!(there.id == item.id, format == "EwsId", "{format}");
        let back = world.one(&john(), convert("EwsId", format, &there.id)).await.unwrap();
        let Answer::Converted(back) = back else { panic!("{back:?}") };
        assert_eq!(back.id, item.id, "{format}");
    }
    assert_eq!(
        world.refusal(&john(), convert("HexEntryId", "EwsId", "DUMMY")).await,
        "ErrorInvalidIdMalformed"
    );
    assert_eq!(world.refusal(&john(), convert("EwsId", "HexEntryId", "0g")).await, "ErrorInvalidIdMalformed");
    assert_eq!(world.refusal(&john(), convert("Roman", "EwsId", &item.id)).await, "ErrorInvalidArgument");
}

#[tokio::test]
async fn nobody_acts_for_a_mailbox_and_anothers_is_not_told_of() {
    let world = World::new();
    let ask = |address: &str| {
        let mailbox = Mailbox { address: Some(address.into()), ..Mailbox::default() };
        Request::GetDelegate(GetDelegate { mailbox, permissions: true })
    };
    assert_eq!(world.one(&john(), ask("john.doe@example.com")).await, Ok(Answer::Delegates(Vec::new())));
    assert_eq!(world.refusal(&john(), ask("jane.doe@example.com")).await, "ErrorAccessDenied");
}
