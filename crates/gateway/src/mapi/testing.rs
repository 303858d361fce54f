//! MAPI sessions, requests and answers as tests make them.

use std::net::{IpAddr, Ipv4Addr};

use weir_units::{Owner, WallTime};
use weir_wire::mapi::body::{
    Answer, Body, ConnectRequest, Connected, Disconnected, ExecuteRequest, Executed, Waited,
};
use weir_wire::mapi::payload::Form;
use weir_wire::mapi::rop::{MAX_HANDLES, NO_HANDLE, RopBuffer};

use super::session::NewSession;

/// A client that understands `RopBackoff`.
pub(crate) const OUTLOOK: &str = "Outlook/16.0.5000.1000";
/// One that does not.
pub(crate) const OUTLOOK_2003: &str = "Outlook/11.0.5608.0";

/// What is known of a new session of this owner, which nobody is charged for.
pub(crate) fn new_session(owner: &str) -> NewSession {
    NewSession {
        owner: Owner::new(owner),
        client_info: None,
        application: OUTLOOK.to_owned(),
        version: None,
        address: IpAddr::V4(Ipv4Addr::LOCALHOST),
        opened: WallTime::default(),
        place: None,
        server: None,
        mailbox: None,
    }
}

/// An HTTP request with these fields.
pub(crate) fn request(asks: &str, fields: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST /mapi/emsmdb/?MailboxId=1@example.com HTTP/1.1\r\nHost: mail.example.com\r\n\
         Content-Type: application/mapi-http\r\nX-RequestType: {asks}\r\nX-RequestId: {{A}}:7\r\n{fields}\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// The body of a `Connect` of this user.
pub(crate) fn connect(user_dn: &str) -> Vec<u8> {
    let mut body = Vec::new();
    let request = ConnectRequest {
        user_dn: user_dn.as_bytes(),
        flags: 0,
        code_page: 1252,
        sort_locale: 1033,
        string_locale: 1033,
        auxiliary: &[],
    };
    request.write(&mut body);
    body
}

/// The body of an `Execute` with this list of ROPs, and two handles.
pub(crate) fn execute(list: &[u8]) -> Vec<u8> {
    let (mut payload, mut rops, mut body) = (Vec::new(), Vec::new(), Vec::new());
    RopBuffer::write(list, [0x28, NO_HANDLE].into_iter(), &mut payload);
    Form::default().write(&payload, true, &mut rops);
    let request = ExecuteRequest { flags: 3, rops: &rops, max_answer: 0x8000, auxiliary: &[] };
    request.write(&mut body);
    body
}

/// `count` ROPs to each of these logons: `RopGetPropertiesList`.
pub(crate) fn rops(count: usize, logons: &[u8]) -> Vec<u8> {
    logons.iter().flat_map(|logon| [0x09, *logon, 0].repeat(count)).collect()
}

/// One ROP that only forgets a handle.
pub(crate) const RELEASE: [u8; 3] = [0x01, 0, 0];

/// The body of the answer to `Connect`, with another server's advice.
pub(crate) fn connected(error_code: u32) -> Vec<u8> {
    let connected = Connected {
        error_code,
        polls_max: 60_000,
        retry_count: 6,
        retry_delay: 10_000,
        dn_prefix: b"",
        display_name: b"J\0",
        auxiliary: &[],
    };
    written(&Answer::Done(connected))
}

/// The body of the answer to `Execute`, with these bytes for a ROP buffer.
pub(crate) fn executed(rops: &[u8]) -> Vec<u8> {
    written(&Answer::Done(Executed { error_code: 0, flags: 0, rops, auxiliary: &[] }))
}

/// The body of the answer to `Disconnect`.
pub(crate) fn disconnected() -> Vec<u8> {
    written(&Answer::Done(Disconnected { error_code: 0, auxiliary: &[] }))
}

/// The body of the answer to `NotificationWait`.
pub(crate) fn waited() -> Vec<u8> {
    written(&Answer::Done(Waited { error_code: 0, event_pending: true, auxiliary: &[] }))
}

fn written<'a, T: Body<'a>>(answer: &Answer<'a, T>) -> Vec<u8> {
    let mut body = Vec::new();
    answer.write(&mut body);
    body
}

/// What an answer to `Execute` has in its first payload: the list and the handles.
pub(crate) fn payload(body: &[u8]) -> (Vec<u8>, Vec<u32>) {
    let Answer::Done(done) = Answer::<Executed<'_>>::read(body).unwrap() else { panic!("{body:x?}") };
    let payload = weir_wire::mapi::payload::Payloads::new(done.rops).next().unwrap().unwrap();
    let buffer = RopBuffer::read(&payload.bytes).unwrap();
    (buffer.list().to_vec(), buffer.handles().take(MAX_HANDLES).collect())
}

/// The body behind the envelope of an answer.
pub(crate) fn behind_envelope(answer: &[u8]) -> Vec<u8> {
    let mut envelope = weir_wire::mapi::envelope::Envelope::new();
    envelope.feed(answer).unwrap().to_vec()
}
