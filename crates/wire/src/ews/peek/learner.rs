//! What the tags of a request say, one after another.

use super::find::{FindRequest, FindWhat};
use super::{Asked, Delivery, Detail, Unreadable};
use crate::ews::request::Version;
use crate::ews::scan::{Tag, text};

/// What an open element means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Envelope,
    Header,
    Version,
    Impersonation,
    Identity,
    Body,
    Operation,
    Shape,
    View,
    /// A list of what the operation is about.
    List,
    Delivery(Delivery),
    /// Its text names whom the caller acts as.
    Impersonated,
    /// Its text names a subscription.
    Subscription,
    /// Its text is a number of minutes.
    Timeout,
    /// Anything else.
    Other,
}

/// Learns from each tag in turn.
#[derive(Debug, Default)]
pub(super) struct Learner {
    /// What the open elements mean, the innermost last; as deep as the scanner allows.
    open: Vec<Level>,
    /// Where the text begins that is wanted.
    text_from: usize,
    version: Version,
    impersonated: Option<String>,
    /// What is asked, as far as it is known.
    asked: Option<Asked>,
    known: bool,
    named: u32,
}

impl Learner {
    /// What is asked, once it is known.
    pub(super) const fn asked(&self) -> Option<&Asked> {
        if self.known { self.asked.as_ref() } else { None }
    }

    pub(super) const fn named(&self) -> u32 {
        self.named
    }

    /// A start tag at `at` in the document.
    pub(super) fn start(&mut self, tag: Tag<'_>, at: usize) -> Result<(), Unreadable> {
        let end = at.saturating_add(tag.raw().len());
        let parent = self.open.last().copied();
        let level = self.level(parent, tag.local());
        if parent == Some(Level::List) {
            self.named = self.named.saturating_add(1);
        }
        if !self.known {
            self.learn(level, tag, at)?;
        }
        if matches!(level, Level::Impersonated | Level::Subscription | Level::Timeout) {
            self.text_from = end;
        }
        if tag.is_empty() {
            return self.leave(level, end, b"");
        }
        self.open.push(level);
        Ok(())
    }

    /// An end tag of `length` bytes at `at`; `kept` is the document so far, unless what is asked is known.
    pub(super) fn end(&mut self, at: usize, length: usize, kept: &[u8]) -> Result<(), Unreadable> {
        let Some(level) = self.open.pop() else { return Ok(()) };
        let text = kept.get(self.text_from..at).unwrap_or_default();
        self.leave(level, at.saturating_add(length), text)
    }

    /// What an element within `parent` means.
    fn level(&self, parent: Option<Level>, name: &str) -> Level {
        match (parent, name) {
            (None, "Envelope") => Level::Envelope,
            (Some(Level::Envelope), "Header") => Level::Header,
            (Some(Level::Envelope), "Body") => Level::Body,
            (Some(Level::Header), "RequestServerVersion") => Level::Version,
            (Some(Level::Header), "ExchangeImpersonation") => Level::Impersonation,
            (Some(Level::Impersonation), "ConnectingSID") => Level::Identity,
            (Some(Level::Identity), "PrimarySmtpAddress" | "SmtpAddress" | "PrincipalName" | "SID") => {
                Level::Impersonated
            }
            (Some(Level::Body), _) if self.asked.is_none() => Level::Operation,
            (Some(Level::Operation), name) => part(name),
            (Some(Level::List), "SubscriptionId") => Level::Subscription,
            (Some(Level::Delivery(_)), "Timeout") => Level::Timeout,
            _ => Level::Other,
        }
    }

    fn learn(&mut self, level: Level, tag: Tag<'_>, at: usize) -> Result<(), Unreadable> {
        let end = at.saturating_add(tag.raw().len());
        match level {
            Level::Version => {
                let stated = tag.attribute("Version")?.map(|attribute| attribute.value);
                self.version =
                    stated.and_then(|stated| Version::from_name(stated.trim())).unwrap_or_default();
            }
            Level::Operation => self.begin(tag, end),
            Level::View => {
                if let Some(find) = self.find() {
                    find.take_view(tag, at)?;
                }
            }
            Level::Delivery(stated) => {
                if let Some(Detail::Subscribe { delivery, .. }) = self.detail() {
                    delivery.get_or_insert(stated);
                }
            }
            Level::Other if self.open.is_empty() => return Err(Unreadable::NoOperation),
            Level::Envelope
            | Level::Header
            | Level::Impersonation
            | Level::Identity
            | Level::Body
            | Level::Shape
            | Level::List
            | Level::Impersonated
            | Level::Subscription
            | Level::Timeout
            | Level::Other => {}
        }
        Ok(())
    }

