//! Loads an EWS server with well-behaved owners, and with runaways beside them, and says what each got (T23).
//!
//! A well-behaved owner asks at random moments, so many times a second in the mean, whatever the server does: how long a
//! call takes counts from when it was due, and each that is due while others run has a connection of its own. A runaway
//! keeps all of his connections busy: as soon as one is answered it asks again, and only behind a refusal it pauses for a
//! moment, so that what he is refused does not take the processor from those who are measured. Nobody obeys anything
//! else. Everybody logs in before the first call that counts.
//!
//! ```text
//! cargo run --release -p weir-client --example ews_load -- --server 127.0.0.1:8080 --password-file secret \
//!     --request find.xml --user load%@example.com --owners 20 --runaway-user mad%@example.com --runaways 1
//! ```
#![allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "arithmetic of a measurement"
)]

use std::error::Error;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use clap::Parser;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Serialize;
use tokio::net::TcpStream;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::task::JoinSet;
use tokio::time::Instant;

/// Where EWS is found.
const PATH: &str = "/EWS/Exchange.asmx";
/// How long a call may take before it counts as failed.
const PATIENCE: Duration = Duration::from_mins(2);

/// Loads an EWS server and says what each kind of owner got.
#[derive(Clone, Debug, Parser)]
struct Args {
    /// The server, as 127.0.0.1:8080.
    #[arg(long)]
    server: String,
    /// The file with the password of all.
    #[arg(long)]
    password_file: PathBuf,
    /// The file with the SOAP request of the well-behaved.
    #[arg(long)]
    request: PathBuf,
    /// The runaways' request; left out, the same.
    #[arg(long)]
    runaway_request: Option<PathBuf>,
    /// The well-behaved owners' address, with % for their number.
    #[arg(long, default_value = "load%@example.com")]
    user: String,
    /// The runaways' address.
    #[arg(long, default_value = "mad%@example.com")]
    runaway_user: String,
    /// Well-behaved owners.
    #[arg(long, default_value_t = 20)]
    owners: usize,
    /// Calls a second of each, in the mean.
    #[arg(long, default_value_t = 5.0)]
    rate: f64,
    /// Runaways.
    #[arg(long, default_value_t = 0)]
    runaways: usize,
    /// Connections of each.
    #[arg(long, default_value_t = 32)]
    connections: usize,
    /// How many milliseconds a connection of a runaway pauses behind a refusal.
    #[arg(long, default_value_t = 50)]
    pause: u64,
    /// For how long.
    #[arg(long, default_value_t = 25)]
    seconds: u64,
    /// How long before that, without counting.
    #[arg(long, default_value_t = 5)]
    settle: u64,
    /// Another seed is another order of arrivals.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// What one kind of owner got.
#[derive(Default, Serialize)]
struct Got {
    owners: usize,
    /// Calls that were served.
    calls: usize,
    calls_per_second: f64,
    p50_ms: f64,
    p99_ms: f64,
    most_ms: f64,
    refused: usize,
    failed: usize,
    /// The first answer that was no service.
    trouble: Option<String>,
}

#[derive(Serialize)]
struct Report {
    well_behaved: Got,
    runaway: Got,
    /// How late the generator itself was, 99 of 100 times at most.
    late_p99_ms: f64,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let password = std::fs::read_to_string(&args.password_file)?.trim_end().to_owned();
    let request = Bytes::from(std::fs::read(&args.request)?);
    let other = args.runaway_request.as_ref().map(std::fs::read).transpose()?.map(Bytes::from);
    let other = other.unwrap_or_else(|| request.clone());
    let owner = |user: &str, number: usize, request: &Bytes| {
        Owner::new(&args.server, &user.replace('%', &number.to_string()), &password, request)
    };
    let mut owners = Vec::new();
    for number in 0..args.owners {
        owners.push(owner(&args.user, number, &request)?);
    }
    let mut runaways = Vec::new();
    for number in 0..args.runaways {
        runaways.push(owner(&args.runaway_user, number, &other)?);
    }
    for owner in owners.iter().chain(&runaways) {
        if let Answer::Refused(why) | Answer::Failed(why) = owner.call().await {
            return Err(format!("the first call of {} is not served: {why}", owner.user).into());
        }
    }
    let start = now() + Duration::from_secs(args.settle);
    let span = Span { start, end: start + Duration::from_secs(args.seconds) };
    let (mut asked, mut flooded) = (JoinSet::new(), JoinSet::new());
    for owner in &runaways {
        for _ in 0..args.connections {
            flooded.spawn(flood(Arc::clone(owner), span, Duration::from_millis(args.pause)));
        }
    }
    let due = arrivals(&args, now(), span.end);
    asked.spawn(ask(owners, due, span));
    let (asked, flooded) = (gather(asked).await?, gather(flooded).await?);
    let seconds = args.seconds as f64;
    let report = Report {
        well_behaved: asked.told(args.owners, seconds),
        runaway: flooded.told(args.runaways, seconds),
        late_p99_ms: share(&sorted(asked.late), 99),
    };
    println!("{:#}", serde_json::to_value(report)?);
    Ok(())
}

/// The time that counts.
#[derive(Clone, Copy)]
struct Span {
    start: Instant,
    end: Instant,
}

/// Who asks, his one request ready, with the connections that nobody uses at the moment.
struct Owner {
    server: String,
    user: String,
    host: HeaderValue,
    authorization: HeaderValue,
    request: Bytes,
    idle: Mutex<Vec<Sender>>,
}

type Sender = SendRequest<Full<Bytes>>;

/// How a call ended.
enum Answer {
    Served,
    Refused(String),
    Failed(String),
}

impl Owner {
    fn new(server: &str, user: &str, password: &str, request: &Bytes) -> Result<Arc<Self>, Box<dyn Error>> {
        let credentials = STANDARD.encode(format!("{user}:{password}"));
        Ok(Arc::new(Self {
            server: server.to_owned(),
            user: user.to_owned(),
            host: HeaderValue::from_str(server)?,
            authorization: HeaderValue::from_str(&format!("Basic {credentials}"))?,
            request: request.clone(),
            idle: Mutex::default(),
        }))
    }

