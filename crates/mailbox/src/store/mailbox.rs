//! Mailboxes: made on first use, each with a count of its changes.

use rusqlite::{Connection, OptionalExtension, params};

use super::identifier::{ChangeNumber, FolderKey, MailboxKey};
use super::{distinguished, folder};
use crate::server::{Outcome, Visit};
use crate::session::Session;

/// Whether the session's mailbox was used before.
pub(crate) fn exists(db: &Connection, session: &Session) -> rusqlite::Result<bool> {
    find(db, session).map(|found| found.is_some())
}

/// The session's mailbox, made with its folders where it was never used.
pub(crate) fn open(db: &Connection, session: &Session) -> Outcome<MailboxKey> {
    if let Some(found) = find(db, session)? {
        return Ok(found);
    }
    let address = session.mailbox.address.to_lowercase();
    db.execute("INSERT INTO mailbox (address, change) VALUES (?1, 0)", [address])?;
    let mailbox = MailboxKey(db.last_insert_rowid());
    let mut made: Vec<(&str, FolderKey)> = Vec::new();
    for folder in distinguished::ALL {
        let parent = made.iter().find(|(id, _)| *id == folder.parent).map(|(_, key)| *key);
        let change = count_change(db, mailbox)?;
        let key = folder::insert_distinguished(db, mailbox, parent, folder, change, session.now)?;
        made.push((folder.id, key));
    }
    Ok(mailbox)
}

impl Visit<'_> {
    /// The number of a further change of the mailbox.
    pub(crate) fn next_change(&self) -> Outcome<ChangeNumber> {
        Ok(count_change(self.db, self.mailbox)?)
    }

    /// The number of the mailbox's last change.
    pub(crate) fn last_change(&self) -> Outcome<ChangeNumber> {
        let mut statement = self.db.prepare_cached("SELECT change FROM mailbox WHERE id = ?1")?;
        Ok(ChangeNumber(statement.query_row([self.mailbox.0], |row| row.get(0))?))
    }
}

fn find(db: &Connection, session: &Session) -> rusqlite::Result<Option<MailboxKey>> {
    let mut statement = db.prepare_cached("SELECT id FROM mailbox WHERE address = ?1")?;
    statement.query_row([session.mailbox.address.to_lowercase()], |row| row.get(0).map(MailboxKey)).optional()
}

fn count_change(db: &Connection, mailbox: MailboxKey) -> rusqlite::Result<ChangeNumber> {
    let mut statement =
        db.prepare_cached("UPDATE mailbox SET change = change + 1 WHERE id = ?1 RETURNING change")?;
    statement.query_row(params![mailbox.0], |row| row.get(0).map(ChangeNumber))
}
