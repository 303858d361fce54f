//! `GetServerTimeZones`: the time zones of Windows, with their rules where they are wanted.
//!
//! The rules come from the time zone database, by the zone's place in it: the two changes of the year in which the
//! question is asked, written as the n-th weekday of a month.

mod zones;

use jiff::Timestamp;
use jiff::civil::{Date, Weekday};
use jiff::tz::{Offset, TimeZone};
use weir_wire::ews::request::GetServerTimeZones;
use weir_wire::ews::response::Answer;
use weir_wire::ews::time_zone;
use weir_wire::ews::xml::Element;

use crate::server::{Failure, Outcome, Visit};
use zones::cities;

/// The most zones that one request may name.
const MAX_IDS: usize = 1000;

pub(super) fn carry_out(visit: &Visit<'_>, request: &GetServerTimeZones) -> Outcome<Answer> {
    if request.ids.len() > MAX_IDS {
        return Err(Failure::told("ErrorInvalidArgument", "The request names too many time zones."));
    }
    let now = Timestamp::from_microsecond(visit.now().unix_micros()).unwrap_or(Timestamp::UNIX_EPOCH);
    let wanted = |id: &str| request.ids.is_empty() || request.ids.iter().any(|wanted| wanted == id);
    let zones = time_zone::ALL.iter().filter(|(id, _)| wanted(id));
    Ok(Answer::TimeZones(zones.map(|(id, place)| definition(id, place, request.full, now)).collect()))
}

fn definition(id: &str, place: &str, full: bool, now: Timestamp) -> Element {
    let rules = TimeZone::get(place).ok().map(|tz| Rules::of(&tz, now));
    let standard = rules.as_ref().map_or(Offset::UTC, |rules| rules.standard);
    let name = format!("({}) {}", label(standard), cities(id));
    let element = Element::types("TimeZoneDefinition").with_attribute("Name", name).with_attribute("Id", id);
    match rules {
        Some(rules) if full => rules.write(id, element),
        Some(_) | None => element,
    }
}

/// What a zone does in one year.
struct Rules {
    standard: Offset,
    /// The offset of summer time, and when it begins and ends by the clock of the time before.
    summer: Option<(Offset, Rule, Rule)>,
}

/// A day of the year by its weekday, and the time of the change.
struct Rule {
    month: i8,
    weekday: Weekday,
    /// 1 to 4, or -1 for the last one of the month.
    occurrence: i8,
    time: String,
}

impl Rules {
    fn of(tz: &TimeZone, now: Timestamp) -> Self {
        let year = tz.to_datetime(now).year();
        let begin = Date::new(year, 1, 1).ok().and_then(|date| date.to_zoned_datetime(tz.clone()).ok());
        let begin = begin.map_or(now, |zoned| zoned.timestamp());
        let in_year = |time: Timestamp| tz.to_datetime(time).year() == year;
        let changes: Vec<_> = tz
            .following(begin)
            .take(4)
            .filter(|change| in_year(change.timestamp()))
            .map(|change| (change.timestamp(), change.offset(), change.dst().is_dst()))
            .collect();
        let info = tz.to_offset_info(begin);
        let before = |index: usize| match index.checked_sub(1).and_then(|last| changes.get(last)) {
            Some((_, offset, _)) => *offset,
            None => info.offset(),
        };
        let first = |summer: bool| {
            let found = changes.iter().enumerate().find(|(_, (_, _, is_summer))| *is_summer == summer);
            found.map(|(index, (time, offset, _))| (*offset, Rule::at(*time, before(index))))
        };
        if let (Some((summer, begins)), Some((standard, ends))) = (first(true), first(false)) {
            return Self { standard, summer: Some((summer, begins, ends)) };
        }
        let last = changes.iter().rev().find(|(_, _, is_summer)| !is_summer);
        Self { standard: last.map_or(tz.to_offset(now), |(_, offset, _)| *offset), summer: None }
    }

    fn write(self, id: &str, element: Element) -> Element {
        let standard_id = format!("std:{id}");
        let summer_id = format!("dlt:{id}");
        let mut periods =
            Element::types("Periods").with_child(period(self.standard, "Standard", &standard_id));
        let mut group = Element::types("TransitionsGroup").with_attribute("Id", "0");
        match self.summer {
            Some((offset, begins, ends)) => {
                periods = periods.with_child(period(offset, "Daylight", &summer_id));
                group = group.with_child(begins.write(&summer_id)).with_child(ends.write(&standard_id));
            }
            None => {
                group = group.with_child(Element::types("Transition").with_child(to("Period", &standard_id)));
            }
        }
        let transition = Element::types("Transition").with_child(to("Group", "0"));
        element
            .with_child(periods)
            .with_child(Element::types("TransitionsGroups").with_child(group))
            .with_child(Element::types("Transitions").with_child(transition))
    }
}

impl Rule {
    fn at(time: Timestamp, before: Offset) -> Self {
        let moment = before.to_datetime(time);
        let day = moment.day();
        let is_last = day + 7 > moment.days_in_month();
        Self {
            month: moment.month(),
            weekday: moment.weekday(),
            occurrence: if is_last { -1 } else { (day - 1) / 7 + 1 },
            time: format!("PT{}H{}M", moment.hour(), moment.minute()),
        }
    }

    fn write(&self, period: &str) -> Element {
        Element::types("RecurringDayTransition")
            .with_child(to("Period", period))
            .with_child(Element::types("TimeOffset").with_text(self.time.clone()))
            .with_child(Element::types("Month").with_text(self.month.to_string()))
            .with_child(Element::types("DayOfWeek").with_text(weekday(self.weekday)))
            .with_child(Element::types("Occurrence").with_text(self.occurrence.to_string()))
    }
}

fn period(offset: Offset, name: &str, id: &str) -> Element {
    Element::types("Period")
        .with_attribute("Bias", bias(offset))
        .with_attribute("Name", name)
        .with_attribute("Id", id)
}

fn to(kind: &str, target: &str) -> Element {
    Element::types("To").with_attribute("Kind", kind).with_text(target)
}

/// What is added to local time to get UTC, as XML Schema writes durations.
fn bias(offset: Offset) -> String {
    let minutes = -offset.seconds() / 60;
    let sign = if minutes < 0 { "-" } else { "" };
    match (minutes.abs() / 60, minutes.abs() % 60) {
        (hours, 0) => format!("{sign}PT{hours}H"),
        (hours, minutes) => format!("{sign}PT{hours}H{minutes}M"),
    }
}

/// The offset as names of zones show it: `UTC+05:30`.
fn label(offset: Offset) -> String {
    let minutes = offset.seconds() / 60;
    let sign = match minutes {
        0 => return "UTC".to_owned(),
        ..0 => '-',
        1.. => '+',
    };
    format!("UTC{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
}

const fn weekday(day: Weekday) -> &'static str {
    match day {
        Weekday::Monday => "Monday",
        Weekday::Tuesday => "Tuesday",
        Weekday::Wednesday => "Wednesday",
        Weekday::Thursday => "Thursday",
        Weekday::Friday => "Friday",
        Weekday::Saturday => "Saturday",
        Weekday::Sunday => "Sunday",
    }
}

#[cfg(test)]
mod tests;
