//! The query of a request line, in plain text or base64-encoded (MS-ASHTTP, section 2.2.1.1.1).

#[cfg(test)]
mod tests;

use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;

use super::command::Command;

/// The longest query that is read, in bytes.
pub const MAX_QUERY: usize = 4096;

/// Padding may be there or not: devices do both.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// The tag of the user's name among the parameters of an encoded query.
const USER: u8 = 8;

/// What the request line says of a call. All but the command is what the client says of itself.
///
/// ```
/// use weir_wire::eas::{Command, Query};
/// let plain = Query::parse("Cmd=Sync&User=rmjones&DeviceId=v140Device&DeviceType=SmartPhone")?;
/// let encoded = Query::parse("jAAJBAp2MTQwRGV2aWNlAApTbWFydFBob25l")?;
/// assert_eq!(encoded, Query { user: None, ..plain });
/// assert_eq!(encoded.command, Command::Sync);
/// # Ok::<(), weir_wire::eas::QueryError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// What is asked for.
    pub command: Command,
    /// The user's name; an encoded query has one only if it likes.
    pub user: Option<String>,
    /// The device's identifier: text, or a GUID's bytes in hexadecimal digits.
    pub device_id: Option<String>,
    /// The kind of device, such as `iPhone`.
    pub device_type: Option<String>,
}

/// A query that cannot be read. The call is none that hangs; the origin says what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// Longer than is read.
    #[error("the query has {length} bytes, more than {limit}")]
    TooLong {
        /// Its length in bytes.
        length: usize,
        /// The most that is read.
        limit: usize,
    },
    /// In plain text, without a command.
    #[error("the query names no command")]
    NoCommand,
    /// In plain text, with a parameter twice: which one counts is anybody's guess.
    #[error("the query has the parameter {name} twice")]
    Repeated {
        /// The parameter.
        name: &'static str,
    },
    /// Neither plain text nor base64.
    #[error("the query is neither plain text nor base64")]
    Encoding,
    /// Base64 of something that ends too early.
    #[error("the encoded query ends within its {field}")]
    Short {
        /// Where it ends.
        field: &'static str,
    },
    /// A policy key that is neither absent nor four bytes long.
    #[error("the encoded query has a policy key of {length} bytes; only 0 and 4 exist")]
    PolicyKey {
        /// The length it states.
        length: u8,
    },
}

impl Query {
    /// Reads a query, given without its question mark.
    ///
    /// # Errors
    /// [`QueryError`] where it cannot be read beyond doubt: a call must not pass for another at the origin.
    pub fn parse(query: &str) -> Result<Self, QueryError> {
        if query.len() > MAX_QUERY {
            return Err(QueryError::TooLong { length: query.len(), limit: MAX_QUERY });
        }
        let padding_only = |rest: &str| rest.bytes().all(|byte| byte == b'=');
        match query.split_once('=') {
            Some((_, rest)) if !padding_only(rest) => Self::plain(query),
            Some(_) | None if query.contains('&') => Self::plain(query),
            Some(_) | None => Self::encoded(query),
        }
    }

    fn plain(query: &str) -> Result<Self, QueryError> {
        let (mut command, mut user, mut device_id, mut device_type) = (None, None, None, None);
        for parameter in query.split('&') {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let name = decoded(name);
            let (name, place) = match name.to_ascii_lowercase().as_str() {
                "cmd" => ("Cmd", &mut command),
                "user" => ("User", &mut user),
                "deviceid" => ("DeviceId", &mut device_id),
                "devicetype" => ("DeviceType", &mut device_type),
                _ => continue,
            };
            if place.replace(decoded(value)).is_some() {
                return Err(QueryError::Repeated { name });
            }
        }
        let command = command.filter(|name| !name.is_empty()).ok_or(QueryError::NoCommand)?;
        let given = |value: Option<String>| value.filter(|value| !value.is_empty());
        Ok(Self {
            command: Command::from_name(&command),
            user: given(user),
            device_id: given(device_id),
            device_type: given(device_type),
        })
    }

    fn encoded(query: &str) -> Result<Self, QueryError> {
        // A plus sign is one of base64's own here, not a space.
        let query: Vec<u8> = percent_decode_str(query).collect();
        let bytes = BASE64.decode(query).map_err(|_| QueryError::Encoding)?;
        let mut fields = Fields { left: &bytes };
        fields.byte("protocol version")?;
        let command = Command::from_code(fields.byte("command code")?);
        fields.take(2, "locale")?;
        let device_id = fields.counted("device identifier")?;
        match fields.byte("policy key")? {
            length @ (0 | 4) => fields.take(length.into(), "policy key")?,
            length => return Err(QueryError::PolicyKey { length }),
        };
        let device_type = fields.counted("device type")?;
        let given = |field: &[u8]| (!field.is_empty()).then(|| text(field));
        let mut user = None;
        while let Some(tag) = fields.next() {
            let value = fields.counted("parameters")?;
            if tag == USER && user.replace(value).is_some() {
                return Err(QueryError::Repeated { name: "User" });
            }
        }
        let user = user.and_then(given);
        Ok(Self { command, user, device_id: given(device_id), device_type: given(device_type) })
    }
}

/// Percent signs and plus signs resolved, as forms have them.
fn decoded(text: &str) -> String {
    percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned()
}

/// Text as it is; anything else, such as a GUID, in hexadecimal digits.
fn text(field: &[u8]) -> String {
    match str::from_utf8(field) {
        Ok(text) if !text.chars().any(char::is_control) => text.to_owned(),
        Ok(_) | Err(_) => field.iter().fold(String::new(), |digits, byte| digits + &format!("{byte:02X}")),
    }
}

/// The fields of an encoded query, front to back.
struct Fields<'a> {
    left: &'a [u8],
}

impl<'a> Fields<'a> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.left.split_first()?;
        self.left = rest;
        Some(*first)
    }

    fn byte(&mut self, field: &'static str) -> Result<u8, QueryError> {
        self.next().ok_or(QueryError::Short { field })
    }

    fn take(&mut self, length: usize, field: &'static str) -> Result<&'a [u8], QueryError> {
        let (taken, rest) = self.left.split_at_checked(length).ok_or(QueryError::Short { field })?;
        self.left = rest;
        Ok(taken)
    }

    /// A field behind the byte that states its length.
    fn counted(&mut self, field: &'static str) -> Result<&'a [u8], QueryError> {
        let length = self.byte(field)?;
        self.take(length.into(), field)
    }
}
