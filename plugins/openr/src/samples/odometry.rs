//! Odometry of a dog from its own sensors: angles of the legs, and switches of the paws.
//!
//! Paws on the ground do not move, and roll like balls. Their motion relative to the body is that of the ground, from which
//! the motion of the body follows by least squares.
use super::{
    legs::{Dog, ERS7, Leg, dog},
    servos::robot,
};
use crate::{
    body::{
        primitives::MICRO,
        vectors::{SensorVector, Value},
    },
    prelude::*,
};

/// Smallest number of paws on the ground for which a motion is computed.
const FEWEST: usize = 2;

/// Pose since the start, in the axes of the start.
pub(super) struct Odometry {
    dog: &'static Dog,
    /// Numbers of the primitives of each leg: three joints, and the switch.
    primitives: Vec<([u32; 3], u32)>,
    before: Option<[Stand; 4]>,
    /// Mean motion of the last frames.
    mean: [f64; 3],
    /// Forward and lateral displacement, m, and angle to the left, rad.
    pub(super) pose: [f64; 3],
}

impl Default for Odometry {
    fn default() -> Self {
        Self {
            dog: &ERS7,
            primitives: Vec::new(),
            before: None,
            mean: [0.0; 3],
            pose: [0.0; 3],
        }
    }
}

/// Smallest mean square of the distances of the paws from their middle, m²: two paws on one side of the body, one of which has
/// just come down, show no turn.
const SPREAD: f64 = 0.007;

/// Share of a frame in the mean motion.
const SMOOTHING: f64 = 0.1;

/// A leg in a frame.
#[derive(Clone, Copy, Debug, Default)]
struct Stand {
    angles: [f64; 3],
    is_down: bool,
}

impl Odometry {
    /// Opens the primitives.
    pub(super) fn open(&mut self, context: &mut Context<'_>) -> Result<(), Status> {
        self.dog = dog(robot(context));
        for leg in &self.dog.legs {
            let mut joints = [0; 3];
            for (joint, locator) in joints.iter_mut().zip(leg.locators) {
                *joint = context.open_primitive(locator)?;
            }
            let switch = context.open_primitive(leg.switch)?;
            self.primitives.push((joints, switch));
        }
        Ok(())
    }

    /// Adds the motion in the frames of a vector.
    pub(super) fn add(&mut self, vector: &SensorVector) {
        let frames = vector.entries.first().map_or(0, |entry| entry.frames.len());
        for frame in 0..frames {
            let value = |id: u32| -> Option<Value> { vector.of(id)?.frames.get(frame).copied() };
            let legs = self.primitives.iter().map(|(joints, switch)| {
                let angle = |id: u32| value(id).map_or(0.0, |value| f64::from(value.value) / MICRO);
                Stand {
                    angles: joints.map(angle),
                    is_down: value(*switch).is_some_and(|value| value.value != 0),
                }
            });
            let mut now = [Stand::default(); 4];
            now.iter_mut()
                .zip(legs)
                .for_each(|(stand, leg)| *stand = leg);
            if let Some(before) = self.before.replace(now) {
                self.move_on(motion(&self.dog.legs, &before, &now));
            }
        }
    }

    /// Moves the pose by a motion in body axes; without one, for example in a short flight, by the mean of the last ones.
    fn move_on(&mut self, motion: Option<[f64; 3]>) {
        let motion = motion.unwrap_or(self.mean);
        for (mean, value) in self.mean.iter_mut().zip(motion) {
            *mean += SMOOTHING * (value - *mean);
        }
        let [ahead, left, turn] = motion;
        self.advance([ahead, left, self.dog.gait.turn_share * turn]);
    }

    /// Moves the pose by a motion in body axes.
    fn advance(&mut self, [ahead, left, turn]: [f64; 3]) {
        let (sine, cosine) = libm::sincos(self.pose[2] + 0.5 * turn);
        self.pose[0] += cosine * ahead - sine * left;
        self.pose[1] += sine * ahead + cosine * left;
        self.pose[2] += turn;
    }
}

/// Returns the motion of the body between two frames, in its own axes: ahead, left and turned, by least squares over the paws
/// that are on the ground in both; `None` if there are too few.
fn motion(legs: &[Leg; 4], before: &[Stand; 4], now: &[Stand; 4]) -> Option<[f64; 3]> {
    let pairs = legs.iter().zip(before.iter().zip(now));
    let down = pairs.filter(|(_, (before, now))| before.is_down && now.is_down);
    let paws = down.map(|(leg, (before, now))| ground(*leg, before.angles, now.angles));
    let paws: Vec<([f64; 2], [f64; 2])> = paws.collect();
    if paws.len() < FEWEST {
        return None;
    }
    let count = paws.len() as f64;
    let mean = |of: fn(&([f64; 2], [f64; 2])) -> f64| paws.iter().map(of).sum::<f64>() / count;
    let middle = [mean(|paw| paw.0[0]), mean(|paw| paw.0[1])];
    let drift = [mean(|paw| paw.1[0]), mean(|paw| paw.1[1])];
    // About the middle of the paws, the turn is independent of the displacement.
    let mut sums = [0.0; 2];
    for (position, moved) in &paws {
        let arm = [position[0] - middle[0], position[1] - middle[1]];
        sums[0] += arm[0] * (moved[1] - drift[1]) - arm[1] * (moved[0] - drift[0]);
        sums[1] += arm[0] * arm[0] + arm[1] * arm[1];
    }
    if sums[1] < count * SPREAD {
        return None;
    }
    let turn = sums[0] / sums[1];
    Some([
        drift[0] + turn * middle[1],
        drift[1] - turn * middle[0],
        turn,
    ])
}

