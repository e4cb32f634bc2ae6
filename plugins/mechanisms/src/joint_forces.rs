//! Forces that joints transmit in a step, from the velocities before and after it: for force–torque sensors.
use crate::{
    spatial::{Force, Motion, Pose},
    state::State,
    tree::Tree,
    workspace::{Base, Workspace},
};

/// Forces on the links of a tree in a step, by inverse dynamics (RNEA) in the middle of the step, with the mean velocities
/// and accelerations of the step. O(n) for n links.
#[derive(Clone, Debug)]
pub struct JointForces {
    /// State before the step, then in its middle.
    state: State,
    accelerations: Vec<f64>,
    efforts: Vec<f64>,
    workspace: Workspace,
}

impl JointForces {
    /// Returns a workspace for a tree.
    #[must_use]
    pub fn new(tree: &Tree) -> Self {
        Self {
            state: tree.at_zero(),
            accelerations: vec![0.0; tree.velocity_count()],
            efforts: vec![0.0; tree.velocity_count()],
            workspace: Workspace::new(tree),
        }
    }

    /// Stores the state before a step.
    pub fn begin(&mut self, state: &State) {
        self.state.positions.clone_from(&state.positions);
        self.state.velocities.clone_from(&state.velocities);
    }

    /// Computes the forces of the step from the velocities after it. External forces that are not given here, for example
    /// those of contacts, count as transmitted by the joints.
    pub fn end(
        &mut self,
        tree: &Tree,
        base: &Base,
        velocities: &[f64],
        external_forces: &[Force],
        dt: f64,
    ) {
        let before = self.state.velocities.iter_mut();
        let numbers = before.zip(&mut self.accelerations).zip(velocities);
        for ((speed, acceleration), after) in numbers {
            *acceleration = (after - *speed) / dt;
            *speed = (*speed + after) / 2.0;
        }
        tree.integrate(&mut self.state.positions, &self.state.velocities, dt / 2.0);
        self.workspace.forward_kinematics(tree, base, &self.state);
        self.workspace.inverse_dynamics(
            tree,
            base,
            Some(&self.accelerations),
            external_forces,
            &mut self.efforts,
        );
    }

    /// Returns the pose of a link in the base, in the middle of the step.
    #[must_use]
    pub fn pose(&self, link: usize) -> Pose {
        self.workspace.pose_of(link)
    }

    /// Returns the force that the joint of a link transmits to it, in the link's frame: N, and N·m about its origin. It
    /// moves and supports the link and all its descendants.
    #[must_use]
    pub fn force(&self, link: usize) -> Force {
        self.workspace
            .force_in_link(link, &self.workspace.forces[link])
    }

    /// Returns the [`force`](Self::force) of a link in the frame of its parent, or of the base.
    #[must_use]
    pub fn force_in_parent(&self, tree: &Tree, link: usize) -> Force {
        let force = &self.workspace.forces[link];
        match tree.parent_of(link) {
            Some(parent) => self.workspace.force_in_link(parent, force),
            None => self.workspace.force_in_base(force),
        }
    }

    /// Returns velocity and spatial acceleration of a link in its own axes; gravity is subtracted from the acceleration.
    #[must_use]
    pub fn motion(&self, link: usize) -> [Motion; 2] {
        let workspace = &self.workspace;
        [&workspace.velocities, &workspace.accelerations]
            .map(|motions| workspace.relative_poses[link].motion_from_outer(&motions[link]))
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Isometry3, Matrix3, Vector3};

    use super::*;
    use crate::{
        island::{Island, Member},
        spatial::Inertia,
        step::{Integrator, Motor},
        tree::{Axis, Joint, Link},
    };

