use proptest::prelude::*;

use super::*;

const SIGNATURE: &[u8] = b"\r\n\r\n\0\r\nQUIT\n";

fn proxied(client: &str, server: &str) -> Announced {
    Announced::Proxied { client: client.parse().unwrap(), server: server.parse().unwrap() }
}

/// A version 2 header: version and command, family, then whatever follows the length.
fn binary(command: u8, family: u8, payload: &[u8]) -> Vec<u8> {
    let length = u16::try_from(payload.len()).unwrap().to_be_bytes();
    [SIGNATURE, &[command, family], &length, payload].concat()
}

/// What a header followed by the client's own bytes comes to, fed whole: the announced, and what is left over.
fn read(bytes: &[u8]) -> Result<Option<(Announced, Vec<u8>)>, ProxyError> {
    match ProxyReader::new(DEFAULT_MAX_EXTENSIONS).feed(bytes)? {
        Progress::NeedMore => Ok(None),
        Progress::Done { announced, used } => Ok(Some((announced, bytes[used..].to_vec()))),
    }
}

/// The same, fed in the given pieces.
fn read_in_pieces(bytes: &[u8], sizes: &[usize]) -> Result<Option<(Announced, Vec<u8>)>, ProxyError> {
    let mut reader = ProxyReader::new(DEFAULT_MAX_EXTENSIONS);
    let (mut rest, mut sizes) = (bytes, sizes.iter().cycle());
    while !rest.is_empty() {
        let (piece, later) = rest.split_at(rest.len().min(*sizes.next().unwrap()));
        if let Progress::Done { announced, used } = reader.feed(piece)? {
            return Ok(Some((announced, [&piece[used..], later].concat())));
        }
        rest = later;
    }
    Ok(None)
}

const TCP4: &[u8] = &[192, 0, 2, 7, 198, 51, 100, 1, 0xC3, 0x50, 0x01, 0xBB];

fn tcp6() -> Vec<u8> {
    let address = |last| [&[0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0][..], &[last]].concat();
    [address(1), address(2), vec![0xC3, 0x50, 0, 25]].concat()
}

#[test]
fn headers_of_both_versions_say_whose_connection_it_is() {
    let long = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";
    let cases: Vec<(Vec<u8>, Announced)> = vec![
        (
            b"PROXY TCP4 192.0.2.7 198.51.100.1 50000 443\r\n".to_vec(),
            proxied("192.0.2.7:50000", "198.51.100.1:443"),
        ),
        (
            b"PROXY TCP6 2001:db8::1 2001:db8::2 50000 25\r\n".to_vec(),
            proxied("[2001:db8::1]:50000", "[2001:db8::2]:25"),
        ),
        (
            b"PROXY TCP4 0.0.0.0 255.255.255.255 0 65535\r\n".to_vec(),
            proxied("0.0.0.0:0", "255.255.255.255:65535"),
        ),
        (b"PROXY UNKNOWN\r\n".to_vec(), Announced::Local),
        (format!("PROXY UNKNOWN {long} {long} 65535 65535\r\n").into_bytes(), Announced::Local),
        (binary(0x21, 0x11, TCP4), proxied("192.0.2.7:50000", "198.51.100.1:443")),
        (binary(0x21, 0x21, &tcp6()), proxied("[2001:db8::1]:50000", "[2001:db8::2]:25")),
        (
            binary(0x21, 0x11, &[TCP4, &[0x04, 0, 3, 1, 2, 3]].concat()),
            proxied("192.0.2.7:50000", "198.51.100.1:443"),
        ),
        (binary(0x20, 0x00, b""), Announced::Local),
        (binary(0x20, 0x11, TCP4), Announced::Local),
        (binary(0x20, 0xff, b"anything"), Announced::Local),
        (binary(0x21, 0x00, b"ignored"), Announced::Local),
        (binary(0x21, 0x31, &[b'/'; 216]), Announced::Local),
    ];
    for (mut header, announced) in cases {
        assert_eq!(read(&header), Ok(Some((announced, vec![]))), "{header:?}");
        header.extend_from_slice(b"\r\nPROXY the client's own");
        assert_eq!(
            read(&header),
            Ok(Some((announced, b"\r\nPROXY the client's own".to_vec()))),
            "{header:?}"
        );
    }
}

#[test]
fn every_beginning_of_a_header_needs_more() {
    for header in [
        b"PROXY TCP4 192.0.2.7 198.51.100.1 50000 443\r\n".to_vec(),
        b"PROXY UNKNOWN\r\n".to_vec(),
        binary(0x21, 0x11, TCP4),
        binary(0x21, 0x21, &[tcp6(), vec![4, 0, 0]].concat()),
        binary(0x20, 0x00, b""),
    ] {
        for end in 0..header.len() {
            assert_eq!(read(&header[..end]), Ok(None), "{:?}", &header[..end]);
        }
    }
}

