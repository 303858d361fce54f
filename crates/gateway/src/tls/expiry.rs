//! When a certificate ends.
//!
//! The one field of X.509 that the metric needs, found by walking the certificate's outer structure (RFC 5280 §4.1):
//! version, serial number, algorithm and issuer are stepped over, then comes the validity with its two times. Whether
//! the certificate is a good one is for the clients to judge.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;
use weir_units::WallTime;

const INTEGER: u8 = 0x02;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xA0;

/// The field `notAfter` of a certificate in DER, or nothing where it is none.
pub(super) fn not_after(certificate: &[u8]) -> Option<WallTime> {
    let (certificate, _) = expect(SEQUENCE, certificate)?;
    let (signed, _) = expect(SEQUENCE, certificate)?;
    let rest = match expect(VERSION, signed) {
        Some((_, rest)) => rest,
        None => signed,
    };
    let (_, rest) = expect(INTEGER, rest)?;
    let (_, rest) = expect(SEQUENCE, rest)?;
    let (_, rest) = expect(SEQUENCE, rest)?;
    let (validity, _) = expect(SEQUENCE, rest)?;
    let (_, _, end) = element(validity)?;
    let (tag, time, _) = element(end)?;
    parse_time(tag, time)
}

/// The content of an element that has to have this tag, and what follows it.
fn expect(tag: u8, bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (found, content, rest) = element(bytes)?;
    (found == tag).then_some((content, rest))
}

/// The next element: tag, content, and what follows it.
fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, bytes) = bytes.split_first()?;
    let (&first, bytes) = bytes.split_first()?;
    let (length, bytes) = match first {
        0..=0x7F => (usize::from(first), bytes),
        0x81..=0x84 => {
            let (digits, bytes) = bytes.split_at_checked(usize::from(first & 0x7F))?;
            (
                digits
                    .iter()
                    .try_fold(0_usize, |sum, digit| sum.checked_mul(256)?.checked_add(usize::from(*digit)))?,
                bytes,
            )
        }
        0x80 | 0x85..=0xFF => return None,
    };
    let (content, rest) = bytes.split_at_checked(length)?;
    Some((tag, content, rest))
}

/// `YYMMDDHHMMSSZ`, whose years 50 to 99 are of the last century, or `YYYYMMDDHHMMSSZ`.
///
/// The last second of the year 9999 means that there is no end, and is as late as time goes here.
fn parse_time(tag: u8, text: &[u8]) -> Option<WallTime> {
    let digits = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    let digits = match (tag, digits.len()) {
        (UTC_TIME, 12) if digits < "50" => format!("20{digits}"),
        (UTC_TIME, 12) => format!("19{digits}"),
        (GENERALIZED_TIME, 14) => digits.to_owned(),
        _ => return None,
    };
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let year: i16 = digits.get(..4)?.parse().ok()?;
    let mut pairs = (4..14).step_by(2).map(|at| digits.get(at..at + 2)?.parse::<i8>().ok());
    let date = Date::new(year, pairs.next()??, pairs.next()??).ok()?;
    let (hour, minute, second) = (pairs.next()??, pairs.next()??, pairs.next()??);
    let (0..24, 0..60, 0..60) = (hour, minute, second) else {
        return None;
    };
    let time = Offset::UTC.to_timestamp(date.at(hour, minute, second, 0)).unwrap_or(Timestamp::MAX);
    Some(WallTime::from_unix_micros(time.as_microsecond()))
}

#[cfg(test)]
mod tests;
