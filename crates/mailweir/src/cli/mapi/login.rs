//! Where to log in as a MAPI client, and as whom.

use std::path::{Path, PathBuf};

use clap::Args;
use weir_admin::types::Secret;
use weir_client::mapi::{Credentials, Endpoint, Settings, legacy_dn};

use super::super::answer::Failure;
use super::super::file;
use super::super::global::Global;
use super::super::password;

/// The longest file that holds a password, in bytes.
const MOST_BYTES: u64 = 4_096;

/// Where, and as whom.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub(super) struct Login {
    /// The server, as `https://mail.example.com/mapi/emsmdb`; plain http on this machine only [default: the gateway of this
    /// machine, as listen.http has it]
    #[arg(long, value_name = "URL")]
    url: Option<Endpoint>,
    /// Who logs in: the address, or whatever name the server knows
    #[arg(long, value_name = "NAME")]
    user: String,
    #[command(flatten)]
    password: Password,
    /// The user's distinguished name [default: the embedded server's, made from the address]
    #[arg(long, value_name = "DN")]
    dn: Option<String>,
    /// Whose mailbox: an address or a distinguished name [default: the user's own]
    #[arg(long, value_name = "ADDRESS")]
    mailbox: Option<String>,
    /// A file of certificates in PEM that are trusted besides the system's
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
}

/// Where the password comes from: exactly one of the two.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
#[group(required = true, multiple = false)]
struct Password {
    /// Read the password from standard input, up to the end of the line
    #[arg(long)]
    password_stdin: bool,
    /// Read the password from a file, up to the end of the line
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
}

/// What the client is told.
pub(super) struct Plan {
    pub(super) settings: Settings,
    pub(super) user_dn: String,
    pub(super) mailbox_dn: String,
}

impl Login {
    /// What to tell the client.
    pub(super) fn plan(&self) -> Result<Plan, Failure> {
        let user_dn = match &self.dn {
            Some(dn) => dn.clone(),
            None => legacy_dn(&self.user).ok_or_else(|| {
                Failure::Usage(format!(
                    "{} is no address that a distinguished name could be made from: add --dn DN",
                    self.user
                ))
            })?,
        };
        let mailbox_dn = match &self.mailbox {
            None => user_dn.clone(),
            Some(mailbox) if mailbox.starts_with('/') => mailbox.clone(),
            Some(mailbox) => legacy_dn(mailbox).ok_or_else(|| {
                Failure::Usage(format!("--mailbox {mailbox} is neither an address nor a distinguished name"))
            })?,
        };
        let endpoint = match &self.url {
            Some(url) => url.clone(),
            None => Global::gateway()?,
        };
        let password = self.password.obtain()?;
        let mut settings = Settings::new(endpoint, Credentials::new(&self.user, password));
        settings.ca.clone_from(&self.ca);
        Ok(Plan { settings, user_dn, mailbox_dn })
    }
}

impl Password {
    fn obtain(&self) -> Result<String, Failure> {
        let secret = match &self.password_file {
            Some(file) => from_file(file)?,
            None => password::read(std::io::stdin().lock())?,
        };
        Ok(secret.expose().to_owned())
    }
}

/// The first line of a file.
fn from_file(path: &Path) -> Result<Secret, Failure> {
    let text = file::read(path, MOST_BYTES)?;
    password::read(text.as_bytes()).map_err(|_| {
        Failure::Failed(format!("{} has no password in its first line; write it there", path.display()))
    })
}
