//! Readings: measurements of a sensor for observers.
use std::{any::Any, sync::Arc};

use bevy::reflect::{Reflect, structs::Struct};
use crossbeam_channel::Sender;
use nalgebra::{Isometry3, Rotation3};
use serde_json::Value as Json;

use crate::{fields::Fields, ros::RosMessage};

/// Description of a sensor, equal for all of its readings.
#[derive(Clone, Debug)]
pub struct SensorInfo {
    /// Dotted path of the sensor, such as `rover.gps`.
    pub path: Arc<str>,
    /// Path of the robot, such as `rover`.
    pub robot: Arc<str>,
    /// Name of the kind, such as `gps`.
    pub kind: &'static str,
    /// Level, for kinds with levels.
    pub level: Option<&'static str>,
    /// Exported fields, in order.
    pub fields: Fields,
    /// Messages of ROS in which the readings are published, the main one first.
    pub ros: &'static [RosMessage],
    /// Nominal frequency, Hz.
    pub frequency: f64,
    /// Initial settings, by name.
    pub settings: Json,
    /// Kinds of its modifiers, with their settings, in order.
    pub modifiers: Vec<(String, Json)>,
    /// Pose of the sensor in the frame of its robot; of one that moves, at the start.
    pub robot_from_sensor: Isometry3<f64>,
    /// True if the sensor moves relative to the base of its robot: on a link, or carried by a pan-tilt unit or an arm.
    pub is_moving: bool,
    /// Rotation from the axes of the scene to east, north and up at its origin.
    pub enu_from_scene: Rotation3<f64>,
}

/// Time and poses of a measurement.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stamp {
    /// Tick of the state that was measured.
    pub tick: u64,
    /// Simulated time of that state, ns.
    pub nanos: u64,
    /// Pose of the robot's base in the world.
    pub robot_pose: Isometry3<f64>,
    /// Pose of the sensor in the frame of its robot, if it moves there.
    pub robot_from_sensor: Option<Isometry3<f64>>,
}

impl From<(u64, u64, Isometry3<f64>)> for Stamp {
    /// Returns the stamp of a sensor that does not move on its robot.
    fn from((tick, nanos, robot_pose): (u64, u64, Isometry3<f64>)) -> Self {
        Self {
            tick,
            nanos,
            robot_pose,
            robot_from_sensor: None,
        }
    }
}

/// Memory of a reading, which returns to the tick when the observer drops the reading.
pub(crate) type Buffer = Box<dyn Struct>;

/// Measurement of a sensor in one tick, after its modifiers.
///
/// Dropping it recycles its memory for the next one.
#[doc(alias("message", "Header", "stamp"))]
pub struct Reading {
    /// Tick of the state that was measured.
    pub tick: u64,
    /// Simulated time of that state, ns.
    pub nanos: u64,
    /// Pose of the robot's base in the world at that time.
    pub robot_pose: Isometry3<f64>,
    /// Pose of the sensor in the frame of its robot at that time, if it moves there.
    pub robot_from_sensor: Option<Isometry3<f64>>,
    buffer: Option<Buffer>,
    home: Sender<Buffer>,
}

impl Reading {
    pub(crate) fn new(stamp: Stamp, buffer: Buffer, home: Sender<Buffer>) -> Self {
        Self {
            tick: stamp.tick,
            nanos: stamp.nanos,
            robot_pose: stamp.robot_pose,
            robot_from_sensor: stamp.robot_from_sensor,
            buffer: Some(buffer),
            home,
        }
    }

    /// Returns the pose of the sensor in the frame of its robot at that time.
    #[must_use]
    pub fn on_robot(&self, info: &SensorInfo) -> Isometry3<f64> {
        self.robot_from_sensor.unwrap_or(info.robot_from_sensor)
    }

    /// Returns the simulated time of the measured state, s.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.nanos as f64 / 1e9
    }

    /// Returns the data without its type; `SensorInfo::fields` lists the exported fields.
    #[must_use]
    pub fn data(&self) -> &dyn Struct {
        self.buffer.as_deref().unwrap_or(&Empty {})
    }

    /// Returns the data with its type.
    #[must_use]
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.data()
            .as_partial_reflect()
            .try_as_reflect()?
            .as_any()
            .downcast_ref()
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take() {
            // A full pool needs no more memory; this buffer is freed.
            drop(self.home.try_send(buffer));
        }
    }
}

#[derive(bevy::reflect::Reflect)]
struct Empty {}

/// Copies data into a used buffer, or into a new one if there is none.
pub(crate) fn refill<D: Struct + Reflect + Clone>(used: Option<Buffer>, data: &D) -> Buffer {
    if let Some(mut buffer) = used
        && let Some(copy) = buffer
            .try_as_reflect_mut()
            .and_then(|any| any.as_any_mut().downcast_mut::<D>())
    {
        copy.clone_from(data);
        return buffer;
    }
    Box::new(data.clone())
}
