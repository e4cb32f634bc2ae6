//! The Earth's magnetic field after the World Magnetic Model, degree 12, with its secular variation.
//!
//! Formulas after A. Chulliat et al., "The US/UK World Magnetic Model" (the report of each model), section 1.2, with two
//! differences: the associated Legendre functions are those of Gauss, with the factors of Schmidt multiplied into the
//! coefficients once; and they are divided by the cosine of the latitude before they are computed where the east component
//! needs it, so that the poles are no special cases.
//!
//! The files of coefficients are those that NOAA NCEI and BGS publish, in the public domain. That of 2015 is the first one,
//! of December 2014, which MORSE has; the second, of September 2018, differs from it by up to 41 nT at the beginning of 2015
//! and by up to 250 nT at the end of 2019.
use bevy::prelude::{Component, Reflect};
use morse_api::{check::CheckError, motion::MotionMode};
use nalgebra::{Isometry3, Point3, Vector3};
use serde::Deserialize;

use crate::{ECCENTRICITY_SQUARED, EQUATORIAL_RADIUS, Geodetic, OnEarth};

/// Default decimal year of sensors: the day on which `gps` starts by default.
pub const DEFAULT_DATE: f64 = 2026.0;

/// Degree and order of the models.
const DEGREE: usize = 12;
/// Orders 0 to [`DEGREE`].
const ORDERS: usize = DEGREE + 1;
/// Terms of degree 0 to [`DEGREE`].
const TERMS: usize = (DEGREE + 1) * (DEGREE + 2) / 2;
/// Reference radius of the Earth in the models, m.
const REFERENCE_RADIUS: f64 = 6_371_200.0;
/// Minimum radius of the evaluation, m: the series diverges towards the centre.
const LEAST_RADIUS: f64 = 0.5 * REFERENCE_RADIUS;

/// Coefficients of the World Magnetic Model.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MagneticModel {
    /// The model for the date.
    #[default]
    Automatic,
    /// The model for 2015 to 2020, as published in December 2014; MORSE uses it.
    Wmm2015,
    /// The model for 2020 to 2025.
    Wmm2020,
    /// The model for 2025 to 2030.
    Wmm2025,
}

/// A published model: epoch, file.
struct Published {
    epoch: f64,
    text: &'static str,
}

const WMM2015: Published = Published {
    epoch: 2015.0,
    text: include_str!("../../../assets/wmm/wmm2015.cof"),
};
const WMM2020: Published = Published {
    epoch: 2020.0,
    text: include_str!("../../../assets/wmm/wmm2020.cof"),
};
const WMM2025: Published = Published {
    epoch: 2025.0,
    text: include_str!("../../../assets/wmm/wmm2025.cof"),
};

/// No model covers the year.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "the magnetic field of the year {0} is not known: give a decimal year from 2015 to 2030, such as \
     `date: {DEFAULT_DATE:.1}`"
)]
pub struct YearError(pub f64);

impl From<YearError> for CheckError {
    fn from(error: YearError) -> Self {
        Self::Setting(error.to_string())
    }
}

impl MagneticModel {
    /// Returns the field at a decimal year. A model that is chosen by name also extrapolates to the years of the others, by
    /// its own secular variation, for comparison.
    ///
    /// # Errors
    ///
    /// No model covers the date; the text names the remedy.
    pub fn at(self, date: f64) -> Result<Field, YearError> {
        let made_for = if (2015.0..2020.0).contains(&date) {
            WMM2015
        } else if (2020.0..2025.0).contains(&date) {
            WMM2020
        } else if (2025.0..=2030.0).contains(&date) {
            WMM2025
        } else {
            return Err(YearError(date));
        };
        let published = match self {
            Self::Automatic => made_for,
            Self::Wmm2015 => WMM2015,
            Self::Wmm2020 => WMM2020,
            Self::Wmm2025 => WMM2025,
        };
        Ok(Field::read(&published, date))
    }
}

