use weir_wire::mapi::call::table::{QueryPosition, QueryRows, ResetTable, Restrict, SeekRow, SortTable};
use weir_wire::mapi::restriction::{Operator, Restriction, Restriction as R};
use weir_wire::mapi::sort::{SortOrder, SortOrders};

use super::*;

const FIVE: [&str; 5] = ["a", "b", "c", "d", "e"];

fn back(count: u16) -> QueryRows {
    QueryRows { input: 100, flags: 0, forward: false, count }
}

fn ahead(count: u16) -> QueryRows {
    QueryRows { forward: true, ..back(count) }
}

fn subjects((origin, rows): (u8, Vec<Vec<Cell>>)) -> (u8, String) {
    (origin, rows.iter().map(|row| text(&row[0])).collect())
}

async fn sorted(client: &mut Client<'_>, orders: Vec<SortOrder>) -> Result<Success, ErrorCode> {
    client.one(SortTable { input: 100, flags: 0, orders: orders.into() }).await
}

async fn restricted(client: &mut Client<'_>, restriction: Restriction) -> Result<String, ErrorCode> {
    client.one(Restrict { input: 100, flags: 0, restriction: Some(restriction) }).await?;
    Ok(subjects(client.query(ahead(100), &[tag::SUBJECT]).await?).1)
}

fn content(place: u16, fuzziness: u16, column: PropertyTag, value: &str) -> Restriction {
    Restriction::Content { place, fuzziness, tag: column, value: unicode(column, value) }
}

fn property(operator: Operator, column: PropertyTag, value: PropertyValue) -> Restriction {
    Restriction::Property { operator, tag: column, value: TaggedValue::new(column, value) }
}

async fn five() -> World {
    inbox_of(&FIVE).await
}

/// A client with a table of those mails' subjects, in their order.
async fn at_table(world: &World) -> (Client<'_>, SpecialFolders) {
    let (mut client, folders) = Client::logged_on(world, &john()).await;
    assert_eq!(client.contents(folders.inbox, &[tag::SUBJECT]).await, 5);
    sorted(&mut client, vec![SortOrder::ascending(tag::SUBJECT)]).await.unwrap();
    (client, folders)
}

#[tokio::test]
async fn rows_are_read_forwards_backwards_and_in_place() {
    let world = five().await;
    let (mut client, _) = at_table(&world).await;
    let columns = [tag::SUBJECT];
    assert_eq!(subjects(client.query(ahead(2), &columns).await.unwrap()), (1, "ab".to_owned()));
    let stay = QueryRows { flags: QueryRows::NO_ADVANCE, ..ahead(2) };
    assert_eq!(subjects(client.query(stay, &columns).await.unwrap()), (1, "cd".to_owned()));
    assert_eq!(subjects(client.query(ahead(9), &columns).await.unwrap()), (2, "cde".to_owned()));
    assert_eq!(subjects(client.query(ahead(9), &columns).await.unwrap()), (2, String::new()));
    assert_eq!(subjects(client.query(back(2), &columns).await.unwrap()), (1, "de".to_owned()), "in order");
    assert_eq!(subjects(client.query(back(9), &columns).await.unwrap()), (0, "abc".to_owned()));
}

#[tokio::test]
async fn the_cursor_is_asked_for_and_moved() {
    let world = five().await;
    let (mut client, _) = at_table(&world).await;
    let mut seek =
        async |origin, rows| match client.one(SeekRow { input: 100, origin, rows, want_moved: true }).await {
            Ok(Success::SeekRow(moved)) => {
                let Ok(Success::QueryPosition(at)) = client.one(QueryPosition { input: 100 }).await else {
                    panic!()
                };
                assert_eq!(at.denominator, 5);
                Ok((moved.fewer, moved.rows, at.numerator))
            }
            Ok(other) => panic!("{other:?}"),
            Err(code) => Err(code),
        };
    assert_eq!(seek(SeekRow::BEGINNING, 3).await, Ok((false, 3, 3)));
    assert_eq!(seek(SeekRow::CURRENT, -1).await, Ok((false, -1, 2)));
    assert_eq!(seek(SeekRow::CURRENT, -9).await, Ok((true, -2, 0)));
    assert_eq!(seek(SeekRow::END, -1).await, Ok((false, -1, 4)));
    assert_eq!(seek(SeekRow::CURRENT, i32::MAX).await, Ok((true, 1, 5)));
    assert_eq!(seek(SeekRow::END, i32::MIN).await, Ok((true, -5, 0)));
    assert_eq!(seek(9, 0).await, Err(ErrorCode::INVALID_BOOKMARK));
}

