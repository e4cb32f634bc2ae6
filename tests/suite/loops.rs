//! Closed loops of joints: a four-bar linkage, a delta robot and a parallel gripper, against closed forms.
mod errors;

use morse_sim::{
    Simulation,
    actuator::joints::{Joints, JointsCommand},
    sensor::{contact::ContactData, force_torque::ForceTorqueData},
    simulation::no_extensions,
};
use nalgebra::{Isometry3, Point3, Rotation3, Vector3};

const G: f64 = 9.81;

fn shipped() -> Simulation {
    Simulation::load("scenes/gallery/linkages.ron").expect("the scene")
}

fn pose(simulation: &Simulation, body: &str) -> Isometry3<f64> {
    simulation.body(body).expect("a body").pose
}

/// Position of a point of a body in the world, m.
fn point(simulation: &Simulation, body: &str, local: [f64; 3]) -> Vector3<f64> {
    (pose(simulation, body) * Point3::from(local)).coords
}

fn order(simulation: &Simulation, robot: &str, names: &[&str], positions: &[f64]) {
    let order = JointsCommand {
        names: names.iter().map(ToString::to_string).collect(),
        positions: positions.to_vec(),
        ..JointsCommand::default()
    };
    simulation
        .command::<Joints>(&format!("{robot}.motors"), order)
        .expect("joints");
}

#[track_caller]
fn near(actual: f64, expected: f64, tolerance: f64) {
    assert!(
        (actual - expected).abs() < tolerance,
        "{actual} instead of {expected}"
    );
}

/// Gap between the ends of coupler and rocker, m.
fn gap(simulation: &Simulation) -> f64 {
    let coupler = point(simulation, "coupler", [0.4, 0.0, 0.0]);
    let rocker = point(simulation, "rocker", [0.0, 0.0, 0.3]);
    (coupler - rocker).norm()
}

/// Angle of the rocker for an angle of the crank, rad, by the intersection of two circles; the zeros are those of the scene.
fn rocker(crank: f64) -> f64 {
    let tip = Vector3::new(libm::sin(crank), 0.0, libm::cos(crank)) * 0.15;
    let pivot = Vector3::new(0.4, 0.0, -0.15);
    let apart = tip - pivot;
    let distance = apart.norm();
    let along = (0.3 * 0.3 - 0.4 * 0.4 + distance * distance) / (2.0 * distance);
    let across = (0.3 * 0.3 - along * along).sqrt();
    let unit = apart / distance;
    let joint = unit * along + Vector3::new(unit.z, 0.0, -unit.x) * across;
    libm::atan2(joint.x, joint.z)
}

#[test]
fn a_four_bar_linkage_moves_by_its_closed_form() {
    let mut simulation = shipped();
    let (mut turned, mut before) = (0.0, 0.0);
    for _ in 0..2400 {
        simulation.step().expect("a tick");
        let rotation = pose(&simulation, "crank").rotation;
        let up = rotation * Vector3::z();
        let crank = libm::atan2(up.x, up.z);
        let turn: f64 = crank - before;
        turned += turn - std::f64::consts::TAU * (turn / std::f64::consts::TAU).round();
        before = crank;
        let up = pose(&simulation, "rocker").rotation * Vector3::z();
        near(libm::atan2(up.x, up.z), rocker(crank), 1e-4);
        assert!(gap(&simulation) < 1e-4, "{}", gap(&simulation));
    }
    near(turned, 30.0, 0.1);
}

/// The linkage of the shipped scene without a motor, inclined by 1 rad, so that it swings.
#[test]
fn a_four_bar_linkage_keeps_its_energy() {
    let text = std::fs::read_to_string("scenes/gallery/linkages.robray").expect("a file");
    let level = "frame linkage {\n  translation [0, 0, 0.6];";
    assert!(text.contains(level));
    let inclined = text.replace(level, &format!("{level}\n  rpy [0, 1, 0];"));
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("scene.robray"), inclined).expect("a file");
    let text = "Simulation(scene: \"scene.robray\", environment: (rate: 240),
        robots: { \"linkage\": (frame: \"linkage\", base: fixed) })";
    let mut simulation = Simulation::parse(text, folder.path(), &no_extensions).expect("a world");
    let energy = |simulation: &Simulation| {
        let mut mechanism = simulation.mechanism("linkage").expect("a mechanism");
        let velocities = nalgebra::DVector::from_row_slice(mechanism.velocities());
        let (mass, center) = mechanism.center_of_mass();
        let kinetic = velocities.dot(&(mechanism.mass_matrix() * &velocities)) / 2.0;
        [kinetic, mass * G * center.z]
    };
    let start: f64 = energy(&simulation).iter().sum();
    let (mut fastest, mut worst): (f64, f64) = (0.0, 0.0);
    for _ in 0..2400 {
        simulation.step().expect("a tick");
        let [kinetic, potential] = energy(&simulation);
        fastest = fastest.max(kinetic);
        worst = worst.max((kinetic + potential - start).abs());
        assert!(gap(&simulation) < 1e-4, "{}", gap(&simulation));
    }
    assert!(fastest > 1.0, "it swings: {fastest} J");
    assert!(worst < 0.005 * fastest, "{worst} of {fastest} J");
}

