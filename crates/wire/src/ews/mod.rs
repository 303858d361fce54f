//! Exchange Web Services: SOAP requests, response messages, faults.
//!
//! A request's bytes are pushed into a [`RequestReader`] in whatever pieces they arrive, which yields an
//! [`request::Envelope`]. Each step's [`response::ResponseMessage`] goes through a [`ResponseWriter`] and comes out as
//! bytes, so that neither side ever needs a connection, and an answer is never held whole.
//!
//! | module | what it holds |
//! |---|---|
//! | [`xml`] | bounded elements, built from pushed bytes |
//! | [`field`] | the table of fields that have a `FieldURI` |
//! | [`property`] | items, folders and their properties as values |
//! | [`request`], [`parse`] | what a client asks, and how it is read |
//! | [`response`], [`mod@write`] | what a server answers, and how it is written |
//! | [`envelope`] | whether an answer is SOAP at all (T8) |
//! | [`fault`], [`refusal`] | SOAP faults, and a budget's refusal in EWS words (T19) |
//! | [`peek`] | what a request asks of a server that is not ours, learned while it passes (E7) |
//! | [`relay`] | the answer of such a server to a find, judged and cut while it passes (E7) |
//! | [`outcome`] | what such a server answered to anything else, as far as a budget must know (T7) |
//! | [`time`], [`time_zone`] | `xs:dateTime`, and the time zones that Windows names |

pub mod envelope;
pub mod fault;
pub mod field;
pub mod outcome;
pub mod parse;
pub mod peek;
pub mod property;
pub mod refusal;
pub mod relay;
pub mod request;
pub mod response;
mod scan;
pub mod time;
pub mod time_zone;
pub mod write;
pub mod xml;

pub use field::Field;
pub use parse::{RequestError, RequestReader};
pub use refusal::RefusalAnswer;
pub use scan::ScanLimits;
pub use write::ResponseWriter;

/// The media type of every answer, to the letter: one client drops bodies that carry any other spelling.
pub const CONTENT_TYPE: &str = "text/xml; charset=utf-8";
