//! The verdict document and its presentations: JSON, terminal, HTML. Owns how a judgment is shown; computes nothing that is not
//! in it.

pub mod compared;
pub mod document;
pub mod figures;
pub mod html;
pub mod reading;
pub mod simulation;
pub mod terminal;
pub mod words;

pub use html::{ReportError, html};
pub use terminal::{Style, summary};
