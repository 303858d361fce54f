//! Any answer to each kind of ROP.

use proptest::prelude::*;

use super::super::super::call::tests::any_call;
use super::super::super::property::name::tests::any_name;
use super::super::super::property::tests::{any_tag, any_tagged, any_text8, any_value};
use super::super::super::recipient::tests::any_recipient;
use super::super::super::row::tests::any_row;
use super::super::super::text::tests::any_typed;
use super::super::logon::{Logon, LogonTime, PrivateStore, PublicStore, Redirect, SpecialFolders, Store};
use super::super::message::{ListedRecipients, OpenMessage, PublicRead, ReadRecipients, RecipientHead};
use super::super::notify::tests::any_notify;
use super::super::property::PropertyProblem;
use super::super::{folder, message, property, stream, table};
use super::*;

/// A call, the columns that its client knows of, and an answer.
pub(super) fn any_exchange() -> impl Strategy<Value = (Call, Vec<PropertyTag>, Reply)> {
    let answered = any_call().prop_filter("has an answer", Call::is_answered);
    (answered, any_failure(), prop::bool::weighted(0.2)).prop_flat_map(|(call, failure, failed)| {
        if failed {
            let failure = as_sent(&call, failure);
            let reply = Reply::Failed { rop: call.rop(), handle: call.answered_at(), failure };
            return Just((call, Vec::new(), reply)).boxed();
        }
        let success = any_success(call.rop());
        success.prop_map(move |(columns, success)| answer(call.clone(), columns, success)).boxed()
    })
}

/// An answer, to a call that asks for the properties that it has.
fn answer(mut call: Call, columns: Vec<PropertyTag>, success: Success) -> (Call, Vec<PropertyTag>, Reply) {
    if let Call::GetPropertiesSpecific(call) = &mut call {
        call.tags.clone_from(&columns);
    }
    let reply = Reply::done(&call, success);
    (call, columns, reply)
}

pub(super) fn any_unasked() -> impl Strategy<Value = Reply> {
    let backoff = (any::<u8>(), any::<u32>());
    prop_oneof![
        4 => any_notify().prop_map(Reply::Notify),
        1 => any::<u16>().prop_map(|session| Reply::Pending { session }),
        1 => backoff.prop_map(|(logon, millis)| Reply::Backoff(Backoff::logon(logon, Millis::new(millis.into())))),
        1 => (any::<u16>(), several(any::<u8>()))
            .prop_map(|(size_needed, requests)| Reply::BufferTooSmall(BufferTooSmall { size_needed, requests })),
    ]
}

fn any_failure() -> impl Strategy<Value = Failure> {
    let code = prop_oneof![
        (1u32..).prop_map(ErrorCode),
        Just(ErrorCode::DESTINATION_NULL_OBJECT),
        Just(ErrorCode::WRONG_SERVER)
    ];
    let redirect = (any::<u8>(), several(any::<u8>())).prop_map(|(flags, server)| Redirect { flags, server });
    (code, any::<bool>(), any::<u32>(), redirect).prop_map(|(code, partial, destination, redirect)| Failure {
        code,
        partial,
        destination,
        redirect,
    })
}

/// Takes away what is not sent.
fn as_sent(call: &Call, mut failure: Failure) -> Failure {
    let rop = call.rop().0;
    failure.partial &= PARTIAL.contains(&rop);
    if !(MOVING.contains(&rop) && failure.code == ErrorCode::DESTINATION_NULL_OBJECT) {
        failure.destination = 0;
    }
    if !(call.rop() == RopId::LOGON && failure.code == ErrorCode::WRONG_SERVER) {
        failure.redirect = Redirect::default();
    }
    failure
}

