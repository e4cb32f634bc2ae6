//! An object that follows a pink ball by its camera, and pushes it.
use serde_json::json;

use super::servos::{status, switch_on};
use crate::{
    body::{
        image::{Image, Resolution, SEGMENTS},
        primitives::MICRO,
        vectors::{CommandVector, Commands},
    },
    prelude::*,
};

/// Indices of the subjects.
const MOVE: usize = 0;
const SPEED: usize = 1;

/// Number of postures in a vector.
const FRAMES: usize = 4;

/// Joints of the head: tilt of the neck, pan, and nod.
const HEAD: [&str; 3] = [
    "PRM:/r1/c1-Joint2:11",
    "PRM:/r1/c1/c2-Joint2:12",
    "PRM:/r1/c1/c2/c3-Joint2:13",
];

/// Channel of the colour-detection table, and the minima and maxima of Cr and Cb of pink, in light and in shade.
const CHANNEL: usize = 0;
const PINK: [u8; 4] = [160, 255, 110, 180];
/// Darkest segment of brightness in which pink differs from black.
const DARKEST: usize = 3;

/// Fewest pixels of a ball.
const FEWEST: usize = 4;

/// Fields of view of the camera, across and down, rad.
const VIEW: [f64; 2] = [0.993, 0.789];

/// Share of the error of the head's direction that is corrected with each image.
const SHARE: f64 = 0.25;

/// Limits of pan and of the pitch of the head, rad.
const PAN: f64 = 1.4;
const PITCH: [f64; 2] = [-1.2, 0.3];
/// Share of the pitch that the neck has; the nod has the rest, within its limits.
const NECK: f64 = 0.75;
const NOD: [f64; 2] = [-0.26, 0.78];

/// Forward speed, m/s; turn per radian of pan, 1/s, and its limit, rad/s.
const AHEAD: f64 = 0.14;
const TURN: f64 = 1.5;
const FASTEST_TURN: f64 = 0.7;
/// Pan from which the dog turns on the spot, rad.
const ASIDE: f64 = 0.6;

/// Height of the camera above the middle of the ball, m, and its distance from the hips, m.
const HEIGHT: f64 = 0.15;
const REACH: f64 = 0.15;
/// Distance of a paw from the middle of the dog, m: it pushes the ball with a paw, since a ball fits between the legs.
const PAW: f64 = 0.062;
/// Pitch below which a ball is too near to be seen soon, rad, and number of images for which the dog then walks on.
const NEAR: f64 = -0.8;
const BLIND: u32 = 50;

pub(super) fn object() -> ObjectInstance {
    ObjectInstance::new(
        Interface::new("Ball")
            .subject("Move", "OCommandVectorData")
            .subject("Speed", "v_omega")
            .observer("Image", "OFbkImageVectorData"),
        Ball::default(),
    )
}

/// Looks at the ball, and walks towards it.
#[derive(Default)]
struct Ball {
    joints: Vec<u32>,
    is_primed: bool,
    /// Direction of the head: pan to the left, and pitch upwards, rad.
    gaze: [f64; 2],
    /// Number of images since the ball was seen.
    unseen: u32,
}

impl Object for Ball {
    fn do_init(&mut self, context: &mut Context<'_>, _: SystemEvent) -> Status {
        let mut ranges = [[255, 0, 255, 0]; SEGMENTS];
        ranges[DARKEST..].fill(PINK);
        let opened = context.set_colour_channel(CHANNEL, ranges);
        let opened = opened.and_then(|()| switch_on(context, HEAD));
        status(opened.map(|joints| self.joints = joints))
    }

    fn ready(&mut self, context: &mut Context<'_>, event: ReadyEvent) {
        if event.subject != MOVE || !event.is_assert {
            return;
        }
        for _ in 0..if self.is_primed { 1 } else { 2 } {
            context.set_region(MOVE, &self.posture().region());
        }
        self.is_primed = true;
        context.notify_observers(MOVE);
    }

    fn notify(&mut self, context: &mut Context<'_>, event: &NotifyEvent) {
        let newest = event.data.last();
        let seen = newest.and_then(|region| find(&Image::read(region).ok()?));
        let [v, w] = self.follow(seen);
        context.set_data(SPEED, json!({ "v": v, "w": w }));
        context.notify_observers(SPEED);
        context.assert_ready(event.observer);
    }
}

