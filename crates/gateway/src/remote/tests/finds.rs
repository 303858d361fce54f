//! Finds before an origin that is not ours (E7, T10–T12), with answers in the shapes that servers have.

use weir_units::Component;

use super::find_drafts;
use super::stage::{Answered, Got, JOHN, Origin, Stage, answer, basic, ews, header_of, message, reply, well};
use crate::remote::scripted::{Scripted, Talk};

/// A find's answer with one message for each of `folders`.
fn found(folders: &[String]) -> String {
    let message = |folder: &String| {
        format!(
            "<x:FindItemResponseMessage ResponseClass=\"Success\"><x:ResponseCode>NoError</x:ResponseCode>{folder}\
             </x:FindItemResponseMessage>"
        )
    };
    let messages = folders.iter().map(message).collect::<Vec<_>>().concat();
    format!(
        "<?xml version='1.0'?><soap:Envelope xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\"><soap:Body>\
         <x:FindItemResponse xmlns:x=\"http://schemas.microsoft.com/exchange/services/2006/messages\" \
         xmlns:y=\"http://schemas.microsoft.com/exchange/services/2006/types\"><x:ResponseMessages>{messages}\
         </x:ResponseMessages></x:FindItemResponse></soap:Body></soap:Envelope>"
    )
}

/// A folder with these attributes and so many items.
fn folder(attributes: &str, items: usize) -> String {
    let item = |id| format!("<y:Message><y:ItemId Id=\"{id}\" ChangeKey='k'/></y:Message>");
    let items = (1..=items).map(item).collect::<Vec<_>>().concat();
    format!("<x:RootFolder {attributes}><y:Items>{items}</y:Items></x:RootFolder>")
}

fn indexed(offset: usize, total: usize, last: bool, items: usize) -> String {
    // The attributes stand in no order that anybody promises.
    folder(
        &format!(
            "IncludesLastItemInRange='{last}' TotalItemsInView=\"{total}\" IndexedPagingOffset = '{offset}'"
        ),
        items,
    )
}

/// The answer in an HTTP message, its body in chunks of `size` bytes.
fn chunked(body: &str, size: usize) -> Vec<u8> {
    let mut bytes =
        b"HTTP/1.1 200 OK\r\nContent-Type: text/xml; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n"
            .to_vec();
    for chunk in body.as_bytes().chunks(size) {
        bytes.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
        bytes.extend(chunk);
        bytes.extend(b"\r\n");
    }
    bytes.extend(b"0\r\n\r\n");
    bytes
}

fn is_find(got: &Got) -> bool {
    got.text().contains("FindItem")
}

/// A stage whose origin answers finds with `found`, and whose John may find `limit`.
async fn finding(limit: u32, found: String) -> (Stage, Origin) {
    let origin = Origin::new(move |got: &Got| {
        let fields = "Content-Type: text/xml; charset=utf-8\r\n";
        if is_find(got) { reply("200 OK", fields, &found) } else { well() }
    })
    .await;
    let stage = Stage::before(&origin.scripted).await;
    stage.accept_john().await;
    stage.world.hold_john_to(&[("EWSFindCountLimit", Some(limit))]);
    (stage, origin)
}

fn find(view: &str) -> String {
    let body = find_drafts(view);
    super::stage::post(
        "/EWS/Exchange.asmx",
        &body,
        &format!("{}Accept-Encoding: gzip\r\n", basic(JOHN, "secret")),
    )
}

fn page(max: u32, offset: u32) -> String {
    format!(
        "<m:IndexedPageItemView MaxEntriesReturned=\"{max}\" Offset=\"{offset}\" BasePoint=\"Beginning\"/>"
    )
}

fn items(answered: &Answered) -> usize {
    answered.text().matches("<y:ItemId ").count()
}

