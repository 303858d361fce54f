//! A body in the form that is asked for.

use std::borrow::Cow;

use mail_parser::decoders::html::{html_to_text, text_to_html};
use weir_wire::ews::property::Body;
use weir_wire::ews::request::BodyType;

use super::record::Content;

/// The body as plain text.
pub(crate) fn plain(html: bool, text: &str) -> Cow<'_, str> {
    if html { Cow::Owned(html_to_text(text)) } else { Cow::Borrowed(text) }
}

/// The body in the form that is asked for; the form it has where none is.
pub(crate) fn shown(content: &Content, wanted: BodyType) -> Body {
    let text = &content.body;
    match (content.html, wanted) {
        (true, BodyType::Text) => Body { html: false, text: html_to_text(text) },
        (false, BodyType::Html) => Body { html: true, text: text_to_html(text) },
        (html, BodyType::Best | BodyType::Html | BodyType::Text) => Body { html, text: text.clone() },
    }
}
