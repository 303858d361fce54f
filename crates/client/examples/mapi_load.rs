//! Loads a MAPI server with normal sessions, and with heavy ones beside them, and says what each noticed (R1).
//!
//! A normal session looks at its inbox every now and then, whatever the server does: how long a look takes counts from
//! when it was due. A heavy one opens and reads message after message, in batches, as fast as it may. All obey when they
//! are told to wait, and that counts as time like any other.
//!
//! ```text
//! cargo run --release -p weir-client --example mapi_load -- --url http://127.0.0.1:8080 --password-file secret \
//!     --user load%@example.com --mailboxes 4 --normal 20 --heavy 2 --seconds 30
//! ```
#![allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "arithmetic of a measurement"
)]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use serde::Serialize;
use tokio::task::JoinSet;
use tokio::time::Instant;
use weir_client::mapi::wire::call::logon::Release;
use weir_client::mapi::wire::call::message::OpenMessage;
use weir_client::mapi::wire::call::property::GetPropertiesSpecific;
use weir_client::mapi::wire::property::{PropertyValue, TaggedValue, tag};
use weir_client::mapi::{
    Batch, Credentials, Endpoint, Mailbox, MapiClient, MapiError, SessionCounts, Settings,
};

/// Loads a MAPI server and says what each session noticed.
#[derive(Clone, Debug, Parser)]
struct Args {
    /// The server.
    #[arg(long)]
    url: Endpoint,
    /// The users' address, with % for their number.
    #[arg(long, default_value = "load%@example.com")]
    user: String,
    /// The file with the password of all.
    #[arg(long)]
    password_file: PathBuf,
    /// How many users there are; sessions take turns with them.
    #[arg(long, default_value_t = 4)]
    mailboxes: usize,
    /// Only put so many messages into each mailbox.
    #[arg(long)]
    fill: Option<usize>,
    /// Normal sessions.
    #[arg(long, default_value_t = 20)]
    normal: usize,
    /// Milliseconds between two looks of a normal session, in the mean.
    #[arg(long, default_value_t = 1000)]
    think: u64,
    /// Heavy sessions.
    #[arg(long, default_value_t = 0)]
    heavy: usize,
    /// The fewest and the most ROPs in a heavy session's batch.
    #[arg(long, num_args = 2, default_values_t = [50, 200])]
    batch: Vec<usize>,
    /// For how long.
    #[arg(long, default_value_t = 30)]
    seconds: u64,
    /// How long before that, without counting.
    #[arg(long, default_value_t = 5)]
    settle: u64,
    /// One document in place of a table.
    #[arg(long)]
    json: bool,
}

/// What one kind of session noticed.
#[derive(Default, Serialize)]
struct Noticed {
    sessions: usize,
    batches: usize,
    p50_ms: f64,
    p99_ms: f64,
    rops_per_second: f64,
    back_offs: u64,
    /// How long sessions were made to wait, in milliseconds and of their time.
    waited_ms: u64,
    waited_percent: f64,
    too_busy: u64,
}

/// What one session did.
#[derive(Default)]
struct Done {
    /// When the first batch that counts began, and what the session had done before.
    began: Option<(Instant, SessionCounts)>,
    took: Vec<Duration>,
    lasted: Duration,
    counts: SessionCounts,
}

impl Done {
    /// A batch begins that counts.
    fn begin(&mut self, client: &MapiClient) {
        self.began.get_or_insert_with(|| (now(), client.counts()));
    }

