//! Records in JSON and JSONL documents: where they stand, by a path with placeholders, and their cells. Pure.

use std::collections::BTreeSet;

use super::error::{Findings, RecordError, RecordErrorKind};
use super::locate::MOST_FITS;
use super::map::{BlockMap, Context, FieldMap};
use super::model::{Place, RecordTable};
use super::slots::Slots;
use crate::plan::typed::listed;
use crate::spec::FileFormat;
use crate::table::cell::Cell;
use crate::table::json::{self, Node};
use crate::table::jsonl;
use crate::table::path::{Bound, Path, Template, follow};
use crate::table::shown;

/// The mapping of a block whose files are documents.
pub(super) struct Documents<'s> {
    map: BlockMap,
    slots: &'s Slots,
    path: Option<Path>,
    paths: Vec<Path>,
    /// The keys of each path that has no placeholder.
    fixed: Vec<Option<Vec<String>>>,
    /// Combinations of levels that headers stand for, with their fields.
    groups: Vec<(Bound, Vec<FieldMap>)>,
    seen: Vec<bool>,
    records: u64,
    strangers: u64,
    keys: BTreeSet<String>,
}

/// A name, a number and what the name says.
type File<'f> = (&'f str, u32, &'f Bound);

/// Where a walk stands.
struct Step<'n, 'a> {
    node: &'n Node<'a>,
    bound: Bound,
    keys: Vec<String>,
    /// A placeholder that stands for nothing planned here.
    stranger: Option<(String, String, String)>,
}

impl<'s> Documents<'s> {
    /// Reads the paths of a mapping.
    pub fn new(mut map: BlockMap, path: Option<&str>, slots: &'s Slots) -> Result<Self, String> {
        let mut groups: Vec<(Bound, Vec<FieldMap>)> = Vec::new();
        for (pattern, field) in map.wide.clone() {
            let template = Template::parse(&pattern).map_err(|error| error.to_string())?;
            let mut bounds = vec![Bound::new()];
            for slot in template.slots() {
                let levels = slots.levels(slot).ok_or_else(|| format!("`{{{slot}}}` in `{pattern}` is no factor"))?;
                bounds = bounds
                    .iter()
                    .flat_map(|bound| {
                        levels.iter().map(|level| {
                            let mut bound = bound.clone();
                            bound.insert(slot.to_owned(), level.clone());
                            bound
                        })
                    })
                    .collect();
            }
            for bound in bounds {
                let Some(key) = template.fill(&bound) else { continue };
                let escaped: String = key.chars().flat_map(|c| escape(c).chain([c])).collect();
                let field = field.moved(map.locator(&escaped));
                match groups.iter_mut().find(|(known, _)| *known == bound) {
                    Some((_, fields)) => fields.push(field),
                    None => groups.push((bound, vec![field])),
                }
            }
        }
        let read = |path: &str| Path::parse(path).map_err(|error| error.to_string());
        let paths = map.locators.iter().map(|at| read(at)).collect::<Result<Vec<_>, _>>()?;
        let fixed = paths.iter().map(|path| path.fill(&Bound::new())).collect();
        let seen = vec![false; paths.len()];
        let path = path.map(read).transpose()?;
        Ok(Self { map, slots, path, paths, fixed, groups, seen, records: 0, strangers: 0, keys: BTreeSet::new() })
    }

    /// Reads one file.
    pub fn file(
        &mut self,
        table: &mut RecordTable,
        format: FileFormat,
        file: File<'_>,
        bytes: &[u8],
        findings: &mut Findings,
    ) {
        let unreadable = |at: &str, what: String, help: &str| {
            RecordError::new(RecordErrorKind::Unreadable, format!("{}, {at}", file.0), what, help)
        };
        if format == FileFormat::Jsonl {
            for (line, document) in jsonl::documents(bytes) {
                match document {
                    Ok(node) => self.document(table, file, Some(line), &node, findings),
                    Err(error) => findings.add(unreadable(&error.at, error.what, &error.help)),
                }
            }
            return;
        }
        match json::parse(bytes) {
            Ok(node) => self.document(table, file, None, &node, findings),
            Err(error) => findings.add(unreadable(&format!("byte {}", error.offset), error.what, error.help)),
        }
    }

