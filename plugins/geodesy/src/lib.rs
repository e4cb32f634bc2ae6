//! The scene on the Earth: from scene coordinates to latitude, longitude and altitude (WGS 84).
//!
//! Three frames: the scene; east, north and up (ENU) at the scene's origin; and the Earth-centred,
//! Earth-fixed frame (ECEF). The scene differs from ENU by a turn about the vertical.
use bevy::prelude::{Resource, World};
use morse_api::check::CheckError;
use nalgebra::{Matrix3, Point3, Rotation3, Vector3};

pub mod geomagnetism;
pub mod utm;

/// Equatorial radius of the WGS 84 ellipsoid, m.
pub const EQUATORIAL_RADIUS: f64 = 6_378_137.0;
/// Flattening of the WGS 84 ellipsoid.
pub const FLATTENING: f64 = 1.0 / 298.257_223_563;
/// Square of its first eccentricity (MORSE's constant, 0.08181919191, is half a millimetre off at the poles).
pub const ECCENTRICITY_SQUARED: f64 = FLATTENING * (2.0 - FLATTENING);

/// Position on Earth of the scene's origin, and direction of its axes.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub struct Origin {
    /// Latitude, degrees, north positive.
    pub latitude: f64,
    /// Longitude, degrees, east positive.
    pub longitude: f64,
    /// Altitude above the ellipsoid, m.
    pub altitude: f64,
    /// Angle of the scene's x axis from north, degrees, clockwise: 90 is a scene whose x axis points east.
    pub angle_against_north: f64,
}

impl Default for Origin {
    fn default() -> Self {
        Self {
            latitude: 0.0,
            longitude: 0.0,
            altitude: 0.0,
            angle_against_north: 90.0,
        }
    }
}

/// A position on Earth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Geodetic {
    /// Latitude, degrees, north positive.
    pub latitude: f64,
    /// Longitude, degrees, east positive, in [-180, 180].
    pub longitude: f64,
    /// Altitude above the ellipsoid, m.
    pub altitude: f64,
}

impl Geodetic {
    /// Returns the position in the Earth-centred frame, m.
    #[must_use]
    pub fn to_ecef(self) -> Point3<f64> {
        let (sin, cos) = libm::sincos(self.latitude.to_radians());
        let (sin_longitude, cos_longitude) = libm::sincos(self.longitude.to_radians());
        let normal = EQUATORIAL_RADIUS / libm::sqrt(1.0 - ECCENTRICITY_SQUARED * sin * sin);
        let from_axis = (normal + self.altitude) * cos;
        Point3::new(
            from_axis * cos_longitude,
            from_axis * sin_longitude,
            (normal * (1.0 - ECCENTRICITY_SQUARED) + self.altitude) * sin,
        )
    }

    /// Returns the position of a point of the Earth-centred frame (m), after H. Vermeille, "Direct transformation from
    /// geocentric coordinates to geodetic coordinates", Journal of Geodesy 76 (2002).
    ///
    /// Valid everywhere except within 43 km of the Earth's centre, where the result is the centre's.
    #[must_use]
    pub fn from_ecef(point: &Point3<f64>) -> Self {
        let e2 = ECCENTRICITY_SQUARED;
        let e4 = e2 * e2;
        let from_axis = libm::hypot(point.x, point.y);
        let p = from_axis * from_axis / (EQUATORIAL_RADIUS * EQUATORIAL_RADIUS);
        let q = (1.0 - e2) / (EQUATORIAL_RADIUS * EQUATORIAL_RADIUS) * point.z * point.z;
        let r = (p + q - e4) / 6.0;
        if r <= 0.0 {
            return Self {
                altitude: -EQUATORIAL_RADIUS,
                ..Self::default()
            };
        }
        let s = e4 * p * q / (4.0 * r * r * r);
        let t = libm::cbrt(1.0 + s + libm::sqrt(s * (2.0 + s)));
        let u = r * (1.0 + t + 1.0 / t);
        let v = libm::sqrt(u * u + e4 * q);
        let w = e2 * (u + v - q) / (2.0 * v);
        let k = libm::sqrt(u + v + w * w) - w;
        let d = k * from_axis / (k + e2);
        let slant = libm::hypot(d, point.z);
        Self {
            latitude: (2.0 * libm::atan2(point.z, d + slant)).to_degrees(),
            longitude: libm::atan2(point.y, point.x).to_degrees(),
            altitude: (k + e2 - 1.0) / k * slant,
        }
    }

