//! Energy of mechanisms that touch something.
use std::f64::consts::PI;

use nalgebra::{Isometry3, Matrix3, Vector3};

use super::*;
use crate::{
    spatial::Inertia,
    test_run::{GRAVITY, Run, rod},
    tree::{Axis, Joint, Link},
};

pub(super) const GROUND: Side = Side::Prescribed(Vector3::new(0.0, 0.0, 0.0));

impl Run {
    /// The point of a link, m, where the link is placed.
    pub(super) fn point(&self, link: usize, local: Vector3<f64>) -> Vector3<f64> {
        self.integrator.workspace.pose_of(link).point(&local)
    }

    /// Velocity of a point of the world that moves with a link, m/s.
    pub(super) fn velocity(&self, link: usize, point: &Vector3<f64>) -> Vector3<f64> {
        let pose = self.integrator.workspace.pose_of(link);
        let local = pose.rotation.tr_mul(&(point - pose.position));
        pose.rotation * self.integrator.workspace.velocity_of(link).at(&local)
    }

    /// Touches the ground with points of links, each of which is a link and a point on it; `friction` Coulomb's.
    pub(super) fn touching(
        &self,
        tips: &[(usize, Vector3<f64>)],
        before: &[Contact],
        friction: f64,
    ) -> Vec<Contact> {
        let contact = |(index, (link, local)): (usize, &(usize, Vector3<f64>))| {
            let point = self.point(*link, *local);
            let sides = [
                GROUND,
                Side::Link {
                    member: 0,
                    link: *link,
                },
            ];
            Contact {
                sides,
                friction_sides: sides,
                point,
                normal: Vector3::z(),
                separation_velocity: before
                    .get(index)
                    .and_then(|known| known.separation_velocity),
                slip: before.get(index).and_then(|known| known.slip),
                distance: point.z,
                friction,
                restitution: 0.0,
                tangent_velocity: Vector3::zeros(),
                share: 1.0,
                impulse: before
                    .get(index)
                    .map_or(Vector3::zeros(), |known| known.impulse),
            }
        };
        tips.iter().enumerate().map(contact).collect()
    }

    /// Energies after each step, J, and the number of steps in which a tip left the ground.
    pub(super) fn energies(
        &mut self,
        seconds: f64,
        tips: &[(usize, Vector3<f64>)],
        friction: f64,
    ) -> (Vec<f64>, usize) {
        let ticks = (seconds / self.dt).round() as usize;
        let (mut energies, mut contacts) = (Vec::new(), Vec::new());
        let mut flown = 0;
        for _ in 0..ticks {
            self.predict();
            contacts = self.touching(tips, &contacts, friction);
            self.step_with(&mut [], &mut contacts, &mut []);
            let touches = contacts.iter().all(|contact| contact.impulse.z > 0.0);
            flown += usize::from(!touches);
            energies.push(self.energy());
        }
        (energies, flown)
    }

    /// Mean energies of the first and of the last second, J.
    fn ends(&mut self, seconds: f64, tips: &[(usize, Vector3<f64>)], friction: f64) -> [f64; 2] {
        let second = (1.0 / self.dt).round() as usize;
        let (energies, _) = self.energies(seconds, tips, friction);
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        [&energies[..second], &energies[energies.len() - second..]].map(mean)
    }
}

/// A double pendulum, and beside it on the same base a lever of 10 g whose end rests on the ground.
fn pendulum_with_lever() -> Vec<Link> {
    let y = Vector3::y();
    vec![
        rod(None, [0.0, 0.0, 1.0], y, [1.0, 0.4], 0),
        rod(Some(0), [0.0, 0.0, -0.4], y, [0.5, 0.3], 1),
        // It hangs from 0.1 m above the ground, and lies there half a turn less a bit.
        rod(None, [0.3, 0.0, 0.1], y, [0.01, 0.2], 2),
    ]
}

#[test]
fn a_pendulum_keeps_its_energy_while_a_lever_rests_beside_it() {
    for rate in [240.0, 480.0] {
        let mut run = Run::of(&pendulum_with_lever(), rate);
        run.state.positions[0] = 2.0;
        run.state.positions[1] = 0.5;
        // Its tip at half its length below the hinge: on the ground.
        run.state.positions[2] = PI / 3.0;
        let tip = [(2, Vector3::new(0.0, 0.0, -0.2))];
        let [first, last] = run.ends(10.0, &tip, 0.5);
        let swing = 1.0 * 9.81 * 0.4;
        println!("{rate} Hz: {first} J, {last} J");
        assert!(
            (last - first).abs() < 5e-3 * swing,
            "{rate}: {first} {last}"
        );
    }
}

