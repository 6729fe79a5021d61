//! Special functions against high-precision values, closed forms and a second opinion.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::float_cmp,
    reason = "tests fail by panicking and compare exact values"
)]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::excessive_precision,
    clippy::unreadable_literal,
    reason = "reference values carry twenty digits"
)]
use statrs::distribution::{Beta, ChiSquared, ContinuousCDF as _, FisherSnedecor, StudentsT};

use super::*;

fn close(what: &str, got: f64, want: f64, relative: f64) {
    let error = (got - want).abs() / want.abs();
    assert!(error <= relative, "{what}: got {got:e}, want {want:e}, relative error {error:e}");
}

/// Hard places, evaluated with mpmath 1.3.0 at 60 digits: slow or cancelling expansions, far tails, near the median.
#[test]
fn hard_places_match_high_precision_values() {
    let cases: &[(&str, &[f64], f64)] = &[
        ("t_sf", &[1.880088429090343, 5000.0], 0.03007705863192992947),
        ("t_sf", &[19.0, 29.0], 3.2806660886482033372e-18),
        ("t_sf", &[1e-06, 3.0], 0.49999963244740305222),
        ("t_sf", &[0.7, 1000000.0], 0.24196373364327072205),
        ("t_sf", &[25.0, 138.0], 2.1393781601092809357e-53),
        ("t_sf", &[3.3, 2.5], 0.029701064389722054755),
        ("chi2_sf", &[1.6, 100.0], 1.0),
        ("chi2_cdf", &[1.6, 100.0], 2.1421665428911294274e-70),
        ("chi2_sf", &[900.0, 1000.0], 0.98928276190871025844),
        ("chi2_cdf", &[900.0, 1000.0], 0.010717238091289741557),
        ("chi2_sf", &[0.001, 1.0], 0.97477287936996038828),
        ("chi2_cdf", &[0.001, 1.0], 0.02522712063003961172),
        ("chi2_sf", &[3.0, 1.0], 0.083264516663550401855),
        ("chi2_cdf", &[3.0, 1.0], 0.91673548333644959815),
        ("beta_cdf", &[0.994, 2307.5, 4.0], 0.00051557229699536726668),
        ("beta_sf", &[0.994, 2307.5, 4.0], 0.99948442770300463273),
        ("beta_cdf", &[0.3, 0.5, 20.0], 0.99982620216033028854),
        ("beta_sf", &[0.3, 0.5, 20.0], 0.00017379783966971146406),
        ("beta_cdf", &[0.7, 0.01, 0.02], 0.67223708020062470342),
        ("beta_sf", &[0.7, 0.01, 0.02], 0.32776291979937529658),
        ("beta_cdf", &[0.25, 30.0, 400.0], 1.0),
        ("beta_sf", &[0.25, 30.0, 400.0], 4.4063603807983620755e-23),
        ("f_sf", &[2.5, 8.0, 130.0], 0.014728618366666791102),
        ("f_sf", &[0.02, 3.0, 5.0], 0.99566259261498096719),
        ("f_sf", &[60.0, 4.0, 80.0], 2.5642598989143857921e-23),
        ("binomial_cdf", &[3.0, 159.0, 0.1], 0.000057036963701454519848),
        ("binomial_sf", &[3.0, 159.0, 0.1], 0.99994296303629854548),
        ("binomial_cdf", &[150.0, 159.0, 0.5], 1.0),
        ("binomial_sf", &[150.0, 159.0, 0.5], 1.2231640417980944411e-35),
        ("binomial_cdf", &[0.0, 1000.0, 0.3], 1.2532566399657381952e-155),
        ("binomial_sf", &[0.0, 1000.0, 0.3], 1.0),
        ("normal_cdf", &[-8.0], 6.2209605742717841235e-16),
        ("normal_cdf", &[0.3], 0.61791142218895263307),
        ("normal_cdf", &[12.5], 1.0),
        ("normal_quantile", &[0.5000000001], 2.5066284820303539022e-10),
        ("normal_quantile", &[0.26], -0.64334540539291693737),
        ("normal_quantile", &[1e-05], -4.2648907939228246102),
        ("normal_quantile", &[0.999999], 4.7534243088170877657),
    ];
    for &(name, a, want) in cases {
        let got = match name {
            "t_sf" => t_sf(a[0], a[1]),
            "chi2_sf" => chi2_sf(a[0], a[1]),
            "chi2_cdf" => chi2_cdf(a[0], a[1]),
            "beta_cdf" => beta_cdf(a[0], a[1], a[2]),
            "beta_sf" => beta_sf(a[0], a[1], a[2]),
            "f_sf" => f_sf(a[0], a[1], a[2]),
            "binomial_cdf" => binomial_cdf(a[0] as u64, a[1] as u64, a[2]),
            "binomial_sf" => binomial_sf(a[0] as u64, a[1] as u64, a[2]),
            "normal_cdf" => normal_cdf(a[0]),
            "normal_quantile" => normal_quantile(a[0]),
            other => panic!("no function {other}"),
        };
        close(&format!("{name} {a:?}"), got, want, 1e-13);
    }
}

