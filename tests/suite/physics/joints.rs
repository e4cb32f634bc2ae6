//! Pendulums, arms and motors.

use std::collections::BTreeMap;

use morse_api::joint::{Impedance, JointState, JointTarget};
use morse_sim::{
    physics::PhysicsSettings,
    scene::{
        assembly::{Assembly, JointMode, JointSettings},
        model::{Frame, Joint, JointAxis, Limits},
    },
};
use nalgebra::Vector3;

use super::{G, TestWorld, add, cube, floor};

impl TestWorld {
    fn joint(&self, name: &str) -> JointState {
        *self
            .app
            .world()
            .get::<JointState>(self.spawned.variables[name])
            .expect("a state")
    }

    fn ask(&mut self, name: &str, target: JointTarget) {
        let entity = self.spawned.variables[name];
        self.app.world_mut().entity_mut(entity).insert(target);
    }
}

/// Returns a link whose centre of mass is `length` away from its joint, along -z.
fn link(name: &str, parent: &str, axis: JointAxis, length: f64) -> Frame {
    let mut frame = Frame::new(name).under(parent).joined(Joint::Revolute(axis));
    frame.mass = Some(1.0);
    frame.center_of_mass = Some(Vector3::new(0.0, 0.0, -length));
    frame.inertia = Some([0.01, 0.01, 0.01, 0.0, 0.0, 0.0]);
    frame
}

fn hinge(variable: &str) -> JointAxis {
    JointAxis::new([0.0, 1.0, 0.0], variable)
}

fn at(position: f64) -> JointSettings {
    JointSettings {
        position,
        ..JointSettings::default()
    }
}

fn holding(position: f64) -> JointSettings {
    JointSettings {
        target: JointTarget::Position(position),
        ..at(position)
    }
}

fn pendulum() -> Assembly {
    let mut assembly = Assembly::default();
    add(&mut assembly.scene, Frame::new("world"));
    add(&mut assembly.scene, link("bob", "world", hinge("q"), 0.5));
    assembly
}

/// Returns seven links of 1.5 kg and 0.2 m, extended sideways.
fn arm(mode: JointMode) -> Assembly {
    let mut assembly = Assembly::default();
    add(&mut assembly.scene, Frame::new("l0").at([0.0, 0.0, 2.0]));
    for n in 1..=7 {
        let axis = if n % 2 == 1 {
            [0.0, 1.0, 0.0]
        } else {
            [0.0, 0.0, 1.0]
        };
        let axis = JointAxis::new(axis, format!("q{n}"));
        let mut frame = Frame::new(format!("l{n}"))
            .under(format!("l{}", n - 1))
            .at([0.2, 0.0, 0.0])
            .joined(Joint::Revolute(axis));
        frame.mass = Some(1.5);
        frame.center_of_mass = Some(Vector3::new(0.1, 0.0, 0.0));
        frame.inertia = Some([0.002, 0.006, 0.006, 0.0, 0.0, 0.0]);
        add(&mut assembly.scene, frame);
        assembly.joints.insert(
            format!("q{n}"),
            JointSettings {
                mode,
                ..holding(0.0)
            },
        );
    }
    assembly
}

#[test]
fn what_hangs_on_the_root_swings_as_on_a_frame() {
    let swing = |assembly: &Assembly| {
        let mut assembly = assembly.clone();
        assembly.joints.insert("q".to_owned(), at(0.3));
        let mut test = TestWorld::new(&assembly);
        test.run(0.3);
        test.joint("q")
    };
    let mut hanging = Assembly::default();
    let mut bob = link("bob", "", hinge("q"), 0.5);
    bob.parent = None;
    add(&mut hanging.scene, bob);
    let state = swing(&hanging);
    assert_eq!(state, swing(&pendulum()));
    assert!(state.velocity < -0.5, "{state:?}");
}

#[test]
fn a_pendulum_keeps_its_period() {
    let mut assembly = pendulum();
    assembly.joints.insert("q".into(), at(0.1));
    let mut test = TestWorld::with(
        &assembly,
        PhysicsSettings {
            rate: 240.0,
            ..PhysicsSettings::default()
        },
    );
    let mut crossings = Vec::new();
    let mut before = test.joint("q").position;
    for tick in 1..=2400 {
        test.app.update();
        let now = test.joint("q").position;
        if before < 0.0 && now >= 0.0 {
            crossings.push((f64::from(tick) + now / (before - now)) / 240.0);
        }
        before = now;
    }
    let count = crossings.len() - 1;
    let period = (crossings[count] - crossings[0]) / count as f64;
    // T = 2π √(I / m g l), with the first term of the series for the amplitude.
    let inertia = 0.01 + 0.25;
    let ideal = std::f64::consts::TAU * (inertia / (G * 0.5)).sqrt() * (1.0 + 0.01 / 16.0);
    println!("period: {period} expected {ideal}");
    assert!(
        (period / ideal - 1.0).abs() < 1e-3,
        "{period} instead of {ideal}"
    );
}

