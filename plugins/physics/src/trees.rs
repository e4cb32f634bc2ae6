//! Motion of the trees of dynamic joints: joint positions and velocities are the state, in double precision; poses follow
//! from them.
//!
//! The engine detects contacts, and moves all bodies that have no joint and touch no tree. In the engine, links are bodies
//! whose pose and velocity are set after each step, and whose contacts it does not solve: those are solved here, together
//! with the free bodies that links touch or hold, and with their contacts in turn (see [`morse_mechanisms::island`]).
//!
//! The alternative was to let the engine solve contacts of links with the effective inertia at each link, and to apply the
//! impulses to the tree. Then the links of a tree do not influence each other within a step: four feet on the ground each
//! stop the whole robot, and the two fingers of a gripper each give way independently. It needs several rounds per step, or
//! fractions of mass per contact, and is neither stiff nor exact.
mod acted;
mod bodies;
mod bouncing;
mod carry;
mod clearance;
mod closures;
mod collect;
mod contact_point;
mod coupled;
mod cut;
mod detected;
mod displacement;
mod drive;
mod equal_trees;
mod flat;
mod gaps;
mod groups;
mod heavy;
mod job;
mod line;
mod link_state;
mod locks;
mod measure;
mod models;
mod motors;
mod near;
mod points;
mod recheck;
mod rolling;
mod sensed;
mod solve;
mod surface;
mod sync;
mod taken;

use std::sync::atomic::AtomicBool;

use bevy::prelude::*;
use morse_api::{state::StateHasher, threads::Threads, warning::Warnings};
use morse_mechanisms::{
    Base, Motion, Pose, State, Tree,
    step::{Integrator, Motor},
};
use morse_scene::assembly::{Attachment, JointMode, Layout};
use nalgebra::{Isometry3, Matrix3, Vector3};
use serde::{Deserialize, Serialize};

use super::{
    PhysicsSettings,
    commanded::Commanded,
    engine::{EngineItem, Tables},
    grasp::Grasps,
    mass::Mass,
    mechanisms::{Group, TreeBuilder},
    prepare::Prepared,
};
use acted::Acted;
use bouncing::Bouncing;
use clearance::Clearance;
use closures::Closure;
use collect::{ConstraintSet, WeldKey};
use contact_point::Touched;
use coupled::CoupledBodies;
pub(super) use cut::Cut;
use cut::CutTree;
use displacement::{Extent, LastCheck};
use drive::Driven;
use equal_trees::LoneSteps;
use groups::Groups;
use job::Job;
use measure::Buffers;
use near::Shown;
use solve::{Scene, Spare};
use taken::TakenTrees;

