//! The administration page, asked as a browser asks.

mod queues;

use std::fmt::Write as _;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::World;
use super::world::{Answer, johns_calls, mapi_session};
use crate::server::AdminSettings;
use crate::token::READ_ONLY_TOKEN_FILE;
use crate::types::{MapiSession, OriginLoad, OwnerCalls};

/// How long a test waits for what comes by itself.
const PATIENCE: Duration = Duration::from_secs(20);

/// Every page that one looks at.
const PAGES: [&str; 13] = [
    "/",
    "/owners",
    "/owners/JohnDoe",
    "/owners/nobody@example.net",
    "/policies",
    "/policies/Foo",
    "/mailboxes",
    "/sessions",
    "/queues",
    "/servers",
    "/events",
    "/audit",
    "/bypass",
];

/// Every form that changes something.
const FORMS: [(&str, &str); 15] = [
    ("/policies", "name=Bar"),
    ("/policies/Foo", "how.EWSFindCountLimit=none"),
    ("/policies/Foo/review", "how.EWSFindCountLimit=none"),
    ("/policies/Foo/what-if", "how.EWSFindCountLimit=none"),
    ("/policies/Foo/default", ""),
    ("/policies/Foo/remove", ""),
    ("/owners/JohnDoe", "policy=Foo"),
    ("/mailboxes/repair", ""),
    ("/sessions/7/close", ""),
    ("/servers/x/disable", ""),
    ("/queues/x/retry", ""),
    ("/messages/7/remove", "report=true"),
    ("/bypass", "on=true"),
    ("/nowhere", ""),
    ("/logout", ""),
];

/// Somebody with a browser.
struct Browser<'w> {
    world: &'w World,
    cookie: String,
    form_token: String,
}

impl<'w> Browser<'w> {
    async fn log_in(world: &'w World, token: &str) -> Self {
        let answer = post(world, "/login", "", &format!("token={token}")).await;
        assert_eq!(answer.status, 303, "{answer:?}");
        let cookie = answer.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        let cookie = cookie.split(';').next().unwrap().to_owned();
        let mut browser = Self { world, cookie, form_token: String::new() };
        let page = browser.see("/policies").await;
        let (_, rest) = page.body.split_once("name=\"form_token\" value=\"").unwrap();
        rest.split('"').next().unwrap().clone_into(&mut browser.form_token);
        browser
    }

    async fn administrator(world: &'w World) -> Self {
        Self::log_in(world, &world.token()).await
    }

    async fn helpdesk(world: &'w World) -> Self {
        let token = std::fs::read_to_string(world.data.path().join(READ_ONLY_TOKEN_FILE)).unwrap();
        Self::log_in(world, token.trim()).await
    }

    async fn see(&self, path: &str) -> Answer {
        self.world.ask_with("GET", path, &host(&format!("cookie: {}\r\n", self.cookie)), "").await
    }

    async fn send(&self, path: &str, fields: &str) -> Answer {
        let form = format!("form_token={}&{fields}", self.form_token);
        post(self.world, path, &format!("cookie: {}\r\n", self.cookie), &form).await
    }
}

/// The page is asked by an address, which every browser knows it by.
fn host(headers: &str) -> String {
    format!("{headers}content-type: application/x-www-form-urlencoded\r\n")
}

async fn post(world: &World, path: &str, headers: &str, form: &str) -> Answer {
    world.ask_with("POST", path, &host(&format!("sec-fetch-site: same-origin\r\n{headers}")), form).await
}

#[tokio::test]
async fn whoever_is_not_logged_in_is_led_to_the_login_and_back() {
    let world = World::example().await;
    let answer = world.ask_with("GET", "/owners?top=50", "", "").await;
    assert_eq!(answer.status, 303);
    assert!(answer.head.contains("location: /login?next=%2Fowners%3Ftop%3D50"), "{answer:?}");
    let answer = world.ask_with("GET", "/login?next=%2Fowners%3Ftop%3D50", "", "").await;
    assert!(answer.body.contains("name=\"next\" value=\"/owners?top=50\""), "{answer:?}");
    let answer = post(&world, "/login", "", &format!("token={}&next=/owners?top=50", world.token())).await;
    assert!(answer.head.contains("location: /owners?top=50"), "{answer:?}");
}

