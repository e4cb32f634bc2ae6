//! Automatic choice of a viewpoint from which the interesting things of a scene are visible.
use std::f64::consts::TAU;

use bevy::prelude::*;
use morse_api::{
    body::{BodyKind, BodyState},
    render::{CameraView, Channels},
    world_view::LookAt,
};
use morse_geometry::GeometryOf;
use nalgebra::{Isometry3, Point3, Rotation3, UnitQuaternion, Vector3};

use super::{
    Software,
    collect::things,
    render_scene::{Form, RenderScene},
    shadow::Shadows,
    watch,
};

/// Default view of an empty scene.
const NOWHERE: LookAt = LookAt {
    eye: Point3::new(AWAY[0], AWAY[1], AWAY[2]),
    target: Point3::new(0.0, 0.0, 0.0),
};

/// Assumed aspect ratio of a screen for the first view.
const SCREEN: f64 = 1.6;

/// Tangent of half the vertical opening angle: tan 20°.
const HALF: f64 = 0.363_970_234_266;

/// Preferred direction from the target to the camera: ahead, to the left and above.
const AWAY: [f64; 3] = [0.68, 0.60, 0.46];

/// Angles by which the camera moves around the target if the view is blocked, rad, and angles at which it then looks down.
const AROUND: [f64; 8] = [0.0, 0.8, -0.8, 1.6, -1.6, 2.4, -2.4, 3.2];
const STEEP: [f64; 4] = [0.47, 0.8, 1.1, 1.35];

/// Fraction of visible marks from which a viewpoint is accepted.
const ENOUGH: f64 = 0.95;

/// Minimum distance of a viewpoint below a roof, as a fraction of the distance without one.
const NEAREST: f64 = 0.2;

/// Maximum number of marks for the estimate of the visible fraction.
const MARKS: usize = 600;

/// Ratio of height to width below which a thing counts as ground.
const FLAT: f64 = 0.05;

/// Margin around the target.
#[derive(Clone, Copy, Debug)]
pub struct Margin {
    /// Maximum margin, m.
    pub most: f64,
    /// Maximum margin, as a multiple of the target's size.
    pub times: f64,
}

impl Margin {
    /// Margin of a still picture.
    pub const STILL: Self = Self {
        most: 2.5,
        times: 2.2,
    };
    /// Margin of a film, larger because robots move.
    pub const FILM: Self = Self {
        most: 5.0,
        times: f64::INFINITY,
    };
}

/// Returns a camera that looks from one point at another, with an upright picture.
#[must_use]
pub fn look(from: Point3<f64>, at: Point3<f64>, width: u32, height: u32) -> CameraView {
    let forward = at - from;
    // If the camera looks straight down, the top of the picture points to positive y.
    let is_steep = forward.xy().norm() < 1e-9 * forward.norm();
    let down = if is_steep {
        -Vector3::y()
    } else {
        -Vector3::z()
    };
    let rotation = UnitQuaternion::face_towards(&forward, &down);
    CameraView {
        world_from_camera: Isometry3::from_parts(from.coords.into(), rotation),
        width,
        height,
        focal: f64::from(height) / 2.0 / HALF,
        lens: None,
        renderer: None,
        center: [f64::from(width - 1) / 2.0, f64::from(height - 1) / 2.0],
        near: 0.01,
        far: 1e4,
        shadows: true,
        channels: Channels {
            color: true,
            ..Channels::default()
        },
    }
}

/// Returns a view of all robots, or else of everything that may move, or else of everything but the ground. If walls block
/// the view, the camera moves around, or higher, or nearer until the last wall is behind it. `only` restricts the target to
/// one robot, by its base, or to one body.
pub fn automatic(
    world: &mut World,
    (width, height): (u32, u32),
    margin: Margin,
    only: Option<Entity>,
) -> CameraView {
    watch(world);
    let software = world.get_resource::<Software>().cloned();
    let LookAt { eye, target } = software.map_or(NOWHERE, |software| {
        let proportion = f64::from(width) / f64::from(height);
        look_at(world, &software.read(), proportion, margin, only)
    });
    look(eye, target, width, height)
}

