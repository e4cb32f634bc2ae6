//! Random trees and starts: touching adds no energy, and what weighs nothing changes nothing.
use nalgebra::{Isometry3, Matrix3, Vector3};
use proptest::prelude::*;

use super::{energy_tests::GROUND, *};
use crate::{
    spatial::Inertia,
    test_run::{GRAVITY, Run, rod},
    tree::{Axis, Joint, Link},
};

/// Link of a random tree: (index of its parent, as a fraction of the number of links before it; axis of its joint; mass in
/// kg and length in m; initial position in rad).
pub(super) type Rod = (f64, [f64; 3], [f64; 2], f64);

pub(super) fn any_rods() -> impl Strategy<Value = Vec<Rod>> {
    let axis = prop::array::uniform3(-1.0..1.0_f64);
    let axis = axis.prop_filter("it has a direction", |axis| {
        Vector3::from(*axis).norm() > 0.1
    });
    let rod = (0.2..2.0_f64, 0.2..0.5_f64).prop_map(|(mass, length)| [mass, length]);
    prop::collection::vec((0.0..1.0_f64, axis, rod, -1.5..1.5_f64), 1..5)
}

/// Rods on a base, which is a link if it has a joint; each at the end of another one or below the base.
pub(super) fn rod_links(base: Option<Link>, rods: &[Rod]) -> Vec<Link> {
    let mut links: Vec<Link> = base.into_iter().collect();
    let first = links.len();
    for (number, (parent, axis, size, _)) in rods.iter().enumerate() {
        let parent = ((parent * (number + 1) as f64) as usize).checked_sub(1);
        let end = parent.map_or(0.0, |parent| -rods[parent].2[1]);
        let parent = parent.map_or(first.checked_sub(1), |parent| Some(parent + first));
        let mut link = rod(parent, [0.0, 0.0, end], Vector3::from(*axis), *size, number);
        // As thick as long: what weighs next to nothing does so about every axis.
        let [mass, length] = *size;
        let about = Matrix3::identity() * (mass * length * length / 12.0);
        link.inertia = Inertia::new(mass, link.inertia.center(), about);
        links.push(link);
    }
    links
}

/// Rods on a base where they start.
pub(super) fn run(links: &[Link], rods: &[Rod], rate: f64) -> Run {
    let mut run = Run::of(links, rate);
    for (number, (.., start)) in rods.iter().enumerate() {
        let position = run.tree.variable(number).unwrap().position;
        run.state.positions[position] = *start;
    }
    run
}

/// Energy that the rods have above that of rest at the bottom, J.
fn swing(run: &mut Run, rods: &[Rod]) -> f64 {
    let now = run.energy();
    let state = run.state.clone();
    for number in 0..rods.len() {
        let position = run.tree.variable(number).unwrap().position;
        run.state.positions[position] = 0.0;
    }
    let least = run.energy();
    run.state = state;
    now - least
}

/// Height of the end of the last rod where all hang down, m.
fn at_bottom(rods: &[Rod]) -> f64 {
    let mut run = Run::of(&rod_links(None, rods), 1.0);
    run.integrator
        .workspace
        .forward_kinematics(&run.tree, &run.base, &run.state);
    let last = rods.len() - 1;
    run.point(last, Vector3::new(0.0, 0.0, -rods[last].2[1])).z
}

/// Radius of the balls, m.
const RADIUS: f64 = 0.02;

/// Hollow body at the end of the last link.
#[derive(Clone, Copy)]
enum Inside {
    /// A cube of 0.1 m.
    Cube,
    /// A ball of this radius, m.
    Bowl(f64),
}

/// A ball inside of what the last link of a tree carries.
struct Ball {
    inside: Inside,
    position: Vector3<f64>,
    motion: Motion,
    mass: f64,
    friction: f64,
    /// Impulses of the step before on each side.
    known: [Vector3<f64>; 6],
    separation_velocity: [Option<f64>; 6],
}

impl Ball {
    /// At rest in the middle.
    fn new(inside: Inside, run: &mut Run, end: Vector3<f64>, mass: f64) -> Self {
        run.integrator
            .workspace
            .forward_kinematics(&run.tree, &run.base, &run.state);
        Self {
            inside,
            position: run.point(run.tree.link_count() - 1, end),
            motion: Motion::ZERO,
            mass,
            friction: 0.0,
            known: [Vector3::zeros(); 6],
            separation_velocity: [None; 6],
        }
    }

