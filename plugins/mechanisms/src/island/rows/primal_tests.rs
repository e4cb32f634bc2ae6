//! Newton steps for velocities beside those for impulses.
use nalgebra::{Matrix3, Vector3};

use super::{Rows, newton::NewtonSolver, primal::VelocitySolver};
use crate::{
    island::{Contact, FreeBody, Side},
    spatial::Motion,
};

const DT: f64 = 1.0 / 240.0;

fn body(number: usize) -> FreeBody {
    let at = number as f64;
    FreeBody {
        inverse_mass: Vector3::repeat(1.0 + 0.1 * at),
        inverse_inertia: Matrix3::from_diagonal(&Vector3::new(6.0, 7.0, 5.0 + at)),
        center: Vector3::new(0.3 * at, 0.0, 0.1),
        before: Motion::ZERO,
        linear: Vector3::new(0.1 * (at - 1.0), 0.03, -0.04),
        angular: Vector3::new(0.01, 0.02 * at, 0.3),
        moving: Motion::ZERO,
    }
}

/// A body that moves in a plane only, as a link of a planar chain: nothing moves it along the other axis.
fn planar_body(number: usize) -> FreeBody {
    let own = body(number);
    FreeBody {
        inverse_mass: own.inverse_mass.component_mul(&Vector3::new(1.0, 0.0, 1.0)),
        inverse_inertia: Matrix3::from_diagonal(&Vector3::new(0.0, 7.0, 0.0)),
        ..own
    }
}

/// Bodies in a row that touch the ground and one another, some of which slide.
fn row_of_bodies(count: usize) -> (Rows, Vec<f64>) {
    row_of_bodies_in(Rows::default(), count, false)
}

/// Bodies in a row in existing rows, with an entry for each velocity or with blocks.
pub(super) fn row_of_bodies_in(rows: Rows, count: usize, is_dense: bool) -> (Rows, Vec<f64>) {
    row_in(rows, (0..count).map(body).collect(), is_dense)
}

fn row_in(mut rows: Rows, bodies: Vec<FreeBody>, is_dense: bool) -> (Rows, Vec<f64>) {
    let count = bodies.len();
    let starts: Vec<usize> = (0..count).map(|body| 6 * body).collect();
    rows.clear(3.0);
    if is_dense {
        rows.lay_out(6 * count, [4 * count, 0]);
    }
    let mut touch = |sides: [Side; 2], point: Vector3<f64>, normal: Vector3<f64>| {
        let contact = Contact {
            sides,
            friction_sides: sides,
            point,
            normal,
            separation_velocity: None,
            slip: None,
            distance: -1.2e-4,
            friction: 0.4,
            restitution: 0.0,
            tangent_velocity: Vector3::zeros(),
            share: 1.0,
            impulse: normal * 0.01,
        };
        let gap = &mut { contact.distance };
        rows.add_contact((&contact, gap, false, [0.0, DT]), &[], &bodies, &starts);
    };
    for (index, body) in bodies.iter().enumerate() {
        let ground = Side::Prescribed(Vector3::new(0.02, 0.0, 0.0));
        for (x, y) in [(-0.1, -0.1), (-0.1, 0.1), (0.1, -0.1), (0.1, 0.1)] {
            let point = Vector3::new(body.center.x + x, y, 0.0);
            touch([ground, Side::Body(index)], point, Vector3::z());
        }
        if index > 0 {
            let point = Vector3::new(body.center.x - 0.15, 0.02, 0.12);
            touch(
                [Side::Body(index - 1), Side::Body(index)],
                point,
                Vector3::x(),
            );
        }
    }
    rows.close();
    rows.compute_responses(&mut [], &bodies, DT);
    let motions = bodies.iter().flat_map(|body| [body.linear, body.angular]);
    let mut velocities: Vec<f64> = motions
        .flat_map(|vector| [vector.x, vector.y, vector.z])
        .collect();
    rows.apply_warm_start(&mut velocities);
    (rows, velocities)
}

#[test]
fn a_step_for_velocities_is_a_step_for_impulses() {
    let (rows, start) = row_of_bodies(4);
    let numbers = [&rows.jacobians[..], &rows.responses[..]];
    let mut by_impulses = (rows.rows.clone(), start.clone());
    let mut solver = NewtonSolver::default();
    solver.invalidate(rows.rows.len());
    let (own, velocities) = &mut by_impulses;
    assert!(solver.newton_step(own, &rows.contacts, numbers, velocities));
    let mut by_velocities = (rows.rows.clone(), start.clone());
    let mut solver = VelocitySolver::default();
    let (own, velocities) = &mut by_velocities;
    assert!(solver.newton_step(own, &rows.contacts, numbers, velocities));
    let slides = solver.groups.iter().filter(|group| group.gain[1][0] != 0.0);
    assert!(slides.count() > 2, "some contacts slide");
    for (one, other) in by_impulses.0.iter().zip(&by_velocities.0) {
        assert!(
            (one.impulse - other.impulse).abs() < 1e-7,
            "{one:?} {other:?}"
        );
    }
    for (one, other) in by_impulses.1.iter().zip(&by_velocities.1) {
        assert!((one - other).abs() < 1e-7, "{one} {other}");
    }
    assert!(
        start
            .iter()
            .zip(&by_velocities.1)
            .any(|(a, b)| (a - b).abs() > 1e-3)
    );
}

