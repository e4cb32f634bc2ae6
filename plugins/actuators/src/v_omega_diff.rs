//! Drives a robot by its wheels, faster on one side to turn (MORSE's `MotionVWDiff`).
use morse_api::{arbitration::Contenders, body::IntendedVelocity, joint::JointTarget, prelude::*};

use crate::wheels::{self, OnWheels, Wheel, WheelsCommand, find, mean};

/// Drives the wheels of a robot that turns by their difference of speed, such as a Pioneer or a Segway RMP.
///
/// The wheels are simulated: they slip if friction is too weak, stop at obstacles, and climb as far as their motors can. The
/// strength of the motors is `limit_effort` of the model or `max_effort` of the robot's `joints`. Each wheel gets the speed
/// of its own radius (MORSE used the first wheel's for all). Wheels one behind the other slide when the robot turns, and
/// turn it less than two would; the law compensates for that.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[reflect(@Example(r#"model: "robots/pioneer3dx.robray",
actuators: { "v_omega_diff": (kind: "v_omega_diff") }"#))]
#[require(Gears, IntendedVelocity)]
pub struct VOmegaDiff {
    /// Driven joints on the left; by default `wheel_front_left` and `wheel_rear_left`, or `wheel_left`.
    pub left: Vec<String>,
    /// Driven joints on the right; by default `wheel_front_right` and `wheel_rear_right`, or `wheel_right`.
    pub right: Vec<String>,
    /// Radius of the wheels; 0: that of their geometry.
    #[reflect(@Unit("m"), @ValueRange(0.0, 100.0), @AtLoad)]
    pub wheel_radius: f64,
    /// Distance between left and right wheels in the law; 0: the effective distance at which sliding wheels turn the robot
    /// at the commanded rate. It is the geometric distance b for two wheels, b + l² / b for four narrow ones at a distance l
    /// behind each other, and a little more for wide ones, whose edges slide forwards and backwards.
    #[reflect(@Unit("m"), @ValueRange(0.0, 1000.0), @AtLoad)]
    pub fix_turning_speed: f64,
}

/// Number of bisection steps for the speed of wheels that turn a robot: up to 10⁶ m/s per rad/s, to the last digit.
const DOUBLINGS: usize = 20;
const HALVINGS: usize = 80;

/// Speed of each joint per unit of the robot's velocity. Computed from the scene and the settings, so it is no state.
#[derive(Component, Debug, Default)]
pub struct Gears {
    gears: Vec<Gear>,
    /// Middle between the wheels, where the robot has the commanded velocity: to the front and to the left of the origin, m.
    middle: [f64; 2],
}

#[derive(Debug)]
struct Gear {
    joint: Entity,
    /// Joint speed for 1 m/s, rad/s.
    per_v: f64,
    /// Joint speed for 1 rad/s, rad/s.
    per_w: f64,
}

impl Actuator for VOmegaDiff {
    const KIND: &'static str = "v_omega_diff";
    const MOVES_ROBOT: bool = true;
    const MORSE_CLASS: Option<&'static str> = Some("MotionVWDiff");
    type Command = WheelsCommand;

    fn check(&self, world: &World, entity: Entity) -> Result<(), CheckError> {
        self.measure(world, entity).map(drop)
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_actuator::<VOmegaDiff, _>(default_action);
    wheels::add::<VOmegaDiff>(app);
}

fn default_action(
    contenders: Contenders,
    mut targets: Query<&mut JointTarget>,
    mut intended: Query<&mut IntendedVelocity>,
    actuators: Query<(Entity, &Due, &Gears, &WheelsCommand), With<VOmegaDiff>>,
) {
    for (actuator, due, gears, command) in &actuators {
        if !due.0 {
            continue;
        }
        let yields = contenders.yields(actuator, |other| actuators.contains(other));
        if let Ok(mut intended) = intended.get_mut(actuator) {
            intended.0 = (!yields).then(|| command.planar().at_origin(gears.middle));
        }
        if yields {
            continue;
        }
        for gear in &gears.gears {
            if let Ok(mut target) = targets.get_mut(gear.joint) {
                let speed = gear.per_v * command.v + gear.per_w * command.w;
                *target = JointTarget::Velocity(speed);
            }
        }
    }
}

impl OnWheels for VOmegaDiff {
    type Measures = Gears;

