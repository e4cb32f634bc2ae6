//! Systems of an arm and a pile of bodies.
use nalgebra::{Matrix3, Vector3};

use super::{super::VelocitySolver, *};
use crate::{
    Pose,
    island::{
        Contact, Side,
        rows::{Rows, primal_tests::row_of_bodies_in},
    },
    spatial::Motion,
    test_run::{Run, rod},
};

const DT: f64 = 1.0 / 240.0;

/// A body that cannot move along the first axis, or turn about it, if it is guided.
fn body(number: usize, is_guided: bool) -> FreeBody {
    let at = number as f64;
    let mut body = FreeBody {
        inverse_mass: Vector3::repeat(1.0 + 0.3 * at),
        inverse_inertia: Matrix3::new(6.0, 0.5, 0.2, 0.5, 7.0, -0.4, 0.2, -0.4, 5.0),
        center: Vector3::new(0.3 * at, 0.1, -0.2 * at),
        before: Motion::ZERO,
        linear: Vector3::zeros(),
        angular: Vector3::zeros(),
        moving: Motion::ZERO,
    };
    if is_guided {
        body.inverse_mass.x = 0.0;
        body.inverse_inertia.row_mut(0).fill(0.0);
        body.inverse_inertia.column_mut(0).fill(0.0);
    }
    body
}

/// An arm of eight joints that touches itself and a pile of four bodies, its rows, and their laws.
fn pile(run: &mut Run) -> (Rows, Vec<Group>) {
    pile_in(Rows::default(), run)
}

/// The same in existing rows.
fn pile_in(mut rows: Rows, run: &mut Run) -> (Rows, Vec<Group>) {
    run.predict();
    let integrator = &mut run.integrator;
    integrator.begin(&run.tree, &run.base, &run.state, &[], DT);
    let mut members = [Member {
        tree: &run.tree,
        integrator,
        state: &mut run.state,
        base: run.base,
        pose: Pose::identity(),
        external_forces: &[],
    }];
    let bodies = [0, 1, 2, 3].map(|number| body(number, number == 2));
    let starts = [0, 8, 14, 20, 26, 32];
    let link = |link| Side::Link { member: 0, link };
    let ground = Side::Prescribed(Vector3::zeros());
    rows.clear(3.0);
    let touching = [
        [link(7), Side::Body(0)],
        [Side::Body(0), Side::Body(1)],
        [Side::Body(1), Side::Body(2)],
        [link(2), Side::Body(2)],
        [link(1), link(7)],
        [Side::Body(0), ground],
        [Side::Body(2), Side::Body(3)],
    ];
    for (number, sides) in touching.into_iter().enumerate() {
        let at = number as f64;
        let mut friction_sides = sides;
        if number == 3 {
            friction_sides[0] = ground;
        }
        let contact = Contact {
            sides,
            friction_sides,
            point: Vector3::new(0.1 * at, 0.2 - 0.05 * at, -0.3),
            normal: Vector3::new(1.0, 0.3 * at, -0.5).normalize(),
            separation_velocity: None,
            slip: None,
            distance: -1e-4,
            friction: 0.5,
            restitution: 0.0,
            tangent_velocity: Vector3::zeros(),
            share: 1.0,
            impulse: Vector3::zeros(),
        };
        let all = (&contact, &mut { contact.distance }, false, [0.0, DT]);
        rows.add_contact(all, &members, &bodies, &starts);
    }
    rows.close();
    rows.compute_responses(&mut members, &bodies, DT);
    // The contact of the first and the last body does not act.
    let acting = (0..touching.len()).filter(|contact| *contact != 1);
    let groups = acting.map(|contact| Group {
        first: 3 * contact,
        count: 3,
        given: [1.0, -0.5, 0.3 * contact as f64],
        gain: [[20.0, 0.0, 0.0], [0.0, 9.0, -4.0], [0.0, -4.0, 7.0]],
    });
    (rows, groups.collect())
}

/// Rods in a chain.
fn arm() -> Run {
    let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
    let links = (0..8_usize).map(|index| {
        let at = [0.0, 0.0, if index > 0 { -0.2 } else { 0.0 }];
        let axis = axes[index % 3];
        rod(index.checked_sub(1), at, axis, [1.0, 0.2], index)
    });
    Run::of(&links.collect::<Vec<_>>(), 240.0)
}

