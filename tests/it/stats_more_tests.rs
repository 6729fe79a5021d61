//! Rank, table, contrast and margin tests against independent reference values, and against one another.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    clippy::indexing_slicing,
    clippy::too_many_lines,
    reason = "reference values are small and exact where compared exactly"
)]

use std::path::PathBuf;

use prespec::math::Rational;
use prespec::stats::equivalence::{Better, Claim, margin_flip, margin_t, tost_flip};
use prespec::stats::fisher::{OddsRatio, fisher_exact, mcnemar_chi2, odds_ratio};
use prespec::stats::hotelling::hotelling;
use prespec::stats::paired::PairedSample;
use prespec::stats::sides::Sides;
use prespec::stats::sign::{mcnemar, sign_flip};
use prespec::stats::survival::{KaplanMeier, Observation, Subject, log_rank, log_rank_two};
use prespec::stats::trend::{Order, SpearmanMethod, SpearmanUsed, isotonic_fit, spearman_test};
use prespec::stats::wilcoxon::{SignedRanks, Zeros};
use serde_json::Value;

fn json(test: &str, name: &str) -> Option<Value> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared"));
    if !root.exists() {
        eprintln!("SKIPPED {test}: ../shared is absent");
        return None;
    }
    Some(serde_json::from_str(&std::fs::read_to_string(root.join("reference/stats").join(name)).unwrap()).unwrap())
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| value.as_str().unwrap().parse().unwrap())
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

/// Relative error.
fn close(what: &str, got: f64, want: f64, tolerance: f64) {
    let error = (got - want).abs() / want.abs().max(1e-300);
    assert!(error <= tolerance, "{what}: got {got:e}, want {want:e}, relative error {error:e}");
}

/// The differences of the reference as integers: thirds in one case, ten-thousandths in the others.
fn scaled(case: &Value) -> Vec<i128> {
    let scale = if case["name"] == "ties_zeros" { 3.0 } else { 10_000.0 };
    numbers(&case["d"]).iter().map(|d| (d * scale).round() as i128).collect()
}

#[test]
fn signed_ranks_match_scipy_and_r() {
    let name = "signed_ranks_match_scipy_and_r";
    let (Some(scipy), Some(r)) = (json(name, "paired.json"), json(name, "wilcoxon_R.json")) else { return };
    let mut seen = 0;
    for case in scipy["cases"].as_array().unwrap() {
        let Some(wilcoxon) = case.get("wilcoxon") else { continue };
        let (name, d) = (case["name"].as_str().unwrap(), scaled(case));
        for (key, want) in wilcoxon.as_object().unwrap() {
            let zeros = match key.split('/').next().unwrap() {
                "pratt" => Zeros::Pratt,
                "zsplit" => Zeros::Zsplit,
                _ => Zeros::Wilcox,
            };
            let ranks = SignedRanks::of_scaled(&d, zeros).unwrap();
            assert_eq!(ranks.plus().min(ranks.minus()), number(&want["W"]), "{name} {key}");
            let p = if key == "exact" {
                ranks.exact(Sides::TwoSided).unwrap().p
            } else {
                ranks.normal(Sides::TwoSided, key.ends_with("True")).p
            };
            close(&format!("{name} {key}"), p, number(&want["p"]), 1e-12);
            seen += 1;
        }
        let want = &r["cases"][name];
        let ranks = SignedRanks::of_scaled(&d, Zeros::Wilcox).unwrap();
        assert_eq!(ranks.plus(), number(&want["R_V"]), "{name}");
        // exactRankTests prints fifteen digits; with ties it is the only exact oracle here.
        close(name, ranks.exact(Sides::TwoSided).unwrap().p, number(&want["wilcox_exact_ties"]), 1e-14);
        close(name, ranks.normal(Sides::TwoSided, true).p, number(&want["R_p_normal_cc"]), 1e-12);
        close(name, sign_flip(&d, Sides::TwoSided).unwrap().p, number(&want["perm_exact"]), 1e-14);
    }
    assert!(seen >= 34, "only {seen} values compared");
}