    fn document(
        &mut self,
        table: &mut RecordTable,
        file: File<'_>,
        line: Option<u64>,
        node: &Node<'_>,
        findings: &mut Findings,
    ) {
        let start = Step { node, bound: file.2.clone(), keys: Vec::new(), stranger: None };
        let mut steps = vec![start];
        for template in self.path.clone().into_iter().flat_map(|path| path.keys) {
            steps = steps.iter().flat_map(|step| self.children(step, &template)).collect();
        }
        let before = (self.records, self.strangers);
        for step in steps {
            if let Node::Array(items) = step.node {
                for (index, item) in items.iter().enumerate() {
                    let keys = step.keys.iter().cloned().chain([index.to_string()]).collect();
                    let step = Step { node: item, bound: step.bound.clone(), keys, stranger: step.stranger.clone() };
                    self.record(table, file, line, &step, findings);
                }
            } else {
                self.record(table, file, line, &step, findings);
            }
        }
        if (self.records, self.strangers) == before && self.path.is_some() && findings.is_empty() {
            let keys = top_keys(node);
            findings.add(RecordError::new(
                RecordErrorKind::MissingColumn,
                file.0,
                "no record stands where the results block looks for records",
                format!("correct the path; at the top the document has {}", listed(&keys)),
            ));
        }
    }

    /// The nodes that one key of the record path leads to.
    fn children<'n, 'a>(&self, step: &Step<'n, 'a>, template: &Template) -> Vec<Step<'n, 'a>> {
        let next = |key: &str, node: &'n Node<'a>, bound: Bound, stranger| Step {
            node,
            bound,
            keys: step.keys.iter().cloned().chain([key.to_owned()]).collect(),
            stranger,
        };
        if template.slots().next().is_none() {
            let key = template.fill(&Bound::new()).unwrap_or_default();
            let child = step.node.get(&key);
            return child.map(|node| next(&key, node, step.bound.clone(), step.stranger.clone())).into_iter().collect();
        }
        let indexed: Vec<(String, &Node<'_>)> = match step.node {
            Node::Object(members) => members.iter().map(|(key, node)| (key.to_string(), node)).collect(),
            Node::Array(items) => items.iter().enumerate().map(|(at, node)| (at.to_string(), node)).collect(),
            Node::Null | Node::Bool(_) | Node::Number(_) | Node::NotFinite(_) | Node::Text(_) => Vec::new(),
        };
        let mut found = Vec::new();
        for (key, node) in indexed {
            let fits = template.fits(&key, &step.bound, MOST_FITS);
            let known = fits.iter().find_map(|fit| {
                // Levels of outer steps are translated already; only this key is still as the file spells it.
                let own: Bound = fit
                    .iter()
                    .filter(|(slot, _)| !step.bound.contains_key(*slot))
                    .map(|(a, b)| (a.clone(), b.clone()))
                    .collect();
                let translated = self.slots.unknown(&own).is_none().then(|| self.slots.translate(own))??;
                Some(step.bound.iter().map(|(a, b)| (a.clone(), b.clone())).chain(translated).collect::<Bound>())
            });
            if let Some(fit) = known {
                found.push(next(&key, node, fit, step.stranger.clone()));
            } else if let Some(stranger) = fits.first().and_then(|fit| self.slots.unknown(fit)) {
                found.push(next(&key, node, step.bound.clone(), Some(stranger)));
            } else if let Some(fit) = template.fits(&key, &Bound::new(), 1).first() {
                // Another unit or level than the file's name says.
                let slot = template.slots().next().unwrap_or("").to_owned();
                let value = fit.get(&slot).cloned().unwrap_or_default();
                let help = "a file holds only the records that its name says".to_owned();
                found.push(next(&key, node, step.bound.clone(), Some((slot, value, help))));
            }
        }
        found
    }

