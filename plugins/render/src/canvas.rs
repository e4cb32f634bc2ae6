//! Incremental drawing of successive pictures from one viewpoint, for films: only tiles that may have changed are drawn.
//!
//! A tile is drawn again if a thing that moved is or was in it, or if the shadow of such a thing falls or fell on a surface
//! that the tile shows. The pixels are equal to those of a picture that is drawn as a whole.
use bevy::prelude::World;
use morse_api::render::{CameraView, Picture, Renderer};
use nalgebra::Isometry3;
use rayon::ThreadPool;

use super::{
    Software,
    bands::draw,
    gpu,
    projection::{Projection, Tiles},
    render_scene::{RenderScene, Thing},
    shadow::Bounds,
    tile::SIDE,
    watch,
};

/// A picture that is drawn incrementally.
#[derive(Default)]
pub struct Canvas {
    picture: Picture,
    last: Option<Last>,
}

/// Inputs of the last drawing.
struct Last {
    camera: CameraView,
    generation: u64,
    has_lamps: bool,
    poses: Vec<Isometry3<f64>>,
    /// Bounds of the surfaces that each tile shows, in the sun's axes.
    bounds: Vec<Bounds>,
}

/// A rectangle of a picture: first column and row, and the column and row after the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// First column.
    pub left: u32,
    /// First row.
    pub top: u32,
    /// Column after the last.
    pub right: u32,
    /// Row after the last.
    pub bottom: u32,
}

impl Canvas {
    /// Returns the last picture.
    #[must_use]
    pub fn picture(&self) -> &Picture {
        &self.picture
    }

    /// Draws the tiles that changed, and returns their area.
    fn redraw(
        &mut self,
        scene: &RenderScene,
        camera: &CameraView,
        pool: Option<&ThreadPool>,
    ) -> Option<Area> {
        let tiles = Tiles::new(camera);
        let projection = Projection::new(camera, scene, &tiles);
        // Fixed lamps do not change by themselves, but moving things cast moving shadows in their light.
        let has_lamps = scene.lamps.len() > scene.hanging
            || (projection.shadows.is_some() && !scene.lamps.is_empty());
        let last = self.last.take().filter(|last| {
            let is_same = last.camera == *camera && last.generation == scene.generation;
            is_same && !last.has_lamps && !has_lamps
        });
        let (wanted, mut bounds) = match last {
            Some(last) => (changed(scene, &projection, &tiles, &last), last.bounds),
            None => (
                vec![true; tiles.count()],
                vec![Bounds::NOTHING; tiles.count()],
            ),
        };
        self.picture.fit(camera);
        let is_wanted = |tile: usize| wanted.get(tile).copied().unwrap_or(true);
        draw(
            &projection,
            &is_wanted,
            &mut self.picture,
            &mut bounds,
            pool,
        );
        self.last = Some(Last {
            camera: camera.clone(),
            generation: scene.generation,
            has_lamps,
            poses: scene
                .things
                .iter()
                .map(|thing| thing.world_from_thing)
                .collect(),
            bounds,
        });
        area(camera, &tiles, &wanted)
    }
}

/// Draws the view of a camera in the current state of a world, as far as it changed since the last drawing. Returns the
/// changed area, or `None` if nothing changed. A graphics card draws the whole picture.
pub fn redraw(world: &mut World, camera: &CameraView, canvas: &mut Canvas) -> Option<Area> {
    watch(world);
    if gpu::is_there(world) {
        world
            .get_resource::<Renderer>()?
            .0
            .render(camera, &mut canvas.picture);
        canvas.last = None;
        return Some(Area {
            left: 0,
            top: 0,
            right: camera.width,
            bottom: camera.height,
        });
    }
    let software = world.get_resource::<Software>()?;
    canvas.redraw(&software.read_lit(), camera, software.0.threads.pool())
}

