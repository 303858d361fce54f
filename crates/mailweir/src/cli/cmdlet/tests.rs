use super::*;
use crate::cli::assignment::Assignment;
use crate::cli::mailbox::{Change, MailboxCommand};
use crate::cli::password::PasswordSource;
use crate::cli::policy::PolicyCommand;

/// The line's words, as a shell splits one without quotes.
fn words(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

#[track_caller]
#[allow(clippy::needless_pass_by_value, reason = "tables read better without &")]
fn check(line: &str, expected: Command) {
    let cli = read(&words(line)).unwrap_or_else(|failure| panic!("{line}: {failure}"));
    assert_eq!(cli.unwrap_or_else(|| panic!("{line} is no cmdlet")).command, expected, "{line}");
}

#[track_caller]
fn check_bad(line: &str, message: &str) {
    let failure = read(&words(line)).expect_err(line);
    assert_eq!(failure.to_string(), message, "{line}");
    assert_eq!(failure.status(), 2, "{line}");
}

fn set(parameter: &'static str, limit: Option<i64>) -> Assignment {
    Assignment { parameter, limit }
}

fn new_policy(name: &str, set: Vec<Assignment>) -> Command {
    Command::Policy(PolicyCommand::New { name: name.to_owned(), set, organisation: None })
}

#[test]
fn the_documents_own_lines_are_understood() {
    check(
        "New-ThrottlingPolicy -Name FooPolicy -EWSFindCountLimit 1",
        new_policy("FooPolicy", vec![set("EWSFindCountLimit", Some(1))]),
    );
    check(
        "Set-ThrottlingPolicy FooPolicy -CPUStartPercent $null",
        Command::Policy(PolicyCommand::Set {
            name: "FooPolicy".to_owned(),
            set: vec![set("CPUStartPercent", None)],
            leave_out: Vec::new(),
        }),
    );
    check(
        "New-ThrottlingPolicy P -EWSFindCountLimit -1",
        new_policy("P", vec![set("EWSFindCountLimit", Some(-1))]),
    );
    check("Get-ThrottlingPolicy", Command::Policy(PolicyCommand::List));
    check(
        "Get-ThrottlingPolicy FooPolicy",
        Command::Policy(PolicyCommand::Show { name: "FooPolicy".to_owned() }),
    );
    check(
        "Remove-ThrottlingPolicy FooPolicy -Confirm:$false",
        Command::Policy(PolicyCommand::Remove { name: "FooPolicy".to_owned() }),
    );
    check(
        "Set-Mailbox JohnDoe -ThrottlingPolicy FooPolicy",
        Command::Mailbox(MailboxCommand::Set {
            name: "JohnDoe".to_owned(),
            change: Change { policy: Some("FooPolicy".to_owned()), ..Change::default() },
        }),
    );
    check("Get-Mailbox", Command::Mailbox(MailboxCommand::List { deleted_policy: false, policy: None }));
    check(
        "Get-Mailbox -Identity JohnDoe",
        Command::Mailbox(MailboxCommand::Show { name: "JohnDoe".to_owned() }),
    );
    check("Remove-Mailbox JohnDoe", Command::Mailbox(MailboxCommand::Remove { name: "JohnDoe".to_owned() }));
}

#[test]
fn case_colons_and_word_processors_dashes_make_no_difference() {
    let expected =
        || new_policy("FooPolicy", vec![set("EWSFindCountLimit", Some(1)), set("EWSMaxConcurrency", None)]);
    for line in [
        "new-throttlingpolicy -name FooPolicy -ewsfindcountlimit 1 -ewsmaxconcurrency null",
        "NEW-THROTTLINGPOLICY -NAME:FooPolicy -EWSFINDCOUNTLIMIT:1 -EWSMaxConcurrency:$NULL",
        "New–ThrottlingPolicy –Name FooPolicy –EWSFindCountLimit 1 —EWSMaxConcurrency $null",
        "New-ThrottlingPolicy FooPolicy -EWSFindCountLimit 1 -EWSMaxConcurrency $null",
        "New-ThrottlingPolicy -EWSFindCountLimit 1 FooPolicy -EWSMaxConcurrency $null",
    ] {
        check(line, expected());
    }
}

#[test]
fn a_new_mailbox_takes_its_address_from_either_parameter() {
    let expected = |display_name: Option<&str>, password| {
        Command::Mailbox(MailboxCommand::New {
            address: "max@example.com".to_owned(),
            alias: Some("Max".to_owned()),
            display_name: display_name.map(str::to_owned),
            password,
        })
    };
    check("New-Mailbox max@example.com -Alias Max -NoPassword", expected(None, PasswordSource::NONE));
    check(
        "New-Mailbox -Name Max -PrimarySmtpAddress max@example.com -Alias Max -PasswordStdin",
        expected(Some("Max"), PasswordSource::STDIN),
    );
    check(
        "New-Mailbox -Name Max -DisplayName Maximilian -PrimarySmtpAddress max@example.com -Alias Max -NoPassword",
        expected(Some("Maximilian"), PasswordSource::NONE),
    );
}

#[test]
fn global_options_are_taken_anywhere() {
    let expected = Global { data: Some("d".into()), server: None, token_file: None, json: true };
    for line in [
        "--json --data d Get-Mailbox JohnDoe",
        "Get-Mailbox --json JohnDoe --data=d",
        "Get-Mailbox JohnDoe --data d --json",
    ] {
        let cli = read(&words(line)).unwrap().unwrap();
        assert_eq!(cli.global, expected, "{line}");
        assert_eq!(
            cli.command,
            Command::Mailbox(MailboxCommand::Show { name: "JohnDoe".to_owned() }),
            "{line}"
        );
    }
    check_bad("Get-Mailbox --data", "--data needs a value");
}

#[test]
fn what_is_not_the_cmdlet_spelling_is_left_to_the_other_one() {
    for line in
        ["", "policy list", "--json policy list", "--data d", "config check Get-Mailbox", "-h", "a-1", "-x-y"]
    {
        assert!(read(&words(line)).unwrap().is_none(), "{line}");
    }
}

#[test]
fn mistakes_are_told_with_what_was_probably_meant() {
    for (line, message) in [
        (
            "Get-TrottlingPolicy",
            "there is no cmdlet Get-TrottlingPolicy; did you mean Get-ThrottlingPolicy? There are \
             New-ThrottlingPolicy, Set-ThrottlingPolicy, Get-ThrottlingPolicy, Remove-ThrottlingPolicy, New-Mailbox, \
             Set-Mailbox, Get-Mailbox, Remove-Mailbox, Get-Queue, Retry-Queue, Suspend-Queue, Resume-Queue, \
             Get-Message, Remove-Message",
        ),
        ("New-ThrottlingPolicy", "New-ThrottlingPolicy needs -Name"),
        ("New-ThrottlingPolicy -Name", "-Name needs a value"),
        ("New-ThrottlingPolicy -Name -EWSFindCountLimit 1", "-Name needs a value"),
        (
            "New-ThrottlingPolicy Foo -EWSFindCountLimit",
            "-EWSFindCountLimit needs a value: a number, or $null for no limit",
        ),
        (
            "New-ThrottlingPolicy Foo -EWSFindCountLimit lots",
            "EWSFindCountLimit is a whole number, or null for no limit, not \"lots\"",
        ),
        (
            "New-ThrottlingPolicy Foo Bar",
            "New-ThrottlingPolicy: -Name is given twice, the second time as \"Bar\"",
        ),
        (
            "New-ThrottlingPolicy Foo -Nmae Bar",
            "New-ThrottlingPolicy has no parameter -Nmae; did you mean -Name?",
        ),
        (
            "Set-Mailbox JohnDoe -ThrotlingPolicy Foo",
            "Set-Mailbox has no parameter -ThrotlingPolicy; did you mean -ThrottlingPolicy?",
        ),
        (
            "Set-Mailbox JohnDoe",
            "Set-Mailbox changes nothing: add -ThrottlingPolicy NAME, -DisplayName TEXT or -Alias NAME",
        ),
        (
            "Set-ThrottlingPolicy Foo",
            "Set-ThrottlingPolicy changes nothing: name a parameter, as -EWSFindCountLimit 1",
        ),
        ("Get-Mailbox -Colour red", "Get-Mailbox has no parameter -Colour; it takes -Identity"),
        (
            "Remove-Mailbox JohnDoe -WhatIf",
            "Remove-Mailbox has no parameter -WhatIf; it takes -Identity, -Confirm, -Force",
        ),
        (
            "New-Mailbox max@example.com -Password secret",
            "a password on the command line is for everybody on the machine to see; write -PasswordStdin and send it \
             as one line on standard input",
        ),
        (
            "New-Mailbox max@example.com",
            "New-Mailbox needs either -PasswordStdin (one line on standard input) or -NoPassword",
        ),
        ("New-Mailbox Max -NoPassword", "New-Mailbox needs -PrimarySmtpAddress"),
        ("Retry-Queue", "Retry-Queue needs -Identity"),
        ("Get-Message", "Get-Message needs either -Identity NUMBER or -Queue NEXTHOP"),
        ("Get-Message -Queue lab -ResultSize all", "-ResultSize is a number, not \"all\""),
        (
            "Remove-Message lab",
            "-Identity is the number of a message, not \"lab\"; `mailweir queue show NEXTHOP` lists those of a queue",
        ),
    ] {
        check_bad(line, message);
    }
    let failure = read(&words("New-ThrottlingPolicy Foo -EWSFindCountLimt 1")).unwrap_err().to_string();
    assert!(failure.contains("EWSFindCountLimit"), "{failure}");
}

#[test]
fn both_spellings_give_the_same_command() {
    for (cmdlet, plain) in [
        (
            "New-ThrottlingPolicy -Name FooPolicy -EWSFindCountLimit 1",
            "policy new FooPolicy --set EWSFindCountLimit=1",
        ),
        (
            "Set-ThrottlingPolicy FooPolicy -CPUStartPercent $null",
            "policy set FooPolicy --set CPUStartPercent=null",
        ),
        ("Get-ThrottlingPolicy", "policy list"),
        ("Get-ThrottlingPolicy X", "policy show X"),
        ("Remove-ThrottlingPolicy X", "policy remove X"),
        ("Set-Mailbox JohnDoe -ThrottlingPolicy FooPolicy", "mailbox set JohnDoe --policy FooPolicy"),
        ("Get-Mailbox", "mailbox list"),
        ("Get-Mailbox X", "mailbox show X"),
        ("New-Mailbox a@b.example -NoPassword", "mailbox new a@b.example --no-password"),
        ("Remove-Mailbox X", "mailbox remove X"),
        ("Get-Queue", "queue list"),
        ("get-queue -Identity pool.test", "queue show pool.test"),
        (
            "Retry-Queue -Identity DnsConnectorDelivery/pool.test/lab",
            "queue retry DnsConnectorDelivery/pool.test/lab",
        ),
        ("Suspend-Queue lab -Confirm:$false", "queue suspend lab"),
        ("Resume-Queue lab", "queue resume lab"),
        ("Get-Message 17", "queue show 17"),
        ("Get-Message -Queue lab -ResultSize 5", "queue show lab --top 5"),
        ("Remove-Message 17", "queue remove 17"),
        ("Remove-Message -WithNDR 1", "queue remove 1"),
        ("Remove-Message 17 -WithNDR $true -Confirm $false", "queue remove 17"),
        ("Remove-Message 17 -WithNDR:$false", "queue remove 17 --no-report"),
        ("Remove-Message -WithNDR $False -Identity 17", "queue remove 17 --no-report"),
    ] {
        let left = read(&words(cmdlet)).unwrap().unwrap();
        let line = [vec![OsString::from("mailweir")], words(plain)].concat();
        assert_eq!(left.command, super::super::read(&line).unwrap().command, "{cmdlet}");
    }
}
