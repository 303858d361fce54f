//! What a server that is not ours answered, as far as a budget must know, learned while the answer passes.
//!
//! A subscription counts until it ends (T7), so its name and the errors that say it is gone must be read; a search
//! that ran out of time is worth a line in the log. [`Outcome`] reads the response codes and the first subscription's
//! name out of a copy of the bytes and keeps nothing else. It knows elements by their local names and their depth, and
//! learns no more from where on the answer cannot be read.

use super::scan::{ScanLimits, Scanner, Token, text};

/// Response codes that are kept of one answer: more steps than a client puts into one request.
const CODES: usize = 1000;
/// Bytes of a response code or a subscription's name.
const TEXT: usize = 4 << 10;

/// What the text of the open element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Code,
    Fault,
    Subscription,
}

/// Reads what was answered out of the pieces of an answer.
///
/// ```
/// let mut outcome = weir_wire::ews::outcome::Outcome::default();
/// outcome.feed(b"<Envelope><Body><SubscribeResponse><ResponseMessages><SubscribeResponseMessage><Respon");
/// outcome.feed(b"seCode>NoError</ResponseCode><SubscriptionId>abc</SubscriptionId>");
/// assert_eq!(outcome.codes(), ["NoError"]);
/// assert_eq!(outcome.subscription(), Some("abc"));
/// ```
#[derive(Debug)]
pub struct Outcome {
    /// None once the answer can be read no further.
    scanner: Option<Scanner>,
    wanted: Option<(Wanted, usize)>,
    holds: Vec<u8>,
    codes: Vec<String>,
    fault: Option<String>,
    subscription: Option<String>,
}

impl Default for Outcome {
    fn default() -> Self {
        Self {
            scanner: Some(Scanner::new(ScanLimits::default())),
            wanted: None,
            holds: Vec::new(),
            codes: Vec::new(),
            fault: None,
            subscription: None,
        }
    }
}

impl Outcome {
    /// Takes the next piece of the answer, of any size.
    pub fn feed(&mut self, mut piece: &[u8]) {
        let Some(mut scanner) = self.scanner.take() else { return };
        loop {
            match scanner.next(&mut piece) {
                Ok(Some(Token::Bytes(bytes))) => self.bytes(bytes),
                Ok(Some(Token::Start { tag, depth, .. })) => {
                    self.bytes(tag.raw().as_bytes());
                    if self.wanted.is_none() && !tag.is_empty() {
                        self.wanted = wanted(depth, tag.local()).map(|wanted| (wanted, depth));
                    }
                }
                Ok(Some(Token::End { raw, depth, .. })) => match self.wanted {
                    Some((wanted, opened)) if opened == depth => self.learn(wanted),
                    Some(_) | None => self.bytes(raw.as_bytes()),
                },
                Ok(None) => break,
                Err(_) => return,
            }
        }
        self.scanner = Some(scanner);
    }

    /// The codes of the response messages so far, in order: `NoError`, `ErrorSubscriptionNotFound` …
    pub fn codes(&self) -> &[String] {
        &self.codes
    }

    /// The code of the fault, where the answer is one.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// The name of the first subscription that a response message tells of.
    pub fn subscription(&self) -> Option<&str> {
        self.subscription.as_deref()
    }

    fn bytes(&mut self, bytes: &[u8]) {
        if self.wanted.is_some() && self.holds.len() < TEXT {
            let room = TEXT.saturating_sub(self.holds.len());
            self.holds.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        }
    }

    fn learn(&mut self, wanted: Wanted) {
        let said = if self.holds.len() < TEXT { text(&self.holds) } else { None };
        self.holds.clear();
        self.wanted = None;
        let Some(said) = said else { return };
        match wanted {
            Wanted::Code if self.codes.len() < CODES => self.codes.push(said),
            Wanted::Code => {}
            Wanted::Fault => self.fault = Some(said),
            Wanted::Subscription => {
                self.subscription.get_or_insert(said);
            }
        }
    }
}

/// What the text of an element within `depth` others is.
fn wanted(depth: usize, name: &str) -> Option<Wanted> {
    match (depth, name) {
        (5, "ResponseCode") => Some(Wanted::Code),
        (5, "SubscriptionId") => Some(Wanted::Subscription),
        (4, "ResponseCode") => Some(Wanted::Fault),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
