//! Reads a document section by section, key by key.
//!
//! The one idea: asking for a key is at the same time its declaration. What was asked for makes the list of allowed
//! keys, the suggestion for a mistyped one, and the [catalogue](super::key). Mistakes are gathered, never thrown: an
//! administrator hears of all of them at once. Reading goes on with the default after a mistake; the caller must not
//! use the result while there are any.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::key::{Effect, Key, join};
use super::kind::{File, Kind};
use super::mistake::Mistake;
use super::nearest::nearest;

/// Reads `text`, whose relative paths begin at `folder`. Where there are mistakes, the first is of no use.
pub(crate) fn read_text<'d, T>(
    text: &'d str,
    folder: &'d Path,
    read: impl FnOnce(&mut Section<'_, '_, 'd>) -> T,
) -> (T, Gathered) {
    let (document, faults) = DeTable::parse_recoverable(text);
    let mut journal = Journal::new(text, folder);
    for fault in &faults {
        let at = fault.span().map_or(0, |span| span.start);
        journal.mistake(at, format!("not TOML: {}", fault.message().replace('\n', ", ")));
    }
    // What a broken document seems to hold is a guess: complaining about it would only mislead.
    let guess = DeTable::new();
    let value = journal.document(if faults.is_empty() { document.get_ref() } else { &guess }, read);
    (value, journal.finish())
}

/// What reading one document gathers.
pub(super) struct Journal<'d> {
    text: &'d str,
    folder: &'d Path,
    mistakes: Vec<Mistake>,
    keys: Vec<Key>,
    held: BTreeMap<String, Held>,
}

/// What reading one document came to.
pub(crate) struct Gathered {
    /// The mistakes, in the order of their lines.
    pub(crate) mistakes: Vec<Mistake>,
    /// Every key that was asked for.
    pub(super) keys: Vec<Key>,
    /// What holds for each key.
    pub(super) held: BTreeMap<String, Held>,
}

/// What holds for a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Held {
    /// When a change of it takes effect.
    pub(super) effect: Effect,
    /// Its value as one would write it; a key of a list of sections has one for each.
    pub(super) values: Vec<String>,
}

impl<'d> Journal<'d> {
    /// The most elements that a list of sections may have.
    const MOST_SECTIONS: usize = 1_000;

    /// A journal for `text`, whose relative paths begin at `folder`.
    pub(super) fn new(text: &'d str, folder: &'d Path) -> Self {
        Self { text, folder, mistakes: Vec::new(), keys: Vec::new(), held: BTreeMap::new() }
    }

    /// Notes a mistake at byte `at` of the document.
    pub(super) fn mistake(&mut self, at: usize, text: String) {
        let line = 1 + self
            .text
            .char_indices()
            .take_while(|(place, _)| *place < at)
            .filter(|(_, c)| *c == '\n')
            .count();
        self.mistakes.push(Mistake { line, text });
    }

    /// Reads the whole document, whose top is `table`.
    pub(super) fn document<T>(
        &mut self,
        table: &DeTable<'_>,
        read: impl FnOnce(&mut Section<'_, '_, 'd>) -> T,
    ) -> T {
        self.table(Place { path: String::new(), at: 0, table: Some(table), prototype: false }, read)
    }

    /// What was gathered.
    pub(super) fn finish(mut self) -> Gathered {
        self.mistakes.sort_by_key(|mistake| mistake.line);
        Gathered { mistakes: self.mistakes, keys: self.keys, held: self.held }
    }

    fn table<T>(&mut self, place: Place<'_, '_>, read: impl FnOnce(&mut Section<'_, '_, 'd>) -> T) -> T {
        let mut section = Section { journal: self, place, asked: Vec::new(), asked_all: false };
        let value = read(&mut section);
        section.refuse_unknown();
        value
    }

    fn note(&mut self, key: Key) {
        if !self.keys.iter().any(|known| known.name == key.name && known.section == key.section) {
            self.keys.push(key);
        }
    }
}

/// Where in the document a section is.
struct Place<'t, 'v> {
    path: String,
    at: usize,
    table: Option<&'t DeTable<'v>>,
    /// Read only for the catalogue: no such section is in the document.
    prototype: bool,
}

/// A place in the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spot(usize);

/// One section being read.
pub(crate) struct Section<'j, 't, 'd> {
    journal: &'j mut Journal<'d>,
    place: Place<'t, 't>,
    asked: Vec<&'static str>,
    /// Whether every key was asked for.
    asked_all: bool,
}

impl<'t, 'd> Section<'_, 't, 'd> {
    /// The key's value, or `default`.
    pub(super) fn value<K: Kind>(
        &mut self,
        name: &'static str,
        effect: Effect,
        kind: &K,
        default: K::Value,
    ) -> K::Value {
        self.declare(name, effect, kind, Some(kind.write(&default)));
        let value = self.read(name, kind).unwrap_or(default);
        self.settle(name, effect, kind, Some(&value));
        value
    }

