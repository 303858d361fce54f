//! nginx's access log: `combined`, or `combined` with our fields behind it.
//!
//! ```text
//! $remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"
//!     request_time=$request_time upstream_time=$upstream_response_time
//! ```
//!
//! A request through several servers has several upstream times, separated by commas and colons, which add up. Without
//! our fields nobody knows how long a request took, and only calls are counted.

use weir_units::Micros;

use super::moment::{Days, offset, time_of_day};
use super::{Call, component_of, said, seconds, unescaped};

/// The reader of one file.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    days: Days,
}

impl Reader {
    pub(super) fn read<'a>(&mut self, line: &'a str) -> Result<Call<'a>, &'static str> {
        let (client, rest) = line.split_once(" - ").ok_or("it does not begin as combined does")?;
        let (user, rest) = rest.split_once(" [").ok_or("it has no time in brackets")?;
        let (time, rest) = rest.split_once("] \"").ok_or("it has no request behind its time")?;
        let (request, rest) = quoted(rest).ok_or("its request has no end")?;
        let logged = self.moment(time).ok_or("its time is none")?;
        let target = request.split(' ').nth(1).unwrap_or_default();
        let path = target.split('?').next().unwrap_or_default();
        let mut texts = rest.split(" \"").skip(1);
        let agent = texts.nth(1).and_then(quoted).map_or("", |(agent, _)| agent);
        let mut call = Call {
            logged,
            user: unescaped(said(user), "\\x"),
            client,
            agent: unescaped(said(agent), "\\x"),
            path,
            operation: path,
            component: component_of(path),
            ..Call::default()
        };
        let last = rest.rsplit_once('"').map_or("", |(_, behind)| behind);
        fields(last, &mut call)?;
        Ok(call)
    }

    /// `30/Nov/2026:10:35:08 +0100`.
    fn moment(&mut self, text: &str) -> Option<i64> {
        let (local, zone) = text.split_once(' ')?;
        let (day, time) = local.split_once(':')?;
        Some(self.days.named(day)? + time_of_day(time)? - offset(zone)?)
    }
}

/// What is behind the last quotation mark.
fn fields(text: &str, call: &mut Call<'_>) -> Result<(), &'static str> {
    let [_, cas, _, mailbox_rpc] = &mut call.cost;
    if let Some(value) = value(text, "request_time=") {
        call.taken = seconds(value).ok_or("its request_time is no number")?;
        *cas = call.taken;
    }
    if let Some(value) = value(text, "upstream_time=") {
        let times = value.split([',', ':', ' ']).filter(|time| !time.is_empty() && *time != "-");
        let sum = times.map(seconds).try_fold(Micros::ZERO, |sum, time| Some(sum.plus(time?)));
        *mailbox_rpc = sum.ok_or("its upstream_time is no number")?;
    }
    Ok(())
}

/// The value of a field, up to the next field or the end.
fn value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(name)?;
    let before = rest.split_once('=').map_or(rest, |(before, _)| before);
    let value = if before.len() < rest.len() { before.rsplit_once(' ')?.0 } else { before };
    Some(value.trim().trim_matches('"'))
}

/// The text before the next quotation mark, and what is behind it. nginx writes one within as `\x22`.
fn quoted(text: &str) -> Option<(&str, &str)> {
    text.split_once('"')
}
