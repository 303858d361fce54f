//! What can go wrong between a command and the server, in words that say what to do.

use std::io;
use std::path::PathBuf;

/// A request that was not done.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nothing says that a server runs on this data directory.
    #[error(
        "no server is running on the data directory {}: there is no file {}; start one with `mailweir serve --data {}`, \
         or name another data directory with --data", data.display(), file.display(), data.display()
    )]
    NotRunning {
        /// The data directory.
        data: PathBuf,
        /// The file that a running server would have written.
        file: PathBuf,
    },
    /// A file that says where the server is, or the token, cannot be read.
    #[error("cannot read {}: {source}; use the account that runs the server, or name a file with --token-file",
        file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file is there and holds nothing usable.
    #[error("{} holds no {wanted}; start the server again to have it written", file.display())]
    Empty {
        /// The file.
        file: PathBuf,
        /// What it should hold.
        wanted: &'static str,
    },
    /// The address of the server is not one this client can use.
    #[error("cannot use {url:?} as the server's address: {why}; write it as http://127.0.0.1:8090")]
    BadUrl {
        /// What was given.
        url: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Nobody listens there.
    #[error("no server answers at {address} ({told_by}): {source}; start one with `mailweir serve`")]
    Unreachable {
        /// Where it was tried.
        address: String,
        /// Who said so: a file or the command line.
        told_by: String,
        /// What the system said.
        source: io::Error,
    },
    /// Somebody listens there and says nothing.
    #[error(
        "the server at {address} did not answer within {seconds} s; try again, and look at its log if it goes on"
    )]
    Silent {
        /// Where it was tried.
        address: String,
        /// How long.
        seconds: u64,
    },
    /// The server does not know the token.
    #[error(
        "the server does not accept the token in {}; name the file of this server's data directory with --data or \
         --token-file", file.display()
    )]
    WrongToken {
        /// The file the token came from.
        file: PathBuf,
    },
    /// The server says no, and why.
    #[error("{message}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// For programs: `not_found`, `conflict` …
        code: String,
        /// For people.
        message: String,
    },
    /// The answer is not what this client understands.
    #[error("the server's answer cannot be used: {why}; is it a Mailweir of the same version?")]
    BadAnswer {
        /// What is wrong with it.
        why: String,
    },
}