#[tokio::test]
async fn a_cookie_is_for_this_page_only_and_no_script_sees_it() {
    let world = World::example().await;
    let form = format!("token={}", world.token());
    let answer = post(&world, "/login", "", &form).await;
    let cookie = answer.head.lines().find(|line| line.starts_with("set-cookie: ")).unwrap();
    assert!(cookie.ends_with("; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict"), "{cookie}");
    assert!(!cookie.contains(&world.token()), "{cookie}");
    let answer = post(&world, "/login", "x-forwarded-proto: https\r\n", &form).await;
    assert!(answer.head.contains("SameSite=Strict; Secure"), "{answer:?}");
}

#[tokio::test]
async fn a_wrong_token_is_refused_and_opens_nothing() {
    let world = World::example().await;
    for form in ["", "token=", "token=wrong", "user=x"] {
        let answer = post(&world, "/login", "", form).await;
        assert_eq!(answer.status, 401, "{answer:?}");
        assert!(!answer.head.contains("set-cookie"), "{answer:?}");
        assert!(answer.body.contains("neither the administrator"), "{answer:?}");
    }
    let answer = world.ask_with("GET", "/", "cookie: mailweir-session-=guess\r\n", "").await;
    assert_eq!(answer.status, 303);
}

#[tokio::test]
async fn every_page_is_there_for_both_roles_and_only_the_administrator_sees_forms() {
    let world = World::example().await;
    world.new_policy("Foo", 5).await;
    for (browser, may_change) in
        [(Browser::administrator(&world).await, true), (Browser::helpdesk(&world).await, false)]
    {
        for path in PAGES {
            let answer = browser.see(path).await;
            assert_eq!(answer.status, 200, "{path} {answer:?}");
            let forms = answer.body.matches("method=\"post\"").count();
            assert!(may_change || forms == 1, "{path} has forms besides the one to log out");
        }
    }
}

#[tokio::test]
async fn every_answer_carries_the_strict_headers() {
    let world = World::example().await;
    let browser = Browser::administrator(&world).await;
    for path in ["/", "/login", "/policies/none", "/assets/page.css", "/assets/none"] {
        let head = browser.see(path).await.head;
        assert!(head.contains("content-security-policy: default-src 'none'; script-src 'self'; "), "{head}");
        assert!(head.contains("frame-ancestors 'none'") && !head.contains("unsafe"), "{head}");
        for line in
            ["x-content-type-options: nosniff", "referrer-policy: same-origin", "x-frame-options: DENY"]
        {
            assert!(head.contains(line), "{head}");
        }
        assert_eq!(head.contains("cache-control: no-store"), !path.starts_with("/assets"), "{head}");
    }
}

#[tokio::test]
async fn the_helpdesk_changes_nothing_by_page_or_by_api() {
    let world = World::example().await;
    world.new_policy("Foo", 5).await;
    let lines = world.audit().len();
    let browser = Browser::helpdesk(&world).await;
    for (path, fields) in FORMS.iter().filter(|(path, _)| *path != "/logout") {
        let answer = browser.send(path, fields).await;
        assert_eq!(answer.status, 403, "{path} {answer:?}");
        assert!(answer.body.contains("The read-only token changes nothing"), "{answer:?}");
    }
    let token = std::fs::read_to_string(world.data.path().join(READ_ONLY_TOKEN_FILE)).unwrap();
    let headers = format!("authorization: Bearer {}\r\n", token.trim());
    for endpoint in crate::routes::Endpoint::ALL {
        let (method, _) = endpoint.route();
        let answer = world.ask_with(method.name(), &endpoint.path("Foo"), &headers, "{}").await;
        if method == crate::routes::Method::Get {
            assert_ne!(answer.status, 403, "{endpoint:?}");
        } else {
            assert_eq!((answer.status, answer.code().as_str()), (403, "read_only"), "{endpoint:?}");
        }
    }
    let told: Vec<_> = world.audit().split_off(lines);
    assert_eq!(told.len(), 1, "the login and nothing else: {told:?}");
    assert_eq!((&told[0]["who"], &told[0]["action"]), (&"readonly-token".into(), &"page.login".into()));
}

