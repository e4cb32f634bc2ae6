//! Lens distortion after D. Brown and A. Conrady: the model `plumb_bob` of ROS.
use std::fmt;

/// A lens, precomputed for all pixels of an image.
///
/// A point in direction (x, y, 1) appears where an ideal lens shows direction (x', y', 1): with r² = x² + y²,
/// x' = x·(1 + k1·r² + k2·r⁴ + k3·r⁶) + 2·p1·x·y + p2·(r² + 2·x²) and
/// y' = y·(1 + k1·r² + k2·r⁴ + k3·r⁶) + p1·(r² + 2·y²) + 2·p2·x·y.
#[derive(Clone, PartialEq)]
pub struct Distortion {
    coefficients: [f64; 5],
    width: usize,
    rays: Vec<[f64; 2]>,
}

impl fmt::Debug for Distortion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Distortion({:?})", self.coefficients)
    }
}

/// Maximum number of Newton steps; a few are enough where the lens can be inverted.
const STEPS: usize = 30;

/// Greatest accepted distance of a ray from its pixel, at a depth of 1.
const NEAR: f64 = 1e-12;

/// Number of samples between the centre and a ray at which the lens must not fold the image.
const BETWEEN: usize = 4;

/// The lens folds the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a lens with these coefficients folds the picture: the pixel in column {column} and row {row} shows \
     nothing or two positions; take smaller ones, or a smaller opening angle"
)]
pub struct FoldError {
    /// Column of a pixel that shows no direction, or two.
    pub column: u32,
    /// Row of the pixel.
    pub row: u32,
}

impl Distortion {
    /// Returns the lens with coefficients k1, k2, p1, p2 and k3, for an image with a focal length and a centre in pixels.
    ///
    /// # Errors
    ///
    /// The lens folds the image, so that some pixel would show two directions, or none.
    pub fn new(
        coefficients: [f64; 5],
        [width, height]: [u32; 2],
        focal: f64,
        center: [f64; 2],
    ) -> Result<Self, FoldError> {
        let mut rays = Vec::with_capacity(width as usize * height as usize);
        for (v, u) in (0..height).flat_map(|v| (0..width).map(move |u| (v, u))) {
            let seen = [
                (f64::from(u) - center[0]) / focal,
                (f64::from(v) - center[1]) / focal,
            ];
            let ray = straight(&coefficients, seen);
            rays.push(ray.ok_or(FoldError { column: u, row: v })?);
        }
        Ok(Self {
            coefficients,
            width: width as usize,
            rays,
        })
    }

    /// Returns k1, k2, p1, p2 and k3.
    #[must_use]
    pub fn coefficients(&self) -> [f64; 5] {
        self.coefficients
    }

    /// Returns x and y of the direction (x, y, 1) that the pixel in a column and row shows. Beyond the edge, it is the
    /// direction of the last pixel.
    #[must_use]
    pub fn ray(&self, u: usize, v: usize) -> [f64; 2] {
        let height = self.rays.len() / self.width.max(1);
        let (u, v) = (
            u.min(self.width.saturating_sub(1)),
            v.min(height.saturating_sub(1)),
        );
        let ray = self.rays.get(v * self.width + u);
        ray.copied().unwrap_or_default()
    }
}

/// Returns the position at which an ideal lens would show the direction that this lens shows as (x, y, 1).
#[must_use]
pub fn bent(&[k1, k2, p1, p2, k3]: &[f64; 5], [x, y]: [f64; 2]) -> [f64; 2] {
    let r2 = x * x + y * y;
    let radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3));
    [
        x * radial + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x),
        y * radial + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y,
    ]
}

/// Inverse of [`bent`], by Newton's method. `None` where no direction is shown, or where the image is folded.
#[must_use]
pub fn straight(coefficients: &[f64; 5], seen: [f64; 2]) -> Option<[f64; 2]> {
    let mut point = seen;
    for _ in 0..STEPS {
        let [x, y] = bent(coefficients, point);
        let off = [seen[0] - x, seen[1] - y];
        let scale = 1.0 + seen[0].abs() + seen[1].abs();
        if off[0].abs() + off[1].abs() <= NEAR * scale {
            let is_unfolded = (1..=BETWEEN).all(|step| {
                let share = step as f64 / BETWEEN as f64;
                let [[a, b], [c, d]] = slope(coefficients, point.map(|value| value * share));
                a > 0.0 && a * d - b * c > 0.0
            });
            return is_unfolded.then_some(point);
        }
        let [[a, b], [c, d]] = slope(coefficients, point);
        let whole = a * d - b * c;
        if whole.is_nan() || whole.abs() <= 1e-12 {
            return None;
        }
        point[0] += (d * off[0] - b * off[1]) / whole;
        point[1] += (a * off[1] - c * off[0]) / whole;
    }
    None
}

