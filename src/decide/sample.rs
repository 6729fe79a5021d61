//! The values behind one aggregate: which records or pairs, and their exact numbers. Owns exact series and per-cluster sums; it
//! must not combine aggregates.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};

use super::frame::Place;
use super::members::{Binding, Bound};
use super::row::{Datum, RowExpr, evaluate};
use super::sets::View;
use crate::math::Rational;
use crate::spec::ValueType;
use crate::stats::column::ExactColumn;
use crate::table::number::Exact;

/// What makes two aggregates read the same values.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SampleKey {
    /// Levels of factors and attributes.
    pub bound: Binding,
    /// Conditions on records, joined by `and`.
    pub filters: Vec<RowExpr>,
    /// What is aggregated.
    pub arguments: Vec<RowExpr>,
}

/// The values behind one aggregate.
#[derive(Debug)]
pub(super) struct Sample {
    /// A number of its own within one analysis set.
    pub id: usize,
    /// What it was gathered by.
    pub key: SampleKey,
    /// Where each value stands, ascending.
    pub places: Vec<Place>,
    /// By value.
    pub units: Vec<u32>,
    /// By argument.
    pub series: Vec<Series>,
    /// Pairs left out because a side does not count.
    pub left_out: u64,
    /// Units that may be resampled for this aggregate, ascending.
    pub pool: Vec<u32>,
}

/// Exact numbers: integers over a common denominator where they fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Series {
    /// Conditions.
    Truths(Vec<bool>),
    /// Integers over a denominator; `decimals` when the denominator is ten to that power.
    Scaled { values: Vec<i128>, denominator: i128, decimals: Option<u32> },
    /// Numbers whose common denominator does not fit.
    Wide(Vec<Rational>),
    /// Words, such as levels and keys; no numbers.
    Words(Vec<String>),
}

/// A sum over values, cluster by cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Column {
    /// How many values.
    Count,
    /// The sum of an argument.
    Sum(usize),
    /// The sum of an argument's squares.
    Squares(usize),
    /// How many values satisfy both arguments.
    Both,
}

const NO_LOGARITHM: &str =
    "a value that is not above zero has no logarithm; leave such records out by a declared condition";

impl Sample {
    /// Gathers the values. Fails when an argument is no number or a condition cannot be asked of a pair.
    pub fn gather(view: &View<'_>, key: &SampleKey, id: usize) -> Result<Self, String> {
        let frame = view.frame;
        let whole = || key.filters.iter().chain(&key.arguments);
        let mut indexed = Vec::new();
        whole().for_each(|expr| expr.indexed(&mut indexed));
        let paired = !indexed.is_empty();
        // An indexed factor that the cell binds stays bound: what is not indexed there is the cell's own record.
        indexed.retain(|axis| frame.axes.get(*axis).is_none_or(|axis| !key.bound.contains_key(&axis.name)));
        if !indexed.is_empty() && whole().any(RowExpr::reads_own_record) {
            return Err(
                "a value of a pair needs its cell named in every part, as in `correct[a] - correct[b]`".to_owned()
            );
        }
        let collapses = frame.repeats > 1 && !whole().any(RowExpr::keeps_repeats) && whole().any(is_collapsed);
        let bound = Bound::new(frame, &key.bound, &indexed);
        let mut places: Vec<Place> = bound.places(frame).collect();
        if paired || collapses {
            for place in &mut places {
                *place = indexed.iter().fold(*place, |place, axis| frame.moved(place, *axis, 0));
                if collapses {
                    *place = frame.first_repeat(*place);
                }
            }
            places.sort_unstable();
            places.dedup();
        }
        let (planned, recorded): (Vec<&RowExpr>, Vec<&RowExpr>) = key.filters.iter().partition(|f| f.is_planned());
        let conditions: Vec<bool> = key.arguments.iter().map(|argument| is_condition(view, argument)).collect();
        let words = key.arguments.iter().map(|argument| is_word(view, argument));
        let mut series: Vec<Builder> =
            conditions.iter().zip(words).map(|(condition, word)| Builder::new(*condition, word)).collect();
        let mut sample = Self {
            id,
            key: key.clone(),
            places: Vec::new(),
            units: Vec::new(),
            series: Vec::new(),
            left_out: 0,
            pool: Vec::new(),
        };
        for place in places {
            let unit = frame.unit_of(place);
            if !view.in_plan(unit) || !planned.iter().all(|f| evaluate(f, view, place).truth() == Some(true)) {
                continue;
            }
            if paired && !whole().all(|expr| expr.is_planned_at(frame, place)) {
                continue;
            }
            if !view.present_only() {
                push_once(&mut sample.pool, unit);
            }
            if !paired && !collapses && view.counted_row(place).is_none() {
                continue;
            }
            if view.present_only() {
                push_once(&mut sample.pool, unit);
            }
            let data: Vec<Datum<'_>> = key.arguments.iter().map(|argument| evaluate(argument, view, place)).collect();
            if data.contains(&Datum::NoLogarithm) {
                return Err(NO_LOGARITHM.to_owned());
            }
            let asked: Vec<Option<bool>> = recorded.iter().map(|f| evaluate(f, view, place).truth()).collect();
            if data.contains(&Datum::NoRecord) || asked.contains(&None) {
                sample.left_out += 1;
                continue;
            }
            // An absent number is left out; an absent truth is false.
            let absent = data.iter().zip(&conditions).any(|(datum, condition)| *datum == Datum::Absent && !condition);
            if absent || asked.contains(&Some(false)) {
                continue;
            }
            for (builder, datum) in series.iter_mut().zip(&data) {
                builder.push(datum)?;
            }
            sample.places.push(place);
            sample.units.push(unit);
        }
        sample.series = series.into_iter().map(Builder::finish).collect();
        Ok(sample)
    }

