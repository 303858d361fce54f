//! `FindFolder`: the folders below another.
//!
//! The folders of a mailbox are few, so they are read, restricted and cut in memory. They come in the order of their
//! names.

use weir_wire::ews::property::{FolderRef, PropertyPath};
use weir_wire::ews::request::{FindFolder, Operand, Restriction, Traversal, View};
use weir_wire::ews::response::{Answer, Found};

use super::find_item::check_view;
use crate::find::{evaluate, page};
use crate::server::{Failure, Outcome, Visit};
use crate::store::folder::{self, StoredFolder};
use crate::store::shape::{self, Wanted};
use crate::store::text;

pub(super) fn carry_out(visit: &Visit<'_>, find: &FindFolder, parent: &FolderRef) -> Outcome<Answer> {
    let top = folder::find(visit, parent)?;
    if matches!(find.view, View::Calendar { .. } | View::Contacts { .. }) {
        return Err(Failure::told("ErrorInvalidOperation", "Folders have no calendar or contacts view."));
    }
    check_view(&find.view)?;
    let below = folder::below(visit, top.key)?;
    let candidates = match find.traversal {
        Traversal::Shallow => below.into_iter().filter(|folder| folder.parent == Some(top.key)).collect(),
        Traversal::Deep => below,
        Traversal::SoftDeleted | Traversal::Associated => Vec::new(),
    };
    let wanted = Wanted::summary(&find.shape);
    let mut found = Vec::new();
    for stored in candidates {
        if meets(visit, &stored, find.restriction.as_ref())? {
            found.push(stored);
        }
    }
    found.sort_by(|one, other| text::fold(&one.name).cmp(&text::fold(&other.name)));
    let total = u32::try_from(found.len()).unwrap_or(u32::MAX);
    let part = page::page(&find.view, total, visit.settings.max_page);
    let (skip, take) = (usize::try_from(part.skip).unwrap_or(0), usize::try_from(part.take).unwrap_or(0));
    let page = found.iter().skip(skip).take(take).map(|stored| shape::folder(visit, stored, &wanted));
    let page = page.collect::<Outcome<Vec<_>>>()?;
    Ok(Answer::FoundFolders(Found { page, total, paging: part.paging, last: part.last }))
}

fn meets(visit: &Visit<'_>, stored: &StoredFolder, restriction: Option<&Restriction>) -> Outcome<bool> {
    let Some(restriction) = restriction else { return Ok(true) };
    let mut paths = Vec::new();
    collect_paths(restriction, &mut paths);
    evaluate::holds(restriction, &shape::folder_properties(visit, stored, &paths)?, &visit.zone())
}

/// The properties that a restriction speaks of.
fn collect_paths(restriction: &Restriction, paths: &mut Vec<PropertyPath>) {
    match restriction {
        Restriction::And(parts) | Restriction::Or(parts) => {
            for part in parts {
                collect_paths(part, paths);
            }
        }
        Restriction::Not(part) => collect_paths(part, paths),
        Restriction::Exists(path)
        | Restriction::Excludes { path, .. }
        | Restriction::Contains { path, .. } => {
            paths.push(path.clone());
        }
        Restriction::Compare { path, with, .. } => {
            paths.push(path.clone());
            if let Operand::Property(other) = with {
                paths.push(other.clone());
            }
        }
    }
}
