//! Rules of motion: those of physics, or those that programs written for MORSE count on.
use bevy::prelude::Resource;

/// Rules by which commands become motion, and sensors see it.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MotionMode {
    /// As physics has it: the commanded speed is reached and held.
    #[default]
    Default,
    /// As MORSE had it, by all of [`RULES`].
    Morse,
}

impl MotionMode {
    /// Tells whether MORSE's rules hold.
    #[must_use]
    pub const fn is_morse(self) -> bool {
        matches!(self, Self::Morse)
    }
}

/// Coefficient of restitution of two surfaces that meet, made of those of both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RestitutionRule {
    /// The greater one: a ball bounces as its own coefficient has it, on a floor that has none.
    #[default]
    Greater,
    /// The mean of both.
    Mean,
    /// The smaller one.
    Smaller,
    /// The product of both.
    Product,
}

/// Way in which simulated time passes, as programs written for MORSE choose it. A run without one goes as its pace is.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeStrategy {
    /// Simulated time keeps to the wall clock: what a slow machine misses is caught up with.
    BestEffort,
    /// Ticks follow each other at their distance, or later: what a slow machine misses is lost.
    FixedStep,
}

/// One thing that is otherwise under `motion: morse`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its subject, in a word or two.
    pub about: &'static str,
    /// The rule itself, in a sentence.
    pub rule: &'static str,
}

/// Everything that `environment: (motion: morse)` changes.
pub const RULES: &[Rule] = &[
    Rule {
        about: "speed",
        rule: "A commanded velocity is set once a tick, and friction acts until the next.",
    },
    Rule {
        about: "friction",
        rule: "The friction coefficients of two surfaces are multiplied.",
    },
    Rule {
        about: "restitution",
        rule: "The coefficients of restitution of two surfaces are multiplied, unless the environment has a `restitution_rule`.",
    },
    Rule {
        about: "order of a tick",
        rule: "Sensors look after the actuators of their tick and before its physics: they see poses that were set in this tick, and motion of the tick before.",
    },
    Rule {
        about: "requests",
        rule: "A request is heard in the tick after it arrives, once that tick's data are out, also one that only reads; what it commands acts from the next tick on.",
    },
    Rule {
        about: "sleep",
        rule: "`time.sleep` counts from the tick in which it is heard, and is answered after the data of the first tick that is less than half a tick before its end.",
    },
    Rule {
        about: "new clients",
        rule: "A client that connects to an actuator's stream is heard from the tick after the next one on.",
    },
    Rule {
        about: "order of creation",
        rule: "Within a tick, sensors that were created later send first. Components were created in the order in which the simulation file has them.",
    },
    Rule {
        about: "rivals",
        rule: "Of several actuators that set a robot's velocity or pose, and were commanded, the one that was created first drives, until it is deactivated.",
    },
    Rule {
        about: "waypoint",
        rule: "`stop` of a waypoint actuator commands nothing any more: the robot coasts.",
    },
    Rule {
        about: "time strategy",
        rule: "Without `time_strategy` it is `best_effort`, whatever the pace of the run.",
    },
    Rule {
        about: "turning",
        rule: "A robot that turns on the ground keeps 0.985 of its commanded speeds, before damping.",
    },
    Rule {
        about: "centre of mass",
        rule: "A robot's centre of mass is its origin.",
    },
    Rule {
        about: "held robots",
        rule: "What `teleport`, or `orientation` at infinite speed, poses is held there without weight.",
    },
    Rule {
        about: "orientation",
        rule: "At a finite speed, errors of roll, pitch and yaw are rates about the robot's x, y and z.",
    },
    Rule {
        about: "car",
        rule: "A brake is the greatest impulse of a step, and tyres stop a fifth of their slip to the side in each.",
    },
    Rule {
        about: "origin",
        rule: "Longitude, latitude, altitude and angle of the origin are rounded to 32-bit floats.",
    },
    Rule {
        about: "grippers",
        rule: "A gripper that is asked to grab while it holds something says the name of that.",
    },
    Rule {
        about: "magnetic field",
        rule: "North, east and down count as the axes of the scene, and are turned into those of the sensor.",
    },
];
