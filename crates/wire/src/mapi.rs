//! MAPI over HTTP as far as a gateway must read and write it – who calls, how many operations a call carries, and how a
//! client is told to back off (R11, R14, R15, R17) – and as far as the mailbox server and the client behind and before
//! it need it: what those operations are.
//!
//! A request is an HTTP POST whose type is a header. Its body has a few fixed parts, and in an `Execute` a ROP buffer: a
//! chain of payloads, each perhaps compressed, each a list of remote operations. An answer streams: it says at once that
//! the work has begun, again and again that it lasts, and then has headers and a body of its own.
//!
//! Everything is fed in pieces or read from a slice, within limits that have names, and nothing here panics. What was
//! read can be written back to the same bytes. Absent: the address book's requests, which a gateway only passes on.
//! Sources: MS-OXCMAPIHTTP, MS-OXCRPC, MS-OXCROPS, MS-OXCDATA.
//!
//! | module | what it holds |
//! |---|---|
//! | [`request_type`] | what a request asks for |
//! | [`response_code`] | how it went |
//! | [`version`] | which version a client is, and what it understands |
//! | [`envelope`] | the tags and headers before an answer's body |
//! | [`body`] | the bodies' fixed parts |
//! | [`payload`] | payloads behind their headers, unpacked and packed |
//! | [`rop`] | ROP buffers: where each ROP ends, how many there are, and those that make a client wait |
//! | [`call`], [`reply`] | ROPs as clients send them, and what servers answer, with their fields |
//! | [`property`], [`row`] | properties, and rows of them |
//! | [`restriction`], [`sort`] | which rows a table shows, and in which order |
//! | [`recipient`], [`text`] | recipients, and texts of either width |
//! | [`error_code`] | why something failed |
//! | [`auxiliary`] | what clients tell about themselves |

pub mod auxiliary;
pub mod body;
pub mod call;
mod codec;
pub mod envelope;
pub mod error_code;
mod lz77;
mod malformed;
pub mod payload;
pub mod property;
mod reader;
pub mod recipient;
pub mod reply;
pub mod request_type;
pub mod response_code;
pub mod restriction;
pub mod rop;
pub mod row;
pub mod sort;
#[cfg(test)]
mod tests;
pub mod text;
pub mod version;

pub use call::Call;
pub use error_code::ErrorCode;
pub use malformed::Malformed;
pub use property::{PropertyTag, PropertyType, PropertyValue, TaggedValue};
pub use reply::Reply;
pub use request_type::RequestType;
pub use response_code::ResponseCode;
pub use version::ClientVersion;
