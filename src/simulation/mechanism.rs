//! Mechanisms for users' controllers: the dynamics of a robot's joints, as they stand now.
use bevy::prelude::{Entity, World};
use morse_api::{
    body::{BodyState, Gravity},
    component::Path,
    joint::{JointState, JointVariable},
    mechanism::{Mechanism as Links, Mechanisms},
};
use morse_mechanisms::{Base, Motion, State, Tree, Work, step::Resistance};
use nalgebra::{DMatrix, Isometry3, Point3};

/// The joints of a robot (or of any body that joints hang on) with their positions and speeds of now: what controllers
/// calculate with. It is a copy: stepping the simulation does not change it.
///
/// All vectors are in the order of [`coordinates`](Self::coordinates). Where forces move the base, its six come first.
#[derive(Clone, Debug)]
pub struct Mechanism {
    tree: Tree,
    base: Base,
    /// Of the base, in the world.
    place: Isometry3<f64>,
    state: State,
    work: Work,
    coordinates: Vec<String>,
    links: Vec<String>,
    floats: bool,
    /// Of each speed, N·m·s/rad or N·s/m.
    damping: Vec<f64>,
    /// Inertia of the rotors that each speed turns, kg·m² or kg.
    armature: Vec<f64>,
}

/// Speeds of a base that forces move, in its own axes: m/s, then rad/s.
const OF_THE_BASE: [&str; 6] = [
    "base.linear.x",
    "base.linear.y",
    "base.linear.z",
    "base.angular.x",
    "base.angular.y",
    "base.angular.z",
];

impl Mechanism {
    /// The mechanism that a body belongs to, as it stands in the world.
    pub(super) fn of(world: &World, body: Entity) -> Option<Self> {
        let (links, _) = world.resource::<Mechanisms>().of_body(body)?;
        let base = world.get::<BodyState>(links.base)?;
        let mut state = links.tree.at_zero();
        let joint = |entity| world.get::<JointState>(entity).copied();
        links.read(base, joint, &mut state);
        let gravity = world.get_resource::<Gravity>().copied();
        let conditions = links.conditions(base, gravity.unwrap_or_default().0);
        let mut work = Work::new(&links.tree);
        work.place(&links.tree, &conditions, &state);
        let name = |entity: &Entity| world.get::<Path>(*entity).map(ToString::to_string);
        let variable = |entity: &Entity| Some(world.get::<JointVariable>(*entity)?.name.clone());
        let base = if links.floats { &OF_THE_BASE[..] } else { &[] };
        let coordinates = base.iter().map(|name| Some((*name).to_owned()));
        Some(Self {
            coordinates: coordinates
                .chain(links.variables.iter().map(variable))
                .collect::<Option<_>>()?,
            links: links.links.iter().map(name).collect::<Option<_>>()?,
            place: if links.floats {
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
            work,
        })
    }

    /// Names of the speeds: those of the base where forces move it, then the variables.
    #[must_use]
    pub fn coordinates(&self) -> &[String] {
        &self.coordinates
    }

    /// Names of the bodies that the joints move, parents first; the base first of all where forces move it.
    #[must_use]
    pub fn links(&self) -> &[String] {
        &self.links
    }

    /// Positions of the variables, rad or m: those of the base are in [`pose`](Self::pose).
    #[must_use]
    pub fn positions(&self) -> Vec<f64> {
        let all = self.tree.variables().iter();
        all.map(|variable| self.state.positions[variable.position])
            .collect()
    }

    /// Speeds, rad/s or m/s.
    #[must_use]
    pub fn speeds(&self) -> &[f64] {
        &self.state.speeds
    }

    /// Puts the variables (rad or m) and all speeds elsewhere: for plans, and controllers that look ahead.
    ///
    /// # Panics
    ///
    /// When there is not one position for each variable, and one speed for each coordinate.
    pub fn set(&mut self, positions: &[f64], speeds: &[f64]) {
        let variables = self.tree.variables();
        assert_eq!(positions.len(), variables.len(), "one for each variable");
        for (variable, position) in variables.iter().zip(positions) {
            self.state.positions[variable.position] = *position;
        }
        self.state.speeds.copy_from_slice(speeds);
        self.work.place(&self.tree, &self.base, &self.state);
    }

    /// Mass matrix with the rotors of motors, kg·m², kg·m or kg: efforts are this times accelerations, plus [`bias`](Self::bias).
    #[must_use]
    pub fn mass_matrix(&mut self) -> DMatrix<f64> {
        self.weigh();
        let (count, matrix) = (self.tree.speed_count(), &self.work.matrix);
        DMatrix::from_fn(count, count, |row, column| matrix.at(row, column))
    }

    /// Efforts (N·m or N) that hold the accelerations at zero: against gravity, Coriolis and centrifugal forces.
    #[must_use]
    pub fn bias(&mut self) -> Vec<f64> {
        self.efforts(None)
    }

    /// Efforts (N·m or N) that hold the mechanism still where it stands: against gravity alone.
    #[must_use]
    pub fn gravity(&mut self) -> Vec<f64> {
        let mut still = self.clone();
        still.state.speeds.fill(0.0);
        still.base = Base::at_rest(self.base.gravity);
        still.work.place(&still.tree, &still.base, &still.state);
        still.bias()
    }

    /// Efforts (N·m or N) that give these accelerations (rad/s² or m/s²), against the damping of the joints and with their rotors: computed
    /// torque.
    ///
    /// # Panics
    ///
    /// When there is not one for each coordinate.
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

    /// Accelerations (rad/s² or m/s²) that these efforts (N·m or N) give, with the damping of the joints and their rotors; without
    /// contacts, motors, dry friction and limits.
    ///
    /// # Panics
    ///
    /// When there is not one for each coordinate.
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
        self.work.matrix.factor();
        self.work.matrix.solve(&mut accelerations);
        accelerations
    }

