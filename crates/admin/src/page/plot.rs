//! A plot as the page's script draws it: what it shows, and its data, beside the frame that is kept free for it.

use maud::{Markup, html};
use serde::Serialize;
use serde_json::Value;

/// How a series is drawn.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Shape {
    Line,
    Area,
    Bars,
}

/// One series of a plot.
#[derive(Debug, Serialize)]
pub(super) struct Series {
    pub(super) label: &'static str,
    /// The style sheet's name for its colour.
    pub(super) colour: &'static str,
    pub(super) shape: Shape,
    pub(super) unit: &'static str,
}

/// A plot over time.
#[derive(Debug, Serialize)]
pub(super) struct Plot {
    /// What live figures call it.
    pub(super) name: &'static str,
    /// What it shows, for those who do not see it.
    #[serde(skip)]
    pub(super) title: &'static str,
    /// Seconds between its moments.
    pub(super) every: u32,
    /// How many moments it shows.
    pub(super) most: usize,
    /// What its axis reaches at least.
    pub(super) least: u32,
    pub(super) series: Vec<Series>,
    /// A row of times in seconds, and one for each series.
    pub(super) data: Vec<Vec<Value>>,
}

/// Moments – a time and a value for each series – as rows.
pub(super) fn rows(moments: &[Vec<Value>], series: usize) -> Vec<Vec<Value>> {
    let row = |place: usize| moments.iter().filter_map(|moment| moment.get(place).cloned()).collect();
    (0..=series).map(row).collect()
}

/// The seconds since 1970 of a time as the API writes it.
pub(super) fn seconds(time: &str) -> Value {
    time.parse::<jiff::Timestamp>().map_or(Value::Null, |time| time.as_second().into())
}

impl Plot {
    /// The frame that the script draws it in.
    pub(super) fn frame(&self) -> Markup {
        let said = serde_json::to_string(self).unwrap_or_default();
        html! {
            div.plot role="img" aria-label=(self.title) data-plot=(said) {
                noscript { "The plot needs scripts; the figures do not." }
            }
        }
    }
}
