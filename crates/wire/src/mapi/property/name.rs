//! Names of properties that have no number of their own (MS-OXCDATA, section 2.6.1).

#[cfg(test)]
pub(in super::super) mod tests;

use super::super::Malformed;
use super::super::codec::{Codec, Plain, Sized};
use super::super::reader::Reader;

/// The name of a property, in a namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyName {
    /// The namespace: a GUID, as it is sent.
    pub namespace: [u8; 16],
    /// What it is called there.
    pub name: Name,
}

/// What a property is called in its namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// A number.
    Number(u32),
    /// A text.
    Text(String),
    /// It has no name.
    None,
}

/// The longest name, in units of two bytes: with its zero its size has one byte.
pub const MAX_NAME: usize = 126;

const NUMBER: u8 = 0;
const TEXT: u8 = 1;
const NONE: u8 = 0xFF;

impl Codec<PropertyName> for Plain {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<PropertyName, Malformed> {
        let kind = reader.u8(what)?;
        let namespace = reader.array(what)?;
        let name = match kind {
            NUMBER => Name::Number(reader.u32(what)?),
            TEXT => {
                let bytes: Vec<u8> = Sized::<u8>::read(reader, what)?;
                let units = bytes.as_chunks().0.iter().map(|pair| u16::from_le_bytes(*pair));
                let units: Vec<_> = units.take_while(|unit| *unit != 0).collect();
                // One without its zero may be longer than could be written.
                if units.len() > MAX_NAME {
                    return Err(Malformed::TooLong { what: "a property's name", limit: MAX_NAME });
                }
                Name::Text(String::from_utf16_lossy(&units))
            }
            NONE => Name::None,
            _ => return Err(Malformed::Wrong("the kind of a property's name")),
        };
        Ok(PropertyName { namespace, name })
    }

    /// A text that is longer than [`MAX_NAME`] is cut off.
    fn write(value: &PropertyName, out: &mut Vec<u8>) {
        out.push(match value.name {
            Name::Number(_) => NUMBER,
            Name::Text(_) => TEXT,
            Name::None => NONE,
        });
        out.extend(value.namespace);
        match &value.name {
            Name::Number(number) => Self::write(number, out),
            Name::Text(text) => {
                let units = text.encode_utf16().take_while(|unit| *unit != 0).take(MAX_NAME);
                let bytes = units.chain([0]).flat_map(u16::to_le_bytes).collect();
                Sized::<u8>::write(&bytes, out);
            }
            Name::None => {}
        }
    }
}