/// Returns the position of a paw in body axes, and the displacement of the body that it shows there.
fn ground(leg: Leg, before: [f64; 3], now: [f64; 3]) -> ([f64; 2], [f64; 2]) {
    let position = |angles: [f64; 3]| {
        let [ahead, outward, _] = leg.paw(angles);
        let hip = leg.build.hip;
        [leg.ahead * hip[0] + ahead, leg.left * (hip[1] + outward)]
    };
    let (was, is) = (position(before), position(now));
    let turned: [f64; 3] = std::array::from_fn(|joint| now[joint] - before[joint]);
    // Rotation of the shank about the axes of the body: each joint turns the axes of the next ones.
    let (sine, cosine) = libm::sincos(now[0]);
    let (second_sine, second_cosine) = libm::sincos(now[1]);
    let about_x = leg.left * (turned[1] * cosine + turned[2] * second_sine * sine);
    let about_y = -leg.ahead * (turned[0] + turned[2] * second_cosine);
    let rolled = [about_y, -about_x].map(|angle| angle * leg.build.radius);
    let moved = std::array::from_fn(|axis| was[axis] - is[axis] + rolled[axis]);
    (was, moved)
}

#[cfg(test)]
mod tests {
    use nalgebra::{Rotation3, Unit, Vector3};

    use super::*;
    use crate::samples::legs::ERS7;

    const LEGS: [Leg; 4] = ERS7.legs;
    const HIP: [f64; 2] = [0.065, 0.0625];
    const RADIUS: f64 = 0.01172;

    /// Returns the angles of all legs of a body at a pose (ahead, left, turned) whose paws stand at positions on the ground.
    fn stand(pose: [f64; 3], paws: [[f64; 2]; 4]) -> [Stand; 4] {
        std::array::from_fn(|index| {
            let leg = LEGS[index];
            let (sine, cosine) = libm::sincos(pose[2]);
            let displacement = [paws[index][0] - pose[0], paws[index][1] - pose[1]];
            let [x, y] = [
                cosine * displacement[0] + sine * displacement[1],
                cosine * displacement[1] - sine * displacement[0],
            ];
            let ahead = x - leg.ahead * HIP[0];
            let outward = leg.left * y - HIP[1];
            Stand {
                angles: leg.joints([ahead, outward, 0.105]),
                is_down: true,
            }
        })
    }

    /// Returns the orientation of the shank of a leg in the axes of the ground.
    fn shank(leg: Leg, yaw: f64, angles: [f64; 3]) -> Rotation3<f64> {
        let along = Unit::new_normalize(Vector3::new(0.0, -leg.ahead, 0.0));
        let outward = Unit::new_normalize(Vector3::new(leg.left, 0.0, 0.0));
        Rotation3::from_axis_angle(&Vector3::z_axis(), yaw)
            * Rotation3::from_axis_angle(&along, angles[0])
            * Rotation3::from_axis_angle(&outward, angles[1])
            * Rotation3::from_axis_angle(&along, angles[2])
    }

    #[test]
    fn the_motion_of_the_body_follows_from_paws_that_roll() {
        let start = LEGS.map(|leg| [leg.ahead * HIP[0] + 0.01, leg.left * (HIP[1] + 0.005)]);
        let wanted = [1e-3, -4e-4, 6e-3];
        let before = stand([0.0; 3], start);
        let mut paws = start;
        // The centres of balls that roll move with the rotation of the shanks.
        for _ in 0..5 {
            let now = stand(wanted, paws);
            paws = std::array::from_fn(|index| {
                let turned = shank(LEGS[index], wanted[2], now[index].angles)
                    * shank(LEGS[index], 0.0, before[index].angles).inverse();
                let moved = turned.scaled_axis().cross(&Vector3::new(0.0, 0.0, RADIUS));
                [start[index][0] + moved.x, start[index][1] + moved.y]
            });
        }
        let mut now = stand(wanted, paws);
        let error = |now: &[Stand; 4]| {
            let velocity = motion(&LEGS, &before, now).expect("paws");
            let pairs = velocity.iter().zip(wanted);
            let error = pairs.map(|(actual, wanted)| (actual - wanted).abs());
            error.fold(0.0, f64::max)
        };
        assert!(error(&now) < 3e-5, "{}", error(&now));
        now[2].is_down = false;
        assert!(error(&now) < 3e-5, "three paws: {}", error(&now));
        now[3].is_down = false;
        assert_eq!(motion(&LEGS, &before, &now), None, "two paws on one side");
        now[0].is_down = false;
        assert_eq!(motion(&LEGS, &before, &now), None, "one paw");
    }

    #[test]
    fn displacements_add_up_along_the_heading() {
        let mut odometry = Odometry::default();
        for _ in 0..1000 {
            odometry.advance([1e-3, 0.0, std::f64::consts::FRAC_PI_2 / 1000.0]);
        }
        // A quarter of a circle of 1 m: radius 2/π.
        let radius = std::f64::consts::FRAC_2_PI;
        for axis in 0..2 {
            assert!(
                (odometry.pose[axis] - radius).abs() < 1e-5,
                "{:?}",
                odometry.pose
            );
        }
    }
}
