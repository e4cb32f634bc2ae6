//! Rays of a planar scanner, preprocessed for casting from many poses.
use nalgebra::Vector3;

/// Number of neighbouring rays that are processed together.
pub const GROUP: usize = 4;

/// Length of a circle in pseudo-angles, see [`PlanarFan::pseudo_angle`].
const CIRCLE: f64 = 4.0;

/// Tolerance for the squared length of a direction.
const UNIT: f64 = 1e-12;

/// Unit vectors in the plane z = 0 of a scanner, sorted by angle.
///
/// The arrays are parallel, by growing angle from x to y, and begin at the first ray from x on.
#[derive(Clone, Debug)]
pub struct PlanarFan {
    /// x of each ray, in groups; the last group is padded with zeros.
    cosines: Vec<[f64; GROUP]>,
    /// y of each ray, in groups; the last group is padded with zeros.
    sines: Vec<[f64; GROUP]>,
    /// Pseudo-angle of each ray.
    pseudo_angles: Vec<f64>,
    /// Index of each ray in the input.
    numbers: Vec<u32>,
    /// For each of equal sectors of the circle, the first ray in it or after it; then the number of rays.
    sectors: Vec<u32>,
    /// Number of sectors.
    sector_count: f64,
    /// Pseudo-angle of half a sector, which is far more than the rounding error.
    half_sector: f64,
}

/// Workspace of a caster for one scan; its contents are undefined between scans.
///
/// All arrays but `doubtful` are parallel to the groups of the fan.
#[derive(Clone, Debug, Default)]
pub struct ScanBuffer {
    /// Inverse range of the nearest hit of each ray, 1/m.
    pub inverse_range: Vec<[f64; GROUP]>,
    /// Index of the hit object of each ray, or a negative marker.
    pub objects: Vec<[f64; GROUP]>,
    /// Smallest inverse range in each group, 1/m.
    pub farthest: Vec<f64>,
    /// Indices of rays that have to be cast one by one.
    pub doubtful: Vec<u32>,
}

impl PlanarFan {
    /// Returns the fan of some rays in the frame of a scanner; `None` unless all are unit vectors with z = 0.
    #[must_use]
    pub fn new(directions: &[Vector3<f64>]) -> Option<Self> {
        let is_planar = |direction: &Vector3<f64>| {
            direction.z == 0.0 && (direction.norm_squared() - 1.0).abs() < UNIT
        };
        if directions.is_empty() || !directions.iter().all(is_planar) {
            return None;
        }
        let mut rays: Vec<_> = (0..).zip(directions).collect();
        let pseudo_angle = |ray: &(u32, &Vector3<f64>)| Self::pseudo_angle(ray.1.x, ray.1.y);
        rays.sort_by(|a, b| pseudo_angle(a).total_cmp(&pseudo_angle(b)));
        let pseudo_angles: Vec<f64> = rays.iter().map(pseudo_angle).collect();
        let count = 2 * pseudo_angles.len();
        let start = |index: usize| CIRCLE * index as f64 / count as f64;
        let first =
            |index: usize| pseudo_angles.partition_point(|angle| *angle < start(index)) as u32;
        let groups = |axis: usize| {
            let group = |rays: &[(u32, &Vector3<f64>)]| {
                std::array::from_fn(|lane| rays.get(lane).map_or(0.0, |ray| ray.1[axis]))
            };
            rays.chunks(GROUP).map(group).collect()
        };
        Some(Self {
            cosines: groups(0),
            sines: groups(1),
            numbers: rays.iter().map(|ray| ray.0).collect(),
            sectors: (0..=count).map(first).collect(),
            pseudo_angles,
            sector_count: count as f64,
            half_sector: 0.5 * CIRCLE / count as f64,
        })
    }

    /// Returns the pseudo-angle of a direction: a measure in [0, 4] that grows with the angle from x to y, at 0.5 to 1 times
    /// its rate.
    #[inline]
    #[must_use]
    pub fn pseudo_angle(x: f64, y: f64) -> f64 {
        let along = x / (x.abs() + y.abs());
        if y >= 0.0 { 1.0 - along } else { 3.0 + along }
    }