    /// Returns the rotation from east, north and up at this position to the axes of the Earth-centred frame.
    #[must_use]
    pub fn ecef_from_enu(self) -> Rotation3<f64> {
        let (sin, cos) = libm::sincos(self.latitude.to_radians());
        let (sin_longitude, cos_longitude) = libm::sincos(self.longitude.to_radians());
        Rotation3::from_matrix_unchecked(Matrix3::from_columns(&[
            Vector3::new(-sin_longitude, cos_longitude, 0.0),
            Vector3::new(-sin * cos_longitude, -sin * sin_longitude, cos),
            Vector3::new(cos * cos_longitude, cos * sin_longitude, sin),
        ]))
    }
}

/// A position on Earth by a straight line from its centre, instead of the vertical.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Geocentric {
    /// Angle of the line from the plane of the equator, degrees, north positive.
    pub latitude: f64,
    /// Longitude, degrees, east positive, in [-180, 180].
    pub longitude: f64,
    /// Distance from the centre, m.
    pub radius: f64,
}

impl Geocentric {
    /// Returns the position in the Earth-centred frame, m.
    #[must_use]
    pub fn to_ecef(self) -> Point3<f64> {
        let (sin, cos) = libm::sincos(self.latitude.to_radians());
        let (sin_longitude, cos_longitude) = libm::sincos(self.longitude.to_radians());
        Point3::new(cos * cos_longitude, cos * sin_longitude, sin) * self.radius
    }

    /// Returns the position of a point of the Earth-centred frame (m).
    #[must_use]
    pub fn from_ecef(point: &Point3<f64>) -> Self {
        let from_axis = libm::hypot(point.x, point.y);
        Self {
            latitude: libm::atan2(point.z, from_axis).to_degrees(),
            longitude: libm::atan2(point.y, point.x).to_degrees(),
            radius: libm::hypot(from_axis, point.z),
        }
    }
}

/// Checks that the scene has a position on Earth, for a modifier that requires it.
///
/// # Errors
///
/// The simulation file does not define the position.
pub fn required(world: &World) -> Result<(), CheckError> {
    if world.contains_resource::<Origin>() {
        return Ok(());
    }
    Err(CheckError::unmet(
        "it requires the position of the scene: \
         `environment: (origin: (latitude: …, longitude: …, altitude: …))`",
    ))
}

/// Position of the scene on Earth, precomputed for many points.
#[derive(Clone, Copy, Debug)]
pub struct OnEarth {
    ecef_from_scene: Rotation3<f64>,
    origin: Point3<f64>,
}

impl From<&Origin> for OnEarth {
    fn from(origin: &Origin) -> Self {
        let position = origin.geodetic();
        Self {
            ecef_from_scene: position.ecef_from_enu() * origin.enu_from_scene(),
            origin: position.to_ecef(),
        }
    }
}

impl Origin {
    /// Returns the position of the origin.
    #[must_use]
    pub fn geodetic(&self) -> Geodetic {
        Geodetic {
            latitude: self.latitude,
            longitude: self.longitude,
            altitude: self.altitude,
        }
    }

    /// Returns the rotation from scene axes to east, north and up at the origin.
    #[must_use]
    pub fn enu_from_scene(&self) -> Rotation3<f64> {
        let x_north_of_east = (90.0 - self.angle_against_north).to_radians();
        Rotation3::from_axis_angle(&Vector3::z_axis(), x_north_of_east)
    }
}

impl OnEarth {
    /// Returns the position of a world's scene; latitude and longitude are 0 by default (see [`required`]).
    #[must_use]
    pub fn of(world: &World) -> Self {
        let origin = world.get_resource::<Origin>().copied();
        Self::from(&origin.unwrap_or_default())
    }

    /// Returns the position of a point of the scene (m).
    #[must_use]
    pub fn geodetic(&self, point: &Point3<f64>) -> Geodetic {
        Geodetic::from_ecef(&self.ecef(point))
    }

    /// Converts a point of the scene to the Earth-centred frame, m.
    #[must_use]
    pub fn ecef(&self, point: &Point3<f64>) -> Point3<f64> {
        self.origin + self.ecef_from_scene * point.coords
    }

    /// Converts a point of the Earth-centred frame to the scene, m.
    #[must_use]
    pub fn scene(&self, point: &Point3<f64>) -> Point3<f64> {
        Point3::from(
            self.ecef_from_scene
                .inverse_transform_vector(&(point - self.origin)),
        )
    }