#[test]
fn quantiles_undo_tails() {
    for df in [1.0, 2.0, 4.5, 29.0, 138.0, 4000.0] {
        for p in [1e-100, 1e-20, 1e-6, 0.02, 0.3, 0.499_99, 0.5, 0.7] {
            close("t", t_sf(t_isf(p, df), df), p, 1e-11);
            close("chi2 upper", chi2_sf(chi2_isf(p, df), df), p, 1e-11);
            close("chi2 lower", chi2_cdf(chi2_quantile(p, df), df), p, 1e-11);
            close("F upper", f_sf(f_isf(p, 3.0, df), 3.0, df), p, 1e-11);
            close("F lower", f_cdf(f_quantile(p, df, 7.0), df, 7.0), p, 1e-11);
            close("beta", beta_cdf(beta_quantile(p, df, 3.5), df, 3.5), p, 1e-11);
            close("normal", normal_sf(normal_isf(p)), p, 1e-11);
        }
    }
}

#[test]
fn closed_forms_hold() {
    for x in [1e-8, 0.3, 1.0, 7.0, 300.0] {
        close("chi2 with 2", chi2_sf(x, 2.0), libm::exp(-0.5 * x), 1e-14);
        close("Cauchy", t_sf(x, 1.0), libm::atan2(1.0, x) / core::f64::consts::PI, 1e-14);
        close("t squared is F", f_sf(x * x, 1.0, 17.0), 2.0 * t_sf(x, 17.0), 1e-13);
        close("chi2 with 1 is a squared normal", chi2_sf(x, 1.0), 2.0 * normal_sf(x.sqrt()), 1e-13);
    }
    for x in [0.001, 0.4, 0.93] {
        close("beta with a = 1", beta_sf(x, 1.0, 6.5), libm::pow(1.0 - x, 6.5), 1e-14);
        close("beta with b = 1", beta_cdf(x, 6.5, 1.0), libm::pow(x, 6.5), 1e-14);
    }
}