impl Ball {
    /// Turns the head towards the ball, whose direction in the image is given if it is seen; returns forward velocity and
    /// angular velocity.
    fn follow(&mut self, seen: Option<[f64; 2]>) -> [f64; 2] {
        let Some(direction) = seen else {
            self.unseen += 1;
            let is_at_its_feet = self.gaze[1] < NEAR && self.unseen < BLIND;
            // Otherwise the ball is where it left the view.
            return match is_at_its_feet {
                true => [AHEAD, 0.0],
                false => [0.0, FASTEST_TURN.copysign(self.gaze[0])],
            };
        };
        self.unseen = 0;
        let [pan, pitch] = [0, 1].map(|axis| self.gaze[axis] + SHARE * direction[axis]);
        self.gaze = [pan.clamp(-PAN, PAN), pitch.clamp(PITCH[0], PITCH[1])];
        // The ball is to lie ahead of the paw on its side.
        let distance = REACH + HEIGHT / libm::tan((-pitch).clamp(0.05, 1.3));
        let aside = pan - libm::atan(PAW / distance).copysign(pan);
        let turn = (TURN * aside).clamp(-FASTEST_TURN, FASTEST_TURN);
        let ahead = AHEAD * (1.0 - aside.abs() / ASIDE).clamp(0.0, 1.0);
        [ahead, turn]
    }

    /// Returns a vector with the present direction of the head.
    fn posture(&self) -> CommandVector {
        let [pan, pitch] = self.gaze;
        let tilt = (NECK * pitch).min(0.0);
        let nod = (pitch - tilt).clamp(NOD[0], NOD[1]);
        let entries = self.joints.iter().zip([tilt, pan, nod]);
        let entries = entries.map(|(&joint, angle)| {
            let angle = (angle * MICRO).round() as i32;
            Commands::joint(joint, [angle; FRAMES])
        });
        CommandVector::new(entries.collect())
    }
}

/// Returns the direction of the middle of the ball in an image, to the left and upwards, rad; `None` if there is none.
fn find(image: &Image<'_>) -> Option<[f64; 2]> {
    let [width, height] = image.size(Resolution::Detected);
    let (mut count, mut sums) = (0, [0, 0]);
    // The last line is a tag.
    for row in 0..height.saturating_sub(1) {
        for column in 0..width {
            let bits = image.pixel(Resolution::Detected, 0, [column, row])?;
            if bits >> CHANNEL & 1 == 1 {
                count += 1;
                sums[0] += column;
                sums[1] += row;
            }
        }
    }
    if count < FEWEST {
        return None;
    }
    let size = [width, height];
    Some([0, 1].map(|axis| {
        let mean = sums[axis] as f64 / count as f64 + 0.5;
        (0.5 - mean / size[axis] as f64) * VIEW[axis]
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{
        image::{ColourTable, Picture, vector},
        robots::ERS7,
    };

    #[test]
    fn a_ball_is_detected_where_it_is_in_the_image() {
        let mut table = ColourTable::default();
        table.0[CHANNEL][DARKEST..].fill(PINK);
        let [width, height] = ERS7.image.map(|side| side as usize);
        let image = |at: [usize; 2]| {
            let pixels: Vec<u8> = (0..width * height)
                .flat_map(|pixel| {
                    let (x, y) = (pixel % width, pixel / width);
                    let is_ball = x.abs_diff(at[0]) < 10 && y.abs_diff(at[1]) < 10;
                    if is_ball {
                        [242, 64, 140, 255]
                    } else {
                        [26, 107, 41, 255]
                    }
                })
                .collect();
            let picture = Picture {
                size: [width, height],
                pixels: &pixels,
            };
            let region = vector(&picture, ERS7.image, (1, 0), &table).expect("an image");
            find(&Image::read(&region).expect("an image"))
        };
        let [left, up] = image([52, 40]).expect("a ball");
        // A quarter of the view from the middle.
        assert!((left - 0.25 * VIEW[0]).abs() < 0.01, "{left}");
        assert!((up - 0.25 * VIEW[1]).abs() < 0.01, "{up}");
        assert_eq!(image([1000, 1000]), None);
    }

    #[test]
    fn the_head_follows_and_the_dog_walks_where_it_looks() {
        let mut ball = Ball::default();
        let [ahead, turn] = ball.follow(Some([0.4, -0.2]));
        assert_eq!(ball.gaze, [0.1, -0.05]);
        assert!(ahead > 0.1 && turn > 0.0, "{ahead} {turn}");
        ball.gaze = [-1.0, -0.1];
        let [ahead, turn] = ball.follow(Some([0.0, 0.0]));
        assert_eq!([ahead, turn], [0.0, -FASTEST_TURN], "on the spot");
        // A ball that is lost far away is searched; one at its feet is pushed.
        assert_eq!(ball.follow(None), [0.0, -FASTEST_TURN]);
        ball.gaze = [0.2, -1.0];
        assert_eq!(ball.follow(None), [AHEAD, 0.0]);
        ball.unseen = BLIND;
        assert_eq!(ball.follow(None), [0.0, FASTEST_TURN]);
    }
}
