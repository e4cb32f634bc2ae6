//! Removal of faces that other surfaces of a mesh hide.
use nalgebra::Vector3;

use crate::{materials::Material, shell::Shell};

/// Distance by which points are moved outwards before the test, m: of two faces that coincide, both remain.
const OUTWARDS: f64 = 2e-5;

/// Direction of the rays of the test; it is parallel to no edge of the meshes.
const RAY: [f64; 3] = [0.577_123, 0.612_457, 0.540_031];

/// A closed surface, and the box around it.
struct Closed {
    triangles: Vec<[Vector3<f64>; 3]>,
    low: Vector3<f64>,
    high: Vector3<f64>,
}

/// Removes the faces of which all corners and the middle are inside of another closed surface.
pub(crate) fn remove(parts: &mut [(Material, Shell)]) {
    let mut all: Vec<Closed> = Vec::new();
    let mut numbers: Vec<Vec<usize>> = Vec::new();
    for (_, shell) in parts.iter() {
        let (surfaces, own) = closed(shell);
        numbers.push(own.iter().map(|number| number + all.len()).collect());
        all.extend(surfaces);
    }
    for ((_, shell), numbers) in parts.iter_mut().zip(&numbers) {
        let points = &shell.points;
        let mut numbers = numbers.iter();
        shell.faces.retain(|face| {
            let own = numbers.next();
            let [a, b, c] = face.map(|corner| points[corner]);
            let out = (b - a).cross(&(c - a)).normalize() * OUTWARDS;
            let marks = [a, b, c, (a + b + c) / 3.0].map(|mark| mark + out);
            !all.iter().enumerate().any(|(number, other)| {
                Some(&number) != own && marks.iter().all(|mark| other.contains(mark))
            })
        });
    }
}

/// Divides a shell into surfaces that are connected, and returns the index of the surface of each face.
fn closed(shell: &Shell) -> (Vec<Closed>, Vec<usize>) {
    let mut parents: Vec<usize> = (0..shell.points.len()).collect();
    for face in &shell.faces {
        let [a, b, c] = face.map(|corner| root(&parents, corner));
        let least = a.min(b).min(c);
        for corner in [a, b, c] {
            parents[corner] = least;
        }
    }
    let mut roots: Vec<usize> = Vec::new();
    let mut surfaces: Vec<Closed> = Vec::new();
    let mut numbers = Vec::new();
    for face in &shell.faces {
        let root = root(&parents, face[0]);
        let number = roots.iter().position(|known| *known == root);
        let number = number.unwrap_or_else(|| {
            roots.push(root);
            surfaces.push(Closed {
                triangles: Vec::new(),
                low: Vector3::repeat(f64::INFINITY),
                high: Vector3::repeat(f64::NEG_INFINITY),
            });
            roots.len() - 1
        });
        numbers.push(number);
        let corners = face.map(|corner| shell.points[corner]);
        let surface = &mut surfaces[number];
        surface.triangles.push(corners);
        for corner in corners {
            surface.low = surface.low.inf(&corner);
            surface.high = surface.high.sup(&corner);
        }
    }
    (surfaces, numbers)
}

fn root(parents: &[usize], mut index: usize) -> usize {
    while parents[index] != index {
        index = parents[index];
    }
    index
}

impl Closed {
    /// True if a point is inside: a ray from there leaves the surface once more than it enters it.
    fn contains(&self, point: &Vector3<f64>) -> bool {
        let is_near =
            (0..3).all(|axis| point[axis] >= self.low[axis] && point[axis] <= self.high[axis]);
        let crossings = self
            .triangles
            .iter()
            .map(|triangle| crossing(point, triangle));
        is_near && crossings.sum::<i32>() > 0
    }
}

/// Returns 1 if a ray leaves through a triangle, -1 if it enters, and 0 if it misses (Möller and Trumbore, 1997).
fn crossing(from: &Vector3<f64>, [a, b, c]: &[Vector3<f64>; 3]) -> i32 {
    let ray = Vector3::from(RAY);
    let [ab, ac] = [b - a, c - a];
    let side = ray.cross(&ac);
    let determinant = ab.dot(&side);
    if determinant == 0.0 {
        return 0;
    }
    let offset = from - a;
    let u = offset.dot(&side) / determinant;
    let turned = offset.cross(&ab);
    let v = ray.dot(&turned) / determinant;
    let distance = ac.dot(&turned) / determinant;
    if u < 0.0 || v < 0.0 || u + v > 1.0 || distance <= 0.0 {
        0
    } else if ab.cross(&ac).dot(&ray) > 0.0 {
        1
    } else {
        -1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        materials::{RED, WHITE},
        solids::block,
    };

    #[test]
    fn faces_inside_of_another_surface_disappear() {
        let large = block([1.0; 3], 0.0);
        let small = block([0.2; 3], 0.0);
        for (x, left) in [(0.0, 0), (0.5, 10), (2.0, 12)] {
            let mut parts = [(RED, large.clone()), (WHITE, small.clone().at(x, 0.0, 0.0))];
            remove(&mut parts);
            assert_eq!(parts[0].1.faces.len(), 12, "{x}");
            assert_eq!(parts[1].1.faces.len(), left, "{x}");
        }
        // The same, in one shell.
        let mut parts = [(RED, large.clone().and(&small))];
        remove(&mut parts);
        assert_eq!(parts[0].1.faces.len(), 12);
    }
}
