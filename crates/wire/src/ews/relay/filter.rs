//! Where in the answer the last tag lies, and what becomes of its bytes.

use std::mem;

use super::{Decision, Event, Keep, RelayLimits, RootFolder, replace, root_folder};
use crate::ews::response::ErrorMessage;
use crate::ews::scan::Tag;
use crate::ews::xml::Malformed;

/// How many elements are open around a response message.
const MESSAGE: usize = 4;
/// How many elements are open around its `RootFolder`.
const FOLDER: usize = 5;
/// How many elements are open around a `RootFolder`'s list, and around that of one of its groups.
const LISTS: [usize; 2] = [6, 8];

/// What becomes of the bytes that come.
#[derive(Debug)]
enum Stage {
    /// They pass.
    Passing,
    /// They are the head of a message, and are held.
    Head,
    /// None may come: the folder, of this tag, waits for its decision.
    Asking { folder: RootFolder, tag: String, empty: bool },
    /// They are held until the entries are counted.
    Counting { most: u32, error: ErrorMessage },
    /// They pass, and the entries are counted for the caller's sake alone: they became too many to be held.
    Overflown,
    /// They pass or are dropped, entry by entry.
    Keeping { skip: u32, entries: u32, dropping: bool },
    /// They are dropped: an error stands for their message.
    Replaced,
}

/// Sends bytes on, holds or drops them.
#[derive(Debug)]
pub(super) struct Filter {
    limits: RelayLimits,
    stage: Stage,
    /// How many of the elements around the last tag are those of an answer to a find, from the root on.
    matched: usize,
    /// How many elements are open around an entry, within a list of entries.
    entries_at: Option<usize>,
    /// How many response messages have begun.
    messages: u32,
    /// The start tag of the message that is held.
    message: String,
    held: Vec<u8>,
    /// How many entries the folder had so far.
    counted: u32,
    /// How many entries have passed in all.
    passed: u32,
    event: Option<Event>,
}

impl Filter {
    pub(super) const fn new(limits: RelayLimits) -> Self {
        Self {
            limits,
            stage: Stage::Passing,
            matched: 0,
            entries_at: None,
            messages: 0,
            message: String::new(),
            held: Vec::new(),
            counted: 0,
            passed: 0,
            event: None,
        }
    }

    /// What the caller should know before any more bytes come.
    pub(super) fn event(&mut self) -> Option<Event> {
        match &self.stage {
            Stage::Asking { folder, .. } => Some(Event::Folder(*folder)),
            Stage::Passing
            | Stage::Head
            | Stage::Counting { .. }
            | Stage::Overflown
            | Stage::Keeping { .. }
            | Stage::Replaced => self.event.take(),
        }
    }

    pub(super) const fn entries(&self) -> u32 {
        self.passed
    }

    pub(super) fn held(&self) -> usize {
        match &self.stage {
            Stage::Asking { tag, .. } => self.held.len().saturating_add(tag.len()),
            Stage::Passing
            | Stage::Head
            | Stage::Counting { .. }
            | Stage::Overflown
            | Stage::Keeping { .. }
            | Stage::Replaced => self.held.len(),
        }
    }

    /// Bytes that belong to no tag, or to one that does not matter.
    pub(super) fn bytes(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        match &self.stage {
            Stage::Passing | Stage::Overflown | Stage::Keeping { dropping: false, .. } => {
                out.extend_from_slice(bytes);
            }
            Stage::Head | Stage::Asking { .. } | Stage::Counting { .. } => self.hold(bytes, out),
            Stage::Keeping { dropping: true, .. } | Stage::Replaced => {}
        }
    }

    /// A start tag within `depth` elements.
    ///
    /// # Errors
    /// [`Malformed`] where a tag that matters cannot be taken apart; it has gone the way of the others.
    pub(super) fn start(&mut self, tag: Tag<'_>, depth: usize, out: &mut Vec<u8>) -> Result<(), Malformed> {
        let expected = depth == self.matched && is_expected(depth, tag.local());
        if expected && depth == MESSAGE {
            return self.message(tag, out);
        }
        if expected && depth == FOLDER {
            return self.folder(tag, out);
        }
        if self.entries_at == Some(depth) {
            self.entry(tag, out);
            return Ok(());
        }
        if expected && !tag.is_empty() {
            self.matched = depth.saturating_add(1);
        } else if depth == self.matched && LISTS.contains(&depth) && is_list(tag) {
            self.entries_at = Some(depth.saturating_add(1));
        }
        self.bytes(tag.raw().as_bytes(), out);
        Ok(())
    }

