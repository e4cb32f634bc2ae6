//! Conditions over a run: what has to become, stay or never be true.

use super::expression::{Expression, ExpressionError, Term};
use super::span::Span;

/// Condition over the data of a run.
///
/// ```
/// use morse_simulation_file::Condition;
///
/// let arrives = Condition::reach("rover.pose.x > 3.9")?.until(30.0);
/// let keeps_clear = Condition::never("distance(rover.pose, (2, 2, 0)) < 0.5")?;
/// let ends_there = Condition::within("rover.pose.x", "4", 0.1)?;
/// # Ok::<(), morse_simulation_file::ExpressionError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// Demand on the data.
    pub demand: Demand,
    /// Difference up to which numbers are equal, for `==`, `!=` and [`Demand::Within`].
    pub tolerance: f64,
    /// Start of the interval that is looked at, s of simulated time; the start of the run unless given. For
    /// [`Demand::Stay`] without it, the first tick in which the expression is true.
    pub from: Option<f64>,
    /// End of the interval, s; the end of the run unless given.
    pub until: Option<f64>,
    /// Place of the expression in a scenario file.
    pub span: Option<Span>,
}

/// Demand on the data of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Demand {
    /// The expression becomes true.
    Reach(Expression),
    /// It is true in every tick.
    Stay(Expression),
    /// It is true in no tick.
    Never(Expression),
    /// A value is within a tolerance of another: in every tick of the interval or, without one, at the end.
    Within {
        /// The value.
        value: Term,
        /// The target.
        target: Term,
    },
}

impl Condition {
    /// The expression becomes true.
    ///
    /// # Errors
    ///
    /// The expression cannot be read.
    pub fn reach(expression: &str) -> Result<Self, ExpressionError> {
        Ok(Self::new(Demand::Reach(expression.parse()?)))
    }

    /// The expression stays true from the first tick in which it is; with a start, from there.
    ///
    /// # Errors
    ///
    /// The expression cannot be read.
    pub fn stay(expression: &str) -> Result<Self, ExpressionError> {
        Ok(Self::new(Demand::Stay(expression.parse()?)))
    }

    /// The expression is never true.
    ///
    /// # Errors
    ///
    /// The expression cannot be read.
    pub fn never(expression: &str) -> Result<Self, ExpressionError> {
        Ok(Self::new(Demand::Never(expression.parse()?)))
    }

    /// A number is within a tolerance of a target at the end; with a start or an end, all the time.
    ///
    /// # Errors
    ///
    /// One of the two cannot be read.
    pub fn within(value: &str, target: &str, tolerance: f64) -> Result<Self, ExpressionError> {
        let (value, target) = (value.parse()?, target.parse()?);
        let demand = Demand::Within { value, target };
        Ok(Self {
            tolerance,
            ..Self::new(demand)
        })
    }

    fn new(demand: Demand) -> Self {
        Self {
            demand,
            tolerance: 0.0,
            from: None,
            until: None,
            span: None,
        }
    }

    /// Counts from this time on, s.
    #[must_use]
    pub fn from(self, seconds: f64) -> Self {
        Self {
            from: Some(seconds),
            ..self
        }
    }

    /// Counts up to this time, s.
    #[must_use]
    pub fn until(self, seconds: f64) -> Self {
        Self {
            until: Some(seconds),
            ..self
        }
    }

    /// Takes numbers that differ by no more for equal.
    #[must_use]
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }
}