#[test]
fn two_links_keep_their_energy() {
    let mut assembly = pendulum();
    let second = link("second", "bob", hinge("r"), 0.5).at([0.0, 0.0, -1.0]);
    add(&mut assembly.scene, second);
    assembly.joints.insert("q".into(), at(1.0));
    assembly.joints.insert("r".into(), at(-0.5));
    let mut test = TestWorld::new(&assembly);
    let energy = |test: &TestWorld| {
        ["bob", "second"].into_iter().fold(0.0, |sum, name| {
            let state = test.body(name);
            let linear = state.linear_velocity.norm_squared() / 2.0;
            let angular = 0.01 * state.angular_velocity.norm_squared() / 2.0;
            sum + linear + angular + G * (state.center_of_mass.z + 2.0)
        })
    };
    let start = energy(&test);
    test.run(10.0);
    let end = energy(&test);
    println!("energy: {start} -> {end}");
    assert!(
        (end / start - 1.0).abs() < 0.02,
        "from {start} J to {end} J"
    );
}

#[test]
fn an_arm_reaches_and_holds_its_targets() {
    let mut test = TestWorld::new(&arm(JointMode::Dynamic));
    let targets = [0.4, -0.7, 0.5, 0.9, -0.6, 0.3, 1.0];
    for (n, target) in (1..).zip(targets) {
        test.ask(&format!("q{n}"), JointTarget::Position(target));
    }
    let mut fastest: f64 = 0.0;
    for _ in 0..300 {
        test.app.update();
        fastest = fastest.max(test.joint("q7").velocity.abs());
    }
    let errors: Vec<f64> = (1..)
        .zip(targets)
        .map(|(n, target)| test.joint(&format!("q{n}")).position - target)
        .collect();
    println!("arm: {errors:?}, fastest {fastest}");
    assert!(errors.iter().all(|error| error.abs() < 0.01), "{errors:?}");
    test.run(2.0);
    let speed = test.joint("q7").velocity;
    assert!(speed.abs() < 1e-2, "still moving at {speed}");
}

/// Returns the maximum lag of a twist joint while it rotates an extended boom of 4 kg and 0.8 m, rad; `start` is the angle
/// of the boom from upright when the motors were created.
fn lag_of_a_twist(start: f64) -> f64 {
    let mut assembly = Assembly::default();
    add(&mut assembly.scene, Frame::new("world"));
    let joint = |axis, variable| {
        let limits = Limits {
            velocity: Some(1.0),
            ..Limits::default()
        };
        let axis = JointAxis {
            limits,
            ..JointAxis::new(axis, variable)
        };
        Joint::Revolute(axis)
    };
    let mut turret = Frame::new("turret")
        .under("world")
        .joined(joint([0.0, 0.0, 1.0], "twist"));
    turret.mass = Some(1.0);
    turret.inertia = Some([0.01, 0.01, 0.01, 0.0, 0.0, 0.0]);
    add(&mut assembly.scene, turret);
    let mut boom = Frame::new("boom")
        .under("turret")
        .at([0.0, 0.0, 0.2])
        .joined(joint([0.0, 1.0, 0.0], "bend"));
    boom.mass = Some(4.0);
    boom.center_of_mass = Some(Vector3::new(0.0, 0.0, 0.8));
    boom.inertia = Some([0.1, 0.1, 0.01, 0.0, 0.0, 0.0]);
    add(&mut assembly.scene, boom);
    assembly.joints.insert("twist".into(), holding(0.0));
    assembly.joints.insert("bend".into(), holding(start));
    let mut test = TestWorld::new(&assembly);
    test.ask("bend", JointTarget::Position(std::f64::consts::FRAC_PI_2));
    test.run(3.0);
    test.ask("twist", JointTarget::Position(1.0));
    let mut worst: f64 = 0.0;
    for tick in 1..=120 {
        test.app.update();
        let meant = (f64::from(tick) / 60.0).min(1.0);
        worst = worst.max((test.joint("twist").position - meant).abs());
    }
    worst
}

