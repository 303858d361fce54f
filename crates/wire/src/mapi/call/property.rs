//! Properties of whatever is open, their names, and identifiers.

use super::super::Malformed;
use super::super::codec::{Codec, Counted, Plain, Sized, layout};
use super::super::property::name::PropertyName;
use super::super::property::{PropertyTag, TaggedValue};
use super::super::reader::Reader;

layout! {
    /// Asks for some properties.
    pub struct GetPropertiesSpecific {
        /// The place of the object's handle.
        input: u8,
        /// The longest value that is sent, in bytes; 0 is no limit.
        size_limit: u16,
        /// Whether texts are to have two-byte characters.
        want_unicode: u16,
        /// The properties.
        tags: Vec<PropertyTag> as Counted<u16, Plain>,
    }

    /// Asks for all properties.
    pub struct GetPropertiesAll {
        /// The place of the object's handle.
        input: u8,
        /// The longest value that is sent, in bytes; 0 is no limit.
        size_limit: u16,
        /// Whether texts are to have two-byte characters.
        want_unicode: u16,
    }

    /// Asks which properties there are.
    pub struct GetPropertiesList {
        /// The place of the object's handle.
        input: u8,
    }

    /// Sets properties.
    pub struct SetProperties {
        /// The place of the object's handle.
        input: u8,
        /// The properties and their values.
        values: Vec<TaggedValue> as SizedValues,
    }

    /// Takes properties away.
    pub struct DeleteProperties {
        /// The place of the object's handle.
        input: u8,
        /// The properties.
        tags: Vec<PropertyTag> as Counted<u16, Plain>,
    }

    /// Asks for the names of properties.
    pub struct GetNamesFromPropertyIds {
        /// The place of any handle.
        input: u8,
        /// The properties.
        ids: Vec<u16> as Counted<u16, Plain>,
    }

    /// Asks which numbers named properties have.
    pub struct GetPropertyIdsFromNames {
        /// The place of any handle.
        input: u8,
        /// [`Self::CREATE`], if those that have none get one.
        flags: u8,
        /// The names; without any, all that there are.
        names: Vec<PropertyName> as Counted<u16, Plain>,
    }

    /// Asks for the long form of an identifier.
    pub struct LongTermIdFromId {
        /// The place of the mailbox's handle.
        input: u8,
        /// The identifier.
        id: u64,
    }

    /// Asks for the short form of an identifier.
    pub struct IdFromLongTermId {
        /// The place of the mailbox's handle.
        input: u8,
        /// The identifier: a replica, a number, two bytes that are 0.
        long_term_id: [u8; 24],
    }
}

impl GetPropertyIdsFromNames {
    /// Names that have no number get one.
    pub const CREATE: u8 = 0x02;
}

/// Values behind their size, and then their number.
pub(in super::super) enum SizedValues {}

impl Codec<Vec<TaggedValue>> for SizedValues {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<Vec<TaggedValue>, Malformed> {
        let mut sized = Reader::new(reader.sized16(what)?);
        let values = Counted::<u16, Plain>::read(&mut sized, what)?;
        sized.end(what)?;
        Ok(values)
    }

    fn write(value: &Vec<TaggedValue>, out: &mut Vec<u8>) {
        let mut bytes = Vec::new();
        Counted::<u16, Plain>::write(value, &mut bytes);
        Sized::<u16>::write(&bytes, out);
    }
}
