//! `--demo`: an empty data directory filled with an organisation, three people and some mail.
//!
//! What is there already is never touched: a directory that holds anything of its own stays as it is. A start that was
//! cut off half-way is finished by the next one.

use anyhow::anyhow;
use weir_directory::{Mailbox, NewMailbox, NewOrganisation, Store};
use weir_mailbox::{DemoPeople, MailboxServer, Person};
use weir_units::WallTime;

/// The password of every demo account.
pub(super) const PASSWORD: &str = "demo-password";
/// Organisation and accepted domain.
const ORGANISATION: &str = "example.com";
/// The name before the backslash.
const SHORT_NAME: &str = "EXAMPLE";
/// Alias, address and display name of John, Jane and Ken, in this order.
const PEOPLE: [(&str, &str, &str); 3] = [
    ("JohnDoe", "john.doe@example.com", "John Doe"),
    ("JaneDoe", "jane.doe@example.com", "Jane Doe"),
    ("KenMalcolmson", "ken.malcolmson@example.com", "Ken Malcolmson"),
];

/// What `--demo` came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Demo {
    /// It was not given.
    NotAsked,
    /// The data directory holds something of its own.
    NotEmpty,
    /// These accounts are there: alias and address.
    Accounts(Vec<(&'static str, &'static str)>),
}

/// Makes the demo's accounts in the directory, where it is empty or already the demo's.
pub(super) fn fill(store: &Store, now: WallTime) -> anyhow::Result<Demo> {
    let organisations = store.organisations()?;
    let mailboxes = store.mailboxes()?;
    let ours = |mailbox: &Mailbox| PEOPLE.iter().any(|(_, address, _)| *address == mailbox.account.address);
    if organisations.iter().any(|organisation| organisation.name != ORGANISATION)
        || !mailboxes.iter().all(ours)
    {
        return Ok(Demo::NotEmpty);
    }
    if organisations.is_empty() {
        let wanted = NewOrganisation { name: ORGANISATION, short_name: SHORT_NAME, domains: &[ORGANISATION] };
        let made = store.new_organisation(&wanted);
        made.map_err(|error| anyhow!("cannot make the demo's organisation: {error}"))?;
    }
    for (alias, address, display_name) in PEOPLE {
        if !mailboxes.iter().any(|mailbox| mailbox.account.address == address) {
            let (alias, display_name) = (Some(alias), Some(display_name));
            let wanted = NewMailbox { address, alias, display_name, password: Some(PASSWORD) };
            let made = store.new_mailbox(&wanted, now);
            made.map_err(|error| anyhow!("cannot make the demo account {address}: {error}"))?;
        }
    }
    Ok(Demo::Accounts(PEOPLE.map(|(alias, address, _)| (alias, address)).to_vec()))
}

/// Puts the demo's mail into the accounts' folders that are empty.
pub(super) async fn seed(store: &Store, mailbox: &MailboxServer, now: WallTime) -> anyhow::Result<()> {
    let [john, jane, ken] = PEOPLE.map(|(_, address, _)| address);
    let people =
        DemoPeople { john: person(store, john)?, jane: person(store, jane)?, ken: person(store, ken)? };
    let seeded = mailbox.seed_demo(&people, now).await;
    seeded.map_err(|error| anyhow!("cannot write the demo's mail: {error:?}"))
}

fn person(store: &Store, address: &str) -> anyhow::Result<Person> {
    Ok(weir_gateway::origin::person(&store.mailbox(address)?.account))
}

#[cfg(test)]
mod tests;
