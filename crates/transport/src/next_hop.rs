//! From a next hop to its targets (H1).
//!
//! A domain has mail exchangers, a connector has smart hosts; both come down to levels of targets: those of the first
//! level are tried, and the next level only when none of it can be. Names are looked up elsewhere: the answers are
//! handed in, and what follows from them comes back – targets and for how long they hold, a bounce, or a later try.
//!
//! | module | the one idea |
//! |---|---|
//! | [`answer`] | what the domain name system said |
//! | [`settings`] | fault tolerance, bounds, address families |
//! | [`mod@exchangers`] | from MX records to hosts in their order; what null MX and our own name mean |
//! | [`mod@targets`] | from hosts and their addresses to levels of targets |
//! | [`mod@configured`] | from a connector's smart hosts, or a site's servers, to levels of targets |
//! | [`levels`] | which level's turn it is |
//! | [`resolution`] | what comes of a resolution, and in what words |

pub mod answer;
pub mod configured;
pub mod exchangers;
pub mod levels;
pub mod resolution;
pub mod settings;
pub mod targets;

pub use answer::{AddressAnswer, Addresses, DnsFault, Mx, MxAnswer, MxRecords};
pub use configured::configured;
pub use exchangers::{Host, Hosts, Own, exchangers};
pub use levels::{Choice, Levels};
pub use resolution::{Later, Level, Never, Resolution, Targets};
pub use settings::{DnsFailures, DnsFaultTolerance, Families, ResolutionSettings};
pub use targets::targets;