    /// The operation's start tag, which ends at `end`.
    fn begin(&mut self, tag: Tag<'_>, end: usize) {
        let subscription = String::new;
        let detail = match tag.local() {
            "FindItem" => Detail::Find(FindRequest::new(FindWhat::Items, tag, end)),
            "FindFolder" => Detail::Find(FindRequest::new(FindWhat::Folders, tag, end)),
            "Subscribe" => Detail::Subscribe { delivery: None, timeout_minutes: None },
            "GetStreamingEvents" => {
                Detail::StreamingEvents { subscriptions: Vec::new(), timeout_minutes: None }
            }
            "GetEvents" => Detail::Events { subscription: subscription() },
            "Unsubscribe" => Detail::Unsubscribe { subscription: subscription() },
            _ => Detail::None,
        };
        self.known = detail == Detail::None;
        self.asked = Some(Asked {
            version: self.version,
            impersonated: self.impersonated.take(),
            operation: tag.local().to_owned(),
            detail,
        });
    }

    /// The end of an element, which lies at `end`, with what it holds.
    fn leave(&mut self, level: Level, end: usize, holds: &[u8]) -> Result<(), Unreadable> {
        if self.known {
            return Ok(());
        }
        match level {
            Level::Impersonated => {
                let name = text(holds).filter(|name| !name.is_empty());
                self.impersonated = self.impersonated.take().or(name);
            }
            Level::Subscription => self.subscription(text(holds).unwrap_or_default()),
            Level::Timeout => self.timeout(text(holds).and_then(|minutes| minutes.parse().ok())),
            Level::Shape => {
                if let Some(find) = self.find() {
                    find.shape_ends(end);
                }
            }
            Level::Operation => {
                let named = self.named;
                if let Some(find) = self.find() {
                    find.parents = named;
                }
                self.known = true;
            }
            Level::Body | Level::Envelope => return Err(Unreadable::NoOperation),
            Level::Header
            | Level::Version
            | Level::Impersonation
            | Level::Identity
            | Level::View
            | Level::List
            | Level::Delivery(_)
            | Level::Other => {}
        }
        Ok(())
    }

    fn subscription(&mut self, name: String) {
        match self.detail() {
            Some(Detail::StreamingEvents { subscriptions, .. }) => subscriptions.push(name),
            Some(Detail::Events { subscription } | Detail::Unsubscribe { subscription }) => {
                *subscription = name;
            }
            Some(Detail::None | Detail::Find(_) | Detail::Subscribe { .. }) | None => {}
        }
    }

    fn timeout(&mut self, minutes: Option<u32>) {
        if let Some(
            Detail::Subscribe { timeout_minutes, .. } | Detail::StreamingEvents { timeout_minutes, .. },
        ) = self.detail()
        {
            *timeout_minutes = minutes;
        }
    }

    fn detail(&mut self) -> Option<&mut Detail> {
        self.asked.as_mut().map(|asked| &mut asked.detail)
    }

    fn find(&mut self) -> Option<&mut FindRequest> {
        match self.detail() {
            Some(Detail::Find(find)) => Some(find),
            Some(
                Detail::None
                | Detail::Subscribe { .. }
                | Detail::StreamingEvents { .. }
                | Detail::Events { .. }
                | Detail::Unsubscribe { .. },
            )
            | None => None,
        }
    }
}

/// What a child of an operation means.
fn part(name: &str) -> Level {
    match name {
        "ItemShape" | "FolderShape" => Level::Shape,
        "IndexedPageItemView"
        | "IndexedPageFolderView"
        | "FractionalPageItemView"
        | "FractionalPageFolderView"
        | "CalendarView"
        | "ContactsView" => Level::View,
        "AttachmentIds" | "Attachments" | "FolderChanges" | "FolderIds" | "Folders" | "ItemChanges"
        | "ItemIds" | "Items" | "ParentFolderIds" | "SourceIds" | "SubscriptionIds" => Level::List,
        "PullSubscriptionRequest" => Level::Delivery(Delivery::Pull),
        "PushSubscriptionRequest" => Level::Delivery(Delivery::Push),
        "StreamingSubscriptionRequest" => Level::Delivery(Delivery::Streaming),
        "SubscriptionId" => Level::Subscription,
        "ConnectionTimeout" => Level::Timeout,
        _ => Level::Other,
    }
}
