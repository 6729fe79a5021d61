//! The edge: result files into received records and reported estimates. Owns the reading of files, their limits and
//! digests; what a file means is in `super::map`.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path as FilePath, PathBuf};

use super::error::{Findings, RecordError, RecordErrorKind};
use super::locate::{Located, known_fits, locate};
use super::map::{BlockMap, Context, FieldMap};
use super::model::{Place, Received, RecordTable};
use super::nested::Documents;
use super::reported;
use super::slots::Slots;
use crate::canon::digest::{hex, sha256};
use crate::plan::typed::{listed, nearest};
use crate::spec::{FileFormat, ResultsBlock, ResultsShape, Spec};
use crate::table::cell::Cell;
use crate::table::csv::Table;
use crate::table::path::{Bound, Path, Template};
use crate::table::shown;

/// The largest CSV or JSONL file, in bytes; such files are read record by record.
pub const MAX_FILE_BYTES: u64 = 1 << 30;
/// The largest JSON document, in bytes; its tree takes several times as much memory.
pub const MAX_DOCUMENT_BYTES: u64 = 1 << 28;

/// Reads every results block of a study from `roots`. A folder is what file patterns are relative to; a file serves the
/// block whose pattern its name fits, or the only block. A planned file that is not there leaves its units missing; one
/// that is there and not planned is refused. At most [`super::error::MOST_FINDINGS`] findings are listed.
pub fn read(spec: &Spec, roots: &[PathBuf]) -> Result<Received, Vec<RecordError>> {
    let mut reader = Reader {
        findings: Findings::default(),
        received: Received { records: RecordTable::new(spec), ..Received::default() },
        slots: Slots::new(spec, &RecordTable::new(spec).schema),
        served: BTreeSet::new(),
        spec,
    };
    for root in roots {
        if !root.exists() {
            reader.findings.add(RecordError::new(
                RecordErrorKind::NoFile,
                root.display().to_string(),
                "there is no such file or folder",
                "check the path",
            ));
        }
    }
    if reader.findings.is_empty() {
        for (number, (name, block)) in (1_u16..).zip(&spec.results) {
            reader.block(name, number, block, roots);
        }
        for root in roots.iter().filter(|root| root.is_file() && !reader.served.contains(*root)) {
            reader.findings.add(RecordError::new(
                RecordErrorKind::ExtraFile,
                root.display().to_string(),
                "the file fits no results block",
                "give a file that a results block names, or the folder that holds it",
            ));
        }
    }
    let Reader { findings, mut received, .. } = reader;
    if !findings.is_empty() {
        return Err(findings.finish());
    }
    received.files.sort();
    received.files.dedup();
    Ok(received)
}

struct Reader<'a> {
    spec: &'a Spec,
    findings: Findings,
    received: Received,
    slots: Slots,
    served: BTreeSet<PathBuf>,
}

fn bad_pattern(block: &str, what: String) -> RecordError {
    let help = "write keys joined by dots, with `{placeholders}` for factors and the unit";
    RecordError::new(RecordErrorKind::BadPattern, format!("results block `{block}`"), what, help)
}

/// Every placeholder that a block's file, record path and headers give a value to.
fn given(block: &ResultsBlock) -> Result<BTreeSet<String>, String> {
    let mut slots = BTreeSet::new();
    let mut add = |path: Path| slots.extend(path.slots().map(str::to_owned));
    add(Path::parse_file(&block.file).map_err(|error| error.to_string())?);
    if let ResultsShape::Records { records, columns, .. } = &block.shape {
        if let Some((_, path)) = records {
            add(Path::parse(path).map_err(|error| error.to_string())?);
        }
        for pattern in columns.keys() {
            add(Path { keys: vec![Template::parse(pattern).map_err(|error| error.to_string())?] });
        }
    }
    Ok(slots)
}

