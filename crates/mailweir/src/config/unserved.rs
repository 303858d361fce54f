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
    listeners(config).into_iter().chain(origins(config)).chain(mail(config)).chain(keys).collect()
}

fn listeners(config: &Config) -> Option<String> {
    let off: Vec<String> = config
        .listen
        .named()
        .into_iter()
        .filter(|(name, _)| !matches!(*name, "http" | "https" | "admin" | "smtp" | "submission"))
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

/// Listeners for mail that connectors replace, or that have nowhere to put any.
fn mail(config: &Config) -> Option<String> {
    let (now, default) = (&config.listen, Config::default().listen);
    let listeners = [("smtp", now.smtp, default.smtp), ("submission", now.submission, default.submission)];
    if let Some(bindings) = config.transport.own_bindings() {
        let replaced =
            listeners.into_iter().filter(|(_, now, default)| now != default).filter_map(|(name, now, _)| {
                let address = now.filter(|address| !bindings.contains(address))?;
                Some(format!("listen.{name} {address}"))
            });
        let replaced: Vec<String> = replaced.collect();
        return (!replaced.is_empty()).then(|| {
            let replaced = replaced.join(", ");
            format!(
                "these listeners stay off, since [[transport.receive_connector]] replaces them: {replaced}"
            )
        });
    }
    let off = listeners.into_iter().filter_map(|(name, now, _)| Some(format!("{name} {}", now?)));
    let off: Vec<String> = off.collect();
    (!config.transport.has_delivery() && !off.is_empty()).then(|| {
        format!(
            "these listeners stay off, since mail would have nowhere to go before a remote origin until \
             transport.delivery is \"lmtp\": {}",
            off.join(", ")
        )
    })
}

/// Keys that differ from their defaults and have no effect, apart from listeners.
fn keys(config: &Config) -> Vec<&'static str> {
    let mail = config.origin.others.iter().map(|other| &other.servers);
    let mut mail = std::iter::once(&config.origin.servers).chain(mail);
    let asked = mail.any(|s| !(s.imap.is_empty() && s.pop3.is_empty()));
    asked.then_some("origin.imap and origin.pop3").into_iter().collect()
}
