//! `OVirtualRobotComm`, the system object between programs and the robot: it executes command vectors frame by frame, and
//! publishes sensor values, four frames at a time.
//!
//! - `effector`: queues of command vectors; `joints`: servos; `pacing`: frames and ticks; `lights`: lights; `senses`: sensor
//!   values.
mod effector;
mod joints;
mod lights;
mod pacing;
mod senses;
#[cfg(test)]
mod tests;

use serde_json::Value as Json;

use self::{effector::Effector, joints::Joints, lights::Lights, pacing::Pacing, senses::Senses};
use super::{
    image::{self, PICTURE, Picture},
    primitives::{Kind, Robot, Sensor},
    robots::ERS7,
};
use crate::{lockstep::FRAME, platform::Platform, prelude::*};

/// Name of the object.
pub const NAME: &str = "OVirtualRobotComm";

/// Indices of the observer of commands, and of the subjects.
const EFFECTOR: usize = 0;
const SENSOR: usize = 0;
const MOTORS: usize = 1;
const IMAGE: usize = 2;
const LIGHTS: usize = 3;

/// Components of the simulation that are connected to the robot's primitives, as observers after the observer of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Positions, velocities and efforts of the joints.
    Joints,
    /// Acceleration of the trunk.
    Acceleration,
    /// Sensor, by the number of its primitive.
    Sensor(u32),
    /// Camera, by the number of its primitive.
    Camera(u32),
    /// Charge of the battery.
    Battery,
}

impl Input {
    /// Returns the type of the data that it receives from a component of a kind.
    pub(crate) fn data(self, kind: &str) -> &str {
        match self {
            Self::Camera(_) => PICTURE,
            _ => kind,
        }
    }
}

/// Returns the input for a component of a robot, by its name and kind.
pub(crate) fn input(robot: &Robot, name: &str, kind: &str) -> Option<Input> {
    match kind {
        "joint_state" => Some(Input::Joints),
        "imu" => Some(Input::Acceleration),
        "battery" => Some(Input::Battery),
        "video_camera" if name == "camera" => {
            let mut primitives = robot.ids();
            let primitives = primitives.find(|(_, primitive)| primitive.kind == Kind::Camera);
            primitives.map(|(id, _)| Input::Camera(id))
        }
        _ => {
            let is_it = |kind: Kind| {
                matches!(kind, Kind::Sensor(sensor, component)
                    if component == name && !matches!(sensor, Sensor::Acceleration(_)))
            };
            let mut primitives = robot.ids();
            let primitives = primitives.find(|(_, primitive)| is_it(primitive.kind));
            primitives.map(|(id, _)| Input::Sensor(id))
        }
    }
}

/// Connections and settings of the object.
#[derive(Clone, Debug)]
pub(crate) struct CommSettings {
    pub(crate) robot: &'static Robot,
    /// Components, each with the name of its service and the type of its data.
    pub(crate) inputs: Vec<(Input, String, String)>,
    /// Primitives of the lights of the simulation, in the order of their connections.
    pub(crate) lights: Vec<u32>,
    /// True if legs are kept from touching the trunk: see [`super::coupled`].
    pub(crate) is_guarded: bool,
    /// Duty of a motor from which its joint is jammed, if jams are detected.
    pub(crate) jam_duty: Option<u16>,
}

impl Default for CommSettings {
    fn default() -> Self {
        Self {
            robot: &ERS7,
            inputs: Vec::new(),
            lights: Vec::new(),
            is_guarded: false,
            jam_duty: None,
        }
    }
}

/// Returns the object, with an observer for each input.
pub(crate) fn object(settings: &CommSettings) -> ObjectInstance {
    let interface = Interface::new(NAME)
        .subject("Sensor", "OSensorFrameVectorData")
        .subject("Motors", "joints")
        .subject("FbkImageSensor", "OFbkImageVectorData")
        .subject("Lights", "light")
        .observer("Effector", "OCommandVectorData");
    let inputs = settings.inputs.iter();
    let interface = inputs.fold(interface, |interface, (_, service, data)| {
        interface.observer(service, data)
    });
    let comm = Comm {
        inputs: settings.inputs.iter().map(|(input, ..)| *input).collect(),
        effector: Effector::default(),
        joints: Joints::new(settings),
        lights: Lights::new(settings.lights.clone()),
        senses: Senses::new(settings.robot),
    };
    // Highest class: the robot does not wait for objects.
    ObjectInstance::new(interface.extra("Frame"), comm).with_priority(0xf8)
}

