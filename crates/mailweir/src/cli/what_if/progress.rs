//! A bar on standard error while a long log is read, where somebody looks at it.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Calls between two looks at how far the files are read.
const LOOK_EVERY: u64 = 4096;
/// How wide the bar is.
const WIDTH: u64 = 40;

/// How far the reading has got.
pub(super) struct Progress {
    bytes: u64,
    read: Arc<AtomicU64>,
    steps: u64,
    /// What is shown, in percent; nothing where nobody looks.
    shown: Option<u64>,
}

impl Progress {
    /// A bar for `bytes`, of which `read` tells how many were read.
    pub(super) fn new(bytes: u64, read: Arc<AtomicU64>) -> Self {
        Self { bytes, read, steps: 0, shown: io::stderr().is_terminal().then_some(0) }
    }

    /// One more call was read.
    pub(super) fn step(&mut self) {
        self.steps += 1;
        if let Some(shown) = self.shown
            && self.steps.is_multiple_of(LOOK_EVERY)
        {
            let read = self.read.load(Ordering::Relaxed);
            let percent = read.saturating_mul(100).checked_div(self.bytes).unwrap_or(100).min(100);
            if percent != shown {
                self.shown = Some(percent);
                draw(&bar(percent, self.steps));
            }
        }
    }

    /// Everything is read.
    pub(super) fn end(&self) {
        if self.shown.is_some_and(|shown| shown > 0) {
            draw("\r\u{1b}[K");
        }
    }
}

fn bar(percent: u64, calls: u64) -> String {
    let done = usize::try_from(percent * WIDTH / 100).unwrap_or(0);
    let open = usize::try_from(WIDTH).unwrap_or(0).saturating_sub(done);
    format!("\r[{}{}] {percent:3} %  {calls} calls", "#".repeat(done), ".".repeat(open))
}

fn draw(text: &str) {
    // Nobody is told where a bar cannot be drawn.
    let mut error = io::stderr().lock();
    let _ = error.write_all(text.as_bytes()).and_then(|()| error.flush());
}

#[cfg(test)]
mod tests {
    use super::bar;

    #[test]
    fn the_bar_grows_with_what_was_read() {
        assert_eq!(bar(0, 0), format!("\r[{}]   0 %  0 calls", ".".repeat(40)));
        assert_eq!(bar(50, 7), format!("\r[{}{}]  50 %  7 calls", "#".repeat(20), ".".repeat(20)));
        assert_eq!(bar(100, 9), format!("\r[{}] 100 %  9 calls", "#".repeat(40)));
    }
}
