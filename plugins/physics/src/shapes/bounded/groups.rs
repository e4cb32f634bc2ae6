//! Vectors in groups of four, whose products with a direction are calculated at the same time.
use bevy::math::{Vec3, Vec4};
use bevy_rapier3d::parry::{bounding_volume::Aabb, math::Pose};

/// Vectors in groups of four, a coordinate after the other. The last group is filled with the last vector.
#[derive(Clone)]
pub(super) struct Groups(Vec<[Vec4; 3]>);

impl Groups {
    pub(super) fn new(vectors: &[Vec3]) -> Self {
        let group = |four: &[Vec3]| {
            let last = four.last().copied().unwrap_or_default();
            let filled: [Vec3; 4] = std::array::from_fn(|lane| *four.get(lane).unwrap_or(&last));
            [0, 1, 2].map(|axis| Vec4::from(filled.map(|vector| vector[axis])))
        };
        Self(vectors.chunks(4).map(group).collect())
    }

    /// Returns the index of the vector that is farthest along a direction; of equal ones, the first. The products are those of
    /// `Vec3::dot`, to the last bit.
    pub(super) fn farthest(&self, direction: Vec3) -> usize {
        let [x, y, z] = direction.to_array().map(Vec4::splat);
        let mut best = Vec4::NEG_INFINITY;
        // Indices of vectors are exact as numbers of 32 bits up to 2^24.
        let mut at = Vec4::ZERO;
        let mut index = Vec4::new(0.0, 1.0, 2.0, 3.0);
        for [px, py, pz] in &self.0 {
            let product = *px * x + *py * y + *pz * z;
            let is_better = product.cmpgt(best);
            best = Vec4::select(is_better, product, best);
            at = Vec4::select(is_better, index, at);
            index += 4.0;
        }
        let lanes = best.to_array().into_iter().zip(at.to_array());
        let first = lanes.reduce(|one, other| {
            let is_first = other.0 > one.0 || other.0 >= one.0 && other.1 < one.1;
            if is_first { other } else { one }
        });
        first.map_or(0, |(_, at)| at as usize)
    }

    /// Returns the bounds of these points at a pose: the same numbers, to the last bit, as those of the points that
    /// `Pose::transform_point` moves. Rounding keeps the order of sums, so that the translation is added to the bounds.
    pub(super) fn bounds(&self, pose: &Pose) -> Aabb {
        let [x, y, z, w] = pose.rotation.to_array();
        let square = x * x + y * y + z * z;
        let scale = Vec4::splat(w * w - square);
        let twice = Vec4::splat(w * 2.0);
        let [x, y, z] = [x, y, z].map(Vec4::splat);
        let mut least = [Vec4::INFINITY; 3];
        let mut greatest = [Vec4::NEG_INFINITY; 3];
        for [px, py, pz] in &self.0 {
            // The formula of glam, in its order: v (w² - b²) + b 2 (v·b) + (b × v) 2 w.
            let along = (*px * x + *py * y + *pz * z) * 2.0;
            let cross = [y * *pz - z * *py, z * *px - x * *pz, x * *py - y * *px];
            let turned = [
                *px * scale + x * along + cross[0] * twice,
                *py * scale + y * along + cross[1] * twice,
                *pz * scale + z * along + cross[2] * twice,
            ];
            for axis in 0..3 {
                least[axis] = least[axis].min(turned[axis]);
                greatest[axis] = greatest[axis].max(turned[axis]);
            }
        }
        let mins = Vec3::from(least.map(Vec4::min_element));
        let maxs = Vec3::from(greatest.map(Vec4::max_element));
        Aabb::new(mins + pose.translation, maxs + pose.translation)
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
            }
            // Twice the same ones.
            vectors.extend_from_within(..);
            let groups = Groups::new(&vectors);
            for direction in vectors.clone() {
                assert_eq!(groups.farthest(direction), first(&vectors, direction));
            }
        }
        assert_eq!(Groups::new(&vectors(9)).farthest(Vec3::NAN), 0);
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
            }
        }
    }
}
