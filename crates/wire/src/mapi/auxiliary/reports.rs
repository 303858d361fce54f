//! What a client tells about itself, in the making.

#[cfg(test)]
mod tests;

use weir_units::Millis;

use super::super::payload::{Form, MAX_PAYLOAD};
use super::{CLIENT_INFO, ClientMode, HEADER, MAX_TEXT, PROCESS_INFO};

/// A successful call to the mailbox server that somebody waited for.
const CALL: u8 = 0x11;

/// Blocks of one auxiliary buffer, written one after the other.
///
/// ```
/// use weir_units::Millis;
/// use weir_wire::mapi::auxiliary::{self, Reports, Told};
/// let mut reports = Reports::default();
/// reports.process(4711, [7; 16], "indexer");
/// reports.call(Millis::new(12), Millis::new(1000));
/// assert_eq!(auxiliary::told(&reports.buffer())[0], Told::Process { name: "indexer".to_owned() });
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reports {
    payload: Vec<u8>,
}

impl Reports {
    /// Tells which process this is: its number and identifier, and its name, of at most [`MAX_TEXT`] characters.
    pub fn process(&mut self, number: u16, identifier: [u8; 16], name: &str) {
        let mut content = number.to_le_bytes().to_vec();
        content.extend([0; 2]);
        content.extend(identifier);
        let texts = content.len() + 2 * 2;
        content.extend(offset(texts));
        content.extend([0; 2]);
        content.extend(text(name));
        self.block(2, PROCESS_INFO, &content);
    }

    /// Tells of the client's machine, of its user's name there, each of at most [`MAX_TEXT`] characters, and how it works.
    pub fn client(&mut self, machine: &str, user: &str, mode: ClientMode) {
        let (machine, user) = (text(machine), text(user));
        let texts = 4 + 12 * 2;
        let mut content = vec![0; 4 + 2];
        content.extend(offset(texts));
        content.extend(offset(texts + machine.len()));
        // No addresses and no adapter.
        content.extend([0; 7 * 2]);
        content.extend(match mode {
            ClientMode::Unknown => [0, 0],
            ClientMode::Classic => [1, 0],
            ClientMode::Cached => [2, 0],
        });
        content.extend([0; 2]);
        content.extend(machine);
        content.extend(user);
        self.block(1, CLIENT_INFO, &content);
    }

    /// Tells that a call to the mailbox server took so long, and was made so long ago.
    pub fn call(&mut self, took: Millis, ago: Millis) {
        let wire = |time: Millis| u32::try_from(time.count()).unwrap_or(u32::MAX).to_le_bytes();
        let content = [wire(ago), wire(took), [0; 4]].concat();
        self.block(1, CALL, &content);
    }

    /// The auxiliary buffer; an empty one, where nothing is told.
    pub fn buffer(&self) -> Vec<u8> {
        let mut buffer = Vec::new();
        if !self.payload.is_empty() {
            Form::default().write(&self.payload, true, &mut buffer);
        }
        buffer
    }

    /// Appends a block, if there is room for it.
    fn block(&mut self, version: u8, kind: u8, content: &[u8]) {
        let length = HEADER + content.len();
        let Ok(size) = u16::try_from(length) else { return };
        if self.payload.len() + length <= MAX_PAYLOAD {
            self.payload.extend(size.to_le_bytes());
            self.payload.extend([version, kind]);
            self.payload.extend(content);
        }
    }
}

/// What says where in a block something stands that is so far behind its header.
fn offset(behind: usize) -> [u8; 2] {
    u16::try_from(HEADER + behind).unwrap_or(0).to_le_bytes()
}

/// Text of two-byte characters with its zero.
fn text(text: &str) -> Vec<u8> {
    let text: String = text.chars().filter(|letter| !letter.is_control()).take(MAX_TEXT).collect();
    text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
}
