//! Records and their states; one reader per format. Readers touch files; the record model does not.

pub mod model;

pub use model::{Cell, Received, ReceivedEstimate, ReceivedRecord, Value};
