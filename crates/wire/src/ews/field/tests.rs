use super::*;
use std::collections::BTreeSet;

#[test]
fn every_uri_names_one_field_and_finds_it() {
    let uris: BTreeSet<_> = Field::all().map(Field::uri).collect();
    assert_eq!(uris.len(), Field::all().count());
    for field in Field::all() {
        assert_eq!(Field::from_uri(field.uri()), Some(field));
        assert!(!field.element().is_empty(), "{field}");
    }
}

#[test]
fn constants_stand_for_their_own_rows() {
    assert_eq!(Field::SUBJECT.uri(), "item:Subject");
    assert_eq!(Field::REQUIRED_ATTENDEES.element(), "RequiredAttendees");
    assert_eq!(Field::FOLDER_UNREAD_COUNT.uri(), "folder:UnreadCount");
}

#[test]
fn a_find_never_returns_bodies_or_attendees() {
    for field in [
        Field::BODY,
        Field::UNIQUE_BODY,
        Field::MIME_CONTENT,
        Field::ATTACHMENTS,
        Field::INTERNET_MESSAGE_HEADERS,
        Field::REQUIRED_ATTENDEES,
        Field::OPTIONAL_ATTENDEES,
        Field::RESOURCES,
        Field::TO_RECIPIENTS,
        Field::CC_RECIPIENTS,
        Field::BCC_RECIPIENTS,
    ] {
        assert!(!field.in_find(), "{field}");
    }
    for field in [Field::SUBJECT, Field::DISPLAY_TO, Field::START, Field::ITEM_ID, Field::ORGANIZER] {
        assert!(field.in_find(), "{field}");
    }
}

#[test]
fn one_element_name_is_another_field_in_another_kind() {
    let cases = [
        (ItemKind::Message, "IsResponseRequested", Some("message:IsResponseRequested")),
        (ItemKind::CalendarItem, "IsResponseRequested", Some("calendar:IsResponseRequested")),
        (ItemKind::Task, "Recurrence", Some("task:Recurrence")),
        (ItemKind::CalendarItem, "Recurrence", Some("calendar:Recurrence")),
        (ItemKind::MeetingRequest, "UID", Some("calendar:UID")),
        (ItemKind::Contact, "Start", None),
        (ItemKind::DistributionList, "Members", Some("distributionlist:Members")),
    ];
    for (kind, element, uri) in cases {
        assert_eq!(Field::of_item(kind, element).map(Field::uri), uri, "{kind:?} {element}");
    }
    assert_eq!(Field::of_folder("ParentFolderId"), Some(Field::FOLDER_PARENT_FOLDER_ID));
    assert_eq!(Field::of_item(ItemKind::Message, "ParentFolderId"), Some(Field::PARENT_FOLDER_ID));
}

#[test]
fn larger_shapes_include_the_smaller_ones() {
    for kind in [ItemKind::Message, ItemKind::CalendarItem, ItemKind::Contact, ItemKind::Task] {
        for field in Field::all().filter(|field| field.in_item_shape(BaseShape::Default, kind)) {
            assert!(field.in_item_shape(BaseShape::AllProperties, kind), "{field}");
        }
        let only: Vec<_> =
            Field::all().filter(|field| field.in_item_shape(BaseShape::IdOnly, kind)).collect();
        assert_eq!(only, [Field::ITEM_ID]);
    }
    assert!(!Field::MIME_CONTENT.in_item_shape(BaseShape::AllProperties, ItemKind::Message));
}

#[test]
fn calendars_and_address_books_count_nothing_unread() {
    assert!(Field::FOLDER_UNREAD_COUNT.in_folder_shape(BaseShape::Default, FolderKind::Folder));
    assert!(!Field::FOLDER_UNREAD_COUNT.in_folder_shape(BaseShape::Default, FolderKind::CalendarFolder));
}
