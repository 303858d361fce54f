//! Where the processor time comes from that `CPUStartPercent` looks at (T9).
//!
//! Either this process's own time or the whole host's, out of `/proc`, together with how many processors there are to
//! share: for the process what its control groups and its affinity leave it, for the host all that are online. The
//! counts only ever grow; the mean over the last seconds is made elsewhere. The kernel counts in hundredths of a
//! second, which is fine enough for a window of ten.
//!
//! Reading is a matter of microseconds and touches no disk. Where there is no `/proc`, every sample is an error, and
//! nobody is delayed for the processor's sake.

use std::fs::{self, File};
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::path::Path;

use weir_units::Micros;

use crate::settings::CpuSource;

mod cgroup;
mod parse;

use parse::{allowed_cpus, cpu_list, host_stat, process_stat};

/// The longest file of `/proc` that is read, in bytes; `/proc/stat` grows with processors and interrupts.
const LONGEST: u64 = 1 << 20;

/// Processor time used so far, and what there is of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuSample {
    /// Time that all processors together have worked since the process or the host began.
    pub used: Micros,
    /// How many processors could have worked.
    pub cpus: Cpus,
}

/// A number of processors in thousandths, since a control group may grant one and a half; never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cpus(u32);

impl Cpus {
    /// One processor.
    pub const ONE: Self = Self(1000);

    /// `count` whole processors, at least one.
    pub fn whole(count: usize) -> Self {
        Self(u32::try_from(count).unwrap_or(u32::MAX).saturating_mul(1000)).max(Self::ONE)
    }

    /// `thousandths` of a processor, at least one of them.
    pub const fn thousandths(thousandths: u32) -> Self {
        Self(if thousandths == 0 { 1 } else { thousandths })
    }

    /// Thousandths of a processor.
    pub const fn count(self) -> u32 {
        self.0
    }

    /// What `used`, over all processors, is as if each had worked alike: the time to hold against the clock's.
    pub fn mean(self, used: Micros) -> Micros {
        let share = u128::from(used.count()) * 1000 / u128::from(self.0);
        Micros::new(u64::try_from(share).unwrap_or(u64::MAX))
    }
}

/// Reads a sample from the kernel.
///
/// # Errors
/// Where the kernel's files cannot be read or do not look as documented in proc(5).
pub fn sample(source: CpuSource) -> io::Result<CpuSample> {
    match source {
        CpuSource::Process => {
            let used = process_stat(&read("/proc/self/stat")?).ok_or_else(|| unlike("/proc/self/stat"))?;
            Ok(CpuSample { used, cpus: process_cpus() })
        }
        CpuSource::Host => {
            let (used, cpus) = host_stat(&read("/proc/stat")?).ok_or_else(|| unlike("/proc/stat"))?;
            Ok(CpuSample { used, cpus })
        }
    }
}

/// How many processors this process may use: those that its threads may run on, or less by a quota of its control
/// groups.
pub fn process_cpus() -> Cpus {
    cpus_below(Path::new("/"))
}

/// The same, with the kernel's files below `root`.
fn cpus_below(root: &Path) -> Cpus {
    let online = runnable(root).unwrap_or_else(|| {
        let parallel = std::thread::available_parallelism();
        Cpus::whole(parallel.map_or(1, NonZeroUsize::get))
    });
    cgroup::quota(root).map_or(online, |quota| quota.min(online))
}

/// The processors that are online and that this process's threads may run on.
fn runnable(root: &Path) -> Option<Cpus> {
    let allowed = allowed_cpus(&read(root.join("proc/self/status")).ok()?)?;
    let online = cpu_list(&read(root.join("sys/devices/system/cpu/online")).ok()?)?;
    Some(Cpus::whole(allowed.intersection(&online).count()))
}

fn read(path: impl AsRef<Path>) -> io::Result<String> {
    if cfg!(not(target_os = "linux")) {
        return Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "processor time is read from /proc, on Linux only",
        ));
    }
    let path = path.as_ref();
    let read = |file: File| {
        let mut text = String::new();
        file.take(LONGEST).read_to_string(&mut text).map(|_| text)
    };
    fs::File::open(path)
        .and_then(read)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

fn unlike(path: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{path} does not look as proc(5) says"))
}

#[cfg(test)]
mod tests;
