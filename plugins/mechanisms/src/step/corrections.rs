//! Corrections of positions, which leave the velocities as they are, and add no kinetic energy.
use nalgebra::Vector3;

use super::Integrator;
use crate::{tree::Tree, workspace::Base};

/// Greatest change of a position by a correction in a step whose kinetic energy is not computed, rad or m.
const SMALL: f64 = 1e-4;

/// Relative rise of the kinetic energy in a step that is tolerated. Overlaps of links raise it by more; the contacts of a robot
/// that rolls raise and lower it by less, and leave its velocities as they are.
const TOLERANCE: f64 = 1e-3;

/// Joints of which a kinetic energy is computed.
#[derive(Clone, Copy, PartialEq)]
enum Joints {
    All,
    /// Those on which a motor with gains acts, which determines their velocities.
    Driven,
    Others,
}

impl Integrator {
    /// Moves the positions in the middle of the step by velocities that are not kept, for the whole step.
    ///
    /// The mass matrix changes with the positions, and with it the kinetic energy of equal velocities: links that overlap deeply
    /// would get faster with each correction. Joints without motors are therefore slowed down until the tree has the energy from
    /// before.
    pub(super) fn correct(&mut self, tree: &Tree, apart: &[f64], dt: f64) {
        if apart.iter().all(|speed| (speed * dt).abs() <= SMALL) {
            tree.integrate(&mut self.middle.positions, apart, dt);
            return;
        }
        let before = self.kinetic_energy(tree, Joints::All);
        tree.integrate(&mut self.middle.positions, apart, dt);
        let after = self.kinetic_energy(tree, Joints::All);
        if after <= (1.0 + TOLERANCE) * before {
            return;
        }
        let driven = self.kinetic_energy(tree, Joints::Driven);
        let others = self.kinetic_energy(tree, Joints::Others);
        // Energy with the fraction s of the velocities of the others: driven + both·s + others·s².
        let both = after - driven - others;
        let root = libm::sqrt((both * both - 4.0 * others * (driven - before)).max(0.0));
        let fraction = (root - both) / (2.0 * others);
        if fraction.is_finite() {
            self.middle.velocities.copy_from_slice(&self.velocities);
            self.keep_velocities(tree, Joints::Driven);
            let pairs = self.velocities.iter_mut().zip(&self.middle.velocities);
            for (speed, driven) in pairs {
                *speed = driven + fraction.clamp(0.0, 1.0) * (*speed - driven);
            }
        }
    }

    /// Returns the kinetic energy of some joints in the middle of the step relative to the base, with that of their rotors, J, with
    /// the velocities at its end.
    fn kinetic_energy(&mut self, tree: &Tree, joints: Joints) -> f64 {
        self.middle.velocities.copy_from_slice(&self.velocities);
        self.keep_velocities(tree, joints);
        let base = Base::at_rest(Vector3::zeros());
        let variables = tree.variables().iter().zip(&self.joint_dynamics);
        let rotors = variables.map(|(variable, resistance)| {
            let speed = self.middle.velocities[variable.speed];
            resistance.armature * speed * speed / 2.0
        });
        let rotors: f64 = rotors.sum();
        self.workspace.forward_kinematics(tree, &base, &self.middle);
        let [links, _] = self.workspace.energy(tree, &base);
        rotors + links
    }

    /// Sets the velocities in the middle of the step to zero, except those of some joints.
    fn keep_velocities(&mut self, tree: &Tree, joints: Joints) {
        if joints == Joints::Driven {
            self.middle.velocities.fill(0.0);
        }
        if joints == Joints::All {
            return;
        }
        let gains = self.gains.iter().zip(&self.saturated);
        for (variable, (gain, saturated)) in tree.variables().iter().zip(gains) {
            let acts = gain.stiffness > 0.0 || gain.damping > 0.0;
            if acts && saturated.is_none() {
                self.middle.velocities[variable.speed] = match joints {
                    Joints::Driven => self.velocities[variable.speed],
                    Joints::All | Joints::Others => 0.0,
                };
            }
        }
    }
}
