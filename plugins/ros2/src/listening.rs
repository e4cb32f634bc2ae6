//! Thread that receives commands.
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use morse_api::{command::CommandSender, middleware::Failure};
use ros2_client::dds::rustdds::{
    GUID,
    mio1::{Events, Interest, Poll, Token, Waker},
};

use crate::{
    Quality, Ros2Input,
    inputs::{Input, subscribe},
    opening::{Opening, profile},
    peers::End,
    topics::check_input,
};

/// Interval at which the end is noticed at the latest.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Maximum number of messages of an actuator that are read in a row.
const MOST_AT_ONCE: usize = 64;
/// Event that ends the thread.
const END: Token = Token(usize::MAX);

/// Subscriptions of all actuators.
pub(crate) struct Listening {
    inputs: Vec<Box<dyn Input>>,
    names: Vec<(String, &'static str)>,
    poll: Poll,
    /// Wakes the thread.
    pub(crate) waker: Arc<Waker>,
    /// True if the thread has to end.
    pub(crate) stopped: Arc<AtomicBool>,
}

impl Listening {
    /// Opens the topics of actuators.
    ///
    /// # Errors
    ///
    /// A name or a type is invalid, or DDS or the system refuse a subscription.
    pub(crate) fn new(
        opening: &mut Opening<'_>,
        actuators: Vec<(CommandSender, Ros2Input)>,
    ) -> Result<Self, String> {
        let failed = |why: std::io::Error| format!("commands cannot be received: {why}");
        let poll = Poll::new().map_err(failed)?;
        let waker = Arc::new(Waker::new(poll.registry(), END).map_err(failed)?);
        let (mut inputs, mut names) = (Vec::new(), Vec::new());
        for (number, (sender, input)) in actuators.into_iter().enumerate() {
            let (name, taken) = check_input(&sender.info, &input)?;
            let name = opening.full_name(&name);
            let quality = profile(input.qos.unwrap_or(Quality::Reliable));
            let topic = opening.topic(&name, taken.message, &quality)?;
            names.push((name, taken.message));
            let mut input = subscribe(opening, &topic, quality, (sender, taken))?;
            poll.registry()
                .register(input.source(), Token(number), Interest::READABLE)
                .map_err(failed)?;
            inputs.push(input);
        }
        Ok(Self {
            inputs,
            names,
            poll,
            waker,
            stopped: Arc::default(),
        })
    }

    /// Returns the subscriptions by identity.
    pub(crate) fn ends(&self) -> Vec<(GUID, End)> {
        let guids = self.inputs.iter().map(|input| input.guid());
        let ends = self
            .names
            .iter()
            .map(|(name, message)| End::new(name, message, true));
        guids.zip(ends).collect()
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