/// Asserts that a system has the solution of that for the responses.
fn assert_alike<const IS_SYMMETRIC: bool>(rows: &Rows, groups: &[Group]) {
    let numbers = [&rows.jacobians[..], &rows.responses[..]];
    let mut other = VelocitySolver {
        groups: groups.to_vec(),
        ..VelocitySolver::default()
    };
    assert!(other.assemble(&rows.rows, numbers, 32) && other.eliminate());
    other.back_substitute();
    let mut system = rows.newton.primal.system.clone();
    assert!(system.begin(&rows.rows, 7));
    system.read_all(&rows.rows, 7, &rows.jacobians);
    assert!(system.solve::<IS_SYMMETRIC>(groups, 7));
    let mut changes = [0.0; 32];
    system.advance(1.0, &mut changes);
    assert!(changes.iter().any(|change: &f64| change.abs() > 0.05));
    for (one, other) in changes.iter().zip(&other.right) {
        assert!((one - other).abs() < 1e-10, "{one} {other}");
    }
    let locked = [changes[20], changes[23]];
    assert!(locked.iter().all(|change| change.abs() < 1e-90));
    for (law, own) in rows.rows.chunks(3).enumerate() {
        for (row, change) in own.iter().zip(system.changes_of(law)) {
            let expected = row.change(&rows.jacobians, &changes);
            assert!((change - expected).abs() < 1e-12, "{change} {expected}");
        }
    }
    // Blocks of nodes that share no law are missing.
    let nodes = system.nodes.len();
    assert_eq!(nodes, 6);
    assert!(system.masses.len() > 2 * nodes && system.masses.len() < nodes * (nodes + 1) / 2);
}

#[test]
fn systems_have_the_solutions_of_those_for_responses() {
    let (rows, mut groups) = pile(&mut arm());
    assert_alike::<true>(&rows, &groups);
    assert_alike::<false>(&rows, &groups);
    for group in &mut groups {
        (group.gain[1][0], group.gain[2][0]) = (8.0, -3.0);
    }
    assert_alike::<false>(&rows, &groups);
}

/// The processor of this test may have AVX.
#[test]
fn steps_are_the_same_on_all_processors() {
    let step = |is_damped: bool, is_plain: bool| {
        let (mut rows, mut velocities) = row_of_bodies_in(Rows::default(), 30, false);
        let (own, contacts) = (&mut rows.rows, &rows.contacts);
        let numbers = [&rows.jacobians[..], &rows.responses[..]];
        let solver = &mut rows.newton.primal;
        let speeds = &mut velocities;
        let is_done = match (is_damped, is_plain) {
            (false, false) => solver.newton_step(own, contacts, numbers, speeds),
            (false, true) => solver.newton_step_plainly(own, contacts, numbers, speeds),
            (true, false) => {
                let steps = solver.solve_damped(own, contacts, numbers, speeds, false);
                steps.is_some()
            }
            (true, true) => {
                let steps = solver.solve_damped_plainly(own, contacts, numbers, speeds, false);
                steps.is_some()
            }
        };
        assert!(is_done);
        let impulses: Vec<f64> = rows.rows.iter().map(|row| row.impulse).collect();
        (velocities, impulses)
    };
    for is_damped in [false, true] {
        assert_eq!(step(is_damped, false), step(is_damped, true));
    }
}

/// Results must not depend on islands that were solved before.
#[test]
fn a_larger_system_leaves_nothing_behind() {
    let (mut rows, mut velocities) = row_of_bodies_in(Rows::default(), 30, false);
    let numbers = [&rows.jacobians[..], &rows.responses[..]];
    let solver = &mut rows.newton.primal;
    let steps = solver.solve_damped(
        &mut rows.rows,
        &rows.contacts,
        numbers,
        &mut velocities,
        false,
    );
    assert!(steps > Some(0) && solver.system.elimination.count() == 30);
    let [used, fresh] = [rows, Rows::default()].map(|rows| {
        let (mut rows, groups) = pile_in(rows, &mut arm());
        let system = &mut rows.newton.primal.system;
        assert!(system.begin(&rows.rows, 7));
        system.read_all(&rows.rows, 7, &rows.jacobians);
        assert!(system.solve::<false>(&groups, 7));
        let mut changes = [0.0; 32];
        system.advance(1.0, &mut changes);
        changes
    });
    assert_eq!(used, fresh);
}

