//! The shipped robots reach the velocities commanded by their actuators: on level ground and slopes, at any rate and
//! friction.
use morse_api::angles::normalized;
use morse_sim::{Simulation, simulation::no_extensions};
use nalgebra::{Point3, Vector3};

use super::{Test, actuator};

/// Ground robots on wheels, with or without joints.
const ROBOTS: [&str; 7] = [
    "atrv",
    "b21",
    "jido",
    "patrolbot",
    "pioneer3dx",
    "pr2",
    "segway_rmp400",
];

/// A robot of a kind on a plane; rates in Hz, angles in rad.
struct Drive<'a> {
    robot: &'a str,
    kind: &'a str,
    /// Initial command of the actuator.
    start: String,
    rate: f64,
    friction: f64,
    slope: f64,
    /// Additional frames of the scene.
    more: &'a str,
}

impl Drive<'_> {
    fn build(&self) -> Test {
        let room = tempfile::tempdir().expect("a directory");
        let plane = format!(
            "frame plane {{ rpy [0, {}, 0]; frame slab {{ translation [0, 0, -0.5]; \
             geometry {{ shape box; dimension [100, 100, 1]; friction {}; }} }} }} {}",
            -self.slope, self.friction, self.more
        );
        std::fs::write(room.path().join("plane.robray"), plane).expect("written");
        let text = format!(
            "Simulation(scene: \"plane.robray\", environment: (rate: {}), robots: {{ \"rover\": (\
             model: \"robots/{}.robray\", at: (rpy: (0, {}, 0)), friction: {}, {}) }})",
            self.rate,
            self.robot,
            -self.slope,
            self.friction,
            actuator(self.kind, &self.start)
        );
        let simulation = Simulation::parse(&text, room.path(), &no_extensions);
        Test {
            simulation: simulation.unwrap_or_else(|error| panic!("{error}\n{text}")),
            slope: self.slope,
        }
    }
}

impl Test {
    /// Returns the mean speed (m/s) and turning rate (rad/s) over a time, about the robot's own vertical.
    fn mean_motion(&mut self, seconds: f64) -> [f64; 2] {
        let steps = (seconds / 0.1).round() as u32;
        let [mut way, mut turned] = [0.0; 2];
        for _ in 0..steps {
            let before = self.body().pose;
            self.run(0.1);
            let after = self.body().pose;
            way += (after.translation.vector - before.translation.vector).norm();
            turned += (before.rotation.inverse() * after.rotation).scaled_axis().z;
        }
        [way / seconds, turned / seconds]
    }
}

#[track_caller]
fn assert_reached([speed, turning]: [f64; 2], [v, w]: [f64; 2], case: &str) {
    // A robot at rest, or without rotation, may vibrate a little.
    let near = |is: f64, wanted: f64| (is - wanted.abs()).abs() <= 0.01 * wanted.abs() + 5e-4;
    assert!(near(speed, v), "{case}: {speed} of {v} m/s");
    assert!(
        near(turning * w.signum(), w) || (w == 0.0 && turning.abs() < 5e-4),
        "{case}: {turning} of {w} rad/s"
    );
}

/// Commands for every robot, with rate, friction and slope (degrees).
const COMMANDS: [([f64; 2], f64, f64, f64); 8] = [
    ([0.5, 0.0], 60.0, 1.0, 0.0),
    ([0.5, 0.0], 240.0, 0.3, 10.0),
    ([0.02, 0.0], 60.0, 0.3, 10.0),
    ([1.5, 0.0], 60.0, 5.0, 0.0),
    ([0.5, 0.3], 60.0, 1.0, 10.0),
    ([0.5, 0.3], 240.0, 5.0, 0.0),
    ([0.0, 1.0], 60.0, 0.3, 10.0),
    ([1.0, -1.0], 1000.0, 0.5, 0.0),
];

