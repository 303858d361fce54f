//! Any ROP of each kind.

use proptest::prelude::*;

use super::super::super::property::name::tests::any_name;
use super::super::super::property::tests::{any_tag, any_tagged, any_text8, any_value};
use super::super::super::recipient::tests::any_recipient;
use super::super::super::restriction::tests::any_restriction;
use super::super::super::sort::{Direction, SortOrder, SortOrders};
use super::super::super::text::tests::any_width;
use super::super::folder::{self, FolderNames};
use super::super::message::{ChangedRecipient, ChangedRecipients};
use super::super::notification::Scope;
use super::super::stream::ByteCount;
use super::super::{Call, Other, logon, message, notification, property, stream, table};
use super::*;

fn several<T: std::fmt::Debug>(one: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<T>> {
    prop::collection::vec(one, 0..4)
}

/// A strategy for a structure: its name, and the fields with a strategy for each.
macro_rules! any {
    ($module:ident::$name:ident { $($field:ident: $strategy:expr),* $(,)? }) => {
        ($($strategy,)*).prop_map(|($($field,)*)| Call::from($module::$name { $($field),* })).boxed()
    };
}

pub(in super::super::super) fn any_call() -> impl Strategy<Value = Call> {
    prop_oneof![
        any_logon(),
        any_folder(),
        any_table(),
        any_message(),
        any_property(),
        any_stream(),
        any_other()
    ]
}

fn any_logon() -> impl Strategy<Value = Call> {
    prop_oneof![
        any!(logon::Logon {
            output: any::<u8>(),
            flags: any::<u8>().prop_map(|flags| flags | 1),
            open_flags: any::<u32>(),
            store_state: any::<u32>(),
            essdn: several(any::<u8>()),
        }),
        any!(logon::Release { input: any::<u8>() }),
    ]
}

fn any_folder() -> impl Strategy<Value = Call> {
    let names = || {
        (any::<bool>(), any_width(), any_width()).prop_map(|(open_existing, display_name, comment)| {
            // Both have one width, as they have where they are sent.
            let wide = display_name.is_wide() || comment.is_wide();
            let as_wide = |text: Text| if wide { Text::Wide(text.to_str().into_owned()) } else { text };
            FolderNames { open_existing, display_name: as_wide(display_name), comment: as_wide(comment) }
        })
    };
    let ids = || several(any::<u64>());
    prop_oneof![
        any!(folder::OpenFolder {
            input: any::<u8>(),
            output: any::<u8>(),
            folder: any::<u64>(),
            mode: any::<u8>(),
        }),
        any!(folder::CreateFolder {
            input: any::<u8>(),
            output: any::<u8>(),
            kind: any::<u8>(),
            names: names(),
        }),
        any!(folder::DeleteFolder { input: any::<u8>(), flags: any::<u8>(), folder: any::<u64>() }),
        any!(folder::EmptyFolder {
            input: any::<u8>(),
            asynchronous: any::<bool>(),
            associated: any::<bool>(),
        }),
        any!(folder::GetHierarchyTable { input: any::<u8>(), output: any::<u8>(), flags: any::<u8>() }),
        any!(folder::GetContentsTable { input: any::<u8>(), output: any::<u8>(), flags: any::<u8>() }),
        any!(folder::DeleteMessages {
            input: any::<u8>(),
            asynchronous: any::<bool>(),
            notify_unread: any::<bool>(),
            messages: ids(),
        }),
        any!(folder::HardDeleteMessages {
            input: any::<u8>(),
            asynchronous: any::<bool>(),
            notify_unread: any::<bool>(),
            messages: ids(),
        }),
        any!(folder::MoveCopyMessages {
            input: any::<u8>(),
            destination: any::<u8>(),
            messages: ids(),
            asynchronous: any::<bool>(),
            copy: any::<bool>(),
        }),
        any!(folder::SetReadFlags {
            input: any::<u8>(),
            asynchronous: any::<bool>(),
            flags: any::<u8>(),
            messages: ids(),
        }),
        any!(folder::GetReceiveFolder { input: any::<u8>(), class: any_text8() }),
    ]
}

fn any_table() -> impl Strategy<Value = Call> {
    let order =
        || {
            let order = (any_tag(), any::<u8>())
                .prop_map(|(tag, direction)| SortOrder { tag, direction: Direction(direction) });
            (several(order), any::<u16>(), any::<u16>())
                .prop_map(|(orders, categories, expanded)| SortOrders { orders, categories, expanded })
        };
    prop_oneof![
        any!(table::SetColumns { input: any::<u8>(), flags: any::<u8>(), columns: several(any_tag()) }),
        any!(table::SortTable { input: any::<u8>(), flags: any::<u8>(), orders: order() }),
        any!(table::Restrict {
            input: any::<u8>(),
            flags: any::<u8>(),
            restriction: prop::option::of(any_restriction()),
        }),
        any!(table::QueryRows {
            input: any::<u8>(),
            flags: any::<u8>(),
            forward: any::<bool>(),
            count: any::<u16>(),
        }),
        any!(table::SeekRow {
            input: any::<u8>(),
            origin: any::<u8>(),
            rows: any::<i32>(),
            want_moved: any::<bool>(),
        }),
        any!(table::QueryPosition { input: any::<u8>() }),
        any!(table::GetStatus { input: any::<u8>() }),
        any!(table::ResetTable { input: any::<u8>() }),
    ]
}

fn any_recipients() -> impl Strategy<Value = ChangedRecipients> {
    let one = (any_recipient(), any::<bool>(), any::<u32>(), any::<u8>());
    one.prop_map(|((columns, recipient), kept, row, kind)| {
        let recipient = kept.then_some(recipient);
        let rows = vec![
            ChangedRecipient { row, kind, recipient: recipient.clone() },
            ChangedRecipient { row: 7, kind: 2, recipient },
        ];
        ChangedRecipients { columns, rows }
    })
}

fn any_message() -> impl Strategy<Value = Call> {
    prop_oneof![
        any!(message::OpenMessage {
            input: any::<u8>(),
            output: any::<u8>(),
            code_page: any::<u16>(),
            folder: any::<u64>(),
            mode: any::<u8>(),
            message: any::<u64>(),
        }),
        any!(message::ReloadCachedInformation { input: any::<u8>(), reserved: any::<u16>() }),
        any!(message::CreateMessage {
            input: any::<u8>(),
            output: any::<u8>(),
            code_page: any::<u16>(),
            folder: any::<u64>(),
            associated: any::<bool>(),
        }),
        any!(message::SaveChangesMessage { response: any::<u8>(), input: any::<u8>(), flags: any::<u8>() }),
        any!(message::ModifyRecipients { input: any::<u8>(), recipients: any_recipients() }),
        any!(message::ReadRecipients { input: any::<u8>(), row: any::<u32>(), reserved: any::<u16>() }),
        // To a mailbox, whose clients send no data.
        any!(message::SetMessageReadFlag {
            response: any::<u8>(),
            input: any::<u8>(),
            flags: any::<u8>(),
            client_data: Just(Vec::new()),
        }),
        any!(message::SubmitMessage { input: any::<u8>(), flags: any::<u8>() }),
    ]
}

fn any_property() -> impl Strategy<Value = Call> {
    prop_oneof![
        any!(property::GetPropertiesSpecific {
            input: any::<u8>(),
            size_limit: any::<u16>(),
            want_unicode: any::<u16>(),
            tags: several(any_tag()),
        }),
        any!(property::GetPropertiesAll {
            input: any::<u8>(),
            size_limit: any::<u16>(),
            want_unicode: any::<u16>(),
        }),
        any!(property::GetPropertiesList { input: any::<u8>() }),
        any!(property::SetProperties { input: any::<u8>(), values: several(any_tagged(any_value())) }),
        any!(property::DeleteProperties { input: any::<u8>(), tags: several(any_tag()) }),
        any!(property::GetNamesFromPropertyIds { input: any::<u8>(), ids: several(any::<u16>()) }),
        any!(property::GetPropertyIdsFromNames {
            input: any::<u8>(),
            flags: any::<u8>(),
            names: several(any_name()),
        }),
        any!(property::LongTermIdFromId { input: any::<u8>(), id: any::<u64>() }),
        any!(property::IdFromLongTermId { input: any::<u8>(), long_term_id: any::<[u8; 24]>() }),
    ]
}

fn any_stream() -> impl Strategy<Value = Call> {
    let count = || prop_oneof![any::<u32>(), Just(0xBABE), Just(7)].prop_map(ByteCount::new);
    let scope = || {
        let object = (any::<u64>(), any::<u64>());
        prop_oneof![
            Just(Scope::WholeStore),
            object.prop_map(|(folder, message)| Scope::Object { folder, message }),
        ]
    };
    prop_oneof![
        any!(stream::OpenStream {
            input: any::<u8>(),
            output: any::<u8>(),
            tag: any_tag(),
            mode: any::<u8>(),
        }),
        any!(stream::ReadStream { input: any::<u8>(), count: count() }),
        any!(stream::WriteStream { input: any::<u8>(), data: several(any::<u8>()) }),
        any!(stream::SeekStream { input: any::<u8>(), origin: any::<u8>(), offset: any::<i64>() }),
        any!(stream::SetStreamSize { input: any::<u8>(), size: any::<u64>() }),
        any!(stream::GetStreamSize { input: any::<u8>() }),
        any!(stream::CommitStream { input: any::<u8>() }),
        any!(notification::RegisterNotification {
            input: any::<u8>(),
            output: any::<u8>(),
            kinds: any::<u16>(),
            scope: scope(),
        }),
    ]
}

/// A ROP that opens an attachment, which is not typed.
fn any_other() -> impl Strategy<Value = Call> {
    (any::<u8>(), prop::collection::vec(any::<u8>(), 6..7))
        .prop_map(|(handle, fields)| Call::Other(Other { rop: RopId(0x22), handle, fields }))
}
