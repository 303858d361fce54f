//! From a recipient to a next hop (H1).
//!
//! A mailbox of ours is here, at another server of this site, or in another site; everything else leaves by a send
//! connector. Of the connectors that fit, the most specific address space wins, then the lowest cost of sites and
//! connector together, then the nearest source server, then the first name. The way to another site is the cheapest
//! over the site links; it stops at a hub site, and recipients whose ways part later travel as one copy until they do.
//!
//! Nothing is looked up here: whether a recipient has a mailbox, and at which server, is handed in. Which targets a
//! next hop has is the business of [`next_hop`](crate::next_hop).
//!
//! | module | the one idea |
//! |---|---|
//! | [`settings`] | servers, sites, links and send connectors, as they are configured |
//! | [`space`] | address spaces and which of two is more specific |
//! | [`path`] | the cheapest way from this site to another |
//! | [`key`] | the name of a next hop, stable over restarts |
//! | [`router`] | the decision for one recipient |
//! | [`mod@fan_out`] | several recipients, grouped into copies |
//! | [`route`] | the decision as a value, and why there is no way |

pub mod fan_out;
pub mod key;
pub mod path;
pub mod route;
pub mod router;
pub mod settings;
pub mod space;

pub use fan_out::{FanOut, MessageCopy, fan_out};
pub use key::{DeliveryType, KeyError, NextHopKey};
pub use path::Paths;
pub use route::{Lookup, Message, Recipient, Rejected, Route, Unreachable};
pub use router::Router;
pub use settings::{RoutingError, RoutingSettings, SendConnector, Server, SiteLink};
pub use space::{AddressSpace, Cost, Pattern, SpaceError};