    const G: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);

    /// An arm of two links of 0.5 m with masses at their ends: about z, then about y.
    fn arm() -> Tree {
        let link = |parent, at: f64, axis, mass| Link {
            parent,
            parent_from_joint: Isometry3::translation(at, 0.0, 0.0),
            joint: Joint::Revolute(Axis::new(axis, usize::from(parent.is_some()))),
            inertia: Inertia::new(mass, Vector3::x() * 0.5, Matrix3::identity() * 1e-3),
        };
        Tree::new(&[
            link(None, 0.0, Vector3::z_axis(), 2.0),
            link(Some(0), 0.5, Vector3::y_axis(), 1.0),
        ])
        .unwrap()
    }

    /// Makes steps with constant motor efforts, and returns the forces of the last one, with the state after it.
    fn run(
        tree: &Tree,
        velocities: [f64; 2],
        efforts: [f64; 2],
        dt: f64,
        steps: u32,
    ) -> (JointForces, State) {
        let mut integrator = Integrator::new(tree);
        let mut state = tree.at_zero();
        state.velocities.copy_from_slice(&velocities);
        for (motor, effort) in integrator.motors.iter_mut().zip(efforts) {
            *motor = Motor {
                effort,
                ..Motor::default()
            };
        }
        let (base, mut island) = (Base::at_rest(G), Island::default());
        let mut forces = JointForces::new(tree);
        for _ in 0..steps {
            forces.begin(&state);
            integrator.predict(tree, &base, &state, dt / 2.0);
            let member = Member {
                tree,
                integrator: &mut integrator,
                state: &mut state,
                base,
                pose: Pose::identity(),
                external_forces: &[],
            };
            island.step(&mut [member], &mut [], &mut [], &mut [], dt);
            forces.end(tree, &base, &state.velocities, &[], dt);
        }
        (forces, state)
    }

    #[test]
    fn along_its_axis_a_joint_transmits_the_effort_of_its_motor() {
        for dt in [1.0 / 60.0, 1.0 / 240.0, 1e-3] {
            let efforts = [0.7, -4.0];
            let (forces, _) = run(&arm(), [1.0, -0.5], efforts, dt, 20);
            let axes = [forces.force(0).moment.z, forces.force(1).moment.y];
            for (actual, effort) in axes.into_iter().zip(efforts) {
                assert!(
                    (actual - effort).abs() < 2e-3 * effort.abs().max(1.0),
                    "{dt}: {actual} {effort}"
                );
            }
        }
    }

    #[test]
    fn a_turntable_transmits_weight_and_centripetal_force() {
        let tree = Tree::new(&[Link {
            parent: None,
            parent_from_joint: Isometry3::identity(),
            joint: Joint::Revolute(Axis::new(Vector3::z_axis(), 0)),
            inertia: Inertia::new(2.0, Vector3::x() * 0.5, Matrix3::identity() * 1e-3),
        }])
        .unwrap();
        let mut forces = JointForces::new(&tree);
        let mut state = tree.at_zero();
        state.velocities[0] = 3.0;
        forces.begin(&state);
        forces.end(&tree, &Base::at_rest(G), &[3.0], &[], 1e-2);
        // In the link's axes: m ω² r inwards, m g upwards, and the moment of the weight.
        let transmitted = forces.force(0);
        assert!((transmitted.force - Vector3::new(-9.0, 0.0, 2.0 * 9.81)).norm() < 1e-12);
        assert!((transmitted.moment - Vector3::new(0.0, -9.81, 0.0)).norm() < 1e-12);
    }

    #[test]
    fn an_arm_that_falls_freely_weighs_nothing_at_its_end() {
        let tree = Tree::new(&[
            Link {
                parent: None,
                parent_from_joint: Isometry3::identity(),
                joint: Joint::Prismatic(Axis::new(Vector3::z_axis(), 0)),
                inertia: Inertia::new(2.0, Vector3::zeros(), Matrix3::identity()),
            },
            Link {
                parent: Some(0),
                parent_from_joint: Isometry3::translation(0.3, 0.0, 0.0),
                joint: Joint::Revolute(Axis::new(Vector3::y_axis(), 1)),
                inertia: Inertia::new(1.0, Vector3::x() * 0.5, Matrix3::identity()),
            },
        ])
        .unwrap();
        let (forces, state) = run(&tree, [0.0, 0.0], [0.0, 0.0], 1e-2, 10);
        assert!((state.velocities[0] + 9.81 * 0.1).abs() < 1e-9);
        assert!(forces.force(1).force.norm() < 1e-9 && forces.force(1).moment.norm() < 1e-9);
    }
}
