//! Somebody who looks at the page of a server: a browser that is logged in.

use crate::driver::Browser;
use crate::support::Server;
use std::fs;

/// The administrator's token, and the helpdesk's.
pub(crate) const ADMINISTRATOR: &str = "admin-token";
pub(crate) const HELPDESK: &str = "readonly-token";

/// A browser at a server's page.
pub(crate) struct Visitor<'s> {
    pub(crate) browser: Browser,
    server: &'s Server,
}

impl<'s> Visitor<'s> {
    /// Logs in with the token in this file of the data directory.
    pub(crate) fn log_in(server: &'s Server, token: &str) -> Self {
        let visitor = Visitor { browser: Browser::start(), server };
        visitor.browser.size(1280, 860);
        visitor.see("/");
        assert_eq!(visitor.browser.path(), "/login");
        let token = fs::read_to_string(server.data().join(token)).unwrap();
        visitor.browser.fill("#token", token.trim());
        visitor.browser.click("form button");
        visitor.browser.wait_until("location.pathname === '/'");
        visitor
    }

    /// Goes to a page of the server.
    pub(crate) fn see(&self, path: &str) {
        self.browser.go(&format!("http://{}{path}", self.server.admin));
    }

    /// Sends the form whose button `selector` finds, and waits for the page that follows.
    pub(crate) fn send(&self, selector: &str) {
        self.browser.run("window.here = true");
        self.browser.click(selector);
        self.browser.wait_until("window.here === undefined && document.readyState === 'complete'");
    }
}
