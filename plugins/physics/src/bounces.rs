//! Bounces of bodies that the engine moves.
//!
//! The engine would apply restitution to one contact after the other, once, so that later ones undo earlier ones, and begin its
//! next step with these impulses: heaps of bodies gained energy without limit. Here all bounces of a step are solved together,
//! after the engine's step without restitution, by Newton's law along the normals and projected Gauss–Seidel (PGS). Other
//! contacts of these bodies hold.
//!
//! Contacts that meet in one body may still add energy, since their coefficients differ or the sweeps have not converged. The
//! bounces of bodies that touch one another are therefore limited: of the solutions between the one without bounces and the
//! whole one, it is the greatest whose energy does not exceed that before the step and the work of forces in it.
use bevy_rapier3d::rapier::{
    dynamics::RigidBody,
    geometry::{ContactManifold, ContactPair, SolverFlags},
};

use bevy::math::Vec3;
use limit::Limit;
use motion::{Before, Body};
use nalgebra::Vector3;

use super::{
    convert,
    engine::{EngineItem, GeometryRow, Tables},
    trees::Trees,
};

mod limit;
mod motion;

/// Approach speed above which bodies bounce, m/s: that of the solver for trees.
const THRESHOLD: f64 = 0.1;

/// Maximum number of sweeps.
const MAX_SWEEPS: usize = 100;

/// Change of a velocity that ends the sweeps, m/s.
const TOLERANCE: f64 = 1e-5;

/// Workspace for the bounces of a step.
#[derive(Default)]
pub(super) struct Bounces {
    /// Motion of each body of the tables before the step.
    before: Vec<Before>,
    /// Motion of each body of the tables after the engine's step, if it is in contact.
    bodies: Vec<Body>,
    /// Indices of the bodies in contact.
    known: Vec<usize>,
    rows: Vec<Row>,
    /// Limit of each group of bodies in contact, by its root.
    limits: Vec<Limit>,
}

/// A contact point on which the engine has acted.
struct Row {
    /// Indices of the bodies in the tables.
    bodies: [usize; 2],
    /// Normal from the first body to the second.
    normal: Vector3<f64>,
    /// Vectors from the centres of mass to the point, m.
    arms: [Vector3<f64>; 2],
    /// Normal velocity after the engine's step, m/s; negative if the bodies approach.
    velocity: f64,
    /// Minimum normal velocity after the bounces, m/s.
    target: f64,
    /// Effective mass, kg.
    mass: f64,
    /// Impulse of the bounce, N·s.
    impulse: f64,
    /// True if the bodies met fast enough.
    bounces: bool,
}

impl Bounces {
    /// Stores the motion of the bodies before the engine's step.
    pub(super) fn remember(&mut self, engine: &EngineItem<'_, '_>, tables: &Tables, trees: &Trees) {
        if !tables.have_bounces {
            return;
        }
        self.before.resize(tables.bodies.len(), Before::default());
        for &index in trees.apart() {
            let row = tables.bodies.get(index);
            if let Some(body) = row.and_then(|row| engine.bodies.bodies.get(row.handle)) {
                self.before[index] = Before::of(body, engine);
            }
        }
    }

    /// Adds the bounces to the velocities of the bodies, after the engine's step of `dt` seconds.
    pub(super) fn act(
        &mut self,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        trees: &Trees,
        dt: f64,
    ) {
        if !tables.have_bounces || !self.is_any(engine, tables) {
            return;
        }
        self.bodies.clear();
        self.bodies.resize_with(tables.bodies.len(), Body::default);
        self.known.clear();
        self.rows.clear();
        for pair in engine.simulation.narrow_phase.contact_pairs() {
            visit(pair, engine, tables, |row| self.rows.push(self.met(row)));
        }
        self.connect(engine, tables);
        self.solve();
        self.limit(engine, tables, trees, dt);
        for &index in &self.known {
            let body = &self.bodies[index];
            let fraction = self.limits[self.root(index)].fraction();
            let row = &tables.bodies[index];
            if let Some(rigid) = engine.bodies.bodies.get_mut(row.handle)
                && body.more != [Vector3::zeros(); 2]
            {
                let changed = [
                    body.linear + body.more[0] * fraction,
                    body.angular + body.more[1] * fraction,
                ];
                engine.body_poses.set_velocities(rigid, changed, false);
            }
        }
    }

    /// Returns true if any bodies bounce in this step.
    fn is_any(&self, engine: &EngineItem<'_, '_>, tables: &Tables) -> bool {
        let mut pairs = engine.simulation.narrow_phase.contact_pairs();
        pairs.any(|pair| {
            let mut bounces = false;
            if sides(pair, engine, tables).is_some_and(|sides| tables.restitution(sides) > 0.0) {
                visit(pair, engine, tables, |row| bounces |= self.met(row).bounces);
            }
            bounces
        })
    }

    /// Sets the target of a contact by the velocities before the step; its target is its coefficient of restitution on entry.
    fn met(&self, row: Row) -> Row {
        let [one, two] = [0, 1].map(|side| self.before[row.bodies[side]].at(&row.arms[side]));
        let approach = (one - two).dot(&row.normal);
        let bounces = row.target > 0.0 && approach > THRESHOLD;
        Row {
            target: if bounces { row.target * approach } else { 0.0 },
            bounces,
            ..row
        }
    }

