use super::*;

fn session() -> Session {
    Session::new(ReceiveLimits::default(), Tick::START)
}

fn minutes(count: u64) -> Tick {
    Tick::START.plus(Micros::MINUTE.times(count))
}

#[test]
fn five_errors_are_borne_and_the_third_wrong_password_is_the_last() {
    let mut session = session();
    let errors = (0..9).take_while(|_| session.protocol_error().is_ok()).count();
    assert_eq!(errors, 5);
    assert_eq!(session.logon_failure().and(session.logon_failure()), Ok(()));
    assert_eq!(
        session.logon_failure().unwrap_err().to_string(),
        "421 4.7.0 Too many failed logons on this connection, closing transmission channel"
    );
}

#[test]
fn a_session_ends_after_silence_and_in_any_case() {
    let mut session = session();
    assert_eq!(session.patience(Tick::START), Patience::Until(minutes(5)));
    assert_eq!(session.patience(minutes(5)), Patience::Over(Words::INACTIVE));
    session.heard(minutes(4));
    assert_eq!(session.patience(minutes(5)), Patience::Until(minutes(9)));
    session.heard(minutes(9));
    assert_eq!(session.patience(minutes(9)), Patience::Until(minutes(10)));
    assert_eq!(session.patience(minutes(10)), Patience::Over(Words::SESSION_TIMEOUT));
}

#[test]
fn exactly_the_limit_still_passes() {
    let session = session();
    assert_eq!(session.one_more_recipient(199), Ok(()));
    assert_eq!(session.one_more_recipient(200).unwrap_err().to_string(), "452 4.5.3 Too many recipients");
    assert_eq!(session.size(36 << 20), Ok(()));
    assert_eq!(session.size((36 << 20) + 1), Err(Words::TOO_LARGE));
    assert_eq!(session.header(30, 256 << 10), Ok(()));
    assert_eq!(
        session.header(31, 0).unwrap_err().to_string(),
        "554 5.4.6 Hop count exceeded - possible mail loop"
    );
    assert_eq!(session.header(0, (256 << 10) + 1), Err(Words::HEADER_TOO_LARGE));
}

#[test]
fn only_a_strangers_refusals_are_held_back() {
    let limits = ReceiveLimits::default();
    let seconds = |standing, code| tarpit(&limits, standing, code).count() / 1_000_000;
    assert_eq!(seconds(Standing::Stranger, 550), 5);
    assert_eq!(seconds(Standing::Stranger, 450), 0);
    assert_eq!(seconds(Standing::Stranger, 250), 0);
    assert_eq!(seconds(Standing::OwnClient, 550), 0);
    assert_eq!(seconds(Standing::OwnServer, 535), 0);
}
