//! `RopRegisterNotification`, and what a session is told (MS-OXCNOTIF).

use weir_wire::mapi::call::notification::{RegisterNotification, Scope as Asked};
use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::reply::notify::{Event as Told, Journey, Notify, Object};

use super::{Done, Work};
use crate::mapi::id::{self, Named};
use crate::mapi::mailroom::{Event, Scope, Subscription};
use crate::mapi::objects;
use crate::server::{About, NewsKind};

/// Begins a subscription to what happens in a mailbox, a folder or a message.
pub(in crate::mapi) fn register(work: &mut Work<'_>, call: &RegisterNotification) -> Done<()> {
    let logon = work.logon(call.input)?;
    let scope = match call.scope {
        Asked::WholeStore => Scope::Store,
        Asked::Object { folder, message: 0 } => {
            Scope::Folder(id::read_folder(folder).ok_or(ErrorCode::NOT_FOUND)?)
        }
        Asked::Object { message, .. } => match id::read(message) {
            Some(Named::Message(key)) => Scope::Message(key),
            Some(Named::Folder(_)) | None => return Err(ErrorCode::NOT_FOUND),
        },
    };
    let (logon_id, mailbox) = (logon.id, logon.mailbox);
    let handle = work.open(call.output, logon, objects::Object::Subscription)?;
    let subscription = Subscription { logon: logon_id, mailbox, kinds: call.kinds, scope };
    work.session.mailroom.subscribe(handle, subscription);
    work.session.listen(mailbox);
    Ok(())
}

/// Puts an event into the words of the protocol; none, where it has none.
pub(in crate::mapi) fn told(event: &Event) -> Option<Notify> {
    let (object, parent, old) = match &event.about {
        About::Item { key, folder, old, .. } => {
            let object = Object { folder: id::folder(*folder), message: Some(id::message(*key)) };
            let old = old.map(|(folder, key)| (id::folder(folder), id::message(key)));
            (object, id::folder(*folder), old)
        }
        About::Folder { key, parent } => {
            (Object { folder: id::folder(*key), message: None }, id::folder(*parent), None)
        }
    };
    let (old_folder, old) = old.unwrap_or((object.folder, parent));
    let journey = Journey { object, parent, old_folder, old };
    let told = match event.kind {
        NewsKind::NewMail => new_mail(object, &event.about),
        NewsKind::Created => Told::Created { object, parent, tags: Vec::new() },
        NewsKind::Deleted => Told::Deleted { object, parent },
        NewsKind::Modified => Told::Modified { object, tags: Vec::new() },
        NewsKind::Moved => Told::Moved(journey),
        NewsKind::Copied => Told::Copied(journey),
        NewsKind::FreeBusyChanged => return None,
    };
    let (handle, logon) = (event.handle, event.logon);
    Some(Notify { handle, logon, event: told, in_search: false, total: None, unread: None })
}

fn new_mail(object: Object, about: &About) -> Told {
    let (flags, class) = match about {
        About::Item { flags, class, .. } => (u32::try_from(*flags).unwrap_or(0), class.as_str()),
        About::Folder { .. } => (0, ""),
    };
    Told::NewMail { object, flags, class: class.into() }
}
