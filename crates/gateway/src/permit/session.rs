//! A permit and a MAPI session's place: the one comes from the other and goes back to it (R15).

use std::sync::Arc;

use weir_directory::EffectivePolicy;
use weir_throttle::{Account, Call, OverBudget, Rules, Seen};
use weir_units::{Micros, Part, Refusal};

use super::Permit;
use crate::gateway::{Gateway, Shell};
use crate::mapi::place::SessionPlace;
use crate::settings::ThrottleSettings;

impl Permit {
    /// A request of a session, which brings its place as `call`. Over budget it is told so at once: MAPI calls never wait
    /// on a time budget (R11).
    pub(crate) fn of_session(
        place: &Arc<SessionPlace>,
        call: Call,
        gateway: Arc<Gateway>,
        policy: Arc<EffectivePolicy>,
        settings: &ThrottleSettings,
    ) -> Self {
        let account = Arc::clone(place.account());
        let mut permit = Self::holding(Some(call), gateway, account, policy, settings);
        permit.session = Some(Arc::clone(place));
        permit.rules = Some(Rules { over_budget: OverBudget::Refuse, max_waiting: 0 });
        permit
    }

    /// A request that waits for events from its beginning (T25).
    ///
    /// # Errors
    ///
    /// The refusal where as many of the owner's calls hang as may.
    pub(crate) fn hanging(
        gateway: Arc<Gateway>,
        account: Arc<Account<Shell>>,
        policy: Arc<EffectivePolicy>,
        settings: &ThrottleSettings,
    ) -> Result<Self, Refusal> {
        let mut permit = Self::holding(None, gateway, account, policy, settings);
        let (budget, now) = (&permit.account.budget, permit.gateway.clock.tick());
        let (call, before) = budget.arrive_hanging(&permit.limits, now)?;
        permit.call = Some(call);
        permit.saw_hanging(before);
        Ok(permit)
    }

    /// The place that the call holds is a session's from here on: it outlives the call.
    pub(crate) fn keep_place(&mut self) -> Arc<SessionPlace> {
        let place = Arc::new(SessionPlace::out(Arc::clone(&self.account), self.gateway.clock));
        self.session = Some(Arc::clone(&place));
        place
    }

    /// So many calls hung before this one.
    pub(super) fn saw_hanging(&mut self, before: u32) {
        let (part, used, waited) = (Part::HangingConnections, before.into(), Micros::ZERO);
        self.note(Seen::Count { part, used, limit: self.limits.hanging.into(), waited });
        let limit = self.policy.limits.component(self.account.component).hanging.into();
        self.spare(Seen::Count { part, used, limit, waited });
    }
}
