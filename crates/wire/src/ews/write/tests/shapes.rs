//! The shape of each operation's message.

use super::*;

/// The message of a request with one step, as it stands between the tags of the list of messages.
fn check(request: &Request, message: ResponseMessage, expected: &str) {
    let answer = answer(request, &[message]);
    let operation = request.operation();
    let (_, rest) = answer.split_once("<m:ResponseMessages>").unwrap();
    let (message, rest) = rest.rsplit_once("</m:ResponseMessages>").unwrap();
    assert_eq!(rest, format!("</m:{operation}Response></s:Body></s:Envelope>"));
    assert_eq!(message, expected.lines().map(str::trim).collect::<String>(), "{operation}");
    body(&answer);
}

fn not_found() -> ResponseMessage {
    Err(ErrorMessage::new("ErrorItemNotFound", "It is gone."))
}

fn folder_ref() -> FolderRef {
    FolderRef::Distinguished { name: "inbox".to_owned(), mailbox: None }
}

fn folder_id(id: &str) -> FolderId {
    FolderId { id: id.to_owned(), change_key: None }
}

fn item_id(id: &str) -> ItemId {
    ItemId { id: id.to_owned(), change_key: None }
}

fn folder(id: &str, name: &str) -> Folder {
    let properties = Properties::from([
        (Field::FOLDER_ID.into(), Value::FolderId(folder_id(id))),
        (Field::FOLDER_DISPLAY_NAME.into(), Value::Text(name.to_owned())),
        (Field::FOLDER_UNREAD_COUNT.into(), Value::Integer(3)),
    ]);
    Folder { kind: FolderKind::Folder, properties }
}

fn at(seconds: i64) -> WallTime {
    WallTime::from_unix_micros(seconds * 1_000_000)
}

fn get_item() -> Request {
    Request::GetItem(GetItem { shape: Shape::id_only(), items: Vec::new() })
}

fn find_folder() -> Request {
    Request::FindFolder(FindFolder {
        traversal: Traversal::Shallow,
        shape: Shape::id_only(),
        view: View::Unpaged,
        restriction: None,
        parents: Vec::new(),
    })
}

fn create_item() -> Request {
    Request::CreateItem(CreateItem { disposition: None, invitations: None, folder: None, items: Vec::new() })
}

fn update_item() -> Request {
    Request::UpdateItem(UpdateItem {
        disposition: None,
        conflict: ConflictResolution::AutoResolve,
        changes: Vec::new(),
    })
}

fn sync_items() -> Request {
    Request::SyncFolderItems(SyncFolderItems {
        shape: Shape::id_only(),
        folder: folder_ref(),
        state: None,
        max: 10,
        ignore: Vec::new(),
    })
}

fn sync_folders() -> Request {
    Request::SyncFolderHierarchy(SyncFolderHierarchy { shape: Shape::id_only(), folder: None, state: None })
}

fn resolve(full_contact: bool) -> Request {
    Request::ResolveNames(ResolveNames { entry: "j".to_owned(), full_contact })
}

#[test]
fn items_stand_in_their_list_also_where_a_step_failed() {
    check(
        &get_item(),
        Ok(Answer::Items(vec![message("a", Some("k"))])),
        r#"<m:GetItemResponseMessage ResponseClass="Success"><m:ResponseCode>NoError</m:ResponseCode>
           <m:Items><t:Message><t:ItemId Id="a" ChangeKey="k"/></t:Message></m:Items></m:GetItemResponseMessage>"#,
    );
    check(
        &get_item(),
        not_found(),
        r#"<m:GetItemResponseMessage ResponseClass="Error"><m:MessageText>It is gone.</m:MessageText>
           <m:ResponseCode>ErrorItemNotFound</m:ResponseCode><m:DescriptiveLinkKey>0</m:DescriptiveLinkKey>
           <m:Items/></m:GetItemResponseMessage>"#,
    );
    check(
        &create_item(),
        Ok(Answer::Done),
        r#"<m:CreateItemResponseMessage ResponseClass="Success"><m:ResponseCode>NoError</m:ResponseCode>
           <m:Items/></m:CreateItemResponseMessage>"#,
    );
}

