//! What a simulated disk is made of: files as they can be read, what of them is on the platter, and what lies between.

use std::collections::BTreeMap;
use std::io;

use fastrand::Rng;

use super::Fault;
use crate::disk::wide;

/// A file's number, whatever its name.
pub(super) type Inode = u64;

/// Bytes that reach the platter together or not at all.
const SECTOR: usize = 512;

/// A change that is not on the platter.
#[derive(Clone, Debug)]
enum Pending {
    Write {
        offset: usize,
        bytes: Vec<u8>,
    },
    /// The file has become longer, and what should be there has not come.
    Lengthen {
        length: usize,
    },
    Truncate {
        length: usize,
    },
}

/// One file.
#[derive(Clone, Debug, Default)]
pub(super) struct SimFile {
    /// What is read.
    pub(super) current: Vec<u8>,
    durable: Vec<u8>,
    pending: Vec<Pending>,
}

impl SimFile {
    pub(super) fn overwrite(&mut self, content: &[u8]) {
        self.current = content.to_vec();
        self.durable = content.to_vec();
        self.pending.clear();
    }
}

/// All of it.
#[derive(Debug)]
pub(super) struct World {
    pub(super) files: BTreeMap<Inode, SimFile>,
    pub(super) names: BTreeMap<String, Inode>,
    pub(super) durable_names: BTreeMap<String, Inode>,
    next_inode: Inode,
    pub(super) capacity: u64,
    pub(super) short_one_in: u64,
    pub(super) operations: u64,
    pub(super) faults: BTreeMap<u64, Fault>,
    crashed: bool,
    /// How often the machine was started.
    pub(super) life: u64,
    chance: Chance,
}

impl World {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            files: BTreeMap::new(),
            names: BTreeMap::new(),
            durable_names: BTreeMap::new(),
            next_inode: 0,
            capacity: u64::MAX,
            short_one_in: 0,
            operations: 0,
            faults: BTreeMap::new(),
            crashed: false,
            life: 0,
            chance: Chance(Rng::with_seed(seed)),
        }
    }

    /// Counts an operation and lets its fault happen.
    pub(super) fn operation(&mut self) -> io::Result<()> {
        self.operations += 1;
        match self.faults.remove(&self.operations) {
            Some(Fault::Crash) => self.crashed = true,
            Some(Fault::Error) => return Err(io::Error::other("the disk failed")),
            None => {}
        }
        if self.crashed { Err(io::Error::other("the machine is off")) } else { Ok(()) }
    }

    pub(super) fn file(&mut self, inode: Inode) -> io::Result<&mut SimFile> {
        self.files.get_mut(&inode).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    pub(super) fn create(&mut self, name: &str) -> io::Result<Inode> {
        if self.names.contains_key(name) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.next_inode += 1;
        self.files.insert(self.next_inode, SimFile::default());
        self.names.insert(name.to_owned(), self.next_inode);
        Ok(self.next_inode)
    }

    /// Writes as much as fits; a write that fails may still have written something.
    pub(super) fn write(
        &mut self,
        inode: Inode,
        bytes: &[u8],
        offset: u64,
        failing: bool,
    ) -> io::Result<usize> {
        let offset = usize::try_from(offset).map_err(|_| io::ErrorKind::InvalidInput)?;
        let used: u64 = self
            .names
            .values()
            .filter_map(|inode| self.files.get(inode))
            .map(|file| wide(file.current.len()))
            .sum();
        // What is there already may be written over.
        let own = self.file(inode)?.current.len().saturating_sub(offset);
        let room = usize::try_from(self.capacity.saturating_sub(used)).unwrap_or(usize::MAX);
        let mut count = bytes.len().min(room.saturating_add(own));
        if count == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let is_short = self.chance.one_in(self.short_one_in);
        if failing || is_short {
            let least = usize::from(!failing);
            count = least + self.chance.0.usize(..=count - least);
        }
        let pending = Pending::Write { offset, bytes: bytes.get(..count).unwrap_or_default().to_vec() };
        let file = self.file(inode)?;
        pending.apply(&mut file.current);
        file.pending.push(pending);
        Ok(count)
    }

    pub(super) fn truncate(&mut self, inode: Inode, length: u64) -> io::Result<()> {
        let length = usize::try_from(length).map_err(|_| io::ErrorKind::InvalidInput)?;
        let file = self.file(inode)?;
        file.current.truncate(length);
        file.pending.push(Pending::Truncate { length });
        Ok(())
    }

    /// Brings a file to the platter, or, where that fails, what chance wants of it.
    pub(super) fn sync(&mut self, inode: Inode, succeeds: bool) -> io::Result<()> {
        let pending = std::mem::take(&mut self.file(inode)?.pending);
        let survivors = if succeeds { pending } else { self.chance.survivors(pending) };
        let file = self.file(inode)?;
        for change in survivors {
            change.apply(&mut file.durable);
        }
        Ok(())
    }

    /// Without a power cut, what was written stays as it was, to be read; what a failed sync made the system forget is read
    /// too, until the power goes.
    pub(super) fn restart(&mut self, power_cut: bool) {
        self.life += 1;
        self.crashed = false;
        self.faults.clear();
        if power_cut {
            let inodes: Vec<Inode> = self.files.keys().copied().collect();
            for inode in inodes {
                // As if each file had a sync under way.
                drop(self.sync(inode, false));
                if let Some(file) = self.files.get_mut(&inode) {
                    file.current = file.durable.clone();
                }
            }
            self.lose_names();
        }
        self.durable_names = self.names.clone();
        let names = &self.names;
        self.files.retain(|inode, _| names.values().any(|named| named == inode));
    }

    /// Each file that came or went since names were synced did so, or did not.
    fn lose_names(&mut self) {
        let came = self.names.iter().filter(|(name, _)| !self.durable_names.contains_key(*name));
        let went = self.durable_names.iter().filter(|(name, _)| !self.names.contains_key(*name));
        let changed: Vec<_> = came.chain(went).map(|(name, inode)| (name.clone(), *inode)).collect();
        for (name, inode) in changed {
            if self.chance.one_in(2) {
                match self.names.remove(&name) {
                    Some(_) => {}
                    None => drop(self.names.insert(name, inode)),
                }
            }
        }
    }
}

