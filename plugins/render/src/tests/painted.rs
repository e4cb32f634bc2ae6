//! Comparison of patterns and highlights with closed forms and with counted pixels.
use morse_api::{
    lighting::{Ambient, Sun},
    paint::{self, Image, Wrap},
};

use super::super::{
    appearance::{Paint, Pattern},
    light::encode,
    texture::Texture,
};
use super::*;

/// Returns a light in which colours appear unchanged.
fn even() -> Illumination {
    let mut light = Illumination::new(&Lighting {
        sun: Sun {
            strength: 0.0,
            ..Sun::default()
        },
        ambient: Ambient {
            above: [1.0; 3],
            below: [1.0; 3],
            strength: 1.0,
        },
        ..Lighting::default()
    });
    light.prepare();
    light
}

/// Returns an image in which every pixel has a different colour.
fn chart(width: u32, height: u32) -> Image {
    let pixel = |index: u32| {
        let (u, v) = (index % width, index / width);
        [40 + u * 25, 50 + v * 30, 200 - u * 10, 255].map(|code| code as u8)
    };
    let pixels: Vec<[u8; 4]> = (0..width * height).map(pixel).collect();
    Image {
        width,
        height,
        pixels: pixels.as_flattened().into(),
    }
}

fn image(of: &Image, size: Option<f64>, wrap: Option<Wrap>) -> Option<Paint> {
    Some(Paint {
        pattern: Pattern::Image(Arc::new(Texture::new(of))),
        rule: paint::Paint {
            pattern: paint::Pattern::Image(0),
            size,
        },
        wrap,
    })
}

fn checker(size: Option<f64>, wrap: Option<Wrap>) -> Option<Paint> {
    Some(Paint {
        pattern: Pattern::Checker([0.0; 3]),
        rule: paint::Paint {
            pattern: paint::Pattern::Checker([0.0; 3]),
            size,
        },
        wrap,
    })
}

fn lit(things: Vec<Thing>) -> RenderScene {
    RenderScene {
        illumination: even(),
        ..scene(things)
    }
}

/// Returns the colour of the picture at a point of the world.
fn sight(picture: &Picture, camera: &CameraView, point: [f64; 3]) -> [u8; 3] {
    let [u, v, _] = camera.project(&point.into()).unwrap();
    pixel(picture, camera, u.round() as usize, v.round() as usize).0
}

#[test]
fn an_image_covers_the_side_of_a_box() {
    let of = chart(4, 3);
    let form = Form::Solid(Solid::Box {
        half: [0.8, 0.5, 0.6],
    });
    let painted = Thing {
        paint: image(&of, None, form.wrap()),
        ..thing(form, at([0.2, 3.0, 0.1], [0.0; 3]))
    };
    let camera = camera();
    let picture = picture(&lit(vec![painted]), &camera);
    for (u, v) in (0..4_u32).flat_map(|u| (0..3_u32).map(move |v| (u, v))) {
        // Centre of each pixel of the image, on the side that faces the camera.
        let across = (f64::from(u) + 0.5) / 4.0 * 1.6 - 0.8;
        let up = 0.6 - (f64::from(v) + 0.5) / 3.0 * 1.2;
        let actual = sight(&picture, &camera, [0.2 + across, 2.5, 0.1 + up]);
        let start = 4 * (v * 4 + u) as usize;
        for (actual, expected) in actual.iter().zip(&of.pixels[start..start + 3]) {
            // Colours are interpolated between the pixel centres, which a ray may miss slightly.
            assert!(
                actual.abs_diff(*expected) <= 4,
                "{u} {v}: {actual} {expected}"
            );
        }
    }
}

#[test]
fn an_image_has_a_size_and_holes() {
    let mut of = chart(2, 2);
    let mut pixels = of.pixels.to_vec();
    pixels[3] = 0;
    of.pixels = pixels.into();
    let form = Form::Solid(Solid::Box { half: [1.0; 3] });
    let painted = Thing {
        paint: image(&of, Some(0.5), form.wrap()),
        ..thing(form, at([0.0, 4.0, 0.0], [0.0; 3]))
    };
    let camera = camera();
    let picture = picture(&lit(vec![painted]), &camera);
    // Four repetitions in each direction; the centres of the upper left pixels, which are transparent, and of their
    // neighbours.
    let own = [0.5_f32, 0.4, 0.3].map(|light| encode(f64::from(light)));
    for (column, row) in (0..4).flat_map(|u| (0..4).map(move |v| (f64::from(u), f64::from(v)))) {
        let (x, z) = (-1.0 + 0.5 * column, 1.0 - 0.5 * row);
        let hole = sight(&picture, &camera, [x + 0.125, 3.0, z - 0.125]);
        let beside = sight(&picture, &camera, [x + 0.375, 3.0, z - 0.125]);
        for channel in 0..3 {
            assert!(
                hole[channel].abs_diff(own[channel]) < 25,
                "{hole:?} {own:?}"
            );
            assert!(
                beside[channel].abs_diff(of.pixels[4 + channel]) < 25,
                "{beside:?}"
            );
        }
    }
}