/// All trees of dynamic joints of a world, in the order of their bases.
#[derive(Resource, Default)]
pub(super) struct Trees {
    rows: Vec<TreeRow>,
    /// First of the trees that equal each other.
    models: Vec<usize>,
    /// Tree and link index of each body of the tables.
    of_body: Vec<Option<(usize, usize)>>,
    /// Tree and index among the tree's variables of each variable.
    of_variable: Vec<Option<(usize, usize)>>,
    /// Mass of each body of the tables.
    masses: Vec<Weight>,
    /// Bodies that are no links and may move; computed from the scene.
    apart: Vec<usize>,
    /// Bodies without joints that are much heavier than another body.
    heavy: Vec<usize>,
    /// Bodies without joints that have a cylinder.
    round: Vec<usize>,
    /// Bodies without joints that may bounce.
    bouncing: Bouncing,
    #[expect(clippy::vec_box, reason = "they are taken out by pointer")]
    integrators: Vec<Box<Integrator>>,
    /// Blank trees, to take trees out of the state.
    blank: TakenTrees,
    /// End of the step, as a fraction of the tick, and length of the tick, s.
    lead: [f64; 2],
    /// Trees whose state became non-finite in this step.
    broken: Vec<usize>,
    /// Poses of the bodies of the tables with which the engine detects contacts in this step; valid for bodies that are
    /// moved here.
    seen: Vec<Isometry3<f64>>,
    /// For each tree whose base the engine pulls down: true if it has no gravity, in this step.
    lifted: Vec<Option<bool>>,
    /// Gravity and motion of the bases of trees with nothing near them, which rest.
    bases: Vec<Base>,
    /// Poses of the bases before the step.
    base_poses: Vec<Pose>,
    /// True if the trees with nothing near them were read in the last step, and no tree was set since then.
    are_read: bool,
    /// Poses of the links of one tree at a time, where contacts are detected.
    links_shown: Vec<Shown>,
    near_buffers: Buffers,
    /// Trees that are to wake up.
    wake_requests: Vec<bool>,
    /// Trees that are integrated in this step.
    awake: Vec<bool>,
    /// True in MORSE's motion.
    is_morse: bool,
    /// Length of this step, s.
    step_length: f64,
    /// Trees that may do without the engine's contacts if nothing is near them; computed from the scene.
    may_be_clear: Vec<bool>,
    /// Spheres around the links, by tree; computed from the scene.
    extents: Vec<Vec<Extent>>,
    /// Last comparison of the poses of each tree with those in the engine.
    last_checks: Vec<LastCheck>,
    /// True if the engine casts rays, for wheels: they have to find all links at their poses.
    casts_rays: bool,
    /// Trees whose clearance is measured in this step.
    measuring: Vec<bool>,
    /// Trees with a clearance to which something came near in this step.
    intruded: Vec<AtomicBool>,
    /// Trees with a clearance whose links have no predicted poses in this step so far.
    unposed: Vec<bool>,
    /// Trees whose own workspace has neither the predicted poses of this step nor those after the last one.
    outdated: Vec<bool>,
    /// Trees with a clearance whose links have their poses after this step.
    arrived: Vec<bool>,
    /// True if wheels roll without slip in this step.
    rolls: bool,
    /// Ground robots with a commanded velocity in this step, by index of the base.
    driven: Vec<Driven>,
    /// Coupled bodies of this step, sorted by index once all are collected.
    coupled: CoupledBodies,
    /// Forces, torques and damping that act on links.
    acted: Acted,
    /// Bodies whose contacts are sensed, sorted; computed from the components.
    sensed: Vec<usize>,
    /// Loop closures; computed from the scene.
    closures: Vec<Closure>,
    cuts: Vec<Cut>,
    /// Trees with a cut, sorted.
    cut_trees: Vec<CutTree>,
    constraints: ConstraintSet,
    groups: Groups,
    /// Natural frequency of contacts, Hz.
    contact_frequency: f64,
    /// Steps of trees that nothing touches.
    lone: LoneSteps,
    /// Trees that are integrated now; empty between steps.
    taken: TakenTrees,
    /// Islands, at least one; as many as there are in a step with several threads.
    jobs: Vec<Job>,
    /// Trees that nothing touches, divided among the threads.
    lone_jobs: Vec<Job>,
    /// Buffers of each tree.
    spare: Vec<Spare>,
    /// State from step to step.
    pub state: TreesState,
}

/// A tree of dynamic joints; computed from the scene.
struct TreeRow {
    base: usize,
    /// True if forces move the base: it is then the first link.
    floats: bool,
    /// Indices of the bodies, in the tree's order.
    links: Vec<usize>,
    /// Centre of mass of each link, in its axes, m.
    centers: Vec<Vector3<f64>>,
    tree: Tree,
    /// Number of the set of equal trees to which it belongs.
    model: usize,
}

/// Mass and inertia of a body.
struct Weight {
    mass: f64,
    /// Centre of mass in its axes, m.
    center: Vector3<f64>,
    /// Inertia about the centre of mass, in its axes.
    inertia: Matrix3<f64>,
    inverse_inertia: Matrix3<f64>,
}

/// State of all trees.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct TreesState {
    trees: Vec<TreeState>,
    /// Coupled bodies of the last step: free bodies with contacts to links, or to such bodies.
    coupled: Vec<usize>,
    /// Contacts of the last step, by growing key.
    touched: Vec<Touched>,
    /// Velocity of the second side of each weld of the last step relative to the first at its end, world axes: angular, then
    /// linear; by growing key.
    closing: Vec<(WeldKey, [[f64; 3]; 2])>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct TreeState {
    motion: State,
    /// Velocity of a base that forces do not move, in its own axes: angular, then linear.
    carried: [[f64; 3]; 2],
    /// Linear and angular velocity of each link that was last written to the engine.
    shown: Vec<[[f32; 3]; 2]>,
    /// Pose of the first link.
    at: Isometry3<f64>,
    /// Motor of each variable.
    motors: Vec<Motor>,
    /// Effort of each saturated motor in the last step.
    saturated: Vec<Option<f64>>,
    clearance: Clearance,
}

