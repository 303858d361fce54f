//! The certificate that is made where none is configured.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};

use jiff::{Timestamp, tz::Offset};
use rcgen::string::Ia5String;
use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair, KeyUsagePurpose, SanType};
use weir_units::{Micros, WallTime};

use super::{TlsError, file};

const DAY: Micros = Micros::new(24 * 3_600_000_000);

/// How long the certificate is good for: whoever trusts it does so by hand, and should not have to every year.
const VALIDITY_DAYS: u64 = 3650;

/// How far back the certificate begins, for clients whose clock is behind.
const EARLIER_DAYS: i64 = 1;

/// Where certificate and key are kept.
pub(super) fn paths(directory: &Path) -> (PathBuf, PathBuf) {
    (directory.join("self-signed.pem"), directory.join("self-signed.key"))
}

/// Makes a certificate for `localhost`, the loopback addresses and this host's name, and keeps it.
pub(super) fn make(directory: &Path, now: WallTime) -> Result<(), TlsError> {
    let key = KeyPair::generate().map_err(|reason| TlsError::Make { reason })?;
    let certificate =
        parameters(host_name(), now).self_signed(&key).map_err(|reason| TlsError::Make { reason })?;
    let (certificate_path, key_path) = paths(directory);
    file::make_directory(directory)?;
    file::write_private(&key_path, &key.serialize_pem())?;
    file::write_private(&certificate_path, &certificate.pem())
}

fn parameters(host: Option<Ia5String>, now: WallTime) -> CertificateParams {
    let mut parameters = CertificateParams::default();
    let localhost = Ia5String::try_from("localhost").ok();
    let names = localhost.into_iter().chain(host).map(SanType::DnsName);
    let addresses =
        [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)].map(SanType::IpAddress);
    parameters.subject_alt_names = names.chain(addresses).collect();
    parameters.distinguished_name = rcgen::DistinguishedName::new();
    parameters.distinguished_name.push(DnType::CommonName, "Mailweir self-signed certificate");
    parameters.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    parameters.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    if let Some((year, month, day)) = date(now, -EARLIER_DAYS) {
        parameters.not_before = rcgen::date_time_ymd(year, month, day);
    }
    let end = now.plus(DAY.times(VALIDITY_DAYS));
    if let Some((year, month, day)) = date(end, 0) {
        parameters.not_after = rcgen::date_time_ymd(year, month, day);
    }
    parameters
}

/// Year, month and day of a time in UTC, `days` later.
fn date(time: WallTime, days: i64) -> Option<(i32, u8, u8)> {
    let seconds = time.unix_seconds().checked_add(days.checked_mul(86_400)?)?;
    let date = Offset::UTC.to_datetime(Timestamp::from_second(seconds).ok()?).date();
    let part = |number: i8| u8::try_from(number).ok();
    Some((i32::from(date.year()), part(date.month())?, part(date.day())?))
}

/// This host's name, where the system tells it and a certificate can hold it.
fn host_name() -> Option<Ia5String> {
    let files = ["/proc/sys/kernel/hostname", "/etc/hostname"];
    let text = files.into_iter().find_map(|path| fs::read_to_string(path).ok())?;
    valid_host(text.trim()).and_then(|name| Ia5String::try_from(name).ok())
}

/// The name in lower case, if it is one of letters, digits, hyphens and dots, and not `localhost` itself.
fn valid_host(name: &str) -> Option<String> {
    let name = name.to_ascii_lowercase();
    let label = |label: &str| {
        let hyphen_outside = label.starts_with('-') || label.ends_with('-');
        let letters = label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        (1..=63).contains(&label.len()) && letters && !hyphen_outside
    };
    (name != "localhost" && name.len() <= 253 && name.split('.').all(label)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::valid_host;

    #[test]
    fn only_what_dns_can_hold_becomes_a_name_of_the_certificate() {
        let long = "a".repeat(64);
        for (name, valid) in [
            ("Mail01", Some("mail01")),
            ("mail-01.example.com", Some("mail-01.example.com")),
            ("localhost", None),
            ("", None),
            ("mail_01", None),
            ("-mail", None),
            ("mail..example", None),
            ("größe", None),
            (long.as_str(), None),
        ] {
            assert_eq!(valid_host(name).as_deref(), valid, "{name}");
        }
    }
}
