//! Conditions on a run: expressions that must become true, stay true or never be true.

use super::expression::{Expression, ExpressionError, Term};
use super::span::Span;

/// Condition on the data of a run.
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
    /// Required behaviour of the data.
    pub demand: Demand,
    /// Maximum difference of numbers that count as equal, for `==`, `!=` and [`Demand::Within`].
    pub tolerance: f64,
    /// Start of the interval in which the condition is checked, s of simulated time; by default the start of the run. The
    /// default of [`Demand::Stay`] is the first tick in which the expression is true.
    pub from: Option<f64>,
    /// End of the interval in which the condition is checked, s; by default the end of the run.
    pub until: Option<f64>,
    /// Span of the expression in a scenario file.
    pub span: Option<Span>,
}

/// Required behaviour of the data of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Demand {
    /// The expression is true in at least one tick.
    Reach(Expression),
    /// The expression is true in every tick.
    Stay(Expression),
    /// The expression is true in no tick.
    Never(Expression),
    /// A value is within a tolerance of a target: in every tick of the interval or, without an interval, at the end.
    Within {
        /// Measured value.
        value: Term,
        /// Target value.
        target: Term,
    },
}

impl Condition {
    /// Returns the condition that the expression becomes true.
    ///
    /// # Errors
    ///
    /// Returns the syntax error if the expression cannot be parsed.
    pub fn reach(expression: &str) -> Result<Self, ExpressionError> {
        Ok(Self::new(Demand::Reach(expression.parse()?)))
    }

    /// Returns the condition that the expression stays true from the first tick in which it is true, or from the start of
    /// the interval if there is one.
    ///
    /// # Errors
    ///
    /// Returns the syntax error if the expression cannot be parsed.
    pub fn stay(expression: &str) -> Result<Self, ExpressionError> {
        Ok(Self::new(Demand::Stay(expression.parse()?)))
    }

    /// Returns the condition that the expression is never true.
    ///
    /// # Errors
    ///
    /// Returns the syntax error if the expression cannot be parsed.
    pub fn never(expression: &str) -> Result<Self, ExpressionError> {
        Ok(Self::new(Demand::Never(expression.parse()?)))
    }

    /// Returns the condition that a number is within a tolerance of a target at the end of the run, or during the whole
    /// interval if there is one.
    ///
    /// # Errors
    ///
    /// Returns the syntax error if the value or the target cannot be parsed.
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

    /// Sets the start of the interval, s.
    #[must_use]
    pub fn from(self, seconds: f64) -> Self {
        Self {
            from: Some(seconds),
            ..self
        }
    }

    /// Sets the end of the interval, s.
    #[must_use]
    pub fn until(self, seconds: f64) -> Self {
        Self {
            until: Some(seconds),
            ..self
        }
    }

    /// Sets the maximum difference of numbers that count as equal.
    #[must_use]
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }
}
