//! A wheeled robot that drives and pushes at a wall, solved with and without entries for each velocity.
use nalgebra::{Isometry3, Matrix3, UnitVector3, Vector3};

use crate::{
    island::{Contact, Island, Side, Weld},
    spatial::{Force, Inertia, Motion},
    test_run::Run,
    tree::{Axis, Joint, Link},
};

const RADIUS: f64 = 0.1;
const TRACK: f64 = 0.34;
const WALL: f64 = 0.5;

/// A body of 9 kg that moves freely, with two wheels of 1 kg.
fn rover() -> Run {
    let wheel = |side: f64, variable| Link {
        parent: Some(0),
        parent_from_joint: Isometry3::translation(0.05, side * TRACK / 2.0, RADIUS),
        joint: Joint::Revolute(Axis::new(
            UnitVector3::new_normalize(Vector3::y()),
            variable,
        )),
        inertia: Inertia::new(1.0, Vector3::zeros(), Matrix3::identity() * 4e-3),
    };
    let about = Matrix3::from_diagonal(&Vector3::new(0.13, 0.18, 0.26));
    let body = Link {
        parent: None,
        parent_from_joint: Isometry3::identity(),
        joint: Joint::Floating,
        inertia: Inertia::new(9.0, Vector3::new(-0.02, 0.0, 0.13), about),
    };
    let mut run = Run::of(&[body, wheel(1.0, 0), wheel(-1.0, 1)], 120.0);
    for joint in &mut run.integrator.joint_dynamics {
        (joint.damping, joint.friction) = (0.02, 0.05);
    }
    run
}

/// Contacts of the predicted middle of a step: three points of each wheel and a caster on the ground, and the corners of the
/// front at a wall. The wheels are driven with these velocities if `is_driven`: friction acts on the body.
fn contacts(run: &Run, [speed, rate]: [f64; 2], is_driven: bool) -> Vec<Contact> {
    let workspace = &run.integrator.workspace;
    let pose = workspace.pose_of(0);
    let [heading, left] = [Vector3::x(), Vector3::y()].map(|axis| pose.rotation * axis);
    let at = |link: usize, friction_link: usize, point: Vector3<f64>| {
        let sides = |link| {
            let link = Side::Link { member: 0, link };
            [Side::Prescribed(Vector3::zeros()), link]
        };
        let round = Vector3::z().cross(&(point - pose.position)) * rate;
        Contact {
            sides: sides(link),
            friction_sides: sides(friction_link),
            point,
            normal: Vector3::z(),
            separation_velocity: None,
            slip: None,
            distance: point.z,
            friction: 0.5,
            restitution: 0.0,
            tangent_velocity: heading * speed + round,
            share: 1.0,
            impulse: Vector3::zeros(),
        }
    };
    let mut contacts = Vec::new();
    for link in [1, 2] {
        let lowest = workspace.pose_of(link).position - Vector3::z() * RADIUS;
        for along in [-0.03, 0.0, 0.03] {
            let friction_link = if is_driven { 0 } else { link };
            contacts.push(at(link, friction_link, lowest + left * along));
            if !is_driven {
                contacts.last_mut().unwrap().tangent_velocity.fill(0.0);
            }
        }
    }
    let caster = pose.position - heading * 0.17;
    contacts.push(at(0, 0, caster));
    contacts[6].friction = 0.0;
    for (side, height) in [(-0.18, 0.07), (0.18, 0.07), (-0.18, 0.25), (0.18, 0.25)] {
        let corner = pose.position + heading * 0.23 + left * side + Vector3::z() * height;
        let front = Contact {
            normal: -Vector3::x(),
            distance: WALL - corner.x,
            friction: 0.3,
            tangent_velocity: Vector3::zeros(),
            ..at(0, 0, corner)
        };
        contacts.push(front);
    }
    contacts
}

/// A weld of nothing to nothing, with which the rows keep blocks.
fn no_weld() -> Weld {
    Weld {
        sides: [Side::Prescribed(Vector3::zeros()); 2],
        point: Vector3::zeros(),
        error: Motion::ZERO,
        holds: [true; 6],
        turning: Vector3::zeros(),
        velocity: None,
        impulse: Force::default(),
    }
}

/// Makes a step, and the same step with rows of blocks. Returns the greatest difference of velocities and impulses, m/s, rad/s
/// and N·s.
fn step(run: &mut Run, touching: &mut [Contact]) -> f64 {
    let mut other = Run {
        tree: run.tree.clone(),
        integrator: run.integrator.clone(),
        state: run.state.clone(),
        island: Island::default(),
        ..*run
    };
    let mut expected = touching.to_vec();
    other.step_with(&mut [], &mut expected, &mut [no_weld()]);
    run.step_with(&mut [], touching, &mut []);
    let pairs = run.state.velocities.iter().zip(&other.state.velocities);
    let speeds = pairs.map(|(one, other)| (one - other).abs());
    let pairs = touching.iter().zip(&expected);
    let impulses = pairs.map(|(one, other)| (one.impulse - other.impulse).norm());
    speeds.chain(impulses).fold(0.0, f64::max)
}

fn slides(contact: &Contact) -> bool {
    let load = contact.impulse.dot(&contact.normal);
    let across = contact.impulse - contact.normal * load;
    load > 0.0 && across.norm() > 0.999 * contact.friction * load
}

#[test]
fn a_rover_drives_as_with_sweeps() {
    let (mut at_wall, mut sliding, mut compared, mut equal) = (0, 0, 0, 0);
    for is_driven in [true, false] {
        let mut run = rover();
        for (motor, effort) in run.integrator.motors.iter_mut().zip([1.0, 1.05]) {
            motor.effort = if is_driven { 0.0 } else { effort };
        }
        let mut known: Vec<(Vector3<f64>, Option<f64>)> = vec![(Vector3::zeros(), None); 11];
        for number in 0..360 {
            let [speed, rate] = [[0.6, 0.4], [0.9, -0.8], [0.4, 0.2]][number / 40 % 3];
            if is_driven {
                let rates = [-1.0, 1.0].map(|side| (speed + side * rate * TRACK / 2.0) / RADIUS);
                run.integrator.rolling = rates.map(Some).to_vec();
            }
            run.predict();
            let mut touching = contacts(&run, [speed, rate], is_driven);
            for (contact, known) in touching.iter_mut().zip(&known) {
                (contact.impulse, contact.separation_velocity) = *known;
            }
            let apart = step(&mut run, &mut touching);
            // A point may be rigid in the step in which it begins to carry a load: several of them share it in many ways.
            let mut points = touching.iter().zip(&known);
            if !points.any(|(at, known)| at.distance < 0.02 && known.1.is_none()) {
                compared += 1;
                equal += usize::from(apart < 1e-8);
            }
            let loaded = touching[7..].iter().filter(|at| at.impulse.x < 0.0);
            at_wall += loaded.count();
            sliding += touching.iter().filter(|contact| slides(contact)).count();
            let ends = touching
                .iter()
                .map(|at| (at.impulse, at.separation_velocity));
            known = ends.collect();
        }
    }
    // Hundred sweeps and Newton steps for impulses are not enough for a few steps at the wall.
    assert!(
        compared > 400 && 100 * equal > 98 * compared,
        "{equal} of {compared}"
    );
    assert!(at_wall > 1000 && sliding > 1000, "{at_wall} {sliding}");
}
