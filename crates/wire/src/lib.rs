//! Protocol syntax without input or output.
//!
//! Bytes go in, values come out, and back. Nothing here opens a socket, counts a budget or stores a thing.
//!
//! | module | syntax |
//! |---|---|
//! | [`ews`] | Exchange Web Services: SOAP requests, response messages, faults |

pub mod ews;
