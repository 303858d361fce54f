//! Scripts, styles and pictures, compiled in. An address carries the content's digest, so that browsers keep what
//! they have for as long as it is right, and not a moment longer. `vendor` holds other people's work; its README
//! says what, from where and under which licence.

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use ring::digest::{SHA256, digest};

use super::guard::ASSETS;
use crate::token::hexadecimal;

/// For as long as the address is asked for: another content has another address.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// How many digits of the digest an address carries.
const DIGITS: usize = 16;

struct Asset {
    name: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

static FILES: [Asset; 6] = [
    Asset { name: "page.css", kind: STYLE, bytes: include_bytes!("../../assets/page.css") },
    Asset { name: "page.js", kind: SCRIPT, bytes: include_bytes!("../../assets/page.js") },
    Asset { name: "icon.svg", kind: PICTURE, bytes: include_bytes!("../../assets/icon.svg") },
    Asset {
        name: "idiomorph.min.js",
        kind: SCRIPT,
        bytes: include_bytes!("../../assets/vendor/idiomorph.min.js"),
    },
    Asset {
        name: "uPlot.iife.min.js",
        kind: SCRIPT,
        bytes: include_bytes!("../../assets/vendor/uPlot.iife.min.js"),
    },
    Asset { name: "uPlot.min.css", kind: STYLE, bytes: include_bytes!("../../assets/vendor/uPlot.min.css") },
];

/// The first digits of each file's digest, in the order of [`FILES`].
static TAGS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let tag =
        |asset: &Asset| hexadecimal(digest(&SHA256, asset.bytes).as_ref()).chars().take(DIGITS).collect();
    FILES.iter().map(tag).collect()
});

fn find(name: &str) -> Option<(&'static Asset, &'static str)> {
    FILES
        .iter()
        .zip(TAGS.iter())
        .find(|(asset, _)| asset.name == name)
        .map(|(asset, tag)| (asset, tag.as_str()))
}

/// The address of the file called `name`.
pub(super) fn url(name: &str) -> String {
    find(name).map_or_else(|| format!("{ASSETS}{name}"), |(_, tag)| format!("{ASSETS}{name}?{tag}"))
}

pub(super) async fn serve(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some((asset, tag)) = find(&name) else { return StatusCode::NOT_FOUND.into_response() };
    let tag = format!("\"{tag}\"");
    let fresh = headers.get(IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let about = [(CONTENT_TYPE, asset.kind.to_owned()), (CACHE_CONTROL, FOR_EVER.to_owned()), (ETAG, tag)];
    if fresh {
        (StatusCode::NOT_MODIFIED, about).into_response()
    } else {
        (about, asset.bytes).into_response()
    }
}
