//! The module `trajectory` against independent values and what must hold of any input.

use super::{Crossing, Jump, Toward, Trajectory, TrajectoryError};
use crate::stats::undefined::Undefined;

fn curve() -> Trajectory {
    Trajectory::new(&[0.0, 10.0, 20.0, 40.0, 80.0], &[0.1, 0.5, 0.3, 0.9, 0.6]).unwrap()
}

#[test]
fn a_crossing_is_not_a_stay() {
    let curve = curve();
    assert_eq!(curve.first_crossing(0.5, Toward::Up), Ok(Crossing::At(10.0)));
    assert_eq!(curve.stays_from(0.5, Toward::Up), Ok(Crossing::At(40.0)));
    assert_eq!(curve.first_crossing(0.95, Toward::Up), Ok(Crossing::NotBy(80.0)));
    assert_eq!(curve.stays_from(0.7, Toward::Up), Ok(Crossing::NotBy(80.0)));
    assert_eq!(curve.stays_from(0.1, Toward::Up), Ok(Crossing::At(0.0)));
    assert_eq!(curve.first_crossing(0.3, Toward::Down), Ok(Crossing::At(0.0)));
    assert_eq!(curve.stays_from(0.6, Toward::Down), Ok(Crossing::At(80.0)));
    assert_eq!(Crossing::NotBy(80.0).step(), None);
    assert!(matches!(curve.first_crossing(f64::NAN, Toward::Up), Err(TrajectoryError::Threshold(_))));
}

#[test]
fn windows_include_both_ends() {
    let curve = curve();
    assert_eq!(curve.window_mean(10.0, 40.0), Ok(1.7 / 3.0));
    assert_eq!(curve.window_mean(80.0, 80.0), Ok(0.6));
    assert_eq!(curve.window_mean(41.0, 79.0), Err(TrajectoryError::EmptyWindow { from: 41.0, to: 79.0 }));
    assert!(curve.window_mean(40.0, 10.0).is_err());
}

#[test]
fn jumps_have_a_direction() {
    let curve = curve();
    let rise = curve.largest_jump(Toward::Up).unwrap().unwrap();
    assert_eq!((rise.from, rise.to), (20.0, 40.0));
    assert!((rise.change - 0.6).abs() < 1e-15);
    let fall = curve.largest_jump(Toward::Down).unwrap().unwrap();
    assert_eq!((fall.from, fall.to), (40.0, 80.0));
    let rising = Trajectory::new(&[1.0, 2.0, 3.0], &[0.0, 1.0, 2.0]).unwrap();
    assert_eq!(rising.largest_jump(Toward::Down), Ok(None));
    assert_eq!(rising.largest_jump(Toward::Up), Ok(Some(Jump { from: 1.0, to: 2.0, change: 1.0 })));
    let steep = Trajectory::new(&[1.0, 2.0], &[f64::MIN, f64::MAX]).unwrap();
    assert_eq!(steep.largest_jump(Toward::Up), Err(Undefined::NotFinite.into()));
}

#[test]
fn areas_join_the_points_by_lines() {
    let triangle = Trajectory::new(&[-1.0, 0.0, 2.0], &[0.0, 4.0, 0.0]).unwrap();
    assert_eq!(triangle.area_under(), Ok(6.0));
    assert_eq!(triangle.mean_level(), Ok(2.0));
    // scipy 1.17.1: scipy.integrate.trapezoid([.1, .5, .3, .9, .6], [0, 10, 20, 40, 80]) = 49.0
    assert!((curve().area_under().unwrap() - 49.0).abs() < 1e-13);
    assert_eq!(curve().last_value().to_bits(), 0.6_f64.to_bits());
}

#[test]
fn refuses_what_is_no_trajectory() {
    let order = TrajectoryError::Order { position: 2, before: 5.0, step: 5.0 };
    assert_eq!(Trajectory::new(&[1.0, 5.0, 5.0], &[0.0; 3]), Err(order));
    assert!(order.to_string().contains("place 3"));
    assert_eq!(Trajectory::new(&[], &[]), Err(Undefined::NoRecords.into()));
    assert_eq!(Trajectory::new(&[1.0], &[f64::NAN]), Err(Undefined::NotFinite.into()));
    let single = Trajectory::new(&[1.0], &[2.0]).unwrap();
    let short = TrajectoryError::Undefined(Undefined::TooFew { have: 1, need: 2 });
    assert_eq!(single.area_under(), Err(short));
    assert_eq!(single.largest_jump(Toward::Up), Err(short));
    assert_eq!(single.mean_level(), Err(short));
}

proptest::proptest! {
    #[test]
    fn areas_add_up_and_levels_stay_within_the_values(
        gaps in proptest::collection::vec((0.01f64..5.0, -3.0f64..3.0), 3..20), cut in 1usize..18,
    ) {
        let mut at = 0.0;
        let steps: Vec<f64> = gaps.iter().map(|g| { at += g.0; at }).collect();
        let values: Vec<f64> = gaps.iter().map(|g| g.1).collect();
        let whole = Trajectory::new(&steps, &values).unwrap();
        let cut = cut.min(steps.len() - 2);
        let parts = [(0, cut + 1), (cut, steps.len())].map(|(from, to)| {
            Trajectory::new(&steps[from..to], &values[from..to]).unwrap().area_under().unwrap()
        });
        proptest::prop_assert!((whole.area_under().unwrap() - parts[0] - parts[1]).abs() < 1e-12);
        let level = whole.mean_level().unwrap();
        let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
        proptest::prop_assert!(low <= level && level <= high);
        // Mirrored values mirror every summary.
        let mirrored = Trajectory::new(&steps, &values.iter().map(|v| -v).collect::<Vec<_>>()).unwrap();
        proptest::prop_assert_eq!(mirrored.first_crossing(-0.5, Toward::Down), whole.first_crossing(0.5, Toward::Up));
        proptest::prop_assert_eq!(mirrored.stays_from(-0.5, Toward::Down), whole.stays_from(0.5, Toward::Up));
        proptest::prop_assert_eq!(mirrored.area_under(), whole.area_under().map(|area| -area));
    }
}