/// Returns the Jacobian of [`bent`]: the derivatives of its two components by x and by y.
fn slope(&[k1, k2, p1, p2, k3]: &[f64; 5], [x, y]: [f64; 2]) -> [[f64; 2]; 2] {
    let r2 = x * x + y * y;
    let radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3));
    let grows = k1 + r2 * (2.0 * k2 + r2 * 3.0 * k3);
    let mixed = 2.0 * (x * y * grows + p1 * x + p2 * y);
    [
        [
            radial + 2.0 * x * x * grows + 2.0 * p1 * y + 6.0 * p2 * x,
            mixed,
        ],
        [
            mixed,
            radial + 2.0 * y * y * grows + 6.0 * p1 * y + 2.0 * p2 * x,
        ],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wide lens with barrel distortion, mounted slightly askew.
    const BARREL: [f64; 5] = [-0.28, 0.07, 0.0012, -0.0007, -0.005];

    #[test]
    fn what_is_bent_is_as_published() {
        // By hand: r² = 0.25, and 1 + 0.1·0.25 + 0.01·0.0625 + 0.001·0.015625.
        let [x, y] = bent(&[0.1, 0.01, 0.0, 0.0, 0.001], [0.3, -0.4]);
        let radial = 1.025_640_625;
        assert!((x - 0.3 * radial).abs() < 1e-15 && (y + 0.4 * radial).abs() < 1e-15);
        // Tangential distortion only: 2·p1·x·y + p2·(r² + 2·x²), p1·(r² + 2·y²) + 2·p2·x·y.
        let [x, y] = bent(&[0.0, 0.0, 0.01, 0.02, 0.0], [0.3, -0.4]);
        assert!((x - (0.3 - 0.0024 + 0.0086)).abs() < 1e-15, "{x}");
        assert!((y - (-0.4 + 0.0057 - 0.0048)).abs() < 1e-15, "{y}");
    }

    #[test]
    fn every_pixel_shows_what_is_bent_to_it() {
        for coefficients in [
            BARREL,
            [0.2, 0.05, 0.001, 0.002, 0.01],
            [0.0; 5],
            [0.0, 0.0, 0.02, -0.01, 0.0],
        ] {
            let lens = Distortion::new(coefficients, [64, 48], 40.0, [32.0, 24.0]).unwrap();
            for (v, u) in (0..48).flat_map(|v| (0..64).map(move |u| (v, u))) {
                let [x, y] = bent(&coefficients, lens.ray(u, v));
                let off = (x * 40.0 + 32.0 - u as f64).abs() + (y * 40.0 + 24.0 - v as f64).abs();
                assert!(off < 1e-9, "{coefficients:?} {u} {v}: {off} pixels");
            }
            assert_eq!(lens.ray(64, 100), lens.ray(63, 47));
        }
    }

    #[test]
    fn a_picture_that_is_folded_is_refused() {
        // x·(1 − 0.3·x²) grows up to x = 1.054, where it is 0.7027.
        let fold = [-0.3, 0.0, 0.0, 0.0, 0.0];
        let edge = (1.0_f64 / 0.9).sqrt();
        let most = edge * (1.0 - 0.3 * edge * edge);
        let [x, _] = straight(&fold, [most - 1e-4, 0.0]).unwrap();
        assert!(x < edge && x > 1.0, "{x}");
        assert_eq!(straight(&fold, [most + 1e-4, 0.0]), None);
        let refused = Distortion::new(fold, [64, 48], 40.0, [32.0, 24.0]);
        assert!(
            refused
                .unwrap_err()
                .to_string()
                .contains("folds the picture")
        );
        assert!(Distortion::new(fold, [64, 48], 80.0, [32.0, 24.0]).is_ok());
    }

    #[test]
    fn slopes_are_those_of_differences() {
        for point in [[0.3, -0.4], [0.0, 0.0], [-0.7, 0.2]] {
            let jacobian = slope(&BARREL, point);
            for (column, step) in [[1e-6, 0.0], [0.0, 1e-6]].into_iter().enumerate() {
                let [x0, y0] = bent(&BARREL, [point[0] - step[0], point[1] - step[1]]);
                let [x1, y1] = bent(&BARREL, [point[0] + step[0], point[1] + step[1]]);
                assert!(
                    (jacobian[0][column] - (x1 - x0) / 2e-6).abs() < 1e-8,
                    "{point:?}"
                );
                assert!(
                    (jacobian[1][column] - (y1 - y0) / 2e-6).abs() < 1e-8,
                    "{point:?}"
                );
            }
        }
    }
}
