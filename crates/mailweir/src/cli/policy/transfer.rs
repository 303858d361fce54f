//! `mailweir policy export` and `policy import`: policies as a file, and what differs from it (T1).

use std::fmt::Write;
use std::fs;
use std::path::Path;

use weir_admin::client::Client;
use weir_admin::names;
use weir_admin::types::{ImportedPolicies, PolicyDifference, PolicyImport, SettingDifference};

use super::file::{read, written};
use super::limit;
use crate::cli::answer::{Answer, Failure};
use crate::cli::file;
use crate::config::mistake::Listing;

/// The largest file that is read, in bytes.
const MOST_BYTES: u64 = 4 << 20;

/// Writes the policies of these names, or all, to `out` or to standard output.
pub(super) async fn export(
    client: &Client,
    wanted: &[String],
    out: Option<&Path>,
) -> Result<Answer, Failure> {
    let mut policies = Vec::new();
    for name in wanted {
        policies.push(client.policy(name).await?);
    }
    if wanted.is_empty() {
        policies = client.policies().await?;
    }
    let text = written(&policies).map_err(|(name, why)| {
        Failure::Failed(format!(
            "the policy {name:?} cannot be read, and is not exported: {why}; import it anew, or name the policies that you \
             want"
        ))
    })?;
    let Some(out) = out else { return Answer::new(text, &policies) };
    fs::write(out, text)
        .map_err(|error| Failure::Failed(format!("cannot write {}: {error}", out.display())))?;
    Answer::new(format!("wrote {} to {}", count(policies.len()), out.display()), &policies)
}

/// Imports the policies of `file`; or only says what that would do.
pub(super) async fn import(
    client: &Client,
    file: &Path,
    dry_run: bool,
    prune: bool,
) -> Result<Answer, Failure> {
    let policies = read(&file::read(file, MOST_BYTES)?).map_err(|mistakes| {
        let name = file.display().to_string();
        let listing = Listing { file: &name, mistakes: &mistakes };
        Failure::Failed(format!("{listing}; nothing was imported"))
    })?;
    if policies.is_empty() {
        let text = format!("{} holds no [[policy]]; `policy export` writes such a file", file.display());
        return Err(Failure::Failed(text));
    }
    let imported = client.import_policies(&PolicyImport { policies, prune, dry_run }).await?;
    Answer::new(summary(&imported), &imported)
}

fn summary(imported: &ImportedPolicies) -> String {
    let mut text = String::new();
    for policy in &imported.differences {
        describe(&mut text, policy);
    }
    // Writing to a string cannot fail.
    let _ = match (imported.differences.len(), imported.dry_run) {
        (0, _) => writeln!(text, "nothing differs: {} as the file says", count(imported.unchanged)),
        (differing, true) => writeln!(text, "{} would differ; this was a dry run", count(differing)),
        (differing, false) => {
            writeln!(text, "{} changed, {} left as before", count(differing), imported.unchanged)
        }
    };
    text
}

/// A policy and, a line each, what differs: `+` was left out before, `-` is left out since, `~` changed.
fn describe(text: &mut String, policy: &PolicyDifference) {
    let _ = writeln!(text, "{} {} ({})", policy.action, policy.name, policy.organisation);
    if let Some(why) = &policy.unreadable {
        let _ = writeln!(text, "  its settings could not be read: {why}");
    }
    if let Some(default) = policy.default {
        let _ = writeln!(text, "  ~ default policy: {}", if default { "no → yes" } else { "yes → no" });
    }
    for SettingDifference { parameter, before, after } in &policy.settings {
        let name = names::parameter(parameter).map_or(parameter.as_str(), |known| known.name());
        let _ = match (before, after) {
            (Some(before), Some(after)) => {
                writeln!(text, "  ~ {name}: {} → {}", limit(*before), limit(*after))
            }
            (Some(before), None) => writeln!(text, "  - {name} (was {})", limit(*before)),
            (None, after) => writeln!(text, "  + {name}: {}", limit(after.flatten())),
        };
    }
}

fn count(policies: usize) -> String {
    if policies == 1 { "1 policy".to_owned() } else { format!("{policies} policies") }
}
