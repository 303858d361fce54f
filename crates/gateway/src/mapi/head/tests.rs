use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};
use weir_wire::mapi::{ClientVersion, RequestType};

use super::{Endpoint, MAX_NAME, MapiHead};

fn head(fields: &[(&str, &str)]) -> MapiHead {
    let field = |(name, value): &(&str, &str)| {
        (HeaderName::try_from(*name).unwrap(), HeaderValue::try_from(*value).unwrap())
    };
    MapiHead::of(&fields.iter().map(field).collect::<HeaderMap>(), Endpoint::Gateway)
}

#[test]
fn a_client_is_known_by_its_application_or_else_by_its_user_agent() {
    let both = head(&[("X-ClientApplication", "Outlook/15.0.4420.1017"), ("User-Agent", "MAPI 11.0.0.0")]);
    assert_eq!(both.version, Some(ClientVersion::new([15, 0, 4420, 1017])));
    assert!(both.understands_backoff());
    let agent = head(&[("User-Agent", "Microsoft Office MAPI 11.0.5608.0")]);
    assert_eq!(agent.application, "Microsoft Office MAPI 11.0.5608.0");
    assert!(!agent.understands_backoff());
    assert!(!head(&[]).understands_backoff(), "who says nothing is taken for an old one");
}

#[test]
fn what_it_asks_for_is_read_in_any_case_and_may_be_missing() {
    assert_eq!(head(&[("x-requesttype", "execute")]).asks, Some(RequestType::Execute));
    assert_eq!(head(&[("X-RequestType", "Bind")]).asks, Some(RequestType::Other));
    assert_eq!(head(&[]).asks, None);
    assert_eq!(head(&[]).client_info, None);
}

#[test]
fn names_are_bounded() {
    let long = "x".repeat(10_000);
    let head = head(&[("X-ClientApplication", &long), ("X-ClientInfo", &long)]);
    assert_eq!((head.application.len(), head.client_info.unwrap().len()), (MAX_NAME, MAX_NAME));
}

#[test]
fn the_answer_repeats_what_identifies_the_request() {
    let head = head(&[("X-RequestType", "PING"), ("X-RequestId", "{A}:1"), ("X-ClientInfo", "{B}:2")]);
    let repeated: Vec<&str> = head.repeated().iter().map(|(_, value)| value.to_str().unwrap()).collect();
    assert_eq!(repeated, ["PING", "{A}:1", "{B}:2"]);
}
