//! What a find asks: where, which page, which of them, in which order (E1).

use weir_units::WallTime;

use super::super::property::{FolderRef, PropertyPath};
use super::Shape;

/// How far a find looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traversal {
    /// The folder itself (items), its children (folders).
    Shallow,
    /// Everything below.
    Deep,
    /// What was deleted but is not gone.
    SoftDeleted,
    /// Items that belong to the folder rather than lie in it.
    Associated,
}

/// The folders below others: one step a parent.
#[derive(Clone, Debug, PartialEq)]
pub struct FindFolder {
    /// How far.
    pub traversal: Traversal,
    /// Which properties.
    pub shape: Shape,
    /// Which page.
    pub view: View,
    /// Which of them.
    pub restriction: Option<Restriction>,
    /// Below which.
    pub parents: Vec<FolderRef>,
}

/// The items in folders: one step a folder.
#[derive(Clone, Debug, PartialEq)]
pub struct FindItem {
    /// How far.
    pub traversal: Traversal,
    /// Which properties.
    pub shape: Shape,
    /// Which page.
    pub view: View,
    /// Which of them.
    pub restriction: Option<Restriction>,
    /// In which order; newest first where empty.
    pub order: Vec<SortKey>,
    /// A full-text search.
    pub query: Option<String>,
    /// In which folders.
    pub parents: Vec<FolderRef>,
}

/// The part of a result that a find asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum View {
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
        /// From here …
        start: WallTime,
        /// … to here.
        end: WallTime,
    },
    /// Contacts whose name lies in a range.
    Contacts {
        /// At most so many.
        max: Option<u32>,
        /// From this name …
        first: Option<String>,
        /// … to this.
        last: Option<String>,
    },
}

/// The end from which an offset counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BasePoint {
    /// The first item.
    Beginning,
    /// The last item.
    End,
}

/// A property to sort by.
#[derive(Clone, Debug, PartialEq)]
pub struct SortKey {
    /// Which.
    pub path: PropertyPath,
    /// Largest first.
    pub descending: bool,
}

/// Which items or folders a find is after.
#[derive(Clone, Debug, PartialEq)]
pub enum Restriction {
    /// All hold.
    And(Vec<Restriction>),
    /// One holds.
    Or(Vec<Restriction>),
    /// It does not hold.
    Not(Box<Restriction>),
    /// The property is there.
    Exists(PropertyPath),
    /// A bit is not set.
    Excludes {
        /// Of which property.
        path: PropertyPath,
        /// Which bits.
        bitmask: u32,
    },
    /// The text contains another.
    Contains {
        /// Which text.
        path: PropertyPath,
        /// Where it must contain it.
        mode: ContainmentMode,
        /// Letters of either case are one.
        ignore_case: bool,
        /// The other text.
        value: String,
    },
    /// A comparison.
    Compare {
        /// Which property.
        path: PropertyPath,
        /// How.
        how: Comparison,
        /// With what.
        with: Operand,
    },
}

/// Where one text contains another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainmentMode {
    /// It is the other.
    FullString,
    /// It begins with the other.
    Prefixed,
    /// It contains the other.
    Substring,
    /// One of its words begins with the other.
    PrefixOnWords,
    /// One of its words is the other.
    ExactPhrase,
}

/// How two values compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// They are equal.
    Equal,
    /// They differ.
    NotEqual,
    /// The first is larger.
    Greater,
    /// The first is larger or equal.
    GreaterOrEqual,
    /// The first is smaller.
    Less,
    /// The first is smaller or equal.
    LessOrEqual,
}

/// What a property is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A constant, as it was written.
    Constant(String),
    /// Another property.
    Property(PropertyPath),
}
