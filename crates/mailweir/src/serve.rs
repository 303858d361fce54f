//! `mailweir serve`: a server put together from the other crates, from its lock file to its last answer.
//!
//! The order matters: one server per data directory first, then stores, then listeners; only when every listener is
//! bound and the administrator's address and token are written does standard output say `mailweir ready`. SIGTERM and
//! Ctrl-C finish what runs, within the drain time; SIGHUP reads the configuration again. With listening sockets that
//! were given, a successor waits for the lock and serves from the moment that its predecessor, told to stop, has ended mail.

mod assembly;
mod demo;
mod explain;
mod greeting;
mod lock;
mod notify;
mod reload;
mod running;
mod sessions;
mod signals;
mod sockets;
mod targets;
mod transport;
mod watchdog;

use std::io::{self, IsTerminal};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::util::SubscriberInitExt;
use weir_admin::audit::Actor;
use weir_admin::server::AdminState;
use weir_admin::{server, token};

use crate::cli::{Failure, Global, ServeArgs};
use crate::config::{Config, ConfigError, DEFAULT_FILE, unserved};
use assembly::Assembly;
use lock::Lock;
use notify::State;
use running::{Running, Stop};
use signals::{Signal, Signals};
use sockets::Sockets;
use watchdog::Watchdog;

/// Runs the server until it is told to stop.
pub(crate) fn run(global: &Global, args: &ServeArgs) -> Result<(), Failure> {
    if global.server.is_some() || global.token_file.is_some() {
        return Err(Failure::Usage(
            "serve runs a server itself: leave out --server and --token-file".to_owned(),
        ));
    }
    let source = Source::find(args.config.as_deref());
    let config = source.load().map_err(|error| Failure::Failed(error.to_string()))?;
    tell(&config.log.level);
    let data = global.data.clone().unwrap_or_else(|| config.data.clone());
    let sockets = sockets::take().map_err(|error| Failure::Failed(error.to_string()))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Failed(format!("cannot start: {error}")))?;
    let mut lock = None;
    let start = Start { config, source, data: &data, demo: args.demo, sockets };
    let served = runtime.block_on(serve(start, &mut lock));
    // What still runs is cut off; stores and logs are written as their last users go.
    drop(runtime);
    drop(lock);
    // Each error of ours tells its cause itself.
    served.map_err(|error| Failure::Failed(error.to_string()))
}

/// What a server begins with.
struct Start<'d> {
    config: Config,
    source: Source,
    data: &'d Path,
    demo: bool,
    sockets: Sockets,
}

/// Where the configuration comes from, at the start and at each reload.
#[derive(Clone, Debug)]
struct Source(Option<PathBuf>);

impl Source {
    /// The file that is `named`, else `mailweir.toml` in this folder where there is one.
    fn find(named: Option<&Path>) -> Self {
        let usual = || Some(PathBuf::from(DEFAULT_FILE)).filter(|file| file.exists());
        Self(named.map(Path::to_owned).or_else(usual))
    }

    fn load(&self) -> Result<Config, ConfigError> {
        self.0.as_deref().map_or_else(|| Ok(Config::default()), Config::load)
    }
}

/// Sends the program's own messages to standard error; `RUST_LOG` wins over `level`.
fn tell(level: &str) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    let colours = std::io::stderr().is_terminal();
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(colours);
    let subscriber = subscriber.with_writer(std::io::stderr).finish();
    // A second server in one process, as tests may have it, keeps the first one's.
    let _ = subscriber.try_init();
}

/// Serves until told to stop. Holds `lock` from before it touches the data directory; with sockets that were given, only
/// until mail has ended and no further connection is accepted, so that a successor may.
async fn serve(start: Start<'_>, lock: &mut Option<Lock>) -> anyhow::Result<()> {
    let Start { config, source, data, demo, mut sockets } = start;
    let shared = !sockets.is_empty();
    *lock = Some(if shared { lock::take_over(data).await? } else { Lock::take(data)? });
    let mut signals = Signals::listen()?;
    // Whoever was killed left it behind; commands shall not ask there.
    token::withdraw_address(data)?;
    for note in unserved(&config) {
        tracing::warn!("{note}");
    }
    let mut assembly = Assembly::open(config, source, data, demo, &mut sockets).await?;
    let bound = assembly.gateway.bind_with(&mut sockets).await?;
    let mail = assembly.bind_mail().await?;
    let admin = assembly.bind_admin(&mut sockets).await?;
    for (name, _closed) in sockets {
        tracing::warn!(
            "a listening socket was given for listen.{name}, which is switched off: it is not served"
        );
    }
    let (stop, stopping, leaving) = Stop::new();
    let listening = listening(&bound, mail.as_ref(), admin.as_ref())?;
    let threads = bound.threads();
    let mut running = Running {
        gateway: tokio::spawn(bound.serve(leaving.clone())),
        mail: mail.map(|mail| tokio::spawn(mail.serve(stopping.clone()))),
        admin: None,
    };
    let transport = assembly.transport.as_ref();
    let state = assembly.admin_state(Running::ready(running.handles(), transport, stopping.clone()))?;
    let admin_address = admin.as_ref().map(TcpListener::local_addr).transpose()?;
    if let Some(address) = admin_address {
        token::publish_address(data, address)?;
    }
    running.admin = admin
        .map(|listener| tokio::spawn(server::serve(listener, Arc::clone(&state), stopped(leaving.clone()))));
    greeting::print(data, &listening, &assembly.demo)?;
    notify::tell(State::Ready);
    Watchdog { serving: running.handles(), threads, stopping, store: assembly.store() }.start();
    until_stopped(&mut signals, &state).await;
    notify::tell(State::Stopping);
    tracing::info!("stopping: running requests are finished first");
    if admin_address.is_some() {
        token::withdraw_address(data)?;
    }
    let lock = if shared { Some(lock) } else { None };
    tokio::select! {
        () = running.end(stop, transport, lock) => {}
        () = signals.stop() => tracing::warn!("told to stop again: running requests are cut off"),
    }
    Ok(())
}

/// All listeners by name, with the ports that the system chose.
fn listening(
    gateway: &weir_gateway::Bound,
    mail: Option<&weir_mta::Bound>,
    admin: Option<&TcpListener>,
) -> io::Result<Vec<(String, SocketAddr)>> {
    let gateway = gateway.addresses().map(|(name, address)| (name.to_owned(), address));
    let mail = mail.into_iter().flat_map(weir_mta::Bound::addresses);
    let mail = mail.map(|(name, address)| (name.to_owned(), address));
    let admin = admin.map(|listener| Ok(("admin".to_owned(), listener.local_addr()?)));
    gateway.chain(mail).map(Ok).chain(admin).collect()
}

/// Carries out reloads until the server shall stop.
async fn until_stopped(signals: &mut Signals, state: &Arc<AdminState>) {
    loop {
        match signals.next().await {
            Signal::Stop => return,
            Signal::Reload => {
                let state = Arc::clone(state);
                // It reads files; its result is told by itself.
                let _ = tokio::task::spawn_blocking(move || state.reload(Actor::Signal)).await;
            }
        }
    }
}

/// Done when `stopping` turns true, or when nobody is left who could say so.
async fn stopped(mut stopping: watch::Receiver<bool>) {
    let _ = stopping.wait_for(|stop| *stop).await;
}
