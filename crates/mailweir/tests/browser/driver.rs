//! Chromium and its driver, and the little of the `WebDriver` protocol that is needed: JSON over HTTP.

use crate::support::{eventually, http};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// How long the driver may take to start, and a page to become what is awaited.
const PATIENCE: Duration = Duration::from_secs(30);
/// The driver's program.
const DRIVER: &str = "chromedriver";
/// The key of an element's identity in `WebDriver`'s JSON.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// The keys that have no letter.
pub(crate) const TAB: &str = "\u{e004}";
pub(crate) const ENTER: &str = "\u{e007}";
pub(crate) const RIGHT: &str = "\u{e014}";

/// A browser with one window.
pub(crate) struct Browser {
    driver: Child,
    address: SocketAddr,
    session: String,
    /// Removed with the browser.
    profile: tempfile::TempDir,
}

impl Browser {
    /// Starts one.
    pub(crate) fn start() -> Browser {
        let profile = tempfile::tempdir().unwrap();
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
        let driver = Command::new(DRIVER)
            .arg(format!("--port={}", address.port()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{DRIVER}: {error}; run ./check, which installs it"));
        let mut browser = Browser { driver, address, session: String::new(), profile };
        let ready = eventually(PATIENCE, || TcpStream::connect(address).ok());
        assert!(ready.is_some(), "{DRIVER} does not listen");
        let folder = browser.profile.path().join("profile");
        let arguments = [
            "--headless=new".to_owned(),
            "--hide-scrollbars".to_owned(),
            "--disable-gpu".to_owned(),
            "--disable-dev-shm-usage".to_owned(),
            // The tests run as root in containers, where Chromium's own sandbox cannot be set up.
            "--no-sandbox".to_owned(),
            format!("--user-data-dir={}", folder.display()),
        ];
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
        }}});
        let session = browser.ask("POST", "/session", &wanted);
        session["sessionId"].as_str().unwrap().clone_into(&mut browser.session);
        // What is looked for may be on a page that is still coming.
        let patience = u64::try_from(PATIENCE.as_millis()).unwrap();
        browser.post("/timeouts", &json!({"implicit": patience}));
        browser
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, answer) = exchange(self.address, method, path, &body.to_string());
        assert_eq!(status, 200, "{method} {path} {body}: {answer}");
        answer["value"].clone()
    }

    fn session(&self, method: &str, path: &str, body: &Value) -> Value {
        self.ask(method, &format!("/session/{}{path}", self.session), body)
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.session("POST", path, body)
    }

    /// Goes to `url` and waits until it is there.
    pub(crate) fn go(&self, url: &str) {
        self.post("/url", &json!({"url": url}));
    }

    /// The path of the page that is shown.
    pub(crate) fn path(&self) -> String {
        self.run("return location.pathname + location.search").as_str().unwrap().to_owned()
    }

    /// Runs a script in the page; gives what it returns.
    pub(crate) fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({"script": script, "args": []}))
    }

    fn element(&self, selector: &str) -> String {
        let found = self.post("/element", &json!({"using": "css selector", "value": selector}));
        found[ELEMENT].as_str().unwrap().to_owned()
    }

    /// Clicks at what `selector` finds first.
    pub(crate) fn click(&self, selector: &str) {
        self.post(&format!("/element/{}/click", self.element(selector)), &json!({}));
    }

    /// Empties the field that `selector` finds first, and types `text` into it.
    pub(crate) fn fill(&self, selector: &str, text: &str) {
        let element = self.element(selector);
        self.post(&format!("/element/{element}/clear"), &json!({}));
        self.post(&format!("/element/{element}/value"), &json!({"text": text}));
    }

    /// Presses keys one after the other, wherever the focus is.
    pub(crate) fn press(&self, keys: &[&str]) {
        let down_and_up =
            |key: &&str| [json!({"type": "keyDown", "value": key}), json!({"type": "keyUp", "value": key})];
        let actions: Vec<Value> = keys.iter().flat_map(down_and_up).collect();
        self.post("/actions", &json!({"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}));
    }

    /// The text of the page's content.
    pub(crate) fn text(&self) -> String {
        self.text_of("main")
    }

    /// The text of what `selector` finds first; empty, where it finds nothing.
    pub(crate) fn text_of(&self, selector: &str) -> String {
        let script = format!("return document.querySelector({selector:?})?.innerText ?? ''");
        self.run(&script).as_str().unwrap().to_owned()
    }

    /// How many elements `selector` finds.
    pub(crate) fn count(&self, selector: &str) -> u64 {
        self.run(&format!("return document.querySelectorAll({selector:?}).length")).as_u64().unwrap()
    }

    /// Waits until `script` returns true.
    #[track_caller]
    pub(crate) fn wait_until(&self, script: &str) {
        let seen = eventually(PATIENCE, || (self.run(&format!("return {script}")) == true).then_some(()));
        assert!(seen.is_some(), "never true: {script}\n{}", self.text());
    }

    /// What pages said in the console since this was last asked.
    pub(crate) fn console(&self) -> Vec<String> {
        let lines = self.post("/se/log", &json!({"type": "browser"}));
        lines.as_array().unwrap().iter().map(|line| line["message"].as_str().unwrap().to_owned()).collect()
    }

    fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.post("/goog/cdp/execute", &json!({"cmd": command, "params": parameters}))
    }

    /// Makes the window so large; a narrow one is a phone's.
    pub(crate) fn size(&self, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        self.devtools("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Prefers a dark page, or a light one.
    pub(crate) fn prefer_dark(&self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let wish = json!({"features": [{"name": "prefers-color-scheme", "value": value}]});
        self.devtools("Emulation.setEmulatedMedia", &wish);
    }

    /// Switches the scripts of pages off, or on again.
    pub(crate) fn without_scripts(&self, off: bool) {
        self.devtools("Emulation.setScriptExecutionDisabled", &json!({"value": off}));
    }

    /// A picture of the window, as PNG.
    pub(crate) fn picture(&self) -> Vec<u8> {
        let picture = self.session("GET", "/screenshot", &Value::Null);
        BASE64_STANDARD.decode(picture.as_str().unwrap()).unwrap()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            // It closes the browser; what it answers does not matter any more.
            let _answer = try_exchange(self.address, "DELETE", &format!("/session/{}", self.session), "");
        }
        let _already_gone = self.driver.kill();
        let _ended = self.driver.wait();
    }
}

fn exchange(address: SocketAddr, method: &str, path: &str, body: &str) -> (u16, Value) {
    try_exchange(address, method, path, body).unwrap_or_else(|error| panic!("{method} {path}: {error}"))
}

/// One request to the driver, and its answer in JSON.
fn try_exchange(address: SocketAddr, method: &str, path: &str, body: &str) -> std::io::Result<(u16, Value)> {
    let mut stream = http::connect(address);
    let (host, length) = (address, body.len());
    let body = if method == "GET" { "" } else { body };
    let length = if body.is_empty() { String::new() } else { format!("content-length: {length}\r\n") };
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-type: application/json\r\n{length}\r\n{body}"
    )?;
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let mut length = 0;
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(told) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = told.trim().parse().unwrap_or(0);
        }
    }
    let mut bytes = Vec::new();
    reader.take(length).read_to_end(&mut bytes)?;
    Ok((status, serde_json::from_slice(&bytes)?))
}
