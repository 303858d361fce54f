use super::*;

fn encode(text: &str) -> String {
    STANDARD.encode(text)
}

fn done(name: &str, password: &str, acts_for: &str) -> Progress {
    Progress::Done(Credentials {
        acts_for: acts_for.to_owned(),
        name: name.to_owned(),
        password: Secret::new(password.to_owned()),
    })
}

#[test]
fn plain_says_everything_in_one_line() {
    let cases = [
        ("\0john\0secret", done("john", "secret", "")),
        ("jane\0john\0secret", done("john", "secret", "jane")),
        ("\0jörg@example.com\0pässword", done("jörg@example.com", "pässword", "")),
        ("\0john\0", done("john", "", "")),
        ("john\0secret", Progress::Malformed),
        ("\0\0secret", Progress::Malformed),
        ("\0john\0a\0b", Progress::Malformed),
        ("\0jo\nhn\0secret", Progress::Malformed),
        ("", Progress::Malformed),
    ];
    for (text, expected) in cases {
        assert_eq!(Exchange::Plain.answered(&encode(text)), expected, "{text:?}");
    }
    assert_eq!(Exchange::Plain.answered("no base64!"), Progress::Malformed);
    assert_eq!(Exchange::Plain.answered("="), Progress::Malformed);
    assert_eq!(Exchange::Plain.answered("*"), Progress::Cancelled);
}

#[test]
fn login_asks_for_the_name_and_then_for_the_password() {
    let Progress::Ask(exchange, ask) = Exchange::begin(Mechanism::Login, None) else { panic!() };
    assert_eq!(STANDARD.decode(ask).unwrap(), b"Username:");
    let Progress::Ask(exchange, ask) = exchange.answered(&encode("john")) else { panic!() };
    assert_eq!(STANDARD.decode(ask).unwrap(), b"Password:");
    assert_eq!(exchange.answered(&encode("secret")), done("john", "secret", ""));
}

#[test]
fn what_is_sent_along_saves_a_round() {
    let initial = Secret::new(encode("\0john\0secret"));
    assert_eq!(Exchange::begin(Mechanism::Plain, Some(&initial)), done("john", "secret", ""));
    let initial = Secret::new(encode("john"));
    let Progress::Ask(exchange, _) = Exchange::begin(Mechanism::Login, Some(&initial)) else { panic!() };
    assert_eq!(exchange.answered("="), done("john", "", ""));
}

#[test]
fn what_a_client_writes_a_server_reads() {
    let credentials = Credentials {
        acts_for: String::new(),
        name: "john@example.com".to_owned(),
        password: Secret::new("p w".to_owned()),
    };
    let read = Exchange::begin(Mechanism::Plain, Some(&credentials.plain()));
    assert_eq!(read, Progress::Done(credentials.clone()));
    let [name, password] = credentials.login();
    let Progress::Ask(exchange, _) = Exchange::LoginName.answered(name.expose()) else { panic!() };
    assert_eq!(exchange.answered(password.expose()), Progress::Done(credentials));
}

#[test]
fn a_password_is_never_printed() {
    let Progress::Done(credentials) = Exchange::Plain.answered(&encode("\0john\0secret")) else { panic!() };
    let printed = format!("{credentials:?}");
    assert!(printed.contains("john") && !printed.contains("secret"), "{printed}");
}
