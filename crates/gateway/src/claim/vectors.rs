//! Tokens of NTLM and SPNEGO for the tests, put together by the layouts of [MS-NLMP] §2.2.1 and RFC 4178 §4.2.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

pub(super) const UNICODE: u32 = 0x1;
pub(super) const OEM: u32 = 0x2;
pub(super) const ANONYMOUS: u32 = 0x800;

/// 1.3.6.1.5.5.2.
pub(super) const SPNEGO: &[u8] = &[0x2b, 6, 1, 5, 5, 2];
/// 1.3.6.1.4.1.311.2.2.10.
const NTLMSSP: &[u8] = &[0x2b, 6, 1, 4, 1, 0x82, 0x37, 2, 2, 0x0a];
/// 1.2.840.113554.1.2.2.
const KERBEROS: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x12, 1, 2, 2];

pub(super) fn base64(bytes: &[u8]) -> Vec<u8> {
    STANDARD.encode(bytes).into_bytes()
}

pub(crate) fn header(scheme: &str, token: &[u8]) -> Vec<u8> {
    [scheme.as_bytes(), b" ", &base64(token)].concat()
}

pub(super) fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// NTLM's first message, with the flags that a client of today sends and no names.
pub(crate) fn ntlm_negotiate() -> Vec<u8> {
    [b"NTLMSSP\0", &[1, 0, 0, 0][..], &0xe208_8297_u32.to_le_bytes(), &[0; 16], &[10, 0, 0, 0, 0, 0, 0, 15]]
        .concat()
}

/// NTLM's second message.
pub(crate) fn ntlm_challenge() -> Vec<u8> {
    [b"NTLMSSP\0", &[2, 0, 0, 0][..], &[0, 0, 0, 0, 56, 0, 0, 0], &[1; 40]].concat()
}

/// NTLM's last message: names as bytes of the character set that `flags` tell, and the two responses.
pub(super) struct Authenticate<'a> {
    pub(super) flags: u32,
    pub(super) domain: &'a [u8],
    pub(super) user: &'a [u8],
    pub(super) lm: &'a [u8],
    pub(super) nt: &'a [u8],
}

impl Authenticate<'_> {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut head = [b"NTLMSSP\0", &[3, 0, 0, 0][..]].concat();
        let mut payload = Vec::new();
        // LM response, NT response, domain, user, workstation, session key.
        for part in [self.lm, self.nt, self.domain, self.user, b"", b""] {
            let length = u16::try_from(part.len()).unwrap().to_le_bytes();
            head.extend([length, length].concat());
            head.extend(u32::try_from(88 + payload.len()).unwrap().to_le_bytes());
            payload.extend_from_slice(part);
        }
        head.extend(self.flags.to_le_bytes());
        // Version and message integrity code.
        head.extend([0; 24]);
        head.extend(payload);
        head
    }
}

/// NTLM's last message of a client that has a password.
pub(crate) fn ntlm_authenticate(domain: &str, user: &str) -> Vec<u8> {
    let (domain, user) = (utf16(domain), utf16(user));
    Authenticate { flags: UNICODE, domain: &domain, user: &user, lm: &[0; 24], nt: &[7; 64] }.bytes()
}

/// One element, its length written as briefly as possible.
pub(super) fn der(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let written = match u8::try_from(length) {
        Ok(short) if short < 0x80 => vec![short],
        Ok(long) => vec![0x81, long],
        Err(_) => [&[0x82][..], &u16::try_from(length).unwrap().to_be_bytes()].concat(),
    };
    [&[tag][..], &written, content].concat()
}

/// A negTokenInit that prefers Kerberos, with these fields after its list of mechanisms.
pub(super) fn init(fields: &[u8]) -> Vec<u8> {
    let mechanisms = der(0xa0, &der(0x30, &[der(0x06, KERBEROS), der(0x06, NTLMSSP)].concat()));
    let body = der(0xa0, &der(0x30, &[&mechanisms, fields].concat()));
    der(0x60, &[der(0x06, SPNEGO), body].concat())
}

/// A negTokenResp of these fields.
pub(super) fn response(fields: &[u8]) -> Vec<u8> {
    der(0xa1, &der(0x30, fields))
}

/// `[2]`: the mechanism's token.
pub(super) fn inner(token: &[u8]) -> Vec<u8> {
    der(0xa2, &der(0x04, token))
}

/// `[3]`: the code over the list of mechanisms.
pub(super) fn mic(bytes: &[u8]) -> Vec<u8> {
    der(0xa3, &der(0x04, bytes))
}

/// `[0]`: the state of the negotiation.
pub(super) fn state(number: u8) -> Vec<u8> {
    der(0xa0, &der(0x0a, &[number]))
}

/// Kerberos as GSS-API sends it: an AP-REQ, or with `[3, 0]` an error.
pub(crate) fn kerberos(kind: [u8; 2], rest: &[u8]) -> Vec<u8> {
    der(0x60, &[&der(0x06, KERBEROS), &kind[..], rest].concat())
}
