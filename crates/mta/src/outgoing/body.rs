//! A message's bytes as they are written behind DATA: in bursts, of which a small message is one.

use std::collections::VecDeque;

use bytes::Bytes;
use weir_spool::SpoolError;
use weir_wire::smtp::header::HeaderLimits;
use weir_wire::smtp::{Encoder, Framing, HeaderScanner};

use crate::content::Content;

/// Bytes of a message that are written at once, before the dots that may be put between them.
pub(super) const BURST: usize = 64 * 1024;

/// The end of a message without a byte.
pub(super) const NOTHING: &[u8] = b".\r\n";

/// A message that is being written.
pub(super) struct Body {
    content: Content,
    /// What was read and not written yet.
    ahead: VecDeque<Bytes>,
    encoder: Encoder,
}

impl Body {
    /// Reads the first piece, so that a disk that fails does so before anything was said to a peer.
    pub(super) async fn begin(mut content: Content) -> Result<Self, SpoolError> {
        let ahead = content.next().await?.into_iter().collect();
        Ok(Self { content, ahead, encoder: Encoder::new(Framing::Dots) })
    }

    /// Whether the header has bytes beyond ASCII. It is read ahead for that; one beyond the bounds of headers counts as
    /// far as they go.
    pub(super) async fn has_eight_bit_header(&mut self) -> Result<bool, SpoolError> {
        let mut scanner = HeaderScanner::new(HeaderLimits::default());
        for place in 0.. {
            let piece = match self.ahead.get(place) {
                Some(piece) => piece.clone(),
                None => match self.content.next().await? {
                    Some(piece) => piece,
                    None => break,
                },
            };
            let beyond = scanner.feed(&piece).is_err();
            if place == self.ahead.len() {
                self.ahead.push_back(piece);
            }
            if beyond || scanner.is_done() {
                break;
            }
        }
        Ok(scanner.facts().eight_bit)
    }

    /// How many pieces were read and not written yet.
    #[cfg(test)]
    pub(super) fn read_ahead(&self) -> usize {
        self.ahead.len()
    }

    /// Writes the next burst behind `out`; true where it has the message's end.
    pub(super) async fn burst(&mut self, out: &mut Vec<u8>) -> Result<bool, SpoolError> {
        let mut room = BURST;
        while room > 0 {
            let Some(piece) = self.ahead.front_mut() else {
                let Some(piece) = self.content.next().await? else {
                    self.encoder.finish(out);
                    return Ok(true);
                };
                self.ahead.push_back(piece);
                continue;
            };
            let taken = piece.split_to(piece.len().min(room));
            room -= taken.len();
            self.encoder.write(&taken, out);
            if piece.is_empty() {
                self.ahead.pop_front();
            }
        }
        Ok(false)
    }
}
