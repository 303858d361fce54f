//! Items, folders, updates and the values in them.

use super::*;

fn create(item: &str) -> Result<Item, RequestError> {
    let create =
        format!("<m:CreateItem MessageDisposition='SaveOnly'><m:Items>{item}</m:Items></m:CreateItem>");
    let Request::CreateItem(mut create) = ask(&create)? else { panic!("{create}") };
    Ok(create.items.remove(0))
}

fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}

fn person(address: &str) -> Mailbox {
    Mailbox { address: Some(address.to_owned()), ..Mailbox::default() }
}

fn extended(name: ExtendedName, kind: &str) -> PropertyPath {
    PropertyPath::Extended(ExtendedProperty { name, kind: kind.to_owned() })
}

#[test]
fn a_message_is_read_with_everything_that_clients_put_into_it() {
    let item = create(
        r#"<t:Message><t:MimeContent CharacterSet="UTF-8">SGVsbG8s
           IHdvcmxk</t:MimeContent><t:ItemClass>IPM.Note</t:ItemClass>
           <t:Subject>Grüße &amp; &lt;mehr&gt;</t:Subject><t:Sensitivity>Normal</t:Sensitivity>
           <t:Body BodyType="HTML">&lt;b&gt;  x  &lt;/b&gt;</t:Body>
           <t:Categories><t:String>red</t:String><t:String>blue</t:String></t:Categories>
           <t:InternetMessageHeaders><t:InternetMessageHeader HeaderName="X-A">1</t:InternetMessageHeader>
           </t:InternetMessageHeaders><t:ReminderIsSet>0</t:ReminderIsSet>
           <t:ReminderMinutesBeforeStart>15</t:ReminderMinutesBeforeStart>
           <t:ExtendedProperty><t:ExtendedFieldURI PropertyTag="0x0e07" PropertyType="Integer"/>
             <t:Value>3</t:Value></t:ExtendedProperty>
           <t:ExtendedProperty><t:ExtendedFieldURI DistinguishedPropertySetId="PublicStrings" PropertyName="n"
             PropertyType="StringArray"/><t:Values><t:Value>a</t:Value><t:Value>b</t:Value></t:Values>
           </t:ExtendedProperty>
           <t:ToRecipients><t:Mailbox><t:Name>Jane</t:Name><t:EmailAddress>jane@example.com</t:EmailAddress></t:Mailbox>
           <t:Mailbox><t:EmailAddress>ken@example.com</t:EmailAddress></t:Mailbox></t:ToRecipients>
           <t:From><t:Mailbox><t:EmailAddress>john@example.com</t:EmailAddress></t:Mailbox></t:From>
           <t:IsRead>true</t:IsRead></t:Message>"#,
    )
    .unwrap();
    let jane = Mailbox { name: Some("Jane".to_owned()), ..person("jane@example.com") };
    let expected = Properties::from([
        (Field::MIME_CONTENT.into(), Value::Bytes(b"Hello, world".to_vec())),
        (Field::ITEM_CLASS.into(), text("IPM.Note")),
        (Field::SUBJECT.into(), text("Grüße & <mehr>")),
        (Field::SENSITIVITY.into(), text("Normal")),
        (Field::BODY.into(), Value::Body(Body { html: true, text: "<b>  x  </b>".to_owned() })),
        (Field::CATEGORIES.into(), Value::Texts(vec!["red".to_owned(), "blue".to_owned()])),
        (Field::INTERNET_MESSAGE_HEADERS.into(), Value::Pairs(vec![("X-A".to_owned(), "1".to_owned())])),
        (Field::REMINDER_IS_SET.into(), Value::Bool(false)),
        (Field::REMINDER_MINUTES_BEFORE_START.into(), Value::Integer(15)),
        (extended(ExtendedName::Tag(0x0e07), "Integer"), Value::Integer(3)),
        (
            extended(
                ExtendedName::Named { set: "PublicStrings".to_owned(), name: "n".to_owned() },
                "StringArray",
            ),
            Value::Texts(vec!["a".to_owned(), "b".to_owned()]),
        ),
        (Field::TO_RECIPIENTS.into(), Value::Mailboxes(vec![jane, person("ken@example.com")])),
        (Field::FROM.into(), Value::Mailbox(person("john@example.com"))),
        (Field::IS_READ.into(), Value::Bool(true)),
    ]);
    assert_eq!(item.kind, ItemKind::Message);
    assert_eq!(item.properties, expected);
}

