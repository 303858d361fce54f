//! Why a document cannot be read.

/// Why a document cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// More bytes than allowed.
    #[error("the document is longer than {limit} bytes")]
    TooLong {
        /// The bound.
        limit: usize,
    },
    /// Too many elements within one another.
    #[error("elements are nested more than {limit} deep")]
    TooDeep {
        /// The bound.
        limit: usize,
    },
    /// Too many elements and attributes in all.
    #[error("the document has more than {limit} elements and attributes")]
    TooManyNodes {
        /// The bound.
        limit: usize,
    },
    /// Too many attributes on one element.
    #[error("an element has more than {limit} attributes")]
    TooManyAttributes {
        /// The bound.
        limit: usize,
    },
    /// Too many namespace declarations in force at once.
    #[error("more than {limit} namespaces are declared at once")]
    TooManyNamespaces {
        /// The bound.
        limit: usize,
    },
    /// A name too long.
    #[error("a name is longer than {limit} bytes")]
    NameTooLong {
        /// The bound.
        limit: usize,
    },
    /// A tag too long.
    #[error("a tag is longer than {limit} bytes")]
    TagTooLong {
        /// The bound.
        limit: usize,
    },
    /// A document type declaration.
    #[error("document type declarations are not accepted")]
    Doctype,
    /// A reference to an entity that XML does not define itself.
    #[error("an entity is referred to that XML does not define")]
    Entity,
    /// A character that XML 1.0 forbids.
    #[error("the document contains a character that XML forbids")]
    Character,
    /// Bytes that are no UTF-8.
    #[error("the document is not UTF-8")]
    Encoding,
    /// An end tag without its start tag.
    #[error("an end tag does not match its start tag")]
    Unbalanced,
    /// A prefix that nothing declares.
    #[error("a namespace prefix is not declared")]
    Prefix,
    /// Anything else that is no XML.
    #[error("the document is not well-formed XML")]
    Syntax,
    /// The document ends too early.
    #[error("the document ends in the middle")]
    Unfinished,
}
