//! Sessions, line by line.

use super::check;

#[test]
fn a_message_is_sent_as_in_the_rfc() {
    check(
        r"
        C: EHLO pc1.example.com
        S: 250-hub01
        S: 250-SIZE 1000
        S: 250-PIPELINING
        S: 250-8BITMIME
        S: 250-SMTPUTF8
        S: 250-CHUNKING
        S: 250-ENHANCEDSTATUSCODES
        S: 250-STARTTLS
        S: 250-DSN
        S: 250 XSHADOW
        C: MAIL FROM:<john@example.com> SIZE=20 BODY=8BITMIME
        S: 250 2.1.0 Sender OK
        C: RCPT TO:<jane@example.com>
        S: 250 2.1.5 Recipient OK
        C: RCPT TO:<no@example.com>
        S: 550 5.1.1 Recipient not found: check the address
        C: DATA
        S: 354 Start mail input; end with <CRLF>.<CRLF>
        C: Subject: dots
        C:
        C: ..one
        C: .
        M: Subject: dots\r\n\r\n.one\r\n
        S: 250 2.6.0 1 Queued mail for delivery
        C: QUIT
        S: 221 2.0.0 Service closing transmission channel
        C: NOOP
        ",
    );
}

#[test]
fn commands_that_come_together_are_answered_one_by_one() {
    check(
        r"
        C: HELO x
        C: MAIL FROM:<>
        C: RCPT TO:<no@example.com>
        C: RCPT TO:<postmaster>
        C: DATA
        S: 250 hub01
        S: 250 2.1.0 Sender OK
        S: 550 5.1.1 Recipient not found: check the address
        S: 250 2.1.5 Recipient OK
        S: 354 Start mail input; end with <CRLF>.<CRLF>
        C: .
        C: MAIL FROM:<a@b>
        C: RSET
        C: RCPT TO:<a@b>
        C: NOOP ignored
        C: HELP
        C: VRFY john
        C: QUIT
        M:
        S: 250 2.6.0 1 Queued mail for delivery
        S: 250 2.1.0 Sender OK
        S: 250 2.0.0 OK
        S: 503 5.5.1 Bad sequence of commands: send MAIL first
        S: 250 2.0.0 OK
        S: 214 2.0.0 See RFC 5321
        S: 252 2.1.5 Cannot VRFY user, but will accept the message and attempt delivery
        S: 221 2.0.0 Service closing transmission channel
        ",
    );
}

#[test]
fn commands_out_of_order_are_answered_with_what_is_wanted_first() {
    check(
        r"
        C: MAIL FROM:<a@b>
        S: 503 5.5.1 Bad sequence of commands: send EHLO first
        C: STARTTLS
        S: 503 5.5.1 Bad sequence of commands: send EHLO first
        C: LHLO x
        S: 500 5.5.1 Unrecognized command
        C: HELO x
        S: 250 hub01
        C: RCPT TO:<a@b>
        C: DATA
        S: 503 5.5.1 Bad sequence of commands: send MAIL first
        S: 503 5.5.1 Bad sequence of commands: send MAIL first
        C: MAIL FROM:<a@b> SIZE=1
        S: 555 5.5.4 Unsupported parameter
        C: MAIL FROM:<a@b>
        C: MAIL FROM:<a@b>
        C: DATA
        S: 250 2.1.0 Sender OK
        S: 503 5.5.1 Bad sequence of commands: a message has begun, finish it or send RSET
        S: 503 5.5.1 Bad sequence of commands: send RCPT first
        C: HELO again
        C: RCPT TO:<a@b>
        S: 250 hub01
        S: 503 5.5.1 Bad sequence of commands: send MAIL first
        C: XQDISCARD 1
        C: BDAT 4
        C! NOOP
        S: 502 5.5.1 Command not offered here
        S: 502 5.5.1 Command not offered here
        ",
    );
}

