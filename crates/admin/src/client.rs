//! The typed client of the API, which the command line uses.
//!
//! One method for each endpoint; each opens a connection, asks, and closes it. Where the server is and which
//! token it wants is found by a [`Locator`]. The connection is plain HTTP: the API listens on loopback by
//! default, and what reaches it from elsewhere does so through a tunnel or a proxy of the operator's. Every
//! step has a time limit and every answer a largest size; errors say what was tried and what to do.

mod error;
mod locator;
#[cfg(test)]
mod tests;
mod transport;

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::gateway::TargetChange;
use crate::routes::{Endpoint, encoded};
use crate::types::{
    AuditFilter, AuditRecord, Bypass, ChangedTarget, ErrorBody, EventFilter, EventRecord, Excerpt,
    ImportedPolicies, Listing, MailboxChange, MailboxFilter, MailboxView, MapiSession, MapiSessions,
    NewMailbox, NewOrganisation, NewPolicy, OrganisationView, Overview, OwnerBudgets, OwnerLog,
    OwnerLogFilter, PasswordChange, PolicyChange, PolicyImport, PolicyView, Reloaded, Repaired,
    SessionFilter, TargetView, TopBudget,
};

pub use error::ClientError;
pub use locator::Locator;

/// How long a connection may take to open.
pub const CONNECT_PATIENCE: Duration = Duration::from_secs(5);
/// How long an answer may take.
pub const ANSWER_PATIENCE: Duration = Duration::from_mins(1);
/// The largest answer that is read, in bytes.
pub const MAX_ANSWER: usize = 64 * 1024 * 1024;

/// A client of one server.
///
/// ```no_run
/// # async fn example() -> Result<(), weir_admin::client::ClientError> {
/// use weir_admin::client::{Client, Locator};
/// let client = Client::new(Locator::find("mailweir-data".as_ref())?);
/// for policy in client.policies().await? {
///     println!("{}", policy.name);
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    locator: Locator,
}

impl Client {
    /// A client of the server that `locator` found.
    pub fn new(locator: Locator) -> Self {
        Self { locator }
    }

    /// Every organisation, by name.
    ///
    /// # Errors
    /// As every method here: the server cannot be reached, refuses, or answers something else.
    pub async fn organisations(&self) -> Result<Vec<OrganisationView>, ClientError> {
        self.list(Endpoint::OrganisationList).await
    }

    /// Makes an organisation, and its default policy with it.
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn new_organisation(&self, wanted: &NewOrganisation) -> Result<OrganisationView, ClientError> {
        self.send(Endpoint::OrganisationNew, "", wanted).await
    }

    /// Removes an organisation that has no mailboxes.
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn remove_organisation(&self, name: &str) -> Result<(), ClientError> {
        self.ask::<Gone>(Endpoint::OrganisationRemove, name).await.map(drop)
    }

    /// Every policy, by organisation and name.
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn policies(&self) -> Result<Vec<PolicyView>, ClientError> {
        self.list(Endpoint::PolicyList).await
    }

    /// One policy.
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn policy(&self, name: &str) -> Result<PolicyView, ClientError> {
        self.ask(Endpoint::PolicyShow, name).await
    }

    /// Makes a policy.
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn new_policy(&self, wanted: &NewPolicy) -> Result<PolicyView, ClientError> {
        self.send(Endpoint::PolicyNew, "", wanted).await
    }

    /// Changes a policy's settings, all or none.
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn change_policy(&self, name: &str, change: &PolicyChange) -> Result<PolicyView, ClientError> {
        self.send(Endpoint::PolicyChange, name, change).await
    }

    /// Removes a policy that no mailbox uses (T15).
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn remove_policy(&self, name: &str) -> Result<(), ClientError> {
        self.ask::<Gone>(Endpoint::PolicyRemove, name).await.map(drop)
    }

    /// Makes a policy the one default policy of its organisation.
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn make_default(&self, name: &str) -> Result<PolicyView, ClientError> {
        self.ask(Endpoint::PolicyDefault, name).await
    }

    /// Imports policies, all or none; or, in a dry run, says what that would do.
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn import_policies(&self, wanted: &PolicyImport) -> Result<ImportedPolicies, ClientError> {
        self.send(Endpoint::PolicyImport, "", wanted).await
    }

    /// The mailboxes that `which` asks for, by organisation and address.
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn mailboxes(&self, which: &MailboxFilter) -> Result<Vec<MailboxView>, ClientError> {
        let found = self.find::<Listing<MailboxView>>(Endpoint::MailboxList, "", which).await?;
        Ok(found.items)
    }

    /// One mailbox, by address, alias, `SHORT\alias` or legacy DN.
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn mailbox(&self, name: &str) -> Result<MailboxView, ClientError> {
        self.ask(Endpoint::MailboxShow, name).await
    }

