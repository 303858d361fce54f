//! What control groups leave a process of the machine, in either version of them.
//!
//! Where the groups are mounted says `/proc/self/mountinfo`, and which of them is this process's `/proc/self/cgroup`. A
//! limit may stand in that group and in every group around it; the tightest one counts. The first version writes it
//! as two files, quota and period, and the second as one; a machine may have both, with the processor in one of them.
//! A container sees a part of the tree only: what is above its part it cannot see, and its own part's top is where the
//! search ends.

use std::path::{Path, PathBuf};

use super::parse::{Mounted, cgroup_mounts, cgroup_path, cgroup_quota, cgroup_quota_v1};
use super::{Cpus, read};

/// The tightest quota of this process's groups, read below `root`; nothing where none limits it.
pub(super) fn quota(root: &Path) -> Option<Cpus> {
    let mounts = read(root.join("proc/self/mountinfo")).ok()?;
    let groups = read(root.join("proc/self/cgroup")).ok()?;
    cgroup_mounts(&mounts).filter_map(|mounted| tightest(root, &mounted, &groups)).min()
}

/// The tightest quota in one tree, from this process's group to the top of what can be seen.
fn tightest(root: &Path, mounted: &Mounted<'_>, groups: &str) -> Option<Cpus> {
    let group = Path::new(cgroup_path(groups, mounted.version)?);
    let below = group.strip_prefix(mounted.top).ok()?;
    let point = below_root(root, mounted.point);
    below.ancestors().filter_map(|group| mounted.version.quota(&point.join(group))).min()
}

/// Which control groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// A tree for each controller, or for some of them together.
    One,
    /// One tree for all.
    Two,
}

impl Version {
    /// The quota of the group whose folder is `group`.
    fn quota(self, group: &Path) -> Option<Cpus> {
        match self {
            Self::One => {
                let quota = read(group.join("cpu.cfs_quota_us")).ok()?;
                cgroup_quota_v1(&quota, &read(group.join("cpu.cfs_period_us")).ok()?)
            }
            Self::Two => cgroup_quota(&read(group.join("cpu.max")).ok()?),
        }
    }
}

fn below_root(root: &Path, absolute: &str) -> PathBuf {
    root.join(absolute.trim_start_matches('/'))
}
