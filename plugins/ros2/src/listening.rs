//! Thread that receives commands.
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use morse_api::{
    command::CommandSender,
    middleware::{Failure, Successor},
};
use ros2_client::dds::rustdds::mio1::{Events, Interest, Poll, Token, Waker};

use crate::{
    Quality, Ros2Input,
    inputs::{Input, Key, subscribe},
    opening::Shared,
    topics::check_input,
};

/// Interval at which the end is noticed at the latest.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Maximum number of messages of an actuator that are read in a row.
const MOST_AT_ONCE: usize = 64;
/// Event that ends the thread.
const END: Token = Token(usize::MAX);

/// Actuators of a world.
pub(crate) type Inputs = Vec<(CommandSender, Ros2Input)>;

/// Subscriptions of all actuators.
pub(crate) struct Listening {
    shared: Shared,
    inputs: Vec<Box<dyn Input>>,
    poll: Poll,
    /// Wakes the thread.
    pub(crate) waker: Arc<Waker>,
    /// True if the thread has to end.
    pub(crate) stopped: Arc<AtomicBool>,
    next: Successor<Inputs>,
}

impl Listening {
    /// Opens the topics of actuators.
    ///
    /// # Errors
    ///
    /// A name or a type is invalid, or DDS or the system refuse a subscription.
    pub(crate) fn new(
        shared: &Shared,
        actuators: Inputs,
        next: Successor<Inputs>,
    ) -> Result<Self, String> {
        let failed = |why: std::io::Error| format!("commands cannot be received: {why}");
        let poll = Poll::new().map_err(failed)?;
        let waker = Arc::new(Waker::new(poll.registry(), END).map_err(failed)?);
        let mut listening = Self {
            shared: shared.clone(),
            inputs: Vec::new(),
            poll,
            waker,
            stopped: Arc::default(),
            next,
        };
        listening.open(actuators)?;
        Ok(listening)
    }

    /// Opens the topics of actuators, and closes those of actuators that are gone. Equal ones keep their publishers.
    fn open(&mut self, actuators: Inputs) -> Result<(), String> {
        let opening = &mut *self.shared.lock();
        let old = self.inputs.drain(..);
        let mut old: BTreeMap<Key, Box<dyn Input>> =
            old.map(|input| (input.key().clone(), input)).collect();
        let registry = self.poll.registry();
        for (number, (sender, input)) in actuators.into_iter().enumerate() {
            let (name, taken) = check_input(&sender.info, &input)?;
            let quality = input.qos.unwrap_or(Quality::Reliable);
            let key = (opening.full_name(&name), taken.message, quality);
            let token = Token(number);
            let registered;
            let input = match old.remove(&key) {
                Some(mut input) => {
                    input.change(sender, taken);
                    registered = registry.reregister(input.source(), token, Interest::READABLE);
                    input
                }
                None => {
                    let mut input = subscribe(opening, key, (sender, taken))?;
                    registered = registry.register(input.source(), token, Interest::READABLE);
                    input
                }
            };
            registered.map_err(|why| format!("commands cannot be received: {why}"))?;
            self.inputs.push(input);
        }
        for input in old.values_mut() {
            opening.ends.remove(input.guid());
            // A source that cannot be removed is closed below.
            registry.deregister(input.source()).ok();
        }
        Ok(())
    }

    /// Receives commands until it is stopped.
    ///
    /// # Errors
    ///
    /// The system cannot wait for messages.
    pub(crate) fn run(&mut self) -> Result<(), Failure> {
        let mut events = Events::with_capacity(256);
        let mut unread: Vec<usize> = Vec::new();
        while !self.stopped.load(Ordering::Acquire) {
            if let Some(actuators) = self.next.take() {
                if let Err(why) = self.open(actuators) {
                    let notes = self.shared.lock().notes.clone();
                    notes.add(format!("some actuators have no topics: {why}"));
                }
                // Messages may have arrived before the sources were registered again.
                unread = (0..self.inputs.len()).collect();
            }
            let rest = match unread.is_empty() {
                true => POLL_INTERVAL,
                false => Duration::ZERO,
            };
            match self.poll.poll(&mut events, Some(rest)) {
                Err(why) if why.kind() != std::io::ErrorKind::Interrupted => {
                    let why = format!("commands of ROS 2 cannot be received: {why}");
                    return Err(Failure::Environment(why));
                }
                _ => {}
            }
            unread.extend(events.iter().map(|event| event.token().0));
            unread.sort_unstable();
            unread.dedup();
            let inputs = &mut self.inputs;
            unread.retain(|number| {
                let input = inputs.get_mut(*number);
                input.is_some_and(|input| input.take(MOST_AT_ONCE))
            });
        }
        Ok(())
    }
}