#[tokio::test]
async fn a_form_that_does_not_come_from_the_page_changes_nothing() {
    let world = World::example().await;
    world.new_policy("Foo", 5).await;
    let browser = Browser::administrator(&world).await;
    let lines = world.audit().len();
    let cookie = format!("cookie: {}\r\n", browser.cookie);
    for (path, fields) in FORMS {
        let wrong = post(&world, path, &cookie, &format!("form_token=wrong&{fields}")).await;
        let none = post(&world, path, &cookie, fields).await;
        let right = format!("form_token={}&{fields}", browser.form_token);
        let foreign = host(&format!("sec-fetch-site: cross-site\r\n{cookie}"));
        let foreign = world.ask_with("POST", path, &foreign, &right).await;
        let elsewhere = host(&format!("origin: http://evil.example\r\n{cookie}"));
        let elsewhere = world.ask_with("POST", path, &elsewhere, &right).await;
        assert_eq!([wrong.status, none.status, foreign.status, elsewhere.status], [403; 4], "{path}");
    }
    assert_eq!(world.audit().len(), lines);
    assert_eq!(browser.see("/policies").await.status, 200, "and nobody was logged out");
}

#[tokio::test]
async fn a_name_that_is_not_the_servers_own_reaches_nothing() {
    let world = World::example().await;
    let request = "GET /login HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n";
    let answer = world.ask_raw(request.as_bytes()).await;
    assert_eq!(answer.status, 421, "{answer:?}");
    assert!(answer.body.contains("admin.names"), "{answer:?}");
}

#[tokio::test]
async fn a_policy_is_made_changed_after_a_review_and_assigned() {
    let world = World::example().await;
    let browser = Browser::administrator(&world).await;
    let made = browser.send("/policies", "name=Slow").await;
    assert!(made.head.contains("location: /policies/Slow?done=made"), "{made:?}");
    let edit = "how.EWSFindCountLimit=limit&value.EWSFindCountLimit=5&how.EWSMaxConcurrency=inherit";
    let review = browser.send("/policies/Slow/review", edit).await;
    assert_eq!(review.status, 200, "{review:?}");
    assert!(review.body.contains("This concerns no mailbox at this moment."), "{review:?}");
    assert!(review.body.contains("inherits <b>1000</b>") && review.body.contains("<b>5</b>"), "{review:?}");
    assert!(!review.body.contains("how.EWSMaxConcurrency"), "what is not changed is not sent");
    let (_, rest) = review.body.split_once("name=\"reviewed\" value=\"").unwrap();
    let reviewed = rest.split('"').next().unwrap().to_owned();
    assert_eq!(world.find_count_limit("john.doe@example.com"), Some(1000));
    let assigned = browser.send("/owners/JohnDoe", "policy=Slow").await;
    assert!(assigned.head.contains("location: /owners/JohnDoe?done=assigned"), "{assigned:?}");
    let done = browser.send("/policies/Slow", &format!("reviewed={reviewed}&{edit}")).await;
    assert!(done.head.contains("location: /policies/Slow?done=changed"), "{done:?}");
    assert_eq!(world.find_count_limit("john.doe@example.com"), Some(5), "in force at once");
    let late = browser.send("/policies/Slow", &format!("reviewed={reviewed}&{edit}")).await;
    assert_eq!(late.status, 409, "what was reviewed is not there any more: {late:?}");
    let last = world.audit().pop().unwrap();
    assert_eq!(
        (&last["action"], &last["after"]["settings"]["ews_find_count_limit"]),
        (&"policy.set".into(), &5.into())
    );
}

#[tokio::test]
async fn policies_of_one_name_in_two_organisations_are_told_apart() {
    let world = World::example().await;
    let other = r#"{"name": "Other", "short_name": "OTHER", "domains": ["other.example"]}"#;
    world.ask("POST", "/api/v1/organisations", other).await;
    for organisation in ["example.com", "Other"] {
        let body = format!(
            r#"{{"name": "Foo", "organisation": "{organisation}", "settings": {{"EWSFindCountLimit": 5}}}}"#
        );
        assert_eq!(world.ask("POST", "/api/v1/policies", &body).await.status, 201);
    }
    let browser = Browser::administrator(&world).await;
    let list = browser.see("/policies").await;
    assert!(list.body.contains("href=\"/policies/OTHER%5CFoo\""), "{list:?}");
    let page = browser.see("/policies/OTHER%5CFoo").await;
    assert!(page.body.contains("A policy of Other"), "{page:?}");
    let owner = browser.see("/owners/JohnDoe").await;
    assert!(owner.body.contains("value=\"EXAMPLE\\Foo\"") && !owner.body.contains("OTHER\\Foo"), "{owner:?}");
    let assigned = browser.send("/owners/JohnDoe", "policy=EXAMPLE%5CFoo").await;
    assert_eq!(assigned.status, 303, "{assigned:?}");
    assert_eq!(world.find_count_limit("john.doe@example.com"), Some(5));
}

