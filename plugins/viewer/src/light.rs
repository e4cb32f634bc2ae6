//! Sunlight with shadows, and ambient light.
use bevy::{
    light::{CascadeShadowConfigBuilder, DirectionalLightShadowMap},
    prelude::*,
    render::renderer::RenderAdapterInfo,
};
use morse_api::lighting::{self, Lighting};

/// Factor from a luminance of one candela per square metre to a pixel value, at the default exposure of cameras here (ISO
/// 12232: 2 to the power of 9.7, times 1.2).
pub(crate) const EXPOSURE: f32 = 1.0 / (831.746_2 * 1.2);
/// Fraction of ambient light that Bevy's approximation of rough surfaces reflects.
const ROUGH: f32 = 0.46;
/// Maximum distance of shadows from the camera, m.
const SHADOWS: f32 = 60.0;

/// Colours of the window.
#[derive(Resource, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Theme {
    /// Grey, for dark rooms.
    #[default]
    Dark,
    /// White, for bright rooms.
    Light,
}

impl Theme {
    /// Returns the colour of the lines on the ground.
    pub(crate) fn lines(self) -> Color {
        match self {
            Self::Dark => Color::srgba(1.0, 1.0, 1.0, 0.09),
            Self::Light => Color::srgba(0.0, 0.0, 0.0, 0.13),
        }
    }
}

/// Priority if the CPU emulates a graphics card.
#[derive(Resource, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Hurry {
    /// Frame rate: shadows are coarse, and their distance is short.
    Frames,
    /// Quality of a single picture.
    Looks,
}

/// Adds the lights of the scene.
pub(crate) fn plugin(app: &mut App, lighting: &Lighting, hurry: Hurry) {
    let [above, below] = lighting.ambient.light();
    app.insert_resource(DirectionalLightShadowMap { size: 2048 })
        .insert_resource(GlobalAmbientLight {
            // The ambient light is uniform: Bevy has one for all directions.
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

/// Sun of the scene.
#[derive(Resource)]
struct Sun(lighting::Sun);

/// Returns true if the CPU emulates a graphics card, which is slow.
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
    let to_sun =
        Vec3::from(sun.0.direction.map(|coordinate| coordinate as f32)).normalize_or(Vec3::Z);
    let up = to_sun.any_orthonormal_vector();
    if is_slow {
        map.size = 1024;
    }
    commands.spawn((
        DirectionalLight {
            color: Color::linear_rgb(red, green, blue),
            // A white Lambertian surface that faces the sun reflects all of this light, distributed over the hemisphere.
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
