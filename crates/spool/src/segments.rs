//! The files: one that is written, the others only read and, from the oldest on, removed.
//!
//! A segment that failed is never written again, and of what it holds only that counts which was synced before: the first
//! record of the next one says how far that is. What a failed sync leaves behind nobody knows – the system may have
//! forgotten that it did not write it –, so it is not asked a second time.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use crate::disk::{Disk, DiskFile, wide, write_all};
use crate::record::{self, Identity, Kind, Place, SegmentRecord};

/// Bytes that gather before they are handed to the disk.
const GATHER_BYTES: usize = 1 << 20;

/// How a segment's name ends.
const SUFFIX: &str = ".spool";

/// The open files of all segments, by number.
pub(crate) type Files<F> = Arc<BTreeMap<u32, Arc<F>>>;

/// The name of a segment's file, in whose order they were written.
pub(crate) fn name(segment: u32, identity: Identity) -> String {
    format!("{segment:010}-{:016x}{SUFFIX}", identity.0)
}

/// The segment that a name is of.
pub(crate) fn parse_name(name: &str) -> Option<(u32, Identity)> {
    let (segment, identity) = name.strip_suffix(SUFFIX)?.split_once('-')?;
    let parsed = (segment.parse().ok()?, Identity(u64::from_str_radix(identity, 16).ok()?));
    (self::name(parsed.0, parsed.1) == name && parsed.0 != 0).then_some(parsed)
}

/// How far a segment that is not written any more counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) segment: u32,
    pub(crate) end: u32,
}

/// The segment that is written.
#[derive(Debug)]
struct Active<F> {
    number: u32,
    file: Arc<F>,
    /// Bytes that the disk was given.
    written: u32,
    /// Bytes that are there whatever happens.
    synced: u32,
    /// What comes after `written`.
    buffer: Vec<u8>,
}

impl<F> Active<F> {
    fn end(&self) -> u32 {
        self.written + u32::try_from(self.buffer.len()).expect("what gathers is bounded")
    }
}

/// All segments of a spool.
#[derive(Debug)]
pub(crate) struct Segments<D: Disk> {
    pub(crate) disk: D,
    pub(crate) identity: Identity,
    files: Files<D::File>,
    /// How far each sealed segment counts, and how long its file may be.
    sealed: BTreeMap<u32, Sealed>,
    active: Option<Active<D::File>>,
    /// The last one that was sealed, which the next one tells of.
    cut: Cut,
    /// The highest number that was ever given.
    last: u32,
}

/// A segment that is only read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sealed {
    pub(crate) end: u32,
    pub(crate) file_bytes: u64,
}

impl<D: Disk> Segments<D> {
    /// Segments that were found on `disk`, of which none is written; `last` is the highest number that any file has.
    pub(crate) fn found(
        disk: D,
        identity: Identity,
        found: BTreeMap<u32, (Arc<D::File>, Sealed)>,
        last: u32,
    ) -> Self {
        let sealed: BTreeMap<_, _> = found.iter().map(|(number, (_, sealed))| (*number, *sealed)).collect();
        let files = found.into_iter().map(|(number, (file, _))| (number, file)).collect();
        let cut = sealed.last_key_value().map_or(Cut { segment: 0, end: 0 }, |(segment, sealed)| Cut {
            segment: *segment,
            end: sealed.end,
        });
        Self { disk, identity, files: Arc::new(files), sealed, active: None, cut, last }
    }

    /// All open files, as they are now.
    pub(crate) fn files(&self) -> Files<D::File> {
        Arc::clone(&self.files)
    }

    pub(crate) fn file(&self, segment: u32) -> Option<&Arc<D::File>> {
        self.files.get(&segment)
    }

    /// How far a segment counts, what is not synced included.
    pub(crate) fn end(&self, segment: u32) -> Option<u32> {
        let active = self.active.as_ref().filter(|active| active.number == segment);
        active.map(Active::end).or_else(|| self.sealed.get(&segment).map(|sealed| sealed.end))
    }

    pub(crate) fn count(&self) -> u64 {
        wide(self.files.len())
    }

    /// Bytes of all of them.
    pub(crate) fn bytes(&self) -> u64 {
        let sealed: u64 = self.sealed.values().map(|sealed| sealed.file_bytes).sum();
        sealed + self.active.as_ref().map_or(0, |active| u64::from(active.end()))
    }

    pub(crate) const fn is_active(&self) -> bool {
        self.active.is_some()
    }

    /// The oldest segment that is not written any more.
    pub(crate) fn oldest_sealed(&self) -> Option<u32> {
        self.sealed.keys().next().copied()
    }

