//! Who may hand mail in (H13).
//!
//! A receive connector takes the connections that reach one of its bindings from one of its ranges; of several, the one
//! with the most specific range. It says what is offered and where mail may go; how often a source may come, how long
//! an answer takes and when a session has gone wrong too often are decided here as well. What is answered is a value –
//! code, status, text – which the protocol's writer puts on the line.
//!
//! | module | the one idea |
//! |---|---|
//! | [`settings`] | connectors and their limits |
//! | [`connectors`] | which connector takes a connection; configurations that make no sense |
//! | [`permission`] | what is offered to whom, and where he may send |
//! | [`sources`] | connections and messages of each source, counted |
//! | [`gcra`] | a rate, exact, in one number |
//! | [`session`] | errors, logon failures, hops, sizes, patience, tarpit |
//! | [`words`] | what refused clients are told |

pub mod connectors;
pub mod gcra;
pub mod permission;
pub mod session;
pub mod settings;
pub mod sources;
pub mod words;

pub use connectors::{Connectors, OwnServer, ReceiveError};
pub use gcra::{Gcra, Rate};
pub use permission::{Identity, Offer, Peer, Standing, To, may_send, offer};
pub use session::{Patience, Session, tarpit};
pub use settings::{PermissionGroup, ReceiveConnector, ReceiveLimits};
pub use sources::{Admission, Sources};
pub use words::Words;
