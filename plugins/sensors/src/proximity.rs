//! Distances of nearby objects and robots.
use std::collections::BTreeMap;

use morse_api::{
    dynamic::number_to_json,
    fields::assign_map,
    object::{Objects, ROBOT_TAG, Tracked},
    prelude::*,
    settings,
};
use serde_json::json;

/// Measures the distances of objects and robots with a property within the range: from the origin of the robot, not of the
/// sensor, to their origins, as in MORSE. The sensor's own robot and its components do not count, nor does a property that
/// is `false`.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Tracked)]
pub struct Proximity {
    /// Range of the sensor, until a request sets another one.
    #[reflect(@Unit("m"), @ValueRange(0.0, 1e6), @Property("Range"))]
    pub range: f64,
    /// Property of the detected objects and robots, until a request sets another one; all robots by default.
    #[reflect(@Property("Track"), @Changeable)]
    pub track: String,
}

impl Default for Proximity {
    fn default() -> Self {
        Self {
            range: 30.0,
            track: ROBOT_TAG.to_owned(),
        }
    }
}

/// One measurement.
#[derive(Component, Reflect, Debug, Default, PartialEq, Serialize, Deserialize)]
#[doc(alias("near_objects", "near_robots"))]
pub struct ProximityData {
    /// Distance of each detected object, by name.
    #[reflect(@Unit("m"))]
    pub near_objects: BTreeMap<String, f64>,
    /// Same data as `near_objects`, under the name that MORSE used before.
    #[reflect(@Unit("m"))]
    pub near_robots: BTreeMap<String, f64>,
}

impl Clone for ProximityData {
    fn clone(&self) -> Self {
        Self {
            near_objects: self.near_objects.clone(),
            near_robots: self.near_robots.clone(),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        assign_map(&mut self.near_objects, &source.near_objects);
        assign_map(&mut self.near_robots, &source.near_robots);
    }
}

impl Sensor for Proximity {
    const KIND: &'static str = "proximity";
    const FREQUENCY: Option<f64> = Some(12.0);
    const MORSE_CLASSES: &'static [&'static str] = &["Proximity"];
    type Data = ProximityData;
}

pub(super) fn plugin(app: &mut App) {
    app.add_sensor::<Proximity, _>(default_action)
        .init_resource::<Objects>()
        .add_service::<Proximity>(Service::new(
            "set_range",
            "Sets the range of the sensor, m.",
            set_range,
        ))
        .add_service::<Proximity>(Service::new(
            "set_tracked_tag",
            "Sets the property of the detected objects.",
            set_tracked_tag,
        ));
}

fn default_action(
    objects: Res<Objects>,
    bodies: Query<&BodyState>,
    mut sensors: Query<(&Proximity, &Due, &Mount, &mut Tracked, &mut ProximityData)>,
) {
    for (settings, due, mount, mut tracked, mut data) in &mut sensors {
        if !due.0 {
            continue;
        }
        let Ok(robot) = bodies.get(mount.robot) else {
            continue;
        };
        let ProximityData {
            near_objects,
            near_robots,
        } = &mut *data;
        near_objects.values_mut().for_each(|gone| *gone = f64::NAN);
        for object in tracked.of(&objects, &settings.track) {
            if object.robot == Some(mount.robot) {
                continue;
            }
            let Some(pose) = object.pose(&bodies) else {
                continue;
            };
            let away = (pose.translation.vector - robot.pose.translation.vector).norm();
            if away > settings.range {
                continue;
            }
            match near_objects.get_mut(&object.name) {
                Some(distance) => *distance = away,
                None => drop(near_objects.insert(object.name.clone(), away)),
            }
        }
        near_objects.retain(|_, distance| !distance.is_nan());
        assign_map(near_robots, near_objects);
    }
}

/// Arguments of `set_range`.
#[derive(Reflect, Deserialize)]
struct SetRange {
    /// Range of the sensor, m.
    range: f64,
}

fn set_range(
    world: &mut World,
    entity: Entity,
    SetRange { range }: SetRange,
) -> Result<Outcome, ServiceError> {
    settings::set(world, entity, "range", &number_to_json(range))?;
    Ok(Outcome::NOTHING)
}

