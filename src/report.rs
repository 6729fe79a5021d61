//! The verdict document and its presentations.
