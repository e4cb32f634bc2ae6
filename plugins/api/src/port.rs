//! Ports between the tick and the outside: bounded, with flow control, with counted drops.
//!
//! The observer reports when it is ready, as the objects of Sony's OPEN-R do. A reading without a ready observer is not even
//! copied; it is counted. Only a lockstep port makes the tick wait, and not longer than its time limit.
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TrySendError, bounded};

use crate::{
    reading::{Buffer, Reading, SensorInfo, Stamp},
    wake::Waker,
};

/// State that both ends of a port share.
#[derive(Debug, Default)]
struct Link {
    /// The observer has requested a reading and not withdrawn the request.
    wanted: AtomicBool,
    /// The observer requests every reading.
    always: AtomicBool,
    /// The tick's end is dropped.
    closed: AtomicBool,
    /// The observer is dropped.
    abandoned: AtomicBool,
}

/// Policy for readings of a slow observer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Policy {
    /// The newest reading replaces the waiting one.
    Latest,
    /// Up to this number of readings wait; then the oldest is dropped.
    Queue(usize),
    /// The readings of this interval of simulated time wait, at least one; then the oldest is dropped.
    Backlog(Duration),
    /// The tick waits for the observer up to this time limit; then the run ends.
    Lockstep(Duration),
}

/// Maximum number of readings of a backlog.
const LONGEST_BACKLOG: f64 = 256.0;

impl Policy {
    /// Returns the maximum number of readings that wait, of a sensor that measures at `frequency`, Hz.
    fn capacity(self, frequency: f64) -> usize {
        match self {
            Self::Queue(n) => n.max(1),
            Self::Latest => 1,
            Self::Backlog(interval) => {
                let readings = interval.as_secs_f64() * frequency;
                // Without the tolerance, 0.1 s of 30 Hz would be 4 readings.
                libm::ceil(readings - 1e-6).clamp(1.0, LONGEST_BACKLOG) as usize
            }
            // An observer that stays ready may lag by this number of readings before the tick waits for it.
            Self::Lockstep(_) => 256,
        }
    }
}

/// Counters of the readings that a port dropped.
#[derive(Debug, Default)]
pub struct DropCounters {
    /// Readings replaced by newer ones before the observer took them.
    pub dropped: AtomicU64,
    /// Readings without a ready observer.
    pub unready: AtomicU64,
}

/// Returns the two ends of a port.
///
/// ```
/// use std::sync::Arc;
///
/// use morse_api::{port::{Policy, port}, prelude::*, reading::SensorInfo};
/// use nalgebra::Rotation3;
///
/// /// Data of some sensor.
/// #[derive(Reflect, Default)]
/// struct Data {
///     height: f64,
/// }
///
/// let info = SensorInfo {
///     path: "rover.altimeter".into(),
///     robot: "rover".into(),
///     kind: "altimeter",
///     level: None,
///     fields: Fields::of_type::<Data>(None),
///     ros: &[],
///     frequency: 60.0,
///     settings: serde_json::Value::Null,
///     modifiers: Vec::new(),
///     robot_from_sensor: Isometry3::identity(),
///     is_moving: false,
///     enu_from_scene: Rotation3::identity(),
/// };
/// let (tick_end, observer) = port(Arc::new(info), Policy::Latest, None);
/// let offer = |tick, height| {
///     let stamp = (tick, tick * 16_666_667, Isometry3::identity());
///     tick_end.offer(stamp, |_used| Box::new(Data { height }))
/// };
///
/// offer(1, 1.0)?;
/// assert!(observer.try_recv().is_none(), "the observer has not requested a reading");
/// observer.assert_ready();
/// offer(2, 2.0)?;
/// let reading = observer.try_recv().expect("a reading");
/// assert_eq!((reading.tick, reading.get::<Data>().map(|data| data.height)), (2, Some(2.0)));
/// assert_eq!(observer.drops(), (0, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("publisher", "subscriber", "OSubject", "OObserver"))]
#[must_use]
pub fn port(info: Arc<SensorInfo>, policy: Policy, wake: Option<Waker>) -> (OutputPort, Observer) {
    let capacity = policy.capacity(info.frequency);
    let (sender, receiver) = bounded(capacity);
    let (credit, credits) = bounded(1);
    let (home, recycled) = bounded(capacity + 2);
    let link = Arc::new(Link::default());
    let drops = Arc::new(DropCounters::default());
    let output = OutputPort {
        info: info.clone(),
        policy,
        sender,
        oldest: receiver.clone(),
        home,
        recycled,
        credits: credits.clone(),
        link: link.clone(),
        drops: drops.clone(),
        wake,
        outlives_world: false,
    };
    (
        output,
        Observer {
            info,
            receiver,
            credit,
            credits,
            link,
            drops,
        },
    )
}

