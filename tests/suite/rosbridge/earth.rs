//! Positions on Earth and velocities of GPS receivers, in a scene whose x axis points to 60° from north.

use morse_sim::run::Pace;
use serde_json::Value as Json;

use super::client::Bridge;
use crate::web::client::Served;

/// A rover that drives at 1 m/s, 0.4 rad to the left of the x axis.
const WORLD: &str = r#"Simulation(
    environment: (origin: (latitude: 60, longitude: 1.4, altitude: 135, angle_against_north: 60)),
    robots: {
        "rover": (
            model: "robots/atrv.robray", base: kinematic, locomotion: free, at: (rpy: (0, 0, 0.4)),
            sensors: {
                "gps": (kind: "gps", level: raw, modifiers: [(kind: "gps_noise", sigma: (1, 0, 2))]),
                "degrees": (kind: "gps", level: raw, modifiers: [
                    (kind: "gaussian", fields: ["longitude"], sigma: 1e-5),
                    (kind: "gaussian", fields: ["altitude"], sigma: 0.5),
                ]),
            },
            actuators: { "motion": (kind: "v_omega", start: (v: 1)) },
        ),
    },
    middlewares: { "bridge": (kind: "rosbridge", port: 0) },
)"#;

fn assert_near(actual: &Json, expected: &[f64], tolerance: f64) {
    let numbers = actual.as_array().expect("numbers").iter();
    let numbers: Vec<f64> = numbers.map(|number| number.as_f64().unwrap()).collect();
    assert_eq!(numbers.len(), expected.len());
    let mut pairs = numbers.iter().zip(expected);
    assert!(
        pairs.all(|(one, two)| (one - two).abs() < tolerance),
        "{numbers:?}, not {expected:?}"
    );
}

#[test]
fn receivers_have_the_axes_that_their_messages_name() {
    let served = Served::new(WORLD, Pace::RealTime(1.0));
    let mut bridge = Bridge::new(&served);
    // In `map`, whose axes are those of the scene.
    let velocity = bridge.one("/rover/gps/velocity");
    assert_eq!(velocity["header"]["frame_id"], "map");
    let linear = &velocity["twist"]["linear"];
    let linear = Json::Array(["x", "y", "z"].map(|axis| linear[axis].clone()).to_vec());
    let (sin, cos) = libm::sincos(0.4);
    assert_near(&linear, &[cos, sin, 0.0], 1e-4);
    // Along east, north and up: the x axis is (sin 60°, cos 60°).
    let fix = bridge.one("/rover/gps");
    let [east, north, both] = [0.75, 0.25, libm::sqrt(0.75 * 0.25)];
    let covariance = [east, both, 0.0, both, north, 0.0, 0.0, 0.0, 4.0];
    assert_near(&fix["position_covariance"], &covariance, 1e-9);
    assert_eq!(fix["position_covariance_type"], 3);
    // A degree of longitude at 60° north is half a degree of latitude, 111.2 km.
    let fix = bridge.one("/rover/degrees");
    let covariance = [0.309, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25];
    assert_near(&fix["position_covariance"], &covariance, 2e-3);
    assert_eq!(fix["position_covariance_type"], 2);
}
