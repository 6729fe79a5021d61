//! The checked study: names resolved, units exact, defaults written out.