const MOTORS: [&str; 3] = ["motor_a", "motor_b", "motor_c"];

#[test]
fn a_delta_robot_moves_its_platform_by_its_closed_form() {
    let mut simulation = shipped();
    let target = [0.3, -0.2, 0.5];
    for tick in 1..=480 {
        let fraction = (f64::from(tick) / 240.0).min(1.0);
        let smooth = fraction * fraction * (3.0 - 2.0 * fraction);
        order(
            &simulation,
            "delta",
            &MOTORS,
            &target.map(|angle| angle * smooth),
        );
        simulation.step().expect("a tick");
        let platform = pose(&simulation, "platform");
        let turned = platform.rotation.angle();
        assert!(
            turned < 1e-3,
            "{tick}: parallel rods keep it level: {turned}"
        );
        for (index, motor) in MOTORS.iter().enumerate() {
            let angle = pose(&simulation, motor).rotation;
            let side = Rotation3::from_axis_angle(
                &Vector3::z_axis(),
                std::f64::consts::TAU / 3.0 * index as f64,
            );
            // From the middle of the elbows to the middle of the pins it is the length of the rods.
            let hinge = Vector3::new(0.0, 1.0, 1.0) + side * Vector3::new(0.15, 0.0, 0.0);
            let elbow = hinge + angle * Vector3::new(0.2, 0.0, 0.0);
            let pin = platform * Point3::from(side * Vector3::new(0.05, 0.0, 0.0));
            near((pin.coords - elbow).norm(), 0.5, 1e-4);
        }
    }
}

/// With level arms all that hangs on a motor sinks with it: the platform and the rods as its elbow does, its arm by a half.
#[test]
fn the_motors_of_a_delta_robot_carry_its_weight() {
    let mut simulation = shipped();
    simulation.run(480).expect("ticks");
    let state = simulation
        .read::<morse_sim::sensor::joint_state::JointStateData>("delta.joints")
        .expect("joints");
    let weight = 0.2 * (0.3 + 6.0 * (0.05 + 1e-5)) + 3.0 * 0.1 * 0.15;
    for motor in MOTORS {
        let index = state
            .names
            .iter()
            .position(|name| name == motor)
            .expect(motor);
        near(state.efforts[index], -G * weight / 3.0, 1e-3);
    }
}

#[test]
fn a_gripper_of_linkages_feels_what_it_holds() {
    let mut simulation = shipped();
    for tick in 1..=960 {
        let seconds = f64::from(tick) / 240.0;
        // It closes in a second, as far as its torque goes, and then lifts by 0.1 m.
        let close = (seconds - 0.1).min(0.6);
        let rise = ((seconds - 2.0) / 1.5).clamp(0.0, 1.0);
        let smooth = rise * rise * (3.0 - 2.0 * rise);
        order(
            &simulation,
            "gripper",
            &["lift", "grip"],
            &[0.1 * smooth, close],
        );
        simulation.step().expect("a tick");
    }
    let block = pose(&simulation, "block");
    near(block.translation.z, 0.73, 2e-3);
    assert!(block.rotation.angle() < 0.02, "{block}");
    let [left, right] = ["gripper.left", "gripper.right"].map(|path| {
        simulation
            .read::<ContactData>(path)
            .expect("a sensor")
            .clone()
    });
    // The torque of 2 N·m moves both fingers: F = τ / (2 l cos θ), less the weights of links and fingers at their levers.
    let up = pose(&simulation, "left_link").rotation * Vector3::z();
    let swing = libm::atan2(up.x.abs(), up.z);
    let weights = G * libm::sin(swing) * 2.0 * (0.02 * 0.03 * 2.0 + 0.05 * 0.06);
    // The friction of half of the block's weight pulls the fingers back as well.
    let block_weight = 0.2 * G;
    let pressed =
        (2.0 - weights - block_weight * 0.06 * libm::sin(swing)) / (2.0 * 0.06 * libm::cos(swing));
    near(left.force[0].abs(), pressed, 0.02 * pressed);
    near(right.force[0].abs(), pressed, 0.02 * pressed);
    near(left.force[2] + right.force[2], -block_weight, 0.01);
    for pad in [left, right] {
        assert!(pad.objects.iter().all(|name| name == "block"), "{pad:?}");
    }
    let wrist = simulation
        .read::<ForceTorqueData>("gripper.wrist")
        .expect("a sensor");
    let carried = 0.5 + 4.0 * 0.02 + 2.0 * 0.05 + 0.2;
    near(wrist.force[2], -carried * G, 0.02);
}

