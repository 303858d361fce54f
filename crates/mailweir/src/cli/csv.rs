//! Comma-separated values as RFC 4180 describes them, read exactly.
//!
//! A field in quotes may hold commas, line breaks and doubled quotes. Records end with CRLF or LF; the last one may end
//! with the file. What spreadsheets add is taken: a byte order mark, and lines with nothing on them. Anything else that
//! the RFC does not describe is a mistake with its line – a quote in the middle of a field, text behind a closing quote,
//! a quote that never closes –, because guessing could give somebody's password to somebody else.

/// One record: its fields, and the line that it begins on, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) line: usize,
    pub(super) fields: Vec<String>,
}

/// What is no comma-separated list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Malformed {
    /// The line it is on.
    pub(super) line: usize,
    /// What is wrong, and what to do.
    pub(super) why: &'static str,
}

const UNCLOSED: &str = "a quote opens here and never closes; a quote that is meant is written twice, as \"\"";
const QUOTE_WITHIN: &str =
    "a quote within a field; put the whole field in quotes, and write a quote that is meant twice, as \"\"";
const BEHIND: &str = "text behind a closing quote; a quote that is meant is written twice, as \"\"";

/// The records of `text`, in their order, without empty lines.
pub(super) fn records(text: &str) -> Result<Vec<Record>, Malformed> {
    let mut reader = Reader { rest: text.strip_prefix('\u{feff}').unwrap_or(text), line: 1 };
    let mut records = Vec::new();
    while !reader.rest.is_empty() {
        let record = reader.record()?;
        if record.fields.iter().any(|field| !field.is_empty()) || record.fields.len() > 1 {
            records.push(record);
        }
    }
    Ok(records)
}

struct Reader<'t> {
    rest: &'t str,
    line: usize,
}

/// What ended a field.
#[derive(PartialEq, Eq)]
enum End {
    Comma,
    Line,
}

impl Reader<'_> {
    fn record(&mut self) -> Result<Record, Malformed> {
        let (line, mut fields) = (self.line, Vec::new());
        loop {
            fields.push(if self.take("\"") { self.quoted()? } else { self.plain()? });
            if self.end()? == End::Line {
                return Ok(Record { line, fields });
            }
        }
    }

    /// A field without quotes, up to what ends it.
    fn plain(&mut self) -> Result<String, Malformed> {
        let length = self.rest.find([',', '\n', '"']).unwrap_or(self.rest.len());
        let (field, rest) = self.rest.split_at(length);
        if rest.starts_with('"') {
            return Err(self.malformed(QUOTE_WITHIN));
        }
        // The carriage return belongs to the line's end.
        let field = if rest.starts_with(',') { field } else { field.strip_suffix('\r').unwrap_or(field) };
        let field = field.to_owned();
        self.rest = rest;
        Ok(field)
    }

    /// A field behind its opening quote, up to its closing one.
    fn quoted(&mut self) -> Result<String, Malformed> {
        let (unclosed, mut field) = (self.malformed(UNCLOSED), String::new());
        loop {
            let (part, rest) = self.rest.split_once('"').ok_or_else(|| unclosed.clone())?;
            self.line += part.matches('\n').count();
            field.push_str(part);
            self.rest = rest;
            if !self.take("\"") {
                return Ok(field);
            }
            field.push('"');
        }
    }

    /// What ends a field.
    fn end(&mut self) -> Result<End, Malformed> {
        if self.take(",") {
            return Ok(End::Comma);
        }
        if self.take("\r\n") || self.take("\n") {
            self.line += 1;
            return Ok(End::Line);
        }
        if self.rest.is_empty() { Ok(End::Line) } else { Err(self.malformed(BEHIND)) }
    }

    fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    const fn malformed(&self, why: &'static str) -> Malformed {
        Malformed { line: self.line, why }
    }
}

#[cfg(test)]
mod tests;