/// Field of the Earth at one moment. Computed from a sensor's settings.
#[derive(Component, Clone, Debug, Default)]
pub struct Field {
    /// g and h of each degree and order in nT, times the factor of Schmidt. Empty for no field.
    coefficients: Vec<[f64; 2]>,
}

/// Index of a degree and order among all terms.
const fn term(degree: usize, order: usize) -> usize {
    degree * (degree + 1) / 2 + order
}

/// Returns the factors that convert Gauss's functions into Schmidt's.
fn schmidt_factors() -> [f64; TERMS] {
    let mut factors = [1.0; TERMS];
    for n in 1..=DEGREE {
        let degree = n as f64;
        factors[term(n, 0)] = factors[term(n - 1, 0)] * (2.0 * degree - 1.0) / degree;
        for m in 1..=n {
            let order = m as f64;
            let twice = if m == 1 { 2.0 } else { 1.0 };
            let ratio = (degree - order + 1.0) * twice / (degree + order);
            factors[term(n, m)] = factors[term(n, m - 1)] * libm::sqrt(ratio);
        }
    }
    factors
}

/// Parses a line of a file of coefficients: degree, order, and g, h and their changes per year.
fn entry(line: &str) -> Option<(usize, usize, [f64; 4])> {
    let mut words = line.split_whitespace();
    let degree = words.next()?.parse().ok()?;
    let order = words.next()?.parse().ok()?;
    let mut numbers = [0.0; 4];
    for number in &mut numbers {
        *number = words.next()?.parse().ok()?;
    }
    (order <= degree && degree <= DEGREE).then_some((degree, order, numbers))
}

impl Field {
    fn read(published: &Published, date: f64) -> Self {
        let years = date - published.epoch;
        let factors = schmidt_factors();
        let mut coefficients = vec![[0.0; 2]; TERMS];
        for (n, m, [g, h, g_a_year, h_a_year]) in published.text.lines().filter_map(entry) {
            let index = term(n, m);
            coefficients[index] =
                [g + years * g_a_year, h + years * h_a_year].map(|x| x * factors[index]);
        }
        Self { coefficients }
    }

    /// Returns the field at a position on Earth, nT: north, east, and down along the vertical of the ellipsoid.
    #[must_use]
    pub fn at(&self, position: Geodetic) -> Vector3<f64> {
        let Spherical {
            radius,
            sine,
            cosine,
            tilt: (tilt_sine, tilt_cosine),
        } = Spherical::from(position);
        let around = multiples(position.longitude.to_radians());
        let (mut north, mut east, mut down) = (0.0, 0.0, 0.0);
        let closeness = REFERENCE_RADIUS / radius;
        let mut scale = closeness * closeness;
        let (mut before, mut row) = (Row::default(), Row::FIRST);
        let mut terms = self.coefficients.iter().skip(1);
        for n in 1..=DEGREE {
            (before, row) = (row, Row::after(&row, &before, n, sine, cosine));
            scale *= closeness;
            // The arrays of a row are longer than n + 1; the iterator over terms ends first.
            let orders = row.values.iter().zip(&row.slopes).zip(&row.divided);
            for (m, ((((value, slope), divided), [sine, cosine]), [g, h])) in orders
                .zip(&around)
                .zip(terms.by_ref().take(n + 1))
                .enumerate()
            {
                let along = g * cosine + h * sine;
                north += scale * along * slope;
                east += scale * m as f64 * (g * sine - h * cosine) * divided;
                down -= scale * (n + 1) as f64 * along * value;
            }
        }
        Vector3::new(
            north * tilt_cosine - down * tilt_sine,
            east,
            north * tilt_sine + down * tilt_cosine,
        )
    }

    /// Returns the field at a point of the scene, in the axes of the scene, nT.
    #[must_use]
    pub fn in_scene(&self, on_earth: &OnEarth, point: &Point3<f64>) -> Vector3<f64> {
        let position = on_earth.geodetic(point);
        let field = self.at(position);
        let enu = Vector3::new(field.y, field.x, -field.z);
        on_earth.enu_from_scene(position).inverse() * enu
    }

