use proptest::prelude::*;
use weir_units::Micros;

use super::cgroup::Version::{One, Two};
use super::parse::{
    allowed_cpus, cgroup_mounts, cgroup_path, cgroup_quota, cgroup_quota_v1, cpu_list, host_stat,
    process_stat,
};
use super::{Cpus, cpus_below, process_cpus, sample};
use crate::settings::CpuSource;

#[test]
fn the_process_s_time_is_user_and_kernel_time() {
    let stat = "4711 (mailweir) S 1 4711 4711 0 -1 4194560 1 2 3 4 1234 66 7 8 20 0 9 0 12345 1000 200\n";
    assert_eq!(process_stat(stat), Some(Micros::new(13_000_000)));
}

#[test]
fn a_name_with_spaces_and_parentheses_moves_no_field() {
    let stat =
        "4711 (mail) R 9 (weir) S 1 4711 4711 0 -1 4194560 1 2 3 4 100 50 7 8 20 0 9 0 12345 1000 200\n";
    assert_eq!(process_stat(stat), Some(Micros::new(1_500_000)));
}

#[test]
fn a_line_that_is_cut_short_is_no_time() {
    for stat in ["", "4711 mailweir S", "4711 (mailweir) S 1 2 3", "1 (a) S 1 1 1 0 -1 4 1 2 3 4 x 66 7"] {
        assert_eq!(process_stat(stat), None, "{stat}");
    }
}

#[test]
fn the_host_s_time_leaves_out_idle_waiting_and_guests() {
    let stat = "cpu  100 20 30 9000 800 4 5 6 70 7\ncpu0 50 10 15 4500 400 2 2 3 35 3\n\
                cpu1 50 10 15 4500 400 2 3 3 35 4\nintr 12345 6\ncpufreq 1\nctxt 99\n";
    assert_eq!(host_stat(stat), Some((Micros::new(1_650_000), Cpus::whole(2))));
}

#[test]
fn an_old_kernel_s_four_fields_suffice_and_three_do_not() {
    assert_eq!(host_stat("cpu  1 2 3 400\ncpu0 1 2 3 400\n"), Some((Micros::new(60_000), Cpus::ONE)));
    assert_eq!(host_stat("cpu  1 2 3\n"), None);
    assert_eq!(host_stat("intr 1\n"), None);
    assert_eq!(host_stat("cpu  1 2 three 4\n"), None);
}

#[test]
fn quotas_of_control_groups_are_read() {
    let cases = [
        ("150000 100000\n", Some(Cpus::thousandths(1500))),
        ("50000 100000\n", Some(Cpus::thousandths(500))),
        ("1 100000\n", Some(Cpus::thousandths(1))),
        ("max 100000\n", None),
        ("100000 0\n", None),
        ("100000\n", None),
        ("", None),
    ];
    for (text, quota) in cases {
        assert_eq!(cgroup_quota(text), quota, "{text}");
    }
}

#[test]
fn quotas_of_the_first_version_are_two_files() {
    let cases = [
        ("150000\n", "100000\n", Some(Cpus::thousandths(1500))),
        ("-1\n", "100000\n", None),
        ("100000\n", "0\n", None),
    ];
    for (quota, period, expected) in cases {
        assert_eq!(cgroup_quota_v1(quota, period), expected, "{quota}{period}");
    }
}

#[test]
fn the_group_is_the_one_of_its_hierarchy() {
    assert_eq!(
        cgroup_path("0::/system.slice/mailweir.service\n", Two),
        Some("/system.slice/mailweir.service")
    );
    let both = "12:cpu,cpuacct:/a:b\n3:cpuset:/c\n0::/b\n";
    assert_eq!((cgroup_path(both, One), cgroup_path(both, Two)), (Some("/a:b"), Some("/b")));
    assert_eq!(cgroup_path("12:cpuset,cpuacct:/a\n", One), None);
    assert_eq!(cgroup_path("12:cpu,cpuacct:/a\n", Two), None);
    assert_eq!(cgroup_path("0::/../../etc\n", Two), None, "a group outside our namespace");
}

