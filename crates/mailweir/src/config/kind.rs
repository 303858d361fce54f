//! Kinds of values: how each is written in the file, and what is allowed.
//!
//! A number never stands without its unit: durations, sizes and shares are texts such as `"30s"`, `"25MiB"` and
//! `"50%"`, and a bare number is refused with the way to write it. A kind reads one TOML value, says in words what it
//! allows, and writes a value back in the form that it reads – so that documented defaults can be compared with real
//! ones. Network addresses are next door, in [`address`](super::address).

use std::fmt::Display;
use std::path::PathBuf;
use std::time::Duration;

use toml::de::DeValue;
use weir_units::Micros;

/// One kind of value.
pub(crate) trait Kind {
    /// What a value becomes.
    type Value;
    /// What may be written, in words: `duration, 0ms–10m`.
    fn allowed(&self) -> String;
    /// The value that `written` means, or what is wrong with it.
    fn read(&self, written: &DeValue<'_>) -> Result<Self::Value, String>;
    /// `value` as one writes it in the file.
    fn write(&self, value: &Self::Value) -> String;
}

/// `true` or `false`.
pub(crate) struct Switch;

impl Kind for Switch {
    type Value = bool;

    fn allowed(&self) -> String {
        "true or false".to_owned()
    }

    fn read(&self, written: &DeValue<'_>) -> Result<bool, String> {
        written.as_bool().ok_or_else(|| format!("write true or false, not {}", written.type_str()))
    }

    fn write(&self, value: &bool) -> String {
        value.to_string()
    }
}

/// A whole number of things from `0` to `1`, both included.
pub(crate) struct Count<T>(pub(crate) T, pub(crate) T);

impl<T: TryFrom<i64> + PartialOrd + Display + Copy> Kind for Count<T> {
    type Value = T;

    fn allowed(&self) -> String {
        format!("number, {}–{}", self.0, self.1)
    }

    fn read(&self, written: &DeValue<'_>) -> Result<T, String> {
        let number = written.as_integer().ok_or_else(|| {
            format!("a whole number from {} to {} is meant, not {}", self.0, self.1, written.type_str())
        })?;
        i64::from_str_radix(number.as_str(), number.radix())
            .ok()
            .and_then(|value| T::try_from(value).ok())
            .filter(|value| (self.0..=self.1).contains(value))
            .ok_or_else(|| format!("{} is out of range; allowed is {}–{}", number.as_str(), self.0, self.1))
    }

