//! Elements as values, read from pushed bytes within bounds.
//!
//! [`ElementBuilder`] takes a document in pieces of any size and gives the same tree for every cutting. It never looks
//! ahead and keeps only the token it is in. Every way to grow has a bound in [`Limits`]; document type declarations
//! are refused, so that no entity but the five predefined and the numeric ones exists.
//!
//! What is absent: comments, processing instructions, prefixes, attributes that carry a prefix, and text that is
//! nothing but space between elements. EWS gives none of them a meaning.

mod builder;
mod escape;
mod limits;
mod malformed;
#[cfg(test)]
mod tests;
mod text;

use std::sync::Arc;

pub use builder::ElementBuilder;
pub use escape::{push_attribute, push_text};
pub use limits::Limits;
pub use malformed::Malformed;
pub(super) use text::{attribute_value, is_name, is_space, split_name};

/// The namespace of an element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Namespace {
    /// None.
    None,
    /// SOAP 1.1 envelopes, written `s:`.
    Soap,
    /// EWS messages, written `m:`.
    Messages,
    /// EWS types, written `t:`.
    Types,
    /// Any other, by its name.
    Other(Arc<str>),
}

impl Namespace {
    /// The name of SOAP 1.1's.
    pub const SOAP: &'static str = "http://schemas.xmlsoap.org/soap/envelope/";
    /// The name of EWS messages.
    pub const MESSAGES: &'static str = "http://schemas.microsoft.com/exchange/services/2006/messages";
    /// The name of EWS types.
    pub const TYPES: &'static str = "http://schemas.microsoft.com/exchange/services/2006/types";
    /// The name of EWS errors.
    pub const ERRORS: &'static str = "http://schemas.microsoft.com/exchange/services/2006/errors";

    /// The namespace of that name; the empty name is none.
    pub fn from_name(name: &str) -> Self {
        match name {
            "" => Self::None,
            Self::SOAP => Self::Soap,
            Self::MESSAGES => Self::Messages,
            Self::TYPES => Self::Types,
            other => Self::Other(other.into()),
        }
    }

    /// The name.
    pub fn name(&self) -> &str {
        match self {
            Self::None => "",
            Self::Soap => Self::SOAP,
            Self::Messages => Self::MESSAGES,
            Self::Types => Self::TYPES,
            Self::Other(name) => name,
        }
    }
}

/// An attribute without a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its value, entities resolved.
    pub value: String,
}

/// An element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Where its name belongs.
    pub namespace: Namespace,
    /// Its name without a prefix.
    pub name: String,
    /// Its attributes, in order.
    pub attributes: Vec<Attribute>,
    /// Its children, in order.
    pub children: Vec<Element>,
    /// Its own text, entities resolved; empty where it is nothing but space between children.
    pub text: String,
}

impl Element {
    /// An empty element.
    pub fn new(namespace: Namespace, name: impl Into<String>) -> Self {
        Self {
            namespace,
            name: name.into(),
            attributes: Vec::new(),
            children: Vec::new(),
            text: String::new(),
        }
    }

    /// An empty element of the types namespace, `t:name`.
    pub fn types(name: impl Into<String>) -> Self {
        Self::new(Namespace::Types, name)
    }

    /// The same with an attribute more.
    #[must_use]
    pub fn with_attribute(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.attributes.push(Attribute { name: name.into(), value: value.into() });
        self
    }

    /// The same with a child more.
    #[must_use]
    pub fn with_child(mut self, child: Self) -> Self {
        self.children.push(child);
        self
    }

    /// The same with this text.
    #[must_use]
    pub fn with_text(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }

    /// Whether it has this name in this namespace.
    pub fn is(&self, namespace: &Namespace, name: &str) -> bool {
        self.namespace == *namespace && self.name == name
    }

    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name == name)
            .map(|attribute| attribute.value.as_str())
    }

    /// The first child of that name, in any namespace: some clients get namespaces wrong.
    pub fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The text of the first child of that name, without the space around it.
    pub fn child_text(&self, name: &str) -> Option<&str> {
        self.child(name).map(|child| child.text.trim())
    }

    /// Takes the first child of that name out.
    pub fn take_child(&mut self, name: &str) -> Option<Self> {
        let place = self.children.iter().position(|child| child.name == name)?;
        Some(self.children.remove(place))
    }

    /// The element as a document of its own, namespaces declared at its root.
    ///
    /// [`Element::from_xml`] reads it back the same, save for characters that XML cannot carry.
    pub fn to_xml(&self) -> Vec<u8> {
        let mut out = Vec::new();
        escape::push_document(&mut out, self);
        out
    }

    /// Appends the element where the prefixes `s`, `m` and `t` are declared already.
    pub fn write(&self, out: &mut Vec<u8>) {
        escape::push_element(out, self);
    }

    /// Reads a whole document.
    ///
    /// # Errors
    /// [`Malformed`] where it is not well-formed or exceeds `limits`.
    ///
    /// # Examples
    /// ```
    /// use weir_wire::ews::xml::{Element, Limits};
    /// let element = Element::from_xml(b"<a b='1'>&lt;x</a>", &Limits::default())?;
    /// assert_eq!((element.attribute("b"), element.text.as_str()), (Some("1"), "<x"));
    /// # Ok::<(), weir_wire::ews::xml::Malformed>(())
    /// ```
    pub fn from_xml(document: &[u8], limits: &Limits) -> Result<Self, Malformed> {
        let mut builder = ElementBuilder::new(limits.clone());
        builder.feed(document)?;
        builder.finish()
    }
}