    /// The same values' places with other values.
    pub fn with_series(&self, series: Vec<Series>) -> Self {
        Self {
            id: self.id,
            key: self.key.clone(),
            places: self.places.clone(),
            units: self.units.clone(),
            series,
            left_out: self.left_out,
            pool: self.pool.clone(),
        }
    }

    /// How many values.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The exact total of a column.
    pub fn total(&self, column: Column) -> Rational {
        match (column, self.series_of(column)) {
            (Column::Count, _) => Rational::from_integer(self.len().into()),
            (Column::Both, _) => Rational::from_integer(self.both().filter(|both| *both).count().into()),
            (Column::Sum(_), Some(series)) => series.sum(),
            (Column::Squares(_), Some(series)) => series.numbers().iter().map(|x| x * x).sum(),
            (Column::Sum(_) | Column::Squares(_), None) => Rational::zero(),
        }
    }

    /// A column by cluster, and what its integers are over beside their power of ten.
    ///
    /// `cluster` maps a unit to its cluster's number. The sums are exact where they fit in 128 bits. Where they do not, as with
    /// squares of numbers of seventeen digits, they are rounded to [`ROUNDED_BITS`] bits of the largest.
    pub fn column(
        &self,
        column: Column,
        clusters: usize,
        cluster: &[Option<usize>],
    ) -> Result<(ExactColumn, Rational), String> {
        if matches!(self.series_of(column), Some(Series::Words(_))) {
            return Err("words cannot be added up".to_owned());
        }
        match self.exact_column(column, clusters, cluster) {
            Some((column, over)) => Ok((column, Rational::from_integer(over.into()))),
            None => self.rounded_column(column, clusters, cluster),
        }
    }

    fn rounded_column(
        &self,
        column: Column,
        clusters: usize,
        cluster: &[Option<usize>],
    ) -> Result<(ExactColumn, Rational), String> {
        let mut sums = vec![Rational::zero(); clusters];
        let numbers = self.series_of(column).map(Series::numbers).unwrap_or_default();
        for (unit, number) in self.units.iter().zip(numbers) {
            let place = cluster.get(*unit as usize).copied().flatten();
            if let Some(slot) = place.and_then(|place| sums.get_mut(place)) {
                *slot += if matches!(column, Column::Squares(_)) { &number * &number } else { number };
            }
        }
        let (whole, over) = rounded(&sums);
        Ok((ExactColumn::new(0, whole).map_err(|error| error.to_string())?, over))
    }