#[tokio::test]
async fn an_answer_that_comes_byte_by_byte_is_judged_like_any_other() {
    let answer = found(&[indexed(4, 9, false, 4)]);
    let mut got = Vec::new();
    for size in [1, 2, 7, 4096] {
        let (body, one) = (answer.clone(), size == 1);
        let origin = Origin::in_pieces(move |got: &Got| match is_find(got) {
            false => vec![well()],
            true if one => chunked(&body, size).chunks(1).map(<[u8]>::to_vec).collect(),
            true => vec![chunked(&body, size)],
        })
        .await;
        let stage = Stage::before(&origin.scripted).await;
        stage.accept_john().await;
        stage.world.hold_john_to(&[("EWSFindCountLimit", Some(3))]);
        let answered = stage.ask(find("")).await;
        assert_eq!(answered.status, 200);
        assert!(answered.text().contains("ErrorExceededFindCountLimit"), "{}", answered.text());
        assert!(answered.text().contains("PolicyLimit\">3<"), "{}", answered.text());
        assert_eq!(header_of(&answered.head, "content-length").unwrap(), answered.body.len().to_string());
        got.push(answered.text());
    }
    got.dedup();
    assert_eq!(got.len(), 1, "how the answer was cut changes nothing");
}

#[tokio::test]
async fn a_page_asks_for_no_more_than_is_left_and_uncompressed() {
    let (stage, origin) = finding(2, found(&[indexed(2, 6, false, 2)])).await;
    let answered = stage.ask(find(&page(10_000, 0))).await;
    assert_eq!((answered.status, items(&answered)), (200, 2));
    let got = origin.got().pop().unwrap();
    assert!(got.text().contains("MaxEntriesReturned=\"2\""), "{}", got.text());
    assert_eq!(header_of(&got.head, "content-length").unwrap(), got.body.len().to_string());
    assert_eq!(header_of(&got.head, "accept-encoding"), None);
}

#[tokio::test]
async fn where_no_answer_is_read_it_may_come_compressed() {
    let (stage, origin) = finding(2, String::new()).await;
    stage.ask(ews("", &format!("{}Accept-Encoding: gzip\r\n", basic(JOHN, "secret")))).await;
    let got = origin.got().pop().unwrap();
    assert_eq!(header_of(&got.head, "accept-encoding").as_deref(), Some("gzip"));
}

#[tokio::test]
async fn an_empty_folder_among_several_keeps_its_own_attributes() {
    let folders = [indexed(2, 2, true, 2), indexed(0, 0, true, 0), indexed(3, 7, false, 3)];
    let (stage, _origin) = finding(9, found(&folders)).await;
    let answered = stage.ask(find(&page(3, 0))).await;
    assert_eq!(answered.text(), found(&folders), "nothing was over the limit");
    let (stage, _origin) = finding(2, found(&folders)).await;
    let text = stage.ask(find("")).await.text();
    let messages: Vec<&str> = text.split("</x:FindItemResponseMessage>").collect();
    assert!(messages[0].contains("NoError") && messages[0].contains("Id=\"2\""), "{text}");
    assert!(messages[1].contains("'true'") && messages[1].contains("TotalItemsInView=\"0\""), "{text}");
    assert!(text.contains("ErrorExceededFindCountLimit") && text.matches("NoError").count() == 2, "{text}");
}

#[tokio::test]
async fn a_calendar_view_over_the_limit_is_an_error_and_never_a_cut() {
    let view = "<m:CalendarView StartDate=\"2010-03-01T00:00:00Z\" EndDate=\"2010-03-04T00:00:00Z\"/>";
    let over = folder("TotalItemsInView='4' IncludesLastItemInRange='true'", 4);
    let (stage, origin) = finding(3, found(&[over])).await;
    let answered = stage.ask(find(view)).await;
    assert_eq!((answered.status, items(&answered)), (200, 0));
    assert!(answered.text().contains("ErrorExceededFindCountLimit"), "{}", answered.text());
    assert!(origin.got().pop().unwrap().text().contains("MaxEntriesReturned=\"4\""), "one more than is left");
    let exactly = found(&[folder("TotalItemsInView='3' IncludesLastItemInRange='true'", 3)]);
    let (stage, _origin) = finding(3, exactly.clone()).await;
    assert_eq!(stage.ask(find(view)).await.text(), exactly);
}

