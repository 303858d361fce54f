//! Every operation as clients write it, and what is made of it.

use super::*;

/// Forms of every operation that are right.
pub(super) const RIGHT: &[&str] = &[
    r#"<m:GetFolder><m:FolderShape><t:BaseShape>Default</t:BaseShape></m:FolderShape>
       <m:FolderIds><t:DistinguishedFolderId Id="inbox"/></m:FolderIds></m:GetFolder>"#,
    r#"<m:FindFolder Traversal="Deep"><m:FolderShape><t:BaseShape>IdOnly</t:BaseShape></m:FolderShape>
       <m:IndexedPageFolderView MaxEntriesReturned="10" Offset="0" BasePoint="Beginning"/>
       <m:ParentFolderIds><t:DistinguishedFolderId Id="msgfolderroot"/></m:ParentFolderIds></m:FindFolder>"#,
    r#"<m:FindItem Traversal="Shallow"><m:ItemShape><t:BaseShape>IdOnly</t:BaseShape></m:ItemShape>
       <m:FractionalPageItemView MaxEntriesReturned="10" Numerator="1" Denominator="2"/>
       <m:Restriction><t:Contains ContainmentMode="Substring" ContainmentComparison="IgnoreCase">
       <t:FieldURI FieldURI="item:Subject"/><t:Constant Value="Message"/></t:Contains></m:Restriction>
       <m:SortOrder><t:FieldOrder Order="Ascending"><t:FieldURI FieldURI="item:Subject"/></t:FieldOrder></m:SortOrder>
       <m:ParentFolderIds><t:DistinguishedFolderId Id="inbox"/></m:ParentFolderIds></m:FindItem>"#,
    r#"<m:GetItem><m:ItemShape><t:BaseShape>IdOnly</t:BaseShape></m:ItemShape>
       <m:ItemIds><t:ItemId Id="a" ChangeKey="b"/></m:ItemIds></m:GetItem>"#,
    r#"<m:CreateItem MessageDisposition="SaveOnly"><m:Items><t:Message><t:Subject>Hello</t:Subject>
       <t:Body BodyType="Text">World</t:Body></t:Message></m:Items></m:CreateItem>"#,
    r#"<m:SendItem SaveItemToFolder="true"><m:ItemIds><t:ItemId Id="a"/></m:ItemIds></m:SendItem>"#,
    r#"<m:UpdateItem ConflictResolution="AutoResolve"><m:ItemChanges><t:ItemChange><t:ItemId Id="a"/><t:Updates>
       <t:SetItemField><t:FieldURI FieldURI="item:Subject"/><t:Message><t:Subject>x</t:Subject></t:Message>
       </t:SetItemField></t:Updates></t:ItemChange></m:ItemChanges></m:UpdateItem>"#,
    r#"<m:DeleteItem DeleteType="HardDelete"><m:ItemIds><t:ItemId Id="a"/></m:ItemIds></m:DeleteItem>"#,
    r#"<m:MoveItem><m:ToFolderId><t:FolderId Id="f"/></m:ToFolderId>
       <m:ItemIds><t:ItemId Id="a"/></m:ItemIds></m:MoveItem>"#,
    r#"<m:CopyItem><m:ToFolderId><t:FolderId Id="f"/></m:ToFolderId>
       <m:ItemIds><t:ItemId Id="a"/></m:ItemIds></m:CopyItem>"#,
    r#"<m:CreateFolder><m:ParentFolderId><t:FolderId Id="p"/></m:ParentFolderId><m:Folders><t:Folder>
       <t:DisplayName>Work</t:DisplayName></t:Folder></m:Folders></m:CreateFolder>"#,
    r#"<m:UpdateFolder><m:FolderChanges><t:FolderChange><t:FolderId Id="f"/><t:Updates><t:SetFolderField>
       <t:FieldURI FieldURI="folder:DisplayName"/><t:Folder><t:DisplayName>x</t:DisplayName></t:Folder>
       </t:SetFolderField></t:Updates></t:FolderChange></m:FolderChanges></m:UpdateFolder>"#,
    r#"<m:DeleteFolder DeleteType="SoftDelete"><m:FolderIds><t:FolderId Id="f"/></m:FolderIds></m:DeleteFolder>"#,
    r"<m:SyncFolderHierarchy><m:FolderShape><t:BaseShape>AllProperties</t:BaseShape></m:FolderShape>
       </m:SyncFolderHierarchy>",
    r#"<m:SyncFolderItems><m:ItemShape><t:BaseShape>IdOnly</t:BaseShape></m:ItemShape><m:SyncFolderId>
       <t:FolderId Id="f"/></m:SyncFolderId><m:MaxChangesReturned>256</m:MaxChangesReturned></m:SyncFolderItems>"#,
    r#"<m:Subscribe><m:PullSubscriptionRequest><t:FolderIds><t:DistinguishedFolderId Id="inbox"/></t:FolderIds>
       <t:EventTypes><t:EventType>NewMailEvent</t:EventType></t:EventTypes><t:Timeout>10</t:Timeout>
       </m:PullSubscriptionRequest></m:Subscribe>"#,
    "<m:GetEvents><m:SubscriptionId>s</m:SubscriptionId><m:Watermark>w</m:Watermark></m:GetEvents>",
    UNSUBSCRIBE,
    r#"<m:ResolveNames ReturnFullContactData="true"><m:UnresolvedEntry>jane</m:UnresolvedEntry></m:ResolveNames>"#,
    "<m:GetServerTimeZones ReturnFullTimeZoneData='false'><m:Ids><t:Id>UTC</t:Id></m:Ids></m:GetServerTimeZones>",
    r#"<m:ConvertId DestinationFormat="EwsId"><m:SourceIds>
       <t:AlternateId Format="EwsLegacyId" Id="DUMMY" Mailbox="john@example.com"/></m:SourceIds></m:ConvertId>"#,
    r#"<m:GetDelegate IncludePermissions="true"><m:Mailbox><t:EmailAddress>john@example.com</t:EmailAddress>
       </m:Mailbox></m:GetDelegate>"#,
];

