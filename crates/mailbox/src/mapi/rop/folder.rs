//! Folders: opened, made, emptied, removed (MS-OXCFOLD).

use weir_wire::ews::property::{FolderKind, Value};
use weir_wire::mapi::call::folder::{CreateFolder, DeleteFolder, EmptyFolder, GetReceiveFolder, OpenFolder};
use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::property::tag;
use weir_wire::mapi::reply::folder::{
    CreateFolder as Created, GetReceiveFolder as Receiver, OpenFolder as Opened,
};

use super::{Done, Work};
use crate::mapi::id;
use crate::mapi::objects::Object;
use crate::mapi::property::{folder as folder_properties, value};
use crate::operation::delete_folder;
use crate::store::folder::{self, NewFolder, StoredFolder};
use crate::store::item;

/// The longest name of a folder, in characters.
const MAX_NAME: usize = 255;
/// Messages that are held in memory while a folder is emptied.
const MESSAGES_AT_ONCE: u32 = 500;

/// Opens a folder.
pub(in crate::mapi) fn open(work: &mut Work<'_>, call: &OpenFolder) -> Done<()> {
    let logon = work.logon(call.input)?;
    let key = id::read_folder(call.folder).ok_or(ErrorCode::NOT_FOUND)?;
    work.read(&logon, |view| Ok(folder::by_key(view.visit, key)?))?;
    work.open(call.output, logon, Object::Folder(key)).map(drop)
}

/// Makes a folder, or opens the one that is there, where that may be.
pub(in crate::mapi) fn create(work: &mut Work<'_>, call: &CreateFolder) -> Done<Created> {
    let (logon, parent) = work.folder(call.input)?;
    let (name, comment) = (&call.names.display_name.to_str(), &call.names.comment.to_str());
    check_name(name)?;
    if call.kind != CreateFolder::GENERIC {
        return Err(ErrorCode::NOT_SUPPORTED);
    }
    let (key, there) = work.change(&logon, |view| {
        let there = folder::named(view.visit, parent, name)?;
        if let Some(key) = there {
            return if call.names.open_existing { Ok((key, true)) } else { Err(ErrorCode::COLLIDING_NAMES) };
        }
        folder::by_key(view.visit, parent)?;
        let new = NewFolder { parent, name, class: Some("IPF.Note"), kind: FolderKind::Folder };
        let key = folder::insert(view.visit, &new)?;
        if !comment.is_empty()
            && let Some(path) = folder_properties::stored_path(view, tag::COMMENT)?
        {
            folder::set_property(view.visit, key, &path, Some(&Value::Text(comment.to_string())))?;
        }
        Ok((key, false))
    })?;
    work.open(call.output, logon, Object::Folder(key))?;
    Ok(Created { folder: id::folder(key), existing: there.then(Opened::default) })
}

/// Removes a folder; what is in it goes along only where the flags say so.
pub(in crate::mapi) fn delete(work: &mut Work<'_>, call: &DeleteFolder) -> Done<()> {
    let (logon, parent) = work.folder(call.input)?;
    let key = id::read_folder(call.folder).ok_or(ErrorCode::NOT_FOUND)?;
    let goes = |flag: u8| call.flags & flag != 0;
    work.change(&logon, |view| {
        let visit = view.visit;
        let stored = folder::by_key(visit, key)?;
        if stored.parent != Some(parent) {
            return Err(ErrorCode::NOT_FOUND);
        }
        check_removable(&stored)?;
        if !goes(DeleteFolder::FOLDERS) && !folder::children(visit, key)?.is_empty() {
            return Err(ErrorCode::HAS_FOLDERS);
        }
        if !goes(DeleteFolder::MESSAGES) && !item::some_in_folder(visit, key, 1)?.is_empty() {
            return Err(ErrorCode::HAS_MESSAGES);
        }
        let keep = folder::distinguished(visit, "recoverableitemsdeletions")?;
        Ok(delete_folder::remove_tree(visit, &stored, (!goes(DeleteFolder::HARD)).then_some(keep))?)
    })
}

/// Removes what is in a folder, so that it can be recovered: its messages, and the folders that are not well known.
pub(in crate::mapi) fn empty(work: &mut Work<'_>, call: &EmptyFolder) -> Done<()> {
    let (logon, key) = work.folder(call.input)?;
    work.change(&logon, |view| {
        let visit = view.visit;
        let keep = folder::distinguished(visit, "recoverableitemsdeletions")?;
        let keep = (key != keep).then_some(keep);
        for stored in folder::children(visit, key)? {
            if check_removable(&stored).is_ok() {
                delete_folder::remove_tree(visit, &stored, keep)?;
            }
        }
        loop {
            let some = item::some_to_remove(visit, key, call.associated, MESSAGES_AT_ONCE)?;
            if some.is_empty() {
                return Ok(());
            }
            for row in some {
                match keep {
                    Some(keep) => drop(item::transfer(visit, row, keep)?),
                    None => item::remove(visit, &row)?,
                }
            }
        }
    })
}

/// The folder that receives messages of a class, and the part of the class that decides it: the inbox receives all.
pub(in crate::mapi) fn receiver(work: &mut Work<'_>, call: &GetReceiveFolder) -> Done<Receiver> {
    const RECEIVED: [&str; 3] = ["REPORT.IPM", "IPM", "IPC"];
    let logon = work.logon(call.input)?;
    let class = value::from_narrow(&call.class);
    let is = |base: &&str| {
        let begins = class.get(..base.len()).is_some_and(|begins| begins.eq_ignore_ascii_case(base));
        begins && class.get(base.len()..).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let decides = RECEIVED.into_iter().find(is).unwrap_or_default();
    let inbox = work.read(&logon, |view| Ok(folder::distinguished(view.visit, "inbox")?))?;
    Ok(Receiver { folder: id::folder(inbox), class: decides.into() })
}

/// Refuses what is no name of a folder.
pub(super) fn check_name(name: &str) -> Done<()> {
    let is_name = !name.is_empty() && name.chars().count() <= MAX_NAME && !name.contains(char::is_control);
    if is_name { Ok(()) } else { Err(ErrorCode::INVALID_PARAMETER) }
}

/// Refuses the folders that every mailbox has.
fn check_removable(stored: &StoredFolder) -> Done<()> {
    if stored.distinguished.is_some() { Err(ErrorCode::ACCESS_DENIED) } else { Ok(()) }
}
