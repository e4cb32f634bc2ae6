//! Commands of nodes in lockstep.
use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use ros2_client::dds::rustdds::GUID;

/// Commands of an actuator that answer readings.
#[derive(Clone, Default)]
pub(crate) struct Answers(Arc<(Mutex<Answer>, Condvar)>);

#[derive(Default)]
struct Answer {
    /// The subscription of the actuator.
    guid: Option<GUID>,
    /// Greatest stamp of a command since the last reading, ns.
    stamp: Option<u64>,
}

impl Answers {
    fn lock(&self) -> MutexGuard<'_, Answer> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the subscription on which commands arrive, if it is open.
    pub(crate) fn subscription(&self) -> Option<GUID> {
        self.lock().guid
    }

    /// Sets the subscription on which commands arrive.
    pub(crate) fn set_subscription(&self, guid: GUID) {
        self.lock().guid = Some(guid);
    }

    /// Notes a command. One without a stamp answers any reading.
    pub(crate) fn add(&self, stamp: Option<u64>) {
        let mut answer = self.lock();
        answer.stamp = answer.stamp.max(Some(stamp.unwrap_or(u64::MAX)));
        self.0.1.notify_all();
    }

    /// Forgets earlier commands.
    pub(crate) fn clear(&self) {
        self.lock().stamp = None;
    }

    /// Waits for the command that answers the reading of a time. Returns false after the time limit.
    pub(crate) fn wait(&self, nanos: u64, limit: Duration) -> bool {
        let is_missing = |answer: &mut Answer| answer.stamp.is_none_or(|stamp| stamp < nanos);
        let waited = self.0.1.wait_timeout_while(self.lock(), limit, is_missing);
        let (answer, _) = waited.unwrap_or_else(PoisonError::into_inner);
        answer.stamp.is_some_and(|stamp| stamp >= nanos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_the_same_time_or_later_are_answers() {
        let answers = Answers::default();
        let waits = |nanos| !answers.wait(nanos, Duration::ZERO);
        assert!(waits(0), "there is no command");
        answers.add(Some(10));
        answers.add(Some(5));
        assert!(!waits(10) && waits(11));
        answers.clear();
        assert!(waits(0));
        answers.add(None);
        assert!(
            !waits(u64::MAX),
            "commands without a stamp are answers to any reading"
        );
    }
}
