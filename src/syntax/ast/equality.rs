//! Equality of trees that carry their own place: two are the same when they say the same, wherever they stand.

use super::{Case, Design, Expr, Rule, Say, Scope, Step};

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

impl PartialEq for Step {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Run { role: a, until: b }, Self::Run { role: c, until: d }) => (a, b) == (c, d),
            (
                Self::Loop { at_most: a, until: b, body: c, span: _ },
                Self::Loop { at_most: d, until: e, body: f, span: _ },
            ) => (a, b, c) == (d, e, f),
            (Self::FanOut { at_least: a, body: b, merge: c }, Self::FanOut { at_least: d, body: e, merge: f }) => {
                (a, b, c) == (d, e, f)
            }
            (Self::Candidates { count: a, body: b, select: c }, Self::Candidates { count: d, body: e, select: f }) => {
                (a, b, c) == (d, e, f)
            }
            (Self::HandOver { role: a }, Self::HandOver { role: b }) => a == b,
            (
                Self::Run { .. }
                | Self::Loop { .. }
                | Self::FanOut { .. }
                | Self::Candidates { .. }
                | Self::HandOver { .. },
                _,
            ) => false,
        }
    }
}