impl TreesState {
    /// Hashes joint positions and velocities of all trees, and those of floating bases.
    pub(super) fn hash(&self, hasher: &mut StateHasher) {
        for tree in &self.trees {
            for number in tree.motion.positions.iter().chain(&tree.motion.velocities) {
                hasher.f64(*number);
            }
        }
    }
}

impl TreeState {
    fn carried(&self) -> Motion {
        let [angular, linear] = self.carried.map(Vector3::from);
        Motion { angular, linear }
    }
}

impl Trees {
    /// Returns the trees of a layout, with its joints at their initial positions.
    pub(super) fn new(layout: &Layout, prepared: &Prepared, settings: &PhysicsSettings) -> Self {
        let is_dynamic = |joint: &Attachment| {
            let variable = layout.variables.get(joint.variable);
            variable.is_some_and(|variable| variable.settings.mode == JointMode::Dynamic)
        };
        // Warnings about invalid mechanisms are reported where controllers get them.
        let builder = TreeBuilder::new(layout, prepared, is_dynamic).mended();
        let groups = builder.groups(&mut Warnings::default());
        let count = groups.len();
        let mut trees = Self {
            of_body: vec![None; layout.bodies.len()],
            of_variable: vec![None; layout.variables.len()],
            masses: prepared.masses().map(Weight::new).collect(),
            wake_requests: vec![false; count],
            awake: vec![false; count],
            lifted: vec![None; count],
            unposed: vec![false; count],
            outdated: vec![false; count],
            arrived: vec![false; count],
            seen: vec![Isometry3::identity(); layout.bodies.len()],
            bases: vec![Base::at_rest(Vector3::zeros()); count],
            base_poses: vec![Pose::identity(); count],
            contact_frequency: settings.contact_frequency,
            is_morse: settings.motion.is_morse(),
            lone: LoneSteps::new(settings.contact_frequency),
            ..Self::default()
        };
        for group in groups {
            trees.add(group, layout);
        }
        trees.close(layout);
        trees.heavy = trees.find_heavy(layout);
        trees.round = trees.find_round(layout, prepared);
        // Bullet bounces as the engine does.
        if !settings.motion.is_morse() {
            trees.bouncing = trees.find_bouncing(layout, prepared);
        }
        trees
    }

    /// Adds a tree, which shares the constants of the first one that equals it.
    fn add(&mut self, mut group: Group, layout: &Layout) {
        let tree_index = self.rows.len();
        let masses = group.links.iter().map(|body| &self.masses[*body]);
        let centers: Vec<_> = masses.map(|weight| weight.center).collect();
        let model = self.model_of(&mut group.tree, &centers);
        for (link, body) in group.links.iter().enumerate() {
            if let Some(of) = self.of_body.get_mut(*body) {
                *of = Some((tree_index, link));
            }
        }
        let mut integrator = Integrator::new(&group.tree);
        let mut motion = group.tree.at_zero();
        for (variable_index, variable) in group.tree.variables().iter().enumerate() {
            if let Some(of) = self.of_variable.get_mut(variable.number) {
                of.get_or_insert((tree_index, variable_index));
            }
            if let Some(layout) = layout.variables.get(variable.number) {
                motion.positions[variable.position] = layout.settings.position;
            }
        }
        integrator.joint_dynamics = group.joint_dynamics;
        for (weightless, body) in integrator.weightless.iter_mut().zip(&group.links) {
            let body = layout.bodies.get(*body);
            *weightless = body.is_some_and(|body| !body.settings.gravity);
        }
        let base = layout.bodies.get(group.base).filter(|_| group.floats);
        if let Some(body) = base {
            put(&mut motion, &body.pose);
            let turn = body.pose.rotation.inverse();
            let settings = &body.settings;
            let motion_of_base = Motion {
                angular: turn * settings.angular_velocity,
                linear: turn * settings.linear_velocity,
            };
            set_base(&mut motion, &motion_of_base);
        }
        let links = group.links.len();
        let (motors, saturated) = (integrator.motors.clone(), integrator.saturated.clone());
        self.rows.push(TreeRow {
            base: group.base,
            floats: group.floats,
            links: group.links,
            centers,
            tree: group.tree,
            model,
        });
        self.integrators.push(Box::new(integrator));
        self.spare.push(Spare::default());
        self.state.trees.push(TreeState {
            motion,
            carried: [[0.0; 3]; 2],
            shown: vec![[[0.0; 3]; 2]; links],
            at: Isometry3::identity(),
            motors,
            saturated,
            clearance: Clearance::default(),
        });
    }