/// Returns for each tile whether its picture may have changed.
fn changed(
    scene: &RenderScene,
    projection: &Projection<'_>,
    tiles: &Tiles,
    last: &Last,
) -> Vec<bool> {
    let mut wanted = vec![false; tiles.count()];
    let poses = scene.things.iter().zip(&last.poses);
    for (thing, before) in poses.filter(|(thing, pose)| thing.world_from_thing != **pose) {
        for pose in [before, &thing.world_from_thing] {
            let corners = thing.corners_at(pose);
            if let Some((rectangle, _)) = projection.rectangle(&corners, tiles) {
                tiles.with(&rectangle, |tile| wanted[tile] = true);
            }
            if let Some(shadows) = projection.shadows.as_ref().filter(|_| casts(thing)) {
                let shade = Bounds::around(corners.iter().map(|corner| shadows.in_sun(corner)));
                for (wanted, bounds) in wanted.iter_mut().zip(&last.bounds) {
                    *wanted |= shade.is_over(bounds);
                }
            }
        }
    }
    wanted
}

fn casts(thing: &Thing) -> bool {
    thing.casts && thing.is_solid()
}

/// Returns the area that contains all wanted tiles.
fn area(camera: &CameraView, tiles: &Tiles, wanted: &[bool]) -> Option<Area> {
    let columns = tiles.counts[0];
    let drawn = wanted.iter().enumerate().filter(|(_, wanted)| **wanted);
    let corners = drawn.map(|(tile, _)| [tile % columns, tile / columns]);
    let [mut low, mut high] = [[usize::MAX; 2], [0; 2]];
    for corner in corners {
        for axis in 0..2 {
            low[axis] = low[axis].min(corner[axis]);
            high[axis] = high[axis].max(corner[axis] + 1);
        }
    }
    let pixels = |tiles: usize, size: u32| u32::try_from(tiles * SIDE).unwrap_or(size).min(size);
    (low[0] < high[0]).then(|| Area {
        left: pixels(low[0], camera.width),
        top: pixels(low[1], camera.height),
        right: pixels(high[0], camera.width),
        bottom: pixels(high[1], camera.height),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bevy::prelude::Entity;
    use morse_api::{distortion::Distortion, random::Random, world_view::Gloss};
    use morse_geometry::rays::solid::Solid;
    use nalgebra::Vector3;

    use super::*;
    use crate::{
        bands::draw_picture,
        light::Lamp,
        look,
        render_scene::{Form, Grid},
        tests::box_mesh,
    };

    /// Returns a scene with a ground, and opaque and transparent boxes, spheres, meshes and grids on it.
    fn scene() -> RenderScene {
        let mut random = Random::new(3, "canvas", "things");
        let mut number = |low: f64, high: f64| low + (high - low) * random.uniform();
        let cube = |half: [f64; 3]| Form::Solid(Solid::Box { half });
        let mesh = Arc::new(box_mesh([0.3, 0.2, 0.4]));
        let mut things = Vec::new();
        for n in 0..28 {
            let position = [number(-6.0, 6.0), number(-6.0, 6.0), number(0.4, 2.0)];
            let (form, position) = match n % 4 {
                _ if n == 0 => (cube([20.0, 20.0, 0.5]), [0.0, 0.0, -0.5]),
                0 => (cube([0.3, 0.2, 0.4]), position),
                1 => (Form::Solid(Solid::Sphere { radius: 0.4 }), position),
                2 => {
                    let mesh = mesh.clone();
                    (Form::Mesh { mesh, scale: 1.5 }, position)
                }
                _ if n < 12 => {
                    let grid = Grid {
                        half: [1.0, 0.5],
                        delta: [0.25, 0.25],
                        thickness: 0.03,
                    };
                    (Form::Grid(grid), position)
                }
                _ => (cube([0.1, 0.6, 0.1]), position),
            };
            let pose = Isometry3::new(position.into(), [0.0, 0.0, number(0.0, 3.0)].into());
            things.push(Thing {
                entity: Entity::PLACEHOLDER,
                body: Entity::PLACEHOLDER,
                body_from_thing: pose,
                world_from_thing: pose,
                form,
                color: [0.5, 0.4, 0.1 + 0.03 * n as f32],
                paint: None,
                gloss: Gloss {
                    color: if n % 6 == 1 { [0.5; 3] } else { [0.0; 3] },
                    shininess: 20.0,
                },
                alpha: if n % 7 == 3 { 0.6 } else { 1.0 },
                casts: n % 5 != 1,
            });
        }
        RenderScene {
            things,
            ..RenderScene::default()
        }
    }

    fn camera() -> CameraView {
        look(
            [-9.0, -7.0, 6.0].into(),
            [0.0, 0.0, 0.3].into(),
            WIDTH,
            HEIGHT,
        )
    }

    const WIDTH: u32 = 200;
    const HEIGHT: u32 = 150;
    const WHOLE: Area = Area {
        left: 0,
        top: 0,
        right: WIDTH,
        bottom: HEIGHT,
    };

    /// Moves some things repeatedly, and compares each picture with one that is drawn as a whole. Returns the mean fraction
    /// of the picture outside the areas that were drawn.
    fn spared(mut scene: RenderScene, camera: &CameraView, frames: u32) -> f64 {
        let mut random = Random::new(4, "canvas", "moves");
        let mut canvas = Canvas::default();
        let mut drawn = 0;
        for frame in 0..frames {
            for thing in scene.things.iter_mut().skip(1) {
                if random.uniform() < 0.1 {
                    let mut offset = |size: f64| size * (random.uniform() - 0.5);
                    let step = Isometry3::translation(offset(1.0), offset(1.0), offset(0.4));
                    thing.world_from_thing = step * thing.world_from_thing;
                }
            }
            let area = canvas.redraw(&scene, camera, None);
            let mut whole = Picture::default();
            draw_picture(&scene, camera, &mut whole, None);
            assert!(canvas.picture == whole, "frame {frame}");
            drawn += area.map_or(0, |area| {
                (area.right - area.left) * (area.bottom - area.top)
            });
        }
        1.0 - f64::from(drawn) / f64::from(frames * WIDTH * HEIGHT)
    }

    #[test]
    fn areas_that_are_drawn_again_equal_the_whole_picture() {
        let ideal = camera();
        assert!(spared(scene(), &ideal, 25) > 0.0);
        let coefficients = [-0.18, 0.04, 0.002, -0.0015, 0.0005];
        let size = [WIDTH, HEIGHT];
        let lens = Distortion::new(coefficients, size, ideal.focal, ideal.center).unwrap();
        let bent = CameraView {
            lens: Some(Arc::new(lens)),
            ..ideal.clone()
        };
        assert!(spared(scene(), &bent, 8) > 0.0);
        let mut all = ideal;
        (all.channels.depth, all.channels.things) = (true, true);
        assert!(spared(scene(), &all, 4) > 0.0);
    }

    #[test]
    fn where_lamps_shine_all_is_drawn() {
        let mut scene = scene();
        scene.lamps.push(Lamp {
            position: Vector3::new(0.0, 0.0, 3.0),
            axis: -Vector3::z(),
            edge: Some(0.5),
            distance: 3.0,
            color: [4.0; 3],
        });
        let camera = camera();
        let mut canvas = Canvas::default();
        for height in [3.0, 2.5] {
            scene.lamps[0].position.z = height;
            assert_eq!(canvas.redraw(&scene, &camera, None), Some(WHOLE));
        }
        // The lamps are switched off as well.
        scene.lamps.clear();
        assert_eq!(canvas.redraw(&scene, &camera, None), Some(WHOLE));
        assert_eq!(canvas.redraw(&scene, &camera, None), None);
    }

    #[test]
    fn nothing_is_drawn_where_nothing_moves() {
        let mut scene = scene();
        let camera = camera();
        let mut canvas = Canvas::default();
        assert_eq!(canvas.redraw(&scene, &camera, None), Some(WHOLE));
        assert_eq!(canvas.redraw(&scene, &camera, None), None);
        // A sphere in the centre, with its shadow.
        scene.things[5].world_from_thing = Isometry3::translation(0.0, 0.0, 0.5);
        canvas.redraw(&scene, &camera, None);
        scene.things[5].world_from_thing = Isometry3::translation(0.1, 0.0, 0.5);
        let area = canvas.redraw(&scene, &camera, None).unwrap();
        assert!(
            area.left > 30 && area.right < 170 && area.top > 30,
            "{area:?}"
        );
        // Another camera, or a new set of things, causes a complete drawing.
        let aside = CameraView {
            focal: camera.focal * 1.1,
            ..camera.clone()
        };
        assert_eq!(canvas.redraw(&scene, &aside, None), Some(WHOLE));
        scene.generation += 1;
        assert_eq!(canvas.redraw(&scene, &aside, None), Some(WHOLE));
    }
}
