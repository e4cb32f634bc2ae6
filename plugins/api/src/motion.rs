//! Rules of motion: physical ones, or those on which programs for MORSE rely.
use bevy::prelude::Resource;

/// Rules by which commands cause motion, and sensors measure it.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MotionMode {
    /// Physical motion: the commanded velocity is reached and held.
    #[default]
    Default,
    /// Motion as in MORSE, by all of [`RULES`].
    Morse,
}

impl MotionMode {
    /// Returns true for MORSE's rules.
    #[must_use]
    pub const fn is_morse(self) -> bool {
        matches!(self, Self::Morse)
    }
}

/// Combination of the coefficients of friction, or of restitution, of two surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CombinationRule {
    /// The greater one: with it, a ball bounces by its own coefficient on a floor without one.
    #[default]
    Greater,
    /// The mean of both. Of coefficients of friction, zero counts alone: ice slides on everything.
    Mean,
    /// The smaller of both.
    Smaller,
    /// The product of both.
    Product,
}

/// Passage of simulated time, as programs for MORSE choose it. A run without a strategy follows its pace.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeStrategy {
    /// Simulated time follows the wall clock; a slow machine catches up.
    BestEffort,
    /// Ticks keep their minimum distance; a slow machine does not catch up.
    FixedStep,
}

/// One difference that `motion: morse` makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Subject, in a word or two.
    pub about: &'static str,
    /// Rule, in a sentence.
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
        rule: "The friction coefficients of two surfaces are multiplied, unless the environment has a `friction_rule`.",
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
        about: "arbitration",
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
