//! Which client programs are kept out before a remote origin (R16), as far as the head of a request says. A MAPI client
//! says only when it connects which process it runs in.

use hyper::http::request;
use weir_wire::eas::Query;

use super::protocol::Protocol;
use crate::block;
use crate::claim::Front;
use crate::visit::Visit;
use crate::who::Trial;

impl Visit {
    /// What the client is told where its program is kept out. Without credentials nobody is served where they are wanted,
    /// and it is not known yet whether whoever asks is only observed.
    pub(super) fn keeps_out(
        &mut self,
        protocol: Protocol,
        trial: Option<&Trial>,
        head: &request::Parts,
    ) -> Option<String> {
        let wanted = Front::of(head.uri.path());
        if wanted.is_some() && trial.is_none() && self.owner().is_none() {
            return None;
        }
        match protocol {
            Protocol::Eas if self.settings().block.concerns(block::Protocol::Eas) => {
                let query = head.uri.query().and_then(|query| Query::parse(query).ok());
                self.keeps_out_eas(query.and_then(|query| query.device_type).as_deref())
            }
            Protocol::Eas | Protocol::Mapi => None,
            Protocol::Other if wanted == Some(Front::Mapi) => None,
            Protocol::Ews | Protocol::Owa | Protocol::Other => self.keeps_out_http(),
        }
    }
}
