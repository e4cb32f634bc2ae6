//! Foot switch: whether a body is pressed with more than a threshold.
use morse_api::{contact::Touches, names::is_selected, prelude::*};

/// Detects contact by force: a switch under a foot, in a bumper or on a finger.
///
/// The switch closes when the sum of all contact forces on the body that carries it exceeds the threshold, and opens when
/// it falls below `release`.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Touches)]
pub struct FootSwitch {
    /// Force above which the switch closes.
    #[reflect(@Unit("N"), @ValueRange(0.0, 1e6), @Changeable)]
    pub threshold: f64,
    /// Force below which the switch opens, at most the threshold; by default the threshold.
    #[reflect(@Unit("N"), @ValueRange(0.0, 1e6))]
    pub release: Option<f64>,
    /// Names of the bodies that count; `*` stands for any text. By default all.
    #[reflect(@Changeable)]
    pub only: Vec<String>,
    /// Names of the bodies that do not count.
    #[reflect(@Changeable)]
    pub ignore: Vec<String>,
}

impl Default for FootSwitch {
    fn default() -> Self {
        Self {
            threshold: 1.0,
            release: None,
            only: Vec::new(),
            ignore: Vec::new(),
        }
    }
}

/// One measurement.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FootSwitchData {
    /// True if the switch is closed.
    #[reflect(@Unit(""))]
    pub contact: bool,
    /// Magnitude of the sum of the contact forces.
    #[reflect(@Unit("N"))]
    pub force: f64,
}

impl Sensor for FootSwitch {
    const KIND: &'static str = "foot_switch";
    const ROS: &'static [&'static [RosMessage]] = &[&[RosMessage::Contact]];
    type Data = FootSwitchData;

    fn check(&self, _: &World, _: Entity) -> Result<(), CheckError> {
        if self.release.is_some_and(|release| release > self.threshold) {
            return Err(CheckError::setting(
                "`release` must not exceed `threshold`, or the switch would never stay closed",
            ));
        }
        Ok(())
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_sensor::<FootSwitch, _>(default_action);
}

fn default_action(
    paths: Query<&ComponentPath>,
    mut sensors: Query<(&FootSwitch, &Due, &Touches, &mut FootSwitchData)>,
) {
    for (settings, due, touches, mut data) in &mut sensors {
        if !due.0 {
            continue;
        }
        let counts = |body: Entity| {
            paths
                .get(body)
                .is_ok_and(|path| is_selected(&settings.only, &settings.ignore, path.as_str()))
        };
        let counted = touches.0.iter().filter(|touch| counts(touch.other_body));
        let force: Vector3<f64> = counted.map(|touch| touch.force).sum();
        settings.measure(force.norm(), &mut data);
    }
}

impl FootSwitch {
    fn measure(&self, force: f64, data: &mut FootSwitchData) {
        let limit = if data.contact {
            // A service may have lowered the threshold.
            self.release.unwrap_or(self.threshold).min(self.threshold)
        } else {
            self.threshold
        };
        data.contact = force > limit;
        data.force = force;
    }
}

#[cfg(test)]
mod tests {
    use morse_testing::settings;

    use super::*;

    #[test]
    fn it_opens_at_a_smaller_force_than_it_closes() {
        let settings = settings::<FootSwitch>("(threshold: 10, release: 4)");
        let mut data = FootSwitchData::default();
        for (force, contact) in [
            (9.0, false),
            (11.0, true),
            (5.0, true),
            (3.0, false),
            (9.0, false),
        ] {
            settings.measure(force, &mut data);
            assert_eq!((data.contact, data.force), (contact, force));
        }
    }
}