    /// Returns the rotation from scene axes to east, north and up at a position, which differs from that at the origin.
    #[must_use]
    pub fn enu_from_scene(&self, position: Geodetic) -> Rotation3<f64> {
        position.ecef_from_enu().inverse() * self.ecef_from_scene
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn geodetic((latitude, longitude, altitude): (f64, f64, f64)) -> Geodetic {
        Geodetic {
            latitude,
            longitude,
            altitude,
        }
    }

    /// Distance between two nearby positions, m.
    fn distance(a: Geodetic, b: Geodetic) -> f64 {
        (a.to_ecef() - b.to_ecef()).norm()
    }

    /// Latitude, longitude, altitude and the point, by PROJ 9.5.1 (pyproj 3.7.2, EPSG:4979 to EPSG:4978).
    const PROJ: [((f64, f64, f64), [f64; 3]); 9] = [
        (
            (43.6, 1.4333, 135.0),
            [4624887.726006849, 115719.42536782114, 4376107.345735162],
        ),
        ((0.0, 0.0, 0.0), [6378137.0, 0.0, 0.0]),
        (
            (-33.8688, 151.2093, 58.0),
            [-4646093.477288303, 2553229.5358170713, -3534404.710910369],
        ),
        (
            (71.1695, -156.65, 10.0),
            [-1895761.2722154171, -818405.735436546, 6014421.929475949],
        ),
        (
            (89.999, 45.0, 4000.0),
            [79.02893572592814, 79.02893572592812, 6360752.313269856],
        ),
        (
            (-89.5, -179.9, -100.0),
            [-55845.30890846156, -97.46855019334592, -6356408.641230852],
        ),
        (
            (27.988, 86.925, 8848.86),
            [302770.21363510494, 5636031.425827555, 2979483.6914540683],
        ),
        ((0.0, 180.0, -5000.0), [-6373137.0, 0.0, 0.0]),
        (
            (45.0, -120.0, 400000.0),
            [-2400216.7956617745, -4157297.4392663613, 4770191.121340538],
        ),
    ];

    #[test]
    fn as_proj_within_a_micrometre() {
        for (position, [x, y, z]) in PROJ {
            let (position, point) = (geodetic(position), Point3::new(x, y, z));
            let there = (position.to_ecef() - point).norm();
            let back = distance(Geodetic::from_ecef(&point), position);
            assert!(there < 1e-6 && back < 1e-6, "{position:?}: {there} {back}");
        }
    }

    /// Origin; east, north, up; and the position, by PROJ 9.5.1 (pipeline of `topocentric` and `cart`), which
    /// pymap3d 3.2.0 (`enu2geodetic`) confirms within 2e-8 m.
    const TOPOCENTRIC: [((f64, f64, f64), [f64; 3], (f64, f64, f64)); 4] = [
        (
            (43.6, 1.4333, 135.0),
            [1000.0, 2000.0, 50.0],
            (43.617999858234406, 1.4456882974094096, 185.3924342300743),
        ),
        (
            (43.6, 1.4333, 135.0),
            [-50000.0, 30000.0, 1000.0],
            (43.868267542530624, 0.8114055410215817, 1401.3027451373637),
        ),
        (
            (-33.8688, 151.2093, 58.0),
            [10.0, -8.0, 0.5],
            (-33.868872123329666, 151.20940807615585, 58.50001286808401),
        ),
        (
            (85.0, -179.99, 0.0),
            [-50000.0, 30000.0, 1000.0],
            (85.24749102815998, 174.5998692105589, 1265.604558055289),
        ),
    ];

    #[test]
    fn scene_points_have_the_positions_that_proj_gives() {
        for ((latitude, longitude, altitude), [east, north, up], position) in TOPOCENTRIC {
            let origin = Origin {
                latitude,
                longitude,
                altitude,
                angle_against_north: 90.0,
            };
            let actual = OnEarth::from(&origin).geodetic(&Point3::new(east, north, up));
            assert!(distance(actual, geodetic(position)) < 1e-6, "{actual:?}");
            // The same point in a scene whose x axis points north, and y west.
            let turned = Origin {
                angle_against_north: 0.0,
                ..origin
            };
            let actual = OnEarth::from(&turned).geodetic(&Point3::new(north, -east, up));
            assert!(distance(actual, geodetic(position)) < 1e-6, "{actual:?}");
        }
    }

    proptest! {
        #[test]
        fn there_and_back_over_the_globe(latitude in -90.0..=90.0_f64, longitude in -180.0..180.0_f64, altitude in -10_000.0..1_000_000.0_f64) {
            let position = geodetic((latitude, longitude, altitude));
            let back = Geodetic::from_ecef(&position.to_ecef());
            prop_assert!(distance(back, position) < 1e-6, "{back:?}");
        }

        #[test]
        fn axes_at_a_position_are_a_rotation(latitude in -90.0..=90.0_f64, longitude in -180.0..180.0_f64) {
            let axes = geodetic((latitude, longitude, 0.0)).ecef_from_enu();
            prop_assert!((axes.matrix() * axes.matrix().transpose() - Matrix3::identity()).norm() < 1e-12);
            prop_assert!((axes.matrix().determinant() - 1.0).abs() < 1e-12);
        }
    }
}