#[test]
fn what_is_no_header_is_refused_and_says_what_to_do() {
    let line = |part| ProxyError::Line { part };
    let cases: Vec<(Vec<u8>, ProxyError, &str)> = vec![
        (b"GET / HTTP/1.1\r\n".to_vec(), ProxyError::NoHeader, "set proxy_protocol = false"),
        (b"POST / HTTP/1.1\r\n".to_vec(), ProxyError::NoHeader, "send-proxy"),
        (b"\x16\x03\x01".to_vec(), ProxyError::NoHeader, "PROXY header"),
        (b"PROXYTCP4".to_vec(), ProxyError::NoHeader, "PROXY header"),
        (b"\r\n\r\nEHLO".to_vec(), ProxyError::NoHeader, "PROXY header"),
        (b"PROXY \r\n".to_vec(), line("protocol"), "protocol is malformed"),
        (b"PROXY UNKNOWNS\r\n".to_vec(), line("protocol"), "version 2"),
        (b"PROXY  TCP4 192.0.2.7 198.51.100.1 1 2\r\n".to_vec(), line("protocol"), "protocol"),
        (b"PROXY TCP5 192.0.2.7 198.51.100.1 1 2\r\n".to_vec(), line("protocol"), "protocol"),
        (b"PROXY tcp4 192.0.2.7 198.51.100.1 1 2\r\n".to_vec(), line("protocol"), "protocol"),
        (b"PROXY TCP4\r\n".to_vec(), line("source address"), "source address"),
        (b"PROXY TCP4 2001:db8::1 2001:db8::2 1 2\r\n".to_vec(), line("source address"), "source address"),
        (b"PROXY TCP6 192.0.2.7 198.51.100.1 1 2\r\n".to_vec(), line("source address"), "source address"),
        (b"PROXY TCP4 192.0.2.07 198.51.100.1 1 2\r\n".to_vec(), line("source address"), "source address"),
        (b"PROXY TCP4 192.0.2.7 198.51.100 1 2\r\n".to_vec(), line("destination address"), "destination"),
        (b"PROXY TCP4 192.0.2.7 198.51.100.1 65536 2\r\n".to_vec(), line("source port"), "source port"),
        (b"PROXY TCP4 192.0.2.7 198.51.100.1 +1 2\r\n".to_vec(), line("source port"), "source port"),
        (b"PROXY TCP4 192.0.2.7 198.51.100.1 01 2\r\n".to_vec(), line("source port"), "source port"),
        (b"PROXY TCP4 192.0.2.7 198.51.100.1 1 \r\n".to_vec(), line("destination port"), "destination port"),
        (b"PROXY TCP4 192.0.2.7 198.51.100.1 1 2 3\r\n".to_vec(), line("end"), "end"),
        (
            b"PROXY TCP4 192.0.2.7 198.51.100.1 1 2\n\r\n".to_vec(),
            line("destination port"),
            "destination port",
        ),
        (b"PROXY TCP4 \xff\r\n".to_vec(), line("text"), "text"),
        (binary(0x11, 0x11, TCP4), ProxyError::Version { version: 1 }, "version 1 or 2"),
        (binary(0x22, 0x11, TCP4), ProxyError::Command { command: 2 }, "update the proxy"),
        (binary(0x21, 0x12, TCP4), ProxyError::Family { family: 0x12 }, "0x12"),
        (binary(0x21, 0x13, TCP4), ProxyError::Family { family: 0x13 }, "TCP connections"),
        (binary(0x21, 0x11, &TCP4[..11]), ProxyError::Short { length: 11, needed: 12 }, "needs 12"),
        (binary(0x21, 0x21, TCP4), ProxyError::Short { length: 12, needed: 36 }, "needs 36"),
    ];
    for (bytes, error, advice) in cases {
        assert_eq!(read(&bytes), Err(error.clone()), "{:?}", bytes.escape_ascii().to_string());
        assert!(error.to_string().contains(advice), "{error}");
    }
}

#[test]
fn a_line_of_exactly_107_bytes_still_passes() {
    let line = |filler: usize| [b"PROXY UNKNOWN ", &vec![b'x'; filler][..], b"\r\n"].concat();
    assert_eq!(line(91).len(), 107);
    assert_eq!(read(&line(91)), Ok(Some((Announced::Local, vec![]))));
    assert_eq!(read(&line(92)), Err(ProxyError::LineTooLong { limit: 107 }));
}

