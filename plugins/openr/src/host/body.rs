//! Body of a robot in the simulation: its components, and their connections to the system object.
use morse_api::{command::ActuatorInfo, reading::SensorInfo};

use super::OpenR;
use crate::{
    body::{
        audio,
        comm::{self, CommSettings},
        primitives::Robot,
        robots::{self, NO_ROBOT, ROBOTS},
    },
    service::InvalidServiceName,
    stick::Contents,
    wiring::Connection,
};

/// Body of a robot.
pub(super) struct Body {
    pub(super) settings: CommSettings,
    pub(super) connections: Vec<Connection>,
    /// True if the system has the object of loudspeaker and microphones.
    pub(super) has_audio: bool,
}

impl OpenR {
    /// Returns the robot of the design; one without primitives if the design is not known.
    pub(super) fn robot(&self) -> &'static Robot {
        robots::of_design(&self.design).unwrap_or(&NO_ROBOT)
    }

    /// Returns the body, if there is one.
    pub(super) fn body<'a>(
        &self,
        contents: &Contents,
        sensors: impl Iterator<Item = &'a SensorInfo>,
        actuators: impl Iterator<Item = &'a ActuatorInfo>,
    ) -> Result<Option<Body>, String> {
        let body = self.body.as_str();
        // Without a list all system objects exist.
        let has = |wanted: &str| {
            let names = contents.system.as_ref();
            names.is_none_or(|names| names.iter().any(|name| name == wanted))
        };
        if body.is_empty() || !has(comm::NAME) {
            return Ok(None);
        }
        let robot = robots::of_design(&self.design).ok_or_else(|| {
            let known = ROBOTS.map(|robot| format!("`{}`", robot.design));
            let known = known.join(" and ");
            format!(
                "`design`: there is no body of `{}`; there are {known}",
                self.design
            )
        })?;
        let own = actuators.filter(|info| &*info.robot == body);
        let own: Vec<&ActuatorInfo> = own.collect();
        let motors = own.iter().find(|info| info.kind == "joints");
        let motors = motors.ok_or_else(|| {
            format!("`body`: `{body}` has no actuator `joints` whose inputs name this middleware")
        })?;
        let from = format!("{}.Motors.joints.S", comm::NAME);
        let mut connections = vec![join(&from, &format!("{}.joints.O", motors.path))?];
        let mut lights = Vec::new();
        for info in own.iter().filter(|info| info.kind == "light") {
            let name = info.path.rsplit('.').next().unwrap_or_default();
            if let Some(id) = robot.light(name) {
                let from = format!("{}.Lights.light.S", comm::NAME);
                connections.push(join(&from, &format!("{}.light.O", info.path))?);
                lights.push(id);
            }
        }
        let mut inputs = Vec::new();
        for info in sensors.filter(|info| &*info.robot == body) {
            let name = info.path.rsplit('.').next().unwrap_or_default();
            let Some(input) = comm::input(robot, name, info.kind) else {
                continue;
            };
            let data = input.data(info.kind);
            let from = format!("{}.{data}.S", info.path);
            let to = format!("{}.{name}.{data}.O", comm::NAME);
            connections.push(join(&from, &to)?);
            inputs.push((input, name.to_owned(), data.to_owned()));
        }
        let settings = CommSettings {
            robot,
            inputs,
            lights,
            is_guarded: self.coupled_limits,
            jam_duty: contents.jam_duty,
        };
        Ok(Some(Body {
            settings,
            connections,
            has_audio: has(audio::NAME),
        }))
    }
}

fn join(from: &str, to: &str) -> Result<Connection, String> {
    let name = |text: &str| {
        let name = text.parse();
        name.map_err(|why: InvalidServiceName| why.to_string())
    };
    Ok((name(from)?, name(to)?))
}
