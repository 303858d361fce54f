//! Where a ROP ends.

#[cfg(test)]
mod tests;

use super::super::Malformed;
use super::super::codec::{Codec, Counted, Plain};
use super::super::property::TaggedValue;
use super::super::reader::Reader;
use super::id::RopId;
use super::table::{self, Field};

/// Which of a session's logons are to public folders, since some ROPs to them are longer.
///
/// A client chooses the number of each logon when it logs on. Until it was seen to, a number counts as a mailbox's,
/// as nearly all are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Logons {
    public: LogonSet,
}

impl Logons {
    /// Whether that logon is to public folders.
    pub fn is_public(&self, logon: u8) -> bool {
        self.public.contains(logon)
    }
}

/// A set of logon numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogonSet {
    halves: [u128; 2],
}

impl LogonSet {
    /// Whether a number is in it.
    pub fn contains(&self, logon: u8) -> bool {
        let [lower, upper] = self.halves;
        let half = if logon < 128 { lower } else { upper };
        half >> (logon % 128) & 1 == 1
    }

    /// Its numbers, in rising order.
    pub fn iter(&self) -> impl Iterator<Item = u8> + use<'_> {
        (0..=u8::MAX).filter(|logon| self.contains(*logon))
    }

    /// Puts the numbers of `other` in.
    pub fn join(&mut self, other: &Self) {
        for (half, other) in self.halves.iter_mut().zip(other.halves) {
            *half |= other;
        }
    }

    /// Puts a number in, or takes it out.
    pub(super) fn set(&mut self, logon: u8, contained: bool) {
        let [lower, upper] = &mut self.halves;
        let half = if logon < 128 { lower } else { upper };
        let bit = 1 << (logon % 128);
        *half = if contained { *half | bit } else { *half & !bit };
    }
}

/// Takes one ROP from the front. A `RopLogon` makes `logons` known what it is to.
pub(super) fn take<'a>(reader: &mut Reader<'a>, logons: &mut Logons) -> Result<Rop<'a>, Malformed> {
    let whole = reader.rest();
    let id = reader.u8(ROP)?;
    let row = table::find(id).ok_or(Malformed::UnknownRop(id))?;
    let logon = reader.u8(ROP)?;
    reader.skip(1, table::HEAD - 2, ROP)?;
    let mut walk = Walk { reader, logons, logon, wide: false };
    for field in row.fields {
        walk.pass(*field)?;
    }
    let length = whole.len() - reader.rest().len();
    Ok(Rop { id: RopId(id), logon, bytes: whole.get(..length).unwrap_or_default() })
}

/// One ROP of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rop<'a> {
    /// What it is.
    pub id: RopId,
    /// The number of the logon that it is for.
    pub logon: u8,
    /// All its bytes.
    pub bytes: &'a [u8],
}

const ROP: &str = "a ROP";

/// What says that the size of a read stands behind it.
const BABE: u16 = 0xBABE;

struct Walk<'r, 'a> {
    reader: &'r mut Reader<'a>,
    logons: &'r mut Logons,
    logon: u8,
    wide: bool,
}

impl Walk<'_, '_> {
    fn pass(&mut self, field: Field) -> Result<(), Malformed> {
        match field {
            Field::Skip(length) => self.reader.skip(1, length, ROP),
            Field::Times(each) => self.times(each),
            Field::Size16 => self.reader.sized16(ROP).map(drop),
            Field::Size32 => self.reader.sized32(ROP).map(drop),
            Field::Wide => {
                self.wide = self.reader.u8(ROP)? != 0;
                Ok(())
            }
            Field::Name if self.wide => self.reader.text16(ROP).map(drop),
            Field::Text | Field::Name => self.reader.text8(ROP).map(drop),
            Field::IfSet(length) => self.skip_if(length, |byte| byte != 0),
            Field::IfZero(length) => self.skip_if(length, |byte| byte == 0),
            Field::Babe(length) => {
                let there = self.reader.u16(ROP)? == BABE;
                self.reader.skip(usize::from(there), length, ROP)
            }
            Field::Sorts => {
                let orders = self.reader.count16(ROP)?;
                self.reader.skip(2, 2, ROP)?;
                self.reader.skip(orders, 2 + 2 + 1, ROP)
            }
            Field::Recipients => self.recipients(),
            Field::Names => self.names(),
            Field::Values => self.values(),
            Field::Rows => {
                for _ in 0..self.reader.count16(ROP)? {
                    self.reader.skip(1, 1, ROP)?;
                    self.values()?;
                }
                Ok(())
            }
            Field::LogonKind => {
                let private = self.reader.u8(ROP)? & 1 == 1;
                self.logons.public.set(self.logon, !private);
                Ok(())
            }
            Field::Public(length) => self.reader.skip(usize::from(self.is_public()), length, ROP),
            Field::PerUser => {
                let first = self.reader.u32(ROP)? == 0;
                self.reader.sized16(ROP)?;
                self.reader.skip(usize::from(first && !self.is_public()), 16, ROP)
            }
        }
    }

    fn is_public(&self) -> bool {
        self.logons.is_public(self.logon)
    }

    fn times(&mut self, each: usize) -> Result<(), Malformed> {
        let count = self.reader.count16(ROP)?;
        self.reader.skip(count, each, ROP)
    }

    fn skip_if(&mut self, length: usize, condition: fn(u8) -> bool) -> Result<(), Malformed> {
        let there = condition(self.reader.u8(ROP)?);
        self.reader.skip(usize::from(there), length, ROP)
    }

    /// Values with their tags. Only ROPs that upload changes have any, so that nothing else pays for reading them.
    fn values(&mut self) -> Result<(), Malformed> {
        let values: Vec<TaggedValue> = Counted::<u16, Plain>::read(self.reader, ROP)?;
        drop(values);
        Ok(())
    }

    /// Columns; then rows, each with a number, a type and sized data.
    fn recipients(&mut self) -> Result<(), Malformed> {
        self.times(4)?;
        for _ in 0..self.reader.count16(ROP)? {
            self.reader.skip(1, 4 + 1, ROP)?;
            self.reader.sized16(ROP)?;
        }
        Ok(())
    }

    /// Names of properties: a kind, a namespace, and a number or a text behind its size in one byte.
    fn names(&mut self) -> Result<(), Malformed> {
        for _ in 0..self.reader.count16(ROP)? {
            let kind = self.reader.u8(ROP)?;
            self.reader.skip(1, 16, ROP)?;
            match kind {
                0 => self.reader.skip(1, 4, ROP)?,
                1 => {
                    let length = self.reader.u8(ROP)?;
                    self.reader.skip(1, length.into(), ROP)?;
                }
                u8::MAX => {}
                _ => return Err(Malformed::Wrong("the kind of a property's name")),
            }
        }
        Ok(())
    }
}
