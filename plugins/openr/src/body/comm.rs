//! `OVirtualRobotComm`, the system object between programs and the robot: it executes command vectors frame by frame, and
//! publishes sensor values, four frames at a time.
use std::collections::{BTreeMap, VecDeque};

use serde_json::{Value as Json, json};

use super::{
    coupled::least_j2,
    primitives::{ERS7, Kind, MICRO, Sensor, of_id},
    vectors::{CommandVector, Sensed, SensorVector, Value},
};
use crate::{lockstep::FRAME, prelude::*};

/// Name of the object.
pub const NAME: &str = "OVirtualRobotComm";

/// Number of frames in a vector of sensor values.
const SENSED_FRAMES: usize = 4;

/// Maximum number of queued vectors per sender; further ones are dropped. Each vector requires a credit, so more arrive only
/// from faulty objects.
const MOST_WAITING: usize = 16;

/// Indices of the observer of commands, and of the subjects of sensor values and of motors.
const EFFECTOR: usize = 0;
const SENSOR: usize = 0;
const MOTORS: usize = 1;

/// Components of the simulation that are connected to the robot's primitives, as observers after the observer of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Positions of the joints.
    Joints,
    /// Acceleration of the trunk.
    Acceleration,
    /// Distances: their indices among the primitives.
    Distance(usize),
}

/// Returns the input for a component, by its name and kind.
pub(crate) fn input(name: &str, kind: &str) -> Option<Input> {
    let distance = |locator: &str| {
        let place = ERS7.iter().position(|known| known.locator == locator)?;
        Some(Input::Distance(place))
    };
    match (name, kind) {
        (_, "joint_state") => Some(Input::Joints),
        (_, "imu") => Some(Input::Acceleration),
        ("near_distance", _) => distance("PRM:/r1/c1/c2/c3/p1-Sensor:p1"),
        ("far_distance", _) => distance("PRM:/r1/c1/c2/c3/p2-Sensor:p2"),
        ("chest_distance", _) => distance("PRM:/p1-Sensor:p1"),
        _ => None,
    }
}

/// Returns the object, with an observer for each input: the name of its service and the type of its data.
///
/// If `is_guarded`, legs are kept from touching the trunk: see [`super::coupled`].
pub(crate) fn part(inputs: &[(Input, String, String)], is_guarded: bool) -> Part {
    let interface = Interface::new(NAME)
        .subject("Sensor", "OSensorFrameVectorData")
        .subject("Motors", "joints")
        .observer("Effector", "OCommandVectorData");
    let interface = inputs
        .iter()
        .fold(interface, |interface, (_, service, data)| {
            interface.observer(service, data)
        });
    let comm = Comm {
        inputs: inputs.iter().map(|(input, ..)| *input).collect(),
        is_guarded,
        ..Comm::default()
    };
    // Highest class: the robot does not wait for objects.
    Part::new(interface.extra("Frame"), comm).with_priority(0xf8)
}

#[derive(Default)]
struct Comm {
    inputs: Vec<Input>,
    is_guarded: bool,
    /// Queued vectors by sender, with the number of frames of the first one that have been executed.
    tracks: BTreeMap<usize, Track>,
    /// Target values of the joints, by number, µrad.
    targets: BTreeMap<u32, i32>,
    /// Latest value of each primitive.
    values: BTreeMap<u32, i32>,
    /// Number of the next frame.
    number: u32,
    sensed: SensorVector,
}

#[derive(Default)]
struct Track {
    vectors: VecDeque<CommandVector>,
    frame: usize,
}

impl Object for Comm {
    fn do_start(&mut self, context: &mut Context<'_>, _: SystemEvent) -> Status {
        context.wake_after(FRAME, 0);
        context.assert_ready_to_all()
    }

    fn notify(&mut self, context: &mut Context<'_>, event: &NotifyEvent) {
        if event.observer == EFFECTOR {
            for region in &event.data {
                self.queue(context, event.sender, region);
            }
            return;
        }
        let input = self.inputs.get(event.observer - 1).copied();
        if let (Some(input), Some(json)) = (input, event.data.last().and_then(Region::json)) {
            self.store_measurement(input, &json);
        }
        context.assert_ready(event.observer);
    }

    fn extra(&mut self, context: &mut Context<'_>, _: usize, _: &Payload) {
        context.wake_after(FRAME, 0);
        self.play(context);
        self.sense();
        self.number = self.number.wrapping_add(1);
        if (self.number as usize).is_multiple_of(SENSED_FRAMES) {
            let vector = std::mem::take(&mut self.sensed);
            context.set_data(SENSOR, vector.region());
            context.notify_observers(SENSOR);
        }
    }
}

