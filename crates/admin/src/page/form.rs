//! The fields of a form, or of what stands after the `?`.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

/// How many fields of a form are read; a policy's editor has two for each parameter.
const MOST_FIELDS: usize = 512;

/// The fields that were sent, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Reads what a browser makes of a form.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let pairs = form_urlencoded::parse(bytes).take(MOST_FIELDS);
        Self(pairs.map(|(name, value)| (name.into_owned(), value.trim().to_owned())).collect())
    }

    /// The field of that name, if it was sent.
    pub(super) fn one(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The field of that name, if there is anything in it.
    pub(super) fn filled(&self, name: &str) -> Option<&str> {
        self.one(name).filter(|value| !value.is_empty())
    }

    /// The number of that name, or `usual`.
    pub(super) fn number(&self, name: &str, usual: usize) -> usize {
        self.one(name).and_then(|value| value.parse().ok()).unwrap_or(usual)
    }
}

/// What stands after the `?` of a page's address.
pub(super) struct Asked(pub(super) Fields);

impl<S: Send + Sync> FromRequestParts<S> for Asked {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(Fields::parse(parts.uri.query().unwrap_or_default().as_bytes())))
    }
}
