//! Sun, sky and what shines from everywhere.
use bevy::{
    light::{CascadeShadowConfigBuilder, DirectionalLightShadowMap},
    prelude::*,
    render::renderer::RenderAdapterInfo,
};

/// Where the sun shines from.
const SUN: Vec3 = Vec3::new(-0.35, -0.5, 0.8);
/// The light of the sun, lx: a bright day, for the exposure that cameras have here.
const SUNLIGHT: f32 = 7_500.0;
/// What shines from everywhere, cd/m².
const AMBIENT: f32 = 900.0;
/// Shadows are drawn so far from the eye, m.
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
    /// The colour of the sky.
    pub(crate) fn sky(self) -> Color {
        match self {
            Self::Dark => Color::srgb(0.16, 0.18, 0.21),
            Self::Light => Color::srgb(0.80, 0.86, 0.92),
        }
    }

    /// The colour of the lines on the ground.
    pub(crate) fn lines(self) -> Color {
        match self {
            Self::Dark => Color::srgba(1.0, 1.0, 1.0, 0.09),
            Self::Light => Color::srgba(0.0, 0.0, 0.0, 0.13),
        }
    }
}

/// Lights the world.
pub(crate) fn plugin(app: &mut App) {
    app.init_resource::<Theme>()
        .insert_resource(DirectionalLightShadowMap { size: 2048 })
        .insert_resource(GlobalAmbientLight {
            brightness: AMBIENT,
            ..default()
        })
        .insert_resource(ClearColor(Theme::default().sky()))
        .add_systems(Startup, shine)
        .add_systems(Update, paint.run_if(resource_changed::<Theme>));
}

/// Whether the processor does the work of a graphics card, which it does slowly.
pub(crate) fn is_slow(card: Option<&RenderAdapterInfo>) -> bool {
    card.is_some_and(|card| card.device_type == wgpu::DeviceType::Cpu)
}

fn shine(
    card: Option<Res<RenderAdapterInfo>>,
    mut map: ResMut<DirectionalLightShadowMap>,
    mut commands: Commands,
) {
    let is_slow = is_slow(card.as_deref());
    if is_slow {
        map.size = 1024;
    }
    commands.spawn((
        DirectionalLight {
            illuminance: SUNLIGHT,
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
        Transform::from_translation(SUN).looking_at(Vec3::ZERO, Vec3::Z),
    ));
}

fn paint(theme: Res<Theme>, mut sky: ResMut<ClearColor>) {
    sky.0 = theme.sky();
}