#[test]
fn an_appointment_is_read_with_its_attendees() {
    let item = create(
        r"<t:CalendarItem><t:Subject>Review</t:Subject><t:Start>2010-03-09T15:00:00+01:00</t:Start>
           <t:End>2010-03-09T15:00:00Z</t:End><t:IsAllDayEvent>false</t:IsAllDayEvent>
           <t:RequiredAttendees><t:Attendee><t:Mailbox><t:EmailAddress>jane@example.com</t:EmailAddress></t:Mailbox>
             <t:ResponseType>Accept</t:ResponseType><t:LastResponseTime>2010-03-08T00:00:00Z</t:LastResponseTime>
           </t:Attendee></t:RequiredAttendees>
           <t:Recurrence><t:DailyRecurrence><t:Interval>1</t:Interval></t:DailyRecurrence></t:Recurrence>
           </t:CalendarItem>",
    )
    .unwrap();
    let jane = Attendee {
        mailbox: person("jane@example.com"),
        response: Some("Accept".to_owned()),
        responded_at: Some(at(1_268_006_400)),
    };
    assert_eq!(item.properties.get(&Field::START.into()), Some(&Value::Time(at(1_268_143_200))));
    assert_eq!(item.properties.get(&Field::END.into()), Some(&Value::Time(at(1_268_146_800))));
    assert_eq!(item.properties.get(&Field::REQUIRED_ATTENDEES.into()), Some(&Value::Attendees(vec![jane])));
    let Some(Value::Xml(recurrence)) = item.properties.get(&Field::RECURRENCE.into()) else {
        panic!("{item:?}")
    };
    assert_eq!(recurrence.child("DailyRecurrence").and_then(|daily| daily.child_text("Interval")), Some("1"));
}

#[test]
fn the_entries_of_a_dictionary_are_properties_of_their_own() {
    let item = create(
        r#"<t:Contact><t:DisplayName>Jane</t:DisplayName>
           <t:EmailAddresses><t:Entry Key="EmailAddress1">jane@example.com</t:Entry></t:EmailAddresses>
           <t:PhysicalAddresses><t:Entry Key="Home"><t:Street>1 Main</t:Street><t:City>Oslo</t:City></t:Entry>
           </t:PhysicalAddresses><t:PhoneNumbers><t:Entry Key="MobilePhone">123</t:Entry></t:PhoneNumbers></t:Contact>"#,
    )
    .unwrap();
    let expected = Properties::from([
        (Field::CONTACT_DISPLAY_NAME.into(), text("Jane")),
        (PropertyPath::indexed("contacts:EmailAddress", "EmailAddress1"), text("jane@example.com")),
        (PropertyPath::indexed("contacts:PhysicalAddress:Street", "Home"), text("1 Main")),
        (PropertyPath::indexed("contacts:PhysicalAddress:City", "Home"), text("Oslo")),
        (PropertyPath::indexed("contacts:PhoneNumber", "MobilePhone"), text("123")),
    ]);
    assert_eq!(item.properties, expected);
}

#[test]
fn values_that_are_none_are_refused_by_name() {
    let cases = [
        ("<t:Message><t:IsRead>maybe</t:IsRead></t:Message>", "'maybe' of 'IsRead'"),
        ("<t:Message><t:Size>big</t:Size></t:Message>", "'big' of 'Size'"),
        ("<t:Message><t:DateTimeSent>soon</t:DateTimeSent></t:Message>", "'soon' of 'DateTimeSent'"),
        ("<t:Message><t:MimeContent>***</t:MimeContent></t:Message>", "'***' of 'MimeContent'"),
        ("<t:Message><t:Body>x</t:Body></t:Message>", "'Body' lacks 'BodyType'"),
        ("<t:Message><t:Body BodyType='RTF'>x</t:Body></t:Message>", "'RTF' of 'BodyType'"),
        ("<t:Message><t:Sender/></t:Message>", "'Sender' lacks 'Mailbox'"),
        ("<t:Message><t:Start>x</t:Start></t:Message>", "'Start' within 'Message'"),
        ("<t:AcceptItem/>", "'AcceptItem' within 'a list of items'"),
    ];
    for (item, why) in cases {
        let error = create(item).unwrap_err().to_string();
        assert!(error.contains(why), "{item}: {error}");
    }
}

fn updates(changes: &str) -> Result<Vec<Update>, RequestError> {
    let update = format!(
        "<m:UpdateItem MessageDisposition='SaveOnly' ConflictResolution='AlwaysOverwrite'><m:ItemChanges>\
         <t:ItemChange><t:ItemId Id='a' ChangeKey='k'/><t:Updates>{changes}</t:Updates></t:ItemChange>\
         </m:ItemChanges></m:UpdateItem>"
    );
    let Request::UpdateItem(mut update) = ask(&update)? else { panic!("{update}") };
    assert_eq!(update.conflict, ConflictResolution::AlwaysOverwrite);
    Ok(update.changes.remove(0).updates)
}

