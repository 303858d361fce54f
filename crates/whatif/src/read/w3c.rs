//! W3C extended logs: columns in whatever order, named by `#Fields`.
//!
//! Times are UTC, as IIS writes them unless it was told otherwise. A column that is missing is nothing; without a date
//! and a time a line says nothing, so that these two have to be there.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use weir_units::Micros;

use super::budget::budget;
use super::moment::{Days, time_of_day};
use super::own::Own;
use super::{Call, Parsed, component_of, millis, said};

/// The columns that a reader knows, and how their values are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Date,
    Time,
    Path,
    Query,
    User,
    Client,
    Agent,
    Taken,
    Unknown,
}

impl Column {
    fn named(name: &str) -> Self {
        match name {
            "date" => Self::Date,
            "time" => Self::Time,
            "cs-uri-stem" => Self::Path,
            "cs-uri-query" => Self::Query,
            "cs-username" => Self::User,
            "c-ip" => Self::Client,
            "cs(User-Agent)" => Self::Agent,
            "time-taken" => Self::Taken,
            _ => Self::Unknown,
        }
    }
}

/// The reader of one file.
#[derive(Debug)]
pub(crate) struct Reader {
    columns: Vec<Column>,
    days: Days,
    own: bool,
}

/// The most columns that `#Fields` may name; IIS has about 30.
const COLUMNS_MAX: usize = 128;

/// The columns of Mailweir's own log, for a file whose beginning is missing.
const OWN_COLUMNS: &str = "date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) \
                           sc-status sc-substatus sc-win32-status time-taken";

impl Reader {
    pub(super) fn of_mailweir() -> Self {
        Self { columns: columns(OWN_COLUMNS), days: Days::default(), own: true }
    }

    pub(super) fn of_iis() -> Self {
        Self { columns: Vec::new(), days: Days::default(), own: false }
    }

    pub(super) fn read<'a>(&mut self, line: &'a str) -> Parsed<'a> {
        if let Some(directive) = line.strip_prefix('#') {
            if let Some(names) = directive.strip_prefix("Fields:") {
                self.columns = columns(names);
            }
            return Parsed::Nothing;
        }
        if self.columns.is_empty() {
            return Parsed::Malformed("no #Fields line stands before it");
        }
        self.call(line).map_or_else(Parsed::Malformed, |call| Parsed::Call(Box::new(call)))
    }

    fn call<'a>(&mut self, line: &'a str) -> Result<Call<'a>, &'static str> {
        let mut call = Call::default();
        let (mut date, mut time, mut query) = (None, None, "");
        let mut values = line.split(' ');
        for column in &self.columns {
            let value = values.next().ok_or("it has fewer columns than #Fields names")?;
            match column {
                Column::Date => date = Some(self.days.iso(value).ok_or("its date is none")?),
                Column::Time => time = Some(time_of_day(value).ok_or("its time is none")?),
                Column::Path => call.path = value,
                Column::Query => query = said(value),
                Column::User => call.user = Cow::Borrowed(said(value)),
                Column::Client => call.client = said(value),
                Column::Agent => call.agent = Cow::Borrowed(said(value)),
                Column::Taken => call.taken = millis(value).ok_or("its time-taken is no number")?,
                Column::Unknown => {}
            }
        }
        if values.next().is_some() {
            return Err("it has more columns than #Fields names");
        }
        let (date, time) = date.zip(time).ok_or("it has no date and time")?;
        call.logged = date + time;
        call.component = component_of(call.path);
        if self.own {
            own(query, &mut call)?;
        } else {
            exchange(query, &mut call);
        }
        Ok(call)
    }
}

fn columns(names: &str) -> Vec<Column> {
    names.split_whitespace().take(COLUMNS_MAX).map(Column::named).collect()
}

/// The query column of our own log.
fn own<'a>(query: &'a str, call: &mut Call<'a>) -> Result<(), &'static str> {
    let mut own = Own::default();
    for field in query.split(';') {
        if let Some(init) = field.strip_prefix("Init>>") {
            take_budget(init, call);
        } else if let Some((name, value)) = field.split_once('=') {
            if name == "SoapAction" {
                call.operation = value.strip_prefix("m:").unwrap_or(said(value));
            } else {
                own.field(name, value, call)?;
            }
        }
    }
    own.end(call)
}

/// The query column of Exchange's log. What it says of times is the cost: the whole in CAS, `RpcL` and `LdapL` besides.
fn exchange<'a>(query: &'a str, call: &mut Call<'a>) {
    let [ad, cas, _, mailbox_rpc] = &mut call.cost;
    *cas = call.taken;
    for field in query.split(';') {
        if let Some((name, value)) = field.split_once('=') {
            match name {
                "SoapAction" => call.operation = value.strip_prefix("m:").unwrap_or(value),
                "RpcL" => *mailbox_rpc = millis(value).unwrap_or_default(),
                "LdapL" => *ad = millis(value).unwrap_or_default(),
                _ => {}
            }
        } else if let Some(rest) = field.strip_prefix("End(") {
            let elapsed = rest.split_once("ms)").and_then(|(millis, _)| elapsed(millis));
            *cas = elapsed.unwrap_or(*cas);
        }
    }
    let init = query.split(';').find_map(|field| field.strip_prefix("Init>>"));
    if let Some(init) = init {
        take_budget(init, call);
    } else if query.contains("udget") {
        active_sync(query, call);
    }
    if let Some(command) = query.split('&').find_map(|pair| pair.strip_prefix("Cmd=")) {
        call.operation = command;
        call.hangs = command == "Ping";
    }
}

/// The budget among the fields of `ActiveSync`, which are percent-encoded.
fn active_sync(query: &str, call: &mut Call<'_>) {
    let decoded = percent_decode_str(query).decode_utf8_lossy();
    let Some((_, rest)) = decoded.split_once("Budget:") else { return };
    let text = rest.split(",Norm").next().unwrap_or(rest);
    let Some(budget) = budget(text) else { return };
    call.allowed = budget.allowed;
    call.policy = Cow::Owned(budget.policy.into_owned());
}

fn take_budget<'a>(text: &'a str, call: &mut Call<'a>) {
    let Some(budget) = budget(text) else { return };
    let places = call.allowed.places;
    call.allowed = budget.allowed;
    call.allowed.places = places;
    call.subscriptions = budget.subscriptions;
    if !budget.policy.is_empty() {
        call.policy = budget.policy;
    }
}

/// `17156.25` milliseconds.
fn elapsed(millis: &str) -> Option<Micros> {
    let (whole, fraction) = millis.split_once('.').unwrap_or((millis, ""));
    let micros = format!("{:0<3}", fraction.get(..fraction.len().min(3))?);
    Some(Micros::new(whole.parse::<u64>().ok()?.checked_mul(1000)?.checked_add(micros.parse().ok()?)?))
}