#[test]
fn signed_ranks_with_ties_and_zeros_on_one_side() {
    // scipy 1.17.1: stats.wilcoxon(d, zero_method=..., correction=..., alternative=..., method='asymptotic').pvalue
    let d = [3, -1, 4, 0, 5, -2, 6, 0, 3, -3, 7, 2, 0, 1, 4];
    let cases = [
        (Zeros::Wilcox, Sides::TwoSided, 0.027_634_358_798_249_086, 0.030_532_789_156_706_854),
        (Zeros::Wilcox, Sides::Greater, 0.013_817_179_399_124_543, 0.015_266_394_578_353_427),
        (Zeros::Wilcox, Sides::Less, 0.986_182_820_600_875_5, 0.987_511_802_360_239_3),
        (Zeros::Pratt, Sides::TwoSided, 0.034_306_854_505_448_96, 0.036_811_744_041_029_555),
        (Zeros::Pratt, Sides::Greater, 0.017_153_427_252_724_48, 0.018_405_872_020_514_778),
        (Zeros::Pratt, Sides::Less, 0.982_846_572_747_275_5, 0.984_025_458_699_154_7),
        (Zeros::Zsplit, Sides::TwoSided, 0.035_192_641_141_606_94, 0.037_739_435_924_622_88),
        (Zeros::Zsplit, Sides::Greater, 0.017_596_320_570_803_47, 0.018_869_717_962_311_44),
        (Zeros::Zsplit, Sides::Less, 0.982_403_679_429_196_5, 0.983_602_992_784_746),
    ];
    for (zeros, sides, plain, corrected) in cases {
        let ranks = SignedRanks::of_scaled(&d, zeros).unwrap();
        close(&format!("{zeros:?} {sides:?}"), ranks.normal(sides, false).p, plain, 1e-12);
        close(&format!("{zeros:?} {sides:?} corrected"), ranks.normal(sides, true).p, corrected, 1e-12);
    }
    // scipy 1.17.1: stats.wilcoxon(d, alternative=..., method='exact').pvalue
    let ranks = SignedRanks::of_scaled(&[3, -1, 4, 9, 5, -2, 6, -8, 7, 11], Zeros::Wilcox).unwrap();
    for (sides, want) in
        [(Sides::TwoSided, 0.105_468_75), (Sides::Greater, 0.052_734_375), (Sides::Less, 0.958_007_812_5)]
    {
        assert_eq!(ranks.exact(sides).unwrap().p, want, "{sides:?}");
    }
}

#[test]
fn fisher_matches_scipy() {
    // scipy 1.17.1: stats.fisher_exact(table, alternative=...): two-sided, greater, less, and the sample odds ratio.
    let cases = [
        ([[8, 2], [1, 5]], [0.034_965_034_965_034_975, 0.024_475_524_475_524_483, 0.999_125_874_125_874_2], 20.0),
        ([[12, 5], [3, 10]], [0.025_327_687_033_676_14, 0.012_663_843_516_838_068, 0.998_745_364_160_025_2], 8.0),
        ([[0, 7], [6, 2]], [0.006_993_006_993_006_994, 1.0, 0.005_594_405_594_405_595], 0.0),
        (
            [[30, 70], [45, 55]],
            [0.040_534_006_514_982_644, 0.990_422_279_575_704_6, 0.020_267_003_257_491_322],
            0.523_809_523_809_523_8,
        ),
        (
            [[1, 9], [11, 3]],
            [0.002_759_456_185_220_083_6, 0.999_966_348_095_302_2, 0.001_379_728_092_610_042],
            0.030_303_030_303_030_304,
        ),
        ([[4, 4], [4, 4]], [1.0, 0.690_365_190_365_190_4, 0.690_365_190_365_190_4], 1.0),
    ];
    for (table, want, odds) in cases {
        for (sides, want) in [Sides::TwoSided, Sides::Greater, Sides::Less].into_iter().zip(want) {
            close(&format!("{table:?} {sides:?}"), fisher_exact(table, sides).unwrap().p, want, 1e-12);
        }
        assert_eq!(odds_ratio(table), Ok(OddsRatio::Finite(odds)), "{table:?}");
    }
}