    /// Nothing when a sum does not fit.
    fn exact_column(&self, column: Column, clusters: usize, cluster: &[Option<usize>]) -> Option<(ExactColumn, i128)> {
        let (values, denominator, decimals): (Vec<i128>, i128, Option<u32>) = match (column, self.series_of(column)) {
            (Column::Count, _) => (vec![1; self.len()], 1, Some(0)),
            (Column::Both, _) => (self.both().map(i128::from).collect(), 1, Some(0)),
            (Column::Sum(_) | Column::Squares(_), None) => (Vec::new(), 1, Some(0)),
            (_, Some(Series::Truths(values))) => (values.iter().copied().map(i128::from).collect(), 1, Some(0)),
            (_, Some(Series::Wide(_) | Series::Words(_))) => return None,
            (Column::Sum(_), Some(Series::Scaled { values, denominator, decimals })) => {
                (values.clone(), *denominator, *decimals)
            }
            (Column::Squares(_), Some(Series::Scaled { values, denominator, decimals })) => {
                let squares: Option<Vec<i128>> = values.iter().map(|value| value.checked_mul(*value)).collect();
                (squares?, denominator.checked_mul(*denominator)?, decimals.map(|decimals| 2 * decimals))
            }
        };
        let mut sums = vec![0_i128; clusters];
        for (unit, value) in self.units.iter().zip(values) {
            let place = cluster.get(*unit as usize).copied().flatten();
            if let Some(slot) = place.and_then(|place| sums.get_mut(place)) {
                *slot = slot.checked_add(value)?;
            }
        }
        let (scale, over) = match decimals {
            Some(decimals) if decimals <= crate::stats::column::MOST_DECIMALS => (decimals, 1),
            _ => (0, denominator),
        };
        Some((ExactColumn::new(scale, sums).ok()?, over))
    }

    fn series_of(&self, column: Column) -> Option<&Series> {
        match column {
            Column::Count | Column::Both => None,
            Column::Sum(argument) | Column::Squares(argument) => self.series.get(argument),
        }
    }

    fn both(&self) -> impl Iterator<Item = bool> + '_ {
        let truths = |argument: usize| match self.series.get(argument) {
            Some(Series::Truths(values)) => values.as_slice(),
            _ => &[],
        };
        truths(0).iter().zip(truths(1)).map(|(one, two)| *one && *two)
    }
}

impl Series {
    /// The exact sum.
    pub fn sum(&self) -> Rational {
        match self {
            Self::Truths(values) => Rational::from_integer(values.iter().filter(|value| **value).count().into()),
            Self::Scaled { values, denominator, .. } => {
                let sum = values.iter().try_fold(0_i128, |sum, value| sum.checked_add(*value));
                let sum = sum.map_or_else(|| values.iter().map(|value| BigInt::from(*value)).sum(), BigInt::from);
                Rational::new(sum, BigInt::from(*denominator))
            }
            Self::Wide(values) => values.iter().sum(),
            Self::Words(_) => Rational::zero(),
        }
    }

    /// Every number.
    pub fn numbers(&self) -> Vec<Rational> {
        match self {
            Self::Truths(values) => {
                values.iter().map(|value| Rational::from_integer(u8::from(*value).into())).collect()
            }
            Self::Scaled { values, denominator, .. } => {
                values.iter().map(|value| Rational::new((*value).into(), (*denominator).into())).collect()
            }
            Self::Wide(values) => values.clone(),
            Self::Words(_) => Vec::new(),
        }
    }

    /// The numbers as integers over one positive denominator.
    pub fn scaled(&self) -> Result<(Vec<i128>, i128), String> {
        match self {
            Self::Truths(values) => Ok((values.iter().copied().map(i128::from).collect(), 1)),
            Self::Scaled { values, denominator, .. } => Ok((values.clone(), *denominator)),
            Self::Words(_) => Err("words are no numbers".to_owned()),
            Self::Wide(_) => Err("the values have no common denominator of 128 bits".to_owned()),
        }
    }
}