#[test]
fn an_update_counts_its_conflicts() {
    let updated = r#"<m:UpdateItemResponseMessage ResponseClass="Success"><m:ResponseCode>NoError</m:ResponseCode>
        <m:Items><t:Message><t:ItemId Id="a"/></t:Message></m:Items>
        <m:ConflictResults><t:Count>0</t:Count></m:ConflictResults></m:UpdateItemResponseMessage>"#;
    check(&update_item(), Ok(Answer::Items(vec![message("a", None)])), updated);
    let nothing =
        updated.replace(r#"<m:Items><t:Message><t:ItemId Id="a"/></t:Message></m:Items>"#, "<m:Items/>");
    check(&update_item(), Ok(Answer::Done), &nothing);
}

#[test]
fn operations_that_return_nothing_say_that_it_was_done() {
    let requests = [
        Request::DeleteItem(DeleteItem { how: DeleteType::HardDelete, items: Vec::new() }),
        Request::SendItem(SendItem { save_copy: true, folder: None, items: Vec::new() }),
        Request::DeleteFolder(DeleteFolder { how: DeleteType::HardDelete, folders: Vec::new() }),
        Request::Unsubscribe(Unsubscribe { subscription: String::new() }),
    ];
    for request in requests {
        let name = request.operation();
        check(
            &request,
            Ok(Answer::Done),
            &format!(
                r#"<m:{name}ResponseMessage ResponseClass="Success"><m:ResponseCode>NoError</m:ResponseCode>
                   </m:{name}ResponseMessage>"#
            ),
        );
    }
}

#[test]
fn folders_stand_in_their_list_with_their_fields_in_order() {
    let request = Request::GetFolder(GetFolder { shape: Shape::id_only(), folders: Vec::new() });
    check(
        &request,
        Ok(Answer::Folders(vec![folder("f", "Inbox")])),
        r#"<m:GetFolderResponseMessage ResponseClass="Success"><m:ResponseCode>NoError</m:ResponseCode>
           <m:Folders><t:Folder><t:FolderId Id="f"/><t:DisplayName>Inbox</t:DisplayName>
           <t:UnreadCount>3</t:UnreadCount></t:Folder></m:Folders></m:GetFolderResponseMessage>"#,
    );
}

#[test]
fn each_paging_has_its_own_attributes() {
    let root = |paging, last, attributes: &str| {
        check(
            &find_folder(),
            Ok(Answer::FoundFolders(Found { page: Vec::new(), total: 7, paging, last })),
            &format!(
                r#"<m:FindFolderResponseMessage ResponseClass="Success"><m:ResponseCode>NoError</m:ResponseCode>
                   <m:RootFolder {attributes}><t:Folders/></m:RootFolder></m:FindFolderResponseMessage>"#
            ),
        );
    };
    root(Paging::None, true, r#"TotalItemsInView="7" IncludesLastItemInRange="true""#);
    root(
        Paging::Indexed(9),
        true,
        r#"IndexedPagingOffset="9" TotalItemsInView="7" IncludesLastItemInRange="true""#,
    );
    root(
        Paging::Fractional { numerator: 3, denominator: 7 },
        false,
        r#"NumeratorOffset="3" AbsoluteDenominator="7" TotalItemsInView="7" IncludesLastItemInRange="false""#,
    );
}

#[test]
fn changes_come_after_the_state_to_ask_with_next() {
    let changes = vec![
        Change::Create(message("a", None)),
        Change::Update(message("b", None)),
        Change::ReadFlag(item_id("c"), false),
        Change::Delete(item_id("d")),
    ];
    check(
        &sync_items(),
        Ok(Answer::ItemChanges(Changes { state: "s".to_owned(), last: false, changes })),
        r#"<m:SyncFolderItemsResponseMessage ResponseClass="Success"><m:ResponseCode>NoError</m:ResponseCode>
           <m:SyncState>s</m:SyncState><m:IncludesLastItemInRange>false</m:IncludesLastItemInRange><m:Changes>
           <t:Create><t:Message><t:ItemId Id="a"/></t:Message></t:Create>
           <t:Update><t:Message><t:ItemId Id="b"/></t:Message></t:Update>
           <t:ReadFlagChange><t:ItemId Id="c"/><t:IsRead>false</t:IsRead></t:ReadFlagChange>
           <t:Delete><t:ItemId Id="d"/></t:Delete></m:Changes></m:SyncFolderItemsResponseMessage>"#,
    );
    let changes = vec![Change::Create(folder("f", "x")), Change::Delete(folder_id("g"))];
    check(
        &sync_folders(),
        Ok(Answer::FolderChanges(Changes { state: "s".to_owned(), last: true, changes })),
        r#"<m:SyncFolderHierarchyResponseMessage ResponseClass="Success"><m:ResponseCode>NoError</m:ResponseCode>
           <m:SyncState>s</m:SyncState><m:IncludesLastFolderInRange>true</m:IncludesLastFolderInRange><m:Changes>
           <t:Create><t:Folder><t:FolderId Id="f"/><t:DisplayName>x</t:DisplayName><t:UnreadCount>3</t:UnreadCount>
           </t:Folder></t:Create><t:Delete><t:FolderId Id="g"/></t:Delete></m:Changes>
           </m:SyncFolderHierarchyResponseMessage>"#,
    );
}

#[test]
fn a_failed_sync_has_the_state_that_its_schema_wants() {
    check(
        &sync_items(),
        Err(ErrorMessage {
            code: "ErrorServerBusy",
            text: "Busy.".to_owned(),
            values: vec![("BackOffMilliseconds", "5000".to_owned())],
        }),
        r#"<m:SyncFolderItemsResponseMessage ResponseClass="Error"><m:MessageText>Busy.</m:MessageText>
           <m:ResponseCode>ErrorServerBusy</m:ResponseCode><m:DescriptiveLinkKey>0</m:DescriptiveLinkKey>
           <m:MessageXml><t:Value Name="BackOffMilliseconds">5000</t:Value></m:MessageXml><m:SyncState/>
           <m:IncludesLastItemInRange>true</m:IncludesLastItemInRange></m:SyncFolderItemsResponseMessage>"#,
    );
}

#[test]
fn subscriptions_and_their_events_carry_watermarks() {
    let subscribe = Request::Subscribe(Subscribe {
        folders: Vec::new(),
        all_folders: true,
        events: Vec::new(),
        watermark: None,
        timeout_minutes: 1,
    });
    check(
        &subscribe,
        Ok(Answer::Subscribed { subscription: "s".to_owned(), watermark: "w".to_owned() }),
        r#"<m:SubscribeResponseMessage ResponseClass="Success"><m:ResponseCode>NoError</m:ResponseCode>
           <m:SubscriptionId>s</m:SubscriptionId><m:Watermark>w</m:Watermark></m:SubscribeResponseMessage>"#,
    );
    let old = OldPlace { item: Some(item_id("o")), folder: None, parent: folder_id("q") };
    let moved = EventSubject {
        at: at(1_268_147_712),
        item: Some(item_id("i")),
        folder: None,
        parent: folder_id("p"),
        old: Some(Box::new(old)),
    };
    let event = |kind: &str, watermark: &str, subject| MailboxEvent {
        kind: kind.to_owned(),
        watermark: watermark.to_owned(),
        subject,
    };
    let events = vec![event("MovedEvent", "1", Some(moved)), event("StatusEvent", "2", None)];
    check(
        &Request::GetEvents(GetEvents { subscription: "s".to_owned(), watermark: "0".to_owned() }),
        Ok(Answer::Events(Events {
            subscription: "s".to_owned(),
            previous: "0".to_owned(),
            more: false,
            events,
        })),
        r#"<m:GetEventsResponseMessage ResponseClass="Success"><m:ResponseCode>NoError</m:ResponseCode>
           <m:Notification><t:SubscriptionId>s</t:SubscriptionId><t:PreviousWatermark>0</t:PreviousWatermark>
           <t:MoreEvents>false</t:MoreEvents>
           <t:MovedEvent><t:Watermark>1</t:Watermark><t:TimeStamp>2010-03-09T15:15:12Z</t:TimeStamp><t:ItemId Id="i"/>
           <t:ParentFolderId Id="p"/><t:OldItemId Id="o"/><t:OldParentFolderId Id="q"/></t:MovedEvent>
           <t:StatusEvent><t:Watermark>2</t:Watermark></t:StatusEvent></m:Notification></m:GetEventsResponseMessage>"#,
    );
}

fn person(name: &str) -> Person {
    let mailbox = Mailbox {
        name: Some(name.to_owned()),
        address: Some(format!("{name}@example.com")),
        routing: Some("SMTP".to_owned()),
        kind: Some("Mailbox".to_owned()),
    };
    Person { mailbox, alias: Some(name.to_uppercase()) }
}

#[test]
fn one_person_is_success_several_a_warning_and_none_an_error() {
    check(
        &resolve(false),
        Ok(Answer::Resolved { people: vec![person("jane")], complete: true }),
        r#"<m:ResolveNamesResponseMessage ResponseClass="Success"><m:ResponseCode>NoError</m:ResponseCode>
           <m:ResolutionSet TotalItemsInView="1" IncludesLastItemInRange="true"><t:Resolution><t:Mailbox>
           <t:Name>jane</t:Name><t:EmailAddress>jane@example.com</t:EmailAddress><t:RoutingType>SMTP</t:RoutingType>
           <t:MailboxType>Mailbox</t:MailboxType></t:Mailbox></t:Resolution></m:ResolutionSet>
           </m:ResolveNamesResponseMessage>"#,
    );
    let several = Answer::Resolved { people: vec![person("jane"), person("john")], complete: false };
    let several = answer(&resolve(true), &[Ok(several)]);
    for part in [
        r#"ResponseClass="Warning"><m:MessageText>Multiple results were found.</m:MessageText>"#,
        "<m:ResponseCode>ErrorNameResolutionMultipleResults</m:ResponseCode>",
        r#"<m:ResolutionSet TotalItemsInView="2" IncludesLastItemInRange="false">"#,
        r#"<t:Contact><t:DisplayName>john</t:DisplayName><t:EmailAddresses><t:Entry Key="EmailAddress1">"#,
        "<t:Alias>JOHN</t:Alias></t:Contact></t:Resolution>",
    ] {
        assert!(several.contains(part), "{part} in {several}");
    }
    check(
        &resolve(true),
        Ok(Answer::Resolved { people: Vec::new(), complete: true }),
        r#"<m:ResolveNamesResponseMessage ResponseClass="Error"><m:MessageText>No results were found.</m:MessageText>
           <m:ResponseCode>ErrorNameResolutionNoResults</m:ResponseCode>
           <m:DescriptiveLinkKey>0</m:DescriptiveLinkKey></m:ResolveNamesResponseMessage>"#,
    );
}

#[test]
fn identifiers_and_time_zones_are_written_where_clients_look_for_them() {
    let id = AlternateId {
        format: "EwsId".to_owned(),
        id: "x".to_owned(),
        mailbox: "john@example.com".to_owned(),
        archive: false,
    };
    check(
        &Request::ConvertId(ConvertId { format: "EwsId".to_owned(), ids: vec![id.clone()] }),
        Ok(Answer::Converted(id)),
        r#"<m:ConvertIdResponseMessage ResponseClass="Success"><m:ResponseCode>NoError</m:ResponseCode>
           <m:AlternateId xsi:type="t:AlternateIdType" Format="EwsId" Id="x" Mailbox="john@example.com"/>
           </m:ConvertIdResponseMessage>"#,
    );
    let zone =
        Element::types("TimeZoneDefinition").with_attribute("Id", "UTC").with_attribute("Name", "(UTC)");
    check(
        &Request::GetServerTimeZones(GetServerTimeZones { ids: Vec::new(), full: false }),
        Ok(Answer::TimeZones(vec![zone])),
        r#"<m:GetServerTimeZonesResponseMessage ResponseClass="Success"><m:ResponseCode>NoError</m:ResponseCode>
           <m:TimeZoneDefinitions><t:TimeZoneDefinition Id="UTC" Name="(UTC)"/></m:TimeZoneDefinitions>
           </m:GetServerTimeZonesResponseMessage>"#,
    );
}

#[test]
fn the_answer_about_delegates_is_its_own_message() {
    let request = Request::GetDelegate(GetDelegate { mailbox: Mailbox::default(), permissions: false });
    let class = |message: ResponseMessage| {
        let body = body(&answer(&request, &[message]));
        let response = body.child("GetDelegateResponse").unwrap().clone();
        (response.attribute("ResponseClass").unwrap().to_owned(), response)
    };
    let (success, response) = class(Ok(Answer::Delegates(vec![person("ken").mailbox])));
    assert_eq!(success, "Success");
    assert_eq!(response.child_text("ResponseCode"), Some("NoError"));
    let user = &response.child("ResponseMessages").unwrap().children[0];
    let id = user.child("DelegateUser").unwrap().child("UserId").unwrap();
    assert_eq!(id.child_text("PrimarySmtpAddress"), Some("ken@example.com"));
    let (error, response) = class(Err(ErrorMessage::new("ErrorNonExistentMailbox", "Nobody.")));
    assert_eq!(
        (error.as_str(), response.child_text("ResponseCode")),
        ("Error", Some("ErrorNonExistentMailbox"))
    );
}
