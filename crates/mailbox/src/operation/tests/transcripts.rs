//! What real clients send, as they spell it, and what they are answered: from bytes to bytes through `weir_wire`.

use weir_wire::ews::parse::RequestReader;
use weir_wire::ews::write::ResponseWriter;
use weir_wire::ews::xml::Limits;

use crate::Session;
use crate::test_world::{World, jane, john, ken};
use crate::{DemoPeople, Person};

const MESSAGES: &str = "http://schemas.microsoft.com/exchange/services/2006/messages";
const TYPES: &str = "http://schemas.microsoft.com/exchange/services/2006/types";

/// The answer to a SOAP body.
async fn soap(world: &World, who: &Person, body: &str) -> String {
    let envelope = format!(
        r#"<?xml version="1.0" encoding="utf-8"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"
        xmlns:m="{MESSAGES}" xmlns:t="{TYPES}"><s:Header><t:RequestServerVersion Version="Exchange2010"/></s:Header>
        <s:Body>{body}</s:Body></s:Envelope>"#
    );
    let mut reader = RequestReader::new(Limits::default());
    reader.feed(envelope.as_bytes()).unwrap();
    let envelope = reader.finish().unwrap();
    let session =
        Session { version: envelope.version, time_zone: envelope.time_zone, ..Session::of(who, world.now) };
    let writer = ResponseWriter::new(&envelope.request);
    let mut answer = Vec::new();
    writer.start(&mut answer);
    for step in 0..envelope.request.steps() {
        writer.message(&world.server.execute(&session, &envelope.request, step).await, &mut answer);
    }
    writer.finish(&mut answer);
    String::from_utf8(answer).unwrap()
}

/// The value of the first attribute of that name after `from`.
fn attribute<'a>(answer: &'a str, from: &str, name: &str) -> &'a str {
    let rest = &answer[answer.find(from).unwrap_or_else(|| panic!("{from} in {answer}"))..];
    let rest = rest.split_once(&format!(" {name}=\"")).unwrap_or_else(|| panic!("{name} in {rest}")).1;
    rest.split_once('"').unwrap().0
}

async fn demo() -> World {
    let world = World::new();
    let people = DemoPeople { john: john(), jane: jane(), ken: ken() };
    world.server.seed_demo(&people, world.now).await.unwrap();
    world
}

