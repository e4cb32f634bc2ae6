//! Requests of a process to the robot's system, each with an answer: `{"status": 0, "result": …}`.
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::data;
use crate::{
    body::{
        image::{ColourRange, SEGMENTS},
        servo::{Gains, SHIFTS},
        vectors::Value,
    },
    context::Context,
    status::Status,
    sync::SyncKey,
};

/// Request to the robot's system.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Request {
    RobotDesign,
    OpenPrimitive(String),
    ClosePrimitive(u32),
    SetMotorPower(bool),
    SetJointGain(JointGain),
    JointGain(u32),
    EnableJointGain(Option<u32>),
    DisableJointGain(Option<u32>),
    JointValue(u32),
    SensorValue(u32),
    FindDesignData(String),
    SetColourChannel(usize, [ColourRange; SEGMENTS]),
    PowerStatus,
    ObservePowerStatus(String),
    NetworkSetting(String),
    NewSyncKey,
    DivideSyncKey(u32, u32),
    CancelSyncKey(u32),
}

/// Gains of a joint, or of all opened joints.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JointGain {
    #[serde(default)]
    joint: Option<u32>,
    gains: [u8; 3],
    #[serde(default = "usual_shifts")]
    shifts: [u8; 3],
}

const fn usual_shifts() -> [u8; 3] {
    SHIFTS
}

/// Performs a request of an object with the given extra entries, and returns the answer.
pub(super) fn perform(context: &mut Context<'_>, extras: &[String], request: Request) -> Json {
    match result(context, extras, request) {
        Ok(result) => json!({ "status": 0, "result": result }),
        Err(status) => json!({ "status": status.0 }),
    }
}

fn result(context: &mut Context<'_>, extras: &[String], request: Request) -> Result<Json, Status> {
    let done = |()| Json::Null;
    match request {
        Request::RobotDesign => Ok(context.robot_design().into()),
        Request::OpenPrimitive(locator) => context.open_primitive(&locator).map(Json::from),
        Request::ClosePrimitive(id) => context.close_primitive(id).map(done),
        Request::SetMotorPower(is_on) => {
            context.set_motor_power(is_on);
            Ok(Json::Null)
        }
        Request::SetJointGain(JointGain {
            joint,
            gains,
            shifts,
        }) => {
            let gains = Gains { gains, shifts };
            context.set_joint_gain(joint, gains).map(done)
        }
        Request::JointGain(joint) => {
            let Gains { gains, shifts } = context.joint_gain(joint)?;
            Ok(json!({ "gains": gains, "shifts": shifts }))
        }
        Request::EnableJointGain(joint) => context.enable_joint_gain(joint).map(done),
        Request::DisableJointGain(joint) => context.disable_joint_gain(joint).map(done),
        Request::JointValue(id) => context.joint_value(id).map(value),
        Request::SensorValue(id) => context.sensor_value(id).map(value),
        Request::FindDesignData(keyword) => {
            let entry = context.find_design_data(&keyword)?;
            Ok(data(&entry))
        }
        Request::SetColourChannel(channel, ranges) => {
            context.set_colour_channel(channel, ranges).map(done)
        }
        Request::PowerStatus => {
            let status = context.power_status();
            Ok(json!({
                "robot_status": status.robot_status,
                "remaining_capacity": status.remaining_capacity,
            }))
        }
        Request::ObservePowerStatus(entry) => {
            let index = extras.iter().position(|known| *known == entry);
            context.observe_power_status(index.ok_or(Status::NOT_FOUND)?);
            Ok(Json::Null)
        }
        Request::NetworkSetting(key) => Ok(context.network_setting(&key).into()),
        Request::NewSyncKey => context.new_sync_key().map(|key| key.0.into()),
        Request::DivideSyncKey(key, divisions) => {
            context.divide_sync_key(SyncKey(key), divisions).map(done)
        }
        Request::CancelSyncKey(key) => context.cancel_sync_key(SyncKey(key)).map(done),
    }
}

fn value(value: Value) -> Json {
    json!({
        "value": value.value,
        "signal": value.signal,
        "duty": value.duty,
        "reference": value.reference,
        "reference_signal": value.reference_signal,
    })
}
