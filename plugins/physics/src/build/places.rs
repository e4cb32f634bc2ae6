//! Places of joints on their robots, and the reach of what they move.
use std::collections::BTreeMap;

use bevy::prelude::Entity;
use bevy_rapier3d::parry::shape::{Shape, TypedShape};
use morse_api::joint::JointPlace;
use morse_scene::assembly::{Attachment, BodyLayout, VariableLayout};
use nalgebra::{Isometry3, Point3, UnitVector3, Vector3};

use super::Builder;
use crate::{convert, prepare::PreparedBody};

/// Directions in which the rim of a round shape is looked for.
const DIRECTIONS: u32 = 32;

impl Builder<'_> {
    /// The place of each variable's first joint.
    pub(super) fn places(&self) -> Vec<(Entity, JointPlace)> {
        // Of several, the first one counts.
        let mut bases: BTreeMap<&str, &BodyLayout> = BTreeMap::new();
        for body in &self.layout.bodies {
            if let (true, None, Some(robot)) = (body.actuated, &body.attachment, &body.robot) {
                bases.entry(robot).or_insert(body);
            }
        }
        let variables = self.layout.variables.iter();
        let entities = self.entities.variables.iter();
        let place = |(variable, &entity)| Some((entity, self.place(variable, &bases)?));
        variables.zip(entities).filter_map(place).collect()
    }

    fn place(
        &self,
        variable: &VariableLayout,
        bases: &BTreeMap<&str, &BodyLayout>,
    ) -> Option<JointPlace> {
        let child = *variable.bodies.first()?;
        let body = self.layout.bodies.get(child)?;
        let attachment = body.attachment.as_ref()?;
        let base = body.robot.as_deref().and_then(|robot| bases.get(robot));
        let origin = base.map_or_else(Isometry3::identity, |base| base.pose);
        let pose = origin.inv_mul(&body.pose);
        let prepared = self.prepared.bodies.get(child)?;
        Some(JointPlace {
            at: pose.translation.vector.into(),
            axis: pose.rotation * attachment.axis.into_inner(),
            reach: reach(prepared, attachment),
        })
    }
}

/// Reach of a body from the axis of its joint, which goes through its origin.
fn reach(body: &PreparedBody, attachment: &Attachment) -> f64 {
    let axis = attachment.axis;
    let solids = body.solids.iter().map(|solid| {
        let pose = solid.body_from_frame * solid.solid.frame_from_shape;
        reach_of(&*solid.solid.shape, &pose, &axis)
    });
    solids.fold(0.0, f64::max)
}

fn reach_of(shape: &dyn Shape, pose: &Isometry3<f64>, axis: &UnitVector3<f64>) -> f64 {
    let from_axis = |point: Point3<f64>| {
        let point = (pose * point).coords;
        (point - axis.into_inner() * axis.dot(&point)).norm()
    };
    if let TypedShape::ConvexPolyhedron(hull) = shape.as_typed_shape() {
        let points = hull.points().iter();
        return points.fold(0.0, |far, point| far.max(from_axis(convert::point(*point))));
    }
    let Some(support) = shape.as_support_map() else {
        return 0.0;
    };
    // The furthest points lie across the axis from it; those of boxes are corners, found from any side.
    let across = across(axis);
    let mut far: f64 = 0.0;
    for step in 0..DIRECTIONS {
        let angle = std::f64::consts::TAU * f64::from(step) / f64::from(DIRECTIONS);
        let (sin, cos) = libm::sincos(angle);
        let direction = pose.rotation.inverse() * (across[0] * cos + across[1] * sin);
        let point = support.local_support_point(convert::vec3(&direction));
        far = far.max(from_axis(convert::point(point)));
    }
    far
}

/// Two directions across an axis and each other.
fn across(axis: &UnitVector3<f64>) -> [Vector3<f64>; 2] {
    let helper = if axis.x.abs() < 0.5 {
        Vector3::x()
    } else {
        Vector3::y()
    };
    let one = axis.cross(&helper).normalize();
    [one, axis.cross(&one)]
}
