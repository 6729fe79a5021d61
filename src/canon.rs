//! The canonical form: values, bytes, leaves and digests.