#[tokio::test]
async fn the_documents_drafts_come_one_by_one() {
    let world = demo().await;
    let page = |offset: u32| {
        format!(
            r#"<m:FindItem Traversal="Shallow"><m:ItemShape><t:BaseShape>IdOnly</t:BaseShape><t:AdditionalProperties>
            <t:FieldURI FieldURI="item:Subject"/></t:AdditionalProperties></m:ItemShape>
            <m:IndexedPageItemView MaxEntriesReturned="1" Offset="{offset}" BasePoint="Beginning"/>
            <m:ParentFolderIds><t:DistinguishedFolderId Id="drafts"/></m:ParentFolderIds></m:FindItem>"#
        )
    };
    let first = soap(&world, &john(), &page(0)).await;
    let root =
        r#"<m:RootFolder IndexedPagingOffset="1" TotalItemsInView="6" IncludesLastItemInRange="false">"#;
    assert!(first.contains(root), "{first}");
    let mut subjects = Vec::new();
    for offset in 0..6 {
        let answer = soap(&world, &john(), &page(offset)).await;
        let subject =
            answer.split("<t:Subject>").nth(1).unwrap().split("</t:Subject>").next().unwrap().to_owned();
        assert_eq!(answer.contains(r#"IncludesLastItemInRange="true""#), offset == 5);
        subjects.push(subject);
    }
    subjects.sort();
    assert_eq!(subjects, ["Message1", "Message2", "Message3", "Message4", "Message5", "Message6"]);
}

#[tokio::test]
async fn a_page_of_25_is_loaded_in_one_batch() {
    let world = demo().await;
    let found = soap(
        &world,
        &jane(),
        r#"<m:FindItem Traversal="Shallow"><m:ItemShape><t:BaseShape>IdOnly</t:BaseShape></m:ItemShape>
        <m:IndexedPageItemView MaxEntriesReturned="25" Offset="0" BasePoint="Beginning"/>
        <m:Restriction><t:Contains ContainmentMode="Substring" ContainmentComparison="IgnoreCase">
        <t:FieldURI FieldURI="item:Subject"/><t:Constant Value="message "/></t:Contains></m:Restriction>
        <m:ParentFolderIds><t:DistinguishedFolderId Id="inbox"><t:Mailbox>
        <t:EmailAddress>jane.doe@example.com</t:EmailAddress></t:Mailbox></t:DistinguishedFolderId></m:ParentFolderIds>
        </m:FindItem>"#,
    )
    .await;
    assert!(
        found.contains(r#"IndexedPagingOffset="25" TotalItemsInView="25" IncludesLastItemInRange="true""#),
        "{found}"
    );
    let ids = found
        .split("<t:ItemId ")
        .skip(1)
        .map(|part| format!(r#"<t:ItemId Id="{}"/>"#, attribute(&format!(" {part}"), "", "Id")))
        .collect::<Vec<_>>()
        .concat();
    let get = format!(
        r#"<m:GetItem><m:ItemShape><t:BaseShape>IdOnly</t:BaseShape><t:AdditionalProperties>
        <t:FieldURI FieldURI="item:Subject"/><t:FieldURI FieldURI="item:Body"/></t:AdditionalProperties></m:ItemShape>
        <m:ItemIds>{ids}<t:ItemId Id="DUMMY"/></m:ItemIds></m:GetItem>"#
    );
    let loaded = soap(&world, &jane(), &get).await;
    assert_eq!(
        loaded.matches("<m:GetItemResponseMessage ResponseClass=\"Success\">").count(),
        25,
        "{loaded}"
    );
    assert_eq!(loaded.matches("<t:Body BodyType=\"HTML\">").count(), 25);
    assert_eq!(loaded.matches("ErrorInvalidIdMalformed").count(), 1);
}

#[tokio::test]
async fn a_three_day_calendar_view_shows_the_appointments() {
    let world = demo().await;
    let found = soap(
        &world,
        &ken(),
        r#"<m:FindItem Traversal="Shallow"><m:ItemShape><t:BaseShape>Default</t:BaseShape></m:ItemShape>
        <m:CalendarView MaxEntriesReturned="25" StartDate="2010-03-09T15:15:12Z" EndDate="2010-03-12T15:15:12Z"/>
        <m:ParentFolderIds><t:DistinguishedFolderId Id="calendar"/></m:ParentFolderIds></m:FindItem>"#,
    )
    .await;
    assert!(
        found.contains(r#"<m:RootFolder TotalItemsInView="3" IncludesLastItemInRange="true">"#),
        "{found}"
    );
    assert!(found.contains("<t:Start>2010-03-09T18:15:12Z</t:Start>"), "{found}");
    assert!(!found.contains("Attendees"), "{found}");
}

#[tokio::test]
async fn an_imap_bridge_lists_selects_and_fetches() {
    let world = demo().await;
    let folders = soap(
        &world,
        &jane(),
        r#"<m:FindFolder Traversal="Shallow"><m:FolderShape><t:BaseShape>IdOnly</t:BaseShape><t:AdditionalProperties>
        <t:ExtendedFieldURI PropertyTag="0x3613" PropertyType="String"/>
        <t:ExtendedFieldURI PropertyTag="0x6751" PropertyType="Integer"/>
        <t:FieldURI FieldURI="folder:DisplayName"/></t:AdditionalProperties></m:FolderShape>
        <m:Restriction><t:Or><t:IsEqualTo><t:ExtendedFieldURI PropertyTag="0x3613" PropertyType="String"/>
        <t:FieldURIOrConstant><t:Constant Value="IPF.Note"/></t:FieldURIOrConstant></t:IsEqualTo>
        <t:Not><t:Exists><t:ExtendedFieldURI PropertyTag="0x3613" PropertyType="String"/></t:Exists></t:Not></t:Or>
        </m:Restriction><m:ParentFolderIds><t:DistinguishedFolderId Id="msgfolderroot"/></m:ParentFolderIds>
        </m:FindFolder>"#,
    )
    .await;
    assert!(folders.contains("<t:DisplayName>Inbox</t:DisplayName>"), "{folders}");
    assert!(!folders.contains("Calendar<"), "{folders}");
    let selected = soap(
        &world,
        &jane(),
        r#"<m:FindItem Traversal="Shallow"><m:ItemShape><t:BaseShape>IdOnly</t:BaseShape><t:AdditionalProperties>
        <t:ExtendedFieldURI PropertyTag="0xe23" PropertyType="Integer"/>
        <t:ExtendedFieldURI PropertyTag="3591" PropertyType="Integer"/>
        <t:ExtendedFieldURI PropertyTag="0x3008" PropertyType="SystemTime"/></t:AdditionalProperties></m:ItemShape>
        <m:IndexedPageItemView MaxEntriesReturned="500" Offset="0" BasePoint="Beginning"/>
        <m:SortOrder><t:FieldOrder Order="Ascending"><t:ExtendedFieldURI PropertyTag="0xe23" PropertyType="Integer"/>
        </t:FieldOrder></m:SortOrder><m:ParentFolderIds><t:DistinguishedFolderId Id="inbox"/></m:ParentFolderIds>
        </m:FindItem>"#,
    )
    .await;
    let uids: Vec<_> = selected.split("PropertyTag=\"0xe23\"").skip(1).map(value_of).collect();
    assert_eq!(uids, (1..=25).map(|uid| uid.to_string()).collect::<Vec<_>>(), "{selected}");
    let flags: Vec<_> = selected.split("PropertyTag=\"0xe07\"").skip(1).map(value_of).collect();
    assert_eq!(flags, vec!["0"; 25], "unread and not drafts: {selected}");
    let id = attribute(&selected, "<t:ItemId", "Id");
    let get = format!(
        r#"<m:GetItem><m:ItemShape><t:BaseShape>IdOnly</t:BaseShape><t:IncludeMimeContent>true</t:IncludeMimeContent>
        </m:ItemShape><m:ItemIds><t:ItemId Id="{id}"/></m:ItemIds></m:GetItem>"#
    );
    let fetched = soap(&world, &jane(), &get).await;
    assert!(fetched.contains("<t:MimeContent"), "{fetched}");
}

fn value_of(part: &str) -> &str {
    part.split("<t:Value>").nth(1).unwrap().split("</t:Value>").next().unwrap()
}

#[tokio::test]
async fn a_mail_is_sent_synchronised_flagged_and_thrown_away() {
    let world = World::new();
    let sent = soap(
        &world,
        &john(),
        r#"<m:CreateItem MessageDisposition="SendAndSaveCopy"><m:SavedItemFolderId>
        <t:DistinguishedFolderId Id="sentitems"/></m:SavedItemFolderId><m:Items><t:Message>
        <t:Subject>Hello &lt;you&gt;</t:Subject><t:Sensitivity>Normal</t:Sensitivity><t:Body BodyType="Text">Body</t:Body>
        <t:Importance>Normal</t:Importance><t:ToRecipients><t:Mailbox><t:EmailAddress>jane.doe@example.com</t:EmailAddress>
        </t:Mailbox></t:ToRecipients><t:IsReadReceiptRequested>0</t:IsReadReceiptRequested></t:Message></m:Items>
        </m:CreateItem>"#,
    )
    .await;
    assert!(sent.contains("ResponseClass=\"Success\"") && sent.contains("<t:ItemId "), "{sent}");
    let sync = |state: &str| {
        let state =
            if state.is_empty() { String::new() } else { format!("<m:SyncState>{state}</m:SyncState>") };
        format!(
            r#"<m:SyncFolderItems><m:ItemShape><t:BaseShape>IdOnly</t:BaseShape></m:ItemShape><m:SyncFolderId>
            <t:DistinguishedFolderId Id="inbox"/></m:SyncFolderId>{state}<m:MaxChangesReturned>256</m:MaxChangesReturned>
            </m:SyncFolderItems>"#
        )
    };
    let first = soap(&world, &jane(), &sync("")).await;
    assert!(first.contains("<t:Create><t:Message>"), "{first}");
    let state = first.split("<m:SyncState>").nth(1).unwrap().split('<').next().unwrap().to_owned();
    let id = attribute(&first, "<t:ItemId", "Id");
    let update = format!(
        r#"<m:UpdateItem MessageDisposition="SaveOnly" ConflictResolution="AlwaysOverwrite"><m:ItemChanges><t:ItemChange>
        <t:ItemId Id="{id}"/><t:Updates><t:SetItemField><t:FieldURI FieldURI="message:IsRead"/><t:Message>
        <t:IsRead>true</t:IsRead></t:Message></t:SetItemField></t:Updates></t:ItemChange></m:ItemChanges></m:UpdateItem>"#
    );
    let updated = soap(&world, &jane(), &update).await;
    assert!(updated.contains("ResponseClass=\"Success\""), "{updated}");
    let second = soap(&world, &jane(), &sync(&state)).await;
    assert!(
        second.contains("<t:ReadFlagChange>") && second.contains("<t:IsRead>true</t:IsRead>"),
        "{second}"
    );
    let state = second.split("<m:SyncState>").nth(1).unwrap().split('<').next().unwrap().to_owned();
    let delete = format!(
        r#"<m:DeleteItem DeleteType="MoveToDeletedItems"><m:ItemIds><t:ItemId Id="{id}"/></m:ItemIds></m:DeleteItem>"#
    );
    assert!(soap(&world, &jane(), &delete).await.contains("NoError"));
    let third = soap(&world, &jane(), &sync(&state)).await;
    assert!(third.contains(&format!(r#"<t:Delete><t:ItemId Id="{id}""#)), "{third}");
}

#[tokio::test]
async fn folders_are_asked_for_with_ids_that_do_not_exist_here() {
    let world = World::new();
    let ids = ["root", "inbox", "archivemsgfolderroot", "publicfoldersroot", "tasks"];
    let ids = ids.map(|id| format!(r#"<t:DistinguishedFolderId Id="{id}"/>"#)).concat();
    let body = format!(
        r"<m:GetFolder><m:FolderShape><t:BaseShape>AllProperties</t:BaseShape></m:FolderShape>
        <m:FolderIds>{ids}</m:FolderIds></m:GetFolder>"
    );
    let answer = soap(&world, &john(), &body).await;
    assert_eq!(answer.matches("ErrorFolderNotFound").count(), 2, "{answer}");
    assert_eq!(answer.matches("<m:ResponseCode>NoError</m:ResponseCode>").count(), 3, "{answer}");
    assert!(
        answer.contains("<t:TasksFolder>") && answer.contains("<t:FolderClass>IPF.Note</t:FolderClass>"),
        "{answer}"
    );
}
