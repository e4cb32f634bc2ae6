//! Sleeping and waking of a middleware's thread.
use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TryRecvError, bounded};

/// Signal for which a middleware's thread sleeps until there is work.
pub struct Wake {
    channel: Receiver<()>,
    callback: Arc<Callback>,
    whole: Arc<WholeTicks>,
}

/// The newest tick whose readings are complete; [`UNTOLD`] until a first tick is reported.
struct WholeTicks(AtomicU64);

/// No tick was reported.
const UNTOLD: u64 = u64::MAX;

/// Function that is called besides the channel, for threads that sleep elsewhere.
#[derive(Default)]
struct Callback(OnceLock<Box<dyn Fn() + Send + Sync>>);

impl Callback {
    fn call(&self) {
        if let Some(callback) = self.0.get() {
            callback();
        }
    }
}

/// The simulation's end of a [`Wake`]. The simulation has ended when all of them are dropped.
#[derive(Clone)]
pub struct Waker {
    /// Present until it is dropped: the callback has to be called after that.
    channel: Option<Sender<()>>,
    callback: Arc<Callback>,
    whole: Arc<WholeTicks>,
}

impl Waker {
    /// Reports that all readings of a tick are available, and wakes the thread. In MORSE's motion only.
    pub fn end_readings(&self, tick: u64) {
        self.whole.0.store(tick, Ordering::Release);
        self.wake();
    }

    /// Wakes the middleware's thread; cheap if it is awake already.
    pub fn wake(&self) {
        if let Some(channel) = &self.channel {
            // A full channel means that the thread is awake already.
            channel.try_send(()).ok();
        }
        self.callback.call();
    }
}

impl Drop for Waker {
    fn drop(&mut self) {
        self.channel = None;
        self.callback.call();
    }
}

/// Reason why a middleware's thread woke up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awake {
    /// Readings may have arrived.
    Token,
    /// Nothing happened in the given time.
    Idle,
    /// The simulation has ended: process the remaining data, and finish.
    End,
}

impl Awake {
    /// Returns true if readings may have arrived.
    #[must_use]
    pub fn is_token(self) -> bool {
        self == Self::Token
    }

    /// Returns true if the simulation has ended.
    #[must_use]
    pub fn is_end(self) -> bool {
        self == Self::End
    }
}

impl Wake {
    /// Returns the two ends.
    #[must_use]
    pub fn new() -> (Waker, Self) {
        let (sender, channel) = bounded(1);
        let callback = Arc::<Callback>::default();
        let whole = Arc::new(WholeTicks(AtomicU64::new(UNTOLD)));
        let waker = Waker {
            channel: Some(sender),
            callback: callback.clone(),
            whole: whole.clone(),
        };
        let wake = Self {
            channel,
            callback,
            whole,
        };
        (waker, wake)
    }

    /// Returns the newest tick whose readings are complete. In MORSE's motion a middleware exports those of a tick together,
    /// in the order of its outputs; otherwise there is no such tick, and readings are exported as they arrive.
    #[must_use]
    pub fn whole_tick(&self) -> Option<u64> {
        Some(self.whole.0.load(Ordering::Acquire)).filter(|tick| *tick != UNTOLD)
    }

    /// Sets a function that is also called on each signal, from the simulation's thread: for middlewares that sleep in a
    /// poll of sockets. Only the first function is called.
    pub fn also_call(&self, callback: impl Fn() + Send + Sync + 'static) {
        self.callback.0.set(Box::new(callback)).ok();
    }

    /// Sleeps until a signal, or for the given time.
    #[must_use]
    pub fn wait(&self, at_most: Duration) -> Awake {
        match self.channel.recv_timeout(at_most) {
            Ok(()) => Awake::Token,
            Err(RecvTimeoutError::Timeout) => Awake::Idle,
            Err(RecvTimeoutError::Disconnected) => Awake::End,
        }
    }

    /// Returns the channel, for waiting for several events at once.
    #[must_use]
    pub fn channel(&self) -> &Receiver<()> {
        &self.channel
    }

    /// Returns true if the simulation has ended.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.channel.try_recv(), Err(TryRecvError::Disconnected))
    }
}