#[test]
fn ends_and_the_outside_are_what_they_should_be() {
    assert_eq!((normal_quantile(0.0), normal_quantile(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
    assert_eq!((normal_sf(f64::INFINITY), normal_cdf(f64::INFINITY)), (0.0, 1.0));
    assert_eq!((t_sf(f64::INFINITY, 5.0), t_cdf(f64::INFINITY, 5.0), t_sf(0.0, 5.0)), (0.0, 1.0, 0.5));
    assert_eq!((t_quantile(0.0, 5.0), t_quantile(1.0, 5.0)), (f64::NEG_INFINITY, f64::INFINITY));
    assert_eq!(t_quantile(0.5, 5.0), 0.0);
    assert_eq!((beta_cdf(0.0, 2.0, 3.0), beta_cdf(1.0, 2.0, 3.0), beta_sf(1.0, 2.0, 3.0)), (0.0, 1.0, 0.0));
    assert_eq!((beta_quantile(0.0, 2.0, 3.0), beta_quantile(1.0, 2.0, 3.0)), (0.0, 1.0));
    assert_eq!((chi2_sf(0.0, 4.0), chi2_sf(f64::INFINITY, 4.0), chi2_sf(-1.0, 4.0)), (1.0, 0.0, 1.0));
    assert_eq!((chi2_quantile(0.0, 4.0), chi2_quantile(1.0, 4.0)), (0.0, f64::INFINITY));
    assert_eq!((f_sf(0.0, 2.0, 9.0), f_sf(f64::INFINITY, 2.0, 9.0)), (1.0, 0.0));
    assert_eq!((binomial_cdf(9, 9, 0.3), binomial_sf(9, 9, 0.3), binomial_cdf(0, 0, 0.3)), (1.0, 0.0, 1.0));
    for nan in [
        normal_quantile(1.5),
        normal_quantile(f64::NAN),
        normal_sf(f64::NAN),
        t_sf(1.0, 0.0),
        t_sf(f64::NAN, 3.0),
        t_quantile(-0.1, 3.0),
        t_quantile(0.3, f64::NAN),
        chi2_sf(1.0, -2.0),
        chi2_sf(f64::NAN, 2.0),
        chi2_quantile(0.5, 0.0),
        betainc(0.0, 1.0, 0.5),
        betainc(1.0, 1.0, 1.5),
        beta_cdf(f64::NAN, 1.0, 1.0),
        beta_quantile(2.0, 1.0, 1.0),
        f_sf(1.0, 0.0, 3.0),
        binomial_cdf(1, 2, 1.1),
    ] {
        assert!(nan.is_nan(), "{nan}");
    }
    assert_eq!((binomial_quantile(0.5, 10, 2.0), binomial_quantile(f64::NAN, 10, 0.5)), (None, None));
}

#[test]
fn binomial_quantile_is_the_smallest_that_suffices() {
    for (q, n, p) in [(0.025, 20, 0.5), (0.5, 7, 0.01), (0.999, 300, 0.9), (1.0, 4, 0.5), (0.0, 4, 0.5)] {
        let k = binomial_quantile(q, n, p).unwrap();
        assert!(binomial_cdf(k, n, p) >= q);
        assert!(k == 0 || binomial_cdf(k - 1, n, p) < q);
    }
}

/// An independent implementation agrees as far as its own accuracy allows (see docs/decisions/0001-special-functions.md).
#[test]
fn statrs_gives_the_same_second_opinion() {
    for df in [1.0, 3.0, 8.0, 29.0, 138.0] {
        for x in [0.6, 1.1, 2.2, 11.0] {
            close("t", t_sf(x, df), StudentsT::new(0.0, 1.0, df).unwrap().sf(x), 1e-9);
            close("chi2", chi2_sf(x, df), ChiSquared::new(df).unwrap().sf(x), 1e-9);
            close("F", f_sf(x, 4.0, df), FisherSnedecor::new(4.0, df).unwrap().sf(x), 1e-9);
            close("beta", beta_cdf(x / 12.0, df, 2.5), Beta::new(df, 2.5).unwrap().cdf(x / 12.0), 1e-9);
        }
    }
}

/// Every machine must give these very bits: a digest over several thousand values of all functions.
#[test]
fn results_are_the_same_bits_everywhere() {
    let mut digest = 0_u64;
    let mut take = |value: f64| digest = digest.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(value.to_bits());
    for i in 1..=400_u32 {
        let x = f64::from(i) * 0.06;
        let p = f64::from(i) / 401.0;
        take(normal_sf(x));
        take(normal_quantile(p));
        for df in [1.0, 7.0, 138.0] {
            take(t_sf(x, df));
            take(t_quantile(p, df));
            take(chi2_sf(x, df));
            take(chi2_quantile(p, df));
            take(f_sf(x, 4.0, df));
            take(beta_quantile(p, df, 3.5));
        }
    }
    assert_eq!(digest, 0x1867_4838_90e7_d785, "got {digest:#x}");
}
