//! The policy to try, from a file as `policy show --json` prints it.
//!
//! `settings` are what an administrator changes in it; what they leave out is as `effective` says, and as the fallback
//! policy has it where that says nothing. A bare map of parameters will do too.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use weir_admin::names::{parameter, unknown_parameter};
use weir_admin::types::SettingMap;
use weir_throttle::{Limits, Policy, PolicyError, Setting};

use crate::cli::answer::Failure;

/// The largest file that is read.
const FILE_MAX: u64 = 1 << 20;

/// What the file may be.
#[derive(Deserialize)]
#[serde(untagged)]
enum Shown {
    Policy {
        name: Option<String>,
        settings: SettingMap,
        #[serde(default)]
        effective: SettingMap,
    },
    Bare(SettingMap),
}

/// The name and the limits of the policy in `file`.
pub(super) fn read(file: &Path) -> Result<(String, Limits), Failure> {
    let failed = |why: String| Failure::Failed(format!("{}: {why}", file.display()));
    let size = fs::metadata(file).map_err(|error| failed(error.to_string()))?.len();
    if size > FILE_MAX {
        return Err(failed(format!("{size} bytes are too much for a policy")));
    }
    let text = fs::read_to_string(file).map_err(|error| failed(error.to_string()))?;
    let shown = serde_json::from_str(&text)
        .map_err(|_| failed("no policy as `mailweir policy show NAME --json` prints it".to_owned()))?;
    let own_name = || file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let (name, settings, effective) = match shown {
        Shown::Policy { name, settings, effective } => (name, settings, effective),
        Shown::Bare(settings) => (None, settings, SettingMap::new()),
    };
    let mut policy = Policy::new();
    for (name, value) in effective.iter().chain(&settings) {
        put(&mut policy, name, *value).map_err(failed)?;
    }
    Ok((name.unwrap_or_else(own_name), Limits::resolve(&policy, &Policy::fallback())))
}

fn put(policy: &mut Policy, name: &str, value: Option<i64>) -> Result<(), String> {
    let parameter = parameter(name).ok_or_else(|| unknown_parameter(name))?;
    let setting = match value {
        None => Setting::Null,
        Some(value) => {
            let out_of_range = || PolicyError::OutOfRange { parameter, value: value.into() }.to_string();
            Setting::Value(u32::try_from(value).map_err(|_| out_of_range())?)
        }
    };
    policy.set(parameter, setting).map_err(|error| error.to_string())
}
