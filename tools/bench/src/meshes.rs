//! S4: convex meshes that fall into an open box. Measures the cost of contacts between meshes.
use std::fmt::Write as _;

use super::{
    Failed, Setup,
    generator::Generator,
    outcome::{Check, Outcome, rounded},
    steps::{self, Steps},
    stopwatch::Stopwatch,
    world::{World, awake, write},
};

/// Ticks per second.
const RATE: f64 = 60.0;
/// Distance of the bodies at the start, m.
const SPACING: f64 = 0.26;
/// Half axes of the ellipsoid that the mesh approximates, m.
const SIZE: [f64; 3] = [0.12, 0.10, 0.08];
/// Height of the box, m.
const HEIGHT: f64 = 3.0;

/// Runs the scene.
pub(super) fn run(setup: &Setup<'_>) -> Result<Outcome, Failed> {
    let heap = Heap::new(setup.n);
    write(setup, "hull.obj", &mesh())?;
    steps::measure(setup, |steps| run_with(setup, &heap, steps))
}

fn run_with(setup: &Setup<'_>, heap: &Heap, steps: Steps) -> Result<Outcome, Failed> {
    let mut world = World::new(setup, "S4", &heap.scene(), &heap.simulation(steps))?;
    let bodies = world.bodies((0..setup.n).map(name))?;
    let mut poses = vec![[0.0; 7]; setup.n];
    let ticks = setup.ticks(RATE);
    let watch = Stopwatch::start();
    for _ in 0..ticks {
        world.step()?;
        world.read_poses(&bodies, &mut poses)?;
    }
    Ok(Outcome {
        ticks,
        rate: RATE,
        bodies: setup.n,
        substeps: steps.substeps,
        variant: steps.variant(),
        load_seconds: world.load_seconds,
        time: watch.elapsed(),
        check: heap.check(&poses),
        ..Outcome::default()
    })
}

/// The box, and the bodies at the start.
struct Heap {
    /// Inner side length of the box, m.
    side: f64,
    /// Position, and quaternion as w, x, y, z.
    starts: Vec<[f64; 7]>,
}

fn name(index: usize) -> String {
    format!("stone_{index:04}")
}

impl Heap {
    fn new(count: usize) -> Self {
        let edge = (1..).find(|edge| edge * edge * edge >= count).unwrap_or(1);
        let middle = (edge - 1) as f64 / 2.0;
        let mut random = Generator::new(4_242);
        let start = |index: usize| {
            let column = (index % edge) as f64;
            let row = (index / edge % edge) as f64;
            let x = (column - middle) * SPACING + random.between(-0.02, 0.02);
            let y = (row - middle) * SPACING + random.between(-0.02, 0.02);
            let z = 0.3 + (index / (edge * edge)) as f64 * SPACING;
            let turn = [(); 4].map(|()| random.between(-1.0, 1.0));
            let length = turn.iter().map(|value| value * value).sum::<f64>().sqrt();
            let [w, i, j, k] = turn.map(|value| value / length);
            [x, y, z, w, i, j, k]
        };
        Self {
            side: SPACING * edge as f64 + 0.2,
            starts: (0..count).map(start).collect(),
        }
    }

    fn scene(&self) -> String {
        let mut text = "# Stones above a box without a lid.\n\
            class stone { mesh \"hull.obj\"; friction 0.5; }\n\
            class wall { shape box; friction 0.5; }\n\
            frame ground { translation [0, 0, -0.5]; geometry { isa wall; dimension [100, 100, 1]; } }\n"
            .to_owned();
        let (half, middle) = (self.side / 2.0, HEIGHT / 2.0);
        let (off, long) = (half + 0.1, self.side + 0.4);
        for (wall, at, size) in [
            ("east", [off, 0.0], [0.2, long]),
            ("west", [-off, 0.0], [0.2, long]),
            ("north", [0.0, off], [long, 0.2]),
            ("south", [0.0, -off], [long, 0.2]),
        ] {
            let ([x, y], [length, width]) = (at, size);
            writeln!(
                text,
                "frame {wall} {{ translation [{x}, {y}, {middle}]; geometry {{ isa wall; dimension [{length}, {width}, {HEIGHT}]; }} }}"
            )
            .ok();
        }
        for (index, [x, y, z, w, i, j, k]) in self.starts.iter().enumerate() {
            let name = name(index);
            writeln!(
                text,
                "frame {name} {{ translation [{x}, {y}, {z}]; quaternion [{i}, {j}, {k}, {w}]; mass 1; geometry {{ isa stone; }} }}"
            )
            .ok();
        }
        text
    }

    fn simulation(&self, steps: Steps) -> String {
        let steps = steps.fields();
        let text = format!(
            "// Nothing sleeps.\nSimulation(\n    scene: \"S4.robray\",\n    environment: (rate: {RATE}, {steps}),\n"
        );
        text + &awake((0..self.starts.len()).map(name))
    }

    /// Checks that all bodies are in the box.
    fn check(&self, poses: &[[f64; 7]]) -> Check {
        let half = self.side / 2.0;
        // The initial lattice of many bodies is higher than the box.
        let highest = self
            .starts
            .iter()
            .map(|start| start[2])
            .fold(HEIGHT, f64::max);
        let is_inside = |pose: &&[f64; 7]| {
            pose[0].abs() < half && pose[1].abs() < half && pose[2] > 0.0 && pose[2] < highest
        };
        let inside = poses.iter().filter(is_inside).count();
        let mean = poses.iter().map(|pose| pose[2]).sum::<f64>() / poses.len().max(1) as f64;
        let start =
            self.starts.iter().map(|start| start[2]).sum::<f64>() / self.starts.len().max(1) as f64;
        Check::new(inside == self.starts.len() && mean < start)
            .with("inside", inside)
            .with("of", self.starts.len())
            .with("mean_z", rounded(mean, 6))
    }
}