/// A request log of two minutes, in which John makes a call a second that costs half a second.
fn request_log() -> String {
    let mut text = "#Software: Mailweir\n#Version: 1.0\n#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port \
                    cs-username c-ip cs(User-Agent) sc-status sc-substatus sc-win32-status time-taken\n"
        .to_owned();
    for second in 0..120_u64 {
        let (minute, rest, tick) = (second / 60, second % 60, second * 1_000_000);
        writeln!(
            text,
            "2010-03-09 15:{minute:02}:{rest:02} 127.0.0.1 POST /EWS/Exchange.asmx ;SoapAction=m:GetFolder;Waited=0ms;Why=-;\
             Policy=Foo;Verdict=run;Seq={second};Tick={tick};Component=EWS;Cost=0/500000/0/0; 443 john.doe@example.com \
             127.0.0.1 Test/1.0 200 0 0 500"
        )
        .unwrap();
    }
    text
}

#[tokio::test]
async fn a_change_is_tried_on_the_recent_log_before_it_is_made() {
    let world = World::example().await;
    world.new_policy("Foo", 5).await;
    let browser = Browser::administrator(&world).await;
    let tried = browser
        .send("/policies/Foo/what-if", "how.EWSPercentTimeInCAS=limit&value.EWSPercentTimeInCAS=10")
        .await;
    assert!(tried.body.contains("There is nothing to try the change on yet."), "{tried:?}");
    std::fs::write(world.data.path().join("log/requests-20100309.log"), request_log()).unwrap();
    let tried = browser
        .send("/policies/Foo/what-if", "how.EWSPercentTimeInCAS=limit&value.EWSPercentTimeInCAS=10")
        .await;
    assert_eq!(tried.status, 200, "{tried:?}");
    assert!(tried.body.contains("60 calls under Foo"), "{tried:?}");
    assert!(
        tried.body.contains("From now on") && tried.body.contains("href=\"/owners/john.doe%40example.com\""),
        "{tried:?}"
    );
    let none = browser.send("/policies/Foo/what-if", "how.EWSPercentTimeInCAS=none").await;
    assert!(!none.body.contains("href=\"/owners/"), "without a limit nobody waits: {none:?}");
    assert!(none.body.contains("This is an estimate."), "{none:?}");
    assert_eq!(world.find_count_limit("john.doe@example.com"), Some(1000), "and nothing was changed");
}

#[tokio::test]
async fn a_limit_that_cannot_be_is_shown_at_its_place_with_what_was_typed() {
    let world = World::example().await;
    world.new_policy("Foo", 5).await;
    let browser = Browser::administrator(&world).await;
    let answer = browser
        .send("/policies/Foo/review", "how.CPUStartPercent=limit&value.CPUStartPercent=%22%3E101")
        .await;
    assert_eq!(answer.status, 422);
    assert!(answer.body.contains("1 of the limits cannot be"), "{answer:?}");
    assert!(answer.body.contains("value=\"&quot;&gt;101\""), "{answer:?}");
    assert!(answer.body.contains("allowed is 0 to 100"), "{answer:?}");
}

#[tokio::test]
async fn a_change_of_the_default_policy_says_whom_it_reaches() {
    let world = World::example().await;
    world.new_policy("Foo", 5).await;
    let browser = Browser::administrator(&world).await;
    browser.send("/owners/JohnDoe", "policy=Foo").await;
    let default = world.client.policies().await.unwrap().into_iter().find(|policy| policy.default).unwrap();
    let review = format!("/policies/{}/review", default.name);
    let both = browser.send(&review, "how.EWSMaxConcurrency=limit&value.EWSMaxConcurrency=3").await;
    assert!(
        both.body.contains(
            "<strong>2 mailboxes</strong>: 1 mailbox without a policy of their own, 1 mailbox of Foo"
        ),
        "{both:?}"
    );
    let one = browser.send(&review, "how.EWSFindCountLimit=limit&value.EWSFindCountLimit=3").await;
    assert!(
        one.body.contains("<strong>1 mailbox</strong>: 1 mailbox without a policy of their own."),
        "{one:?}"
    );
}

