//! Prisms over polygons, and other surfaces that descriptions write out.

use std::fmt::Write as _;

use earcut::Earcut;
use morse_scene::model::{MeshFile, Shape, inline};

/// Maximum number of points of the outlines of a prism.
pub(crate) const MOST_POINTS: usize = 10_000;

/// Returns a mesh with these vertices and triangles, which is part of the scene.
pub(crate) fn surface(name: &str, vertices: &[[f64; 3]], faces: &[[usize; 3]]) -> Shape {
    let mut text = String::new();
    for [x, y, z] in vertices {
        // Meshes have single precision.
        let [x, y, z] = [*x as f32, *y as f32, *z as f32];
        writeln!(text, "v {x} {y} {z}").ok();
    }
    for face in faces {
        let [a, b, c] = face.map(|index| index + 1);
        writeln!(text, "f {a} {b} {c}").ok();
    }
    Shape::Mesh(MeshFile {
        file: name.to_owned(),
        resolved: inline(name, &text),
    })
}

/// A prism over polygons in the plane z = 0.
pub(crate) struct Prism {
    /// Surface of the prism.
    pub(crate) shape: Shape,
    /// True if the prism is convex.
    pub(crate) is_convex: bool,
}

/// Returns the prism from z = 0 to a height over some outlines. Outlines within others are their holes. `None` if the
/// outlines enclose no area.
pub(crate) fn prism(outlines: &[Vec<[f64; 2]>], height: f64) -> Option<Prism> {
    let rings: Vec<Vec<[f64; 2]>> = outlines
        .iter()
        .map(|ring| without_repetition(ring))
        .collect();
    let depth = |index: usize| {
        let point = rings.get(index).and_then(|ring| ring.first());
        let others = rings
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != index);
        others
            .filter(|(_, ring)| point.is_some_and(|point| contains(ring, *point)))
            .map(|(other, _)| other)
            .collect::<Vec<usize>>()
    };
    let around: Vec<Vec<usize>> = (0..rings.len()).map(depth).collect();
    let mut mesh = Mesh::default();
    for (index, ring) in rings.iter().enumerate() {
        let level = around.get(index)?.len();
        if level % 2 == 1 {
            continue;
        }
        let is_hole = |other: &usize| {
            let above = around.get(*other);
            above.is_some_and(|above| above.len() == level + 1 && above.contains(&index))
        };
        let holes = (0..rings.len()).filter(is_hole);
        let holes: Vec<&[[f64; 2]]> = holes
            .filter_map(|index| rings.get(index).map(Vec::as_slice))
            .collect();
        mesh.add(ring, &holes, height);
    }
    let is_convex = match rings.as_slice() {
        [ring] => turns_one_way(ring),
        _ => false,
    };
    (!mesh.faces.is_empty()).then(|| Prism {
        shape: surface("polyline", &mesh.vertices, &mesh.faces),
        is_convex,
    })
}

/// Surface under construction.
#[derive(Default)]
struct Mesh {
    vertices: Vec<[f64; 3]>,
    faces: Vec<[usize; 3]>,
}

impl Mesh {
    /// Adds the prism over a polygon with holes.
    fn add(&mut self, outer: &[[f64; 2]], holes: &[&[[f64; 2]]], height: f64) {
        if outer.len() < 3 || area(outer).abs() <= 0.0 {
            return;
        }
        let mut points = counterclockwise(outer.to_vec(), true);
        let mut starts: Vec<usize> = Vec::new();
        let mut rings = Vec::new();
        rings.push(0..points.len());
        for hole in holes.iter().filter(|hole| hole.len() >= 3) {
            starts.push(points.len());
            let start = points.len();
            points.extend(counterclockwise(hole.to_vec(), false));
            rings.push(start..points.len());
        }
        let mut corners: Vec<usize> = Vec::new();
        Earcut::new().earcut(points.iter().copied(), &starts, &mut corners);
        let (first, count) = (self.vertices.len(), points.len());
        for z in [0.0, height] {
            self.vertices
                .extend(points.iter().map(|[x, y]| [*x, *y, z]));
        }
        for triangle in corners.as_chunks::<3>().0 {
            let ends = triangle.map(|index| points.get(index).copied().unwrap_or_default());
            let [a, b, c] = match area(&ends) >= 0.0 {
                true => *triangle,
                false => [triangle[0], triangle[2], triangle[1]],
            };
            self.faces.push([first + a, first + c, first + b]);
            self.faces.push([a, b, c].map(|at| first + count + at));
        }
        for ring in rings {
            let (start, length) = (ring.start, ring.len());
            for at in ring {
                let next = start + (at + 1 - start) % length;
                let [a, b] = [first + at, first + next];
                self.faces.push([a, b, b + count]);
                self.faces.push([a, b + count, a + count]);
            }
        }
    }
}

