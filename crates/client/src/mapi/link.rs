//! Calls to a server, one after the other: headers, cookies, the envelope of an answer.
//!
//! A link has one connection, which it opens when it needs one. A request that certainly did not leave goes over another
//! connection; one that may have left is never sent twice. Two links share credentials, cookies and the numbering of
//! requests, so that one can wait for events while the other works.

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, HOST, HeaderValue, SET_COOKIE, USER_AGENT};
use hyper::{HeaderMap, Request, Response, StatusCode};
use tokio::time::timeout;
use weir_wire::mapi::envelope::Envelope;
use weir_wire::mapi::request_type::X_REQUEST_TYPE;
use weir_wire::mapi::response_code::X_RESPONSE_CODE;
use weir_wire::mapi::version::X_CLIENT_APPLICATION;
use weir_wire::mapi::{Malformed, RequestType, ResponseCode};

use super::connection::{self, Dial, Sender};
use super::cookies::Cookies;
use super::error::MapiError;
use super::identity::Identity;
use super::settings::Settings;
use super::trust;

const MAPI_HTTP: &str = "application/mapi-http";

/// What all links of one session share.
struct Shared {
    settings: Settings,
    dial: Dial,
    identity: Identity,
    cookies: Mutex<Cookies>,
    /// The headers that are the same in every request.
    headers: HeaderMap,
}

pub(super) struct Link {
    shared: Arc<Shared>,
    /// Nothing while a call is under way, so that a call that is abandoned takes its connection with it.
    idle: Option<Sender>,
}

impl Link {
    /// A link that has no connection yet.
    pub(super) fn new(settings: Settings) -> Result<Self, MapiError> {
        let dial = if settings.endpoint.is_secure() {
            Dial::Secure(trust::client_config(&settings.endpoint.authority(), settings.ca.as_deref())?)
        } else {
            Dial::Plain
        };
        Self::over(settings, dial)
    }

    /// A link over connections that are made so.
    pub(super) fn over(settings: Settings, dial: Dial) -> Result<Self, MapiError> {
        let identity = Identity::random();
        let headers = headers(&settings, &identity)?;
        let cookies = Mutex::new(Cookies::default());
        Ok(Self { shared: Arc::new(Shared { settings, dial, identity, cookies, headers }), idle: None })
    }

