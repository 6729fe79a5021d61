//! Methods that are kept so that a published analysis can be repeated, and that mislead where simulation has tried them: each is
//! said, with the one to take instead. `docs/validation.md` has the rates.

use std::collections::BTreeMap;

use crate::check::places::{Kind, Part, Places};
use crate::diagnostic::{Code, Diagnostic};
use crate::spec::{Adjustment, Name, Spec};

/// Checks every method that some verdict, comparison or family uses.
pub(super) fn check(spec: &Spec, places: &Places, out: &mut Vec<Diagnostic>) {
    apart(spec, places, out);
}

/// Differences and equivalence of the same comparisons that are not adjusted together.
fn apart(spec: &Spec, places: &Places, out: &mut Vec<Diagnostic>) {
    let mut report = |kind: Kind, name: &Name, text: String| {
        out.push(
            Diagnostic::warning(Code::AdjustedApart, places.get(kind, name, &Part::Name), text)
                .note("each kind of claim then holds the level alone, and the chance of a false claim of either kind can be nearly twice that")
                .help("write `adjust joint`: of a difference and equivalence at most one null is true, so both are held at little cost")
                .about(name.as_str()),
        );
    };
    for (name, comparison) in &spec.comparisons {
        let tests_equivalence = comparison.lines.iter().any(|line| line.equivalence.is_some());
        if tests_equivalence && comparison.adjust != Adjustment::Joint {
            report(Kind::Compare, name, format!("`{name}` adjusts differences and equivalence apart"));
        }
    }
    // By estimand: the families in which it is tested for a difference, and for equivalence.
    let mut tested: BTreeMap<&Name, [Vec<&Name>; 2]> = BTreeMap::new();
    for (name, family) in spec.families.iter().filter(|(_, family)| family.adjust != Adjustment::Joint) {
        for line in &family.members {
            let equivalence = spec.tests.get(&line.test).is_some_and(|test| test.method.is_equivalence());
            if let Some(side) = tested.entry(&line.estimand).or_default().get_mut(usize::from(equivalence)) {
                side.push(name);
            }
        }
    }
    for (estimand, [difference, equivalence]) in tested {
        if let (Some(_), Some(family)) = (difference.first(), equivalence.first()) {
            report(
                Kind::Family,
                family,
                format!("`{estimand}` is tested for a difference and for equivalence, and the two are adjusted apart"),
            );
        }
    }
}
