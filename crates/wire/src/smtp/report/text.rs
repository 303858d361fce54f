//! What a report says to people: what happened, why, and what to do.

use super::super::received::date;
use super::{Action, Fate, Report, one_line};

/// The report's subject.
pub(super) const fn subject(action: Action) -> &'static str {
    match action {
        Action::Failed => "Undeliverable: your message was not delivered",
        Action::Delayed { .. } => "Delayed: your message is still being delivered",
        Action::Relayed => "Relayed: your message was passed on",
        Action::Delivered => "Delivered: your message has arrived",
    }
}

/// The report's text, line by line.
pub(super) fn text(report: &Report<'_>) -> String {
    let greeting = format!("This is the mail system at {}.\r\n\r\n", report.server);
    let what = match report.action {
        Action::Failed => "Your message could not be delivered to the recipients below. It is not tried again.\r\n\
                           Check the addresses and what the servers said, and send the message once more; where\r\n\
                           that does not help, show this report to your administrator.\r\n"
            .to_owned(),
        Action::Delayed { until } => format!(
            "Your message has not been delivered to the recipients below yet.\r\nIt is tried again until {}. There \
             is nothing for you to do.\r\n",
            date(until)
        ),
        Action::Relayed => "Your message was passed on to the servers of the recipients below, which do not report\r\n\
                            what becomes of it.\r\n"
            .to_owned(),
        Action::Delivered => "Your message was delivered to the recipients below.\r\n".to_owned(),
    };
    report.fates.iter().map(line).fold(format!("{greeting}{what}"), |text, line| text + &line)
}

fn line(fate: &Fate) -> String {
    let why = match (&fate.reply, &fate.remote, &fate.reason) {
        (Some(reply), Some(remote), _) => format!("the server {} said: {reply}", one_line(remote)),
        (Some(reply), None, _) => format!("the server said: {reply}"),
        (None, _, Some(reason)) => reason.clone(),
        (None, _, None) => format!("status {}", fate.status),
    };
    format!("\r\n<{}>\r\n    {}\r\n", fate.recipient, one_line(&why))
}