    /// Computes velocities and effective masses, and the groups of bodies in contact.
    fn connect(&mut self, engine: &EngineItem<'_, '_>, tables: &Tables) {
        for index in self.rows.iter().flat_map(|row| row.bodies) {
            let rigid = engine.bodies.bodies.get(tables.bodies[index].handle);
            if let Some(rigid) = rigid.filter(|_| !self.bodies[index].is_known) {
                self.bodies[index] = Body::of(index, rigid, engine);
                self.known.push(index);
            }
        }
        for index in 0..self.rows.len() {
            let row = &self.rows[index];
            let [one, two] = row.bodies.map(|body| &self.bodies[body]);
            let velocity = two.at(&row.arms[1]) - one.at(&row.arms[0]);
            let velocity = velocity.dot(&row.normal);
            let response =
                one.response(&row.arms[0], &row.normal) + two.response(&row.arms[1], &row.normal);
            if one.moves && two.moves {
                let [one, two] = row.bodies.map(|body| self.root(body));
                self.bodies[one.max(two)].above = one.min(two);
            }
            let row = &mut self.rows[index];
            row.velocity = velocity;
            row.mass = if response > 0.0 { 1.0 / response } else { 0.0 };
            if !row.bounces {
                row.target = velocity.min(0.0);
            }
        }
    }

    /// Returns the root of a body's group.
    fn root(&self, mut index: usize) -> usize {
        while self.bodies[index].above != index {
            index = self.bodies[index].above;
        }
        index
    }

    /// Solves for the impulses of the groups with bounces, and the changes of velocities by them.
    fn solve(&mut self) {
        self.limits.clear();
        self.limits.resize(self.bodies.len(), Limit::default());
        for index in 0..self.rows.len() {
            let row = &self.rows[index];
            let moving = row.bodies.into_iter().find(|body| self.bodies[*body].moves);
            if let Some(body) = moving.filter(|_| row.bounces) {
                let root = self.root(body);
                self.limits[root].bounces = true;
            }
        }
        let limits = &self.limits;
        let mut rows = std::mem::take(&mut self.rows);
        rows.retain(|row| {
            let moving = row.bodies.into_iter().find(|body| self.bodies[*body].moves);
            moving.is_some_and(|body| limits[self.root(body)].bounces)
        });
        for _ in 0..MAX_SWEEPS {
            let mut change: f64 = 0.0;
            for row in &mut rows {
                let lack = row.target - row.velocity - row.gained(&self.bodies);
                let impulse = (row.impulse + lack * row.mass).max(0.0);
                let more = impulse - row.impulse;
                if more != 0.0 {
                    row.impulse = impulse;
                    row.push(more, &mut self.bodies);
                    change = change.max((more / row.mass).abs());
                }
            }
            if change < TOLERANCE {
                break;
            }
        }
        self.rows = rows;
    }
}

impl Row {
    /// Returns the change of its velocity by the bounces so far, m/s.
    fn gained(&self, bodies: &[Body]) -> f64 {
        let [one, two] = [0, 1].map(|side| {
            let [linear, angular] = bodies[self.bodies[side]].more;
            linear + angular.cross(&self.arms[side])
        });
        (two - one).dot(&self.normal)
    }

    /// Adds an impulse, N·s.
    fn push(&self, impulse: f64, bodies: &mut [Body]) {
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            bodies[self.bodies[side]].push(&self.arms[side], &(self.normal * (impulse * sign)));
        }
    }
}

/// Returns the geometries of a pair of colliders.
fn sides<'a>(
    pair: &ContactPair,
    engine: &EngineItem<'_, '_>,
    tables: &'a Tables,
) -> Option<[&'a GeometryRow; 2]> {
    let row = |handle| {
        let index = engine.colliders.colliders.get(handle)?.user_data;
        tables.geometry.get(usize::try_from(index).ok()?)
    };
    Some([row(pair.collider1)?, row(pair.collider2)?])
}

/// Calls a function for each contact point of a pair on which the engine has acted, with the coefficient of restitution as its
/// target.
fn visit(
    pair: &ContactPair,
    engine: &EngineItem<'_, '_>,
    tables: &Tables,
    mut see: impl FnMut(Row),
) {
    let Some(sides) = sides(pair, engine, tables) else {
        return;
    };
    let bodies = sides.map(|side| side.body);
    let rigid = bodies.map(|body| engine.bodies.bodies.get(tables.bodies[body].handle));
    let [Some(one), Some(two)] = rigid else {
        return;
    };
    let restitution = f64::from(tables.restitution(sides));
    for manifold in pair.solver_manifolds() {
        if !manifold
            .data
            .solver_flags
            .contains(SolverFlags::COMPUTE_IMPULSES)
        {
            continue;
        }
        for contact in &manifold.data.solver_contacts {
            let index = (contact.contact_id[0] & !(1 << 31)) as usize;
            let point = manifold.points.get(index).map(|point| &point.data);
            if let Some(point) = point.filter(|point| point.impulse > 0.0) {
                let arms = [(point.solver_dp1, one), (point.solver_dp2, two)];
                see(Row {
                    bodies,
                    normal: convert::vector(manifold.data.normal).normalize(),
                    arms: arms_of(arms, manifold),
                    velocity: 0.0,
                    target: restitution,
                    mass: 0.0,
                    impulse: 0.0,
                    bounces: false,
                });
            }
        }
    }
}

/// Returns the lever arms of a contact point, given those of the engine, which are positions for bodies that it does not move.
fn arms_of(arms: [(Vec3, &RigidBody); 2], manifold: &ContactManifold) -> [Vector3<f64>; 2] {
    let dominance = manifold.data.relative_dominance;
    let are_positions = [dominance > 0, dominance < 0];
    [0, 1].map(|side| {
        let (arm, body) = arms[side];
        convert::vector(if are_positions[side] {
            arm - body.center_of_mass()
        } else {
            arm
        })
    })
}