#[test]
fn mcnemar_chi_square_matches_statsmodels_and_r() {
    let name = "mcnemar_chi_square_matches_statsmodels_and_r";
    let (Some(reference), Some(r)) = (json(name, "mcnemar.json"), json(name, "r_misc.json")) else { return };
    let mut seen = 0;
    for case in reference["cases"].as_array().unwrap() {
        let count = |key: &str| case[key].as_u64().unwrap();
        let (b, c) = (count("b_only1"), count("c_only2"));
        for (key, continuity) in [("chi2", false), ("chi2_cc", true)] {
            let Some(want) = case.get(key).map(numbers) else {
                assert!(mcnemar_chi2(b, c, continuity).is_err());
                continue;
            };
            let got = mcnemar_chi2(b, c, continuity).unwrap();
            close(key, got.statistic, want[0], 1e-15);
            close(key, got.p, want[1], 1e-12);
            seen += 1;
        }
        // On single attempts McNemar's exact test is the sign flip of the differences.
        let flips: Vec<i128> = (0..b).map(|_| 1).chain((0..c).map(|_| -1)).chain([0]).collect();
        assert_eq!(sign_flip(&flips, Sides::TwoSided).unwrap().p, mcnemar(b, c).unwrap().exact_p);
    }
    assert_eq!(seen, 12);
    close("R's mcnemar.test of 9 and 3", mcnemar_chi2(9, 3, true).unwrap().p, number(&r["mcnemar"]), 1e-12);
}

#[test]
fn hotelling_matches_numpy() {
    let units = [
        [0.65, 1.12, 0.63],
        [-1.0, 1.21, 0.75],
        [-0.24, 0.88, 0.66],
        [0.59, 0.33, 0.85],
        [-0.44, 0.14, -0.18],
        [0.9, 0.34, 0.01],
        [-0.48, 0.04, 0.31],
        [0.02, 1.59, 1.31],
        [-2.41, -1.59, 0.13],
        [-0.12, 0.51, 0.52],
        [2.42, -0.81, -0.08],
        [2.34, 0.95, 0.96],
    ];
    let test = hotelling(&units.map(Vec::from)).unwrap();
    // numpy 2.4.6: T2 = n * m @ solve(cov(X.T), m); scipy 1.17.1: stats.f.sf((n - k) * T2 / (k * (n - 1)), k, n - k)
    close("T2", test.t2, 17.014_233_786_077_54, 1e-12);
    close("F", test.f, 4.640_245_578_021_148, 1e-12);
    close("p", test.p, 0.031_717_085_828_185_44, 1e-12);
    assert_eq!((test.df1, test.df2), (3.0, 9.0));
}

