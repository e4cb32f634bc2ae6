//! Contacts along a line, as of a tyre on the ground.
use std::mem;

use morse_mechanisms::island::Contact;
use nalgebra::{UnitQuaternion, Vector3};

use super::contact_point::ContactPoint;

/// Feature ids of ends and middle, which the engine does not use.
const NAMES: [u32; 3] = [u32::MAX - 2, u32::MAX - 1, u32::MAX];

/// Stiffness of ends and middle: a line that is loaded evenly presses with a quarter on each end and a half on the middle
/// (trapezoidal rule), and turns against the friction of the line.
const SHARES: [f64; 3] = [0.75, 1.5, 0.75];

/// Difference of depth at the two ends that counts as zero, m: it is within the engine's rounding, and a stiff body would
/// rest on one end and then on the other.
const PLAY: f64 = 1e-5;

/// A direction that is not perpendicular to any common axis of a line.
const ACROSS: Vector3<f64> = Vector3::new(1.0, 0.618, 0.414);

/// Maximum distance of points from a line, relative to its length.
const STRAIGHT: f64 = 1e-2;

/// Replaces collinear points of a manifold, from this index on, by its ends and its middle.
///
/// The engine reports two ends and points between them, with changing ids. A tyre turns about the point that does not slide:
/// that should be its middle. The ends are distinguished by their order in a body with this rotation.
pub(super) fn spread(contacts: &mut Vec<ContactPoint>, from: usize, turn: &UnitQuaternion<f64>) {
    let Some(ends) = ends(&contacts[from..]) else {
        return;
    };
    let [mut one, mut two] = ends.map(|index| contacts[from + index]);
    let along = turn.inverse() * (two.contact.point - one.contact.point);
    if along.dot(&ACROSS) < 0.0 {
        mem::swap(&mut one, &mut two);
    }
    let tilt = two.contact.distance - one.contact.distance;
    let play = tilt.clamp(-PLAY, PLAY) / 2.0;
    one.contact.distance += play;
    two.contact.distance -= play;
    contacts.truncate(from);
    contacts.extend([one, halfway(&one, &two), two]);
    let points = NAMES.into_iter().zip(SHARES);
    for (touch, (name, share)) in contacts[from..].iter_mut().zip(points) {
        touch.key.features = [name; 2];
        touch.contact.share = share;
    }
}

/// Returns the indices of the two ends of collinear points.
fn ends(points: &[ContactPoint]) -> Option<[usize; 2]> {
    let apart = |one: usize, two: usize| points[two].contact.point - points[one].contact.point;
    let indices = 0..points.len();
    let pairs = indices.flat_map(|two| (0..two).map(move |one| [one, two]));
    let length = |[one, two]: [usize; 2]| apart(one, two).norm_squared();
    let [one, two] = pairs.max_by(|a, b| length(*a).total_cmp(&length(*b)))?;
    let along = apart(one, two);
    let off = |index: usize| along.cross(&apart(one, index)).norm();
    let is_straight = |index| off(index) <= STRAIGHT * along.norm_squared();
    (0..points.len()).all(is_straight).then_some([one, two])
}

fn halfway(one: &ContactPoint, two: &ContactPoint) -> ContactPoint {
    let mean =
        |number: fn(&Contact) -> Vector3<f64>| (number(&one.contact) + number(&two.contact)) / 2.0;
    ContactPoint {
        contact: Contact {
            point: mean(|contact| contact.point),
            distance: f64::midpoint(one.contact.distance, two.contact.distance),
            tangent_velocity: mean(|contact| contact.tangent_velocity),
            ..one.contact
        },
        ..*one
    }
}

#[cfg(test)]
mod tests {
    use morse_mechanisms::island::Side;

    use super::*;

    fn touch(point: [f64; 3], distance: f64) -> ContactPoint {
        ContactPoint {
            key: super::super::contact_point::Key::default(),
            bodies: [0, 1],
            driven: None,
            contact: Contact {
                sides: [Side::Prescribed(Vector3::zeros()); 2],
                friction_sides: [Side::Prescribed(Vector3::zeros()); 2],
                point: point.into(),
                normal: Vector3::z(),
                distance,
                friction: 0.5,
                restitution: 0.0,
                tangent_velocity: Vector3::zeros(),
                share: 1.0,
                impulse: Vector3::zeros(),
                separation_velocity: None,
                slip: None,
            },
        }
    }

    #[test]
    fn points_along_a_line_become_its_ends_and_its_middle() {
        let mut contacts = vec![
            touch([9.0, 9.0, 9.0], 0.0),
            touch([1.0, 0.25, 0.0], -1e-4),
            touch([1.0, 0.5, 0.0], -1e-4),
            touch([1.0, 0.75, 0.0], -3e-4),
        ];
        let ends =
            |contacts: &[ContactPoint]| contacts.iter().map(|at| at.contact.point.y).collect();
        let none = UnitQuaternion::identity();
        let mut turned = contacts.clone();
        contacts.swap(1, 3);
        spread(&mut contacts, 1, &none);
        let points: Vec<f64> = ends(&contacts[1..]);
        assert_eq!(
            points,
            [0.25, 0.5, 0.75],
            "ends and middle, whatever their order was"
        );
        let depths = contacts[1..].iter().map(|at| -at.contact.distance);
        let expected = [1e-4 + PLAY / 2.0, 2e-4, 3e-4 - PLAY / 2.0];
        assert!(depths.zip(expected).all(|(a, b)| (a - b).abs() < 1e-12));
        assert!(contacts[1].key < contacts[2].key, "a name of its own");
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::PI);
        spread(&mut turned, 1, &turn);
        let points: Vec<f64> = ends(&turned[1..]);
        assert_eq!(points, [0.75, 0.5, 0.25], "ends are those of the body");
    }

    #[test]
    fn faces_and_single_points_stay_as_they_are() {
        let face = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let mut contacts = face.map(|point| touch(point, 0.0)).to_vec();
        let none = UnitQuaternion::identity();
        spread(&mut contacts, 0, &none);
        assert_eq!(contacts.len(), 3);
        contacts.truncate(1);
        spread(&mut contacts, 0, &none);
        assert_eq!(contacts.len(), 1);
    }
}
