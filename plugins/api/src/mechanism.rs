//! Mechanisms: the trees of joints of a scene, as their dynamics are calculated.
use bevy::prelude::*;
use morse_mechanisms::{Base, Motion, State, Tree, step::Resistance};
use nalgebra::Vector3;

use crate::{body::BodyState, joint::JointState};

/// All mechanisms of a world, in the order of the paths of their bases.
#[derive(Resource, Clone, Debug, Default)]
pub struct Mechanisms(pub Vec<Mechanism>);

/// A base, and the joints that hang on it.
#[derive(Clone, Debug)]
pub struct Mechanism {
    /// Body that everything hangs on.
    pub base: Entity,
    /// True if forces move the base: then it is the tree's first link.
    pub floats: bool,
    /// Bodies of the links, in the tree's order.
    pub links: Vec<Entity>,
    /// Variables, in the order of [`Tree::variables`].
    pub variables: Vec<Entity>,
    /// Friction, rotors and limits of the joints of each variable together.
    pub resistances: Vec<Resistance>,
    /// Drive of each variable.
    pub drives: Vec<Drive>,
    /// Links and joints.
    pub tree: Tree,
}

/// Source of the motion of a variable's joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drive {
    /// Forces, and a motor.
    Motor {
        /// True if it carries the weight of what hangs on the joint, whatever else it does.
        compensates: bool,
    },
    /// Poses: they go where they are told, whatever the forces.
    Posed,
}

impl Mechanisms {
    /// The mechanism that a body belongs to, and the body's place among the links; none for a base that does not float.
    #[must_use]
    pub fn of_body(&self, body: Entity) -> Option<(&Mechanism, Option<usize>)> {
        self.0.iter().find_map(|mechanism| {
            let link = mechanism.links.iter().position(|link| *link == body);
            (link.is_some() || mechanism.base == body).then_some((mechanism, link))
        })
    }

    /// The mechanism that a variable's joints belong to, as a place among all.
    #[must_use]
    pub fn place_of(&self, variable: Entity) -> Option<usize> {
        let has = |mechanism: &Mechanism| mechanism.variables.contains(&variable);
        self.0.iter().position(has)
    }
}

impl Mechanism {
    /// Reads positions and speeds, given the state of the base and of each variable.
    pub fn read(
        &self,
        base: &BodyState,
        joint: impl Fn(Entity) -> Option<JointState>,
        state: &mut State,
    ) {
        if self.floats {
            let (place, turn) = (base.pose.translation.vector, base.pose.rotation);
            let linear = turn.inverse() * base.velocity_at(&place.into());
            let angular = turn.inverse() * base.angular_velocity;
            state.positions[..3].copy_from_slice(place.as_slice());
            state.positions[3..7].copy_from_slice(turn.coords.as_slice());
            state.speeds[..3].copy_from_slice(linear.as_slice());
            state.speeds[3..6].copy_from_slice(angular.as_slice());
        }
        for (variable, entity) in self.tree.variables().iter().zip(&self.variables) {
            let joint = joint(*entity).unwrap_or_default();
            state.positions[variable.position] = joint.position;
            state.speeds[variable.speed] = joint.velocity;
        }
    }

    /// Gravity (m/s²) and the motion of the base, in the axes that the tree is calculated in.
    #[must_use]
    pub fn conditions(&self, base: &BodyState, gravity: Vector3<f64>) -> Base {
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
