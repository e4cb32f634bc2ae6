//! Drives a car with two steered and two driven wheels (MORSE's `MotionVWDiff` on an Ackermann robot).
use morse_api::{
    arbitration::Contenders,
    body::{IntendedVelocity, PlanarVelocity},
    joint::JointTarget,
    prelude::*,
    state::Stateful,
};

use crate::wheels::{self, OnWheels, Wheel, WheelsCommand, find, mean};

/// Controls the steering and the driven wheels of a car by Ackermann steering.
///
/// Velocity and angular velocity define the circle of the robot's path: each steered wheel is tangent to it, at the angle
/// atan(L / (v/w ∓ track/2)), and each driven wheel turns at the velocity of its own circle, as with a differential. A
/// circle that is too narrow is widened until the inner wheel reaches the maximum angle. At rest the robot cannot turn.
/// MORSE's class, which none of its robots uses, had a PID controller of the velocities instead; here the motors of the
/// wheels control them.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[reflect(@Example(r#"model: "scenes/gallery/car.robray",
actuators: { "ackermann": (kind: "ackermann") }"#))]
#[require(Chassis, IntendedVelocity)]
pub struct Ackermann {
    /// Joints of the driven wheels; by default `wheel_rear_left` and `wheel_rear_right`.
    pub driven: Vec<String>,
    /// Joint that steers the left wheel, about z; by default `steer_front_left`.
    pub steer_left: Vec<String>,
    /// Joint that steers the right wheel, about z; by default `steer_front_right`.
    pub steer_right: Vec<String>,
    /// Maximum angle of a steered wheel.
    #[reflect(@Unit("rad"), @ValueRange(0.001, 1.575), @AtLoad, @Property("max_steering_angle"), @Form::Degrees)]
    pub max_steering_angle: f64,
    /// Radius of the driven wheels; 0 for the radius of their geometry.
    #[reflect(@Unit("m"), @ValueRange(0.0, 100.0), @AtLoad)]
    pub wheel_radius: f64,
}

impl Default for Ackermann {
    fn default() -> Self {
        Self {
            driven: Vec::new(),
            steer_left: Vec::new(),
            steer_right: Vec::new(),
            max_steering_angle: std::f64::consts::FRAC_PI_4,
            wheel_radius: 0.0,
        }
    }
}

/// Velocity, and angular velocity or steering angle, kept until the next command.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[doc(alias("AckermannDrive"))]
pub struct AckermannCommand {
    /// Forward velocity of the middle between the driven wheels.
    #[reflect(@Unit("m/s"))]
    pub v: f64,
    /// Angular velocity, to the left.
    #[reflect(@Unit("rad/s"))]
    pub w: f64,
    /// Angle to the left of a wheel in the middle between the steered ones, while `w` is 0; wheels turn at rest, too. The
    /// path then has the curvature tan(angle)/L, with the wheelbase L.
    #[reflect(@Unit("rad"), @ValueRange(-1.5, 1.5))]
    pub steering_angle: f64,
}

impl Stateful for AckermannCommand {}

impl From<WheelsCommand> for AckermannCommand {
    fn from(WheelsCommand { v, w }: WheelsCommand) -> Self {
        Self {
            v,
            w,
            steering_angle: 0.0,
        }
    }
}

/// Dimensions of a car. Derived from the scene and the settings, so not state.
#[derive(Component, Debug, Default)]
pub struct Chassis {
    driven: Vec<Wheel>,
    steered: Vec<Steered>,
    /// Distance from the driven wheels to the steered ones, m.
    wheelbase: f64,
    /// Minimum distance of the turning centre from the middle, m.
    smallest_radius: f64,
}

#[derive(Debug)]
struct Steered {
    joint: Entity,
    /// Distance to the left of the middle, m.
    y: f64,
    /// -1 if the axis points down, otherwise 1.
    sign: f64,
}

impl Actuator for Ackermann {
    const KIND: &'static str = "ackermann";
    const MOVES_ROBOT: bool = true;
    type Command = AckermannCommand;

