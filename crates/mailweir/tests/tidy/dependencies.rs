//! Who depends on whom among our crates, and what others' crates may become part of the program.
//!
//! `deny.toml` says what is allowed; cargo-deny reads it where it is installed, and these tests read it everywhere.

use crate::tree;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::process::Command;
use std::sync::LazyLock;

/// Our crates and the crates of ours that each may name, from the bottom up. Adding an edge is a decision: it is made
/// here and in ARCHITECTURE.md.
const EDGES: &[(&str, &[&str])] = &[
    ("weir-units", &[]),
    ("weir-clock", &["weir-units"]),
    ("weir-throttle", &["weir-units"]),
    ("weir-balance", &["weir-units"]),
    ("weir-wire", &["weir-units"]),
    ("weir-spool", &["weir-units"]),
    ("weir-directory", &["weir-throttle", "weir-units"]),
    ("weir-mailbox", &["weir-units", "weir-wire"]),
    (
        "weir-gateway",
        &[
            "weir-balance",
            "weir-clock",
            "weir-directory",
            "weir-mailbox",
            "weir-throttle",
            "weir-units",
            "weir-wire",
        ],
    ),
    ("weir-client", &["weir-units", "weir-wire"]),
    ("weir-whatif", &["weir-throttle", "weir-units"]),
    ("weir-transport", &["weir-balance", "weir-units"]),
    ("weir-mta", &["weir-balance", "weir-clock", "weir-spool", "weir-transport", "weir-units", "weir-wire"]),
    ("weir-admin", &["weir-directory", "weir-throttle", "weir-units", "weir-whatif"]),
    (
        "mailweir",
        &[
            "weir-admin",
            "weir-balance",
            "weir-client",
            "weir-clock",
            "weir-directory",
            "weir-gateway",
            "weir-mailbox",
            "weir-mta",
            "weir-spool",
            "weir-throttle",
            "weir-transport",
            "weir-units",
            "weir-whatif",
            "weir-wire",
        ],
    ),
];

/// What the pure crates must not reach, however many crates lie between.
const IMPURE: [&str; 6] = ["tokio", "hyper", "mio", "rusqlite", "rustls", "socket2"];

/// The crates that read no clock and open no socket.
const PURE: [&str; 6] =
    ["weir-units", "weir-throttle", "weir-balance", "weir-wire", "weir-whatif", "weir-transport"];

static METADATA: LazyLock<Value> = LazyLock::new(metadata);

#[test]
fn our_crates_name_one_another_only_where_the_table_lets_them() {
    for package in members() {
        let name = name_of(package);
        let row = EDGES.iter().find(|(known, _)| *known == name);
        let (_, allowed) = row.unwrap_or_else(|| panic!("{name} is not in the table"));
        for named in list(&package["dependencies"]).iter().map(name_of) {
            let is_ours = EDGES.iter().any(|(known, _)| *known == named);
            assert!(
                !is_ours || allowed.contains(&named),
                "{name} names {named}, which the table does not allow"
            );
        }
    }
}

#[test]
fn the_table_of_edges_points_one_way() {
    for (place, (name, allowed)) in EDGES.iter().enumerate() {
        for lower in *allowed {
            let below = EDGES.iter().position(|(other, _)| other == lower).unwrap();
            assert!(below < place, "{name} names {lower}, which is not below it");
        }
    }
}

#[test]
fn the_pure_crates_reach_no_socket_and_no_runtime() {
    let reached = |start: &str| -> BTreeSet<String> {
        let mut seen = BTreeSet::new();
        let mut next = vec![id_of(start)];
        while let Some(id) = next.pop() {
            if seen.insert(id.clone()) {
                next.extend(normal_dependencies(&id));
            }
        }
        seen.iter().map(|id| name_of_id(id).to_owned()).collect()
    };
    for pure in PURE.into_iter().filter(|pure| members().any(|package| name_of(package) == *pure)) {
        let reached = reached(pure);
        for impure in IMPURE {
            assert!(!reached.contains(impure), "{pure} reaches {impure}");
        }
    }
}

#[test]
fn every_crate_has_the_workspace_lints() {
    for package in members() {
        let manifest = fs::read_to_string(package["manifest_path"].as_str().unwrap()).unwrap();
        let manifest: toml::Table = manifest.parse().unwrap();
        let lints = manifest.get("lints").and_then(|lints| lints.get("workspace")?.as_bool());
        assert_eq!(lints, Some(true), "[lints] workspace = true in {}", name_of(package));
    }
}

