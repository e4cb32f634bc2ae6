//! The joints of a scene are put into the engine.
use bevy_rapier3d::rapier::prelude::{GenericJointBuilder, ImpulseJointHandle, JointAxesMask};
use morse_scene::assembly::{Attachment, JointMode, rotation_about};
use nalgebra::{Isometry3, Quaternion, UnitQuaternion, Vector3};

use super::Builder;
use crate::{
    convert,
    engine::{EngineItem, JointRow, VariableRow},
    motor,
};

/// Of motors without a stiffness of their own, Hz: the natural frequency with which a joint carries
/// the most that what hangs on it can weigh. An arm of 10 kg and 0.8 m sags by less than a millimetre.
const MOTOR_FREQUENCY: f64 = 25.0;

impl Builder<'_> {
    pub(super) fn joints(&mut self, engine: &mut EngineItem<'_, '_>) {
        let carried = self.carried();
        for (variable, &entity) in self.layout.variables.iter().zip(&self.entities.variables) {
            let mut row = VariableRow {
                entity,
                layout: variable.clone(),
                joints: Vec::new(),
            };
            for &child in &variable.bodies {
                let body = self.layout.bodies.get(child);
                if let Some(attachment) = body.and_then(|body| body.attachment.as_ref()) {
                    let carried = carried.get(child).copied().unwrap_or_default();
                    let joint = self.joint(engine, (child, carried), attachment, &row);
                    row.joints.push(joint);
                }
            }
            self.tables.variables.push(row);
        }
    }

    fn joint(
        &self,
        engine: &mut EngineItem<'_, '_>,
        (child, carried): (usize, f64),
        attachment: &Attachment,
        variable: &VariableRow,
    ) -> JointRow {
        let settings = &variable.layout.settings;
        let center = middle(variable);
        let zero = if attachment.is_angle {
            center
        } else {
            -attachment.offset
        };
        let turned = if attachment.is_angle {
            let angle = center + attachment.offset;
            attachment.parent_from_joint * rotation_about(&attachment.axis, angle)
        } else {
            attachment.parent_from_joint
        };
        let axes = x_to(&attachment.axis);
        let rate = std::f64::consts::TAU * MOTOR_FREQUENCY;
        let per_travel = attachment.travel * attachment.travel;
        let stiffness = settings
            .stiffness
            .map_or(carried * rate * rate, |own| own / per_travel);
        let critical = 2.0 * libm::sqrt(stiffness * carried);
        let mut row = JointRow {
            child,
            parent: attachment.parent,
            handle: None,
            is_angle: attachment.is_angle,
            zero,
            travel: attachment.travel,
            parent_from_axes: turned * axes,
            child_from_axes: axes,
            stiffness,
            damping: settings.damping.map_or(critical, |own| own / per_travel),
            passive_damping: attachment.damping / per_travel,
        };
        if settings.mode == JointMode::Dynamic {
            row.handle = self.insert(engine, &row, variable);
        }
        row
    }

    fn insert(
        &self,
        engine: &mut EngineItem<'_, '_>,
        row: &JointRow,
        variable: &VariableRow,
    ) -> Option<ImpulseJointHandle> {
        let locked = if row.is_angle {
            JointAxesMask::LOCKED_REVOLUTE_AXES
        } else {
            JointAxesMask::LOCKED_PRISMATIC_AXES
        };
        let child_from_axes = Isometry3::from_parts(Vector3::zeros().into(), row.child_from_axes);
        let mut joint = GenericJointBuilder::new(locked)
            .local_frame1(convert::pose(&row.parent_from_axes))
            .local_frame2(convert::pose(&child_from_axes))
            .contacts_enabled(false)
            .build();
        let position = variable.layout.settings.position;
        let order = motor::Order::default();
        let motor = row.motor(variable, &order, position);
        let axis = motor::axis_of(row.is_angle);
        motor::equip(&mut joint, axis, &motor, row.limits(variable, position));
        let parent = self.tables.bodies.get(row.parent)?.handle;
        let child = self.tables.bodies.get(row.child)?.handle;
        Some(
            engine
                .joints
                .impulse_joints
                .insert(parent, child, joint, true),
        )
    }
}

/// The middle of a variable's range, where the engine is to measure zero; its start without limits.
fn middle(variable: &VariableRow) -> f64 {
    let [lower, upper] = variable.layout.limits;
    let middle = (lower + upper) / 2.0;
    if middle.is_finite() {
        middle
    } else {
        variable.layout.settings.position
    }
}

/// A rotation that takes the x axis to another one.
fn x_to(axis: &Vector3<f64>) -> UnitQuaternion<f64> {
    let x = Vector3::x();
    let real = 1.0 + x.dot(axis);
    if real < 1e-9 {
        return UnitQuaternion::new_unchecked(Quaternion::new(0.0, 0.0, 0.0, 1.0));
    }
    UnitQuaternion::new_normalize(Quaternion::from_parts(real, x.cross(axis)))
}
