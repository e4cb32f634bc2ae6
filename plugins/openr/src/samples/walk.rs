//! An object that makes an ERS-7 or an ERS-210 trot.
use serde_json::Value as Json;

use super::{
    legs::{Dog, ERS7, Gait, Leg, dog},
    servos::{robot, status, switch_on},
};
use crate::{
    body::{
        primitives::MICRO,
        vectors::{CommandVector, Commands},
    },
    prelude::*,
};

/// Interval of postures, s, and number of postures in a vector.
const FRAME_SECONDS: f64 = 0.008;
const FRAMES: usize = 4;

/// Limits of the rates of change of the velocity, m/s², and of the angular velocity, rad/s².
const CHANGE: [f64; 2] = [0.15, 1.2];

/// Step length of a paw from which it is lifted to the full height, m.
const WHOLE_LIFT: f64 = 0.01;

pub(super) fn object() -> ObjectInstance {
    ObjectInstance::new(
        Interface::new("Walk")
            .subject("Move", "OCommandVectorData")
            .observer("Speed", "v_omega"),
        Walk::default(),
    )
}

/// Trot: two diagonal paws are in the air while the other two carry the body. Velocities come from an observer and are
/// approached gradually.
struct Walk {
    dog: &'static Dog,
    /// Numbers of the joints, leg by leg.
    joints: Vec<u32>,
    /// Phase of the gait cycle, from 0 to 1.
    phase: f64,
    wanted: [f64; 2],
    /// Forward velocity, m/s, and angular velocity to the left, rad/s.
    speed: [f64; 2],
    /// True if two vectors are in use: one is executed while the other is queued.
    is_primed: bool,
}

impl Default for Walk {
    fn default() -> Self {
        Self {
            dog: &ERS7,
            joints: Vec::new(),
            phase: 0.0,
            wanted: [0.0; 2],
            speed: [0.0; 2],
            is_primed: false,
        }
    }
}

impl Object for Walk {
    fn do_init(&mut self, context: &mut Context<'_>, _: SystemEvent) -> Status {
        self.dog = dog(robot(context));
        let locators = self.dog.legs.iter().flat_map(|leg| leg.locators);
        status(switch_on(context, locators).map(|joints| self.joints = joints))
    }

    fn notify(&mut self, context: &mut Context<'_>, event: &NotifyEvent) {
        if let Some(speed) = event.data.last().and_then(Region::json) {
            let number = |name: &str| speed.get(name).and_then(Json::as_f64).unwrap_or(0.0);
            self.wanted = [number("v"), number("w")];
        }
        context.assert_ready(event.observer);
    }

    fn ready(&mut self, context: &mut Context<'_>, event: ReadyEvent) {
        if !event.is_assert {
            return;
        }
        for _ in 0..if self.is_primed { 1 } else { 2 } {
            let vector = self.vector();
            context.set_region(0, &vector.region());
        }
        self.is_primed = true;
        context.notify_observers(0);
    }
}

impl Walk {
    /// Returns the next postures.
    fn vector(&mut self) -> CommandVector {
        let mut postures = Vec::with_capacity(FRAMES);
        for _ in 0..FRAMES {
            self.advance();
            let legs = self.dog.legs.iter();
            let angles = legs.flat_map(|leg| leg.joints(self.paw(*leg)));
            postures.push(angles.collect::<Vec<f64>>());
        }
        let entry = |(index, &joint): (usize, &u32)| {
            let angles = postures.iter().map(|posture| posture[index]);
            Commands::joint(joint, angles.map(|angle| (angle * MICRO).round() as i32))
        };
        CommandVector::new(self.joints.iter().enumerate().map(entry).collect())
    }

    fn advance(&mut self) {
        let fastest = self.dog.gait.fastest;
        for (index, speed) in self.speed.iter_mut().enumerate() {
            let wanted = self.wanted[index].clamp(-fastest[index], fastest[index]);
            let most = CHANGE[index] * FRAME_SECONDS;
            *speed += (wanted - *speed).clamp(-most, most);
        }
        let is_still = self.speed == [0.0; 2];
        // A step is completed before the dog stands.
        let next = self.phase + FRAME_SECONDS / self.dog.gait.period;
        self.phase = if is_still && (self.phase == 0.0 || next >= 1.0) {
            0.0
        } else {
            next % 1.0
        };
    }

