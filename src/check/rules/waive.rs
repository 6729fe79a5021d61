//! Waivers: a recorded downgrade of a refusal, shown beside every verdict it touches.

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::spec::Waiver;

/// Turns each error that a waiver names into a warning that says so. Returns the waivers that waived nothing.
pub fn waive<'a>(waivers: &'a [Waiver], diagnostics: &mut [Diagnostic]) -> Vec<&'a Waiver> {
    let mut idle = Vec::new();
    for waiver in waivers {
        let code = Code::from_number(&waiver.code).filter(|code| code.waivable());
        let mut used = false;
        for diagnostic in diagnostics.iter_mut() {
            let named = diagnostic.subject.as_deref() == Some(waiver.on.as_str());
            if Some(diagnostic.code) == code && named && diagnostic.severity == Severity::Error {
                diagnostic.severity = Severity::Warning;
                diagnostic.notes.push(format!("waived: {}", waiver.because));
                used = true;
            }
        }
        if !used {
            idle.push(waiver);
        }
    }
    idle
}
