//! The robots have the masses and sizes of MORSE's, and stand at their documented heights.
use std::fmt::Write as _;

use morse_api::{body::BodyState, joint::JointState, motion::MotionMode};
use morse_sim::{
    Simulation, physics,
    scene::{
        assembly::{Assembly, RobotBase, layout},
        model::Frame,
    },
    spawn::Spawned,
};

use super::{measure::extent, model, simulation};

/// Required properties of a robot.
struct Robot {
    name: &'static str,
    /// Mass of the base, without wheels, kg.
    mass: f64,
    /// Size of the collision geometry along x and y, m.
    size: [f64; 2],
    /// Lowest and highest point of the collision geometry, above the origin, m.
    heights: [f64; 2],
}

const fn robot(name: &'static str, mass: f64, size: [f64; 2], heights: [f64; 2]) -> Robot {
    Robot {
        name,
        mass,
        size,
        heights,
    }
}

/// MORSE's numbers, where they are known; the lowest point touches the ground.
const ROBOTS: [Robot; 13] = [
    robot("morsy", 15.0, [0.787, 1.115], [0.0, 1.696]),
    robot("atrv", 20.0, [1.140, 0.671], [-0.10, 0.737]),
    robot("b21", 6.0, [0.534, 0.534], [0.0, 0.940]),
    robot("jido", 1.0, [0.707, 0.660], [0.0, 1.668]),
    // Over the wheels: 2*0.171 + 0.053.
    robot("pioneer3dx", 9.0, [0.456, 0.395], [0.0, 0.2505]),
    robot("patrolbot", 1.0, [0.580, 0.480], [0.0, 0.383]),
    // 109 kg with four wheels of 11 kg.
    robot("segway_rmp400", 65.0, [1.12, 0.76], [0.0, 0.53]),
    robot("hummer", 10.0, [5.50, 2.66], [-0.95, 0.95]),
    robot("quadrotor", 2.0, [0.70, 0.70], [-0.161, 0.035]),
    robot("rmax", 1.0, [2.734, 0.375], [0.0, 0.880]),
    robot("submarine", 1.0, [6.05, 1.20], [-0.60, 0.71]),
    // Head to heel: 0.82 + 0.88; over the arms: 2*0.305.
    robot("victim", 75.0, [1.70, 0.61], [0.0, 0.22]),
    // Base, four casters: pr2_description gives 116 kg and 4*(3.473 + 2*0.44) kg.
    robot("pr2", 133.4, [0.0, 0.668], [0.0, 0.0]),
];

fn on_the_floor(robot: &Robot, height: f64) -> Simulation {
    let mut joints = String::new();
    if robot.name == "pr2" {
        // Only its base is tested: its arms have no motors.
        for variable in model("robots/pr2.robray").variables() {
            write!(joints, "\"{variable}\": (mode: kinematic), ").unwrap();
        }
    }
    simulation(&format!(
        r#"Simulation(
            scene: "environments/empty.robray",
            robots: {{ "it": (model: "robots/{}.robray", at: (translation: (0.3, -0.2, {height:?})), joints: {{ {joints} }}) }},
        )"#,
        robot.name
    ))
}

/// Returns the frame names of the bodies and their masses in the engine.
fn masses(simulation: &Simulation) -> Vec<(String, f64)> {
    let world = simulation.world();
    let bodies = world.resource::<Spawned>().bodies.iter();
    let state = |entity| world.get::<BodyState>(entity).expect("a body has a state");
    bodies
        .map(|(name, entity)| (name.clone(), state(*entity).mass))
        .filter(|(name, _)| name.starts_with("it"))
        .collect()
}

#[test]
fn robots_weigh_what_they_should() {
    for robot in &ROBOTS {
        let masses = masses(&on_the_floor(robot, 1.0));
        let base = masses
            .iter()
            .find(|(name, _)| name == "it")
            .expect("a base");
        assert!(
            (base.1 - robot.mass).abs() < 1e-4 * robot.mass,
            "{}: {masses:?}",
            robot.name
        );
    }
    let wheels = |name: &str| {
        let robot = ROBOTS
            .iter()
            .find(|robot| robot.name == name)
            .expect("a robot");
        let masses = masses(&on_the_floor(robot, 1.0));
        let total: f64 = masses.iter().map(|(_, mass)| mass).sum();
        (masses.len() - 1, total)
    };
    let near = |(count, total): (usize, f64), wheels: usize, expected: f64| {
        assert_eq!(count, wheels);
        assert!((total - expected).abs() < 1e-4, "{total}");
    };
    near(wheels("pioneer3dx"), 2, 11.0);
    near(wheels("patrolbot"), 2, 1.2);
    near(wheels("segway_rmp400"), 4, 109.0);
}