#[test]
fn every_operation_is_read_and_has_steps() {
    let operations: Vec<_> = RIGHT.iter().map(|operation| ask(operation).unwrap().operation()).collect();
    for (operation, text) in operations.iter().zip(RIGHT) {
        assert!(text.starts_with(&format!("<m:{operation}")), "{operation}: {text}");
    }
    assert_eq!(operations.len(), 22);
    assert!(RIGHT.iter().all(|operation| ask(operation).unwrap().steps() == 1));
}

#[test]
fn a_request_that_names_nothing_to_do_is_refused() {
    let cases = [
        r"<m:GetItem><m:ItemShape><t:BaseShape>IdOnly</t:BaseShape></m:ItemShape><m:ItemIds/></m:GetItem>",
        r#"<m:DeleteItem DeleteType="HardDelete"><m:ItemIds></m:ItemIds></m:DeleteItem>"#,
        r#"<m:CreateItem MessageDisposition="SaveOnly"><m:Items/></m:CreateItem>"#,
        r#"<m:ConvertId DestinationFormat="EwsId"><m:SourceIds/></m:ConvertId>"#,
    ];
    for operation in cases {
        let error = ask(operation).unwrap_err();
        assert!(matches!(error, RequestError::Missing { name: "an entry", .. }), "{error}");
    }
}