    fn measure(&self, world: &World, entity: Entity) -> Result<Gears, CheckError> {
        let wheels = |setting, names, usual| -> Result<Vec<Wheel>, CheckError> {
            let joints = find(world, entity, setting, names, usual)?;
            let wheels = joints.into_iter();
            wheels.map(|joint| joint.wheel(self.wheel_radius)).collect()
        };
        let left = wheels(
            "left",
            &self.left,
            &[&["wheel_front_left", "wheel_rear_left"], &["wheel_left"]],
        )?;
        let right = wheels(
            "right",
            &self.right,
            &[&["wheel_front_right", "wheel_rear_right"], &["wheel_right"]],
        )?;
        let side = |wheels: &[Wheel]| mean(wheels.iter().map(|wheel| wheel.at.y));
        let between = side(&left) - side(&right);
        if between.is_nan() || between <= 0.0 {
            return Err(CheckError::unmet(
                "the left wheels are not to the left of the right ones",
            ));
        }
        let track = if self.fix_turning_speed > 0.0 {
            self.fix_turning_speed
        } else {
            turning_track(&left, &right)
        };
        let gear = |wheel: Wheel, sign: f64| Gear {
            joint: wheel.entity,
            per_v: wheel.turn,
            per_w: wheel.turn * sign * track / 2.0,
        };
        let all = || left.iter().chain(&right);
        let count = (left.len() + right.len()) as f64;
        let middle = [
            all().map(|wheel| wheel.at.x).sum::<f64>() / count,
            f64::midpoint(side(&left), side(&right)),
        ];
        let left = left.into_iter().map(|wheel| gear(wheel, -1.0));
        let right = right.into_iter().map(|wheel| gear(wheel, 1.0));
        Ok(Gears {
            gears: left.chain(right).collect(),
            middle,
        })
    }
}

/// Returns the distance between left and right wheels that would turn the robot equally fast without sliding, m.
///
/// The robot turns by 1 rad/s about the centre of its wheels, and wheels roll by ±u. A point of a tyre at (x, y) slides by
/// (-y ∓ u, x), and friction acts against that, at the edges and twice as much in the middle of each tyre. Its torque about
/// the centre grows with u, and is zero in steady state: the distance is then 2 u.
fn turning_track(left: &[Wheel], right: &[Wheel]) -> f64 {
    let wheels = || left.iter().chain(right);
    let count = (left.len() + right.len()) as f64;
    let middle = wheels().map(|wheel| wheel.at.x).sum::<f64>() / count;
    let side = |wheels: &[Wheel]| mean(wheels.iter().map(|wheel| wheel.at.y));
    let center = f64::midpoint(side(left), side(right));
    let torque = |rolls: f64| {
        let sides = [(left, -rolls), (right, rolls)];
        let wheels = sides
            .into_iter()
            .flat_map(|(wheels, rolls)| wheels.iter().map(move |wheel| (wheel, rolls)));
        let points = wheels.flat_map(|(wheel, rolls)| {
            let [one, two] = wheel.tread;
            [(one, 1.0), (f64::midpoint(one, two), 2.0), (two, 1.0)].map(|(along, load)| {
                (
                    wheel.at.x - middle,
                    wheel.at.y + along - center,
                    rolls,
                    load,
                )
            })
        });
        let torques = points.map(|(x, y, rolls, load)| {
            let slip = Vector3::new(-y - rolls, x, 0.0);
            let torque = y * slip.x - x * slip.y;
            if torque == 0.0 {
                0.0
            } else {
                load * torque / slip.norm()
            }
        });
        torques.sum::<f64>()
    };
    let [mut low, mut high] = [0.0, 1.0];
    for _ in 0..DOUBLINGS {
        if torque(high) < 0.0 {
            (low, high) = (high, 2.0 * high);
        }
    }
    for _ in 0..HALVINGS {
        let half = f64::midpoint(low, high);
        if torque(half) < 0.0 {
            low = half;
        } else {
            high = half;
        }
    }
    low + high
}

#[cfg(test)]
mod tests {
    use morse_api::joint::{JointLocation, RobotJoints};
    use morse_testing::TestWorld;
    use serde_json::json;

    use super::*;

