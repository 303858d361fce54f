//! The kernel's texts, as proc(5) and the documentation of control groups describe them.

use std::collections::BTreeSet;

use weir_units::Micros;

use super::Cpus;
use super::cgroup::Version;

/// One of the kernel's clock ticks: `USER_HZ` is 100 on every architecture that Rust's standard library supports.
const CLOCK_TICK: Micros = Micros::new(10_000);
/// The highest number of a processor that is believed; kernels are built for at most 8192.
const HIGHEST_CPU: u32 = 65_535;

/// The time in user and kernel mode out of `/proc/self/stat`: its fields 14 and 15.
///
/// Field 2, the program's name, stands in parentheses and may hold spaces and parentheses itself, so the fields are
/// counted from the last closing one.
pub(super) fn process_stat(text: &str) -> Option<Micros> {
    let (_, fields) = text.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let kernel: u64 = fields.next()?.parse().ok()?;
    Some(CLOCK_TICK.times(user.saturating_add(kernel)))
}

/// The time that all processors worked, and their number, out of `/proc/stat`.
///
/// Of the fields of the line `cpu` – user, nice, system, idle, iowait, irq, softirq, steal, then guest times that are
/// part of user and nice – all but idle, iowait and the guests' are work; older kernels write fewer. Stolen time
/// counts, since a host that is robbed of it is as busy as if it used it.
pub(super) fn host_stat(text: &str) -> Option<(Micros, Cpus)> {
    let all = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let fields: Vec<u64> =
        all.split_ascii_whitespace().take(8).map(str::parse).collect::<Result<_, _>>().ok()?;
    if fields.len() < 4 {
        return None;
    }
    let work = fields.iter().enumerate().filter(|(nth, _)| !matches!(nth, 3 | 4));
    let ticks = work.fold(0_u64, |sum, (_, ticks)| sum.saturating_add(*ticks));
    Some((CLOCK_TICK.times(ticks), Cpus::whole(text.lines().filter(|line| is_one_cpu(line)).count())))
}

fn is_one_cpu(line: &str) -> bool {
    line.strip_prefix("cpu").is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
}

/// A tree of control groups that has to do with the processor, out of `/proc/self/mountinfo`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mounted<'t> {
    /// Which groups.
    pub(super) version: Version,
    /// The group that is seen as the tree's top.
    pub(super) top: &'t str,
    /// Where that is mounted.
    pub(super) point: &'t str,
}

/// The trees of control groups that may limit the processor, out of `/proc/self/mountinfo`: of its fields, 4 is the
/// group at the top and 5 the folder; behind a lone hyphen follow the kind of file system, its source, its options.
pub(super) fn cgroup_mounts(text: &str) -> impl Iterator<Item = Mounted<'_>> {
    text.lines().filter_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        let mut place = place.split(' ').skip(3);
        let (top, point) = (place.next()?, place.next()?);
        let mut kind = kind.split(' ');
        let version = match kind.next()? {
            "cgroup2" => Version::Two,
            "cgroup" if kind.nth(1)?.split(',').any(|controller| controller == "cpu") => Version::One,
            _ => return None,
        };
        Some(Mounted { version, top, point })
    })
}

/// The path of the process's group out of `/proc/self/cgroup`: the line `0::/path` of the second version, of the first
/// one like `4:cpu,cpuacct:/path`.
pub(super) fn cgroup_path(text: &str, version: Version) -> Option<&str> {
    let is_meant = |number: &str, controllers: &str| match version {
        Version::One => controllers.split(',').any(|controller| controller == "cpu"),
        Version::Two => number == "0" && controllers.is_empty(),
    };
    let path = text.lines().find_map(|line| {
        let (number, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        is_meant(number, controllers).then_some(path)
    })?;
    let leads_out = path.split('/').any(|name| name == "..");
    (path.starts_with('/') && !leads_out).then_some(path)
}

/// The quota out of `cpu.max`: `150000 100000` are one and a half processors, `max 100000` is none.
pub(super) fn cgroup_quota(text: &str) -> Option<Cpus> {
    let (quota, period) = text.trim().split_once(' ')?;
    share(quota, period)
}

/// The quota out of `cpu.cfs_quota_us` and `cpu.cfs_period_us`; a quota of -1 is none.
pub(super) fn cgroup_quota_v1(quota: &str, period: &str) -> Option<Cpus> {
    share(quota.trim(), period.trim())
}

fn share(quota: &str, period: &str) -> Option<Cpus> {
    let quota: u64 = quota.parse().ok()?;
    let period: u64 = period.parse().ok()?;
    let thousandths = quota.saturating_mul(1000).checked_div(period)?;
    Some(Cpus::thousandths(u32::try_from(thousandths).unwrap_or(u32::MAX)))
}

/// The processors that this process's threads may run on, out of `/proc/self/status`.
pub(super) fn allowed_cpus(status: &str) -> Option<BTreeSet<u32>> {
    cpu_list(status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?)
}

/// A list of processors as the kernel writes it: `0-3,8`. Nothing where it names none, or more than there can be.
pub(super) fn cpu_list(text: &str) -> Option<BTreeSet<u32>> {
    let mut cpus: BTreeSet<u32> = BTreeSet::new();
    for range in text.trim().split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        if first > last || last > HIGHEST_CPU {
            return None;
        }
        cpus.extend(first..=last);
    }
    Some(cpus)
}