    /// Makes a mailbox.
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn new_mailbox(&self, wanted: &NewMailbox) -> Result<MailboxView, ClientError> {
        self.send(Endpoint::MailboxNew, "", wanted).await
    }

    /// Changes a mailbox.
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn change_mailbox(
        &self,
        name: &str,
        change: &MailboxChange,
    ) -> Result<MailboxView, ClientError> {
        self.send(Endpoint::MailboxChange, name, change).await
    }

    /// Removes a mailbox.
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn remove_mailbox(&self, name: &str) -> Result<(), ClientError> {
        self.ask::<Gone>(Endpoint::MailboxRemove, name).await.map(drop)
    }

    /// Sets or removes a mailbox's password; connections that used the old one must log in again.
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn change_password(
        &self,
        name: &str,
        change: &PasswordChange,
    ) -> Result<MailboxView, ClientError> {
        self.send(Endpoint::MailboxPassword, name, change).await
    }

    /// Gives the default policy to every mailbox whose policy was deleted (T15).
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn repair_mailboxes(&self) -> Result<Repaired, ClientError> {
        self.ask(Endpoint::MailboxRepair, "").await
    }

    /// What limits an owner at this moment (T21).
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn budgets(&self, owner: &str) -> Result<OwnerBudgets, ClientError> {
        self.ask(Endpoint::BudgetShow, owner).await
    }

    /// What the request log says of an owner (T21).
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn owner_log(&self, owner: &str, when: &OwnerLogFilter) -> Result<OwnerLog, ClientError> {
        self.find(Endpoint::BudgetLog, owner, when).await
    }

    /// So many of the budgets of which most is used, the fullest first (T21).
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn top_budgets(&self, top: usize) -> Result<Vec<TopBudget>, ClientError> {
        let endpoint = Endpoint::BudgetList;
        let path = format!("{}?top={top}", endpoint.path(""));
        let answer = self.exchange(endpoint, path, Bytes::new()).await?;
        parsed::<Listing<TopBudget>>(&answer).map(|listing| listing.items)
    }

    /// How the gateway goes (T21).
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn overview(&self) -> Result<Overview, ClientError> {
        self.ask(Endpoint::Overview, "").await
    }

    /// The targets: servers of remote origins, then those that mail goes to, each by address.
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn targets(&self) -> Result<Vec<TargetView>, ClientError> {
        self.list(Endpoint::TargetList).await
    }

    /// Says something about a target, named by its address or as the configuration names it (H10).
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn change_target(
        &self,
        name: &str,
        change: TargetChange,
    ) -> Result<ChangedTarget, ClientError> {
        let endpoint = match change {
            TargetChange::Disable => Endpoint::TargetDisable,
            TargetChange::Drain => Endpoint::TargetDrain,
            TargetChange::Enable => Endpoint::TargetEnable,
            TargetChange::Retry => Endpoint::TargetRetry,
        };
        self.ask(endpoint, name).await
    }

    /// The MAPI sessions that `which` asks for, and the servers they are at (R13).
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn sessions(&self, which: &SessionFilter) -> Result<MapiSessions, ClientError> {
        self.find(Endpoint::SessionList, "", which).await
    }

    /// Ends a MAPI session; its client opens another one.
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn close_session(&self, id: u64) -> Result<MapiSession, ClientError> {
        self.ask(Endpoint::SessionClose, &id.to_string()).await
    }

    /// Whether everybody passes (T20).
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn bypass(&self) -> Result<Bypass, ClientError> {
        self.ask(Endpoint::BypassShow, "").await
    }

    /// Lets everybody pass, or no longer (T20).
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn set_bypass(&self, wanted: Bypass) -> Result<Bypass, ClientError> {
        self.send(Endpoint::BypassSet, "", &wanted).await
    }

    /// Has the server read its configuration again.
    ///
    /// # Errors
    /// See [`Client::organisations`]; a bad configuration is refused whole and the old one stays in force.
    pub async fn reload(&self) -> Result<Reloaded, ClientError> {
        self.ask(Endpoint::Reload, "").await
    }

    /// The newest events that `which` asks for (T16).
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn events(&self, which: &EventFilter) -> Result<Excerpt<EventRecord>, ClientError> {
        self.find(Endpoint::EventList, "", which).await
    }

    /// The newest changes that `which` asks for.
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn changes(&self, which: &AuditFilter) -> Result<Excerpt<AuditRecord>, ClientError> {
        self.find(Endpoint::AuditList, "", which).await
    }

