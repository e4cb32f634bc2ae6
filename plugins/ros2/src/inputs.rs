//! Subscriptions by message type: messages become commands.
use std::sync::{Arc, atomic::Ordering};

use morse_api::command::CommandSender;
use morse_ros::{
    commands::{self, Taken},
    messages::{
        AckermannDriveStamped, Float64MultiArray, JointState, Joy, Message, PoseStamped, Text,
        Twist, TwistStamped,
    },
};
use ros2_client::{
    Subscription,
    dds::rustdds::{GUID, mio1::event::Source},
};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use crate::{
    Quality,
    answers::Answers,
    ends::End,
    notes::{Counters, Notes},
    opening::{Opening, profile},
};

/// A subscription of an actuator, whatever its message type.
pub(crate) trait Input: Send {
    /// Returns the source of events for a poll.
    fn source(&mut self) -> &mut dyn Source;

    /// Sends the messages that have arrived as commands, up to a number. Returns true if there may be more.
    fn take(&mut self, most: usize) -> bool;

    /// Commands another actuator from now on.
    fn change(&mut self, sender: CommandSender, taken: Taken);

    /// Returns the identity of the subscription.
    fn guid(&self) -> GUID;

    /// Returns name, type and quality of service of the topic.
    fn key(&self) -> &Key;
}

/// Name, type and quality of service of a topic.
pub(crate) type Key = (String, &'static str, Quality);

/// Subscribes to the commands of an actuator.
///
/// # Errors
///
/// DDS refuses the subscription.
pub(crate) fn subscribe(
    opening: &mut Opening,
    key: Key,
    actuator: (CommandSender, Taken),
) -> Result<Box<dyn Input>, String> {
    let open = match key.1 {
        Twist::TYPE => open::<Twist>,
        TwistStamped::TYPE => open::<TwistStamped>,
        AckermannDriveStamped::TYPE => open::<AckermannDriveStamped>,
        PoseStamped::TYPE => open::<PoseStamped>,
        JointState::TYPE => open::<JointState>,
        Joy::TYPE => open::<Joy>,
        Float64MultiArray::TYPE => open::<Float64MultiArray>,
        Text::TYPE => open::<Text>,
        other => return Err(format!("messages of the type `{other}` cannot be received")),
    };
    open(opening, key, actuator)
}

fn open<M: Message + DeserializeOwned + Send + 'static>(
    opening: &mut Opening,
    key: Key,
    (sender, taken): (CommandSender, Taken),
) -> Result<Box<dyn Input>, String> {
    let (name, message, quality) = &key;
    let quality = profile(*quality);
    let topic = opening.topic(name, message, &quality)?;
    let subscription = opening.node.create_subscription::<M>(&topic, Some(quality));
    let subscription = subscription.map_err(|why| format!("topic `{name}`: {why}"))?;
    let end = End::new(name, message, true);
    opening.ends.add(subscription.guid(), end);
    let answers = opening.answers.get(&*sender.info.path).cloned();
    if let Some(answers) = &answers {
        answers.set_subscription(subscription.guid());
    }
    Ok(Box::new(Typed {
        key,
        subscription,
        sender,
        taken: [taken],
        answers,
        notes: opening.notes.clone(),
        counters: opening.counters.clone(),
    }))
}

struct Typed<M> {
    key: Key,
    subscription: Subscription<M>,
    sender: CommandSender,
    taken: [Taken; 1],
    /// Present if a sensor waits for the commands.
    answers: Option<Answers>,
    notes: Notes,
    counters: Arc<Counters>,
}

impl<M: Message + DeserializeOwned + Send + 'static> Input for Typed<M> {
    fn source(&mut self) -> &mut dyn Source {
        &mut self.subscription
    }

    fn take(&mut self, most: usize) -> bool {
        for _ in 0..most {
            match self.subscription.take() {
                Ok(Some((message, _))) => self.command(&message),
                Ok(None) => return false,
                Err(why) => {
                    let path = &self.sender.info.path;
                    self.notes.add(format!(
                        "`{path}`: a message of {} is invalid: {why}",
                        M::TYPE
                    ));
                }
            }
        }
        true
    }

    fn change(&mut self, sender: CommandSender, taken: Taken) {
        self.sender = sender;
        self.taken = [taken];
    }

    fn guid(&self) -> GUID {
        self.subscription.guid()
    }

    fn key(&self) -> &Key {
        &self.key
    }
}

impl<M: Message> Typed<M> {
    fn command(&self, message: &M) {
        let json = serde_json::to_value(message).map_err(|why| why.to_string());
        let sent = json.and_then(|json| {
            let sent = commands::send(&self.sender, &self.taken, &json);
            sent.map(|()| stamp(&json)).map_err(|why| why.to_string())
        });
        match sent {
            Ok(stamp) => {
                self.counters.commands.fetch_add(1, Ordering::Relaxed);
                if let Some(answers) = &self.answers {
                    answers.add(stamp);
                }
            }
            Err(why) => self.notes.add(format!("a command was refused: {why}")),
        }
    }
}

/// Returns the stamp of a message with a header, ns.
fn stamp(message: &Json) -> Option<u64> {
    let stamp = message.get("header")?.get("stamp")?;
    let seconds = stamp.get("sec")?.as_u64()?;
    Some(seconds * 1_000_000_000 + stamp.get("nanosec")?.as_u64()?)
}
