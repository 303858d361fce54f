//! Reading everything again: what a crash left behind, or somebody who stopped the program in good order.
//!
//! Each segment but the last was synced before the next one was made, and that one says how far it counts. In the last,
//! everything before a mark was synced before the mark was written. So what is not a record is one of two things. Behind all
//! marks, it is what a crash tore: nobody was told that it is there, and it is cut off. Before one, it is damage: it is
//! told, kept aside, and what follows it counts.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use super::{DAMAGE_MAX, OpenError, Store};
use crate::damage::{Damage, Keeper};
use crate::disk::{Disk, DiskFile, read_full, wide, write_all};
use crate::index::{Index, Placed, Updated};
use crate::limits::Limits;
use crate::reader::Reader;
use crate::record::{Head, Identity, Kind, MessageRecord, Place, SegmentRecord, UpdateRecord};
use crate::segments::{Sealed, Segments, parse_name};

/// Bytes that are written again at once.
const COPY_BYTES: u32 = 1 << 20;

/// What was found when a spool was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Messages in the queue.
    pub messages: u64,
    /// Segments that were read.
    pub segments: u64,
    /// Bytes that they have.
    pub bytes: u64,
    /// What a crash tore off in the middle of its writing, of which nobody was told that it is kept. Its bytes are kept aside
    /// only where there seem to be whole records among them.
    pub torn: Option<Damage>,
    /// Damaged places, at most a thousand.
    pub damage: Vec<Damage>,
    /// How many there are.
    pub damaged_places: u64,
}

/// The segments of a folder, before they are read.
struct Found<F> {
    identity: Option<Identity>,
    files: BTreeMap<u32, Arc<F>>,
}

/// How the segments follow on one another.
#[derive(Default)]
struct Chain {
    /// How far each counts that another one follows.
    ends: BTreeMap<u32, u32>,
    /// Those whose making failed: no other follows on them.
    strays: Vec<u32>,
    next_id: u64,
}

/// Reads segments one by one, the oldest first.
struct Replay<'a, D> {
    disk: &'a D,
    identity: Identity,
    index: Index,
    keeper: Keeper,
    next_id: u64,
    /// How far a mark of the segment says that it was synced.
    proven: u32,
    recovery: Recovery,
}

impl<D: Disk, T> Store<D, T> {
    /// Opens the spool on `disk` and reads it. An empty one is from then on the spool `fresh`; each needs a number of its own,
    /// drawn at random, by which its records are known.
    ///
    /// # Errors
    /// Where the limits make no sense, the disk fails, or the folder holds what is not one spool of this version. Damage is
    /// no error: it is in the [`Recovery`].
    pub fn open(disk: D, limits: Limits, fresh: Identity) -> Result<(Self, Recovery), OpenError> {
        let limits = limits.check()?;
        let names = disk.names()?;
        let Found { identity, mut files } = found(&disk, &names)?;
        let identity = identity.unwrap_or(fresh);
        let last_number = files.keys().next_back().copied().unwrap_or(0);
        let chain = chain(&files, identity)?;
        remove_strays(&disk, &mut files, &chain.strays, identity)?;
        let keeper = Keeper::new(&disk, &names, limits.damaged_bytes);
        let (next_id, recovery) = (chain.next_id.max(1), Recovery::default());
        let (index, proven) = (Index::default(), 0);
        let mut replay = Replay { disk: &disk, identity, index, keeper, next_id, proven, recovery };
        let sealed = replay.all(&files, &chain.ends)?;
        let Replay { index, keeper, next_id, mut recovery, .. } = replay;
        disk.sync_names()?;
        let mut segments = Segments::found(disk, identity, sealed, last_number);
        // A full disk may be read; whoever writes tries again.
        drop(segments.begin(next_id));
        recovery.messages = wide(index.len());
        let mut store = Self {
            limits,
            segments,
            index,
            drafts: BTreeMap::new(),
            draft_bytes: 0,
            staged: Vec::new(),
            staged_messages: 0,
            staged_bytes: 0,
            results: Vec::new(),
            next_id,
            sweep: super::Sweep::default(),
            keeper,
            damage: Vec::new(),
        };
        // What cannot be removed stays until the next sweep.
        drop(store.remove_unneeded());
        Ok((store, recovery))
    }
}

fn found<D: Disk>(disk: &D, names: &[String]) -> Result<Found<D::File>, OpenError> {
    let mut found = Found { identity: None, files: BTreeMap::new() };
    for (name, (number, identity)) in names.iter().filter_map(|name| Some((name, parse_name(name)?))) {
        match found.identity {
            Some(other) if other != identity => return Err(OpenError::Mixed(other.0, identity.0)),
            Some(_) | None => found.identity = Some(identity),
        }
        found.files.insert(number, Arc::new(disk.open(name)?));
    }
    Ok(found)
}

fn chain<F: DiskFile>(files: &BTreeMap<u32, Arc<F>>, identity: Identity) -> Result<Chain, OpenError> {
    let mut chain = Chain::default();
    for (number, file) in files {
        let mut reader = Reader::of_one(&**file, identity, *number);
        let Some((_, content)) = reader.record(0)?.filter(|(head, _)| head.kind == Kind::Segment) else {
            continue;
        };
        let record = SegmentRecord::read(content).ok_or(OpenError::Version(*number))?;
        chain.next_id = chain.next_id.max(record.next_id);
        chain.ends.insert(record.previous, record.previous_end);
        let between = files.range(record.previous.saturating_add(1)..*number);
        chain.strays.extend(between.map(|(stray, _)| *stray));
    }
    for (number, file) in files.iter().rev() {
        if chain.strays.contains(number) {
            continue;
        }
        if !is_unborn(&**file, identity, *number)? {
            break;
        }
        chain.strays.push(*number);
    }
    Ok(chain)
}

