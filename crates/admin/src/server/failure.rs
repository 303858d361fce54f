//! A request that is not done, as it is answered: a status, a code for programs, a sentence for people.

use axum::Json;
use axum::extract::Request;
use axum::http::header::WWW_AUTHENTICATE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use weir_directory::{
    DirectoryError, Fault, MailboxError, OrganisationError, PolicyImportError, PolicyRowError, StoreError,
};

use crate::types::{ErrorBody, ErrorDetail};

/// A request that is not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    status: StatusCode,
    code: &'static str,
    message: String,
}

impl Failure {
    /// What was asked is not well formed.
    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self { status: StatusCode::BAD_REQUEST, code: "bad_request", message: message.into() }
    }

    /// The body is larger than it may be.
    pub(crate) fn too_large(most: usize) -> Self {
        let message =
            format!("the body is larger than {most} bytes, the most that is read; send less at a time");
        Self { status: StatusCode::PAYLOAD_TOO_LARGE, code: "too_large", message }
    }

    /// The body did not arrive in time.
    pub(crate) fn too_slow(seconds: u64) -> Self {
        let message = format!("the body did not arrive within {seconds} s; send it again");
        Self { status: StatusCode::REQUEST_TIMEOUT, code: "too_slow", message }
    }

    /// No token, or not the right one.
    pub(crate) fn unauthorised() -> Self {
        let message = "this needs the header `Authorization: Bearer TOKEN`, TOKEN being the content of the file \
                       admin-token in the data directory";
        Self { status: StatusCode::UNAUTHORIZED, code: "unauthorised", message: message.to_owned() }
    }

    /// The token allows to look only.
    pub(crate) fn read_only() -> Self {
        let message = "the read-only token changes nothing; this needs the content of the file admin-token";
        Self { status: StatusCode::FORBIDDEN, code: "read_only", message: message.to_owned() }
    }

    /// It is not allowed.
    pub(crate) fn forbidden(message: impl Into<String>) -> Self {
        Self { status: StatusCode::FORBIDDEN, code: "forbidden", message: message.into() }
    }

    /// The server was asked by a name that is not its own.
    pub(crate) fn misdirected(message: impl Into<String>) -> Self {
        Self { status: StatusCode::MISDIRECTED_REQUEST, code: "misdirected", message: message.into() }
    }

    /// Nothing has that name.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self { status: StatusCode::NOT_FOUND, code: "not_found", message: message.into() }
    }

    /// The present state forbids it.
    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self { status: StatusCode::CONFLICT, code: "conflict", message: message.into() }
    }

    /// The server cannot do it at this moment.
    pub(crate) fn unavailable(message: impl Into<String>) -> Self {
        Self { status: StatusCode::SERVICE_UNAVAILABLE, code: "unavailable", message: message.into() }
    }

    /// The same, about the thing of this name.
    pub(crate) fn about(self, name: &str) -> Self {
        Self { message: format!("{name:?}: {}", self.message), ..self }
    }

    /// The status of the answer.
    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    /// What is wrong, for people.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    fn of(fault: Fault, message: String) -> Self {
        match fault {
            Fault::NotFound => Self::not_found(message),
            Fault::Conflict => Self::conflict(message),
            Fault::Invalid => Self::bad_request(message),
            Fault::Directory => Self::unavailable(message),
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let Self { status, code, message } = self;
        let body = ErrorBody { error: ErrorDetail { code: code.to_owned(), message } };
        let mut response = (status, Json(body)).into_response();
        if status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

impl From<PolicyRowError> for Failure {
    fn from(error: PolicyRowError) -> Self {
        Self::of(error.fault(), error.to_string())
    }
}

impl From<PolicyImportError> for Failure {
    fn from(error: PolicyImportError) -> Self {
        Self::of(error.fault(), error.to_string())
    }
}

impl From<MailboxError> for Failure {
    fn from(error: MailboxError) -> Self {
        Self::of(error.fault(), error.to_string())
    }
}

impl From<OrganisationError> for Failure {
    fn from(error: OrganisationError) -> Self {
        Self::of(error.fault(), error.to_string())
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::of(Fault::Directory, error.to_string())
    }
}

impl From<DirectoryError> for Failure {
    fn from(error: DirectoryError) -> Self {
        Self::of(Fault::Directory, error.to_string())
    }
}

/// The answer to a path that is not served.
pub(super) async fn no_such_endpoint(request: Request) -> Failure {
    let message = format!("there is nothing at {:?}; docs/api.md lists what there is", request.uri().path());
    Failure { status: StatusCode::NOT_FOUND, code: "no_such_endpoint", message }
}

/// The answer to a method that a path does not have.
pub(super) async fn no_such_method(request: Request) -> Failure {
    let (method, path) = (request.method(), request.uri().path());
    let message = format!("{path:?} cannot be asked with {method}; docs/api.md lists what can");
    Failure { status: StatusCode::METHOD_NOT_ALLOWED, code: "no_such_method", message }
}
