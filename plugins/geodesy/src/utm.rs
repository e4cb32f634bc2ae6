//! The universal transverse Mercator projection (UTM), by the series of L. Krüger (1912) in the third
//! flattening, to its sixth power as C. Karney gives it ("Transverse Mercator with an accuracy of a few
//! nanometers", Journal of Geodesy 85, 2011).
use super::{ECCENTRICITY_SQUARED, EQUATORIAL_RADIUS, FLATTENING, Geodetic};

/// Scale on the central meridian.
const SCALE: f64 = 0.9996;
/// Easting of the central meridian, m.
const FALSE_EASTING: f64 = 500_000.0;
/// Northing of the equator in the southern hemisphere, m.
const FALSE_NORTHING: f64 = 10_000_000.0;
/// Third flattening.
const N: f64 = FLATTENING / (2.0 - FLATTENING);

/// Radius of the sphere whose meridians have the length of the ellipsoid's, times the scale, m.
const RADIUS: f64 = {
    let n2 = N * N;
    SCALE * EQUATORIAL_RADIUS / (1.0 + N) * (1.0 + n2 * (0.25 + n2 * (1.0 / 64.0 + n2 / 256.0)))
};

/// Coefficients from the conformal sphere to the ellipsoid's meridian: Karney's α, by powers of n from the first.
const FORTH: [f64; 6] = series([
    [
        1.0 / 2.0,
        -2.0 / 3.0,
        5.0 / 16.0,
        41.0 / 180.0,
        -127.0 / 288.0,
        7891.0 / 37800.0,
    ],
    [
        0.0,
        13.0 / 48.0,
        -3.0 / 5.0,
        557.0 / 1440.0,
        281.0 / 630.0,
        -1_983_433.0 / 1_935_360.0,
    ],
    [
        0.0,
        0.0,
        61.0 / 240.0,
        -103.0 / 140.0,
        15061.0 / 26880.0,
        167_603.0 / 181_440.0,
    ],
    [
        0.0,
        0.0,
        0.0,
        49561.0 / 161_280.0,
        -179.0 / 168.0,
        6_601_661.0 / 7_257_600.0,
    ],
    [
        0.0,
        0.0,
        0.0,
        0.0,
        34729.0 / 80640.0,
        -3_418_889.0 / 1_995_840.0,
    ],
    [0.0, 0.0, 0.0, 0.0, 0.0, 212_378_941.0 / 319_334_400.0],
]);

/// Coefficients of the inverse: Karney's β.
const BACK: [f64; 6] = series([
    [
        1.0 / 2.0,
        -2.0 / 3.0,
        37.0 / 96.0,
        -1.0 / 360.0,
        -81.0 / 512.0,
        96199.0 / 604_800.0,
    ],
    [
        0.0,
        1.0 / 48.0,
        1.0 / 15.0,
        -437.0 / 1440.0,
        46.0 / 105.0,
        -1_118_711.0 / 3_870_720.0,
    ],
    [
        0.0,
        0.0,
        17.0 / 480.0,
        -37.0 / 840.0,
        -209.0 / 4480.0,
        5569.0 / 90720.0,
    ],
    [
        0.0,
        0.0,
        0.0,
        4397.0 / 161_280.0,
        -11.0 / 504.0,
        -830_251.0 / 7_257_600.0,
    ],
    [
        0.0,
        0.0,
        0.0,
        0.0,
        4583.0 / 161_280.0,
        -108_847.0 / 3_991_680.0,
    ],
    [0.0, 0.0, 0.0, 0.0, 0.0, 20_648_693.0 / 638_668_800.0],
]);

const fn series(rows: [[f64; 6]; 6]) -> [f64; 6] {
    let mut sums = [0.0; 6];
    let mut row = 0;
    while row < 6 {
        let mut power = 6;
        while power > 0 {
            power -= 1;
            sums[row] = (sums[row] + rows[row][power]) * N;
        }
        row += 1;
    }
    sums
}

/// A zone of the projection, and the hemisphere of its northings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zone {
    /// Number, 1 to 60; zone 31 has the central meridian 3° east.
    pub number: u8,
    /// True if northings start at the equator; false if they start 10,000 km south of it.
    pub is_north: bool,
}

/// Coordinates in a zone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Projected {
    /// Easting, m; 500,000 on the central meridian.
    pub easting: f64,
    /// Northing, m.
    pub northing: f64,
}

impl Zone {
    /// Returns the zone of a position, with the exceptions for Norway and Svalbard; `None` beyond 84° north and 80° south,
    /// where there are no zones.
    #[must_use]
    pub fn of(position: Geodetic) -> Option<Self> {
        let Geodetic {
            latitude,
            longitude,
            ..
        } = position;
        if !(-80.0..=84.0).contains(&latitude) {
            return None;
        }
        let east = (longitude + 180.0).rem_euclid(360.0);
        let regular = (libm::floor(east / 6.0) as u8).min(59) + 1;
        let longitude = east - 180.0;
        let number = if (56.0..64.0).contains(&latitude) && (3.0..12.0).contains(&longitude) {
            32
        } else if latitude >= 72.0 && (0.0..42.0).contains(&longitude) {
            match longitude {
                ..9.0 => 31,
                9.0..21.0 => 33,
                21.0..33.0 => 35,
                _ => 37,
            }
        } else {
            regular
        };
        Some(Self {
            number,
            is_north: latitude >= 0.0,
        })
    }

