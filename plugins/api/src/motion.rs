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
];
