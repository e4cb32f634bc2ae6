//! Messages of ROS in which sensors are published and commands are accepted.
use std::fmt::Write as _;

use morse_api::{fields::Fields, kind::SensorKind, ros::RosMessage};
use morse_ros::{commands, topics};
use serde_json::{Value as Json, json};

/// Messages at some levels of a sensor, or of an actuator.
#[derive(Debug, PartialEq)]
pub(super) struct Ros {
    /// The levels; empty for all.
    levels: Vec<&'static str>,
    topics: Vec<Topic>,
}

/// Topic below the name of the component, such as `/image`, and the types that its messages can have.
#[derive(Debug, PartialEq)]
struct Topic {
    suffix: &'static str,
    types: Vec<&'static str>,
}

impl Ros {
    /// Returns the messages in which a sensor is published, level by level if they differ.
    pub(super) fn of_sensor(kind: &SensorKind) -> Vec<Self> {
        let topics = |messages: &[RosMessage]| messages.iter().map(|one| Topic::of(*one)).collect();
        let mut all: Vec<Self> = Vec::new();
        for level in kind.levels {
            let topics = topics(kind.ros_at(Some(level)));
            match all.iter_mut().find(|known| known.topics == topics) {
                Some(known) => known.levels.push(level),
                None => all.push(Self {
                    levels: vec![level],
                    topics,
                }),
            }
        }
        if all.is_empty() {
            let (levels, topics) = (Vec::new(), topics(kind.ros_at(None)));
            all.push(Self { levels, topics });
        }
        if let [only] = &mut all[..] {
            only.levels.clear();
        }
        all
    }

    /// Returns the messages that an actuator accepts.
    pub(super) fn of_actuator(command: &Fields) -> Vec<Self> {
        let types = commands::taken_for(command);
        let types = types.iter().map(|taken| taken.message).collect();
        vec![Self {
            levels: Vec::new(),
            topics: vec![Topic { suffix: "", types }],
        }]
    }

    /// Returns the topics as text; `quote` surrounds names.
    pub(super) fn topics(&self, quote: &str) -> String {
        let topic = |Topic { suffix, types }: &Topic| {
            let types: Vec<String> = types
                .iter()
                .map(|message| format!("{quote}{message}{quote}"))
                .collect();
            let mut text = types.join(" or ");
            if !suffix.is_empty() {
                write!(text, " on {quote}{suffix}{quote}").ok();
            }
            text
        };
        let topics: Vec<String> = self.topics.iter().map(topic).collect();
        topics.join(", ")
    }

    /// Returns the levels as text, for all levels an empty one; `quote` surrounds names.
    pub(super) fn levels(&self, quote: &str) -> String {
        let levels = self.levels.iter();
        let levels: Vec<String> = levels
            .map(|level| format!("{quote}{level}{quote}"))
            .collect();
        levels.join(", ")
    }

    pub(super) fn to_json(&self) -> Json {
        let topic = |topic: &Topic| json!({ "suffix": topic.suffix, "types": topic.types });
        let topics: Json = self.topics.iter().map(topic).collect();
        json!({ "levels": self.levels, "topics": topics })
    }
}

impl Topic {
    fn of(message: RosMessage) -> Self {
        let (suffix, types) = topics::types_of(message);
        Self { suffix, types }
    }
}
