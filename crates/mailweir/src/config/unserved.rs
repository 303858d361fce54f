//! What the configuration asks for and this build does not serve.
//!
//! Said once at start, so that nobody waits for mail on a port that is closed. A key at its default asks for nothing,
//! except the listeners, which are on by default.

use super::Config;
use super::origin::OriginKind;

/// What `config` asks for and this build leaves off, a sentence each; empty where it serves all of it.
pub fn unserved(config: &Config) -> Vec<String> {
    let keys = keys(config);
    let keys = (!keys.is_empty())
        .then(|| format!("not served by this build, and without effect: {}", keys.join(", ")));
    listeners(config).into_iter().chain(origins(config)).chain(keys).collect()
}

fn listeners(config: &Config) -> Option<String> {
    let off: Vec<String> = config
        .listen
        .named()
        .into_iter()
        .filter(|(name, _)| !matches!(*name, "http" | "https" | "admin"))
        .filter_map(|(name, address)| address.map(|address| format!("{name} {address}")))
        .collect();
    (!off.is_empty())
        .then(|| format!("not served by this build, these listeners stay off: {}", off.join(", ")))
}

fn origins(config: &Config) -> Option<String> {
    let origin = &config.origin;
    let text = match origin.kind {
        OriginKind::Remote if origin.servers.http.is_empty() => {
            "http and https stay off: origin.kind is \"remote\" and origin.http names no servers"
        }
        OriginKind::Embedded if !origin.others.is_empty() => {
            "[[origin.for]] has no effect beside the embedded origin, which answers for everybody"
        }
        OriginKind::Remote | OriginKind::Embedded => return None,
    };
    Some(text.to_owned())
}

/// Keys that differ from their defaults and have no effect, apart from listeners.
fn keys(config: &Config) -> Vec<&'static str> {
    let (now, default) = (config, Config::default());
    let transport = format!("{:?}", now.transport) != format!("{:?}", default.transport);
    let mail = now.origin.others.iter().map(|other| &other.servers);
    let mut mail = std::iter::once(&now.origin.servers).chain(mail);
    [
        ("origin.imap and origin.pop3", mail.any(|s| !(s.imap.is_empty() && s.pop3.is_empty()))),
        ("throttle.fair_share", now.throttle.fair_share != default.throttle.fair_share),
        ("[transport]", transport),
    ]
    .into_iter()
    .filter_map(|(key, asked)| asked.then_some(key))
    .collect()
}