    /// The key's value, if it is there.
    pub(crate) fn optional<K: Kind>(
        &mut self,
        name: &'static str,
        effect: Effect,
        kind: &K,
    ) -> Option<K::Value> {
        self.declare(name, effect, kind, None);
        let value = self.read(name, kind);
        self.settle(name, effect, kind, value.as_ref());
        value
    }

    /// The key's value; a section without it is a mistake.
    pub(crate) fn required<K: Kind>(
        &mut self,
        name: &'static str,
        effect: Effect,
        kind: &K,
    ) -> Option<K::Value> {
        let value = self.optional(name, effect, kind);
        if self.entry(name).is_none() && !self.place.prototype {
            let path = join(&self.place.path, name);
            self.mistake(format!("{path} is missing; allowed is {}", kind.allowed()));
        }
        value
    }

    /// A path that is there; a relative one begins at the document's folder.
    pub(super) fn path(&mut self, name: &'static str, effect: Effect) -> Option<PathBuf> {
        self.optional(name, effect, &File).map(|path| self.journal.folder.join(path))
    }

    /// A path; a relative one that is there begins at the document's folder, the `default` where it stands.
    pub(super) fn path_or(&mut self, name: &'static str, effect: Effect, default: PathBuf) -> PathBuf {
        self.declare(name, effect, &File, Some(File.write(&default)));
        let value = self.read(name, &File).map_or(default, |path| self.journal.folder.join(path));
        self.settle(name, effect, &File, Some(&value));
        value
    }