    /// Returns a range of rays that contains all rays between two pseudo-angles, and hardly any others; its end is less than
    /// its start if it wraps around.
    #[inline]
    #[must_use]
    pub fn between(&self, from: f64, to: f64) -> [usize; 2] {
        let last = self.sectors.len() - 2;
        // 32 bits, since conversions to 64 bits without a sign are slow.
        let sector = |angle: f64| ((angle * self.sector_count / CIRCLE) as u32 as usize).min(last);
        [
            self.sectors[sector(from - self.half_sector)] as usize,
            self.sectors[sector(to + self.half_sector) + 1] as usize,
        ]
    }

    /// Returns the number of rays.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pseudo_angles.len()
    }

    /// Returns true if there are no rays.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pseudo_angles.is_empty()
    }

    /// Returns x of the rays by growing angle, in groups; the last group is padded with zeros.
    #[must_use]
    pub fn cosines(&self) -> &[[f64; GROUP]] {
        &self.cosines
    }

    /// Returns y of the rays by growing angle, in groups; the last group is padded with zeros.
    #[must_use]
    pub fn sines(&self) -> &[[f64; GROUP]] {
        &self.sines
    }

    /// Returns the index in the input of each ray, by growing angle.
    #[must_use]
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// Iterates over index in the input and direction of each ray, by growing angle.
    pub fn rays(&self) -> impl Iterator<Item = (usize, Vector3<f64>)> + '_ {
        let [x, y] = [&self.cosines, &self.sines].map(|groups| groups.as_flattened());
        let directions = x.iter().zip(y);
        let numbers = self.numbers.iter().map(|number| *number as usize);
        numbers.zip(directions.map(|(&x, &y)| Vector3::new(x, y, 0.0)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ray(angle: f64) -> Vector3<f64> {
        let (sine, cosine) = libm::sincos(angle);
        Vector3::new(cosine, sine, 0.0)
    }

    proptest! {
        #[test]
        fn pseudo_angles_grow_with_the_angle(angle in 0.0..6.0, more in 1e-6..6.0) {
            let pseudo_angle = |angle| PlanarFan::pseudo_angle(libm::cos(angle), libm::sin(angle));
            let later = angle + more;
            prop_assume!(later < std::f64::consts::TAU);
            let grown = pseudo_angle(later) - pseudo_angle(angle);
            prop_assert!(grown >= 0.4 * more && grown <= 1.1 * more, "{grown} for {more}");
        }

        #[test]
        fn all_rays_between_two_directions_are_in_the_range(
            angles in proptest::collection::vec(-7.0..7.0_f64, 1..50), from in 0.0..4.0_f64, to in 0.0..4.0_f64,
        ) {
            let rays: Vec<_> = angles.iter().map(|angle| ray(*angle)).collect();
            let fan = PlanarFan::new(&rays).unwrap();
            let [first, end] = fan.between(from.min(to), from.max(to));
            let is_between = |angle: f64| (from.min(to)..=from.max(to)).contains(&angle);
            let missed = (0..fan.len()).filter(|ray| !(first..end).contains(ray));
            prop_assert!(missed.clone().all(|ray| !is_between(fan.pseudo_angles[ray])));
            let sector = CIRCLE / (2 * fan.len()) as f64;
            let near = |ray: usize| fan.pseudo_angles[ray] > from.min(to) - 2.0 * sector && fan.pseudo_angles[ray] < from.max(to) + 2.0 * sector;
            prop_assert!((first..end).all(near));
            prop_assert!(fan.rays().all(|(number, direction)| direction == rays[number]));
        }
    }

    #[test]
    fn what_is_no_plane_of_unit_vectors_is_no_planar_fan() {
        assert!(PlanarFan::new(&[]).is_none());
        assert!(PlanarFan::new(&[ray(1.0), Vector3::new(0.6, 0.0, 0.8)]).is_none());
        assert!(PlanarFan::new(&[ray(1.0) * 1.1]).is_none());
    }
}
