//! A listing that is printed again and again, until Ctrl-C.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use super::answer::{Answer, Failure};

/// How often a listing that is watched is made anew.
const REFRESH: Duration = Duration::from_secs(2);
/// Clears a terminal, and goes to its upper left corner.
const CLEAR: &str = "\x1b[H\x1b[2J";

/// Prints what `listing` gives again and again until Ctrl-C, or until nobody reads it any more.
pub(super) async fn watch(listing: impl AsyncFn() -> Result<String, Failure>) -> Result<Answer, Failure> {
    let mut ticks = tokio::time::interval(REFRESH);
    let interrupted = tokio::signal::ctrl_c();
    tokio::pin!(interrupted);
    loop {
        tokio::select! {
            biased;
            _ = &mut interrupted => return Ok(Answer::script(String::new())),
            _ = ticks.tick() => {}
        }
        if print(&listing().await?).is_err() {
            return Ok(Answer::script(String::new()));
        }
    }
}

/// On a terminal in the place of the one before, elsewhere below it.
fn print(listing: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let (before, after) = if out.is_terminal() { (CLEAR, "") } else { ("", "\n") };
    write!(out, "{before}{listing}{after}")?;
    out.flush()
}
