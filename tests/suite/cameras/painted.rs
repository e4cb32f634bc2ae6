//! Images and checkers of scenes: pictures of cameras, data for viewers, and refusals.
use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex},
};

use bevy::prelude::*;
use morse_api::{
    middleware::{AddMiddleware as _, Failure, Middleware, MiddlewareContext, Running},
    paint::{Paint, Pattern},
    world_view::{Gloss, ScaledMesh, Scenery, Shape},
};
use morse_sim::{
    Simulation,
    sensor::video_camera::VideoCameraData,
    simulation::{
        kinds,
        load::{Options, load},
        no_extensions,
    },
};
use serde::Deserialize;

/// Light that shows colours unchanged.
const EVEN: &str = "light: (sun: (strength: 0), ambient: (above: (1, 1, 1), below: (1, 1, 1)))";

/// A camera at (0, 0, 1) that looks along x at a wall 2 m high and wide, 2 m ahead.
const SIMULATION: &str = r#"Simulation(
    scene: "scene.robray",
    robots: { "r": (frame: "eye", base: kinematic, sensors: {
        "video": (kind: "video_camera", width: 40, height: 40, fov: 0.9273) }) },
    LOOKER
)"#;

pub(super) fn write_png(path: &Path, width: u32, pixels: &[[u8; 3]]) {
    let file = fs::File::create(path).unwrap();
    let mut encoder = png::Encoder::new(file, width, pixels.len() as u32 / width);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(pixels.as_flattened()).unwrap();
}

pub(super) const RED: [u8; 3] = [200, 10, 20];
pub(super) const GREEN: [u8; 3] = [10, 180, 30];
pub(super) const BLUE: [u8; 3] = [20, 30, 220];
pub(super) const WHITE: [u8; 3] = [250, 250, 250];

/// Returns a directory with a scene that has this geometry as a wall, and with a flag: red and green above, blue and white
/// below.
pub(super) fn folder(geometry: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_png(
        &folder.path().join("flag.png"),
        2,
        &[RED, GREEN, BLUE, WHITE],
    );
    let scene = format!(
        "frame eye {{ translation [0, 0, 1]; }} frame wall {{ translation [2.5, 0, 1]; geometry {{ {geometry} }} }}"
    );
    fs::write(folder.path().join("scene.robray"), scene).unwrap();
    folder
}

