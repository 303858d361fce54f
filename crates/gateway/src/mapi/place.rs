//! A session's place in its owner's budget (R15): taken at `Connect`, given back when the session ends.
//!
//! While a request is carried out for the session its permit has the place, and with it the clocks, so that a session
//! counts once whether it works or rests. A place that is out tells that a request is under way: a session has one at a
//! time.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use weir_throttle::{Account, Call};

use crate::gateway::Shell;
use weir_clock::Clock;

/// The place of one session.
pub(crate) struct SessionPlace {
    account: Arc<Account<Shell>>,
    clock: Clock,
    /// None while a request has it.
    call: Mutex<Option<Call>>,
}

impl SessionPlace {
    /// A place that a request has, and will bring.
    pub(crate) const fn out(account: Arc<Account<Shell>>, clock: Clock) -> Self {
        Self { account, clock, call: Mutex::new(None) }
    }

    /// The budget that it is a place of.
    pub(crate) const fn account(&self) -> &Arc<Account<Shell>> {
        &self.account
    }

    /// Takes the place for a request; none while another one has it.
    pub(crate) fn take(&self) -> Option<Call> {
        self.call.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Brings it back, its clocks stopped.
    pub(crate) fn bring(&self, mut call: Call) {
        let now = self.clock.tick();
        self.account.budget.leave(&mut call, now);
        self.account.budget.pause(&mut call, now);
        *self.call.lock().unwrap_or_else(PoisonError::into_inner) = Some(call);
    }
}

impl Drop for SessionPlace {
    fn drop(&mut self) {
        let call = self.call.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(call) = call {
            // Woken in any case: a Connect may wait for the place itself.
            let _line_waits = self.account.budget.end(call, self.clock.tick());
            self.account.shell.wake.notify_waiters();
        }
    }
}

impl fmt::Debug for SessionPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionPlace").field("owner", &self.account.owner).finish_non_exhaustive()
    }
}
