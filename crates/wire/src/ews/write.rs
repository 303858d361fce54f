//! Responses, written piece by piece.
//!
//! [`ResponseWriter`] knows the operation, so that each step's message comes out in the shape that its schema wants:
//! first the class, the text and the code, then what the operation adds, also where a step failed. Nothing is held
//! back: what has been appended can go to the client at once (T10, T26).
//!
//! | module | writes |
//! |---|---|
//! | `markup` | tags and text |
//! | `value` | items, folders and the values of their properties |
//! | `answer` | what the operations add to a message |

mod answer;
mod markup;
#[cfg(test)]
mod tests;
mod value;

use super::fault::push_values;
use super::request::Request;
use super::response::{Answer, ErrorMessage, ResponseMessage};
use super::xml::{Namespace, push_attribute};
use markup::{close, empty, leaf, open, tag};

/// The version that we say we are: clients then speak the schema of Exchange 2010.
const SERVER_VERSION: [(&str, &str); 5] = [
    ("MajorVersion", "14"),
    ("MinorVersion", "3"),
    ("MajorBuildNumber", "123"),
    ("MinorBuildNumber", "3"),
    ("Version", "Exchange2010_SP2"),
];

/// Writes the answer to one request: [`start`](Self::start), one [`message`](Self::message) a step,
/// [`finish`](Self::finish). Each appends bytes to the caller's buffer.
///
/// ```
/// use weir_wire::ews::ResponseWriter;
/// use weir_wire::ews::request::{Request, Unsubscribe};
/// use weir_wire::ews::response::Answer;
/// let request = Request::Unsubscribe(Unsubscribe { subscription: "abc".to_owned() });
/// let (writer, mut out) = (ResponseWriter::new(&request), Vec::new());
/// writer.start(&mut out);
/// writer.message(&Ok(Answer::Done), &mut out);
/// writer.finish(&mut out);
/// assert!(String::from_utf8(out)?.contains("<m:ResponseCode>NoError</m:ResponseCode>"));
/// # Ok::<(), std::string::FromUtf8Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ResponseWriter {
    operation: &'static str,
    frame: Frame,
    /// Whether people are written with a contact (`ResolveNames`).
    full_contact: bool,
}

/// What every message of an operation holds, also where there is nothing to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    /// Nothing.
    Plain,
    /// `m:Items`.
    Items,
    /// `m:Items` and the count of conflicts.
    UpdatedItems,
    /// `m:Folders`.
    Folders,
    /// A sync state, and whether the last item is included.
    ItemSync,
    /// A sync state, and whether the last folder is included.
    FolderSync,
    /// The one message is the response itself.
    Delegates,
}

impl ResponseWriter {
    /// A writer for the answer to `request`.
    pub const fn new(request: &Request) -> Self {
        let full_contact = matches!(request, Request::ResolveNames(resolve) if resolve.full_contact);
        Self { operation: request.operation(), frame: Frame::of(request), full_contact }
    }

