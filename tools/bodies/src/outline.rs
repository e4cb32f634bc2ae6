//! Closed outlines in a plane.
use std::f64::consts::TAU;

/// Corners of a polygon, counter-clockwise.
pub(crate) type Outline = Vec<[f64; 2]>;

/// Returns a regular polygon.
pub(crate) fn circle(radius: f64, count: u32) -> Outline {
    let corner = |index| {
        let (sin, cos) = libm::sincos(TAU * f64::from(index) / f64::from(count));
        [radius * cos, radius * sin]
    };
    (0..count).map(corner).collect()
}

/// Returns a superellipse with these half axes: an ellipse for the exponent 2, nearly a rectangle for 8.
pub(crate) fn superellipse(half: [f64; 2], exponent: f64, count: u32) -> Outline {
    let power = |value: f64| libm::copysign(libm::pow(value.abs(), 2.0 / exponent), value);
    let corner = |index| {
        let (sin, cos) = libm::sincos(TAU * (f64::from(index) + 0.5) / f64::from(count));
        [half[0] * power(cos), half[1] * power(sin)]
    };
    (0..count).map(corner).collect()
}

/// Returns a polygon whose corners are rounded with arcs of `steps` segments.
pub(crate) fn rounded(corners: &[[f64; 2]], radius: f64, steps: u32) -> Outline {
    let count = corners.len();
    let mut outline = Vec::new();
    for index in 0..count {
        let [before, here, after] =
            [count - 1, 0, 1].map(|offset| corners[(index + offset) % count]);
        let [to_before, to_after] = [toward(here, before), toward(here, after)];
        let cosine = to_before.0[0] * to_after.0[0] + to_before.0[1] * to_after.0[1];
        let half = libm::acos(cosine.clamp(-1.0, 1.0)) / 2.0;
        let cut = (radius / libm::tan(half)).min(0.45 * to_before.1.min(to_after.1));
        // A quadratic Bézier curve approximates the arc.
        let [start, end] = [to_before.0, to_after.0]
            .map(|direction| [here[0] + direction[0] * cut, here[1] + direction[1] * cut]);
        for step in 0..=steps {
            let t = f64::from(step) / f64::from(steps);
            outline.push([0, 1].map(|axis| {
                (1.0 - t) * (1.0 - t) * start[axis]
                    + 2.0 * t * (1.0 - t) * here[axis]
                    + t * t * end[axis]
            }));
        }
    }
    outline
}

/// Returns a rectangle with rounded corners.
pub(crate) fn rectangle(width: f64, height: f64, radius: f64) -> Outline {
    let [x, y] = [width / 2.0, height / 2.0];
    rounded(&[[x, -y], [x, y], [-x, y], [-x, -y]], radius, 4)
}

/// Returns the direction from one point to another, and their distance.
fn toward(from: [f64; 2], to: [f64; 2]) -> ([f64; 2], f64) {
    let direction = [to[0] - from[0], to[1] - from[1]];
    let length = libm::hypot(direction[0], direction[1]);
    (direction.map(|value| value / length), length)
}

/// Returns an outline that is moved inwards by a distance.
pub(crate) fn inset(outline: &[[f64; 2]], distance: f64) -> Outline {
    let count = outline.len();
    let corner = |index: usize| {
        let [before, here, after] =
            [count - 1, 0, 1].map(|offset| outline[(index + offset) % count]);
        let normals = [(before, here), (here, after)].map(|(from, to)| {
            let ([x, y], _) = toward(from, to);
            [-y, x]
        });
        let sum = [0, 1].map(|axis| normals[0][axis] + normals[1][axis]);
        let square = (sum[0] * sum[0] + sum[1] * sum[1]).max(0.5);
        [0, 1].map(|axis| here[axis] + 2.0 * distance * sum[axis] / square)
    };
    (0..count).map(corner).collect()
}

/// Divides a polygon into triangles by cutting ears.
pub(crate) fn triangles(outline: &[[f64; 2]]) -> Vec<[usize; 3]> {
    let mut left: Vec<usize> = (0..outline.len()).collect();
    let mut triangles = Vec::new();
    while left.len() > 3 {
        let count = left.len();
        let ear = (0..count).find(|index| {
            let corners = [count - 1, 0, 1].map(|offset| left[(index + offset) % count]);
            is_ear(outline, &left, corners)
        });
        let index = ear.unwrap_or(0);
        triangles.push([count - 1, 0, 1].map(|offset| left[(index + offset) % count]));
        left.remove(index);
    }
    if let [a, b, c] = left[..] {
        triangles.push([a, b, c]);
    }
    triangles
}

/// Returns true if three successive corners are convex, and if their triangle contains no other corner.
fn is_ear(outline: &[[f64; 2]], left: &[usize], corners: [usize; 3]) -> bool {
    let [a, b, c] = corners.map(|corner| outline[corner]);
    let cross = |from: [f64; 2], to: [f64; 2], at: [f64; 2]| {
        (to[0] - from[0]) * (at[1] - from[1]) - (to[1] - from[1]) * (at[0] - from[0])
    };
    let is_inside = |at| cross(a, b, at) >= 0.0 && cross(b, c, at) >= 0.0 && cross(c, a, at) >= 0.0;
    cross(a, b, c) > 0.0
        && !left
            .iter()
            .any(|other| !corners.contains(other) && is_inside(outline[*other]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(outline: &[[f64; 2]], faces: &[[usize; 3]]) -> f64 {
        let areas = faces.iter().map(|face| {
            let [a, b, c] = face.map(|corner| outline[corner]);
            ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2.0
        });
        areas.sum()
    }

    #[test]
    fn polygons_are_divided_without_overlap() {
        // The letter L: 2 x 2 without the upper right quarter.
        let letter = [
            [0.0, 0.0],
            [2.0, 0.0],
            [2.0, 1.0],
            [1.0, 1.0],
            [1.0, 2.0],
            [0.0, 2.0],
        ];
        let faces = triangles(&letter);
        assert_eq!(faces.len(), 4);
        assert!((area(&letter, &faces) - 3.0).abs() < 1e-12);
        let smaller = inset(&letter, 0.1);
        // Half the perimeter is 4: the area decreases by 8·0.1 - 5·0.1² + 0.1².
        let left = area(&smaller, &triangles(&smaller));
        assert!((left - (3.0 - 0.8 + 0.04)).abs() < 1e-9, "{left}");
    }

    #[test]
    fn rounded_corners_cut_area() {
        let square = rectangle(2.0, 2.0, 0.5);
        let actual = area(&square, &triangles(&square));
        // A parabola cuts a sixth of the square of the radius from each corner; its segments cut a little more.
        assert!((actual - (4.0 - 4.0 * 0.25 / 6.0)).abs() < 0.03, "{actual}");
    }
}