#[test]
fn an_arm_that_stood_upright_is_as_stiff_as_one_that_was_stretched_out() {
    let (upright, stretched) = (
        lag_of_a_twist(0.0),
        lag_of_a_twist(std::f64::consts::FRAC_PI_2),
    );
    assert!(stretched < 0.02, "{stretched}");
    assert!(
        (upright / stretched - 1.0).abs() < 0.05,
        "{upright} and {stretched}"
    );
}

#[test]
fn a_motor_reports_the_torque_that_holds() {
    let mut assembly = pendulum();
    assembly
        .joints
        .insert("q".into(), holding(-std::f64::consts::FRAC_PI_2));
    let mut test = TestWorld::new(&assembly);
    test.run(3.0);
    let JointState {
        position, effort, ..
    } = test.joint("q");
    println!("hold: position {position} effort {effort}");
    assert!(
        (effort.abs() / (G * 0.5) - 1.0).abs() < 0.02,
        "{effort} N·m"
    );
    assert!((position + std::f64::consts::FRAC_PI_2).abs() < 2e-3);
    // A torque along the axis accelerates the joint in the positive direction.
    test.ask("q", JointTarget::Effort(effort));
    test.run(0.2);
    let held = test.joint("q").position;
    assert!((held - position).abs() < 0.02, "from {position} to {held}");
}

#[test]
fn an_impedance_gives_way_to_a_load_as_a_spring_does() {
    let mut assembly = pendulum();
    assembly.joints.insert("q".into(), at(1.0));
    let mut test = TestWorld::new(&assembly);
    let target = Impedance {
        position: 1.2,
        stiffness: 20.0,
        damping: 2.0,
        effort: 0.5,
        ..Impedance::default()
    };
    test.ask("q", JointTarget::Impedance(target));
    test.run(5.0);
    let JointState {
        position, effort, ..
    } = test.joint("q");
    // 20 (1.2 - q) + 0.5 = m g l sin q, by bisection.
    let excess = |q: f64| 20.0 * (1.2 - q) + 0.5 - G * 0.5 * libm::sin(q);
    let [mut low, mut high] = [0.0, 1.2];
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        *(if excess(middle) > 0.0 {
            &mut low
        } else {
            &mut high
        }) = middle;
    }
    println!("{position} rad instead of {low}, {effort} N·m");
    assert!((position - low).abs() < 1e-4, "{position} instead of {low}");
    assert!(
        (effort - G * 0.5 * libm::sin(low)).abs() < 1e-2,
        "{effort} N·m"
    );
}

#[test]
fn a_speed_is_held_over_many_turns() {
    let mut test = TestWorld::new(&pendulum());
    test.ask("q", JointTarget::Velocity(4.0));
    test.run(5.0);
    let state = test.joint("q");
    println!("spin: {state:?}");
    assert!((state.position / 20.0 - 1.0).abs() < 0.01, "{state:?}");
    test.ask("q", JointTarget::Position(0.5));
    test.run(6.0);
    assert!(
        (test.joint("q").position - 0.5).abs() < 0.01,
        "{:?}",
        test.joint("q")
    );
}

#[test]
fn limits_and_effort_limits_hold() {
    let mut assembly = pendulum();
    let limits = Limits {
        position: Some([-0.2, 3.0]),
        effort: Some(2.0),
        ..Limits::default()
    };
    let axis = JointAxis {
        limits,
        ..hinge("s")
    };
    add(
        &mut assembly.scene,
        link("limited", "world", axis, 0.5).at([3.0, 0.0, 0.0]),
    );
    assembly.joints.insert("s".into(), at(1.5));
    let mut test = TestWorld::new(&assembly);
    test.run(0.6);
    let lowest = test.joint("s").position;
    assert!(lowest > -0.25, "through its limit to {lowest}");
    // 2 N·m lift 1 kg at 0.5 m by about asin(2 / 4.905).
    test.ask("s", JointTarget::Position(2.5));
    test.run(5.0);
    let reached = test.joint("s").position;
    assert!(reached < 1.6, "{reached} with a motor that is too weak");
}

