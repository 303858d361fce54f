//! A plot for the docs: panels one below the other, a value a second.

use std::fmt::Write as _;
use std::path::Path;

const WIDTH: usize = 640;
const HEIGHT: usize = 150;
/// What is left of and between the panels.
const MARGIN: usize = 45;

pub(crate) struct Panel<'a> {
    pub(crate) title: &'a str,
    /// Each with its colour.
    pub(crate) lines: &'a [(&'a str, &'a [u64])],
}

/// Draws the panels into the file of that name in Cargo's directory for what tests leave behind.
pub(crate) fn draw(name: &str, panels: &[Panel<'_>]) {
    let (width, height) = (WIDTH + 2 * MARGIN, panels.len() * (HEIGHT + MARGIN) + MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"11\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    for (number, panel) in panels.iter().enumerate() {
        let top = MARGIN + number * (HEIGHT + MARGIN);
        let _ = writeln!(svg, "<g transform=\"translate({MARGIN} {top})\">{}</g>", panel.draw());
    }
    svg.push_str("</svg>\n");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, svg).expect("Cargo makes the directory");
    println!("{} was drawn", path.display());
}

impl Panel<'_> {
    fn draw(&self) -> String {
        let most = self.lines.iter().flat_map(|(_, values)| *values).max().copied().unwrap_or(0).max(1);
        let step = (most / 4).max(1).next_multiple_of(if most > 20 { 10 } else { 1 });
        let y = |value: u64| HEIGHT as f64 * (1.0 - value as f64 / (most + step / 4) as f64);
        let mut svg = format!("\n<text y=\"-8\">{}</text>\n", self.title);
        for value in (0..=most).step_by(step as usize) {
            let (at, text) = (y(value), y(value) + 4.0);
            let _ = writeln!(svg, "<path d=\"M0 {at:.1}H{WIDTH}\" stroke=\"#ddd\"/>");
            let _ = writeln!(svg, "<text x=\"-6\" y=\"{text:.1}\" text-anchor=\"end\">{value}</text>");
        }
        let seconds = self.lines.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
        let x = |second: usize| WIDTH as f64 * second as f64 / seconds as f64;
        for minute in 0..=seconds / 60 {
            let (at, text) = (x(minute * 60), HEIGHT + 14);
            let _ =
                writeln!(svg, "<text x=\"{at:.1}\" y=\"{text}\" text-anchor=\"middle\">{minute} min</text>");
        }
        for (colour, values) in self.lines {
            let points =
                values.iter().enumerate().map(|(at, value)| format!("{:.1},{:.1}", x(at), y(*value)));
            let points = points.collect::<Vec<_>>().join(" ");
            let _ = writeln!(svg, "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\"/>");
        }
        svg
    }
}
