//! Hard shadows: search for things between a place and a light.
use morse_geometry::rays::packet::{NOTHING, Packet};
use nalgebra::{Matrix3, Point3, Vector3};

use super::render_scene::{Form, RenderScene, Thing};

/// Distance from a surface at which a ray towards the light begins, so that the surface does not shade itself, m.
const LIFT: f64 = 1e-5;

/// Everything that casts shadows.
pub(super) struct Shadows {
    casters: Vec<Caster>,
    /// From the world's axes to the sun's: z towards the sun.
    sun_from_world: Matrix3<f64>,
}

struct Caster {
    /// Its number in the scene.
    thing: usize,
    /// From the world's axes to its own.
    rotation: Matrix3<f64>,
    position: Vector3<f64>,
    /// The box around it in the sun's axes.
    in_sun: Bounds,
    /// The box around it in the world's axes.
    in_world: Bounds,
}

/// A box in some axes.
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

    /// Tells whether both have something at the same x and y, and this one something above the other's lowest z.
    pub(super) fn is_over(&self, other: &Self) -> bool {
        (0..2).all(|axis| self.low[axis] <= other.high[axis] && other.low[axis] <= self.high[axis])
            && self.high.z >= other.low.z
    }

    /// Tells whether they have a point in common.
    fn meets(&self, other: &Self) -> bool {
        self.is_over(other) && self.low.z <= other.high.z
    }
}

impl Shadows {
    /// Of everything that casts any.
    pub(super) fn new(scene: &RenderScene) -> Self {
        Self::of(scene, |_, thing| thing.casts && thing.is_solid())
    }

    /// Of some things.
    pub(super) fn of(scene: &RenderScene, casts: impl Fn(usize, &Thing) -> bool) -> Self {
        let to_sun = scene.illumination.to_sun;
        // Any axis will do that is not along the sun's own.
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

    /// A place in the sun's axes.
    pub(super) fn in_sun(&self, at: &Vector3<f64>) -> Vector3<f64> {
        self.sun_from_world * at
    }

    /// The casters that may shade some of the places within bounds (in the sun's axes).
    pub(super) fn between(&self, places: &Bounds) -> Vec<usize> {
        let all = self.casters.iter().enumerate();
        all.filter(|(_, caster)| caster.in_sun.is_over(places))
            .map(|(index, _)| index)
            .collect()
    }

    /// Tells whether the sun reaches a place past these casters.
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

    /// Tells whether nothing is between a place and a lamp.
    pub(super) fn is_clear(
        &self,
        scene: &RenderScene,
        at: &Vector3<f64>,
        normal: &Vector3<f64>,
        lamp: &Vector3<f64>,
    ) -> bool {
        let from = at + normal * LIFT;
        let way = lamp - from;
        let path = Bounds::around([from, *lamp].into_iter());
        let mut near = self
            .casters
            .iter()
            .filter(|caster| caster.in_world.meets(&path));
        !near.any(|caster| caster.blocks(scene, &from, &way, 1.0))
    }
}

impl Caster {
    /// Tells whether a ray meets it within `reach` lengths of its direction.
    fn blocks(
        &self,
        scene: &RenderScene,
        from: &Vector3<f64>,
        way: &Vector3<f64>,
        reach: f64,
    ) -> bool {
        let Some(thing) = scene.things.get(self.thing) else {
            return false;
        };
        let over = 1.0 / thing.form.scale();
        let origin = Point3::from(self.rotation * (from - self.position) * over);
        let way = self.rotation * way * over;
        let directions = [[way.x], [way.y], [way.z]];
        match &thing.form {
            // A lamp that sits in its own housing, and a ray that starts inside, are not stopped by it.
            form if form.holds(&origin.coords) => false,
            Form::Solid(solid) => {
                let [distance] = solid.distances::<1>(origin.coords.into(), &directions);
                distance < reach && !form_holds_end(&thing.form, &origin, &way, reach)
            }
            Form::Mesh { mesh, .. } => {
                let limit = [reach.min(f64::MAX)];
                let packet = Packet::new(origin.coords.into(), directions, limit);
                let (_, [triangle]) = mesh.triangles.nearest(packet);
                triangle != NOTHING
            }
            Form::Grid(_) => false,
        }
    }
}

fn form_holds_end(form: &Form, origin: &Point3<f64>, way: &Vector3<f64>, reach: f64) -> bool {
    reach.is_finite() && form.holds(&(origin.coords + way * reach))
}
