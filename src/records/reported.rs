//! Estimates that a file reports and nobody can recompute here. Owns their reading; they are marked as reported
//! everywhere. Pure.

use std::collections::BTreeMap;

use super::error::{Findings, RecordError, RecordErrorKind};
use super::model::ReceivedEstimate;
use super::nested::top_keys;
use crate::math::Rational;
use crate::plan::typed::listed;
use crate::spec::{FileFormat, Name, ReportedEstimate, Spec};
use crate::table::cell::{Cell, CellFault, read_number};
use crate::table::csv::Table;
use crate::table::json::{self, Node};
use crate::table::jsonl;
use crate::table::number::Exact;
use crate::table::path::{Bound, Path, follow};
use crate::table::shown;

/// The most members that one estimate is looked up for.
const MAX_MEMBERS: usize = 100_000;

/// Reads the estimates of one file, whose name says `bound`. A row of a CSV file or a line of a JSONL file is an item
/// of an array, so that `0.auroc` is the first row's.
pub(super) fn read(
    spec: &Spec,
    estimates: &[ReportedEstimate],
    (file, bound, format): (&str, &Bound, FileFormat),
    bytes: &[u8],
    received: &mut Vec<ReceivedEstimate>,
    findings: &mut Findings,
) {
    let rows = match (format == FileFormat::Csv).then(|| rows(bytes)).transpose() {
        Ok(rows) => rows.unwrap_or_default(),
        Err(error) => {
            let place = format!("{file}, {}", error.at);
            return findings.add(RecordError::new(RecordErrorKind::Unreadable, place, error.what, error.help));
        }
    };
    let document = match format {
        FileFormat::Csv => Ok(tree(&rows)),
        FileFormat::Json => {
            json::parse(bytes).map_err(|error| (format!("byte {}", error.offset), error.what, error.help.to_owned()))
        }
        FileFormat::Jsonl => {
            let lines: Result<Vec<_>, _> = jsonl::documents(bytes).map(|(_, node)| node).collect();
            lines.map(Node::Array).map_err(|error| (error.at, error.what, error.help))
        }
    };
    let node = match document {
        Ok(node) => node,
        Err((at, what, help)) => {
            return findings.add(RecordError::new(RecordErrorKind::Unreadable, format!("{file}, {at}"), what, help));
        }
    };
    for estimate in estimates {
        if let Err(error) = one(spec, estimate, file, bound, &node, received) {
            findings.add(error);
        }
    }
}

type Rows = Vec<Vec<(String, String)>>;

fn rows(bytes: &[u8]) -> Result<Rows, crate::table::TableError> {
    let mut table = Table::open(bytes)?;
    let mut rows = Vec::new();
    while table.advance()? {
        let cells = table.header().iter().enumerate().map(|(at, name)| (name.clone(), table.cell(at).to_owned()));
        rows.push(cells.collect());
    }
    Ok(rows)
}

fn tree(rows: &Rows) -> Node<'_> {
    let object = |row: &'_ Vec<(String, String)>| {
        Node::Object(row.iter().map(|(k, v)| (k.clone().into(), Node::Text(v.clone().into()))).collect())
    };
    Node::Array(rows.iter().map(object).collect())
}

/// Every combination of the factors' levels that agrees with the file's name.
fn members(spec: &Spec, per: &[Name], bound: &Bound) -> Option<Vec<BTreeMap<Name, Name>>> {
    let mut members = vec![BTreeMap::new()];
    for factor in per {
        let levels = &spec.factors.get(factor)?.levels;
        let levels: Vec<&Name> =
            levels.iter().filter(|level| bound.get(factor).is_none_or(|known| known == *level)).collect();
        if members.len().saturating_mul(levels.len()) > MAX_MEMBERS {
            return None;
        }
        members = members
            .iter()
            .flat_map(|member| {
                levels.iter().map(|level| {
                    let mut member = member.clone();
                    member.insert(factor.clone(), (*level).clone());
                    member
                })
            })
            .collect();
    }
    Some(members)
}

struct Looked<'a> {
    file: &'a str,
    node: &'a Node<'a>,
    bound: Bound,
}

impl<'a> Looked<'a> {
    fn keys(&self, path: &str) -> Result<Vec<String>, RecordError> {
        let bad = |what: String| {
            let help = "write keys joined by dots, with a `{placeholder}` for each factor of the estimate";
            RecordError::new(RecordErrorKind::BadPattern, self.file, what, help)
        };
        let path_read = Path::parse(path).map_err(|error| bad(error.to_string()))?;
        path_read
            .fill(&self.bound)
            .ok_or_else(|| bad(format!("a placeholder of `{}` is no factor of the estimate", shown(path))))
    }

    fn find(&self, path: &str) -> Result<Option<&'a Node<'a>>, RecordError> {
        self.keys(path).map(|keys| follow(self.node, &keys))
    }

