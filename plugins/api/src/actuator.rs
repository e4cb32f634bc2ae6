//! Actuators: settings, a command, and a `default_action` that turns it into a drive or joint targets.
use std::sync::Arc;

use bevy::{
    ecs::component::Mutable,
    prelude::*,
    reflect::{ReflectRef, TypeInfo, Typed},
};
use nalgebra::{Isometry3, Vector3};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    arbitration::Contender,
    body::Drive,
    check::CheckError,
    command::{ActuatorInfo, Command, Mailbox, Received, give, read_inputs},
    component::{Active, Due, WorldPose, WorldVelocity},
    fields::{Fields, Unit},
    joint::JointTarget,
    kind::{About, ActuatorKind, ErasedSettings, KindOf, Kinds, Role, claim, demand},
    modifier::{ModifierStates, Modifiers},
    range::ValueRange,
    settings::{self, SettingsOf},
    state::{AddState as _, Stateful},
    tick::Tick,
    turn::{Systems, add_in_turn, require_turn, wait_for},
};

/// A kind of actuator. The type itself holds the settings, which no system ever writes.
///
/// ```
/// use morse_api::prelude::*;
/// use morse_testing::{TestWorld, moving};
///
/// /// Drives a robot along its x axis.
/// #[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
/// #[serde(default, deny_unknown_fields)]
/// struct Straight {}
///
/// /// Commanded velocity.
/// #[derive(Component, Reflect, Clone, Debug, Default, Serialize, Deserialize)]
/// struct StraightCommand {
///     /// Along the robot's x axis.
///     #[reflect(@Unit("m/s"))]
///     v: f64,
/// }
///
/// impl Stateful for StraightCommand {}
///
/// impl Actuator for Straight {
///     const KIND: &'static str = "straight";
///     const MOVES_ROBOT: bool = true;
///     type Command = StraightCommand;
/// }
///
/// fn default_action(mut actuators: Query<(&Due, &StraightCommand, &mut Drive), With<Straight>>) {
///     for (due, command, mut drive) in &mut actuators {
///         if due.0 {
///             let linear = Vector3::new(command.v, 0.0, 0.0);
///             *drive = Drive::Velocity { linear, angular: Vector3::zeros() };
///         }
///     }
/// }
///
/// fn plugin(app: &mut App) {
///     app.add_actuator::<Straight, _>(default_action);
/// }
///
/// let start = moving([0.0; 3], 0.0, [0.0; 3], [0.0; 3]);
/// let mut world = TestWorld::new(60.0, plugin, start);
/// let motion = world.actuator::<Straight>("rover.motion", "()", Isometry3::identity());
/// world.send(motion, StraightCommand { v: 0.5 });
/// world.drive(motion, 60);
/// assert!((world.body().pose.translation.x - 0.5).abs() < 1e-9);
/// ```
#[doc(alias("ctrl", "motor"))]
pub trait Actuator: Component<Mutability = Mutable> + Clone + DeserializeOwned + Typed {
    /// Name of the kind in simulation files.
    const KIND: &'static str;
    /// True if the actuator sets the velocity or the pose of the robot's base. Of several such actuators on a robot, one
    /// drives at a time (see [`Contender`]).
    const MOVES_ROBOT: bool = false;
    /// False if `default_action` sets no [`Drive`]: the actuator has none then, and worlds with such actuators only are faster.
    const HAS_DRIVE: bool = true;
    /// Name of the class of MORSE that it replaces, for MORSE's clients; `None` for a kind that MORSE does not have.
    const MORSE_CLASS: Option<&'static str> = None;
    /// Type of its commands.
    #[doc(alias("local_data"))]
    type Command: Command;

    /// Checks whether the actuator can work in this world, at its mount.
    ///
    /// # Errors
    ///
    /// The unmet requirement, and how to meet it, as a message for the user.
    fn check(&self, _world: &World, _entity: Entity) -> Result<(), CheckError> {
        Ok(())
    }
}

