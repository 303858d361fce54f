//! swaks: one message, said and answered line by line.

use std::net::SocketAddr;
use std::process::{Command, Stdio};

/// How the conversation went.
#[derive(Debug)]
pub(crate) struct Conversation {
    /// Whether the message was taken.
    pub(crate) sent: bool,
    /// What both sides said: ours after `->`, theirs after `<-`, or `<**` where it was a refusal; `~` for `-` under TLS.
    pub(crate) text: String,
}

impl Conversation {
    /// The last reply that was a refusal.
    pub(crate) fn refusal(&self) -> Option<&str> {
        let lines = self.text.lines().filter(|line| line.starts_with("<** ") || line.starts_with("<~* "));
        lines.map(|line| &line[4..]).next_back()
    }
}

/// Sends one message from and to these addresses.
pub(crate) fn swaks(server: SocketAddr, from: &str, to: &str, options: &[&str]) -> Conversation {
    let mut command = Command::new("swaks");
    command.args(["--server", &server.ip().to_string(), "--port", &server.port().to_string()]);
    command.args(["--from", from, "--to", to, "--timeout", "30", "--helo", "client.test"]).args(options);
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    Conversation { sent: output.status.success(), text }
}
