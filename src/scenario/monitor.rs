//! Evaluation of conditions tick by tick.
use std::fmt;

use bevy::prelude::World;
use morse_simulation_file::{Condition, Demand, Logic, Operator, span::Span};
use serde::Serialize;

use super::{
    probe::{BindError, Probe},
    value::Scalar,
};
use crate::simulation::Simulation;

/// A condition that does not fit the simulation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("condition `{name}`: {error}")]
pub struct Unbound {
    /// Name of the condition.
    pub name: String,
    /// Reason.
    pub error: BindError,
    /// Position of its expression in the scenario file.
    pub span: Option<Span>,
}

/// Verdict on one condition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// Name of the condition.
    pub name: String,
    /// True if it was met.
    pub passed: bool,
    /// Tick of the verdict.
    pub tick: u64,
    /// Simulated time of that tick, s.
    pub seconds: f64,
    /// Reason, with the values of that tick.
    pub why: String,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            tick,
            seconds,
            why,
            ..
        } = self;
        write!(f, "{name}: {why} (tick {tick}, {seconds:.3} s)")
    }
}

/// Conditions that are evaluated tick by tick.
pub struct Monitor(Vec<Watched>);

struct Watched {
    name: String,
    condition: Condition,
    statement: Statement,
    state: State,
}

/// Requirement on the data, with names resolved.
enum Statement {
    Logic(BoundLogic),
    Near { value: Sample, target: Sample },
}

enum BoundLogic {
    Compare(Sample, Operator, Sample),
    Flag(Sample),
    All(Vec<Self>),
    Any(Vec<Self>),
}

/// A resolved value, and its text in messages.
struct Sample {
    name: String,
    probe: Probe,
    is_constant: bool,
}

#[derive(Clone, Default)]
struct State {
    /// True once the interval has begun.
    was_looked_at: bool,
    /// Tick in which the expression became true.
    since: Option<(u64, f64)>,
    verdict: Option<Verdict>,
}

impl Monitor {
    /// Resolves the names of conditions.
    ///
    /// # Errors
    ///
    /// The first condition that names data which the simulation does not have, or compares values of different types.
    pub fn new(
        simulation: &Simulation,
        conditions: impl IntoIterator<Item = (String, Condition)>,
    ) -> Result<Self, Unbound> {
        let conditions = conditions.into_iter().map(|(name, condition)| {
            match Statement::new(simulation, &condition.demand) {
                Ok(statement) => Ok(Watched {
                    name,
                    condition,
                    statement,
                    state: State::default(),
                }),
                Err(error) => Err(Unbound {
                    name,
                    error,
                    span: condition.span,
                }),
            }
        });
        Ok(Self(conditions.collect::<Result<_, _>>()?))
    }

    /// Evaluates the conditions after a tick.
    pub fn look(&mut self, simulation: &Simulation) {
        let now = Now {
            world: simulation.world(),
            tick: simulation.tick(),
            seconds: simulation.seconds(),
            half_tick: 0.5 / simulation.clock().rate,
        };
        for watched in &mut self.0 {
            if watched.state.verdict.is_none() {
                watched.state.verdict = watched.look(&now);
            }
        }
    }

    /// Returns true if no later tick can change a verdict.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        self.0.iter().all(|watched| watched.state.verdict.is_some())
    }

    /// Returns the verdicts that are decided.
    #[must_use]
    pub fn decided(&self) -> Vec<Verdict> {
        let decided = self
            .0
            .iter()
            .filter_map(|watched| watched.state.verdict.clone());
        decided.collect()
    }

    /// Returns the verdicts, in the order of the conditions, at the end of a run.
    #[must_use]
    pub fn end(self, simulation: &Simulation) -> Vec<Verdict> {
        let now = Now {
            world: simulation.world(),
            tick: simulation.tick(),
            seconds: simulation.seconds(),
            half_tick: 0.5 / simulation.clock().rate,
        };
        let conditions = self.0.into_iter();
        conditions
            .map(|mut watched| match watched.state.verdict.take() {
                Some(verdict) => verdict,
                None => watched.end(&now),
            })
            .collect()
    }
}

/// A tick.
struct Now<'w> {
    world: &'w World,
    tick: u64,
    seconds: f64,
    half_tick: f64,
}

impl Watched {
    fn look(&mut self, now: &Now<'_>) -> Option<Verdict> {
        let Condition { from, until, .. } = self.condition;
        if let Demand::Within { .. } = self.condition.demand
            && from.is_none()
            && until.is_none()
        {
            return None; // it is about the end
        }
        let is_before = from.is_some_and(|from| now.seconds < from - now.half_tick);
        if is_before {
            return None;
        }
        if until.is_some_and(|until| now.seconds > until + now.half_tick) {
            return Some(self.end(now));
        }
        self.state.was_looked_at = true;
        let decided = self.look_inside(now);
        let is_last = until.is_some_and(|until| now.seconds + now.half_tick > until);
        match decided {
            None if is_last => Some(self.end(now)),
            decided => decided,
        }
    }

