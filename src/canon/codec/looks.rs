//! The canonical form of planned looks.

use super::{record, words};
use crate::spec::{Looks, Spend};

record!(Looks { at = "at", maximum = "maximum", spend = "spend" });
words!(Spend { OBrienFleming = "obrien_fleming", Pocock = "pocock", Anytime = "anytime" });
