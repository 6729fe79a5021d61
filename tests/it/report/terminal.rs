//! The terminal's summary.

use prespec::report::{Style, summary};

use super::fixture;

#[test]
fn write_sample_to_look_at() {
    let (judgment, spec) = fixture::whole();
    let text = summary(&judgment, &spec, Style::default());
    assert!(text.lines().all(|line| line.chars().count() <= 100), "a line is longer than 100 columns");
    if let Some(folder) = option_env!("PRESPEC_REPORT_SAMPLES") {
        std::fs::write(format!("{folder}/summary.txt"), text).unwrap();
    }
}
