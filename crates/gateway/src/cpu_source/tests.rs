use proptest::prelude::*;
use weir_units::Micros;

use super::parse::{cgroup_path, cgroup_quota, host_stat, process_stat};
use super::{Cpus, least, process_cpus, sample};
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
fn the_group_is_the_one_of_the_unified_hierarchy() {
    assert_eq!(cgroup_path("0::/system.slice/mailweir.service\n"), Some("/system.slice/mailweir.service"));
    assert_eq!(cgroup_path("12:cpu,cpuacct:/a\n0::/b\n"), Some("/b"));
    assert_eq!(cgroup_path("12:cpu,cpuacct:/a\n"), None);
    assert_eq!(cgroup_path("0::/../../etc\n"), None, "a group outside our namespace");
}

#[test]
fn a_quota_counts_where_it_is_the_tighter_limit() {
    let cases =
        [(1, 1500, 1500), (2, 1500, 1500), (2, 2900, 2900), (2, 3000, 2000), (2, 8000, 2000), (1, 500, 500)];
    for (parallel, quota, expected) in cases {
        let cpus = least(Cpus::whole(parallel), Some(Cpus::thousandths(quota)));
        assert_eq!(cpus.count(), expected, "{parallel} processors, quota {quota}");
    }
    assert_eq!(least(Cpus::whole(4), None), Cpus::whole(4));
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
    assert_ne!(work, 1);
    assert!(process_cpus() >= Cpus::thousandths(1));
    let host = sample(CpuSource::Host).unwrap();
    assert!(host.used > Micros::ZERO && host.cpus >= Cpus::ONE);
}

proptest! {
    #[test]
    fn no_text_makes_a_parser_panic(text in ".{0,300}") {
        let _ = (process_stat(&text), host_stat(&text), cgroup_path(&text), cgroup_quota(&text));
        let _ = host_stat(&format!("cpu  {text}"));
    }
}
