//! Comparisons and rankings as tables of the page.

use serde::Serialize;

use super::view::shown;
use crate::decide::judgment::{ComparisonResult, Judgment, RankRow, RankingResult};
use crate::report::{compared, reading, words};
use crate::spec::Spec;

/// A table: its name, its heading, its rows of arm, finding or rank, and what stands beside.
#[derive(Serialize)]
pub(super) struct CompareView {
    name: String,
    heading: String,
    rows: Vec<[String; 3]>,
    missing: String,
}

impl CompareView {
    pub(super) fn of_comparison(judgment: &Judgment, spec: &Spec, result: &ComparisonResult) -> Self {
        let rows = result.members.iter().map(|member| {
            let finding = reading::labelled(judgment, &compared::finding(member));
            [compared::arms(member), finding, shown(&compared::evidence(spec, member))]
        });
        Self {
            name: result.name.clone(),
            heading: compared::heading(result),
            rows: rows.collect(),
            missing: String::new(),
        }
    }

    pub(super) fn of_ranking(result: &RankingResult) -> Self {
        let rows = result.rows.as_ref().map(Vec::as_slice).unwrap_or_default();
        let row = |row: &RankRow| [words::member(&row.member), compared::place(row), shown(&compared::beside(row))];
        Self {
            name: result.name.clone(),
            heading: compared::order(result),
            rows: rows.iter().map(row).collect(),
            missing: result
                .rows
                .as_ref()
                .err()
                .map(|reason| format!("There is no order: {reason}"))
                .unwrap_or_default(),
        }
    }
}
