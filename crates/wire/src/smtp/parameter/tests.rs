use proptest::prelude::*;

use super::super::command::Command;
use super::super::mailbox::Host;
use super::*;
use crate::smtp::tests::{any_mail, any_recipient, everything};

fn read(line: &str, offered: &Extensions) -> Result<String, CommandError> {
    Command::parse(line.as_bytes(), offered).map(|command| command.to_string())
}

#[test]
fn parameters_are_read_in_any_order_and_case_and_written_in_one() {
    let cases = [
        ("mail from:<a@b> smtputf8 Size=10 body=8bitmime", "MAIL FROM:<a@b> SIZE=10 BODY=8BITMIME SMTPUTF8"),
        ("MAIL FROM:<a@b>  BODY=7BIT ", "MAIL FROM:<a@b> BODY=7BIT"),
        ("MAIL FROM: <a@b> AUTH=<>", "MAIL FROM:<a@b> AUTH=<>"),
        ("MAIL FROM:<> AUTH=e+3Dmc2@example.com", "MAIL FROM:<> AUTH=e+3Dmc2@example.com"),
        ("MAIL FROM:<a@b> ENVID=QQ+20314159 RET=hdrs", "MAIL FROM:<a@b> RET=HDRS ENVID=QQ+20314159"),
        ("MAIL FROM:<a@b> XSHADOW=017.a-b_c", "MAIL FROM:<a@b> XSHADOW=017.a-b_c"),
        ("RCPT TO:<a@b> NOTIFY=delay,SUCCESS", "RCPT TO:<a@b> NOTIFY=SUCCESS,DELAY"),
        (
            "RCPT TO:<a@b> NOTIFY=NEVER ORCPT=RFC822;a+2Bb@c",
            "RCPT TO:<a@b> NOTIFY=NEVER ORCPT=rfc822;a+2Bb@c",
        ),
        ("RCPT TO:<a@b> ORCPT=utf-8;j\\x{F6}rg@c", "RCPT TO:<a@b> ORCPT=utf-8;j\\x{F6}rg@c"),
    ];
    for (line, expected) in cases {
        assert_eq!(read(line, &everything()).as_deref(), Ok(expected), "{line}");
    }
}

#[test]
fn a_parameter_that_is_unknown_wrong_or_repeated_is_refused() {
    let unknown = CommandError::UnknownParameter;
    let wrong = CommandError::ParameterValue;
    let cases = [
        ("MAIL FROM:<a@b> FOO", unknown),
        ("MAIL FROM:<a@b> FOO=1", unknown),
        ("MAIL FROM:<a@b> BODY=BINARYMIME", unknown),
        ("MAIL FROM:<a@b> NOTIFY=NEVER", unknown),
        ("RCPT TO:<a@b> SIZE=1", unknown),
        ("MAIL FROM:<a@b> SIZE", wrong),
        ("MAIL FROM:<a@b> SIZE=", wrong),
        ("MAIL FROM:<a@b> SIZE=+1", wrong),
        ("MAIL FROM:<a@b> SIZE=18446744073709551616", wrong),
        ("MAIL FROM:<a@b> SIZE=1 size=1", wrong),
        ("MAIL FROM:<a@b> SMTPUTF8=yes", wrong),
        ("MAIL FROM:<a@b> RET=ALL", wrong),
        ("MAIL FROM:<a@b> ENVID=a+0D+0Ab", wrong),
        ("MAIL FROM:<a@b> ENVID=a+2", wrong),
        ("MAIL FROM:<a@b> ENVID=a+2f", wrong),
        ("MAIL FROM:<a@b> AUTH=nobody", wrong),
        ("MAIL FROM:<a@b> XSHADOW=a/b", wrong),
        ("RCPT TO:<a@b> NOTIFY=NEVER,FAILURE", wrong),
        ("RCPT TO:<a@b> NOTIFY=", wrong),
        ("RCPT TO:<a@b> ORCPT=a@b", wrong),
        ("RCPT TO:<a@b> ORCPT=;a@b", wrong),
        ("RCPT TO:<a@b> ORCPT=rfc822;", wrong),
    ];
    for (line, expected) in cases {
        assert_eq!(read(line, &everything()), Err(expected), "{line}");
    }
}

