//! The bypass in JSON (T20).

use serde::{Deserialize, Serialize};

/// Whether everybody passes: nothing is refused, delayed or rewritten, whatever configuration and policies say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bypass {
    /// Whether it is on. It is off after a start.
    pub on: bool,
}