#[tokio::test]
async fn an_origin_that_cuts_lower_than_the_limit_gives_an_error_with_its_own_number() {
    // Asked for 1001, it returns no more than 500, and says that there is more.
    let (stage, _origin) = finding(1000, found(&[indexed(500, 500, false, 500)])).await;
    let answered = stage.ask(find("")).await;
    assert_eq!((answered.status, items(&answered)), (200, 0));
    assert!(answered.text().contains("PolicyLimit\">500<"), "{}", answered.text());
}

#[tokio::test]
async fn a_fault_or_an_error_of_the_origin_passes_as_it_is() {
    let fault =
        "<s:Envelope xmlns:s='s'><s:Body><s:Fault><faultcode>x</faultcode></s:Fault></s:Body></s:Envelope>";
    let (stage, _origin) = finding(2, fault.to_owned()).await;
    assert_eq!(stage.ask(find("")).await.text(), fault);
}

/// An origin that answers a find in two halves, each once `leave` is given for it: 1 and 2.
async fn halves(whole: String, leave: tokio::sync::watch::Receiver<u8>) -> Scripted {
    Scripted::start(move |_, mut talk: Talk| {
        let (whole, mut leave) = (whole.clone(), leave.clone());
        async move {
            while let Some((_, body)) = message(&mut talk).await {
                if !String::from_utf8_lossy(&body).contains("FindItem") {
                    talk.say(well()).await;
                    continue;
                }
                let bytes = reply("200 OK", "Content-Type: text/xml\r\n", &whole);
                let (first, second) = bytes.split_at(bytes.len() - 40);
                for (number, half) in [(1, first), (2, second)] {
                    tokio::select! {
                        _ = leave.wait_for(|leave| *leave >= number) => {}
                        () = talk.until_closed() => return,
                    }
                    talk.say(half).await;
                }
            }
        }
    })
    .await
}

#[tokio::test]
async fn two_calls_race_for_one_limit_and_give_it_back() {
    let (go, leave) = tokio::sync::watch::channel(0);
    let origin = halves(found(&[indexed(2, 4, false, 2)]), leave).await;
    let stage = Stage::before(&origin).await;
    stage.accept_john().await;
    stage.world.hold_john_to(&[("EWSFindCountLimit", Some(3))]);
    let mut clients = [stage.client().await, stage.client().await];
    for client in &mut clients {
        client.say(find(&page(2, 0))).await;
    }
    stage.johns(Component::Ews, |budget| budget.connections == 2 && budget.find_count.1 == 0).await;
    go.send(1).unwrap();
    stage.johns(Component::Ews, |budget| budget.find_count.1 == 3).await;
    go.send(2).unwrap();
    let mut counts = Vec::new();
    for client in &mut clients {
        let answered = answer(client).await;
        let next = format!("IndexedPagingOffset = '{}'", items(&answered));
        let cut = next.replace(" = ", "=").replace('\'', "\"");
        assert!(answered.text().contains(&next) || answered.text().contains(&cut), "{}", answered.text());
        counts.push(items(&answered));
    }
    counts.sort_unstable();
    assert_eq!(counts, [1, 2], "the slower one gets what is left");
    stage.johns(Component::Ews, |budget| budget.find_count.1 == 0 && budget.connections == 0).await;
}

#[tokio::test]
async fn a_client_that_hangs_up_half_way_gives_everything_back() {
    let (_go, leave) = tokio::sync::watch::channel(1);
    let origin = halves(found(&[indexed(2, 2, true, 2)]), leave).await;
    let stage = Stage::before(&origin).await;
    stage.accept_john().await;
    stage.world.hold_john_to(&[("EWSFindCountLimit", Some(3))]);
    let mut client = stage.client().await;
    client.say(find("")).await;
    stage.johns(Component::Ews, |budget| budget.find_count.1 == 2 && budget.connections == 1).await;
    drop(client);
    stage.johns(Component::Ews, |budget| budget.find_count.1 == 0 && budget.connections == 0).await;
}
