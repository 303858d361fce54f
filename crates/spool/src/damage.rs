//! Places on disk that are not what was written: each is told, and its bytes are kept aside for somebody to look at.

use crate::disk::{Disk, DiskFile, read_full, wide, write_all};
use crate::record::Place;

/// How the name of a file with damaged bytes ends.
const SUFFIX: &str = ".damaged";

/// The longest stretch that is copied at once.
const COPY_BYTES: u64 = 1 << 20;

/// Bytes of a segment that are not what was written. Whatever message or state was there is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The segment's number.
    pub segment: u32,
    /// Where in it the damage begins.
    pub offset: u32,
    /// How long it is.
    pub bytes: u64,
    /// The file in the spool's folder that has these bytes; none where the room for such files was full or the disk failed.
    pub kept: Option<String>,
}

/// Keeps damaged bytes, within bounds.
#[derive(Debug)]
pub(crate) struct Keeper {
    /// Bytes for which there is room.
    room: u64,
}

impl Keeper {
    /// One that keeps `limit` bytes, less what is there already.
    pub(crate) fn new<D: Disk>(disk: &D, names: &[String], limit: u64) -> Self {
        let kept = names.iter().filter(|name| name.ends_with(SUFFIX));
        let lengths = kept.filter_map(|name| disk.open(name).and_then(|file| file.length()).ok());
        Self { room: limit.saturating_sub(lengths.sum()) }
    }

    /// Keeps `bytes` bytes from `place` on, once.
    pub(crate) fn keep<D: Disk>(&mut self, disk: &D, file: &D::File, place: Place, bytes: u64) -> Damage {
        let Place { segment, offset } = place;
        let name = format!("{segment:010}-{offset:010}{SUFFIX}");
        let is_there = disk.open(&name).and_then(|kept| kept.length()).is_ok_and(|length| length == bytes);
        let kept = is_there || bytes <= self.room && self.copy(disk, file, &name, offset, bytes).is_ok();
        Damage { segment, offset, bytes, kept: kept.then_some(name) }
    }

    fn copy<D: Disk>(
        &mut self,
        disk: &D,
        file: &D::File,
        name: &str,
        offset: u32,
        bytes: u64,
    ) -> std::io::Result<()> {
        // One that is there and of another length is what a crash left of such a copy.
        if disk.open(name).is_ok() {
            disk.remove(name)?;
        }
        let copy = disk.create(name)?;
        self.room -= bytes;
        let mut buffer = Vec::new();
        let mut done = 0;
        while done < bytes {
            buffer.resize(usize::try_from(COPY_BYTES.min(bytes - done)).unwrap_or(0), 0);
            let filled = read_full(file, &mut buffer, u64::from(offset) + done)?;
            buffer.truncate(filled.max(1));
            write_all(&copy, &buffer, done)?;
            done += wide(buffer.len());
        }
        copy.sync()?;
        disk.sync_names()
    }
}