    /// Returns the position of a paw relative to its hip: ahead, outward, down, m.
    fn paw(&self, leg: Leg) -> [f64; 3] {
        let Gait {
            period,
            stance,
            height,
            lift,
            stand,
            ..
        } = self.dog.gait;
        let (hip, outward) = (leg.build.hip, leg.outward());
        let stand = stand[leg.row()];
        let [ahead, turn] = self.speed;
        // Relative to the body, the ground under the paw moves backwards and rotates.
        let position = [leg.ahead * hip[0] + stand, leg.left * (hip[1] + outward)];
        let ground = [ahead - turn * position[1], turn * position[0]];
        let step = ground.map(|speed| speed * period * stance);
        let across = if leg.ahead * leg.left > 0.0 { 0.0 } else { 0.5 };
        let (share, raised) = cycle(self.phase + across, stance);
        let whole = (libm::hypot(step[0], step[1]) / WHOLE_LIFT).min(1.0);
        [
            stand + step[0] * share,
            outward + leg.left * step[1] * share,
            height - lift * raised * whole,
        ]
    }
}

/// Returns the position of a paw within its step, from 1/2 ahead to -1/2 behind, and its height, from 0 to 1. When a paw
/// leaves the ground, and when it returns, it moves with the ground.
fn cycle(phase: f64, stance: f64) -> (f64, f64) {
    let phase = phase % 1.0;
    if phase < stance {
        return (0.5 - phase / stance, 0.0);
    }
    let fraction = (phase - stance) / (1.0 - stance);
    // Cubic polynomial with the velocity of the ground at both ends.
    let ground = -(1.0 - stance) / stance;
    let smooth = fraction * fraction * (3.0 - 2.0 * fraction);
    let ends = fraction * (1.0 - fraction) * (1.0 - 2.0 * fraction);
    let raised = libm::sin(std::f64::consts::PI * fraction);
    (smooth - 0.5 + ground * ends, raised * raised)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STANCE: f64 = 0.75;

    #[test]
    fn paws_on_the_ground_move_with_it() {
        let mut walk = Walk {
            speed: [0.1, 0.4],
            wanted: [0.1, 0.4],
            ..Walk::default()
        };
        let before = walk.paw(ERS7.legs[0]);
        walk.advance();
        let after = walk.paw(ERS7.legs[0]);
        let of = |axis: usize| (after[axis] - before[axis]) / FRAME_SECONDS;
        let left = 0.0625 + 0.0047;
        assert!((of(0) + 0.1 - 0.4 * left).abs() < 1e-9, "{}", of(0));
        assert!((of(1) + 0.4 * 0.075).abs() < 1e-9, "{}", of(1));
        assert_eq!(after[2], 0.105);
    }

    #[test]
    fn paws_leave_the_ground_and_return_to_it_without_a_jerk() {
        let step = 1e-6;
        let velocity = |phase: f64| (cycle(phase + step, STANCE).0 - cycle(phase, STANCE).0) / step;
        for phase in [0.3, STANCE - 2.0 * step, STANCE, 1.0 - 2.0 * step] {
            let velocity = velocity(phase);
            assert!(
                (velocity + 1.0 / STANCE).abs() < 1e-3,
                "{phase}: {velocity}"
            );
        }
        assert_eq!(cycle(STANCE, STANCE).0, -0.5);
    }

    #[test]
    fn at_least_two_paws_across_from_each_other_carry() {
        for count in 0..1000 {
            let phase = f64::from(count) / 1000.0;
            let lifts = [cycle(phase, STANCE).1, cycle(phase + 0.5, STANCE).1];
            assert!(lifts.contains(&0.0), "{phase}: {lifts:?}");
        }
    }
}
