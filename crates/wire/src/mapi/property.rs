//! Properties: their tags, types and values (MS-OXCDATA, section 2.11).
//!
//! Whatever a mailbox holds is an object with properties. A tag is a number of which the upper half names the property
//! and the lower half the type of its value. Values stand in ROPs as here: the bytes of a binary value are counted in
//! two bytes, the values of a property that has several in four – which the documents said otherwise for years.
//!
//! Objects have no value that could be sent; they are opened. The actions of a rule stay bytes: nobody here looks into
//! them.

pub mod name;
pub mod tag;
#[cfg(test)]
pub(super) mod tests;

use std::fmt;

use super::Malformed;
use super::codec::{Codec, Counted, Plain, Sized, Text8, Text16};
use super::reader::Reader;
use super::restriction::Restriction;

/// The tag of a property: what it is, and the type of its value.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PropertyTag(pub u32);

impl PropertyTag {
    /// The tag of the property `id` with values of that type.
    #[expect(clippy::as_conversions, reason = "lossless; `From` is not const")]
    pub const fn new(id: u16, kind: PropertyType) -> Self {
        Self((id as u32) << 16 | kind.0 as u32)
    }

    /// Which property it is, whatever its type.
    #[expect(clippy::as_conversions, reason = "the upper half")]
    pub const fn id(self) -> u16 {
        (self.0 >> 16) as u16
    }

    /// The type of its value.
    #[expect(clippy::as_conversions, reason = "the lower half")]
    pub const fn kind(self) -> PropertyType {
        PropertyType((self.0 & 0xFFFF) as u16)
    }

    /// The same property with values of another type.
    #[must_use]
    pub const fn with_kind(self, kind: PropertyType) -> Self {
        Self::new(self.id(), kind)
    }

    /// Whether its name, and not its number, says what it is: the number is then this mailbox's own.
    pub const fn is_named(self) -> bool {
        self.id() >= 0x8000
    }
}

impl fmt::Debug for PropertyTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PropertyTag({self})")
    }
}

impl fmt::Display for PropertyTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#010x}", self.0)
    }
}

impl Codec<PropertyTag> for Plain {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<PropertyTag, Malformed> {
        reader.u32(what).map(PropertyTag)
    }

    fn write(value: &PropertyTag, out: &mut Vec<u8>) {
        Self::write(&value.0, out);
    }
}

/// The type of a property's value.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PropertyType(pub u16);

impl PropertyType {
    /// Any: the value says itself of which type it is.
    pub const UNSPECIFIED: Self = Self(0x0000);
    /// An object, to be opened: no value.
    pub const OBJECT: Self = Self(0x000D);
    /// The bits of one row for each of a property's several values.
    pub const INSTANCE: Self = Self(0x3000);

    /// The type of one value, where a table has a row for each of several.
    #[must_use]
    pub const fn single(self) -> Self {
        if self.0 & Self::INSTANCE.0 == Self::INSTANCE.0 { Self(self.0 & !Self::INSTANCE.0) } else { self }
    }
}

impl fmt::Debug for PropertyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PropertyType({self})")
    }
}

impl fmt::Display for PropertyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#06x}", self.0)
    }
}

impl Codec<PropertyType> for Plain {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<PropertyType, Malformed> {
        reader.u16(what).map(PropertyType)
    }

    fn write(value: &PropertyType, out: &mut Vec<u8>) {
        Self::write(&value.0, out);
    }
}

