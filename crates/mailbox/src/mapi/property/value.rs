//! Values as the store has them and as MAPI sends them.
//!
//! Both clients' worlds share the store's: what an EWS client stored as `Integer` a MAPI client reads as `PtypInteger32`,
//! and the other way round. Text of one-byte characters is sent as Latin-1, whatever code page a client names, and read as
//! UTF-8 where it is that: whoever has other letters asks for Unicode. A value that cannot stand in the type that is asked for is not there.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use weir_units::WallTime;
use weir_wire::ews::property::Value;
use weir_wire::mapi::property::{PropertyType, PropertyValue};

use super::guid;

/// Tenths of microseconds from the beginning of 1601 to that of 1970.
const EPOCH: i64 = 116_444_736_000_000_000;

/// The value in the type that is asked for; in the one that comes closest, where none is.
pub(in crate::mapi) fn to_mapi(value: &Value, kind: PropertyType) -> Option<PropertyValue> {
    Some(match (kind.single(), value) {
        (PropertyType::UNICODE | PropertyType::UNSPECIFIED, Value::Text(text)) => {
            PropertyValue::Unicode(text.clone())
        }
        (PropertyType::STRING8, Value::Text(text)) => PropertyValue::String8(to_narrow(text)),
        (PropertyType::BOOLEAN | PropertyType::UNSPECIFIED, Value::Bool(flag)) => {
            PropertyValue::Boolean(*flag)
        }
        (PropertyType::BOOLEAN, Value::Integer(number)) => PropertyValue::Boolean(*number != 0),
        (PropertyType::INTEGER16, Value::Integer(number)) => {
            PropertyValue::Integer16(i16::try_from(*number).ok()?)
        }
        (PropertyType::INTEGER32 | PropertyType::UNSPECIFIED, Value::Integer(number)) => {
            PropertyValue::Integer32(i32::try_from(*number).ok()?)
        }
        (PropertyType::INTEGER64, Value::Integer(number)) => PropertyValue::Integer64(*number),
        (PropertyType::INTEGER32, Value::Bool(flag)) => PropertyValue::Integer32(i32::from(*flag)),
        (PropertyType::FLOATING64 | PropertyType::UNSPECIFIED, Value::Double(number)) => {
            PropertyValue::Floating64(*number)
        }
        (PropertyType::TIME | PropertyType::UNSPECIFIED, Value::Time(time)) => {
            PropertyValue::Time(to_filetime(*time))
        }
        (PropertyType::BINARY | PropertyType::UNSPECIFIED, Value::Bytes(bytes)) => {
            PropertyValue::Binary(bytes.clone())
        }
        (PropertyType::GUID, Value::Text(text)) => PropertyValue::Guid(guid::from_text(text)?),
        (PropertyType::MULTIPLE_UNICODE | PropertyType::UNSPECIFIED, Value::Texts(texts)) => {
            PropertyValue::MultipleUnicode(texts.clone())
        }
        (PropertyType::MULTIPLE_STRING8, Value::Texts(texts)) => {
            PropertyValue::MultipleString8(texts.iter().map(|text| to_narrow(text)).collect())
        }
        _ => return None,
    })
}

/// A value in the type that is asked for: texts and numbers have several.
pub(in crate::mapi) fn in_type(value: PropertyValue, kind: PropertyType) -> Option<PropertyValue> {
    if kind == PropertyType::UNSPECIFIED || value.kind() == kind.single() {
        return Some(value);
    }
    match (&value, kind.single()) {
        // HTML is bytes, and text for those who ask for text.
        (PropertyValue::Binary(bytes), PropertyType::UNICODE) => {
            String::from_utf8(bytes.clone()).ok().map(PropertyValue::Unicode)
        }
        _ => to_mapi(&to_store(&value)?, kind),
    }
}