#[test]
fn extensions_up_to_the_limit_are_skipped() {
    let header = |extensions: usize| binary(0x21, 0x11, &[TCP4, &vec![0xEE; extensions][..]].concat());
    let reader = || ProxyReader::new(100);
    let whole = header(100);
    let done =
        Progress::Done { announced: proxied("192.0.2.7:50000", "198.51.100.1:443"), used: whole.len() };
    assert_eq!(reader().feed(&whole), Ok(done));
    let refused = ProxyError::ExtensionsTooLong { length: 101, limit: 100 };
    assert_eq!(reader().feed(&header(101)[..16]), Err(refused), "before any of it is read");
    assert!(ProxyReader::new(u16::MAX).feed(&header(usize::from(u16::MAX) - 12)).is_ok());
}

#[test]
fn an_outcome_stays() {
    let mut reader = ProxyReader::new(DEFAULT_MAX_EXTENSIONS);
    assert_eq!(reader.feed(b"GET "), Err(ProxyError::NoHeader));
    assert_eq!(reader.feed(b"PROXY UNKNOWN\r\n"), Err(ProxyError::NoHeader));
    let mut reader = ProxyReader::new(DEFAULT_MAX_EXTENSIONS);
    assert_eq!(reader.feed(b""), Ok(Progress::NeedMore));
    assert_eq!(
        reader.feed(b"PROXY UNKNOWN\r\nX"),
        Ok(Progress::Done { announced: Announced::Local, used: 15 })
    );
    assert_eq!(reader.feed(b"PROXY TCP4"), Ok(Progress::Done { announced: Announced::Local, used: 0 }));
}

#[test]
fn no_more_than_one_line_is_kept() {
    let mut reader = ProxyReader::new(u16::MAX);
    let header = binary(0x21, 0x21, &vec![0xEE; usize::from(u16::MAX)]);
    assert_eq!(reader.feed(&header[..header.len() - 1]), Ok(Progress::NeedMore));
    let State::Binary(binary) = &reader.state else { panic!("{reader:?}") };
    assert!(binary.kept_bytes() <= 107, "{}", binary.kept_bytes());
}

prop_compose! {
    /// Bytes that are a header, nearly one, or none.
    fn fronts()(
        kind in 0..5_u8,
        junk in prop::collection::vec(any::<u8>(), 0..160),
        octets in any::<[u8; 4]>(),
        ports in any::<(u16, u16)>(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) -> Vec<u8> {
        let address = std::net::Ipv4Addr::from(octets);
        let line = format!("PROXY TCP4 {address} {address} {} {}\r\n", ports.0, ports.1).into_bytes();
        match kind {
            0 => junk,
            1 => [line, junk].concat(),
            2 => {
                let ports = [ports.0.to_be_bytes(), ports.1.to_be_bytes()].concat();
                binary(0x21, 0x11, &[&octets, &octets, &ports[..], &junk].concat())
            }
            3 => [binary(0x20, byte, &junk), line].concat(),
            _ => {
                let mut bytes = [binary(0x21, 0x21, &tcp6()), line, junk].concat();
                let at = at.index(bytes.len());
                bytes[at] = byte;
                bytes
            }
        }
    }
}

proptest! {
    #[test]
    fn the_cutting_makes_no_difference(bytes in fronts(), sizes in prop::collection::vec(1..40_usize, 1..6)) {
        prop_assert_eq!(read_in_pieces(&bytes, &sizes), read(&bytes));
        prop_assert_eq!(read_in_pieces(&bytes, &[1]), read(&bytes));
    }

    #[test]
    fn addresses_come_out_as_they_went_in(
        client: std::net::SocketAddrV6,
        server: std::net::SocketAddrV6,
        rest: Vec<u8>,
    ) {
        let end = |address: std::net::SocketAddrV6| SocketAddr::new((*address.ip()).into(), address.port());
        let expected = Announced::Proxied { client: end(client), server: end(server) };
        let (from, to, from_port, to_port) = (client.ip(), server.ip(), client.port(), server.port());
        let line = format!("PROXY TCP6 {from} {to} {from_port} {to_port}\r\n");
        prop_assert_eq!(read(&[line.as_bytes(), &rest].concat()), Ok(Some((expected, rest.clone()))));
        let addresses = [from.octets(), to.octets()].concat();
        let ports = [from_port.to_be_bytes(), to_port.to_be_bytes()].concat();
        let header = binary(0x21, 0x21, &[addresses, ports].concat());
        prop_assert_eq!(read(&[header, rest.clone()].concat()), Ok(Some((expected, rest))));
    }
}
