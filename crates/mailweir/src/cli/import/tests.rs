use weir_admin::types::{MailboxChange, MailboxView, NewMailbox, OrganisationView, PolicyView, Secret};

use super::plan::{Present, Step, What, plan};
use super::rows::rows;
use super::*;

fn mailbox(alias: &str, has_password: bool, policy: Option<&str>) -> MailboxView {
    let address = format!("{}@blue.example", alias.to_lowercase());
    MailboxView {
        guid: String::new(),
        addresses: vec![address.clone(), format!("{alias}.Old@azure.example")],
        address,
        alias: alias.to_owned(),
        display_name: format!("{alias} Blue"),
        organisation: "Blue".to_owned(),
        legacy_dn: String::new(),
        has_password,
        may_impersonate: false,
        throttling_policy: policy.map(str::to_owned),
        policy_deleted: false,
    }
}

fn policy(name: &str, organisation: &str) -> PolicyView {
    PolicyView {
        name: name.to_owned(),
        organisation: organisation.to_owned(),
        default: false,
        settings: std::collections::BTreeMap::default(),
        effective: std::collections::BTreeMap::default(),
        not_enforced: Vec::new(),
        mailboxes: 0,
        unreadable: None,
    }
}

/// The organisation Blue with Max, who has a password and the policy Strict, and Mia, who has neither; and Red, whose
/// policy Strict is its own.
fn present() -> Present {
    let organisation = |name: &str, domains: &[&str]| OrganisationView {
        name: name.to_owned(),
        short_name: name.to_owned(),
        domains: domains.iter().map(|domain| (*domain).to_owned()).collect(),
        default_policies: Vec::new(),
        mailboxes: 0,
    };
    Present {
        organisations: vec![
            organisation("Blue", &["blue.example", "azure.example"]),
            organisation("Red", &["red.example"]),
        ],
        policies: vec![policy("Strict", "Blue"), policy("Loose", "Red")],
        mailboxes: vec![mailbox("Max", true, Some("Strict")), mailbox("Mia", false, None)],
    }
}

fn planned(text: &str) -> Result<Vec<Step>, Vec<Problem>> {
    plan(&rows(text)?, &present())
}

#[track_caller]
fn check_bad(text: &str, problems: &[(usize, &str)]) {
    let told = planned(text).expect_err(text);
    let told: Vec<_> = told.iter().map(|problem| (problem.line, problem.why.as_str())).collect();
    assert_eq!(told, problems, "{text:?}");
}

#[test]
fn a_row_for_nobody_makes_a_mailbox() {
    let text = "Address,Alias,Display Name,Password,Policy\nzoe@azure.example,Zoe,\"Zoë, the tall\",s3cret,strict\n\
                yan@red.example,,,,\n";
    let steps = planned(text).unwrap();
    let zoe = NewMailbox {
        address: "zoe@azure.example".to_owned(),
        alias: Some("Zoe".to_owned()),
        display_name: Some("Zoë, the tall".to_owned()),
        password: Some(Secret::new("s3cret")),
    };
    let strict =
        MailboxChange { throttling_policy: Some(Some("Strict".to_owned())), ..MailboxChange::default() };
    assert_eq!((&steps[0].what, &steps[0].change), (&What::Make(zoe), &Some(strict)));
    let yan =
        NewMailbox { address: "yan@red.example".to_owned(), alias: None, display_name: None, password: None };
    assert_eq!((&steps[1].what, &steps[1].change, steps[1].line), (&What::Make(yan), &None, 3));
}

#[test]
fn columns_may_be_left_out_and_stand_in_any_order() {
    let steps = planned("POLICY,display_name,address\nnull,Max,max@blue.example\n").unwrap();
    let change = MailboxChange {
        throttling_policy: Some(None),
        display_name: Some("Max".to_owned()),
        ..MailboxChange::default()
    };
    assert_eq!(steps[0].change, Some(change));
}

#[test]
fn a_mailbox_that_is_as_the_file_says_is_left_alone() {
    let text = "address,alias,display name,password,policy\nMAX@blue.example,Max,Max Blue,another,STRICT\n\
                mia@blue.example,,,,null\n";
    for step in planned(text).unwrap() {
        assert_eq!((&step.what, &step.change, &step.password), (&What::Keep, &None, &None), "{step:?}");
    }
}

