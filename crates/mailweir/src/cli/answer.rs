//! What a command says at its end, and the exit status that goes with it.
//!
//! A command that prints builds its text first, so that an answer is whole or absent, and a closed pipe behind it
//! (`| head -1`) is no failure.

use std::io::{self, Write};
use std::process::ExitCode;

use serde::Serialize;
use weir_admin::client::ClientError;

/// What a command that succeeded says.
#[derive(Debug)]
pub(crate) struct Answer {
    people: String,
    /// Nothing for an answer that is text for programs already.
    programs: Option<serde_json::Value>,
    json: bool,
}

impl Answer {
    /// `people` read the text, programs the document.
    pub(crate) fn new(people: String, programs: &impl Serialize) -> Result<Self, Failure> {
        let programs = serde_json::to_value(programs)
            .map_err(|error| Failure::Failed(format!("cannot write the answer as JSON: {error}")))?;
        Ok(Self { people, programs: Some(programs), json: false })
    }

    /// Something was done, and `people` are told so in a sentence; nothing where it is empty.
    pub(crate) fn done(people: String) -> Self {
        let programs = serde_json::json!({ "done": people });
        Self { people, programs: Some(programs), json: false }
    }

    /// A text that is the same for people and programs.
    pub(crate) fn script(text: String) -> Self {
        Self { people: text, programs: None, json: false }
    }

    /// The same, for programs where `json` says so.
    pub(crate) fn in_json(self, json: bool) -> Self {
        Self { json, ..self }
    }

    /// The text for standard output.
    pub(crate) fn text(&self) -> String {
        let programs = self.programs.as_ref().filter(|_| self.json);
        let text = programs.map_or_else(|| self.people.clone(), |document| format!("{document:#}"));
        if text.is_empty() || text.ends_with('\n') { text } else { text + "\n" }
    }

    /// Prints the answer.
    pub(crate) fn exit(&self) -> ExitCode {
        let mut out = io::stdout().lock();
        match out.write_all(self.text().as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Failure::Failed(format!("cannot write to standard output: {error}")).exit()
            }
            Ok(()) | Err(_) => ExitCode::SUCCESS,
        }
    }
}

/// Why a command did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The line cannot be understood.
    #[error("{0}")]
    Usage(String),
    /// The line cannot be understood, as clap tells it; or it asked for help.
    #[error("{0}")]
    Clap(clap::Error),
    /// It was understood, and refused or failed: what, why, and what to do.
    #[error("{0}")]
    Failed(String),
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl Failure {
    /// The exit status.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Clap(error) => u8::try_from(error.exit_code()).unwrap_or(2),
            Self::Failed(_) => 1,
        }
    }

    /// Tells it on standard error; help goes to standard output.
    pub(crate) fn exit(&self) -> ExitCode {
        // Nobody is left to be told where even that fails.
        let _ = match self {
            Self::Clap(error) => error.print(),
            Self::Usage(text) => {
                writeln!(io::stderr(), "mailweir: {text}\n\nFor help, try `mailweir --help`.")
            }
            Self::Failed(text) => writeln!(io::stderr(), "mailweir: {text}"),
        };
        ExitCode::from(self.status())
    }
}