#[test]
fn many_rows_converge_in_few_sweeps() {
    let (mut rows, mut velocities) = row_of_bodies(60);
    let sweeps = rows.sweep(&mut velocities, false);
    assert!(sweeps < 40, "{sweeps}");
    let resting = rows.rows.iter().step_by(3).filter(|row| row.impulse > 0.0);
    assert!(resting.count() > 100);
}

/// Results must not depend on islands that were solved before: a copy of the simulation has not solved them.
#[test]
fn a_large_island_leaves_nothing_behind() {
    let step = |solver: &mut VelocitySolver, count| {
        let (rows, mut velocities) = row_of_bodies(count);
        let mut own = rows.rows.clone();
        let numbers = [&rows.jacobians[..], &rows.responses[..]];
        let done = solver.newton_step(&mut own, &rows.contacts, numbers, &mut velocities);
        (done, velocities)
    };
    let mut used = VelocitySolver::default();
    assert!(!step(&mut used, 600).0, "too many bodies");
    assert!(step(&mut used, 30).0);
    let [again, fresh] = [&mut used, &mut VelocitySolver::default()].map(|it| step(it, 12));
    assert!(fresh.0);
    assert_eq!(again, fresh);
}

/// Asserts that damped steps lead to the velocities of sweeps and Newton steps for Coulomb friction, from impulses of zero.
fn assert_damped_alike(body: fn(usize) -> FreeBody, is_relaxed: bool) {
    let row = || row_in(Rows::default(), (0..8).map(body).collect(), false);
    let (mut exact, mut expected) = row();
    exact.sweep(&mut expected, false);
    let (mut rows, mut velocities) = row();
    if is_relaxed {
        // A few rounds of multipliers begin at the impulses of the correction, as in a step.
        exact.relax(&mut expected);
        rows.sweep(&mut velocities, false);
        rows.relax_compliances();
    } else {
        for row in &mut rows.rows {
            row.set(0.0, &rows.responses, &mut velocities);
        }
    }
    assert!(!exact.is_damped && !rows.is_damped);
    let numbers = [&rows.jacobians[..], &rows.responses[..]];
    let mut solver = VelocitySolver::default();
    let (own, contacts) = (&mut rows.rows, &rows.contacts);
    let mut solve = || solver.solve_damped(own, contacts, numbers, &mut velocities, is_relaxed);
    assert!(solve().is_some_and(|steps| steps > 1));
    for _ in 0..8 {
        // More rounds than in a step of the simulation.
        assert!(solve().is_some());
    }
    for (one, other) in velocities.iter().zip(&expected) {
        assert!((one - other).abs() < 5e-6, "{one} {other}");
    }
    for (one, other) in rows.rows.chunks(3).zip(exact.rows.chunks(3)) {
        let most = rows.contacts[0].friction * one[0].impulse;
        let friction = libm::hypot(one[1].impulse, one[2].impulse);
        assert!(one[0].impulse >= 0.0 && friction < most + 1e-6);
        // Relaxations may share a load differently among more points than it needs.
        let difference = (one[0].impulse - other[0].impulse).abs();
        assert!(is_relaxed || difference < 1e-6, "{difference}");
    }
}

#[test]
fn damped_steps_find_coulomb_friction() {
    assert_damped_alike(body, false);
    assert_damped_alike(planar_body, false);
}

#[test]
fn damped_steps_keep_the_velocities_of_relaxations() {
    assert_damped_alike(body, true);
    assert_damped_alike(planar_body, true);
}

/// Velocities are those of a solution, and no contact pulls, whatever the impulses were before.
#[test]
fn damped_steps_end_at_absurd_impulses() {
    let (mut rows, mut velocities) = row_of_bodies(8);
    for (index, row) in rows.rows.iter_mut().enumerate() {
        let sign = if index % 2 == 0 { 1.0 } else { -1.0 };
        row.set(sign * 1e6, &rows.responses, &mut velocities);
    }
    let numbers = [&rows.jacobians[..], &rows.responses[..]];
    let mut solver = VelocitySolver::default();
    let (own, contacts) = (&mut rows.rows, &rows.contacts);
    assert!(
        solver
            .solve_damped(own, contacts, numbers, &mut velocities, false)
            .is_some()
    );
    let numbers = [&rows.jacobians[..], &rows.responses[..]];
    let (own, contacts) = (&mut rows.rows, &rows.contacts);
    solver.solve_damped(own, contacts, numbers, &mut velocities, false);
    assert!(
        velocities.iter().all(|speed| speed.abs() < 2.0),
        "{velocities:?}"
    );
    assert!(rows.rows.iter().step_by(3).all(|row| row.impulse >= 0.0));
}
