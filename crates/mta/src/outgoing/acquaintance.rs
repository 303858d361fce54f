//! What is said before the first message: banner, EHLO, STARTTLS, AUTH, XSHADOW.
//!
//! A name and a password are said only where nobody listens: over TLS, or to this host itself. A peer that asks for none
//! knows us by our address. XSHADOW is offered to who has proved himself, so that EHLO is said once more behind AUTH
//! where shadows are kept (H12); a peer that declines it takes messages all the same, and no shadow is named to it.

use std::sync::Arc;

use tokio::time::timeout;
use weir_balance::Failure;
use weir_transport::queue::{Context, Meaning, Reply, Stage};
use weir_units::Micros;
use weir_wire::smtp::shadow::database;
use weir_wire::smtp::{
    self, Command, Credentials, Extension, Extensions, Hello, Host, Mechanism, Secret, Token,
};

use super::connection::Connection;
use super::dialer::{Callee, Dialer};
use super::link::{Io, Link, LinkError};
use super::trust::server_name;
use super::{OpenError, Protocol, Way, said};
use crate::settings::TlsPolicy;

/// How long a farewell that nobody waits for may take to be written.
const LEAVING: Micros = Micros::SECOND;

/// The code that asks for more of an authentication.
const MORE: u16 = 334;

/// A connection on which no message can be sent yet.
pub(super) struct Acquaintance<'a> {
    dialer: &'a Dialer,
    callee: Callee<'a>,
    way: &'a Way,
    tls: TlsPolicy,
    link: Link,
    encrypted: bool,
    remote: Arc<str>,
    offered: Extensions,
    database: Option<Token>,
}

impl<'a> Acquaintance<'a> {
    pub(super) fn new(
        dialer: &'a Dialer,
        stream: Box<dyn Io>,
        callee: Callee<'a>,
        way: &'a Way,
        tls: TlsPolicy,
    ) -> Self {
        Self {
            dialer,
            callee,
            way,
            tls,
            link: Link::new(stream),
            encrypted: false,
            remote: callee.name.into(),
            offered: Extensions::none(),
            database: None,
        }
    }

    /// Says all of it.
    pub(super) async fn make(mut self) -> Result<Connection, OpenError> {
        self.banner().await?;
        self.hello().await?;
        if self.tls != TlsPolicy::Off {
            self = self.start_tls().await?;
        }
        if !self.log_in().await? {
            // On whose behalf a message is sent (`AUTH=`) is said by who has proved himself, and refused from others.
            self.offered.mechanisms.clear();
        }
        self.offer_shadows().await?;
        Ok(Connection::new(
            self.link,
            Arc::clone(&self.dialer.settings),
            self.way.protocol,
            self.offered,
            self.database,
            self.remote,
        ))
    }

    async fn banner(&mut self) -> Result<(), OpenError> {
        let banner = self.link.reply(self.dialer.settings.banner_timeout).await;
        let reply = banner.map_err(|broken| before_banner(&broken))?;
        let answer = said(&reply);
        if answer.code == 421 {
            let text = format!("the connection was answered: {answer}").into();
            let (failure, reply) = (Failure::Busy421, Some(answer));
            return Err(OpenError { failure, reply, stage: Stage::Banner, text, connected: false });
        }
        if let Some(name) = reply.lines().next().and_then(host_name) {
            self.remote = name.into();
        }
        self.proceed(answer, Stage::Banner, "the connection").await
    }

    /// Hello, in the newer way and then in the older one.
    async fn hello(&mut self) -> Result<(), OpenError> {
        let (how, word) = match self.way.protocol {
            Protocol::Smtp => (Hello::Ehlo, "EHLO"),
            Protocol::Lmtp => (Hello::Lhlo, "LHLO"),
        };
        let reply = self.say_hello(how, word, Stage::Ehlo).await?;
        let answer = said(&reply);
        if self.meaning(&answer, Stage::Ehlo) == Meaning::Without && self.way.protocol == Protocol::Smtp {
            let reply = self.say_hello(Hello::Helo, "HELO", Stage::Helo).await?;
            self.offered = Extensions::none();
            return self.proceed(said(&reply), Stage::Helo, "HELO").await;
        }
        self.proceed(answer, Stage::Ehlo, word).await?;
        self.offered = Extensions::of(&reply);
        Ok(())
    }

