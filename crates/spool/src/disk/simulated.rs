//! A disk in memory that does what disks do in the worst hour of their lives.
//!
//! What was written and not synced is, after a power cut, there, not there, or there in part, each write for itself and in
//! any order; the same holds for which files there are. A sync that fails leaves the same behind, and a later sync that succeeds
//! does not mend it. Writes may be short, and the disk may be full. All of it follows from a seed and from faults that a
//! test asks for by the number of the operation that they meet.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Disk, DiskFile, wide};

mod world;

use world::{Inode, World};

/// What happens to one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The power goes, or the process: this operation and all after it fail until [`Simulated::restart`].
    Crash,
    /// The operation fails. A sync that fails may have written anything, and writes nothing of it later.
    Error,
}

/// A simulated disk; clones are the same disk.
#[derive(Clone, Debug)]
pub struct Simulated {
    world: Arc<Mutex<World>>,
}

/// A file of a simulated disk.
#[derive(Clone, Debug)]
pub struct SimulatedFile {
    world: Arc<Mutex<World>>,
    inode: Inode,
    life: u64,
}

impl Simulated {
    /// An empty disk whose chances follow from `seed`.
    pub fn new(seed: u64) -> Self {
        Self { world: Arc::new(Mutex::new(World::new(seed))) }
    }

    /// How many operations there have been.
    pub fn operations(&self) -> u64 {
        lock(&self.world).operations
    }

    /// Lets `fault` happen to the operation of that number; the first is 1.
    pub fn inject(&self, operation: u64, fault: Fault) {
        lock(&self.world).faults.insert(operation, fault);
    }

    /// Takes back all faults that have not happened.
    pub fn forget_faults(&self) {
        lock(&self.world).faults.clear();
    }

    /// Lets the disk hold at most `bytes`.
    pub fn set_capacity(&self, bytes: u64) {
        lock(&self.world).capacity = bytes;
    }

    /// Makes one write of `one_in` short; 0 for none.
    pub fn set_short_writes(&self, one_in: u64) {
        lock(&self.world).short_one_in = one_in;
    }

    /// Starts the machine again after a crash, or in the middle of everything. With `power_cut`, what was not synced is subject
    /// to chance; without, it was only the process that died, and the system still had what was written.
    pub fn restart(&self, power_cut: bool) {
        lock(&self.world).restart(power_cut);
    }

    /// What is in a file, as it can be read.
    pub fn content(&self, name: &str) -> Option<Vec<u8>> {
        let world = lock(&self.world);
        let inode = world.names.get(name)?;
        world.files.get(inode).map(|file| file.current.clone())
    }

    /// Replaces what is in a file, on the platter as in memory.
    pub fn overwrite(&self, name: &str, content: &[u8]) {
        let mut world = lock(&self.world);
        let Some(inode) = world.names.get(name).copied() else { return };
        if let Some(file) = world.files.get_mut(&inode) {
            file.overwrite(content);
        }
    }
}

fn lock(world: &Mutex<World>) -> MutexGuard<'_, World> {
    world.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Disk for Simulated {
    type File = SimulatedFile;

    fn names(&self) -> io::Result<Vec<String>> {
        let mut world = lock(&self.world);
        world.operation()?;
        Ok(world.names.keys().cloned().collect())
    }

    fn create(&self, name: &str) -> io::Result<SimulatedFile> {
        let mut world = lock(&self.world);
        world.operation()?;
        let (inode, life) = (world.create(name)?, world.life);
        Ok(SimulatedFile { world: Arc::clone(&self.world), inode, life })
    }

    fn open(&self, name: &str) -> io::Result<SimulatedFile> {
        let mut world = lock(&self.world);
        world.operation()?;
        let inode = world.names.get(name).copied().ok_or(io::ErrorKind::NotFound)?;
        Ok(SimulatedFile { world: Arc::clone(&self.world), inode, life: world.life })
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut world = lock(&self.world);
        world.operation()?;
        world.names.remove(name).map(drop).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn sync_names(&self) -> io::Result<()> {
        let mut world = lock(&self.world);
        world.operation()?;
        world.durable_names = world.names.clone();
        Ok(())
    }
}

impl SimulatedFile {
    /// The disk, if it is still the life of the machine in which this was opened.
    fn world(&self) -> io::Result<MutexGuard<'_, World>> {
        let world = lock(&self.world);
        if world.life == self.life { Ok(world) } else { Err(io::ErrorKind::NotConnected.into()) }
    }
}

impl DiskFile for SimulatedFile {
    fn length(&self) -> io::Result<u64> {
        let mut world = self.world()?;
        world.operation()?;
        Ok(wide(world.file(self.inode)?.current.len()))
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        let mut world = self.world()?;
        let outcome = world.operation();
        let count = world.write(self.inode, bytes, offset, outcome.is_err())?;
        outcome.map(|()| count)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut world = self.world()?;
        world.operation()?;
        let file = world.file(self.inode)?;
        let rest =
            usize::try_from(offset).ok().and_then(|offset| file.current.get(offset..)).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        if let (Some(place), Some(bytes)) = (buffer.get_mut(..count), rest.get(..count)) {
            place.copy_from_slice(bytes);
        }
        Ok(count)
    }

    fn sync(&self) -> io::Result<()> {
        let mut world = self.world()?;
        let outcome = world.operation();
        world.sync(self.inode, outcome.is_ok())?;
        outcome
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        let mut world = self.world()?;
        world.operation()?;
        world.truncate(self.inode, length)
    }
}

#[cfg(test)]
mod tests;