    fn central_meridian(self) -> f64 {
        f64::from(self.number) * 6.0 - 183.0
    }

    fn first_northing(self) -> f64 {
        if self.is_north { 0.0 } else { FALSE_NORTHING }
    }

    /// Projects a position, which may be in a neighbouring zone or hemisphere.
    #[must_use]
    pub fn project(self, position: Geodetic) -> Projected {
        let longitude =
            (position.longitude - self.central_meridian() + 180.0).rem_euclid(360.0) - 180.0;
        let (sin, cos) = libm::sincos(longitude.to_radians());
        let tangent = conformal_tangent(libm::tan(position.latitude.to_radians()));
        let along = libm::atan2(tangent, cos);
        let across = libm::asinh(sin / libm::hypot(tangent, cos));
        let (mut xi, mut eta) = (along, across);
        for (order, alpha) in (1..).zip(FORTH) {
            let (sin, cos) = libm::sincos(2.0 * f64::from(order) * along);
            let across = 2.0 * f64::from(order) * across;
            xi += alpha * sin * libm::cosh(across);
            eta += alpha * cos * libm::sinh(across);
        }
        Projected {
            easting: FALSE_EASTING + RADIUS * eta,
            northing: self.first_northing() + RADIUS * xi,
        }
    }

    /// Returns the latitude and longitude of projected coordinates, degrees.
    #[must_use]
    pub fn unproject(self, projected: Projected) -> [f64; 2] {
        let xi = (projected.northing - self.first_northing()) / RADIUS;
        let eta = (projected.easting - FALSE_EASTING) / RADIUS;
        let (mut along, mut across) = (xi, eta);
        for (order, beta) in (1..).zip(BACK) {
            let (sin, cos) = libm::sincos(2.0 * f64::from(order) * xi);
            let across_here = 2.0 * f64::from(order) * eta;
            along -= beta * sin * libm::cosh(across_here);
            across -= beta * cos * libm::sinh(across_here);
        }
        let (sin, cos) = libm::sincos(along);
        let sinh = libm::sinh(across);
        let latitude = libm::atan(geodetic_tangent(sin / libm::hypot(sinh, cos)));
        let longitude = libm::atan2(sinh, cos).to_degrees() + self.central_meridian();
        let longitude = (longitude + 180.0).rem_euclid(360.0) - 180.0;
        [latitude.to_degrees(), longitude]
    }
}

/// Returns the tangent of the conformal latitude from that of the latitude.
fn conformal_tangent(tangent: f64) -> f64 {
    let e = libm::sqrt(ECCENTRICITY_SQUARED);
    let secant = libm::hypot(1.0, tangent);
    let sigma = libm::sinh(e * libm::atanh(e * tangent / secant));
    tangent * libm::hypot(1.0, sigma) - sigma * secant
}

/// Returns the tangent of the latitude from that of the conformal latitude, by Newton's method.
fn geodetic_tangent(conformal: f64) -> f64 {
    const STEPS: u32 = 5;
    let mut tangent = conformal / (1.0 - ECCENTRICITY_SQUARED);
    for _ in 0..STEPS {
        let here = conformal_tangent(tangent);
        let slope =
            (1.0 - ECCENTRICITY_SQUARED) * libm::hypot(1.0, here) * libm::hypot(1.0, tangent)
                / (1.0 + (1.0 - ECCENTRICITY_SQUARED) * tangent * tangent);
        let step = (conformal - here) / slope;
        if !step.is_finite() {
            break;
        }
        tangent += step;
    }
    tangent
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(latitude: f64, longitude: f64) -> Option<(u8, bool)> {
        let position = Geodetic {
            latitude,
            longitude,
            altitude: 0.0,
        };
        Zone::of(position).map(|zone| (zone.number, zone.is_north))
    }

    #[test]
    fn zones_are_those_of_maps() {
        // Toulouse, Sydney, the antimeridian from both sides, Greenwich.
        assert_eq!(zone(43.6, 1.4333), Some((31, true)));
        assert_eq!(zone(-33.8688, 151.2093), Some((56, false)));
        assert_eq!(zone(10.0, 180.0), Some((1, true)));
        assert_eq!(zone(10.0, 179.999), Some((60, true)));
        assert_eq!(zone(51.5, -0.0001), Some((30, true)));
        // Bergen; Longyearbyen; no zone at the poles.
        assert_eq!(zone(60.39, 5.32), Some((32, true)));
        assert_eq!(zone(78.22, 15.65), Some((33, true)));
        assert_eq!(zone(84.1, 0.0), None);
        assert_eq!(zone(-80.1, 0.0), None);
    }
}
