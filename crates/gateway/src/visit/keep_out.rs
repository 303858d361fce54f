//! Client programs that are kept out (R16): refused before anything is charged, or where nobody is held to anything,
//! noted as who would have been (T20).

use std::borrow::Cow;

use weir_units::{Component, Part, Refusal};

use super::Visit;
use crate::block::Blocked;

impl Visit {
    /// What the client is told where its `User-Agent` is kept out.
    pub(crate) fn keeps_out_http(&mut self) -> Option<String> {
        let settings = self.settings();
        let blocked = settings.block.http(self.user_agent().as_deref());
        self.keep_out(blocked)
    }

    /// What an `ActiveSync` client is told where its kind of device or its `User-Agent` is kept out.
    pub(crate) fn keeps_out_eas(&mut self, device_type: Option<&str>) -> Option<String> {
        let settings = self.settings();
        let blocked = settings.block.eas(device_type, self.user_agent().as_deref());
        self.keep_out(blocked)
    }

    /// What a MAPI client is told where what it calls itself, or its process, is kept out.
    pub(crate) fn keeps_out_mapi(&mut self, application: &str, process: Option<&str>) -> Option<String> {
        let settings = self.settings();
        let blocked = settings.block.mapi(Some(application), process);
        self.keep_out(blocked)
    }

    fn keep_out(&mut self, blocked: Option<Blocked<'_>>) -> Option<String> {
        let Blocked { rule, number } = blocked?;
        if self.is_observed() {
            self.gateway.metrics.would_block(rule.protocol);
            self.would_block = Some(number);
            return None;
        }
        self.gateway.metrics.blocked(rule.protocol);
        let component = self.component.unwrap_or(Component::Anonymous);
        self.refusal =
            Some(Refusal { component, part: Part::BlockList, limit: 0, used: number, retry_after: None });
        Some(rule.message().to_owned())
    }

    /// Whether nobody is held to anything, or whoever asks, or claims to, is not.
    fn is_observed(&mut self) -> bool {
        if !self.gateway.enforces(&self.settings.throttle) {
            return true;
        }
        let Some(owner) = self.owner().or(self.claimed.as_ref()) else { return false };
        let policy = self.gateway.policies.lookup(owner, self.gateway.clock.tick());
        let observe_only = policy.limits.observe_only;
        if self.owner().is_some() {
            self.policy = Some(policy);
        }
        observe_only
    }

    pub(super) fn user_agent(&self) -> Option<Cow<'_, str>> {
        self.asked.user_agent.as_ref().map(|agent| String::from_utf8_lossy(agent.as_bytes()))
    }
}
