use weir_transport::Domain;

use super::{in_ascii, name_of};

#[test]
fn labels_beyond_ascii_are_written_in_ascii() {
    let cases = [
        ("pool.test", "pool.test"),
        ("bücher.test", "xn--bcher-kva.test"),
        ("BÜCHER.test", "xn--bcher-kva.test"),
        ("faß.test", "xn--fa-hia.test"),
        ("_mail.bücher.test", "_mail.xn--bcher-kva.test"),
        ("例え.テスト", "xn--r8jz45g.xn--zckzah"),
    ];
    for (domain, expected) in cases {
        let domain: Domain = domain.parse().unwrap();
        assert_eq!(in_ascii(&domain).as_ref().map(Domain::as_str), Some(expected), "{domain}");
    }
}

#[test]
fn a_label_too_long_in_ascii_is_no_name() {
    let label: String = (0..21).filter_map(|step| char::from_u32(0x4E00 + step * 997)).collect();
    let domain: Domain = format!("{label}.test").parse().unwrap();
    assert_eq!(name_of(&domain), None);
    assert_eq!(in_ascii(&domain), None);
}
