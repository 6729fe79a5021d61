//! Waivers: recorded downgrades of listed refusals. A waiver that waives nothing is itself refused.

use super::places::{Part, Places};
use super::{Checker, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::spec::Waiver;

impl Checker<'_> {
    /// Checks every waiver's own words.
    pub(super) fn waivers(&mut self) {
        for item in self.names.waivers.clone() {
            let code = Code::from_number(&item.code.node);
            match code {
                None => {
                    self.report(Diagnostic::error(
                        Code::BadWaiver,
                        item.code.span,
                        format!("no refusal has the number `{}`", item.code.node),
                    ));
                }
                Some(code) if !code.waivable() => {
                    self.report(
                        Diagnostic::error(Code::BadWaiver, item.code.span, format!("`{}` cannot be waived: {}", code.number(), code.title()))
                            .note("only refusals about what a rule licenses can be waived; everything else has no meaning until it is put right"),
                    );
                }
                Some(_) => {}
            }
            let Some(on) = &item.on else {
                self.report(
                    Diagnostic::error(Code::BadWaiver, item.code.span, "the waiver does not say for what")
                        .help(format!("write `waive {} on H1 because \"…\"`", item.code.node)),
                );
                continue;
            };
            let known = [Kind::Hypothesis, Kind::Gate, Kind::Family, Kind::Estimand, Kind::Conclusion];
            let found = self
                .names
                .all
                .get(on.node.as_str())
                .is_some_and(|all| all.iter().any(|(kind, _)| known.contains(kind)));
            if !found {
                self.undefined(on, "a hypothesis, gate, family or estimand", &known);
                continue;
            }
            let because = item.because.as_ref().filter(|text| !text.node.trim().is_empty());
            let Some(because) = because else {
                self.report(
                    Diagnostic::error(Code::BadWaiver, item.code.span, "the waiver does not say why")
                        .help("add `because \"…\"`; the reason is printed beside every verdict it touches"),
                );
                continue;
            };
            let because = self.prose(because);
            let Some(code) = code.filter(|code| code.waivable()) else { continue };
            let key = format!("{} {}", code.number(), on.node);
            self.place(Kind::Waive, &key, Part::Name, item.code.span);
            let waiver = Waiver { code: code.number().to_owned(), on: on.node.clone(), because };
            if self.spec.waivers.iter().any(|other| other.code == waiver.code && other.on == waiver.on) {
                self.report(Diagnostic::error(Code::BadWaiver, item.code.span, "this waiver stands twice"));
                continue;
            }
            self.spec.waivers.push(waiver);
        }
        self.spec.waivers.sort();
    }
}

/// Refuses waivers that waived nothing.
pub(super) fn idle(waivers: &[Waiver], places: &Places, diagnostics: &mut Vec<Diagnostic>) {
    for waiver in waivers {
        let place = places.get(Kind::Waive, &format!("{} {}", waiver.code, waiver.on), &Part::Name);
        diagnostics.push(
            Diagnostic::error(
                Code::BadWaiver,
                place,
                format!("nothing is refused as `{}` on `{}`", waiver.code, waiver.on),
            )
            .help("take the waiver out; a downgrade that stands for nothing hides the next one")
            .about(waiver.on.clone()),
        );
    }
}
