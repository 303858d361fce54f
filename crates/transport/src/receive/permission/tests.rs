use PermissionGroup::{Anonymous, Relay, Servers, Users};

use super::super::settings::ReceiveLimits;
use super::*;

fn connector(groups: &[PermissionGroup]) -> ReceiveConnector {
    ReceiveConnector {
        name: "default".into(),
        bindings: Vec::new(),
        remote_ranges: Vec::new(),
        permission_groups: groups.to_vec(),
        behind_load_balancer: false,
        limits: ReceiveLimits::default(),
    }
}

fn balanced(groups: &[PermissionGroup]) -> ReceiveConnector {
    ReceiveConnector { behind_load_balancer: true, ..connector(groups) }
}

fn server() -> Identity {
    Identity::Server("hub02".into())
}

#[test]
fn each_group_opens_its_own_doors() {
    let check =
        |connector: &ReceiveConnector, identity: Identity, local: Option<u16>, elsewhere: Option<u16>| {
            for (to, expected) in [(To::Local, local), (To::Elsewhere, elsewhere)] {
                let told = may_send(connector, &identity, to).err().map(|words| words.code);
                assert_eq!(told, expected, "{identity:?} to {to:?} by {:?}", connector.permission_groups);
            }
        };
    check(&connector(&[Anonymous]), Identity::Anonymous, None, Some(550));
    check(&connector(&[Anonymous]), Identity::User, None, Some(550));
    check(&connector(&[Users]), Identity::Anonymous, Some(530), Some(530));
    check(&connector(&[Users]), Identity::User, None, None);
    check(&connector(&[Anonymous, Users]), Identity::Anonymous, None, Some(550));
    check(&connector(&[Servers]), Identity::Anonymous, Some(530), Some(530));
    check(&connector(&[Servers]), server(), None, None);
    check(&connector(&[Servers]), Identity::User, Some(550), Some(550));
    check(&connector(&[Relay]), Identity::Anonymous, None, None);
    check(&connector(&[]), Identity::Anonymous, Some(550), Some(550));
    check(&balanced(&[Servers]), server(), Some(550), Some(550));
    check(&balanced(&[Anonymous, Servers]), server(), None, Some(550));
}

#[test]
fn passwords_are_asked_for_where_they_are_private_and_shadows_offered_to_partners_alone() {
    let peer = |identity, private, encrypted| Peer { identity, private, encrypted };
    let check = |connector: &ReceiveConnector, peer: &Peer, expected: &str| {
        let offered = offer(connector, peer, &["hub02".into()], true);
        let words = [(offered.starttls, "STARTTLS"), (offered.auth, "AUTH"), (offered.xshadow, "XSHADOW")];
        let found: Vec<&str> = words.into_iter().filter(|(is, _)| *is).map(|(_, word)| word).collect();
        assert_eq!(found.join(" "), expected, "{peer:?}");
    };
    check(&connector(&[Users]), &peer(Identity::Anonymous, false, false), "STARTTLS");
    check(&connector(&[Users]), &peer(Identity::Anonymous, true, false), "STARTTLS AUTH");
    check(&connector(&[Users]), &peer(Identity::Anonymous, true, true), "AUTH");
    check(&connector(&[Users]), &peer(Identity::User, true, true), "");
    check(&connector(&[Anonymous]), &peer(Identity::Anonymous, true, true), "");
    check(&connector(&[Servers]), &peer(Identity::Anonymous, true, true), "AUTH");
    check(&connector(&[Servers]), &peer(server(), true, true), "XSHADOW");
    check(&connector(&[Servers]), &peer(Identity::Server("hub09".into()), true, true), "");
    check(&balanced(&[Servers]), &peer(Identity::Anonymous, true, true), "");
    check(&balanced(&[Servers]), &peer(server(), true, true), "");
    check(&connector(&[Users]), &peer(server(), true, true), "");
    assert!(
        !offer(&connector(&[Users]), &peer(server(), true, false), &[], false).starttls,
        "no certificate"
    );
}

#[test]
fn a_standing_is_what_the_connector_believes() {
    assert_eq!(server().standing(&connector(&[Servers])), Standing::OwnServer);
    assert_eq!(server().standing(&balanced(&[Servers])), Standing::Stranger);
    assert_eq!(server().standing(&connector(&[Relay])), Standing::OwnClient);
    assert_eq!(Identity::User.standing(&connector(&[Anonymous])), Standing::Stranger);
    assert_eq!(Identity::Anonymous.standing(&connector(&[Relay, Anonymous])), Standing::OwnClient);
}
