use super::*;
use crate::ews::field::Field;
use crate::ews::parse::RequestReader;
use crate::ews::property::*;
use crate::ews::refusal::too_many_found;
use crate::ews::request::*;
use crate::ews::response::*;
use crate::ews::xml::{Element, Limits};
use proptest::prelude::*;
use weir_units::WallTime;

mod round_trip;
mod shapes;

/// A whole answer.
fn answer(request: &Request, messages: &[ResponseMessage]) -> String {
    let (writer, mut out) = (ResponseWriter::new(request), Vec::new());
    writer.start(&mut out);
    for message in messages {
        writer.message(message, &mut out);
    }
    writer.finish(&mut out);
    String::from_utf8(out).unwrap()
}

/// The SOAP body of a document, as a document.
fn body(document: &str) -> Element {
    let root = Element::from_xml(document.as_bytes(), &Limits::default()).unwrap();
    root.children.into_iter().find(|child| child.name == "Body").unwrap()
}

fn find_item() -> Request {
    Request::FindItem(FindItem {
        traversal: Traversal::Shallow,
        shape: Shape::id_only(),
        view: View::Unpaged,
        restriction: None,
        order: Vec::new(),
        query: None,
        parents: vec![FolderRef::Distinguished { name: "inbox".to_owned(), mailbox: None }],
    })
}

fn message(id: &str, change_key: Option<&str>) -> Item {
    let id = ItemId { id: id.to_owned(), change_key: change_key.map(str::to_owned) };
    Item {
        kind: ItemKind::Message,
        properties: Properties::from([(Field::ITEM_ID.into(), Value::ItemId(id))]),
    }
}

/// What the documents print, read as XML, is what we write, read as XML.
fn check_document(printed: &str, request: &Request, message: ResponseMessage) {
    let printed = Element::from_xml(
        format!("<s:Envelope xmlns:s='{}'>{printed}</s:Envelope>", Namespace::SOAP).as_bytes(),
        &Limits::default(),
    )
    .unwrap();
    assert_eq!(body(&answer(request, &[message])), printed.children[0]);
}

#[test]
fn the_documents_five_messages_come_out_as_printed() {
    let printed = r#"<s:Body xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">
    <m:FindItemResponse
                xmlns:m="http://schemas.microsoft.com/exchange/services/2006/messages"
                xmlns:t="http://schemas.microsoft.com/exchange/services/2006/types">
        <m:ResponseMessages>
            <m:FindItemResponseMessage ResponseClass="Success">
                <m:ResponseCode>NoError</m:ResponseCode>
                <m:RootFolder IndexedPagingOffset="5" TotalItemsInView="5" IncludesLastItemInRange="true">
                    <t:Items>
                        <t:Message>
                            <t:ItemId Id="AAT5QA=" ChangeKey="CQAAA" />
                        </t:Message>
                        <t:Message>
                            <t:ItemId Id="AAT5QB=" ChangeKey="CQAAB" />
                        </t:Message>
                        <t:Message>
                            <t:ItemId Id="AAT5QC=" ChangeKey="CQAAC" />
                        </t:Message>
                        <t:Message>
                            <t:ItemId Id="AAT5QD=" ChangeKey="CQAAD" />
                        </t:Message>
                        <t:Message>
                            <t:ItemId Id="AAT5QE=" ChangeKey="CQAAE" />
                        </t:Message>
                    </t:Items>
                </m:RootFolder>
            </m:FindItemResponseMessage>
        </m:ResponseMessages>
    </m:FindItemResponse>
</s:Body>"#;
    let page = ["A", "B", "C", "D", "E"]
        .map(|letter| message(&format!("AAT5Q{letter}="), Some(&format!("CQAA{letter}"))))
        .to_vec();
    let found = Found { page, total: 5, paging: Paging::Indexed(5), last: true };
    check_document(printed, &find_item(), Ok(Answer::FoundItems(found)));
}

#[test]
fn the_documents_one_draft_of_six_comes_out_as_printed() {
    let printed = r#"<s:Body>
  <m:FindItemResponse xmlns:m="http://schemas.microsoft.com/exchange/services/2006/messages" xmlns:t="http://schemas.microsoft.com/exchange/services/2006/types">
    <m:ResponseMessages>
      <m:FindItemResponseMessage ResponseClass="Success">
        <m:ResponseCode>NoError</m:ResponseCode>
        <m:RootFolder IndexedPagingOffset="1" TotalItemsInView="6" IncludesLastItemInRange="false">
          <t:Items>
            <t:Message>
              <t:ItemId Id="AAMkA…"/>
              <t:Subject>Message5</t:Subject>
            </t:Message>
          </t:Items>
        </m:RootFolder>
      </m:FindItemResponseMessage>
    </m:ResponseMessages>
  </m:FindItemResponse>
</s:Body>"#;
    let mut draft = message("AAMkA…", None);
    draft.properties.insert(Field::SUBJECT.into(), Value::Text("Message5".to_owned()));
    let found = Found { page: vec![draft], total: 6, paging: Paging::Indexed(1), last: false };
    check_document(printed, &find_item(), Ok(Answer::FoundItems(found)));
}

#[test]
fn the_documents_find_count_error_comes_out_as_printed() {
    let printed = r#"<s:Body>
  <m:FindItemResponse xmlns:m="http://schemas.microsoft.com/exchange/services/2006/messages" xmlns:t="http://schemas.microsoft.com/exchange/services/2006/types">
    <m:ResponseMessages>
      <m:FindItemResponseMessage ResponseClass="Error">
        <m:MessageText>You have exceeded the maximum number of objects that can be returned for the find operation. Use paging to reduce the result size and try your request again.</m:MessageText>
        <m:ResponseCode>ErrorExceededFindCountLimit</m:ResponseCode>
        <m:DescriptiveLinkKey>0</m:DescriptiveLinkKey>
        <m:MessageXml>
          <t:Value Name="PolicyLimit">1000</t:Value>
        </m:MessageXml>
      </m:FindItemResponseMessage>
    </m:ResponseMessages>
  </m:FindItemResponse>
</s:Body>"#;
    check_document(printed, &find_item(), Err(too_many_found(1000, Version::Exchange2010)));
}

#[test]
fn every_answer_says_which_server_it_comes_from() {
    let answer = answer(&find_item(), &[]);
    assert!(
        answer.starts_with(
            r#"<?xml version="1.0" encoding="utf-8"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Header><t:ServerVersionInfo MajorVersion="14" MinorVersion="3" "#
        ),
        "{answer}"
    );
    assert!(answer.contains(r#" Version="Exchange2010_SP2" "#), "{answer}");
}

#[test]
fn pieces_of_an_answer_join_to_the_whole() {
    let messages = [Ok(Answer::Done), Err(ErrorMessage::new("ErrorItemNotFound", "It is gone."))];
    let request = Request::DeleteItem(DeleteItem { how: DeleteType::HardDelete, items: Vec::new() });
    let writer = ResponseWriter::new(&request);
    let mut pieces = Vec::new();
    let mut piece = |write: &dyn Fn(&mut Vec<u8>)| {
        let mut out = Vec::new();
        write(&mut out);
        pieces.extend(out);
    };
    piece(&|out| writer.start(out));
    for message in &messages {
        piece(&|out| writer.message(message, out));
    }
    piece(&|out| writer.finish(out));
    assert_eq!(String::from_utf8(pieces).unwrap(), answer(&request, &messages));
}
