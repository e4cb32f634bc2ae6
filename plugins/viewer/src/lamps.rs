//! Lamps of robots: spotlights with the brightness that the simulation reports.
use std::f32::consts::{FRAC_PI_2, PI};

use bevy::prelude::*;
use morse_api::lighting::{Lamp, Shine};

use crate::{light::EXPOSURE, replica::Replica};

/// Distance at which a spotlight has its full strength, as a fraction of the distance at which the lamp has half of it. Bevy's
/// light decreases with the square of the distance, that of the lamps is finite at the lamp.
const FULL: f32 = 0.2;
/// Range of a spotlight, as a multiple of the lamp's distance.
const RANGE: f32 = 5.0;

/// Spotlight of a lamp, by its index in the scenery.
#[derive(Component)]
struct LampOf(usize);

/// Adds the lamps.
pub(crate) fn plugin(app: &mut App) {
    app.add_systems(Startup, add).add_systems(Update, shine);
}

fn add(replica: Res<Replica>, mut commands: Commands) {
    for lamp in 0..replica.scenery.lamps.len() {
        commands.spawn((LampOf(lamp), SpotLight::default(), Visibility::Hidden));
    }
}

fn shine(
    replica: Res<Replica>,
    mut lights: Query<(&LampOf, &mut SpotLight, &mut Transform, &mut Visibility)>,
) {
    for (of, mut light, mut at, mut visibility) in &mut lights {
        let state = replica.poses.lamps.get(of.0).copied().unwrap_or_default();
        let is_on = state.1.0 > 0.0;
        visibility.set_if_neq(if is_on {
            Visibility::Inherited
        } else {
            Visibility::Hidden
        });
        let component = replica.scenery.lamps.get(of.0);
        let component = component.and_then(|index| replica.scenery.components.get(*index));
        if let (true, Some(component)) = (is_on, component) {
            let pose = replica.carried(component.body, &component.body_from_component);
            *at = replica.transform(&pose);
            // Lamps shine along x, spotlights along -z.
            at.rotation *= Quat::from_rotation_arc(Vec3::NEG_Z, Vec3::X);
            *light = spotlight(&state);
        }
    }
}

fn spotlight((lamp, shine): &(Lamp, Shine)) -> SpotLight {
    let [red, green, blue] = lamp.color.map(|value| value as f32);
    let distance = lamp.distance as f32;
    let full = distance * FULL;
    // A white surface at this distance reflects as much as one that faces a sun of strength 1.
    let luminous = shine.0 as f32 * PI * full * full / EXPOSURE;
    let edge = (lamp.size as f32 / 2.0).min(FRAC_PI_2 - 0.01);
    SpotLight {
        color: Color::srgb(red, green, blue),
        intensity: 4.0 * PI * luminous,
        range: RANGE * distance,
        outer_angle: edge,
        inner_angle: edge * 0.85,
        ..default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surface_near_a_lamp_is_as_bright_as_in_the_sun() {
        let lamp = Lamp {
            color: [1.0, 0.0, 0.0],
            distance: 0.05,
            size: 1.5,
        };
        let light = spotlight(&(lamp, Shine(0.5)));
        // Illuminance at 1 cm, over that of a sun of strength 1.
        let illuminance = light.intensity / (4.0 * PI) / (0.01 * 0.01);
        assert!((illuminance / (PI / EXPOSURE) - 0.5).abs() < 1e-3);
        assert!(light.inner_angle < light.outer_angle && light.range > 0.2);
    }
}
