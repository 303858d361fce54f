//! A network of a test's own, 127.x.y.0/24, and a folder that every user may enter.
//!
//! All of 127.0.0.0/8 is this machine, so that servers keep the ports that they have in the world and still never meet
//! those of another test. A socket that is bound for as long as the test runs tells other processes that the network
//! is taken.

use std::fs::{self, Permissions};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process;

/// The host and port that stand for the whole network.
const TOKEN: (u8, u16) = (254, 9);
/// The first of the second bytes; 127.0 is everybody's.
const FIRST: u8 = 64;

/// Where the servers of one test live.
pub(crate) struct Place {
    network: [u8; 2],
    folder: tempfile::TempDir,
    _token: TcpListener,
}

impl Place {
    /// One that nobody has.
    pub(crate) fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let start = process::id();
        let numbers = (start..start + 20_000).map(u32::to_le_bytes);
        let mut free = numbers.filter_map(|[y, x, ..]| {
            let network = [FIRST + x % (u8::MAX - FIRST), y];
            TcpListener::bind(address(network, TOKEN.0, TOKEN.1)).ok().map(|token| (network, token))
        });
        let (network, token) = free.next().unwrap();
        Place { network, folder, _token: token }
    }

    /// The address of this port of that host.
    pub(crate) fn at(&self, host: u8, port: u16) -> SocketAddr {
        address(self.network, host, port)
    }

    /// A file or folder of this name.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file and says where it is.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Makes a folder that the user owns.
    pub(crate) fn folder_of(&self, user: &str, name: &str) -> PathBuf {
        let path = self.path(name);
        own(user, "", "755", &[&path]);
        path
    }
}

/// Makes folders that a user and a group own, with permissions.
pub(crate) fn own(user: &str, group: &str, mode: &str, folders: &[&Path]) {
    let mut install = process::Command::new("install");
    install.args(["-d", "-o", user, "-m", mode]);
    if !group.is_empty() {
        install.args(["-g", group]);
    }
    assert!(install.args(folders).status().unwrap().success());
}

fn address(network: [u8; 2], host: u8, port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::new(127, network[0], network[1], host), port))
}

#[test]
fn no_two_tests_have_the_same_network() {
    let (one, other) = (Place::new(), Place::new());
    assert_ne!(one.at(1, 25).ip(), other.at(1, 25).ip());
}