#[tokio::test]
async fn what_others_wrote_is_shown_as_text() {
    let world = World::example().await;
    let browser = Browser::administrator(&world).await;
    let change = r#"{"display_name": "<script>alert(1)</script>"}"#;
    world.ask("PATCH", "/api/v1/mailboxes/JohnDoe", change).await;
    for path in [
        "/mailboxes",
        "/owners/JohnDoe",
        "/audit",
        "/owners/%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "/policies/%3Cscript%3Ealert(1)",
    ] {
        let answer = browser.see(path).await;
        assert!(!answer.body.contains("<script>alert"), "{path} {answer:?}");
        assert!(answer.body.contains("&lt;script&gt;alert"), "{path} {answer:?}");
    }
}

#[tokio::test]
async fn a_session_that_was_ended_is_of_no_use_any_more() {
    let world = World::example().await;
    let browser = Browser::administrator(&world).await;
    let answer = browser.send("/logout", "").await;
    assert_eq!(answer.status, 303);
    assert!(answer.head.contains("Max-Age=0"), "{answer:?}");
    assert_eq!(browser.see("/").await.status, 303);
}

#[tokio::test]
async fn a_form_larger_than_forms_are_is_refused() {
    let world = World::example().await;
    let answer = post(&world, "/login", "", &"x".repeat(70_000)).await;
    assert_eq!(answer.status, 413, "{}", answer.head);
}

