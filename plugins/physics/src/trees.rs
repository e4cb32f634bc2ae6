//! The trees of dynamic joints in motion: joint positions and speeds are the state, in double precision; poses follow from
//! them.
//!
//! The engine finds the contacts, and moves all bodies that have no joint and touch none that has. In it, links are bodies
//! whose pose and velocity are set after each of its steps, and whose contacts it leaves alone: those are solved here, where
//! it found them, together with the free bodies that links touch or hold, and with what those touch in turn (see
//! [`morse_mechanisms::island`]).
//!
//! Another way was weighed: to leave contacts of links to the engine, each with the inertia that a push at that link would
//! feel, and to bring the impulses back into the tree. Links of one tree then do not know of each other within a step: four
//! feet on the ground each stop the whole robot, and a gripper's two fingers each give way as if the other did not. It needs
//! several rounds a step, or less than its share of mass for each contact, and gets neither stiff nor exact.
mod bodies;
mod drive;
mod flat;
mod gather;
mod groups;
mod heavy;
mod lent;
mod line;
mod motors;
mod recheck;
mod solve;
mod sync;
mod touch;

use bevy::prelude::*;
use morse_api::{state::StateHasher, warning::Warnings};
use morse_mechanisms::{
    Motion, Pose, State, Tree,
    island::Island,
    step::{Motor, Mover},
};
use morse_scene::assembly::{Attachment, JointMode, Layout};
use nalgebra::{Isometry3, Matrix3, Vector3};
use serde::{Deserialize, Serialize};

use super::{
    PhysicsSettings,
    drives::Commanded,
    engine::{EngineItem, Tables},
    grasp::Grasps,
    mass::Mass,
    mechanisms::{Group, Parts},
    prepare::Prepared,
};
use drive::Driven;
use gather::Found;
use groups::Groups;
use lent::Lent;
use solve::{Scene, Spare, Together};
pub(super) use touch::Key;

/// All trees of dynamic joints of a world, in the order of their bases.
#[derive(Resource, Default)]
pub(super) struct Trees {
    rows: Vec<TreeRow>,
    /// For each body of the tables its tree and its place among the links.
    of_body: Vec<Option<(usize, usize)>>,
    /// For each variable its tree, and its place among the tree's variables.
    of_variable: Vec<Option<(usize, usize)>>,
    /// Of each body of the tables.
    masses: Vec<Weight>,
    /// Bodies without joints that are much heavier than some other one.
    heavy: Vec<usize>,
    movers: Vec<Mover>,
    /// Trees that went where no number follows in this step.
    broken: Vec<usize>,
    /// Poses of the bodies of the tables that the engine finds contacts with in this step; of those that are moved here.
    seen: Vec<Isometry3<f64>>,
    /// Trees on whose base no gravity acts in this step.
    lifted: Vec<bool>,
    /// Poses of the bases before the step.
    places: Vec<Pose>,
    /// Trees to which something happened that wakes them.
    stirred: Vec<bool>,
    /// Trees that are calculated in this step.
    awake: Vec<bool>,
    /// Ground robots with a commanded velocity in this step, by growing base.
    driven: Vec<Driven>,
    /// Bodies without joints that are calculated in this step, in the order of their places once all are found.
    lent: Vec<Lent>,
    found: Found,
    groups: Groups,
    island: Island,
    /// Memory of each tree.
    spare: Vec<Spare>,
    together: Together,
    /// Everything that lasts from step to step.
    pub state: TreesState,
}

/// A tree of dynamic joints; it follows from the scene.
struct TreeRow {
    base: usize,
    /// True if forces move the base: then it is the first link.
    floats: bool,
    /// Bodies, in the tree's order.
    links: Vec<usize>,
    tree: Tree,
}

/// Mass of a body, as forces feel it.
struct Weight {
    mass: f64,
    /// In its axes, m.
    center: Vector3<f64>,
    /// About the centre, in its axes.
    inertia: Matrix3<f64>,
    inverse_inertia: Matrix3<f64>,
}

/// The state of all trees.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct TreesState {
    trees: Vec<TreeState>,
    /// Bodies without joints that touched links, or what touched them, in the last step.
    pulled: Vec<usize>,
    /// Contacts of the last step, by growing key.
    touched: Vec<Touched>,
}

/// A contact of the last step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Touched {
    key: Key,
    /// N·s.
    impulse: [f64; 3],
    /// Speed with which the two parted at its end, if they pressed, m/s.
    parted: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct TreeState {
    motion: State,
    /// Velocity of a base that forces do not move, in its own axes: angular, then linear.
    carried: [[f64; 3]; 2],
    /// Linear and angular velocity of each link, as the engine was told.
    shown: Vec<[[f32; 3]; 2]>,
    /// Pose of the first link.
    at: Isometry3<f64>,
    /// Of each variable.
    motors: Vec<Motor>,
}

impl TreesState {
    /// Joint positions and speeds of all trees, and of the bases that forces move.
    pub(super) fn hash(&self, hasher: &mut StateHasher) {
        for tree in &self.trees {
            for number in tree.motion.positions.iter().chain(&tree.motion.speeds) {
                hasher.f64(*number);
            }
        }
    }
}

impl TreesState {
    /// A contact of the last step.
    fn touched(&self, key: &Key) -> Option<&Touched> {
        let at = self.touched.binary_search_by(|known| known.key.cmp(key));
        self.touched.get(at.ok()?)
    }
}

impl TreeState {
    fn carried(&self) -> Motion {
        let [angular, linear] = self.carried.map(Vector3::from);
        Motion { angular, linear }
    }
}

