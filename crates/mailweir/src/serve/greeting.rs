//! What standard output says when the server is ready.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;

use super::demo::{Demo, PASSWORD};

/// The line that scripts wait for.
const READY: &str = "mailweir ready";

/// Prints the addresses, the demo accounts and the ready line.
pub(super) fn print(data: &Path, listening: &[(String, SocketAddr)], demo: &Demo) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text(data, listening, demo).as_bytes())?;
    out.flush()
}

fn text(data: &Path, listening: &[(String, SocketAddr)], demo: &Demo) -> String {
    let mut text = format!("mailweir {}, data in {}\n", env!("CARGO_PKG_VERSION"), data.display());
    for (name, address) in listening {
        let url = match name.as_str() {
            "http" => format!("http://{address}/EWS/Exchange.asmx"),
            "https" => format!("https://{address}/EWS/Exchange.asmx"),
            "admin" => format!("http://{address}"),
            "policy_service" => format!("tcp://{address}"),
            _ => format!("smtp://{address}"),
        };
        let _ = writeln!(text, "  {name:<10} {url}");
    }
    match demo {
        Demo::NotAsked => {}
        Demo::NotEmpty => text.push_str("the data directory is not empty: --demo adds nothing to it\n"),
        Demo::Accounts(accounts) => {
            let _ = writeln!(text, "demo accounts, password {PASSWORD}:");
            for (alias, address) in accounts {
                let _ = writeln!(text, "  {alias:<16} {address}");
            }
        }
    }
    text + READY + "\n"
}

#[cfg(test)]
mod tests;
