//! Simulated time on `/clock`, on a thread of its own, so that large messages do not delay it.
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use crossbeam_channel::{Receiver, RecvTimeoutError};
use morse_ros::messages::{Clock as Message, Message as _, Time};
use ros2_client::{Publisher, QosProfile};

use crate::opening::{Opening, keep};

/// Minimum interval of messages.
const INTERVAL: Duration = Duration::from_millis(10);
/// Interval without ticks after which the time is published again, for nodes that have started since.
const REPEAT: Duration = Duration::from_millis(500);

/// Publisher of the simulated time.
pub(crate) struct Clock {
    publisher: Publisher<Message>,
    nanos: Arc<AtomicU64>,
}

impl Clock {
    /// Opens the topic.
    ///
    /// # Errors
    ///
    /// DDS refuses the topic.
    pub(crate) fn new(opening: &mut Opening, nanos: Arc<AtomicU64>) -> Result<Self, String> {
        let quality = keep(QosProfile::default().reliability_best_effort(), 1);
        let publisher = opening.publisher("/clock", Message::TYPE, quality)?;
        Ok(Self { publisher, nanos })
    }

    /// Publishes the time after ticks, until the channel is closed.
    pub(crate) fn run(&self, ticks: &Receiver<()>) {
        loop {
            let awake = ticks.recv_timeout(REPEAT);
            let clock = Time::of_nanos(self.nanos.load(Ordering::Relaxed));
            // A best-effort writer has no window that may be full; a later message replaces a lost one.
            self.publisher.publish(Message { clock }).ok();
            if awake == Err(RecvTimeoutError::Disconnected) {
                return;
            }
            std::thread::sleep(INTERVAL);
        }
    }
}