/// Faces of an icosahedron by the indices of its vertices.
const ICOSAHEDRON: [[usize; 3]; 20] = [
    [0, 11, 5],
    [0, 5, 1],
    [0, 1, 7],
    [0, 7, 10],
    [0, 10, 11],
    [1, 5, 9],
    [5, 11, 4],
    [11, 10, 2],
    [10, 7, 6],
    [7, 1, 8],
    [3, 9, 4],
    [3, 4, 2],
    [3, 2, 6],
    [3, 6, 8],
    [3, 8, 9],
    [4, 9, 5],
    [2, 4, 11],
    [6, 2, 10],
    [8, 6, 7],
    [9, 8, 1],
];

/// Returns an icosahedron, subdivided once, on an ellipsoid, as an OBJ file: 42 vertices, 80 faces.
fn mesh() -> String {
    let golden = (1.0 + 5_f64.sqrt()) / 2.0;
    let mut corners: Vec<[f64; 3]> = Vec::new();
    for turn in 0..3 {
        for (one, other) in [
            (-1.0, golden),
            (1.0, golden),
            (-1.0, -golden),
            (1.0, -golden),
        ] {
            let mut corner = [one, other, 0.0];
            corner.rotate_right(turn);
            corners.push(on_sphere(corner));
        }
    }
    let mut halves: Vec<[usize; 2]> = Vec::new();
    let mut half = |corners: &mut Vec<[f64; 3]>, one: usize, other: usize| {
        let edge = [one.min(other), one.max(other)];
        if let Some(index) = halves.iter().position(|known| *known == edge) {
            return 12 + index;
        }
        halves.push(edge);
        let (one, other) = (corners[one], corners[other]);
        corners.push(on_sphere(std::array::from_fn(|axis| {
            one[axis] + other[axis]
        })));
        corners.len() - 1
    };
    let mut faces = Vec::new();
    for [a, b, c] in ICOSAHEDRON {
        let x = half(&mut corners, a, b);
        let y = half(&mut corners, b, c);
        let z = half(&mut corners, c, a);
        faces.extend([[a, x, z], [b, y, x], [c, z, y], [x, y, z]]);
    }
    let mut text = "# A coarse ellipsoid.\n".to_owned();
    for corner in corners {
        let [x, y, z] = std::array::from_fn(|axis: usize| corner[axis] * SIZE[axis]);
        writeln!(text, "v {x:.9} {y:.9} {z:.9}").ok();
    }
    for [a, b, c] in faces.into_iter().map(|face| face.map(|at| at + 1)) {
        writeln!(text, "f {a} {b} {c}").ok();
    }
    text
}

fn on_sphere(point: [f64; 3]) -> [f64; 3] {
    let length = point.iter().map(|value| value * value).sum::<f64>().sqrt();
    point.map(|value| value / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mesh_is_a_closed_ellipsoid() {
        let text = mesh();
        let rows = |word: &str| -> Vec<Vec<f64>> {
            let lines = text.lines().filter_map(|line| line.strip_prefix(word));
            let numbers = |line: &str| {
                line.split_whitespace()
                    .map(|word| word.parse().unwrap())
                    .collect()
            };
            lines.map(numbers).collect()
        };
        let (corners, faces) = (rows("v "), rows("f "));
        assert_eq!((corners.len(), faces.len()), (42, 80));
        for corner in &corners {
            let off: f64 = corner
                .iter()
                .zip(SIZE)
                .map(|(value, size)| (value / size).powi(2))
                .sum();
            assert!((off - 1.0).abs() < 1e-6, "{corner:?}");
        }
        // Each edge belongs to two faces, once in each direction; all faces are oriented outwards.
        let mut edges = std::collections::BTreeSet::new();
        for face in &faces {
            let [a, b, c] = [0, 1, 2].map(|index| face[index] as usize - 1);
            for edge in [(a, b), (b, c), (c, a)] {
                assert!(edges.insert(edge), "{edge:?} twice");
            }
            let point = |index: usize| nalgebra::Vector3::from_row_slice(&corners[index]);
            let normal = (point(b) - point(a)).cross(&(point(c) - point(a)));
            assert!(normal.dot(&point(a)) > 0.0, "{face:?}");
        }
        assert!(edges.iter().all(|(a, b)| edges.contains(&(*b, *a))));
    }

    #[test]
    fn bodies_outside_of_the_box_fail() {
        let heap = Heap::new(9);
        let mut poses = heap.starts.clone();
        poses.iter_mut().for_each(|pose| pose[2] -= 0.05);
        assert!(heap.check(&poses).passed);
        assert!(!heap.check(&heap.starts).passed, "nothing fell");
        for (axis, off) in [(0, 1.0), (1, -1.0), (2, -1.0), (2, 3.0), (2, f64::NAN)] {
            let mut poses = poses.clone();
            poses[4][axis] += off;
            assert!(!heap.check(&poses).passed, "{axis} {off}");
        }
    }
}
