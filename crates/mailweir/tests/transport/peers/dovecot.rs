//! Dovecot, as far as it puts mail into maildirs and says to Postfix whose password is right.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::place::Place;
use crate::process::Process;
use crate::support::PASSWORD;

/// A running Dovecot.
pub(crate) struct Dovecot {
    _process: Process,
    mail: PathBuf,
}

impl Dovecot {
    /// One that speaks LMTP at `address`, verifies passwords for Postfix at the port after that, and knows these users,
    /// who have the demo's password.
    pub(crate) fn start(place: &Place, address: SocketAddr, users: &[&str]) -> Dovecot {
        let mail = place.folder_of("nobody", "dovecot/mail");
        let line = |user: &&str| {
            format!("{user}:{{PLAIN}}{PASSWORD}:{}:{}::{}::\n", id("-u"), id("-g"), mail.display())
        };
        let known: String = users.iter().map(line).collect();
        let known = place.write("dovecot/users", &known);
        let config = place.write("dovecot/dovecot.conf", &config(place, address, &mail, &known));
        let mut command = Command::new("dovecot");
        command.arg("-F").arg("-c").arg(config);
        let process = Process::start(&mut command, &place.path("dovecot/out")).listens(address);
        Dovecot { _process: process, mail }
    }

    /// The mail that a user has.
    pub(crate) fn mail_of(&self, user: &str) -> Vec<String> {
        let Ok(folder) = fs::read_dir(self.mail.join(user).join("new")) else { return Vec::new() };
        let files = folder.map(|file| fs::read(file.unwrap().path()).unwrap());
        files.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect()
    }
}

fn config(place: &Place, address: SocketAddr, mail: &Path, users: &Path) -> String {
    let (folder, mail, users) = (place.path("dovecot"), mail.display(), users.display());
    let folder = folder.display();
    let (ip, port) = (address.ip(), address.port());
    format!(
        "base_dir = {folder}/run\nstate_dir = {folder}/run\nlog_path = {folder}/log\nprotocols = lmtp\nlisten = {ip}\n\
         ssl = no\nfirst_valid_uid = 1\nmail_location = maildir:{mail}/%u\n\
         passdb {{\n  driver = passwd-file\n  args = {users}\n}}\n\
         userdb {{\n  driver = passwd-file\n  args = {users}\n}}\n\
         service lmtp {{\n  inet_listener lmtp {{\n    address = {ip}\n    port = {port}\n  }}\n}}\n\
         service auth {{\n  inet_listener postfix {{\n    address = {ip}\n    port = {}\n  }}\n}}\n",
        port + 1
    )
}

/// The number of the user nobody, or of its group.
fn id(which: &str) -> String {
    let output = Command::new("id").args([which, "nobody"]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