/// Arguments of `set_tracked_tag`.
#[derive(Reflect, Deserialize)]
struct SetTrackedTag {
    /// Name of a property.
    tag: String,
}

fn set_tracked_tag(
    world: &mut World,
    entity: Entity,
    SetTrackedTag { tag }: SetTrackedTag,
) -> Result<Outcome, ServiceError> {
    settings::set(world, entity, "track", &json!(tag))?;
    Ok(Outcome::NOTHING)
}

#[cfg(test)]
mod tests {
    use morse_api::{object::Property, service::Status};
    use morse_testing::{TestWorld, moving, thing};

    use super::*;

    const ROBOT: (&str, Property) = (ROBOT_TAG, Property::Flag(true));

    fn test_world(text: &str) -> (TestWorld, Entity) {
        let start = moving([1.0, 1.0, 0.0], 1.0, [0.0; 3], [0.0; 3]);
        let mut test = TestWorld::new(60.0, plugin, start);
        let mut own = thing("rover", [1.0, 1.0, 0.0], &[ROBOT]);
        own.0.robot = Some(test.robot);
        let red = ("Red", Property::Number(0.0));
        test.objects(vec![
            own,
            // At 3, 4 and 12 m along the axes: 13 m.
            thing("cat", [4.0, 5.0, 12.0], &[ROBOT]),
            thing("dog", [1.0, 31.0, 0.0], &[ROBOT, red.clone()]),
            thing("fox", [1.0, 31.5, 0.0], &[ROBOT]),
            thing("box", [1.0, 1.0, 2.0], &[red]),
        ]);
        let mount = Isometry3::translation(5.0, 5.0, 5.0);
        let sensor = test.sensor::<Proximity>("rover.proximity", text, 60.0, mount);
        test.step(start);
        (test, sensor)
    }

    #[track_caller]
    fn assert_near(test: &TestWorld, sensor: Entity, expected: &[(&str, f64)]) {
        let data: ProximityData = test.read(sensor);
        assert_eq!(data.near_objects, data.near_robots);
        let actual: Vec<(&str, f64)> = data
            .near_objects
            .iter()
            .map(|(name, distance)| (name.as_str(), *distance))
            .collect();
        assert_eq!(actual, expected);
    }

    #[test]
    fn other_robots_are_felt_from_the_robots_own_origin() {
        let (test, sensor) = test_world("()");
        assert_near(&test, sensor, &[("cat", 13.0), ("dog", 30.0)]);
        assert_eq!(Proximity::FREQUENCY, Some(12.0));
    }

    #[test]
    fn range_and_tag_can_be_changed() {
        let (mut test, sensor) = test_world("(range: 20)");
        assert_near(&test, sensor, &[("cat", 13.0)]);
        let at = test.body();
        let call = |test: &mut TestWorld, service: &str, arguments| {
            let reply = test
                .call("rover.proximity", service, arguments)
                .reply()
                .unwrap();
            test.step(at);
            reply
        };
        call(&mut test, "set_range", json!([30.25]));
        assert_near(&test, sensor, &[("cat", 13.0), ("dog", 30.0)]);
        call(&mut test, "set_tracked_tag", json!(["Red"]));
        assert_near(&test, sensor, &[("box", 2.0), ("dog", 30.0)]);
        let refused = call(&mut test, "set_range", json!([-1.0]));
        assert_eq!(refused.status, Status::Failed);
        let said = refused.value.to_string();
        assert!(said.contains("`rover.proximity`, range: -1 is out of range"));
        assert_near(&test, sensor, &[("box", 2.0), ("dog", 30.0)]);
        call(&mut test, "set_tracked_tag", json!({"tag": "Nobody"}));
        assert_near(&test, sensor, &[]);
    }

    #[test]
    fn whoever_leaves_is_forgotten() {
        let (mut test, sensor) = test_world("(range: 20)");
        test.step(moving([200.0, 0.0, 0.0], 0.0, [0.0; 3], [0.0; 3]));
        assert_near(&test, sensor, &[]);
    }
}
