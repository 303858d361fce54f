//! What each way in is called, and how it says no (T19, T27).

use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use weir_units::{Component, Part, Refusal};
use weir_wire::eas;
use weir_wire::ews::fault::fault;
use weir_wire::ews::peek::Asked;
use weir_wire::ews::refusal::{access_denied, busy, store_unavailable};
use weir_wire::ews::request::{Request, Subscribe, Version};
use weir_wire::ews::response::ErrorMessage;
use weir_wire::ews::{RefusalAnswer, ResponseWriter};

use super::failure::Failure;
use crate::answers::{forbidden, soap};
use crate::body::{Answer, whole};
use crate::metrics::Front;

/// A way in, by its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    /// Exchange Web Services.
    Ews,
    /// `ActiveSync`.
    Eas,
    /// MAPI over HTTP, as far as mailboxes are concerned; the address book passes like everything else.
    Mapi,
    /// Outlook Web App. Nothing on its paths shows whose call it is: who was accepted on the connection pays.
    Owa,
    /// Everything else: it passes unparsed and uncharged.
    Other,
}

impl Protocol {
    /// The protocol that is spoken at `path`, spelled in any case.
    pub(super) fn of(path: &str) -> Self {
        let first = path.split('/').nth(1).unwrap_or_default();
        if path.eq_ignore_ascii_case(crate::ews::front::PATH) {
            Self::Ews
        } else if crate::mapi::serves(path) {
            Self::Mapi
        } else if first.eq_ignore_ascii_case("Microsoft-Server-ActiveSync") {
            Self::Eas
        } else if first.eq_ignore_ascii_case("owa") {
            Self::Owa
        } else {
            Self::Other
        }
    }

    /// The component whose budget pays; none where nothing is charged.
    pub(super) const fn component(self) -> Option<Component> {
        match self {
            Self::Ews => Some(Component::Ews),
            Self::Eas => Some(Component::Eas),
            Self::Mapi => Some(Component::Rca),
            Self::Owa => Some(Component::Owa),
            Self::Other => None,
        }
    }

    /// Whether a request says in its body what it asks.
    pub(super) const fn is_read(self) -> bool {
        match self {
            Self::Ews | Self::Eas => true,
            Self::Mapi | Self::Owa | Self::Other => false,
        }
    }

    /// What metrics call it.
    pub(super) const fn front(self) -> Front {
        match self {
            Self::Ews => Front::Ews,
            Self::Eas => Front::Eas,
            Self::Mapi => Front::Mapi,
            Self::Owa => Front::Owa,
            Self::Other => Front::Http,
        }
    }

    /// The refusal of a whole call.
    pub(super) fn refuse(self, refusal: &Refusal) -> Response<Answer> {
        match self {
            Self::Ews => {
                let document = match RefusalAnswer::new(refusal, Version::Unstated) {
                    RefusalAnswer::Fault(document) => document,
                    RefusalAnswer::Message(message) => fault(message.code, &message.text, &message.values),
                };
                soap(StatusCode::INTERNAL_SERVER_ERROR, document)
            }
            Self::Eas | Self::Mapi | Self::Owa | Self::Other => try_later(eas::RefusalAnswer::new(refusal)),
        }
    }

    /// The answer to a client program that is kept out.
    pub(super) fn keep_out(self, why: &str) -> Response<Answer> {
        match self {
            Self::Ews => soap(StatusCode::INTERNAL_SERVER_ERROR, access_denied(why)),
            Self::Eas | Self::Mapi | Self::Owa | Self::Other => forbidden(why),
        }
    }

    /// The refusal of a call that is known: a subscription too many is the error of its one message (T19).
    pub(super) fn refuse_asked(self, refusal: &Refusal, asked: Option<&Asked>) -> Response<Answer> {
        let version = asked.map_or(Version::Unstated, |asked| asked.version);
        match (self, RefusalAnswer::new(refusal, version)) {
            (Self::Ews, RefusalAnswer::Message(message)) if refusal.part == Part::MaxSubscriptions => {
                soap(StatusCode::OK, not_subscribed(message))
            }
            (
                Self::Ews | Self::Eas | Self::Mapi | Self::Owa | Self::Other,
                RefusalAnswer::Message(_) | RefusalAnswer::Fault(_),
            ) => self.refuse(refusal),
        }
    }

    /// The answer in place of an origin's that failed: whether the call may have had an effect decides what is said.
    pub(super) fn unavailable(self, failure: &Failure) -> Response<Answer> {
        match self {
            Self::Ews if failure.sent => soap(StatusCode::INTERNAL_SERVER_ERROR, store_unavailable()),
            Self::Ews => soap(StatusCode::INTERNAL_SERVER_ERROR, busy(None)),
            Self::Eas | Self::Mapi | Self::Owa | Self::Other => {
                try_later(eas::RefusalAnswer::unavailable(None))
            }
        }
    }

    /// The answer to a request whose body was not taken.
    pub(super) fn not_taken(self, status: StatusCode, why: &str) -> Response<Answer> {
        match self {
            Self::Ews => soap(StatusCode::INTERNAL_SERVER_ERROR, fault("ErrorMessageSizeExceeded", why, &[])),
            Self::Eas | Self::Mapi | Self::Owa | Self::Other => {
                let mut response = Response::new(whole(format!("{why}\n")));
                *response.status_mut() = status;
                response
            }
        }
    }
}

/// The answer to a `Subscribe` that is refused.
fn not_subscribed(error: ErrorMessage) -> Vec<u8> {
    let request = Subscribe {
        folders: Vec::new(),
        all_folders: false,
        events: Vec::new(),
        watermark: None,
        timeout_minutes: 0,
    };
    let (writer, mut document) = (ResponseWriter::new(&Request::Subscribe(request)), Vec::new());
    writer.start(&mut document);
    writer.message(&Err(error), &mut document);
    writer.finish(&mut document);
    document
}

/// 503 with its headers.
fn try_later(answer: eas::RefusalAnswer) -> Response<Answer> {
    let mut response = Response::new(whole(answer.body()));
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(eas::refusal::CONTENT_TYPE));
    for (name, value) in answer.headers() {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            headers.insert(name, value);
        }
    }
    response
}