    /// One call, from the request's first byte to the answer's last.
    async fn call(&self) -> Answer {
        match tokio::time::timeout(PATIENCE, self.answer()).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(why)) => Answer::Failed(why.to_string()),
            Err(_) => Answer::Failed("no answer".to_owned()),
        }
    }

    async fn answer(&self) -> Result<Answer, Box<dyn Error + Send + Sync>> {
        let mut sender = self.sender().await?;
        let request = Request::post(PATH)
            .header(HOST, self.host.clone())
            .header(AUTHORIZATION, self.authorization.clone())
            .header(CONTENT_TYPE, "text/xml; charset=utf-8")
            .body(Full::new(self.request.clone()))?;
        let response = sender.send_request(request).await?;
        let status = response.status();
        let mut body = response.into_body();
        let mut first = Bytes::new();
        while let Some(frame) = body.frame().await {
            if let (true, Ok(data)) = (first.is_empty(), frame?.into_data()) {
                first = data;
            }
        }
        if sender.ready().await.is_ok() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
        }
        Ok(judged(status, &first))
    }

    /// A connection that is open and idle, or another one.
    async fn sender(&self) -> Result<Sender, Box<dyn Error + Send + Sync>> {
        while let Some(sender) = self.idle_one() {
            if sender.is_ready() {
                return Ok(sender);
            }
        }
        let stream = TcpStream::connect(&self.server).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(sender)
    }

    fn idle_one(&self) -> Option<Sender> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }
}

/// What an answer says, by its status and its beginning.
fn judged(status: StatusCode, body: &[u8]) -> Answer {
    let text = || {
        let beginning = body.get(..600).unwrap_or(body);
        format!("{status} {}", String::from_utf8_lossy(beginning))
    };
    let beginning = body.get(..2_000).unwrap_or(body);
    let error: &[u8] = b"ResponseClass=\"Error\"";
    match status {
        StatusCode::OK if beginning.windows(error.len()).any(|part| part == error) => Answer::Refused(text()),
        StatusCode::OK => Answer::Served,
        StatusCode::INTERNAL_SERVER_ERROR
        | StatusCode::SERVICE_UNAVAILABLE
        | StatusCode::TOO_MANY_REQUESTS => Answer::Refused(text()),
        _ => Answer::Failed(text()),
    }
}

/// What calls came to.
#[derive(Default)]
struct Done {
    took: Vec<Duration>,
    late: Vec<Duration>,
    refused: usize,
    failed: usize,
    trouble: Option<String>,
}

