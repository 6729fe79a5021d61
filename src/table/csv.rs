//! Rows out of CSV bytes, one at a time. A header is required; its names differ; every row has its length; blank lines
//! and quotes that do not close are refused, because each of them moves or swallows rows. A byte order mark is dropped
//! and both line ends are read.

use std::collections::BTreeSet;

use csv::{ErrorKind, ReaderBuilder, StringRecord};

use super::{TableError, shown, without_mark};

/// The most columns.
pub const MAX_COLUMNS: usize = 16_384;

/// A CSV table that is read row by row.
pub struct Table<'a> {
    bytes: &'a [u8],
    reader: csv::Reader<&'a [u8]>,
    header: Vec<String>,
    record: StringRecord,
    row: u64,
}

impl<'a> Table<'a> {
    /// Reads the header.
    pub fn open(bytes: &'a [u8]) -> Result<Self, TableError> {
        let bytes = without_mark(bytes);
        let reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(bytes);
        let mut table = Self { bytes, reader, header: Vec::new(), record: StringRecord::new(), row: 0 };
        if !table.read()? {
            return Err(TableError::new("line 1", "the file is empty", "its first line must name the columns"));
        }
        if table.record.len() > MAX_COLUMNS {
            return Err(TableError::new(
                "line 1",
                format!("the header names {} columns", table.record.len()),
                format!("the limit is {MAX_COLUMNS}; write one record a line"),
            ));
        }
        let mut seen = BTreeSet::new();
        for (name, column) in table.record.iter().zip(1..) {
            if name.is_empty() {
                // An index without a name, as data frames write it; it can be no field.
                continue;
            }
            if !seen.insert(name) {
                return Err(TableError::new(
                    format!("line 1, column {column}"),
                    format!("the header names `{}` twice", shown(name)),
                    "give each column its own name, so that it is clear which one is meant",
                ));
            }
        }
        table.header = table.record.iter().map(str::to_owned).collect();
        Ok(table)
    }

    /// The names of the columns.
    #[must_use]
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// The index of a column.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|header| header == name)
    }

    /// The number of the current row, from 1, without the header.
    #[must_use]
    pub fn row(&self) -> u64 {
        self.row
    }

    /// A cell of the current row.
    #[must_use]
    pub fn cell(&self, column: usize) -> &str {
        self.record.get(column).unwrap_or("")
    }

    /// Goes to the next row; false at the end.
    pub fn advance(&mut self) -> Result<bool, TableError> {
        if !self.read()? {
            return Ok(false);
        }
        self.row += 1;
        if self.record.len() != self.header.len() {
            return Err(TableError::new(
                format!("row {}", self.row),
                format!("it has {} cells and the header has {}", self.record.len(), self.header.len()),
                "add or remove cells; a text with a comma stands in double quotes",
            ));
        }
        Ok(true)
    }

    fn place(&self) -> String {
        if self.header.is_empty() { "line 1".to_owned() } else { format!("row {}", self.row + 1) }
    }

    fn read(&mut self) -> Result<bool, TableError> {
        let start = offset(&self.reader);
        let more = self.reader.read_record(&mut self.record).map_err(|error| {
            if matches!(error.kind(), ErrorKind::Utf8 { .. }) {
                return TableError::new(self.place(), "it is not UTF-8", "save the file as UTF-8");
            }
            TableError::new(self.place(), error.to_string(), "write the file as comma-separated values")
        })?;
        if !more {
            return Ok(false);
        }
        let raw = self.bytes.get(start..offset(&self.reader)).unwrap_or_default();
        // The second byte of a CRLF is only consumed with the next record.
        let raw = if start > 0 && self.bytes.get(start - 1) == Some(&b'\r') {
            raw.strip_prefix(b"\n").unwrap_or(raw)
        } else {
            raw
        };
        if matches!(raw.first(), Some(b'\n' | b'\r')) {
            return Err(TableError::new(
                format!("before {}", self.place()),
                "a line is blank",
                "remove it; a blank line makes the number of a row doubtful",
            ));
        }
        if raw.iter().fold(false, |open, byte| open ^ (*byte == b'"')) {
            return Err(TableError::new(
                self.place(),
                "a double quote is not closed",
                "close it; inside a quoted text a quote is written twice",
            ));
        }
        Ok(true)
    }
}

fn offset(reader: &csv::Reader<&[u8]>) -> usize {
    usize::try_from(reader.position().byte()).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Result<Vec<Vec<String>>, TableError> {
        let mut table = Table::open(text.as_bytes())?;
        let mut rows = Vec::new();
        while table.advance()? {
            rows.push((0..table.header().len()).map(|i| table.cell(i).to_owned()).collect());
        }
        Ok(rows)
    }

    #[test]
    fn marks_and_line_ends_do_not_matter() {
        let want = Ok(vec![vec!["1".to_owned(), "x".to_owned()], vec![String::new(), "y,\n\"z".to_owned()]]);
        for text in [
            "a,b\n1,x\n,\"y,\n\"\"z\"\n",
            "\u{feff}a,b\r\n1,x\r\n,\"y,\n\"\"z\"\r\n",
            "a,b\r\n1,x\r\n,\"y,\n\"\"z\"",
            "a,b\n1,x\n,\"y,\n\"\"z\"\n\n\n",
        ] {
            assert_eq!(rows(text), want, "{text:?}");
        }
        assert_eq!(Table::open("\u{feff}a\n".as_bytes()).unwrap().header(), ["a"]);
    }

    #[test]
    fn every_defect_is_named() {
        for (text, at, what) in [
            ("", "line 1", "empty"),
            ("a,b,a\n", "column 3", "`a` twice"),
            ("a,b\n1\n", "row 1", "1 cells"),
            ("a,b\n1,2\n1,2,3\n", "row 2", "3 cells"),
            ("a,b\n1,2\n\n3,4\n", "before row 2", "blank"),
            ("a,b\r\n1,2\r\n\r\n3,4\r\n", "before row 2", "blank"),
            ("a,b\n1,\"x\n3,4\n", "row 1", "not closed"),
            ("a\n1\n\n0\n", "before row 2", "blank"),
        ] {
            let error = rows(text).unwrap_err();
            assert!(error.at.contains(at) && error.what.contains(what), "{text:?}: {error}");
        }
        let mut table = Table::open(b"a\n\xff\n").unwrap();
        assert!(table.advance().unwrap_err().what.contains("UTF-8"));
    }
}
