//! The geometry of interval plots: places in hundredths of a plot's width, so that one drawing fits a phone and a page.
//! Numbers in, numbers and short texts out; knows nothing of judgments.

use serde::Serialize;

use crate::report::figures;
use crate::spec::Dimension;

/// The narrowest plot that labels are laid out for, in pixels.
const NARROWEST: f64 = 225.0;
/// The width of a letter of a label, in pixels; generous, since fonts differ.
const LETTER: f64 = 6.6;
/// A label is cut after so many letters.
const LONGEST: usize = 40;
/// The height of a lane of labels, in pixels.
const LANE: f64 = 17.0;

/// The part of the axis that is drawn, in base units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Domain {
    from: f64,
    to: f64,
}

impl Domain {
    /// Holds all of these with some room; numbers that are not finite are left out.
    pub(super) fn over(values: impl IntoIterator<Item = f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.into_iter().filter(|value| value.is_finite()) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            return Self { from: 0.0, to: 1.0 };
        }
        let room = if low < high { (high - low) * 0.12 } else { (low.abs() * 0.1).max(1e-9) };
        Self { from: low - room, to: high + room }
    }

    /// The place of a value, from 0 to 100; places beyond the ends are drawn at the ends.
    pub(super) fn place(self, value: f64) -> f64 {
        if value.is_nan() {
            return 0.0;
        }
        ((value - self.from) / (self.to - self.from) * 100.0).clamp(0.0, 100.0)
    }
}

/// A place with two decimals, as an attribute.
pub(super) fn percent(place: f64) -> String {
    format!("{place:.2}%")
}

/// A text at a place.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Label {
    x: String,
    y: String,
    anchor: &'static str,
    text: String,
    class: &'static str,
    /// Where a line from the label down to the rows begins; empty for none.
    line: String,
    at: String,
}

/// The labels above a plot and how high they are.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Labels {
    pub(super) height: String,
    pub(super) items: Vec<Label>,
}

/// What a label is wanted for.
pub(super) struct Wanted {
    /// From 0 to 100.
    pub(super) place: f64,
    pub(super) text: String,
    pub(super) class: &'static str,
    /// Whether a line leads down to the rows.
    pub(super) line: bool,
}

/// Puts each group of labels into lanes, so that no two overlap even on the narrowest plot.
pub(super) fn lanes(groups: &[Vec<Wanted>]) -> Labels {
    let mut items = Vec::new();
    let mut top = 0.0;
    for group in groups {
        let mut ends: Vec<Vec<(f64, f64)>> = Vec::new();
        for wanted in group {
            let text = cut(&wanted.text);
            let width = (letters(&text) * LETTER / NARROWEST * 100.0).min(100.0);
            let (anchor, x, left) = if wanted.place - width / 2.0 < 0.0 {
                ("start", 0.0, 0.0)
            } else if wanted.place + width / 2.0 > 100.0 {
                ("end", 100.0, 100.0 - width)
            } else {
                ("middle", wanted.place, wanted.place - width / 2.0)
            };
            let (from, to) = (left - 1.0, left + width + 1.0);
            let free = ends.iter().position(|lane| lane.iter().all(|(start, end)| to <= *start || from >= *end));
            let lane = free.unwrap_or_else(|| {
                ends.push(Vec::new());
                ends.len() - 1
            });
            if let Some(lane) = ends.get_mut(lane) {
                lane.push((from, to));
            }
            let bottom = top + (count(lane) + 1.0) * LANE;
            items.push(Label {
                x: percent(x),
                y: format!("{:.0}", bottom - 5.0),
                anchor,
                text,
                class: wanted.class,
                line: if wanted.line { format!("{:.0}", bottom - 1.0) } else { String::new() },
                at: percent(wanted.place),
            });
        }
        top += count(ends.len()) * LANE;
    }
    Labels { height: format!("{:.0}", top + 4.0), items }
}

/// A small count as a number; the loop replaces a cast that could lose digits.
fn count(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}

fn letters(text: &str) -> f64 {
    count(text.chars().count())
}

/// Cuts what no plot could hold; the full text stands in the table.
fn cut(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(LONGEST - 1).collect();
    cut.push('…');
    cut
}

