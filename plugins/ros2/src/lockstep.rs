//! Lockstep with nodes: after a reading the tick waits until a node has sent its command for it.
use std::{collections::BTreeMap, sync::Arc, time::Duration};

use morse_api::{port::Observer, reading::Reading};
use morse_ros::{
    frames,
    messages::{Message as _, TFMessage},
};
use ros2_client::Publisher;

use crate::{
    Quality, Ros2Output,
    answers::Answers,
    ends::Ends,
    notes::Counters,
    opening::{Opening, profile},
    source::Source,
};

/// Interval at which a node is looked for that is not connected yet.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Interval at which the first reading is published again.
const REPEAT: Duration = Duration::from_millis(500);

/// A sensor whose readings wait for commands.
pub(crate) struct Lockstep {
    source: Source,
    tf: Option<Publisher<TFMessage>>,
    /// Path of the actuator.
    actuator: String,
    answers: Answers,
    ends: Ends,
    counters: Arc<Counters>,
    limit: Duration,
    /// True after the first answer.
    has_begun: bool,
}

impl Lockstep {
    /// Opens the topics of a sensor.
    ///
    /// # Errors
    ///
    /// The actuator does not exist, or DDS refuses a topic.
    pub(crate) fn new(
        opening: &mut Opening,
        (observer, output): (Observer, Ros2Output),
        limit: Duration,
    ) -> Result<Self, String> {
        let info = &observer.info;
        let actuator = path(&output, &info.robot);
        let answers = opening.answers.get(&actuator).cloned();
        let answers = answers.filter(|answers| answers.subscription().is_some());
        let answers = answers.ok_or_else(|| {
            let sensor = &info.path;
            format!(
                "`{sensor}` waits for commands of `{actuator}`, which is no actuator with a topic"
            )
        })?;
        let source = Source::new(opening, observer, &output, &mut BTreeMap::new())?;
        let open_tf = || opening.publisher("/tf", TFMessage::TYPE, profile(Quality::Reliable));
        let tf = frames::moves(&source.observer.info);
        let tf = tf.then(open_tf).transpose()?;
        source.observer.stay_ready();
        Ok(Self {
            source,
            tf,
            actuator,
            answers,
            ends: opening.ends.clone(),
            counters: opening.counters.clone(),
            limit,
            has_begun: false,
        })
    }

    /// Publishes the reading of a tick, if there is one, and waits for its command.
    ///
    /// # Errors
    ///
    /// No node is connected, or none sends the command within the time limit.
    pub(crate) fn tick(&mut self) -> Result<(), String> {
        while let Some(reading) = self.source.observer.try_recv() {
            self.wait_for_node()?;
            self.answers.clear();
            self.publish(&reading);
            if !self.wait_for_answer(&reading) {
                return Err(
                    self.missing("no node has sent a command with the stamp of the reading")
                );
            }
        }
        Ok(())
    }

    fn publish(&self, reading: &Reading) {
        let shared = (&self.ends, &*self.counters);
        self.source.publish(reading, shared, self.tf.as_ref());
    }

    /// Waits for the command that answers a reading. Returns false after the time limit.
    ///
    /// A node that has just been connected may lack the connection for its answer, or have lost it: until the first answer the
    /// reading is published again and again.
    fn wait_for_answer(&mut self, reading: &Reading) -> bool {
        let mut left = self.limit;
        while !self.has_begun && left > REPEAT {
            if self.answers.wait(reading.nanos, REPEAT) {
                self.has_begun = true;
                return true;
            }
            left -= REPEAT;
            self.publish(reading);
        }
        self.answers.wait(reading.nanos, left)
    }

    /// Waits for a node that subscribes to the sensor, and for one that commands the actuator.
    fn wait_for_node(&self) -> Result<(), String> {
        let mut left = self.limit;
        loop {
            let subscription = self.answers.subscription();
            let has_commander = subscription.is_some_and(|guid| self.ends.is_connected(guid));
            let mut topics = self.source.topics.iter();
            let has_reader = topics.any(|topic| self.ends.is_connected(topic.guid));
            if has_commander && has_reader {
                return Ok(());
            }
            if left.is_zero() {
                let what = match has_reader {
                    true => "no node publishes commands",
                    false => "no node subscribes",
                };
                return Err(self.missing(what));
            }
            let rest = left.min(POLL_INTERVAL);
            std::thread::sleep(rest);
            left -= rest;
        }
    }

    fn missing(&self, what: &str) -> String {
        let (sensor, actuator) = (&self.source.observer.info.path, &self.actuator);
        let limit = self.limit.as_secs_f64();
        format!("lockstep of `{sensor}` and `{actuator}`: {what} within {limit} s")
    }
}

/// Returns the path of the actuator that an output names, in full or within its robot.
pub(crate) fn path(output: &Ros2Output, robot: &str) -> String {
    let named = output.lockstep.as_deref().unwrap_or_default();
    match named.starts_with(&format!("{robot}.")) {
        true => named.to_owned(),
        false => format!("{robot}.{named}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actuators_are_named_in_full_or_within_the_robot() {
        let output = |name: &str| Ros2Output {
            lockstep: Some(name.to_owned()),
            ..Ros2Output::default()
        };
        assert_eq!(path(&output("motion"), "rover"), "rover.motion");
        assert_eq!(path(&output("rover.motion"), "rover"), "rover.motion");
    }
}
