//! Synchronised cameras.
use bevy::ecs::query::QueryState;
use morse_api::{
    prelude::*,
    service::{self, Status, find},
};
use serde_json::json;

use crate::camera::{
    Capture,
    capture::{Frames, interrupt},
};

/// Makes several cameras take frames together. It measures nothing itself; the cameras are usually mounted on it (`on`).
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Task)]
pub struct StereoUnit {
    /// Cameras: paths such as `rover.left`, or names such as `left` for cameras of the same robot.
    pub cameras: Vec<String>,
}

/// Data without fields: each measurement has a time stamp.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StereoUnitData {}

impl Sensor for StereoUnit {
    const KIND: &'static str = "stereo_unit";
    const MORSE_CLASSES: &'static [&'static str] = &["StereoUnit"];
    type Data = StereoUnitData;

    fn check(&self, world: &World, entity: Entity) -> Result<(), CheckError> {
        for name in &self.cameras {
            let entry = camera(world, entity, name);
            let has_frames =
                entry.is_some_and(|(_, camera)| world.get::<Capture>(camera).is_some());
            if !has_frames {
                return Err(CheckError::unmet(format!(
                    "there is no camera `{name}`; name cameras by their paths, such as `rover.left`"
                )));
            }
        }
        Ok(())
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_sensor::<StereoUnit, _>(default_action)
        .add_service::<StereoUnit>(
            Service::new(
                "capture",
                "Makes each of its cameras take a number of frames; answered when the last one has finished. A negative \
                 number is never answered, but can be cancelled; 0 stops them. While a request is under way, also at \
                 one of the cameras, another one is refused.",
                capture,
            )
            .cancellable(stop),
        );
}

/// Returns the path and entity of a camera of the unit.
fn camera(world: &World, unit: Entity, name: &str) -> Option<(String, Entity)> {
    let own = world
        .get::<ComponentPath>(unit)
        .map_or("", ComponentPath::as_str);
    let robot = own.rsplit_once('.').map_or("", |(robot, _)| robot);
    [format!("{robot}.{name}"), name.to_owned()]
        .into_iter()
        .find_map(|path| find(world, &path).map(|camera| (path, camera)))
}

fn cameras(world: &World, unit: Entity) -> Vec<(String, Entity)> {
    let settings = world.get::<StereoUnit>(unit);
    let names = settings.iter().flat_map(|settings| &settings.cameras);
    names.filter_map(|name| camera(world, unit, name)).collect()
}

fn capture(world: &mut World, unit: Entity, frames: Frames) -> Result<Outcome, ServiceError> {
    if let Some(camera) = busy(world, unit) {
        return Err(ServiceError::Busy {
            service: format!("capture of `{camera}`"),
            component: camera,
        });
    }
    for (path, _) in cameras(world, unit) {
        // The reply is discarded: completion is detected by `busy`.
        service::call(world, &path, "capture", &json!([frames.n]));
    }
    Ok(match busy(world, unit) {
        Some(_) => Outcome::Pending,
        None => Outcome::NOTHING,
    })
}

/// Returns the first camera that still has frames to take.
fn busy(world: &World, unit: Entity) -> Option<String> {
    let task = |camera: Entity| world.get::<Task>(camera);
    let mut cameras = cameras(world, unit).into_iter();
    let entry = cameras.find(|(_, camera)| task(*camera).is_some_and(Task::is_running));
    entry.map(|(path, _)| path)
}

fn stop(world: &mut World, unit: Entity) {
    for (_, camera) in cameras(world, unit) {
        interrupt(world, camera);
    }
}

/// Checks whether the cameras have finished.
fn default_action(world: &mut World, units: &mut QueryState<(Entity, &Task), With<StereoUnit>>) {
    let waiting = units.iter(world).filter(|(_, task)| task.is_running());
    for unit in waiting.map(|(unit, _)| unit).collect::<Vec<_>>() {
        if busy(world, unit).is_none()
            && let Some(mut task) = world.get_mut::<Task>(unit)
        {
            task.end(Status::Success, json!(null));
        }
    }
}