    /// Returns the field in the axes of a sensor at a pose in the scene, nT. MORSE's sensors take north, east and down for
    /// the axes of the scene, and rotate these three into their own.
    #[must_use]
    pub fn in_sensor(
        &self,
        on_earth: &OnEarth,
        scene_from_sensor: &Isometry3<f64>,
        motion: MotionMode,
    ) -> Vector3<f64> {
        let point = scene_from_sensor.translation.vector.into();
        let field = match motion {
            MotionMode::Default => self.in_scene(on_earth, &point),
            MotionMode::Morse => self.at(on_earth.geodetic(&point)),
        };
        scene_from_sensor.rotation.inverse_transform_vector(&field)
    }
}

/// Returns sine and cosine of 0, 1, 2, … times an angle.
fn multiples(angle: f64) -> [[f64; 2]; ORDERS] {
    let (sine, cosine) = libm::sincos(angle);
    let mut all = [[0.0, 1.0]; ORDERS];
    for m in 1..ORDERS {
        let [s, c] = all[m - 1];
        all[m] = [s * cosine + c * sine, c * cosine - s * sine];
    }
    all
}

/// A position in spherical coordinates.
struct Spherical {
    /// Radius, m.
    radius: f64,
    /// Sine of the geocentric latitude.
    sine: f64,
    cosine: f64,
    /// Sine and cosine of the geocentric latitude minus the geodetic one.
    tilt: (f64, f64),
}

impl From<Geodetic> for Spherical {
    fn from(position: Geodetic) -> Self {
        let (sin, cos) = libm::sincos(position.latitude.to_radians());
        let normal = EQUATORIAL_RADIUS / libm::sqrt(1.0 - ECCENTRICITY_SQUARED * sin * sin);
        let from_axis = (normal + position.altitude) * cos;
        let z = (normal * (1.0 - ECCENTRICITY_SQUARED) + position.altitude) * sin;
        let radius = libm::hypot(from_axis, z);
        let (sine, cosine) = if radius > 0.0 {
            (z / radius, from_axis / radius)
        } else {
            (0.0, 1.0)
        };
        Self {
            radius: radius.max(LEAST_RADIUS),
            sine,
            cosine,
            tilt: (sine * cos - cosine * sin, cosine * cos + sine * sin),
        }
    }
}

/// Legendre functions of one degree after Gauss, by order, of the sine of the latitude.
#[derive(Clone, Copy, Default)]
struct Row {
    values: [f64; ORDERS],
    /// Derivatives by the polar angle.
    slopes: [f64; ORDERS],
    /// The functions divided by the cosine of the latitude, from order 1 on.
    divided: [f64; ORDERS],
}

impl Row {
    /// Degree 0.
    const FIRST: Self = {
        let mut values = [0.0; ORDERS];
        values[0] = 1.0;
        Self {
            values,
            slopes: [0.0; ORDERS],
            divided: [0.0; ORDERS],
        }
    };

