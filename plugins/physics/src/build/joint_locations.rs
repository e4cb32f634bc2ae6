//! Positions of joints on their robots, and the rims of their child bodies.
use std::collections::BTreeMap;

use bevy::prelude::{Entity, Vec3};
use bevy_rapier3d::parry::shape::{Shape, TypedShape};
use morse_api::joint::JointLocation;
use morse_scene::assembly::{Attachment, BodyLayout, VariableLayout};
use nalgebra::{Isometry3, UnitVector3, Vector3};

use super::Builder;
use crate::{convert, prepare::PreparedBody};

/// Fraction of the greatest distance from which points belong to the rim.
const ON_RIM: f64 = 0.999;

/// Slope of the directions in which the ends of a rim are searched.
const TILT: f64 = 1e-3;

/// Number of directions in which the rim of a round shape is searched.
const DIRECTIONS: u32 = 32;

impl Builder<'_> {
    /// Returns the position of each variable's first joint.
    pub(super) fn joint_locations(&self) -> Vec<(Entity, JointLocation)> {
        // Of several joints of a variable, the first one counts.
        let mut bases: BTreeMap<&str, &BodyLayout> = BTreeMap::new();
        for body in &self.layout.bodies {
            if let (true, None, Some(robot)) = (body.actuated, &body.attachment, &body.robot) {
                bases.entry(robot).or_insert(body);
            }
        }
        let variables = self.layout.variables.iter();
        let entities = self.entities.variables.iter();
        let located = |(variable, &entity)| Some((entity, self.location(variable, &bases)?));
        variables.zip(entities).filter_map(located).collect()
    }

    fn location(
        &self,
        variable: &VariableLayout,
        bases: &BTreeMap<&str, &BodyLayout>,
    ) -> Option<JointLocation> {
        let child = *variable.bodies.first()?;
        let body = self.layout.bodies.get(child)?;
        let attachment = body.attachment.as_ref()?;
        let base = body.robot.as_deref().and_then(|robot| bases.get(robot));
        let origin = base.map_or_else(Isometry3::identity, |base| base.pose);
        let pose = origin.inv_mul(&body.pose);
        let prepared = self.prepared.bodies.get(child)?;
        let rim = rim(prepared, attachment);
        Some(JointLocation {
            position: pose.translation.vector.into(),
            axis: pose.rotation * attachment.axis.into_inner(),
            radius: rim.radius,
            tread: rim.tread,
        })
    }
}

/// Part of a body that is farthest from the axis of its joint, which passes through the origin.
#[derive(Clone, Copy, Debug, Default)]
struct Rim {
    /// Distance from the axis, m.
    radius: f64,
    /// Interval along the axis, m.
    tread: [f64; 2],
}

fn rim(body: &PreparedBody, attachment: &Attachment) -> Rim {
    let axis = attachment.axis;
    let solids = body.solids.iter().map(|solid| {
        let pose = solid.body_from_frame * solid.solid.frame_from_shape;
        rim_of(&*solid.solid.shape, &pose, &axis)
    });
    solids.fold(Rim::default(), |far, rim| {
        if rim.radius > far.radius { rim } else { far }
    })
}

fn rim_of(shape: &dyn Shape, pose: &Isometry3<f64>, axis: &UnitVector3<f64>) -> Rim {
    let cylindrical = |point: Vec3| {
        let point = (pose * convert::point(point)).coords;
        let along = axis.dot(&point);
        [(point - axis.into_inner() * along).norm(), along]
    };
    if let TypedShape::ConvexPolyhedron(hull) = shape.as_typed_shape() {
        let points = || hull.points().iter().map(|point| cylindrical(*point));
        let radius = points().fold(0.0, |far, [from_axis, _]| from_axis.max(far));
        let on_rim = points().filter(|[from_axis, _]| *from_axis > ON_RIM * radius);
        let tread = on_rim.fold(
            [f64::INFINITY, f64::NEG_INFINITY],
            |[low, high], [_, along]| [low.min(along), high.max(along)],
        );
        return Rim { radius, tread };
    }
    let Some(support) = shape.as_support_map() else {
        return Rim::default();
    };
    let furthest = |direction: Vector3<f64>| {
        let direction = pose.rotation.inverse() * direction;
        cylindrical(support.local_support_point(convert::vec3(&direction)))
    };
    // The farthest points lie in a plane across the axis; those of boxes are vertices.
    let across = across(axis);
    let mut rim = Rim::default();
    for step in 0..DIRECTIONS {
        let angle = std::f64::consts::TAU * f64::from(step) / f64::from(DIRECTIONS);
        let (sin, cos) = libm::sincos(angle);
        let direction = across[0] * cos + across[1] * sin;
        let radius = furthest(direction)[0];
        if radius > rim.radius {
            let ends = [-TILT, TILT].map(|tilt| furthest(direction + axis.into_inner() * tilt)[1]);
            rim = Rim {
                radius,
                tread: ends,
            };
        }
    }
    rim
}

/// Returns two unit vectors that are perpendicular to an axis and to each other.
fn across(axis: &UnitVector3<f64>) -> [Vector3<f64>; 2] {
    let helper = if axis.x.abs() < 0.5 {
        Vector3::x()
    } else {
        Vector3::y()
    };
    let one = axis.cross(&helper).normalize();
    [one, axis.cross(&one)]
}