/// A body that is welded to a turntable moves with it.
#[test]
fn what_is_welded_to_a_turntable_turns_with_it() {
    let scene = "
        frame base { geometry { shape box; dimension [0.1, 0.1, 0.1]; }
          frame table { type revolute; axis [0, 0, 1]; translation [0, 0, 0.5]; mass 1; inertia [0.1, 0.1, 0.1, 0, 0, 0];
            frame rim { translation [0.4, 0, 0]; } } }
        frame box { type floating; translation [0.4, 0, 0.5]; mass 2; inertia [0.02, 0.02, 0.02, 0, 0, 0]; }";
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("scene.robray"), scene).expect("a file");
    for mode in ["kinematic", "dynamic"] {
        let text = format!(
            "Simulation(scene: \"scene.robray\", environment: (rate: 240),
            joints: {{ \"table\": (mode: {mode}, velocity: 2) }},
            closures: {{ \"glue\": (kind: weld, frames: (\"rim\", \"box\")) }},
            robots: {{ \"robot\": (frame: \"base\", base: fixed) }})"
        );
        let mut simulation = Simulation::parse(&text, folder.path(), &no_extensions)
            .unwrap_or_else(|e| panic!("{e}"));
        for _ in 0..480 {
            simulation.step().expect("a tick");
            let rim = pose(&simulation, "table") * Isometry3::translation(0.4, 0.0, 0.0);
            let apart = rim.inverse() * pose(&simulation, "box");
            assert!(apart.translation.vector.norm() < 1e-4, "{mode}: {apart}");
            assert!(apart.rotation.angle() < 1e-3, "{mode}: {apart}");
        }
        let up = pose(&simulation, "box").rotation * Vector3::x();
        near(libm::atan2(up.y, up.x), 4.0 - std::f64::consts::TAU, 0.02);
    }
}

/// A chain that hangs straight is pulled to a second hook, and settles as a discrete catenary: each link is inclined by the
/// vertical force at its middle over the horizontal force.
#[test]
fn a_chain_between_two_hooks_is_a_catenary() {
    const LINKS: usize = 12;
    const LENGTH: f64 = 0.1;
    const SPAN: f64 = 0.8;
    let mut scene = format!(
        "class link {{ type revolute; axis [0, 1, 0]; damping 0.02; mass 0.1; center_of_mass [0, 0, -0.05];
           inertia [1e-4, 1e-4, 1e-6, 0, 0, 0]; }}
         frame base {{ geometry {{ shape sphere; radius 0.01; }} frame hook {{ translation [{SPAN}, 0, 0]; }}"
    );
    for index in 0..LINKS {
        let from = if index == 0 { 0.0 } else { -LENGTH };
        scene += &format!("frame l{index} {{ isa link; translation [0, 0, {from}];");
    }
    scene += "frame end { translation [0, 0, -0.1]; }";
    scene += &"}".repeat(LINKS + 1);
    scene += "connect end hook;";
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("scene.robray"), scene).expect("a file");
    let text = "Simulation(scene: \"scene.robray\", environment: (rate: 240), robots: { \"chain\": (
        frame: \"base\", base: fixed, sensors: { \"hook\": (kind: \"force_torque\", mount: (frame: \"l0\")) }) })";
    let mut simulation = Simulation::parse(text, folder.path(), &no_extensions).expect("a world");
    simulation.run(240 * 40).expect("ticks");
    let weight = 0.1 * G;
    let half = LINKS as f64 / 2.0;
    let incline = |index: usize, horizontal: f64| weight * (half - index as f64 - 0.5) / horizontal;
    let span = |horizontal: f64| -> f64 {
        let links = (0..LINKS).map(|at| LENGTH / libm::hypot(incline(at, horizontal), 1.0));
        links.sum()
    };
    let (mut less, mut more) = (1e-3, 1e3);
    for _ in 0..100 {
        let middle = (less + more) / 2.0;
        (less, more) = if span(middle) < SPAN {
            (middle, more)
        } else {
            (less, middle)
        };
    }
    let end = point(&simulation, &format!("l{}", LINKS - 1), [0.0, 0.0, -LENGTH]);
    assert!((end - Vector3::new(SPAN, 0.0, 0.0)).norm() < 1e-6, "{end}");
    let middle = point(&simulation, &format!("l{}", LINKS / 2), [0.0; 3]);
    let sag: f64 = (0..LINKS / 2)
        .map(|at| LENGTH * incline(at, less) / libm::hypot(incline(at, less), 1.0))
        .sum();
    near(middle.x, SPAN / 2.0, 1e-4);
    near(middle.z, -sag, 1e-4);
    let hook = simulation
        .read::<ForceTorqueData>("chain.hook")
        .expect("a sensor");
    near(
        Vector3::from(hook.force).norm(),
        libm::hypot(less, weight * half),
        1e-3,
    );
}
