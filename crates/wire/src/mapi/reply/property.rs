//! What ROPs for properties and identifiers give.

use super::super::Malformed;
use super::super::codec::{Counted, Plain, layout};
use super::super::error_code::ErrorCode;
use super::super::property::name::PropertyName;
use super::super::property::{PropertyTag, TaggedValue};
use super::super::reader::Reader;
use super::super::row::{self, Cell};
use super::ByColumns;

layout! {
    /// All properties of an object. One that is too long has an error as its value.
    pub struct GetPropertiesAll {
        /// The properties.
        values: Vec<TaggedValue> as Counted<u16, Plain>,
    }

    /// Which properties an object has.
    pub struct GetPropertiesList {
        /// The properties.
        tags: Vec<PropertyTag> as Counted<u16, Plain>,
    }

    /// Those of the properties for which it failed.
    pub struct Problems {
        /// The problems.
        problems: Vec<PropertyProblem> as Counted<u16, Plain>,
    }

    /// Why it failed for a property.
    pub struct PropertyProblem {
        /// The place of the property in the call.
        index: u16,
        /// The property.
        tag: PropertyTag,
        /// Why.
        code: ErrorCode,
    }

    /// The names of properties.
    pub struct GetNamesFromPropertyIds {
        /// The names, in the order of the call.
        names: Vec<PropertyName> as Counted<u16, Plain>,
    }

    /// Which numbers named properties have.
    pub struct GetPropertyIdsFromNames {
        /// The numbers, in the order of the call; 0 is none.
        ids: Vec<u16> as Counted<u16, Plain>,
    }

    /// The long form of an identifier.
    pub struct LongTermIdFromId {
        /// A replica, a number, two bytes that are 0.
        long_term_id: [u8; 24],
    }

    /// The short form of an identifier.
    pub struct IdFromLongTermId {
        /// The identifier.
        id: u64,
    }
}

/// Some properties of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GetPropertiesSpecific {
    /// The properties of the call, which are not sent.
    pub columns: Vec<PropertyTag>,
    /// A cell for each of them.
    pub cells: Vec<Cell>,
}

impl ByColumns for GetPropertiesSpecific {
    fn read(columns: &[PropertyTag], reader: &mut Reader<'_>, _: &'static str) -> Result<Self, Malformed> {
        Ok(Self { columns: columns.to_vec(), cells: row::take(columns, reader)? })
    }

    fn write(&self, out: &mut Vec<u8>) {
        row::write(&self.columns, &self.cells, out);
    }
}