    fn step(&mut self, run: &mut Run, end: Vector3<f64>) {
        run.predict();
        let mut bodies = [FreeBody {
            inverse_mass: Vector3::repeat(1.0 / self.mass),
            inverse_inertia: Matrix3::identity() * (2.5 / (self.mass * RADIUS * RADIUS)),
            center: self.position + self.motion.linear * (run.dt / 2.0),
            before: self.motion,
            linear: self.motion.linear + GRAVITY * run.dt,
            angular: self.motion.angular,
            moving: Motion::ZERO,
        }];
        let (sides, mut contacts): (Vec<_>, Vec<_>) = self
            .contacts(run, &end, &bodies[0].center)
            .into_iter()
            .unzip();
        run.step_with(&mut bodies, &mut contacts, &mut []);
        self.known = [Vector3::zeros(); 6];
        self.separation_velocity = [None; 6];
        for (side, contact) in sides.into_iter().zip(&contacts) {
            self.known[side] = contact.impulse;
            self.separation_velocity[side] = contact.separation_velocity;
        }
        let [body] = bodies;
        self.position += body.moving.linear * run.dt;
        (self.motion.linear, self.motion.angular) = (body.linear, body.angular);
    }

    /// The sides that are near, and the contacts there.
    fn contacts(
        &self,
        run: &Run,
        end: &Vector3<f64>,
        center: &Vector3<f64>,
    ) -> Vec<(usize, Contact)> {
        let link = run.tree.link_count() - 1;
        let pose = run.integrator.workspace.pose_of(link);
        let local = pose.rotation.tr_mul(&(center - pose.position)) - end;
        let near: Vec<(usize, Vector3<f64>, f64)> = match self.inside {
            Inside::Bowl(radius) => vec![(0, -local.normalize(), radius - local.norm())],
            Inside::Cube => (0..6)
                .map(|side| {
                    let normal = Vector3::ith(side / 2, if side % 2 == 0 { 1.0 } else { -1.0 });
                    (side, normal, 0.05 + normal.dot(&local))
                })
                .collect(),
        };
        let touch = |(side, normal, gap): (usize, Vector3<f64>, f64)| {
            let normal = pose.rotation * normal;
            let sides = [Side::Link { member: 0, link }, Side::Body(0)];
            let contact = Contact {
                sides,
                friction_sides: sides,
                point: center - normal * RADIUS,
                normal,
                separation_velocity: self.separation_velocity[side],
                slip: None,
                distance: gap - RADIUS,
                friction: self.friction,
                restitution: 0.0,
                tangent_velocity: Vector3::zeros(),
                share: 1.0,
                impulse: self.known[side],
            };
            (side, contact)
        };
        let close = near.into_iter().filter(|(.., gap)| *gap < 0.1);
        close.map(touch).collect()
    }

    fn touches(&self) -> bool {
        self.known
            .iter()
            .any(|impulse| *impulse != Vector3::zeros())
    }

    fn energy(&self) -> f64 {
        let speed = self.motion.linear.norm_squared();
        let spin = 0.4 * RADIUS * RADIUS * self.motion.angular.norm_squared();
        self.mass * ((speed + spin) / 2.0 - GRAVITY.dot(&self.position))
    }
}

/// Rods, and a ball in a cube at the end of the last one: the difference from the rods alone after 2 s, rad, given the share of
/// their mass that the ball weighs.
fn difference(rods: &[Rod], rate: f64, friction: f64, share: f64) -> Result<f64, TestCaseError> {
    let links = rod_links(None, rods);
    let [mut alone, mut with] = [run(&links, rods, rate), run(&links, rods, rate)];
    let end = Vector3::new(0.0, 0.0, -rods[rods.len() - 1].2[1]);
    let mass = share * rods.iter().map(|rod| rod.2[0]).sum::<f64>();
    let mut ball = Ball::new(Inside::Cube, &mut with, end, mass);
    ball.friction = friction;
    let mut touches = 0;
    for _ in 0..(2.0 * rate) as usize {
        alone.step();
        ball.step(&mut with, end);
        touches += u32::from(ball.touches());
    }
    // It falls at first, and may fly later.
    prop_assert!(
        f64::from(touches) > rate,
        "it touches in {touches} steps only"
    );
    let pairs = alone.state.positions.iter().zip(&with.state.positions);
    Ok(pairs
        .map(|(one, other)| (one - other).abs())
        .fold(0.0, f64::max))
}

