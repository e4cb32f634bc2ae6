//! Mechanisms for users' controllers: dynamics of a robot's joints in the present state.
use bevy::prelude::{Entity, World};
use morse_api::{
    body::{BodyState, Gravity},
    component::ComponentPath,
    joint::{JointState, JointVariable},
    mechanism::{Mechanism as Links, Mechanisms},
};
use morse_mechanisms::{Base, Motion, State, Tree, Workspace, step::JointDynamics};
use nalgebra::{DMatrix, Isometry3, Point3};

/// Joints of a robot (or of any body with joints) with their present positions and velocities, for controllers. It is a
/// copy: stepping the simulation does not change it.
///
/// All vectors are in the order of [`coordinates`](Self::coordinates). If forces move the base, its six coordinates come
/// first.
#[derive(Clone, Debug)]
pub struct Mechanism {
    tree: Tree,
    base: Base,
    /// Pose of the base in the world.
    world_from_base: Isometry3<f64>,
    state: State,
    workspace: Workspace,
    coordinates: Vec<String>,
    links: Vec<String>,
    floats: bool,
    /// Damping of each coordinate, N·m·s/rad or N·s/m.
    damping: Vec<f64>,
    /// Armature of each coordinate, kg·m² or kg.
    armature: Vec<f64>,
}

/// Velocities of a floating base, in its own axes: m/s, then rad/s.
const OF_THE_BASE: [&str; 6] = [
    "base.linear.x",
    "base.linear.y",
    "base.linear.z",
    "base.angular.x",
    "base.angular.y",
    "base.angular.z",
];

impl Mechanism {
    /// Returns the mechanism to which a body belongs, in its present state.
    pub(super) fn of(world: &World, body: Entity) -> Option<Self> {
        let (links, _) = world.resource::<Mechanisms>().of_body(body)?;
        let base = world.get::<BodyState>(links.base)?;
        let mut state = links.tree.at_zero();
        let joint = |entity| world.get::<JointState>(entity).copied();
        links.read(base, joint, &mut state);
        let gravity = world.get_resource::<Gravity>().copied();
        let conditions = links.base_state(base, gravity.unwrap_or_default().0);
        let mut workspace = Workspace::new(&links.tree);
        workspace.forward_kinematics(&links.tree, &conditions, &state);
        let name = |entity: &Entity| world.get::<ComponentPath>(*entity).map(ToString::to_string);
        let variable = |entity: &Entity| Some(world.get::<JointVariable>(*entity)?.name.clone());
        let base = if links.floats { &OF_THE_BASE[..] } else { &[] };
        let coordinates = base.iter().map(|name| Some((*name).to_owned()));
        Some(Self {
            coordinates: coordinates
                .chain(links.variables.iter().map(variable))
                .collect::<Option<_>>()?,
            links: links.links.iter().map(name).collect::<Option<_>>()?,
            world_from_base: if links.floats {
                Isometry3::identity()
            } else {
                world.get::<BodyState>(links.base)?.pose
            },
            damping: by_speed(links, |resistance| resistance.damping),
            armature: by_speed(links, |resistance| resistance.armature),
            floats: links.floats,
            tree: links.tree.clone(),
            base: conditions,
            state,
            workspace,
        })
    }

    /// Returns the names of the coordinates: those of a floating base, then the variables.
    #[must_use]
    pub fn coordinates(&self) -> &[String] {
        &self.coordinates
    }

    /// Returns the names of the links, parents first; a floating base comes first.
    #[must_use]
    pub fn links(&self) -> &[String] {
        &self.links
    }

    /// Returns the positions of the variables, rad or m. The pose of the base is in [`pose`](Self::pose).
    #[must_use]
    pub fn positions(&self) -> Vec<f64> {
        let all = self.tree.variables().iter();
        all.map(|variable| self.state.positions[variable.position])
            .collect()
    }

    /// Returns the velocities, rad/s or m/s.
    #[must_use]
    pub fn velocities(&self) -> &[f64] {
        &self.state.velocities
    }

    /// Sets the positions of the variables (rad or m) and all velocities: for planning, and predictive controllers.
    ///
    /// # Panics
    ///
    /// The number of positions is not that of the variables, or the number of velocities not that of the coordinates.
    pub fn set(&mut self, positions: &[f64], velocities: &[f64]) {
        let variables = self.tree.variables();
        assert_eq!(positions.len(), variables.len(), "one for each variable");
        for (variable, position) in variables.iter().zip(positions) {
            self.state.positions[variable.position] = *position;
        }
        self.state.velocities.copy_from_slice(velocities);
        self.workspace
            .forward_kinematics(&self.tree, &self.base, &self.state);
    }

    /// Returns the mass matrix with the armatures, kg·m², kg·m or kg (composite rigid body algorithm): efforts are this
    /// times accelerations, plus [`bias`](Self::bias).
    #[must_use]
    pub fn mass_matrix(&mut self) -> DMatrix<f64> {
        self.weigh();
        let (count, matrix) = (self.tree.velocity_count(), &self.workspace.matrix);
        DMatrix::from_fn(count, count, |row, column| matrix.at(row, column))
    }

    /// Returns the efforts (N·m or N) for zero accelerations: against gravity, Coriolis and centrifugal forces.
    #[must_use]
    pub fn bias(&mut self) -> Vec<f64> {
        self.efforts(None)
    }

