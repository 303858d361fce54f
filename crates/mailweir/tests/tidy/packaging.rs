//! What the Debian package is said to hold is there, or is made, and fits together.

use crate::tree;
use std::path::Path;
use std::process::Command;

/// Where the package's list begins: the crate's folder.
const CRATE: &str = "crates/mailweir";

/// The package's part of the manifest.
fn package() -> toml::Table {
    let manifest: toml::Table = tree::read("crates/mailweir/Cargo.toml").parse().unwrap();
    manifest["package"]["metadata"]["deb"].as_table().unwrap().clone()
}

/// The files that the package holds: from where, as a path from the root, and to where.
fn assets() -> Vec<(String, String)> {
    let text = |asset: &toml::Value, at: usize| asset[at].as_str().unwrap().to_owned();
    let list = package()["assets"].as_array().unwrap().clone();
    list.iter()
        .map(|asset| (text(asset, 0).trim_start_matches("../../").to_owned(), text(asset, 1)))
        .collect()
}

/// Whether `path`, relative to `folder`, is there; a star in its last part stands for anything.
fn is_there(folder: &Path, path: &str) -> bool {
    let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
    let Some((start, end)) = name.split_once('*') else { return folder.join(path).is_file() };
    let Ok(entries) = folder.join(parent).read_dir() else { return false };
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .any(|name| name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end))
}

#[test]
fn every_file_of_the_package_is_in_the_tree_or_made_by_its_build() {
    let made = tempfile::tempdir().unwrap();
    let papers = Command::new(tree::root().join("packaging/papers"))
        .args([Path::new(env!("CARGO_BIN_EXE_mailweir")), &made.path().join("package")])
        .status();
    assert!(papers.unwrap().success());
    let build = tree::read("packaging/build");
    for (from, _) in assets() {
        let is_held = match from.strip_prefix("target/") {
            None => is_there(&tree::root(), &from),
            Some("release/mailweir") => build.contains("cargo build "),
            Some(product) => is_there(made.path(), product) || build.contains(&format!(">target/{product}")),
        };
        assert!(is_held, "the package shall hold {from}, which nobody makes");
    }
}

#[test]
fn the_package_s_other_paths_are_there_and_agree() {
    let package = package();
    for key in ["changelog", "maintainer-scripts"] {
        assert!(tree::root().join(CRATE).join(package[key].as_str().unwrap()).exists(), "{key}");
    }
    let units = package["systemd-units"].as_table().unwrap();
    let unit = tree::root().join(CRATE).join(units["unit-scripts"].as_str().unwrap());
    assert!(unit.join(format!("{}.service", units["unit-name"].as_str().unwrap())).is_file());
    for kept in package["conf-files"].as_array().unwrap() {
        let kept = kept.as_str().unwrap();
        let goes_there = |(from, to): &(String, String)| {
            let name = from.rsplit('/').next().unwrap();
            format!("/{to}") == kept || format!("/{to}{name}") == kept
        };
        assert!(assets().iter().any(goes_there), "{kept} is kept at upgrades, and nothing puts it there");
    }
    let version = concat!("mailweir (", env!("CARGO_PKG_VERSION"), "-1) ");
    assert!(
        tree::read("packaging/debian/changelog").starts_with(version),
        "the changelog begins with {version}"
    );
}

#[test]
fn the_package_s_configuration_is_read_without_a_note() {
    let nobody = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_mailweir"))
        .args(["config", "check"])
        .arg(tree::root().join("packaging/debian/mailweir.toml"))
        .current_dir(nobody.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.ends_with(": good\n") && said.lines().count() == 1, "{output:?}");
}

#[test]
fn the_unit_starts_what_the_package_installs() {
    let unit = tree::read("packaging/systemd/mailweir.service");
    let config: toml::Table = tree::read("packaging/debian/mailweir.toml").parse().unwrap();
    let data = config["data"].as_str().unwrap();
    for line in [
        &format!("ExecStart=/usr/bin/mailweir serve --config /etc/mailweir/mailweir.toml --data {data}"),
        &format!("ExecReload=/usr/bin/mailweir reload --data {data}"),
        "StateDirectory=mailweir",
        "User=mailweir",
    ] {
        assert!(unit.lines().any(|of| of == line), "no {line} in the unit");
    }
    for script in ["packaging/debian/postinst", "packaging/debian/postrm"] {
        let text = tree::read(script);
        assert!(text.contains(data) && text.contains("\n#DEBHELPER#\n"), "{script}");
    }
}
