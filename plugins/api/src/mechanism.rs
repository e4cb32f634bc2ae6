//! Mechanisms: the trees of joints of a scene, with their dynamics.
use bevy::prelude::*;
use morse_mechanisms::{Base, Motion, State, Tree, step::JointDynamics};
use nalgebra::Vector3;

use crate::{body::BodyState, joint::JointState};

/// All mechanisms of a world, in the order of the paths of their bases.
#[derive(Resource, Clone, Debug, Default)]
pub struct Mechanisms(pub Vec<Mechanism>);

/// A base and the tree of joints that is attached to it.
#[derive(Clone, Debug)]
pub struct Mechanism {
    /// Base body of the tree.
    pub base: Entity,
    /// True if forces move the base: it is then the first link of the tree.
    pub floats: bool,
    /// Bodies of the links, in the tree's order.
    pub links: Vec<Entity>,
    /// Variables, in the order of [`Tree::variables`].
    pub variables: Vec<Entity>,
    /// Dry friction, damping, armature and limits of the joints of each variable.
    pub joint_dynamics: Vec<JointDynamics>,
    /// Drive of the joints of each variable.
    pub drives: Vec<Drive>,
    /// Links and joints.
    pub tree: Tree,
}

/// Drive of a variable's joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drive {
    /// Forces, including those of a motor.
    Motor {
        /// True if the motor compensates the weight of the links on the joint.
        compensates: bool,
    },
    /// Commanded positions, regardless of forces.
    Posed,
}

impl Mechanisms {
    /// Returns the mechanism to which a body belongs, and the body's index among the links; `None` as the index of a base
    /// that does not float.
    #[must_use]
    pub fn of_body(&self, body: Entity) -> Option<(&Mechanism, Option<usize>)> {
        self.0.iter().find_map(|mechanism| {
            let link = mechanism.links.iter().position(|link| *link == body);
            (link.is_some() || mechanism.base == body).then_some((mechanism, link))
        })
    }

    /// Returns the index of the mechanism to which a variable's joints belong.
    #[must_use]
    pub fn index_of(&self, variable: Entity) -> Option<usize> {
        let has = |mechanism: &Mechanism| mechanism.variables.contains(&variable);
        self.0.iter().position(has)
    }
}

impl Mechanism {
    /// Reads joint positions and velocities from the states of the base and of each variable.
    pub fn read(
        &self,
        base: &BodyState,
        joint: impl Fn(Entity) -> Option<JointState>,
        state: &mut State,
    ) {
        if self.floats {
            let (position, turn) = (base.pose.translation.vector, base.pose.rotation);
            let linear = turn.inverse() * base.velocity_at(&position.into());
            let angular = turn.inverse() * base.angular_velocity;
            state.positions[..3].copy_from_slice(position.as_slice());
            state.positions[3..7].copy_from_slice(turn.coords.as_slice());
            state.velocities[..3].copy_from_slice(linear.as_slice());
            state.velocities[3..6].copy_from_slice(angular.as_slice());
        }
        for (variable, entity) in self.tree.variables().iter().zip(&self.variables) {
            let joint = joint(*entity).unwrap_or_default();
            state.positions[variable.position] = joint.position;
            state.velocities[variable.speed] = joint.velocity;
        }
    }

    /// Returns gravity (m/s²) and the motion of the base, in the axes of the tree's base.
    #[must_use]
    pub fn base_state(&self, base: &BodyState, gravity: Vector3<f64>) -> Base {
        if self.floats {
            return Base::at_rest(gravity);
        }
        let (turn, origin) = (base.pose.rotation.inverse(), base.pose.translation.vector);
        Base {
            velocity: Motion {
                angular: turn * base.angular_velocity,
                linear: turn * base.velocity_at(&origin.into()),
            },
            ..Base::at_rest(turn * gravity)
        }
    }
}
