use super::{ServerUrl, ServerUrlError};

fn check(text: &str) -> Result<(bool, String, u16, String), ServerUrlError> {
    let url: ServerUrl = text.parse()?;
    Ok((url.is_secure(), url.host().to_owned(), url.port(), url.to_string()))
}

#[test]
fn a_server_is_scheme_host_and_port() {
    let cases = [
        ("https://192.0.2.10", (true, "192.0.2.10", 443, "https://192.0.2.10")),
        ("https://192.0.2.10/", (true, "192.0.2.10", 443, "https://192.0.2.10")),
        ("http://mail.example.com:8080", (false, "mail.example.com", 8080, "http://mail.example.com:8080")),
        ("http://mail.example.com:80", (false, "mail.example.com", 80, "http://mail.example.com")),
        ("HTTPS://[2001:db8::1]:8443", (true, "2001:db8::1", 8443, "https://[2001:db8::1]:8443")),
        ("https://[2001:db8::1]", (true, "2001:db8::1", 443, "https://[2001:db8::1]")),
    ];
    for (text, (secure, host, port, shown)) in cases {
        assert_eq!(check(text), Ok((secure, host.to_owned(), port, shown.to_owned())), "{text}");
    }
}

#[test]
fn whatever_is_more_or_less_is_refused() {
    let cases = [
        ("", ServerUrlError::NoUrl),
        ("192.0.2.10", ServerUrlError::NoUrl),
        ("192.0.2.10:443", ServerUrlError::NoUrl),
        ("https://", ServerUrlError::NoUrl),
        ("https://a:b", ServerUrlError::NoUrl),
        ("https://a:0", ServerUrlError::NoUrl),
        ("https://a:70000", ServerUrlError::NoUrl),
        ("https://a:", ServerUrlError::NoUrl),
        ("ftp://a", ServerUrlError::Scheme),
        ("https://a/owa", ServerUrlError::Path),
        ("https://a/?b", ServerUrlError::Path),
        ("https://john:secret@a", ServerUrlError::User),
    ];
    for (text, error) in cases {
        assert_eq!(check(text), Err(error), "{text}");
    }
}