#[test]
fn a_message_comes_in_chunks_of_exact_size() {
    check(
        r"
        C: HELO x
        C: EHLO x
        S: 250 hub01
        S: 250-hub01
        S: 250-SIZE 1000
        S: 250-PIPELINING
        S: 250-8BITMIME
        S: 250-SMTPUTF8
        S: 250-CHUNKING
        S: 250-ENHANCEDSTATUSCODES
        S: 250-STARTTLS
        S: 250-DSN
        S: 250 XSHADOW
        C: MAIL FROM:<a@b>
        C: RCPT TO:<c@d>
        C: BDAT 10
        C! .\r\nQUIT\r\n.
        C: BDAT 0
        C: BDAT 4 LAST
        C! \r\n.\n
        S: 250 2.1.0 Sender OK
        S: 250 2.1.5 Recipient OK
        S: 250 2.6.0 CHUNK received OK, 10 octets
        S: 250 2.6.0 CHUNK received OK, 10 octets
        S: 550 5.6.11 Message contains a LF without CR; lines end in CR LF
        C: MAIL FROM:<a@b>
        C: RCPT TO:<c@d>
        C: BDAT 3
        C! ab\r
        C: BDAT 5 LAST
        C! \n.\r\n.
        S: 250 2.1.0 Sender OK
        S: 250 2.1.5 Recipient OK
        S: 250 2.6.0 CHUNK received OK, 2 octets
        M: ab\r\n.\r\n.
        S: 250 2.6.0 1 Queued mail for delivery
        ",
    );
}

#[test]
fn chunks_and_data_do_not_mix_and_a_refused_chunk_is_read_to_its_end() {
    check(
        r"
        C: EHLO x
        S: 250-hub01
        S: 250-SIZE 1000
        S: 250-PIPELINING
        S: 250-8BITMIME
        S: 250-SMTPUTF8
        S: 250-CHUNKING
        S: 250-ENHANCEDSTATUSCODES
        S: 250-STARTTLS
        S: 250-DSN
        S: 250 XSHADOW
        C: BDAT 6 LAST
        C! QUIT\r\n
        S: 503 5.5.1 Bad sequence of commands: send MAIL first
        C: MAIL FROM:<a@b>
        C: BDAT 6 LAST
        C! QUIT\r\n
        S: 250 2.1.0 Sender OK
        S: 503 5.5.1 Bad sequence of commands: send RCPT first
        C: RCPT TO:<c@d>
        C: BDAT 1
        C! a
        C: RCPT TO:<e@f>
        C: DATA
        S: 250 2.1.5 Recipient OK
        S: 250 2.6.0 CHUNK received OK, 1 octets
        S: 503 5.5.1 Bad sequence of commands: the message comes in chunks, send BDAT or RSET
        S: 503 5.5.1 Bad sequence of commands: the message comes in chunks, send BDAT or RSET
        C: BDAT 2
        C! a\n
        C: BDAT 6 LAST
        C! QUIT\r\n
        S: 550 5.6.11 Message contains a LF without CR; lines end in CR LF
        S: 503 5.5.1 Bad sequence of commands: send MAIL first
        C: MAIL FROM:<a@b>
        C: RCPT TO:<c@d>
        C: BDAT 1500 LAST
        C! QUIT\r\n
        S: 250 2.1.0 Sender OK
        S: 250 2.1.5 Recipient OK
        ",
    );
}

#[test]
fn a_chunk_without_a_size_or_with_one_beyond_all_bounds_ends_the_connection() {
    for (line, reply) in [
        ("BDAT x LAST", "501 5.5.4 Syntax: BDAT size [LAST]; closing connection"),
        ("BDAT 99999999999999999999", "501 5.5.4 Syntax: BDAT size [LAST]; closing connection"),
        ("BDAT", "501 5.5.4 Syntax: BDAT size [LAST]; closing connection"),
        (r"BDAT 6\nQUIT", "501 5.5.4 Syntax: BDAT size [LAST]; closing connection"),
        (&format!("BDAT {}6", "0".repeat(3000)), "501 5.5.4 Syntax: BDAT size [LAST]; closing connection"),
        ("BDAT 2001 LAST", "552 5.3.4 Chunk size exceeds fixed maximum message size; closing connection"),
    ] {
        check(&format!("C: {line}\nC: QUIT\nS: {reply}"));
    }
}

