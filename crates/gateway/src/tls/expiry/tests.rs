use proptest::prelude::*;
use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use weir_units::WallTime;

use super::{GENERALIZED_TIME, UTC_TIME, not_after, parse_time};

fn certificate(year: i32, names: &[String]) -> Vec<u8> {
    let mut parameters = CertificateParams::new(names).unwrap();
    parameters.not_after = date_time_ymd(year, 3, 9);
    let key = KeyPair::generate().unwrap();
    parameters.self_signed(&key).unwrap().der().to_vec()
}

fn seconds(time: Option<WallTime>) -> Option<i64> {
    time.map(WallTime::unix_seconds)
}

#[test]
fn the_end_of_a_certificate_is_found() {
    let names: Vec<String> = (0..200).map(|nth| format!("host{nth}.example.com")).collect();
    let cases = [(2030, 1_899_244_800), (2049, 2_498_860_800), (2050, 2_530_396_800), (2100, 4_108_233_600)];
    for (year, expected) in cases {
        assert_eq!(seconds(not_after(&certificate(year, &[]))), Some(expected), "{year}");
        assert_eq!(seconds(not_after(&certificate(year, &names))), Some(expected), "{year}, a long one");
    }
}

#[test]
fn times_are_read_in_both_forms() {
    let cases = [
        (UTC_TIME, "491231235959Z", Some(2_524_607_999)),
        (UTC_TIME, "500101000000Z", Some(-631_152_000)),
        (UTC_TIME, "700101000000Z", Some(0)),
        (GENERALIZED_TIME, "20500101000000Z", Some(2_524_608_000)),
        (GENERALIZED_TIME, "99991231235959Z", Some(253_402_207_200)),
        (UTC_TIME, "20500101000000Z", None),
        (GENERALIZED_TIME, "500101000000Z", None),
        (UTC_TIME, "491231235959", None),
        (UTC_TIME, "491331235959Z", None),
        (UTC_TIME, "490230235959Z", None),
        (UTC_TIME, "491231245959Z", None),
        (UTC_TIME, "49123123595+Z", None),
        (0x04, "491231235959Z", None),
    ];
    for (tag, text, expected) in cases {
        assert_eq!(seconds(parse_time(tag, text.as_bytes())), expected, "{text}");
    }
}

#[test]
fn a_certificate_that_is_cut_short_has_no_end() {
    let whole = certificate(2030, &[]);
    for length in 0..whole.len() {
        assert_eq!(not_after(&whole[..length]), None, "{length} bytes of it");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
        let _ = not_after(&bytes);
    }

    #[test]
    fn a_damaged_certificate_never_panics(at in 0_usize..400, byte in any::<u8>()) {
        let mut certificate = certificate(2030, &[]);
        let at = at % certificate.len();
        certificate[at] = byte;
        let _ = not_after(&certificate);
    }
}