#[tokio::test]
async fn without_an_order_the_newest_come_first() {
    let world = five().await;
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    assert_eq!(client.texts(folders.inbox, tag::SUBJECT).await, ["e", "d", "c", "b", "a"]);
}

#[tokio::test]
async fn messages_are_sorted_by_what_the_store_knows() {
    let world = five().await;
    let (mut client, _) = at_table(&world).await;
    sorted(&mut client, vec![SortOrder::descending(tag::MESSAGE_DELIVERY_TIME)]).await.unwrap();
    assert_eq!(subjects(client.query(ahead(9), &[tag::SUBJECT]).await.unwrap()).1, "edcba");
    sorted(&mut client, Vec::new()).await.unwrap();
    let too_complex = Err(ErrorCode::TOO_COMPLEX);
    assert_eq!(sorted(&mut client, vec![SortOrder::ascending(tag::ENTRY_ID)]).await, too_complex);
    let headings =
        SortOrders { orders: vec![SortOrder::ascending(tag::SUBJECT)], categories: 1, expanded: 0 };
    assert_eq!(client.one(SortTable { input: 100, flags: 0, orders: headings }).await, too_complex);
}

#[tokio::test]
async fn restrictions_choose_rows() {
    let world = inbox_of(&["Alpha", "beta", "Gamma", "alphabet", "delta"]).await;
    let (mut client, _) = at_table(&world).await;
    let id_of_gamma = {
        sorted(&mut client, vec![SortOrder::ascending(tag::SUBJECT)]).await.unwrap();
        "Gamma"
    };
    let client = &mut client;
    let mut check = async |restriction: Restriction, expected: &str| {
        assert_eq!(restricted(client, restriction.clone()).await.as_deref(), Ok(expected), "{restriction:?}");
    };
    check(content(R::PREFIX, R::IGNORE_CASE, tag::SUBJECT, "alpha"), "Alphaalphabet").await;
    check(content(R::PREFIX, 0, tag::SUBJECT, "alpha"), "alphabet").await;
    check(content(R::FULL_STRING, R::IGNORE_CASE, tag::SUBJECT, "ALPHA"), "Alpha").await;
    check(content(R::SUBSTRING, R::LOOSE, tag::SUBJECT, "ET"), "alphabetbeta").await;
    check(content(R::SUBSTRING, R::IGNORE_CASE, tag::BODY, "of gamma"), id_of_gamma).await;
    let equal = |text: &str| property(Operator::EQUAL, tag::SUBJECT, PropertyValue::Unicode(text.to_owned()));
    check(R::Or(vec![equal("beta"), equal("delta")]), "betadelta").await;
    check(R::And(vec![equal("beta"), equal("delta")]), "").await;
    check(R::Not(Box::new(equal("beta"))), "AlphaalphabetdeltaGamma").await;
    check(R::Exist(tag::SUBJECT), "AlphaalphabetbetadeltaGamma").await;
    check(R::Exist(tag::CLIENT_SUBMIT_TIME), "").await;
    check(R::BitMask { set: true, tag: tag::MESSAGE_FLAGS, mask: 1 }, "").await;
    check(R::BitMask { set: false, tag: tag::MESSAGE_FLAGS, mask: 1 }, "AlphaalphabetbetadeltaGamma").await;
    check(property(Operator::EQUAL, tag::READ, PropertyValue::Boolean(true)), "").await;
    let third = crate::test_world::NOW.plus(weir_units::Micros::MINUTE.times(2));
    let time = PropertyValue::Time(crate::mapi::property::value::to_filetime(third));
    check(property(Operator::GREATER_OR_EQUAL, tag::MESSAGE_DELIVERY_TIME, time), "alphabetdeltaGamma").await;
    check(
        R::CompareProperties {
            operator: Operator::LESS,
            left: tag::CREATION_TIME,
            right: tag::LAST_MODIFICATION_TIME,
        },
        "",
    )
    .await;
    check(R::Comment { values: Vec::new(), restriction: Some(Box::new(equal("beta"))) }, "beta").await;
    check(R::Comment { values: Vec::new(), restriction: None }, "AlphaalphabetbetadeltaGamma").await;
}

