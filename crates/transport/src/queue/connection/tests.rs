use super::*;

#[test]
fn a_connection_carries_at_most_twenty_messages() {
    let settings = QueueSettings::default();
    let check = |sent, ready, service, expected| {
        assert_eq!(after_message(sent, ready, service, &settings), expected, "{sent} sent, {ready} ready");
    };
    check(1, 5, Service::Enabled, After::Send);
    check(19, 1, Service::Enabled, After::Send);
    check(20, 1, Service::Enabled, After::Close(Ending::Spent));
    check(3, 0, Service::Enabled, After::Close(Ending::NothingLeft));
    check(3, 9, Service::Draining, After::Close(Ending::OutOfService));
    check(3, 9, Service::Disabled, After::Close(Ending::OutOfService));
}

#[test]
fn the_last_tenth_is_for_next_hops_that_have_none() {
    let settings = QueueSettings { max_outbound_connections: 20, ..QueueSettings::default() };
    let mut connections = Connections::new(&settings);
    let of_one = (0..30).take_while(|of_hop| connections.take(*of_hop)).count();
    assert_eq!(of_one, 18);
    assert!(connections.take(0) && connections.take(0));
    assert!(!connections.take(0), "all are open");
    connections.give_back();
    assert!(!connections.may_open(1) && connections.may_open(0));
    assert_eq!(connections.open(), 19);
}

#[test]
fn a_process_of_one_connection_still_sends() {
    let settings = QueueSettings { max_outbound_connections: 1, ..QueueSettings::default() };
    assert!(Connections::new(&settings).take(0));
}