/// Mean energies of the first second of some and of the last one, J.
fn ends(energies: &[f64], rate: f64) -> [f64; 2] {
    let second = rate as usize;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / second as f64;
    [&energies[..second], &energies[energies.len() - second..]].map(mean)
}

fn rates() -> impl Strategy<Value = f64> {
    prop::sample::select(vec![120.0, 240.0, 480.0])
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        max_global_rejects: 10_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_weighs_nothing_and_touches_changes_nothing(
        rods in any_rods(), rate in prop::sample::select(vec![60.0, 120.0, 240.0, 960.0]), friction in 0.0..1.0_f64,
    ) {
        let apart = difference(&rods, rate, friction, 1e-9)?;
        // One in a hundred of these trees is so unstable that even that mass makes more: then a thousandth of it makes a
        // thousandth of the difference.
        if apart > 1e-6 {
            let less = difference(&rods, rate, friction, 1e-12)?;
            prop_assert!(apart < 1e-4 && less < 2e-3 * apart, "{apart} rad, {less} rad");
        }
    }

    /// On a cart that slides freely swing rods, and lies a lever of 10 g whose tip slides on the ground.
    #[test]
    fn a_lever_that_slides_beside_random_rods_keeps_their_energy(
        mut rods in any_rods(), rate in rates(), cart in 1.0..10.0_f64, lies in 0.1..1.3_f64,
    ) {
        for rod in &mut rods {
            rod.1 = [0.0, 1.0, 0.0];
        }
        let base = Link {
            parent: None,
            parent_from_joint: Isometry3::identity(),
            joint: Joint::Prismatic(Axis::new(Vector3::x_axis(), 100)),
            inertia: Inertia::new(cart, Vector3::zeros(), Matrix3::identity()),
        };
        let mut links = rod_links(Some(base), &rods);
        let lever = links.len();
        links.push(rod(Some(0), [0.0, 0.0, 0.2 * libm::cos(lies)], Vector3::y(), [0.01, 0.2], 101));
        let mut run = run(&links, &rods, rate);
        let position = run.tree.variable(101).unwrap().position;
        run.state.positions[position] = lies;
        let swing = swing(&mut run, &rods);
        prop_assume!(swing > 0.1);
        let tip = [(lever, Vector3::new(0.0, 0.0, -0.2))];
        let (energies, flown) = run.energies(10.0, &tip, 0.0);
        // What comes down without a bounce loses what it had.
        prop_assume!(flown < 10);
        let [first, last] = ends(&energies, rate);
        prop_assert!((last - first).abs() < 5e-3 * swing, "{first} J, {last} J of {swing} J");
    }

    /// A heavy body that stands on four feet, from which rods hang and swing.
    #[test]
    fn what_stands_and_carries_random_rods_keeps_their_energy(
        rods in any_rods(), rate in rates(), mass in 30.0..200.0_f64,
    ) {
        let base = Link {
            parent: None,
            parent_from_joint: Isometry3::identity(),
            joint: Joint::Floating,
            inertia: Inertia::new(mass, Vector3::zeros(), Matrix3::identity() * (mass / 6.0)),
        };
        let mut run = run(&rod_links(Some(base), &rods), &rods, rate);
        run.state.positions[2] = 0.5 - 1e-4;
        let swing = swing(&mut run, &rods);
        prop_assume!(swing > 0.1);
        let feet = [(0.5, 0.5), (0.5, -0.5), (-0.5, 0.5), (-0.5, -0.5)];
        let feet = feet.map(|(x, y)| (0, Vector3::new(x, y, -0.5)));
        let (energies, flown) = run.energies(11.0, &feet, 10.0);
        prop_assume!(flown < 10);
        // It settles by a micrometre first.
        let [first, last] = ends(&energies[rate as usize..], rate);
        prop_assert!((last - first).abs() < 5e-3 * swing, "{first} J, {last} J of {swing} J");
    }

    /// A ball that slides in a bowl at the end of the last rod.
    #[test]
    fn a_ball_in_a_bowl_keeps_the_energy_of_random_rods(
        rods in any_rods(), rate in prop::sample::select(vec![480.0, 960.0]), radius in 0.1..0.3_f64, mass in 0.01..0.5_f64,
    ) {
        let mut run = run(&rod_links(None, &rods), &rods, rate);
        let size = rods[rods.len() - 1].2;
        let link = rods.len() - 1;
        let end = Vector3::new(0.0, 0.0, -size[1]);
        let mut ball = Ball::new(Inside::Bowl(radius), &mut run, end, mass);
        let down = run.integrator.workspace.pose_of(link).rotation.tr_mul(&-Vector3::z());
        ball.position = run.point(link, end + down * (radius - RADIUS + 1e-4));
        let before = ball.position.z;
        let own = swing(&mut run, &rods);
        let bottom = at_bottom(&rods) - (radius - RADIUS);
        let swing = own + mass * GRAVITY.norm() * (before - bottom);
        prop_assume!(own > 0.1);
        let mut energies = Vec::new();
        for _ in 0..(10.0 * rate) as usize {
            ball.step(&mut run, end);
            // What jumps comes down without a bounce, and loses what it had; and what turns far in a step is rough.
            prop_assume!(ball.touches());
            let speed = ball.motion.linear - run.velocity(link, &ball.position);
            prop_assume!(speed.norm() / rate < 0.05 * (radius - RADIUS));
            energies.push(run.energy() + ball.energy());
        }
        let [first, last] = ends(&energies, rate);
        prop_assert!((last - first).abs() < 5e-3 * swing, "{first} J, {last} J of {swing} J");
    }
}