/// Control mode: how a commanded velocity is applied to the robot.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Control {
    /// The body gets the velocity; contacts and obstacles still act on it.
    #[default]
    Velocity,
    /// The body is displaced at each action and passes through obstacles.
    Position,
}

impl Control {
    /// Returns the drive for a velocity in the robot's axes (m/s, rad/s) that lasts for `seconds`.
    #[must_use]
    pub fn drive(self, linear: Vector3<f64>, angular: Vector3<f64>, seconds: f64) -> Drive {
        match self {
            Self::Velocity => Drive::Velocity { linear, angular },
            Self::Position => {
                Drive::Displacement(Isometry3::new(linear * seconds, angular * seconds))
            }
        }
    }
}

/// True if an actuator that steers intermittently, such as a keyboard, steered at its last action.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Steers(pub bool);

impl Stateful for Steers {}

impl Steers {
    /// Returns the drive for a velocity (m/s, rad/s, robot's axes), if there is one. Once after the last velocity it returns
    /// the drive that stops, and then none, so that other actuators may drive.
    #[must_use]
    pub fn drive(
        &mut self,
        control: Control,
        velocity: Option<(Vector3<f64>, Vector3<f64>)>,
        seconds: f64,
    ) -> Drive {
        let steered = std::mem::replace(&mut self.0, velocity.is_some());
        match velocity {
            Some((linear, angular)) => control.drive(linear, angular, seconds),
            None if steered => control.drive(Vector3::zeros(), Vector3::zeros(), seconds),
            None => Drive::None,
        }
    }
}

impl<C: Command> Stateful for Received<C> {}
impl Stateful for Drive {}
impl Stateful for JointTarget {}

/// Marks actuators, as opposed to sensors.
#[derive(Component, Default, Clone, Copy)]
pub struct IsActuator;

/// Components that all actuators have besides their own.
#[derive(Component, Default, Clone, Copy)]
#[require(
    Active,
    Due,
    WorldPose,
    WorldVelocity,
    Modifiers,
    ModifierStates,
    IsActuator
)]
pub struct Common;

/// Registers actuators.
pub trait AddActuator {
    /// Registers the kind `A`. `default_action` runs in each tick in which the actuator is due, with or without a new
    /// command.
    ///
    /// # Panics
    ///
    /// Two kinds of actuator have the same name; or settings or command have a field that makes runs differ from each other,
    /// such as an unordered map.
    fn add_actuator<A: Actuator, M>(&mut self, default_action: impl Systems<M>) -> &mut Self
    where
        A::Command: Stateful;
}

impl AddActuator for App {
    fn add_actuator<A: Actuator, M>(&mut self, default_action: impl Systems<M>) -> &mut Self
    where
        A::Command: Stateful,
    {
        demand(Role::Settings, A::KIND, A::type_info());
        demand(Role::Command, A::KIND, <A::Command as Typed>::type_info());
        let world = self.world_mut();
        world.register_required_components::<A, A::Command>();
        world.register_required_components::<A, Received<A::Command>>();
        world.register_required_components::<A, Common>();
        if A::HAS_DRIVE {
            world.register_required_components::<A, Drive>();
        }
        claim(
            &mut world.get_resource_or_init::<Kinds>().actuators,
            A::KIND,
            ActuatorKind {
                about: About::of::<A>(),
                command: <A::Command as Typed>::type_info(),
                command_about: About::of::<A::Command>(),
                give: |world, entity, command| {
                    let command = command.downcast_ref::<A::Command>().cloned();
                    command.map_or(Ok(()), |command| give(world, entity, command))
                },
                insert: insert::<A>,
                check: check::<A>,
                moves_robot: A::MOVES_ROBOT,
                morse_class: A::MORSE_CLASS,
                is_on: |world, entity| world.get::<A>(entity).is_some(),
            },
        );
        self.register_state::<A::Command>()
            .register_state::<Received<A::Command>>()
            .register_state::<ModifierStates>()
            .register_state::<Drive>()
            .register_state::<JointTarget>()
            .register_state::<Contender>()
            .register_state::<Active>();
        settings::register(self.world_mut());
        add_in_turn(self, Tick::Inputs, A::KIND, read_inputs::<A, A::Command>);
        add_in_turn(self, Tick::Actuate, A::KIND, default_action);
        wait_for::<A>(self, A::KIND, |world, _| require_turn(world, A::KIND));
        self
    }
}

