//! Sensor values, four frames of 8 ms per vector.
use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::joints::Joints;
use crate::{
    body::{
        Header,
        layout::OPTIONAL,
        primitives::{Kind, MICRO, Primitive, Robot, Sensor},
        vectors::{Sensed, SensedKind, SensorVector, Value},
    },
    prelude::*,
};

/// Number of frames in a vector of sensor values.
const SENSED_FRAMES: usize = 4;

/// Reading of a touch sensor per newton, and its maximum: an assumption.
const TOUCH_PER_NEWTON: f64 = 20.0;
const LARGEST_TOUCH: f64 = 80.0;

/// Names of the two sensors that take turns: their infrared light would disturb the other one.
const TURNS: [&str; 2] = ["near_distance", "far_distance"];

/// Sensors of a robot.
pub(super) struct Senses {
    robot: &'static Robot,
    /// Latest measurement of each sensor.
    measured: BTreeMap<u32, Value>,
    /// Number of the next frame.
    number: u32,
    sensed: SensorVector,
}

impl Senses {
    pub(super) fn new(robot: &'static Robot) -> Self {
        Self {
            robot,
            measured: BTreeMap::new(),
            number: 0,
            sensed: SensorVector::default(),
        }
    }

    /// Returns the size of the camera's image in its highest resolution.
    pub(super) fn image_size(&self) -> [u32; 2] {
        self.robot.image
    }

    /// Returns the number of the next frame.
    pub(super) fn frame_number(&self) -> u32 {
        self.number
    }

    /// Stores the acceleration of the trunk.
    pub(super) fn measure_acceleration(&mut self, json: &Json) {
        let Some(axes) = json.get("linear_acceleration").and_then(Json::as_array) else {
            return;
        };
        for (id, primitive) in self.robot.ids() {
            let Kind::Sensor(Sensor::Acceleration(axis), _) = primitive.kind else {
                continue;
            };
            let along = axes.get(axis).and_then(Json::as_f64);
            // The second axis of the robot points to the right.
            let along = along.map(|along| if axis == 1 { -along } else { along });
            self.store(id, along.map(|along| measured(along * MICRO)));
        }
    }

    /// Stores the measurement of a sensor.
    pub(super) fn measure(&mut self, id: u32, json: &Json) {
        let Some(Kind::Sensor(sensor, _)) = self.robot.primitive(id).map(|known| known.kind) else {
            return;
        };
        let number = |name: &str| json.get(name).and_then(Json::as_f64);
        let value = match sensor {
            Sensor::Acceleration(_) => None,
            Sensor::Distance => number("range").map(|range| measured(range * MICRO)),
            Sensor::Force => force(json).map(|force| measured(force * MICRO)),
            Sensor::Temperature => {
                number("temperature").map(|celsius| measured((celsius + 273.15) * MICRO))
            }
            Sensor::Switch => json
                .get("contact")
                .and_then(Json::as_bool)
                .map(|contact| measured(f64::from(u8::from(contact)))),
            Sensor::Touch => force(json).map(|force| {
                let reading = (force * TOUCH_PER_NEWTON).min(LARGEST_TOUCH).round();
                Value {
                    signal: reading as u16,
                    ..measured(reading)
                }
            }),
        };
        self.store(id, value);
    }

    fn store(&mut self, id: u32, value: Option<Value>) {
        self.measured.extend(value.map(|value| (id, value)));
    }

    /// Adds a frame of all sensor primitives; returns the vector when it is complete.
    pub(super) fn frame(
        &mut self,
        context: &mut Context<'_>,
        joints: &Joints,
        optional: &[u8; OPTIONAL],
    ) -> Option<SensorVector> {
        let sensed = self.robot.ids();
        let sensed = sensed.filter(|(_, primitive)| primitive.kind.is_sensed());
        for (index, (id, primitive)) in sensed.enumerate() {
            if self.sensed.entries.len() <= index {
                self.sensed.entries.push(Sensed {
                    primitive: id,
                    kind: SensedKind::of(primitive.kind),
                    first: self.number,
                    frames: Vec::with_capacity(SENSED_FRAMES),
                });
            }
            let value = match primitive.kind {
                Kind::Joint { .. } => joints.value(id),
                _ => self.sensor(context, id, primitive),
            };
            context.platform(|platform| platform.set_value(id, value));
            self.sensed.entries[index].frames.push(value);
        }
        self.number = self.number.wrapping_add(1);
        let is_full = (self.number as usize).is_multiple_of(SENSED_FRAMES);
        is_full.then(|| SensorVector {
            header: Header {
                optional: *optional,
                ..Header::default()
            },
            ..std::mem::take(&mut self.sensed)
        })
    }

    /// Returns the value of a sensor in this frame. A sensor that is not measured in this frame has its previous value, and
    /// no signal.
    fn sensor(&self, context: &mut Context<'_>, id: u32, primitive: &Primitive) -> Value {
        if self.is_turn_of(primitive) {
            return self.measured.get(&id).copied().unwrap_or_default();
        }
        let before = context.sensor_value(id).unwrap_or_default();
        Value {
            signal: 0,
            ..before
        }
    }

    /// Returns true if a sensor is measured in this frame: the two distance sensors of the head are measured alternately.
    fn is_turn_of(&self, primitive: &Primitive) -> bool {
        let Kind::Sensor(_, name) = primitive.kind else {
            return true;
        };
        let turn = TURNS.iter().position(|known| *known == name);
        turn.is_none_or(|turn| self.number as usize % TURNS.len() == turn)
    }
}

/// Returns a measured value.
fn measured(value: f64) -> Value {
    Value {
        value: value.round() as i32,
        signal: 1,
        ..Value::default()
    }
}

/// Returns the magnitude of a measured force: a number or a vector, N.
fn force(json: &Json) -> Option<f64> {
    let force = json.get("force")?;
    force.as_f64().or_else(|| {
        let coordinates = force.as_array()?.iter().filter_map(Json::as_f64);
        Some(libm::sqrt(coordinates.map(|value| value * value).sum()))
    })
}