/// Whether a segment is one whose making a crash stopped.
fn is_unborn<F: DiskFile>(file: &F, identity: Identity, number: u32) -> io::Result<bool> {
    let is_short = file.length()? <= u64::from(SegmentRecord::RECORD_BYTES);
    Ok(is_short && Reader::of_one(file, identity, number).record(0)?.is_none())
}

fn remove_strays<D: Disk>(
    disk: &D,
    files: &mut BTreeMap<u32, Arc<D::File>>,
    strays: &[u32],
    identity: Identity,
) -> io::Result<()> {
    for stray in strays {
        files.remove(stray);
        match disk.remove(&crate::segments::name(*stray, identity)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// Writes what is there once more. What can be read need not be on the disk: when a sync failed before the process died,
/// the system has forgotten that it is not, and a sync of what nobody wrote since would say nothing.
fn write_again<F: DiskFile>(file: &F, from: u32, end: u32) -> io::Result<()> {
    let mut buffer = Vec::new();
    let mut at = from;
    while at < end {
        let count = (end - at).min(COPY_BYTES);
        buffer.resize(usize::try_from(count).unwrap_or(0), 0);
        read_full(file, &mut buffer, u64::from(at))?;
        write_all(file, &buffer, u64::from(at))?;
        at += count;
    }
    Ok(())
}

type SealedFiles<F> = BTreeMap<u32, (Arc<F>, Sealed)>;

impl<D: Disk> Replay<'_, D> {
    fn all(
        &mut self,
        files: &BTreeMap<u32, Arc<D::File>>,
        ends: &BTreeMap<u32, u32>,
    ) -> io::Result<SealedFiles<D::File>> {
        let last = files.keys().next_back().copied();
        let mut sealed = BTreeMap::new();
        for (number, file) in files {
            let length = file.length()?;
            let known = ends.get(number).copied();
            let end = known.unwrap_or(u32::MAX).min(u32::try_from(length).unwrap_or(u32::MAX));
            if let Some(missing) =
                known.and_then(|known| known.checked_sub(end)).filter(|missing| *missing > 0)
            {
                let bytes = u64::from(missing);
                self.note(Damage { segment: *number, offset: end, bytes, kept: None });
            }
            let end = self.segment(*number, file, end, Some(*number) == last)?;
            file.sync()?;
            self.recovery.segments += 1;
            self.recovery.bytes += u64::from(end);
            let file_bytes = file.length()?;
            sealed.insert(*number, (Arc::clone(file), Sealed { end, file_bytes }));
        }
        Ok(sealed)
    }

    /// Reads one segment up to `end`, and says how far it counts.
    fn segment(&mut self, number: u32, file: &D::File, mut end: u32, is_last: bool) -> io::Result<u32> {
        let mut reader = Reader::new(file, self.identity, number, end);
        let mut at = 0;
        self.proven = 0;
        while at < end {
            let place = Place { segment: number, offset: at };
            if let Some(head) = self.record(&mut reader, place, is_last)? {
                at += head.record_bytes();
                continue;
            }
            let next = reader.next_record(at + 1)?;
            if is_last && !reader.is_proven(at)? {
                self.tear(file, place, end, next < end)?;
                end = at;
                break;
            }
            let damage = self.keeper.keep(self.disk, file, place, u64::from(next - at));
            self.note(damage);
            at = next;
        }
        if is_last {
            write_again(file, self.proven, end)?;
        }
        Ok(end)
    }

    /// Cuts off what is torn.
    fn tear(&mut self, file: &D::File, place: Place, end: u32, has_records: bool) -> io::Result<()> {
        let Place { segment, offset } = place;
        let bytes = u64::from(end - offset);
        let torn = if has_records {
            self.keeper.keep(self.disk, file, place, bytes)
        } else {
            Damage { segment, offset, bytes, kept: None }
        };
        self.recovery.torn = Some(torn);
        file.truncate(u64::from(offset))
    }

    /// Takes what the record at `place` says; says nothing where there is none.
    fn record(
        &mut self,
        reader: &mut Reader<'_, D::File>,
        place: Place,
        is_last: bool,
    ) -> io::Result<Option<Head>> {
        let Some(head) = reader.head(place.offset)? else { return Ok(None) };
        if head.kind == Kind::Piece && !is_last {
            // It was synced before anybody spoke of it, and is checked when it is read.
            return Ok(Some(head));
        }
        let Some(content) = reader.content(place.offset, head)? else { return Ok(None) };
        let known = match head.kind {
            Kind::Message => self.message(place, head, content),
            Kind::Update => self.update(place, content),
            Kind::Mark => {
                self.proven = place.offset;
                Some(())
            }
            Kind::Segment | Kind::Piece => Some(()),
        };
        Ok(known.map(|()| head))
    }

    fn message(&mut self, place: Place, head: Head, content: &[u8]) -> Option<()> {
        let record = MessageRecord::read(content)?;
        let dues = record.slots.iter().map(|slot| slot.due).collect();
        let bytes = u64::from(head.record_bytes());
        self.index.insert(&Placed::new(record.id, place, bytes, &record.parts, dues));
        self.next_id = self.next_id.max(record.id.saturating_add(1));
        Some(())
    }

    fn update(&mut self, place: Place, content: &[u8]) -> Option<()> {
        let record = UpdateRecord::read(content)?;
        let changes: Vec<Updated> = record.slots.iter().map(Updated::of).collect();
        self.index.update(record.id, place, &changes);
        Some(())
    }

    fn note(&mut self, damage: Damage) {
        self.recovery.damaged_places += 1;
        if self.recovery.damage.len() < DAMAGE_MAX {
            self.recovery.damage.push(damage);
        }
    }
}