    /// Whether a record of `bytes` would make the segment longer than `limit`. One alone may be as long as it is.
    pub(crate) fn is_full_for(&self, bytes: usize, limit: u32) -> bool {
        let longer = |active: &Active<_>| u64::from(active.end()) + wide(bytes) > u64::from(limit);
        self.active
            .as_ref()
            .is_some_and(|active| active.end() > SegmentRecord::RECORD_BYTES && longer(active))
    }

    /// Begins a segment; `next_id` is the next message's number.
    ///
    /// # Errors
    /// Where the disk fails: then there is none that is written, as before.
    pub(crate) fn begin(&mut self, next_id: u64) -> io::Result<()> {
        let number = self.last.checked_add(1).ok_or(io::ErrorKind::StorageFull)?;
        self.last = number;
        let name = name(number, self.identity);
        let file = self.disk.create(&name)?;
        let head = SegmentRecord { previous: self.cut.segment, previous_end: self.cut.end, next_id };
        let mut bytes = Vec::new();
        let place = Place { segment: number, offset: 0 };
        record::write(&mut bytes, self.identity, place, Kind::Segment, |out| head.write(out));
        let written =
            write_all(&file, &bytes, 0).and_then(|()| file.sync()).and_then(|()| self.disk.sync_names());
        if let Err(error) = written {
            // Where it stays, recovery finds that no later segment follows on it.
            drop(self.disk.remove(&name));
            return Err(error);
        }
        let file = Arc::new(file);
        Arc::make_mut(&mut self.files).insert(number, Arc::clone(&file));
        let (written, synced) = (SegmentRecord::RECORD_BYTES, SegmentRecord::RECORD_BYTES);
        self.active = Some(Active { number, file, written, synced, buffer: Vec::new() });
        Ok(())
    }

    /// Appends a record to the segment that is written.
    ///
    /// # Errors
    /// Where the disk fails; the segment has to be given up then.
    pub(crate) fn append(&mut self, kind: Kind, content: impl FnOnce(&mut Vec<u8>)) -> io::Result<Place> {
        let identity = self.identity;
        let active = self.active.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        if active.end() == active.synced && active.synced > SegmentRecord::RECORD_BYTES {
            let place = Place { segment: active.number, offset: active.end() };
            record::write(&mut active.buffer, identity, place, Kind::Mark, |_| {});
        }
        let place = Place { segment: active.number, offset: active.end() };
        record::write(&mut active.buffer, identity, place, kind, content);
        if active.buffer.len() >= GATHER_BYTES {
            Self::flush(active)?;
        }
        Ok(place)
    }

    /// Makes everything last that was appended.
    ///
    /// # Errors
    /// Where the disk fails; the segment has to be given up then.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        let Some(active) = &mut self.active else { return Ok(()) };
        if active.end() == active.synced {
            return Ok(());
        }
        Self::flush(active)?;
        active.file.sync()?;
        active.synced = active.written;
        Ok(())
    }

    fn flush(active: &mut Active<D::File>) -> io::Result<()> {
        write_all(&*active.file, &active.buffer, u64::from(active.written))?;
        active.written = active.end();
        active.buffer.clear();
        Ok(())
    }

    /// Ends the segment that is written, of which only what is synced counts.
    pub(crate) fn seal(&mut self) {
        if let Some(active) = self.active.take() {
            self.cut = Cut { segment: active.number, end: active.synced };
            let sealed = Sealed { end: active.synced, file_bytes: u64::from(active.synced) };
            self.sealed.insert(active.number, sealed);
        }
    }

    /// Gives the segment that is written up after a failure, and says how far it counts.
    pub(crate) fn give_up(&mut self) -> Option<Cut> {
        let active = self.active.as_ref()?;
        let (number, synced, file) = (active.number, active.synced, Arc::clone(&active.file));
        let end = active.end();
        self.seal();
        // The next segment says that nothing counts behind the cut; this only frees the room, where it can.
        let cut = file.truncate(u64::from(synced)).is_ok();
        let file_bytes = if cut { u64::from(synced) } else { u64::from(end) };
        self.sealed.insert(number, Sealed { end: synced, file_bytes });
        Some(Cut { segment: number, end: synced })
    }

    /// Removes the oldest segment, for good before anything else happens: were a later one gone before it, what that one
    /// says about messages of this one would be forgotten.
    ///
    /// # Errors
    /// Where the disk fails; it may be tried again.
    pub(crate) fn remove_oldest(&mut self) -> io::Result<()> {
        let Some(oldest) = self.oldest_sealed() else { return Ok(()) };
        match self.disk.remove(&name(oldest, self.identity)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => self.disk.sync_names()?,
        }
        self.sealed.remove(&oldest);
        Arc::make_mut(&mut self.files).remove(&oldest);
        Ok(())
    }
}