#[tokio::test]
async fn live_figures_come_by_themselves_and_end_with_the_server() {
    let world = World::example().await;
    let browser = Browser::administrator(&world).await;
    let mut stream = live(&browser, "/live/overview").await;
    let seen = read_until(&mut stream, "event: plot\n").await;
    assert!(seen.contains("content-type: text/event-stream"), "{seen}");
    assert!(seen.contains("event: page\ndata: <dl class=\"figures\" id=\"figures\">"), "{seen}");
    drop(browser);
    world.stop.send(()).unwrap();
    timeout(PATIENCE, world.server).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_page_that_is_not_there_says_so() {
    let world = World::example().await;
    let browser = Browser::administrator(&world).await;
    for path in ["/nowhere", "/policies/", "/owners/x/y", "/policies/none"] {
        let answer = browser.see(path).await;
        assert_eq!(answer.status, 404, "{path} {answer:?}");
        assert!(answer.body.contains("<h1>Not found</h1>"), "{path} {answer:?}");
    }
}

#[tokio::test]
async fn a_mapi_session_is_found_looked_at_and_ended() {
    let world = World::example().await;
    let hostile = MapiSession { id: 8, client: "<script>alert(1)".to_owned(), ..mapi_session() };
    *world.gateway.sessions.lock().unwrap() = vec![mapi_session(), hostile];
    let browser = Browser::administrator(&world).await;
    let list = browser.see("/sessions?sort=owner").await;
    assert!(list.body.contains("data-live=\"/live/sessions?sort=owner\""), "{list:?}");
    assert!(list.body.contains("SearchIndexer.exe") && list.body.contains("25\u{a0}ms"), "{list:?}");
    assert!(list.body.contains("&lt;script&gt;alert") && !list.body.contains("<script>alert"), "{list:?}");
    let owner = browser.see("/owners/JohnDoe").await;
    assert!(owner.body.contains("href=\"/sessions/7\""), "{owner:?}");
    let one = browser.see("/sessions/7").await;
    assert!(one.body.contains("action=\"/sessions/7/close\"") && one.body.contains("DESK-7"), "{one:?}");
    let helpdesk = Browser::helpdesk(&world).await.see("/sessions/7").await;
    assert!(!helpdesk.body.contains("/sessions/7/close"), "{helpdesk:?}");
    let ended = browser.send("/sessions/7/close", "").await;
    assert!(ended.head.contains("location: /sessions?done=session"), "{ended:?}");
    assert_eq!(browser.see("/sessions/7").await.status, 404);
    let mut stream = live(&browser, "/live/sessions").await;
    let seen = read_until(&mut stream, "event: page\n").await;
    assert!(seen.contains("text/event-stream"), "{seen}");
}

#[tokio::test]
async fn who_waits_for_a_place_at_a_server_is_seen() {
    let world = World::example().await;
    let unlimited = OriginLoad { limit: None, ..johns_calls().all };
    let elsewhere = OwnerCalls { origin: "<b>elsewhere".to_owned(), all: unlimited, ..johns_calls() };
    *world.gateway.at_origins.lock().unwrap() = vec![johns_calls(), elsewhere];
    let browser = Browser::administrator(&world).await;
    let overview = browser.see("/").await.body;
    let row = "<tr><th scope=\"row\">embedded</th>\
        <td class=\"number\">8</td> <td class=\"number\">8</td> <td class=\"number\">1\u{202f}240</td></tr>";
    assert!(without_gaps(&overview).contains(&without_gaps(row)), "{overview}");
    let waiting =
        "<dt>Waiting</dt><dd>1\u{202f}241<span class=\"under\">1\u{202f}240 of them for a server</span>";
    assert!(without_gaps(&overview).contains(&without_gaps(waiting)), "{overview}");
    let owner = without_gaps(&browser.see("/owners/JohnDoe").await.body);
    for (origin, limit) in [("embedded", "8"), ("&lt;b&gt;elsewhere", "no limit")] {
        let mut row = format!("<tr><th scope=\"row\">{origin}</th>");
        for told in ["1", "31", "340\u{a0}ms", "8", limit, "1\u{202f}240"] {
            let _ = write!(row, "<td class=\"number\">{told}</td>");
        }
        assert!(owner.contains(&without_gaps(&row)), "no {row} in {owner}");
    }
    let mut stream = live(&browser, "/live/overview").await;
    let seen = read_until(&mut stream, "event: plot\n").await;
    assert!(seen.contains("<div id=\"origins\">"), "{seen}");
}

/// `html` without what lies between its elements.
fn without_gaps(html: &str) -> String {
    html.replace("> <", "><")
}

#[tokio::test]
async fn the_log_is_looked_into_from_an_owners_page() {
    let world = World::example().await;
    let browser = Browser::administrator(&world).await;
    let answer = browser.see("/owners/JohnDoe?at=15:14").await;
    assert!(answer.body.contains("From <time"), "{answer:?}");
    let answer = browser.see("/owners/JohnDoe?at=tomorrow").await;
    assert_eq!(answer.status, 400);
    assert!(answer.body.contains("&quot;tomorrow&quot; is no time; write 10:14"), "{answer:?}");
}

#[tokio::test]
async fn live_figures_end_with_their_session() {
    let world = World::example().await;
    let browser = Browser::administrator(&world).await;
    let mut stream = live(&browser, "/live/owners").await;
    read_until(&mut stream, "event: page\n").await;
    world.gateway.now.store(13 * 3_600_000_000, Ordering::SeqCst);
    let mut rest = Vec::new();
    timeout(PATIENCE, stream.read_to_end(&mut rest)).await.unwrap().unwrap();
}

#[tokio::test]
async fn more_pages_with_live_figures_than_may_be_are_refused() {
    let world = World::with(AdminSettings { max_connections: 4, ..AdminSettings::default() }).await;
    let browser = Browser::administrator(&world).await;
    let mut first = live(&browser, "/live/overview").await;
    let mut second = live(&browser, "/live/owners").await;
    read_until(&mut first, "event: page\n").await;
    read_until(&mut second, "event: page\n").await;
    let third = browser.see("/live/overview").await;
    assert_eq!(third.status, 503, "half of the connections and no more: {third:?}");
    drop(first);
    let again = async {
        while browser.see("/bypass").await.status != 200 || live_status(&browser).await != 200 {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, again).await.expect("a place that is given back can be had again");
}

/// A stream of live figures, asked for.
async fn live(browser: &Browser<'_>, path: &str) -> TcpStream {
    let cookie = &browser.cookie;
    let request =
        format!("GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncookie: {cookie}\r\nconnection: close\r\n\r\n");
    let mut stream = TcpStream::connect(browser.world.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

/// Reads until `wanted` has come, and gives all that came.
async fn read_until(stream: &mut TcpStream, wanted: &str) -> String {
    let mut seen = String::new();
    let mut piece = [0_u8; 4096];
    while !seen.contains(wanted) {
        let count = timeout(PATIENCE, stream.read(&mut piece)).await.unwrap().unwrap();
        assert!(count > 0, "it ended: {seen}");
        seen += &String::from_utf8_lossy(&piece[..count]);
    }
    seen
}

/// The status of a stream that is asked for and given up at once.
async fn live_status(browser: &Browser<'_>) -> u16 {
    let mut stream = live(browser, "/live/overview").await;
    let seen = read_until(&mut stream, "\r\n").await;
    seen.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
}

#[tokio::test]
async fn nobody_hears_live_figures_without_a_session() {
    let world = World::example().await;
    for path in ["/live/overview", "/live/owners", "/live/owners/JohnDoe", "/live/sessions", "/live/queues"] {
        assert_eq!(world.ask_with("GET", path, "", "").await.status, 403, "{path}");
    }
}
