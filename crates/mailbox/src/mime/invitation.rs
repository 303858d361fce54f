//! A meeting request as people elsewhere get it: a message with an iCalendar object (RFC 5545, RFC 5546).
//!
//! One meeting at one time. A series needs the organizer's time zone and its rules, which nothing here writes.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use mail_builder::headers::content_type::ContentType;
use mail_builder::mime::MimePart;
use weir_units::WallTime;
use weir_wire::ews::field::Field;
use weir_wire::ews::property::{Mailbox, PropertyPath, Value};

use super::build;
use crate::store::body;
use crate::store::record::Record;

/// The most bytes of a line, its end apart.
const MAX_LINE: usize = 75;

/// Attendees of a kind, and how iCalendar says it.
const ROLES: [(Field, &str); 3] = [
    (Field::REQUIRED_ATTENDEES, "ROLE=REQ-PARTICIPANT"),
    (Field::OPTIONAL_ATTENDEES, "ROLE=OPT-PARTICIPANT"),
    (Field::RESOURCES, "CUTYPE=RESOURCE;ROLE=NON-PARTICIPANT"),
];

/// The request as a message; whole days are those of `zone`.
pub(crate) fn message(request: &Record, zone: &TimeZone, now: WallTime) -> Vec<u8> {
    let content = &request.content;
    let mut ways = vec![MimePart::new("text/plain", body::plain(content.html, &content.body).into_owned())];
    if content.html {
        ways.push(MimePart::new("text/html", content.body.clone()));
    }
    let kind = ContentType::new("text/calendar").attribute("method", "REQUEST").attribute("charset", "utf-8");
    ways.push(MimePart::new(kind, calendar(request, zone, now)));
    let mut body = MimePart::new("multipart/alternative", ways);
    let attached = build::parts(request);
    if !attached.is_empty() {
        body = MimePart::new("multipart/mixed", [vec![body], attached].concat());
    }
    build::head(request).body(body).write_to_vec().unwrap_or_default()
}

/// The iCalendar object.
fn calendar(request: &Record, zone: &TimeZone, now: WallTime) -> String {
    let mut lines = Lines::default();
    for line in ["BEGIN:VCALENDAR", "PRODID:-//Mailweir//EN", "VERSION:2.0", "METHOD:REQUEST", "BEGIN:VEVENT"]
    {
        lines.push(line);
    }
    lines.push(&format!("UID:{}", text(request.text(Field::UID).unwrap_or_default())));
    lines.push("SEQUENCE:0");
    lines.push(&format!("DTSTAMP:{}", moment(now)));
    let is_all_day =
        request.rest.get(&PropertyPath::Field(Field::IS_ALL_DAY_EVENT)) == Some(&Value::Bool(true));
    for (name, time) in [("DTSTART", request.row.starts), ("DTEND", request.row.ends)] {
        let time = time.unwrap_or(now);
        lines.push(&if is_all_day {
            format!("{name};VALUE=DATE:{}", day(time, zone))
        } else {
            format!("{name}:{}", moment(time))
        });
    }
    let said = body::plain(request.content.html, &request.content.body);
    let texts = [
        ("SUMMARY", request.row.subject.as_deref()),
        ("LOCATION", request.text(Field::LOCATION)),
        ("DESCRIPTION", Some(&*said)),
    ];
    for (name, value) in texts {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            lines.push(&format!("{name}:{}", text(value)));
        }
    }
    for organizer in request.people(Field::ORGANIZER) {
        lines.push(&format!("ORGANIZER{}", person(organizer)));
    }
    for (field, role) in ROLES {
        for attendee in request.attendees(field).iter().filter(|attendee| attendee.mailbox.address.is_some())
        {
            let who = person(&attendee.mailbox);
            lines.push(&format!("ATTENDEE;{role};PARTSTAT=NEEDS-ACTION;RSVP=TRUE{who}"));
        }
    }
    lines.push("END:VEVENT");
    lines.push("END:VCALENDAR");
    lines.0
}

/// Content lines, folded.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn push(&mut self, line: &str) {
        let mut room = MAX_LINE;
        for letter in line.chars() {
            if room < letter.len_utf8() {
                self.0.push_str("\r\n ");
                room = MAX_LINE - 1;
            }
            room -= letter.len_utf8();
            self.0.push(letter);
        }
        self.0.push_str("\r\n");
    }
}

/// A text value.
fn text(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for letter in value.replace("\r\n", "\n").chars() {
        match letter {
            '\\' | ';' | ',' => escaped.extend(['\\', letter]),
            '\n' | '\r' => escaped.push_str("\\n"),
            letter if letter.is_control() && letter != '\t' => {}
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// The name and the address of somebody, from the name's parameter on.
fn person(who: &Mailbox) -> String {
    let plain = |text: &str, but: &[char]| {
        text.chars().filter(|letter| !letter.is_control() && !but.contains(letter)).collect::<String>()
    };
    let name = plain(who.name.as_deref().unwrap_or_default(), &['"']);
    let address = plain(who.address.as_deref().unwrap_or_default(), &[]);
    if name.is_empty() { format!(":mailto:{address}") } else { format!(";CN=\"{name}\":mailto:{address}") }
}

fn moment(time: WallTime) -> String {
    timestamp(time).strftime("%Y%m%dT%H%M%SZ").to_string()
}

fn day(time: WallTime, zone: &TimeZone) -> String {
    zone.to_datetime(timestamp(time)).strftime("%Y%m%d").to_string()
}

fn timestamp(time: WallTime) -> Timestamp {
    Timestamp::from_microsecond(time.unix_micros()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