pub(super) fn simulation(folder: &Path) -> Simulation {
    let text = SIMULATION
        .replace("LOOKER", "")
        .replace("robots:", &format!("environment: ({EVEN}), robots:"));
    Simulation::parse(&text, folder, &no_extensions).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the colours in the middles of the quarters of the picture: upper left, upper right, lower left, lower right.
pub(super) fn quarters(simulation: &mut Simulation) -> [[u8; 3]; 4] {
    simulation.step().unwrap();
    let data = simulation.read::<VideoCameraData>("r.video").unwrap();
    let pixels = data.image.values().as_chunks::<4>().0;
    [(10, 10), (30, 10), (10, 30), (30, 30)].map(|(u, v)| {
        let [red, green, blue, _] = pixels[v * 40 + u];
        [red, green, blue]
    })
}

#[track_caller]
pub(super) fn assert_near(colors: [[u8; 3]; 4], expected: [[u8; 3]; 4]) {
    let pairs = colors.as_flattened().iter().zip(expected.as_flattened());
    let worst = pairs.map(|(one, other)| one.abs_diff(*other)).max();
    assert!(worst <= Some(12), "{colors:?} {expected:?}");
}

#[test]
fn a_camera_sees_images_upright() {
    let wall = r#"shape box; dimension [1, 2, 2]; image "flag.png";"#;
    let folder = folder(wall);
    let mut simulation = simulation(folder.path());
    assert_near(quarters(&mut simulation), [RED, GREEN, BLUE, WHITE]);
    assert_eq!(simulation.take_warnings(), Vec::<String>::new());
}

#[test]
fn a_checker_begins_at_the_lower_left_corner() {
    let wall =
        "shape box; dimension [1, 2, 2]; color [1, 1, 0]; checker [0, 0, 1]; pattern_size 1;";
    let folder = folder(wall);
    let (yellow, blue) = ([255, 255, 0], [0, 0, 255]);
    let colors = quarters(&mut simulation(folder.path()));
    assert_near(colors, [yellow, blue, blue, yellow]);
}

/// A wall of two objects, the left one with an image.
const OBJ: &str = "mtllib wall.mtl\n\
    v -0.5 1 -1\nv -0.5 0 -1\nv -0.5 -1 -1\nv -0.5 1 1\nv -0.5 0 1\nv -0.5 -1 1\n\
    vt 0 0\nvt 1 0\nvt 0 1\nvt 1 1\n\
    usemtl flag\nf 1/1 2/2 5/4 4/3\nusemtl plain\nf 2/1 3/2 6/4 5/3\n";

#[test]
fn a_mesh_shows_the_materials_of_its_file() {
    let wall = folder(r#"mesh "wall.obj"; color [1, 0, 1];"#);
    fs::write(wall.path().join("wall.obj"), OBJ).unwrap();
    fs::write(
        wall.path().join("wall.mtl"),
        "newmtl flag\nmap_Kd flag.png\nnewmtl plain\nKd 0.2 0.4 0.6\n",
    )
    .unwrap();
    let plain = [51, 102, 153];
    let mut shown = simulation(wall.path());
    shown.step().unwrap();
    let data = shown.read::<VideoCameraData>("r.video").unwrap();
    let pixels = data.image.values().as_chunks::<4>().0;
    let at = |u: usize, v: usize| {
        let [red, green, blue, _] = pixels[v * 40 + u];
        [red, green, blue]
    };
    assert_near(
        [at(5, 10), at(15, 10), at(5, 30), at(15, 30)],
        [RED, GREEN, BLUE, WHITE],
    );
    assert_eq!([at(25, 10), at(35, 35)], [plain; 2]);
    // Without the file of the materials it has the colour of the scene, and a warning says so.
    fs::remove_file(wall.path().join("wall.mtl")).unwrap();
    let mut bare = simulation(wall.path());
    assert_eq!(quarters(&mut bare), [[255, 0, 255]; 4]);
    let warnings = bare.take_warnings().join("\n");
    assert!(warnings.contains("wall.mtl"), "{warnings}");
    // An image of the scene has precedence over the materials of the file, with the same mapping.
    fs::write(wall.path().join("wall.mtl"), "newmtl flag\nKd 0 0 0\n").unwrap();
    let own = folder(r#"mesh "wall.obj"; image "flag.png"; pattern_size 2;"#);
    fs::write(own.path().join("wall.obj"), OBJ).unwrap();
    let colors = quarters(&mut simulation(own.path()));
    assert_near(colors, [RED, GREEN, BLUE, WHITE]);
}

#[test]
fn what_cannot_be_shown_is_said() {
    let broken = folder(r#"shape box; dimension [1, 2, 2]; image "flag.png"; color [0, 1, 0];"#);
    // A header that declares four billion pixels.
    let mut bytes = fs::read(broken.path().join("flag.png")).unwrap();
    bytes[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 1, 0, 0]);
    fs::write(broken.path().join("flag.png"), bytes).unwrap();
    let mut simulation_of_broken = simulation(broken.path());
    assert_eq!(quarters(&mut simulation_of_broken), [[0, 255, 0]; 4]);
    let warnings = simulation_of_broken.take_warnings().join("\n");
    assert!(
        warnings.contains("`wall`: it is drawn without the image"),
        "{warnings}"
    );
}

#[test]
fn images_outside_are_not_opened() {
    let secret = tempfile::tempdir().unwrap();
    write_png(&secret.path().join("secret.png"), 1, &[RED]);
    let path = secret.path().join("secret.png");
    let wall = format!(
        r#"shape box; dimension [1, 2, 2]; image "{}"; color [0, 1, 0];"#,
        path.display()
    );
    let folder = folder(&wall);
    let file = folder.path().join("main.ron");
    let text = SIMULATION
        .replace("LOOKER", "")
        .replace("robots:", &format!("environment: ({EVEN}), robots:"));
    fs::write(&file, text).unwrap();
    let run = |allowed: &[&Path]| {
        let options = Options {
            allow_paths: allowed.iter().map(|path| path.to_path_buf()).collect(),
            ..Options::default()
        };
        let plan = load(&file, &options, &kinds(&no_extensions))
            .unwrap_or_else(|report| panic!("{report}"));
        let warnings = plan.warnings.to_string();
        let mut simulation =
            Simulation::build(plan, &no_extensions).unwrap_or_else(|error| panic!("{error}"));
        (quarters(&mut simulation), warnings)
    };
    let (colors, warnings) = run(&[]);
    assert_eq!(colors, [[0, 255, 0]; 4]);
    assert!(warnings.contains("image-outside"), "{warnings}");
    let (colors, warnings) = run(&[secret.path()]);
    assert_eq!((colors, warnings.as_str()), ([RED; 4], ""));
}

/// A middleware that stores the data for viewers.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
struct Looker {}

/// No settings.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
struct Nothing {}

struct Still;

impl Running for Still {
    fn failure(&mut self) -> Option<Failure> {
        None
    }

    fn stop(self: Box<Self>) -> Result<(), Failure> {
        Ok(())
    }
}

static SHOWN: Mutex<Option<Arc<Scenery>>> = Mutex::new(None);

impl Middleware for Looker {
    const KIND: &'static str = "looker";
    const VIEWS_WORLD: bool = true;
    type Output = Nothing;
    type Input = Nothing;

    fn start(
        &self,
        context: MiddlewareContext<Nothing, Nothing>,
    ) -> Result<Box<dyn Running>, Failure> {
        *SHOWN.lock().unwrap() = context.world_view.map(|world_view| world_view.scenery);
        Ok(Box::new(Still))
    }
}

fn looker(app: &mut App) {
    app.add_middleware::<Looker>();
}

#[test]
fn who_looks_on_is_shown_all_that_is_painted() {
    let wall = r#"shape box; dimension [1, 2, 2]; image "flag.png"; pattern_size 0.5; specular [0.5, 2, 0]; }
        geometry { shape sphere; radius 1; checker [0, 0, 1]; shininess 9; }
        geometry { mesh "wall.obj"; "#;
    let folder = folder(wall);
    fs::write(folder.path().join("wall.obj"), OBJ).unwrap();
    fs::write(
        folder.path().join("wall.mtl"),
        "newmtl flag\nmap_Kd flag.png\nnewmtl plain\nKd 0.2 0.4 0.6\nKs 1 1 1\nNs 5\n",
    )
    .unwrap();
    let text = SIMULATION.replace("LOOKER", r#"middlewares: { "looker": (kind: "looker") }"#);
    let simulation = Simulation::parse(&text, folder.path(), &looker);
    let simulation = simulation.unwrap_or_else(|error| panic!("{error}"));
    let scenery = SHOWN.lock().unwrap().take().expect("something to see");
    drop(simulation);
    let [flag] = scenery.images.as_slice() else {
        panic!("one image, shared: {:?}", scenery.images);
    };
    assert_eq!((flag.width, flag.height), (2, 2));
    assert_eq!(flag.pixels[..4], [RED[0], RED[1], RED[2], 255]);
    let shape = |is_it: fn(&Shape<ScaledMesh>) -> bool| {
        let mut shapes = scenery.shapes.iter();
        shapes.find(|shape| is_it(&shape.shape)).expect("a shape")
    };
    let of_box = shape(|shape| matches!(shape, Shape::Box { .. }));
    let ball = shape(|shape| matches!(shape, Shape::Sphere { .. }));
    let mesh = shape(|shape| matches!(shape, Shape::Mesh(_)));
    let paint = |pattern, size| Some(Paint { pattern, size });
    assert_eq!(of_box.paint, paint(Pattern::Image(0), Some(0.5)));
    let shines = Gloss {
        color: [0.5, 1.0, 0.0],
        shininess: 40.0,
    };
    assert_eq!(of_box.gloss, shines);
    assert_eq!(ball.paint, paint(Pattern::Checker([0.0, 0.0, 1.0]), None));
    assert_eq!(ball.gloss.shininess, 9.0);
    assert_eq!(mesh.paint, None);
    let [triangles] = scenery.meshes.as_slice() else {
        panic!("{:?}", scenery.meshes);
    };
    assert_eq!(triangles.coordinates.len(), triangles.vertices.len());
    let parts = &triangles.parts;
    assert_eq!((parts[0].faces.clone(), parts[0].image), (0..2, Some(0)));
    assert_eq!((parts[1].faces.clone(), parts[1].image), (2..4, None));
    assert_eq!(parts[1].color, [0.2, 0.4, 0.6]);
    assert_eq!(parts[1].gloss.shininess, 5.0);
}