#[test]
fn a_client_authenticates_under_tls_and_only_there() {
    check(
        r"
        C: EHLO x
        S: 250-hub01
        S: 250-SIZE 1000
        S: 250-PIPELINING
        S: 250-8BITMIME
        S: 250-SMTPUTF8
        S: 250-CHUNKING
        S: 250-ENHANCEDSTATUSCODES
        S: 250-STARTTLS
        S: 250-DSN
        S: 250 XSHADOW
        C: AUTH PLAIN AGpvaG4Ac2VjcmV0
        S: 538 5.7.11 Encryption required for the requested authentication mechanism: send STARTTLS first
        C: STARTTLS
        S: 220 2.0.0 Ready to start TLS
        C: AUTH PLAIN
        S: 503 5.5.1 Bad sequence of commands: send EHLO first
        C: EHLO x
        S: 250-hub01
        S: 250-SIZE 1000
        S: 250-PIPELINING
        S: 250-8BITMIME
        S: 250-SMTPUTF8
        S: 250-CHUNKING
        S: 250-ENHANCEDSTATUSCODES
        S: 250-DSN
        S: 250-XSHADOW
        S: 250 AUTH PLAIN LOGIN
        C: AUTH PLAIN AGpvaG4Ad3Jvbmc=
        S: 535 5.7.8 Authentication unsuccessful: name or password is wrong
        C: AUTH PLAIN
        S: 334
        C: *
        S: 501 5.7.0 Authentication cancelled
        C: AUTH PLAIN
        S: 334
        C: !
        S: 501 5.5.2 Cannot decode the authentication response
        C: AUTH LOGIN
        S: 334 VXNlcm5hbWU6
        C: am9obg==
        S: 334 UGFzc3dvcmQ6
        C: c2VjcmV0
        S: 235 2.7.0 Authentication successful
        C: AUTH PLAIN
        S: 503 5.5.1 Bad sequence of commands: already authenticated
        C: MAIL FROM:<a@b> AUTH=<>
        S: 250 2.1.0 Sender OK
        ",
    );
}

#[test]
fn odd_bytes_are_refused_and_the_session_goes_on() {
    check(
        r"
        C! HELO x\n
        S: 500 5.5.2 Lines end in CR LF; a bare CR or LF is refused
        C: HELO x
        S: 250 hub01
        C: RSET\rQUIT
        S: 500 5.5.2 Command has control characters or bytes that are no UTF-8
        C: NOOP\0
        S: 500 5.5.2 Command has control characters or bytes that are no UTF-8
        C: MAIL FROM:<\xff@b>
        S: 500 5.5.2 Command has control characters or bytes that are no UTF-8
        C: MAIL FROM:<j\xc3\xb6rg@example.com>
        S: 553 5.6.7 An address of another script needs the SMTPUTF8 parameter
        C: EXPN staff
        S: 502 5.5.1 Command not implemented
        C: POST / HTTP/1.1
        C: Host: hub01
        S: 554 5.5.1 This is SMTP; closing connection
        ",
    );
}

#[test]
fn addresses_of_any_script_are_taken_where_they_are_announced() {
    check(
        r"
        C: EHLO x
        S: 250-hub01
        S: 250-SIZE 1000
        S: 250-PIPELINING
        S: 250-8BITMIME
        S: 250-SMTPUTF8
        S: 250-CHUNKING
        S: 250-ENHANCEDSTATUSCODES
        S: 250-STARTTLS
        S: 250-DSN
        S: 250 XSHADOW
        C: MAIL FROM:<a@b>
        C: RCPT TO:<j\xc3\xb6rg@example.com>
        C: RSET
        S: 250 2.1.0 Sender OK
        S: 553 5.6.7 An address of another script needs the SMTPUTF8 parameter
        S: 250 2.0.0 OK
        C: MAIL FROM:<j\xc3\xb6rg@b\xc3\xbccher.example> SMTPUTF8
        C: RCPT TO:<j\xc3\xb6rg@example.com>
        S: 250 2.1.0 Sender OK
        S: 250 2.1.5 Recipient OK
        ",
    );
}