impl Pending {
    fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Self::Truncate { length } => content.truncate(*length),
            Self::Lengthen { length } => content.resize(content.len().max(*length), 0),
            Self::Write { offset, bytes } => {
                let end = offset + bytes.len();
                if content.len() < end {
                    content.resize(end, 0);
                }
                if let Some(place) = content.get_mut(*offset..end) {
                    place.copy_from_slice(bytes);
                }
            }
        }
    }
}

/// What befalls it.
#[derive(Debug)]
struct Chance(Rng);

impl Chance {
    fn one_in(&mut self, count: u64) -> bool {
        count > 0 && self.0.u64(..count) == 0
    }

    /// Which changes reach the platter when the power goes: each or not, in sectors, whatever came before or after it.
    fn survivors(&mut self, pending: Vec<Pending>) -> Vec<Pending> {
        // Often everything or nothing: both are likely, and each finds its own mistakes.
        let mood = self.0.u64(..4);
        let mut survivors = Vec::new();
        for change in pending {
            match (mood, change) {
                (0, _) => {}
                (1, change) => survivors.push(change),
                (_, change @ (Pending::Truncate { .. } | Pending::Lengthen { .. })) => {
                    if self.one_in(2) {
                        survivors.push(change);
                    }
                }
                (_, Pending::Write { offset, bytes }) => self.sectors(offset, &bytes, &mut survivors),
            }
        }
        survivors
    }

    fn sectors(&mut self, mut offset: usize, bytes: &[u8], survivors: &mut Vec<Pending>) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let (sector, behind) = rest.split_at(rest.len().min(SECTOR - offset % SECTOR));
            if !self.one_in(4) {
                survivors.push(Pending::Write { offset, bytes: sector.to_vec() });
            } else if self.one_in(2) {
                survivors.push(Pending::Lengthen { length: offset + sector.len() });
            }
            offset += sector.len();
            rest = behind;
        }
    }
}
