//! Variances of measurements, from the modifiers that add white noise to them.
use morse_api::reading::SensorInfo;
use serde_json::Value as Json;

/// Returns the variance of white noise on a field of three numbers or on a number, in the unit of the field squared; 0
/// without noise. `own` is the modifier of the kind of sensor, with its setting: a standard deviation of all three numbers, or
/// one for each.
pub(crate) fn variances(info: &SensorInfo, field: &str, own: Option<(&str, &str)>) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for (kind, settings) in &info.modifiers {
        let sigma = match own {
            Some((modifier, setting)) if kind == modifier => sigmas(&settings[setting]),
            _ if kind == "gaussian" && selects(settings, field) => sigmas(&settings["sigma"]),
            _ => continue,
        };
        for (sum, sigma) in sum.iter_mut().zip(sigma) {
            *sum += sigma * sigma;
        }
    }
    sum
}

/// Returns the variances of the axes of a setting that are standard deviations of independent errors, from all modifiers of a
/// kind.
pub(crate) fn of_modifier(info: &SensorInfo, kind: &str, setting: &str) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for (_, settings) in info.modifiers.iter().filter(|(own, _)| own == kind) {
        for (sum, sigma) in sum.iter_mut().zip(sigmas(&settings[setting])) {
            *sum += sigma * sigma;
        }
    }
    sum
}

/// Returns the variances of the velocity along x and of the angular velocity about z that the modifier `odometry_noise` adds to
/// a reading with these velocities, and of the yaw after a time, ns: at each measurement the distance has a random factor, and
/// the yaw a random step.
pub(crate) fn of_odometry(
    info: &SensorInfo,
    [velocity, lateral]: [f64; 2],
    nanos: u64,
) -> OdometryVariances {
    let mut sum = OdometryVariances::default();
    let noises = info.modifiers.iter();
    for (_, settings) in noises.filter(|(kind, _)| kind == "odometry_noise") {
        let [factor, drift] = ["factor_sigma", "gyro_drift_sigma"]
            .map(|name| settings[name].as_f64().unwrap_or_default());
        let count = nanos as f64 * 1e-9 * info.frequency;
        sum.velocity[0] += (factor * velocity) * (factor * velocity);
        sum.velocity[1] += (factor * lateral) * (factor * lateral);
        sum.angular_velocity += (drift * info.frequency) * (drift * info.frequency);
        sum.yaw += drift * drift * count;
    }
    sum
}

/// Variances of an odometry.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct OdometryVariances {
    /// Variances of the velocity along x and y, m²/s².
    pub(crate) velocity: [f64; 2],
    /// Variance of the angular velocity about z, rad²/s².
    pub(crate) angular_velocity: f64,
    /// Variance of the yaw, rad².
    pub(crate) yaw: f64,
}

/// Returns a covariance matrix with a diagonal.
pub(crate) fn diagonal([x, y, z]: [f64; 3]) -> [f64; 9] {
    [x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z]
}

/// Returns true if a modifier changes all numbers of a field.
fn selects(settings: &Json, field: &str) -> bool {
    let fields = settings["fields"].as_array();
    fields.is_none_or(|fields| fields.is_empty() || fields.iter().any(|one| one == field))
}

fn sigmas(value: &Json) -> [f64; 3] {
    match value.as_f64() {
        Some(sigma) => [sigma; 3],
        None => [0, 1, 2].map(|axis| value[axis].as_f64().unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use morse_api::fields::Fields;
    use nalgebra::{Isometry3, Rotation3};
    use serde_json::json;

    use super::*;

    fn info(modifiers: &[(&str, Json)]) -> SensorInfo {
        let modifiers = modifiers.iter();
        SensorInfo {
            path: Arc::from("rover.imu"),
            robot: Arc::from("rover"),
            kind: "imu",
            level: None,
            fields: Fields::default(),
            ros: &[],
            frequency: 1.0,
            settings: Json::Null,
            modifiers: modifiers
                .map(|(kind, settings)| ((*kind).to_owned(), settings.clone()))
                .collect(),
            robot_from_sensor: Isometry3::identity(),
            is_moving: false,
            enu_from_scene: Rotation3::identity(),
        }
    }

    #[test]
    fn variances_of_independent_noises_add_up() {
        let own = json!({ "gyro_sigma": 0.5, "accel_sigma": 2.0 });
        let white = json!({ "fields": ["angular_velocity"], "sigma": 1.0 });
        let info = info(&[("imu_noise", own), ("gaussian", white), ("bias", json!({}))]);
        let of = |field, setting| variances(&info, field, Some(("imu_noise", setting)));
        assert_eq!(of("angular_velocity", "gyro_sigma"), [1.25; 3]);
        assert_eq!(of("linear_acceleration", "accel_sigma"), [4.0; 3]);
        assert_eq!(variances(&info, "other", None), [0.0; 3]);
    }

    #[test]
    fn each_axis_may_have_its_own() {
        let info = info(&[("gps_noise", json!({ "sigma": [1.0, 2.0, 3.0] }))]);
        let actual = variances(&info, "position", Some(("gps_noise", "sigma")));
        assert_eq!(
            diagonal(actual),
            [1.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 9.0]
        );
    }

    #[test]
    fn odometry_drifts_with_each_measurement() {
        let noise = json!({ "factor_sigma": 0.5, "gyro_drift_sigma": 0.25 });
        let mut info = info(&[("odometry_noise", noise)]);
        info.frequency = 4.0;
        let actual = of_odometry(&info, [2.0, 0.0], 3_000_000_000);
        // Twelve steps of yaw, 1 rad/s each.
        let expected = OdometryVariances {
            velocity: [1.0, 0.0],
            angular_velocity: 1.0,
            yaw: 12.0 * 0.0625,
        };
        assert_eq!(actual, expected);
    }
}