    async fn say_hello(&mut self, how: Hello, word: &str, stage: Stage) -> Result<smtp::Reply, OpenError> {
        let command = Command::Hello(how, self.dialer.host_name.as_str().to_owned());
        self.ask(&command, stage, word).await
    }

    async fn start_tls(mut self) -> Result<Self, OpenError> {
        if !self.offered.has(Extension::StartTls) {
            if !self.is_tls_required() {
                return Ok(self);
            }
            let text = "TLS is required, and the server does not offer STARTTLS";
            return Err(after_banner(Failure::Handshake, Stage::StartTls, text.into()));
        }
        let reply = self.ask(&Command::StartTls, Stage::StartTls, "STARTTLS").await?;
        let answer = said(&reply);
        if self.meaning(&answer, Stage::StartTls) == Meaning::Without {
            return Ok(self);
        }
        self.proceed(answer, Stage::StartTls, "STARTTLS").await?;
        let mut secured = self.handshake().await?;
        // What was offered in the clear may have been somebody else's word.
        match secured.hello().await {
            Ok(()) => Ok(secured),
            // With TLS 1.3 a peer may refuse the handshake, such as for lack of our certificate, when we are done.
            Err(error) if error.reply.is_none() => Err(OpenError { failure: Failure::Handshake, ..error }),
            Err(error) => Err(error),
        }
    }

    async fn handshake(self) -> Result<Self, OpenError> {
        let failed =
            |why: &str| after_banner(Failure::Handshake, Stage::StartTls, format!("TLS handshake: {why}"));
        let name = server_name(self.callee.name, self.callee.address);
        let connector = self.dialer.trust.connector(self.tls == TlsPolicy::Verified);
        let stream = self.link.into_stream().ok_or_else(|| failed("the server spoke out of turn"))?;
        let handshake = timeout(self.dialer.settings.tls_timeout.into(), connector.connect(name, stream));
        let secured = match handshake.await {
            Ok(secured) => secured.map_err(|error| failed(&error.to_string()))?,
            Err(_) => return Err(failed("not done in time")),
        };
        Ok(Self { link: Link::new(Box::new(secured)), encrypted: true, ..self })
    }

    /// Proves who we are, and says whether that was asked for.
    async fn log_in(&mut self) -> Result<bool, OpenError> {
        let Some(login) = &self.way.login else { return Ok(false) };
        let private = self.encrypted || self.callee.address.ip().is_loopback();
        let offers = |mechanism| self.offered.mechanisms.contains(&mechanism);
        if !private || self.offered.mechanisms.is_empty() {
            return Ok(false);
        }
        let reply = if offers(Mechanism::Plain) {
            let command = Command::Authenticate(Mechanism::Plain, Some(login.plain()));
            self.ask(&command, Stage::Auth, "AUTH").await?
        } else {
            self.log_in_line_by_line(login).await?
        };
        self.proceed(said(&reply), Stage::Auth, "AUTH").await?;
        if self.way.shadow_holder.is_some() && !self.offered.has(Extension::Shadow) {
            self.hello().await?;
        }
        Ok(true)
    }

    async fn log_in_line_by_line(&mut self, login: &Credentials) -> Result<smtp::Reply, OpenError> {
        let command = Command::Authenticate(Mechanism::Login, None);
        let mut reply = self.ask(&command, Stage::Auth, "AUTH").await?;
        for line in login.login() {
            if reply.code().number() != MORE {
                break;
            }
            reply = self.answer(&line).await.map_err(|broken| lost(&broken, Stage::Auth, "AUTH"))?;
        }
        Ok(reply)
    }

