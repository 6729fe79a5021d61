//! The logistic curve and its derivatives at one point, without overflow and with small tails kept.

/// The curve at one linear predictor.
#[derive(Clone, Copy)]
pub(super) struct Logit {
    /// Probability of success.
    pub(super) p: f64,
    /// Probability of failure, accurate where `p` is near 1.
    pub(super) q: f64,
    /// `exp(-|eta|)`.
    small: f64,
}

impl Logit {
    #[inline]
    pub(super) fn at(eta: f64) -> Self {
        let small = libm::exp(-eta.abs());
        let big_share = 1.0 / (1.0 + small);
        let small_share = small * big_share;
        if eta >= 0.0 {
            Self { p: big_share, q: small_share, small }
        } else {
            Self { p: small_share, q: big_share, small }
        }
    }

    /// `log(1 + exp(eta))` of the same `eta`.
    #[inline]
    pub(super) fn log_one_plus_exp(self, eta: f64) -> f64 {
        eta.max(0.0) + libm::log1p(self.small)
    }
}

#[cfg(test)]
mod tests {
    use super::Logit;

    #[test]
    fn tails_keep_their_digits() {
        for (eta, p, q, log) in [
            (0.0, 0.5, 0.5, std::f64::consts::LN_2),
            (40.0, 1.0, 4.248_354_255_291_589e-18, 40.0),
            (-700.0, 9.859_676_543_759_77e-305, 1.0, 9.859_676_543_759_77e-305),
            (800.0, 1.0, 0.0, 800.0),
        ] {
            let at = Logit::at(eta);
            let near = |got: f64, want: f64| (got - want).abs() <= 1e-15 * want.abs();
            assert!(near(at.p, p) && near(at.q, q) && near(at.log_one_plus_exp(eta), log), "{eta}");
        }
    }
}
