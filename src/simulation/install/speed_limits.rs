//! Maximum speeds of robots.
use bevy::prelude::{Entity, World};
use morse_api::{
    actuator::SpeedLimits,
    component::ComponentPath,
    joint::{JointLocation, JointVariable, RobotJoints},
};
use morse_simulation_file::model::Robot;

/// Least cosine of the angle between the axis of a wheel and the y axis of its robot.
const ACROSS: f64 = 0.7;

/// A wheel whose model limits its speed.
struct Wheel {
    /// Greatest speed with which it rolls, m/s.
    speed: f64,
    /// Position of the wheel to the left of the robot's origin, m.
    left: f64,
}

/// Returns the maximum speeds that commands may request of a robot: those of the file, or else those at which its wheels reach
/// the limits of the model (driving straight, and turning on the spot), or else the defaults.
pub(super) fn of(world: &World, robot: &Robot, base: Entity) -> SpeedLimits {
    let wheels = wheels(world, base);
    let middle = wheels.iter().map(|wheel| wheel.left).sum::<f64>() / wheels.len().max(1) as f64;
    let defaults = SpeedLimits::default();
    // To 1e-5: the engine measures wheels in single precision.
    let rounded = |speed: f64| (speed * 1e5).round() / 1e5;
    let straight = wheels.iter().map(|wheel| wheel.speed);
    let turning = wheels.iter().map(|wheel| {
        let lever = (wheel.left - middle).abs();
        wheel.speed / lever
    });
    SpeedLimits {
        speed: robot
            .max_speed
            .unwrap_or_else(|| rounded(straight.fold(defaults.speed, f64::min))),
        turning_rate: robot
            .max_turning_rate
            .unwrap_or_else(|| rounded(turning.fold(defaults.turning_rate, f64::min))),
    }
}

/// Wheels with a limit: joints with `wheel` in their names, whose axes lie across the robot.
fn wheels(world: &World, base: Entity) -> Vec<Wheel> {
    let path = world.get::<ComponentPath>(base);
    let joints = world.get::<RobotJoints>(base);
    let joints = joints.iter().flat_map(|joints| &joints.0);
    let wheel = |joint: &Entity| {
        let variable = world.get::<JointVariable>(*joint)?;
        let location = world.get::<JointLocation>(*joint)?;
        let name = variable.short_name(path).to_lowercase();
        let is_wheel =
            variable.is_angle && name.contains("wheel") && location.axis.y.abs() > ACROSS;
        let speed = variable.max_velocity * location.radius;
        (is_wheel && speed > 0.0 && speed.is_finite()).then_some(Wheel {
            speed,
            left: location.position.y,
        })
    };
    joints.filter_map(wheel).collect()
}