/// The order of elimination is kept as long as the same bodies touch.
#[test]
fn a_kept_order_is_that_of_a_new_system() {
    let mut run = arm();
    let solve = |system: &mut BlockSystem, rows: &Rows, groups: &[Group]| {
        assert!(system.begin(&rows.rows, 7));
        system.read_all(&rows.rows, 7, &rows.jacobians);
        assert!(system.solve::<false>(groups, 7));
        let mut changes = [0.0; 32];
        system.advance(1.0, &mut changes);
        changes
    };
    let mut rows = Rows::default();
    for round in 0..4 {
        run.state.velocities[3] = 0.2 * f64::from(round);
        run.step();
        let groups;
        (rows, groups) = pile_in(rows, &mut run);
        // In the third round, a contact less acts.
        let groups = &groups[usize::from(round == 2)..];
        let mut system = rows.newton.primal.system.clone();
        let known = system.known.clone();
        let again = solve(&mut system, &rows, groups);
        let fresh = pile_in(Rows::default(), &mut run).0;
        let mut own = fresh.newton.primal.system.clone();
        assert_eq!(again, solve(&mut own, &fresh, groups), "{round}");
        assert_eq!(known == system.known, round == 1);
        rows.newton.primal.system = system;
    }
}

/// Rows that begin to act need more blocks, or the blocks that others have brought about.
#[test]
fn systems_grow_with_what_acts() {
    let (rows, groups) = pile(&mut arm());
    let mut system = rows.newton.primal.system.clone();
    assert!(system.begin(&rows.rows, 7));
    system.read_all(&rows.rows, 7, &rows.jacobians);
    for count in [1, 2, 6, 3] {
        let groups = &groups[groups.len() - count..];
        let mut fresh = rows.newton.primal.system.clone();
        assert!(fresh.begin(&rows.rows, 7));
        fresh.read_all(&rows.rows, 7, &rows.jacobians);
        assert!(fresh.solve::<true>(groups, 7) && system.solve::<true>(groups, 7));
        let mut changes = [[0.0; 32]; 2];
        fresh.advance(1.0, &mut changes[0]);
        system.advance(1.0, &mut changes[1]);
        for (one, other) in changes[0].iter().zip(&changes[1]) {
            assert!((one - other).abs() < 1e-12, "{one} {other}");
        }
        assert!(fresh.masses.len() <= system.masses.len());
        for law in 0..7 {
            let pairs = fresh
                .changes_of(law)
                .into_iter()
                .zip(system.changes_of(law));
            for (one, other) in pairs {
                assert!((one - other).abs() < 1e-12, "{one} {other}");
            }
        }
    }
}

#[test]
fn systems_that_are_not_positive_definite_are_told() {
    let (rows, mut groups) = pile(&mut arm());
    let mut system = rows.newton.primal.system.clone();
    assert!(system.begin(&rows.rows, 7));
    system.read_all(&rows.rows, 7, &rows.jacobians);
    groups[0].gain[0][0] = -1e6;
    assert!(!system.solve::<true>(&groups, 7));
    groups[0].gain[0][0] = f64::NAN;
    assert!(!system.solve::<true>(&groups, 7));
    assert!(!BlockSystem::default().begin(&rows.rows, 7));
}

#[test]
fn factors_are_used_again_for_other_impulses_alone() {
    let (rows, mut groups) = pile(&mut arm());
    let solve = |system: &mut BlockSystem, groups: &[Group]| {
        assert!(system.begin(&rows.rows, 7));
        system.read_all(&rows.rows, 7, &rows.jacobians);
        assert!(system.solve::<false>(groups, 7));
        let mut changes = [0.0; 32];
        system.advance(1.0, &mut changes);
        changes
    };
    let fresh = |groups: &[Group]| solve(&mut rows.newton.primal.system.clone(), groups);
    let mut system = rows.newton.primal.system.clone();
    solve(&mut system, &groups);
    groups[0].given[0] = -2.0;
    assert!(system.has_factors::<false>(&groups) && !system.has_factors::<true>(&groups));
    assert_eq!(solve(&mut system, &groups), fresh(&groups));
    groups[0].gain[1][1] = 30.0;
    assert!(!system.has_factors::<false>(&groups));
    assert_eq!(solve(&mut system, &groups), fresh(&groups));
}
