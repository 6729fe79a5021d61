//! Standard output and error. A closed pipe ends the output quietly; any other failure to write is reported and makes the
//! command fail, so that a truncated answer is never taken for a whole one.

use std::io::{self, IsTerminal, Write};

use super::Exit;
use crate::render::Style;

/// Where a command prints.
pub struct Output {
    out: Box<dyn Write>,
    err: Box<dyn Write>,
    failed: Option<io::Error>,
    colour: bool,
}

impl Output {
    /// The process's own streams; colour only on a terminal, and never when `NO_COLOR` is set.
    #[must_use]
    pub fn standard() -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self {
            out: Box::new(io::BufWriter::new(io::stdout())),
            err: Box::new(io::stderr()),
            failed: None,
            colour: !plain && io::stdout().is_terminal() && io::stderr().is_terminal(),
        }
    }

    /// Whether colour may be used.
    #[must_use]
    pub const fn colour(&self) -> bool {
        self.colour
    }

    /// How diagnostics are drawn.
    #[must_use]
    pub const fn style(&self) -> Style {
        if self.colour { Style::Coloured } else { Style::Plain }
    }

    /// Prints text on standard output, as it stands.
    pub fn print(&mut self, text: &str) {
        if self.failed.is_none()
            && let Err(error) = self.out.write_all(text.as_bytes())
        {
            self.failed = Some(error);
        }
    }

    /// Prints a line on standard output.
    pub fn line(&mut self, text: &str) {
        self.print(text);
        self.print("\n");
    }

    /// Prints text on standard error; nothing can be done when that fails.
    pub fn error(&mut self, text: &str) {
        let _ = self.err.write_all(text.as_bytes());
        if !text.ends_with('\n') {
            let _ = self.err.write_all(b"\n");
        }
    }

    /// An error in the one form: what is wrong and where, why it matters, what to do.
    pub fn problem(&mut self, what: &str, why: &str, todo: &str) {
        self.error(&format!("error: {what}\n  why: {why}\n  do:  {todo}"));
    }

    /// Flushes, and turns a failed write into a failed command.
    pub fn finish(mut self, exit: Exit) -> Exit {
        if self.failed.is_none()
            && let Err(error) = self.out.flush()
        {
            self.failed = Some(error);
        }
        match self.failed.take() {
            None => exit,
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => exit,
            Some(error) => {
                self.problem(
                    &format!("standard output could not be written: {error}"),
                    "the answer above is not whole",
                    "free space or choose another destination, and run it again",
                );
                exit.and(Exit::Usage)
            }
        }
    }
}
