//! The canonical form of numbers and their types.

use super::{Codec, CodecError, record, variants};
use crate::canon::value::Value;
use crate::spec::{Bounds, Dimension, NumberType, Quantity};

variants!(Dimension {
    Plain = "plain",
    Proportion = "proportion",
    Difference = "difference",
    Ratio = "ratio",
    Count = "count",
    Money = "usd",
    Tokens = "tokens",
    Time = "seconds",
    Bits = "bits",
    Nats = "nats",
    Per(over, under) = "per",
});

record!(Bounds { lower = "lower", upper = "upper" });
record!(NumberType { dimension = "dimension", bounds = "bounds", integer = "integer" });

/// `[number, dimension]`, so that no number stands without what it measures.
impl Codec for Quantity {
    fn encode(&self) -> Result<Option<Value>, CodecError> {
        (self.value.clone(), self.dimension.clone()).encode()
    }

    fn decode(value: Option<&Value>) -> Result<Self, CodecError> {
        let (value, dimension) = Codec::decode(value)?;
        Ok(Self { value, dimension })
    }
}
