//! Warnings about ground robots that miss their commands, because their wheels slip or an obstacle holds them.
use std::collections::BTreeMap;

use bevy::prelude::*;
use morse_api::{body::BodyState, component::ComponentPath, warning::Warnings};
use nalgebra::Vector3;

use super::{PhysicsSettings, drives::Commanded, engine::Tables};

/// Time for which a robot has to miss its command before there is a warning, s.
const WARNING_DELAY: f64 = 1.0;

/// Tolerated error of a velocity: a fraction of the command, and m/s or rad/s.
const TOLERANCE: [f64; 2] = [0.05, 0.01];

/// Numbers of consecutive ticks in which robots missed their commands, by index of the base. Used for warnings only: no
/// state of the simulation.
#[derive(Default)]
pub(super) struct Misses(BTreeMap<usize, u32>);

/// Warns of each robot that has missed its command for a while; again only after it has reached its command.
pub(super) fn watch(
    settings: Res<PhysicsSettings>,
    tables: Res<Tables>,
    commanded: Res<Commanded>,
    states: Query<(&BodyState, Option<&ComponentPath>)>,
    mut misses: Local<Misses>,
    mut warnings: ResMut<Warnings>,
) {
    let enough = (WARNING_DELAY * settings.rate).ceil() as u32;
    misses.0.retain(|place, _| commanded.drives(*place));
    for (place, command) in commanded.of_rolling_robots() {
        let row = tables.bodies.get(place);
        let Some((state, path)) = row.and_then(|row| states.get(row.entity).ok()) else {
            continue;
        };
        let count = misses.0.entry(place).or_default();
        let [wanted, reached] = [command.planar(), planar(state)];
        if !is_missed(&wanted, &reached) {
            *count = 0;
            continue;
        }
        *count = count.saturating_add(1);
        if *count == enough {
            let text = format!(
                "it does not move as commanded: {} commanded, {} reached; its wheels slip, or something holds it",
                shown(&wanted),
                shown(&reached)
            );
            warnings.add(&path.cloned().unwrap_or_default(), &text);
        }
    }
}

/// Returns the velocity along x and y (m/s) and about z (rad/s) of the base's origin, in its own axes.
fn planar(state: &BodyState) -> Vector3<f64> {
    let arm = state.pose.translation.vector - state.center_of_mass.coords;
    let linear = state.linear_velocity + state.angular_velocity.cross(&arm);
    let turn = state.pose.rotation.inverse();
    let [linear, angular] = [turn * linear, turn * state.angular_velocity];
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
    format!("{speed:.2} m/s and {:.2} rad/s", velocity.z)
}

#[cfg(test)]
mod tests {
    use super::*;

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
