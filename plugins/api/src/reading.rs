//! A reading: what a sensor measured, on its way to an observer.
use std::{any::Any, sync::Arc};

use bevy::reflect::structs::Struct;
use crossbeam_channel::Sender;
use nalgebra::Isometry3;
use serde_json::Value as Json;

use crate::fields::Fields;

/// Description of a sensor, which does not change from one reading to the next.
#[derive(Clone, Debug)]
pub struct SensorInfo {
    /// The sensor's dotted path, such as `rover.gps`.
    pub path: Arc<str>,
    /// The robot's path, such as `rover`.
    pub robot: Arc<str>,
    /// The kind's word, such as `gps`.
    pub kind: &'static str,
    /// The level, where the kind has levels.
    pub level: Option<&'static str>,
    /// The fields that are exported, in order.
    pub fields: Fields,
    /// Nominal frequency, Hz.
    pub frequency: f64,
    /// The settings that it started with, by name.
    pub settings: Json,
    /// Pose of the sensor in the frame of its robot.
    pub robot_from_sensor: Isometry3<f64>,
}

/// The memory of a reading, which goes back to the tick when the observer has done with it.
pub(crate) type Buffer = Box<dyn Struct>;

/// Measurement of a sensor in one tick, after its modifiers.
///
/// Dropping it gives its memory back for the next one.
pub struct Reading {
    /// Tick of the state that was measured.
    pub tick: u64,
    /// Simulated time of that state, ns.
    pub nanos: u64,
    /// Pose of the robot's base in the world at that time.
    pub robot_pose: Isometry3<f64>,
    buffer: Option<Buffer>,
    home: Sender<Buffer>,
}

impl Reading {
    pub(crate) fn new(
        tick: u64,
        nanos: u64,
        robot_pose: Isometry3<f64>,
        buffer: Buffer,
        home: Sender<Buffer>,
    ) -> Self {
        Self {
            tick,
            nanos,
            robot_pose,
            buffer: Some(buffer),
            home,
        }
    }

    /// Simulated time of the measured state, s.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.nanos as f64 / 1e9
    }

    /// The data, seen without its type; `SensorInfo::fields` says which fields are exported.
    #[must_use]
    pub fn data(&self) -> &dyn Struct {
        self.buffer.as_deref().unwrap_or(&Empty {})
    }

    /// The data, for who knows its type.
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
            // A full home has memory enough; this buffer is simply freed.
            drop(self.home.try_send(buffer));
        }
    }
}

#[derive(bevy::reflect::Reflect)]
struct Empty {}
