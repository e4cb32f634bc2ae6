//! Modifiers: noise and changes of frame between what is measured and what is exported.
mod register;

use bevy::{
    prelude::*,
    reflect::{Typed, structs::Struct},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

pub use register::{AddModifier, Carries, each_state};

pub use crate::fields::BindError;
use crate::{
    check::CheckError,
    fields::Fields,
    random::Random,
    samples::Block,
    state::{StateHasher, Stateful},
    tick::Clock,
};

/// A kind of modifier: its settings, and how it binds to a data type.
pub trait Modifier: DeserializeOwned + Typed + Send + Sync + 'static {
    /// The word for it in simulation files.
    const KIND: &'static str;

    /// Finds the fields that it changes, once, at load.
    ///
    /// # Errors
    ///
    /// The data lacks the fields.
    fn bind(&self, fields: &Fields, site: &Site<'_>) -> Result<Box<dyn Modify>, BindError>;

    /// Checks whether its settings make sense, and whether it can work in this world: whether the scene has
    /// an origin on Earth, say.
    ///
    /// # Errors
    ///
    /// What is wrong or missing, and what to do about it, for the user to read.
    fn check(&self, _world: &World) -> Result<(), CheckError> {
        Ok(())
    }
}

/// Site at which a modifier is being bound: what it may look at.
pub struct Site<'a> {
    /// The world that is being built; resources such as the origin on Earth are there.
    pub world: &'a World,
    /// Direction of flow of the data.
    pub side: Side,
}

/// Direction of flow of the data that a modifier is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Out of the simulation: a sensor's measurements.
    Measurement,
    /// Into it: an actuator's commands.
    Command,
}

/// Direction of a change of frame or unit.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From the scene's own axes and units into the others.
    To,
    /// From the others into the scene's own.
    From,
}

impl Direction {
    /// The other way.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::To => Self::From,
            Self::From => Self::To,
        }
    }
}

impl Site<'_> {
    /// The direction of a change of frame that a setting leaves open: a measurement leaves the scene's
    /// frame, a command enters it.
    #[must_use]
    pub fn direction(&self, chosen: Option<Direction>) -> Direction {
        chosen.unwrap_or(match self.side {
            Side::Measurement => Direction::To,
            Side::Command => Direction::From,
        })
    }
}

/// A modifier bound to the data of one component.
pub trait Modify: Send + Sync {
    /// Changes the data in place. `data` is of the type that the modifier was bound to.
    fn modify(&self, data: &mut dyn Struct, state: &mut ModifierState, clock: &Clock);

    /// Tells whether data that it held back are to go on now, though nothing new came to it: a command in this
    /// tick, or a measurement when the sensor is due and an earlier modifier withholds what it measured.
    fn is_due(&self, _state: &ModifierState, _clock: &Clock) -> bool {
        false
    }

    /// Most measurements that it holds back at a time, of a sensor of this frequency (Hz).
    fn most_held(&self, _frequency: f64) -> u64 {
        0
    }

    /// Puts the oldest that it held back into the data.
    fn release(&self, _data: &mut dyn Struct, _state: &mut ModifierState) {}

    /// Itself, if it is a change of frame: one that loses nothing.
    fn frame_change(&self) -> Option<&dyn FrameChange> {
        None
    }

    /// Tells of the data that it makes where it differs from what it gets: other units, say.
    fn relabel(&self, _fields: &mut Fields) {}
}

/// A change of frame or unit, which can be undone.
///
/// A partial command is merged into the command before it in the client's frame, so that the fields it
/// lacks keep what they mean there.
pub trait FrameChange {
    /// Makes the change.
    fn change(&self, data: &mut dyn Struct);
    /// Undoes it.
    fn undo(&self, data: &mut dyn Struct);
}

impl<F: Fn(&mut dyn Struct, &mut ModifierState, &Clock) + Send + Sync> Modify for F {
    fn modify(&self, data: &mut dyn Struct, state: &mut ModifierState, clock: &Clock) {
        self(data, state, clock);
    }
}

/// Memory of a modifier from one time to the next. It is state: hashed, saved and restored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModifierState {
    /// Its own random stream.
    pub random: Random,
    /// Whatever else it needs; empty at the start.
    pub values: Vec<f64>,
    /// Pixels and points that it needs; empty at the start. They are shared with the data, not copied.
    pub samples: Vec<Block>,
    /// Outcome for the data; a modifier that keeps it from going on says so here each time.
    pub outcome: ModifierOutcome,
}

