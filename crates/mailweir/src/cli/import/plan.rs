//! What has to be done so that the directory is as the file says; decided before anything is.

use std::collections::HashMap;

use weir_admin::types::{MailboxChange, MailboxView, NewMailbox, OrganisationView, PolicyView, Secret};
use weir_directory::names::key;

use super::Problem;
use super::rows::Row;

/// What there is.
pub(super) struct Present {
    pub(super) organisations: Vec<OrganisationView>,
    pub(super) policies: Vec<PolicyView>,
    pub(super) mailboxes: Vec<MailboxView>,
}

/// What to do for one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) line: usize,
    pub(super) address: String,
    pub(super) what: What,
    /// To be changed afterwards, if anything is.
    pub(super) change: Option<MailboxChange>,
    /// To be set afterwards, if it is.
    pub(super) password: Option<Secret>,
}

/// Whether there is a mailbox already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// There is none: make this one.
    Make(NewMailbox),
    /// There is one.
    Keep,
}

/// What has to be done for `rows`, in their order; or everything that cannot be.
pub(super) fn plan(rows: &[Row], present: &Present) -> Result<Vec<Step>, Vec<Problem>> {
    let mut planner = Planner::new(present);
    let mut problems = Vec::new();
    let mut steps = Vec::with_capacity(rows.len());
    for row in rows {
        match planner.step(row) {
            Ok(step) => steps.push(step),
            Err(why) => problems.push(Problem { line: row.line, why }),
        }
    }
    if problems.is_empty() { Ok(steps) } else { Err(problems) }
}

/// Names are compared as the directory compares them.
struct Planner<'p> {
    /// The organisation that accepts a domain.
    organisations: HashMap<String, &'p str>,
    /// By organisation and name.
    policies: HashMap<(&'p str, String), &'p str>,
    /// By each of its addresses.
    mailboxes: HashMap<String, &'p MailboxView>,
    /// Whose an alias is, by organisation and alias: a primary address.
    aliases: HashMap<(&'p str, String), String>,
    /// The lines that addresses were on.
    lines: HashMap<String, usize>,
}

impl<'p> Planner<'p> {
    fn new(present: &'p Present) -> Self {
        let organisations = present.organisations.iter().flat_map(|organisation| {
            organisation.domains.iter().map(|domain| (key(domain), organisation.name.as_str()))
        });
        let policies = present
            .policies
            .iter()
            .map(|policy| ((policy.organisation.as_str(), key(&policy.name)), policy.name.as_str()));
        let mailboxes = present
            .mailboxes
            .iter()
            .flat_map(|mailbox| mailbox.addresses.iter().map(move |address| (key(address), mailbox)));
        let aliases = present
            .mailboxes
            .iter()
            .map(|mailbox| ((mailbox.organisation.as_str(), key(&mailbox.alias)), mailbox.address.clone()));
        Self {
            organisations: organisations.collect(),
            policies: policies.collect(),
            mailboxes: mailboxes.collect(),
            aliases: aliases.collect(),
            lines: HashMap::new(),
        }
    }

    fn step(&mut self, row: &Row) -> Result<Step, String> {
        let address = key(&row.address);
        if let Some(line) = self.lines.insert(address.clone(), row.line) {
            return Err(format!("the address {} is on line {line} already; leave one out", row.address));
        }
        match self.mailboxes.get(&address).copied() {
            Some(mailbox) if key(&mailbox.address) != address => Err(format!(
                "{} is a further address of the mailbox {}; name it by that one",
                row.address, mailbox.address
            )),
            Some(mailbox) => self.keep(row, mailbox),
            None => self.make(row),
        }
    }

    fn make(&mut self, row: &Row) -> Result<Step, String> {
        let (local, domain) = row.address.rsplit_once('@').unwrap_or((&row.address, ""));
        let organisation = self.organisations.get(&key(domain)).copied().ok_or_else(|| {
            format!(
                "no organisation accepts the domain {domain}; make one with it: `mailweir organisation new`"
            )
        })?;
        self.claim_alias(organisation, row.alias.as_deref().unwrap_or(local), &row.address)?;
        let policy = row.policy.as_deref().map(|policy| self.policy(organisation, policy)).transpose()?;
        let change = policy.flatten().map(|policy| MailboxChange {
            throttling_policy: Some(Some(policy.to_owned())),
            ..MailboxChange::default()
        });
        let made = NewMailbox {
            address: row.address.clone(),
            alias: row.alias.clone(),
            display_name: row.display_name.clone(),
            password: row.password.clone(),
        };
        let (line, address) = (row.line, row.address.clone());
        Ok(Step { line, address, what: What::Make(made), change, password: None })
    }

    fn keep(&mut self, row: &Row, mailbox: &'p MailboxView) -> Result<Step, String> {
        let organisation = mailbox.organisation.as_str();
        let alias = row.alias.clone().filter(|alias| *alias != mailbox.alias);
        if let Some(alias) = &alias {
            self.claim_alias(organisation, alias, &mailbox.address)?;
        }
        let policy = row.policy.as_deref().map(|policy| self.policy(organisation, policy)).transpose()?;
        let policy = policy.filter(|policy| *policy != mailbox.throttling_policy.as_deref());
        let change = MailboxChange {
            alias,
            throttling_policy: policy.map(|policy| policy.map(str::to_owned)),
            display_name: row.display_name.clone().filter(|name| *name != mailbox.display_name),
            ..MailboxChange::default()
        };
        Ok(Step {
            line: row.line,
            address: mailbox.address.clone(),
            what: What::Keep,
            change: Some(change).filter(|change| *change != MailboxChange::default()),
            // Whoever has a password may have changed it since the file was written.
            password: row.password.clone().filter(|_| !mailbox.has_password),
        })
    }

    /// Takes `alias` for the mailbox `address`, unless it is another one's.
    fn claim_alias(&mut self, organisation: &'p str, alias: &str, address: &str) -> Result<(), String> {
        let holder = self.aliases.entry((organisation, key(alias))).or_insert_with(|| address.to_owned());
        if key(holder) == key(address) {
            return Ok(());
        }
        Err(format!("the alias {alias} is that of {holder}; give another one in the column alias"))
    }

    /// The policy of the organisation that is meant by `name`: `null` or `$null` is none, so the default policy.
    fn policy(&self, organisation: &'p str, name: &str) -> Result<Option<&'p str>, String> {
        if let Some(policy) = self.policies.get(&(organisation, key(name))) {
            return Ok(Some(policy));
        }
        if ["null", "$null"].contains(&key(name).as_str()) {
            return Ok(None);
        }
        Err(format!(
            "the organisation {organisation} has no policy {name:?}; make it first: `mailweir policy new`, or write null \
             for the default policy"
        ))
    }
}