    /// The last batch is done.
    fn end(mut self, client: &MapiClient) -> Self {
        if let Some((began, before)) = self.began {
            self.lasted = now() - began;
            self.counts = since(client.counts(), before);
        }
        self
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args = Args::parse();
    let password = std::fs::read_to_string(&args.password_file)?.trim_end().to_owned();
    let users = Arc::new(Users { args: args.clone(), password });
    if let Some(messages) = args.fill {
        return users.fill(messages).await.map_err(Into::into);
    }
    let start = now() + Duration::from_secs(args.settle);
    let span = Span { start, end: start + Duration::from_secs(args.seconds) };
    let (mut normal, mut heavy) = (JoinSet::new(), JoinSet::new());
    for number in 0..args.normal {
        normal.spawn(looks(Arc::clone(&users), number, span));
    }
    for number in 0..args.heavy {
        heavy.spawn(reads(Arc::clone(&users), number, span));
    }
    let kinds = [("normal", gather(normal).await?), ("heavy", gather(heavy).await?)];
    if args.json {
        println!("{:#}", serde_json::to_value(std::collections::BTreeMap::from(kinds))?);
    } else {
        print(&kinds);
    }
    Ok(())
}

/// The time that counts.
#[derive(Clone, Copy)]
struct Span {
    start: Instant,
    end: Instant,
}

/// Who loads.
struct Users {
    args: Args,
    password: String,
}

impl Users {
    /// A session of one of the users, and his mailbox.
    async fn session(&self, number: usize, process: &str) -> Result<(MapiClient, Mailbox), MapiError> {
        let user = self.args.user.replace('%', &(number % self.args.mailboxes.max(1)).to_string());
        let dn = weir_client::mapi::legacy_dn(&user).unwrap_or_else(|| user.clone());
        let mut settings = Settings::new(self.args.url.clone(), Credentials::new(user, &self.password));
        settings.process = process.to_owned();
        let mut client = MapiClient::connect(settings, &dn).await?;
        let mailbox = client.log_on(&dn).await?;
        Ok((client, mailbox))
    }

