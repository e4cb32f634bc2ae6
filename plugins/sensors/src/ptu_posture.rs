//! Angles of a pan-tilt unit (MORSE's `PTUPosture`).
use morse_api::{
    carrier::On,
    joint::{JointState, PanTilt, PanTiltJoints},
    prelude::*,
};

/// Measures the angles of the pan-tilt unit that the sensor is mounted `on`. In MORSE they were one tick old.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[reflect(@Example(r#"actuators: { "ptu": (kind: "ptu") },
sensors: { "ptu_posture": (kind: "ptu_posture", on: "ptu") }"#))]
pub struct PtuPosture {}

/// One measurement.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PtuPostureData {
    /// Angle to the left.
    #[reflect(@Unit("rad"))]
    pub pan: f64,
    /// Angle downwards.
    #[reflect(@Unit("rad"))]
    pub tilt: f64,
}

impl Sensor for PtuPosture {
    const KIND: &'static str = "ptu_posture";
    const MORSE_CLASSES: &'static [&'static str] = &["PTUPosture"];
    type Data = PtuPostureData;

    fn check(&self, world: &World, sensor: Entity) -> Result<(), CheckError> {
        let unit = world.get::<On>(sensor).map(|on| on.0);
        if unit.is_some_and(|unit| world.get::<PanTilt>(unit).is_some()) {
            return Ok(());
        }
        Err(CheckError::unmet(
            "it must be mounted on a pan-tilt unit: add `on: \"NAME OF THE PTU\"`",
        ))
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_sensor::<PtuPosture, _>(default_action);
}

fn default_action(
    units: Query<&PanTilt>,
    states: Query<&JointState>,
    driven: Query<&PanTiltJoints>,
    mut sensors: Query<(&Due, &On, &mut PtuPostureData), With<PtuPosture>>,
) {
    for (due, on, mut data) in &mut sensors {
        if !due.0 {
            continue;
        }
        let angle = |joint| states.get(joint).map_or(0.0, |state| state.position);
        if let Ok(joints) = driven.get(on.0) {
            [data.pan, data.tilt] = joints.0.map(angle);
        } else if let Ok(unit) = units.get(on.0) {
            *data = PtuPostureData {
                pan: unit.pan,
                tilt: unit.tilt,
            };
        }
    }
}
