//! Vectors in groups of eight, whose products with a direction are calculated at the same time, by AVX where the processor has
//! it. The results are the same to the last bit on all processors.
#[cfg(target_arch = "x86_64")]
mod avx;
mod plain;

use bevy::math::{Quat, Vec3};
use bevy_rapier3d::parry::{bounding_volume::Aabb, math::Pose};

/// Number of vectors in a group.
const LANE_COUNT: usize = 8;

/// Coordinates of the vectors of a group: x, then y, then z.
type Group = [[f32; LANE_COUNT]; 3];

/// Vectors in groups. The last group is filled with the last vector.
#[derive(Clone)]
pub(super) struct Groups(Vec<Group>);

impl Groups {
    pub(super) fn new(vectors: &[Vec3]) -> Self {
        let group = |some: &[Vec3]| {
            let last = some.last().copied().unwrap_or_default();
            let vector = |lane: usize| *some.get(lane).unwrap_or(&last);
            [0, 1, 2].map(|axis| std::array::from_fn(|lane| vector(lane)[axis]))
        };
        Self(vectors.chunks(LANE_COUNT).map(group).collect())
    }

    /// Returns the index of the vector that is farthest along a direction; of equal ones, the first. The products are those of
    /// `Vec3::dot`, to the last bit.
    pub(super) fn farthest(&self, direction: Vec3) -> usize {
        #[cfg(target_arch = "x86_64")]
        if avx::is_supported() {
            #[expect(unsafe_code, reason = "a function for AVX")]
            // SAFETY: AVX is supported.
            return unsafe { avx::farthest(&self.0, direction) };
        }
        plain::farthest(&self.0, direction)
    }

    /// Returns the bounds of these points at a pose: the same numbers, to the last bit, as those of the points that
    /// `Pose::transform_point` moves. Rounding keeps the order of sums, so that the translation is added to the bounds.
    pub(super) fn bounds(&self, pose: &Pose) -> Aabb {
        let [mins, maxs] = self.turned_bounds(pose.rotation);
        Aabb::new(mins + pose.translation, maxs + pose.translation)
    }

    /// Returns the least and the greatest coordinates of these points after a rotation.
    fn turned_bounds(&self, rotation: Quat) -> [Vec3; 2] {
        #[cfg(target_arch = "x86_64")]
        if avx::is_supported() {
            #[expect(unsafe_code, reason = "a function for AVX")]
            // SAFETY: AVX is supported.
            return unsafe { avx::turned_bounds(&self.0, rotation) };
        }
        plain::turned_bounds(&self.0, rotation)
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::Quat;

    use super::*;

    /// Vectors in all directions.
    fn vectors(count: u8) -> Vec<Vec3> {
        let vector = |index: u8| {
            let [a, b] = [1.1, 0.7].map(|step: f32| step * f32::from(index));
            Vec3::new(libm::cosf(a), 0.3 * libm::sinf(a), 2.0 * libm::sinf(b))
        };
        (0..count).map(vector).collect()
    }

    /// The first of the farthest vectors, one after the other.
    fn first(vectors: &[Vec3], direction: Vec3) -> usize {
        let mut best = 0;
        for (index, vector) in vectors.iter().enumerate() {
            if vector.dot(direction) > vectors[best].dot(direction) {
                best = index;
            }
        }
        best
    }

    #[test]
    fn the_farthest_is_the_first_of_the_farthest() {
        for count in 1..=42 {
            let mut vectors = vectors(count);
            let groups = Groups::new(&vectors);
            for direction in [Vec3::X, -Vec3::Z, Vec3::new(0.3, -2.0, 0.1), Vec3::ZERO] {
                assert_eq!(groups.farthest(direction), first(&vectors, direction));
                let plain = plain::farthest(&groups.0, direction);
                assert_eq!(plain, first(&vectors, direction), "without AVX");
            }
            // Twice the same ones.
            vectors.extend_from_within(..);
            let groups = Groups::new(&vectors);
            for direction in vectors.clone() {
                assert_eq!(groups.farthest(direction), first(&vectors, direction));
                let plain = plain::farthest(&groups.0, direction);
                assert_eq!(plain, first(&vectors, direction), "without AVX");
            }
        }
        let groups = Groups::new(&vectors(9));
        assert_eq!(groups.farthest(Vec3::NAN), 0);
        assert_eq!(plain::farthest(&groups.0, Vec3::NAN), 0);
    }

    #[test]
    fn bounds_are_the_same_bits_as_those_of_the_points() {
        for count in 1..=42 {
            let points = vectors(count);
            let groups = Groups::new(&points);
            for step in 0..20_u8 {
                let turn = Quat::from_euler(
                    bevy::math::EulerRot::XYZ,
                    0.3 * f32::from(step),
                    0.17 * f32::from(step),
                    -0.41 * f32::from(step),
                );
                let pose = Pose::from_parts(Vec3::new(1.0, -2.0, 3.0) * f32::from(step), turn);
                let moved = points.iter().map(|point| pose.transform_point(*point));
                let bounds = groups.bounds(&pose);
                let [mins, maxs] =
                    [Vec3::min, Vec3::max].map(|extreme| moved.clone().reduce(extreme));
                let bits = |corner: Vec3| corner.to_array().map(f32::to_bits);
                assert_eq!(mins.map(bits), Some(bits(bounds.mins)));
                assert_eq!(maxs.map(bits), Some(bits(bounds.maxs)));
                let ours = groups.turned_bounds(turn).map(bits);
                assert_eq!(ours, plain::turned_bounds(&groups.0, turn).map(bits));
            }
        }
    }
}