    fn fault(&self, path: &str, fault: CellFault) -> RecordError {
        let keys = self.keys(path).map(|keys| keys.join(".")).unwrap_or_default();
        RecordError::new(
            RecordErrorKind::BadValue,
            format!("{}, `{}`", self.file, shown(&keys)),
            fault.what,
            fault.help,
        )
    }

    fn number(&self, path: &str, cell: Cell<'_>) -> Result<Option<Exact>, RecordError> {
        if matches!(cell, Cell::NotFinite("NaN")) {
            return Ok(None); // an estimate that its authors could not define
        }
        read_number(cell).map_err(|fault| self.fault(path, fault))
    }

    fn at(&self, path: &str) -> Result<Option<Exact>, RecordError> {
        match self.find(path)? {
            Some(node) => self.number(path, node.cell()),
            None => Ok(None),
        }
    }

    fn no_ends(&self, path: &str, what: &str) -> RecordError {
        let what = format!("{what} stands where the two ends of an interval are expected");
        self.fault(path, CellFault::new(what, "name the lower and the upper end, each by its path"))
    }

    fn interval(&self, path: &str, upper: Option<&str>) -> Result<Option<(Rational, Rational)>, RecordError> {
        let (lower, upper) = if let Some(upper) = upper {
            (self.at(path)?, self.at(upper)?)
        } else {
            match self.find(path)? {
                None | Some(Node::Null) => (None, None),
                Some(Node::Array(ends)) => {
                    let [lower, upper] = ends.as_slice() else {
                        return Err(self.no_ends(path, &format!("an array of {}", ends.len())));
                    };
                    (self.number(path, lower.cell())?, self.number(path, upper.cell())?)
                }
                Some(other) => return Err(self.no_ends(path, &other.cell().display())),
            }
        };
        match (lower, upper) {
            (Some(lower), Some(upper)) if lower <= upper => Ok(Some((lower.to_rational(), upper.to_rational()))),
            (Some(lower), Some(upper)) => {
                let what = format!("the lower end {} is above the upper end {}", lower.canonical(), upper.canonical());
                Err(self.fault(path, CellFault::new(what, "check which end is which")))
            }
            (None, None) => Ok(None),
            _ => Err(self.fault(path, CellFault::new("one end of the interval is absent", "report both ends or none"))),
        }
    }
}

fn one(
    spec: &Spec,
    estimate: &ReportedEstimate,
    file: &str,
    bound: &Bound,
    node: &Node<'_>,
    received: &mut Vec<ReceivedEstimate>,
) -> Result<(), RecordError> {
    let Some(members) = members(spec, &estimate.per, bound) else {
        let what = format!("the members of `{}` cannot be listed", estimate.estimand);
        let help = format!("`per` names declared factors with at most {MAX_MEMBERS} combinations");
        return Err(RecordError::new(RecordErrorKind::BadPattern, file, what, help));
    };
    let mut found = 0_usize;
    for member in members {
        let bound = bound.iter().chain(&member).map(|(a, b)| (a.clone(), b.clone())).collect();
        let looked = Looked { file, node, bound };
        let Some(value) = looked.find(&estimate.at)? else { continue };
        found += 1;
        let unit_interval = |path: &Option<String>| -> Result<Option<Exact>, RecordError> {
            let Some(path) = path else { return Ok(None) };
            let value = looked.at(path)?;
            match value {
                Some(value) if value < Exact::ZERO || value > Exact::ONE => {
                    let what = format!("`{}` is no p-value", value.canonical());
                    Err(looked.fault(path, CellFault::new(what, "a p-value is between 0 and 1")))
                }
                value => Ok(value),
            }
        };
        let n = match &estimate.n {
            None => None,
            Some(path) => match looked.at(path)? {
                None => None,
                Some(value) => Some(value.to_u64().ok_or_else(|| {
                    let what = format!("`{}` is no count", value.canonical());
                    looked.fault(path, CellFault::new(what, "n is a whole number"))
                })?),
            },
        };
        let interval = match &estimate.interval {
            Some((path, upper)) => looked.interval(path, upper.as_deref())?,
            None => None,
        };
        received.push(ReceivedEstimate {
            estimand: estimate.estimand.clone(),
            estimate: looked.number(&estimate.at, value.cell())?.map(|value| value.to_rational()),
            interval,
            level: estimate.level.as_ref().map(|level| level.value.clone()),
            p: unit_interval(&estimate.p)?.map(|value| value.to_rational()),
            n,
            origin: format!("{file}, `{}`", looked.keys(&estimate.at)?.join(".")),
            member,
        });
    }
    if found == 0 {
        let keys = top_keys(node);
        let what = format!("`{}` leads nowhere", shown(&estimate.at));
        let help = format!("correct the path; at the top the document has {}", listed(&keys));
        return Err(RecordError::new(RecordErrorKind::MissingColumn, file, what, help));
    }
    Ok(())
}
