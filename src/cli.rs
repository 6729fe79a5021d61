//! One file per verb: its arguments and one function.
