//! Run of one tree, for tests.
use nalgebra::{Isometry3, Matrix3, UnitVector3, Vector3};

use crate::{
    Axis, Base, Inertia, Joint, Link, Pose, State, Tree,
    island::{Contact, FreeBody, Island, Member, Weld},
    step::Integrator,
};

pub(crate) const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);

/// Returns a hinge about an axis at a position on its parent, and a rod that hangs on it: mass in kg, length in m.
pub(crate) fn rod(
    parent: Option<usize>,
    at: [f64; 3],
    axis: Vector3<f64>,
    [mass, length]: [f64; 2],
    variable: usize,
) -> Link {
    let across = mass * length * length / 12.0;
    let about = Matrix3::from_diagonal(&Vector3::new(across, across, across * 1e-2));
    Link {
        parent,
        parent_from_joint: Isometry3::translation(at[0], at[1], at[2]),
        joint: Joint::Revolute(Axis::new(UnitVector3::new_normalize(axis), variable)),
        inertia: Inertia::new(mass, Vector3::new(0.0, 0.0, -length / 2.0), about),
    }
}

/// Tree with its state, under gravity.
pub(crate) struct Run {
    pub(crate) tree: Tree,
    pub(crate) integrator: Integrator,
    pub(crate) state: State,
    pub(crate) base: Base,
    pub(crate) island: Island,
    /// Time step, s.
    pub(crate) dt: f64,
}

impl Run {
    pub(crate) fn new(tree: Tree, rate: f64) -> Self {
        Self {
            integrator: Integrator::new(&tree),
            state: tree.at_zero(),
            base: Base::at_rest(GRAVITY),
            island: Island::default(),
            dt: 1.0 / rate,
            tree,
        }
    }

    pub(crate) fn of(links: &[Link], rate: f64) -> Self {
        Self::new(Tree::new(links).unwrap(), rate)
    }

    /// Predicts the middle of the next step.
    pub(crate) fn predict(&mut self) {
        let (tree, base) = (&self.tree, &self.base);
        self.integrator
            .predict(tree, base, &self.state, self.dt / 2.0);
    }

    /// Makes a step together with free bodies and contacts, after [`Run::predict`].
    pub(crate) fn step_with(
        &mut self,
        bodies: &mut [FreeBody],
        contacts: &mut [Contact],
        welds: &mut [Weld],
    ) {
        let member = Member {
            tree: &self.tree,
            integrator: &mut self.integrator,
            state: &mut self.state,
            base: self.base,
            pose: Pose::identity(),
            external_forces: &[],
        };
        self.island
            .step(&mut [member], bodies, contacts, welds, self.dt);
    }

    /// Makes a step of the tree alone.
    pub(crate) fn step(&mut self) {
        self.predict();
        self.step_with(&mut [], &mut [], &mut []);
    }

    /// Makes the steps of a number of seconds.
    pub(crate) fn run(&mut self, seconds: f64) {
        for _ in 0..(seconds / self.dt).round() as usize {
            self.step();
        }
    }

    /// Returns the kinetic and potential energy, J.
    pub(crate) fn energy(&mut self) -> f64 {
        let workspace = &mut self.integrator.workspace;
        workspace.forward_kinematics(&self.tree, &self.base, &self.state);
        workspace.energy(&self.tree, &self.base).iter().sum()
    }
}
