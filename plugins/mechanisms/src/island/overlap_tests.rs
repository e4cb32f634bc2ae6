//! Links that overlap: contacts separate them, and add no energy.
use nalgebra::Vector3;
use proptest::prelude::*;

use super::{
    energy_tests::GROUND,
    random_tests::{Rod, any_rods, rod_links, run},
    *,
};
use crate::test_run::{Run, rod};

/// Returns the points of two segments that are nearest to each other, given their beginnings and ends.
fn nearest(one: [Vector3<f64>; 2], other: [Vector3<f64>; 2]) -> [Vector3<f64>; 2] {
    let [along, across] = [one, other].map(|[begin, end]| end - begin);
    let between = one[0] - other[0];
    let (a, b, e) = (along.dot(&along), along.dot(&across), across.dot(&across));
    let (c, f) = (along.dot(&between), across.dot(&between));
    let square = a * e - b * b;
    let of_one = if square > 1e-12 {
        ((b * f - c * e) / square).clamp(0.0, 1.0)
    } else {
        0.5
    };
    let of_other = ((b * of_one + f) / e).clamp(0.0, 1.0);
    let of_one = ((b * of_other - c) / a).clamp(0.0, 1.0);
    [one[0] + along * of_one, other[0] + across * of_other]
}

/// Rods with round sides of these radii, m, and their contacts of the last step.
struct Chain {
    run: Run,
    lengths: Vec<f64>,
    radii: Vec<f64>,
    friction: f64,
    known: Vec<Contact>,
}

impl Chain {
    /// Returns the contact of two links, if it is nearer than 20 mm.
    fn contact(&self, [one, other]: [usize; 2]) -> Option<Contact> {
        let workspace = &self.run.integrator.workspace;
        let ends = [one, other].map(|link| {
            let pose = workspace.pose_of(link);
            [0.0, -self.lengths[link]].map(|z| pose.point(&Vector3::new(0.0, 0.0, z)))
        });
        let [one_point, other_point] = nearest(ends[0], ends[1]);
        let between = other_point - one_point;
        let gap = between.norm() - self.radii[one] - self.radii[other];
        if gap > 0.02 || between.norm() < 1e-6 {
            return None;
        }
        let normal = between.normalize();
        let surfaces =
            one_point + normal * self.radii[one] + other_point - normal * self.radii[other];
        let sides = [one, other].map(|link| Side::Link { member: 0, link });
        let before = self.known.iter().find(|known| known.sides == sides);
        Some(Contact {
            sides,
            friction_sides: sides,
            point: surfaces / 2.0,
            normal,
            separation_velocity: before.and_then(|known| known.separation_velocity),
            slip: before.and_then(|known| known.slip),
            distance: gap,
            friction: self.friction,
            restitution: 0.0,
            tangent_velocity: Vector3::zeros(),
            share: 1.0,
            impulse: before.map_or(Vector3::zeros(), |known| known.impulse),
        })
    }

    /// Makes a step with contacts between all links that are not neighbours.
    fn step(&mut self) {
        self.run.predict();
        let count = self.lengths.len();
        let pairs = (0..count).flat_map(|one| (one + 1..count).map(move |other| [one, other]));
        let parent = |link| self.run.tree.parent_of(link);
        let apart = pairs
            .filter(|[one, other]| parent(*other) != Some(*one) && parent(*other) != parent(*one));
        let mut contacts: Vec<Contact> = apart.filter_map(|pair| self.contact(pair)).collect();
        self.run.step_with(&mut [], &mut contacts, &mut []);
        self.known = contacts;
    }

    /// Returns the greatest energy within 2 s, relative to that of the start.
    fn greatest_energy(&mut self) -> f64 {
        let start = self.run.energy();
        let steps = 0..(2.0 / self.run.dt) as usize;
        let energies = steps.map(|_| {
            self.step();
            let energy = self.run.energy();
            if energy.is_finite() {
                energy
            } else {
                f64::INFINITY
            }
        });
        energies.fold(0.0, f64::max) / start
    }
}

