//! Those who send mail, as the gateway knows them: one password, one owner and one policy, whatever the protocol (T3, T8, T19).
//!
//! Before a remote origin no password can be verified here, so that nobody is asked to log in: mail is submitted where the
//! passwords are, and this server is asked there (`transport.policy_service`).

use std::net::IpAddr;
use std::sync::Arc;

use weir_gateway::Gateway;
use weir_gateway::submission::Login;
use weir_mta::organisation::{Answer, Authenticated, Submitters};
use weir_throttle::submissions::Submission;
use weir_units::{Owner, Refusal};
use weir_wire::smtp::Credentials;

/// The gateway's owners.
pub(in crate::serve) struct OwnersWhoSend(pub(in crate::serve) Arc<Gateway>);

impl Submitters for OwnersWhoSend {
    fn verifies_passwords(&self) -> bool {
        self.0.verifies_passwords()
    }

    /// Somebody may say for whom he acts where that is himself; to send as others is none of a login's business.
    fn authenticate<'a>(&'a self, credentials: &'a Credentials, client: IpAddr) -> Answer<'a, Authenticated> {
        let Credentials { acts_for, name, password } = credentials;
        Box::pin(async move {
            match self.0.log_in(name, password.expose(), client).await {
                Login::Owner(owner)
                    if acts_for.is_empty() || self.0.owner_named(acts_for).await.as_ref() == Some(&owner) =>
                {
                    Authenticated::Owner(owner)
                }
                Login::Owner(_) | Login::Wrong => Authenticated::Wrong,
                Login::Unverifiable => Authenticated::Unverifiable,
            }
        })
    }

    fn message(&self, owner: &Owner) -> Result<(), Refusal> {
        self.0.submit(owner, Submission { messages: 1, recipients: 0 })
    }

    fn recipients(&self, owner: &Owner, count: u32) -> Result<(), Refusal> {
        self.0.submit(owner, Submission { messages: 0, recipients: count })
    }

    fn owner<'a>(&'a self, address: &'a str) -> Answer<'a, Option<Owner>> {
        Box::pin(self.0.owner_named(address))
    }
}

#[cfg(test)]
mod tests;
