//! Diagnostics rendered for a terminal, as JSON and as SARIF. Owns presentation; decides nothing.

mod human;
mod json;
mod place;
mod sarif;

pub use human::{Style, human};
pub use json::json;
pub use sarif::sarif;

#[cfg(test)]
mod tests;
