//! Arena of S2 and S6: walls, a hundred boxes and upright cylinders, with exact ray intersections.
use std::{
    f64::consts::{FRAC_PI_2, PI, TAU},
    fmt::Write as _,
};

use super::generator::Generator;

/// Radius of a robot, m.
const RADIUS: f64 = 0.15;
/// Height of a robot, m.
const HEIGHT: f64 = 0.3;
/// Half the height of walls and boxes, which stand on the ground, m.
const HALF_HEIGHT: f64 = 0.5;
/// Radius of the circle of each robot, m.
pub(super) const CIRCLE: f64 = 0.1;

/// A box on the ground.
#[derive(Clone, Copy, Debug)]
struct Block {
    at: [f64; 2],
    half: [f64; 2],
    yaw: f64,
}

/// A robot at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Robot {
    /// x and y, m.
    pub(super) at: [f64; 2],
    /// Heading, rad.
    pub(super) yaw: f64,
    /// 1 if it turns to the left, -1 to the right.
    pub(super) turn: f64,
}

/// The arena with its robots.
#[derive(Clone, Debug)]
pub(super) struct Arena {
    blocks: Vec<Block>,
    /// Robots at the start.
    pub(super) robots: Vec<Robot>,
}

impl Arena {
    /// Returns an arena with a number of robots, whose circles do not touch each other or boxes.
    pub(super) fn new(count: usize) -> Self {
        let crates = crates();
        let robots = robots(count, &crates);
        let mut blocks = Vec::new();
        for side in [20.1, -20.1] {
            for (at, half) in [([side, 0.0], [0.1, 20.2]), ([0.0, side], [20.2, 0.1])] {
                blocks.push(Block { at, half, yaw: 0.0 });
            }
        }
        blocks.extend(crates);
        Self { blocks, robots }
    }

    /// Returns the name of a robot and of its frame.
    pub(super) fn robot(index: usize) -> String {
        format!("robot_{index:04}")
    }

    /// Returns the text of the scene.
    pub(super) fn scene(&self) -> String {
        let mut text = "# Walls, boxes and cylinders.\n\
            class stone { shape box; color [0.8, 0.3, 0.2]; }\n\
            class robot { shape cylinder; radius 0.15; height 0.3; color [0.2, 0.4, 0.8]; }\n\
            frame ground { translation [0, 0, -0.5]; geometry { shape box; dimension [100, 100, 1]; color [0.5, 0.5, 0.5]; } }\n"
            .to_owned();
        for (index, Block { at, half, yaw }) in self.blocks.iter().enumerate() {
            let ([x, y], [length, width]) = (at, half.map(|half| 2.0 * half));
            let height = 2.0 * HALF_HEIGHT;
            writeln!(
                text,
                "frame box_{index:03} {{ translation [{x}, {y}, {HALF_HEIGHT}]; rpy [0, 0, {yaw}]; \
                 geometry {{ isa stone; dimension [{length}, {width}, {height}]; }} }}"
            )
            .ok();
        }
        for (
            index,
            Robot {
                at: [x, y], yaw, ..
            },
        ) in self.robots.iter().enumerate()
        {
            let name = Self::robot(index);
            writeln!(
                text,
                "frame {name} {{ translation [{x}, {y}, 0]; rpy [0, 0, {yaw}]; geometry {{ isa robot; }} }}"
            )
            .ok();
        }
        text
    }

    /// Returns the distance of the first hit of a ray, m; infinite without a hit. The direction is a unit vector; `robots`
    /// are the positions of the visible cylinders.
    pub(super) fn distance(
        &self,
        origin: [f64; 3],
        direction: [f64; 3],
        robots: impl Iterator<Item = [f64; 2]>,
    ) -> f64 {
        let ground = -origin[2] / direction[2];
        let mut least = if ground > 0.0 { ground } else { f64::INFINITY };
        for block in &self.blocks {
            least = least.min(block.distance(origin, direction));
        }
        for robot in robots {
            least = least.min(cylinder(robot, origin, direction));
        }
        least
    }
}

impl Block {
    fn distance(&self, origin: [f64; 3], direction: [f64; 3]) -> f64 {
        let (sine, cosine) = libm::sincos(self.yaw);
        let turned = |x: f64, y: f64| (cosine * x + sine * y, cosine * y - sine * x);
        let (x, y) = turned(origin[0] - self.at[0], origin[1] - self.at[1]);
        let (along_x, along_y) = turned(direction[0], direction[1]);
        between([
            slab(x, along_x, self.half[0]),
            slab(y, along_y, self.half[1]),
            slab(origin[2] - HALF_HEIGHT, direction[2], HALF_HEIGHT),
        ])
    }
}

/// Returns the distance of an upright cylinder on the ground along a ray.
fn cylinder(at: [f64; 2], origin: [f64; 3], direction: [f64; 3]) -> f64 {
    let (x, y) = (origin[0] - at[0], origin[1] - at[1]);
    let [along_x, along_y, along_z] = direction;
    let flat = along_x * along_x + along_y * along_y;
    let half_b = (along_x * x + along_y * y) / flat;
    let root = half_b * half_b - (x * x + y * y - RADIUS * RADIUS) / flat;
    if root.is_nan() || root <= 0.0 {
        return f64::INFINITY;
    }
    let root = root.sqrt();
    let side = [-half_b - root, -half_b + root];
    between([side, slab(origin[2] - HEIGHT / 2.0, along_z, HEIGHT / 2.0)])
}