impl Comm {
    /// Queues a command vector; an invalid one is reported, and its sender may send another one.
    fn queue(&mut self, context: &mut Context<'_>, sender: usize, region: &Region) {
        let track = self.tracks.entry(sender).or_default();
        match CommandVector::read(region) {
            Ok(vector) if track.vectors.len() < MOST_WAITING => track.vectors.push_back(vector),
            Ok(_) => context.log(Level::Warning, "too many queued vectors: one was dropped"),
            Err(status) => {
                context.log(Level::Error, &format!("invalid command vector: {status}"));
                context.assert_ready_to(EFFECTOR, sender);
            }
        }
    }

    /// Executes one frame of each sender's vector; joints without a command keep their targets.
    fn play(&mut self, context: &mut Context<'_>) {
        // If two senders command the same joint, the one that was connected last takes precedence.
        let mut commands = BTreeMap::new();
        for (&sender, track) in &mut self.tracks {
            let Some(vector) = track.vectors.front() else {
                continue;
            };
            for entry in &vector.entries {
                let kind = of_id(entry.primitive).map(|primitive| primitive.kind);
                let value = entry.frames.get(track.frame).copied();
                if let (Some(kind), Some(value)) = (kind, value)
                    && let Some(target) = target(kind, value)
                {
                    commands.insert(entry.primitive, target);
                }
            }
            track.frame += 1;
            if track.frame >= vector.frames() {
                track.frame = 0;
                track.vectors.pop_front();
                context.assert_ready_to(EFFECTOR, sender);
            }
        }
        if self.is_guarded {
            self.guard(&mut commands);
        }
        if !commands.is_empty() {
            let names: Vec<_> = commands.keys().filter_map(|id| motor(*id)).collect();
            let positions = commands.values().map(|target| f64::from(*target) / MICRO);
            let positions: Vec<_> = positions.collect();
            // Set points are interpolated for the ticks between two frames.
            let duration = FRAME as f64 / 1e9;
            let told_now = json!({ "names": names, "positions": positions, "duration": duration });
            context.set_data(MOTORS, told_now);
            context.notify_observers(MOTORS);
            self.targets.append(&mut commands);
        }
    }

    /// Limits the second joints of moving legs to the angles that the first joints allow.
    fn guard(&self, commands: &mut BTreeMap<u32, i32>) {
        for (is_front, joints) in LEGS {
            let [Some(first), Some(second)] = joints.map(joint) else {
                continue;
            };
            if !commands.contains_key(&first) && !commands.contains_key(&second) {
                continue;
            }
            let of = |id: u32| commands.get(&id).or_else(|| self.targets.get(&id)).copied();
            let degrees = f64::from(of(first).unwrap_or(0)) / MICRO;
            let least = f64::from(least_j2(is_front, degrees.to_degrees()));
            let least = (least.to_radians() * MICRO).round() as i32;
            if let Some(target) = of(second).filter(|target| *target < least) {
                commands.insert(second, target.max(least));
            }
        }
    }

    /// Stores the measurement of a component.
    fn store_measurement(&mut self, input: Input, json: &Json) {
        let micro = |json: &Json| json.as_f64().map(|value| (value * MICRO).round() as i32);
        match input {
            Input::Joints => {
                let list = |name: &str| json.get(name).and_then(Json::as_array);
                for (name, position) in list("names")
                    .into_iter()
                    .zip(list("positions"))
                    .flat_map(|(names, positions)| names.iter().zip(positions))
                {
                    let id = name.as_str().and_then(joint);
                    self.values.extend(id.zip(micro(position)));
                }
            }
            Input::Acceleration => {
                let Some(axes) = json.get("linear_acceleration").and_then(Json::as_array) else {
                    return;
                };
                for (axis, value) in axes.iter().enumerate() {
                    let kind = Kind::Sensor(Sensor::Acceleration(axis));
                    let id = ids().find(|(_, known)| *known == kind);
                    // The second axis of the robot points to the right.
                    let value = micro(value).map(|value| if axis == 1 { -value } else { value });
                    self.values.extend(id.map(|(id, _)| id).zip(value));
                }
            }
            Input::Distance(place) => {
                let range = json.get("range").and_then(micro);
                self.values
                    .extend(ids().nth(place).map(|(id, _)| id).zip(range));
            }
        }
    }

    /// Stores a frame of all sensor primitives.
    fn sense(&mut self) {
        let sensed = ids().filter(|(_, kind)| kind.is_sensed());
        for (at, (id, kind)) in sensed.enumerate() {
            if self.sensed.entries.len() <= at {
                self.sensed.entries.push(Sensed {
                    primitive: id,
                    first: self.number,
                    frames: Vec::with_capacity(SENSED_FRAMES),
                });
            }
            let value = self.values.get(&id).copied();
            let is_measured = value.is_some() && self.is_turn_of(id, kind);
            self.sensed.entries[at].frames.push(Value {
                value: value.unwrap_or(0),
                signal: u16::from(is_measured),
                reference: self.targets.get(&id).copied().unwrap_or(0),
            });
        }
    }

