use super::*;
use crate::token::Role;

fn viewer(role: Role) -> Viewer {
    Viewer { role, form_token: "right".to_owned() }
}

/// A form that John, the administrator, sends from the page.
fn form(viewer: &Viewer) -> Asked<'_> {
    Asked {
        path: "/policies/Foo",
        changes: true,
        host: "127.0.0.1:8090",
        site: Some("same-origin"),
        origin: Some("http://127.0.0.1:8090"),
        viewer: Some(viewer),
        form_token: Some("right"),
    }
}

#[track_caller]
fn check(asked: &Asked<'_>, wanted: Option<Bar>) {
    assert_eq!(bar(asked, &["weir.example.com".to_owned()]), wanted);
}

#[test]
fn only_an_address_localhost_and_configured_names_are_this_server() {
    let john = viewer(Role::Administrator);
    for host in ["127.0.0.1:8090", "[::1]:8090", "localhost", "LOCALHOST:1", "weir.example.com", "10.0.0.1"] {
        check(&Asked { host, origin: None, ..form(&john) }, None);
    }
    for host in
        ["", "evil.example", "evil.example:8090", "127.0.0.1.evil.example", "localhost.evil.example", ":80"]
    {
        check(&Asked { host, origin: None, ..form(&john) }, Some(Bar::WrongName));
        check(&Asked { host, path: LOGIN, viewer: None, ..form(&john) }, Some(Bar::WrongName));
    }
}

#[test]
fn a_form_from_elsewhere_is_refused_whatever_it_brings() {
    let john = viewer(Role::Administrator);
    for site in ["cross-site", "same-site", ""] {
        check(&Asked { site: Some(site), ..form(&john) }, Some(Bar::ForeignForm));
        check(&Asked { site: Some(site), path: LOGIN, ..form(&john) }, Some(Bar::ForeignForm));
    }
    for origin in
        ["http://evil.example", "null", "http://127.0.0.1:9999", "http://127.0.0.1:8090.evil.example"]
    {
        check(&Asked { site: None, origin: Some(origin), ..form(&john) }, Some(Bar::ForeignForm));
    }
    check(&Asked { site: None, ..form(&john) }, None);
    check(&Asked { site: None, origin: None, ..form(&john) }, None);
}

#[test]
fn a_form_without_the_sessions_token_is_refused() {
    let john = viewer(Role::Administrator);
    for form_token in [None, Some(""), Some("wrong")] {
        check(&Asked { form_token, ..form(&john) }, Some(Bar::ForeignForm));
        check(&Asked { form_token, path: LOGOUT, ..form(&john) }, Some(Bar::ForeignForm));
        check(&Asked { form_token, changes: false, ..form(&john) }, None);
    }
}

#[test]
fn the_helpdesk_looks_and_logs_out_and_nothing_else() {
    let helpdesk = viewer(Role::Helpdesk);
    check(&form(&helpdesk), Some(Bar::ReadOnly));
    check(&Asked { path: LOGOUT, ..form(&helpdesk) }, None);
    check(&Asked { changes: false, ..form(&helpdesk) }, None);
}

#[test]
fn without_a_session_there_is_the_login_and_what_it_looks_like() {
    let john = viewer(Role::Administrator);
    for (path, wanted) in [
        ("/", Some(Bar::LogIn)),
        ("/live/overview", Some(Bar::LogIn)),
        ("/login", None),
        ("/login/x", Some(Bar::LogIn)),
        ("/assets/page.css", None),
        ("/assets", Some(Bar::LogIn)),
    ] {
        check(&Asked { path, viewer: None, changes: false, ..form(&john) }, wanted);
    }
    check(&Asked { viewer: None, ..form(&john) }, Some(Bar::LogIn));
}