/// Declares the types that have values: the constant, the variant, what it holds, and how that is sent.
macro_rules! values {
    ($( $(#[$meta:meta])* $constant:ident = $number:literal: $variant:ident($content:ty) as $codec:ty; )*) => {
        impl PropertyType {
            $( $(#[$meta])* pub const $constant: Self = Self($number); )*
        }

        /// The value of a property.
        #[derive(Clone, Debug, PartialEq)]
        pub enum PropertyValue {
            /// Nothing.
            Null,
            $( $(#[$meta])* $variant($content), )*
        }

        impl PropertyValue {
            /// Its type.
            pub const fn kind(&self) -> PropertyType {
                match self {
                    Self::Null => PropertyType::NULL,
                    $( Self::$variant(_) => PropertyType::$constant, )*
                }
            }

            /// Takes a value of that type.
            pub(super) fn read(kind: PropertyType, reader: &mut Reader<'_>) -> Result<Self, Malformed> {
                match kind.single() {
                    PropertyType::NULL => Ok(Self::Null),
                    $( PropertyType::$constant => <$codec>::read(reader, VALUE).map(Self::$variant), )*
                    PropertyType(_) => Err(Malformed::UnknownType(kind.0)),
                }
            }

            /// Appends it, without its type.
            pub fn write(&self, out: &mut Vec<u8>) {
                match self {
                    Self::Null => {}
                    $( Self::$variant(value) => <$codec>::write(value, out), )*
                }
            }
        }
    };
}

const VALUE: &str = "a property's value";

values! {
    /// A number of two bytes.
    INTEGER16 = 0x0002: Integer16(i16) as Plain;
    /// A number of four bytes.
    INTEGER32 = 0x0003: Integer32(i32) as Plain;
    /// A floating-point number of four bytes.
    FLOATING32 = 0x0004: Floating32(f32) as Plain;
    /// A floating-point number of eight bytes.
    FLOATING64 = 0x0005: Floating64(f64) as Plain;
    /// An amount of money, in ten-thousandths.
    CURRENCY = 0x0006: Currency(i64) as Plain;
    /// A time, in days since the end of 1899.
    FLOATING_TIME = 0x0007: FloatingTime(f64) as Plain;
    /// Why there is no value.
    ERROR_CODE = 0x000A: ErrorCode(u32) as Plain;
    /// Yes or no.
    BOOLEAN = 0x000B: Boolean(bool) as Plain;
    /// A number of eight bytes.
    INTEGER64 = 0x0014: Integer64(i64) as Plain;
    /// Text of one-byte characters, without its zero.
    STRING8 = 0x001E: String8(Vec<u8>) as Text8;
    /// Text.
    UNICODE = 0x001F: Unicode(String) as Text16;
    /// A time, in tenths of microseconds since the beginning of 1601.
    TIME = 0x0040: Time(u64) as Plain;
    /// A GUID, as it is sent.
    GUID = 0x0048: Guid([u8; 16]) as Plain;
    /// Where a folder or a message is to be found.
    SERVER_ID = 0x00FB: ServerId(Vec<u8>) as Sized<u16>;
    /// A restriction.
    RESTRICTION = 0x00FD: Restriction(Box<Restriction>) as Plain;
    /// The actions of a rule, each as bytes.
    RULE_ACTION = 0x00FE: RuleAction(Vec<Vec<u8>>) as Counted<u16, Sized<u16>>;
    /// Bytes.
    BINARY = 0x0102: Binary(Vec<u8>) as Sized<u16>;
    /// Numbers of two bytes.
    MULTIPLE_INTEGER16 = 0x1002: MultipleInteger16(Vec<i16>) as Several<Plain>;
    /// Numbers of four bytes.
    MULTIPLE_INTEGER32 = 0x1003: MultipleInteger32(Vec<i32>) as Several<Plain>;
    /// Floating-point numbers of four bytes.
    MULTIPLE_FLOATING32 = 0x1004: MultipleFloating32(Vec<f32>) as Several<Plain>;
    /// Floating-point numbers of eight bytes.
    MULTIPLE_FLOATING64 = 0x1005: MultipleFloating64(Vec<f64>) as Several<Plain>;
    /// Amounts of money, in ten-thousandths.
    MULTIPLE_CURRENCY = 0x1006: MultipleCurrency(Vec<i64>) as Several<Plain>;
    /// Times, in days since the end of 1899.
    MULTIPLE_FLOATING_TIME = 0x1007: MultipleFloatingTime(Vec<f64>) as Several<Plain>;
    /// Numbers of eight bytes.
    MULTIPLE_INTEGER64 = 0x1014: MultipleInteger64(Vec<i64>) as Several<Plain>;
    /// Texts of one-byte characters.
    MULTIPLE_STRING8 = 0x101E: MultipleString8(Vec<Vec<u8>>) as Several<Text8>;
    /// Texts.
    MULTIPLE_UNICODE = 0x101F: MultipleUnicode(Vec<String>) as Several<Text16>;
    /// Times, in tenths of microseconds since the beginning of 1601.
    MULTIPLE_TIME = 0x1040: MultipleTime(Vec<u64>) as Several<Plain>;
    /// GUIDs, as they are sent.
    MULTIPLE_GUID = 0x1048: MultipleGuid(Vec<[u8; 16]>) as Several<Plain>;
    /// Several times bytes.
    MULTIPLE_BINARY = 0x1102: MultipleBinary(Vec<Vec<u8>>) as Several<Sized<u16>>;
}

type Several<C> = Counted<u32, C>;

impl PropertyType {
    /// No value.
    pub const NULL: Self = Self(0x0001);
}

/// A property and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct TaggedValue {
    /// The property.
    pub tag: PropertyTag,
    /// Its value.
    pub value: PropertyValue,
}

impl TaggedValue {
    /// That property with that value.
    pub const fn new(tag: PropertyTag, value: PropertyValue) -> Self {
        Self { tag, value }
    }
}

impl Codec<TaggedValue> for Plain {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<TaggedValue, Malformed> {
        let tag: PropertyTag = Self::read(reader, what)?;
        Ok(TaggedValue { tag, value: PropertyValue::read(tag.kind(), reader)? })
    }

    /// A value of another type than its tag says is sent with the type that it has.
    fn write(tagged: &TaggedValue, out: &mut Vec<u8>) {
        let (tag, kind) = (tagged.tag, tagged.value.kind());
        let tag = if tag.kind().single() == kind { tag } else { tag.with_kind(kind) };
        Self::write(&tag, out);
        tagged.value.write(out);
    }
}
