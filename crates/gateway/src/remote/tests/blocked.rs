//! Client programs that are kept out before a remote origin (R16).

use weir_units::Component;
use weir_wire::mapi::auxiliary::{Block, write};
use weir_wire::mapi::body::{Answer as AnswerBody, ConnectRequest, Connected};

use super::listening;
use super::stage::{Answered, JOHN, Origin, Stage, basic, ews, post, reply, well};
use crate::block::{BlockList, Protocol, Rule};
use crate::mapi::testing::{behind_envelope, execute, request, rops};
use crate::remote::RemoteSettings;

const EAS: &str = "/Microsoft-Server-ActiveSync?Cmd=Provision&User=john&DeviceId=1&DeviceType=";

fn rule(protocol: Protocol, program: &str, versions: Option<&str>) -> Rule {
    Rule {
        protocol,
        program: Some(program.parse().unwrap()),
        process: None,
        versions: versions.map(|versions| versions.parse().unwrap()),
        message: Some("Update it & try again.".to_owned()),
    }
}

/// A gateway with a list, before an origin that takes everything for good.
async fn stage(enforce: bool) -> (Stage, Origin) {
    let origin =
        Origin::new(|got| if got.head.contains("/EWS/") { well() } else { reply("200 OK", "", "fine") })
            .await;
    let mut settings = listening(enforce);
    settings.block = BlockList::new(vec![
        rule(Protocol::Http, "Archiver", Some("-2")),
        rule(Protocol::Eas, "iPhone", None),
        Rule { process: Some("SearchIndexer.exe".parse().unwrap()), ..rule(Protocol::Mapi, "Outlook", None) },
        rule(Protocol::Mapi, "CrmTagger", None),
    ]);
    let stage = Stage::with(RemoteSettings::new(vec![origin.scripted.url()]), settings).await;
    (stage, origin)
}

fn with(program: &str) -> String {
    format!("User-Agent: {program}\r\n{}", basic(JOHN, "secret"))
}

/// The verdicts of the log, each with the part that it names.
fn verdicts(stage: &Stage) -> Vec<String> {
    let word = |line: &str, name: &str| {
        line.split(';').find_map(|field| field.strip_prefix(name)).unwrap_or_default().to_owned()
    };
    let log = stage.world.logged();
    let lines = log.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| format!("{} {}", word(line, "Verdict="), word(line, "Saw="))).collect()
}

#[tokio::test]
async fn a_program_that_is_kept_out_hears_why_and_the_origin_nothing() {
    let (stage, origin) = stage(true).await;
    let refused = stage.ask(ews("", &with("Archiver/1.9"))).await;
    assert_eq!(refused.status, 500);
    assert!(refused.text().contains("a:ErrorAccessDenied"), "{}", refused.text());
    assert!(refused.text().contains("Update it &amp; try again."), "{}", refused.text());
    for path in ["/owa/", "/autodiscover/autodiscover.xml", "/Autodiscover/x"] {
        let refused = stage.ask(post(path, "x", &with("Archiver/1.9"))).await;
        assert_eq!((refused.status, refused.text().as_str()), (403, "Update it & try again.\n"), "{path}");
    }
    let refused = stage.ask(post(&format!("{EAS}iPhone"), "x", &with("Apple-iPhone/1405.5"))).await;
    assert_eq!((refused.status, refused.text().as_str()), (403, "Update it & try again.\n"));
    assert!(origin.got().is_empty());
    assert!(stage.budget(JOHN, Component::Ews).is_none() && stage.budget(JOHN, Component::Eas).is_none());
    let of_eas = "refuse held,BlockList:2/0";
    assert_eq!(verdicts(&stage), [vec!["refuse held,BlockList:1/0"; 4], vec![of_eas]].concat());
}

#[tokio::test]
async fn other_programs_and_versions_pass_each_by_its_own_rules() {
    let (stage, origin) = stage(true).await;
    assert_eq!(stage.ask(ews("", &with("Archiver/3.0"))).await.status, 200);
    assert_eq!(stage.ask(ews("", &with("iPhone"))).await.status, 200, "a rule for another protocol");
    assert_eq!(stage.ask(ews("", &basic(JOHN, "secret"))).await.status, 200, "it has no name");
    for device in ["iPad", "%zz", "iPhone&DeviceType=iPhone"] {
        let passed = stage.ask(post(&format!("{EAS}{device}"), "x", &basic(JOHN, "secret"))).await;
        assert_eq!(passed.status, 200, "{device}");
    }
    assert_eq!(origin.got().len(), 6);
}

#[tokio::test]
async fn who_was_accepted_before_is_kept_out_as_well() {
    let (stage, origin) = stage(true).await;
    stage.accept_john().await;
    assert_eq!(stage.ask(ews("", &with("Archiver/1.9"))).await.status, 500);
    assert_eq!(origin.got().len(), 1);
    let log = stage.world.logged();
    let line = log.lines().find(|line| line.contains("BlockList")).unwrap();
    assert!(line.contains(JOHN) && !line.contains("Policy=-"), "{line}");
}

#[tokio::test]
async fn a_request_without_credentials_hears_first_that_they_are_wanted() {
    let (stage, origin) = stage(true).await;
    assert_eq!(stage.ask(ews("", "User-Agent: Archiver/1.9\r\n")).await.status, 200, "what the origin says");
    assert_eq!(stage.ask(post("/owa/", "x", "User-Agent: Archiver/1.9\r\n")).await.status, 403, "none come");
    assert_eq!(origin.got().len(), 1);
}