fn several<T: std::fmt::Debug>(one: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<T>> {
    prop::collection::vec(one, 0..4)
}

/// What a ROP gives, with the columns that are needed to read it.
fn any_success(rop: RopId) -> BoxedStrategy<(Vec<PropertyTag>, Success)> {
    match rop.0 {
        0x07 => any_row()
            .prop_map(|(columns, cells)| {
                let success = property::GetPropertiesSpecific { columns: columns.clone(), cells };
                (columns, Success::GetPropertiesSpecific(success))
            })
            .boxed(),
        0x0F => (any_recipient(), any_head(), any::<u32>())
            .prop_map(|((columns, recipient), head, row)| {
                let rows = vec![(row, head.clone(), recipient.clone()), (row, head, recipient)];
                (columns.clone(), Success::ReadRecipients(ReadRecipients { columns, rows }))
            })
            .boxed(),
        0x15 => (any_row(), any::<u8>(), 0usize..4)
            .prop_map(|((columns, cells), origin, rows)| {
                let rows = vec![cells; rows];
                (columns.clone(), Success::QueryRows(table::QueryRows { origin, columns, rows }))
            })
            .boxed(),
        _ => any_plain(rop).prop_map(|success| (Vec::new(), success)).boxed(),
    }
}

/// What a ROP gives that can be read as it is.
fn any_plain(rop: RopId) -> BoxedStrategy<Success> {
    use Success as S;
    match rop.0 {
        0x02 => any_opened().prop_map(S::OpenFolder).boxed(),
        0x03 => any_message().prop_map(S::OpenMessage).boxed(),
        0x04 => any::<u32>().prop_map(|rows| S::GetHierarchyTable(folder::OpenTable { rows })).boxed(),
        0x05 => any::<u32>().prop_map(|rows| S::GetContentsTable(folder::OpenTable { rows })).boxed(),
        0x06 => prop::option::of(any::<u64>())
            .prop_map(|message| S::CreateMessage(message::CreateMessage { message }))
            .boxed(),
        0x08 => several(any_tagged(any_value()))
            .prop_map(|values| S::GetPropertiesAll(property::GetPropertiesAll { values }))
            .boxed(),
        0x09 => several(any_tag())
            .prop_map(|tags| S::GetPropertiesList(property::GetPropertiesList { tags }))
            .boxed(),
        0x0A => any_problems().prop_map(S::SetProperties).boxed(),
        0x0B => any_problems().prop_map(S::DeleteProperties).boxed(),
        0x0C => (any::<u8>(), any::<u64>())
            .prop_map(|(input, message)| {
                S::SaveChangesMessage(message::SaveChangesMessage { input, message })
            })
            .boxed(),
        0x0E => Just(S::ModifyRecipients).boxed(),
        0x10 => any_message().prop_map(S::ReloadCachedInformation).boxed(),
        0x11 => any_read().prop_map(S::SetMessageReadFlag).boxed(),
        0x12 => any_status().prop_map(S::SetColumns).boxed(),
        0x13 => any_status().prop_map(S::SortTable).boxed(),
        0x14 => any_status().prop_map(S::Restrict).boxed(),
        0x16 => any_status().prop_map(S::GetStatus).boxed(),
        0x17 => (any::<u32>(), any::<u32>())
            .prop_map(|(numerator, denominator)| {
                S::QueryPosition(table::QueryPosition { numerator, denominator })
            })
            .boxed(),
        0x18 => (any::<bool>(), any::<i32>())
            .prop_map(|(fewer, rows)| S::SeekRow(table::SeekRow { fewer, rows }))
            .boxed(),
        0x1C => (any::<u64>(), prop::option::of(any_opened()))
            .prop_map(|(folder, existing)| S::CreateFolder(folder::CreateFolder { folder, existing }))
            .boxed(),
        0x1D => any_completion().prop_map(S::DeleteFolder).boxed(),
        0x1E => any_completion().prop_map(S::DeleteMessages).boxed(),
        0x27 => (any::<u64>(), any_text8())
            .prop_map(|(folder, class)| S::GetReceiveFolder(folder::GetReceiveFolder { folder, class }))
            .boxed(),
        0x29 => Just(S::RegisterNotification).boxed(),
        0x2B => any::<u32>().prop_map(|size| S::OpenStream(stream::StreamSize { size })).boxed(),
        0x2C => several(any::<u8>()).prop_map(|data| S::ReadStream(stream::ReadStream { data })).boxed(),
        0x2D => any::<u16>().prop_map(|written| S::WriteStream(stream::WriteStream { written })).boxed(),
        0x2E => any::<u64>().prop_map(|position| S::SeekStream(stream::SeekStream { position })).boxed(),
        0x2F => Just(S::SetStreamSize).boxed(),
        0x32 => Just(S::SubmitMessage).boxed(),
        0x33 => any_completion().prop_map(S::MoveCopyMessages).boxed(),
        0x43 => any::<[u8; 24]>()
            .prop_map(|long_term_id| S::LongTermIdFromId(property::LongTermIdFromId { long_term_id }))
            .boxed(),
        0x44 => any::<u64>().prop_map(|id| S::IdFromLongTermId(property::IdFromLongTermId { id })).boxed(),
        0x55 => several(any_name())
            .prop_map(|names| S::GetNamesFromPropertyIds(property::GetNamesFromPropertyIds { names }))
            .boxed(),
        0x56 => several(any::<u16>())
            .prop_map(|ids| S::GetPropertyIdsFromNames(property::GetPropertyIdsFromNames { ids }))
            .boxed(),
        0x58 => any_completion().prop_map(S::EmptyFolder).boxed(),
        0x5D => Just(S::CommitStream).boxed(),
        0x5E => any::<u32>().prop_map(|size| S::GetStreamSize(stream::StreamSize { size })).boxed(),
        0x66 => any_completion().prop_map(S::SetReadFlags).boxed(),
        0x81 => Just(S::ResetTable).boxed(),
        0x91 => any_completion().prop_map(S::HardDeleteMessages).boxed(),
        0xFE => any_logon().prop_map(S::Logon).boxed(),
        _ => several(any::<u8>()).prop_map(move |fields| S::Other { rop, fields }).boxed(),
    }
}

fn any_opened() -> impl Strategy<Value = folder::OpenFolder> {
    let ghosted =
        (any::<u16>(), several(any_text8())).prop_map(|(cheap, servers)| folder::Ghosted { cheap, servers });
    (any::<bool>(), prop::option::of(ghosted))
        .prop_map(|(has_rules, ghosted)| folder::OpenFolder { has_rules, ghosted })
}

fn any_completion() -> impl Strategy<Value = folder::Completion> {
    any::<bool>().prop_map(|partial| folder::Completion { partial })
}

fn any_status() -> impl Strategy<Value = table::TableStatus> {
    any::<u8>().prop_map(|status| table::TableStatus { status })
}

fn any_problems() -> impl Strategy<Value = property::Problems> {
    let problem = (any::<u16>(), any_tag(), any::<u32>()).prop_map(|(index, tag, code)| PropertyProblem {
        index,
        tag,
        code: ErrorCode(code),
    });
    several(problem).prop_map(|problems| property::Problems { problems })
}

fn any_read() -> impl Strategy<Value = message::SetMessageReadFlag> {
    let changed =
        (any::<u8>(), any::<[u8; 24]>()).prop_map(|(logon, client_data)| PublicRead { logon, client_data });
    prop::option::of(changed).prop_map(|changed| message::SetMessageReadFlag { changed })
}

fn any_head() -> impl Strategy<Value = RecipientHead> {
    (any::<u8>(), any::<u16>(), any::<u16>()).prop_map(|(kind, code_page, reserved)| RecipientHead {
        kind,
        code_page,
        reserved,
    })
}

fn any_message() -> impl Strategy<Value = OpenMessage> {
    let recipients = (any::<u16>(), any_recipient(), any_head(), 0usize..3);
    (any::<bool>(), any_typed(), any_typed(), recipients).prop_map(
        |(has_named_properties, subject_prefix, normalized_subject, recipients)| {
            let (count, (columns, recipient), head, rows) = recipients;
            let recipients = ListedRecipients { count, columns, rows: vec![(head, recipient); rows] };
            OpenMessage { has_named_properties, subject_prefix, normalized_subject, recipients }
        },
    )
}

fn any_logon() -> impl Strategy<Value = Logon> {
    let private = (any::<u64>(), any::<[u8; 16]>(), any::<u16>()).prop_map(|(inbox, mailbox, replica_id)| {
        let folders = SpecialFolders { inbox, shortcuts: 7, ..SpecialFolders::default() };
        let time = LogonTime { hour: 12, year: 2026, ..LogonTime::default() };
        let store = PrivateStore { folders, mailbox, replica_id, time, ..PrivateStore::default() };
        Store::Private(Box::new(store))
    });
    let public =
        (any::<[u64; 13]>(), any::<[u8; 16]>(), any::<u16>()).prop_map(|(folders, replica, replica_id)| {
            Store::Public(Box::new(PublicStore { folders, replica, replica_id, per_user: [7; 16] }))
        });
    (any::<u8>(), prop_oneof![private, public]).prop_map(|(flags, store)| Logon { flags: flags & !1, store })
}