    /// Returns the row of degree `n`, by recursion from degrees n - 1 and n - 2.
    fn after(one: &Self, two: &Self, n: usize, sine: f64, cosine: f64) -> Self {
        let mut row = Self::default();
        let degree = n as f64;
        for m in 0..n {
            let order = m as f64;
            let above = (degree - 1.0) * (degree - 1.0) - order * order;
            let k = above / ((2.0 * degree - 1.0) * (2.0 * degree - 3.0));
            row.values[m] = sine * one.values[m] - k * two.values[m];
            row.divided[m] = sine * one.divided[m] - k * two.divided[m];
            row.slopes[m] = sine * one.slopes[m] - cosine * one.values[m] - k * two.slopes[m];
        }
        row.values[n] = cosine * one.values[n - 1];
        row.divided[n] = if n == 1 {
            1.0
        } else {
            cosine * one.divided[n - 1]
        };
        row.slopes[n] = cosine * one.slopes[n - 1] + sine * one.values[n - 1];
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Origin;

    /// Official test values: date, altitude (km), latitude, longitude; north, east, down.
    const OFFICIAL: &str = include_str!("../../../tests/data/wmm_test_values.csv");

    fn geodetic(latitude: f64, longitude: f64, altitude: f64) -> Geodetic {
        Geodetic {
            latitude,
            longitude,
            altitude,
        }
    }

    /// Number of official values of a model, and error of the worst component.
    fn compare(years: std::ops::Range<f64>) -> (usize, f64) {
        let (mut count, mut worst) = (0, 0.0_f64);
        for line in OFFICIAL.lines().skip(3) {
            let numbers: Vec<f64> = line.split(',').map(|word| word.parse().unwrap()).collect();
            let [date, kilometres, latitude, longitude, expected @ ..] = &*numbers else {
                panic!("{line}");
            };
            if years.contains(date) {
                let field = MagneticModel::Automatic.at(*date).unwrap();
                let actual = field.at(geodetic(*latitude, *longitude, kilometres * 1000.0));
                let error = (actual - Vector3::from_column_slice(expected)).amax();
                assert!(error <= 0.1, "{line}: {actual}");
                worst = worst.max(error);
                count += 1;
            }
        }
        (count, worst)
    }

    #[test]
    fn the_official_test_values() {
        // The values of the first two models are given to 0.1 nT. Those of the last have more digits than the published
        // coefficients: pygeomag 1.1.0 differs from them as much.
        for (years, count, rounding) in [
            (2015.0..2020.0, 12, 0.0501),
            (2020.0..2025.0, 100, 0.0501),
            (2025.0..2030.1, 100, 1e-3),
        ] {
            let (rows, worst) = compare(years);
            assert_eq!(rows, count);
            assert!(worst < rounding, "{worst}");
        }
    }

    #[test]
    fn near_the_poles_as_others_have_it_and_at_them_without_a_jump() {
        let field = MagneticModel::Automatic.at(2026.25).unwrap();
        // By pygeomag 1.1.0, a metre from the poles.
        for (latitude, longitude, expected) in POLES {
            let near = field.at(geodetic(latitude, longitude, 0.0));
            assert!((near - Vector3::from(expected)).amax() < 0.01, "{near}");
            let pole = field.at(geodetic(90.0_f64.copysign(latitude), longitude, 0.0));
            assert!((pole - near).amax() < 0.1, "{pole} {near}");
        }
        // At a pole one vector has all compass directions: relative to the Earth's axes it is constant.
        let seen = |latitude: f64, longitude| {
            let position = geodetic(latitude, longitude, 500.0);
            let field = field.at(position);
            position.ecef_from_enu() * Vector3::new(field.y, field.x, -field.z)
        };
        for latitude in [90.0, -90.0] {
            for longitude in [10.0, 100.0, -170.0] {
                let difference = seen(latitude, longitude) - seen(latitude, 0.0);
                assert!(difference.amax() < 1e-6, "{difference}");
            }
        }
    }

    const POLES: [(f64, f64, [f64; 3]); 3] = [
        (
            89.999_99,
            0.0,
            [1_717.580_383_22, 513.109_798_94, 56_887.728_704_29],
        ),
        (
            89.999_99,
            77.0,
            [-113.586_878_08, 1_788.979_434_83, 56_887.731_089_92],
        ),
        (
            -89.999_99,
            -120.0,
            [503.757_005_78, 16_811.950_266_74, -51_632.081_780_9],
        ),
    ];

    #[test]
    fn a_dipole_has_the_field_of_a_dipole() {
        let mut field = Field {
            coefficients: vec![[0.0; 2]; TERMS],
        };
        field.coefficients[term(1, 0)] = [-30_000.0, 0.0];
        for latitude in [-90.0, -30.0, 0.0, 45.0, 89.0] {
            let position = geodetic(latitude, 50.0, 100_000.0);
            let point = position.to_ecef().coords;
            let moment = -30_000.0 * libm::pow(REFERENCE_RADIUS, 3.0) * Vector3::z();
            let radius = point.norm();
            let up = point / radius;
            let expected = (3.0 * up * up.dot(&moment) - moment) / libm::pow(radius, 3.0);
            let actual = field.at(position);
            let actual = position.ecef_from_enu() * Vector3::new(actual.y, actual.x, -actual.z);
            assert!((actual - expected).amax() < 1e-6, "{actual} {expected}");
        }
    }

    #[test]
    fn every_line_of_the_files_is_understood() {
        for (published, name) in [
            (WMM2015, "WMM-2015"),
            (WMM2020, "WMM-2020"),
            (WMM2025, "WMM-2025"),
        ] {
            let mut words = published.text.split_whitespace();
            assert_eq!(words.next().unwrap().parse(), Ok(published.epoch));
            assert_eq!(words.next(), Some(name));
            let terms: Vec<usize> = published
                .text
                .lines()
                .filter_map(entry)
                .map(|(n, m, _)| term(n, m))
                .collect();
            assert_eq!(terms, (1..TERMS).collect::<Vec<_>>());
        }
    }

    #[test]
    fn models_by_date_and_by_name() {
        let north_at =
            |model: MagneticModel, date| model.at(date).unwrap().at(geodetic(0.0, 0.0, 0.0)).x;
        let automatic = |date| north_at(MagneticModel::Automatic, date);
        assert_eq!(automatic(2019.9), north_at(MagneticModel::Wmm2015, 2019.9));
        assert_eq!(automatic(2020.0), north_at(MagneticModel::Wmm2020, 2020.0));
        assert_eq!(automatic(2030.0), north_at(MagneticModel::Wmm2025, 2030.0));
        // The prediction of the previous model for the first day of the next one is close, and not equal.
        let foretold = north_at(MagneticModel::Wmm2020, 2025.0) - automatic(2025.0);
        assert!((0.1..300.0).contains(&foretold.abs()), "{foretold}");
        for date in [2014.99, 2030.01, f64::NAN, f64::INFINITY] {
            for model in [MagneticModel::Automatic, MagneticModel::Wmm2020] {
                assert!(
                    model
                        .at(date)
                        .unwrap_err()
                        .to_string()
                        .contains("from 2015 to 2030")
                );
            }
        }
    }

    #[test]
    fn the_field_of_a_scene_does_not_depend_on_how_the_scene_is_turned() {
        let field = MagneticModel::Automatic.at(2026.0).unwrap();
        let origin = |angle_against_north| Origin {
            latitude: 43.6,
            longitude: 1.4333,
            altitude: 135.0,
            angle_against_north,
        };
        let seen = |angle| field.in_scene(&OnEarth::from(&origin(angle)), &Point3::origin());
        let [north, east, down]: [f64; 3] = field.at(geodetic(43.6, 1.4333, 135.0)).into();
        // x east, y north; x north, y west.
        assert!((seen(90.0) - Vector3::new(east, north, -down)).amax() < 1e-6);
        assert!((seen(0.0) - Vector3::new(north, -east, -down)).amax() < 1e-6);
    }

    #[test]
    fn it_is_finite_everywhere() {
        let field = MagneticModel::Automatic.at(2026.0).unwrap();
        for altitude in [-7e6, -6_356_752.3, -1e5, 0.0, 8.5e5, 1e9, 1e300] {
            for latitude in [-90.0, -1.0, 0.0, 90.0] {
                let vector = field.at(geodetic(latitude, 3.0, altitude));
                assert!(vector.iter().all(|value| value.is_finite()), "{vector}");
            }
        }
        assert_eq!(
            Field::default().at(geodetic(10.0, 20.0, 0.0)),
            Vector3::zeros()
        );
    }
}
