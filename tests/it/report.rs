//! The presentations of judgments made by hand.

mod fixture;
mod page;
mod terminal;
