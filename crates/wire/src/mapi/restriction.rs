//! Restrictions: which rows a table shows, and which message a rule is for (MS-OXCDATA, section 2.12).
//!
//! They nest; how deep is bounded. Counts are as ROPs have them, of two bytes.

#[cfg(test)]
pub(super) mod tests;

use super::Malformed;
use super::codec::{Codec, Counted, Plain};
use super::property::{PropertyTag, TaggedValue};
use super::reader::Reader;

/// How deep restrictions may nest, those within values included.
pub const MAX_RESTRICTION_DEPTH: usize = 64;

/// A condition that an object meets or does not.
#[derive(Clone, Debug, PartialEq)]
pub enum Restriction {
    /// All of these hold.
    And(Vec<Restriction>),
    /// One of these holds.
    Or(Vec<Restriction>),
    /// This does not hold.
    Not(Box<Restriction>),
    /// A text or binary property contains a value.
    Content {
        /// Where in it: [`Self::FULL_STRING`], [`Self::SUBSTRING`] or [`Self::PREFIX`].
        place: u16,
        /// What is overlooked: [`Self::IGNORE_CASE`] and others.
        fuzziness: u16,
        /// The property.
        tag: PropertyTag,
        /// The value. Where its tag has several values, one of the property's.
        value: TaggedValue,
    },
    /// A property and a value compare so.
    Property {
        /// How.
        operator: Operator,
        /// The property.
        tag: PropertyTag,
        /// The value.
        value: TaggedValue,
    },
    /// Two properties compare so.
    CompareProperties {
        /// How.
        operator: Operator,
        /// The first.
        left: PropertyTag,
        /// The second.
        right: PropertyTag,
    },
    /// Of some bits of a number none is set, or one is.
    BitMask {
        /// Whether one must be.
        set: bool,
        /// The property.
        tag: PropertyTag,
        /// The bits.
        mask: u32,
    },
    /// The size of a property's value compares so.
    Size {
        /// How.
        operator: Operator,
        /// The property.
        tag: PropertyTag,
        /// What it is compared with, in bytes.
        size: u32,
    },
    /// The object has the property.
    Exist(PropertyTag),
    /// A recipient or an attachment of a message meets a condition.
    SubRestriction {
        /// Of what: recipients or attachments.
        of: PropertyTag,
        /// The condition.
        restriction: Box<Restriction>,
    },
    /// What is noted here means nothing; the condition, if there is one, does.
    Comment {
        /// What is noted.
        values: Vec<TaggedValue>,
        /// The condition.
        restriction: Option<Box<Restriction>>,
    },
    /// The first so many that meet a condition.
    Count {
        /// How many.
        count: u32,
        /// The condition.
        restriction: Box<Restriction>,
    },
}

/// How two things are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operator(pub u8);

impl Operator {
    /// The first is less.
    pub const LESS: Self = Self(0);
    /// The first is less, or they are equal.
    pub const LESS_OR_EQUAL: Self = Self(1);
    /// The first is greater.
    pub const GREATER: Self = Self(2);
    /// The first is greater, or they are equal.
    pub const GREATER_OR_EQUAL: Self = Self(3);
    /// They are equal.
    pub const EQUAL: Self = Self(4);
    /// They are not equal.
    pub const NOT_EQUAL: Self = Self(5);
    /// The first matches a pattern. Servers need not know that.
    pub const MATCHES: Self = Self(6);
    /// The first is a member of a list.
    pub const MEMBER_OF: Self = Self(0x64);
}

impl Codec<Operator> for Plain {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<Operator, Malformed> {
        reader.u8(what).map(Operator)
    }

    fn write(value: &Operator, out: &mut Vec<u8>) {
        out.push(value.0);
    }
}

const RESTRICTION: &str = "a restriction";

/// The kinds of restrictions, as they are sent.
mod kind {
    pub(super) const AND: u8 = 0x00;
    pub(super) const OR: u8 = 0x01;
    pub(super) const NOT: u8 = 0x02;
    pub(super) const CONTENT: u8 = 0x03;
    pub(super) const PROPERTY: u8 = 0x04;
    pub(super) const COMPARE_PROPERTIES: u8 = 0x05;
    pub(super) const BIT_MASK: u8 = 0x06;
    pub(super) const SIZE: u8 = 0x07;
    pub(super) const EXIST: u8 = 0x08;
    pub(super) const SUB_RESTRICTION: u8 = 0x09;
    pub(super) const COMMENT: u8 = 0x0A;
    pub(super) const COUNT: u8 = 0x0B;
}

impl Restriction {
    /// The whole of a property is the value.
    pub const FULL_STRING: u16 = 0;
    /// The value stands somewhere in the property.
    pub const SUBSTRING: u16 = 1;
    /// The property begins with the value.
    pub const PREFIX: u16 = 2;