    /// Returns true if a sensor is measured in this frame: the two distance sensors of the head are measured alternately;
    /// the last value is reported in between.
    fn is_turn_of(&self, id: u32, kind: Kind) -> bool {
        let is_head = of_id(id).is_some_and(|known| known.locator.starts_with("PRM:/r1/"));
        if kind != Kind::Sensor(Sensor::Distance) || !is_head {
            return true;
        }
        let is_near = of_id(id).is_some_and(|known| known.locator.ends_with(":p1"));
        self.number.is_multiple_of(2) == is_near
    }
}

/// Returns all primitives with their numbers.
fn ids() -> impl Iterator<Item = (u32, Kind)> {
    (1..).zip(ERS7.iter().map(|primitive| primitive.kind))
}

fn joint(name: &str) -> Option<u32> {
    let is_it = |kind: &Kind| matches!(kind, Kind::Joint { name: known, .. } if *known == name);
    ids().find(|(_, kind)| is_it(kind)).map(|(id, _)| id)
}

/// First and second joints of the legs; true for front legs.
const LEGS: [(bool, [&str; 2]); 4] = [
    (true, ["lf_j1", "lf_j2"]),
    (true, ["rf_j1", "rf_j2"]),
    (false, ["lr_j1", "lr_j2"]),
    (false, ["rr_j1", "rr_j2"]),
];

/// Returns the joint of the model that a primitive moves.
fn motor(id: u32) -> Option<&'static str> {
    match of_id(id)?.kind {
        Kind::Joint { name, .. } | Kind::Ear { name } => Some(name),
        _ => None,
    }
}

/// Angle of a raised ear, µrad: 15 degrees.
const EAR_UP: i32 = 261_799;

/// Returns the angle for a command, µrad, clamped to the limits; `None` if the primitive is no motor.
fn target(kind: Kind, value: i32) -> Option<i32> {
    match kind {
        Kind::Joint { range, .. } => {
            let [low, high] = range.map(|degrees| (degrees.to_radians() * MICRO).round() as i32);
            Some(value.clamp(low, high))
        }
        Kind::Ear { .. } => Some(if value == 0 { 0 } else { EAR_UP }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::primitives::open;

    #[test]
    fn commands_stay_within_the_limits_of_the_robot() {
        let degrees = |value: f64| (value.to_radians() * MICRO).round() as i32;
        let clipped = |locator: &str, value: f64| {
            let kind = of_id(open(locator).expect("a number"))
                .expect("a primitive")
                .kind;
            target(kind, degrees(value))
        };
        assert_eq!(clipped("PRM:/r2/c1-Joint2:21", 130.0), Some(degrees(130.0)));
        assert_eq!(clipped("PRM:/r3/c1-Joint2:31", 130.0), Some(degrees(115.0)));
        assert_eq!(
            clipped("PRM:/r5/c1-Joint2:51", -140.0),
            Some(degrees(-130.0))
        );
        assert_eq!(
            clipped("PRM:/r4/c1/c2-Joint2:42", 90.0),
            Some(degrees(88.0))
        );
        assert_eq!(clipped("PRM:/r1/c1/c2/c3/e5-Joint4:15", 1.0), Some(EAR_UP));
        assert_eq!(clipped("PRM:/a1-Sensor:a1", 1.0), None);
    }

    #[test]
    fn the_guard_keeps_legs_off_the_trunk() {
        let degrees = |value: f64| (value.to_radians() * MICRO).round() as i32;
        let [first, second] = ["lf_j1", "lf_j2"].map(|name| joint(name).expect("a joint"));
        let comm = Comm::default();
        let mut commands = BTreeMap::from([(first, degrees(130.0)), (second, degrees(-10.0))]);
        comm.guard(&mut commands);
        assert_eq!(commands[&second], degrees(-2.0));
        // The limit also applies if the leg swings and only its first joint is commanded.
        let comm = Comm {
            targets: BTreeMap::from([(second, degrees(-10.0))]),
            ..Comm::default()
        };
        let mut commands = BTreeMap::from([(first, degrees(130.0))]);
        comm.guard(&mut commands);
        assert_eq!(commands.get(&second), Some(&degrees(-2.0)));
        // Joints without a command keep their previous target.
        let mut commands = BTreeMap::from([(first, degrees(0.0))]);
        comm.guard(&mut commands);
        assert_eq!(commands.len(), 1);
    }
}