#[test]
fn a_checker_is_what_is_counted_in_a_larger_picture() {
    let floor = || {
        let form = Form::Solid(Solid::Box {
            half: [40.0, 40.0, 0.5],
        });
        Thing {
            paint: checker(Some(0.7), form.wrap()),
            color: [1.0; 3],
            ..thing(form, at([0.3, 30.0, -1.5], [0.0, 0.0, 0.4]))
        }
    };
    let camera = camera();
    let fine = 15_u32;
    let large = CameraView {
        width: camera.width * fine,
        height: camera.height * fine,
        focal: camera.focal * f64::from(fine),
        center: camera
            .center
            .map(|middle| (middle + 0.5) * f64::from(fine) - 0.5),
        ..camera.clone()
    };
    let small = picture(&lit(vec![floor()]), &camera);
    // The large picture needs no filter: each pixel is black or white.
    let counted = picture(&lit(vec![floor()]), &large);
    let light = |code: u8| f64::from(linear([f64::from(code) / 255.0; 3])[0]);
    let (mut sum, mut worst, mut count) = (0.0, 0.0_f64, 0.0);
    // In the upper part a pixel covers many squares, and near squares are larger than far ones.
    for v in 46..camera.height as usize {
        for u in 0..camera.width as usize {
            let mut mean = 0.0;
            for row in 0..fine as usize {
                let start =
                    4 * ((v * fine as usize + row) * large.width as usize + u * fine as usize);
                let row = &counted.color[start..start + 4 * fine as usize];
                mean += row.iter().step_by(4).map(|code| light(*code)).sum::<f64>();
            }
            mean /= f64::from(fine * fine);
            let off = (light(pixel(&small, &camera, u, v).0[0]) - mean).abs();
            (sum, worst, count) = (sum + off, worst.max(off), count + 1.0);
        }
    }
    assert!(
        sum / count < 0.015 && worst < 0.2,
        "{} {worst}",
        sum / count
    );
    // At the horizon everything is grey: half of the light.
    let far = sight(&small, &camera, [0.0, 36.0, -1.0]);
    assert!(far.iter().all(|code| code.abs_diff(188) < 12), "{far:?}");
}

#[test]
fn round_things_have_no_seam() {
    // The seam of a closed image is invisible: half a turn of the sphere is half a turn of the image.
    let of = chart(6, 4);
    let turned: Vec<u8> = of
        .pixels
        .chunks(24)
        .flat_map(|row| [&row[12..], &row[..12]].concat())
        .collect();
    let other = Image {
        pixels: turned.into(),
        ..of.clone()
    };
    for solid in [
        Solid::Sphere { radius: 0.9 },
        Solid::Cylinder {
            radius: 0.7,
            low: 0.0,
            high: 0.9,
        },
        Solid::Cone {
            start_radius: 0.2,
            end_radius: 0.9,
            height: 1.0,
        },
        Solid::Capsule {
            radius: 0.5,
            low: -0.3,
            high: 0.4,
        },
    ] {
        let ball = |of: &Image, yaw: f64| {
            let form = Form::Solid(solid.clone());
            let painted = Thing {
                paint: image(of, None, form.wrap()),
                ..thing(form, at([0.0, 3.0, -0.2], [0.0, 0.0, yaw]))
            };
            picture(&lit(vec![painted]), &camera()).color
        };
        let half = std::f64::consts::PI;
        // After a quarter turn the seam of one faces the camera, and that of the other is at the back.
        let (one, two) = (ball(&of, half / 2.0), ball(&other, -half / 2.0));
        let mut off: Vec<u8> = one.iter().zip(&two).map(|(a, b)| a.abs_diff(*b)).collect();
        off.sort_unstable();
        // The end caps of cylinders and cones turn, but their images do not.
        let most = match solid {
            Solid::Cylinder { .. } | Solid::Cone { .. } => off[off.len() * 97 / 100],
            _ => off[off.len() - 1],
        };
        assert!(most <= 1, "{solid:?}: {most}");
    }
}

