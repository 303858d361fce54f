//! The cmdlets there are, and what each takes.

use super::super::Command;
use super::super::mailbox::{Change, MailboxCommand};
use super::super::password::PasswordSource;
use super::super::policy::PolicyCommand;
use super::super::queue::{QueueCommand, Which};
use super::line::Line;

/// One cmdlet.
pub(super) struct Form {
    /// Verb and noun.
    pub(super) name: &'static str,
    /// The parameter that a word without a parameter's name is for.
    pub(super) positional: &'static str,
    /// Parameters with a value.
    pub(super) values: &'static [&'static str],
    /// Parameters without one.
    pub(super) switches: &'static [&'static str],
    /// Whether it takes the parameters of policies.
    pub(super) settings: bool,
    /// The command that it means.
    pub(super) command: fn(&mut Line) -> Result<Command, String>,
}

/// Questions are never asked, so that answering them beforehand changes nothing.
const ANSWERS: &[&str] = &["Confirm", "Force"];

/// Every cmdlet.
pub(super) const FORMS: &[Form] = &[
    Form {
        name: "New-ThrottlingPolicy",
        positional: "Name",
        values: &["Name", "Organization"],
        switches: ANSWERS,
        settings: true,
        command: new_policy,
    },
    Form {
        name: "Set-ThrottlingPolicy",
        positional: "Identity",
        values: &["Identity"],
        switches: ANSWERS,
        settings: true,
        command: set_policy,
    },
    Form {
        name: "Get-ThrottlingPolicy",
        positional: "Identity",
        values: &["Identity"],
        switches: &[],
        settings: false,
        command: policies,
    },
    Form {
        name: "Remove-ThrottlingPolicy",
        positional: "Identity",
        values: &["Identity"],
        switches: ANSWERS,
        settings: false,
        command: remove_policy,
    },
    Form {
        name: "New-Mailbox",
        positional: "Name",
        values: &["Name", "PrimarySmtpAddress", "Alias", "DisplayName", "Password"],
        switches: &["PasswordStdin", "NoPassword", "Confirm", "Force"],
        settings: false,
        command: new_mailbox,
    },
    Form {
        name: "Set-Mailbox",
        positional: "Identity",
        values: &["Identity", "ThrottlingPolicy", "DisplayName", "Alias"],
        switches: ANSWERS,
        settings: false,
        command: set_mailbox,
    },
    Form {
        name: "Get-Mailbox",
        positional: "Identity",
        values: &["Identity"],
        switches: &[],
        settings: false,
        command: mailboxes,
    },
    Form {
        name: "Remove-Mailbox",
        positional: "Identity",
        values: &["Identity"],
        switches: ANSWERS,
        settings: false,
        command: remove_mailbox,
    },
    Form {
        name: "Get-Queue",
        positional: "Identity",
        values: &["Identity"],
        switches: &[],
        settings: false,
        command: queues,
    },
    Form {
        name: "Retry-Queue",
        positional: "Identity",
        values: &["Identity"],
        switches: ANSWERS,
        settings: false,
        command: retry_queue,
    },
    Form {
        name: "Suspend-Queue",
        positional: "Identity",
        values: &["Identity"],
        switches: ANSWERS,
        settings: false,
        command: suspend_queue,
    },
    Form {
        name: "Resume-Queue",
        positional: "Identity",
        values: &["Identity"],
        switches: ANSWERS,
        settings: false,
        command: resume_queue,
    },
    Form {
        name: "Get-Message",
        positional: "Identity",
        values: &["Identity", "Queue", "ResultSize"],
        switches: &[],
        settings: false,
        command: messages,
    },
    Form {
        name: "Remove-Message",
        positional: "Identity",
        values: &["Identity"],
        switches: &["WithNDR", "Confirm", "Force"],
        settings: false,
        command: remove_message,
    },
];

fn new_policy(line: &mut Line) -> Result<Command, String> {
    let (name, organisation) = (line.need("Name")?, line.take("Organization"));
    let set = std::mem::take(&mut line.settings);
    Ok(Command::Policy(PolicyCommand::New { name, set, organisation }))
}

fn set_policy(line: &mut Line) -> Result<Command, String> {
    let name = line.need("Identity")?;
    let set = std::mem::take(&mut line.settings);
    if set.is_empty() {
        return Err(
            "Set-ThrottlingPolicy changes nothing: name a parameter, as -EWSFindCountLimit 1".to_owned()
        );
    }
    Ok(Command::Policy(PolicyCommand::Set { name, set, leave_out: Vec::new() }))
}

#[allow(clippy::unnecessary_wraps, reason = "one shape for all cmdlets")]
fn policies(line: &mut Line) -> Result<Command, String> {
    let one = line.take("Identity");
    Ok(Command::Policy(one.map_or(PolicyCommand::List, |name| PolicyCommand::Show { name })))
}

