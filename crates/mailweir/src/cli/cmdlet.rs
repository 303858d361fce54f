//! The cmdlet spelling: `New-ThrottlingPolicy -Name FooPolicy -EWSFindCountLimit 1`.
//!
//! A pure translator into the same [`Command`] values that the other spelling gives. Names of cmdlets and parameters
//! are taken in any case; a dash may be the en dash that word processors make of it, and `-Name:value` is
//! `-Name value`. What there is stands in one table, [`FORMS`]; a word that is not in it is told with the nearest one
//! that is.

mod forms;
mod line;
#[cfg(test)]
mod tests;

use std::ffi::OsString;

use clap::CommandFactory;

use super::answer::Failure;
use super::global::Global;
use super::{Cli, Command};
use crate::config::nearest::nearest;
use forms::{FORMS, Form};
use line::{Line, is_dash};

/// The command line that `words` mean, without the program's name; nothing where they are not in the cmdlet spelling.
pub(super) fn read(words: &[OsString]) -> Result<Option<Cli>, Failure> {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let (global, rest) = split_globals(&words).map_err(Failure::Usage)?;
    let Some((cmdlet, rest)) = rest.split_first().filter(|(first, _)| is_cmdlet(first)) else {
        return Ok(None);
    };
    let command = translate(cmdlet, rest).map_err(Failure::Usage)?;
    Ok(Some(Cli { global, command }))
}

/// The command that `cmdlet` with the `words` behind it means.
pub(super) fn translate(cmdlet: &str, words: &[String]) -> Result<Command, String> {
    let form = form(cmdlet)?;
    (form.command)(&mut Line::read(form, words)?)
}

fn form(cmdlet: &str) -> Result<&'static Form, String> {
    let plain: String = cmdlet.chars().map(|letter| if is_dash(letter) { '-' } else { letter }).collect();
    if let Some(form) = FORMS.iter().find(|form| form.name.eq_ignore_ascii_case(&plain)) {
        return Ok(form);
    }
    let names = FORMS.iter().map(|form| form.name);
    let guess = nearest(&plain, names.clone());
    let guess = guess.map_or_else(String::new, |name| format!("did you mean {name}? "));
    Err(format!("there is no cmdlet {plain}; {guess}There are {}", names.collect::<Vec<_>>().join(", ")))
}

/// Whether `word` is a verb and a noun with a dash between, and no command of the other spelling.
fn is_cmdlet(word: &str) -> bool {
    let letters = |part: &str| !part.is_empty() && part.chars().all(|letter| letter.is_ascii_alphabetic());
    let parts = word.split_once(is_dash);
    parts.is_some_and(|(verb, noun)| letters(verb) && letters(noun))
        && Cli::command().find_subcommand(word).is_none()
}

/// The options that are taken anywhere, and the words without them.
fn split_globals(words: &[String]) -> Result<(Global, Vec<String>), String> {
    let mut global = Global::default();
    let mut rest = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (name, value) =
            word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
        let mut value = || {
            let value = value.map(str::to_owned).or_else(|| words.next().cloned());
            value.ok_or_else(|| format!("{name} needs a value"))
        };
        match name {
            "--json" => global.json = true,
            "--data" => global.data = Some(value()?.into()),
            "--server" => global.server = Some(value()?),
            "--token-file" => global.token_file = Some(value()?.into()),
            _ => rest.push(word.clone()),
        }
    }
    Ok((global, rest))
}
