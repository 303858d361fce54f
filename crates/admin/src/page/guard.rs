//! What stands before every page: which name the browser asked, whether it is logged in, whether a form is ours.
//!
//! The decision is [`bar`], a pure function of what a request says about itself. A page is never served under a
//! name that nobody gave this server, so that a foreign name that is made to point here (DNS rebinding) reaches
//! nothing. A form is believed when it comes from this page – by what the browser says of its origin – and brings
//! the session's form token along. The helpdesk sends no form but the one to log out. Every answer carries the
//! same strict headers: no script, style or frame that is not ours.

#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRequest, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HOST, HeaderName, ORIGIN, REFERRER_POLICY, VARY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};

use super::form::Fields;
use super::session::{Key, Viewer};
use super::trouble::{self, Trouble};
use super::{Page, login};
use crate::routes::encoded;
use crate::server::failure::Failure;

/// Where one logs in.
pub(super) const LOGIN: &str = "/login";
/// Where one logs out.
pub(super) const LOGOUT: &str = "/logout";
/// Where scripts, styles and pictures are.
pub(super) const ASSETS: &str = "/assets/";
/// Where live figures come from.
pub(super) const LIVE: &str = "/live/";
/// The field that brings the session's form token along.
pub(super) const FORM_TOKEN: &str = "form_token";

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Nothing but what this server itself serves.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// The headers of every answer.
const HEADERS: [(HeaderName, &str); 7] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (VARY, "Cookie"),
];

/// What a request says about itself.
struct Asked<'r> {
    path: &'r str,
    changes: bool,
    host: &'r str,
    /// `Sec-Fetch-Site`, where the browser sends it.
    site: Option<&'r str>,
    origin: Option<&'r str>,
    viewer: Option<&'r Viewer>,
    /// The form token that came along.
    form_token: Option<&'r str>,
}

/// Why a request is not let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bar {
    /// The name asked for is not one of this server's.
    WrongName,
    /// Nobody is logged in.
    LogIn,
    /// The form comes from elsewhere, or from a session that ended.
    ForeignForm,
    /// The helpdesk changes nothing.
    ReadOnly,
}

/// What stands in the way of what is asked, if anything does.
fn bar(asked: &Asked<'_>, names: &[String]) -> Option<Bar> {
    if !is_ours(asked.host, names) {
        return Some(Bar::WrongName);
    }
    if asked.changes && !comes_from_here(asked) {
        return Some(Bar::ForeignForm);
    }
    if asked.path == LOGIN || asked.path.starts_with(ASSETS) {
        return None;
    }
    let Some(viewer) = asked.viewer else { return Some(Bar::LogIn) };
    if asked.changes {
        if asked.form_token != Some(viewer.form_token.as_str()) {
            return Some(Bar::ForeignForm);
        }
        if !viewer.may_change() && asked.path != LOGOUT {
            return Some(Bar::ReadOnly);
        }
    }
    None
}

/// Whether `host` is an address, `localhost`, or one of the names that the configuration gives this server.
fn is_ours(host: &str, names: &[String]) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        Some(_) | None => host,
    };
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    bare.parse::<IpAddr>().is_ok()
        || name.eq_ignore_ascii_case("localhost")
        || names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether a form was sent from this page, as far as the browser tells. One that tells nothing is no browser of
/// these days, and its form token decides.
fn comes_from_here(asked: &Asked<'_>) -> bool {
    if let Some(site) = asked.site {
        return matches!(site, "same-origin" | "none");
    }
    asked.origin.is_none_or(|origin| origin.split_once("://").is_some_and(|(_, host)| host == asked.host))
}

/// Lets a request through to its page, or says why not.
pub(super) async fn check(State(page): State<Arc<Page>>, request: Request, next: Next) -> Response {
    let fixed = request.uri().path().starts_with(ASSETS);
    let now = page.now();
    let known = session_key(request.headers())
        .and_then(|key| page.sessions().find(&key, now).map(|viewer| (key, viewer)));
    let viewer = known.as_ref().map(|(_, viewer)| viewer.clone());
    let response = match admit(&page, request, known).await {
        Ok(request) => next.run(request).await,
        Err(refused) => *refused,
    };
    let mut response = trouble::dress(&page, viewer.as_ref(), response);
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if !fixed {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// The request with its viewer and its fields, or the answer to one that is not let through.
async fn admit(
    page: &Arc<Page>,
    request: Request,
    known: Option<(Key, Viewer)>,
) -> Result<Request, Box<Response>> {
    let (mut request, fields) = with_fields(page, request).await?;
    let headers = request.headers();
    let asked = Asked {
        path: request.uri().path(),
        changes: !request.method().is_safe(),
        host: text(headers, &HOST).unwrap_or_default(),
        site: text(headers, &SEC_FETCH_SITE),
        origin: text(headers, &ORIGIN),
        viewer: known.as_ref().map(|(_, viewer)| viewer),
        form_token: fields.one(FORM_TOKEN),
    };
    if let Some(bar) = bar(&asked, &page.admin.page.names) {
        return Err(Box::new(refuse(bar, &request)));
    }
    let extensions = request.extensions_mut();
    extensions.insert(fields);
    if let Some((key, viewer)) = known {
        extensions.insert(viewer);
        extensions.insert(key);
    }
    Ok(request)
}

/// Reads the form of a request that has one.
async fn with_fields(page: &Arc<Page>, request: Request) -> Result<(Request, Fields), Box<Response>> {
    if request.method() != Method::POST {
        return Ok((request, Fields::default()));
    }
    let (parts, body) = request.into_parts();
    let reading = Bytes::from_request(Request::from_parts(parts.clone(), body), page);
    let arrived = tokio::time::timeout(page.admin.settings.arrival, reading).await;
    let refused = |failure| Box::new(Trouble::from(failure).into_response());
    let bytes = arrived
        .map_err(|_| refused(Failure::too_slow(page.admin.settings.arrival.as_secs())))?
        .map_err(|_| refused(Failure::too_large(page.admin.settings.max_body)))?;
    Ok((Request::from_parts(parts, axum::body::Body::empty()), Fields::parse(&bytes)))
}

fn refuse(bar: Bar, request: &Request) -> Response {
    let path = request.uri().path();
    let failure = match bar {
        Bar::WrongName => Failure::misdirected(
            "this server does not go by that name; name it in `admin.names` of the configuration, or ask for its \
             address",
        ),
        Bar::LogIn if path.starts_with(LIVE) => Failure::forbidden("log in again"),
        Bar::LogIn => {
            let wanted = request.uri().path_and_query().map_or("/", |wanted| wanted.as_str());
            let back = if request.method().is_safe() && wanted != "/" {
                format!("{LOGIN}?next={}", encoded(wanted))
            } else {
                LOGIN.to_owned()
            };
            return Redirect::to(&back).into_response();
        }
        Bar::ForeignForm => Failure::forbidden(
            "this form was not sent from this page, or its session has ended; go back, load the page again and send \
             it once more",
        ),
        Bar::ReadOnly => Failure::read_only(),
    };
    Trouble::from(failure).into_response()
}

/// The key of the session that the browser's cookie names.
fn session_key(headers: &HeaderMap) -> Option<Key> {
    let name = login::cookie_name(text(headers, &HOST).unwrap_or_default());
    let cookies = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(known, _)| *known == name).map(|(_, value)| login::key_of(value))
}

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}
