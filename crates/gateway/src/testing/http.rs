//! HTTP as bytes on a socket, from a client's side.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::remote::scripted::Talk;

/// An answer as a client got it.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answered {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<String> {
        header_of(&self.head, name)
    }
}

/// The next answer of a connection.
pub(crate) async fn answer(client: &mut Talk) -> Answered {
    let (head, body) = message(client).await.expect("the connection was closed before an answer");
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answered { status, head, body }
}

/// The next message, its body without chunks; none where the connection is closed.
pub(crate) async fn message(talk: &mut Talk) -> Option<(String, Vec<u8>)> {
    let head = talk.head().await?;
    let chunked = header_of(&head, "transfer-encoding").is_some();
    let body = if chunked {
        chunks(talk).await?
    } else {
        let length = header_of(&head, "content-length").map_or(0, |length| length.parse().unwrap());
        let body = talk.body(length).await;
        if body.len() < length {
            return None;
        }
        body
    };
    Some((head, body))
}

/// A body in chunks; none where it breaks off.
async fn chunks(talk: &mut Talk) -> Option<Vec<u8>> {
    let mut whole = Vec::new();
    loop {
        let mut line = Vec::new();
        while !line.ends_with(b"\r\n") {
            let byte = talk.body(1).await;
            line.push(*byte.first()?);
        }
        let line = String::from_utf8(line).unwrap();
        let length = usize::from_str_radix(line.trim(), 16).unwrap();
        let chunk = talk.body(length + 2).await;
        if chunk.len() < length + 2 {
            return None;
        }
        if length == 0 {
            return Some(whole);
        }
        whole.extend_from_slice(&chunk[..length]);
    }
}

pub(crate) fn header_of(head: &str, name: &str) -> Option<String> {
    head.lines().skip(1).find_map(|line| {
        let (field, value) = line.split_once(':')?;
        field.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
    })
}

/// A field that shows name and password.
pub(crate) fn basic(name: &str, password: &str) -> String {
    format!("Authorization: Basic {}\r\n", STANDARD.encode(format!("{name}:{password}")))
}
