use super::*;

#[test]
fn addresses_and_accounts_come_before_the_ready_line() {
    let listening = [("http", 8080), ("submission", 2587), ("admin", 8090)];
    let listening = listening.map(|(name, port)| (name.to_owned(), ([127, 0, 0, 1], port).into()));
    let accounts = Demo::Accounts(vec![("JohnDoe", "john.doe@example.com")]);
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        text(Path::new("d"), &listening, &accounts),
        format!(
            "mailweir {version}, data in d\n  http       http://127.0.0.1:8080/EWS/Exchange.asmx\n  \
             submission smtp://127.0.0.1:2587\n  admin      http://127.0.0.1:8090\ndemo accounts, password demo-password:\n  JohnDoe          \
             john.doe@example.com\nmailweir ready\n"
        )
    );
    assert_eq!(
        text(Path::new("d"), &[], &Demo::NotAsked),
        format!("mailweir {version}, data in d\nmailweir ready\n")
    );
}