/// Returns the initial view of a world. It does not change the scene of the renderer, since the cameras may not have started
/// yet.
pub fn view(world: &mut World) -> LookAt {
    let mut geometry = world.query::<(Entity, &GeometryOf)>();
    // Geometry that cannot be drawn is reported when it is drawn.
    let mut things = things(geometry.iter(world).collect(), &mut |_, _| {});
    for thing in &mut things {
        if let Some(body) = world.get::<BodyState>(thing.body) {
            thing.world_from_thing = body.pose * thing.body_from_thing;
        }
    }
    let scene = RenderScene {
        things,
        ..RenderScene::default()
    };
    look_at(world, &scene, SCREEN, Margin::FILM, None)
}

/// Returns the viewpoint for the targets in a scene, for a picture with this aspect ratio.
fn look_at(
    world: &World,
    scene: &RenderScene,
    proportion: f64,
    margin: Margin,
    only: Option<Entity>,
) -> LookAt {
    let Subject { things, all, seen } = Subject::of(world, scene, only);
    let around = margin.most.min(margin.times * seen.radius());
    let radius = (1.15 * seen.radius())
        .max(all.radius().min(around))
        .max(0.05);
    let center = if seen.radius() > 0.0 {
        seen.center()
    } else {
        Vector3::zeros()
    };
    let narrow = HALF * proportion.min(1.0);
    let distance = radius * (1.0 + 1.0 / narrow) * 0.8;
    let from = Outlook::new(scene, &things, &seen).viewpoint(&center, distance);
    LookAt {
        eye: from.into(),
        target: center.into(),
    }
}

/// Target of the view.
struct Subject {
    /// Indices of the target's things in the scene.
    things: Vec<usize>,
    /// Bounds of everything but the ground, and of the target.
    all: Ball,
    seen: Ball,
}

impl Subject {
    fn of(world: &World, scene: &RenderScene, only: Option<Entity>) -> Self {
        let [mut chosen, mut robots, mut movable, mut all, mut ground] =
            [(); 5].map(|()| (Vec::new(), Ball::default()));
        for (number, thing) in scene.things.iter().enumerate() {
            let corners = thing.corners();
            let add = |to: &mut (Vec<usize>, Ball)| {
                to.0.push(number);
                to.1.add(&corners);
            };
            let mut own = Ball::default();
            own.add(&corners);
            let size = own.high - own.low;
            let of = world.get::<GeometryOf>(thing.entity);
            let robot = of.and_then(|of| of.robot);
            if only.is_some_and(|only| thing.body == only || robot == Some(only)) {
                add(&mut chosen);
            }
            let is_flat = size.z < FLAT * size.x.max(size.y);
            if matches!(thing.form, Form::Grid(_)) || is_flat && robot.is_none() {
                add(&mut ground);
                continue;
            }
            add(&mut all);
            let is_free = world.get::<BodyKind>(thing.body) != Some(&BodyKind::Fixed);
            if robot.is_some() {
                add(&mut robots);
            } else if is_free {
                add(&mut movable);
            }
        }
        let everything = all.1;
        let first = [chosen, robots, movable, all, ground]
            .into_iter()
            .find(|(_, ball)| ball.radius() > 0.0);
        let (things, seen) = first.unwrap_or_default();
        Self {
            things,
            all: everything,
            seen,
        }
    }
}

/// Search for a viewpoint from which the target's things are visible.
struct Outlook<'s> {
    scene: &'s RenderScene,
    /// Indices of the target's things in the scene, in order.
    things: &'s [usize],
    /// Things that may block the view: all others.
    others: Shadows,
    /// Marks: points on and around the target's things.
    marks: Vec<Vector3<f64>>,
}

impl<'s> Outlook<'s> {
    fn new(scene: &'s RenderScene, things: &'s [usize], seen: &Ball) -> Self {
        let others = Shadows::of(scene, |number, thing| {
            thing.is_solid() && things.binary_search(&number).is_err()
        });
        let targets = things.iter().filter_map(|number| scene.things.get(*number));
        let marks = targets.flat_map(|thing| {
            let corners = thing.corners();
            let middle = corners.iter().sum::<Vector3<f64>>() / 8.0;
            // Slightly inside, so that the surface on which a thing stands does not block it.
            corners
                .into_iter()
                .map(move |corner| middle + (corner - middle) * 0.8)
        });
        let mut outlook = Self {
            scene,
            things,
            others,
            marks: marks.collect(),
        };
        outlook.add_surroundings(seen);
        outlook.thin_out();
        outlook
    }

