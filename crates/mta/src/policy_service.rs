use crate::organisation::Submitters;
use std::sync::Arc;
use tokio::{net::TcpListener, sync::watch};
use weir_clock::Clock;
pub(crate) async fn serve(_l: TcpListener, _s: Arc<dyn Submitters>, _c: Clock, _stop: watch::Receiver<bool>) {
}