#[test]
fn a_base_that_carries_both_keeps_its_energy() {
    // All on a cart that slides freely, so that the lever's contact acts on what swings.
    let mut links = vec![Link {
        parent: None,
        parent_from_joint: Isometry3::identity(),
        joint: Joint::Prismatic(Axis::new(Vector3::x_axis(), 3)),
        inertia: Inertia::new(2.0, Vector3::zeros(), Matrix3::identity() * 0.1),
    }];
    for link in pendulum_with_lever() {
        let parent = Some(link.parent.map_or(0, |parent| parent + 1));
        links.push(Link { parent, ..link });
    }
    let mut run = Run::of(&links, 240.0);
    let tree = &run.tree;
    let index_of = |number: usize| tree.variable(number).unwrap().position;
    let indices = [index_of(0), index_of(1), index_of(2)];
    for (index, angle) in indices.into_iter().zip([2.0, 0.5, PI / 3.0]) {
        run.state.positions[index] = angle;
    }
    let tip = [(3, Vector3::new(0.0, 0.0, -0.2))];
    let [first, last] = run.ends(10.0, &tip, 0.0);
    println!("{first} J, {last} J");
    assert!((last - first).abs() < 5e-3 * 9.81 * 0.4, "{first} {last}");
}

/// Two rods over the ground, too long to hang: the tip slides to and fro without friction.
#[test]
fn a_tip_that_slides_without_friction_keeps_its_energy() {
    for rate in [240.0, 480.0] {
        let y = Vector3::y();
        let links = [
            rod(None, [0.0, 0.0, 0.5], y, [1.0, 0.4], 0),
            rod(Some(0), [0.0, 0.0, -0.4], y, [0.5, 0.3], 1),
        ];
        let mut run = Run::of(&links, rate);
        // The knee at 0.4·cos 0.9 below the hinge; the tip on the ground.
        run.state.positions[0] = 0.9;
        let left: f64 = (0.5 - 0.4 * libm::cos(0.9)) / 0.3;
        run.state.positions[1] = -0.9 - libm::acos(left);
        let tip = [(1, Vector3::new(0.0, 0.0, -0.3))];
        let [first, last] = run.ends(10.0, &tip, 0.0);
        println!("{rate} Hz: {first} J, {last} J");
        assert!((last - first).abs() < 5e-3 * 1.5, "{rate}: {first} {last}");
    }
}

/// A tree alone moves as one that carries a body of a billionth of its mass.
#[test]
fn a_body_that_weighs_nothing_changes_nothing() {
    let starts = [[2.0, 0.5], [1.0, -2.0], [3.0, 1.0]];
    for (start, rate) in starts.into_iter().zip([240.0, 120.0, 960.0]) {
        let y = Vector3::y();
        let links = [
            rod(None, [0.0, 0.0, 0.0], y, [1.0, 0.4], 0),
            rod(Some(0), [0.0, 0.0, -0.4], y, [0.5, 0.3], 1),
        ];
        let mut alone = Run::of(&links, rate);
        alone.state.positions.copy_from_slice(&start);
        let mut with = Run::of(&links, rate);
        with.state = alone.state.clone();
        let local = Vector3::new(0.0, 0.0, -0.3);
        with.integrator
            .workspace
            .forward_kinematics(&with.tree, &with.base, &with.state);
        let mass = 1e-9;
        let mut bodies = [FreeBody {
            inverse_mass: Vector3::repeat(1.0 / mass),
            inverse_inertia: Matrix3::identity() * (1e4 / mass),
            center: with.point(1, local),
            before: Motion::ZERO,
            linear: Vector3::zeros(),
            angular: Vector3::zeros(),
            moving: Motion::ZERO,
        }];
        let mut index = bodies[0].center;
        for _ in 0..(2.0 * rate) as usize {
            alone.step();
            with.predict();
            let body = &mut bodies[0];
            body.before = Motion {
                angular: body.angular,
                linear: body.linear,
            };
            body.center = index + body.linear * (with.dt / 2.0);
            body.linear += GRAVITY * with.dt;
            let weld = Weld {
                sides: [Side::Link { member: 0, link: 1 }, Side::Body(0)],
                point: body.center,
                error: Motion {
                    angular: Vector3::zeros(),
                    linear: body.center - with.point(1, local),
                },
                holds: [true, true, true, false, false, false],
                turning: Vector3::zeros(),
                velocity: None,
                impulse: Force::default(),
            };
            with.step_with(&mut bodies, &mut [], &mut [weld]);
            index += bodies[0].moving.linear * with.dt;
        }
        for (one, other) in alone.state.positions.iter().zip(&with.state.positions) {
            assert!(
                (one - other).abs() < 1e-6,
                "{rate}: {:?} {:?}",
                alone.state,
                with.state
            );
        }
    }
}
