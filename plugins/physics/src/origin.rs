//! Origin of the engine's world, which follows the moving bodies, where single precision is finest.

use bevy_rapier3d::rapier::math::Pose;
use morse_api::body::BodyKind;
use morse_scene::assembly::{BodyLayout, Layout};
use nalgebra::{Isometry3, Vector3};
use serde::{Deserialize, Serialize};

use super::convert;

/// Distance along an axis up to which the origin stays, m.
const NEAR: f64 = 256.0;

/// Origins are multiples of this, m, so that poses at rest stay exact.
const GRID: f64 = 128.0;

/// Distance from the origin up to which contacts are accurate to half a millimetre, m.
pub(super) const FAR: f64 = 8_192.0;

/// Origin of the engine's world in the scene, m. Zero unless the moving bodies are far from there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Origin([f64; 3]);

impl Origin {
    /// Returns the origin for a scene at its start.
    pub(super) fn of(layout: &Layout) -> Self {
        let bodies = roaming(layout).into_iter();
        let positions =
            bodies.filter_map(|index| Some(layout.bodies.get(index)?.pose.translation.vector));
        Self::default()
            .nearer(positions, &mut Vec::new())
            .unwrap_or_default()
    }

    /// Returns a pose relative to the origin, in the engine's type.
    pub(super) fn engine(&self, pose: &Isometry3<f64>) -> Pose {
        convert::pose(&self.local(pose))
    }

    /// Returns a pose relative to the origin.
    pub(super) fn local(&self, pose: &Isometry3<f64>) -> Isometry3<f64> {
        Isometry3::from_parts(
            (pose.translation.vector - self.vector()).into(),
            pose.rotation,
        )
    }

    /// Converts a pose of the engine to the world.
    pub(super) fn world(&self, pose: &Pose) -> Isometry3<f64> {
        let mut pose = convert::isometry(pose);
        pose.translation.vector += self.vector();
        pose
    }

    /// Returns the position of the origin, m.
    pub(super) fn vector(&self) -> Vector3<f64> {
        self.0.into()
    }

    /// Returns another origin if most moving bodies are far from this one along an axis: near their median.
    pub(super) fn nearer(
        &self,
        positions: impl Iterator<Item = Vector3<f64>> + Clone,
        scratch: &mut Vec<f64>,
    ) -> Option<Self> {
        let mut nearer = *self;
        for (axis, origin) in nearer.0.iter_mut().enumerate() {
            let along = positions.clone().map(|position| position[axis]);
            let along = along.filter(|coordinate| coordinate.is_finite());
            let (mut far, mut count) = (0, 0);
            for coordinate in along.clone() {
                far += usize::from((coordinate - *origin).abs() > NEAR);
                count += 1;
            }
            if 2 * far <= count {
                continue;
            }
            scratch.clear();
            scratch.extend(along);
            let middle_index = (count - 1) / 2;
            let (_, middle, _) = scratch.select_nth_unstable_by(middle_index, f64::total_cmp);
            // Hysteresis: bodies near the border of two origins do not change it all the time.
            if (*middle - *origin).abs() > GRID {
                *origin = libm::round(*middle / GRID) * GRID;
            }
        }
        (nearer != *self).then_some(nearer)
    }
}

/// Returns the bodies that the origin follows: bases of robots, or all dynamic bodies if there are no robots.
pub(super) fn roaming(layout: &Layout) -> Vec<usize> {
    let bodies = layout.bodies.iter().enumerate();
    let free = bodies.filter(|(_, body)| body.attachment.is_none());
    let of = |is: &dyn Fn(&BodyLayout) -> bool| -> Vec<usize> {
        let some = free.clone().filter(|(_, body)| is(body));
        some.map(|(index, _)| index).collect()
    };
    let bases = of(&|body| body.robot.is_some() && body.actuated);
    if bases.is_empty() {
        of(&|body| body.kind == BodyKind::Dynamic)
    } else {
        bases
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearer(origin: Origin, xs: &[f64]) -> Option<[f64; 3]> {
        let positions = xs.iter().map(|x| Vector3::new(*x, 3.0, -2.0));
        let actual = origin.nearer(positions, &mut Vec::new());
        actual.map(|origin| origin.0)
    }

    #[test]
    fn the_origin_stays_until_most_of_what_moves_is_far() {
        let zero = Origin::default();
        assert_eq!(nearer(zero, &[]), None);
        assert_eq!(nearer(zero, &[f64::NAN]), None);
        assert_eq!(nearer(zero, &[250.0, -250.0, 20.0]), None);
        // A single distant body among many does not move the origin.
        assert_eq!(nearer(zero, &[5e5, 1.0, 2.0]), None);
        let actual = nearer(zero, &[5e5, 5e5 + 30.0, 2.0]);
        assert_eq!(actual, Some([499_968.0, 0.0, 0.0]));
        let there = Origin([499_968.0, 0.0, 0.0]);
        assert_eq!(nearer(there, &[5e5 + 90.0, 5e5 + 30.0, 2.0]), None);
        assert_eq!(nearer(there, &[0.0]), Some([0.0; 3]));
    }

    #[test]
    fn poses_go_to_the_engine_and_come_back() {
        let origin = Origin([500_096.0, 5_399_936.0, 0.0]);
        let pose = Isometry3::new(
            Vector3::new(500_000.25, 5_400_000.5, 7.75),
            Vector3::z() * 0.5,
        );
        let engine = origin.engine(&pose);
        assert_eq!(engine.translation.to_array(), [-95.75, 64.5, 7.75]);
        let back = origin.world(&engine);
        assert_eq!(back.translation, pose.translation);
        assert!(back.rotation.angle_to(&pose.rotation) < 1e-6);
    }
}
