//! Objects of a dog: a trainer, which commands its walk, and an object that moves head and tail.
use std::f64::consts::{FRAC_PI_2, TAU};

use serde_json::json;

use super::{
    legs::dog,
    odometry::Odometry,
    servos::{locators, robot, status, switch_on},
};
use crate::{
    body::{
        primitives::MICRO,
        vectors::{CommandVector, Commands, SensorVector},
    },
    prelude::*,
};

/// Angular velocity per radian of heading error, 1/s, and per metre of lateral error, rad/s.
const HEADING: f64 = 2.0;
const BESIDE: f64 = 2.0;

/// Limit of the angular velocity, rad/s, and tolerance of the heading, rad.
const FASTEST_TURN: f64 = 0.7;
const NEAR: f64 = 0.03;

pub(super) fn trainer() -> ObjectInstance {
    ObjectInstance::new(
        Interface::new("Trainer")
            .subject("Speed", "v_omega")
            .observer("Sensor", "OSensorFrameVectorData"),
        Trainer::default(),
    )
}

/// Walks ahead, an ERS-7 two metres and an ERS-210 one, then turns by a quarter to the left, by the odometry of its own legs.
#[derive(Default)]
struct Trainer {
    /// Distance to walk, m, and speed, m/s.
    exercise: [f64; 2],
    odometry: Odometry,
    task: Task,
}

#[derive(Default)]
enum Task {
    #[default]
    Ahead,
    Turn,
    Stand,
}

impl Object for Trainer {
    fn do_init(&mut self, context: &mut Context<'_>, _: SystemEvent) -> Status {
        self.exercise = dog(robot(context)).gait.exercise;
        status(self.odometry.open(context))
    }

    fn notify(&mut self, context: &mut Context<'_>, event: &NotifyEvent) {
        for vector in event
            .data
            .iter()
            .filter_map(|region| SensorVector::read(region).ok())
        {
            self.odometry.add(&vector);
        }
        let [v, w] = self.decide(self.odometry.pose);
        context.set_data(0, json!({ "v": v, "w": w }));
        context.notify_observers(0);
        context.assert_ready(event.observer);
    }
}

impl Trainer {
    /// Returns forward velocity and angular velocity at a pose relative to the start.
    fn decide(&mut self, [along, beside, yaw]: [f64; 3]) -> [f64; 2] {
        let off = |wanted: f64| wanted - yaw;
        let turn = |rate: f64| rate.clamp(-FASTEST_TURN, FASTEST_TURN);
        let [distance, speed] = self.exercise;
        match self.task {
            Task::Ahead if along < distance => {
                return [speed, turn(HEADING * off(0.0) - BESIDE * beside)];
            }
            Task::Ahead => self.task = Task::Turn,
            Task::Turn if off(FRAC_PI_2).abs() < NEAR => self.task = Task::Stand,
            Task::Turn => return [0.0, turn(HEADING * off(FRAC_PI_2))],
            Task::Stand => {}
        }
        [0.0; 2]
    }
}

pub(super) fn stand() -> ObjectInstance {
    ObjectInstance::new(Interface::new("Stand"), Stand)
}

/// Switches all servos on, so that the dog holds its posture.
struct Stand;

impl Object for Stand {
    fn do_init(&mut self, context: &mut Context<'_>, _: SystemEvent) -> Status {
        let locators = locators(context, |_| true);
        status(switch_on(context, locators).map(drop))
    }
}

/// Interval of postures, s, and number of postures in a vector.
const FRAME_SECONDS: f64 = 0.008;
const FRAMES: usize = 16;

/// Joints of head and tail, which all robots have, in the order of their primitives; amplitudes, rad, and frequencies, Hz.
const SWINGS: [(&str, f64, f64); 2] = [("neck_pan", 0.6, 0.2), ("tail_pan", 0.35, 1.5)];

pub(super) fn head() -> ObjectInstance {
    ObjectInstance::new(
        Interface::new("Head").subject("Move", "OCommandVectorData"),
        Head::default(),
    )
}

/// Turns the head to the left and to the right, and wags the tail.
#[derive(Default)]
struct Head {
    /// Numbers of the joints.
    joints: Vec<u32>,
    /// Number of postures that were sent.
    count: u32,
}

impl Object for Head {
    fn do_init(&mut self, context: &mut Context<'_>, _: SystemEvent) -> Status {
        let names = SWINGS.map(|(name, ..)| name);
        let locators = locators(context, |name| names.contains(&name));
        status(switch_on(context, locators).map(|joints| self.joints = joints))
    }

    fn ready(&mut self, context: &mut Context<'_>, event: ReadyEvent) {
        if !event.is_assert {
            return;
        }
        for _ in 0..if self.count == 0 { 2 } else { 1 } {
            context.set_region(0, &self.vector().region());
        }
        context.notify_observers(0);
    }
}

impl Head {
    fn vector(&mut self) -> CommandVector {
        let from = self.count;
        self.count += FRAMES as u32;
        let angle = |number: u32, most: f64, frequency: f64| {
            most * libm::sin(TAU * frequency * FRAME_SECONDS * f64::from(number))
        };
        let entries = SWINGS.iter().zip(&self.joints);
        let entry = |(&(_, most, frequency), &joint): (&(&str, f64, f64), &u32)| {
            let angles = (from + 1..=self.count).map(|number| angle(number, most, frequency));
            Commands::joint(joint, angles.map(|angle| (angle * MICRO).round() as i32))
        };
        CommandVector::new(entries.map(entry).collect())
    }
}