#[test]
fn robots_are_as_large_as_they_should() {
    for robot in ROBOTS.iter().filter(|robot| robot.name != "pr2") {
        let scene = model(&format!("robots/{}.robray", robot.name));
        let extent = extent(&scene, |geometry| geometry.collision).expect("it can be touched");
        let [x, y, _] = extent.size();
        for (what, is, wanted) in [
            ("length", x, robot.size[0]),
            ("width", y, robot.size[1]),
            ("lowest", extent.low[2], robot.heights[0]),
            ("highest", extent.high[2], robot.heights[1]),
        ] {
            assert!((is - wanted).abs() < 1e-6, "{}: {what} is {is}", robot.name);
        }
    }
    // It has no collision geometry; its visual geometry is 0.6 m wide.
    let scene = model("robots/quad2012.robray");
    assert!(extent(&scene, |geometry| geometry.collision).is_none());
    let seen = extent(&scene, |geometry| geometry.visual)
        .expect("it is seen")
        .size();
    assert!(
        (seen[0] - 0.6).abs() < 1e-9 && (seen[1] - 0.6).abs() < 1e-9,
        "{seen:?}"
    );
}

/// Falls from 2 mm, and comes to rest with its lowest point on the ground.
#[test]
fn robots_come_to_rest_where_they_should() {
    for robot in &ROBOTS {
        let height = -robot.heights[0];
        let mut simulation = on_the_floor(robot, height + 0.002);
        simulation.run(120).unwrap();
        let before = *simulation.body("it").expect("a base");
        simulation.run(60).unwrap();
        let after = *simulation.body("it").expect("a base");
        let position = after.pose.translation.vector;
        let name = robot.name;
        assert!(
            (position.z - height).abs() < 2e-3,
            "{name} rests at {}",
            position.z
        );
        let tilt = after.pose.rotation * nalgebra::Vector3::z();
        assert!(tilt.z > 0.99999, "{name} tilts: {tilt}");
        let aside = libm::hypot(position.x - 0.3, position.y + 0.2);
        assert!(aside < 2e-3, "{name} went aside by {aside}");
        let moved = (after.pose.translation.vector - before.pose.translation.vector).norm();
        // A robot without joints is at rest except for the last bit.
        let is_jointed = masses(&simulation).len() > 1;
        let most = if is_jointed { 1e-4 } else { 1e-7 };
        assert!(moved <= most, "{name} moves: {moved}");
    }
}

/// The numbers of every model: positive, and moments of inertia that satisfy the triangle inequality.
#[test]
fn inertias_are_possible() {
    let models = morse_sim::scene::assets::SHIPPED
        .0
        .iter()
        .map(|(path, _)| *path);
    let mut seen = 0;
    for path in models.filter(|path| path.ends_with(".robray") && !path.starts_with("environments"))
    {
        if path == "robots/fake_robot.robray" || path == "robots/quad2012.robray" {
            continue;
        }
        let mut scene = model(path);
        scene.add_frame(Frame::new("it")).unwrap();
        let tops = scene
            .frames()
            .iter()
            .filter(|frame| frame.parent.is_none() && frame.name != "it");
        let tops: Vec<Frame> = tops.cloned().collect();
        for mut top in tops {
            top.parent = Some("it".to_owned());
            scene.replace_frame(top).unwrap();
        }
        let robots = [(
            "it".to_owned(),
            RobotBase::new("it", morse_api::body::BodyKind::Dynamic),
        )];
        let assembly = Assembly {
            scene,
            robots: robots.into_iter().collect(),
            ..Assembly::default()
        };
        let layout = layout(&assembly).unwrap();
        assert!(layout.warnings.is_empty(), "{path}: {:?}", layout.warnings);
        let prepared = physics::prepare(&layout, &assembly.scene, MotionMode::Default).unwrap();
        assert!(
            prepared.warnings.is_empty(),
            "{path}: {:?}",
            prepared.warnings
        );
        for (body, mass) in layout.bodies.iter().zip(prepared.masses()) {
            let name = &layout.frames[body.head].name;
            assert!(mass.mass > 0.0, "{path} {name}");
            let mut moments: Vec<f64> = mass
                .inertia
                .symmetric_eigenvalues()
                .iter()
                .copied()
                .collect();
            moments.sort_by(f64::total_cmp);
            assert!(moments[0] > 0.0, "{path} {name}: {moments:?}");
            assert!(
                moments[2] <= (moments[0] + moments[1]) * 1.0001,
                "{path} {name}: {moments:?}"
            );
            seen += 1;
        }
    }
    assert!(seen > 80, "{seen}");
}