#[test]
fn every_licence_is_on_the_list() {
    let allowed = strings(&deny()["licenses"]["allow"]);
    for package in packages() {
        let expression = package["license"].as_str().unwrap_or("none stated");
        assert!(
            licence_is_allowed(expression, &allowed),
            "{} {} has the licence {expression}, and deny.toml allows {allowed:?}",
            name_of(package),
            package["version"],
        );
    }
}

#[test]
fn every_crate_comes_from_the_public_registry() {
    let lock: toml::Table = tree::read("Cargo.lock").parse().unwrap();
    for package in lock["package"].as_array().unwrap() {
        let source = package.get("source").and_then(toml::Value::as_str);
        assert!(
            source.is_none_or(|source| source.starts_with("registry+")),
            "{} comes from {source:?}",
            package["name"]
        );
    }
}

#[test]
fn no_banned_crate_is_in_the_tree() {
    let deny = deny();
    let banned: BTreeSet<&str> =
        deny["bans"]["deny"].as_array().unwrap().iter().map(|ban| ban["name"].as_str().unwrap()).collect();
    assert!(!banned.is_empty(), "deny.toml bans nothing");
    for package in packages() {
        assert!(!banned.contains(name_of(package)), "{} is banned by deny.toml", name_of(package));
    }
}

#[test]
fn licence_expressions_are_read_as_they_are_meant() {
    let allowed: BTreeSet<String> = ["MIT", "BSD-3-Clause"].map(String::from).into();
    for (expression, verdict) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0/MIT", true),
        ("MIT AND GPL-3.0", false),
        ("(GPL-3.0 OR MIT) AND BSD-3-Clause", true),
        ("MIT WITH GCC-exception-3.1", false),
        ("GPL-3.0 OR (MIT AND BSD-3-Clause)", true),
        ("", false),
    ] {
        assert_eq!(licence_is_allowed(expression, &allowed), verdict, "{expression}");
    }
}

/// What cargo says about the workspace, for the platform that the test runs on.
fn metadata() -> Value {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let version = Command::new(&cargo).arg("-vV").output().unwrap().stdout;
    let version = String::from_utf8(version).unwrap();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let output = Command::new(&cargo)
        .args(["metadata", "--locked", "--format-version", "1", "--filter-platform", host])
        .current_dir(tree::root())
        .output()
        .unwrap();
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn packages() -> impl Iterator<Item = &'static Value> {
    list(&METADATA["packages"]).iter()
}

/// Our own crates.
fn members() -> impl Iterator<Item = &'static Value> {
    packages().filter(|package| package["source"].is_null())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn name_of(package: &Value) -> &str {
    package["name"].as_str().unwrap()
}

fn id_of(name: &str) -> String {
    let package = packages().find(|package| name_of(package) == name).unwrap();
    package["id"].as_str().unwrap().to_owned()
}

fn name_of_id(id: &str) -> &'static str {
    packages().find(|package| package["id"] == id).map(name_of).unwrap()
}

/// The crates that the crate `id` links: no build scripts' and no tests' own.
fn normal_dependencies(id: &str) -> Vec<String> {
    let node = list(&METADATA["resolve"]["nodes"]).iter().find(|node| node["id"] == id).unwrap();
    list(&node["deps"])
        .iter()
        .filter(|dependency| list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null()))
        .map(|dependency| dependency["pkg"].as_str().unwrap().to_owned())
        .collect()
}

fn deny() -> toml::Table {
    tree::read("deny.toml").parse().unwrap()
}

fn strings(array: &toml::Value) -> BTreeSet<String> {
    array.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// Evaluates an SPDX expression: `OR` and the old `/` need one side, `AND` needs both, brackets group.
fn licence_is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let mut known: BTreeMap<String, bool> = BTreeMap::new();
    let mut text = expression.to_owned();
    while let Some(open) = text.rfind('(') {
        let Some(length) = text[open..].find(')') else { return false };
        let name = format!("group-{}", known.len());
        known.insert(name.clone(), flat_is_allowed(&text[open + 1..open + length], allowed, &known));
        text.replace_range(open..=open + length, &name);
    }
    flat_is_allowed(&text, allowed, &known)
}

fn flat_is_allowed(expression: &str, allowed: &BTreeSet<String>, known: &BTreeMap<String, bool>) -> bool {
    expression.replace('/', " OR ").split(" OR ").any(|choice| {
        choice.split(" AND ").all(|licence| {
            let licence = licence.trim();
            known.get(licence).copied().unwrap_or_else(|| allowed.contains(licence))
        })
    })
}
