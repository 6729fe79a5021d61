//! The exit codes of every verb, in one table.

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done, whatever the verdicts.
    Done,
    /// A check failed, or records were refused.
    Failed,
    /// Usage, or a file that cannot be read.
    Usage,
    /// It could not be checked.
    Unchecked,
    /// It holds, below the level required.
    Below,
}

/// The table printed below `--help`.
pub const TABLE: &str = "\
Exit codes of every verb:
  0  done, whatever the verdicts
  1  a check failed, or records were refused
  2  wrong usage, or a file that cannot be read
  3  it could not be checked
  4  it holds, but below the level required";

impl Exit {
    /// The number.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Unchecked => 3,
            Self::Below => 4,
        }
    }

    /// The graver of two: a usage error over a failure over what could not be checked.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let weight = |exit| match exit {
            Self::Done => 0,
            Self::Below => 1,
            Self::Unchecked => 2,
            Self::Failed => 3,
            Self::Usage => 4,
        };
        if weight(other) > weight(self) { other } else { self }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