/// The tick's end of a port.
pub struct OutputPort {
    /// The sensor of this port.
    pub info: Arc<SensorInfo>,
    policy: Policy,
    sender: Sender<Reading>,
    oldest: Receiver<Reading>,
    home: Sender<Buffer>,
    recycled: Receiver<Buffer>,
    credits: Receiver<()>,
    link: Arc<Link>,
    /// Counters of lost readings.
    pub drops: Arc<DropCounters>,
    wake: Option<Waker>,
    /// True if the port continues when the world is built again.
    pub outlives_world: bool,
}

impl OutputPort {
    /// Returns the maximum number of readings that wait for the observer.
    #[must_use]
    pub(crate) fn most_waiting(&self) -> usize {
        self.policy.capacity(self.info.frequency)
    }
}

impl Drop for OutputPort {
    fn drop(&mut self) {
        self.link.closed.store(true, Ordering::Release);
    }
}

/// The observer of a lockstep port did not answer in time, or is dropped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the observer of `{path}` did not answer within {limit:?}")]
pub struct LockstepLost {
    /// The sensor's path.
    pub path: String,
    /// The port's time limit.
    pub limit: Duration,
}

impl OutputPort {
    /// Offers a reading. `fill` copies the data into a used or a new buffer, and is called only if an observer is ready.
    ///
    /// # Errors
    ///
    /// The observer of a lockstep port did not answer in time, or is dropped.
    pub fn offer(
        &self,
        stamp: impl Into<Stamp>,
        fill: impl FnOnce(Option<Buffer>) -> Buffer,
    ) -> Result<(), LockstepLost> {
        if !self.take_credit()? {
            self.drops.unready.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        }
        let buffer = fill(self.recycled.try_recv().ok());
        self.deliver(Reading::new(stamp.into(), buffer, self.home.clone()))
    }

    /// Announces that the next reading is the last one: an observer that was ever ready receives it even if it is not ready
    /// now, in place of a waiting one. Returns true if there is such an observer.
    pub fn begin_last(&self) -> bool {
        let is_wanted = self.link.wanted.load(Ordering::Acquire);
        if is_wanted {
            drop(self.oldest.try_recv());
            self.link.always.store(true, Ordering::Release);
        }
        is_wanted
    }