#[tokio::test]
async fn what_the_store_cannot_search_for_is_too_complex() {
    let world = five().await;
    let (mut client, _) = at_table(&world).await;
    let all = || Box::new(Restriction::And(Vec::new()));
    for restriction in [
        Restriction::Size { operator: Operator::GREATER, tag: tag::SUBJECT, size: 1 },
        Restriction::SubRestriction { of: tag::MESSAGE_RECIPIENTS, restriction: all() },
        Restriction::Count { count: 1, restriction: all() },
        property(Operator::MATCHES, tag::SUBJECT, PropertyValue::Unicode("a*".to_owned())),
        property(Operator::EQUAL, tag::MID, PropertyValue::Integer64(7)),
        Restriction::CompareProperties {
            operator: Operator::LESS,
            left: tag::SUBJECT,
            right: tag::MESSAGE_SIZE,
        },
    ] {
        assert_eq!(
            restricted(&mut client, restriction.clone()).await,
            Err(ErrorCode::TOO_COMPLEX),
            "{restriction:?}"
        );
    }
    assert_eq!(subjects(client.query(ahead(9), &[tag::SUBJECT]).await.unwrap()).1, "abcde", "unchanged");
}

#[tokio::test]
async fn a_table_without_columns_has_no_rows_to_give() {
    let world = five().await;
    let (mut client, _) = at_table(&world).await;
    client.one(ResetTable { input: 100 }).await.unwrap();
    assert_eq!(client.query(ahead(1), &[]).await, Err(ErrorCode::NOT_INITIALIZED));
    let none = call::table::SetColumns { input: 100, flags: 0, columns: Vec::new() };
    assert_eq!(client.one(none).await, Err(ErrorCode::INVALID_PARAMETER));
    let many = call::table::SetColumns { input: 100, flags: 0, columns: vec![tag::SUBJECT; 257] };
    assert_eq!(client.one(many).await, Err(ErrorCode::TOO_COMPLEX));
    client.set_columns(&[tag::SUBJECT]).await;
    assert_eq!(
        subjects(client.query(ahead(9), &[tag::SUBJECT]).await.unwrap()).1,
        "edcba",
        "order gone, too"
    );
    let status = client.one(call::table::GetStatus { input: 100 }).await;
    assert!(matches!(status, Ok(Success::GetStatus(status)) if status.status == 0));
}

#[tokio::test]
async fn a_table_shows_what_is_there_when_it_is_asked() {
    let mut world = five().await;
    world.pass(1);
    let (mut client, folders) = at_table(&world).await;
    client.query(ahead(4), &[tag::SUBJECT]).await.unwrap();
    world
        .server
        .deliver_many(&john(), "inbox", vec![crate::test_world::message("z", "")], world.now)
        .await
        .unwrap();
    assert_eq!(subjects(client.query(ahead(9), &[tag::SUBJECT]).await.unwrap()), (2, "ez".to_owned()));
    assert_eq!(client.contents(folders.inbox, &[tag::SUBJECT]).await, 6);
}

#[tokio::test]
async fn texts_in_rows_end_after_255_characters_and_bodies_are_not_there() {
    let long = "ä".repeat(300);
    let world = inbox_of(&[&long]).await;
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    let columns = [tag::SUBJECT, tag::BODY, tag::TRANSPORT_MESSAGE_HEADERS, tag::MESSAGE_SIZE, tag::ROW_TYPE];
    client.contents(folders.inbox, &columns).await;
    let (_, rows) = client.rows(1, &columns).await;
    assert_eq!(text(&rows[0][0]), "ä".repeat(255));
    assert_eq!(rows[0][1], Cell::Error(ErrorCode::NOT_FOUND));
    assert_eq!(rows[0][2], Cell::Error(ErrorCode::NOT_FOUND));
    assert!(matches!(rows[0][3], Cell::Value(PropertyValue::Integer32(size)) if size > 600));
    assert_eq!(rows[0][4], PropertyValue::Integer32(1).into());
}

#[tokio::test]
async fn a_table_of_one_kind_refuses_what_only_the_other_does() {
    let world = five().await;
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.open_folder(99, folders.root).await.unwrap();
    let open = call::folder::GetHierarchyTable { input: 99, output: 100, flags: 0 };
    client.one(open).await.unwrap();
    assert_eq!(
        sorted(&mut client, vec![SortOrder::ascending(tag::DISPLAY_NAME)]).await,
        Err(ErrorCode::NOT_SUPPORTED)
    );
    let table = call::folder::GetContentsTable { input: 0, output: 100, flags: 0 };
    assert_eq!(client.one(table).await, Err(ErrorCode::NOT_SUPPORTED), "a mailbox is no folder");
    assert_eq!(client.one(QueryPosition { input: 99 }).await, Err(ErrorCode::NOT_SUPPORTED));
}
