//! A find as it was asked, and how its page is made smaller.

use std::ops::Range;

use crate::ews::request::BasePoint;
use crate::ews::scan::Tag;
use crate::ews::xml::Malformed;

/// What a find looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindWhat {
    /// `FindItem`.
    Items,
    /// `FindFolder`.
    Folders,
}

/// The part of a result that a find asks for. Numbers that are no numbers are left out: refusing them is the origin's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindView {
    /// Everything at once.
    Unpaged,
    /// A page by its offset.
    Indexed {
        /// At most so many.
        max: Option<u32>,
        /// Where it starts, counted from `base`.
        offset: u32,
        /// From which end.
        base: BasePoint,
    },
    /// A page by a fraction of the whole.
    Fractional {
        /// At most so many.
        max: Option<u32>,
        /// The fraction's numerator.
        numerator: u32,
        /// The fraction's denominator.
        denominator: u32,
    },
    /// Appointments that touch a span of time.
    Calendar {
        /// At most so many.
        max: Option<u32>,
    },
    /// Contacts whose name lies in a range.
    Contacts {
        /// At most so many.
        max: Option<u32>,
    },
}

impl FindView {
    /// The largest number of entries asked for.
    pub const fn max(&self) -> Option<u32> {
        match self {
            Self::Unpaged => None,
            Self::Indexed { max, .. }
            | Self::Fractional { max, .. }
            | Self::Calendar { max }
            | Self::Contacts { max } => *max,
        }
    }

    /// Whether a client that asks so comes back for the rest.
    pub const fn is_paged(&self) -> bool {
        match self {
            Self::Indexed { .. } | Self::Fractional { .. } => true,
            Self::Unpaged | Self::Calendar { .. } | Self::Contacts { .. } => false,
        }
    }
}

/// A find as it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindRequest {
    /// What it looks for.
    pub what: FindWhat,
    /// Which part of it is wanted.
    pub view: FindView,
    /// In how many folders.
    pub parents: u32,
    /// The prefix of the operation's name, with its colon.
    prefix: String,
    place: Place,
}

/// Where in the document a find's largest number of entries is written, or may be.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// Nowhere.
    None,
    /// There is no view; one may be written here.
    View(usize),
    /// The view has no such attribute; one may be written here.
    Attribute(usize),
    /// The attribute's value.
    Value(Range<usize>),
}

impl FindRequest {
    /// The find whose start tag ends at `end` in the document.
    pub(super) fn new(what: FindWhat, tag: Tag<'_>, end: usize) -> Self {
        Self {
            what,
            view: FindView::Unpaged,
            parents: 0,
            prefix: tag.prefix().to_owned(),
            place: if tag.is_empty() { Place::None } else { Place::View(end) },
        }
    }

    /// The shape's element ends here: the view comes next.
    pub(super) fn shape_ends(&mut self, end: usize) {
        if let Place::View(place) = &mut self.place {
            *place = end;
        }
    }

    /// Takes in the view, whose start tag begins at `at`. The first counts.
    pub(super) fn take_view(&mut self, tag: Tag<'_>, at: usize) -> Result<(), Malformed> {
        if self.view != FindView::Unpaged {
            return Ok(());
        }
        let stated = tag.attribute("MaxEntriesReturned")?;
        let max = stated.as_ref().and_then(|attribute| number(&attribute.value));
        self.place = match stated {
            None => Place::Attribute(at.saturating_add(tag.name_end())),
            Some(_) if max.is_none() => Place::None,
            Some(attribute) => {
                let within = |place: usize| at.saturating_add(place);
                Place::Value(within(attribute.between.start)..within(attribute.between.end))
            }
        };
        self.view = view(tag, max)?;
        Ok(())
    }

    /// The request with at most `max` entries asked for, all other bytes as they are in `kept` ([`super::Peek::kept`]).
    ///
    /// A view that asks for no more stays as it is. A find without a view gets one, of `max` entries from the first on.
    /// What cannot be rewritten, because the origin will refuse it, stays as it is too.
    ///
    /// ```
    /// use weir_wire::ews::peek::{Detail, Peek, PeekLimits};
    /// let mut peek = Peek::new(PeekLimits::default());
    /// peek.feed(b"<Envelope><Body><FindItem><ItemShape/></FindItem>")?;
    /// let Some(Detail::Find(find)) = peek.asked().map(|asked| &asked.detail) else { panic!("a find") };
    /// let rewritten = find.rewritten(peek.kept(), 1001);
    /// let view = "<IndexedPageItemView MaxEntriesReturned=\"1001\" Offset=\"0\" BasePoint=\"Beginning\"/>";
    /// assert_eq!(rewritten, format!("<Envelope><Body><FindItem><ItemShape/>{view}</FindItem>").as_bytes());
    /// # Ok::<(), weir_wire::ews::peek::Unreadable>(())
    /// ```
    pub fn rewritten(&self, kept: &[u8], max: u32) -> Vec<u8> {
        let (range, text) = match &self.place {
            Place::None => (0..0, String::new()),
            Place::Value(_) if self.view.max().is_some_and(|asked| asked <= max) => (0..0, String::new()),
            Place::Value(range) => (range.clone(), max.to_string()),
            Place::Attribute(at) => (*at..*at, format!(" MaxEntriesReturned=\"{max}\"")),
            Place::View(at) => (*at..*at, self.page(max)),
        };
        let before = kept.get(..range.start).unwrap_or_default();
        let after = kept.get(range.end..).unwrap_or_default();
        [before, text.as_bytes(), after].concat()
    }

    /// The view of the first `max` entries.
    fn page(&self, max: u32) -> String {
        let (prefix, name) = match self.what {
            FindWhat::Items => (&self.prefix, "IndexedPageItemView"),
            FindWhat::Folders => (&self.prefix, "IndexedPageFolderView"),
        };
        format!("<{prefix}{name} MaxEntriesReturned=\"{max}\" Offset=\"0\" BasePoint=\"Beginning\"/>")
    }
}

/// What a view's tag asks for.
fn view(tag: Tag<'_>, max: Option<u32>) -> Result<FindView, Malformed> {
    let value = |name| -> Result<String, Malformed> {
        Ok(tag.attribute(name)?.map(|attribute| attribute.value).unwrap_or_default())
    };
    let count = |name| value(name).map(|value| number(&value).unwrap_or_default());
    Ok(match tag.local() {
        "IndexedPageItemView" | "IndexedPageFolderView" => {
            let base =
                if value("BasePoint")?.trim() == "End" { BasePoint::End } else { BasePoint::Beginning };
            FindView::Indexed { max, offset: count("Offset")?, base }
        }
        "FractionalPageItemView" | "FractionalPageFolderView" => {
            FindView::Fractional { max, numerator: count("Numerator")?, denominator: count("Denominator")? }
        }
        "ContactsView" => FindView::Contacts { max },
        _ => FindView::Calendar { max },
    })
}

/// A number as XML writes it; the largest there is for one that is larger.
pub(in crate::ews) fn number(text: &str) -> Option<u32> {
    let digits = text.trim().trim_start_matches('+');
    let all = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    all.then(|| digits.parse().unwrap_or(u32::MAX))
}
