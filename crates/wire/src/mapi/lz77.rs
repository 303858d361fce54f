//! The compression of payloads: plain LZ77, which MS-OXCRPC calls DIRECT2 (MS-OXCRPC, section 3.1.4.1.1.2; MS-XCA, 2.3).
//!
//! Words of 32 bits say of the 32 things that follow each, from the highest bit down, whether it is a byte or a match:
//! a distance of up to 8192 and a length of at least 3, in 16 bits. A length of 10 or more goes on in half a byte, two
//! matches sharing one, then in a byte, then in two. After the last thing a match is announced that does not come.
//!
//! Both directions are bounded by what the header of a payload can say, 64 KiB, and the result is given only if its
//! length is the promised one, so that no few bytes swell into much.

#[cfg(test)]
mod tests;

use super::Malformed;
use super::reader::Reader;

/// The shortest match.
const SHORTEST: usize = 3;
/// The farthest distance of a match.
const FARTHEST: usize = 1 << 13;
/// What three bits of length, and half a byte beyond them, say when the length goes on.
const MORE_BITS: usize = 7;
const MORE_HALF: usize = 15;
/// The lengths above [`SHORTEST`] from which on a byte, and then two, are needed.
const FROM_BYTE: usize = MORE_BITS + MORE_HALF;
const FROM_WORD: usize = FROM_BYTE + 255;

/// The bytes that were compressed; there must be `length` of them.
pub(super) fn decompress(compressed: &[u8], length: u16) -> Result<Vec<u8>, Malformed> {
    let length = usize::from(length);
    let mut input = Input { reader: Reader::new(compressed), flags: 0, flags_left: 0, half: None };
    let mut output = Vec::with_capacity(length);
    while output.len() < length {
        if input.is_match()? {
            let (distance, count) = input.a_match()?;
            copy(&mut output, distance, count, length)?;
        } else {
            output.push(input.reader.u8(DATA)?);
        }
    }
    // What is left can only be the announcement of the match that does not come.
    if !input.reader.is_empty() && input.flags_left == 0 {
        input.is_match()?;
    }
    input.reader.end(DATA)?;
    Ok(output)
}

const DATA: &str = "compressed data";

/// Appends `count` bytes of those that stand `distance` back; they may overlap what is appended.
fn copy(output: &mut Vec<u8>, distance: usize, count: usize, length: usize) -> Result<(), Malformed> {
    let start = output.len().checked_sub(distance).ok_or(Malformed::Wrong("the distance of a match"))?;
    if count > length - output.len() {
        return Err(Malformed::Wrong("the length of a match"));
    }
    for place in start..start + count {
        let byte = output.get(place).copied().ok_or(Malformed::Wrong("the distance of a match"))?;
        output.push(byte);
    }
    Ok(())
}

struct Input<'a> {
    reader: Reader<'a>,
    flags: u32,
    flags_left: u32,
    /// The upper half of a byte whose lower half is used up.
    half: Option<u8>,
}

impl Input<'_> {
    fn is_match(&mut self) -> Result<bool, Malformed> {
        if self.flags_left == 0 {
            self.flags = self.reader.u32(DATA)?;
            self.flags_left = u32::BITS;
        }
        self.flags_left -= 1;
        Ok(self.flags & (1 << self.flags_left) != 0)
    }

    /// Distance and length of a match.
    fn a_match(&mut self) -> Result<(usize, usize), Malformed> {
        let word = self.reader.count16(DATA)?;
        let distance = (word >> 3) + 1;
        let bits = word & MORE_BITS;
        let length = if bits == MORE_BITS { self.long()? } else { bits };
        Ok((distance, length + SHORTEST))
    }

    /// A length above the shortest that three bits do not hold.
    fn long(&mut self) -> Result<usize, Malformed> {
        let half = if let Some(upper) = self.half.take() {
            upper
        } else {
            let byte = self.reader.u8(DATA)?;
            self.half = Some(byte >> 4);
            byte & 0xF
        };
        let half = usize::from(half);
        if half < MORE_HALF {
            return Ok(MORE_BITS + half);
        }
        let byte = self.reader.u8(DATA)?;
        if byte < u8::MAX {
            return Ok(FROM_BYTE + usize::from(byte));
        }
        let word = self.reader.count16(DATA)?;
        if word < FROM_BYTE { Err(Malformed::Wrong("the length of a match")) } else { Ok(word) }
    }
}

