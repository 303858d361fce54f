//! A gateway before an origin that says what a test wants, and clients that are bytes on a socket.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::sync::watch;
use weir_throttle::{ComponentLimits, Snapshot};
use weir_units::{Component, Owner};

use super::{listening, serve};
use crate::remote::RemoteSettings;
use crate::remote::scripted::{Scripted, Talk, client_of};
use crate::settings::Settings;
use crate::testing::World;
pub(super) use crate::testing::http::{Answered, answer, basic, header_of, message};

pub(super) const JOHN: &str = "john.doe@example.com";

/// One request as the origin got it.
#[derive(Clone, Debug)]
pub(super) struct Got {
    /// By which connection, from 0 on.
    pub(super) connection: usize,
    pub(super) head: String,
    pub(super) body: Vec<u8>,
}

impl Got {
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// An origin that remembers what it got.
pub(super) struct Origin {
    pub(super) scripted: Scripted,
    got: Arc<Mutex<Vec<Got>>>,
}

impl Origin {
    /// An origin that answers each whole request with the bytes that `answer` makes of it.
    pub(super) async fn new(answer: impl Fn(&Got) -> Vec<u8> + Clone + Send + Sync + 'static) -> Self {
        Self::in_pieces(move |got| vec![answer(got)]).await
    }

    /// The same, with each piece written by itself.
    pub(super) async fn in_pieces(
        answer: impl Fn(&Got) -> Vec<Vec<u8>> + Clone + Send + Sync + 'static,
    ) -> Self {
        let got = Arc::new(Mutex::new(Vec::new()));
        let all = Arc::clone(&got);
        let scripted = Scripted::start(move |connection, mut talk: Talk| {
            let (all, answer) = (Arc::clone(&all), answer.clone());
            async move {
                while let Some((head, body)) = message(&mut talk).await {
                    let got = Got { connection, head, body };
                    all.lock().unwrap().push(got.clone());
                    for piece in answer(&got) {
                        talk.say(piece).await;
                        tokio::task::yield_now().await;
                    }
                }
            }
        })
        .await;
        Self { scripted, got }
    }

    pub(super) fn got(&self) -> Vec<Got> {
        self.got.lock().unwrap().clone()
    }

    /// By which connections its requests came, each numbered as it is used first.
    pub(super) fn connections(&self) -> Vec<usize> {
        let mut seen = Vec::new();
        let number = |got: &Got| {
            let known = seen.iter().position(|known| *known == got.connection);
            known.unwrap_or_else(|| {
                seen.push(got.connection);
                seen.len() - 1
            })
        };
        self.got().iter().map(number).collect()
    }
}

/// A gateway that listens.
pub(super) struct Stage {
    pub(super) world: World,
    pub(super) address: SocketAddr,
    _stop: watch::Sender<bool>,
}

/// How often a test looks whether something has come about, a few seconds in all.
const LOOKS: usize = 5_000_000;

impl Stage {
    pub(super) async fn before(origin: &Scripted) -> Self {
        Self::with(RemoteSettings::new(vec![origin.url()]), listening(true)).await
    }

    pub(super) async fn observing(origin: &Scripted) -> Self {
        Self::with(RemoteSettings::new(vec![origin.url()]), listening(false)).await
    }

    pub(super) async fn with(remote: RemoteSettings, settings: Settings) -> Self {
        let (stop, stopping) = watch::channel(false);
        let world = World::before(remote, settings).await;
        let address = serve(&world, stopping).await;
        Self { world, address, _stop: stop }
    }

    pub(super) async fn client(&self) -> Talk {
        client_of(self.address).await
    }

    /// One whole call on a connection of its own.
    pub(super) async fn ask(&self, request: impl AsRef<[u8]>) -> Answered {
        let mut client = self.client().await;
        client.say(request).await;
        answer(&mut client).await
    }

    /// Has the origin accept John's credential on EWS.
    pub(super) async fn accept_john(&self) {
        assert_eq!(self.ask(ews("", &basic(JOHN, "secret"))).await.status, 200);
    }

    /// Has the origin accept John's credential on MAPI.
    pub(super) async fn accept_john_for_mapi(&self) {
        let ping = crate::mapi::testing::request("PING", &basic(JOHN, "secret"), &[]);
        assert_eq!(self.ask(ping).await.status, 200);
    }

    /// How the budget of `owner` stands; none where he has none.
    pub(super) fn budget(&self, owner: &str, component: Component) -> Option<Snapshot> {
        let gateway = &self.world.gateway;
        let account = gateway.budgets.peek(&Owner::new(owner), component)?;
        Some(account.budget.snapshot(&ComponentLimits::unlimited(component), gateway.clock.tick()))
    }

    /// Returns once what John holds is as `until` wants it.
    pub(super) async fn johns(&self, component: Component, until: impl Fn(&Snapshot) -> bool) {
        for _ in 0..LOOKS {
            if self.budget(JOHN, component).is_some_and(|budget| until(&budget)) {
                return;
            }
            tokio::task::yield_now().await;
        }
        panic!("it never came to that: {:?}", self.budget(JOHN, component));
    }
}

/// An EWS call with this operation – by default one that costs nothing – and these fields.
pub(super) fn ews(operation: &str, fields: &str) -> String {
    post(
        "/EWS/Exchange.asmx",
        &super::envelope(if operation.is_empty() { super::GET_INBOX } else { operation }),
        fields,
    )
}

/// A POST with a body and these fields.
pub(super) fn post(path: &str, body: &str, fields: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: mail.example.com\r\nContent-Type: text/xml; charset=utf-8\r\n{fields}\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// An answer of the origin, in one piece.
pub(super) fn reply(status: &str, fields: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\n{fields}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// 200 with a SOAP body.
pub(super) fn well() -> Vec<u8> {
    reply(
        "200 OK",
        "Content-Type: text/xml; charset=utf-8\r\n",
        "<s:Envelope xmlns:s=\"s\"><s:Body/></s:Envelope>",
    )
}