#[test]
fn updates_set_append_and_delete_properties_of_every_sort() {
    let changes = r#"
        <t:SetItemField><t:FieldURI FieldURI="message:IsRead"/><t:Message><t:IsRead>1</t:IsRead></t:Message>
        </t:SetItemField>
        <t:SetItemField><t:ExtendedFieldURI PropertyTag="4240" PropertyType="Integer"/><t:Message><t:ExtendedProperty>
          <t:ExtendedFieldURI PropertyTag="0x1090" PropertyType="Integer"/><t:Value>2</t:Value></t:ExtendedProperty>
          </t:Message></t:SetItemField>
        <t:SetItemField><t:IndexedFieldURI FieldURI="contacts:PhoneNumber" FieldIndex="HomePhone"/><t:Contact>
          <t:PhoneNumbers><t:Entry Key="HomePhone">1</t:Entry></t:PhoneNumbers></t:Contact></t:SetItemField>
        <t:AppendToItemField><t:FieldURI FieldURI="item:Body"/><t:Message><t:Body BodyType="Text">more</t:Body>
          </t:Message></t:AppendToItemField>
        <t:DeleteItemField><t:FieldURI FieldURI="item:Categories"/></t:DeleteItemField>"#;
    assert_eq!(
        updates(changes),
        Ok(vec![
            Update::Set(Field::IS_READ.into(), Value::Bool(true)),
            Update::Set(extended(ExtendedName::Tag(0x1090), "Integer"), Value::Integer(2)),
            Update::Set(PropertyPath::indexed("contacts:PhoneNumber", "HomePhone"), text("1")),
            Update::Append(Field::BODY.into(), Value::Body(Body { html: false, text: "more".to_owned() })),
            Update::Delete(Field::CATEGORIES.into()),
        ])
    );
}

#[test]
fn a_flag_status_in_the_wrong_namespace_is_put_right() {
    let changes = r#"<t:SetItemField><t:FieldURI FieldURI="item:Flag"/><t:Message><t:Flag>
        <FlagStatus xmlns="http://schemas.microsoft.com/exchange/services/2006/messages">Flagged</FlagStatus></t:Flag>
        </t:Message></t:SetItemField>"#;
    let flag = Element::types("Flag").with_child(Element::types("FlagStatus").with_text("Flagged"));
    assert_eq!(updates(changes), Ok(vec![Update::Set(Field::FLAG.into(), Value::Xml(flag))]));
}

#[test]
fn an_update_without_the_value_it_names_is_refused() {
    let cases = [
        "<t:SetItemField><t:FieldURI FieldURI='item:Subject'/></t:SetItemField>",
        "<t:SetItemField><t:FieldURI FieldURI='item:Subject'/><t:Message/></t:SetItemField>",
        "<t:SetItemField><t:FieldURI FieldURI='item:Subject'/><t:Message><t:IsRead>1</t:IsRead></t:Message>\
         </t:SetItemField>",
        "<t:SetItemField><t:Message><t:Subject>x</t:Subject></t:Message></t:SetItemField>",
        "<t:Twist><t:FieldURI FieldURI='item:Subject'/></t:Twist>",
    ];
    for changes in cases {
        assert!(updates(changes).is_err(), "{changes}");
    }
}

#[test]
fn folders_are_made_and_renamed() {
    let create = r#"<m:CreateFolder><m:ParentFolderId><t:DistinguishedFolderId Id="inbox"/></m:ParentFolderId><m:Folders>
        <t:CalendarFolder><t:FolderClass>IPF.Appointment</t:FolderClass><t:DisplayName>Team</t:DisplayName>
        </t:CalendarFolder></m:Folders></m:CreateFolder>"#;
    let Ok(Request::CreateFolder(create)) = ask(create) else { panic!() };
    let properties = Properties::from([
        (Field::FOLDER_CLASS.into(), text("IPF.Appointment")),
        (Field::FOLDER_DISPLAY_NAME.into(), text("Team")),
    ]);
    assert_eq!(create.folders, [Folder { kind: FolderKind::CalendarFolder, properties }]);

    let update = r#"<m:UpdateFolder><m:FolderChanges><t:FolderChange><t:DistinguishedFolderId Id="inbox"/><t:Updates>
        <t:SetFolderField><t:FieldURI FieldURI="folder:DisplayName"/><t:Folder><t:DisplayName>In</t:DisplayName>
        </t:Folder></t:SetFolderField><t:DeleteFolderField><t:FieldURI FieldURI="folder:FolderClass"/>
        </t:DeleteFolderField></t:Updates></t:FolderChange></m:FolderChanges></m:UpdateFolder>"#;
    let Ok(Request::UpdateFolder(update)) = ask(update) else { panic!() };
    assert_eq!(
        update.changes,
        [FolderChange {
            folder: distinguished("inbox"),
            updates: vec![
                Update::Set(Field::FOLDER_DISPLAY_NAME.into(), text("In")),
                Update::Delete(Field::FOLDER_CLASS.into()),
            ],
        }]
    );
}
