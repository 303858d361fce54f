//! Listings of mailboxes for people.

use super::super::table::{Table, shortened};
use super::{FolderRow, MessageRows};

/// The most letters of a sender and of a subject.
const FROM: usize = 32;
const SUBJECT: usize = 64;

/// Folders with their counts.
pub(super) fn folders(rows: &[FolderRow]) -> String {
    let mut table = Table::new(&["FOLDER", "MESSAGES", "UNREAD"]);
    for row in rows {
        table.row([row.path.clone(), row.messages.to_string(), row.unread.to_string()]);
    }
    table.text_or("the mailbox has no folders")
}

/// Messages, and how many there are besides.
pub(super) fn messages(rows: &MessageRows) -> String {
    let mut table = Table::new(&["TIME", "FROM", "SUBJECT", "SIZE"]);
    for row in &rows.messages {
        table.row([
            row.time.clone().unwrap_or_else(|| "-".to_owned()),
            shortened(&row.from, FROM),
            shortened(&row.subject, SUBJECT),
            row.size.to_string(),
        ]);
    }
    let text = table.text_or(&format!("{} has no messages", rows.folder));
    let shown = u32::try_from(rows.messages.len()).unwrap_or(u32::MAX);
    match rows.total.saturating_sub(shown) {
        0 => text,
        more => format!("{text}and {more} more, which --top shows\n"),
    }
}
