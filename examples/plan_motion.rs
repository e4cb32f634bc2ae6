//! A motion plan without collisions: an arm reaches around a post, found by a rapidly exploring random tree (RRT) on
//! the scene alone, without a simulation.
//!
//! `cargo run --example plan_motion` prints the path; `cargo test` checks it.
#![expect(clippy::print_stdout, reason = "an example talks")]
use std::{error::Error, path::Path};

use morse_sim::scene::{
    load::{LoadOptions, parse_str},
    query::{QueryError, SceneQuery},
};

/// An arm of three links in the plane, and a post in its way. Links that a hinge joins may overlap.
const SCENE: &str = "\
class link { shape box; dimension [0.46, 0.06, 0.06]; }
class hinge { type revolute; axis [0, 0, 1]; limit_position [-2.8, 2.8]; }
frame shoulder { isa hinge; variable q1;
  frame arm_1 { translation [0.25, 0, 0]; geometry { isa link; } }
  frame elbow { isa hinge; variable q2; translation [0.5, 0, 0];
    frame arm_2 { translation [0.25, 0, 0]; geometry { isa link; } }
    frame wrist { isa hinge; variable q3; translation [0.5, 0, 0];
      frame arm_3 { translation [0.25, 0, 0]; geometry { isa link; } }
      frame tool { translation [0.5, 0, 0]; } } } }
frame post { translation [0.9, 0, 0]; geometry { shape cylinder; radius 0.15; height 0.5; } }
allow_collision arm_1 arm_2;
allow_collision arm_2 arm_3;
";

type Configuration = Vec<f64>;

/// Step of the tree, rad.
const STEP: f64 = 0.1;

/// A random tree: configurations, each with the index of its parent.
struct Tree(Vec<(Configuration, usize)>);

/// Pseudo-random numbers from 0 to 1 (Marsaglia's xorshift).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn distance(one: &[f64], other: &[f64]) -> f64 {
    let squares = one.iter().zip(other).map(|(a, b)| (a - b) * (a - b));
    squares.sum::<f64>().sqrt()
}

/// Returns the configuration one step from another one towards a target, or the target if it is nearer.
fn towards(from: &[f64], target: &[f64]) -> Configuration {
    let share = (STEP / distance(from, target)).min(1.0);
    let moved = from.iter().zip(target);
    moved.map(|(from, to)| from + (to - from) * share).collect()
}

impl Tree {
    fn nearest(&self, target: &[f64]) -> usize {
        let distances = self.0.iter().map(|(known, _)| distance(known, target));
        let nearest = distances
            .enumerate()
            .min_by(|one, other| one.1.total_cmp(&other.1));
        nearest.map_or(0, |(index, _)| index)
    }

    /// Grows towards a target as far as there is no collision, and returns the index of the last configuration.
    fn grow(&mut self, target: &[f64], query: &SceneQuery) -> Result<usize, QueryError> {
        let mut last = self.nearest(target);
        loop {
            let next = towards(&self.0[last].0, target);
            let is_there = distance(&self.0[last].0, target) == 0.0;
            if is_there || !query.collisions(&next)?.is_empty() {
                return Ok(last);
            }
            self.0.push((next, last));
            last = self.0.len() - 1;
        }
    }

    fn path_to(&self, mut index: usize) -> Vec<Configuration> {
        let mut path = vec![self.0[index].0.clone()];
        while index != 0 {
            index = self.0[index].1;
            path.push(self.0[index].0.clone());
        }
        path.reverse();
        path
    }
}

/// Returns a path without collisions from one configuration to another one; `None` if none is found.
fn plan(
    query: &SceneQuery,
    start: &[f64],
    goal: &[f64],
) -> Result<Option<Vec<Configuration>>, QueryError> {
    let mut numbers = Numbers(7);
    let mut tree = Tree(vec![(start.to_vec(), 0)]);
    for _ in 0..2_000 {
        let limits = query.limits().iter();
        let sample: Configuration = limits
            .map(|[lower, upper]| lower + (upper - lower) * numbers.next())
            .collect();
        tree.grow(&sample, query)?;
        let last = tree.grow(goal, query)?;
        if distance(&tree.0[last].0, goal) == 0.0 {
            return Ok(Some(tree.path_to(last)));
        }
    }
    Ok(None)
}

/// Plans the motion of the tool from one side of the post to the other.
fn planned() -> Result<Vec<Configuration>, Box<dyn Error>> {
    let scene = parse_str(SCENE, "arm", Path::new("."), &LoadOptions::default())?.scene;
    let query = SceneQuery::new(&scene)?;
    let start = vec![0.9, -0.4, -0.2];
    let pose = query.pose("tool", &[-0.9, 0.4, 0.2])?;
    let goal = query.inverse("tool", &pose, &[-0.7, 0.3, 0.3])?;
    Ok(plan(&query, &start, &goal)?.ok_or("there is no path")?)
}

fn main() -> Result<(), Box<dyn Error>> {
    for configuration in planned()? {
        let values: Vec<String> = configuration
            .iter()
            .map(|value| format!("{value:6.3}"))
            .collect();
        println!("{}", values.join(" "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_passes_the_post_without_a_collision() -> Result<(), Box<dyn Error>> {
        let scene = parse_str(SCENE, "arm", Path::new("."), &LoadOptions::default())?.scene;
        let query = SceneQuery::new(&scene)?;
        let path = planned()?;
        let (first, last) = (&path[0], &path[path.len() - 1]);
        let straight: Configuration = first.iter().zip(last).map(|(a, b)| (a + b) / 2.0).collect();
        assert!(
            !query.collisions(&straight)?.is_empty(),
            "the post is in the way"
        );
        for pair in path.windows(2) {
            assert!(distance(&pair[0], &pair[1]) < STEP * 1.001);
            for step in 0..=10 {
                let share = f64::from(step) / 10.0;
                let between = pair[0].iter().zip(&pair[1]);
                let between: Configuration = between.map(|(a, b)| a + (b - a) * share).collect();
                assert!(query.collisions(&between)?.is_empty(), "{between:?}");
            }
        }
        let goal = query.pose("tool", &[-0.9, 0.4, 0.2])?;
        let reached = query.pose("tool", last)?;
        assert!((goal.translation.vector - reached.translation.vector).norm() < 1e-6);
        Ok(())
    }
}