/// Compresses, where that makes it shorter.
///
/// Of the earlier places that begin like the current one only the latest is tried: quick, and good enough for rows of
/// a table, which resemble the one before.
pub(super) fn compress(plain: &[u8]) -> Option<Vec<u8>> {
    u16::try_from(plain.len()).ok()?;
    let mut output = Output::new();
    let mut latest = Latest::new();
    let mut place = 0;
    while let Some(byte) = plain.get(place).copied() {
        if output.bytes.len() >= plain.len() {
            return None;
        }
        let Some((distance, length)) = latest.find(plain, place) else {
            output.literal(byte);
            place += 1;
            continue;
        };
        output.a_match(distance, length)?;
        for passed in place + 1..place + length {
            latest.remember(plain, passed);
        }
        place += length;
    }
    let bytes = output.finish();
    (bytes.len() < plain.len()).then_some(bytes)
}

/// For three bytes by their hash: one past the latest place where they stand.
struct Latest {
    places: Vec<usize>,
}

impl Latest {
    const BITS: u32 = 12;

    fn new() -> Self {
        Self { places: vec![0; 1 << Self::BITS] }
    }

    /// Remembers `place`, and gives the place that it drives out.
    fn remember(&mut self, plain: &[u8], place: usize) -> Option<usize> {
        let &[a, b, c] = plain.get(place..)?.first_chunk()?;
        let hash = u32::from_le_bytes([a, b, c, 0]).wrapping_mul(0x9E37_79B1) >> (u32::BITS - Self::BITS);
        let slot = self.places.get_mut(usize::try_from(hash).ok()?)?;
        std::mem::replace(slot, place + 1).checked_sub(1)
    }

    /// Remembers `place`, and gives distance and length of its match with the latest that begins alike, if there is one
    /// that is near enough.
    fn find(&mut self, plain: &[u8], place: usize) -> Option<(usize, usize)> {
        let before = self.remember(plain, place)?;
        let distance = place.checked_sub(before).filter(|distance| *distance <= FARTHEST)?;
        let (earlier, here) = (plain.get(before..)?, plain.get(place..)?);
        let length = earlier.iter().zip(here).take_while(|(earlier, here)| earlier == here).count();
        (length >= SHORTEST).then_some((distance, length))
    }
}

struct Output {
    bytes: Vec<u8>,
    flags: u32,
    flags_used: u32,
    /// Where the flag word goes that is being filled.
    flags_at: usize,
    /// Where a byte stands whose upper half is free.
    half_at: Option<usize>,
}

impl Output {
    fn new() -> Self {
        Self { bytes: vec![0; 4], flags: 0, flags_used: 0, flags_at: 0, half_at: None }
    }

    fn literal(&mut self, byte: u8) {
        self.bytes.push(byte);
        self.flag(0);
    }

    fn a_match(&mut self, distance: usize, length: usize) -> Option<()> {
        let above = length.checked_sub(SHORTEST)?;
        let word = (distance.checked_sub(1)? << 3) | above.min(MORE_BITS);
        self.bytes.extend(u16::try_from(word).ok()?.to_le_bytes());
        if above >= MORE_BITS {
            self.half(u8::try_from((above - MORE_BITS).min(MORE_HALF)).ok()?)?;
        }
        if above >= FROM_BYTE {
            self.bytes.push(u8::try_from(above - FROM_BYTE).unwrap_or(u8::MAX));
        }
        if above >= FROM_WORD {
            self.bytes.extend(u16::try_from(above).ok()?.to_le_bytes());
        }
        self.flag(1);
        Some(())
    }

    fn half(&mut self, half: u8) -> Option<()> {
        if let Some(place) = self.half_at.take() {
            *self.bytes.get_mut(place)? |= half << 4;
        } else {
            self.half_at = Some(self.bytes.len());
            self.bytes.push(half);
        }
        Some(())
    }

    fn flag(&mut self, flag: u32) {
        self.flags = (self.flags << 1) | flag;
        self.flags_used += 1;
        if self.flags_used == u32::BITS {
            self.write_flags();
            self.flags_at = self.bytes.len();
            self.bytes.extend([0; 4]);
            self.flags_used = 0;
        }
    }

    fn write_flags(&mut self) {
        let word = self.bytes.get_mut(self.flags_at..).and_then(|rest| rest.first_chunk_mut());
        if let Some(word) = word {
            *word = self.flags.to_le_bytes();
        }
    }

    fn finish(mut self) -> Vec<u8> {
        let free = u32::BITS - self.flags_used;
        self.flags = self.flags.checked_shl(free).unwrap_or(0) | (u32::MAX >> self.flags_used);
        self.write_flags();
        self.bytes
    }
}
