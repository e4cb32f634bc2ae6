//! State of the robot's power, and the objects that observe it.
use std::sync::Arc;

use crate::message::Payload;

/// Bits of the state of the robot.
pub mod bit {
    /// The motors have power.
    pub const MOTOR_POWER: u32 = 2;
    /// A battery is in the robot.
    pub const BATTERY: u32 = 0x40;
    /// The battery is charging.
    pub const CHARGING: u32 = 0x80;
    /// The battery is full.
    pub const FULL: u32 = 0x100;
    /// The battery is low.
    pub const LOW: u32 = 0x200;
}

/// Charge below which the battery is low, %.
const LOW: f64 = 20.0;

/// State of the power. The payload of an observer's entry is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerStatus {
    /// Bits of [`bit`].
    pub robot_status: u32,
    /// Remaining charge of the battery, %.
    pub remaining_capacity: u16,
}

impl Default for PowerStatus {
    fn default() -> Self {
        Self {
            robot_status: bit::BATTERY | bit::FULL,
            remaining_capacity: 100,
        }
    }
}

/// Power of a robot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Power {
    status: PowerStatus,
    /// State that the observers know.
    reported: Option<PowerStatus>,
    /// Objects, each with its extra entry.
    observers: Vec<(usize, usize)>,
}

impl Power {
    pub(crate) fn status(&self) -> PowerStatus {
        self.status
    }

    /// Sets a bit of the state of the robot.
    pub(crate) fn set(&mut self, bit: u32, is_on: bool) {
        self.status.robot_status &= !bit;
        self.status.robot_status |= if is_on { bit } else { 0 };
    }

    /// Sets the state of the battery: its charge, %, and true while it is charging.
    pub(crate) fn set_battery(&mut self, charge: f64, is_charging: bool) {
        self.status.remaining_capacity = charge.clamp(0.0, 100.0).round() as u16;
        self.set(bit::CHARGING, is_charging);
        self.set(bit::FULL, charge >= 100.0);
        self.set(bit::LOW, charge < LOW);
    }

    /// Adds an observer, which receives the present state and each change of a bit.
    pub(crate) fn observe(&mut self, object: usize, entry: usize) {
        self.ignore(object);
        self.observers.push((object, entry));
        self.reported = None;
    }

    /// Removes the observers of an object.
    pub(crate) fn ignore(&mut self, object: usize) {
        self.observers.retain(|(known, _)| *known != object);
    }

    /// Returns the observers and their payload, if a bit has changed since the last call.
    pub(crate) fn changes(&mut self) -> Option<(Vec<(usize, usize)>, Payload)> {
        let bits = |status: &PowerStatus| status.robot_status;
        if self.reported.as_ref().map(bits) == Some(bits(&self.status)) {
            return None;
        }
        self.reported = Some(self.status);
        Some((self.observers.clone(), Some(Arc::new(self.status))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observers_receive_both_edges_of_a_bit() {
        let mut power = Power::default();
        power.observe(3, 1);
        let seen = |power: &mut Power| {
            let (observers, payload) = power.changes()?;
            assert_eq!(observers, [(3, 1)]);
            let payload = payload.expect("a state");
            payload.downcast_ref::<PowerStatus>().copied()
        };
        assert_eq!(seen(&mut power), Some(PowerStatus::default()));
        power.set_battery(50.4, false);
        let changed = seen(&mut power).expect("no longer full");
        assert_eq!(
            (changed.robot_status, changed.remaining_capacity),
            (bit::BATTERY, 50)
        );
        // The charge alone is no change.
        power.set_battery(30.0, false);
        assert_eq!(seen(&mut power), None);
        power.set_battery(19.0, false);
        assert_eq!(
            seen(&mut power).map(|state| state.robot_status),
            Some(bit::BATTERY | bit::LOW)
        );
        power.set(bit::MOTOR_POWER, true);
        power.set(bit::MOTOR_POWER, false);
        assert_eq!(seen(&mut power), None);
        power.ignore(3);
        power.set_battery(90.0, true);
        assert_eq!(
            power.changes().map(|(observers, _)| observers.len()),
            Some(0)
        );
    }
}