    fn take_credit(&self) -> Result<bool, LockstepLost> {
        let is_abandoned = self.link.abandoned.load(Ordering::Acquire);
        if !is_abandoned
            && (self.link.always.load(Ordering::Acquire) || self.credits.try_recv().is_ok())
        {
            return Ok(true);
        }
        let Policy::Lockstep(limit) = self.policy else {
            return Ok(false);
        };
        if is_abandoned {
            return Err(self.lost(limit));
        }
        match self.credits.recv_timeout(limit) {
            Ok(()) => Ok(true),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                Err(self.lost(limit))
            }
        }
    }

    fn deliver(&self, reading: Reading) -> Result<(), LockstepLost> {
        if let Policy::Lockstep(limit) = self.policy {
            self.sender
                .send_timeout(reading, limit)
                .map_err(|_late| self.lost(limit))?;
        } else {
            self.replace_oldest(reading);
        }
        if let Some(wake) = &self.wake {
            wake.wake();
        }
        Ok(())
    }

    fn replace_oldest(&self, mut reading: Reading) {
        while let Err(TrySendError::Full(back)) = self.sender.try_send(reading) {
            reading = back;
            if self.oldest.try_recv().is_ok() {
                self.drops.dropped.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    fn lost(&self, limit: Duration) -> LockstepLost {
        LockstepLost {
            path: self.info.path.to_string(),
            limit,
        }
    }
}

/// Outer end of a port. It receives nothing before it reports that it is ready.
pub struct Observer {
    /// The sensor of this port.
    pub info: Arc<SensorInfo>,
    receiver: Receiver<Reading>,
    credit: Sender<()>,
    credits: Receiver<()>,
    link: Arc<Link>,
    drops: Arc<DropCounters>,
}

impl Observer {
    /// Requests one reading (ASSERT-READY). Repeated requests count once.
    pub fn assert_ready(&self) {
        self.link.wanted.store(true, Ordering::Release);
        self.credit.try_send(()).ok();
    }

    /// Withdraws all requests (DEASSERT-READY).
    pub fn deassert_ready(&self) {
        self.link.wanted.store(false, Ordering::Release);
        self.link.always.store(false, Ordering::Release);
        while self.credits.try_recv().is_ok() {}
    }

    /// Requests every reading, within the limits of the policy.
    pub fn stay_ready(&self) {
        self.link.always.store(true, Ordering::Release);
    }

    /// Returns the next reading, if there is one.
    #[must_use]
    pub fn try_recv(&self) -> Option<Reading> {
        self.receiver.try_recv().ok()
    }

    /// Waits for the next reading; `None` when the simulation has ended.
    #[must_use]
    pub fn recv(&self) -> Option<Reading> {
        self.receiver.recv().ok()
    }

    /// Returns true if the simulation has ended and all readings were received.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.link.closed.load(Ordering::Acquire) && self.receiver.is_empty()
    }

    /// Returns the channel, for waiting for several ports at once.
    #[must_use]
    pub fn channel(&self) -> &Receiver<Reading> {
        &self.receiver
    }

    /// Returns the numbers of readings that were replaced by newer ones, and of readings without a ready observer.
    #[must_use]
    pub fn drops(&self) -> (u64, u64) {
        (
            self.drops.dropped.load(Ordering::Relaxed),
            self.drops.unready.load(Ordering::Relaxed),
        )
    }
}

impl Drop for Observer {
    fn drop(&mut self) {
        self.link.abandoned.store(true, Ordering::Release);
        // Makes room, so that a waiting tick continues and detects the loss at the next reading.
        while self.receiver.try_recv().is_ok() {}
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Isometry3, Rotation3};

    use super::*;
    use bevy::reflect::Reflect;

    #[derive(Reflect)]
    struct Number {
        value: f64,
    }

    fn info() -> Arc<SensorInfo> {
        Arc::new(SensorInfo {
            path: "a.b".into(),
            robot: "a".into(),
            kind: "number",
            level: None,
            fields: crate::fields::Fields::default(),
            ros: &[],
            frequency: 1.0,
            settings: serde_json::Value::Null,
            modifiers: Vec::new(),
            robot_from_sensor: Isometry3::identity(),
            is_moving: false,
            enu_from_scene: Rotation3::identity(),
        })
    }

    fn offer(port: &OutputPort, tick: u64) -> Result<(), LockstepLost> {
        port.offer((tick, 0, Isometry3::identity()), |_| {
            Box::new(Number { value: tick as f64 })
        })
    }

    fn ticks(observer: &Observer) -> Vec<u64> {
        std::iter::from_fn(|| observer.try_recv())
            .map(|reading| reading.tick)
            .collect()
    }

    #[test]
    fn nobody_ready_nothing_copied() {
        let (port, observer) = port(info(), Policy::Latest, None);
        port.offer((1, 0, Isometry3::identity()), |_| {
            unreachable!("copied for nobody")
        })
        .unwrap();
        assert_eq!(observer.drops(), (0, 1));
        observer.assert_ready();
        observer.assert_ready();
        offer(&port, 2).unwrap();
        offer(&port, 3).unwrap();
        assert_eq!(ticks(&observer), [2], "one assert, one reading");
        assert_eq!(observer.drops(), (0, 2));
    }

    #[test]
    fn the_oldest_is_dropped_and_counted() {
        for (policy, left) in [(Policy::Latest, vec![5]), (Policy::Queue(3), vec![3, 4, 5])] {
            let (port, observer) = port(info(), policy, None);
            observer.stay_ready();
            (1..=5).for_each(|tick| offer(&port, tick).unwrap());
            assert_eq!(observer.drops().0, 5 - left.len() as u64);
            assert_eq!(ticks(&observer), left);
        }
    }

    #[test]
    fn a_backlog_has_the_readings_of_its_interval() {
        let backlog = Policy::Backlog(Duration::from_millis(100));
        let cases = [
            (50.0, 5),
            (30.0, 3),
            (60.0, 6),
            (10.0, 1),
            (0.5, 1),
            (1e9, 256),
        ];
        for (frequency, waiting) in cases {
            let info = SensorInfo {
                frequency,
                ..SensorInfo::clone(&info())
            };
            let (port, observer) = port(Arc::new(info), backlog, None);
            assert_eq!(port.most_waiting(), waiting, "{frequency} Hz");
            observer.stay_ready();
            (1..=300).for_each(|tick| offer(&port, tick).unwrap());
            assert_eq!(ticks(&observer).len(), waiting, "{frequency} Hz");
        }
    }

    #[test]
    fn lockstep_waits_but_not_for_ever() {
        let limit = Duration::from_millis(20);
        let (port, observer) = port(info(), Policy::Lockstep(limit), None);
        assert_eq!(
            offer(&port, 1),
            Err(LockstepLost {
                path: "a.b".into(),
                limit
            })
        );
        observer.assert_ready();
        offer(&port, 2).unwrap();
        assert_eq!(ticks(&observer), [2]);
    }

    #[test]
    fn memory_comes_back() {
        let (port, observer) = port(info(), Policy::Latest, None);
        observer.stay_ready();
        offer(&port, 1).unwrap();
        drop(observer.try_recv());
        port.offer((2, 0, Isometry3::identity()), |used| {
            used.expect("the buffer of the first reading")
        })
        .unwrap();
        assert_eq!(
            observer
                .try_recv()
                .and_then(|reading| reading.get::<Number>().map(|n| n.value)),
            Some(1.0)
        );
        drop(port);
        assert!(observer.is_closed());
    }
}
