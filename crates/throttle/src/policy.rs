//! A stored policy: a named set of limits without its name (T1, T2).
//!
//! A policy keeps three things apart for each parameter: a value, null – no limit – and left out, which inherits from
//! the organisation's default policy at look-up ([`crate::Limits::resolve`]). Its serialised form is a map of names
//! to an integer or null; what is left out is absent. An unknown name and a number out of range are errors that say
//! what is allowed, since a typing error in a limit must not pass for "no limit".

use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use weir_units::{Component, TimePart};

use crate::parameter::close::MAX_COMPARED;
use crate::parameter::{Parameter, Subject};

/// What a policy says about one parameter.
///
/// ```
/// use weir_throttle::Setting;
/// assert_eq!("1000".parse(), Ok(Setting::Value(1000)));
/// assert_eq!("$null".parse(), Ok(Setting::Null));
/// assert_eq!(Setting::Value(90).to_string(), "90");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Setting {
    /// Nothing: the default policy's setting is in force.
    #[default]
    LeftOut,
    /// No limit.
    Null,
    /// A limit, in the parameter's unit.
    Value(u32),
}

impl std::str::FromStr for Setting {
    type Err = PolicyError;

    /// Reads `1000`, `null` or `$null`, in any case.
    fn from_str(text: &str) -> Result<Self, PolicyError> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("null") || text.eq_ignore_ascii_case("$null") {
            return Ok(Self::Null);
        }
        text.parse().map(Self::Value).map_err(|_| PolicyError::NotANumber { text: text.to_owned() })
    }
}

/// Prints `1000` and `null`; a setting that is left out prints nothing.
impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeftOut => Ok(()),
            Self::Null => f.write_str("null"),
            Self::Value(value) => value.fmt(f),
        }
    }
}

/// A policy that says something that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// No parameter of that name.
    #[error("no policy parameter is called {:?}{}", shortened(name), close(name))]
    UnknownParameter {
        /// The name that was given.
        name: String,
    },
    /// The number is outside the parameter's range.
    #[error("{parameter} is {value}; allowed is {} to {}, or null for no limit", parameter.range().0, parameter.range().1)]
    OutOfRange {
        /// The parameter.
        parameter: Parameter,
        /// The number that was given.
        value: i128,
    },
    /// Neither a whole number nor null.
    #[error("{text:?} is no setting; give a whole number from 0 to 4294967295, or null for no limit")]
    NotANumber {
        /// What was given.
        text: String,
    },
}

/// The beginning of a name that somebody chose.
fn shortened(name: &str) -> String {
    name.chars().take(MAX_COMPARED).collect()
}

/// What may have been meant by `name`, in words; empty where nothing is near.
fn close(name: &str) -> String {
    let close = Parameter::close_to(name);
    if close.is_empty() { String::new() } else { format!("; close names are {}", close.join(", ")) }
}

/// A set of limits as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    settings: [Setting; Parameter::COUNT],
}

impl Policy {
    /// A policy that leaves everything out.
    pub const fn new() -> Self {
        Self { settings: [Setting::LeftOut; Parameter::COUNT] }
    }

    /// The compiled-in policy that is in force where no other can be read, and what a default policy is created
    /// with (T2). It leaves nothing out.
    pub fn fallback() -> Self {
        let mut policy = Self { settings: [Setting::Null; Parameter::COUNT] };
        for (component, most) in FALLBACK_CONCURRENCY {
            policy.put(Some(component), Subject::MaxConcurrency, most);
        }
        for (component, part, percent) in FALLBACK_PERCENT {
            policy.put(Some(component), Subject::Time(part), percent);
        }
        policy.put(Some(Component::Ews), Subject::MaxSubscriptions, 5000);
        policy.put(Some(Component::Ews), Subject::FastSearchTimeout, 60);
        policy.put(Some(Component::Ews), Subject::FindCount, 1000);
        policy.put(None, Subject::CpuStart, 75);
        if let Some(devices) = Parameter::from_name("EASMaxDevices") {
            policy.store(devices, Setting::Value(10));
        }
        policy
    }