/// The marks of an axis: at most six, at round numbers of the unit shown.
pub(super) fn ticks(domain: Domain, dimension: &Dimension) -> Labels {
    let span = domain.to - domain.from;
    let mut step = round_step(span / 5.0);
    let mut marks = marks(domain, step);
    // Labels that would run into each other on the narrowest plot: fewer marks.
    let crowded = |marks: &[f64], step: f64| {
        let widest = marks.iter().map(|mark| letters(&figures::tick(*mark, step, dimension))).fold(0.0, f64::max);
        (widest + 2.0) * LETTER * count(marks.len()) > NARROWEST
    };
    for _ in 0..6 {
        if marks.len() <= 2 || !crowded(&marks, step) {
            break;
        }
        step = round_step(step * 1.9);
        marks = self::marks(domain, step);
    }
    let items = marks
        .iter()
        .map(|mark| {
            let place = domain.place(*mark);
            let text = super::evidence::typographic(&figures::tick(*mark, step, dimension));
            let half = letters(&text) * LETTER / NARROWEST * 50.0;
            let (anchor, x) = if place - half < 0.0 {
                ("start", 0.0)
            } else if place + half > 100.0 {
                ("end", 100.0)
            } else {
                ("middle", place)
            };
            Label {
                x: percent(x),
                y: "20".to_owned(),
                anchor,
                text,
                class: "tick",
                line: String::new(),
                at: percent(place),
            }
        })
        .collect();
    Labels { height: "26".to_owned(), items }
}

fn marks(domain: Domain, step: f64) -> Vec<f64> {
    if !(step.is_finite() && step > 0.0) {
        return Vec::new();
    }
    let first = libm::ceil(domain.from / step);
    let mut marks = Vec::new();
    let mut index = first;
    while index * step <= domain.to && marks.len() < 12 {
        marks.push(index * step);
        index += 1.0;
    }
    marks
}

/// The smallest of 1, 2, 5 times a power of ten that is no smaller. Base units of percentages differ from what is shown by a
/// factor of 100, so that round numbers of one are round in the other.
fn round_step(least: f64) -> f64 {
    if !(least.is_finite() && least > 0.0) {
        return 0.0;
    }
    let power = libm::pow(10.0, libm::floor(libm::log10(least)));
    [1.0, 2.0, 5.0].into_iter().map(|factor| factor * power).find(|step| *step >= least * 0.999).unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_holds_its_values_and_ignores_what_is_not_finite() {
        let domain = Domain::over([1.0, f64::INFINITY, 3.0, f64::NAN]);
        assert!(domain.place(1.0) > 0.0 && domain.place(3.0) < 100.0);
        assert!((domain.place(2.0) - 50.0).abs() < 1e-9);
        assert_eq!(percent(domain.place(f64::INFINITY)), "100.00%");
        assert_eq!(percent(domain.place(f64::NAN)), "0.00%");
        let single = Domain::over([0.0]);
        assert!((single.place(0.0) - 50.0).abs() < 1e-9);
        assert_eq!(Domain::over([]), Domain { from: 0.0, to: 1.0 });
    }

    #[test]
    fn labels_that_would_overlap_get_lanes_of_their_own() {
        let wanted = |place, text: &str| Wanted { place, text: text.to_owned(), class: "threshold", line: true };
        let apart = lanes(&[vec![wanted(10.0, "a"), wanted(90.0, "b")]]);
        assert_eq!(apart.height, "21");
        let close = lanes(&[vec![wanted(50.0, "material = 10 pp"), wanted(55.0, "slight = 5 pp")]]);
        assert_eq!(close.height, "38");
        assert_ne!(close.items[0].y, close.items[1].y);
        let long = lanes(&[vec![wanted(50.0, &"w".repeat(500))]]);
        assert_eq!(long.items[0].text.chars().count(), LONGEST);
    }

    #[test]
    fn ticks_stand_at_round_numbers_of_the_unit() {
        let ticks = ticks(Domain { from: -0.06, to: 0.21 }, &Dimension::Difference);
        let texts: Vec<&str> = ticks.items.iter().map(|tick| tick.text.as_str()).collect();
        assert_eq!(texts, ["0 pp", "+10 pp", "+20 pp"]);
    }

    #[test]
    fn ticks_of_a_vanishing_or_endless_axis_are_bounded() {
        assert!(ticks(Domain { from: 1.0, to: 1.0 }, &Dimension::Plain).items.is_empty());
        assert!(ticks(Domain { from: -1e300, to: 1e300 }, &Dimension::Plain).items.len() <= 12);
    }
}
