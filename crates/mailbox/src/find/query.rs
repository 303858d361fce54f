//! Full-text queries: the basics of Advanced Query Syntax, as SQL.
//!
//! Words and quoted phrases, `subject:`, `from:`, `to:`, `body:` before them, `hasattachment:` and `isread:` with
//! yes or no, `AND`, `OR`, `NOT` in capitals and parentheses; words side by side must all be there. A word also finds
//! longer words that begin with it. Each term becomes a look-up of its own in the full-text index, so nothing a client
//! writes is read as the index's query language.

use rusqlite::types::Value as Sql;

use super::compile::Clause;
use crate::server::{Failure, Outcome};

/// The longest query that is read, in bytes.
const MAX_BYTES: usize = 4096;
/// The most terms in one query.
const MAX_TERMS: usize = 64;
/// How deep parentheses and negations may be nested.
const MAX_DEPTH: usize = 32;

/// The query as an expression over a row of `item`; none where the query is empty.
///
/// # Errors
/// `ErrorInvalidArgument` where the query is too long or its parentheses do not match.
pub(crate) fn compile(query: &str) -> Outcome<Option<Clause>> {
    let tokens = tokens(query)?;
    if tokens.is_empty() {
        return Ok(None);
    }
    let mut reader = Reader { tokens: &tokens, clause: Clause::default() };
    reader.any_of(0)?;
    if !reader.tokens.is_empty() {
        return Err(malformed());
    }
    Ok(Some(reader.clause))
}

#[derive(Debug, PartialEq)]
enum Token {
    Open,
    Close,
    And,
    Or,
    Not,
    Term(Term),
}

#[derive(Debug, PartialEq)]
struct Term {
    /// The part of a message before the colon, in lower case.
    part: Option<String>,
    words: String,
    is_phrase: bool,
}

fn tokens(query: &str) -> Outcome<Vec<Token>> {
    if query.len() > MAX_BYTES {
        return Err(malformed());
    }
    let (mut found, mut rest, mut terms) = (Vec::new(), query.trim_start(), 0);
    while let Some(first) = rest.chars().next() {
        let (token, after) = match first {
            '(' => (Token::Open, rest.get(1..)),
            ')' => (Token::Close, rest.get(1..)),
            _ => term(rest),
        };
        terms += usize::from(matches!(token, Token::Term(_)));
        if terms > MAX_TERMS {
            return Err(malformed());
        }
        found.push(token);
        rest = after.unwrap_or_default().trim_start();
    }
    Ok(found)
}

/// The term at the beginning of `text`, and what follows it.
fn term(text: &str) -> (Token, Option<&str>) {
    let ends = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '"');
    let end = text.find(ends).unwrap_or(text.len());
    let (word, after) = text.split_at(end);
    let (part, word) = match word.split_once(':') {
        Some((part, word)) if is_part(part) => (Some(part.to_lowercase()), word),
        _ => (None, word),
    };
    if word.is_empty()
        && let Some(quoted) = after.strip_prefix('"')
    {
        let (words, after) = quoted.split_once('"').unwrap_or((quoted, ""));
        return (Token::Term(Term { part, words: words.to_owned(), is_phrase: true }), Some(after));
    }
    let token = match (word, &part) {
        ("AND", None) => Token::And,
        ("OR", None) => Token::Or,
        ("NOT", None) => Token::Not,
        _ => Token::Term(Term { part, words: word.to_owned(), is_phrase: false }),
    };
    (token, Some(after))
}

fn is_part(name: &str) -> bool {
    [
        "subject",
        "from",
        "to",
        "cc",
        "participants",
        "body",
        "hasattachment",
        "hasattachments",
        "isread",
        "kind",
    ]
    .iter()
    .any(|known| known.eq_ignore_ascii_case(name))
}

struct Reader<'t> {
    tokens: &'t [Token],
    clause: Clause,
}

impl Reader<'_> {
    fn any_of(&mut self, depth: usize) -> Outcome<()> {
        self.clause.sql.push('(');
        self.all_of(depth)?;
        while self.take(&Token::Or) {
            self.clause.sql.push_str(" OR ");
            self.all_of(depth)?;
        }
        self.clause.sql.push(')');
        Ok(())
    }

    fn all_of(&mut self, depth: usize) -> Outcome<()> {
        self.one(depth)?;
        while !matches!(self.tokens.first(), None | Some(Token::Close | Token::Or)) {
            self.take(&Token::And);
            self.clause.sql.push_str(" AND ");
            self.one(depth)?;
        }
        Ok(())
    }

    fn one(&mut self, depth: usize) -> Outcome<()> {
        if depth > MAX_DEPTH {
            return Err(malformed());
        }
        let Some((first, rest)) = self.tokens.split_first() else { return Err(malformed()) };
        self.tokens = rest;
        match first {
            Token::Not => {
                self.clause.sql.push_str("NOT ");
                self.one(depth + 1)
            }
            Token::Open => {
                self.any_of(depth + 1)?;
                if self.take(&Token::Close) { Ok(()) } else { Err(malformed()) }
            }
            Token::Term(term) => {
                self.term(term);
                Ok(())
            }
            Token::Close | Token::And | Token::Or => Err(malformed()),
        }
    }

    fn term(&mut self, term: &Term) {
        let yes = matches!(term.words.to_lowercase().as_str(), "yes" | "true" | "1");
        let columns = match term.part.as_deref() {
            Some("hasattachment" | "hasattachments") => return self.flag("item.has_attachments = ", yes),
            Some("isread") => return self.flag("item.is_read = ", yes),
            Some("kind") => return self.kind(&term.words),
            Some("subject") => "{subject} : ",
            Some("from") => "{author} : ",
            Some("to" | "cc") => "{recipients} : ",
            Some("participants") => "{author recipients} : ",
            Some("body") => "{body} : ",
            Some(_) | None => "",
        };
        let quoted = term.words.trim_end_matches('*').replace('"', "\"\"");
        let prefix = if term.is_phrase { "" } else { " *" };
        self.clause.sql.push_str("item.id IN (SELECT rowid FROM search WHERE search MATCH ");
        self.clause.bind(Sql::Text(format!("{columns}\"{quoted}\"{prefix}")));
        self.clause.sql.push(')');
    }

    fn flag(&mut self, column: &str, yes: bool) {
        self.clause.sql.push_str(column);
        self.clause.bind(Sql::Integer(i64::from(yes)));
    }

    fn kind(&mut self, word: &str) {
        let class = match word.to_lowercase().as_str() {
            "email" | "mail" => "IPM.Note",
            "meetings" | "meeting" => "IPM.Schedule.Meeting",
            "contacts" | "contact" => "IPM.Contact",
            "tasks" | "task" => "IPM.Task",
            "notes" | "note" => "IPM.StickyNote",
            _ => "IPM.",
        };
        self.clause.sql.push_str("substr(item.class, 1, length(?");
        self.clause.values.push(Sql::Text(class.to_owned()));
        self.clause.sql.push_str(")) = ");
        self.clause.bind(Sql::Text(class.to_owned()));
    }

    fn take(&mut self, token: &Token) -> bool {
        match self.tokens.split_first() {
            Some((first, rest)) if first == token => {
                self.tokens = rest;
                true
            }
            _ => false,
        }
    }
}

fn malformed() -> Failure {
    Failure::told(
        "ErrorInvalidArgument",
        "The query string is too long, or its operators or parentheses do not match.",
    )
}

#[cfg(test)]
mod tests;