    /// What `endpoint` says with the fields of `which` as options.
    async fn find<T: DeserializeOwned>(
        &self,
        endpoint: Endpoint,
        name: &str,
        which: &impl Serialize,
    ) -> Result<T, ClientError> {
        let path = endpoint.path(name) + &query(which)?;
        parsed(&self.exchange(endpoint, path, Bytes::new()).await?)
    }

    async fn list<T: DeserializeOwned>(&self, endpoint: Endpoint) -> Result<Vec<T>, ClientError> {
        self.ask::<Listing<T>>(endpoint, "").await.map(|listing| listing.items)
    }

    async fn ask<T: DeserializeOwned>(&self, endpoint: Endpoint, name: &str) -> Result<T, ClientError> {
        let answer = self.exchange(endpoint, endpoint.path(name), Bytes::new()).await?;
        parsed(&answer)
    }

    async fn send<T: DeserializeOwned>(
        &self,
        endpoint: Endpoint,
        name: &str,
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        let body =
            serde_json::to_vec(body).map_err(|error| ClientError::BadAnswer { why: error.to_string() })?;
        let answer = self.exchange(endpoint, endpoint.path(name), Bytes::from(body)).await?;
        parsed(&answer)
    }

    /// One request and its answer's body, or the refusal it carries.
    async fn exchange(&self, endpoint: Endpoint, path: String, body: Bytes) -> Result<Bytes, ClientError> {
        let stream = self.connect().await?;
        let exchanged = timeout(ANSWER_PATIENCE, self.over(stream, endpoint, path, body));
        let (status, answer) = exchanged.await.map_err(|_| self.silent(ANSWER_PATIENCE))??;
        if status.is_success() {
            return Ok(answer);
        }
        if status == StatusCode::UNAUTHORIZED {
            return Err(ClientError::WrongToken { file: self.locator.token_file().to_owned() });
        }
        match serde_json::from_slice::<ErrorBody>(&answer) {
            Ok(ErrorBody { error }) => Err(ClientError::Refused {
                status: status.as_u16(),
                code: error.code,
                message: error.message,
            }),
            Err(_) => Err(ClientError::BadAnswer { why: format!("it answered {status} without saying why") }),
        }
    }

    async fn connect(&self) -> Result<TcpStream, ClientError> {
        match timeout(CONNECT_PATIENCE, TcpStream::connect(self.locator.address())).await {
            Ok(Ok(stream)) => Ok(stream),
            Ok(Err(source)) => Err(ClientError::Unreachable {
                address: self.locator.address().to_owned(),
                told_by: self.locator.told_by(),
                source,
            }),
            Err(_) => Err(self.silent(CONNECT_PATIENCE)),
        }
    }

    async fn over(
        &self,
        stream: TcpStream,
        endpoint: Endpoint,
        path: String,
        body: Bytes,
    ) -> Result<(StatusCode, Bytes), ClientError> {
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
        // It ends with the exchange: when the sender is dropped, or when the server hangs up.
        tokio::spawn(connection);
        let request = Request::builder()
            .method(endpoint.route().0.name())
            .uri(path)
            .header(HOST, self.locator.address())
            .header(AUTHORIZATION, format!("Bearer {}", self.locator.token()))
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/json")
            .body(Full::new(body))
            .map_err(|error| ClientError::BadAnswer { why: error.to_string() })?;
        let response: Response<_> = sender.send_request(request).await.map_err(broken)?;
        let status = response.status();
        let body = Limited::new(response.into_body(), MAX_ANSWER).collect().await;
        let body = body.map_err(|error| ClientError::BadAnswer { why: error.to_string() })?;
        Ok((status, body.to_bytes()))
    }

    fn silent(&self, patience: Duration) -> ClientError {
        ClientError::Silent { address: self.locator.address().to_owned(), seconds: patience.as_secs() }
    }
}

/// The fields of `which` as options of a path, those that are null left out.
fn query(which: &impl Serialize) -> Result<String, ClientError> {
    let which =
        serde_json::to_value(which).map_err(|error| ClientError::BadAnswer { why: error.to_string() })?;
    let fields = which.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    let options = fields.map(|(name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("{name}={}", encoded(&value))
    });
    let options: Vec<String> = options.collect();
    Ok(if options.is_empty() { String::new() } else { format!("?{}", options.join("&")) })
}

/// An answer without content.
struct Gone;

impl<'de> serde::Deserialize<'de> for Gone {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde::de::IgnoredAny::deserialize(deserializer).map(|_| Self)
    }
}

#[allow(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
fn broken(error: hyper::Error) -> ClientError {
    ClientError::BadAnswer { why: format!("the connection broke: {error}") }
}

fn parsed<T: DeserializeOwned>(answer: &Bytes) -> Result<T, ClientError> {
    serde_json::from_slice(answer).map_err(|error| ClientError::BadAnswer { why: error.to_string() })
}
