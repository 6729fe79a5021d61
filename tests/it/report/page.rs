//! The HTML report.

use prespec::report::html;

use super::fixture;

#[test]
fn write_samples() {
    let Some(folder) = option_env!("PRESPEC_REPORT_SAMPLES") else { return };
    for (name, (mut judgment, spec)) in [
        ("whole", fixture::whole()),
        ("exploratory", fixture::whole()),
        ("empty", fixture::empty()),
        ("many", fixture::many()),
        ("hostile", fixture::hostile()),
    ] {
        if name == "exploratory" {
            judgment.exploratory = true;
            judgment.partial = true;
            judgment.freeze_id = None;
        }
        std::fs::write(format!("{folder}/{name}.html"), html(&judgment, &spec).unwrap()).unwrap();
    }
}