struct Comm {
    inputs: Vec<Input>,
    effector: Effector,
    joints: Joints,
    lights: Lights,
    senses: Senses,
}

impl Object for Comm {
    fn do_start(&mut self, context: &mut Context<'_>, _: SystemEvent) -> Status {
        context.wake_after(FRAME, 0);
        context.assert_ready_to_all()
    }

    fn notify(&mut self, context: &mut Context<'_>, event: &NotifyEvent) {
        if event.observer == EFFECTOR {
            for region in &event.data {
                self.effector.queue(context, event.sender, region);
            }
            return;
        }
        let input = self.inputs.get(event.observer - 1).copied();
        if let (Some(Input::Camera(id)), Some(region)) = (input, event.data.last()) {
            self.photograph(context, id, region);
        } else if let (Some(input), Some(json)) = (input, event.data.last().and_then(Region::json))
        {
            self.measure(context, input, &json);
        }
        context.assert_ready(event.observer);
    }

    fn extra(&mut self, context: &mut Context<'_>, _: usize, _: &Payload) {
        context.wake_after(FRAME, 0);
        let commands = self.effector.play(context);
        self.joints.command(&commands);
        self.lights.command(context, &commands);
        let tick = context.platform(|platform| platform.tick);
        let pacing = Pacing::new(context.now(), tick.unwrap_or_default());
        if let Some(command) = self.joints.drive(context, pacing) {
            context.set_data(MOTORS, command);
            context.notify_observers(MOTORS);
        }
        let changes = context.platform(|platform| platform.power.changes());
        if let Some((observers, payload)) = changes.flatten() {
            for (object, entry) in observers {
                context.call(object, entry, payload.clone());
            }
        }
        let optional = &self.effector.optional;
        if let Some(vector) = self.senses.frame(context, &self.joints, optional) {
            context.set_data(SENSOR, vector.region());
            context.notify_observers(SENSOR);
        }
    }
}

impl Comm {
    /// Publishes the image of the camera.
    fn photograph(&self, context: &mut Context<'_>, id: u32, region: &Region) {
        if context.link_count(IMAGE) == 0 {
            return;
        }
        let highest = self.senses.image_size();
        let numbers = (id, self.senses.frame_number());
        let vector = Picture::read(region).and_then(|picture| {
            let vector = |platform: &mut Platform| {
                image::vector(&picture, highest, numbers, &platform.colours)
            };
            context.platform(vector).flatten()
        });
        match vector {
            Some(vector) => {
                context.set_region(IMAGE, &vector);
                context.notify_observers(IMAGE);
            }
            None => {
                let [width, height] = highest;
                let [twice, high] = highest.map(|side| 2 * side);
                let sizes = format!("{width} by {height} or {twice} by {high}");
                context.log(
                    Level::Error,
                    &format!("the camera must have {sizes} pixels"),
                );
            }
        }
    }

    /// Stores the measurement of a component.
    fn measure(&mut self, context: &mut Context<'_>, input: Input, json: &Json) {
        match input {
            Input::Joints => self.joints.measure(json),
            Input::Acceleration => self.senses.measure_acceleration(json),
            Input::Sensor(id) => self.senses.measure(id, json),
            Input::Battery => {
                let charge = json.get("charge").and_then(Json::as_f64);
                let is_charging = json.get("status").and_then(Json::as_str) == Some("Charging");
                context.platform(|platform| {
                    platform
                        .power
                        .set_battery(charge.unwrap_or(0.0), is_charging);
                });
            }
            Input::Camera(_) => {}
        }
    }
}