#[test]
fn a_parameter_of_an_extension_that_is_not_offered_is_unknown() {
    let lines = ["SIZE=1", "BODY=7BIT", "SMTPUTF8", "AUTH=<>", "RET=FULL", "ENVID=1", "XSHADOW=1"];
    for parameter in lines {
        let line = format!("MAIL FROM:<a@b> {parameter}");
        assert_eq!(read(&line, &Extensions::none()), Err(CommandError::UnknownParameter), "{line}");
        assert!(read(&line, &everything()).is_ok(), "{line}");
    }
    for parameter in ["NOTIFY=NEVER", "ORCPT=rfc822;a"] {
        let line = format!("RCPT TO:<a@b> {parameter}");
        assert_eq!(read(&line, &Extensions::none()), Err(CommandError::UnknownParameter), "{line}");
    }
}

#[test]
fn a_peer_is_told_only_what_it_understands_and_what_it_lacks_is_known() {
    let full = "MAIL FROM:<jörg@b> SIZE=1 BODY=8BITMIME SMTPUTF8 AUTH=<> RET=FULL ENVID=1 XSHADOW=1";
    let Ok(Command::Mail(mail)) = Command::parse(full.as_bytes(), &everything()) else { panic!() };
    let (said, lacking) = mail.fitting(&everything());
    assert_eq!((said.to_string().as_str(), lacking), (full, vec![]));
    let (said, lacking) = mail.fitting(&Extensions::none());
    assert_eq!(said.to_string(), "MAIL FROM:<jörg@b>");
    assert_eq!(lacking, [Extension::SmtpUtf8, Extension::EightBitMime]);
    let line = b"RCPT TO:<a@b> NOTIFY=NEVER ORCPT=rfc822;a";
    let Ok(Command::Recipient(recipient)) = Command::parse(line, &everything()) else { panic!() };
    assert_eq!(recipient.fitting(&Extensions::none()).to_string(), "RCPT TO:<a@b>");
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(mail in any_mail(), recipient in any_recipient()) {
        let line = mail.to_string();
        prop_assert_eq!(Command::parse(line.as_bytes(), &everything()), Ok(Command::Mail(mail)));
        let line = recipient.to_string();
        prop_assert_eq!(Command::parse(line.as_bytes(), &everything()), Ok(Command::Recipient(recipient)));
    }

    #[test]
    fn another_parser_reads_our_envelopes_alike(mail in any_mail(), recipient in any_recipient()) {
        let is_domain = |mailbox: &Mailbox| matches!(mailbox.host(), Host::Domain(_));
        prop_assume!(mail.from.mailbox().is_none_or(is_domain), "that parser knows no address literals");
        prop_assume!(recipient.to.mailbox().is_none_or(is_domain));
        let mail = Mail { shadow: None, submitter: None, ..mail };
        let line = format!("{mail}\r\n");
        let read = smtp_proto::Request::parse(&mut line.as_bytes().iter());
        let Ok(smtp_proto::Request::Mail { from }) = read else { panic!("{line:?} is {read:?}") };
        let address = mail.from.mailbox().map_or_else(String::new, unquoted);
        prop_assert_eq!(from.address.as_ref(), address.as_str());
        let ascii = |id: &&str| id.is_ascii();
        prop_assert_eq!(from.env_id.as_deref().filter(ascii), mail.envelope_id.as_deref().filter(ascii));
        let line = format!("{recipient}\r\n");
        let read = smtp_proto::Request::parse(&mut line.as_bytes().iter());
        let Ok(smtp_proto::Request::Rcpt { to }) = read else { panic!("{line:?} is {read:?}") };
        let address = recipient.to.mailbox().map_or_else(String::new, unquoted);
        prop_assert_eq!(to.address.as_ref(), address.as_str());
    }
}

/// The address as that parser gives it.
fn unquoted(mailbox: &Mailbox) -> String {
    format!("{}@{}", mailbox.local(), mailbox.host())
}
