//! `mailweir what-if …`: what a recorded log says, and what another policy would have done (T22).
//!
//! No server has to run. Without `--policy` the answer is who takes the most; with it, whom that policy would have delayed
//! or refused. A log of Mailweir's own is replayed besides: each verdict is found again from what its line says.

mod files;
mod policy;
mod progress;
mod text;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use weir_units::Micros;
use weir_whatif::candidate::Report;
use weir_whatif::record::rfc3339;
use weir_whatif::replay::Replay;
use weir_whatif::runaways::{Counts, Runaways};
use weir_whatif::{Candidate, Format, Log, Reading, WhatIf};

use super::answer::{Answer, Failure};
use crate::config::max_delay;
use files::Files;

/// What to read, and what to try on it.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub(crate) struct WhatIfArgs {
    /// Log files, plain or gzipped, in any order; of a folder, those with `.log` in their names
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    log: Vec<PathBuf>,
    /// Who wrote them: mailweir, iis, nginx or haproxy
    #[arg(long, default_value = "mailweir")]
    format: Format,
    /// The policy to try, as `policy show --json` prints it; without one, the runaways are listed
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// The policy in whose place it is tried [default: in everybody's]
    #[arg(long, value_name = "NAME", requires = "policy")]
    replaces: Option<String>,
    /// How long one call may be made to wait, as `throttle.max_delay` has it
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = max_delay, requires = "policy")]
    max_delay: Duration,
}

/// The whole answer.
#[derive(Serialize)]
struct Document {
    /// The files, in the order in which the rest counts them.
    files: Vec<String>,
    #[serde(flatten)]
    reading: Reading,
    from: Option<String>,
    to: Option<String>,
    /// Nothing for logs of others.
    replay: Option<Replay>,
    what_if: Option<Report>,
    runaways: Option<Runaways>,
}

/// What is done with each call.
enum Question {
    WhatIf(Box<WhatIf>),
    Runaways(Counts),
}

/// Reads the log and answers.
pub(super) fn run(args: &WhatIfArgs) -> Result<Answer, Failure> {
    let mut question = match &args.policy {
        Some(file) => Question::WhatIf(Box::new(WhatIf::new(candidate(file, args)?))),
        None => Question::Runaways(Counts::default()),
    };
    let files = Files::open(&args.log)?;
    let (names, mut progress) = (files.names, progress::Progress::new(files.bytes, files.read));
    let mut log = Log::new(args.format, files.lines);
    while let Some(record) = log.read() {
        match &mut question {
            Question::WhatIf(what_if) => what_if.take(&record, log.names()),
            Question::Runaways(counts) => counts.take(&record),
        }
        progress.step();
    }
    progress.end();
    if log.reading().calls == 0 {
        return Err(nothing_read(&log, &names, args.format));
    }
    let document = document(question, &log, names, args.format);
    if let Some(report) = &document.what_if {
        replaces_somebody(report)?;
    }
    Answer::new(text::report(&document), &document)
}

fn candidate(file: &std::path::Path, args: &WhatIfArgs) -> Result<Candidate, Failure> {
    let (name, limits) = policy::read(file)?;
    let max_delay = Micros::from(args.max_delay);
    Ok(Candidate { name, limits, replaces: args.replaces.clone(), max_delay })
}

fn document(question: Question, log: &Log, files: Vec<String>, format: Format) -> Document {
    let (what_if, runaways) = match question {
        Question::WhatIf(what_if) => (Some(what_if.finish(log.names())), None),
        Question::Runaways(counts) => (None, Some(counts.finish(log.names()))),
    };
    let reading = log.reading().clone();
    Document {
        files,
        from: reading.from.map(rfc3339),
        to: reading.to.map(rfc3339),
        replay: (format == Format::Mailweir).then(|| log.replay().clone()),
        what_if,
        runaways,
        reading,
    }
}

fn nothing_read(log: &Log, files: &[String], format: Format) -> Failure {
    let reading = log.reading();
    let trouble = reading.troubles.first().map_or_else(String::new, |trouble| {
        let file = files.get(trouble.file).map_or("", String::as_str);
        format!(": {file}:{}: {}", trouble.line, trouble.why)
    });
    Failure::Failed(format!(
        "none of {} lines tells of a call{trouble}; read as {format}, which --format changes",
        reading.lines
    ))
}

/// A name that no line was under is a slip of the finger, and no answer is better than one that says "nobody".
fn replaces_somebody(report: &Report) -> Result<(), Failure> {
    let outline = &report.outline;
    let Some(replaces) = &outline.replaces else { return Ok(()) };
    if outline.policies.keys().any(|name| name.eq_ignore_ascii_case(replaces)) {
        return Ok(());
    }
    let named: Vec<&str> = outline.policies.keys().map(String::as_str).collect();
    let named = named.join(", ");
    Err(Failure::Failed(format!("no call of the log was under the policy {replaces}; it names {named}")))
}

#[cfg(test)]
mod tests;