impl ModifierState {
    /// A state of nothing, with a random stream.
    #[must_use]
    pub fn new(random: Random) -> Self {
        Self {
            random,
            values: Vec::new(),
            samples: Vec::new(),
            outcome: ModifierOutcome::Passed,
        }
    }
}

/// The parts of a state that are hashed as they are; of samples the digests are, which are worked out once for all
/// copies.
#[derive(Serialize)]
struct Hashed<'a>(&'a Random, &'a [f64], ModifierOutcome);

/// Outcome for data under a modifier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModifierOutcome {
    /// It goes on: to the next modifier, and out.
    #[default]
    Passed,
    /// It is kept for later. A sensor exports nothing at this measurement.
    Held,
    /// It is lost, as if it had never been sent.
    Lost,
}

/// The bound modifiers of a component, in order. Built at load, never changed.
#[derive(Component, Default)]
pub struct Modifiers(pub Vec<Box<dyn Modify>>);

/// The states of a component's modifiers, in the same order.
#[derive(Component, Clone, Default, Serialize, Deserialize)]
pub struct ModifierStates(pub Vec<ModifierState>);

impl Stateful for ModifierStates {
    fn hash(&self, hasher: &mut StateHasher) {
        let states = self.0.iter();
        let parts = states.map(|state| Hashed(&state.random, &state.values, state.outcome));
        hasher.value(&parts.collect::<Vec<_>>());
        for block in self.0.iter().flat_map(|state| &state.samples) {
            hasher.bytes(&block.any().digest().to_le_bytes());
        }
    }
}

impl Modifiers {
    /// Runs the list on a measurement. Where a modifier withholds it, those behind it that hold back older ones still
    /// let go of what is due: the newest of it goes on in its place.
    pub(crate) fn measure(
        &self,
        data: &mut dyn Struct,
        states: &mut ModifierStates,
        clock: &Clock,
    ) -> ModifierOutcome {
        let mut outcome = ModifierOutcome::Passed;
        for (modifier, state) in self.0.iter().zip(&mut states.0) {
            if outcome == ModifierOutcome::Passed {
                state.outcome = ModifierOutcome::Passed;
                modifier.modify(data, state, clock);
                outcome = state.outcome;
                continue;
            }
            while modifier.is_due(state, clock) {
                modifier.release(data, state);
                state.outcome = ModifierOutcome::Passed;
                outcome = ModifierOutcome::Passed;
            }
        }
        outcome
    }

    /// Runs the list on a command, up to the modifier that keeps it from going on, if one does. What others hold back
    /// is let go of by [`Modifiers::release`], whether a command comes or not.
    pub(crate) fn command(
        &self,
        data: &mut dyn Struct,
        states: &mut ModifierStates,
        clock: &Clock,
    ) -> ModifierOutcome {
        self.run_from(0, data, states, clock)
    }

    fn run_from(
        &self,
        first: usize,
        data: &mut dyn Struct,
        states: &mut ModifierStates,
        clock: &Clock,
    ) -> ModifierOutcome {
        for (modifier, state) in self.0.iter().zip(&mut states.0).skip(first) {
            state.outcome = ModifierOutcome::Passed;
            modifier.modify(data, state, clock);
            if state.outcome != ModifierOutcome::Passed {
                return state.outcome;
            }
        }
        ModifierOutcome::Passed
    }

    /// The first modifier that lets go of a command in this tick.
    pub(crate) fn due(&self, states: &ModifierStates, clock: &Clock) -> Option<usize> {
        let both = self.0.iter().zip(&states.0);
        both.into_iter()
            .position(|(modifier, state)| modifier.is_due(state, clock))
    }

    /// Lets one modifier put what it held back into the data, which then goes on through the rest.
    pub(crate) fn release(
        &self,
        index: usize,
        data: &mut dyn Struct,
        states: &mut ModifierStates,
        clock: &Clock,
    ) -> ModifierOutcome {
        if let (Some(modifier), Some(state)) = (self.0.get(index), states.0.get_mut(index)) {
            modifier.release(data, state);
        }
        self.run_from(index + 1, data, states, clock)
    }

    /// Brings a command from the client's frame into the scene's, without noise.
    pub(crate) fn enter(&self, data: &mut dyn Struct) {
        for frame in self.0.iter().filter_map(|modifier| modifier.frame_change()) {
            frame.change(data);
        }
    }

    /// Brings a command from the scene's frame into the client's.
    pub(crate) fn leave(&self, data: &mut dyn Struct) {
        for frame in self
            .0
            .iter()
            .rev()
            .filter_map(|modifier| modifier.frame_change())
        {
            frame.undo(data);
        }
    }
}
