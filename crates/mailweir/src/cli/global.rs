//! Options that are taken anywhere on the line: where the server is, and how to answer.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use clap::Args;
use weir_admin::client::Locator;
use weir_client::mapi::Endpoint;

use super::answer::Failure;
use crate::config;

/// The configuration of a server that was installed as a package.
const INSTALLED_FILE: &str = "/etc/mailweir/mailweir.toml";

/// Options for every command.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Global {
    /// The data directory [default: what mailweir.toml in this folder says, else mailweir-data, else that of the
    /// installed server]
    #[arg(long, global = true, help_heading = "Global options", value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// The server to ask, as `http://127.0.0.1:8090`, instead of the one that runs on the data directory
    #[arg(long, global = true, help_heading = "Global options", value_name = "URL")]
    pub(crate) server: Option<String>,
    /// The file with the token for --server
    #[arg(long, global = true, help_heading = "Global options", value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Answer with one JSON document
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,
}

impl Global {
    /// Finds the running server and the token for it.
    pub(crate) fn locate(&self) -> Result<Locator, Failure> {
        match (&self.server, &self.token_file) {
            (Some(url), Some(file)) => Ok(Locator::at(url, file)?),
            (None, None) => Ok(Locator::find(&self.data_directory())?),
            (Some(_), None) => {
                Err(Failure::Usage("--server needs the server's token: add --token-file FILE".to_owned()))
            }
            (None, Some(_)) => Err(Failure::Usage(
                "--token-file is for --server: add --server URL, or use --data DIR".to_owned(),
            )),
        }
    }

    /// Where MAPI clients find the gateway of this machine: as `listen.http` has it in `mailweir.toml` of this folder, else
    /// in that of the installed server, else as it has it by default.
    pub(crate) fn gateway() -> Result<Endpoint, Failure> {
        let files = [config::DEFAULT_FILE, INSTALLED_FILE].map(Path::new);
        let listens = files.into_iter().find_map(config::listeners);
        let listens = listens.unwrap_or_else(|| config::Config::default().listen);
        let Some(address) = listens.http.filter(|address| address.port() != 0) else {
            return Err(Failure::Usage("the gateway has no fixed address: add --url URL".to_owned()));
        };
        let host = match address.ip() {
            ip if ip.is_unspecified() => IpAddr::from(Ipv4Addr::LOCALHOST),
            ip => ip,
        };
        let url = format!("http://{}", SocketAddr::new(host, address.port()));
        url.parse().map_err(|error| Failure::Failed(format!("{url}: {error}")))
    }

    /// The data directory: as the line says, else as `mailweir.toml` in this folder says, else the usual one in this
    /// folder, else that of the installed server.
    pub(crate) fn data_directory(&self) -> PathBuf {
        self.data_directory_of(Path::new(""), Path::new(INSTALLED_FILE))
    }

    fn data_directory_of(&self, folder: &Path, installed: &Path) -> PathBuf {
        let usual = folder.join(config::DEFAULT_DATA);
        let here = || config::data_directory(&folder.join(config::DEFAULT_FILE));
        let installed = || config::data_directory(installed).filter(|_| !usual.exists());
        self.data.clone().or_else(here).or_else(installed).unwrap_or_else(|| usual.clone())
    }
}

#[cfg(test)]
mod tests;