    /// An end tag within `depth` elements.
    pub(super) fn end(&mut self, raw: &str, depth: usize, out: &mut Vec<u8>) {
        self.matched = self.matched.min(depth);
        let in_entry = self.entries_at == Some(depth);
        self.entries_at = self.entries_at.filter(|entries_at| *entries_at <= depth);
        self.bytes(raw.as_bytes(), out);
        if let Stage::Keeping { dropping, .. } = &mut self.stage {
            *dropping &= !in_entry;
        }
        match depth {
            MESSAGE => self.message_ends(out),
            FOLDER => self.folder_ends(out),
            _ => {}
        }
    }

    pub(super) fn decide(&mut self, decision: Decision, out: &mut Vec<u8>) {
        let Stage::Asking { tag, empty, .. } = mem::replace(&mut self.stage, Stage::Passing) else { return };
        // What an attribute is set to can always be written: the tag was taken apart before.
        let or_as_it_was = |changed: Result<String, Malformed>| changed.unwrap_or_else(|_| tag.clone());
        match decision {
            Decision::Pass => self.release(tag.as_bytes(), out),
            Decision::Unpaged => self.release(or_as_it_was(root_folder::unpaged(&tag)).as_bytes(), out),
            Decision::Keep(Keep { skip, entries, next }) => {
                self.release(or_as_it_was(root_folder::cut(&tag, next)).as_bytes(), out);
                self.stage = Stage::Keeping { skip, entries, dropping: false };
            }
            Decision::Hold { most, error, unpaged } => {
                let tag = if unpaged { or_as_it_was(root_folder::unpaged(&tag)) } else { tag };
                self.stage = Stage::Counting { most, error };
                self.hold(tag.as_bytes(), out);
            }
            Decision::TooMany(error) => self.replace(&error, out),
        }
        if empty {
            self.folder_ends(out);
        }
    }

    /// Gives out what is held because nothing more can be read; says whether what follows may pass too.
    pub(super) fn let_go(&mut self, out: &mut Vec<u8>) -> bool {
        self.release(b"", out);
        match &self.stage {
            Stage::Asking { tag, .. } => out.extend_from_slice(tag.as_bytes()),
            Stage::Passing | Stage::Head | Stage::Counting { .. } | Stage::Overflown => {}
            Stage::Keeping { .. } | Stage::Replaced => return false,
        }
        self.stage = Stage::Passing;
        true
    }

    /// A response message begins. Its head is held unless it is an error already.
    fn message(&mut self, tag: Tag<'_>, out: &mut Vec<u8>) -> Result<(), Malformed> {
        self.messages = self.messages.saturating_add(1);
        let class = tag.attribute("ResponseClass");
        let is_error = matches!(&class, Ok(Some(class)) if class.value.trim() == "Error");
        if class.is_ok() && !is_error && !tag.is_empty() {
            self.matched = FOLDER;
            self.stage = Stage::Head;
            tag.raw().clone_into(&mut self.message);
        }
        self.bytes(tag.raw().as_bytes(), out);
        class.map(|_| ())
    }

    /// A folder begins: the caller decides on it, unless its message could not be held.
    fn folder(&mut self, tag: Tag<'_>, out: &mut Vec<u8>) -> Result<(), Malformed> {
        let folder = RootFolder::read(tag, self.messages.saturating_sub(1));
        match (&self.stage, folder) {
            (Stage::Head, Ok(folder)) => {
                self.counted = 0;
                if !tag.is_empty() {
                    self.matched = FOLDER.saturating_add(1);
                }
                self.stage = Stage::Asking { folder, tag: tag.raw().to_owned(), empty: tag.is_empty() };
                Ok(())
            }
            (_, folder) => {
                self.bytes(tag.raw().as_bytes(), out);
                folder.map(|_| ())
            }
        }
    }

