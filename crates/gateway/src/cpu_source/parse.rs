//! The kernel's texts, as proc(5) and the documentation of control groups describe them.

use weir_units::Micros;

use super::Cpus;

/// One of the kernel's clock ticks: `USER_HZ` is 100 on every architecture that Rust's standard library supports.
const CLOCK_TICK: Micros = Micros::new(10_000);

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

/// The path of the process's group in the unified hierarchy, out of `/proc/self/cgroup`: the line `0::/path`.
pub(super) fn cgroup_path(text: &str) -> Option<&str> {
    let path = text.lines().find_map(|line| line.strip_prefix("0::"))?;
    let leads_out = path.split('/').any(|name| name == "..");
    (path.starts_with('/') && !leads_out).then_some(path)
}

/// The quota out of `cpu.max`: `150000 100000` are one and a half processors, `max 100000` is none.
pub(super) fn cgroup_quota(text: &str) -> Option<Cpus> {
    let mut fields = text.split_ascii_whitespace();
    let quota: u64 = fields.next()?.parse().ok()?;
    let period: u64 = fields.next()?.parse().ok()?;
    let thousandths = quota.saturating_mul(1000).checked_div(period)?;
    Some(Cpus::thousandths(u32::try_from(thousandths).unwrap_or(u32::MAX)))
}
