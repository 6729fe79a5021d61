//! The `results` block as written: how files map onto records.

use super::{Attribute, Literal, Name, Text};
use crate::source::Spanned;


