//! Products of many whole numbers, exact and of any size.

use num_bigint::BigUint;
use num_traits::One as _;

/// The product of all factors, 1 of none. It is formed by halves, so that large factors meet factors of their own size.
#[must_use]
pub fn product(factors: &[u64]) -> BigUint {
    match factors {
        [] => BigUint::one(),
        [one] => BigUint::from(*one),
        many => {
            let (left, right) = many.split_at(many.len() / 2);
            product(left) * product(right)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::product;

    #[test]
    fn factorials() {
        let upto = |n: u64| product(&(1..=n).collect::<Vec<_>>());
        assert_eq!(upto(0).to_string(), "1");
        assert_eq!(upto(25).to_string(), "15511210043330985984000000");
    }
}
