//! What the configuration asks for and this build does not serve.
//!
//! Said once at start, so that nobody waits for mail on a port that is closed. A key at its default asks for nothing,
//! except the listeners, which are on by default.

use super::Config;
use super::origin::OriginKind;

/// What `config` asks for and this build leaves off, a sentence each; empty where it serves all of it.
pub fn unserved(config: &Config) -> Vec<String> {
    let listeners = listeners(config);
    let remote = (config.origin.kind == OriginKind::Remote || !config.origin.others.is_empty()).then(|| {
        let text = "remote origins are not served by this build: with origin.kind = \"remote\" http and https stay off, \
                    and [[origin.for]] has no effect";
        text.to_owned()
    });
    let keys = keys(config);
    let keys = (!keys.is_empty())
        .then(|| format!("not served by this build, and without effect: {}", keys.join(", ")));
    listeners.into_iter().chain(remote).chain(keys).collect()
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

/// Keys that differ from their defaults and have no effect, apart from listeners and origins.
fn keys(config: &Config) -> Vec<&'static str> {
    let (now, default) = (config, Config::default());
    let transport = format!("{:?}", now.transport) != format!("{:?}", default.transport);
    [
        ("listen.trusted_proxies", !now.listen.trusted_proxies.is_empty()),
        ("listen.proxy_protocol", now.listen.proxy_protocol),
        ("throttle.fair_share", now.throttle.fair_share != default.throttle.fair_share),
        (
            "throttle.rpc_throttling_factor",
            now.throttle.rpc_throttling_factor != default.throttle.rpc_throttling_factor,
        ),
        ("throttle.rpc_latency_floor", now.throttle.rpc_latency_floor != default.throttle.rpc_latency_floor),
        ("[transport]", transport),
    ]
    .into_iter()
    .filter_map(|(key, asked)| asked.then_some(key))
    .collect()
}
