//! Mechanisms that begin inside of something, so that contacts push them in opposite directions.
use nalgebra::Vector3;

use crate::{
    island::{Contact, Side},
    test_run::{Run, rod},
};

/// A vertical post: its axis, m, radius and friction.
#[derive(Clone, Copy, Debug)]
struct Post {
    x: f64,
    y: f64,
    radius: f64,
    friction: f64,
}

impl Post {
    /// Returns the contacts of the corners of two rods with 8 cm wide sides, and their state of the last step.
    fn contacts(&self, run: &Run, known: &[Contact]) -> Vec<Contact> {
        let ends = [(0, 0.0), (0, -0.4), (1, 0.0), (1, -0.3)];
        let corners = [(-0.04, -0.04), (-0.04, 0.04), (0.04, -0.04), (0.04, 0.04)];
        let points = ends.iter().flat_map(|(link, z)| {
            corners.map(|(x, y)| (*link, run.point(*link, Vector3::new(x, y, *z))))
        });
        let contact = |(index, (link, point)): (usize, (usize, Vector3<f64>))| {
            let away = Vector3::new(point.x - self.x, point.y - self.y, 0.0);
            let sides = [
                Side::Prescribed(Vector3::zeros()),
                Side::Link { member: 0, link },
            ];
            let before = known.get(index);
            Contact {
                sides,
                friction_sides: sides,
                point,
                normal: away.normalize(),
                separation_velocity: before.and_then(|known| known.separation_velocity),
                slip: before.and_then(|known| known.slip),
                distance: away.norm() - self.radius,
                friction: self.friction,
                restitution: 0.0,
                tangent_velocity: Vector3::zeros(),
                share: 1.0,
                impulse: before.map_or(Vector3::zeros(), |known| known.impulse),
            }
        };
        points.enumerate().map(contact).collect()
    }

    /// Returns the greatest speed of two rods that begin inside of the post, rad/s, within 2 s.
    fn greatest_speed(&self, axes: [Vector3<f64>; 2]) -> f64 {
        let links = [
            rod(None, [0.0, 0.0, 0.0], axes[0], [1.0, 0.4], 0),
            rod(Some(0), [0.0, 0.0, -0.4], axes[1], [0.5, 0.3], 1),
        ];
        let mut run = Run::of(&links, 240.0);
        run.state.positions.copy_from_slice(&[0.3, 0.2]);
        let (mut contacts, mut greatest) = (Vec::new(), 0.0_f64);
        for _ in 0..2 * 240 {
            run.predict();
            contacts = self.contacts(&run, &contacts);
            run.step_with(&mut [], &mut contacts, &mut []);
            for speed in &run.state.velocities {
                assert!(speed.is_finite(), "{self:?}");
                greatest = greatest.max(speed.abs());
            }
        }
        greatest
    }
}

/// The corrections hold each other: with impulses that are kept from step to step, the arms reached 1e12 rad/s.
#[test]
fn an_arm_inside_of_a_post_stays_slow() {
    let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()];
    for at in [
        (0.1, 0.0, 0.4),
        (0.02, 0.01, 0.4),
        (0.3, 0.1, 0.4),
        (0.1, 0.1, 1.0),
    ] {
        for friction in [0.0, 0.6] {
            let post = Post {
                x: at.0,
                y: at.1,
                radius: at.2,
                friction,
            };
            for axes in [[x, y], [y, y], [z, y], [y, x]] {
                let greatest = post.greatest_speed(axes);
                assert!(greatest < 5.0, "{post:?}, {axes:?}: {greatest} rad/s");
            }
        }
    }
}