#[test]
fn a_slide_travels_the_length_of_its_axis() {
    let mut assembly = floor();
    let limits = Limits {
        position: Some([0.0, 2.0]),
        ..Limits::default()
    };
    let axis = JointAxis {
        limits,
        offset: 0.1,
        ..JointAxis::new([0.0, 0.0, 0.5], "z")
    };
    let slide = Frame::new("lift").under("floor").at([0.0, 0.0, 1.0]);
    let mut slide = slide.joined(Joint::Prismatic(axis)).with(cube(0.2));
    slide.mass = Some(3.0);
    add(&mut assembly.scene, slide);
    assembly.joints.insert("z".into(), holding(1.0));
    let mut test = TestWorld::new(&assembly);
    test.run(1.0);
    test.ask("z", JointTarget::Position(1.6));
    test.run(2.0);
    let z = test.position("lift").z;
    println!("lift: {z} {:?}", test.joint("z"));
    assert!((z - (0.5 + 0.5 * 1.7)).abs() < 2e-3, "{z}");
    assert!((test.joint("z").position - 1.6).abs() < 4e-3);
    assert!(
        (test.joint("z").effort - 3.0 * G * 0.5).abs() < 0.4,
        "{:?}",
        test.joint("z")
    );
}

#[test]
fn joints_of_one_variable_move_together() {
    let mut assembly = pendulum();
    let axis = JointAxis {
        offset: 0.3,
        ..hinge("q")
    };
    add(
        &mut assembly.scene,
        link("twin", "world", axis, 0.5).at([3.0, 0.0, 0.0]),
    );
    let mut test = TestWorld::new(&assembly);
    test.ask("q", JointTarget::Position(1.0));
    test.run(2.0);
    let angle = |test: &TestWorld, name: &str| test.body(name).pose.rotation.scaled_axis().y;
    assert!(
        (angle(&test, "bob") - 1.0).abs() < 5e-3,
        "{}",
        angle(&test, "bob")
    );
    assert!(
        (angle(&test, "twin") - 1.3).abs() < 5e-3,
        "{}",
        angle(&test, "twin")
    );
}

#[test]
fn posed_joints_are_where_kinematics_puts_them() {
    let assembly = arm(JointMode::Kinematic);
    let mut test = TestWorld::new(&assembly);
    let mut values = BTreeMap::new();
    for n in 1..=7 {
        let value = 0.3 * f64::from(n) - 1.0;
        test.ask(&format!("q{n}"), JointTarget::Position(value));
        values.insert(format!("q{n}"), value);
    }
    test.run(1.0);
    let expected = assembly.scene.absolute_poses_at(&values);
    for n in 1..=7 {
        let name = format!("l{n}");
        let pose = test.body(&name).pose;
        let expected = expected[name.as_str()];
        let off = (pose.translation.vector - expected.translation.vector).norm();
        assert!(off < 1e-6, "{name} is off by {off}");
        assert!(pose.rotation.angle_to(&expected.rotation) < 1e-6);
    }
    test.ask("q1", JointTarget::Velocity(0.5));
    test.run(1.0);
    assert!((test.joint("q1").position - (values["q1"] + 0.5)).abs() < 1e-9);
    assert!((test.joint("q1").velocity - 0.5).abs() < 1e-9);
}

#[test]
fn posed_joints_move_bodies_at_the_velocities_of_kinematics() {
    let assembly = arm(JointMode::Kinematic);
    let mut test = TestWorld::new(&assembly);
    for n in 1..=7 {
        test.ask(&format!("q{n}"), JointTarget::Velocity(0.3 * f64::from(n)));
    }
    test.run(0.5);
    let poses_at = |shift: f64| {
        let value = |n: i32| {
            let name = format!("q{n}");
            let state = test.joint(&name);
            (name, state.position + shift * state.velocity)
        };
        assembly
            .scene
            .absolute_poses_at(&(1..=7).map(value).collect())
    };
    let step = 1e-5;
    let (before, after) = (poses_at(-step), poses_at(step));
    for n in 1..=7 {
        let name = format!("l{n}");
        let state = test.body(&name);
        let (before, after) = (before[name.as_str()], after[name.as_str()]);
        let turn = (after.rotation * before.rotation.inverse()).scaled_axis() / (2.0 * step);
        let center = state.pose.inverse_transform_point(&state.center_of_mass);
        let linear = (after * center - before * center) / (2.0 * step);
        let off = (state.angular_velocity - turn).norm();
        assert!(off < 1e-7, "{name} turns by {off} rad/s differently");
        let off = (state.linear_velocity - linear).norm();
        assert!(off < 1e-7, "{name} moves by {off} m/s differently");
    }
}
