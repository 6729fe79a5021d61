//! Rows and documents out of bytes: CSV, JSON, JSONL, with strict rules for every cell. Pure; knows nothing of specs.