fn insert<A: Actuator>(entity: &mut EntityWorldMut<'_>, settings: &ErasedSettings) {
    if let Some(own) = settings.downcast_ref::<A>() {
        let access = SettingsOf::new::<A>(settings.clone(), check::<A>);
        entity.insert((own.clone(), access, KindOf(A::KIND)));
    }
}

fn check<A: Actuator>(world: &World, entity: Entity) -> Result<(), CheckError> {
    let Some(actuator) = world.get::<A>(entity) else {
        return Ok(());
    };
    if A::MOVES_ROBOT
        && let Some(limits) = world.get::<SpeedLimits>(entity)
    {
        limits.check(actuator)?;
    }
    actuator.check(world, entity)
}

/// Gives an actuator its mailbox.
pub fn insert_mailbox(
    entity: &mut EntityWorldMut<'_>,
    kind: &ActuatorKind,
    word: &'static str,
    (path, robot): (Arc<str>, Arc<str>),
    limits: &SpeedLimits,
) {
    let mut fields = Fields::of(kind.command, None);
    limits.narrow(&mut fields);
    let info = ActuatorInfo {
        path,
        robot,
        kind: word,
        command: kind.command,
        fields,
    };
    entity.insert((Mailbox::new(Arc::new(info)), *limits));
}

/// Maximum speeds that commands and settings may request. A command beyond them is refused, and the previous command stays in
/// force. A component of each actuator.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct SpeedLimits {
    /// Maximum speed along any axis, m/s.
    pub speed: f64,
    /// Maximum turning rate about any axis, rad/s.
    pub turning_rate: f64,
}

impl Default for SpeedLimits {
    fn default() -> Self {
        Self {
            speed: 100.0,
            turning_rate: 100.0,
        }
    }
}

impl SpeedLimits {
    /// Maximum of a quantity with this unit, if the unit is that of a speed.
    fn maximum(&self, unit: &str) -> Option<f64> {
        match unit {
            "m/s" => Some(self.speed),
            "rad/s" => Some(self.turning_rate),
            _ => None,
        }
    }

    /// Checks the settings of an actuator whose unit is a speed. An infinite speed is a jump, and no speed.
    fn check<A: Typed>(&self, settings: &A) -> Result<(), CheckError> {
        let (TypeInfo::Struct(info), ReflectRef::Struct(values)) =
            (A::type_info(), settings.reflect_ref())
        else {
            return Ok(());
        };
        for (index, field) in info.iter().enumerate() {
            let unit = field.get_attribute::<Unit>().map_or("", |unit| unit.0);
            let value = values.field_at(index);
            let value = value.and_then(|value| value.try_downcast_ref::<f64>());
            if let (Some(maximum), Some(value)) = (self.maximum(unit), value)
                && value.is_finite()
                && value.abs() > maximum
            {
                let name = field.name();
                return Err(CheckError::setting(format!(
                    "`{name}` is {value} {unit}, but this robot may be commanded {maximum} {unit} at most: give a smaller \
                     `{name}`, or a greater `max_speed` or `max_turning_rate` to the robot"
                )));
            }
        }
        Ok(())
    }

    /// Narrows the ranges of a command's fields whose unit is a speed, except fields with a range of their own.
    fn narrow(&self, fields: &mut Fields) {
        for field in fields.0.iter_mut().filter(|field| !field.has_own_range) {
            if let Some(maximum) = field.unit.and_then(|unit| self.maximum(unit)) {
                field.range = ValueRange(-maximum, maximum);
            }
        }
    }
}