#[tokio::test]
async fn who_is_only_observed_passes_and_is_told_in_the_log() {
    let (stage, origin) = stage(false).await;
    let eas = || post(&format!("{EAS}iPhone"), "x", &with("Archiver/1"));
    for request in [ews("", &with("Archiver/1.9")), ews("", &with("Archiver/1.9")), eas()] {
        assert_eq!(stage.ask(request).await.status, 200);
    }
    assert_eq!(stage.ask(post("/owa/", "x", &with("Archiver/1.9"))).await.status, 200);
    assert_eq!(origin.got().len(), 4);
    let told = verdicts(&stage);
    assert_eq!(told.iter().filter(|told| told.starts_with("would-refuse")).count(), 4, "{told:?}");
    assert!(told[3].ends_with(" observed,BlockList:1/0"), "{told:?}");
}

#[tokio::test]
async fn a_policy_that_only_observes_lets_the_program_of_its_owner_in() {
    let (stage, _origin) = stage(true).await;
    stage.world.hold_john_to(&[("ObserveOnly", Some(1))]);
    for _ in 0..2 {
        assert_eq!(stage.ask(ews("", &with("Archiver/1.9"))).await.status, 200);
    }
    let told = verdicts(&stage);
    assert!(
        told.iter().all(|told| told.starts_with("would-refuse") && told.contains("BlockList:1/0")),
        "{told:?}"
    );
}

#[tokio::test]
async fn a_bypass_lets_everybody_in() {
    let (stage, _origin) = stage(true).await;
    stage.world.gateway.set_bypass(true);
    assert_eq!(stage.ask(ews("", &with("Archiver/1.9"))).await.status, 200);
    stage.world.gateway.set_bypass(false);
    assert_eq!(stage.ask(ews("", &with("Archiver/1.9"))).await.status, 500);
}

/// A `Connect` of Outlook, from this process.
fn connect(process: &str, fields: &str) -> Vec<u8> {
    // The number of the process, its identifier, and where its name begins, with what fills up before and after.
    let fixed = [&[0; 20][..], &28_u16.to_le_bytes(), &[0; 2]].concat();
    let name = process.encode_utf16().chain([0]).flat_map(u16::to_le_bytes);
    let content: Vec<u8> = fixed.into_iter().chain(name).collect();
    let (mut auxiliary, mut body) = (Vec::new(), Vec::new());
    write(&[Block { version: 2, kind: 0x0B, content: &content }], &mut auxiliary);
    let connect = ConnectRequest {
        user_dn: b"/o=x/cn=john",
        flags: 0,
        code_page: 1252,
        sort_locale: 1033,
        string_locale: 1033,
        auxiliary: &auxiliary,
    };
    connect.write(&mut body);
    request("Connect", &format!("{fields}X-ClientApplication: Outlook/16.0.5000.1000\r\n"), &body)
}

/// The error of an answer to `Connect`; none where it is the origin's.
fn error_of(answered: &Answered) -> Option<u32> {
    match AnswerBody::<Connected<'_>>::read(&behind_envelope(&answered.body)) {
        Ok(AnswerBody::Done(connected)) => Some(connected.error_code),
        Ok(AnswerBody::Failed(_)) | Err(_) => None,
    }
}

#[tokio::test]
async fn a_mapi_client_hears_at_connect_that_its_version_is_not_allowed_and_why() {
    let (stage, origin) = stage(true).await;
    let login = basic(JOHN, "secret");
    let refused = stage.ask(connect("SearchIndexer.exe", &login)).await;
    assert_eq!((refused.status, error_of(&refused)), (200, Some(0x04DF)));
    assert_eq!(refused.header("X-FailureDescription").as_deref(), Some("Update it & try again."));
    assert_eq!(refused.header("Set-Cookie"), None);
    assert!(origin.got().is_empty() && stage.world.gateway.sessions().is_empty());
    stage.ask(connect("OUTLOOK.EXE", &login)).await;
    assert_eq!(origin.got().len(), 1, "both have to be there");
    stage.ask(connect("SearchIndexer.exe", "")).await;
    assert_eq!(origin.got().len(), 2, "credentials are asked for first");
    assert_eq!(verdicts(&stage)[0], "refuse held,BlockList:3/0");
}

#[tokio::test]
async fn a_mapi_client_that_is_only_observed_connects() {
    let (stage, origin) = stage(false).await;
    let answered = stage.ask(connect("SearchIndexer.exe", &basic(JOHN, "secret"))).await;
    assert_eq!((answered.status, origin.got().len()), (200, 1));
    assert!(verdicts(&stage)[0].starts_with("would-refuse observed,"), "{:?}", verdicts(&stage));
}

#[tokio::test]
async fn a_session_of_a_program_that_is_kept_out_is_not_taken_in() {
    let (stage, origin) = stage(true).await;
    stage.accept_john_for_mapi().await;
    let before = origin.got().len();
    let fields =
        format!("{}X-ClientInfo: {{C}}:1\r\nX-ClientApplication: CrmTagger/2.1\r\n", basic(JOHN, "secret"));
    let answered = stage.ask(request("Execute", &fields, &execute(&rops(1, &[0])))).await;
    assert_eq!(
        answered.header("X-ResponseCode").as_deref(),
        Some("10"),
        "its client connects anew, and hears why"
    );
    assert_eq!(origin.got().len(), before);
    assert_eq!(verdicts(&stage).pop().unwrap(), "refuse held,BlockList:4/0");
}