#[test]
fn margins_match_scipy_and_enumeration() {
    let Some(reference) = json("margins_match_scipy_and_enumeration", "paired.json") else { return };
    let margin = Rational::new(1.into(), 20.into());
    for case in reference["cases"].as_array().unwrap() {
        let Some(tost) = case.get("tost_0.05") else { continue };
        let (name, d) = (case["name"].as_str().unwrap(), scaled(case));
        let scale = if name == "ties_zeros" { 3 } else { 10_000 };
        let sample = PairedSample::from_scaled(&d, scale).unwrap();
        let low = margin_t(&sample, Claim::NotInferior, Better::Higher, 0.05).unwrap();
        let high = margin_t(&sample, Claim::NotInferior, Better::Lower, 0.05).unwrap();
        close(name, low.p, number(&tost["p_lower"]), 1e-12);
        close(name, high.p, number(&tost["p_upper"]), 1e-12);
        let beyond = margin_t(&sample, Claim::Superior, Better::Higher, 0.05).unwrap();
        assert!(
            (beyond.p + high.p - 1.0).abs() < 1e-14,
            "{name}: superior by the margin is the mirror of not inferior"
        );
        if d.len() > 16 {
            continue;
        }
        // Every sign vector of the shifted differences, in sixtieths or two-hundred-thousandths.
        let shifted = |sign: i128| d.iter().map(|x| x * 20 + sign * scale).collect::<Vec<i128>>();
        let by_enumeration = |values: &[i128], upward: bool| {
            let sum: i128 = values.iter().sum();
            let reached = (0_u32..1 << values.len()).filter(|mask| {
                let flipped: i128 =
                    values.iter().enumerate().map(|(i, x)| if mask >> i & 1 == 1 { -x } else { *x }).sum();
                if upward { flipped >= sum } else { flipped <= sum }
            });
            reached.count() as f64 / f64::from(1_u32 << values.len())
        };
        let exact = tost_flip(&d, scale, &margin).unwrap();
        assert_eq!(exact.low.p, by_enumeration(&shifted(1), true), "{name}");
        assert_eq!(exact.high.p, by_enumeration(&shifted(-1), false), "{name}");
        assert_eq!(exact.p, exact.low.p.max(exact.high.p));
        let superior = margin_flip(&d, scale, Claim::Superior, Better::Higher, &margin).unwrap();
        assert_eq!(superior.p, by_enumeration(&shifted(-1), true), "{name}");
    }
}

#[test]
fn rank_correlations_match_scipy() {
    let x = [2.1, 3.4, 1.0, 5.5, 4.2, 4.2, 7.7];
    let y = [1.0, 2.0, 2.0, 6.0, 3.0, 5.0, 4.0];
    // scipy 1.17.1: stats.spearmanr(x, y, alternative=...).pvalue, and the one-sided p of stats.permutation_test((x,), rho,
    // permutation_type='pairings', n_resamples=inf), which counts 96 and 4952 of 5040 orders.
    let cases = [
        (Sides::Greater, 0.015_374_720_442_541_241, 96.0 / 5040.0),
        (Sides::Less, 0.984_625_279_557_458_7, 4952.0 / 5040.0),
    ];
    for (sides, by_t, exact) in cases {
        let test = spearman_test(&x, &y, sides, SpearmanMethod::StudentT).unwrap();
        assert_eq!(test.used, SpearmanUsed::StudentT);
        close("rho", test.rho, 0.8, 1e-14);
        close(&format!("{sides:?} by t"), test.p, by_t, 1e-12);
        close(
            &format!("{sides:?} exact"),
            spearman_test(&x, &y, sides, SpearmanMethod::Exact).unwrap().p,
            exact,
            1e-15,
        );
    }
    let both = spearman_test(&x, &y, Sides::TwoSided, SpearmanMethod::StudentT).unwrap();
    close("two-sided by t", both.p, 0.030_749_440_885_082_482, 1e-12);

    let Some(reference) = json("rank_correlations_match_scipy", "spearman.json") else { return };
    let scenarios = reference["scenarios"].as_array().unwrap();
    let metric: Vec<f64> = scenarios.iter().flat_map(|s| numbers(&s["metric"])).collect();
    // A high metric is good and rank 1 is best, so the reference correlates with the negated rank.
    let rank: Vec<f64> = scenarios.iter().flat_map(|s| numbers(&s["rank"])).map(|r| -r).collect();
    let pooled = spearman_test(&metric, &rank, Sides::TwoSided, SpearmanMethod::ExactWhenFew).unwrap();
    assert_eq!(pooled.used, SpearmanUsed::StudentT);
    close("pooled rho", pooled.rho, number(&reference["pooled"]["rho"]), 1e-12);
    close("pooled p", pooled.p, number(&reference["pooled"]["p_t_approx"]), 1e-12);
    for (scenario, want) in scenarios.iter().zip(reference["within"].as_array().unwrap()) {
        let rank: Vec<f64> = numbers(&scenario["rank"]).iter().map(|r| -r).collect();
        let own = spearman_test(&numbers(&scenario["metric"]), &rank, Sides::TwoSided, SpearmanMethod::Exact);
        match want.as_f64() {
            Some(want) => assert!((own.unwrap().rho - want).abs() <= 1e-12),
            None => assert!(own.is_err(), "a constant rank has no correlation"),
        }
    }
}

