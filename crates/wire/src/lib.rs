//! Protocol syntax without input or output.
//!
//! Bytes go in, values come out, and back. Nothing here opens a socket, counts a budget or stores a thing.
//!
//! | module | syntax |
//! |---|---|
//! | [`eas`] | Exchange `ActiveSync`: who calls, and whether the call hangs |
//! | [`ews`] | Exchange Web Services: SOAP requests, response messages, faults |
//! | [`forwarded`] | the client behind trusted proxies, in `X-Forwarded-For` and `Forwarded` |
//! | [`mapi`] | MAPI over HTTP: envelopes, bodies, payloads, how many operations, and how to back off |
//! | [`proxy`] | the PROXY protocol, as a receiver reads it |
//! | [`smtp`] | SMTP on both sides, delivery status notifications, and Postfix's policy delegation |

pub mod eas;
pub mod ews;
pub mod forwarded;
pub mod mapi;
pub mod proxy;
pub mod smtp;
