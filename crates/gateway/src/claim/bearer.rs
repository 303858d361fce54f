//! The name in a bearer token, where the token is a JSON web token (RFC 7519).
//!
//! The signature is the origin's to check; here the payload is only read. A token of another kind – opaque, encrypted –
//! names nobody. So does a payload with a claim that occurs twice: two readers could each take another one.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::Deserialize;
use serde_json::Value;

use super::ClaimedName;

/// The longest payload that is read, in bytes of Base64.
const MAX_PAYLOAD_BYTES: usize = 32 << 10;

/// The standard leaves the padding out; some issuers do not.
const BASE64_URL: GeneralPurpose = GeneralPurpose::new(
    &alphabet::URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The claims that show a name; all others are skipped.
#[derive(Deserialize)]
struct Payload {
    upn: Option<String>,
    preferred_username: Option<String>,
    email: Option<String>,
    email_verified: Option<Value>,
}

/// The name that `token` shows.
///
/// The first of `upn`, `preferred_username` and `email` that is there decides, even if it is no plausible name; what
/// follows it is easier for the user to edit. An e-mail address that the issuer calls unverified is no name at all.
pub(super) fn name(token: &[u8]) -> Option<ClaimedName> {
    let mut parts = token.split(|byte| *byte == b'.');
    let (_header, payload, _signature) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || payload.len() > MAX_PAYLOAD_BYTES || !token.iter().copied().all(is_token68) {
        return None;
    }
    let payload: Payload = serde_json::from_slice(&BASE64_URL.decode(payload).ok()?).ok()?;
    // Some issuers write the truth as a string.
    let verified = payload.email_verified.is_none_or(|value| value == true || value == "true");
    let email = payload.email.filter(|_| verified);
    ClaimedName::of(&payload.upn.or(payload.preferred_username).or(email)?)
}

/// The characters of a bearer token (RFC 6750 §2.1). With others in it, the origin may see another token.
fn is_token68(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte)
}

#[cfg(test)]
mod tests;
