//! A place to look at a scene from, if nobody names one.
use bevy::prelude::*;
use morse_api::{
    body::BodyKind,
    render::{Eye, Wants},
};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use super::{Software, stage::Form, watch};
use crate::scene::spawn::GeometryOf;

/// Half of the vertical opening angle: tan 20°.
const HALF: f64 = 0.363_970_234_266;

/// Where the eye is, seen from what it looks at: the sun stands to its left.
const AWAY: [f64; 3] = [-0.62, -0.66, 0.46];

/// Room around robots and what else may move, m: they will drive somewhere.
const ROOM: f64 = 5.0;

/// What is flatter than this share of its width is ground.
const FLAT: f64 = 0.05;

/// A look at a point from another, with an upright picture.
#[must_use]
pub fn look(from: Point3<f64>, at: Point3<f64>, width: u32, height: u32) -> Eye {
    let forward = at - from;
    // Straight down, the top of the picture is where y grows.
    let is_steep = forward.xy().norm() < 1e-9 * forward.norm();
    let down = if is_steep {
        -Vector3::y()
    } else {
        -Vector3::z()
    };
    let rotation = UnitQuaternion::face_towards(&forward, &down);
    Eye {
        world_from_eye: Isometry3::from_parts(from.coords.into(), rotation),
        width,
        height,
        focal: f64::from(height) / 2.0 / HALF,
        lens: None,
        painter: None,
        center: [f64::from(width - 1) / 2.0, f64::from(height - 1) / 2.0],
        near: 0.01,
        far: 1e4,
        shadows: true,
        wants: Wants {
            color: true,
            ..Wants::default()
        },
    }
}

/// A look at all robots, or else at everything that may move, with room around it; without such, at
/// everything but the ground.
pub fn automatic(world: &mut World, width: u32, height: u32) -> Eye {
    watch(world);
    let [mut robots, mut movable, mut all, mut ground] = [Ball::default(); 4];
    if let Some(software) = world.get_resource::<Software>() {
        for thing in &software.read().things {
            let corners = thing.corners();
            let mut own = Ball::default();
            own.add(&corners);
            let size = own.high - own.low;
            if matches!(thing.form, Form::Grid(_)) || size.z < FLAT * size.x.max(size.y) {
                ground.add(&corners);
                continue;
            }
            all.add(&corners);
            let is_free = world.get::<BodyKind>(thing.body) != Some(&BodyKind::Fixed);
            let of = world.get::<GeometryOf>(thing.entity);
            if of.is_some_and(|of| of.robot.is_some()) {
                robots.add(&corners);
            } else if is_free {
                movable.add(&corners);
            }
        }
    }
    let seen = [robots, movable, all, ground]
        .into_iter()
        .find(|ball| ball.radius() > 0.0);
    let seen = seen.unwrap_or_default();
    let radius = (1.15 * seen.radius()).max(all.radius().min(ROOM)).max(0.05);
    let center = if seen.radius() > 0.0 {
        seen.center()
    } else {
        Vector3::zeros()
    };
    let narrow = HALF * (f64::from(width) / f64::from(height)).min(1.0);
    let away = Vector3::from(AWAY).normalize() * radius * (1.0 + 1.0 / narrow) * 0.8;
    look((center + away).into(), center.into(), width, height)
}

/// The box around points.
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

    /// Of the ball around the box; 0 around nothing.
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
    use super::*;

    #[test]
    fn what_is_looked_at_is_in_the_middle_and_upright() {
        let (from, at) = (Point3::new(3.0, -2.0, 5.0), Point3::new(0.5, 0.5, 0.0));
        let eye = look(from, at, 201, 101);
        let [u, v, depth] = eye.project(&at).unwrap();
        assert!((u - 100.0).abs() < 1e-9 && (v - 50.0).abs() < 1e-9);
        assert!((depth - (at - from).norm()).abs() < 1e-9);
        let [above, v, _] = eye.project(&(at + Vector3::z() * 0.5)).unwrap();
        assert!((above - 100.0).abs() < 1e-9 && v < 45.0);
        let down = look(Point3::new(0.0, 0.0, 5.0), Point3::origin(), 201, 101);
        let [u, v, _] = down.project(&Point3::new(0.1, 0.2, 0.0)).unwrap();
        assert!(u > 100.0 && v < 50.0, "x to the right, y up: {u} {v}");
    }
}
