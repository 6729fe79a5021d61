//! The presentations of judgments made by hand.

mod browser;
mod fixture;
mod page;
mod schema;
mod terminal;
