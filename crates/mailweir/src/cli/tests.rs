use std::io::Cursor;

use super::assignment::{Assignment, settings};
use super::mailbox::{Change, MailboxCommand};
use super::policy::PolicyCommand;
use super::table::{Table, shortened, wrapped};
use super::*;

fn line(text: &str) -> Result<Cli, Failure> {
    let words: Vec<OsString> = format!("mailweir {text}").split_whitespace().map(OsString::from).collect();
    read(&words)
}

#[test]
fn the_description_of_the_command_line_is_consistent() {
    command().debug_assert();
}

#[test]
fn global_options_are_taken_anywhere() {
    for text in ["--data d --json policy list", "policy --data d list --json", "policy list --json --data=d"]
    {
        let cli = line(text).unwrap();
        assert_eq!(cli.global, Global { data: Some("d".into()), json: true, ..Global::default() }, "{text}");
        assert_eq!(cli.command, Command::Policy(PolicyCommand::List), "{text}");
    }
}

#[test]
fn settings_are_read_in_both_spellings() {
    let cli = line("policy new Foo --set EWSFindCountLimit=1 --set cpu_start_percent=$null").unwrap();
    let set = vec![
        Assignment { parameter: "EWSFindCountLimit", limit: Some(1) },
        Assignment { parameter: "CPUStartPercent", limit: None },
    ];
    assert_eq!(
        cli.command,
        Command::Policy(PolicyCommand::New { name: "Foo".to_owned(), set, organisation: None })
    );
}

#[test]
fn wrong_usage_has_status_2_and_help_has_0() {
    for text in [
        "",
        "nonsense",
        "policy",
        "policy new",
        "policy new Foo --set EWSFindCountLimit",
        "policy new Foo --set EWSFindCountLimt=1",
        "policy new Foo --set EWSFindCountLimit=many",
        "mailbox new a@b.example",
        "mailbox new a@b.example --no-password --password-stdin",
        "mailbox password John --password secret",
        "organisation new X --short-name S",
        "completions tcsh9",
        "serve --nonsense",
        "mapi ls",
        "mapi ls --user j@b.example",
        "mapi ls --user j@b.example --password-stdin --password-file f",
        "mapi ls --user j@b.example --password-stdin --url ftp://b.example",
        "mapi ls --user j@b.example --password-stdin --top 0",
    ] {
        assert_eq!(line(text).expect_err(text).status(), 2, "{text}");
    }
    for text in ["--help", "policy --help", "--version"] {
        assert_eq!(line(text).expect_err(text).status(), 0, "{text}");
    }
}

#[test]
fn a_mistyped_parameter_is_told_with_close_names() {
    let text = line("policy new Foo --set EWSFindCountLimt=1").unwrap_err().to_string();
    assert!(
        text.contains(
            "no policy parameter is called \"EWSFindCountLimt\"; close names are EWSFindCountLimit"
        ),
        "{text}"
    );
}

#[test]
fn a_parameter_that_is_set_twice_is_a_mistake() {
    let one = Assignment { parameter: "EWSFindCountLimit", limit: Some(1) };
    assert_eq!(settings(std::slice::from_ref(&one)).unwrap().len(), 1);
    assert_eq!(settings(&[one.clone(), one]).unwrap_err(), "EWSFindCountLimit is set twice; name it once");
}

#[test]
fn the_server_and_its_token_are_given_together() {
    for (text, message) in [
        (
            "--server http://127.0.0.1:1 policy list",
            "--server needs the server's token: add --token-file FILE",
        ),
        ("--token-file t policy list", "--token-file is for --server: add --server URL, or use --data DIR"),
    ] {
        let failure = line(text).unwrap().global.locate().unwrap_err();
        assert_eq!((failure.status(), failure.to_string().as_str()), (2, message));
    }
}

#[test]
fn mailbox_commands_know_their_options() {
    assert_eq!(
        line("mailbox list --deleted-policy").unwrap().command,
        Command::Mailbox(MailboxCommand::List { deleted_policy: true, policy: None })
    );
    assert_eq!(
        line("mailbox set JohnDoe --policy null").unwrap().command,
        Command::Mailbox(MailboxCommand::Set {
            name: "JohnDoe".to_owned(),
            change: Change { policy: Some("null".to_owned()), ..Change::default() },
        })
    );
}

#[test]
fn a_password_is_the_first_line_of_standard_input() {
    for (input, expected) in [
        ("secret\n", Some("secret")),
        ("secret\r\nmore", Some("secret")),
        (" two words ", Some(" two words ")),
        ("", None),
        ("\n", None),
    ] {
        let read = password::read(Cursor::new(input));
        assert_eq!(read.ok().as_ref().map(weir_admin::types::Secret::expose), expected, "{input:?}");
    }
    assert!(password::read(Cursor::new("x".repeat(1_024))).is_ok(), "exactly the limit still passes");
    assert!(password::read(Cursor::new("x".repeat(1_025))).is_err());
    assert!(password::read(Cursor::new([0xff, b'\n'])).is_err());
}

#[test]
fn tables_are_aligned_and_one_line_a_row() {
    let mut table = Table::new(&["NAME", "N"]);
    assert_eq!(table.text_or("nothing"), "nothing\n");
    table.row(["Zürich".to_owned(), "1".to_owned()]);
    table.row(["a\nb\u{1b}[0m".to_owned(), String::new()]);
    assert_eq!(table.text(), "NAME           N\nZürich         1\na\\nb\\u{1b}[0m\n");
}

#[test]
fn a_long_text_is_shortened_or_wrapped_to_its_room() {
    for (text, short) in [("", ""), ("Ümläut", "Ümläut"), ("Ümläute", "Ümläu…"), ("Ümläuten", "Ümläu…")]
    {
        assert_eq!(shortened(text, 6), short);
    }
    for (text, lines) in [
        ("short", "> short"),
        ("one two three four", "> one two\n  three four"),
        ("RC:1;Init>>Conn:0,AD", "> RC:1;\n  Init>>Conn:\n  0,AD"),
        ("0123456789012345", "> 012345678901\n  2345"),
        ("a\nb", "> a\\nb"),
    ] {
        assert_eq!(wrapped("> ", text, 14), lines);
    }
}