    /// Wheels of 0.1 m, 0.4 m apart; the axis of the right one points to the right.
    fn test_world(text: &str) -> (TestWorld, Entity) {
        let mut test = TestWorld::new(60.0, plugin, BodyState::default());
        test.joints(&["rover.wheel_left", "rover.wheel_right"]);
        let joints = test.get::<RobotJoints>(test.robot).0.clone();
        for (joint, side) in joints.into_iter().zip([1.0, -1.0]) {
            test.app
                .world_mut()
                .entity_mut(joint)
                .insert(JointLocation {
                    position: Point3::new(0.0, 0.2 * side, 0.1),
                    axis: Vector3::y() * side,
                    radius: 0.1,
                    tread: [-0.02, 0.02],
                });
        }
        let motion = test.actuator::<VOmegaDiff>("rover.motion", text, Isometry3::identity());
        test.step(BodyState::default());
        (test, motion)
    }

    fn speeds(test: &mut TestWorld, v: f64, w: f64) -> [f64; 2] {
        drop(test.call("rover.motion", "set_speed", json!([v, w])));
        test.step(BodyState::default());
        let joints = &test.get::<RobotJoints>(test.robot).0;
        let speed = |index: usize| match test.get::<JointTarget>(joints[index]) {
            JointTarget::Velocity(speed) => *speed,
            other => panic!("{other:?}"),
        };
        [speed(0), speed(1)]
    }

    #[test]
    fn each_side_turns_as_fast_as_it_must() {
        let (mut test, _) = test_world("()");
        // 0.5 m/s and 1 rad/s: 0.3 m/s on the left, 0.7 m/s on the right.
        let [left, right] = speeds(&mut test, 0.5, 1.0);
        assert!((left - 3.0).abs() < 1e-12 && (right + 7.0).abs() < 1e-12);
        drop(test.call("rover.motion", "stop", json!(null)));
        let [left, right] = speeds(&mut test, 0.0, 0.0);
        assert!(left == 0.0 && right == 0.0);
    }

    #[test]
    fn another_track_and_radius_may_be_set() {
        let (mut test, _) = test_world("(fix_turning_speed: 1, wheel_radius: 0.5)");
        let [left, right] = speeds(&mut test, 0.5, 1.0);
        assert!(left.abs() < 1e-12 && (right + 2.0).abs() < 1e-12);
    }

    #[test]
    fn wheels_that_slide_turn_faster() {
        let wheel = |x: f64, y: f64, width: f64| Wheel {
            entity: Entity::PLACEHOLDER,
            name: String::new(),
            at: Point3::new(x, y, 0.1),
            tread: [-width / 2.0, width / 2.0],
            turn: 10.0,
        };
        let four = |length: f64, shift: f64, width: f64| {
            let side = |y: f64| {
                [
                    wheel(shift + length / 2.0, y, width),
                    wheel(shift - length / 2.0, y, width),
                ]
            };
            turning_track(&side(0.2), &side(-0.2))
        };
        assert!(
            (four(0.0, 0.3, 0.1) - 0.4).abs() < 1e-12,
            "wheels on one axle roll"
        );
        assert!((four(0.4, 0.0, 0.0) - 0.8).abs() < 1e-12, "b + l² / b");
        assert!(
            (four(0.4, 7.0, 0.0) - 0.8).abs() < 1e-12,
            "wherever the origin is"
        );
        // Wide tyres slide along their edges as well; the value is computed independently.
        let wide = four(0.4, 0.0, 0.1);
        assert!((wide - 0.812_358_248_780_189).abs() < 1e-9, "{wide}");
    }

    #[test]
    fn what_is_wrong_is_explained() {
        let (test, motion) = test_world("()");
        let check = |text: &str| {
            let settings: VOmegaDiff = morse_testing::settings(text);
            settings.check(test.app.world(), motion)
        };
        assert_eq!(check("()"), Ok(()));
        let unknown = check("(left: [\"wheel_lft\"])").unwrap_err().to_string();
        assert!(
            unknown.contains("wheel_lft") && unknown.contains("wheel_right"),
            "{unknown}"
        );
        let swapped = check("(left: [\"wheel_right\"], right: [\"wheel_left\"])")
            .unwrap_err()
            .to_string();
        assert!(swapped.contains("left"), "{swapped}");
    }
}
