//! Records and their states; one reader per format. Readers touch files; the record model and the join do not.

pub mod digest;
pub mod error;
pub mod join;
mod locate;
mod map;
pub mod model;
mod nested;
pub mod read;
mod reported;
mod slots;

pub use digest::records_digest;
pub use error::{RecordError, RecordErrorKind};
pub use join::{Joined, JoinedRow, join};
pub use model::{Cell, Origin, Place, Received, ReceivedEstimate, ReceivedRecord, RecordTable, Value};
pub use read::read;
