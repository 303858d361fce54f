//! `RopLogon`, `RopRelease`, and what a mailbox is asked for as a whole (MS-OXCSTOR).

use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use weir_units::WallTime;
use weir_wire::mapi::call::logon as asked;
use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::reply::logon::{self as reply, LogonTime, PrivateStore, SpecialFolders, Store};

use super::{Done, Work};
use crate::mapi::connect;
use crate::mapi::id::{self, Guids};
use crate::mapi::objects::{Logon, Object};
use crate::mapi::property::value;
use crate::server::{Failure, Visit, in_transaction};
use crate::session::{Person, Session};
use crate::store::distinguished::{self, ROOT, TOP};
use crate::store::identifier::MailboxKey;
use crate::store::{folder, mailbox};

/// Logs on to the mailbox that a distinguished name names; to the caller's own where it names none. A logon of the same
/// number ends.
///
/// # Errors
/// Where the mailbox is not there or not for the caller.
pub(in crate::mapi) fn logon(work: &mut Work<'_>, id: u8, call: &asked::Logon) -> Done<reply::Logon> {
    if !call.is_private() {
        return Err(ErrorCode::LOGON_FAILED);
    }
    let inner = work.session;
    let named = value::from_narrow(call.essdn.strip_suffix(&[0]).unwrap_or(&call.essdn));
    let person = if named.is_empty() {
        inner.caller.clone()
    } else {
        connect::find(work.shared.people.as_ref(), &inner.caller, inner.may_open_others, &named)?
    };
    let (mailbox, guids, folders) = open_mailbox(work, &person)?;
    let gone = work.state.objects.remove_logon(id);
    inner.forget(&gone);
    let logon = Arc::new(Logon { id, person, mailbox, guids });
    work.open(call.output, Arc::clone(&logon), Object::Logon)?;
    work.state.logons.insert(id, logon);
    let store = PrivateStore {
        folders,
        response_flags: PrivateStore::RESERVED | PrivateStore::OWNER | PrivateStore::SEND_AS,
        mailbox: guids.mailbox,
        replica_id: id::REPLICA,
        replica: guids.store,
        time: time(work.now),
        gwart_time: 0,
        store_state: 0,
    };
    Ok(reply::Logon { flags: call.flags, store: Store::Private(Box::new(store)) })
}

/// Forgets a handle, and what cannot be without it. What was written to a stream goes to its message first.
pub(in crate::mapi) fn release(work: &mut Work<'_>, place: u8) {
    let Ok(handle) = work.handle(place) else { return };
    let _ = super::stream::commit_handle(work, handle);
    let gone = work.state.objects.remove(handle);
    for (_, entry) in &gone {
        if matches!(entry.object, Object::Logon) {
            work.state.logons.remove(&entry.logon.id);
        }
    }
    work.session.forget(&gone);
}

type Opened = (MailboxKey, Guids, SpecialFolders);

/// Opens a person's mailbox; makes it, or the folders that only MAPI knows, where they are not there.
fn open_mailbox(work: &mut Work<'_>, person: &Person) -> Done<Opened> {
    let session = Session::of(person, work.now);
    let there = mailbox::exists(work.db, &session).map_err(Failure::Store)?;
    if there {
        let found = in_transaction(work.shared, work.db, &session, false, |visit| opened(visit, false));
        if let Some(found) = found? {
            return Ok(found);
        }
    }
    let made = in_transaction(work.shared, work.db, &session, true, |visit| opened(visit, true));
    made?.ok_or(ErrorCode::GENERAL_FAILURE)
}

/// The mailbox and its folders; none, where a folder is not there that may not be made.
fn opened(visit: &Visit<'_>, make: bool) -> Done<Option<Opened>> {
    if make {
        for folder in distinguished::MAPI {
            folder::ensure_distinguished(visit, folder)?;
        }
    }
    let mut complete = true;
    let mut find = |name| -> Done<u64> {
        let found = folder::find_distinguished(visit, name)?;
        complete &= found.is_some();
        Ok(found.map_or(0, id::folder))
    };
    let folders = SpecialFolders {
        root: find(ROOT)?,
        deferred_actions: find("deferredaction")?,
        spooler_queue: find("spoolerqueue")?,
        ipm_subtree: find(TOP)?,
        inbox: find("inbox")?,
        outbox: find("outbox")?,
        sent_items: find("sentitems")?,
        deleted_items: find("deleteditems")?,
        common_views: find("commonviews")?,
        schedule: find("schedule")?,
        finder: find("searchfolders")?,
        views: find("views")?,
        shortcuts: find("shortcuts")?,
    };
    Ok(complete.then_some((visit.mailbox, Guids::of(visit)?, folders)))
}

fn time(now: WallTime) -> LogonTime {
    let at = Timestamp::from_microsecond(now.unix_micros()).unwrap_or(Timestamp::UNIX_EPOCH);
    let at = TimeZone::UTC.to_datetime(at);
    let small = |number: i8| number.unsigned_abs();
    LogonTime {
        seconds: small(at.second()),
        minutes: small(at.minute()),
        hour: small(at.hour()),
        day_of_week: small(at.date().weekday().to_sunday_zero_offset()),
        day: small(at.day()),
        month: small(at.month()),
        year: at.year().unsigned_abs(),
    }
}
