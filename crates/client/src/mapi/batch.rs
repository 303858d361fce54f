//! ROPs that belong together.

use weir_wire::mapi::call::Call;
use weir_wire::mapi::reply::Reply;

/// ROPs that are carried out in their order, each exactly once. They may go in one request, or in several where some are
/// held back or do not fit.
///
/// ```
/// use weir_client::mapi::Batch;
/// use weir_client::mapi::wire::call::logon::Release;
/// use weir_client::mapi::wire::call::property::GetPropertiesList;
/// let batch = Batch::new(0).with(GetPropertiesList { input: 3 }).with(Release { input: 3 });
/// assert_eq!(batch.len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    logon: u8,
    pub(super) calls: Vec<(u8, Call)>,
}

impl Batch {
    /// An empty one whose ROPs are for that logon.
    pub const fn new(logon: u8) -> Self {
        Self { logon, calls: Vec::new() }
    }

    /// The logon that its ROPs are for, where nothing else is said.
    pub const fn logon(&self) -> u8 {
        self.logon
    }

    /// The same with another ROP behind.
    #[must_use]
    pub fn with(mut self, call: impl Into<Call>) -> Self {
        self.push(call);
        self
    }

    /// Appends a ROP for the batch's logon.
    pub fn push(&mut self, call: impl Into<Call>) {
        self.push_for(self.logon, call);
    }

    /// Appends a ROP for any logon.
    pub fn push_for(&mut self, logon: u8, call: impl Into<Call>) {
        self.calls.push((logon, call.into()));
    }

    /// How many ROPs it has.
    pub const fn len(&self) -> usize {
        self.calls.len()
    }

    /// Whether it has none.
    pub const fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }
}

/// Names a batch that was handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BatchId(pub(super) u64);

/// The answers to a batch: one for each ROP, in their order; nothing for a `RopRelease`, which has none.
pub type Replies = Vec<Option<Reply>>;