impl Reader<'_> {
    fn block(&mut self, name: &str, number: u16, block: &ResultsBlock, roots: &[PathBuf]) {
        let slots = match given(block) {
            Ok(slots) => slots,
            Err(what) => return self.findings.add(bad_pattern(name, what)),
        };
        if let Some(slot) = slots.iter().find(|slot| !self.slots.knows(slot)) {
            let what = format!("`{{{slot}}}` is neither a factor, nor the unit, nor `repeat`");
            return self.findings.add(bad_pattern(name, what));
        }
        let only = self.spec.results.len() == 1;
        let files = locate(name, &block.file, &self.slots, roots, only, &mut self.findings);
        self.served.extend(files.iter().map(|file| file.path.clone()));
        match &block.shape {
            ResultsShape::Reported(estimates) => {
                for file in &files {
                    if let Some(bytes) = self.bytes(file, block.format) {
                        reported::read(
                            self.spec,
                            estimates,
                            (&file.name, &file.bound, block.format),
                            &bytes,
                            &mut self.received.estimates,
                            &mut self.findings,
                        );
                    }
                }
            }
            ResultsShape::Records { records, levels, .. } => {
                let table = &self.received.records;
                let map = match BlockMap::new(name, number, block, table, &self.slots, &slots) {
                    Ok(map) => map,
                    Err(error) => return self.findings.add(error),
                };
                match block.format {
                    FileFormat::Csv => self.csv_files(map, &files),
                    FileFormat::Json | FileFormat::Jsonl => {
                        let path = records.as_ref().map(|(_, path)| path.as_str());
                        let slots = self.slots.spelled(levels);
                        match Documents::new(map, path, &slots) {
                            Ok(documents) => self.documents(name, documents, block.format, &files),
                            Err(what) => self.findings.add(bad_pattern(name, what)),
                        }
                    }
                }
            }
        }
    }

    /// The bytes of a file, within the limit; its digest goes into the list of files.
    fn bytes(&mut self, file: &Located, format: FileFormat) -> Option<Vec<u8>> {
        let limit = if format == FileFormat::Json { MAX_DOCUMENT_BYTES } else { MAX_FILE_BYTES };
        match bounded(&file.path, limit) {
            Ok(Some(bytes)) => {
                let digest = hex(&sha256(&bytes));
                self.received.files.push((file.name.clone(), digest, bytes.len() as u64));
                let number = self.received.records.file(&file.name);
                if let Some(key) = file.bound.get(&self.slots.unit) {
                    let unit = self.received.records.unit(key);
                    self.received.records.named_units.push((unit, number));
                }
                Some(bytes)
            }
            Ok(None) => {
                self.findings.add(RecordError::new(
                    RecordErrorKind::TooLarge,
                    file.name.clone(),
                    format!("the file has more than {limit} bytes"),
                    "split it, or write one record a line (`format jsonl`)",
                ));
                None
            }
            Err(error) => {
                self.findings.add(RecordError::new(
                    RecordErrorKind::NoFile,
                    file.name.clone(),
                    format!("the file cannot be read: {error}"),
                    "check that it is there and may be read",
                ));
                None
            }
        }
    }

    fn csv_files(&mut self, mut map: BlockMap, files: &[Located]) {
        for file in files {
            if let Some(bytes) = self.bytes(file, FileFormat::Csv)
                && let Err(error) = self.csv(&mut map, file, &bytes)
            {
                self.findings.add(error);
            }
        }
    }

    fn csv(&mut self, map: &mut BlockMap, file: &Located, bytes: &[u8]) -> Result<(), RecordError> {
        let unreadable = |error: crate::table::TableError| {
            let place = format!("{}, {}", file.name, error.at);
            RecordError::new(RecordErrorKind::Unreadable, place, error.what, error.help)
        };
        let mut table = Table::open(bytes).map_err(unreadable)?;
        let mut columns = Vec::with_capacity(map.locators.len());
        let plain = map.plain_locators();
        for name in map.locators.iter().take(plain) {
            columns.push(table.column(name).ok_or_else(|| missing_column(&file.name, name, table.header()))?);
        }
        let groups = headers(map, plain, &file.name, table.header(), &file.bound, &self.slots)?;
        let columns: Vec<Option<usize>> = columns
            .into_iter()
            .map(Some)
            .chain(map.locators.iter().skip(plain).map(|name| table.column(name)))
            .collect();
        let number = self.received.records.file(&file.name);
        while table.advance().map_err(unreadable)? {
            let cells =
                |at: usize| columns.get(at).copied().flatten().map_or(Cell::Absent, |at| Cell::of_text(table.cell(at)));
            let row = table.row();
            for (bound, wide) in &groups {
                let cx = Context { bound, row, file: number, place: Place::Row(row) };
                if let Err(error) = map.record(&mut self.received.records, &cells, wide.as_deref(), &cx, &self.slots) {
                    self.findings.add(error);
                }
            }
        }
        Ok(())
    }

    fn documents(&mut self, name: &str, mut documents: Documents<'_>, format: FileFormat, files: &[Located]) {
        for file in files {
            let Some(bytes) = self.bytes(file, format) else { continue };
            let number = self.received.records.file(&file.name);
            documents.file(
                &mut self.received.records,
                format,
                (&file.name, number, &file.bound),
                &bytes,
                &mut self.findings,
            );
        }
        documents.finish(name, &mut self.findings);
    }
}