#[test]
fn isotonic_fits_match_scipy() {
    // scipy 1.17.1: optimize.isotonic_regression([1, 3, 2, 4, 3.5, 5], weights=[1, 2, 3, 1, 1, 1], increasing=...).x, here with
    // values doubled so that sums are whole.
    let (sums, weights) = ([2, 12, 12, 8, 7, 10], [1, 2, 3, 1, 1, 1]);
    let up = isotonic_fit(&sums, &weights, Order::Increasing).unwrap();
    for (got, want) in up.means.iter().zip([1.0, 2.4, 2.4, 3.75, 3.75, 5.0]) {
        close("increasing", *got, 2.0 * want, 1e-15);
    }
    let down = isotonic_fit(&sums, &weights, Order::Decreasing).unwrap();
    assert!(down.means.iter().all(|mean| (mean - 17.0 / 3.0).abs() < 1e-14));
}

/// Times followed, and whether the event came then.
type Followed = Vec<(f64, bool)>;

/// Remission times in weeks of Freireich and others 1963: 6-MP (with censoring) and placebo.
fn remissions() -> (Followed, Followed) {
    let treated = [
        (6, 1),
        (6, 1),
        (6, 1),
        (6, 0),
        (7, 1),
        (9, 0),
        (10, 1),
        (10, 0),
        (11, 0),
        (13, 1),
        (16, 1),
        (17, 0),
        (19, 0),
        (20, 0),
        (22, 1),
        (23, 1),
        (25, 0),
        (32, 0),
        (32, 0),
        (34, 0),
        (35, 0),
    ];
    let placebo = [1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23];
    let treated = treated.map(|(time, event)| (f64::from(time), event == 1)).to_vec();
    (treated, placebo.map(|time| (f64::from(time), true)).to_vec())
}

#[test]
fn survival_curves_match_scipy() {
    let (treated, placebo) = remissions();
    let curve = |records: &[(f64, bool)]| {
        let records: Vec<Observation> = records.iter().map(|&(time, event)| Observation { time, event }).collect();
        KaplanMeier::new(&records).unwrap()
    };
    let (treated, placebo) = (curve(&treated), curve(&placebo));
    // scipy 1.17.1: stats.ecdf(CensoredData).sf, and its confidence_interval(method='log-log').
    let cases = [
        (6.0, 0.857_142_857_142_857_1, 0.619_717_955_265_983_8, 0.951_551_747_646_997),
        (9.0, 0.806_722_689_075_630_2, 0.563_146_564_622_233_3, 0.922_809_019_202_880_4),
        (10.0, 0.752_941_176_470_588_1, 0.503_199_510_799_956_4, 0.889_361_835_169_265_5),
        (16.0, 0.627_450_980_392_156_7, 0.367_510_855_987_502_05, 0.804_912_189_471_841_2),
        (22.0, 0.537_815_126_050_42, 0.267_778_936_767_135_05, 0.746_790_717_635_394_4),
        (35.0, 0.448_179_271_708_683_4, 0.188_052_005_959_232_35, 0.680_142_628_495_241_4),
    ];
    for (time, survival, low, high) in cases {
        close("survival", treated.survival_at(time).unwrap(), survival, 1e-14);
        let interval = treated.interval_at(time, 0.95).unwrap();
        close("low", interval.lower, low, 1e-12);
        close("high", interval.upper, high, 1e-12);
    }
    // The medians everyone prints for these data.
    assert_eq!((treated.median(), placebo.median()), (Ok(23.0), Ok(8.0)));
    // The first times in scipy's limits at which they are at most one half; the upper one is never reached.
    let half = Rational::new(1.into(), 2.into());
    assert_eq!(treated.quantile_interval(&half, 0.95), Ok((Some(13.0), None)));
    // numpy 2.4.6, by the formula: area and its standard error.
    let (mean, plain) = (treated.restricted_mean(35.0).unwrap(), placebo.restricted_mean(23.0).unwrap());
    close("restricted mean", mean.mean, 23.287_394_957_983_196, 1e-13);
    close("its standard error", mean.standard_error, 2.827_467_623_371_439_3, 1e-12);
    close("mean of placebo", plain.mean, 8.666_666_666_666_666, 1e-13);
    close("its standard error", plain.standard_error, 1.377_390_041_264_548_6, 1e-12);
}

