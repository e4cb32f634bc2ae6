//! Warnings about ground robots that miss their commands, because their wheels slip or an obstacle holds them.
use std::collections::BTreeMap;

use bevy::prelude::*;
use morse_api::{
    body::{BodyState, IntendedVelocity, PlanarVelocity},
    component::{ComponentPath, Mount},
    warning::Warnings,
};
use nalgebra::Vector3;

use super::{
    PhysicsSettings,
    commanded::Commanded,
    contacts::{Contacts, Ordered},
    engine::Tables,
    suspension::Suspended,
};

/// Time for which a robot has to miss its command before there is a warning, s.
const WARNING_DELAY: f64 = 1.0;

/// Tolerated error of a velocity: a fraction of the command, and m/s or rad/s.
const TOLERANCE: [f64; 2] = [0.02, 0.005];

/// Numbers of consecutive ticks in which robots missed their commands, by the entity of the base. Used for warnings only: no
/// state of the simulation.
#[derive(Default)]
pub(super) struct Misses(BTreeMap<Entity, u32>);

/// Warns of each robot that has missed its command for a while; again only after it has reached its command.
pub(super) fn watch(
    (suspended, settings): (Res<Suspended>, Res<PhysicsSettings>),
    (tables, contacts): (Res<Tables>, Contacts<'_, '_>),
    commanded: Res<Commanded>,
    on_wheels: Query<(&Mount, &IntendedVelocity)>,
    states: Query<(&BodyState, Option<&ComponentPath>)>,
    (mut misses, mut ordered): (Local<Misses>, Local<Vec<Ordered>>),
    mut warnings: ResMut<Warnings>,
) {
    if suspended.0 {
        return;
    }
    let enough = (WARNING_DELAY * settings.rate).ceil() as u32;
    let before = std::mem::take(&mut misses.0);
    let base = |body_index: usize| tables.bodies.get(body_index).map(|row| row.entity);
    let by_contacts = commanded
        .of_rolling_robots()
        .filter_map(|(body_index, command)| Some((base(body_index)?, command.planar(), CONTACTS)));
    let by_motors = on_wheels.iter().filter_map(|(mount, intended)| {
        let PlanarVelocity { x, y, w } = intended.0?;
        Some((mount.robot, Vector3::new(x, y, w), MOTORS))
    });
    for (robot, wanted, causes) in by_contacts.chain(by_motors) {
        let Ok((state, path)) = states.get(robot) else {
            continue;
        };
        let mut reached = planar(state, None);
        // Most robots stand on what does not move.
        if is_missed(&wanted, &reached) {
            let ground = contacts.ground(robot, &mut ordered);
            let ground = ground.and_then(|ground| Some(states.get(ground).ok()?.0));
            reached = planar(state, ground);
        }
        if !is_missed(&wanted, &reached) {
            continue;
        }
        let count = before
            .get(&robot)
            .map_or(1, |count| count.saturating_add(1));
        misses.0.insert(robot, count);
        if count == enough {
            let text = format!(
                "it does not move as commanded: {} commanded, {} reached; {causes}",
                shown(&wanted),
                shown(&reached)
            );
            warnings.add(&path.cloned().unwrap_or_default(), &text);
        }
    }
}

/// Causes of a miss of a robot that is driven by its contacts, and of one that is driven by the motors of its wheels.
const CONTACTS: &str = "its wheels slip, or something holds it";
const MOTORS: &str = "its wheels slip, its motors are too weak, or something holds it";

/// Returns the velocity of the base's origin relative to the ground along x and y (m/s) and about z (rad/s), in its own axes.
fn planar(state: &BodyState, ground: Option<&BodyState>) -> Vector3<f64> {
    let origin = state.pose.translation.vector;
    let at_origin = |body: &BodyState| {
        let arm = origin - body.center_of_mass.coords;
        let linear = body.linear_velocity + body.angular_velocity.cross(&arm);
        [linear, body.angular_velocity]
    };
    let [linear, angular] = at_origin(state);
    let [along, about] = ground.map_or([Vector3::zeros(); 2], at_origin);
    let turn = state.pose.rotation.inverse();
    let [linear, angular] = [turn * (linear - along), turn * (angular - about)];
    Vector3::new(linear.x, linear.y, angular.z)
}

fn is_missed(wanted: &Vector3<f64>, reached: &Vector3<f64>) -> bool {
    let off = wanted - reached;
    let [share, least] = TOLERANCE;
    off.xy().norm() > share * wanted.xy().norm() + least
        || off.z.abs() > share * wanted.z.abs() + least
}

fn shown(velocity: &Vector3<f64>) -> String {
    let speed = velocity.xy().norm();
    format!("{speed:.3} m/s and {:.3} rad/s", velocity.z)
}

#[cfg(test)]
mod tests {
    use nalgebra::Isometry3;

    use super::*;

    #[test]
    fn velocities_are_relative_to_the_ground() {
        // A turntable with its centre at the origin: its velocity at (2, 0) is 2 m/s along y.
        let ground = BodyState {
            angular_velocity: Vector3::z(),
            ..BodyState::default()
        };
        // The robot looks along y.
        let quarter = std::f64::consts::FRAC_PI_2;
        let state = BodyState {
            pose: Isometry3::new(Vector3::x() * 2.0, Vector3::z() * quarter),
            linear_velocity: Vector3::new(0.0, 2.5, 0.0),
            angular_velocity: Vector3::z() * 1.25,
            center_of_mass: [2.0, 0.0, 0.0].into(),
            ..BodyState::default()
        };
        let near = |own: Vector3<f64>, expected: [f64; 3]| (own - Vector3::from(expected)).norm();
        assert!(near(planar(&state, None), [2.5, 0.0, 1.25]) < 1e-12);
        assert!(near(planar(&state, Some(&ground)), [0.5, 0.0, 0.25]) < 1e-12);
    }

    #[test]
    fn small_errors_are_no_misses() {
        let wanted = Vector3::new(0.5, 0.0, 0.3);
        assert!(!is_missed(&wanted, &Vector3::new(0.49, 0.0, 0.3)));
        assert!(is_missed(&wanted, &Vector3::new(0.07, 0.0, 0.3)));
        assert!(is_missed(&wanted, &Vector3::new(0.5, 0.1, 0.3)));
        assert!(is_missed(&wanted, &Vector3::new(0.5, 0.0, 0.2)));
        let still = Vector3::zeros();
        assert!(!is_missed(&still, &Vector3::repeat(1e-3)));
    }
}
