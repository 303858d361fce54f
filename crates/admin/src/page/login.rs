//! Logging in with a token, and out.
//!
//! The cookie holds a random number, is of no use to scripts and sent to this page only; its name carries the port
//! that the browser asked, so that two servers behind tunnels on one host do not end each other's sessions. A wrong
//! token is answered late, and few are looked at at the same time.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::header::{HOST, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse, Redirect, Response};
use maud::{Markup, html};
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};

use super::form::{Asked, Fields};
use super::guard::LOGIN;
use super::layout::Section;
use super::session::{Key, Viewer};
use super::trouble::Trouble;
use super::{Page, Shared};
use crate::audit::Actor;
use crate::server::failure::Failure;
use crate::token::{Role, hexadecimal};

/// How many random bytes a cookie and a form token have.
const SECRET_BYTES: usize = 32;

/// What the session's cookie is called when the browser asks `host`.
pub(super) fn cookie_name(host: &str) -> String {
    let port = host.rsplit_once(':').map_or("", |(_, port)| port);
    let port: String = port.chars().filter(char::is_ascii_digit).take(5).collect();
    format!("mailweir-session-{port}")
}

/// The key of the session that the cookie's `value` is for.
pub(super) fn key_of(value: &str) -> Key {
    let mut key = Key::default();
    key.copy_from_slice(digest(&SHA256, value.as_bytes()).as_ref());
    key
}

pub(super) async fn show(State(page): Shared, Asked(asked): Asked) -> Html<String> {
    Html(page.frame(None, Section::None, "Log in", &form(asked.one("next"), None)))
}

pub(super) async fn log_in(
    State(page): Shared,
    Extension(fields): Extension<Fields>,
    headers: HeaderMap,
) -> Result<Response, Trouble> {
    let next = fields.one("next");
    // The semaphore is never closed.
    let _one_of_few = page.guesses.acquire().await;
    let Some(role) = fields.one("token").and_then(|token| page.admin.tokens.role(token)) else {
        tokio::time::sleep(page.admin.page.failed_login_pause).await;
        tracing::warn!("somebody gave a wrong token at the administration page");
        let body = form(next, Some("This is neither the administrator's token nor the read-only one."));
        let body = page.frame(None, Section::None, "Log in", &body);
        return Ok((StatusCode::UNAUTHORIZED, Html(body)).into_response());
    };
    let (cookie, form_token) = (secret()?, secret()?);
    page.sessions().open(key_of(&cookie), Viewer { role, form_token }, page.now());
    page.record_login(actor(role)).await;
    let set = cookie_line(&headers, &cookie, page.admin.page.session_lifetime.as_secs());
    Ok(([(SET_COOKIE, set)], Redirect::to(within(next))).into_response())
}

pub(super) async fn log_out(
    State(page): Shared,
    Extension(key): Extension<Key>,
    headers: HeaderMap,
) -> Response {
    page.sessions().close(&key);
    ([(SET_COOKIE, cookie_line(&headers, "", 0))], Redirect::to(LOGIN)).into_response()
}

/// `next`, if it is a page of ours, else the overview.
fn within(next: Option<&str>) -> &str {
    let ours =
        |path: &&str| path.starts_with('/') && !path.starts_with("//") && !path.contains(['\\', '\r', '\n']);
    next.filter(ours).unwrap_or("/")
}

fn actor(role: Role) -> Actor {
    match role {
        Role::Administrator => Actor::AdminToken,
        Role::Helpdesk => Actor::ReadOnlyToken,
    }
}

fn secret() -> Result<String, Failure> {
    let mut bytes = [0_u8; SECRET_BYTES];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| Failure::unavailable("the system gives no random numbers for a session; try again"))?;
    Ok(hexadecimal(&bytes))
}

/// The cookie; over TLS, which a proxy before us tells of, only ever sent over TLS.
fn cookie_line(headers: &HeaderMap, value: &str, seconds: u64) -> String {
    let name = cookie_name(headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default());
    let secure = if headers.get("x-forwarded-proto").is_some_and(|scheme| scheme == "https") {
        "; Secure"
    } else {
        ""
    };
    format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}")
}

fn form(next: Option<&str>, wrong: Option<&str>) -> Markup {
    html! {
        div.login {
            form.card method="post" action=(LOGIN) {
                @if let Some(wrong) = wrong { p.notice.bad #wrong role="alert" { (wrong) } }
                // For password managers, which want a name to keep a secret under.
                input type="text" name="user" value="mailweir" autocomplete="username" hidden;
                label for="token" { "Token" }
                input #token name="token" type="password" autocomplete="current-password" required autofocus
                    aria-describedby="token-help" aria-invalid=[wrong.map(|_| "true")];
                @if let Some(next) = next { input type="hidden" name="next" value=(within(Some(next))); }
                button.primary type="submit" { "Log in" }
                p.quiet #token-help {
                    "The content of the file " code { "admin-token" } " in the data directory; with that of "
                    code { "readonly-token" } " everything can be seen and nothing changed."
                }
            }
        }
    }
}

impl Page {
    /// Writes down that somebody logged in.
    async fn record_login(self: &Arc<Self>, actor: Actor) {
        let page = Arc::clone(self);
        let written = tokio::task::spawn_blocking(move || page.admin.record_login(actor)).await;
        if written.is_err() {
            tracing::error!("a login could not be written down");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_logging_in_one_stays_on_this_server() {
        for next in [
            "https://evil.example/",
            "//evil.example",
            "/\\evil.example",
            "javascript:alert(1)",
            "",
            "/a\r\nb",
        ] {
            assert_eq!(within(Some(next)), "/", "{next:?}");
        }
        assert_eq!(within(Some("/owners/john?x=1")), "/owners/john?x=1");
        assert_eq!(within(None), "/");
    }

    #[test]
    fn two_servers_behind_one_name_have_cookies_of_their_own() {
        assert_eq!(cookie_name("localhost:8090"), "mailweir-session-8090");
        assert_eq!(cookie_name("[::1]:8091"), "mailweir-session-8091");
        assert_eq!(cookie_name("weir.example.com"), "mailweir-session-");
        assert_eq!(cookie_name("x:1;2=3"), "mailweir-session-123");
    }
}
