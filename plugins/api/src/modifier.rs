//! Modifiers: noise and changes of frame between measurement and export.
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
///
/// ```
/// use bevy::reflect::structs::Struct;
/// use morse_api::{fields::at_mut, modifier::Site, prelude::*};
/// use morse_testing::TestModifier;
///
/// /// Multiplies the height by a factor.
/// #[derive(Reflect, Clone, Debug, Deserialize)]
/// struct Scale {
///     /// The factor.
///     #[reflect(@Unit("1"))]
///     factor: f64,
/// }
///
/// impl Modifier for Scale {
///     const KIND: &'static str = "scale";
///
///     fn bind(&self, fields: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
///         let [height] = fields.numbers(["height"])?;
///         let factor = self.factor;
///         Ok(Box::new(move |data: &mut dyn Struct, _: &mut ModifierState, _: &Clock| {
///             if let Some(height) = at_mut::<f64>(data, height) {
///                 *height *= factor;
///             }
///         }))
///     }
/// }
///
/// /// Data of some sensor.
/// #[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
/// struct Data {
///     /// Height.
///     #[reflect(@Unit("m"))]
///     height: f64,
/// }
///
/// let mut test = TestModifier::<Data>::new(&Scale { factor: 3.0 }, None, World::new());
/// assert_eq!(test.measure(Data { height: 2.0 }), Data { height: 6.0 });
/// ```
#[doc(alias("noise", "filter"))]
pub trait Modifier: DeserializeOwned + Typed + Send + Sync + 'static {
    /// Name of the kind in simulation files.
    const KIND: &'static str;

    /// Resolves the fields that it changes, once, at load.
    ///
    /// # Errors
    ///
    /// The data lacks the fields.
    fn bind(&self, fields: &Fields, site: &Site<'_>) -> Result<Box<dyn Modify>, BindError>;

    /// Checks whether its settings are valid, and whether it can work in this world; for example whether the scene has an
    /// origin on Earth.
    ///
    /// # Errors
    ///
    /// The reason, and the remedy, as a message for the user.
    fn check(&self, _world: &World) -> Result<(), CheckError> {
        Ok(())
    }
}

/// Context in which a modifier is bound.
pub struct Site<'a> {
    /// The world during its construction; it contains resources such as the origin on Earth.
    pub world: &'a World,
    /// Direction of flow of the data.
    pub side: Side,
    /// Path of the component.
    pub path: &'a str,
}

/// Direction of flow of the data that a modifier is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// From the simulation: a sensor's measurements.
    Measurement,
    /// To the simulation: an actuator's commands.
    Command,
}

/// Direction of a change of frame or unit.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From the scene's axes and units to the others.
    To,
    /// From the others to the scene's axes and units.
    From,
}

impl Direction {
    /// Returns the opposite direction.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::To => Self::From,
            Self::From => Self::To,
        }
    }
}

impl Site<'_> {
    /// Returns the direction of a change of frame. Default: a measurement leaves the scene's frame, a command enters it.
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
    /// Changes the data in place. `data` has the type to which the modifier was bound.
    fn modify(&self, data: &mut dyn Struct, state: &mut ModifierState, clock: &Clock);

    /// Returns true if delayed data are due now, although no new data arrived: a command in this tick, or a measurement when
    /// the sensor is due and an earlier modifier withholds its measurement.
    fn is_due(&self, _state: &ModifierState, _clock: &Clock) -> bool {
        false
    }

    /// Returns the maximum number of delayed measurements of a sensor with this frequency (Hz).
    fn most_held(&self, _frequency: f64) -> u64 {
        0
    }

    /// Writes the oldest delayed data into `data`.
    fn release(&self, _data: &mut dyn Struct, _state: &mut ModifierState) {}

    /// Returns itself if it is a change of frame, which loses no information.
    fn frame_change(&self) -> Option<&dyn FrameChange> {
        None
    }

    /// Changes the description of the data where its output differs from its input, for example in units.
    fn relabel(&self, _fields: &mut Fields) {}
}

/// An invertible change of frame or unit.
///
/// A partial command is merged into the previous command in the client's frame, so that missing fields keep their values
/// there.
pub trait FrameChange {
    /// Applies the change.
    fn change(&self, data: &mut dyn Struct);
    /// Applies the inverse change.
    fn undo(&self, data: &mut dyn Struct);
}

impl<F: Fn(&mut dyn Struct, &mut ModifierState, &Clock) + Send + Sync> Modify for F {
    fn modify(&self, data: &mut dyn Struct, state: &mut ModifierState, clock: &Clock) {
        self(data, state, clock);
    }
}

/// Memory of a modifier between calls. It is state: hashed, saved and restored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModifierState {
    /// Random stream of this modifier.
    pub random: Random,
    /// Numbers of the modifier; empty at the start.
    pub values: Vec<f64>,
    /// Pixels and points of the modifier; empty at the start. They share memory with the data.
    pub samples: Vec<Block>,
    /// Outcome for the data; a modifier that withholds them sets it in each call.
    pub outcome: ModifierOutcome,
}

impl ModifierState {
    /// Returns an empty state with a random stream.
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

/// The hashed fields of a state. For samples the digests are hashed, which are computed once for all copies.
#[derive(Serialize)]
struct Hashed<'a>(&'a Random, &'a [f64], ModifierOutcome);

/// Outcome for data under a modifier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModifierOutcome {
    /// The data continue: to the next modifier, and to the outputs.
    #[default]
    Passed,
    /// The data are delayed. The sensor exports nothing at this measurement.
    Held,
    /// The data are lost, as if they had never been sent.
    Lost,
}

/// Bound modifiers of a component, in order. Built at load, and constant.
#[derive(Component, Default)]
pub struct Modifiers(pub Vec<Box<dyn Modify>>);

/// States of a component's modifiers, in the same order.
#[derive(Component, Clone, Default, Serialize, Deserialize)]
pub struct ModifierStates(pub Vec<ModifierState>);

impl Stateful for ModifierStates {
    fn hash(&self, hasher: &mut StateHasher) {
        let states = self.0.iter();
        let hashed = states.map(|state| Hashed(&state.random, &state.values, state.outcome));
        hasher.value(&hashed.collect::<Vec<_>>());
        for block in self.0.iter().flat_map(|state| &state.samples) {
            hasher.bytes(&block.any().digest().to_le_bytes());
        }
    }
}

impl Modifiers {
    /// Applies the list to a measurement. When a modifier withholds it, later modifiers that delay data still release what
    /// is due: the newest released measurement continues in its place.
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

    /// Applies the list to a command, up to the modifier that withholds it. Delayed commands are released by
    /// [`Modifiers::release`], with or without a new command.
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

    /// Returns the first modifier that releases a command in this tick.
    pub(crate) fn due(&self, states: &ModifierStates, clock: &Clock) -> Option<usize> {
        let both = self.0.iter().zip(&states.0);
        both.into_iter()
            .position(|(modifier, state)| modifier.is_due(state, clock))
    }

    /// Writes the delayed data of one modifier into `data`, and applies the modifiers after it.
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

    /// Converts a command from the client's frame to the scene's, without noise.
    pub(crate) fn enter(&self, data: &mut dyn Struct) {
        for frame in self.0.iter().filter_map(|modifier| modifier.frame_change()) {
            frame.change(data);
        }
    }

    /// Converts a command from the scene's frame to the client's.
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