    /// Jacobian of a point of a link (in the link's frame, m): six rows, linear (m/s) above angular (rad/s) in world axes, a
    /// column for each coordinate. `None` if no link has that name.
    #[must_use]
    pub fn jacobian(&self, link: &str, point: &Point3<f64>) -> Option<DMatrix<f64>> {
        let link = self.place_of(link)?;
        let mut columns = vec![Motion::ZERO; self.coordinates.len()];
        self.work
            .jacobian(&self.tree, link, &point.coords, &mut columns);
        let turn = self.place.rotation;
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

    /// Pose of a link in the world. `None` if no link has that name.
    #[must_use]
    pub fn pose(&self, link: &str) -> Option<Isometry3<f64>> {
        let place = self.work.place_of(self.place_of(link)?);
        let rotation = nalgebra::Rotation3::from_matrix_unchecked(place.rotation);
        let inner = Isometry3::from_parts(place.position.into(), rotation.into());
        Some(self.place * inner)
    }

    /// Mass of the links, kg, and their centre of mass in the world, m. A base that forces do not move does not count.
    #[must_use]
    pub fn center_of_mass(&self) -> (f64, Point3<f64>) {
        let (mass, center) = self.work.center_of_mass(&self.tree);
        (mass, self.place * Point3::from(center))
    }

    /// Tells whether forces move the base.
    #[must_use]
    pub const fn floats(&self) -> bool {
        self.floats
    }

    /// Efforts that the damping of the joints takes, N·m or N.
    fn damped(&self) -> impl Iterator<Item = f64> {
        let speeds = self.damping.iter().zip(&self.state.speeds);
        speeds.map(|(damping, speed)| damping * speed)
    }

    /// Fills the mass matrix, with the rotors.
    fn weigh(&mut self) {
        self.work.mass_matrix(&self.tree);
        for (speed, inertia) in self.armature.iter().enumerate() {
            self.work.matrix.add_diagonal(speed, *inertia);
        }
    }

    fn place_of(&self, link: &str) -> Option<usize> {
        self.links.iter().position(|name| name == link)
    }

    fn efforts(&mut self, accelerations: Option<&[f64]>) -> Vec<f64> {
        let mut efforts = vec![0.0; self.coordinates.len()];
        let (tree, base, state) = (&self.tree, &self.base, &self.state);
        self.work
            .inverse_dynamics(tree, base, state, accelerations, &[], &mut efforts);
        efforts
    }
}

/// A number of the resistances by speed.
fn by_speed(links: &Links, number: impl Fn(&Resistance) -> f64) -> Vec<f64> {
    let mut numbers = vec![0.0; links.tree.speed_count()];
    for (variable, own) in links.tree.variables().iter().zip(&links.resistances) {
        numbers[variable.speed] = number(own);
    }
    numbers
}
