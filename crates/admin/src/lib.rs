//! The administrator's side of Mailweir: HTTP API, its typed client, events, audit and metrics.
//!
//! What an administrator asks or changes passes through here and is answered in JSON; the fronts' sockets are
//! none of its business – it sees handles ([`GatewayView`](gateway::GatewayView),
//! [`TransportView`](transport::TransportView)). A change is in force
//! within a second (T14), because the policy cache and accepted credentials hear of it, and stands in the
//! audit log.
//!
//! | module | idea |
//! |---|---|
//! | [`routes`] | every endpoint in one table |
//! | [`types`] | what the API says and is told |
//! | [`server`] | the API, from a listener |
//! | [`gateway`] | what the API sees of the gateway |
//! | [`transport`] | what the API sees of the mail transport |
//! | [`client`] | the typed client that commands use |
//! | [`token`] | the administrator's token and the address file |
//! | [`events`] | the event log (T16) |
//! | [`audit`] | who changed what |
//! | [`page`] | the administration page |
//! | [`names`] | parameter names in JSON, and close names for one that does not exist |

pub mod audit;
pub mod client;
pub mod events;
pub mod gateway;
mod journal;
pub mod names;
pub mod page;
mod recent_log;
pub mod routes;
pub mod server;
pub mod token;
pub mod transport;
pub mod types;