    fn write(&self, value: &T) -> String {
        value.to_string()
    }
}

/// Units of time, largest first, in milliseconds.
const TIME_UNITS: [(&str, u64); 5] =
    [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// A duration from `0` to `1`, both included, as in `"30s"`.
pub(crate) struct Time(pub(crate) Duration, pub(crate) Duration);

impl Time {
    /// Between `least` and `most` seconds.
    pub(crate) const fn seconds(least: u64, most: u64) -> Self {
        Self(Duration::from_secs(least), Duration::from_secs(most))
    }

    /// Between `least` and `most` milliseconds.
    pub(crate) const fn millis(least: u64, most: u64) -> Self {
        Self(Duration::from_millis(least), Duration::from_millis(most))
    }
}

impl Kind for Time {
    type Value = Duration;

    fn allowed(&self) -> String {
        format!("duration, {}–{}", written_time(self.0), written_time(self.1))
    }

    fn read(&self, written: &DeValue<'_>) -> Result<Duration, String> {
        let text = with_unit(written, "a duration", "s", "ms, s, m, h or d")?;
        let (count, unit) = split(text, "a duration such as \"30s\", \"5m\" or \"30d\"")?;
        let (_, millis) = TIME_UNITS
            .into_iter()
            .find(|(name, _)| *name == unit)
            .ok_or_else(|| format!("unknown unit {unit:?}; durations are written in ms, s, m, h or d"))?;
        let value = count.checked_mul(millis).map(Duration::from_millis);
        value.filter(|value| (self.0..=self.1).contains(value)).ok_or_else(|| {
            format!("{text:?} is out of range; allowed is {}–{}", written_time(self.0), written_time(self.1))
        })
    }

    fn write(&self, value: &Duration) -> String {
        format!("\"{}\"", written_time(*value))
    }
}

/// `micros` as the standard library counts time.
pub(crate) fn duration(micros: Micros) -> Duration {
    Duration::from_micros(micros.count())
}

/// `value` in the largest unit that leaves no rest.
fn written_time(value: Duration) -> String {
    let millis = u64::try_from(value.as_millis()).unwrap_or(u64::MAX);
    let unit = TIME_UNITS.into_iter().find(|(_, size)| millis > 0 && millis.is_multiple_of(*size));
    unit.map_or_else(|| format!("{millis}ms"), |(name, size)| format!("{}{name}", millis / size))
}

/// A share of a whole from `0` to `1` percent, both included, as in `"25%"`.
pub(crate) struct Share(pub(crate) u32, pub(crate) u32);

impl Kind for Share {
    type Value = u32;

    fn allowed(&self) -> String {
        format!("share, {}%–{}%", self.0, self.1)
    }

    fn read(&self, written: &DeValue<'_>) -> Result<u32, String> {
        let text = with_unit(written, "a share", "%", "%")?;
        let percent = text.strip_suffix('%').and_then(|number| number.trim_end().parse().ok());
        let percent = percent.ok_or_else(|| format!("{text:?} is no share; write it as \"25%\""))?;
        let allowed = (self.0..=self.1).contains(&percent);
        allowed
            .then_some(percent)
            .ok_or_else(|| format!("{text:?} is out of range; allowed is {}%–{}%", self.0, self.1))
    }

    fn write(&self, value: &u32) -> String {
        format!("\"{value}%\"")
    }
}

/// Units of size, largest first, in bytes.
const SIZE_UNITS: [(&str, u64); 4] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

/// A number of bytes from `0` to `1`, both included, as in `"25MiB"`.
pub(crate) struct Size(pub(crate) u64, pub(crate) u64);

impl Kind for Size {
    type Value = u64;

    fn allowed(&self) -> String {
        format!("size, {}–{}", written_size(self.0), written_size(self.1))
    }

    fn read(&self, written: &DeValue<'_>) -> Result<u64, String> {
        let text = with_unit(written, "a size", "MiB", "B, KiB, MiB or GiB")?;
        let (count, unit) = split(text, "a size such as \"64KiB\" or \"25MiB\"")?;
        let (_, bytes) = SIZE_UNITS
            .into_iter()
            .find(|(name, _)| *name == unit)
            .ok_or_else(|| format!("unknown unit {unit:?}; sizes are written in B, KiB, MiB or GiB"))?;
        count.checked_mul(bytes).filter(|value| (self.0..=self.1).contains(value)).ok_or_else(|| {
            format!("{text:?} is out of range; allowed is {}–{}", written_size(self.0), written_size(self.1))
        })
    }

    fn write(&self, value: &u64) -> String {
        format!("\"{}\"", written_size(*value))
    }
}

/// A number of bytes that has to fit into memory.
pub(crate) struct Memory(pub(crate) usize, pub(crate) usize);

impl Memory {
    fn size(&self) -> Size {
        Size(bytes(self.0), bytes(self.1))
    }
}

impl Kind for Memory {
    type Value = usize;

    fn allowed(&self) -> String {
        self.size().allowed()
    }

    fn read(&self, written: &DeValue<'_>) -> Result<usize, String> {
        let value = self.size().read(written)?;
        usize::try_from(value).map_err(|_| "more than this machine can address".to_owned())
    }

    fn write(&self, value: &usize) -> String {
        self.size().write(&bytes(*value))
    }
}

fn bytes(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// `value` in the largest unit that leaves no rest.
fn written_size(value: u64) -> String {
    let unit = SIZE_UNITS.into_iter().find(|(_, size)| value > 0 && value.is_multiple_of(*size));
    unit.map_or_else(|| format!("{value}B"), |(name, size)| format!("{}{name}", value / size))
}

/// A text that is not empty.
pub(crate) struct Text;

impl Kind for Text {
    type Value = String;

    fn allowed(&self) -> String {
        "text".to_owned()
    }

    fn read(&self, written: &DeValue<'_>) -> Result<String, String> {
        let text = text_of(written)?.trim();
        if text.is_empty() { Err("must not be empty".to_owned()) } else { Ok(text.to_owned()) }
    }

    fn write(&self, value: &String) -> String {
        format!("{value:?}")
    }
}

/// A file or folder.
pub(crate) struct File;

impl Kind for File {
    type Value = PathBuf;

    fn allowed(&self) -> String {
        "path".to_owned()
    }

    fn read(&self, written: &DeValue<'_>) -> Result<PathBuf, String> {
        Text.read(written).map(PathBuf::from)
    }

    fn write(&self, value: &PathBuf) -> String {
        format!("{:?}", value.display().to_string())
    }
}

/// One of a few words.
pub(crate) struct OneOf<T: 'static>(pub(crate) &'static [(&'static str, T)]);

impl<T: Copy + PartialEq> Kind for OneOf<T> {
    type Value = T;

    fn allowed(&self) -> String {
        self.0.iter().map(|(word, _)| format!("{word:?}")).collect::<Vec<_>>().join(", ")
    }

    fn read(&self, written: &DeValue<'_>) -> Result<T, String> {
        let text = text_of(written)?;
        let known = self.0.iter().find(|(word, _)| *word == text);
        known
            .map(|(_, value)| *value)
            .ok_or_else(|| format!("{text:?} is unknown; allowed is {}", self.allowed()))
    }

    fn write(&self, value: &T) -> String {
        let word = self.0.iter().find(|(_, known)| known == value);
        word.map_or_else(String::new, |(word, _)| format!("{word:?}"))
    }
}

/// A list of values of one kind, of at most [`ListOf::MOST`].
pub(crate) struct ListOf<K>(pub(crate) K);

impl<K> ListOf<K> {
    /// The longest list that is accepted.
    pub(crate) const MOST: usize = 1_000;
}

impl<K: Kind> Kind for ListOf<K> {
    type Value = Vec<K::Value>;

    fn allowed(&self) -> String {
        format!("list of {}", self.0.allowed())
    }

    fn read(&self, written: &DeValue<'_>) -> Result<Self::Value, String> {
        let list = written
            .as_array()
            .ok_or_else(|| format!("a list in [ ] is meant, not {}", written.type_str()))?;
        if list.len() > Self::MOST {
            return Err(format!("{} entries; at most {} are allowed", list.len(), Self::MOST));
        }
        list.iter().map(|entry| self.0.read(entry.get_ref())).collect()
    }

    fn write(&self, value: &Self::Value) -> String {
        format!("[{}]", value.iter().map(|entry| self.0.write(entry)).collect::<Vec<_>>().join(", "))
    }
}

/// The text that `written` is, or what else it is.
pub(crate) fn text_of<'v>(written: &'v DeValue<'_>) -> Result<&'v str, String> {
    written.as_str().ok_or_else(|| format!("a text in quotes is meant, not {}", written.type_str()))
}

/// The text of a value that carries a unit; a bare number teaches how to write it.
fn with_unit<'v>(written: &'v DeValue<'_>, what: &str, unit: &str, units: &str) -> Result<&'v str, String> {
    if let Some(number) = written.as_integer() {
        let number = number.as_str();
        return Err(format!("{what} needs a unit: write \"{number}{unit}\" (units: {units})"));
    }
    text_of(written)
}

/// The number and the unit of `text`, which is `what`.
fn split<'v>(text: &'v str, what: &str) -> Result<(u64, &'v str), String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim();
    let number = number.parse().map_err(|_| format!("{text:?} is not {what}"))?;
    if unit.is_empty() { Err(format!("{text:?} has no unit; write {what}")) } else { Ok((number, unit)) }
}