    /// Another link of the same session, with a connection of its own.
    pub(super) fn another(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), idle: None }
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.shared.settings
    }

    /// Makes one call and gives the body of its answer.
    pub(super) async fn call(&mut self, call: RequestType, body: Vec<u8>) -> Result<Vec<u8>, MapiError> {
        let limit = self.settings().limits.call;
        let made = timeout(limit, self.made(call, body)).await;
        made.map_err(|_| MapiError::Endless { server: self.server(), limit })?
    }

    async fn made(&mut self, call: RequestType, body: Vec<u8>) -> Result<Vec<u8>, MapiError> {
        let request = self.request(call, body)?;
        let (sender, answer) = self.exchange(call, request).await?;
        let (head, mut body) = answer.into_parts();
        self.take_cookies(&head.headers);
        self.accept(call, head.status, &head.headers)?;
        let body = self.read(call, &mut body).await?;
        self.idle = Some(sender);
        Ok(body)
    }

    fn request(&self, call: RequestType, body: Vec<u8>) -> Result<Request<Full<Bytes>>, MapiError> {
        let unsendable = |what| move |_| MapiError::Unsendable { what };
        let mut request = Request::post(self.settings().endpoint.path())
            .body(Full::new(Bytes::from(body)))
            .map_err(|_| MapiError::Unsendable { what: "the path" })?;
        let headers = request.headers_mut();
        headers.clone_from(&self.shared.headers);
        headers.insert(X_REQUEST_TYPE, HeaderValue::from_static(call.name()));
        let id = HeaderValue::from_str(&self.shared.identity.request());
        headers.insert("X-RequestId", id.map_err(unsendable("the number of a request"))?);
        let cookies = self.shared.cookies.lock().unwrap_or_else(PoisonError::into_inner).header();
        if let Some(cookies) = cookies {
            let mut value = HeaderValue::from_str(&cookies).map_err(unsendable("a cookie"))?;
            value.set_sensitive(true);
            headers.insert(COOKIE, value);
        }
        Ok(request)
    }

    /// Sends the request, over another connection where the one at hand turns out to be closed.
    async fn exchange(
        &mut self,
        call: RequestType,
        request: Request<Full<Bytes>>,
    ) -> Result<(Sender, Response<Incoming>), MapiError> {
        let mut request = request;
        if let Some(mut sender) = self.idle.take()
            && sender.ready().await.is_ok()
        {
            match self.sent(&mut sender, request).await? {
                Ok(answer) => return Ok((sender, answer)),
                Err((Some(unsent), _)) => request = unsent,
                Err((None, why)) => return Err(MapiError::Broken { call, why }),
            }
        }
        let Shared { settings, dial, .. } = &*self.shared;
        let mut sender = connection::open(&settings.endpoint, dial, settings.limits.connect).await?;
        match self.sent(&mut sender, request).await? {
            Ok(answer) => Ok((sender, answer)),
            Err((_, why)) => Err(MapiError::Broken { call, why }),
        }
    }

    /// The head of the answer; or the request, where it certainly did not leave, and what is wrong.
    async fn sent(&self, sender: &mut Sender, request: Request<Full<Bytes>>) -> Result<Sent, MapiError> {
        let sent = self.unless_silent(sender.try_send_request(request)).await?;
        Ok(sent.map_err(|mut error| (error.take_message(), error.into_error().to_string())))
    }

    fn take_cookies(&self, headers: &HeaderMap) {
        let mut cookies = self.shared.cookies.lock().unwrap_or_else(PoisonError::into_inner);
        for cookie in headers.get_all(SET_COOKIE).iter().filter_map(|value| value.to_str().ok()) {
            cookies.set(cookie);
        }
    }

    /// Whether what follows the head is an envelope.
    fn accept(&self, call: RequestType, status: StatusCode, headers: &HeaderMap) -> Result<(), MapiError> {
        let server = || self.server();
        let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        if status == StatusCode::UNAUTHORIZED {
            let user = self.settings().credentials.user().to_owned();
            return Err(MapiError::Credentials { server: server(), user });
        }
        match text(X_RESPONSE_CODE).and_then(ResponseCode::from_header) {
            Some(code) if !code.has_body() => return Err(MapiError::Response { call, code }),
            Some(_) | None => {}
        }
        let is_mapi = text(CONTENT_TYPE.as_str())
            .is_some_and(|kind| kind.trim_ascii().to_ascii_lowercase().starts_with(MAPI_HTTP));
        if status == StatusCode::OK && is_mapi {
            Ok(())
        } else {
            Err(MapiError::Status { server: server(), status: status.as_u16() })
        }
    }

    /// Reads the envelope and what it holds.
    async fn read(&self, call: RequestType, body: &mut Incoming) -> Result<Vec<u8>, MapiError> {
        let limit = self.settings().limits.answer;
        let (mut envelope, mut answer) = (Envelope::new(), Vec::new());
        while let Some(frame) = self.unless_silent(body.frame()).await? {
            let frame = frame.map_err(|why| MapiError::Broken { call, why: why.to_string() })?;
            let Ok(piece) = frame.into_data() else { continue };
            answer.extend(envelope.feed(&piece).map_err(|why| MapiError::Malformed { call, why })?);
            if answer.len() > limit {
                return Err(MapiError::TooLong { call, limit });
            }
        }
        match envelope.response_code() {
            Some(code) if !code.has_body() => Err(MapiError::Response { call, code }),
            Some(_) | None if envelope.is_done() => Ok(answer),
            Some(_) | None => Err(MapiError::Malformed { call, why: Malformed::Ends("an envelope") }),
        }
    }

    async fn unless_silent<T>(&self, waiting: impl Future<Output = T>) -> Result<T, MapiError> {
        let limit = self.settings().limits.silence;
        timeout(limit, waiting).await.map_err(|_| MapiError::Silent { server: self.server(), limit })
    }

    fn server(&self) -> String {
        self.settings().endpoint.authority()
    }
}

type Sent = Result<Response<Incoming>, (Option<Request<Full<Bytes>>>, String)>;

/// The headers that are the same in every request.
fn headers(settings: &Settings, identity: &Identity) -> Result<HeaderMap, MapiError> {
    let value = |text: &str, what| HeaderValue::from_str(text).map_err(|_| MapiError::Unsendable { what });
    let Settings { application, version, endpoint, credentials, .. } = settings;
    let named = "the name of the application";
    let mut headers = HeaderMap::new();
    headers.insert(HOST, value(&endpoint.authority(), "the server's name")?);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(MAPI_HTTP));
    headers.insert(USER_AGENT, value(&format!("{application}/{}", env!("CARGO_PKG_VERSION")), named)?);
    headers.insert(X_CLIENT_APPLICATION, value(&format!("{application}/{version}"), named)?);
    headers.insert("X-ClientInfo", value(identity.client(), "the client's identifier")?);
    headers.insert(
        AUTHORIZATION,
        credentials.header().ok_or(MapiError::Unsendable { what: "name or password" })?,
    );
    Ok(headers)
}
