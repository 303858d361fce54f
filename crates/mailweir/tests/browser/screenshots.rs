//! The pictures of the documentation, from a server under a load that shows something.

use crate::driver::Browser;
use crate::support::Server;
use crate::support::soap::{Client, get_folder};
use crate::visitor::{ADMINISTRATOR, Visitor};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// How long the clients work before the first picture.
const LOAD: Duration = Duration::from_secs(100);

/// What keeps the people of the demo busy: how many clients, and how long each rests between two requests.
const BUSY: [(&str, u64, u64); 3] = [("john.doe", 4, 90), ("jane.doe", 1, 240), ("ken.malcolmson", 1, 700)];

/// A window, and how it looks.
struct Picture {
    name: &'static str,
    path: &'static str,
    width: u32,
    height: u32,
    dark: bool,
}

const PICTURES: [Picture; 4] = [
    Picture { name: "overview", path: "/", width: 1280, height: 1000, dark: false },
    Picture { name: "overview-phone", path: "/", width: 390, height: 844, dark: false },
    Picture { name: "owner", path: "/owners/JohnDoe", width: 1280, height: 1250, dark: false },
    Picture { name: "policy-dark", path: "/policies/Archiver", width: 1280, height: 860, dark: true },
];

#[test]
#[ignore = "needs chromium, and writes the documentation's pictures with MAILWEIR_SCREENSHOTS=1"]
fn chromium_takes_the_pictures_of_the_documentation() {
    if std::env::var_os("MAILWEIR_SCREENSHOTS").is_none() {
        println!("skipped: the pictures are taken with MAILWEIR_SCREENSHOTS=1");
        return;
    }
    let server = Server::start("");
    server.limit("Archiver", &["EWSMaxConcurrency=2", "EWSPercentTimeInCAS=20"], &["JohnDoe"]);
    let done = AtomicBool::new(false);
    let (at, until) = (&server, &done);
    thread::scope(|scope| {
        for (name, clients, rest) in BUSY {
            for _ in 0..clients {
                scope.spawn(move || work(at, name, Duration::from_millis(rest), until));
            }
        }
        thread::sleep(LOAD);
        let visitor = Visitor::log_in(&server, ADMINISTRATOR);
        for picture in &PICTURES {
            visitor.browser.prefer_dark(picture.dark);
            visitor.browser.size(picture.width, picture.height);
            visitor.see(picture.path);
            thread::sleep(Duration::from_secs(2));
            keep(&visitor.browser, picture.name);
        }
        done.store(true, Ordering::SeqCst);
    });
}

fn work(server: &Server, name: &str, rest: Duration, done: &AtomicBool) {
    let client = Client::new(server, name);
    while !done.load(Ordering::SeqCst) {
        let _served_or_refused = client.call(&get_folder("inbox"));
        thread::sleep(rest);
    }
}

fn keep(browser: &Browser, name: &str) {
    let folder = folder();
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(format!("{name}.png")), browser.picture()).unwrap();
}

/// Where the documentation's pictures are.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().join("docs/images")
}
