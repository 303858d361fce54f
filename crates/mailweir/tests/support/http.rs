//! HTTP by hand, so that a test can say exactly what goes over the wire, and when it stops.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(100);

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    /// The status code.
    pub(crate) status: u16,
    /// The head, lines as they came.
    pub(crate) head: String,
    /// The body, without its transfer coding.
    pub(crate) body: String,
}

/// Opens a connection.
pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    stream.set_nodelay(true).unwrap();
    stream
}

/// Sends `body` as a request of its own and reads the answer.
pub(crate) fn post(address: SocketAddr, authorization: &str, body: &[u8]) -> Reply {
    let mut stream = connect(address);
    stream.write_all(head(authorization, &format!("Content-Length: {}", body.len())).as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    reply(&mut stream).unwrap()
}

/// Asks for `path` with the administrator's token.
pub(crate) fn get_with_token(address: SocketAddr, path: &str, token: &str) -> Reply {
    let mut stream = connect(address);
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    reply(&mut stream).unwrap()
}

/// The head of a request to the EWS front. `length` is the field that says how long the body is.
pub(crate) fn head(authorization: &str, length: &str) -> String {
    format!(
        "POST /EWS/Exchange.asmx HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: text/xml; charset=utf-8\r\nUser-Agent: Interop Test/1.0\r\n\
         Authorization: {authorization}\r\n{length}\r\n\r\n"
    )
}

/// Basic credentials as the `Authorization` field holds them.
pub(crate) fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", base64(format!("{user}:{password}").as_bytes()))
}

/// Reads until the other side closes, and takes apart what came.
///
/// # Errors
/// What came was not a whole answer.
pub(crate) fn reply(stream: &mut TcpStream) -> io::Result<Reply> {
    let mut bytes = Vec::new();
    let mut piece = vec![0; 64 << 10];
    loop {
        match stream.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) if !bytes.is_empty() => break,
            Err(error) => return Err(error),
        }
    }
    parse(&bytes).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, String::from_utf8_lossy(&bytes)))
}

fn parse(bytes: &[u8]) -> Option<Reply> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = String::from_utf8(bytes[..end].to_vec()).ok()?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let rest = &bytes[end + 4..];
    let chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    let body = if chunked { without_chunks(rest)? } else { rest.to_vec() };
    Some(Reply { status, head, body: String::from_utf8(body).ok()? })
}

/// The chunks' contents in a row; nothing if the last chunk is missing.
fn without_chunks(mut bytes: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = bytes.windows(2).position(|two| two == b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(&bytes[..line]).ok()?.trim(), 16).ok()?;
        let start = line + 2;
        if size == 0 {
            return Some(body);
        }
        body.extend_from_slice(bytes.get(start..start + size)?);
        bytes = bytes.get(start + size + 2..)?;
    }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let byte = |place: usize| usize::from(three.get(place).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let letter = char::from(LETTERS[bits >> (18 - 6 * place) & 63]);
            text.push(if place <= three.len() { letter } else { '=' });
        }
    }
    text
}

#[test]
fn credentials_are_written_as_the_standard_shows_them() {
    assert_eq!(basic("Aladdin", "open sesame"), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    assert_eq!(base64(b"abc"), "YWJj");
    assert_eq!(base64(b"ab"), "YWI=");
}