/// The value as the store has it; none, where it is of a type that is not stored.
pub(in crate::mapi) fn to_store(value: &PropertyValue) -> Option<Value> {
    Some(match value {
        PropertyValue::Integer16(number) => Value::Integer(i64::from(*number)),
        PropertyValue::Integer32(number) => Value::Integer(i64::from(*number)),
        PropertyValue::Integer64(number) => Value::Integer(*number),
        PropertyValue::Floating32(number) => Value::Double(f64::from(*number)),
        PropertyValue::Floating64(number) => Value::Double(*number),
        PropertyValue::Boolean(flag) => Value::Bool(*flag),
        PropertyValue::String8(text) => Value::Text(from_narrow(text)),
        PropertyValue::Unicode(text) => Value::Text(text.clone()),
        PropertyValue::Time(time) => Value::Time(from_filetime(*time)),
        PropertyValue::Guid(bytes) => Value::Text(guid::to_text(*bytes)),
        PropertyValue::Binary(bytes) => Value::Bytes(bytes.clone()),
        PropertyValue::MultipleUnicode(texts) => Value::Texts(texts.clone()),
        PropertyValue::MultipleString8(texts) => {
            Value::Texts(texts.iter().map(|text| from_narrow(text)).collect())
        }
        PropertyValue::Null
        | PropertyValue::Currency(_)
        | PropertyValue::FloatingTime(_)
        | PropertyValue::ErrorCode(_)
        | PropertyValue::ServerId(_)
        | PropertyValue::Restriction(_)
        | PropertyValue::RuleAction(_)
        | PropertyValue::MultipleInteger16(_)
        | PropertyValue::MultipleInteger32(_)
        | PropertyValue::MultipleFloating32(_)
        | PropertyValue::MultipleFloating64(_)
        | PropertyValue::MultipleCurrency(_)
        | PropertyValue::MultipleFloatingTime(_)
        | PropertyValue::MultipleInteger64(_)
        | PropertyValue::MultipleTime(_)
        | PropertyValue::MultipleGuid(_)
        | PropertyValue::MultipleBinary(_) => return None,
    })
}

/// The value as a restriction of the store's writes it.
pub(in crate::mapi) fn to_constant(value: &PropertyValue) -> Option<String> {
    Some(match to_store(value)? {
        Value::Text(text) => text,
        Value::Bool(flag) => flag.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Double(number) => number.to_string(),
        Value::Time(time) => Timestamp::from_microsecond(time.unix_micros()).ok()?.to_string(),
        Value::Bytes(bytes) => STANDARD.encode(bytes),
        Value::Body(_)
        | Value::Mailbox(_)
        | Value::Mailboxes(_)
        | Value::Attendees(_)
        | Value::Texts(_)
        | Value::Pairs(_)
        | Value::ItemId(_)
        | Value::FolderId(_)
        | Value::Xml(_) => return None,
    })
}

/// The name that EWS has for the type; none, where values of it are not stored.
pub(in crate::mapi) const fn ews_kind(kind: PropertyType) -> Option<&'static str> {
    Some(match kind.single() {
        PropertyType::INTEGER16 => "Short",
        PropertyType::INTEGER32 => "Integer",
        PropertyType::INTEGER64 => "Long",
        PropertyType::FLOATING32 => "Float",
        PropertyType::FLOATING64 => "Double",
        PropertyType::BOOLEAN => "Boolean",
        PropertyType::STRING8 | PropertyType::UNICODE => "String",
        PropertyType::TIME => "SystemTime",
        PropertyType::GUID => "CLSID",
        PropertyType::BINARY => "Binary",
        PropertyType::MULTIPLE_STRING8 | PropertyType::MULTIPLE_UNICODE => "StringArray",
        _ => return None,
    })
}

/// The type that has this name in EWS.
pub(in crate::mapi) fn mapi_kind(kind: &str) -> Option<PropertyType> {
    Some(match kind {
        "Short" => PropertyType::INTEGER16,
        "Integer" => PropertyType::INTEGER32,
        "Long" => PropertyType::INTEGER64,
        "Float" | "Double" => PropertyType::FLOATING64,
        "Boolean" => PropertyType::BOOLEAN,
        "String" => PropertyType::UNICODE,
        "SystemTime" => PropertyType::TIME,
        "CLSID" => PropertyType::GUID,
        "Binary" => PropertyType::BINARY,
        "StringArray" => PropertyType::MULTIPLE_UNICODE,
        _ => return None,
    })
}

/// The time as MAPI counts it; the earliest that can be said, where it is earlier.
pub(in crate::mapi) fn to_filetime(time: WallTime) -> u64 {
    u64::try_from(time.unix_micros().saturating_mul(10).saturating_add(EPOCH)).unwrap_or(0)
}

/// The time that MAPI counts so.
pub(in crate::mapi) fn from_filetime(time: u64) -> WallTime {
    WallTime::from_unix_micros(i64::try_from(time).unwrap_or(i64::MAX).saturating_sub(EPOCH) / 10)
}

/// The text in characters of one byte; others become question marks.
pub(in crate::mapi) fn to_narrow(text: &str) -> Vec<u8> {
    text.chars().map(|letter| u8::try_from(letter).unwrap_or(b'?')).collect()
}

/// The text that stands in characters of one byte.
pub(in crate::mapi) fn from_narrow(bytes: &[u8]) -> String {
    str::from_utf8(bytes).map_or_else(|_| bytes.iter().copied().map(char::from).collect(), str::to_owned)
}

/// The text in characters of two bytes, without a zero.
pub(in crate::mapi) fn to_utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// The text that stands in characters of two bytes.
pub(in crate::mapi) fn from_utf16(bytes: &[u8]) -> String {
    let units = bytes.as_chunks().0.iter().map(|pair| u16::from_le_bytes(*pair));
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

#[cfg(test)]
mod tests;
