//! Angle by which something leans.
use morse_sim::prelude::*;

/// Angle between the sensor's z axis and the vertical.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tilt {
    /// Angle from which it is said to be tilted over.
    #[reflect(@Unit("rad"))]
    pub limit: f64,
}

impl Default for Tilt {
    fn default() -> Self {
        Self { limit: 0.5 }
    }
}

/// One measurement.
#[derive(Component, Reflect, Clone, Debug, Default, Serialize, Deserialize)]
pub struct TiltData {
    /// From upright.
    #[reflect(@Unit("rad"))]
    pub angle: f64,
    /// True if the limit is passed.
    pub over: bool,
}

impl Sensor for Tilt {
    const KIND: &'static str = "tilt";
    type Data = TiltData;
}

pub fn plugin(app: &mut App) {
    app.add_sensor::<Tilt, _>(default_action);
}

fn default_action(mut sensors: Query<(&Tilt, &Due, &WorldPose, &mut TiltData)>) {
    for (settings, due, pose, mut data) in &mut sensors {
        if due.0 {
            let up = pose.0 * Vector3::z();
            data.angle = up.angle(&Vector3::z());
            data.over = data.angle > settings.limit;
        }
    }
}
