//! The command line.
//!
//! Two spellings, one set of [`Command`] values: `mailweir policy new FooPolicy --set EWSFindCountLimit=1` is read by
//! clap, `mailweir New-ThrottlingPolicy -Name FooPolicy -EWSFindCountLimit 1` by [`cmdlet`]. A command either runs the
//! server, looks at a file, or asks the running server over its API; only commands that work are offered. Exit status:
//! 0 done, 1 refused or failed with one line on standard error, 2 wrong usage.

mod answer;
mod assignment;
mod budget;
mod bypass;
mod cmdlet;
mod csv;
mod file;
mod global;
mod import;
mod local;
mod log;
mod mailbox;
mod man;
mod mapi;
mod organisation;
mod password;
mod policy;
mod queue;
mod session;
mod table;
mod target;
mod watch;
mod what_if;
mod words;

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use weir_admin::client::Client;

use answer::Answer;
pub(crate) use answer::Failure;
pub(crate) use global::Global;

/// The whole line.
#[derive(Debug, Parser)]
#[command(name = "mailweir", version, about, long_about = None)]
#[command(about = "A gateway that throttles the clients of a mail system", after_help = CMDLETS)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const CMDLETS: &str = "The cmdlet spelling works too, for example:\n  \
    mailweir New-ThrottlingPolicy -Name FooPolicy -EWSFindCountLimit 1\n  \
    mailweir Set-ThrottlingPolicy FooPolicy -CPUStartPercent '$null'\n  \
    mailweir Get-ThrottlingPolicy [NAME]\n  \
    mailweir Set-Mailbox JohnDoe -ThrottlingPolicy FooPolicy\n  \
    mailweir Retry-Queue -Identity pool.test";

/// What the line asks for.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub(crate) enum Command {
    /// Run the server until SIGTERM or Ctrl-C
    Serve(ServeArgs),
    /// Look at configuration files
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Throttling policies
    #[command(subcommand)]
    Policy(policy::PolicyCommand),
    /// Mailboxes
    #[command(subcommand)]
    Mailbox(mailbox::MailboxCommand),
    /// Organisations
    #[command(subcommand)]
    Organisation(organisation::OrganisationCommand),
    /// Running accounts of what owners use
    #[command(subcommand)]
    Budget(budget::BudgetCommand),
    /// MAPI sessions
    #[command(subcommand)]
    Session(session::SessionCommand),
    /// Queues of the mail transport, and messages
    #[command(subcommand)]
    Queue(queue::QueueCommand),
    /// Servers that calls and mail go to
    #[command(subcommand)]
    Target(target::TargetCommand),
    /// List events, the newest first
    Events(log::EventArgs),
    /// List who changed what, the newest first
    Audit(log::AuditArgs),
    /// Let everybody pass, at once
    #[command(subcommand)]
    Bypass(bypass::BypassCommand),
    /// Look at a mailbox as a MAPI client
    #[command(subcommand)]
    Mapi(mapi::MapiCommand),
    /// Put a recorded log through a policy, or find out who takes the most; needs no running server
    WhatIf(what_if::WhatIfArgs),
    /// Have the running server read its configuration again
    Reload,
    /// Print shell completions
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write those of all commands into a folder
    Man {
        /// The folder, which is made where it is missing
        #[arg(long, value_name = "DIR")]
        out: Option<std::path::PathBuf>,
    },
}

/// How to run the server.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServeArgs {
    /// The configuration file [default: mailweir.toml in this folder, where there is one]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<std::path::PathBuf>,
    /// Fill an empty data directory with a demonstration
    #[arg(long)]
    pub(crate) demo: bool,
}

/// What to do with configuration files.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Read a file as `serve` would, and say what is wrong with it
    Check {
        /// The file
        file: std::path::PathBuf,
    },
}

/// Carries out the command line `line`, whose first word is the program's name.
pub fn run(line: impl IntoIterator<Item = OsString>) -> ExitCode {
    let line: Vec<OsString> = line.into_iter().collect();
    let cli = match read(&line) {
        Ok(cli) => cli,
        Err(failure) => return failure.exit(),
    };
    match carry_out(cli) {
        Ok(answer) => answer.exit(),
        Err(failure) => failure.exit(),
    }
}

/// The command that `line` means, in whichever spelling.
fn read(line: &[OsString]) -> Result<Cli, Failure> {
    if let Some(cli) = cmdlet::read(line.get(1..).unwrap_or_default())? {
        return Ok(cli);
    }
    let matches = command().try_get_matches_from(line).map_err(Failure::Clap)?;
    Cli::from_arg_matches(&matches).map_err(Failure::Clap)
}

/// The command line's description.
fn command() -> clap::Command {
    Cli::command().arg_required_else_help(true).subcommand_required(true)
}

fn carry_out(cli: Cli) -> Result<Answer, Failure> {
    let Cli { global, command } = cli;
    let answer = match command {
        Command::Serve(args) => crate::serve::run(&global, &args).map(|()| Answer::script(String::new())),
        Command::Config(ConfigCommand::Check { file }) => local::check(&file),
        Command::Policy(command) => ask(&global, async |client| command.run(client).await),
        Command::Mailbox(command) => ask(&global, async |client| command.run(client).await),
        Command::Organisation(command) => ask(&global, async |client| command.run(client).await),
        Command::Budget(command) => ask(&global, async |client| command.run(client).await),
        Command::Session(command) => ask(&global, async |client| command.run(client).await),
        Command::Queue(command) => ask(&global, async |client| command.run(client).await),
        Command::Target(command) => ask(&global, async |client| command.run(client).await),
        Command::Bypass(command) => ask(&global, async |client| command.run(client).await),
        Command::Events(args) => ask(&global, async |client| log::events(client, args, global.json).await),
        Command::Audit(args) => ask(&global, async |client| log::changes(client, args).await),
        Command::Mapi(command) => mapi::run(command),
        Command::WhatIf(args) => what_if::run(&args),
        Command::Reload => ask(&global, async |client| local::reload(client).await),
        Command::Completions { shell } => Ok(local::completions(shell, self::command())),
        Command::Man { out } => man::pages(self::command(), out.as_deref()),
    };
    answer.map(|answer| answer.in_json(global.json))
}

/// Asks the running server.
fn ask(
    global: &Global,
    question: impl AsyncFnOnce(&Client) -> Result<Answer, Failure>,
) -> Result<Answer, Failure> {
    let client = Client::new(global.locate()?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Failed(format!("cannot start: {error}")))?;
    runtime.block_on(question(&client))
}
