//! What ROPs for folders give.

use super::super::Malformed;
use super::super::codec::{Codec, Optional, Plain, Text8, layout};
use super::super::reader::Reader;

layout! {
    /// A folder that was opened.
    pub struct OpenFolder {
        /// Whether it has rules.
        has_rules: bool,
        /// The servers that have its contents, if this one has not: only of public folders.
        ghosted: Option<Ghosted> as Optional<Plain>,
    }

    /// A folder that was made, or opened.
    pub struct CreateFolder {
        /// The folder.
        folder: u64,
        /// What is known of it, if it was there already.
        existing: Option<OpenFolder> as Optional<Plain>,
    }

    /// A table that was opened.
    pub struct OpenTable {
        /// How many rows it has.
        rows: u32,
    }

    /// Whether all was done. Answers that say that it failed say this, too.
    pub struct Completion {
        /// Whether a part was not done.
        partial: bool,
    }

    /// Into which folder messages of a class are put.
    pub struct GetReceiveFolder {
        /// The folder.
        folder: u64,
        /// The class that is set for it, of one-byte characters: the one that was asked for, or what it begins with.
        class: Vec<u8> as Text8,
    }
}

/// The servers that have a public folder's contents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ghosted {
    /// How many of them, from the first, are cheap to reach.
    pub cheap: u16,
    /// Their names.
    pub servers: Vec<Vec<u8>>,
}

/// Two counts, and as many names as the first says.
impl Codec<Ghosted> for Plain {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<Ghosted, Malformed> {
        let (count, cheap) = (reader.u16(what)?, reader.u16(what)?);
        let servers = (0..count).map(|_| Text8::read(reader, what)).collect::<Result<_, _>>()?;
        Ok(Ghosted { cheap, servers })
    }

    fn write(value: &Ghosted, out: &mut Vec<u8>) {
        let count = u16::try_from(value.servers.len()).unwrap_or(u16::MAX);
        Self::write(&count, out);
        Self::write(&value.cheap, out);
        for server in value.servers.iter().take(count.into()) {
            Text8::write(server, out);
        }
    }
}