fn drives(kind: &str, start: impl Fn([f64; 2]) -> String) {
    for robot in ROBOTS {
        for (command, rate, friction, degrees) in COMMANDS {
            let mut test = Drive {
                robot,
                kind,
                start: start(command),
                rate,
                friction,
                slope: f64::to_radians(degrees),
                more: "",
            }
            .build();
            test.run(if rate > 500.0 { 0.7 } else { 1.5 });
            let seconds = if rate > 500.0 { 0.5 } else { 2.0 };
            let height = test.position_on_slope().z;
            let motion = test.mean_motion(seconds);
            let risen = test.position_on_slope().z - height;
            assert!(risen.abs() < 2e-3, "{robot}: rises by {risen} m");
            let case =
                format!("{robot}, {kind}, {rate} Hz, friction {friction}, {degrees} degrees");
            assert_reached(motion, command, &case);
        }
    }
}

#[test]
fn v_omega_is_reached_by_every_shipped_robot() {
    drives("v_omega", |[v, w]| format!("v: {v}, w: {w}"));
}

#[test]
fn xy_omega_is_reached_by_every_shipped_robot() {
    drives("xy_omega", |[v, w]| {
        format!("x: {}, y: {}, w: {w}", v * 0.6, v * 0.8)
    });
}

/// Speeds on the path to a goal, m/s.
const TO_A_GOAL: [f64; 4] = [0.02, 0.1, 0.5, 1.5];

/// Checks that every robot, as shipped, approaches a goal 30 m ahead at each speed, at every rate.
fn goes_to_a_goal(fields: impl Fn(f64) -> String) {
    for robot in ROBOTS {
        for rate in RATES {
            for speed in TO_A_GOAL {
                let more = format!("actuators: {{ \"motion\": ({}) }}", fields(speed));
                let model = format!("robots/{robot}.robray");
                let mut test = on_floor(&model, &more, (rate, 1.0, 0.0));
                test.run(0.6);
                let motion = test.mean_motion(0.5);
                assert_reached(motion, [speed, 0.0], &format!("{robot}, {more}, {rate} Hz"));
            }
        }
    }
}

#[test]
fn destination_is_approached_at_the_speed_of_its_settings() {
    goes_to_a_goal(|speed| {
        format!("kind: \"destination\", speed: {speed}, start: (x: 30, y: 0, z: 0)")
    });
}

#[test]
fn waypoint_is_approached_at_the_speed_of_its_command() {
    goes_to_a_goal(|speed| {
        format!("kind: \"waypoint\", start: (x: 30, y: 0, z: 0, speed: {speed})")
    });
}

/// Robots with wheels on joints, with the position of the middle between their wheels ahead of the origin, m.
const WHEELED: [(&str, f64); 3] = [
    ("pioneer3dx", 0.045),
    ("patrolbot", 0.0),
    ("segway_rmp400", 0.0),
];

/// Commands within the traction of wheels, with friction of the floor and slope (degrees). Tyres have their own friction,
/// and casters none.
const ON_WHEELS: [([f64; 2], f64, f64); 5] = [
    ([0.5, 0.0], 1.0, 0.0),
    ([0.02, 0.0], 0.3, 10.0),
    ([1.5, 0.0], 5.0, 0.0),
    ([0.0, 0.5], 0.5, 0.0),
    ([0.0, 1.0], 1.0, 0.0),
];

/// Rates, Hz.
const RATES: [f64; 3] = [60.0, 240.0, 1000.0];

