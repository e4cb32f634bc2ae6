//! Points of a manifold that count: at most four.
use bevy_rapier3d::rapier::utils::OrthonormalBasis as _;

use super::Manifold;

/// Maximum number of points of a face that count.
pub(super) const MOST: usize = 4;

/// Points that count.
pub(super) struct Choice {
    indices: [usize; MOST],
    count: usize,
}

impl Choice {
    /// Returns the indices of the points, in the order of their positions on the face.
    pub(super) fn points(&self) -> &[usize] {
        &self.indices[..self.count]
    }
}

/// Chooses points of a manifold: of more than four the deepest, the farthest from it, and the farthest ones beside these two,
/// within the distance of prediction (m).
pub(super) fn choose(manifold: &Manifold, prediction: f32) -> Choice {
    let points = &manifold.points;
    let mut indices = [0, 1, 2, 3];
    let mut count = points.len().min(MOST);
    if points.len() > MOST {
        count = choose_of_many(manifold, prediction, &mut indices);
    }
    if count > 1 {
        let [along, across] = manifold.local_n1.orthonormal_basis();
        let coordinates = |point: &usize| {
            let at = points[*point].local_p1;
            [at.dot(along), at.dot(across)]
        };
        indices[..count].sort_by(|one, two| {
            let ([a, b], [c, d]) = (coordinates(one), coordinates(two));
            a.total_cmp(&c).then(b.total_cmp(&d))
        });
    }
    Choice { indices, count }
}

/// Chooses at most four of many points, and returns their number.
fn choose_of_many(manifold: &Manifold, prediction: f32, chosen: &mut [usize; MOST]) -> usize {
    let points = &manifold.points;
    let at = |point: usize| points[point].local_p1;
    let first = |best: fn(f32, f32) -> bool, value: &dyn Fn(usize) -> Option<f32>| {
        let values = (0..points.len()).filter_map(|point| Some((point, value(point)?)));
        let better =
            |one: (usize, f32), two: (usize, f32)| if best(two.1, one.1) { two } else { one };
        values.reduce(better).map(|(point, _)| point)
    };
    let (less, more): (fn(f32, f32) -> bool, fn(f32, f32) -> bool) = (|a, b| a < b, |a, b| a > b);
    let Some(deepest) = first(less, &|point| Some(points[point].dist)) else {
        return 0;
    };
    chosen[0] = deepest;
    let counts = |point: usize| points[point].dist <= prediction;
    let apart = |point: usize| (at(point) - at(deepest)).length_squared();
    let of_others = |point: usize| (point != deepest && counts(point)).then(|| apart(point));
    let Some(farthest) = first(more, &of_others).filter(|point| apart(*point) > 0.0) else {
        return 1;
    };
    chosen[1] = farthest;
    let aside = (at(farthest) - at(deepest)).cross(manifold.local_n1);
    let beside = |point: usize| {
        let is_other = point != deepest && point != farthest && counts(point);
        is_other.then(|| (at(point) - at(deepest)).dot(aside))
    };
    let (Some(least), Some(most)) = (first(less, &beside), first(more, &beside)) else {
        return 2;
    };
    (chosen[2], chosen[3]) = (least, most);
    if least == most { 3 } else { 4 }
}
