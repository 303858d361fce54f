//! GUIDs as text, and the sets of properties that EWS has names for.

/// The property sets that EWS calls by a name, with the beginning, as sent, that tells them apart.
const SETS: &[(&str, &str)] = &[
    ("Meeting", "6ed8da90-450b-101b-98da-00aa003f1305"),
    ("Appointment", "00062002-0000-0000-c000-000000000046"),
    ("Common", "00062008-0000-0000-c000-000000000046"),
    ("PublicStrings", "00020329-0000-0000-c000-000000000046"),
    ("Address", "00062004-0000-0000-c000-000000000046"),
    ("InternetHeaders", "00020386-0000-0000-c000-000000000046"),
    ("CalendarAssistant", "11000e07-b51b-40d6-af21-caa85edab1d0"),
    ("UnifiedMessaging", "4442858e-a9e3-4e80-b900-317a210cc15b"),
    ("Task", "00062003-0000-0000-c000-000000000046"),
    ("Sharing", "00062040-0000-0000-c000-000000000046"),
];

/// A GUID as text: the first three parts are little-endian where they are sent.
pub(in crate::mapi) fn to_text(guid: [u8; 16]) -> String {
    let mut text = String::with_capacity(36);
    for (place, at) in ORDER.into_iter().enumerate() {
        if matches!(place, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        let byte = guid.get(at).copied().unwrap_or_default();
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
        }
    }
    text
}

/// The GUID that stands in text.
pub(in crate::mapi) fn from_text(text: &str) -> Option<[u8; 16]> {
    let digits: Vec<u32> =
        text.chars().filter(|c| *c != '-').map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    let pairs: &[[u32; 2]; 16] = digits.as_chunks().0.try_into().ok()?;
    if digits.len() != 32 {
        return None;
    }
    let mut guid = [0; 16];
    for (at, [high, low]) in ORDER.into_iter().zip(pairs) {
        *guid.get_mut(at)? = u8::try_from(high << 4 | low).ok()?;
    }
    Some(guid)
}

/// A property set as EWS names it.
pub(in crate::mapi) fn set_name(guid: [u8; 16]) -> String {
    let text = to_text(guid);
    SETS.iter().find(|(_, known)| *known == text).map_or(text, |(name, _)| (*name).to_owned())
}

/// The property set that EWS names so.
pub(in crate::mapi) fn set_guid(name: &str) -> Option<[u8; 16]> {
    from_text(SETS.iter().find(|(known, _)| *known == name).map_or(name, |(_, guid)| guid))
}

/// Where, as sent, each byte stands that text shows.
const ORDER: [usize; 16] = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];

#[cfg(test)]
mod tests;
