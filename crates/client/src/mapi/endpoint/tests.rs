use super::*;

#[test]
fn a_url_is_scheme_host_port_and_path() {
    for (text, secure, host, port, path) in [
        ("https://mail.example.com", true, "mail.example.com", 443, "/mapi/emsmdb"),
        ("https://mail.example.com:8443/", true, "mail.example.com", 8443, "/mapi/emsmdb"),
        ("http://127.0.0.1:8080/mapi/emsmdb/", false, "127.0.0.1", 8080, "/mapi/emsmdb/"),
        ("http://[::1]:8080/x?MailboxId=a@b", false, "::1", 8080, "/x?MailboxId=a@b"),
    ] {
        let endpoint: Endpoint = text.parse().unwrap();
        let read = (endpoint.is_secure(), endpoint.host(), endpoint.port(), endpoint.path());
        assert_eq!(read, (secure, host, port, path), "{text}");
        assert_eq!(endpoint.to_string().parse(), Ok(endpoint), "{text}");
    }
}

#[test]
fn what_is_no_url_of_a_server_is_an_error() {
    for (text, error) in [
        ("", EndpointError::NoUrl),
        ("mail.example.com", EndpointError::NoUrl),
        ("https://", EndpointError::NoUrl),
        ("https://host:0", EndpointError::NoUrl),
        ("https://host:port", EndpointError::NoUrl),
        ("ftp://host", EndpointError::Scheme),
        ("https://john:secret@host", EndpointError::User),
    ] {
        assert_eq!(text.parse::<Endpoint>(), Err(error), "{text}");
    }
}
