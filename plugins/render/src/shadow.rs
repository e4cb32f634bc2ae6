//! Hard shadows: occlusion tests between a surface point and a light.
use morse_geometry::rays::packet::{NOTHING, Packet};
use nalgebra::{Matrix3, Point3, Vector3};

use super::render_scene::{Form, RenderScene, Thing};

/// Distance from the surface at which a shadow ray starts, to avoid self-shadowing, m.
const LIFT: f64 = 1e-5;

/// All shadow casters.
pub(super) struct Shadows {
    casters: Vec<Caster>,
    /// Rotation from the world's axes to the sun's: z towards the sun.
    sun_from_world: Matrix3<f64>,
}

struct Caster {
    /// Index of the thing in the scene.
    thing: usize,
    /// Rotation from the world's axes to the thing's.
    rotation: Matrix3<f64>,
    position: Vector3<f64>,
    /// Bounding box in the sun's axes.
    in_sun: Bounds,
    /// Bounding box in the world's axes.
    in_world: Bounds,
}

/// An axis-aligned bounding box.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    low: Vector3<f64>,
    high: Vector3<f64>,
}

impl Bounds {
    pub(super) const NOTHING: Self = Self {
        low: Vector3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        high: Vector3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    pub(super) fn add(&mut self, point: &Vector3<f64>) {
        self.low = self.low.inf(point);
        self.high = self.high.sup(point);
    }

    pub(super) fn around(points: impl Iterator<Item = Vector3<f64>>) -> Self {
        let mut bounds = Self::NOTHING;
        points.for_each(|point| bounds.add(&point));
        bounds
    }

    /// Returns true if the boxes overlap in x and y, and this one reaches above the lowest z of the other.
    pub(super) fn is_over(&self, other: &Self) -> bool {
        (0..2).all(|axis| self.low[axis] <= other.high[axis] && other.low[axis] <= self.high[axis])
            && self.high.z >= other.low.z
    }

    /// Returns true if the boxes overlap.
    fn meets(&self, other: &Self) -> bool {
        self.is_over(other) && self.low.z <= other.high.z
    }
}

impl Shadows {
    /// Returns all shadow casters of a scene.
    pub(super) fn new(scene: &RenderScene) -> Self {
        Self::of(scene, |_, thing| thing.casts && thing.is_solid())
    }

    /// Returns the shadow casters among the selected things.
    pub(super) fn of(scene: &RenderScene, casts: impl Fn(usize, &Thing) -> bool) -> Self {
        let to_sun = scene.illumination.to_sun;
        // Any axis that is not parallel to the sun's direction is suitable.
        let side = if to_sun.y.abs() < 0.9 {
            Vector3::y()
        } else {
            Vector3::x()
        };
        let across = side.cross(&to_sun).normalize();
        let sun_from_world = Matrix3::from_rows(&[
            across.transpose(),
            to_sun.cross(&across).transpose(),
            to_sun.transpose(),
        ]);
        let things = scene.things.iter().enumerate();
        let casters = things.filter(|(number, thing)| casts(*number, thing));
        let casters = casters.map(|(number, thing)| {
            let rotation = thing.world_from_thing.rotation.to_rotation_matrix();
            let corners = thing.corners();
            Caster {
                thing: number,
                rotation: rotation.matrix().transpose(),
                position: thing.world_from_thing.translation.vector,
                in_sun: Bounds::around(corners.iter().map(|corner| sun_from_world * corner)),
                in_world: Bounds::around(corners.into_iter()),
            }
        });
        Self {
            casters: casters.collect(),
            sun_from_world,
        }
    }

    /// Returns a point in the sun's axes.
    pub(super) fn in_sun(&self, at: &Vector3<f64>) -> Vector3<f64> {
        self.sun_from_world * at
    }

    /// Returns the indices of the casters that may shade a point within the bounds (in the sun's axes).
    pub(super) fn between(&self, bounds: &Bounds) -> Vec<usize> {
        let all = self.casters.iter().enumerate();
        all.filter(|(_, caster)| caster.in_sun.is_over(bounds))
            .map(|(index, _)| index)
            .collect()
    }

    /// Returns true if none of these casters is between a point and the sun.
    pub(super) fn is_sunny(
        &self,
        scene: &RenderScene,
        casters: &[usize],
        at: &Vector3<f64>,
        normal: &Vector3<f64>,
    ) -> bool {
        let from = at + normal * LIFT;
        let mut here = Bounds::NOTHING;
        here.add(&self.in_sun(&from));
        let casters = casters.iter().filter_map(|&index| self.casters.get(index));
        let mut near = casters.filter(|caster| caster.in_sun.is_over(&here));
        !near.any(|caster| caster.blocks(scene, &from, &scene.illumination.to_sun, f64::INFINITY))
    }

    /// Returns true if no caster is between a point and a lamp.
    pub(super) fn is_clear(
        &self,
        scene: &RenderScene,
        at: &Vector3<f64>,
        normal: &Vector3<f64>,
        lamp: &Vector3<f64>,
    ) -> bool {
        let from = at + normal * LIFT;
        let direction = lamp - from;
        let path = Bounds::around([from, *lamp].into_iter());
        let mut near = self
            .casters
            .iter()
            .filter(|caster| caster.in_world.meets(&path));
        !near.any(|caster| caster.blocks(scene, &from, &direction, 1.0))
    }
}

impl Caster {
    /// Returns true if a ray intersects the caster within `max_distance` lengths of its direction.
    fn blocks(
        &self,
        scene: &RenderScene,
        from: &Vector3<f64>,
        direction: &Vector3<f64>,
        max_distance: f64,
    ) -> bool {
        let Some(thing) = scene.things.get(self.thing) else {
            return false;
        };
        let over = 1.0 / thing.form.scale();
        let origin = Point3::from(self.rotation * (from - self.position) * over);
        let direction = self.rotation * direction * over;
        let directions = [[direction.x], [direction.y], [direction.z]];
        match &thing.form {
            // A caster that contains the start of the ray, such as the housing of a lamp, does not block it.
            form if form.holds(&origin.coords) => false,
            Form::Solid(solid) => {
                let [distance] = solid.distances::<1>(origin.coords.into(), &directions);
                distance < max_distance
                    && !form_holds_end(&thing.form, &origin, &direction, max_distance)
            }
            Form::Mesh { mesh, .. } => {
                let limit = [max_distance.min(f64::MAX)];
                let packet = Packet::new(origin.coords.into(), directions, limit);
                let (_, [triangle]) = mesh.triangles.nearest(packet);
                triangle != NOTHING
            }
            Form::Grid(_) => false,
        }
    }
}

fn form_holds_end(
    form: &Form,
    origin: &Point3<f64>,
    direction: &Vector3<f64>,
    max_distance: f64,
) -> bool {
    max_distance.is_finite() && form.holds(&(origin.coords + direction * max_distance))
}