    /// Returns the efforts (N·m or N) that hold the mechanism at rest: against gravity only.
    #[must_use]
    pub fn gravity(&mut self) -> Vec<f64> {
        let mut still = self.clone();
        still.state.velocities.fill(0.0);
        still.base = Base::at_rest(self.base.gravity);
        still
            .workspace
            .forward_kinematics(&still.tree, &still.base, &still.state);
        still.bias()
    }

    /// Returns the efforts (N·m or N) for these accelerations (rad/s² or m/s²), including the damping of the joints and
    /// their armatures: computed torque (recursive Newton–Euler algorithm).
    ///
    /// # Panics
    ///
    /// The number of accelerations is not that of the coordinates.
    #[must_use]
    pub fn inverse_dynamics(&mut self, accelerations: &[f64]) -> Vec<f64> {
        assert_eq!(
            accelerations.len(),
            self.coordinates.len(),
            "one for each coordinate"
        );
        let mut efforts = self.efforts(Some(accelerations));
        for (effort, damped) in efforts.iter_mut().zip(self.damped()) {
            *effort += damped;
        }
        let rotors = self.armature.iter().zip(accelerations);
        for (effort, (inertia, acceleration)) in efforts.iter_mut().zip(rotors) {
            *effort += inertia * acceleration;
        }
        efforts
    }

    /// Returns the accelerations (rad/s² or m/s²) from these efforts (N·m or N), including the damping of the joints and
    /// their armatures; without contacts, motors, dry friction and limits.
    ///
    /// # Panics
    ///
    /// The number of efforts is not that of the coordinates.
    #[must_use]
    pub fn forward_dynamics(&mut self, efforts: &[f64]) -> Vec<f64> {
        assert_eq!(
            efforts.len(),
            self.coordinates.len(),
            "one for each coordinate"
        );
        let taken = self.bias().into_iter().zip(self.damped());
        let left = efforts.iter().zip(taken);
        let left = left.map(|(effort, (bias, damped))| effort - bias - damped);
        let mut accelerations: Vec<f64> = left.collect();
        self.weigh();
        self.workspace.matrix.factor();
        self.workspace.matrix.solve(&mut accelerations);
        accelerations
    }

    /// Returns the Jacobian of a point of a link (in the link's frame, m): six rows, linear (m/s) above angular (rad/s) in
    /// world axes, one column per coordinate. `None` if no link has that name.
    #[must_use]
    pub fn jacobian(&self, link: &str, point: &Point3<f64>) -> Option<DMatrix<f64>> {
        let link = self.index_of(link)?;
        let mut columns = vec![Motion::ZERO; self.coordinates.len()];
        self.workspace
            .jacobian(&self.tree, link, &point.coords, &mut columns);
        let turn = self.world_from_base.rotation;
        Some(DMatrix::from_fn(6, columns.len(), |row, column| {
            let motion = &columns[column];
            let vector = if row < 3 {
                motion.linear
            } else {
                motion.angular
            };
            (turn * vector)[row % 3]
        }))
    }

    /// Returns the pose of a link in the world. `None` if no link has that name.
    #[must_use]
    pub fn pose(&self, link: &str) -> Option<Isometry3<f64>> {
        let pose = self.workspace.pose_of(self.index_of(link)?);
        let rotation = nalgebra::Rotation3::from_matrix_unchecked(pose.rotation);
        let inner = Isometry3::from_parts(pose.position.into(), rotation.into());
        Some(self.world_from_base * inner)
    }

    /// Returns the mass of the links, kg, and their centre of mass in the world, m, without a base that forces do not move.
    #[must_use]
    pub fn center_of_mass(&self) -> (f64, Point3<f64>) {
        let (mass, center) = self.workspace.center_of_mass(&self.tree);
        (mass, self.world_from_base * Point3::from(center))
    }

    /// Returns true if forces move the base.
    #[must_use]
    pub const fn floats(&self) -> bool {
        self.floats
    }

    /// Returns the efforts of the joints' damping, N·m or N.
    fn damped(&self) -> impl Iterator<Item = f64> {
        let velocities = self.damping.iter().zip(&self.state.velocities);
        velocities.map(|(damping, speed)| damping * speed)
    }

    /// Computes the mass matrix with the armatures.
    fn weigh(&mut self) {
        self.workspace.mass_matrix(&self.tree);
        for (speed, inertia) in self.armature.iter().enumerate() {
            self.workspace.matrix.add_diagonal(speed, *inertia);
        }
    }

    fn index_of(&self, link: &str) -> Option<usize> {
        self.links.iter().position(|name| name == link)
    }

    fn efforts(&mut self, accelerations: Option<&[f64]>) -> Vec<f64> {
        let mut efforts = vec![0.0; self.coordinates.len()];
        let (tree, base) = (&self.tree, &self.base);
        self.workspace
            .inverse_dynamics(tree, base, accelerations, &[], &mut efforts);
        efforts
    }
}

/// Returns a quantity of the joint dynamics by velocity index.
fn by_speed(links: &Links, number: impl Fn(&JointDynamics) -> f64) -> Vec<f64> {
    let mut numbers = vec![0.0; links.tree.velocity_count()];
    for (variable, own) in links.tree.variables().iter().zip(&links.joint_dynamics) {
        numbers[variable.speed] = number(own);
    }
    numbers
}