fn chain(rods: &[Rod], radii: &[f64], speeds: &[f64], (friction, rate): (f64, f64)) -> Chain {
    let mut run = run(&rod_links(None, rods), rods, rate);
    run.base.gravity = Vector3::zeros();
    for (number, speed) in speeds.iter().take(rods.len()).enumerate() {
        let variable = run.tree.variable(number).unwrap();
        run.state.velocities[variable.speed] = *speed;
        // Turned twice as far, rods overlap more often.
        run.state.positions[variable.position] *= 2.0;
    }
    Chain {
        run,
        lengths: rods.iter().map(|rod| rod.2[1]).collect(),
        radii: radii.to_vec(),
        friction,
        known: Vec::new(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// The energy of one of twenty such chains rose by more than that, of some without limit.
    #[test]
    fn links_that_overlap_gain_no_energy(
        rods in any_rods(),
        radii in prop::collection::vec(0.02..0.15_f64, 5),
        speeds in prop::collection::vec(-2.0..2.0_f64, 5),
        friction in 0.0..1.5_f64,
        rate in prop::sample::select(vec![60.0, 120.0, 240.0]),
    ) {
        let mut chain = chain(&rods, &radii, &speeds, (friction, rate));
        prop_assume!(chain.run.energy() > 0.01);
        let greatest = chain.greatest_energy();
        prop_assert!(greatest < 1.05, "{greatest} times the energy at {rate} Hz");
    }
}

/// An elbow of two rods that a contact stretches. The inertia about the axis of the shoulder rises with it, and the energy at equal
/// velocities.
#[test]
fn a_correction_adds_no_energy_to_an_elbow_that_turns() {
    for rate in [60.0, 240.0] {
        let z = Vector3::z();
        let links = [
            rod(None, [0.0, 0.0, 0.0], Vector3::y(), [1.0, 0.4], 0),
            rod(Some(0), [0.0, 0.0, -0.4], Vector3::x(), [1.0, 0.4], 1),
        ];
        let mut run = Run::of(&links, rate);
        run.base.gravity = Vector3::zeros();
        run.state.positions.copy_from_slice(&[0.0, 2.0]);
        run.state.velocities.copy_from_slice(&[1.0, 0.0]);
        let start = run.energy();
        let mut known: Vec<Contact> = Vec::new();
        for _ in 0..(0.2 * rate) as usize {
            run.predict();
            let tip = run.point(1, Vector3::new(0.0, 0.0, -0.4));
            let sides = [GROUND, Side::Link { member: 0, link: 1 }];
            let contact = Contact {
                sides,
                friction_sides: sides,
                point: tip,
                normal: -z,
                separation_velocity: None,
                slip: None,
                distance: -0.5 - tip.z,
                friction: 0.0,
                restitution: 0.0,
                tangent_velocity: Vector3::zeros(),
                share: 1.0,
                impulse: Vector3::zeros(),
            };
            known.clear();
            known.push(contact);
            run.step_with(&mut [], &mut known, &mut []);
            let energy = run.energy();
            assert!(energy < 1.01 * start, "{rate} Hz: {energy} J of {start} J");
        }
    }
}

/// A contact whose normal passes through the axis of the only joint does not act on it.
#[test]
fn a_contact_on_the_axis_of_a_hinge_changes_nothing() {
    let axis = Vector3::new(1.0, 0.7, 0.3).normalize();
    let links = [rod(None, [0.1, 0.2, 0.3], axis, [1.0, 0.4], 0)];
    let [mut alone, mut with] = [(); 2].map(|()| Run::of(&links, 240.0));
    for run in [&mut alone, &mut with] {
        run.state.positions[0] = 1.0;
    }
    let mut known: Vec<Contact> = Vec::new();
    for tick in 0..480 {
        alone.step();
        with.predict();
        let sides = [GROUND, Side::Link { member: 0, link: 0 }];
        let axis = with.point(0, axis * 0.05) - with.point(0, Vector3::zeros());
        let before = known.first();
        known = vec![Contact {
            sides,
            friction_sides: sides,
            point: with.point(0, Vector3::zeros()) + axis,
            normal: Vector3::new(0.6, 0.0, 0.8),
            separation_velocity: before.and_then(|known| known.separation_velocity),
            slip: before.and_then(|known| known.slip),
            distance: -0.09,
            friction: 0.6,
            restitution: 0.0,
            tangent_velocity: Vector3::zeros(),
            share: 1.0,
            impulse: before.map_or(Vector3::zeros(), |known| known.impulse),
        }];
        with.step_with(&mut [], &mut known, &mut []);
        let [one, other] = [&alone, &with].map(|run| run.state.positions[0]);
        assert!((one - other).abs() < 1e-9, "tick {tick}: {one} {other}");
    }
}