#[test]
fn a_message_too_large_is_refused_by_its_size_or_at_its_end() {
    let line = "x".repeat(78);
    let body = format!("C: {line}\n").repeat(13);
    check(&format!(
        "
        C: EHLO x
        S: 250-hub01
        S: 250-SIZE 1000
        S: 250-PIPELINING
        S: 250-8BITMIME
        S: 250-SMTPUTF8
        S: 250-CHUNKING
        S: 250-ENHANCEDSTATUSCODES
        S: 250-STARTTLS
        S: 250-DSN
        S: 250 XSHADOW
        C: MAIL FROM:<a@b> SIZE=1001
        S: 552 5.3.4 Message size exceeds fixed maximum message size
        C: MAIL FROM:<a@b> SIZE=1000
        C: RCPT TO:<c@d>
        C: DATA
        S: 250 2.1.0 Sender OK
        S: 250 2.1.5 Recipient OK
        S: 354 Start mail input; end with <CRLF>.<CRLF>
        {body}
        C: .
        S: 552 5.3.4 Message size exceeds fixed maximum message size
        C: NOOP
        S: 250 2.0.0 OK
        "
    ));
}

#[test]
fn a_smuggled_message_is_refused_with_its_carrier() {
    for ending in [r"\n.\n", r"\n.\r\n", r"\r.\r", r"\r\n.\n", r"\r\n.\r", r"\r\n.\r\r\n"] {
        check(&format!(
            r"
            C: HELO x
            C: MAIL FROM:<a@b>
            C: RCPT TO:<c@d>
            C: DATA
            S: 250 hub01
            S: 250 2.1.0 Sender OK
            S: 250 2.1.5 Recipient OK
            S: 354 Start mail input; end with <CRLF>.<CRLF>
            C: harmless{ending}MAIL FROM:<admin@example.com>
            C: RCPT TO:<c@d>
            C: DATA
            C: evil
            C: .
            S: 554 5.6.11 A dot between line endings that are not CR LF is no end of a message; closing connection
            "
        ));
    }
}

#[test]
fn a_message_with_a_lone_line_feed_is_refused_at_its_end_and_the_session_goes_on() {
    check(
        r"
        C: HELO x
        C: MAIL FROM:<a@b>
        C: RCPT TO:<c@d>
        C: DATA
        S: 250 hub01
        S: 250 2.1.0 Sender OK
        S: 250 2.1.5 Recipient OK
        S: 354 Start mail input; end with <CRLF>.<CRLF>
        C: one\ntwo
        C: .
        C: QUIT
        S: 550 5.6.11 Message contains a LF without CR; lines end in CR LF
        S: 221 2.0.0 Service closing transmission channel
        ",
    );
}

#[test]
fn a_holder_of_shadows_asks_for_discards() {
    check(
        r"
        C: EHLO hub02
        S: 250-hub01
        S: 250-SIZE 1000
        S: 250-PIPELINING
        S: 250-8BITMIME
        S: 250-SMTPUTF8
        S: 250-CHUNKING
        S: 250-ENHANCEDSTATUSCODES
        S: 250-STARTTLS
        S: 250-DSN
        S: 250 XSHADOW
        C: MAIL FROM:<a@b> XSHADOW=017
        S: 503 5.5.1 Bad sequence of commands: send XSHADOW first
        C: XQDISCARD 10
        S: 503 5.5.1 Bad sequence of commands: send XSHADOW first
        C: XSHADOW hub02
        S: 250 2.0.0 4f2a90c1
        C: MAIL FROM:<a@b> XSHADOW=017
        C: XQDISCARD 10
        C: RSET
        S: 250 2.1.0 Sender OK
        S: 503 5.5.1 Bad sequence of commands: a message has begun, finish it or send RSET
        S: 250 2.0.0 OK
        C: XQDISCARD 10 7
        S: 250-2.0.0 9 2 0
        S: 250-2.0.0 017
        S: 250 2.0.0 018
        ",
    );
}