/// Returns a robot with a kind of actuator on a floor, with its own friction.
pub(super) fn on_floor(
    model: &str,
    more: &str,
    (rate, friction, degrees): (f64, f64, f64),
) -> Test {
    let room = tempfile::tempdir().expect("a directory");
    let slope = f64::to_radians(degrees);
    let plane = format!(
        "frame plane {{ rpy [0, {}, 0]; frame slab {{ translation [0, 0, -0.5]; \
         geometry {{ shape box; dimension [100, 100, 1]; friction {friction}; }} }} }}",
        -slope
    );
    std::fs::write(room.path().join("plane.robray"), plane).expect("written");
    std::fs::write(room.path().join("car.robray"), car()).expect("written");
    let text = format!(
        "Simulation(scene: \"plane.robray\", environment: (rate: {rate}), robots: {{ \"rover\": (\
         model: \"{model}\", at: (rpy: (0, {}, 0)), {more}) }})",
        -slope
    );
    let simulation = Simulation::parse(&text, room.path(), &no_extensions);
    Test {
        simulation: simulation.unwrap_or_else(|error| panic!("{error}\n{text}")),
        slope,
    }
}

impl Test {
    /// Returns the mean speed of a point ahead of the origin (m/s) and the turning rate (rad/s).
    pub(super) fn mean_motion_of(&mut self, ahead: f64, seconds: f64) -> [f64; 2] {
        let steps = (seconds / 0.1).round() as u32;
        let [mut way, mut turned] = [0.0; 2];
        let point = Point3::new(ahead, 0.0, 0.0);
        for _ in 0..steps {
            let before = self.body().pose;
            self.run(0.1);
            let after = self.body().pose;
            way += (after * point - before * point).norm();
            turned += (before.rotation.inverse() * after.rotation).scaled_axis().z;
        }
        [way / seconds, turned / seconds]
    }
}

/// Wheels of any width reach their commanded velocities within 1 %, at every rate; those of a Segway agree between rates
/// within 0.3 %.
#[test]
fn v_omega_diff_is_reached_alike_at_every_rate() {
    for (robot, ahead) in WHEELED {
        for ([v, w], friction, degrees) in ON_WHEELS {
            let mut all = Vec::new();
            for rate in RATES {
                let more = actuator("v_omega_diff", &format!("v: {v}, w: {w}"));
                let model = format!("robots/{robot}.robray");
                let mut test = on_floor(&model, &more, (rate, friction, degrees));
                test.run(1.0);
                let motion = test.mean_motion_of(ahead, 0.6);
                let case = format!("{robot}, {rate} Hz, friction {friction}, {degrees} degrees");
                println!("{case}: {motion:?} of {v} m/s and {w} rad/s");
                // A robot that turns on the spot creeps by some mm/s.
                let creeps = if v == 0.0 { motion[0].min(2e-2) } else { 0.0 };
                assert_reached([motion[0] - creeps, motion[1]], [v, w], &case);
                all.push(motion);
            }
            // Contacts of cylinders vibrate more beside a caster.
            let alike = if robot == "segway_rmp400" {
                3e-3
            } else {
                1.5e-2
            };
            for (one, two) in all.iter().zip(&all[1..]) {
                let off = (one[1] - two[1]).abs();
                assert!(off < alike * w.abs() + 5e-4, "{robot}: {all:?}");
            }
        }
    }
}

/// Returns the car of the gallery with cylinders as tyres, 6 cm wide.
fn car() -> String {
    let text = std::fs::read_to_string("scenes/gallery/car.robray").expect("a model");
    let tyre = |side: &str| {
        format!(
            "frame tyre_{side} {{ translation [0, -0.03, 0]; rpy [-pi/2, 0, 0]; mass 2; geometry {{ isa tyre; }} }}"
        )
    };
    let text = text.replace(
        "shape sphere;\n  radius radius;",
        "shape cylinder;\n  radius radius;\n  height 0.06;",
    );
    let mut sections = text.split("mass 2; geometry { isa tyre; }");
    let mut text = sections.next().unwrap_or_default().to_owned();
    for (section, side) in sections.zip(["front_left", "front_right", "rear_left", "rear_right"]) {
        text += &tyre(side);
        text += section;
    }
    text
}