#[test]
fn an_empty_cell_changes_nothing_and_a_full_one_what_differs() {
    let text = "address,alias,display name,password,policy\nmax@blue.example,maxi,,,\nmia@blue.example,,,s3cret,strict\n";
    let steps = planned(text).unwrap();
    let alias = MailboxChange { alias: Some("maxi".to_owned()), ..MailboxChange::default() };
    assert_eq!((&steps[0].change, &steps[0].password), (&Some(alias), &None));
    let strict =
        MailboxChange { throttling_policy: Some(Some("Strict".to_owned())), ..MailboxChange::default() };
    assert_eq!((&steps[1].change, &steps[1].password), (&Some(strict), &Some(Secret::new("s3cret"))));
}

#[test]
fn every_problem_of_a_file_is_told_with_its_line() {
    check_bad(
        "address,alias\nnobody,\n,x\na@blue.example,a b\nb@blue.example\n\"c\n@blue.example\",\nd@blue.example,d\n",
        &[
            (2, "the address \"nobody\" contains no @; write it as john@example.com"),
            (3, "the address is empty; it says which mailbox the line is about"),
            (4, "the alias \"a b\" contains ' '; leave it out"),
            (5, "1 fields, but the first line names 2 columns; put a field that holds a comma in quotes"),
            (6, "the part before the @ \"c\\n\" begins or ends with a blank; leave it out"),
        ],
    );
    check_bad(
        "address,alias,policy\nx@green.example,,\nMAX.old@azure.example,,\nnew@blue.example,MIA,\ny@red.example,,Strict\n\
         z@red.example,,\nZ@red.example,,\n",
        &[
            (
                2,
                "no organisation accepts the domain green.example; make one with it: `mailweir organisation new`",
            ),
            (
                3,
                "MAX.old@azure.example is a further address of the mailbox max@blue.example; name it by that one",
            ),
            (4, "the alias MIA is that of mia@blue.example; give another one in the column alias"),
            (
                5,
                "the organisation Red has no policy \"Strict\"; make it first: `mailweir policy new`, or write null for \
                 the default policy",
            ),
            (7, "the address Z@red.example is on line 6 already; leave one out"),
        ],
    );
}

#[test]
fn two_rows_cannot_have_one_alias_within_an_organisation() {
    check_bad(
        "address\ntom@blue.example\ntom@red.example\nTom@azure.example\n",
        &[(4, "the alias Tom is that of tom@blue.example; give another one in the column alias")],
    );
}

#[test]
fn a_first_line_that_names_no_columns_is_refused() {
    let columns = "address, alias, display name, password, policy";
    check_bad("", &[(1, &format!("the file is empty; its first line names the columns: {columns}"))]);
    check_bad(
        "max@blue.example,Max\n",
        &[(1, &format!("there is no column \"max@blue.example\"; the columns are {columns}"))],
    );
    check_bad(
        "address;alias\n",
        &[(
            1,
            &format!(
                "there is no column \"address;alias\"; the columns are {columns}; columns are separated by commas"
            ),
        )],
    );
    check_bad("alias\n", &[(1, "the column address is missing; it says which mailbox a line is about")]);
    check_bad(
        "address,display name,Display-Name\n",
        &[(1, "the column \"display name\" is there twice; leave one out")],
    );
    assert_eq!(planned("address\n"), Ok(Vec::new()), "nobody is no mistake");
}

#[test]
fn a_password_of_exactly_the_limit_still_passes() {
    let text = |length: usize| format!("address,password\nnew@blue.example,{}\n", "x".repeat(length));
    assert!(planned(&text(1_024)).is_ok());
    check_bad(
        &text(1_025),
        &[(2, "the password has 1025 bytes and may have at most 1024; give a shorter one")],
    );
}

#[test]
fn as_many_rows_as_are_allowed_still_pass() {
    let text = |rows: usize| {
        let mut text = "address\n".to_owned();
        for row in 0..rows {
            let _ = writeln!(text, "u{row}@red.example");
        }
        text
    };
    assert_eq!(planned(&text(MOST_ROWS)).unwrap().len(), MOST_ROWS);
    check_bad(
        &text(MOST_ROWS + 1),
        &[(MOST_ROWS + 2, "at most 100000 mailboxes are imported at a time; split the file")],
    );
}

#[test]
fn a_refusal_tells_the_first_mistakes_and_counts_the_rest() {
    let problems: Vec<Problem> =
        (2..=102).map(|line| Problem { line, why: "this is wrong".to_owned() }).collect();
    let one = refused(Path::new("users.csv"), &problems[..1]).to_string();
    assert_eq!(one, "users.csv:2: this is wrong; nothing was imported");
    let many = refused(Path::new("users.csv"), &problems).to_string();
    assert_eq!(many.lines().count(), 101);
    assert!(many.ends_with("users.csv:101: this is wrong\nand 1 more; nothing was imported"), "{many}");
}
