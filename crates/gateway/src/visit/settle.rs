//! The end of a visit: what it took is counted, its line written, and everything given back.

use std::borrow::Cow;
use std::fmt;

use hyper::StatusCode;
use weir_throttle::{Evidence, Manner, Snapshot, Verdict};
use weir_units::{Micros, Part};

use super::Visit;
use crate::history::Note;
use crate::permit::{Permit, kept_out};
use crate::request_log::{CallFields, Counted, Line, OwnFields};
use crate::warnings::Ended;

/// What is known of a call at its end.
struct Settlement<'a> {
    taken: Micros,
    cost: [Micros; 4],
    /// The budget before the call gives its place back.
    end: Option<Snapshot>,
    found: Option<(u64, bool)>,
    waited: Micros,
    why: Option<Part>,
    verdict: Verdict,
    evidence: Cow<'a, Evidence>,
    user_agent: Option<Cow<'a, str>>,
}

impl Visit {
    /// Ends the visit: its answer goes out with `status`. The line is written, and what it holds is given back.
    pub(crate) fn settle(&mut self, status: StatusCode) {
        if std::mem::replace(&mut self.settled, true) {
            return;
        }
        let now = self.gateway.clock.tick();
        self.leave_origin();
        let mut permit = self.permit.take();
        if let Some(permit) = &mut permit {
            // What follows is ours, so that the line says all that the call is charged.
            permit.pause();
        }
        let settlement = self.settlement(permit.as_ref(), now.since(self.asked.at));
        let line = self.gateway.log.as_logged(self.line(status, &settlement));
        self.remember(&line);
        self.gateway.log.write(line);
        self.gateway.metrics.request(self.front, settlement.taken);
        if let (Some(owner), Some(component)) = (self.owner(), self.component) {
            let Settlement { why, cost, .. } = settlement;
            let policy = self.policy.as_ref().map(|policy| policy.name.as_str());
            let ended = Ended { id: self.asked.id, owner, component, policy, held_by: why, cost };
            self.gateway.warn(&ended, &self.settings.warnings, now);
        }
        drop(permit);
    }

    fn settlement<'a>(&'a self, permit: Option<&'a Permit>, taken: Micros) -> Settlement<'a> {
        let (waited, why, verdict) = self.verdict(permit);
        let evidence = self.evidence(permit);
        debug_assert!(
            evidence.verdict() == (verdict, why) || std::thread::panicking(),
            "{verdict:?} for {why:?} does not follow from {evidence}"
        );
        Settlement {
            taken,
            cost: permit.map(Permit::cost).unwrap_or_default(),
            end: permit.map(Permit::snapshot).or(self.init),
            found: permit.and_then(Permit::findings),
            waited,
            why,
            verdict,
            evidence,
            user_agent: self.user_agent(),
        }
    }

    fn line<'a>(&'a self, status: StatusCode, settlement: &'a Settlement<'_>) -> Line<'a, Snapshot> {
        let Settlement { taken, cost, end, found, waited, why, verdict, .. } = *settlement;
        Line {
            at: self.gateway.clock.wall(),
            server: self.connection.peer.server.ip(),
            port: self.connection.peer.server.port(),
            method: self.asked.method.as_str(),
            path: self.path(),
            user: self.caller.as_ref().map(|caller| caller.owner.name()),
            client: self.client(),
            user_agent: settlement.user_agent.as_deref(),
            status: status.as_u16(),
            taken,
            call: CallFields {
                id: self.asked.id,
                init: self.init,
                end,
                operation: self.operation.as_deref(),
                rpc: self.origin,
                ldap: Counted { count: self.lookup.count.into(), took: self.lookup.time },
                elapsed: taken,
            },
            own: OwnFields {
                waited,
                queued: self.queued,
                why,
                policy: self.policy.as_ref().map(|policy| policy.name.as_str()),
                verdict,
                sequence: self.asked.sequence,
                tick: self.asked.at,
                component: self.component,
                cost,
                found,
                evidence: &settlement.evidence,
            },
        }
    }

    /// Notes the call, which `line` tells of, for whoever asks later (T21).
    fn remember<S: fmt::Display>(&self, line: &Line<'_, S>) {
        self.gateway.pulse.note(line.own.verdict);
        if let Some(owner) = self.owner() {
            self.gateway.histories.note(owner, &Note::of(line), line, line.at);
        }
    }

    /// What the verdict was decided on. A refusal without a permit says all itself; so does one for a call that was else
    /// only observed.
    fn evidence<'a>(&self, permit: Option<&'a Permit>) -> Cow<'a, Evidence> {
        match (permit.map(Permit::evidence), &self.refusal) {
            (None, None) => Cow::Owned(self.would_block.map_or_else(Evidence::default, would_block)),
            (None, Some(refusal)) => Cow::Owned(Evidence::refused(refusal)),
            (Some(evidence), Some(refusal)) if evidence.manner() == Manner::Observed => {
                Cow::Owned(Evidence::refused(refusal))
            }
            (Some(evidence), _) => Cow::Borrowed(evidence),
        }
    }

    fn verdict(&self, permit: Option<&Permit>) -> (Micros, Option<Part>, Verdict) {
        let (waited, waited_for) = permit.map_or((Micros::ZERO, None), Permit::waited);
        if let Some(refusal) = &self.refusal {
            return (waited, Some(refusal.part), Verdict::Refuse);
        }
        let Some(permit) = permit else {
            let (verdict, why) = self.evidence(None).verdict();
            return (Micros::ZERO, why, verdict);
        };
        if let Some((verdict, part)) = permit.spared() {
            return (waited, Some(part), verdict);
        }
        let verdict = if waited_for.is_some() { Verdict::Delay } else { Verdict::Run };
        (waited, waited_for, verdict)
    }
}

/// The evidence of a call that nobody is charged for, whose program the rule of this number would have kept out.
fn would_block(number: u64) -> Evidence {
    let mut evidence = Evidence::new(Manner::Observed);
    evidence.note(kept_out(number));
    evidence
}