    /// Evaluates a tick of the interval.
    fn look_inside(&mut self, now: &Now<'_>) -> Option<Verdict> {
        let waits = self.condition.from.is_none();
        let may_wait = match self.condition.demand {
            Demand::Reach(_) | Demand::Never(_) => true,
            Demand::Stay(_) => waits && self.state.since.is_none(),
            Demand::Within { .. } => false,
        };
        if may_wait && self.statement.is_awaited(now.world) {
            return None;
        }
        let holds = match self.statement.holds(now.world, self.condition.tolerance) {
            Ok(holds) => holds,
            Err(why) => return Some(self.verdict(now, false, &why)),
        };
        match (&self.condition.demand, holds) {
            (Demand::Reach(_), true) => Some(self.verdict(now, true, "it became true")),
            (Demand::Never(_), true) => Some(self.verdict(now, false, "it is true")),
            (Demand::Stay(_), true) => {
                self.state.since.get_or_insert((now.tick, now.seconds));
                None
            }
            (Demand::Stay(_), false) => match self.state.since {
                None if waits => None,
                None => Some(self.verdict(now, false, "it is not true")),
                Some((tick, _)) => {
                    let why = format!("it is true no more, after tick {tick}");
                    Some(self.verdict(now, false, &why))
                }
            },
            (Demand::Within { .. }, false) => {
                Some(self.verdict(now, false, "it is not near enough"))
            }
            (Demand::Reach(_), false)
            | (Demand::Never(_), false)
            | (Demand::Within { .. }, true) => None,
        }
    }

    /// Returns the verdict if nothing was decided until the end of the interval or of the run.
    fn end(&self, now: &Now<'_>) -> Verdict {
        let is_at_end = self.condition.from.is_none() && self.condition.until.is_none();
        match self.condition.demand {
            Demand::Within { .. } if is_at_end => {
                match self.statement.holds(now.world, self.condition.tolerance) {
                    Ok(true) => self.verdict(now, true, "it is near enough"),
                    Ok(false) => self.verdict(now, false, "it is not near enough"),
                    Err(why) => self.verdict(now, false, &why),
                }
            }
            _ if !self.state.was_looked_at => {
                self.verdict(now, false, "no tick was made in the interval")
            }
            Demand::Reach(_) => self.verdict(now, false, "it never became true"),
            Demand::Stay(_) => match self.state.since {
                None => self.verdict(now, false, "it never became true"),
                Some((tick, _)) => {
                    self.verdict(now, true, &format!("it was true from tick {tick} on"))
                }
            },
            Demand::Never(_) => self.verdict(now, true, "it was never true"),
            Demand::Within { .. } => self.verdict(now, true, "it was near enough"),
        }
    }

    fn verdict(&self, now: &Now<'_>, passed: bool, why: &str) -> Verdict {
        let demand = match &self.condition.demand {
            Demand::Reach(expression) | Demand::Stay(expression) | Demand::Never(expression) => {
                expression.to_string()
            }
            Demand::Within { value, target } => {
                format!("{value} within {} of {target}", self.condition.tolerance)
            }
        };
        let values = self.statement.values(now.world);
        let values = match values.as_slice() {
            [] => String::new(),
            values => format!(": {}", values.join(", ")),
        };
        Verdict {
            name: self.name.clone(),
            passed,
            tick: now.tick,
            seconds: now.seconds,
            why: format!("`{demand}`: {why}{values}"),
        }
    }
}

impl Statement {
    fn new(simulation: &Simulation, demand: &Demand) -> Result<Self, BindError> {
        match demand {
            Demand::Reach(expression) | Demand::Stay(expression) | Demand::Never(expression) => {
                BoundLogic::new(simulation, &expression.logic).map(Self::Logic)
            }
            Demand::Within { value, target } => {
                let value = Sample::new(simulation, value)?;
                let target = Sample::new(simulation, target)?;
                for sample in [&value, &target] {
                    sample.check_kind(simulation.world(), &Scalar::Number(0.0))?;
                }
                Ok(Self::Near { value, target })
            }
        }
    }

    fn holds(&self, world: &World, tolerance: f64) -> Result<bool, String> {
        match self {
            Self::Logic(logic) => logic.holds(world, tolerance),
            Self::Near { value, target } => {
                compare(value, Operator::Equal, target, world, tolerance)
            }
        }
    }

    /// Returns true if a sensor in it has exported nothing yet.
    fn is_awaited(&self, world: &World) -> bool {
        let mut is_awaited = false;
        self.visit(&mut |sample| is_awaited |= sample.probe.is_awaited(world));
        is_awaited
    }

    fn visit(&self, visit: &mut dyn FnMut(&Sample)) {
        match self {
            Self::Near { value, target } => [value, target].into_iter().for_each(visit),
            Self::Logic(logic) => logic.visit(visit),
        }
    }

