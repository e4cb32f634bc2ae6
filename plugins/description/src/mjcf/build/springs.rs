//! Joints with `springdamper`: stiffness and damping from a time constant and a damping ratio. Actuators with a damping ratio.
//!
//! As MuJoCo does it: a joint with `springdamper` feels the inertia 1 / (M⁻¹)ᵢᵢ in the pose of the file, where M is the mass
//! matrix of the model without equality constraints. Its stiffness is inertia / (time constant · damping ratio)², its damping
//! 2 · inertia / time constant. The damping of an actuator of stiffness k with a damping ratio is 2 · ratio · √(k Mᵢᵢ).

use std::collections::BTreeMap;

use morse_diagnostics::Diagnostic;
use morse_mechanisms::{Axis, Base, Inertia, Joint, Link, Tree, Workspace};
use morse_scene::model::{self, Frame};
use nalgebra::{Matrix3, UnitVector3, Vector3};

use super::{Builder, components::Slot};
use crate::mjcf::{codes, motor::Motors};

/// Maximum number of velocities of a model, whose mass matrix is computed.
const MOST_VELOCITIES: usize = 2_000;

impl Builder<'_, '_> {
    /// Computes stiffness and damping of the joints with `springdamper`.
    pub(super) fn damped_springs(&mut self) {
        let mut slots = std::mem::take(&mut self.slots);
        let is_sprung = |slot: &Slot| slot.joint.spring_damper.is_some();
        if slots.iter().any(is_sprung) {
            let inertias = inertias(&self.frames);
            for slot in slots.iter_mut().filter(|slot| is_sprung(slot)) {
                self.damped_spring(slot, &inertias);
            }
        }
        self.slots = slots;
    }

    /// Computes the damping of the joints whose actuators have a damping ratio.
    pub(super) fn damp(&mut self, motors: &mut Motors) {
        let mut all = motors.joints.values();
        if all.all(|(motor, _)| motor.relative_damping == 0.0) {
            return;
        }
        let inertias = inertias(&self.frames);
        for (name, (motor, span)) in &mut motors.joints {
            if motor.relative_damping == 0.0 {
                continue;
            }
            let felt = self.axes.get(name).and_then(|frame| inertias.get(frame));
            if let Some(felt) = felt {
                motor.damping += motor.relative_damping * felt.inertia.sqrt();
                motor.relative_damping = 0.0;
                continue;
            }
            let message = "actuators with a `dampratio` are damped critically";
            self.approximate(message, *span, "write `kv` instead of `dampratio`");
        }
    }

    fn damped_spring(&mut self, slot: &mut Slot, inertias: &BTreeMap<String, Felt>) {
        let Some([time, ratio]) = slot.joint.spring_damper else {
            return;
        };
        let axes = slot.variables.iter().map(|name| self.axes.get(name));
        let frames: Option<Vec<&String>> = axes.collect();
        let frames = frames.unwrap_or_default();
        let felt = frames.iter().filter_map(|frame| inertias.get(*frame));
        let sum: f64 = felt.map(|felt| felt.inverse).sum();
        if !(sum.is_finite() && sum > 0.0) {
            let message = "the spring of a joint with `springdamper` is not simulated";
            let diagnostic = Diagnostic::warning(codes::IGNORED, message)
                .at(slot.joint.span, "it is free, or follows another joint")
                .help("write `stiffness` and `damping`");
            self.problems.push(diagnostic);
            return;
        }
        // The axes of a ball joint share their mean.
        let inertia = frames.len() as f64 / sum;
        let stiffness = inertia / (time * time * ratio * ratio);
        let switches = &self.settings.switches;
        slot.joint.spring = Some([stiffness, slot.joint.rest]).filter(|_| !switches.no_springs);
        let damped = self.frames.iter_mut().filter(|_| !switches.no_dampers);
        for frame in damped.filter(|frame| frames.contains(&&frame.name)) {
            if let model::Joint::Revolute(axis) | model::Joint::Prismatic(axis) = &mut frame.joint {
                axis.damping = Some(2.0 * inertia / time);
            }
        }
    }
}

/// Inertia that a joint feels in the pose of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Felt {
    /// Inertia while no other joint moves: entry of the diagonal of the mass matrix, kg·m² or kg.
    pub(super) inertia: f64,
    /// Entry of the diagonal of the inverse mass matrix.
    inverse: f64,
}

/// Returns the inertias that joints of one axis feel, by the names of their frames. Empty if the model is too large, or if its
/// masses are none.
pub(super) fn inertias(frames: &[Frame]) -> BTreeMap<String, Felt> {
    let mut inertias = BTreeMap::new();
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let mut links = Vec::new();
    for (index, frame) in frames.iter().enumerate() {
        let parent = frame.parent.as_deref();
        links.push(Link {
            parent: parent.and_then(|parent| known.get(parent).copied()),
            parent_from_joint: frame.pose,
            joint: joint(frame, index),
            inertia: inertia(frame),
        });
        known.insert(&frame.name, index);
    }
    let Ok(tree) = Tree::new(&links) else {
        return inertias;
    };
    if tree.velocity_count() > MOST_VELOCITIES {
        return inertias;
    }
    let mut workspace = Workspace::new(&tree);
    let base = Base::at_rest(Vector3::zeros());
    workspace.forward_kinematics(&tree, &base, &tree.at_zero());
    workspace.mass_matrix(&tree);
    let axes = frames.iter().enumerate();
    let axes: Vec<(&Frame, &model::JointAxis, usize)> = axes
        .filter_map(|(index, frame)| Some((frame, axis(frame)?, tree.variable(index)?.speed)))
        .collect();
    for (_, axis, speed) in &axes {
        let armature = axis.armature.unwrap_or(0.0);
        workspace.matrix.add_diagonal(*speed, armature);
    }
    let diagonal: Vec<f64> = axes
        .iter()
        .map(|(_, _, speed)| workspace.matrix.at(*speed, *speed))
        .collect();
    workspace.matrix.factor();
    for ((frame, _, speed), inertia) in axes.into_iter().zip(diagonal) {
        let mut column = vec![0.0; tree.velocity_count()];
        if let Some(own) = column.get_mut(speed) {
            *own = 1.0;
        }
        workspace.matrix.solve(&mut column);
        let inverse = column.get(speed).copied().unwrap_or(0.0);
        inertias.insert(frame.name.clone(), Felt { inertia, inverse });
    }
    inertias
}

/// Returns the axis of a joint with one axis.
fn axis(frame: &Frame) -> Option<&model::JointAxis> {
    match &frame.joint {
        model::Joint::Revolute(axis) | model::Joint::Prismatic(axis) => Some(axis),
        _ => None,
    }
}

/// Returns the joint of a frame, whose position is zero in the pose of the file. Joints that follow others are independent.
fn joint(frame: &Frame, index: usize) -> Joint {
    let own = |axis: &model::JointAxis| Axis::new(UnitVector3::new_normalize(axis.axis), index);
    match &frame.joint {
        model::Joint::Revolute(axis) => Joint::Revolute(own(axis)),
        model::Joint::Prismatic(axis) => Joint::Prismatic(own(axis)),
        model::Joint::Floating => Joint::Floating,
        model::Joint::Fixed => Joint::Fixed,
    }
}

/// Returns the inertia of a frame.
fn inertia(frame: &Frame) -> Inertia {
    let center = frame
        .center_of_mass
        .map_or_else(Vector3::zeros, Vector3::from);
    let [xx, yy, zz, xy, xz, yz] = frame.inertia.unwrap_or_default();
    let about_center = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    Inertia::new(frame.mass.unwrap_or(0.0), center, about_center)
}