/// Collects a series.
enum Builder {
    Truths(Vec<bool>),
    Fractions { fractions: Vec<(i128, i128)>, common: i128 },
    Wide(Vec<Rational>),
    Words(Vec<String>),
}

impl Builder {
    fn new(condition: bool, word: bool) -> Self {
        match (condition, word) {
            (true, _) => Self::Truths(Vec::new()),
            (_, true) => Self::Words(Vec::new()),
            _ => Self::Fractions { fractions: Vec::new(), common: 1 },
        }
    }

    fn push(&mut self, datum: &Datum<'_>) -> Result<(), String> {
        if let Self::Truths(values) = self {
            values.push(*datum == Datum::Bool(true));
            return Ok(());
        }
        if let Self::Words(values) = self {
            match datum {
                Datum::Word(word) => values.push((*word).to_owned()),
                Datum::Bool(_) | Datum::Number(_) | Datum::Absent | Datum::NoRecord | Datum::NoLogarithm => {
                    return Err("a group is a level, a text or the unit".to_owned());
                }
            }
            return Ok(());
        }
        match datum {
            Datum::Number(value) => self.add(value),
            Datum::Bool(value) => self.add(if *value { &Exact::ONE } else { &Exact::ZERO }),
            Datum::Word(word) => return Err(format!("`{word}` is no number, so it cannot be aggregated")),
            Datum::Absent | Datum::NoRecord | Datum::NoLogarithm => {}
        }
        Ok(())
    }

    fn add(&mut self, value: &Exact) {
        if let Self::Fractions { fractions, common } = self {
            let fraction = match value.as_decimal() {
                // Places beyond this leave no room for sums; such a fraction goes on as it is.
                Some((digits, places)) if places <= 28 => Some((i128::from(digits), 10_i128.pow(places))),
                _ => {
                    let value = value.to_rational();
                    value.numer().to_i128().zip(value.denom().to_i128())
                }
            };
            let fits = fraction.and_then(|(_, denominator)| {
                let shared =
                    if *common % denominator == 0 { Some(*common) } else { least_common(*common, denominator) };
                shared.filter(|shared| *shared <= MOST_DENOMINATOR)
            });
            if let (Some(fraction), Some(shared)) = (fraction, fits) {
                fractions.push(fraction);
                *common = shared;
                return;
            }
            let exact = |(top, bottom): &(i128, i128)| Rational::new((*top).into(), (*bottom).into());
            *self = Self::Wide(fractions.iter().map(exact).collect());
        }
        if let Self::Wide(values) = self {
            values.push(value.to_rational());
        }
    }

    fn finish(self) -> Series {
        match self {
            Self::Truths(values) => Series::Truths(values),
            Self::Wide(values) => Series::Wide(values),
            Self::Words(values) => Series::Words(values),
            Self::Fractions { fractions, common } => {
                let (denominator, decimals) = decimal(common);
                let scaled = |(top, bottom): &(i128, i128)| top.checked_mul(denominator / bottom);
                let values: Option<Vec<i128>> = fractions.iter().map(scaled).collect();
                let exact = |(top, bottom): &(i128, i128)| Rational::new((*top).into(), (*bottom).into());
                values.map_or_else(
                    || Series::Wide(fractions.iter().map(exact).collect()),
                    |values| Series::Scaled { values, denominator, decimals },
                )
            }
        }
    }
}

/// To how many bits sums are rounded that do not fit as they are: far beyond the 53 of a double, with room for totals over
/// 2^30 clusters.
const ROUNDED_BITS: i64 = 96;

/// Numbers as integers over one power of two, so large that the largest of them has [`ROUNDED_BITS`] bits.
fn rounded(numbers: &[Rational]) -> (Vec<i128>, Rational) {
    let bits = |number: &Rational| {
        let length = |part: &BigInt| i64::try_from(part.bits()).unwrap_or(i64::MAX / 4);
        length(number.numer()) - length(number.denom())
    };
    let largest = numbers.iter().filter(|number| !number.is_zero()).map(bits).max().unwrap_or_default();
    let shift = ROUNDED_BITS - largest;
    let power = Rational::from_integer(BigInt::one() << shift.unsigned_abs());
    let over = if shift < 0 { power.recip() } else { power };
    let whole = numbers.iter().map(|number| (number * &over).round().to_integer().to_i128().unwrap_or_default());
    (whole.collect(), over)
}

