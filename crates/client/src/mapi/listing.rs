//! Lists of folders and of messages.

use std::ops::Range;

use weir_units::WallTime;
use weir_wire::mapi::call::Call;
use weir_wire::mapi::call::folder::{GetContentsTable, GetHierarchyTable, OpenFolder};
use weir_wire::mapi::call::table::{QueryRows, SeekRow, SetColumns, SortTable};
use weir_wire::mapi::property::{PropertyTag, tag};
use weir_wire::mapi::reply::Success;
use weir_wire::mapi::row::Cell;
use weir_wire::mapi::sort::{SortOrder, SortOrders};

use super::batch::Batch;
use super::cells;
use super::client::MapiClient;
use super::error::MapiError;
use super::mailbox::Mailbox;
use super::replies;

/// The most rows that are asked for at a time. A server gives fewer where they have no room.
const PAGE: u16 = 256;

/// The most folders that are listed.
pub const MAX_FOLDERS: u32 = 100_000;

/// The flag of a message that is read.
const READ: i64 = 1;

/// A folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// Its identifier.
    pub id: u64,
    /// How deep it is in the tree; 0 is at the top.
    pub depth: u32,
    /// Its name.
    pub name: String,
    /// How many messages it has.
    pub messages: u32,
    /// How many of them are unread.
    pub unread: u32,
}

/// What a list of messages shows of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageSummary {
    /// Its identifier.
    pub id: u64,
    /// When it arrived, or else was last changed.
    pub time: Option<WallTime>,
    /// Whom it is from.
    pub from: String,
    /// Its subject.
    pub subject: String,
    /// How many bytes it has.
    pub size: u64,
    /// Whether it is read.
    pub read: bool,
}

/// Some rows of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    /// How many rows the table has in all.
    pub total: u32,
    /// Those that were asked for, as far as there are so many.
    pub rows: Vec<T>,
}

impl MapiClient {
    /// All folders that people see, each behind the one that it is in.
    ///
    /// # Errors
    ///
    /// See [`MapiClient::execute`].
    pub async fn folders(&mut self, mailbox: &Mailbox) -> Result<Vec<Folder>, MapiError> {
        let columns =
            [tag::FOLDER_ID, tag::DEPTH, tag::DISPLAY_NAME, tag::CONTENT_COUNT, tag::CONTENT_UNREAD_COUNT];
        let flags = GetHierarchyTable::DEPTH | GetHierarchyTable::UNICODE;
        let view = View {
            folder: mailbox.folders.ipm_subtree,
            open: |input, output| GetHierarchyTable { input, output, flags }.into(),
            columns: &columns,
            order: None,
        };
        let page = self.page(mailbox, &view, 0..MAX_FOLDERS).await?;
        // Servers begin to count depth at 0 or at 1.
        let top = page.rows.iter().map(|row| cells::count(row, 1)).min().unwrap_or(0);
        let folder = |row: &Vec<Cell>| Folder {
            id: cells::id(row, 0),
            depth: cells::count(row, 1).saturating_sub(top),
            name: cells::text(row, 2),
            messages: cells::count(row, 3),
            unread: cells::count(row, 4),
        };
        Ok(page.rows.iter().map(folder).collect())
    }

    /// Some of a folder's messages, the newest first.
    ///
    /// # Errors
    ///
    /// Where there is no such folder, or the user may not open it; and see [`MapiClient::execute`].
    pub async fn messages(
        &mut self,
        mailbox: &Mailbox,
        folder: u64,
        range: Range<u32>,
    ) -> Result<Page<MessageSummary>, MapiError> {
        let columns = [
            tag::MID,
            tag::MESSAGE_DELIVERY_TIME,
            tag::LAST_MODIFICATION_TIME,
            tag::SENT_REPRESENTING_NAME,
            tag::SUBJECT,
            tag::MESSAGE_SIZE,
            tag::MESSAGE_FLAGS,
        ];
        let page = self.contents(mailbox, folder, &columns, range).await?;
        let summary = |row: &Vec<Cell>| MessageSummary {
            id: cells::id(row, 0),
            time: cells::time(row, 1).or_else(|| cells::time(row, 2)),
            from: cells::text(row, 3),
            subject: cells::text(row, 4),
            size: cells::number(row, 5).and_then(|size| size.try_into().ok()).unwrap_or(0),
            read: cells::number(row, 6).is_some_and(|flags| flags & READ != 0),
        };
        Ok(Page { total: page.total, rows: page.rows.iter().map(summary).collect() })
    }

