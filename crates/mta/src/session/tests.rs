//! Sessions over a stream in memory, with a directory that is pretended and a durable queue that is real.

use tokio::io::DuplexStream;

use super::*;

mod histories;
mod hostile;
mod login;
mod mail;
mod patience;
mod peer;
mod secured;
mod servers;
mod world;

use peer::AFTER;
pub(crate) use peer::Peer;
pub(crate) use world::{Plan, World, secret};

impl World {
    /// The other end of a session with a client at that address.
    fn connect(&self, address: &str) -> Peer<DuplexStream> {
        self.connect_early(address, b"")
    }

    /// The same, where the client has sent something already.
    fn connect_early(&self, address: &str, early: &[u8]) -> Peer<DuplexStream> {
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        let client = Client { address: address.parse().unwrap(), is_proxied: false };
        let place = self.inbound.admit(self.local, client.address).unwrap();
        tokio::spawn(Session::new(ours, early.to_vec(), client, place, self.stop.subscribe()).run());
        Peer::new(theirs)
    }

    /// Plays a transcript as a client of another network, to its end.
    async fn check(&self, transcript: &str) {
        self.connect("198.51.100.7").play(transcript).await;
    }
}
