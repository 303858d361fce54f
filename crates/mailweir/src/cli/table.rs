//! Plain, aligned tables for people.

/// Rows under headings, two spaces between columns, no blanks at the ends of lines.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these `headings`.
    pub(crate) fn new(headings: &[&str]) -> Self {
        Self { rows: vec![headings.iter().map(|heading| (*heading).to_owned()).collect()] }
    }

    /// A table without headings.
    pub(crate) fn headless() -> Self {
        Self { rows: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.row_of(cells);
    }

    /// Adds a row of as many cells as there are.
    pub(crate) fn row_of(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| plain(&cell)).collect());
    }

    /// The table as text, a line a row; `empty` where there is none.
    pub(crate) fn text_or(&self, empty: &str) -> String {
        if self.rows.len() > 1 { self.text() } else { format!("{empty}\n") }
    }

    /// The table as text, a line a row; an empty one is nothing at all.
    pub(crate) fn text_or_nothing(&self) -> String {
        if self.rows.len() > 1 { self.text() } else { String::new() }
    }

    /// The table as text, a line a row.
    pub(crate) fn text(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            self.rows.iter().filter_map(|row| row.get(column)).map(|cell| letters(cell)).max()
        };
        let widths: Vec<usize> = (0..columns).filter_map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                line.push_str(cell);
                line.extend(std::iter::repeat_n(' ', width.saturating_sub(letters(cell)) + 2));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

/// The cell on one line: what would break the table is written as its escape, so that a name that somebody chose
/// cannot pretend to be a row or steer a terminal.
fn plain(cell: &str) -> String {
    let mut text = String::with_capacity(cell.len());
    for letter in cell.chars() {
        if letter.is_control() {
            text.extend(letter.escape_default());
        } else {
            text.push(letter);
        }
    }
    text
}

/// The first `most` letters of a text; one that is longer ends in a sign that says so.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most.saturating_sub(1)) {
        Some((end, _)) if letters(text) > most => format!("{}…", text.get(..end).unwrap_or_default()),
        Some(_) | None => text.to_owned(),
    }
}

/// A text behind `start` on a page of `width` letters, at least eight of them for the text: broken at a blank or behind a
/// sign where there is one, and indented from the second line on.
pub(crate) fn wrapped(start: &str, text: &str, width: usize) -> String {
    let room = width.saturating_sub(letters(start)).max(8);
    let indent = format!("\n{}", " ".repeat(letters(start)));
    let text = plain(text);
    let mut rest: Vec<char> = text.chars().collect();
    let mut lines = Vec::new();
    while rest.len() > room {
        let head = rest.get(..room).unwrap_or_default();
        let place = head
            .iter()
            .rposition(|letter| matches!(letter, ' ' | ';' | ',' | ':'))
            .map_or(room, |place| place + 1);
        lines.push(rest.drain(..place).collect::<String>().trim_end().to_owned());
    }
    lines.push(rest.into_iter().collect());
    format!("{start}{}", lines.join(&indent))
}

fn letters(cell: &str) -> usize {
    cell.chars().count()
}
