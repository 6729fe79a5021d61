//! Source text: files, byte spans and lines. Owns positions; must not know the language.

/// A half-open range of bytes in one source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// Which file, as an index into [`Sources`].
    pub file: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A span in `file` from byte `start` up to `end`.
    #[must_use]
    pub const fn new(file: u32, start: u32, end: u32) -> Self {
        Self { file, start, end }
    }

    /// The smallest span that covers both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty span at the end of this one, where a missing token is reported.
    #[must_use]
    pub const fn after(self) -> Self {
        Self { file: self.file, start: self.end, end: self.end }
    }
}

/// A value and where it stands.
#[derive(Debug, Clone)]
pub struct Spanned<T> {
    /// The value.
    pub node: T,
    /// Where it stands.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Joins a value and its place.
    pub const fn new(node: T, span: Span) -> Self {
        Self { node, span }
    }
}

/// Two nodes are the same when they say the same, wherever they stand.
impl<T: PartialEq> PartialEq for Spanned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.node == other.node
    }
}

/// One file as it was read.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// The name shown to people, as given by the user.
    pub name: String,
    /// The whole text.
    pub text: String,
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// Indexes the lines of `text`.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().zip(1u32..).filter_map(|(byte, next)| (byte == b'\n').then_some(next)));
        Self { name: name.into(), text, line_starts }
    }

    /// Line and column of a byte, both from 1; the column counts characters.
    #[must_use]
    pub fn line_column(&self, byte: u32) -> (usize, usize) {
        let line = self.line_starts.partition_point(|start| *start <= byte);
        let start = self.line_starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let column = self.text.get(start as usize..byte as usize).map_or(0, |before| before.chars().count());
        (line, column + 1)
    }
}

/// All files of one analysis, in the order they were read; the first is the spec itself.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

impl Sources {
    /// Adds a file and returns its index.
    pub fn add(&mut self, file: SourceFile) -> u32 {
        self.files.push(file);
        u32::try_from(self.files.len() - 1).unwrap_or(u32::MAX)
    }

    /// The file with this index.
    #[must_use]
    pub fn get(&self, index: u32) -> Option<&SourceFile> {
        self.files.get(index as usize)
    }

    /// All files.
    pub fn iter(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter()
    }

    /// The text a span covers, empty when it covers none.
    #[must_use]
    pub fn text(&self, span: Span) -> &str {
        self.get(span.file).and_then(|file| file.text.get(span.start as usize..span.end as usize)).unwrap_or("")
    }
}
