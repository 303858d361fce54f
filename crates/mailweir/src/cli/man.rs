//! `mailweir man`: manual pages from the same definitions that the command line is read by.
//!
//! One page a command, as `mailweir-policy-set.1`; the program's own page also says which files and variables there
//! are, and what the exit statuses mean.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::answer::{Answer, Failure};

/// What belongs to the program as a whole: the heading, and what stands below it, term by term.
const WHOLE: [(&str, &[(&str, &str)]); 3] = [
    (
        "EXIT STATUS",
        &[
            ("0", "It is done."),
            ("1", "It was refused or failed; one line on standard error says what, why, and what to do."),
            ("2", "The command line cannot be understood."),
        ],
    ),
    (
        "FILES",
        &[
            ("/etc/mailweir/mailweir.toml", "The configuration of a server that was installed as a package."),
            (
                "/var/lib/mailweir",
                "The data directory of such a server: databases, logs, the token for the API.",
            ),
            ("mailweir.toml", "The configuration, where it is in the folder that the program is started in."),
        ],
    ),
    ("ENVIRONMENT", &[("RUST_LOG", "How much serve says on standard error; it wins over log.level.")]),
];

/// The page of the program, or all pages into the folder `out`.
pub(super) fn pages(command: clap::Command, out: Option<&Path>) -> Result<Answer, Failure> {
    // The words `help` and what stands behind them need no pages.
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let Some(out) = out else {
        let page = page(&command).map_err(|error| unwritten(Path::new("the page"), &error))?;
        return Ok(Answer::script(String::from_utf8_lossy(&page).into_owned()));
    };
    fs::create_dir_all(out).map_err(|error| unwritten(out, &error))?;
    let mut written = Vec::new();
    let mut left = vec![&command];
    while let Some(command) = left.pop() {
        left.extend(command.get_subcommands());
        let path = out.join(format!("{}.1", name(command)));
        let page = page(command).map_err(|error| unwritten(&path, &error))?;
        fs::write(&path, page).map_err(|error| unwritten(&path, &error))?;
        written.push(path);
    }
    Ok(Answer::done(format!("{} pages are in {}\n", written.len(), out.display())))
}

fn unwritten(path: &Path, error: &io::Error) -> Failure {
    Failure::Failed(format!(
        "cannot write {}: {error}; name a folder that this user may write",
        path.display()
    ))
}

fn name(command: &clap::Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

/// The page of one command.
fn page(command: &clap::Command) -> io::Result<Vec<u8>> {
    let name = name(command).to_owned();
    let is_whole = command.has_subcommands() && name == command.get_name();
    let man = Man::new(command.clone())
        .title(name.to_uppercase())
        // An empty date would move the others to the left.
        .date(" ")
        .source(concat!("mailweir ", env!("CARGO_PKG_VERSION")))
        .manual("Mailweir");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    if is_whole {
        whole(&mut page)?;
    }
    Ok(page)
}

/// What stands on the program's own page besides its command line.
fn whole(page: &mut Vec<u8>) -> io::Result<()> {
    let mut roff = Roff::default();
    roff.control("SH", ["CMDLET SPELLING"]).control("nf", []);
    for line in super::CMDLETS.lines() {
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
    for (heading, terms) in WHOLE {
        roff.control("SH", [heading]);
        for (term, text) in terms {
            roff.control("TP", []);
            roff.text([bold(*term)]);
            roff.text([roman(*text)]);
        }
    }
    page.write_all(roff.render().as_bytes())
}

#[cfg(test)]
mod tests;