#[test]
fn folders_are_named_by_identifier_or_by_a_known_name_perhaps_of_another_mailbox() {
    let Request::GetFolder(get) =
        ask(r#"<GetFolder xmlns="http://schemas.microsoft.com/exchange/services/2006/messages">
           <FolderShape><t:BaseShape>IdOnly</t:BaseShape></FolderShape><FolderIds>
           <t:DistinguishedFolderId Id="inbox"><t:Mailbox><t:EmailAddress>jane@example.com</t:EmailAddress>
           <t:RoutingType>SMTP</t:RoutingType></t:Mailbox></t:DistinguishedFolderId>
           <t:FolderId Id="AAA="/><t:FolderId Id="AAB=" ChangeKey="AQ=="/></FolderIds></GetFolder>"#)
        .unwrap()
    else {
        panic!()
    };
    let id = |id: &str, key: Option<&str>| {
        FolderRef::Id(FolderId { id: id.to_owned(), change_key: key.map(str::to_owned) })
    };
    assert_eq!(
        get.folders,
        [
            FolderRef::Distinguished {
                name: "inbox".to_owned(),
                mailbox: Some("jane@example.com".to_owned())
            },
            id("AAA=", None),
            id("AAB=", Some("AQ==")),
        ]
    );
}

#[test]
fn a_batch_keeps_its_order_and_may_leave_change_keys_out() {
    let Request::GetItem(get) = ask(
        r#"<m:GetItem><m:ItemShape><t:BaseShape>IdOnly</t:BaseShape><t:IncludeMimeContent>1</t:IncludeMimeContent>
           <t:BodyType>Text</t:BodyType><t:AdditionalProperties><t:FieldURI FieldURI="item:Body"/>
           <t:ExtendedFieldURI PropertyTag="0xe23" PropertyType="Integer"/>
           <t:ExtendedFieldURI PropertyTag="4240" PropertyType="Integer"/>
           <t:ExtendedFieldURI DistinguishedPropertySetId="Common" PropertyId="34160" PropertyType="Boolean"/>
           <t:ExtendedFieldURI PropertySetId="00020329-0000-0000-C000-000000000046" PropertyName="Keywords"
             PropertyType="StringArray"/>
           <t:IndexedFieldURI FieldURI="contacts:EmailAddress" FieldIndex="EmailAddress1"/>
           </t:AdditionalProperties></m:ItemShape>
           <m:ItemIds><t:ItemId Id="b"/><t:ItemId Id="a" ChangeKey="k"/></m:ItemIds></m:GetItem>"#,
    )
    .unwrap() else {
        panic!()
    };
    assert_eq!(get.items, [item_id("b", None), item_id("a", Some("k"))]);
    let extended =
        |name, kind: &str| PropertyPath::Extended(ExtendedProperty { name, kind: kind.to_owned() });
    assert_eq!(
        get.shape,
        Shape {
            base: BaseShape::IdOnly,
            mime_content: true,
            body: Some(BodyType::Text),
            additional: vec![
                Field::BODY.into(),
                extended(ExtendedName::Tag(0x0e23), "Integer"),
                extended(ExtendedName::Tag(0x1090), "Integer"),
                extended(ExtendedName::Numbered { set: "Common".to_owned(), id: 34160 }, "Boolean"),
                extended(
                    ExtendedName::Named {
                        set: "00020329-0000-0000-c000-000000000046".to_owned(),
                        name: "Keywords".to_owned()
                    },
                    "StringArray"
                ),
                PropertyPath::indexed("contacts:EmailAddress", "EmailAddress1"),
            ],
        }
    );
}

fn view_of(view: &str) -> Result<View, RequestError> {
    let find = format!(
        "<m:FindItem Traversal='Shallow'><m:ItemShape><t:BaseShape>IdOnly</t:BaseShape></m:ItemShape>{view}\
         <m:ParentFolderIds><t:DistinguishedFolderId Id='inbox'/></m:ParentFolderIds></m:FindItem>"
    );
    let Request::FindItem(find) = ask(&find)? else { panic!("{find}") };
    Ok(find.view)
}

#[test]
fn every_view_is_understood_and_impossible_ones_are_refused() {
    let cases = [
        ("", Some(View::Unpaged)),
        (
            "<m:IndexedPageItemView MaxEntriesReturned='25' Offset='50' BasePoint='End'/>",
            Some(View::Indexed { max: Some(25), offset: 50, base: BasePoint::End }),
        ),
        (
            "<m:IndexedPageItemView Offset='0' BasePoint='Beginning'/>",
            Some(View::Indexed { max: None, offset: 0, base: BasePoint::Beginning }),
        ),
        (
            "<m:FractionalPageItemView Numerator='1' Denominator='3'/>",
            Some(View::Fractional { max: None, numerator: 1, denominator: 3 }),
        ),
        (
            "<m:ContactsView InitialName='A' MaxEntriesReturned='5'/>",
            Some(View::Contacts { max: Some(5), first: Some("A".to_owned()), last: None }),
        ),
        ("<m:IndexedPageItemView MaxEntriesReturned='0' Offset='0'/>", None),
        ("<m:IndexedPageItemView MaxEntriesReturned='-1' Offset='0'/>", None),
        ("<m:IndexedPageItemView MaxEntriesReturned='1' Offset='-1'/>", None),
        ("<m:IndexedPageItemView MaxEntriesReturned='1'/>", None),
        ("<m:IndexedPageItemView Offset='0' BasePoint='Middle'/>", None),
        ("<m:FractionalPageItemView Numerator='1' Denominator='0'/>", None),
        ("<m:FractionalPageItemView Numerator='2' Denominator='1'/>", None),
        ("<m:CalendarView StartDate='2010-03-09T00:00:00Z'/>", None),
        ("<m:CalendarView StartDate='soon' EndDate='2010-03-09T00:00:00Z'/>", None),
        ("<m:GroupBy Order='Ascending'/>", None),
    ];
    for (view, expected) in cases {
        assert_eq!(view_of(view).ok(), expected, "{view}");
    }
}

#[test]
fn restrictions_nest_and_compare_with_constants_and_properties() {
    let find = r#"<m:FindFolder Traversal="Shallow"><m:FolderShape><t:BaseShape>IdOnly</t:BaseShape></m:FolderShape>
        <m:Restriction><t:Or>
          <t:IsEqualTo><t:ExtendedFieldURI PropertyTag="0x3613" PropertyType="String"/>
            <t:FieldURIOrConstant><t:Constant Value="IPF.Note"/></t:FieldURIOrConstant></t:IsEqualTo>
          <t:Not><t:Exists><t:ExtendedFieldURI PropertyTag="0x3613" PropertyType="String"/></t:Exists></t:Not>
          <t:And><t:Excludes><t:FieldURI FieldURI="folder:UnreadCount"/><t:Bitmask Value="0x10"/></t:Excludes>
            <t:IsLessThan><t:FieldURI FieldURI="folder:UnreadCount"/>
              <t:FieldURIOrConstant><t:FieldURI FieldURI="folder:TotalCount"/></t:FieldURIOrConstant></t:IsLessThan>
            <t:Contains ContainmentMode="Prefixed" ContainmentComparison="Exact">
              <t:FieldURI FieldURI="folder:DisplayName"/><t:Constant Value="W"/></t:Contains></t:And>
        </t:Or></m:Restriction>
        <m:ParentFolderIds><t:DistinguishedFolderId Id="msgfolderroot"/></m:ParentFolderIds></m:FindFolder>"#;
    let Request::FindFolder(find) = ask(find).unwrap() else { panic!() };
    let class = PropertyPath::Extended(ExtendedProperty {
        name: ExtendedName::Tag(0x3613),
        kind: "String".to_owned(),
    });
    assert_eq!(
        find.restriction,
        Some(Restriction::Or(vec![
            Restriction::Compare {
                path: class.clone(),
                how: Comparison::Equal,
                with: Operand::Constant("IPF.Note".to_owned()),
            },
            Restriction::Not(Box::new(Restriction::Exists(class))),
            Restriction::And(vec![
                Restriction::Excludes { path: Field::FOLDER_UNREAD_COUNT.into(), bitmask: 0x10 },
                Restriction::Compare {
                    path: Field::FOLDER_UNREAD_COUNT.into(),
                    how: Comparison::Less,
                    with: Operand::Property(Field::FOLDER_TOTAL_COUNT.into()),
                },
                Restriction::Contains {
                    path: Field::FOLDER_DISPLAY_NAME.into(),
                    mode: ContainmentMode::Prefixed,
                    ignore_case: false,
                    value: "W".to_owned(),
                },
            ]),
        ]))
    );
}

#[test]
fn items_are_sorted_by_any_property_and_searched_by_text() {
    let find = r#"<m:FindItem Traversal="Associated"><m:ItemShape><t:BaseShape>IdOnly</t:BaseShape></m:ItemShape>
        <m:SortOrder><t:FieldOrder Order="Ascending"><t:ExtendedFieldURI PropertyTag="0xe23" PropertyType="Integer"/>
        </t:FieldOrder><t:FieldOrder Order="Descending"><t:FieldURI FieldURI="item:DateTimeReceived"/></t:FieldOrder>
        </m:SortOrder><m:ParentFolderIds><t:FolderId Id="a"/><t:FolderId Id="b"/></m:ParentFolderIds>
        <m:QueryString>subject:hello</m:QueryString></m:FindItem>"#;
    let Request::FindItem(find) = ask(find).unwrap() else { panic!() };
    let uid = ExtendedProperty { name: ExtendedName::Tag(0x0e23), kind: "Integer".to_owned() };
    assert_eq!(
        find.order,
        [
            SortKey { path: uid.into(), descending: false },
            SortKey { path: Field::DATE_TIME_RECEIVED.into(), descending: true },
        ]
    );
    assert_eq!(find.query.as_deref(), Some("subject:hello"));
    assert_eq!((find.traversal, find.parents.len()), (Traversal::Associated, 2));
}

#[test]
fn subscriptions_that_push_or_stream_are_refused_by_name() {
    let stream = r#"<m:Subscribe><m:StreamingSubscriptionRequest><t:FolderIds><t:DistinguishedFolderId Id="inbox"/>
        </t:FolderIds></m:StreamingSubscriptionRequest></m:Subscribe>"#;
    let error = ask(stream).unwrap_err();
    assert!(error.to_string().contains("'StreamingSubscriptionRequest' within 'Subscribe'"), "{error}");
}

#[test]
fn a_subscription_to_all_folders_names_none() {
    let subscribe = r#"<m:Subscribe><m:PullSubscriptionRequest SubscribeToAllFolders="1"><t:EventTypes>
        <t:EventType>NewMailEvent</t:EventType><t:EventType>DeletedEvent</t:EventType></t:EventTypes>
        <t:Watermark>w</t:Watermark><t:Timeout>1440</t:Timeout></m:PullSubscriptionRequest></m:Subscribe>"#;
    assert_eq!(
        ask(subscribe),
        Ok(Request::Subscribe(Subscribe {
            folders: Vec::new(),
            all_folders: true,
            events: vec!["NewMailEvent".to_owned(), "DeletedEvent".to_owned()],
            watermark: Some("w".to_owned()),
            timeout_minutes: 1440,
        }))
    );
    assert!(ask(&subscribe.replace("1440", "1441")).is_err(), "beyond the protocol's range");
}

#[test]
fn a_sync_goes_on_from_its_state_and_an_empty_state_is_none() {
    let sync = |state: &str, max: &str| {
        ask(&format!(
            "<m:SyncFolderItems><m:ItemShape><t:BaseShape>IdOnly</t:BaseShape></m:ItemShape><m:SyncFolderId>\
             <t:DistinguishedFolderId Id='inbox'/></m:SyncFolderId>{state}<m:Ignore><t:ItemId Id='i'/></m:Ignore>\
             <m:MaxChangesReturned>{max}</m:MaxChangesReturned><m:SyncScope>NormalItems</m:SyncScope>\
             </m:SyncFolderItems>"
        ))
    };
    for (state, expected) in
        [("", None), ("<m:SyncState/>", None), ("<m:SyncState>s</m:SyncState>", Some("s"))]
    {
        let Ok(Request::SyncFolderItems(sync)) = sync(state, "512") else { panic!() };
        assert_eq!((sync.state.as_deref(), sync.max), (expected, 512));
        assert_eq!(sync.ignore, [item_id("i", None)]);
    }
    for max in ["0", "513", "many"] {
        assert!(sync("", max).is_err(), "{max}");
    }
}

#[test]
fn sends_and_moves_have_the_defaults_of_the_protocol() {
    let send = ask("<m:SendItem><m:ItemIds><t:ItemId Id='a'/></m:ItemIds></m:SendItem>").unwrap();
    assert!(matches!(send, Request::SendItem(SendItem { save_copy: true, folder: None, .. })));
    let moved = "<m:MoveItem><m:ToFolderId><t:DistinguishedFolderId Id='drafts'/></m:ToFolderId><m:ItemIds>\
        <t:ItemId Id='a'/></m:ItemIds><m:ReturnNewItemIds>0</m:ReturnNewItemIds></m:MoveItem>";
    let Ok(Request::MoveItem(moved)) = ask(moved) else { panic!() };
    assert_eq!((moved.to, moved.return_new_ids), (distinguished("drafts"), false));
}

#[test]
fn lookups_are_read() {
    let convert = RIGHT.iter().find(|operation| operation.contains("ConvertId")).unwrap();
    assert_eq!(
        ask(convert),
        Ok(Request::ConvertId(ConvertId {
            format: "EwsId".to_owned(),
            ids: vec![AlternateId {
                format: "EwsLegacyId".to_owned(),
                id: "DUMMY".to_owned(),
                mailbox: "john@example.com".to_owned(),
                archive: false,
            }],
        }))
    );
    assert_eq!(
        ask("<m:GetServerTimeZones/>"),
        Ok(Request::GetServerTimeZones(GetServerTimeZones { ids: Vec::new(), full: true }))
    );
    assert_eq!(
        ask("<m:ResolveNames ReturnFullContactData='false'><m:UnresolvedEntry> jane </m:UnresolvedEntry>\
             </m:ResolveNames>"),
        Ok(Request::ResolveNames(ResolveNames { entry: "jane".to_owned(), full_contact: false }))
    );
}