#[test]
fn log_rank_matches_scipy_and_numpy() {
    let (treated, placebo) = remissions();
    let group = |group: usize, records: &[(f64, bool)]| {
        records.iter().map(|&(time, event)| Subject { time, event, group, stratum: 0 }).collect::<Vec<_>>()
    };
    let both = [group(0, &treated), group(1, &placebo)].concat();
    // scipy 1.17.1: stats.logrank(treated, placebo, alternative=...)
    for (sides, p) in [
        (Sides::TwoSided, 4.168_809_109_334_529e-5),
        (Sides::Greater, 0.999_979_155_954_453_3),
        (Sides::Less, 2.084_404_554_667_264_4e-5),
    ] {
        let test = log_rank_two(&both, sides).unwrap();
        close("z", test.z, -4.097_919_104_767_264, 1e-12);
        close(&format!("{sides:?}"), test.p, p, 1e-11);
    }
    let test = log_rank(&both, 2).unwrap();
    assert_eq!(test.observed, [9, 21]);
    close("expected", test.expected[0], 19.250_500_948_031_13, 1e-13);
    close("chi2", test.chi2, 16.792_940_989_216_532, 1e-12);

    let records = [
        (14, 1, 0, 0),
        (9, 1, 1, 1),
        (10, 1, 1, 0),
        (13, 0, 0, 0),
        (9, 0, 2, 0),
        (11, 0, 0, 1),
        (12, 0, 0, 1),
        (4, 1, 0, 1),
        (1, 1, 2, 1),
        (5, 0, 2, 1),
        (4, 1, 2, 1),
        (13, 1, 0, 0),
        (13, 0, 2, 1),
        (1, 1, 1, 1),
        (7, 0, 1, 0),
        (12, 1, 0, 0),
        (2, 1, 1, 1),
        (12, 1, 2, 0),
        (2, 1, 1, 1),
        (7, 1, 0, 0),
        (12, 1, 1, 0),
        (5, 1, 0, 0),
        (5, 0, 2, 0),
        (4, 1, 2, 1),
        (11, 0, 0, 0),
        (4, 0, 1, 0),
        (14, 0, 2, 1),
        (7, 1, 2, 1),
        (7, 1, 2, 0),
        (8, 1, 1, 1),
    ];
    let subjects = |strata: bool| {
        let all = records.iter().map(|&(time, event, group, stratum)| Subject {
            time: f64::from(time),
            event: event == 1,
            group,
            stratum: if strata { stratum } else { 0 },
        });
        all.collect::<Vec<_>>()
    };
    // numpy 2.4.6: surplus and covariance summed over event times by comparing masks, solved for the first two groups;
    // scipy 1.17.1: stats.chi2.sf. Three groups, first in two strata, then in one.
    let cases = [
        (
            true,
            [8.823_767_898_767_901, 4.110_839_160_839_161, 6.065_392_940_392_941],
            3.891_054_024_105_438,
            0.142_911_887_201_278_6,
        ),
        (
            false,
            [8.523_714_005_292_952, 3.861_435_056_171_898_4, 6.614_850_938_535_149],
            3.826_712_599_393_284_5,
            0.147_584_217_550_628_92,
        ),
    ];
    for (strata, expected, chi2, p) in cases {
        let test = log_rank(&subjects(strata), 3).unwrap();
        for (got, want) in test.expected.iter().zip(expected) {
            close("expected", *got, want, 1e-13);
        }
        close("chi2", test.chi2, chi2, 1e-12);
        close("p", test.p, p, 1e-12);
        assert_eq!(test.df, 2.0);
    }
}
