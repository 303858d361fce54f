//! How large a document may grow.

/// The bounds of a document. Together they bound the memory that a request can take: its bytes once, and a fixed
/// amount for each node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the document.
    pub body: usize,
    /// Elements within one another.
    pub depth: usize,
    /// Elements and attributes in all.
    pub nodes: usize,
    /// Attributes of one element, namespace declarations included.
    pub attributes: usize,
    /// Namespace declarations in force at once, since each name is looked up among them.
    pub namespaces: usize,
    /// Bytes of one name, prefix included.
    pub name: usize,
    /// Bytes of one tag, from `<` to `>`.
    pub tag: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 150 << 20,
            depth: 64,
            nodes: 250_000,
            attributes: 64,
            namespaces: 128,
            name: 256,
            tag: 64 << 10,
        }
    }
}
