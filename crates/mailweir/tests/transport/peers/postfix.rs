//! Postfix with a configuration and a queue of its own.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;

use crate::place::{Place, own};
use crate::process::Process;

const QUEUES: [&str; 11] = [
    "active", "bounce", "corrupt", "defer", "deferred", "flush", "hold", "incoming", "private", "saved",
    "trace",
];

/// Its services: whether they may be reached by all, how many processes each may have.
const SERVICES: &str = "\
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
";

/// A running Postfix.
pub(crate) struct Postfix {
    _process: Process,
    log: PathBuf,
}

impl Postfix {
    /// One that takes mail at `address` from all of this machine, and lives by these further settings, `name = value` lines.
    pub(crate) fn start(place: &Place, address: SocketAddr, settings: &str) -> Postfix {
        let folder = place.path("postfix");
        let at = |name: &str| folder.join(name);
        own("root", "", "755", &[&folder, &at("config"), &at("queue"), &at("queue/pid")]);
        let queues = QUEUES.map(|name| at("queue").join(name));
        own("postfix", "", "700", &queues.each_ref().map(PathBuf::as_path));
        own("postfix", "", "700", &[&at("data")]);
        own("postfix", "postdrop", "730", &[&at("queue/maildrop")]);
        own("postfix", "postdrop", "710", &[&at("queue/public")]);
        let log = at("log");
        let main = format!(
            "compatibility_level = 3.6\nqueue_directory = {0}/queue\ndata_directory = {0}/data\n\
             command_directory = /usr/sbin\ndaemon_directory = /usr/lib/postfix/sbin\nshlib_directory = /usr/lib/postfix\n\
             mail_owner = postfix\nsetgid_group = postdrop\nmyhostname = postfix.test\nmydestination =\n\
             inet_interfaces = 127.0.0.1\ninet_protocols = ipv4\nmynetworks = 127.0.0.0/8\nalias_maps =\n\
             maillog_file = {0}/log\nmaillog_file_prefixes = {0}\nin_flow_delay = 0\n{settings}",
            folder.display(),
        );
        place.write("postfix/config/main.cf", &main);
        place.write("postfix/config/master.cf", &format!("{address} inet n - n - - smtpd\n{SERVICES}"));
        let mut command = Command::new("/usr/lib/postfix/sbin/master");
        command.arg("-d").arg("-c").arg(at("config"));
        let process = Process::start(&mut command, &at("out")).listens(address);
        Postfix { _process: process, log }
    }

    /// What it has written down.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}
