//! The canonical form of what a study says of itself.

use super::record;
use crate::spec::{Question, StudyAbout};

record!(Question { primary = "primary", text = "text" });
record!(StudyAbout {
    title = "title",
    authors = "authors",
    questions = "questions",
    limitations = "limitations",
    epochs = "epochs",
});