fn remove_policy(line: &mut Line) -> Result<Command, String> {
    Ok(Command::Policy(PolicyCommand::Remove { name: line.need("Identity")? }))
}

/// In the documents, `-Name` is the name that people read; an address there is the mailbox's address.
fn new_mailbox(line: &mut Line) -> Result<Command, String> {
    if line.take("Password").is_some() {
        let text = "a password on the command line is for everybody on the machine to see; write -PasswordStdin and \
                    send it as one line on standard input";
        return Err(text.to_owned());
    }
    let name = line.take("Name");
    let (address, name) = match (line.take("PrimarySmtpAddress"), name) {
        (Some(address), name) => (address, name),
        (None, Some(name)) if name.contains('@') => (name, None),
        (None, Some(_) | None) => return Err("New-Mailbox needs -PrimarySmtpAddress".to_owned()),
    };
    let password = match (line.switch("PasswordStdin"), line.switch("NoPassword")) {
        (true, false) => PasswordSource::STDIN,
        (false, true) => PasswordSource::NONE,
        (true, true) | (false, false) => {
            return Err(
                "New-Mailbox needs either -PasswordStdin (one line on standard input) or -NoPassword"
                    .to_owned(),
            );
        }
    };
    Ok(Command::Mailbox(MailboxCommand::New {
        address,
        alias: line.take("Alias"),
        display_name: line.take("DisplayName").or(name),
        password,
    }))
}

fn set_mailbox(line: &mut Line) -> Result<Command, String> {
    let name = line.need("Identity")?;
    let (policy, display_name) = (line.take("ThrottlingPolicy"), line.take("DisplayName"));
    let change = Change { policy, display_name, alias: line.take("Alias"), ..Change::default() };
    if change == Change::default() {
        let text =
            "Set-Mailbox changes nothing: add -ThrottlingPolicy NAME, -DisplayName TEXT or -Alias NAME";
        return Err(text.to_owned());
    }
    Ok(Command::Mailbox(MailboxCommand::Set { name, change }))
}

#[allow(clippy::unnecessary_wraps, reason = "one shape for all cmdlets")]
fn mailboxes(line: &mut Line) -> Result<Command, String> {
    let all = MailboxCommand::List { deleted_policy: false, policy: None };
    Ok(Command::Mailbox(line.take("Identity").map_or(all, |name| MailboxCommand::Show { name })))
}

fn remove_mailbox(line: &mut Line) -> Result<Command, String> {
    Ok(Command::Mailbox(MailboxCommand::Remove { name: line.need("Identity")? }))
}

#[allow(clippy::unnecessary_wraps, reason = "one shape for all cmdlets")]
fn queues(line: &mut Line) -> Result<Command, String> {
    let all = QueueCommand::List { watch: false };
    let one = |name| QueueCommand::Show { name, which: Which::default() };
    Ok(Command::Queue(line.take("Identity").map_or(all, one)))
}

fn retry_queue(line: &mut Line) -> Result<Command, String> {
    Ok(Command::Queue(QueueCommand::Retry { queue: line.need("Identity")? }))
}

fn suspend_queue(line: &mut Line) -> Result<Command, String> {
    Ok(Command::Queue(QueueCommand::Suspend { queue: line.need("Identity")? }))
}

fn resume_queue(line: &mut Line) -> Result<Command, String> {
    Ok(Command::Queue(QueueCommand::Resume { queue: line.need("Identity")? }))
}

/// One message, or those of a queue.
fn messages(line: &mut Line) -> Result<Command, String> {
    let mut which = Which::default();
    if let Some(size) = line.take("ResultSize") {
        which.top = size.parse().map_err(|_| format!("-ResultSize is a number, not {size:?}"))?;
    }
    match (line.take("Identity"), line.take("Queue")) {
        (Some(id), None) => Ok(Command::Queue(QueueCommand::Show { name: number(&id)?.to_string(), which })),
        (None, Some(name)) => Ok(Command::Queue(QueueCommand::Show { name, which })),
        (None, None) | (Some(_), Some(_)) => {
            Err("Get-Message needs either -Identity NUMBER or -Queue NEXTHOP".to_owned())
        }
    }
}

/// As in the documents, the sender is told unless one says otherwise.
fn remove_message(line: &mut Line) -> Result<Command, String> {
    let id = number(&line.need("Identity")?)?;
    Ok(Command::Queue(QueueCommand::Remove { id, report: line.switch_or("WithNDR", true) }))
}

/// The number of a message.
fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        format!("-Identity is the number of a message, not {text:?}; `mailweir queue show NEXTHOP` lists those of a queue")
    })
}