impl Trees {
    /// Makes the trees of a layout, with its joints where they start.
    pub(super) fn new(layout: &Layout, prepared: &Prepared, settings: &PhysicsSettings) -> Self {
        let is_dynamic = |joint: &Attachment| {
            let variable = layout.variables.get(joint.variable);
            variable.is_some_and(|variable| variable.settings.mode == JointMode::Dynamic)
        };
        // What cannot be calculated is told where controllers get it.
        let parts = Parts::new(layout, prepared, is_dynamic).mended();
        let groups = parts.groups(&mut Warnings::default());
        let count = groups.len();
        let mut trees = Self {
            of_body: vec![None; layout.bodies.len()],
            of_variable: vec![None; layout.variables.len()],
            masses: prepared.masses().map(Weight::new).collect(),
            stirred: vec![false; count],
            awake: vec![false; count],
            lifted: vec![false; count],
            seen: vec![Isometry3::identity(); layout.bodies.len()],
            places: vec![Pose::identity(); count],
            island: Island::new(settings.contact_frequency),
            ..Self::default()
        };
        for group in groups {
            trees.add(group, layout);
        }
        trees.heavy = trees.find_heavy(layout);
        trees
    }

    fn add(&mut self, group: Group, layout: &Layout) {
        let at = self.rows.len();
        for (link, body) in group.links.iter().enumerate() {
            if let Some(of) = self.of_body.get_mut(*body) {
                *of = Some((at, link));
            }
        }
        let mut mover = Mover::new(&group.tree);
        let mut motion = group.tree.at_zero();
        for (place, variable) in group.tree.variables().iter().enumerate() {
            if let Some(of) = self.of_variable.get_mut(variable.number) {
                of.get_or_insert((at, place));
            }
            if let Some(layout) = layout.variables.get(variable.number) {
                motion.positions[variable.position] = layout.settings.position;
            }
        }
        mover.resistances = group.resistances;
        for (weightless, body) in mover.weightless.iter_mut().zip(&group.links) {
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
        let motors = mover.motors.clone();
        self.rows.push(TreeRow {
            base: group.base,
            floats: group.floats,
            links: group.links,
            tree: group.tree,
        });
        self.movers.push(mover);
        self.spare.push(Spare::default());
        self.state.trees.push(TreeState {
            motion,
            carried: [[0.0; 3]; 2],
            shown: vec![[[0.0; 3]; 2]; links],
            at: Isometry3::identity(),
            motors,
        });
    }

    /// Shows the links where they start.
    pub(super) fn start(&mut self, engine: &mut EngineItem<'_, '_>, tables: &Tables) {
        self.awake.fill(true);
        self.follow(engine, tables, 0.0);
    }

    /// Number of joints with a coordinate.
    pub(super) fn joint_count(&self) -> usize {
        let links = self
            .rows
            .iter()
            .map(|row| row.links.len() - usize::from(row.floats));
        links.sum()
    }

    /// Tells whether contacts and motion of a body are calculated here and not by the engine.
    pub(super) fn moves(&self, body: usize) -> bool {
        self.has(body) || self.state.pulled.binary_search(&body).is_ok()
    }

    /// Tells whether a body is a link.
    pub(super) fn has(&self, body: usize) -> bool {
        self.of_body.get(body).is_some_and(Option::is_some)
    }

    /// All links, by places of their bodies.
    pub(super) fn links(&self) -> impl Iterator<Item = usize> + '_ {
        self.rows.iter().flat_map(|row| row.links.iter().copied())
    }

    /// Takes over all links, and the free bodies that touched them, for a step of `dt` seconds: before the engine's.
    pub(super) fn begin(
        &mut self,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        commanded: &Commanded,
        dt: f64,
    ) {
        self.lent.clear();
        self.collect_driven(commanded);
        if self.rows.is_empty() && self.state.pulled.is_empty() {
            return;
        }
        self.take_up(engine, tables, commanded, dt);
        self.lend(engine, tables, dt);
    }

    /// Moves everything that is on joints, or touches what is: after the engine has found the contacts.
    pub(super) fn end(
        &mut self,
        engine: &mut EngineItem<'_, '_>,
        tables: &Tables,
        grasps: &Grasps,
        dt: f64,
    ) {
        let is_idle = self.rows.is_empty() && self.lent.is_empty() && self.heavy.is_empty();
        if is_idle && grasps.is_empty() {
            return;
        }
        self.gather(engine, tables, grasps, dt);
        self.solve(&Scene { engine, tables, dt });
        self.follow(engine, tables, dt);
    }

    /// The impulse of a contact in the last step, along its normal, N·s; none if the engine solved it.
    pub(super) fn impulse(&self, key: &Key, normal: &Vector3<f64>) -> Option<f64> {
        let touched = self.state.touched(key)?;
        Some(Vector3::from(touched.impulse).dot(normal))
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

/// Puts a floating base to a pose.
fn put(motion: &mut State, pose: &Isometry3<f64>) {
    let turn = pose.rotation.coords;
    let numbers = pose.translation.vector.iter().chain(turn.iter());
    for (position, number) in motion.positions.iter_mut().zip(numbers) {
        *position = *number;
    }
}

/// Gives a floating base a velocity, in its own axes.
fn set_base(motion: &mut State, base: &Motion) {
    let numbers = base.linear.iter().chain(&base.angular);
    for (speed, number) in motion.speeds.iter_mut().zip(numbers) {
        *speed = *number;
    }
}

/// A pose as the engine knows it.
fn isometry(pose: &Pose) -> Isometry3<f64> {
    let rotation = nalgebra::Rotation3::from_matrix_unchecked(pose.rotation);
    Isometry3::from_parts(
        pose.position.into(),
        nalgebra::UnitQuaternion::from_rotation_matrix(&rotation),
    )
}