    /// Adds marks around the things, with the same weight as those on them: a view through a door would show a robot without
    /// its surroundings.
    fn add_surroundings(&mut self, seen: &Ball) {
        if seen.radius() <= 0.0 {
            return;
        }
        let center = seen.center();
        let distance = (seen.high - seen.low).xy().norm() + 0.2;
        let ring = (0..16).map(|step| {
            let (sin, cos) = libm::sincos(f64::from(step) * TAU / 16.0);
            center + Vector3::new(cos, sin, 0.0) * distance
        });
        let open = ring.filter(|mark| {
            self.others
                .is_clear(self.scene, &center, &Vector3::zeros(), mark)
                && !self.is_inside(mark)
        });
        let open: Vec<_> = open.collect();
        let times = self.marks.len() / open.len().max(1);
        for _ in 0..times.max(1) {
            self.marks.extend(&open);
        }
    }

    /// Reduces the number of marks evenly among all things, which limits the duration of the search.
    fn thin_out(&mut self) {
        // An odd step, so that it does not always select the same corner.
        let each = self.marks.len().div_ceil(MARKS) | 1;
        self.marks = self.marks.iter().step_by(each).copied().collect();
    }

    /// Returns a viewpoint at a distance from a centre, or nearer.
    fn viewpoint(&self, center: &Vector3<f64>, distance: f64) -> Vector3<f64> {
        let level = Vector3::new(AWAY[0], AWAY[1], 0.0).normalize();
        let usual = Vector3::from(AWAY).normalize();
        let round = STEEP.into_iter().flat_map(|steep| {
            AROUND.map(|turn| {
                let (sin, cos) = libm::sincos(steep);
                Rotation3::from_axis_angle(&Vector3::z_axis(), turn) * level * cos
                    + Vector3::z() * sin
            })
        });
        let directions: Vec<_> = std::iter::once(usual).chain(round).collect();
        let far = directions
            .iter()
            .map(|direction| center + direction * distance);
        let above = std::iter::once(center + Vector3::z() * distance);
        // Under a roof: as far as the line of sight is free.
        let near = directions.iter().filter_map(|direction| {
            let free = self.free(center, direction, distance);
            // Not inside the target.
            (free >= NEAREST * distance).then(|| center + direction * (0.95 * free))
        });
        let mut best = (usual * distance + center, 0.0);
        for from in far.chain(above).chain(near) {
            let share = self.share(&from);
            if share > best.1 {
                best = (from, share);
            }
            if share >= ENOUGH {
                break;
            }
        }
        best.0
    }

    /// Returns the fraction of the marks that are visible from a viewpoint.
    fn share(&self, from: &Vector3<f64>) -> f64 {
        if self.is_inside(from) {
            return 0.0;
        }
        let is_seen = |mark: &&Vector3<f64>| {
            self.others
                .is_clear(self.scene, mark, &Vector3::zeros(), from)
        };
        let seen = self.marks.iter().filter(is_seen).count();
        seen as f64 / self.marks.len().max(1) as f64
    }

    /// Returns true if a point is inside another thing.
    fn is_inside(&self, at: &Vector3<f64>) -> bool {
        self.scene.things.iter().enumerate().any(|(number, thing)| {
            let local = thing.world_from_thing.inverse() * Point3::from(*at);
            self.things.binary_search(&number).is_err() && thing.form.holds(&local.coords)
        })
    }

