use std::ffi::OsString;

use super::*;

fn received(manager: &UnixDatagram) -> String {
    let mut message = [0; 64];
    let length = manager.recv(&mut message).unwrap();
    String::from_utf8_lossy(&message[..length]).into_owned()
}

#[test]
fn a_manager_is_told_on_a_socket_in_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let manager = UnixDatagram::bind(&path).unwrap();
    send(&path.into_os_string(), State::Ready).unwrap();
    assert_eq!(received(&manager), "READY=1");
}

#[test]
fn a_manager_is_told_on_a_socket_with_an_abstract_name() {
    let name = format!("mailweir-test-{}", std::process::id());
    let manager = UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    send(&OsString::from(format!("@{name}")), State::Alive).unwrap();
    assert_eq!(received(&manager), "WATCHDOG=1");
}

#[test]
fn a_manager_that_is_gone_is_an_error_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    assert!(send(&folder.path().join("nobody").into_os_string(), State::Ready).is_err());
}
