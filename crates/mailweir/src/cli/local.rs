//! Commands that change nothing at the server: `config check`, `completions`, `reload`.

use std::fmt::Write;
use std::path::Path;

use clap_complete::Shell;
use weir_admin::client::Client;
use weir_admin::types::KeyChange;

use super::answer::{Answer, Failure};
use crate::config::{Config, unserved};

/// Reads `file` as `serve` would.
pub(super) fn check(file: &Path) -> Result<Answer, Failure> {
    let config = Config::load(file).map_err(|error| Failure::Failed(error.to_string()))?;
    config.transport_settings(&config.data).map_err(|error| Failure::Failed(error.to_string()))?;
    let mut text = format!("{}: good\n", file.display());
    for note in unserved(&config) {
        let _ = writeln!(text, "note: {note}");
    }
    Ok(Answer::done(text))
}

/// The completions of `command` for `shell`.
pub(super) fn completions(shell: Shell, mut command: clap::Command) -> Answer {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "mailweir", &mut script);
    Answer::script(String::from_utf8_lossy(&script).into_owned())
}

/// Has the server read its configuration again.
pub(super) async fn reload(client: &Client) -> Result<Answer, Failure> {
    let reloaded = client.reload().await?;
    let mut text = "reloaded\n".to_owned();
    for KeyChange { key, before, after } in &reloaded.changes {
        let _ = writeln!(text, "{key}: {before} → {after}");
    }
    for note in &reloaded.notes {
        let _ = writeln!(text, "note: {note}");
    }
    Answer::new(text, &reloaded)
}
