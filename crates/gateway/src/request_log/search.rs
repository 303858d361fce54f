//! The lines of one owner in a span of time, out of the files of the log (T21).
//!
//! Files are long and an answer is wanted at once. Their lines are in the order of time, but for those of the same
//! moment, and begin with it: so the first line of the span is found by halving the file, and reading ends behind the
//! last. A compressed file has to be unpacked up to there, unless the next one shows that it ends too early. What is read
//! and what is answered is bounded; an answer says where it is not all.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use weir_units::{Micros, Owner, WallTime};

use super::compress::{Form, files};
use super::day::{Day, FileName};
use super::escape::Column;
use super::{Moment, Verdict};

/// Bytes of the log that are read for one answer; a span that holds more is not answered whole.
pub const MOST_BYTES: u64 = 256 << 20;
/// Bytes of the log that are unpacked to get to a span.
pub const MOST_UNPACKED: u64 = 4 << 30;
/// Lines of throttled calls in one answer; further ones are counted.
pub const MOST_THROTTLED: usize = 100;
/// Lines of the slowest calls in one answer.
pub const MOST_SLOWEST: usize = 10;
/// Bytes of a line; what claims to be a longer one is no line of ours.
const LONGEST: u64 = 64 << 10;
/// Lines may stand so much out of order.
const DISORDER: Micros = Micros::new(2_000_000);
/// Bytes of date and time at the beginning of a line.
const MOMENT: usize = 19;
const DAY: Micros = Micros::new(86_400_000_000);

/// What the log says of an owner in a span of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// His requests.
    pub requests: u64,
    /// Those that were refused.
    pub refused: u64,
    /// Those that were delayed.
    pub delayed: u64,
    /// Those that would have been refused, had he been held to his budget (T20).
    pub would_refuse: u64,
    /// Those that would have been delayed.
    pub would_delay: u64,
    /// The lines of the first [`MOST_THROTTLED`] of those that were refused or delayed, or would have been.
    pub throttled: Vec<String>,
    /// The lines of the [`MOST_SLOWEST`] that took longest, the slowest first.
    pub slowest: Vec<String>,
    /// Whether there was more to read than is read for one answer.
    pub cut_off: bool,
}

/// Looks through the files in `directory` for the requests of `owner` that ended from `from` to `to`, to the second.
///
/// # Errors
/// Where the directory or one of its files cannot be read.
pub fn search(directory: &Path, owner: &Owner, from: WallTime, to: WallTime) -> io::Result<Found> {
    let mut search = Search {
        owner: Column(owner.name()).to_string(),
        from: Moment(from).to_string(),
        to: Moment(to).to_string(),
        begin: Moment(shifted(from, DISORDER, -1)).to_string(),
        end: Moment(shifted(to, DISORDER, 1)).to_string(),
        left: MOST_BYTES,
        left_to_unpack: MOST_UNPACKED,
        slowest: Vec::new(),
        found: Found::default(),
    };
    // What ended a moment before midnight may stand in the next day's file.
    let days = Day::of(from)..=Day::of(shifted(to, DAY, 1));
    let files = LogFile::all(directory, |name| days.contains(&name.day))?;
    for (nth, file) in files.iter().enumerate() {
        let next = files.get(nth + 1);
        match file.open()? {
            Opened::Plain(plain) => search.read(plain)?,
            Opened::Packed(_) if next.is_some_and(|next| next.begins_before(&search.begin)) => {}
            Opened::Packed(packed) => search.read_lines(packed)?,
        }
    }
    Ok(search.finish())
}

/// A search under way. Moments are compared as they are written.
struct Search {
    owner: String,
    from: String,
    to: String,
    /// Where to begin reading, and where to end.
    begin: String,
    end: String,
    left: u64,
    left_to_unpack: u64,
    /// The slowest lines so far, with the milliseconds that each took.
    slowest: Vec<(u64, String)>,
    found: Found,
}

impl Search {
    fn read(&mut self, mut file: BufReader<File>) -> io::Result<()> {
        let length = file.get_ref().metadata()?.len();
        let start = self.start(&mut file, length)?;
        file.seek(SeekFrom::Start(start))?;
        self.read_lines(file)
    }

    /// Looks at the lines from the span's first to its last.
    fn read_lines(&mut self, mut lines: impl BufRead) -> io::Result<()> {
        let mut line = Vec::new();
        while next_line(&mut lines, &mut line)? {
            let moment = moment(&line);
            let is_early = moment.is_some_and(|moment| moment < self.begin.as_bytes());
            let left = if is_early { &mut self.left_to_unpack } else { &mut self.left };
            let Some(less) = left.checked_sub(u64::try_from(line.len()).unwrap_or(u64::MAX)) else {
                self.found.cut_off = true;
                return Ok(());
            };
            *left = less;
            if moment.is_some_and(|moment| moment > self.end.as_bytes()) {
                return Ok(());
            }
            if let Ok(text) = std::str::from_utf8(&line) {
                self.look_at(text.trim_end_matches('\n'));
            }
        }
        Ok(())
    }

