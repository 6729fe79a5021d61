#![allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests fail by panicking and compare exact values")]
use super::*;

fn close(got: f64, want: f64, relative: f64) {
    assert!((got - want).abs() <= relative * want.abs(), "got {got:e}, want {want:e}");
}

#[test]
fn quantiles_undo_tails() {
    for df in [1.0, 2.0, 4.5, 29.0, 138.0, 4000.0] {
        for p in [1e-200, 1e-20, 1e-6, 0.02, 0.3, 0.49999] {
            close(t_sf(t_isf(p, df), df), p, 1e-12);
            close(chi2_sf(chi2_isf(p, df), df), p, 1e-12);
            close(chi2_cdf(chi2_quantile(p, df), df), p, 1e-12);
            close(f_sf(f_isf(p, 3.0, df), 3.0, df), p, 1e-12);
            close(f_cdf(f_quantile(p, df, 7.0), df, 7.0), p, 1e-12);
        }
    }
}
