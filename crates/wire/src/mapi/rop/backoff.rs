//! `RopBackoff`: the server asks a client to wait (R11, R14; MS-OXCROPS, section 2.2.15.2).

#[cfg(test)]
mod tests;

use weir_units::Millis;

use super::super::Malformed;
use super::super::reader::Reader;
use super::id::RopId;

/// The most types of ROPs that one response can hold back.
pub const MAX_ROP_TYPES: usize = 255;

/// A response that holds ROPs back: those of the list from here on were not carried out, and are to be sent again later.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Backoff {
    /// The logon whose ROPs are held back.
    pub logon: u8,
    /// How long, where that is all ROPs of the logon; else it may be 0.
    pub duration: Millis,
    /// The types of ROPs that are held back, each with its time. None stands for all of them.
    pub rop_types: Vec<(RopId, Millis)>,
    /// Anything else, which means nothing yet.
    pub additional: Vec<u8>,
}

const BACKOFF: &str = "RopBackoff";

impl Backoff {
    /// Holds back all ROPs of a logon.
    pub const fn logon(logon: u8, duration: Millis) -> Self {
        Self { logon, duration, rop_types: Vec::new(), additional: Vec::new() }
    }

    /// Reads the one that a list of responses begins with, and gives it with what follows; nothing, where the list
    /// begins with another response.
    ///
    /// # Errors
    ///
    /// One that is cut off.
    pub fn read(list: &[u8]) -> Result<Option<(Self, &[u8])>, Malformed> {
        let mut reader = Reader::new(list);
        if list.first() != Some(&RopId::BACKOFF.0) {
            return Ok(None);
        }
        reader.skip(1, 1, BACKOFF)?;
        let logon = reader.u8(BACKOFF)?;
        let duration = Millis::new(reader.u32(BACKOFF)?.into());
        let count = reader.u8(BACKOFF)?;
        let rop_types = (0..count).map(|_| {
            let id = RopId(reader.u8(BACKOFF)?);
            Ok((id, Millis::new(reader.u32(BACKOFF)?.into())))
        });
        let rop_types = rop_types.collect::<Result<_, _>>()?;
        let additional = reader.sized16(BACKOFF)?.to_vec();
        Ok(Some((Self { logon, duration, rop_types, additional }, reader.rest())))
    }

    /// Appends it to a list of responses. A time is at most what four bytes can say, the types of ROPs at most
    /// [`MAX_ROP_TYPES`].
    pub fn write(&self, list: &mut Vec<u8>) {
        let rop_types = self.rop_types.get(..MAX_ROP_TYPES).unwrap_or(&self.rop_types);
        list.extend([RopId::BACKOFF.0, self.logon]);
        list.extend(wire(self.duration));
        list.extend(u8::try_from(rop_types.len()));
        for (id, duration) in rop_types {
            list.push(id.0);
            list.extend(wire(*duration));
        }
        let size = u16::try_from(self.additional.len()).unwrap_or(u16::MAX);
        list.extend(size.to_le_bytes());
        list.extend(self.additional.iter().take(size.into()));
    }
}

fn wire(duration: Millis) -> [u8; 4] {
    u32::try_from(duration.count()).unwrap_or(u32::MAX).to_le_bytes()
}
