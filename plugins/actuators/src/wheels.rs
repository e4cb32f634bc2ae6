//! Wheels of a robot as real joints, looked up by name and measured once, for actuators that drive by them.
//!
//! A wheel rotates about a lateral axis. A positive velocity drives forwards if the axis points to the left; its sign is
//! reversed if the axis points to the right. The radius of a wheel is the maximum distance of its solids from the axis.
use bevy::prelude::Startup;
use morse_api::{
    actuator::Actuator,
    body::PlanarVelocity,
    command::give,
    joint::{JointLocation, JointVariable, RobotJoints},
    prelude::*,
    service::NoArguments,
    state::Stateful,
};
use nalgebra::Point3;

/// Velocity and angular velocity, kept until the next command.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WheelsCommand {
    /// Forward velocity; of a car, the velocity of the middle between the driven wheels.
    #[reflect(@Unit("m/s"))]
    pub v: f64,
    /// Angular velocity, to the left.
    #[reflect(@Unit("rad/s"))]
    pub w: f64,
}

impl Stateful for WheelsCommand {}

impl WheelsCommand {
    /// Returns the velocity of the middle between the wheels.
    #[must_use]
    pub fn planar(&self) -> PlanarVelocity {
        PlanarVelocity {
            x: self.v,
            y: 0.0,
            w: self.w,
        }
    }
}

/// Actuator that drives the wheels of a robot.
pub trait OnWheels: Actuator<Command: From<WheelsCommand>> {
    /// Dimensions of the wheels. Derived from the scene and the settings, so not state.
    type Measures: Component;

    /// Looks up and measures the wheels.
    ///
    /// # Errors
    ///
    /// The missing wheels, and the remedy.
    fn measure(&self, world: &World, actuator: Entity) -> Result<Self::Measures, CheckError>;
}

/// Measures the wheels of actuators of this kind once, and adds their services.
pub fn add<A: OnWheels>(app: &mut App) {
    app.add_systems(Startup, begin::<A>)
        .add_service::<A>(Service::new(
            "set_speed",
            "Sets the forward speed and the turning rate.",
            set_speed::<A>,
        ))
        .add_service::<A>(Service::new("stop", "Stops the wheels.", stop::<A>));
}

fn begin<A: OnWheels>(world: &mut World) {
    let mut actuators = world.query::<(Entity, &A)>();
    let measures_of_all: Vec<_> = actuators
        .iter(world)
        .filter_map(|(entity, settings)| Some((entity, settings.measure(world, entity).ok()?)))
        .collect();
    for (entity, measures) in measures_of_all {
        world.entity_mut(entity).insert(measures);
    }
}

/// Arguments of `set_speed`.
#[derive(Reflect, Deserialize)]
struct SetSpeed {
    /// Forward velocity, m/s.
    v: f64,
    /// Angular velocity, rad/s.
    w: f64,
}

fn set_speed<A: OnWheels>(
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
    give(world, entity, A::Command::from(WheelsCommand { v, w }))?;
    Ok(Outcome::NOTHING)
}

fn stop<A: OnWheels>(
    world: &mut World,
    entity: Entity,
    _: NoArguments,
) -> Result<Outcome, ServiceError> {
    give(world, entity, A::Command::from(WheelsCommand::default()))?;
    Ok(Outcome::NOTHING)
}

/// Joint of a robot at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Entity of the variable.
    pub entity: Entity,
    /// Name of the joint within the robot.
    pub name: String,
    /// Position in the frame of the robot's base, m.
    pub at: Point3<f64>,
    /// Direction of the axis in the frame of the robot's base.
    pub axis: Vector3<f64>,
    /// Maximum distance of the solids of the body below from the axis, m.
    pub radius: f64,
    /// Range along the axis of the geometry at that distance, m.
    pub tread: [f64; 2],
}

/// Wheel of a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Wheel {
    /// Entity of the variable.
    pub entity: Entity,
    /// Name of the joint within the robot.
    pub name: String,
    /// Position in the frame of the robot's base, m.
    pub at: Point3<f64>,
    /// Edges of the tyre in the lateral direction, to the left of `at`, m.
    pub tread: [f64; 2],
    /// Rotation of the joint per forward distance, rad/m; negative if its axis points to the right.
    pub turn: f64,
}

impl Joint {
    /// Returns the joint as a wheel, with the given radius (m) or, if that is zero, its own.
    ///
    /// # Errors
    ///
    /// The joint does not rotate about a lateral axis, or it has no geometry.
    pub fn wheel(self, radius: f64) -> Result<Wheel, CheckError> {
        let name = &self.name;
        if self.axis.y.abs() < 0.5 {
            return Err(CheckError::unmet(format!(
                "the axis of `{name}` is not lateral"
            )));
        }
        let radius = if radius > 0.0 { radius } else { self.radius };
        if radius.is_nan() || radius <= 0.0 {
            return Err(CheckError::unmet(format!(
                "`{name}` has no colliding geometry: give its frame a shape that collides, or set `wheel_radius`"
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

/// Returns the joints of the robot of an actuator with these names; without names, the first set of default names that the
/// robot has.
///
/// # Errors
///
/// The robot has no such joints; `setting` is the setting for their names.
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
        let joints = names.iter().map(|name| {
            named(name).ok_or_else(|| {
                CheckError::unmet(format!("there is no joint `{name}`; {}", known()))
            })
        });
        return joints.collect();
    }
    let sets = usual.iter();
    let mut matches = sets.filter_map(|set| set.iter().map(|name| named(name)).collect());
    matches.next().ok_or_else(|| {
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
    let path = robot.and_then(|robot| world.get::<ComponentPath>(robot));
    let joint = |&entity: &Entity| {
        let variable = world.get::<JointVariable>(entity)?;
        let location = world.get::<JointLocation>(entity)?;
        Some(Joint {
            entity,
            name: variable.short_name(path).to_owned(),
            at: location.position,
            axis: location.axis,
            radius: location.radius,
            tread: location.tread,
        })
    };
    let joints = joints.iter().flat_map(|joints| &joints.0);
    joints.filter_map(joint).collect()
}

/// Returns the mean of some numbers; NaN if there are none.
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
            let refused =
                set_speed::<crate::v_omega_diff::VOmegaDiff>(&mut world, wheels, SetSpeed { v, w });
            refused.unwrap_err().to_string()
        };
        assert!(refusal(f64::NAN, 0.0).starts_with("`v`"));
        assert!(refusal(0.0, f64::INFINITY).starts_with("`w`"));
    }
}