    fn record(
        &mut self,
        table: &mut RecordTable,
        file: File<'_>,
        line: Option<u64>,
        step: &Step<'_, '_>,
        findings: &mut Findings,
    ) {
        let node = step.node;
        let filled: Vec<Option<Vec<String>>> = self
            .paths
            .iter()
            .zip(&self.fixed)
            .map(|(path, fixed)| if fixed.is_some() { None } else { path.fill(&step.bound) })
            .collect();
        let keys =
            |at: usize| self.fixed.get(at).and_then(Option::as_ref).or_else(|| filled.get(at).and_then(Option::as_ref));
        let cells = |at: usize| keys(at).and_then(|keys| follow(node, keys)).map_or(Cell::Absent, Node::cell);
        let there = |at: usize| keys(at).and_then(|keys| follow(node, keys)).is_some();
        let place = match line {
            Some(line) => Place::Line(line),
            None => Place::Path(step.keys.join(".").into()),
        };
        let by_path = self.path.as_ref().is_some_and(|path| path.slots().next().is_some());
        let shaped = self.map.has_shape(&cells)
            || self.groups.iter().any(|(_, fields)| fields.iter().any(|field| there(field.at)));
        if by_path && !shaped {
            return; // something else that stands beside the records
        }
        if let Some((slot, value, help)) = &step.stranger {
            findings.add(RecordError::new(
                RecordErrorKind::UnknownLevel,
                format!("{}, {place}", file.0),
                format!("a record of the {slot} `{}` was not planned here", shown(value)),
                help.clone(),
            ));
            self.strangers += 1;
            return;
        }
        self.records += 1;
        let row = self.records;
        let mut enter = |bound: &Bound, wide: Option<&[FieldMap]>| {
            let cx = Context { bound, row, file: file.1, place: place.clone() };
            if let Err(error) = self.map.record(table, &cells, wide, &cx, self.slots) {
                findings.add(error);
            }
        };
        if self.groups.is_empty() {
            enter(&step.bound, None);
        }
        for (levels, fields) in &self.groups {
            let agrees = levels.iter().all(|(slot, level)| step.bound.get(slot).is_none_or(|known| known == level));
            if agrees {
                let bound: Bound = step.bound.iter().chain(levels).map(|(a, b)| (a.clone(), b.clone())).collect();
                enter(&bound, Some(fields));
            }
        }
        let found: Vec<usize> =
            (0..self.paths.len()).filter(|at| self.seen.get(*at) == Some(&false) && there(*at)).collect();
        for at in found {
            if let Some(seen) = self.seen.get_mut(at) {
                *seen = true;
            }
        }
        if self.keys.len() < 64 {
            self.keys.extend(top_keys(node));
        }
    }

    /// Refuses paths that lead nowhere in every record of the block.
    pub fn finish(self, block: &str, findings: &mut Findings) {
        if self.records == 0 {
            return;
        }
        let plain = self.map.plain_locators();
        let lost: Vec<&String> = self
            .map
            .locators
            .iter()
            .zip(&self.seen)
            .take(plain)
            .filter(|(_, seen)| !**seen)
            .map(|(at, _)| at)
            .collect();
        let keys: Vec<&String> = self.keys.iter().collect();
        for at in lost {
            findings.add(RecordError::new(
                RecordErrorKind::MissingColumn,
                format!("results block `{block}`"),
                format!("`{}` leads nowhere in any record", shown(at)),
                format!("the records have {}", listed(&keys)),
            ));
        }
    }
}

fn escape(c: char) -> impl Iterator<Item = char> {
    matches!(c, '.' | '\\' | '{' | '}').then_some('\\').into_iter()
}

/// At most 64 keys of an object, for messages.
pub(super) fn top_keys(node: &Node<'_>) -> Vec<String> {
    if let Node::Object(members) = node {
        return members.iter().take(64).map(|(key, _)| key.to_string()).collect();
    }
    Vec::new()
}
