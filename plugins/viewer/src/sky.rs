//! Background: the sky, and the ground below the horizon, with the colours of the scene's light. It is a sphere about the
//! camera, just inside the far plane.
use bevy::{
    asset::RenderAssetUsages,
    camera::visibility::NoFrustumCulling,
    light::{NotShadowCaster, NotShadowReceiver},
    mesh::{Indices, PrimitiveTopology},
    picking::Pickable,
    prelude::*,
};
use morse_api::lighting::Lighting;

/// Number of vertices of a ring.
const CORNERS: u16 = 64;
/// Numbers of rings above the horizon, and in the haze below it.
const ABOVE: u16 = 32;
const HAZE: u16 = 8;
/// Upward component of a direction below which there is no haze.
const CLEAR: f64 = -1.0 / 12.0;
/// Radius of the sphere as a fraction of the far distance.
const NEARER: f32 = 0.98;

/// Marker of the sphere.
#[derive(Component)]
struct Dome;

/// Adds the background.
pub(crate) fn plugin(app: &mut App, lighting: &Lighting) {
    let dome = dome(lighting);
    let raise = move |mut commands: Commands<'_, '_>,
                      mut meshes: ResMut<'_, Assets<Mesh>>,
                      mut materials: ResMut<'_, Assets<StandardMaterial>>| {
        commands.spawn((
            Dome,
            Mesh3d(meshes.add(dome.clone())),
            MeshMaterial3d(materials.add(StandardMaterial {
                unlit: true,
                cull_mode: None,
                ..default()
            })),
            (NotShadowCaster, NotShadowReceiver),
            NoFrustumCulling,
            Pickable::IGNORE,
        ));
    };
    app.add_systems(Startup, raise)
        .add_systems(PostUpdate, surround.before(TransformSystems::Propagate));
}

/// Keeps the sphere centred on the camera.
fn surround(
    cameras: Query<(&Transform, &Projection), (With<Camera3d>, Without<Dome>)>,
    mut domes: Query<&mut Transform, With<Dome>>,
) {
    for (camera, projection) in &cameras {
        for mut dome in &mut domes {
            let size = Vec3::splat(NEARER * projection.far());
            let transform = Transform::from_translation(camera.translation).with_scale(size);
            dome.set_if_neq(transform);
        }
    }
}

/// Returns the heights of the rings, from straight down to straight up, dense where colours change quickly.
fn heights() -> impl Iterator<Item = f64> {
    let haze = (0..HAZE).map(|ring| CLEAR * (1.0 - f64::from(ring) / f64::from(HAZE)));
    let above = (0..=ABOVE).map(|ring| (f64::from(ring) / f64::from(ABOVE)).powi(3));
    std::iter::once(-1.0).chain(haze).chain(above)
}

/// Returns a unit sphere with the colours of the background.
fn dome(lighting: &Lighting) -> Mesh {
    let (mut positions, mut colors) = (Vec::new(), Vec::new());
    for height in heights() {
        let [red, green, blue] = lighting.background(height);
        let across = (1.0 - height * height).max(0.0).sqrt() as f32;
        for corner in 0..CORNERS {
            let turn = f32::from(corner) / f32::from(CORNERS) * std::f32::consts::TAU;
            let (sin, cos) = ops::sin_cos(turn);
            positions.push([across * cos, across * sin, height as f32]);
            colors.push([red, green, blue, 1.0]);
        }
    }
    let rings = 1 + HAZE + ABOVE;
    let faces = (0..rings).flat_map(|ring| {
        (0..CORNERS).flat_map(move |corner| {
            let next = (corner + 1) % CORNERS;
            let vertex = |ring: u16, corner: u16| ring * CORNERS + corner;
            let [a, b] = [vertex(ring, corner), vertex(ring, next)];
            let [c, d] = [vertex(ring + 1, corner), vertex(ring + 1, next)];
            [a, b, c, b, d, c]
        })
    });
    let indices = faces.collect();
    Mesh::new(
        PrimitiveTopology::TriangleList,
        RenderAssetUsages::RENDER_WORLD,
    )
    .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
    .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, colors)
    .with_inserted_indices(Indices::U16(indices))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_are_close_where_colours_change() {
        let lighting = Lighting::default();
        let heights: Vec<f64> = heights().collect();
        assert_eq!(heights.len(), usize::from(2 + HAZE + ABOVE));
        for pair in heights.windows(2) {
            assert!(pair[0] < pair[1], "{pair:?}");
            let middle = lighting.background(f64::midpoint(pair[0], pair[1]));
            let ends = [pair[0], pair[1]].map(|height| lighting.background(height));
            for channel in 0..3 {
                let between = f32::midpoint(ends[0][channel], ends[1][channel]);
                assert!((between - middle[channel]).abs() < 0.01, "{pair:?}");
            }
        }
    }

    #[test]
    fn it_is_whole() {
        let mesh = dome(&Lighting::default());
        let count = mesh.count_vertices();
        let Some(Indices::U16(indices)) = mesh.indices() else {
            panic!("16 bits are enough");
        };
        assert_eq!(count, usize::from(CORNERS) * heights().count());
        assert!(indices.iter().all(|index| usize::from(*index) < count));
    }
}