    /// Any columns of some of a folder's messages, the newest first.
    ///
    /// # Errors
    ///
    /// See [`MapiClient::messages`].
    pub async fn contents(
        &mut self,
        mailbox: &Mailbox,
        folder: u64,
        columns: &[PropertyTag],
        range: Range<u32>,
    ) -> Result<Page<Vec<Cell>>, MapiError> {
        let flags = GetContentsTable::UNICODE;
        let view = View {
            folder,
            open: |input, output| GetContentsTable { input, output, flags }.into(),
            columns,
            order: Some(SortOrder::descending(tag::MESSAGE_DELIVERY_TIME)),
        };
        self.page(mailbox, &view, range).await
    }

    async fn page<O: Fn(u8, u8) -> Call>(
        &mut self,
        mailbox: &Mailbox,
        view: &View<'_, O>,
        range: Range<u32>,
    ) -> Result<Page<Vec<Cell>>, MapiError> {
        let folder = self.take_place()?;
        let table = self.take_place().inspect_err(|_| self.session.free_place(folder))?;
        let page = self.rows(mailbox, view, [folder, table], range).await;
        let closed = self.close(mailbox.logon(), &[table, folder]).await;
        let page = page?;
        closed.map(|()| page)
    }

    /// Opens folder and table at these places, where they stay, and reads rows.
    async fn rows<O: Fn(u8, u8) -> Call>(
        &mut self,
        mailbox: &Mailbox,
        view: &View<'_, O>,
        [folder, table]: [u8; 2],
        range: Range<u32>,
    ) -> Result<Page<Vec<Cell>>, MapiError> {
        let wanted = range.end.saturating_sub(range.start);
        let mut batch = view.batch(mailbox, [folder, table]);
        if range.start > 0 {
            let rows = i32::try_from(range.start).unwrap_or(i32::MAX);
            batch.push(SeekRow { input: table, origin: SeekRow::BEGINNING, rows, want_moved: false });
        }
        batch.push(query(table, wanted));
        let mut page = Page { total: 0, rows: Vec::new() };
        loop {
            let before = page.rows.len();
            for success in replies::successes("list that folder", self.execute(batch).await?)? {
                if let Success::GetHierarchyTable(table) | Success::GetContentsTable(table) = success {
                    page.total = table.rows;
                } else if let Success::QueryRows(query) = success {
                    page.rows.extend(query.rows);
                }
            }
            let left = wanted.saturating_sub(u32::try_from(page.rows.len()).unwrap_or(u32::MAX));
            // A table that has no more rows gives none.
            if page.rows.len() == before || left == 0 {
                return Ok(page);
            }
            batch = Batch::new(mailbox.logon()).with(query(table, left));
        }
    }
}

/// A table of a folder, and what of it is to be seen.
struct View<'a, O> {
    folder: u64,
    /// Opens the table of the folder at the first place, at the second.
    open: O,
    columns: &'a [PropertyTag],
    order: Option<SortOrder>,
}

impl<O: Fn(u8, u8) -> Call> View<'_, O> {
    /// Opens folder and table at these places.
    fn batch(&self, mailbox: &Mailbox, [folder, table]: [u8; 2]) -> Batch {
        let mut batch = Batch::new(mailbox.logon());
        batch.push(OpenFolder { input: mailbox.place(), output: folder, folder: self.folder, mode: 0 });
        batch.push((self.open)(folder, table));
        batch.push(SetColumns { input: table, flags: 0, columns: self.columns.to_vec() });
        if let Some(order) = self.order.clone() {
            let orders = SortOrders { orders: vec![order], ..SortOrders::default() };
            batch.push(SortTable { input: table, flags: 0, orders });
        }
        batch
    }
}

fn query(table: u8, most: u32) -> QueryRows {
    let count = u16::try_from(most).unwrap_or(u16::MAX).min(PAGE);
    QueryRows { input: table, flags: 0, forward: true, count }
}
