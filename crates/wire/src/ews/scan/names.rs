//! The names of the elements that are open, in one buffer.

use super::Malformed;

/// The names, the innermost last.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// One after another.
    text: String,
    /// Where each begins.
    starts: Vec<usize>,
}

impl Names {
    /// How many elements are open.
    pub(super) const fn depth(&self) -> usize {
        self.starts.len()
    }

    pub(super) fn open(&mut self, name: &str) {
        self.starts.push(self.text.len());
        self.text.push_str(name);
    }

    /// Closes the innermost, whose name this must be.
    pub(super) fn close(&mut self, name: &str) -> Result<(), Malformed> {
        let start = self.starts.last().copied().ok_or(Malformed::Unbalanced)?;
        if self.text.get(start..) != Some(name) {
            return Err(Malformed::Unbalanced);
        }
        self.starts.pop();
        self.text.truncate(start);
        Ok(())
    }
}