/// A car with wide tyres drives the commanded circle, at its commanded speed, at every rate.
#[test]
fn an_ackermann_car_keeps_its_circle_at_every_rate() {
    for [v, w] in [[0.5, 0.25], [1.0, -0.5], [1.5, 0.5]] {
        for rate in RATES {
            let more = actuator("ackermann", &format!("v: {v}, w: {w}"));
            let mut test = on_floor("car.robray", &more, (rate, 1.0, 0.0));
            test.run(1.5);
            let [speed, turning] = test.mean_motion_of(0.0, 1.0);
            println!("{rate} Hz: {speed} of {v} m/s, {turning} of {w} rad/s");
            assert!((speed / v - 1.0).abs() < 1e-2, "{rate} Hz: {speed} of {v}");
            let radius = speed / turning;
            assert!((radius * w / v - 1.0).abs() < 1e-2, "{rate} Hz: {radius} m");
        }
    }
}

/// The Hummer accelerates by its force, and rolls on the circle of its front wheels.
#[test]
fn the_hummer_obeys_its_law_at_every_rate() {
    for rate in RATES {
        let more = actuator("steer_force", "force: 5");
        let mut test = on_floor("robots/hummer.robray", &more, (rate, 1.0, 0.0));
        test.run(1.0);
        let before = test.body().linear_velocity.x;
        test.run(1.0);
        let gained = test.body().linear_velocity.x - before;
        // Four wheels with 0.4 of the force each, on 10 kg.
        println!("{rate} Hz: {gained} m/s²");
        assert!(
            (gained / (4.0 * 0.4 * 5.0 / 10.0) - 1.0).abs() < 1e-2,
            "{rate} Hz: {gained}"
        );
    }
}

/// On ice of friction 0.02 the traction is 0.02 g at most: the robot accelerates by that, and a warning reports the slip.
#[test]
fn on_ice_a_robot_gains_what_friction_gives() {
    for robot in ["atrv", "pioneer3dx"] {
        let mut test = Drive {
            robot,
            kind: "v_omega",
            start: "v: 1".into(),
            rate: 60.0,
            friction: 0.02,
            slope: 0.0,
            more: "",
        }
        .build();
        test.run(1.0);
        let before = test.body().linear_velocity.x;
        test.run(2.0);
        let gained = (test.body().linear_velocity.x - before) / 2.0;
        println!("{robot}: {gained} m/s²");
        // The Pioneer's caster has no friction, and carries a part of its weight.
        let most = 0.02 * super::G;
        assert!(
            gained > 0.5 * most && gained < 1.01 * most,
            "{robot}: {gained}"
        );
        let warnings = test.simulation.take_warnings();
        assert!(
            warnings
                .iter()
                .any(|text| text.contains("does not move as commanded")),
            "{warnings:?}"
        );
    }
}

/// Against a wall a robot stops, and pushes with no more than its traction; then it continues.
#[test]
fn a_wall_stops_a_robot_with_a_warning() {
    for robot in ["jido", "segway_rmp400"] {
        let mut test = Drive {
            robot,
            kind: "v_omega",
            start: "v: 0.5".into(),
            rate: 60.0,
            friction: 0.6,
            slope: 0.0,
            more: "frame wall { translation [2, 0, 0.5]; geometry { shape box; dimension [0.2, 4, 1]; } }",
        }
        .build();
        test.run(6.0);
        let there = test.position_on_slope();
        test.run(2.0);
        let crept = (test.position_on_slope() - there).norm();
        println!("{robot}: stands at {there}, creeps by {crept} m");
        assert!(crept < 2e-3, "{robot}: {crept} m");
        assert!(
            normalized(test.yaw()).abs() < 0.01,
            "{robot}: {}",
            test.yaw()
        );
        let upright = test.body().pose.rotation * Vector3::z();
        assert!(upright.z > 0.999, "{robot}: {upright}");
        let warnings = test.simulation.take_warnings();
        assert!(
            warnings
                .iter()
                .any(|text| text.contains("does not move as commanded")),
            "{warnings:?}"
        );
    }
}