    async fn answer(&mut self, line: &Secret) -> Result<smtp::Reply, LinkError> {
        self.link.out.extend_from_slice(line.expose().as_bytes());
        self.link.out.extend_from_slice(b"\r\n");
        let patience = self.dialer.settings.command_timeout;
        self.link.push(patience).await?;
        self.link.reply(patience).await
    }

    async fn offer_shadows(&mut self) -> Result<(), OpenError> {
        if let Some(holder) = &self.way.shadow_holder
            && self.offered.has(Extension::Shadow)
        {
            let reply = self.ask(&Command::Shadow(holder.clone()), Stage::Ehlo, "XSHADOW").await?;
            self.database = database(&reply);
            if reply.closes() {
                return Err(self.refused(said(&reply), Stage::Ehlo, "XSHADOW").await);
            }
        }
        if self.database.is_none() {
            self.offered.keywords.remove(&Extension::Shadow);
        }
        Ok(())
    }

    async fn ask(&mut self, command: &Command, stage: Stage, word: &str) -> Result<smtp::Reply, OpenError> {
        let asked = self.link.ask(command, self.dialer.settings.command_timeout).await;
        asked.map_err(|broken| lost(&broken, stage, word))
    }

    fn meaning(&self, answer: &Reply, stage: Stage) -> Meaning {
        answer.meaning(stage, Context { tls_required: self.is_tls_required(), accepted: 0 })
    }

    const fn is_tls_required(&self) -> bool {
        match self.tls {
            TlsPolicy::Off | TlsPolicy::Opportunistic => false,
            TlsPolicy::Required | TlsPolicy::Verified => true,
        }
    }

    /// Goes on if `answer` is what was hoped for.
    async fn proceed(&mut self, answer: Reply, stage: Stage, word: &str) -> Result<(), OpenError> {
        match self.meaning(&answer, stage) {
            Meaning::Proceed => Ok(()),
            Meaning::Without
            | Meaning::Recipient(_)
            | Meaning::Message(_)
            | Meaning::NextTarget
            | Meaning::Lost => Err(self.refused(answer, stage, word).await),
        }
    }

    /// Takes leave of a peer that does not want us, without waiting for an answer.
    async fn refused(&mut self, answer: Reply, stage: Stage, word: &str) -> OpenError {
        Command::Quit.write(&mut self.link.out);
        drop(self.link.push(LEAVING).await);
        let error = after_banner(Failure::Other, stage, format!("{word} was answered: {answer}"));
        OpenError { reply: Some(answer), ..error }
    }
}

/// What the socket did where the banner belongs. What is no SMTP at all is no word about the target's health (H4).
fn before_banner(broken: &LinkError) -> OpenError {
    let failure = match broken {
        LinkError::Io(error) => Failure::of(error),
        LinkError::Closed => Failure::ClosedBeforeBanner,
        LinkError::Silent(_) | LinkError::Stuck(_) => Failure::SilentBeforeBanner,
        LinkError::Nonsense(_) | LinkError::OutOfTurn(_) => Failure::Other,
    };
    let text = format!("the banner: {broken}").into();
    let connected = matches!(broken, LinkError::Nonsense(_));
    OpenError { failure, reply: None, stage: Stage::Banner, text, connected }
}

/// The connection broke while `word` was said.
pub(super) fn lost(broken: &LinkError, stage: Stage, word: &str) -> OpenError {
    let failure = match broken {
        LinkError::Io(error) => Failure::of(error),
        LinkError::Closed => Failure::Reset,
        LinkError::Silent(_) | LinkError::Stuck(_) => Failure::TimedOut,
        LinkError::Nonsense(_) | LinkError::OutOfTurn(_) => Failure::Other,
    };
    after_banner(failure, stage, format!("{word}: {broken}"))
}

pub(super) fn after_banner(failure: Failure, stage: Stage, text: String) -> OpenError {
    OpenError { failure, reply: None, stage, text: text.into(), connected: true }
}

/// The host that a banner begins with.
fn host_name(line: &str) -> Option<&str> {
    let name = line.split(' ').next().unwrap_or_default();
    name.parse::<Host>().ok().map(|_| name)
}