/// One arm of a row: what its header says, and the fields of its columns.
type Group = (Bound, Option<Vec<FieldMap>>);

/// The groups of wide columns; without header patterns there is one group, the row itself.
fn headers(
    map: &mut BlockMap,
    plain: usize,
    file: &str,
    header: &[String],
    bound: &Bound,
    slots: &Slots,
) -> Result<Vec<Group>, RecordError> {
    if map.wide.is_empty() {
        return Ok(vec![(bound.clone(), None)]);
    }
    let mut groups: Vec<(Bound, Vec<FieldMap>)> = Vec::new();
    for (pattern, field) in map.wide.clone() {
        let template = Template::parse(&pattern).map_err(|error| {
            RecordError::new(RecordErrorKind::BadPattern, file, error.to_string(), "correct the pattern")
        })?;
        let mut strangers: Vec<&String> = Vec::new();
        let mut found = 0_usize;
        for name in header {
            if map.locators.iter().take(plain).any(|known| known == name) {
                continue;
            }
            let fits = known_fits(&template, name, bound, slots);
            let [fit] = fits.as_slice() else {
                if fits.len() > 1 {
                    let what = format!("the column `{}` fits `{}` in more than one way", shown(name), shown(&pattern));
                    let help = "separate the placeholders by something that no level contains";
                    return Err(RecordError::new(RecordErrorKind::BadPattern, file, what, help));
                }
                if !template.fits(name, bound, 1).is_empty() {
                    strangers.push(name);
                }
                continue;
            };
            found += 1;
            let field = field.moved(map.locator(name));
            match groups.iter_mut().find(|(bound, _)| bound == fit) {
                Some((_, fields)) => fields.push(field),
                None => groups.push((fit.clone(), vec![field])),
            }
        }
        misspelled(&template, &strangers, header, file, bound, slots)?;
        if found == 0 {
            return Err(missing_column(file, &pattern, header));
        }
    }
    Ok(groups.into_iter().map(|(bound, fields)| (bound, Some(fields))).collect())
}

/// A column that belongs to no level is passed over, unless a level has no column and the two look alike.
fn misspelled(
    template: &Template,
    strangers: &[&String],
    header: &[String],
    file: &str,
    bound: &Bound,
    slots: &Slots,
) -> Result<(), RecordError> {
    let mut names = template.slots();
    let (Some(slot), None) = (names.next(), names.next()) else { return Ok(()) };
    for level in slots.levels(slot).unwrap_or_default() {
        let mut bound = bound.clone();
        bound.insert(slot.to_owned(), level.clone());
        let Some(wanted) = template.fill(&bound).filter(|wanted| !header.contains(wanted)) else { continue };
        // The common part of the pattern makes all columns look alike, so the levels themselves are compared.
        let alike = strangers.iter().find(|stranger| {
            let fits = template.fits(stranger, &Bound::new(), 1);
            let text = fits.first().and_then(|fit| fit.get(slot));
            text.is_some_and(|text| nearest([level], text).is_some())
        });
        if let Some(alike) = alike {
            return Err(RecordError::new(
                RecordErrorKind::UnknownLevel,
                format!("{file}, line 1, column `{}`", shown(alike)),
                format!("there is no column `{}` for the {slot} `{level}`", shown(&wanted)),
                format!("if `{}` is meant, give both the same name", shown(alike)),
            ));
        }
    }
    Ok(())
}

fn missing_column(file: &str, name: &str, header: &[String]) -> RecordError {
    let guess = nearest(header, name).map(|name| format!("did you mean `{}`? ", shown(name))).unwrap_or_default();
    RecordError::new(
        RecordErrorKind::MissingColumn,
        format!("{file}, line 1"),
        format!("there is no column `{}`", shown(name)),
        format!("{guess}the columns are {}", listed(header)),
    )
}

/// At most `limit` bytes; none when there are more.
fn bounded(path: &FilePath, limit: u64) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}