    fn check(&self, world: &World, entity: Entity) -> Result<(), CheckError> {
        self.measure(world, entity).map(drop)
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_actuator::<Ackermann, _>(default_action);
    wheels::add::<Ackermann>(app);
}

fn default_action(
    contenders: Contenders,
    mut targets: Query<&mut JointTarget>,
    mut intended: Query<&mut IntendedVelocity>,
    actuators: Query<(Entity, &Due, &Chassis, &AckermannCommand), With<Ackermann>>,
) {
    for (actuator, due, chassis, command) in &actuators {
        if !due.0 {
            continue;
        }
        let yields = contenders.yields(actuator, |other| actuators.contains(other));
        let curvature = chassis.curvature(command);
        if let Ok(mut intended) = intended.get_mut(actuator) {
            intended.0 = (!yields).then(|| chassis.intended(command.v, curvature));
        }
        if yields {
            continue;
        }
        for steered in &chassis.steered {
            if let Ok(mut target) = targets.get_mut(steered.joint) {
                let angle = chassis.angle(steered.y, curvature);
                *target = JointTarget::Position(steered.sign * angle);
            }
        }
        for wheel in &chassis.driven {
            if let Ok(mut target) = targets.get_mut(wheel.entity) {
                let speed = command.v * (1.0 - wheel.at.y * curvature);
                *target = JointTarget::Velocity(wheel.turn * speed);
            }
        }
    }
}

impl Chassis {
    /// Returns the curvature of the path of the middle between the driven wheels, positive to the left, 1/m.
    fn curvature(&self, command: &AckermannCommand) -> f64 {
        let AckermannCommand {
            v,
            w,
            steering_angle,
        } = *command;
        let sharpest = 1.0 / self.smallest_radius;
        if w == 0.0 {
            let curvature = libm::tan(steering_angle) / self.wheelbase;
            curvature.clamp(-sharpest, sharpest)
        } else if v == 0.0 {
            sharpest.copysign(w)
        } else {
            (w / v).clamp(-sharpest, sharpest)
        }
    }

    /// Returns the velocity of the origin, given that of the middle between the driven wheels and the curvature of its path.
    fn intended(&self, v: f64, curvature: f64) -> PlanarVelocity {
        let along = mean(self.driven.iter().map(|wheel| wheel.at.x));
        let turning = PlanarVelocity {
            x: v,
            y: 0.0,
            w: v * curvature,
        };
        turning.at_origin([along, 0.0])
    }

    /// Returns the angle of a steered wheel that is `y` to the left of the middle, rad.
    fn angle(&self, y: f64, curvature: f64) -> f64 {
        libm::atan(self.wheelbase * curvature / (1.0 - y * curvature))
    }
}

impl OnWheels for Ackermann {
    type Measures = Chassis;