    /// Writes the initial poses of the links to the engine, given the bodies on which fluids act.
    pub(super) fn start(
        &mut self,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        immersed: &[usize],
    ) {
        let bodies = tables.bodies.iter().enumerate();
        let apart = bodies.filter(|(index, row)| row.still.is_none() && !self.has(*index));
        self.apart = apart.map(|(index, _)| index).collect();
        self.find_clearances(engine, tables, immersed);
        self.awake.fill(true);
        self.follow(engine, tables, 0.0);
    }

    /// Returns the number of joints with a coordinate.
    pub(super) fn joint_count(&self) -> usize {
        let links = self
            .rows
            .iter()
            .map(|row| row.links.len() - usize::from(row.floats));
        links.sum()
    }

    /// Returns true if contacts and motion of a body are computed here and not by the engine.
    pub(super) fn moves(&self, body: usize) -> bool {
        self.has(body) || self.state.coupled.binary_search(&body).is_ok()
    }

    /// Returns true if a body is a link.
    pub(super) fn has(&self, body: usize) -> bool {
        self.of_body.get(body).is_some_and(Option::is_some)
    }

    /// Returns the bodies that are no links and may move.
    pub(super) fn apart(&self) -> &[usize] {
        &self.apart
    }

    /// Iterates over the bodies that may have a velocity in the engine: all that may move, except links that the engine does
    /// not need.
    pub(super) fn in_engine(&self) -> impl Iterator<Item = usize> {
        let rows = self.rows.iter().enumerate();
        let rows = rows.filter(|(index, _)| !self.is_clear(*index));
        let links = rows.flat_map(|(_, row)| row.links.iter());
        self.apart.iter().chain(links).copied()
    }

    /// Prepares a step of `dt` seconds before the engine's: reads changes, predicts link poses, and takes over the coupled
    /// bodies.
    pub(super) fn begin(
        &mut self,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        commanded: &Commanded,
        dt: f64,
    ) {
        self.step_length = dt;
        self.coupled.clear();
        self.collect_driven(commanded);
        self.keep_sensed_awake(engine, tables);
        self.prepare_bouncing(engine, tables);
        if self.rows.is_empty() && self.state.coupled.is_empty() {
            return;
        }
        self.read_engine(engine, tables, commanded, dt);
        self.couple_touching(engine, tables, dt);
    }

    /// Finishes the step after the engine has detected the contacts: moves all trees and coupled bodies.
    pub(super) fn end(
        &mut self,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        (grasps, threads): (&Grasps, &Threads),
        dt: f64,
    ) {
        let has_none = self.rows.is_empty() && self.coupled.is_empty();
        let is_idle = has_none && self.heavy.is_empty() && self.round.is_empty();
        let is_idle = is_idle && self.bouncing.is_empty();
        let holds_none = grasps.is_empty() && self.closures.is_empty();
        if is_idle && holds_none && self.sensed.is_empty() {
            return;
        }
        let are_looked_at = !holds_none || !self.sensed.is_empty();
        self.pose_noticed(are_looked_at, engine, tables);
        self.collect(engine, tables, grasps, dt);
        self.solve(&Scene {
            engine,
            tables,
            threads,
            dt,
        });
        self.update_clearances(engine, tables, grasps);
        self.follow(engine, tables, dt);
    }
}

impl Weight {
    fn new(mass: &Mass) -> Self {
        Self {
            mass: mass.mass,
            center: mass.center,
            inertia: mass.inertia,
            inverse_inertia: mass.inertia.try_inverse().unwrap_or_default(),
        }
    }
}

/// Sets the pose of a floating base.
fn put(motion: &mut State, pose: &Isometry3<f64>) {
    let turn = pose.rotation.coords;
    let numbers = pose.translation.vector.iter().chain(turn.iter());
    for (position, number) in motion.positions.iter_mut().zip(numbers) {
        *position = *number;
    }
}

/// Sets the velocity of a floating base, in its own axes.
fn set_base(motion: &mut State, base: &Motion) {
    let numbers = base.linear.iter().chain(&base.angular);
    for (speed, number) in motion.velocities.iter_mut().zip(numbers) {
        *speed = *number;
    }
}

/// Converts a pose to an isometry.
fn isometry(pose: &Pose) -> Isometry3<f64> {
    let rotation = nalgebra::Rotation3::from_matrix_unchecked(pose.rotation);
    Isometry3::from_parts(
        pose.position.into(),
        nalgebra::UnitQuaternion::from_rotation_matrix(&rotation),
    )
}
