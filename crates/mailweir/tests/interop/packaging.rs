//! The package and what is in it, judged by the programs that will read it.

use crate::peer::{installed, project};
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs a program to its end, which has to be a good one; gives all that it said.
fn run(program: impl AsRef<OsStr>, arguments: &[&OsStr], folder: &Path) -> String {
    let mut command = Command::new(program);
    let output = command.args(arguments).current_dir(folder).output();
    let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}; run ./check"));
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success(), "{command:?}: {said}");
    said
}

#[test]
#[ignore = "needs promtool, which ./check installs"]
fn promtool_reads_the_sample_alerts_and_finds_them_right() {
    let promtool = installed().join("promtool/usr/bin/promtool");
    let folder = project().join("packaging/prometheus");
    let said = run(&promtool, &["check", "rules", "mailweir.rules.yml"].map(OsStr::new), &folder);
    assert!(said.contains("SUCCESS"), "{said}");
    run(&promtool, &["test", "rules", "mailweir.rules.test.yml"].map(OsStr::new), &folder);
}

#[test]
#[ignore = "needs systemd-analyze, which ./check looks for"]
fn systemd_takes_the_units_and_finds_them_confined() {
    let folder = tempfile::tempdir().unwrap();
    let units = project().join("packaging/systemd");
    for name in ["mailweir.service", "mailweir-https.socket", "mailweir-admin.socket"] {
        let unit = fs::read_to_string(units.join(name)).unwrap();
        // The program and the manual page are not installed here.
        let unit = unit.replace("=/usr/bin/mailweir", concat!("=", env!("CARGO_BIN_EXE_mailweir")));
        fs::write(folder.path().join(name), unit.replace("man:mailweir(1) ", "")).unwrap();
    }
    let dropped = folder.path().join("mailweir.service.d");
    fs::create_dir(&dropped).unwrap();
    fs::copy(units.join("sockets.conf"), dropped.join("sockets.conf")).unwrap();
    let service = folder.path().join("mailweir.service");
    let said = run("systemd-analyze", &[OsStr::new("verify"), service.as_os_str()], folder.path());
    assert!(!said.contains("mailweir"), "{said}");
    let words = ["security", "--offline=true", "--threshold=20", "--no-pager"].map(OsStr::new);
    run("systemd-analyze", &[&words[..], &[service.as_os_str()]].concat(), folder.path());
}

#[test]
#[ignore = "needs cargo-deb, which ./check installs"]
fn debian_package_holds_a_program_that_runs_and_a_configuration_that_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = env::var_os("PATH").unwrap();
    let path =
        env::join_paths([installed().join("cargo-deb/bin")].into_iter().chain(env::split_paths(&path)));
    let deb = folder.path().join("mailweir.deb");
    let built = Command::new(project().join("packaging/build"))
        .args([OsStr::new("dev"), deb.as_os_str()])
        .env("PATH", path.unwrap())
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let root = folder.path().join("root");
    run("dpkg-deb", &[OsStr::new("-x"), deb.as_os_str(), root.as_os_str()], folder.path());
    let program = root.join("usr/bin/mailweir");
    let version = run(&program, &[OsStr::new("--version")], folder.path());
    assert_eq!(version, concat!("mailweir ", env!("CARGO_PKG_VERSION"), "\n"));
    let config = root.join("etc/mailweir/mailweir.toml");
    run(&program, &[OsStr::new("config"), OsStr::new("check"), config.as_os_str()], folder.path());
    for path in [
        "lib/systemd/system/mailweir.service",
        "share/man/man1/mailweir-policy-set.1.gz",
        "share/bash-completion/completions/mailweir",
        "share/doc/mailweir/copyright",
        "share/doc/mailweir/libraries.txt.gz",
    ] {
        assert!(root.join("usr").join(path).is_file(), "no {path} in the package");
    }
    let control = folder.path().join("control");
    run("dpkg-deb", &[OsStr::new("-e"), deb.as_os_str(), control.as_os_str()], folder.path());
    let postinst = fs::read_to_string(control.join("postinst")).unwrap();
    assert!(postinst.contains("deb-systemd-invoke"), "the service is started: {postinst}");
    assert_eq!(fs::read_to_string(control.join("conffiles")).unwrap().trim(), "/etc/mailweir/mailweir.toml");
}