    /// Puts messages into each mailbox.
    async fn fill(&self, messages: usize) -> Result<(), MapiError> {
        for number in 0..self.args.mailboxes {
            let (mut client, mailbox) = self.session(number, "fill").await?;
            let inbox = mailbox.folders.inbox;
            for message in 0..messages {
                let text = format!("The text of message {message}. ").repeat(40);
                let values = [
                    TaggedValue::new(tag::SUBJECT, PropertyValue::Unicode(format!("Message {message}"))),
                    TaggedValue::new(tag::BODY, PropertyValue::Unicode(text)),
                ];
                client.create_message(&mailbox, inbox, &values).await?;
            }
            client.disconnect().await?;
        }
        Ok(())
    }
}

/// A normal session: looks at the newest twenty messages when it is due.
async fn looks(users: Arc<Users>, number: usize, span: Span) -> Result<Done, MapiError> {
    let mut random = Random(number as u64 + 1);
    let (mut client, mailbox) = users.session(number, "normal").await?;
    let inbox = mailbox.folders.inbox;
    let columns = [tag::MID, tag::SUBJECT, tag::MESSAGE_DELIVERY_TIME, tag::MESSAGE_SIZE];
    let think = |random: &mut Random| {
        Duration::from_micros((random.exponential() * users.args.think as f64 * 1e3) as u64)
    };
    let mut done = Done::default();
    let mut due = now() + think(&mut random);
    while due < span.end {
        tokio::time::sleep_until(due).await;
        if due >= span.start {
            done.begin(&client);
        }
        client.contents(&mailbox, inbox, &columns, 0..20).await?;
        if due >= span.start {
            done.took.push(now() - due);
        }
        due += think(&mut random);
    }
    let done = done.end(&client);
    client.disconnect().await?;
    Ok(done)
}

/// A heavy session: opens and reads messages, batch after batch.
async fn reads(users: Arc<Users>, number: usize, span: Span) -> Result<Done, MapiError> {
    let mut random = Random(1_000 + number as u64);
    let (mut client, mailbox) = users.session(number, "heavy").await?;
    let inbox = mailbox.folders.inbox;
    let messages = client.messages(&mailbox, inbox, 0..1_000).await?.rows;
    let place = client.take_place()?;
    let tags = [tag::SUBJECT, tag::BODY, tag::MESSAGE_SIZE];
    let mut messages = messages.iter().cycle();
    let mut done = Done::default();
    while now() < span.end {
        let [fewest, most] = users.args.batch[..] else { break };
        let rops = fewest + (random.unit() * (most.saturating_sub(fewest)) as f64) as usize;
        let mut batch = Batch::new(mailbox.logon());
        for _ in 0..(rops / 3).max(1) {
            let Some(message) = messages.next() else { break };
            batch.push(OpenMessage {
                input: mailbox.place(),
                output: place,
                code_page: OpenMessage::LOGON_CODE_PAGE,
                folder: inbox,
                mode: OpenMessage::READ_ONLY,
                message: message.id,
            });
            batch.push(GetPropertiesSpecific {
                input: place,
                size_limit: 0,
                want_unicode: 1,
                tags: tags.to_vec(),
            });
            batch.push(Release { input: place });
        }
        let start = now();
        if start >= span.start {
            done.begin(&client);
        }
        client.execute(batch).await?;
        if start >= span.start {
            done.took.push(now() - start);
        }
    }
    let done = done.end(&client);
    client.disconnect().await?;
    Ok(done)
}

async fn gather(
    mut sessions: JoinSet<Result<Done, MapiError>>,
) -> Result<Noticed, Box<dyn std::error::Error>> {
    let mut all = Noticed { sessions: sessions.len(), ..Noticed::default() };
    let (mut took, mut lasted, mut waited) = (Vec::new(), Duration::ZERO, Duration::ZERO);
    while let Some(done) = sessions.join_next().await {
        let done = done??;
        took.extend(done.took);
        lasted += done.lasted;
        waited += Duration::from(done.counts.waited);
        all.rops_per_second += done.counts.rops as f64 / done.lasted.as_secs_f64().max(1.0);
        all.back_offs += done.counts.back_offs;
        all.too_busy += done.counts.too_busy;
    }
    took.sort();
    let tenths = |value: f64| (value * 10.0).round() / 10.0;
    let share = |percent: usize| {
        let at = (took.len() * percent / 100).min(took.len().saturating_sub(1));
        took.get(at).map_or(0.0, |took| tenths(took.as_secs_f64() * 1e3))
    };
    (all.p50_ms, all.p99_ms, all.batches) = (share(50), share(99), took.len());
    all.rops_per_second = tenths(all.rops_per_second);
    all.waited_ms = waited.as_millis() as u64;
    all.waited_percent = tenths(100.0 * waited.as_secs_f64() / lasted.as_secs_f64().max(1.0));
    Ok(all)
}

fn print(kinds: &[(&str, Noticed)]) {
    println!("kind     sessions  batches    p50 ms    p99 ms    ROPs/s  back-offs  waited ms  too busy");
    for (kind, n) in kinds {
        println!(
            "{kind:<8} {:>8} {:>8} {:>9.1} {:>9.1} {:>9.1} {:>10} {:>10} {:>9}",
            n.sessions,
            n.batches,
            n.p50_ms,
            n.p99_ms,
            n.rops_per_second,
            n.back_offs,
            n.waited_ms,
            n.too_busy
        );
    }
}

#[allow(clippy::disallowed_methods, reason = "it measures what a clock shows")]
fn now() -> Instant {
    Instant::now()
}

fn since(now: SessionCounts, before: SessionCounts) -> SessionCounts {
    SessionCounts {
        requests: now.requests - before.requests,
        rops: now.rops - before.rops,
        back_offs: now.back_offs - before.back_offs,
        too_busy: now.too_busy - before.too_busy,
        waited: now.waited.minus(before.waited),
    }
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

    /// Of mean 1, without a memory, as arrivals have it.
    fn exponential(&mut self) -> f64 {
        -(1.0 - self.unit()).ln()
    }
}