/// A wheel that spins in the air is decelerated by its axle's damping alone: w = w0 exp(-d t / I), with I = m r²/2 of a
/// cylinder.
#[test]
fn wheels_turn_freely() {
    for (name, damping, mass, radius) in [
        ("pioneer3dx", 0.02, 1.0, 0.0975),
        ("patrolbot", 0.001, 0.1, 0.0905),
        ("segway_rmp400", 0.05, 11.0, 0.265),
    ] {
        let mut simulation = simulation(&format!(
            r#"Simulation(robots: {{ "it": (
                model: "robots/{name}.robray", base: fixed,
                sensors: {{ "wheels": (kind: "joint_state") }},
                actuators: {{ "motors": (kind: "joints") }},
            ) }})"#
        ));
        let variables: Vec<_> = simulation
            .scene()
            .variables
            .iter()
            .map(|(name, at)| (name.clone(), *at))
            .collect();
        let world = simulation.world_mut();
        for (_, variable) in &variables {
            *world.get_mut(*variable).unwrap() = morse_api::joint::JointTarget::Velocity(5.0);
        }
        simulation.run(60).unwrap();
        let speed = |simulation: &Simulation, at| {
            simulation.world().get::<JointState>(at).unwrap().velocity
        };
        for (_, variable) in &variables {
            *simulation.world_mut().get_mut(*variable).unwrap() =
                morse_api::joint::JointTarget::Free;
        }
        simulation.run(1).unwrap();
        let before: Vec<f64> = variables
            .iter()
            .map(|(_, at)| speed(&simulation, *at))
            .collect();
        simulation.run(30).unwrap();
        let inertia = mass * radius * radius / 2.0;
        let slowing = libm::exp(-damping * 0.5 / inertia);
        for ((variable, at), before) in variables.iter().zip(before) {
            assert!(before > 1.0, "{variable} was spun: {before}");
            let after = speed(&simulation, *at);
            assert!(
                (after / before - slowing).abs() < 0.02,
                "{variable}: {after} of {before}, expected {slowing}"
            );
        }
    }
}

/// Wheels that turn at w roll at w r, forward, except for a little slip of their motors; a single wheel turns the robot to
/// the other side.
#[test]
fn wheels_carry_and_drive() {
    for (name, radius, left, right) in [
        (
            "pioneer3dx",
            0.0975,
            &["wheel_left"][..],
            &["wheel_right"][..],
        ),
        ("patrolbot", 0.0905, &["wheel_left"], &["wheel_right"]),
        (
            "segway_rmp400",
            0.265,
            &["wheel_front_left", "wheel_rear_left"],
            &["wheel_front_right", "wheel_rear_right"],
        ),
    ] {
        let run = |speeds: [f64; 2]| {
            let names: Vec<&str> = left.iter().chain(right).copied().collect();
            let each: Vec<f64> = left
                .iter()
                .map(|_| speeds[0])
                .chain(right.iter().map(|_| speeds[1]))
                .collect();
            let mut simulation = simulation(&format!(
                r#"Simulation(scene: "environments/empty.robray", robots: {{ "it": (
                    model: "robots/{name}.robray",
                    actuators: {{ "motors": (kind: "joints", start: (names: {names:?}, velocities: {each:?})) }},
                ) }})"#
            ));
            simulation.run(60).unwrap();
            let start = *simulation.body("it").unwrap();
            simulation.run(60).unwrap();
            let end = *simulation.body("it").unwrap();
            assert!(
                end.pose.translation.z.abs() < 5e-3,
                "{name} at {}",
                end.pose.translation.z
            );
            start.pose.inv_mul(&end.pose)
        };
        let ahead = run([2.0, 2.0]);
        let rolled = ahead.translation.x / (2.0 * radius);
        assert!((rolled - 1.0).abs() < 0.05, "{name} rolls {rolled}");
        assert!(ahead.translation.y.abs() < 0.01, "{name}: {ahead}");
        let turned = run([0.0, 2.0]).rotation.euler_angles().2;
        assert!(turned > 0.02, "{name} turns left by {turned}");
    }
}

/// MORSE's table of robots lists the heights of the origins above the ground for these models.
#[test]
fn morses_robots_are_these() {
    for morse in morse_sim::scene::morse_robots::ROBOTS {
        let robot = ROBOTS.iter().find(|robot| robot.name == morse.word());
        let robot = robot.unwrap_or_else(|| panic!("{} is no model", morse.model));
        // A car stands on its springs.
        if morse.class != "Hummer" {
            let height = morse.height - morse.origin;
            assert!(
                (height + robot.heights[0]).abs() < 1e-9,
                "{}: {height} m",
                morse.class
            );
        }
    }
}

/// It is at the position of scripts: its shape begins 0.1 m below its origin.
#[test]
fn an_atrv_at_the_height_of_the_ground_is_no_mistake() {
    let warnings = |height: f64| {
        let atrv = robot("atrv", 20.0, [1.140, 0.671], [-0.10, 0.737]);
        let simulation = on_the_floor(&atrv, height);
        simulation.world().resource::<Spawned>().warnings.len()
    };
    assert_eq!((warnings(0.1), warnings(0.0)), (0, 0));
    assert_eq!(warnings(-0.1), 1, "half a wheel in the ground");
}