/// Returns the distances at which a ray enters and leaves the slab from -half to half.
fn slab(from: f64, along: f64, half: f64) -> [f64; 2] {
    if along == 0.0 {
        let is_within = from.abs() <= half;
        let far = f64::INFINITY;
        return if is_within { [-far, far] } else { [far, -far] };
    }
    let (one, other) = ((-half - from) / along, (half - from) / along);
    [one.min(other), one.max(other)]
}

/// Returns the distance at which a ray enters the intersection of all intervals.
fn between<const COUNT: usize>(pairs: [[f64; 2]; COUNT]) -> f64 {
    let enters = pairs.iter().map(|pair| pair[0]).fold(f64::MIN, f64::max);
    let leaves = pairs.iter().map(|pair| pair[1]).fold(f64::MAX, f64::min);
    if enters <= leaves && enters > 0.0 {
        enters
    } else {
        f64::INFINITY
    }
}

/// Returns a hundred boxes in a grid of ten by ten, each slightly displaced.
fn crates() -> Vec<Block> {
    let mut random = Generator::new(12_345);
    let one = |index: u32| {
        let (row, column) = (f64::from(index / 10), f64::from(index % 10));
        let x = -17.1 + 3.8 * column + random.between(-0.8, 0.8);
        let y = -17.1 + 3.8 * row + random.between(-0.8, 0.8);
        let half = [random.between(0.2, 0.8), random.between(0.2, 0.8)];
        Block {
            at: [x, y],
            half,
            yaw: random.between(0.0, PI),
        }
    };
    (0..100).map(one).collect()
}

/// Returns robots on circles whose centres keep clear of boxes and of each other.
fn robots(count: usize, crates: &[Block]) -> Vec<Robot> {
    let mut random = Generator::new(777);
    let mut middles: Vec<[f64; 2]> = Vec::new();
    let mut robots = Vec::new();
    while robots.len() < count {
        let middle = [random.between(-19.5, 19.5), random.between(-19.5, 19.5)];
        let angle = random.between(0.0, TAU);
        let turn = if random.between(0.0, 1.0) < 0.5 {
            1.0
        } else {
            -1.0
        };
        let apart = |other: &[f64; 2]| libm::hypot(other[0] - middle[0], other[1] - middle[1]);
        if crates.iter().any(|block| gap(block, middle) < 0.3)
            || middles.iter().any(|other| apart(other) < 0.55)
        {
            continue;
        }
        let (sine, cosine) = libm::sincos(angle);
        middles.push(middle);
        robots.push(Robot {
            at: [middle[0] + CIRCLE * cosine, middle[1] + CIRCLE * sine],
            yaw: angle + turn * FRAC_PI_2,
            turn,
        });
    }
    robots
}

/// Returns the distance of a point from the outline of a box; 0 inside.
fn gap(block: &Block, point: [f64; 2]) -> f64 {
    let (sine, cosine) = libm::sincos(block.yaw);
    let (x, y) = (point[0] - block.at[0], point[1] - block.at[1]);
    let beside = (cosine * x + sine * y).abs() - block.half[0];
    let before = (cosine * y - sine * x).abs() - block.half[1];
    libm::hypot(beside.max(0.0), before.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests with a number of robots that fits into the arena.
    #[test]
    fn robots_are_apart() {
        let arena = Arena::new(200);
        assert_eq!(arena.robots[..10], Arena::new(10).robots);
        for (index, one) in arena.robots.iter().enumerate() {
            assert!(arena.blocks.iter().all(|block| gap(block, one.at) > RADIUS));
            for other in &arena.robots[..index] {
                let apart = libm::hypot(one.at[0] - other.at[0], one.at[1] - other.at[1]);
                assert!(apart > 2.0 * RADIUS, "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn rays_meet_what_is_nearest() {
        let arena = Arena {
            blocks: vec![Block {
                at: [3.0, 0.0],
                half: [1.0, 0.5],
                yaw: FRAC_PI_2,
            }],
            robots: Vec::new(),
        };
        let cast = |origin, direction, robots: &[[f64; 2]]| {
            arena.distance(origin, direction, robots.iter().copied())
        };
        let ahead = [1.0, 0.0, 0.0];
        // The box is rotated: half a metre thick along x, seen from its narrow side.
        assert!((cast([0.0, 0.9, 0.25], ahead, &[]) - 2.5).abs() < 1e-12);
        assert_eq!(cast([0.0, 1.1, 0.25], ahead, &[]), f64::INFINITY);
        assert_eq!(cast([0.0, 0.9, 1.25], ahead, &[]), f64::INFINITY);
        assert!((cast([0.0, 0.0, 0.25], ahead, &[[1.0, 0.0]]) - 0.85).abs() < 1e-12);
        assert!((cast([0.0, 0.0, 0.35], ahead, &[[1.0, 0.0]]) - 2.5).abs() < 1e-12);
        let down = [0.0, 0.0, -1.0];
        assert!((cast([0.0, 0.0, 2.0], down, &[]) - 2.0).abs() < 1e-12);
        assert!((cast([3.0, 0.0, 2.0], down, &[]) - 1.0).abs() < 1e-12);
    }
}