    /// Returns the free distance from a point in a direction, by bisection.
    fn free(&self, from: &Vector3<f64>, direction: &Vector3<f64>, most: f64) -> f64 {
        let (mut low, mut high) = (0.0, most);
        for _ in 0..12 {
            let middle = (low + high) / 2.0;
            let to = from + direction * middle;
            let is_free = self
                .others
                .is_clear(self.scene, from, &Vector3::zeros(), &to);
            if is_free && !self.is_inside(&to) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// Axis-aligned bounding box of points.
#[derive(Clone, Copy)]
struct Ball {
    low: Vector3<f64>,
    high: Vector3<f64>,
}

impl Default for Ball {
    fn default() -> Self {
        Self {
            low: Vector3::repeat(f64::INFINITY),
            high: Vector3::repeat(f64::NEG_INFINITY),
        }
    }
}

impl Ball {
    fn add(&mut self, points: &[Vector3<f64>]) {
        for point in points {
            self.low = self.low.inf(point);
            self.high = self.high.sup(point);
        }
    }

    fn center(&self) -> Vector3<f64> {
        (self.low + self.high) / 2.0
    }

    /// Returns the radius of the sphere around the box; 0 for no points.
    fn radius(&self) -> f64 {
        if self.low.x <= self.high.x {
            (self.high - self.low).norm() / 2.0
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use morse_api::render::Picture;
    use morse_geometry::rays::solid::Solid;

    use super::super::{bands::draw_picture, render_scene::Thing};
    use super::*;

    fn block(at: [f64; 3], half: [f64; 3]) -> Thing {
        let pose = Isometry3::translation(at[0], at[1], at[2]);
        Thing {
            entity: Entity::PLACEHOLDER,
            body: Entity::PLACEHOLDER,
            body_from_thing: pose,
            world_from_thing: pose,
            form: Form::Solid(Solid::Box { half }),
            color: [0.5; 3],
            paint: None,
            gloss: morse_api::world_view::Gloss::default(),
            alpha: 1.0,
            casts: true,
        }
    }

    /// Returns the automatic viewpoint at a distance of 6 m, and the fraction of the picture that the first thing covers.
    fn covered(others: Vec<Thing>) -> (Vector3<f64>, f64) {
        let mut things = vec![block([0.0, 0.0, 0.3], [0.5, 0.4, 0.3])];
        things.push(block([0.0, 0.0, -0.5], [30.0, 30.0, 0.5]));
        things.extend(others);
        let scene = RenderScene {
            things,
            ..RenderScene::default()
        };
        let center = Vector3::new(0.0, 0.0, 0.3);
        let mut ball = Ball::default();
        ball.add(&scene.things[0].corners());
        let from = Outlook::new(&scene, &[0], &ball).viewpoint(&center, 6.0);
        let mut camera = look(from.into(), center.into(), 64, 48);
        (camera.channels.color, camera.channels.things) = (false, true);
        let mut picture = Picture::default();
        draw_picture(&scene, &camera, &mut picture, None);
        let count = picture.things.iter().filter(|thing| **thing == 1).count();
        (from, count as f64 / picture.things.len() as f64)
    }

    #[test]
    fn what_is_looked_at_is_seen_past_walls() {
        let (usual, open) = covered(Vec::new());
        assert!(open > 0.03, "{open}");
        // A wall between the preferred viewpoint and the target: the camera moves to another side.
        let wall = block([1.0, 1.0, 1.5], [1.5, 0.1, 1.5]);
        let (from, share) = covered(vec![wall]);
        assert!(share > 0.7 * open && (from - usual).norm() > 1.0, "{share}");
        // Four walls: the camera looks from above.
        let yard = |x: f64, y: f64| {
            let half = if y == 0.0 {
                [0.1, 2.0, 1.5]
            } else {
                [2.0, 0.1, 1.5]
            };
            block([x, y, 1.5], half)
        };
        let walls = || [(-2.0, 0.0), (2.0, 0.0), (0.0, -2.0), (0.0, 2.0)].map(|(x, y)| yard(x, y));
        let (from, share) = covered(walls().into());
        assert!(share > 0.5 * open && from.z > 4.0, "{share} {from}");
        // Four walls and a roof: the camera is inside.
        let roof = block([0.0, 0.0, 3.1], [2.2, 2.2, 0.1]);
        let (from, share) = covered(walls().into_iter().chain([roof]).collect());
        assert!(
            share > open && from.z < 3.0 && from.amax() < 2.0,
            "{share} {from}"
        );
    }

    #[test]
    fn what_is_looked_at_is_in_the_middle_and_upright() {
        let (from, at) = (Point3::new(3.0, -2.0, 5.0), Point3::new(0.5, 0.5, 0.0));
        let camera = look(from, at, 201, 101);
        let [u, v, depth] = camera.project(&at).unwrap();
        assert!((u - 100.0).abs() < 1e-9 && (v - 50.0).abs() < 1e-9);
        assert!((depth - (at - from).norm()).abs() < 1e-9);
        let [above, v, _] = camera.project(&(at + Vector3::z() * 0.5)).unwrap();
        assert!((above - 100.0).abs() < 1e-9 && v < 45.0);
        let down = look(Point3::new(0.0, 0.0, 5.0), Point3::origin(), 201, 101);
        let [u, v, _] = down.project(&Point3::new(0.1, 0.2, 0.0)).unwrap();
        assert!(u > 100.0 && v < 50.0, "x to the right, y up: {u} {v}");
    }
}
