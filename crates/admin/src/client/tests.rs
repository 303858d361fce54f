use std::fs;
use std::path::Path;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;
use crate::token::{ADDRESS_FILE, TOKEN_FILE, publish_address};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

fn data(address: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    publish_address(directory.path(), address.parse().unwrap()).unwrap();
    fs::write(directory.path().join(TOKEN_FILE), format!("{TOKEN}\n")).unwrap();
    directory
}

/// A client of a server that reads one request and answers `answer`, whatever was asked.
async fn client_of(answer: &'static str) -> (Client, tokio::task::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let data = data(&listener.local_addr().unwrap().to_string());
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut asked = vec![0; 4096];
        let read = stream.read(&mut asked).await.unwrap();
        stream.write_all(answer.as_bytes()).await.unwrap();
        String::from_utf8(asked[..read].to_vec()).unwrap()
    });
    (Client::new(Locator::find(data.path()).unwrap()), server)
}

#[test]
fn a_missing_server_is_told_with_the_command_that_starts_one() {
    let directory = tempfile::tempdir().unwrap();
    let shown = directory.path().display();
    assert_eq!(
        Locator::find(directory.path()).unwrap_err().to_string(),
        format!(
            "no server is running on the data directory {shown}: there is no file {shown}/admin-address; start one with \
             `mailweir serve --data {shown}`, or name another data directory with --data"
        )
    );
}

#[test]
fn a_missing_token_names_its_file() {
    let data = data("127.0.0.1:1");
    fs::remove_file(data.path().join(TOKEN_FILE)).unwrap();
    let error = Locator::find(data.path()).unwrap_err().to_string();
    assert!(error.starts_with(&format!("cannot read {}/admin-token: ", data.path().display())), "{error}");
}

#[test]
fn files_that_hold_nothing_usable_are_named() {
    let data = data("127.0.0.1:1");
    fs::write(data.path().join(TOKEN_FILE), "two words\n").unwrap();
    assert!(matches!(Locator::find(data.path()), Err(ClientError::Empty { wanted: "token", .. })));
    fs::write(data.path().join(ADDRESS_FILE), "soon").unwrap();
    assert!(matches!(Locator::find(data.path()), Err(ClientError::Empty { wanted: "address", .. })));
}

#[test]
fn a_server_on_every_address_is_reached_over_loopback() {
    for (listens, reached) in
        [("0.0.0.0:8090", "127.0.0.1:8090"), ("[::]:8090", "[::1]:8090"), ("192.0.2.1:80", "192.0.2.1:80")]
    {
        assert_eq!(Locator::find(data(listens).path()).unwrap().address(), reached);
    }
}

#[test]
fn only_plain_addresses_are_taken_from_the_command_line() {
    let data = data("127.0.0.1:1");
    let token = data.path().join(TOKEN_FILE);
    for (url, told) in [
        ("http://127.0.0.1:8090", Ok("127.0.0.1:8090")),
        ("http://mail.example:80/", Ok("mail.example:80")),
        ("http://[::1]:8090", Ok("[::1]:8090")),
        ("https://127.0.0.1:8090", Err("the API speaks plain HTTP")),
        ("127.0.0.1:8090", Err("http://127.0.0.1:8090")),
        ("http://127.0.0.1", Err("it names no port")),
        ("http://127.0.0.1:8090/api", Err("something follows the port")),
        ("http://", Err("it is not well formed")),
    ] {
        match (Locator::at(url, &token), told) {
            (Ok(locator), Ok(address)) => assert_eq!(locator.address(), address),
            (Err(error), Err(why)) => assert!(error.to_string().contains(why), "{error}"),
            (other, told) => panic!("{url}: {other:?}, not {told:?}"),
        }
    }
    assert!(matches!(Locator::at("http://a:1", Path::new("/no/file")), Err(ClientError::File { .. })));
}

#[test]
fn debug_shows_the_tokens_file_and_not_the_token() {
    let shown = format!("{:?}", Client::new(Locator::find(data("127.0.0.1:1").path()).unwrap()));
    assert!(shown.contains("admin-token") && !shown.contains(TOKEN), "{shown}");
}

#[tokio::test]
async fn nobody_listening_is_told_with_the_file_that_named_the_address() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let data = data(&address);
    let error = Client::new(Locator::find(data.path()).unwrap()).policies().await.unwrap_err().to_string();
    let told = format!("no server answers at {address} (as {}/admin-address says)", data.path().display());
    assert!(error.starts_with(&told), "{error}");
}

#[tokio::test]
async fn the_token_is_sent_and_the_name_is_one_segment() {
    let (client, server) = client_of("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await;
    client.remove_mailbox("S\\john").await.unwrap();
    let asked = server.await.unwrap();
    assert!(asked.starts_with("DELETE /api/v1/mailboxes/S%5Cjohn HTTP/1.1\r\n"), "{asked}");
    assert!(asked.contains(&format!("authorization: Bearer {TOKEN}\r\n")), "{asked}");
}

#[tokio::test]
async fn answers_of_something_that_is_no_mailweir_are_told_as_such() {
    for (answer, told) in [
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n<ht>",
            "the server's answer cannot be used: expected value",
        ),
        (
            "HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n",
            "it answered 500 Internal Server Error without saying why",
        ),
        ("SSH-2.0-OpenSSH_9.2\r\n", "the connection broke"),
        ("HTTP/1.1 401 No\r\ncontent-length: 0\r\n\r\n", "the server does not accept the token in "),
        (
            "HTTP/1.1 409 No\r\ncontent-length: 52\r\n\r\n{\"error\":{\"code\":\"conflict\",\"message\":\"it is used\"}}",
            "it is used",
        ),
    ] {
        let (client, _server) = client_of(answer).await;
        let error = client.policy("Foo").await.unwrap_err().to_string();
        assert!(error.contains(told), "{answer:?}: {error}");
    }
}
