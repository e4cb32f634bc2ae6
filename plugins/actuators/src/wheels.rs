//! The wheels of a robot: real joints, found by name and measured once, for actuators that drive by them.
//!
//! A wheel turns about an axis across the robot, on the left and on the right; a positive speed drives
//! forward if the axis points to the left, and is turned round if it points to the right. A wheel is as
//! large as its solids reach from the axis.
use bevy::prelude::Startup;
use morse_api::{
    actuator::Actuator,
    command::give,
    joint::{JointPlace, JointVariable, RobotJoints},
    prelude::*,
    service::NoArguments,
    state::Stateful,
};
use nalgebra::Point3;

/// A speed and a turning rate, kept until the next command.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WheelsCommand {
    /// Forward speed; of a car, that of the middle between the driven wheels.
    #[reflect(@Unit("m/s"))]
    pub v: f64,
    /// Turning rate, to the left.
    #[reflect(@Unit("rad/s"))]
    pub w: f64,
}

impl Stateful for WheelsCommand {}

/// An actuator that turns the wheels of a robot.
pub trait OnWheels: Actuator<Command = WheelsCommand> {
    /// Measures of the wheels. They follow from the scene and the settings, so they are no state.
    type Measures: Component;

    /// Finds and measures the wheels.
    ///
    /// # Errors
    ///
    /// What is missing, and how to provide it, for the user to read.
    fn measure(&self, world: &World, actuator: Entity) -> Result<Self::Measures, CheckError>;
}

/// Lets an actuator on wheels have them measured, once, and offers its services.
pub fn add<A: OnWheels>(app: &mut App) {
    app.add_systems(Startup, begin::<A>)
        .add_service::<A>(Service::new(
            "set_speed",
            "Sets the forward speed and the turning rate.",
            set_speed,
        ))
        .add_service::<A>(Service::new("stop", "Stops the wheels.", stop));
}

fn begin<A: OnWheels>(world: &mut World) {
    let mut actuators = world.query::<(Entity, &A)>();
    let found: Vec<_> = actuators
        .iter(world)
        .filter_map(|(entity, settings)| Some((entity, settings.measure(world, entity).ok()?)))
        .collect();
    for (entity, measures) in found {
        world.entity_mut(entity).insert(measures);
    }
}

/// Arguments of `set_speed`.
#[derive(Reflect, Deserialize)]
struct SetSpeed {
    /// Forward speed, m/s.
    v: f64,
    /// Turning rate, rad/s.
    w: f64,
}

fn set_speed(
    world: &mut World,
    entity: Entity,
    SetSpeed { v, w }: SetSpeed,
) -> Result<Outcome, ServiceError> {
    for (name, value) in [("v", v), ("w", w)] {
        if !value.is_finite() {
            return Err(ServiceError::Failed(format!(
                "`{name}` of set_speed is not finite"
            )));
        }
    }
    give(world, entity, WheelsCommand { v, w })?;
    Ok(Outcome::NOTHING)
}

fn stop(world: &mut World, entity: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    give(world, entity, WheelsCommand::default())?;
    Ok(Outcome::NOTHING)
}

/// A joint of a robot, as it stands at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// The variable's entity.
    pub entity: Entity,
    /// The robot's name for it.
    pub name: String,
    /// Place in the frame of the robot's base, m.
    pub at: Point3<f64>,
    /// Direction of the axis there.
    pub axis: Vector3<f64>,
    /// Distance to which the body below reaches from the axis, m.
    pub reach: f64,
    /// Interval along the axis of the solids at that distance, m.
    pub tread: [f64; 2],
}

/// A joint as a wheel.
#[derive(Clone, Debug, PartialEq)]
pub struct Wheel {
    /// The variable's entity.
    pub entity: Entity,
    /// The robot's name for it.
    pub name: String,
    /// Place in the frame of the robot's base, m.
    pub at: Point3<f64>,
    /// Edges of the tyre across the robot, to the left of `at`, m.
    pub tread: [f64; 2],
    /// Turns of the joint for one of forward travel, rad/m; negative if its axis points to the right.
    pub turn: f64,
}