/// Contact of a tree with something that does not move: link as a fraction of their number, position on it in m, normal,
/// and gap in m.
type GroundContact = (f64, [f64; 3], [f64; 3], f64);

fn any_ground_contacts() -> impl Strategy<Value = Vec<GroundContact>> {
    let normal = prop::array::uniform3(-1.0..1.0_f64);
    let normal = normal.prop_filter("it has a direction", |normal| {
        Vector3::from(*normal).norm() > 0.1
    });
    let point = (-0.05..0.05_f64, -0.05..0.05_f64, -0.5..0.0_f64).prop_map(|(x, y, z)| [x, y, z]);
    prop::collection::vec((0.0..1.0_f64, point, normal, -0.4..0.02_f64), 1..20)
}

/// Contacts of the rods as they are, with the state of those of the last step.
fn touching(
    run: &Run,
    rods: &[Rod],
    touches: &[GroundContact],
    friction: f64,
    known: &[Contact],
) -> Vec<Contact> {
    let contact = |(index, (link, local, normal, distance)): (usize, &GroundContact)| {
        let link = (link * rods.len() as f64) as usize;
        let sides = [GROUND, Side::Link { member: 0, link }];
        let before = known.get(index).filter(|known| known.sides == sides);
        let normal = Vector3::from(*normal).normalize();
        Contact {
            sides,
            friction_sides: sides,
            point: run.point(link, Vector3::from(*local)),
            normal,
            separation_velocity: before.and_then(|known| known.separation_velocity),
            slip: before.and_then(|known| known.slip),
            distance: *distance,
            friction,
            restitution: 0.0,
            tangent_velocity: Vector3::zeros(),
            share: 1.0,
            impulse: before.map_or(Vector3::zeros(), |known| known.impulse),
        }
    };
    touches.iter().enumerate().map(contact).collect()
}

fn kinetic_energy(run: &mut Run) -> f64 {
    let workspace = &mut run.integrator.workspace;
    workspace.forward_kinematics(&run.tree, &run.base, &run.state);
    workspace.energy(&run.tree, &run.base)[0]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Whatever pushes a tree out of something, it gets no faster than without contacts.
    #[test]
    fn contacts_do_not_accelerate_a_tree(
        rods in any_rods(),
        steps in prop::collection::vec(any_ground_contacts(), 1..12),
        friction in 0.0..1.0_f64,
    ) {
        let mut run = run(&rod_links(None, &rods), &rods, 240.0);
        let mut contacts = Vec::new();
        for touches in steps {
            let state = run.state.clone();
            run.step();
            let free = kinetic_energy(&mut run);
            run.state = state;
            run.predict();
            contacts = touching(&run, &rods, &touches, friction, &contacts);
            run.step_with(&mut [], &mut contacts, &mut []);
            let energy = kinetic_energy(&mut run);
            prop_assert!(energy <= 2.0 * free + 1e-6, "{energy} J, {free} J without contacts");
        }
    }
}