    /// An entry begins.
    fn entry(&mut self, tag: Tag<'_>, out: &mut Vec<u8>) {
        self.counted = self.counted.saturating_add(1);
        match &mut self.stage {
            Stage::Keeping { skip, entries, dropping } => {
                let keeps = *skip == 0 && *entries > 0;
                if keeps {
                    *entries = entries.saturating_sub(1);
                } else {
                    *skip = skip.saturating_sub(1);
                }
                *dropping = !keeps;
            }
            Stage::Counting { most, error } if self.counted > *most => {
                let error = error.clone();
                self.event = Some(Event::Counted { index: self.messages.saturating_sub(1), entries: None });
                self.replace(&error, out);
            }
            Stage::Passing
            | Stage::Head
            | Stage::Asking { .. }
            | Stage::Counting { .. }
            | Stage::Overflown
            | Stage::Replaced => {}
        }
        match &mut self.stage {
            Stage::Keeping { dropping, .. } if *dropping => *dropping = !tag.is_empty(),
            Stage::Replaced => {}
            Stage::Counting { .. } => self.bytes(tag.raw().as_bytes(), out),
            Stage::Passing
            | Stage::Head
            | Stage::Asking { .. }
            | Stage::Overflown
            | Stage::Keeping { .. } => {
                self.passed = self.passed.saturating_add(1);
                self.bytes(tag.raw().as_bytes(), out);
            }
        }
    }

    /// The end tag of a folder has passed, or the tag of one that is empty.
    fn folder_ends(&mut self, out: &mut Vec<u8>) {
        match &self.stage {
            Stage::Counting { .. } | Stage::Overflown => {
                let index = self.messages.saturating_sub(1);
                self.event = Some(Event::Counted { index, entries: Some(self.counted) });
                self.release(b"", out);
                self.stage = Stage::Passing;
            }
            Stage::Keeping { .. } => self.stage = Stage::Passing,
            Stage::Passing | Stage::Head | Stage::Asking { .. } | Stage::Replaced => {}
        }
    }

    /// The end tag of a message has passed.
    fn message_ends(&mut self, out: &mut Vec<u8>) {
        self.release(b"", out);
        self.stage = Stage::Passing;
    }

    /// The error goes on, and nothing else of the message.
    fn replace(&mut self, error: &ErrorMessage, out: &mut Vec<u8>) {
        if let Ok(tag) = Tag::new(&self.message) {
            replace::push_error(out, tag, error);
        }
        self.held = Vec::new();
        self.stage = Stage::Replaced;
    }

    /// Keeps bytes back, unless they become too many.
    fn hold(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.held.extend_from_slice(bytes);
        let (limit, beyond) = match &self.stage {
            Stage::Counting { .. } => (self.limits.held, Stage::Overflown),
            Stage::Passing
            | Stage::Head
            | Stage::Asking { .. }
            | Stage::Overflown
            | Stage::Keeping { .. }
            | Stage::Replaced => (self.limits.head, Stage::Passing),
        };
        if self.held.len() > limit {
            self.release(b"", out);
            self.stage = beyond;
        }
    }

    /// Lets what is held go on, and then `bytes`.
    fn release(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        if matches!(self.stage, Stage::Counting { .. }) {
            self.passed = self.passed.saturating_add(self.counted);
        }
        out.append(&mut self.held);
        out.extend_from_slice(bytes);
    }
}

/// Whether an element within `depth` others is one on the way to a find's entries.
fn is_expected(depth: usize, name: &str) -> bool {
    match depth {
        0 => name == "Envelope",
        1 => name == "Body",
        2 => matches!(name, "FindItemResponse" | "FindFolderResponse"),
        3 => name == "ResponseMessages",
        MESSAGE => matches!(name, "FindItemResponseMessage" | "FindFolderResponseMessage"),
        FOLDER => name == "RootFolder",
        6 => name == "Groups",
        7 => name == "GroupedItems",
        _ => false,
    }
}

/// Whether the tag begins a list of entries.
fn is_list(tag: Tag<'_>) -> bool {
    matches!(tag.local(), "Items" | "Folders") && !tag.is_empty()
}
