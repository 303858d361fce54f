use super::*;

#[test]
fn what_speaks_about_the_peer_marks_and_our_own_errors_never_do() {
    let ours = [
        Failure::TooManyFiles,
        Failure::NoBuffers,
        Failure::AddressNotAvailable,
        Failure::AddressInUse,
        Failure::Forbidden,
        Failure::Other,
    ];
    for failure in Failure::ALL {
        assert_eq!(failure.marks(), !ours.contains(&failure), "{failure}");
    }
}

#[test]
fn the_systems_errors_have_their_winsock_codes() {
    let check = |errno, failure: Failure, code| {
        assert_eq!(Failure::of(&io::Error::from_raw_os_error(errno)), failure, "{errno}");
        assert_eq!(failure.winsock(), Some(code), "{failure}");
    };
    check(111, Failure::Refused, 10061);
    check(110, Failure::TimedOut, 10060);
    check(113, Failure::HostUnreachable, 10065);
    check(112, Failure::HostDown, 10064);
    check(101, Failure::NetworkUnreachable, 10051);
    check(100, Failure::NetworkDown, 10050);
    check(104, Failure::Reset, 10054);
    check(103, Failure::Aborted, 10053);
    check(24, Failure::TooManyFiles, 10024);
    check(23, Failure::TooManyFiles, 10024);
    check(105, Failure::NoBuffers, 10055);
    check(12, Failure::NoBuffers, 10055);
    check(99, Failure::AddressNotAvailable, 10049);
    check(98, Failure::AddressInUse, 10048);
    check(13, Failure::Forbidden, 10013);
    check(1, Failure::Forbidden, 10013);
}

#[test]
fn an_error_that_says_nothing_marks_nobody() {
    assert_eq!(Failure::of(&io::Error::other("?")), Failure::Other);
    assert_eq!(Failure::of(&io::Error::from(io::ErrorKind::TimedOut)), Failure::TimedOut, "without a number");
    assert_eq!(Failure::Other.winsock(), None);
}

#[test]
fn a_peer_that_closes_or_says_nothing_has_a_code_and_one_that_is_busy_has_none() {
    assert_eq!(Failure::ClosedBeforeBanner.winsock(), Some(10101));
    assert_eq!(Failure::SilentBeforeBanner.winsock(), Some(10060));
    assert_eq!(Failure::Busy421.winsock(), None);
}
