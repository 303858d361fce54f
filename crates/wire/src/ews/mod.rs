//! Exchange Web Services: SOAP requests, response messages, faults.

pub mod field;
pub mod property;
pub mod request;
pub mod response;
pub mod xml;
