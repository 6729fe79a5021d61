//! Equality of trees that carry their own place: two are the same when they say the same, wherever they stand.

use super::{Case, Design, Expr, Literal, Name, Rule, Say, Scope, Step};

/// Compares the named fields; taking the struct apart makes a forgotten field an error.
macro_rules! same_wherever {
    ($($type:ident { $($field:ident),+ })+) => {$(
        impl PartialEq for $type {
            fn eq(&self, other: &Self) -> bool {
                let Self { $($field,)+ span: _ } = self;
                $(*$field == other.$field)&&+
            }
        }
    )+};
}

same_wherever! {
    Expr { kind }
    Scope { quantifiers, filter }
    Rule { in_order, cases }
    Case { label, class, when, because }
    Say { sentence, when }
    Design { cross, nest, repeat, hold, exclude, order, minimum, caps, collapse }
}

/// What a step says: its kind, role, number, condition and body.
type Said<'a> = (u8, Option<&'a Name>, Option<&'a Literal>, Option<&'a Expr>, &'a [Step]);

impl Step {
    fn said(&self) -> Said<'_> {
        match self {
            Self::Run { role, until } => (0, Some(role), None, until.as_ref(), &[]),
            Self::Loop { at_most, until, body, span: _ } => (1, None, at_most.as_ref(), until.as_ref(), body),
            Self::FanOut { at_least, body, merge } => (2, Some(merge), at_least.as_ref(), None, body),
            Self::Candidates { count, body, select } => (3, Some(select), Some(count), None, body),
            Self::HandOver { role } => (4, Some(role), None, None, &[]),
        }
    }
}

impl PartialEq for Step {
    fn eq(&self, other: &Self) -> bool {
        self.said() == other.said()
    }
}