impl Joint {
    /// This joint as a wheel, of the given radius (m) or, if that is zero, of its own.
    ///
    /// # Errors
    ///
    /// It does not turn about an axis across the robot, or nothing is there that could roll.
    pub fn wheel(self, radius: f64) -> Result<Wheel, CheckError> {
        let name = &self.name;
        if self.axis.y.abs() < 0.5 {
            return Err(CheckError::unmet(format!(
                "the axis of `{name}` does not lie across the robot"
            )));
        }
        let radius = if radius > 0.0 { radius } else { self.reach };
        if radius.is_nan() || radius <= 0.0 {
            return Err(CheckError::unmet(format!(
                "nothing rolls on `{name}`: give its frame a shape that collides, or set `wheel_radius`"
            )));
        }
        Ok(Wheel {
            entity: self.entity,
            at: self.at,
            tread: self.tread.map(|along| along * self.axis.y),
            turn: self.axis.y.signum() / radius,
            name: self.name,
        })
    }
}

/// Joints of the robot of an actuator: those of these names; without names, those of the first set of usual
/// names that the robot has.
///
/// # Errors
///
/// There are none of these names; `setting` is where to name them.
pub fn find(
    world: &World,
    actuator: Entity,
    setting: &str,
    names: &[String],
    usual: &[&[&str]],
) -> Result<Vec<Joint>, CheckError> {
    let all = joints_of(world, actuator);
    let named = |name: &str| all.iter().find(|joint| joint.name == name).cloned();
    let known = || {
        let names: Vec<&str> = all.iter().map(|joint| joint.name.as_str()).collect();
        if names.is_empty() {
            "the robot has no joints at all".to_owned()
        } else {
            format!("the robot has: {}", names.join(", "))
        }
    };
    if !names.is_empty() {
        let found = names.iter().map(|name| {
            named(name).ok_or_else(|| {
                CheckError::unmet(format!("there is no joint `{name}`; {}", known()))
            })
        });
        return found.collect();
    }
    let sets = usual.iter();
    let mut found = sets.filter_map(|set| set.iter().map(|name| named(name)).collect());
    found.next().ok_or_else(|| {
        let usual: Vec<String> = usual.iter().map(|set| set.join(" and ")).collect();
        CheckError::unmet(format!(
            "there is no joint {}; name the joints in `{setting}`; {}",
            usual.join(", nor "),
            known()
        ))
    })
}

fn joints_of(world: &World, actuator: Entity) -> Vec<Joint> {
    let robot = world.get::<Mount>(actuator).map(|mount| mount.robot);
    let joints = robot.and_then(|robot| world.get::<RobotJoints>(robot));
    let path = robot.and_then(|robot| world.get::<Path>(robot));
    let joint = |&entity: &Entity| {
        let variable = world.get::<JointVariable>(entity)?;
        let place = world.get::<JointPlace>(entity)?;
        Some(Joint {
            entity,
            name: variable.short_name(path).to_owned(),
            at: place.at,
            axis: place.axis,
            reach: place.reach,
            tread: place.tread,
        })
    };
    let joints = joints.iter().flat_map(|joints| &joints.0);
    joints.filter_map(joint).collect()
}

/// The mean of some numbers; not a number if there are none.
#[must_use]
pub fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_that_is_no_number_is_refused() {
        let mut world = World::new();
        let wheels = world.spawn(WheelsCommand::default()).id();
        let mut refusal = |v, w| {
            let refused = set_speed(&mut world, wheels, SetSpeed { v, w });
            refused.unwrap_err().to_string()
        };
        assert!(refusal(f64::NAN, 0.0).starts_with("`v`"));
        assert!(refusal(0.0, f64::INFINITY).starts_with("`w`"));
    }
}