    fn measure(&self, world: &World, entity: Entity) -> Result<Chassis, CheckError> {
        let driven = find(
            world,
            entity,
            "driven",
            &self.driven,
            &[&["wheel_rear_left", "wheel_rear_right"]],
        )?;
        let driven: Vec<Wheel> = driven
            .into_iter()
            .map(|joint| joint.wheel(self.wheel_radius))
            .collect::<Result<_, _>>()?;
        let steer = |setting, names, usual| find(world, entity, setting, names, &[&[usual]]);
        let mut steered = steer("steer_left", &self.steer_left, "steer_front_left")?;
        steered.extend(steer(
            "steer_right",
            &self.steer_right,
            "steer_front_right",
        )?);
        if let Some(joint) = steered.iter().find(|joint| joint.axis.z.abs() < 0.5) {
            return Err(CheckError::unmet(format!(
                "the axis of `{}` is not upright",
                joint.name
            )));
        }
        let wheelbase =
            mean(steered.iter().map(|joint| joint.at.x)) - mean(driven.iter().map(|at| at.at.x));
        // Steered wheels behind the driven ones have a negative wheelbase, which the steering law handles.
        if wheelbase.is_nan() || wheelbase == 0.0 {
            return Err(CheckError::unmet(
                "the steered wheels are beside the driven ones",
            ));
        }
        let steepest = self.max_steering_angle.min(std::f64::consts::FRAC_PI_2);
        let tangent = libm::tan(steepest);
        let half_track = steered
            .iter()
            .map(|joint| joint.at.y.abs())
            .fold(0.0, f64::max);
        let widest = driven.iter().map(|wheel| wheel.at.y.abs());
        Ok(Chassis {
            smallest_radius: (wheelbase.abs() / tangent + half_track)
                .max(widest.fold(0.0, f64::max)),
            wheelbase,
            steered: steered
                .into_iter()
                .map(|joint| Steered {
                    joint: joint.entity,
                    y: joint.at.y,
                    sign: joint.axis.z.signum(),
                })
                .collect(),
            driven,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_4;

    use morse_api::joint::{JointLocation, RobotJoints};
    use morse_testing::TestWorld;
    use serde_json::json;

    use super::*;

    /// Returns a world with a car: wheelbase 2 m, track 1 m, wheel radius 0.25 m.
    fn test_world() -> TestWorld {
        let mut test = TestWorld::new(60.0, plugin, BodyState::default());
        test.joints(&[
            "rover.steer_front_left",
            "rover.steer_front_right",
            "rover.wheel_rear_left",
            "rover.wheel_rear_right",
        ]);
        let joints = test.get::<RobotJoints>(test.robot).0.clone();
        let positions = [
            (2.0, 0.5, Vector3::z()),
            (2.0, -0.5, Vector3::z()),
            (0.0, 0.5, Vector3::y()),
            (0.0, -0.5, Vector3::y()),
        ];
        for (joint, (x, y, axis)) in joints.into_iter().zip(positions) {
            test.app
                .world_mut()
                .entity_mut(joint)
                .insert(JointLocation {
                    position: Point3::new(x, y, 0.25),
                    axis,
                    radius: 0.25,
                    tread: [0.0; 2],
                });
        }
        test.actuator::<Ackermann>("rover.motion", "()", Isometry3::identity());
        test.step(BodyState::default());
        test
    }

    /// Returns the angles of the steered wheels and the velocities of the driven ones, left first.
    fn commanded(test: &mut TestWorld, v: f64, w: f64) -> [f64; 4] {
        drop(test.call("rover.motion", "set_speed", json!([v, w])));
        test.step(BodyState::default());
        let joints = &test.get::<RobotJoints>(test.robot).0;
        let target = |index: usize| match test.get::<JointTarget>(joints[index]) {
            JointTarget::Velocity(value) | JointTarget::Position(value) => *value,
            other => panic!("{other:?}"),
        };
        [target(0), target(1), target(2), target(3)]
    }

    #[track_caller]
    fn assert_near(actual: [f64; 4], expected: [f64; 4]) {
        let off = nalgebra::Vector4::from(actual) - nalgebra::Vector4::from(expected);
        assert!(off.amax() < 1e-9, "{actual:?} instead of {expected:?}");
    }

    #[test]
    fn the_wheels_stand_along_one_circle() {
        let mut test = test_world();
        // The centre is 4 m to the left: 3.5 m from the line of the left wheels, 4.5 m from that of the right ones.
        let [inner, outer] = [libm::atan2(2.0, 3.5), libm::atan2(2.0, 4.5)];
        let left = commanded(&mut test, 2.0, 0.5);
        assert_near(left, [inner, outer, 3.5 / 4.0 * 8.0, 4.5 / 4.0 * 8.0]);
        let back = commanded(&mut test, -2.0, 0.5);
        assert_near(back, [-outer, -inner, -4.5 / 4.0 * 8.0, -3.5 / 4.0 * 8.0]);
        assert_near(commanded(&mut test, 1.0, 0.0), [0.0, 0.0, 4.0, 4.0]);
    }

    #[test]
    fn a_circle_that_is_too_narrow_is_widened() {
        let mut test = test_world();
        // The inner wheel is at 45°: the centre is 2 m from it, 2.5 m from the middle.
        let outer = libm::atan2(2.0, 3.0);
        let drives = commanded(&mut test, 1.0, 9.0);
        assert_near(drives, [FRAC_PI_4, outer, 2.0 / 2.5 * 4.0, 3.0 / 2.5 * 4.0]);
        assert_near(
            commanded(&mut test, 0.0, -1.0),
            [-outer, -FRAC_PI_4, 0.0, 0.0],
        );
    }

    #[test]
    fn a_steering_angle_is_that_of_a_wheel_in_the_middle() {
        let mut test = test_world();
        let steer = |test: &mut TestWorld, v: f64, steering_angle: f64| {
            let world = test.app.world_mut();
            let mut actuators = world.query_filtered::<Entity, With<Ackermann>>();
            let actuator = actuators.single(world).unwrap();
            let w = 0.0;
            test.send(
                actuator,
                AckermannCommand {
                    v,
                    w,
                    steering_angle,
                },
            );
            test.step(BodyState::default());
            let joints = &test.get::<RobotJoints>(test.robot).0;
            let target = |index: usize| match test.get::<JointTarget>(joints[index]) {
                JointTarget::Velocity(value) | JointTarget::Position(value) => *value,
                other => panic!("{other:?}"),
            };
            [target(0), target(1), target(2), target(3)]
        };
        // The centre is 2 m / tan(angle) = 4 m to the left, as with 2 m/s and 0.5 rad/s.
        let angle = libm::atan(0.5);
        let [inner, outer] = [libm::atan2(2.0, 3.5), libm::atan2(2.0, 4.5)];
        assert_near(
            steer(&mut test, 2.0, angle),
            [inner, outer, 3.5 / 4.0 * 8.0, 4.5 / 4.0 * 8.0],
        );
        assert_near(steer(&mut test, 0.0, -angle), [-outer, -inner, 0.0, 0.0]);
        // A velocity of rotation replaces the angle.
        let straight = commanded(&mut test, 1.0, 0.0);
        assert_near(straight, [0.0, 0.0, 4.0, 4.0]);
    }
}
