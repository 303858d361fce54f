//! Who hears everything that happens in a mailbox, at once and with nothing kept here.
//!
//! A listener is held weakly: whoever owns it ends it by letting go, and takes it off the list when it does.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::news::News;
use crate::store::identifier::MailboxKey;

/// Somebody who wants to hear. Called after the commit, on the thread that changed something: it must not block.
pub(crate) trait Listener: Send + Sync {
    /// Hears of something that happened in a mailbox it listens to.
    fn hear(&self, news: &News);
}

/// All listeners, by mailbox.
#[derive(Default)]
pub(crate) struct Listeners {
    by_mailbox: Mutex<BTreeMap<MailboxKey, Vec<Weak<dyn Listener>>>>,
}

impl Listeners {
    /// Tells `listener` of what happens in `mailbox` from here on.
    pub(crate) fn add(&self, mailbox: MailboxKey, listener: &Arc<dyn Listener>) {
        let mut all = self.all();
        let here = all.entry(mailbox).or_default();
        here.retain(|known| known.strong_count() > 0);
        if !here.iter().any(|known| is(known, listener)) {
            here.push(Arc::downgrade(listener));
        }
    }

    /// Tells `listener` of nothing any more that happens in `mailbox`.
    pub(crate) fn remove(&self, mailbox: MailboxKey, listener: &Arc<dyn Listener>) {
        let mut all = self.all();
        if let Some(here) = all.get_mut(&mailbox) {
            here.retain(|known| known.strong_count() > 0 && !is(known, listener));
            if here.is_empty() {
                all.remove(&mailbox);
            }
        }
    }

    /// Tells news to whom they concern.
    pub(super) fn tell(&self, news: &[News]) {
        for piece in news {
            let here: Vec<_> = self.all().get(&piece.mailbox).into_iter().flatten().cloned().collect();
            for listener in here.iter().filter_map(Weak::upgrade) {
                listener.hear(piece);
            }
        }
    }

    /// How many there are.
    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.all().values().map(Vec::len).sum()
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<MailboxKey, Vec<Weak<dyn Listener>>>> {
        self.by_mailbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is(known: &Weak<dyn Listener>, listener: &Arc<dyn Listener>) -> bool {
    std::ptr::addr_eq(known.as_ptr(), Arc::as_ptr(listener))
}

impl fmt::Debug for Listeners {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listeners").finish_non_exhaustive()
    }
}