impl Done {
    fn note(&mut self, answer: Answer, took: Duration) {
        match answer {
            Answer::Served => self.took.push(took),
            Answer::Refused(why) => {
                self.refused += 1;
                self.trouble.get_or_insert(why);
            }
            Answer::Failed(why) => {
                self.failed += 1;
                self.trouble.get_or_insert(why);
            }
        }
    }

    fn add(&mut self, other: Self) {
        self.took.extend(other.took);
        self.late.extend(other.late);
        self.refused += other.refused;
        self.failed += other.failed;
        self.trouble = self.trouble.take().or(other.trouble);
    }

    fn told(&self, owners: usize, seconds: f64) -> Got {
        let took = sorted(self.took.clone());
        Got {
            owners,
            calls: took.len(),
            calls_per_second: (took.len() as f64 / seconds * 10.0).round() / 10.0,
            p50_ms: share(&took, 50),
            p99_ms: share(&took, 99),
            most_ms: share(&took, 100),
            refused: self.refused,
            failed: self.failed,
            trouble: self.trouble.clone(),
        }
    }
}

/// The well-behaved: each call is sent when it is due.
async fn ask(owners: Vec<Arc<Owner>>, mut due: UnboundedReceiver<(Instant, usize)>, span: Span) -> Done {
    let (mut done, mut calls) = (Done::default(), JoinSet::new());
    while let Some((due, number)) = due.recv().await {
        let Some(owner) = owners.get(number).cloned() else { break };
        if due >= span.start {
            done.late.push(now() - due);
        }
        calls.spawn(async move { (due, owner.call().await, now()) });
        while let Some(Ok((due, answer, at))) = calls.try_join_next() {
            if due >= span.start {
                done.note(answer, at - due);
            }
        }
    }
    while let Some(Ok((due, answer, at))) = calls.join_next().await {
        if due >= span.start {
            done.note(answer, at - due);
        }
    }
    done
}

/// One connection of a runaway.
async fn flood(owner: Arc<Owner>, span: Span, pause: Duration) -> Done {
    let mut done = Done::default();
    while now() < span.end {
        let begun = now();
        let answer = owner.call().await;
        let at = now();
        let served = matches!(answer, Answer::Served);
        if at >= span.start && at < span.end {
            done.note(answer, at - begun);
        }
        if !served {
            tokio::time::sleep(pause).await;
        }
    }
    done
}

/// When the well-behaved ask, each with his number, told when it is due.
///
/// A thread of its own waits, since the runtime's timers are up to a millisecond late.
fn arrivals(args: &Args, from: Instant, end: Instant) -> UnboundedReceiver<(Instant, usize)> {
    let mut all = Vec::new();
    for number in 0..args.owners {
        let mut random = Random(args.seed.wrapping_mul(1_000_003).wrapping_add(number as u64));
        let mut due = from + random.gap(args.rate);
        while due < end {
            all.push((due, number));
            due += random.gap(args.rate);
        }
    }
    all.sort_unstable();
    let (sender, receiver) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for (due, number) in all {
            wait(due - now());
            if sender.send((due, number)).is_err() {
                break;
            }
        }
    });
    receiver
}

async fn gather(mut tasks: JoinSet<Done>) -> Result<Done, Box<dyn Error>> {
    let mut all = Done::default();
    while let Some(done) = tasks.join_next().await {
        all.add(done?);
    }
    Ok(all)
}

fn sorted(mut took: Vec<Duration>) -> Vec<Duration> {
    took.sort_unstable();
    took
}

/// The most that so many of a hundred took, in milliseconds.
fn share(sorted: &[Duration], percent: usize) -> f64 {
    let at = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(at).map_or(0.0, |took| (took.as_secs_f64() * 1e5).round() / 100.0)
}

#[allow(clippy::disallowed_methods, reason = "it measures what a clock shows")]
fn now() -> Instant {
    Instant::now()
}

#[allow(clippy::disallowed_methods, reason = "a thread that does nothing but wait")]
fn wait(time: Duration) {
    std::thread::sleep(time);
}

/// A small seeded generator, so that the same load comes again.
struct Random(u64);

impl Random {
    /// From 0 to 1, which it is not.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// The time until the next of so many a second, without a memory, as arrivals have it.
    fn gap(&mut self, rate: f64) -> Duration {
        Duration::from_secs_f64(-(1.0 - self.unit()).ln() / rate)
    }
}