/// Returns an outline whose last point is not its first one, and without points that follow themselves.
fn without_repetition(ring: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut kept = ring.to_vec();
    kept.dedup();
    while kept.len() > 1 && kept.first() == kept.last() {
        kept.pop();
    }
    kept
}

/// Returns the area of a polygon; negative if its points run clockwise.
fn area(ring: &[[f64; 2]]) -> f64 {
    let next = ring.iter().cycle().skip(1);
    let crosses = ring.iter().zip(next).map(|([a, b], [c, d])| a * d - b * c);
    crosses.sum::<f64>() / 2.0
}

fn counterclockwise(mut ring: Vec<[f64; 2]>, is_wanted: bool) -> Vec<[f64; 2]> {
    if (area(&ring) > 0.0) != is_wanted {
        ring.reverse();
    }
    ring
}

/// True if a polygon contains a point: a ray from it crosses an odd number of edges.
fn contains(ring: &[[f64; 2]], [x, y]: [f64; 2]) -> bool {
    let next = ring.iter().cycle().skip(1);
    let crossed = ring
        .iter()
        .zip(next)
        .filter(|&(&[a, b], &[c, d])| (b > y) != (d > y) && x < (c - a) * (y - b) / (d - b) + a);
    crossed.count() % 2 == 1
}

/// True if a polygon is convex.
fn turns_one_way(ring: &[[f64; 2]]) -> bool {
    let sign = area(ring).signum();
    let corners = ring.iter().zip(ring.iter().cycle().skip(1));
    let mut corners = corners.zip(ring.iter().cycle().skip(2));
    corners.all(|(([a, b], [c, d]), [e, f])| sign * ((c - a) * (f - d) - (d - b) * (e - c)) >= 0.0)
}

#[cfg(test)]
mod tests {
    use morse_scene::model::inlined;

    use super::*;

    /// Volume enclosed by the surface of a prism.
    fn volume(prism: &Prism) -> f64 {
        let Shape::Mesh(mesh) = &prism.shape else {
            panic!("a mesh");
        };
        let text = inlined(&mesh.resolved).unwrap();
        let numbers = |line: &str| -> Vec<f64> {
            line.split(' ')
                .skip(1)
                .map(|word| word.parse().unwrap())
                .collect()
        };
        let lines =
            |letter: &'static str| text.lines().filter(move |line| line.starts_with(letter));
        let vertices: Vec<Vec<f64>> = lines("v").map(numbers).collect();
        let corner = |index: f64| {
            let [x, y, z] = vertices[index as usize - 1][..] else {
                panic!("three coordinates");
            };
            nalgebra::Vector3::new(x, y, z)
        };
        let signed_volume = |face: Vec<f64>| {
            let [a, b, c] = [face[0], face[1], face[2]].map(corner);
            a.dot(&b.cross(&c)) / 6.0
        };
        lines("f").map(|line| signed_volume(numbers(line))).sum()
    }

    #[test]
    fn prisms_have_their_volumes() {
        let square = |half: f64| vec![[-half, -half], [half, -half], [half, half], [-half, half]];
        let turned = |half: f64| square(half).into_iter().rev().collect::<Vec<_>>();
        let mut closed = square(1.0);
        closed.push(closed[0]);
        for outlines in [vec![square(1.0)], vec![turned(1.0)], vec![closed]] {
            let prism = prism(&outlines, 0.5).unwrap();
            assert!(prism.is_convex && (volume(&prism) - 2.0).abs() < 1e-6);
        }
        let letter = vec![
            [0.0, 0.0],
            [3.0, 0.0],
            [3.0, 1.0],
            [1.0, 1.0],
            [1.0, 2.0],
            [0.0, 2.0],
        ];
        let letter = prism(&[letter], 2.0).unwrap();
        assert!(!letter.is_convex && (volume(&letter) - 8.0).abs() < 1e-6);
        // A frame, with an island in its hole; the order does not matter.
        let nested = prism(&[turned(1.0), square(3.0), square(2.0)], 1.0).unwrap();
        assert!(!nested.is_convex && (volume(&nested) - (36.0 - 16.0 + 4.0)).abs() < 1e-5);
    }

    #[test]
    fn lines_and_points_are_no_prisms() {
        for flat in [
            vec![],
            vec![[0.0, 0.0]],
            vec![[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]],
        ] {
            assert!(prism(&[flat], 1.0).is_none());
        }
        assert!(prism(&[], 1.0).is_none());
    }
}