/// A tree of the kernel's files, below a folder of its own.
fn kernel(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

const FOUR: (&str, &str) = ("sys/devices/system/cpu/online", "0-3\n");
const ANY: (&str, &str) = ("proc/self/status", "Name:\tmailweir\nCpus_allowed_list:\t0-127\n");
const UNIFIED: (&str, &str) =
    ("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");

#[track_caller]
fn check_cpus(files: &[(&str, &str)], thousandths: u32) {
    assert_eq!(cpus_below(kernel(files).path()).count(), thousandths, "{files:#?}");
}

#[test]
fn without_a_quota_there_are_as_many_as_are_online_and_allowed() {
    check_cpus(&[FOUR, ANY], 4000);
    check_cpus(&[FOUR, ("proc/self/status", "Cpus_allowed_list:\t1,3-7\n")], 2000);
}

#[test]
fn the_tightest_quota_of_nested_groups_counts_and_never_more_than_what_is_online() {
    let group = ("proc/self/cgroup", "0::/mail.slice/mailweir.service\n");
    let inner = |quota| ("sys/fs/cgroup/mail.slice/mailweir.service/cpu.max", quota);
    let outer = |quota| ("sys/fs/cgroup/mail.slice/cpu.max", quota);
    for (inside, outside, expected) in [
        ("max 100000\n", "max 100000\n", 4000),
        ("150000 100000\n", "max 100000\n", 1500),
        ("300000 100000\n", "25000 50000\n", 500),
        ("800000 100000\n", "450000 100000\n", 4000),
    ] {
        check_cpus(&[FOUR, ANY, UNIFIED, group, inner(inside), outer(outside)], expected);
    }
}

#[test]
fn a_quota_of_one_and_a_half_on_one_processor_is_one() {
    let one = ("sys/devices/system/cpu/online", "0\n");
    let files =
        [one, ANY, UNIFIED, ("proc/self/cgroup", "0::/a\n"), ("sys/fs/cgroup/a/cpu.max", "150000 100000\n")];
    check_cpus(&files, 1000);
}

#[test]
fn quotas_of_the_first_version_count_in_groups_that_hold_one_another() {
    let mounts = "31 30 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n\
                  32 30 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
                  33 30 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";
    let files = [
        FOUR,
        ANY,
        ("proc/self/mountinfo", mounts),
        ("proc/self/cgroup", "5:cpu,cpuacct:/mail/weir\n4:memory:/other\n0::/\n"),
        ("sys/fs/cgroup/cpu,cpuacct/mail/weir/cpu.cfs_quota_us", "-1\n"),
        ("sys/fs/cgroup/cpu,cpuacct/mail/weir/cpu.cfs_period_us", "100000\n"),
        ("sys/fs/cgroup/cpu,cpuacct/mail/cpu.cfs_quota_us", "250000\n"),
        ("sys/fs/cgroup/cpu,cpuacct/mail/cpu.cfs_period_us", "100000\n"),
    ];
    check_cpus(&files, 2500);
}

#[test]
fn a_container_that_sees_its_own_part_of_the_tree_finds_its_quota() {
    let mounts = "32 30 0:28 /docker/4711 /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n";
    let files = |group| {
        [
            FOUR,
            ANY,
            ("proc/self/mountinfo", mounts),
            ("proc/self/cgroup", group),
            ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "75000\n"),
            ("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"),
        ]
    };
    check_cpus(&files("5:cpu:/docker/4711\n"), 750);
    check_cpus(&files("5:cpu:/elsewhere\n"), 4000);
}

#[test]
fn lists_of_processors_are_read_and_nonsense_is_none() {
    let set = |cpus: &[u32]| Some(cpus.iter().copied().collect());
    assert_eq!(cpu_list("0-2,5\n"), set(&[0, 1, 2, 5]));
    assert_eq!(allowed_cpus("a\nCpus_allowed_list:\t7\n"), set(&[7]));
    for text in ["", "3-1", "0-", "0-4294967295", "one"] {
        assert_eq!(cpu_list(text), None, "{text}");
    }
}

#[test]
fn the_mean_over_all_processors_is_what_each_would_have_worked() {
    assert_eq!(Cpus::whole(4).mean(Micros::SECOND), Micros::new(250_000));
    assert_eq!(Cpus::thousandths(500).mean(Micros::SECOND), Micros::SECOND.times(2));
    assert_eq!(Cpus::thousandths(1).mean(Micros::new(u64::MAX)), Micros::new(u64::MAX));
}

#[test]
#[cfg(target_os = "linux")]
fn this_very_process_and_host_have_worked() {
    let before = sample(CpuSource::Process).unwrap();
    let mut work = 1_u64;
    while sample(CpuSource::Process).unwrap().used <= before.used {
        work = (0..1_000_000_u64).fold(work, |sum, nth| sum.wrapping_mul(31).wrapping_add(nth));
    }
    std::hint::black_box(work);
    assert!(process_cpus() >= Cpus::thousandths(1));
    let host = sample(CpuSource::Host).unwrap();
    assert!(host.used > Micros::ZERO && host.cpus >= Cpus::ONE);
}

proptest! {
    #[test]
    fn no_text_makes_a_parser_panic(text in ".{0,300}") {
        let _ = (process_stat(&text), host_stat(&text), cgroup_quota(&text), cpu_list(&text));
        let _ = (cgroup_path(&text, One), cgroup_path(&text, Two), cgroup_mounts(&text).count());
        let _ = host_stat(&format!("cpu  {text}"));
    }
}