/// Denominators above this leave no room for sums in 128 bits.
const MOST_DENOMINATOR: i128 = 1 << 96;

fn least_common(one: i128, two: i128) -> Option<i128> {
    one.checked_mul(two / one.gcd(&two))
}

/// A power of ten that the denominator divides, when there is a small one.
fn decimal(common: i128) -> (i128, Option<u32>) {
    let mut power = 1_i128;
    for decimals in 0..=24 {
        if power % common == 0 {
            return (power, Some(decimals));
        }
        power *= 10;
    }
    (common, None)
}

fn push_once(units: &mut Vec<u32>, unit: u32) {
    if units.last() != Some(&unit) {
        units.push(unit);
    }
}

fn is_collapsed(expr: &RowExpr) -> bool {
    match expr {
        RowExpr::Collapsed(..) => true,
        RowExpr::At(body, _)
        | RowExpr::Not(body)
        | RowExpr::Negate(body)
        | RowExpr::Abs(body)
        | RowExpr::Log(body)
        | RowExpr::Present(body)
        | RowExpr::EndsWith(body, _)
        | RowExpr::OneOf(body, _) => is_collapsed(body),
        RowExpr::And(parts) | RowExpr::Or(parts) => parts.iter().any(is_collapsed),
        RowExpr::Compare(left, _, right, _) | RowExpr::Arithmetic(left, _, right) => {
            is_collapsed(left) || is_collapsed(right)
        }
        RowExpr::Bool(_)
        | RowExpr::Number(_)
        | RowExpr::Word(_)
        | RowExpr::Field(_)
        | RowExpr::Attribute(_)
        | RowExpr::Factor(_)
        | RowExpr::Step(..)
        | RowExpr::Unit
        | RowExpr::State(_) => false,
    }
}

/// Whether an expression is true or false rather than a number.
fn is_condition(view: &View<'_>, expr: &RowExpr) -> bool {
    match expr {
        RowExpr::Bool(_)
        | RowExpr::State(_)
        | RowExpr::Present(_)
        | RowExpr::EndsWith(..)
        | RowExpr::OneOf(..)
        | RowExpr::Not(_)
        | RowExpr::And(_)
        | RowExpr::Or(_)
        | RowExpr::Compare(..) => true,
        RowExpr::Field(field) => {
            view.frame.schema().fields.get(*field).is_some_and(|(_, kind)| *kind == ValueType::Bool)
        }
        RowExpr::Attribute(attribute) => {
            view.frame.schema().attributes.get(*attribute).is_some_and(|(_, kind)| *kind == ValueType::Bool)
        }
        RowExpr::Collapsed(body, how) => *how != super::row::Collapse::Mean && is_condition(view, body),
        RowExpr::At(body, _) => is_condition(view, body),
        RowExpr::Number(_)
        | RowExpr::Word(_)
        | RowExpr::Factor(_)
        | RowExpr::Arithmetic(..)
        | RowExpr::Negate(_)
        | RowExpr::Log(_)
        | RowExpr::Step(..)
        | RowExpr::Unit
        | RowExpr::Abs(_) => false,
    }
}

/// Whether an expression is a word rather than a number or a condition.
#[expect(clippy::wildcard_enum_match_arm, reason = "the forms that are not named share one answer")]
fn is_word(view: &View<'_>, expr: &RowExpr) -> bool {
    let named = |kind: Option<&(crate::spec::Name, ValueType)>| {
        matches!(kind, Some((_, ValueType::Text | ValueType::Level(_))))
    };
    match expr {
        RowExpr::Word(_) | RowExpr::Factor(_) | RowExpr::Unit => true,
        RowExpr::Field(field) => named(view.frame.schema().fields.get(*field)),
        RowExpr::Attribute(attribute) => named(view.frame.schema().attributes.get(*attribute)),
        RowExpr::At(body, _) => is_word(view, body),
        _ => false,
    }
}
