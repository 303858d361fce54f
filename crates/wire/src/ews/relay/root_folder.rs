//! What a `RootFolder` says of the page that follows it.

use crate::ews::peek::number;
use crate::ews::response::Paging;
use crate::ews::scan::{Tag, with_attribute, without_attribute};
use crate::ews::xml::Malformed;

const OFFSET: &str = "IndexedPagingOffset";
const NUMERATOR: &str = "NumeratorOffset";
const DENOMINATOR: &str = "AbsoluteDenominator";
const TOTAL: &str = "TotalItemsInView";
const LAST: &str = "IncludesLastItemInRange";

/// What the attributes of a `RootFolder` say; none where they do not say it, or not in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootFolder {
    /// In which response message it is, from 0 on: that of the request's folder at the same place.
    pub index: u32,
    /// How many there are in all.
    pub total: Option<u32>,
    /// Where the find goes on.
    pub next: Paging,
    /// Whether the last one is among these.
    pub last: Option<bool>,
}

impl RootFolder {
    /// Reads the tag of the response message `index`.
    pub(super) fn read(tag: Tag<'_>, index: u32) -> Result<Self, Malformed> {
        let value = |name| tag.attribute(name).map(|found| found.map(|attribute| attribute.value));
        let count = |name| value(name).map(|value| value.as_deref().and_then(number));
        let next = match (count(OFFSET)?, count(NUMERATOR)?, count(DENOMINATOR)?) {
            (Some(offset), _, _) => Paging::Indexed(offset),
            (None, Some(numerator), Some(denominator)) => Paging::Fractional { numerator, denominator },
            (None, _, _) => Paging::None,
        };
        let last = match value(LAST)?.as_deref().map(str::trim) {
            Some("true" | "1") => Some(true),
            Some("false" | "0") => Some(false),
            Some(_) | None => None,
        };
        Ok(Self { index, total: count(TOTAL)?, next, last })
    }
}

/// The tag in the form that an unpaged find gets.
pub(super) fn unpaged(tag: &str) -> Result<String, Malformed> {
    without_attribute(tag, OFFSET)
}

/// The tag of a page that ends before it did, and goes on at `next`.
pub(super) fn cut(tag: &str, next: Paging) -> Result<String, Malformed> {
    let tag = with_attribute(tag, LAST, "false")?;
    match next {
        Paging::None => Ok(tag),
        Paging::Indexed(offset) => with_attribute(&tag, OFFSET, &offset.to_string()),
        Paging::Fractional { numerator, denominator } => {
            let tag = with_attribute(&tag, DENOMINATOR, &denominator.to_string())?;
            with_attribute(&tag, NUMERATOR, &numerator.to_string())
        }
    }
}
