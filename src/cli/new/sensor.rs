//! Inclination: a sensor for morse-sim. Replace this by the description of yours.
use morse_api::prelude::*;

/// Measures the angle between the sensor's z axis and the vertical.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NewComponent {
    /// Level of the data.
    pub level: NewComponentLevel,
    /// Maximum angle that it measures.
    #[reflect(@Unit("rad"), @ValueRange(0.0, 3.2))]
    pub most: f64,
}

/// Level of the data: each variant is one of `LEVELS`, in Rust's spelling.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NewComponentLevel {
    /// The angle alone.
    #[default]
    Angle,
    /// The angle, and its two components.
    Axes,
}

impl Default for NewComponent {
    fn default() -> Self {
        Self {
            level: NewComponentLevel::default(),
            most: 1.5,
        }
    }
}

/// One measurement.
#[derive(Component, Reflect, Clone, Debug, Default, Serialize, Deserialize)]
pub struct NewComponentData {
    /// Angle from upright, 0 or more.
    #[reflect(@Unit("rad"))]
    pub angle: f64,
    /// Rotation about the sensor's x axis.
    #[reflect(@Unit("rad"), @Levels(&["axes"]))]
    pub roll: f64,
    /// Rotation about the sensor's y axis.
    #[reflect(@Unit("rad"), @Levels(&["axes"]))]
    pub pitch: f64,
}

impl Sensor for NewComponent {
    const KIND: &'static str = "new_component";
    const LEVELS: &'static [&'static str] = &["angle", "axes"];
    const FREQUENCY: Option<f64> = Some(20.0);
    type Data = NewComponentData;
}

/// Registers the kind `new_component`.
pub fn plugin(app: &mut App) {
    app.add_sensor::<NewComponent, _>(default_action);
}

fn default_action(mut sensors: Query<(&NewComponent, &Due, &WorldPose, &mut NewComponentData)>) {
    for (settings, due, pose, mut data) in &mut sensors {
        if !due.0 {
            continue;
        }
        let up = pose.0.inverse_transform_vector(&Vector3::z());
        data.angle = libm::acos(up.z.clamp(-1.0, 1.0)).min(settings.most);
        if settings.level == NewComponentLevel::Axes {
            data.roll = libm::atan2(up.y, up.z);
            data.pitch = libm::atan2(-up.x, libm::hypot(up.y, up.z));
        }
    }
}

#[cfg(test)]
mod tests {
    use morse_testing::{TestWorld, moving};

    use super::*;

    /// Returns the state of a robot that leans to its right.
    fn leaning(roll: f64) -> BodyState {
        BodyState {
            pose: Isometry3::rotation(Vector3::x() * roll),
            ..moving([0.0; 3], 0.0, [0.0; 3], [0.0; 3])
        }
    }

    /// Returns the measurement of a sensor with these settings on that robot.
    fn measured(settings: &str, roll: f64) -> NewComponentData {
        let mut world = TestWorld::new(60.0, plugin, leaning(0.0));
        let mount = Isometry3::identity();
        let sensor = world.sensor::<NewComponent>("rover.new_component", settings, 60.0, mount);
        world.step(leaning(roll));
        world.read(sensor)
    }

    #[test]
    fn it_tells_how_far_the_robot_leans() {
        let data = measured("(level: axes)", 0.3);
        assert!((data.angle - 0.3).abs() < 1e-12, "{data:?}");
        assert!((data.roll - 0.3).abs() < 1e-12, "{data:?}");
        assert!(data.pitch.abs() < 1e-12, "{data:?}");
    }

    #[test]
    fn it_tells_no_more_than_it_can() {
        assert_eq!(measured("(most: 0.2)", 0.3).angle, 0.2);
    }
}
