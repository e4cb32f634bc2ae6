//! The sun, its shadows, and what shines from everywhere.
use bevy::{
    light::{CascadeShadowConfigBuilder, DirectionalLightShadowMap},
    prelude::*,
    render::renderer::RenderAdapterInfo,
};
use morse_api::lighting::{self, Lighting};

/// Value that a camera here makes of a light of one candela a square metre, for its usual exposure (ISO 12232: 2 to
/// the power of 9.7, times 1.2).
const EXPOSURE: f32 = 1.0 / (831.746_2 * 1.2);
/// The share of light from everywhere that Bevy's approximation for rough surfaces sends back.
const ROUGH: f32 = 0.46;
/// Shadows are drawn so far from the camera, m.
const SHADOWS: f32 = 60.0;

/// The colours of a theme.
#[derive(Resource, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Theme {
    /// Grey, for dark rooms.
    #[default]
    Dark,
    /// White.
    Light,
}

impl Theme {
    /// The colour of the lines on the ground.
    pub(crate) fn lines(self) -> Color {
        match self {
            Self::Dark => Color::srgba(1.0, 1.0, 1.0, 0.09),
            Self::Light => Color::srgba(0.0, 0.0, 0.0, 0.13),
        }
    }
}

/// Priority where the processor does the work of a graphics card.
#[derive(Resource, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Hurry {
    /// Many frames a second: shadows are coarse, and end near.
    Frames,
    /// The look of a single picture.
    Looks,
}

/// Lights the world as the scene says.
pub(crate) fn plugin(app: &mut App, lighting: &Lighting, hurry: Hurry) {
    let [above, below] = lighting.ambient.light();
    app.insert_resource(DirectionalLightShadowMap { size: 2048 })
        .insert_resource(GlobalAmbientLight {
            // There is one light for all sides.
            color: Color::linear_rgb(
                f32::midpoint(above[0], below[0]),
                f32::midpoint(above[1], below[1]),
                f32::midpoint(above[2], below[2]),
            ),
            brightness: 1.0 / (EXPOSURE * ROUGH),
            ..default()
        })
        .insert_resource(Sun(lighting.sun.clone()))
        .insert_resource(hurry)
        .add_systems(Startup, shine);
}

/// The sun of the scene.
#[derive(Resource)]
struct Sun(lighting::Sun);

/// Tells whether the processor does the work of a graphics card, which it does slowly.
pub(crate) fn is_slow(card: Option<&RenderAdapterInfo>) -> bool {
    card.is_some_and(|card| card.device_type == wgpu::DeviceType::Cpu)
}

fn shine(
    card: Option<Res<RenderAdapterInfo>>,
    hurry: Res<Hurry>,
    sun: Res<Sun>,
    mut map: ResMut<DirectionalLightShadowMap>,
    mut commands: Commands,
) {
    let is_slow = is_slow(card.as_deref()) && *hurry == Hurry::Frames;
    let [red, green, blue] = sun.0.light();
    let to_sun = Vec3::from(sun.0.direction.map(|part| part as f32)).normalize_or(Vec3::Z);
    let up = to_sun.any_orthonormal_vector();
    if is_slow {
        map.size = 1024;
    }
    commands.spawn((
        DirectionalLight {
            color: Color::linear_rgb(red, green, blue),
            // A white surface that faces the sun sends back all of this, evenly into half of the sphere.
            illuminance: std::f32::consts::PI / EXPOSURE,
            shadow_maps_enabled: true,
            ..default()
        },
        CascadeShadowConfigBuilder {
            num_cascades: if is_slow { 1 } else { 3 },
            first_cascade_far_bound: 6.0,
            maximum_distance: if is_slow { SHADOWS / 3.0 } else { SHADOWS },
            ..default()
        }
        .build(),
        Transform::default().looking_to(-to_sun, up),
    ));
}