    /// Returns `name = value` for all resolved values.
    fn values(&self, world: &World) -> Vec<String> {
        let mut values = Vec::new();
        let mut add = |sample: &Sample| {
            let value = match sample.probe.read(world) {
                _ if sample.is_constant => return,
                Ok(value) => format!("{} = {value}", sample.name),
                Err(why) => format!("{}: {why}", sample.name),
            };
            if !values.contains(&value) {
                values.push(value);
            }
        };
        self.visit(&mut add);
        values
    }
}

impl BoundLogic {
    fn new(simulation: &Simulation, logic: &Logic) -> Result<Self, BindError> {
        let all = |operands: &[Logic]| -> Result<Vec<Self>, BindError> {
            operands
                .iter()
                .map(|operand| Self::new(simulation, operand))
                .collect()
        };
        let world = simulation.world();
        Ok(match logic {
            Logic::All(operands) => Self::All(all(operands)?),
            Logic::Any(operands) => Self::Any(all(operands)?),
            Logic::Flag(term) => {
                let flag = Sample::new(simulation, term)?;
                flag.check_kind(world, &Scalar::Flag(true))?;
                Self::Flag(flag)
            }
            Logic::Compare(left, operator, right) => {
                let left = Sample::new(simulation, left)?;
                let right = Sample::new(simulation, right)?;
                if operator.orders() {
                    left.check_kind(world, &Scalar::Number(0.0))?;
                }
                if let Some(value) = left.probe.form(world) {
                    right.check_kind(world, &value)?;
                }
                Self::Compare(left, *operator, right)
            }
        })
    }

    fn holds(&self, world: &World, tolerance: f64) -> Result<bool, String> {
        match self {
            Self::Compare(left, operator, right) => {
                compare(left, *operator, right, world, tolerance)
            }
            Self::Flag(sample) => match sample.read(world)? {
                Scalar::Flag(flag) => Ok(flag),
                other => Err(format!("`{}` is {}", sample.name, other.noun())),
            },
            // All parts are evaluated, so that each missing value is reported.
            Self::All(operands) => operands.iter().try_fold(true, |held, operand| {
                Ok(operand.holds(world, tolerance)? && held)
            }),
            Self::Any(operands) => operands.iter().try_fold(false, |held, operand| {
                Ok(operand.holds(world, tolerance)? || held)
            }),
        }
    }

    fn visit(&self, visit: &mut dyn FnMut(&Sample)) {
        match self {
            Self::Compare(left, _, right) => [left, right].into_iter().for_each(visit),
            Self::Flag(sample) => visit(sample),
            Self::All(operands) | Self::Any(operands) => {
                operands.iter().for_each(|operand| operand.visit(visit));
            }
        }
    }
}

impl Sample {
    fn new(simulation: &Simulation, term: &morse_simulation_file::Term) -> Result<Self, BindError> {
        let probe = Probe::new(simulation, term)?;
        Ok(Self {
            name: term.to_string(),
            is_constant: matches!(probe, Probe::Constant(_)),
            probe,
        })
    }

    fn read(&self, world: &World) -> Result<Scalar, String> {
        let value = self.probe.read(world);
        value.map_err(|why| format!("`{}` has no value: {why}", self.name))
    }

    /// Checks that a value that exists already has the required type.
    fn check_kind(&self, world: &World, wanted: &Scalar) -> Result<(), BindError> {
        match self.probe.form(world) {
            Some(value) if std::mem::discriminant(&value) != std::mem::discriminant(wanted) => {
                let (name, noun, wanted) = (&self.name, value.noun(), wanted.noun());
                Err(BindError(format!(
                    "`{name}` is {noun}, where {wanted} is needed"
                )))
            }
            _ => Ok(()),
        }
    }
}

fn compare(
    left: &Sample,
    operator: Operator,
    right: &Sample,
    world: &World,
    tolerance: f64,
) -> Result<bool, String> {
    let (one, other) = (left.read(world)?, right.read(world)?);
    let (a, b) = match (&one, &other) {
        (Scalar::Number(a), Scalar::Number(b)) => (*a, *b),
        (Scalar::Flag(_), Scalar::Flag(_)) | (Scalar::Text(_), Scalar::Text(_)) => {
            return match operator {
                Operator::Equal => Ok(one == other),
                Operator::Unequal => Ok(one != other),
                _ => Err(format!(
                    "`{}` is {}, which has no order",
                    left.name,
                    one.noun()
                )),
            };
        }
        _ => {
            return Err(format!(
                "`{}` is {}, and `{}` is {}",
                left.name,
                one.noun(),
                right.name,
                other.noun()
            ));
        }
    };
    // Comparisons with NaN are all false: `never` would pass for the wrong reason.
    for (sample, number) in [(left, a), (right, b)] {
        if number.is_nan() {
            return Err(format!("`{}` is not a number", sample.name));
        }
    }
    let is_equal = a == b || (a - b).abs() <= tolerance;
    Ok(match operator {
        Operator::Less => a < b,
        Operator::AtMost => a <= b,
        Operator::Greater => a > b,
        Operator::AtLeast => a >= b,
        Operator::Equal => is_equal,
        Operator::Unequal => !is_equal,
    })
}

#[cfg(test)]
mod tests;
