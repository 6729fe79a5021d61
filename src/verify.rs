//! Checks of frozen files, order and evidence.