    /// The beginning of a line before which nothing of the span stands.
    fn start(&self, file: &mut BufReader<File>, length: u64) -> io::Result<u64> {
        let (mut low, mut high) = (0, length);
        let mut line = Vec::new();
        // Whatever begins before `low` is too early; at `high` the file is late enough, or over.
        while high - low > LONGEST {
            let middle = low + (high - low) / 2;
            file.seek(SeekFrom::Start(middle))?;
            let mut at = middle;
            let mut is_early = false;
            // The rest of a line, then perhaps a few that are none of a request.
            while next_line(file, &mut line)? {
                let is_rest = at == middle;
                at += u64::try_from(line.len()).unwrap_or(u64::MAX);
                if let Some(moment) = moment(&line).filter(|_| !is_rest) {
                    is_early = moment < self.begin.as_bytes();
                    break;
                }
            }
            if is_early { low = at } else { high = middle }
        }
        Ok(low)
    }

    fn look_at(&mut self, line: &str) {
        let moment = line.get(..MOMENT).unwrap_or_default();
        if line.starts_with('#') || moment < self.from.as_str() || moment > self.to.as_str() {
            return;
        }
        let mut columns = line.split(' ');
        let (query, user) = (columns.nth(5), columns.nth(1));
        let (Some(query), Some(user)) = (query, user) else { return };
        if user != self.owner {
            return;
        }
        let taken = line.rsplit(' ').next().and_then(|taken| taken.parse().ok()).unwrap_or(0);
        self.count(verdict(query), line);
        self.note_time(taken, line);
    }

    fn count(&mut self, verdict: Option<Verdict>, line: &str) {
        self.found.requests += 1;
        let counter = match verdict {
            Some(Verdict::Refuse) => &mut self.found.refused,
            Some(Verdict::Delay) => &mut self.found.delayed,
            Some(Verdict::WouldRefuse) => &mut self.found.would_refuse,
            Some(Verdict::WouldDelay) => &mut self.found.would_delay,
            Some(Verdict::Run | Verdict::Unjudged) | None => return,
        };
        *counter += 1;
        if self.found.throttled.len() < MOST_THROTTLED {
            self.found.throttled.push(line.to_owned());
        }
    }

    fn note_time(&mut self, taken: u64, line: &str) {
        let place = self.slowest.partition_point(|(other, _)| *other >= taken);
        if place < MOST_SLOWEST {
            self.slowest.insert(place, (taken, line.to_owned()));
            self.slowest.truncate(MOST_SLOWEST);
        }
    }

    fn finish(self) -> Found {
        Found { slowest: self.slowest.into_iter().map(|(_, line)| line).collect(), ..self.found }
    }
}

/// A file of the log, in the form that is read.
struct LogFile {
    plain: PathBuf,
    packed: PathBuf,
}

enum Opened {
    Plain(BufReader<File>),
    Packed(BufReader<MultiGzDecoder<File>>),
}

impl LogFile {
    /// Those whose names are wanted, in their order.
    fn all(directory: &Path, is_wanted: impl Fn(FileName) -> bool) -> io::Result<Vec<Self>> {
        let finished = |(name, form)| matches!(form, Form::Plain | Form::Packed).then_some(name);
        let mut names: Vec<FileName> =
            files(directory)?.into_iter().filter_map(finished).filter(|name| is_wanted(*name)).collect();
        names.sort_unstable();
        names.dedup();
        let of = |form: Form, name| form.path(directory, name);
        let file = |name| Self { plain: of(Form::Plain, name), packed: of(Form::Packed, name) };
        Ok(names.into_iter().map(file).collect())
    }

    /// Opens the plain file, or the compressed one where that has taken its place.
    fn open(&self) -> io::Result<Opened> {
        match File::open(&self.plain) {
            Ok(file) => Ok(Opened::Plain(BufReader::new(file))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let packed = File::open(&self.packed)?;
                Ok(Opened::Packed(BufReader::new(MultiGzDecoder::new(packed))))
            }
            Err(error) => Err(error),
        }
    }

    /// Whether its first request ended before `begin`; no where it cannot be told.
    fn begins_before(&self, begin: &str) -> bool {
        let first = match self.open() {
            Ok(Opened::Plain(mut file)) => first_moment(&mut file),
            Ok(Opened::Packed(mut file)) => first_moment(&mut file),
            Err(_) => None,
        };
        first.is_some_and(|first| first.as_slice() < begin.as_bytes())
    }
}

/// The moment of the first line that tells of a request, within the length of a line.
fn first_moment(file: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut head = BufReader::new(file.take(LONGEST));
    let mut line = Vec::new();
    while next_line(&mut head, &mut line).ok()? {
        if let Some(moment) = moment(&line) {
            return Some(moment.to_owned());
        }
    }
    None
}

/// Reads the next line with its end into `line`; what is longer than a line may be comes in pieces. False at the end
/// of the file.
fn next_line(file: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    Ok(file.take(LONGEST).read_until(b'\n', line)? > 0)
}

/// Date and time of a line that tells of a request.
fn moment(line: &[u8]) -> Option<&[u8]> {
    let moment = line.get(..MOMENT)?;
    moment.first().is_some_and(u8::is_ascii_digit).then_some(moment)
}

/// What the line's query column says was decided.
fn verdict(query: &str) -> Option<Verdict> {
    let (_, rest) = query.rsplit_once(";Verdict=")?;
    let word = rest.split(';').next()?;
    Verdict::from_name(word)
}

/// The moment `by` earlier or later.
fn shifted(at: WallTime, by: Micros, sign: i64) -> WallTime {
    let by = i64::try_from(by.count()).unwrap_or(i64::MAX).saturating_mul(sign);
    WallTime::from_unix_micros(at.unix_micros().saturating_add(by))
}

#[cfg(test)]
mod tests;