    /// What it says about `parameter`.
    pub fn setting(&self, parameter: Parameter) -> Setting {
        self.settings.get(parameter.index()).copied().unwrap_or_default()
    }

    /// Sets `parameter`.
    ///
    /// # Errors
    /// [`PolicyError::OutOfRange`] for a value outside the parameter's range; the policy is unchanged.
    pub fn set(&mut self, parameter: Parameter, setting: Setting) -> Result<(), PolicyError> {
        let (least, most) = parameter.range();
        if let Setting::Value(value) = setting
            && !(least..=most).contains(&value)
        {
            return Err(PolicyError::OutOfRange { parameter, value: value.into() });
        }
        self.store(parameter, setting);
        Ok(())
    }

    /// Sets the parameter called `name`, in any case, to what `text` says: `1000`, `null` or `$null`.
    ///
    /// # Errors
    /// As [`Policy::set`], and for a name or a text that says nothing.
    pub fn set_named(&mut self, name: &str, text: &str) -> Result<(), PolicyError> {
        let parameter = named(name)?;
        self.set(parameter, text.parse()?)
    }

    /// What it says, without what it leaves out, in the order of the table.
    pub fn settings(&self) -> impl Iterator<Item = (Parameter, Setting)> {
        Parameter::all()
            .map(|parameter| (parameter, self.setting(parameter)))
            .filter(|(_, setting)| *setting != Setting::LeftOut)
    }

    fn put(&mut self, component: Option<Component>, subject: Subject, value: u32) {
        if let Some(parameter) = Parameter::of(component, subject) {
            self.store(parameter, Setting::Value(value));
        }
    }

    fn store(&mut self, parameter: Parameter, setting: Setting) {
        if let Some(place) = self.settings.get_mut(parameter.index()) {
            *place = setting;
        }
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self::new()
    }
}

const FALLBACK_CONCURRENCY: [(Component, u32); 8] = [
    (Component::Anonymous, 1),
    (Component::Eas, 10),
    (Component::Ews, 10),
    (Component::Owa, 5),
    (Component::Pop, 20),
    (Component::Rca, 20),
    (Component::Cpa, 20),
    (Component::PowerShell, 18),
];

const FALLBACK_PERCENT: [(Component, TimePart, u32); 7] = [
    (Component::Ews, TimePart::Ad, 50),
    (Component::Ews, TimePart::Cas, 90),
    (Component::Ews, TimePart::AddressBook, 50),
    (Component::Ews, TimePart::MailboxRpc, 60),
    (Component::Owa, TimePart::Ad, 30),
    (Component::Owa, TimePart::Cas, 150),
    (Component::Owa, TimePart::MailboxRpc, 150),
];

fn named(name: &str) -> Result<Parameter, PolicyError> {
    Parameter::from_name(name).ok_or_else(|| PolicyError::UnknownParameter { name: name.to_owned() })
}

impl Serialize for Policy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.settings().count()))?;
        for (parameter, setting) in self.settings() {
            let value = match setting {
                Setting::LeftOut | Setting::Null => None,
                Setting::Value(value) => Some(value),
            };
            map.serialize_entry(parameter.name(), &value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Policy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PolicyVisitor)
    }
}

struct PolicyVisitor;

impl<'de> Visitor<'de> for PolicyVisitor {
    type Value = Policy;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of parameter names to whole numbers or null")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Policy, A::Error> {
        let mut policy = Policy::new();
        while let Some(name) = map.next_key::<String>()? {
            let parameter = named(&name).map_err(A::Error::custom)?;
            if policy.setting(parameter) != Setting::LeftOut {
                return Err(A::Error::custom(format_args!("{parameter} is given twice")));
            }
            let setting = match map.next_value::<Option<i64>>()? {
                None => Setting::Null,
                Some(value) => {
                    let out_of_range = PolicyError::OutOfRange { parameter, value: value.into() };
                    Setting::Value(u32::try_from(value).map_err(|_| A::Error::custom(out_of_range))?)
                }
            };
            policy.set(parameter, setting).map_err(A::Error::custom)?;
        }
        Ok(policy)
    }
}

#[cfg(test)]
mod tests;
