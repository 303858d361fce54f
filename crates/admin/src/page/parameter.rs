//! A policy's parameter as people read it: what it limits, in what, from where to where.

#[cfg(test)]
mod tests;

use weir_throttle::{Parameter, Unit};

/// What the parameters limit that each component has, by the end of their names.
const EACH: [(&str, &str); 5] = [
    ("MaxConcurrency", "Calls that run at the same time"),
    ("PercentTimeInAD", "Time in the directory"),
    ("PercentTimeInCAS", "Time in the gateway, the other parts included"),
    ("PercentTimeInAddressBook", "Time in the address book"),
    ("PercentTimeInMailboxRPC", "Time that the mailbox server works"),
];

/// What the other parameters limit.
const SINGLE: [(&str, &str); 18] = [
    ("EWSMaxSubscriptions", "Subscriptions to notifications that live"),
    ("EWSFastSearchTimeoutInSeconds", "How long one full-text search may take"),
    ("EWSFindCountLimit", "Items and folders that finds have on their way"),
    ("EASMaxDevices", "Devices of one owner"),
    ("EASMaxDeviceDeletesPerMonth", "Devices that one owner may delete"),
    ("PowerShellMaxTenantConcurrency", "Sessions of one organisation"),
    ("PowerShellMaxCmdlets", "Cmdlets in a period"),
    ("PowerShellMaxCmdletsTimePeriod", "The period that cmdlets are counted in"),
    ("PowerShellMaxCmdletQueueDepth", "Cmdlets that wait"),
    ("PowerShellMaxDestructiveCmdlets", "Destructive cmdlets in a period"),
    ("PowerShellMaxDestructiveCmdletsTimePeriod", "The period that destructive cmdlets are counted in"),
    ("ExchangeMaxCmdlets", "Cmdlets in a period, by the older name"),
    ("MessageRateLimit", "Messages that one owner sends"),
    ("RecipientRateLimit", "Recipients that one owner sends to"),
    ("ForwardeeLimit", "Recipients of one forwarding rule"),
    ("CPUStartPercent", "From this load on each call is delayed a little"),
    ("FairShareWeight", "How much of a busy server one gets, compared with others"),
    ("ObserveOnly", "1 measures and logs, and never delays or refuses"),
];

/// The parameter that makes a policy watch only (T20).
const OBSERVE_ONLY: &str = "ObserveOnly";

/// Whether `parameter` is the one that makes a policy watch only (T20).
pub(super) fn is_observe_only(parameter: Parameter) -> bool {
    parameter.name() == OBSERVE_ONLY
}

/// What `parameter` limits, in a few words.
pub(super) fn meaning(parameter: Parameter) -> &'static str {
    let name = parameter.name();
    let single = SINGLE.iter().find(|(known, _)| *known == name);
    let each = || EACH.iter().find(|(end, _)| name.ends_with(end));
    single.or_else(each).map_or("", |(_, meaning)| meaning)
}

/// What stands behind its number.
pub(super) fn unit(parameter: Parameter) -> &'static str {
    match parameter.unit() {
        Unit::Count | Unit::Weight => "",
        Unit::PercentOfMinute => "% of a minute",
        Unit::PercentOfCpu => "% CPU",
        Unit::Seconds => "s",
        Unit::PerMinute => "a minute",
        Unit::PerDay => "in 24 h",
        Unit::PerMonth => "a month",
        Unit::Flag => "0 or 1",
    }
}

/// What it is called that a parameter has no value.
pub(super) fn null(parameter: Parameter) -> &'static str {
    if parameter.unit() == Unit::Flag { "off" } else { "no limit" }
}

/// A value as it stands in a sentence: `no limit`, `90 %`.
pub(super) fn value(parameter: Parameter, value: Option<i64>) -> String {
    let Some(value) = value else { return null(parameter).to_owned() };
    match parameter.unit() {
        Unit::PercentOfMinute | Unit::PercentOfCpu => format!("{value}\u{a0}%"),
        Unit::Flag => (if value == 0 { "off" } else { "on" }).to_owned(),
        Unit::Count | Unit::Weight => value.to_string(),
        Unit::Seconds | Unit::PerMinute | Unit::PerDay | Unit::PerMonth => {
            format!("{value}\u{a0}{}", unit(parameter))
        }
    }
}