#[test]
fn a_mesh_shows_images_where_its_file_says() {
    let of = chart(4, 3);
    let corners = [[-0.8, -0.6], [0.8, -0.6], [0.8, 0.6], [-0.8, 0.6]];
    let triangles = Triangles {
        vertices: corners.map(|[x, z]| [x as f32, 0.0, z as f32]).to_vec(),
        faces: vec![[0, 1, 2], [0, 2, 3]],
        coordinates: vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
        ..Triangles::default()
    };
    let mesh = Arc::new(VisualMesh::new(triangles));
    let form = Form::Mesh { mesh, scale: 0.5 };
    let painted = Thing {
        paint: image(&of, None, None),
        ..thing(form, at([0.1, 2.0, 0.05], [0.3, 0.2, 0.6]))
    };
    let form = Form::Solid(Solid::Box {
        half: [0.4, 1e-6, 0.3],
    });
    let plate = Thing {
        paint: image(&of, Some(0.8), form.wrap()),
        ..thing(form, at([0.1, 2.0, 0.05], [0.3, 0.2, 0.6]))
    };
    let of_mesh = picture(&lit(vec![painted]), &camera());
    let of_box = picture(&lit(vec![plate]), &camera());
    let both = of_mesh.things.iter().zip(&of_box.things).enumerate();
    let both = both.filter(|(_, (one, other))| (**one, **other) == (1, 1));
    let mut count = 0;
    for (index, _) in both {
        count += 1;
        for channel in 4 * index..4 * index + 3 {
            let off = of_mesh.color[channel].abs_diff(of_box.color[channel]);
            assert!(off <= 1, "{} {}: {off}", index % 100, index / 100);
        }
    }
    assert!(count > 300, "{count}");
}

#[test]
fn highlights_are_where_the_sun_is_mirrored() {
    let gloss = Gloss {
        color: [0.5, 0.25, 0.0],
        shininess: 60.0,
    };
    let shiny = |gloss| Thing {
        gloss,
        color: [0.0; 3],
        ..thing(
            Form::Solid(Solid::Sphere { radius: 1.0 }),
            at([0.0, 8.0, 0.0], [0.0; 3]),
        )
    };
    let mut camera = camera();
    (camera.width, camera.height, camera.focal, camera.center) = (300, 300, 1000.0, [150.0, 150.0]);
    let scene = scene(vec![shiny(gloss)]);
    let picture = picture(&scene, &camera);
    let (to_sun, sun) = (scene.illumination.to_sun, Sun::default().light());
    let mut brightest = (0, [0.0; 2]);
    for (index, thing) in picture
        .things
        .iter()
        .enumerate()
        .filter(|(_, thing)| **thing == 1)
    {
        let (u, v) = ((index % 300) as f64, (index / 300) as f64);
        let ray = camera.world_from_camera.rotation * camera.direction(u, v);
        let at = ray * f64::from(picture.depth[index]);
        let normal = (at - Vector3::new(0.0, 8.0, 0.0)).normalize();
        let half_way = (to_sun - ray.normalize()).normalize();
        let facing = normal.dot(&to_sun).max(0.0);
        let share = facing * libm::pow(normal.dot(&half_way).max(0.0), 60.0);
        let shares = sun.iter().zip(gloss.color).zip(&picture.color[4 * index..]);
        for ((sun, color), code) in shares {
            let expected = encode((f64::from(*sun) * color * share).min(1.0));
            assert!(code.abs_diff(expected) <= 1, "{u} {v}: {code} {expected}");
        }
        if picture.color[4 * index] > brightest.0 {
            brightest = (picture.color[4 * index], [u, v]);
        }
        assert_eq!(*thing, 1);
    }
    // The sun is behind the camera, to the left and above; so is the highlight.
    let [u, v] = brightest.1;
    assert!(brightest.0 > 100 && u < 140.0 && v < 140.0, "{brightest:?}");
    // There is no highlight in the shade.
    let mut shade = RenderScene {
        illumination: even(),
        ..super::scene(vec![shiny(gloss)])
    };
    let black = super::picture(&shade, &camera);
    shade.things[0].gloss = Gloss::default();
    assert_eq!(black.color, super::picture(&shade, &camera).color);
}

#[test]
fn painted_pixels_do_not_depend_on_threads() {
    let of = chart(8, 6);
    let mut things = Vec::new();
    for n in 0..8 {
        let form = Form::Solid(match n % 3 {
            0 => Solid::Box { half: [0.5; 3] },
            1 => Solid::Sphere { radius: 0.6 },
            _ => Solid::Cone {
                start_radius: 0.5,
                end_radius: 0.1,
                height: 1.0,
            },
        });
        let turn = f64::from(n);
        let pose = at(
            [turn - 3.5, 5.0 + turn / 2.0, turn / 4.0 - 1.0],
            [turn, 1.0, 0.3],
        );
        let paint = if n % 2 == 0 {
            image(&of, Some(0.3), form.wrap())
        } else {
            checker(None, form.wrap())
        };
        let gloss = Gloss {
            color: [0.3; 3],
            shininess: 20.0,
        };
        things.push(Thing {
            paint,
            gloss,
            ..thing(form, pose)
        });
    }
    let scene = scene(things);
    let camera = CameraView {
        shadows: true,
        ..camera()
    };
    let one = picture(&scene, &camera);
    for threads in [2, 5] {
        let mut other = Picture::default();
        draw_picture(&scene, &camera, &mut other, Threads::new(threads).pool());
        assert!(one == other, "{threads} threads");
    }
}
