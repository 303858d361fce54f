//! The bodies of `Connect` (MS-OXCMAPIHTTP, section 2.2.4.1).

use super::super::Malformed;
use super::super::reader::Reader;
use super::{Body, MAX_USER_DN, at_most, auxiliary, put, put_sized};

/// The body of a request to begin a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectRequest<'a> {
    /// The distinguished name of the user, without its zero. It is what the client says, and no proof of anything.
    pub user_dn: &'a [u8],
    /// Flags.
    pub flags: u32,
    /// The code page of text that is not Unicode.
    pub code_page: u32,
    /// The locale to sort by.
    pub sort_locale: u32,
    /// The locale of everything else.
    pub string_locale: u32,
    /// The auxiliary buffer.
    pub auxiliary: &'a [u8],
}

impl<'a> ConnectRequest<'a> {
    /// Reads a body.
    ///
    /// # Errors
    ///
    /// What is no such body.
    pub fn read(body: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(body);
        let user_dn = at_most(reader.text8("the user")?, MAX_USER_DN, "the user")?;
        let mut number = || reader.u32("a fixed part");
        let (flags, code_page, sort_locale, string_locale) = (number()?, number()?, number()?, number()?);
        let auxiliary = auxiliary(reader)?;
        Ok(Self { user_dn, flags, code_page, sort_locale, string_locale, auxiliary })
    }

    /// Appends it.
    pub fn write(&self, body: &mut Vec<u8>) {
        body.extend(self.user_dn);
        body.push(0);
        put(body, &[self.flags, self.code_page, self.sort_locale, self.string_locale]);
        put_sized(body, self.auxiliary);
    }
}

/// The body of the answer, behind its status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connected<'a> {
    /// Why there is no session, or 0.
    pub error_code: u32,
    /// The longest time between two questions for notifications, in milliseconds.
    pub polls_max: u32,
    /// How often a call is tried again that found the server too busy.
    pub retry_count: u32,
    /// How long before each, in milliseconds.
    pub retry_delay: u32,
    /// What distinguished names begin with, without its zero.
    pub dn_prefix: &'a [u8],
    /// The user's name in UTF-16, without its zero.
    pub display_name: &'a [u8],
    /// The auxiliary buffer.
    pub auxiliary: &'a [u8],
}

impl<'a> Body<'a> for Connected<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let mut number = || reader.u32("a fixed part");
        let (error_code, polls_max, retry_count, retry_delay) = (number()?, number()?, number()?, number()?);
        let dn_prefix = reader.text8("the prefix of names")?;
        let display_name = reader.text16("the user's name")?;
        let auxiliary = auxiliary(reader)?;
        Ok(Self { error_code, polls_max, retry_count, retry_delay, dn_prefix, display_name, auxiliary })
    }

    fn write(&self, body: &mut Vec<u8>) {
        put(body, &[self.error_code, self.polls_max, self.retry_count, self.retry_delay]);
        body.extend(self.dn_prefix);
        body.push(0);
        body.extend(self.display_name);
        body.extend([0, 0]);
        put_sized(body, self.auxiliary);
    }
}
