//! Lines of bounded width: wrapping, columns, colours. Knows nothing of judgments.

/// What a line stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Paint {
    Strong,
    Good,
    Bad,
    Middle,
    Warning,
}

impl Paint {
    const fn code(self) -> &'static str {
        match self {
            Self::Strong => "1",
            Self::Good => "1;32",
            Self::Bad => "1;31",
            Self::Middle => "1;33",
            Self::Warning => "1;35",
        }
    }
}

/// Text that grows line by line.
pub(super) struct Page {
    text: String,
    colour: bool,
    width: usize,
}

impl Page {
    pub(super) fn new(colour: bool, width: usize) -> Self {
        Self { text: String::new(), colour, width: width.clamp(40, 100) }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    pub(super) fn blank(&mut self) {
        self.text.push('\n');
    }

    pub(super) fn rule(&mut self) {
        let line = "-".repeat(self.width);
        self.line(None, &line);
    }

    fn line(&mut self, paint: Option<Paint>, line: &str) {
        match paint {
            Some(paint) if self.colour => {
                self.text.push_str("\u{1b}[");
                self.text.push_str(paint.code());
                self.text.push('m');
                self.text.push_str(line);
                self.text.push_str("\u{1b}[0m");
            }
            _ => self.text.push_str(line),
        }
        self.text.push('\n');
    }

    /// A wrapped text in one colour.
    pub(super) fn painted(&mut self, indent: usize, paint: Paint, text: &str) {
        for line in wrap(&clean(text), self.width.saturating_sub(indent)) {
            let line = format!("{}{line}", " ".repeat(indent));
            self.line(Some(paint), &line);
        }
    }

    /// A wrapped text behind a heading; further lines stand under its first word.
    pub(super) fn paragraph(&mut self, indent: usize, heading: &str, text: &str) {
        let hang = heading.chars().count().min(self.width / 3);
        let narrow = self.width.saturating_sub(indent + hang).max(20);
        let lead = heading.chars().count() > hang;
        if lead {
            for line in wrap(&clean(heading.trim_end()), self.width.saturating_sub(indent)) {
                let line = format!("{}{line}", " ".repeat(indent));
                self.line(None, &line);
            }
        }
        for (at, line) in wrap(&clean(text), narrow).iter().enumerate() {
            let before = if at == 0 && !lead { heading.to_owned() } else { " ".repeat(hang) };
            let line = format!("{}{before}{line}", " ".repeat(indent));
            self.line(None, line.trim_end());
        }
    }

    /// A name and what it is.
    pub(super) fn field(&mut self, name: &str, value: &str) {
        self.paragraph(0, &format!("{name:<9}"), value);
    }

    /// Three columns; what does not fit goes to further lines.
    pub(super) fn row(&mut self, indent: usize, name: &str, verdict: &str, detail: &str) {
        const NAME: usize = 26;
        const VERDICT: usize = 22;
        let (name, verdict, detail) = (clean(name), clean(verdict), clean(detail));
        let left = if name.is_empty() { verdict.clone() } else { format!("{name:<NAME$} {verdict}") };
        let column = indent + if name.is_empty() { VERDICT } else { NAME + 1 + VERDICT } + 1;
        let used = indent + left.chars().count() + 1;
        let room = self.width.saturating_sub(column.max(used));
        let fits = indent + left.chars().count() <= self.width;
        if fits && detail.chars().count() <= room {
            let pad = " ".repeat(column.saturating_sub(indent + left.chars().count()).max(1));
            self.line(None, format!("{}{left}{pad}{detail}", " ".repeat(indent)).trim_end());
        } else {
            let left = if fits || name.is_empty() { left } else { format!("{name}  {verdict}") };
            self.paragraph(indent, "", &left);
            if !detail.is_empty() {
                self.paragraph(indent + 4, "", &detail);
            }
        }
    }
}

/// A text without characters that move a cursor, change its direction or end a line.
pub(super) fn clean(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\n' | '\t' => ' ',
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
            other if other.is_control() => '\u{fffd}',
            other => other,
        })
        .collect()
}

/// Breaks at spaces; a word that is longer than a line is cut.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0_usize;
    for word in text.split(' ') {
        let mut rest: Vec<char> = word.chars().collect();
        if used > 0 && used + 1 + rest.len() > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        while rest.len() > width {
            let tail = rest.split_off(width);
            lines.push(rest.into_iter().collect());
            rest = tail;
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        used += rest.len();
        line.extend(rest);
    }
    lines.push(line);
    lines
}