    /// The section `name` below this one; where it is left out, all its keys are.
    pub(crate) fn section<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut Section<'_, '_, 'd>) -> T,
    ) -> T {
        self.asked.push(name);
        let path = join(&self.place.path, name);
        let found = self.entry(name);
        let table = found.and_then(|(_, value)| value.get_ref().as_table());
        let at = found.map_or(self.place.at, |(at, _)| at);
        if let (Some((at, value)), None) = (found, table) {
            let kind = value.get_ref().type_str();
            self.journal.mistake(at, format!("{path} is a section: write [{path}], not a value ({kind})"));
        }
        let prototype = self.place.prototype;
        self.journal.table(Place { path, at, table, prototype }, read)
    }

    /// The list of sections `name` below this one.
    pub(crate) fn sections<T>(
        &mut self,
        name: &'static str,
        read: impl Fn(&mut Section<'_, '_, 'd>) -> Option<T>,
    ) -> Vec<T> {
        self.asked.push(name);
        let path = join(&self.place.path, name);
        self.journal.table(Place { path: path.clone(), at: 0, table: None, prototype: true }, &read);
        let Some((at, value)) = self.entry(name) else { return Vec::new() };
        let tables: Option<Vec<_>> = value.get_ref().as_array().and_then(|list| {
            list.iter()
                .map(|entry| entry.get_ref().as_table().map(|table| (entry.span().start, table)))
                .collect()
        });
        let Some(tables) = tables.filter(|tables| tables.len() <= Journal::MOST_SECTIONS) else {
            let most = Journal::MOST_SECTIONS;
            self.journal
                .mistake(at, format!("{path} is a list of sections: write [[{path}]], at most {most} times"));
            return Vec::new();
        };
        let place = |at, table| Place { path: path.clone(), at, table: Some(table), prototype: false };
        tables.into_iter().filter_map(|(at, table)| self.journal.table(place(at, table), &read)).collect()
    }

    /// Hands every key and its value to `read`, in the order of the lines, which says what is wrong with them: for a
    /// section whose keys are declared elsewhere.
    pub(crate) fn each(&mut self, mut read: impl FnMut(&str, &DeValue<'_>) -> Result<(), String>) {
        self.asked_all = true;
        let mut entries: Vec<_> = self.place.table.into_iter().flatten().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in entries {
            if let Err(why) = read(key.get_ref(), value.get_ref()) {
                self.journal.mistake(key.span().start, why);
            }
        }
    }

    /// Notes a mistake that concerns the section as a whole.
    pub(super) fn mistake(&mut self, text: impl Into<String>) {
        self.journal.mistake(self.place.at, text.into());
    }

    /// Notes a mistake about a key: at its line where it is written, else at the section's.
    pub(super) fn mistake_at(&mut self, name: &str, text: impl Into<String>) {
        let spot = self.spot(name);
        self.mistake_in(spot, text);
    }

    /// Notes a mistake about what stands at `spot`, which may be in another section of this document.
    pub(super) fn mistake_in(&mut self, spot: Spot, text: impl Into<String>) {
        self.journal.mistake(spot.0, text.into());
    }

    /// Where a key is written, else where the section is: for mistakes that show only when other sections are read.
    pub(super) fn spot(&self, name: &str) -> Spot {
        Spot(self.entry(name).map_or(self.place.at, |(at, _)| at))
    }

    /// Whether the key is written, rightly or not.
    pub(super) fn is_written(&self, name: &str) -> bool {
        self.entry(name).is_some()
    }

    fn declare<K: Kind>(&mut self, name: &'static str, effect: Effect, kind: &K, default: Option<String>) {
        self.asked.push(name);
        let section = self.place.path.clone();
        self.journal.note(Key { section, name, allowed: kind.allowed(), default, effect });
    }

    /// Notes what holds for a key.
    ///
    /// Sections of a list share the names of their keys; what holds is then all of their values, in their order.
    fn settle<K: Kind>(&mut self, name: &str, effect: Effect, kind: &K, value: Option<&K::Value>) {
        let held = self.journal.held.entry(join(&self.place.path, name));
        let held = held.or_insert_with(|| Held { effect, values: Vec::new() });
        held.values.push(value.map_or_else(|| "nothing".to_owned(), |value| kind.write(value)));
    }

    fn read<K: Kind>(&mut self, name: &str, kind: &K) -> Option<K::Value> {
        let (_, value) = self.entry(name)?;
        match kind.read(value.get_ref()) {
            Ok(value) => Some(value),
            Err(why) => {
                let path = join(&self.place.path, name);
                self.journal.mistake(value.span().start, format!("{path}: {why}"));
                None
            }
        }
    }

    /// Where the key is written, and what.
    fn entry(&self, name: &str) -> Option<(usize, &'t Spanned<DeValue<'t>>)> {
        let table = self.place.table?;
        table.iter().find(|(key, _)| key.get_ref() == name).map(|(key, value)| (key.span().start, value))
    }

    fn refuse_unknown(&mut self) {
        let Some(table) = self.place.table.filter(|_| !self.asked_all) else { return };
        for key in table.keys().filter(|key| !self.asked.contains(&key.get_ref().as_ref())) {
            let typed = key.get_ref().as_ref();
            let mut allowed = self.asked.clone();
            allowed.sort_unstable();
            let guess = nearest(typed, allowed.iter().copied());
            let guess = guess.map_or_else(String::new, |word| format!("; did you mean {word}?"));
            let path = join(&self.place.path, typed);
            let text = format!("unknown key {path}{guess} (allowed here: {})", allowed.join(", "));
            self.journal.mistake(key.span().start, text);
        }
    }
}
