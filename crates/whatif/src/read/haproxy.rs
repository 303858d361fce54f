//! `HAProxy`'s HTTP log (`option httplog`), with the user and the client program as captured request headers.
//!
//! ```text
//! … 192.0.2.7:50231 [30/Nov/2026:10:35:08.655] front origin/mail1 10/0/1/69/109 200 2750 - - ---- 1/1/1/1/0 0/0
//!     {john.doe@example.com|Exchanger/1.0} "POST /EWS/Exchange.asmx HTTP/1.1"
//! ```
//!
//! Whatever syslog puts before the client's address is passed over. The time in brackets is the arrival, without a zone:
//! it is taken for UTC. The five timers are receiving the request, the queue, the connect, the answer's head, and all.
//! The first captured header is the user, the second the client program; without captures the address is the owner.

use weir_units::Micros;

use super::moment::{Days, time_of_day};
use super::{Call, component_of, millis, said, unescaped};

/// The reader of one file.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    days: Days,
}

impl Reader {
    pub(super) fn read<'a>(&mut self, line: &'a str) -> Result<Call<'a>, &'static str> {
        // A process id in brackets, as in `haproxy[123]:`, stands without a space before it.
        let (before, rest) = line.split_once(" [").ok_or("it has no time in brackets")?;
        let (time, rest) = rest.split_once("] ").ok_or("its time has no end")?;
        let peer = before.rsplit(' ').next().unwrap_or_default();
        let client = peer.rsplit_once(':').map_or(peer, |(address, _)| address);
        let arrived = self.moment(time).ok_or("its time is none")?;
        let timers =
            rest.split(' ').nth(2).and_then(timers).ok_or("its timers are not those of option httplog")?;
        let (head, request) = rest.split_once(" \"").ok_or("it has no request")?;
        let target = request.split(' ').nth(1).unwrap_or_default();
        let path = target.split(['?', '"']).next().unwrap_or_default();
        let mut captured = captures(head).split('|');
        let user = captured.next().unwrap_or_default();
        Ok(Call {
            logged: arrived.saturating_add(i64::try_from(timers.all.count()).unwrap_or(i64::MAX)),
            arrived: Some(arrived),
            user: unescaped(said(user), "#"),
            client,
            agent: unescaped(said(captured.next().unwrap_or_default()), "#"),
            path,
            operation: path,
            component: component_of(path),
            taken: timers.all,
            cost: [Micros::ZERO, timers.all.minus(timers.receiving), Micros::ZERO, timers.answering],
            ..Call::default()
        })
    }

    /// `30/Nov/2026:10:35:08.655`.
    fn moment(&mut self, text: &str) -> Option<i64> {
        let (day, time) = text.split_once(':')?;
        Some(self.days.named(day)? + time_of_day(time)?)
    }
}

struct Timers {
    receiving: Micros,
    answering: Micros,
    all: Micros,
}

/// `TR/Tw/Tc/Tr/Ta` in milliseconds. A step that did not happen is `-1`; `+` says that the line was written early.
fn timers(text: &str) -> Option<Timers> {
    let mut times = text.split('/');
    let receiving = millis(times.next()?)?;
    let (_queue, _connect) = (millis(times.next()?)?, millis(times.next()?)?);
    let answering = millis(times.next()?)?;
    let all = millis(times.next()?.trim_start_matches('+'))?;
    times.next().is_none().then_some(Timers { receiving, answering, all })
}

/// What stands in the first braces.
fn captures(head: &str) -> &str {
    head.split_once(" {").and_then(|(_, rest)| rest.split_once('}')).map_or("", |(captured, _)| captured)
}