    /// Upper and lower case are the same.
    pub const IGNORE_CASE: u16 = 1;
    /// Accents and the like do not matter.
    pub const IGNORE_MARKS: u16 = 2;
    /// Whatever a server takes for similar is.
    pub const LOOSE: u16 = 4;

    /// Reads bytes that are a restriction and nothing else.
    ///
    /// # Errors
    ///
    /// What is none, or nests deeper than [`MAX_RESTRICTION_DEPTH`].
    pub fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let restriction = Plain::read(&mut reader, RESTRICTION)?;
        reader.end(RESTRICTION)?;
        Ok(restriction)
    }

    /// Appends it.
    pub fn write(&self, out: &mut Vec<u8>) {
        Plain::write(self, out);
    }
}

/// Takes fields, one after the other.
fn take<T>(reader: &mut Reader<'_>) -> Result<T, Malformed>
where
    Plain: Codec<T>,
{
    Plain::read(reader, RESTRICTION)
}

/// Appends fields, one after the other.
macro_rules! put {
    ($out:ident, $($field:expr),*) => { { $( Plain::write($field, $out); )* } };
}

impl Codec<Restriction> for Plain {
    fn read(reader: &mut Reader<'_>, _: &'static str) -> Result<Restriction, Malformed> {
        reader.nested(MAX_RESTRICTION_DEPTH, "the nesting of restrictions", read_kind)
    }

    fn write(value: &Restriction, out: &mut Vec<u8>) {
        match value {
            Restriction::And(all) => {
                out.push(kind::AND);
                Counted::<u16, Self>::write(all, out);
            }
            Restriction::Or(any) => {
                out.push(kind::OR);
                Counted::<u16, Self>::write(any, out);
            }
            Restriction::Not(negated) => put!(out, &kind::NOT, negated),
            Restriction::Content { place, fuzziness, tag, value } => {
                put!(out, &kind::CONTENT, place, fuzziness, tag, value);
            }
            Restriction::Property { operator, tag, value } => {
                put!(out, &kind::PROPERTY, operator, tag, value);
            }
            Restriction::CompareProperties { operator, left, right } => {
                put!(out, &kind::COMPARE_PROPERTIES, operator, left, right);
            }
            Restriction::BitMask { set, tag, mask } => put!(out, &kind::BIT_MASK, set, tag, mask),
            Restriction::Size { operator, tag, size } => put!(out, &kind::SIZE, operator, tag, size),
            Restriction::Exist(tag) => put!(out, &kind::EXIST, tag),
            Restriction::SubRestriction { of, restriction } => {
                put!(out, &kind::SUB_RESTRICTION, of, restriction);
            }
            Restriction::Comment { values, restriction } => {
                out.push(kind::COMMENT);
                Counted::<u8, Self>::write(values, out);
                put!(out, &restriction.is_some());
                if let Some(restriction) = restriction {
                    put!(out, restriction);
                }
            }
            Restriction::Count { count, restriction } => put!(out, &kind::COUNT, count, restriction),
        }
    }
}

fn read_kind(reader: &mut Reader<'_>) -> Result<Restriction, Malformed> {
    Ok(match reader.u8(RESTRICTION)? {
        kind::AND => Restriction::And(Counted::<u16, Plain>::read(reader, RESTRICTION)?),
        kind::OR => Restriction::Or(Counted::<u16, Plain>::read(reader, RESTRICTION)?),
        kind::NOT => Restriction::Not(take(reader)?),
        kind::CONTENT => Restriction::Content {
            place: take(reader)?,
            fuzziness: take(reader)?,
            tag: take(reader)?,
            value: take(reader)?,
        },
        kind::PROPERTY => {
            Restriction::Property { operator: take(reader)?, tag: take(reader)?, value: take(reader)? }
        }
        kind::COMPARE_PROPERTIES => Restriction::CompareProperties {
            operator: take(reader)?,
            left: take(reader)?,
            right: take(reader)?,
        },
        kind::BIT_MASK => {
            Restriction::BitMask { set: take(reader)?, tag: take(reader)?, mask: take(reader)? }
        }
        kind::SIZE => Restriction::Size { operator: take(reader)?, tag: take(reader)?, size: take(reader)? },
        kind::EXIST => Restriction::Exist(take(reader)?),
        kind::SUB_RESTRICTION => {
            Restriction::SubRestriction { of: take(reader)?, restriction: take(reader)? }
        }
        kind::COMMENT => Restriction::Comment {
            values: Counted::<u8, Plain>::read(reader, RESTRICTION)?,
            restriction: take::<bool>(reader)?.then(|| take(reader)).transpose()?,
        },
        kind::COUNT => Restriction::Count { count: take(reader)?, restriction: take(reader)? },
        _ => return Err(Malformed::Wrong("the kind of a restriction")),
    })
}
