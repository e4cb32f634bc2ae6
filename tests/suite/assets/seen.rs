//! The automatic view shows robots from the left of their front, and large enough.
use morse_api::render::{CameraView, Channels, Picture};
use morse_render::Margin;
use morse_sim::{Simulation, scene::assets::SHIPPED};

use super::{model, simulation};

const WIDTH: u32 = 96;
const HEIGHT: u32 = 72;

/// Returns a flat world, with a robot on it or without one.
fn world(path: Option<&str>) -> Simulation {
    let robot = path.map(|path| {
        format!(r#""it": (model: "{path}", base: fixed, at: (translation: (0, 0, 1.2)))"#)
    });
    simulation(&format!(
        r#"Simulation(scene: "environments/empty.robray", robots: {{ {} }})"#,
        robot.unwrap_or_default()
    ))
}

fn depths(simulation: &mut Simulation, camera: &CameraView) -> Vec<f32> {
    let camera = CameraView {
        channels: Channels {
            depth: true,
            ..Channels::default()
        },
        ..camera.clone()
    };
    let mut picture = Picture::default();
    morse_render::draw(simulation.world_mut(), &camera, &mut picture);
    picture.depth
}

/// The pixels of a robot are those whose depth is another one without it. Depths ignore the discs of rotors.
#[test]
fn robots_fill_a_quarter_of_the_picture_or_more() {
    let robots = SHIPPED.0.iter().map(|(path, _)| *path);
    let robots = robots.filter(|path| {
        ["robots/", "arms/"]
            .iter()
            .any(|folder| path.starts_with(folder))
    });
    let mut count = 0;
    for path in robots {
        if model(path)
            .frames()
            .iter()
            .all(|frame| frame.geometry.is_empty())
        {
            continue;
        }
        let mut with = world(Some(path));
        let size = (WIDTH, HEIGHT);
        let camera = morse_render::automatic(with.world_mut(), size, Margin::STILL, None);
        let eye = camera.world_from_camera.translation.vector;
        assert!(eye.x > 0.0 && eye.y > 0.0 && eye.z > 1.0, "{path}: {eye}");
        let seen = depths(&mut with, &camera);
        let empty = depths(&mut world(None), &camera);
        let mut low = [WIDTH, HEIGHT];
        let mut high = [0, 0];
        for (index, (one, other)) in (0..).zip(seen.iter().zip(&empty)) {
            if (one - other).abs() > 1e-3 {
                let at = [index % WIDTH, index / WIDTH];
                low = [0, 1].map(|axis| low[axis].min(at[axis]));
                high = [0, 1].map(|axis| high[axis].max(at[axis]));
            }
        }
        let is_inside = low[0] > 0 && low[1] > 0 && high[0] < WIDTH - 1 && high[1] < HEIGHT - 1;
        assert!(is_inside, "{path} is cut off: {low:?} to {high:?}");
        let share = f64::from(high[0] - low[0]) / f64::from(WIDTH);
        let share = share.max(f64::from(high[1] - low[1]) / f64::from(HEIGHT));
        assert!(share > 0.25, "{path} fills {share:.2}");
        count += 1;
    }
    assert!(count > 20, "{count}");
}