    /// Appends what comes before the first message.
    pub fn start(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"<?xml version=\"1.0\" encoding=\"utf-8\"?>");
        tag(out, "s:Envelope", &[("xmlns:s", Namespace::SOAP)]);
        open(out, "s:Header");
        out.extend_from_slice(b"<t:ServerVersionInfo");
        for (name, value) in SERVER_VERSION {
            push_attribute(out, name, value);
        }
        push_attribute(out, "xmlns:t", Namespace::TYPES);
        out.extend_from_slice(b"/>");
        close(out, "s:Header");
        let schemas = [
            ("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"),
            ("xmlns:xsd", "http://www.w3.org/2001/XMLSchema"),
        ];
        tag(out, "s:Body", &schemas);
        if self.frame != Frame::Delegates {
            let response = self.name("Response");
            tag(out, &response, &[("xmlns:m", Namespace::MESSAGES), ("xmlns:t", Namespace::TYPES)]);
            open(out, "m:ResponseMessages");
        }
    }

    /// Appends the message of the next step.
    pub fn message(&self, message: &ResponseMessage, out: &mut Vec<u8>) {
        match message {
            Ok(Answer::Resolved { people, .. }) if people.is_empty() => {
                self.error(&ErrorMessage::new("ErrorNameResolutionNoResults", "No results were found."), out);
            }
            Ok(answer) => self.success(answer, out),
            Err(error) => self.error(error, out),
        }
    }

    /// Appends what comes after the last message.
    pub fn finish(&self, out: &mut Vec<u8>) {
        if self.frame != Frame::Delegates {
            close(out, "m:ResponseMessages");
            close(out, &self.name("Response"));
        }
        close(out, "s:Body");
        close(out, "s:Envelope");
    }

    fn success(&self, answer: &Answer, out: &mut Vec<u8>) {
        let several = matches!(answer, Answer::Resolved { people, .. } if people.len() > 1);
        if several {
            self.open_message("Warning", out);
            leaf(out, "m:MessageText", "Multiple results were found.");
            leaf(out, "m:ResponseCode", "ErrorNameResolutionMultipleResults");
            leaf(out, "m:DescriptiveLinkKey", "0");
        } else {
            self.open_message("Success", out);
            leaf(out, "m:ResponseCode", "NoError");
        }
        match answer {
            Answer::Done => self.nothing(out),
            Answer::Items(items) => answer::items(items, out),
            Answer::Folders(folders) => answer::folders(folders, out),
            Answer::FoundItems(found) => answer::found_items(found, out),
            Answer::FoundFolders(found) => answer::found_folders(found, out),
            Answer::ItemChanges(changes) => answer::item_changes(changes, out),
            Answer::FolderChanges(changes) => answer::folder_changes(changes, out),
            Answer::Subscribed { subscription, watermark } => {
                leaf(out, "m:SubscriptionId", subscription);
                leaf(out, "m:Watermark", watermark);
            }
            Answer::Events(events) => answer::events(events, out),
            Answer::Resolved { people, complete } => {
                answer::people(people, *complete, self.full_contact, out);
            }
            Answer::Converted(id) => answer::converted(id, out),
            Answer::TimeZones(zones) => answer::time_zones(zones, out),
            Answer::Delegates(delegates) => answer::delegates(delegates, out),
        }
        if self.frame == Frame::UpdatedItems && *answer != Answer::Done {
            answer::no_conflicts(out);
        }
        self.close_message(out);
    }

    fn error(&self, error: &ErrorMessage, out: &mut Vec<u8>) {
        self.open_message("Error", out);
        leaf(out, "m:MessageText", &error.text);
        leaf(out, "m:ResponseCode", error.code);
        leaf(out, "m:DescriptiveLinkKey", "0");
        if !error.values.is_empty() {
            open(out, "m:MessageXml");
            push_values(out, &error.values);
            close(out, "m:MessageXml");
        }
        self.nothing(out);
        self.close_message(out);
    }

    /// What the schema wants of a message that has nothing to say.
    fn nothing(&self, out: &mut Vec<u8>) {
        match self.frame {
            Frame::Plain | Frame::Delegates => {}
            Frame::Items => empty(out, "m:Items"),
            Frame::UpdatedItems => {
                empty(out, "m:Items");
                answer::no_conflicts(out);
            }
            Frame::Folders => empty(out, "m:Folders"),
            Frame::ItemSync => {
                empty(out, "m:SyncState");
                leaf(out, "m:IncludesLastItemInRange", "true");
            }
            Frame::FolderSync => {
                empty(out, "m:SyncState");
                leaf(out, "m:IncludesLastFolderInRange", "true");
            }
        }
    }

    fn open_message(&self, class: &str, out: &mut Vec<u8>) {
        if self.frame == Frame::Delegates {
            let attributes =
                [("ResponseClass", class), ("xmlns:m", Namespace::MESSAGES), ("xmlns:t", Namespace::TYPES)];
            tag(out, &self.name("Response"), &attributes);
        } else {
            tag(out, &self.name("ResponseMessage"), &[("ResponseClass", class)]);
        }
    }

    fn close_message(&self, out: &mut Vec<u8>) {
        let of_response = self.frame == Frame::Delegates;
        close(out, &self.name(if of_response { "Response" } else { "ResponseMessage" }));
    }

    fn name(&self, ending: &str) -> String {
        format!("m:{}{ending}", self.operation)
    }
}

impl Frame {
    const fn of(request: &Request) -> Self {
        match request {
            Request::GetItem(_) | Request::CreateItem(_) | Request::MoveItem(_) | Request::CopyItem(_) => {
                Self::Items
            }
            Request::UpdateItem(_) => Self::UpdatedItems,
            Request::GetFolder(_) | Request::CreateFolder(_) | Request::UpdateFolder(_) => Self::Folders,
            Request::SyncFolderItems(_) => Self::ItemSync,
            Request::SyncFolderHierarchy(_) => Self::FolderSync,
            Request::GetDelegate(_) => Self::Delegates,
            Request::FindFolder(_)
            | Request::FindItem(_)
            | Request::SendItem(_)
            | Request::DeleteItem(_)
            | Request::DeleteFolder(_)
            | Request::Subscribe(_)
            | Request::GetEvents(_)
            | Request::Unsubscribe(_)
            | Request::ResolveNames(_)
            | Request::GetServerTimeZones(_)
            | Request::ConvertId(_) => Self::Plain,
        }
    }
}
