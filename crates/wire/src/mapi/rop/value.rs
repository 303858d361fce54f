//! How long values of properties are, in the few ROPs that send them without a size (MS-OXCDATA, 2.11 and 2.12).
//!
//! Counts are as ROPs have them: bytes of a binary value in two bytes, values of a property that has several in four –
//! which the documents said otherwise for years. Restrictions nest; how deep is bounded, and every loop uses up bytes.

#[cfg(test)]
mod tests;

use super::super::Malformed;
use super::super::reader::Reader;

/// How deep restrictions may nest.
pub const MAX_RESTRICTION_DEPTH: usize = 64;

const VALUE: &str = "a property's value";
const RESTRICTION: &str = "a restriction";

/// The bits of a type that say how many values a property has: several, or this one of several. None of them is one.
const SEVERAL: u16 = 0x1000;
const ONE_OF_SEVERAL: u16 = 0x3000;

/// Passes over a count of two bytes and as many values with their tags.
pub(super) fn skip_values(reader: &mut Reader<'_>) -> Result<(), Malformed> {
    for _ in 0..reader.count16(VALUE)? {
        skip_tagged(reader, 0)?;
    }
    Ok(())
}

/// Passes over a tag, of which the lower half is the type, and the value.
fn skip_tagged(reader: &mut Reader<'_>, depth: usize) -> Result<(), Malformed> {
    let kind = reader.u16(VALUE)?;
    reader.skip(1, 2, VALUE)?;
    match kind & ONE_OF_SEVERAL {
        SEVERAL => skip_several(reader, kind & !SEVERAL, depth),
        ONE_OF_SEVERAL => skip_value(reader, kind & !ONE_OF_SEVERAL, depth),
        _ => skip_value(reader, kind, depth),
    }
}

fn skip_several(reader: &mut Reader<'_>, kind: u16, depth: usize) -> Result<(), Malformed> {
    for _ in 0..reader.count32(VALUE)? {
        let before = reader.rest().len();
        skip_value(reader, kind, depth)?;
        // A type without bytes would let a count run on for nothing.
        if reader.rest().len() == before {
            return Err(Malformed::UnknownType(kind | SEVERAL));
        }
    }
    Ok(())
}

fn skip_value(reader: &mut Reader<'_>, kind: u16, depth: usize) -> Result<(), Malformed> {
    let fixed = match kind {
        0x0001 => 0,
        0x000B => 1,
        0x0002 => 2,
        0x0003 | 0x0004 | 0x000A => 4,
        0x0005 | 0x0006 | 0x0007 | 0x0014 | 0x0040 => 8,
        0x0048 => 16,
        0x001E => return reader.text8(VALUE).map(drop),
        0x001F => return reader.text16(VALUE).map(drop),
        // Binary data, and a server's identifier of a thing.
        0x0102 | 0x00FB => return reader.sized16(VALUE).map(drop),
        0x00FD => return skip_restriction(reader, depth),
        0x00FE => {
            // The actions of a rule.
            for _ in 0..reader.count16(VALUE)? {
                reader.sized16(VALUE)?;
            }
            return Ok(());
        }
        unknown => return Err(Malformed::UnknownType(unknown)),
    };
    reader.skip(1, fixed, VALUE)
}

fn skip_restriction(reader: &mut Reader<'_>, depth: usize) -> Result<(), Malformed> {
    if depth >= MAX_RESTRICTION_DEPTH {
        return Err(Malformed::TooLong { what: "the nesting of restrictions", limit: MAX_RESTRICTION_DEPTH });
    }
    let depth = depth + 1;
    match reader.u8(RESTRICTION)? {
        // And, or: a count and as many.
        0x00 | 0x01 => {
            for _ in 0..reader.count16(RESTRICTION)? {
                skip_restriction(reader, depth)?;
            }
            Ok(())
        }
        // Not.
        0x02 => skip_restriction(reader, depth),
        // Content: two levels of fuzziness, a tag, a value.
        0x03 => {
            reader.skip(1, 2 + 2 + 4, RESTRICTION)?;
            skip_tagged(reader, depth)
        }
        // Property: an operator, a tag, a value.
        0x04 => {
            reader.skip(1, 1 + 4, RESTRICTION)?;
            skip_tagged(reader, depth)
        }
        // Comparison of two properties; bits; size: an operator and two numbers.
        0x05..=0x07 => reader.skip(1, 1 + 4 + 4, RESTRICTION),
        // Existence: a tag.
        0x08 => reader.skip(1, 4, RESTRICTION),
        // Recipients or attachments; at most so many: a number and a restriction.
        0x09 | 0x0B => {
            reader.skip(1, 4, RESTRICTION)?;
            skip_restriction(reader, depth)
        }
        // Comment: values, and perhaps a restriction.
        0x0A => {
            for _ in 0..reader.u8(RESTRICTION)? {
                skip_tagged(reader, depth)?;
            }
            if reader.u8(RESTRICTION)? == 0 { Ok(()) } else { skip_restriction(reader, depth) }
        }
        _ => Err(Malformed::Wrong("the kind of a restriction")),
    }
}
