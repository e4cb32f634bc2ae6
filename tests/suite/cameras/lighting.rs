//! The light of the simulation file against the formulas of illumination and of the sRGB encoding.
use std::f64::consts::FRAC_PI_2;

use morse_sim::{Simulation, sensor::video_camera::VideoCameraData, simulation::no_extensions};

/// A white floor that fills the picture of a camera that looks down, and a white ceiling far above.
const SCENE: &str = "
    frame floor { translation [0, 0, -1.5]; geometry { shape box; dimension [50, 50, 1]; color [1, 1, 1]; } }
    frame pole { translation [0.4, 0, -0.5]; geometry { shape box; dimension [0.1, 0.1, 0.1]; } }
    frame eye {}
";

/// Returns the middle pixels of cameras that look down, up, and along x.
fn looks(light: &str) -> [[u8; 3]; 3] {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("scene.robray"), SCENE).unwrap();
    let camera = |name: &str, pitch: f64| {
        format!(
            r#""{name}": (kind: "video_camera", width: 9, height: 9, shadows: true, fov: 0.1,
                mount: (rpy: (0, {pitch}, 0)))"#
        )
    };
    let cameras = [("down", FRAC_PI_2), ("up", -FRAC_PI_2), ("low", 0.03)]
        .map(|(name, pitch)| camera(name, pitch))
        .join(", ");
    let text = format!(
        r#"Simulation(scene: "scene.robray", environment: (light: ({light})),
            robots: {{ "r": (frame: "eye", base: kinematic, sensors: {{ {cameras} }}) }})"#
    );
    let mut simulation = Simulation::parse(&text, folder.path(), &no_extensions)
        .unwrap_or_else(|error| panic!("{error}"));
    simulation.step().unwrap();
    ["r.down", "r.up", "r.low"].map(|path| {
        let data = simulation.read::<VideoCameraData>(path).unwrap();
        let [red, green, blue, _] = data.image.values().as_chunks::<4>().0[9 * 4 + 4];
        [red, green, blue]
    })
}

#[test]
fn the_sun_lights_by_its_strength_and_its_height() {
    let sun = |direction: &str, strength: f64| {
        let ambient = "ambient: (strength: 0)";
        looks(&format!(
            "sun: (direction: ({direction}), color: (1, 1, 1), strength: {strength}), {ambient}"
        ))[0]
    };
    // Half of the light is code 188 of a screen (IEC 61966-2-1), all of it 255, and more is clipped.
    assert_eq!(sun("0, 0, 1", 0.5), [188; 3]);
    assert_eq!(sun("0, 0, 0.01", 1.0), [255; 3]);
    assert_eq!(sun("0, 0, 1", 3.0), [255; 3]);
    assert_eq!(sun("0, 0, 1", 0.0), [0; 3]);
    // At 60° from upright, half of it arrives; from below, none.
    assert_eq!(sun("0, -1.7320508, 1", 1.0), [188; 3]);
    assert_eq!(sun("0, 0, -1", 1.0), [0; 3]);
    // From the side of the pole, its shadow is in the middle of the picture.
    assert_eq!(sun("1, 0, 1.25", 1.0), [0; 3]);
}

#[test]
fn what_is_white_shows_the_colour_of_the_light() {
    let dark = "sun: (strength: 0)";
    let shade = looks(&format!("{dark}, ambient: (above: (0.2, 0.4, 0.6))"));
    assert_eq!(shade[0], [51, 102, 153]);
    let half = looks(&format!(
        "{dark}, ambient: (above: (1, 1, 1), strength: 0.5)"
    ));
    assert_eq!(half[0], [188; 3]);
    let red = looks(
        "sun: (direction: (0, 0, 5), color: (0.8, 0.2, 0), strength: 1), ambient: (strength: 0)",
    );
    assert_eq!(red[0], [204, 51, 0]);
}

#[test]
fn lamps_light_to_all_sides_and_things_stand_in_their_way() {
    let by = |lamp: &str| {
        let night = "sun: (strength: 0), ambient: (strength: 0)";
        looks(&format!(r#"{night}, lamps: {{ "a": ({lamp}) }}"#))[0]
    };
    // Three metres above the floor: half of its strength at its distance, in the colour of the lit surface.
    assert_eq!(by("translation: (0, 0, 2), distance: 3"), [188; 3]);
    let red = "translation: (0, 0, 2), distance: 3, color: (1, 0, 0), strength: 2";
    assert_eq!(by(red), [255, 0, 0]);
    // At 60° from upright, half of the light of a lamp without attenuation; a pixel is half a centimetre wide.
    let aslant = by("translation: (0, -1.7320508, 0), distance: 1000000");
    assert!(
        aslant.iter().all(|channel| (187..=189).contains(channel)),
        "{aslant:?}"
    );
    // Below the floor, and behind the pole.
    assert_eq!(by("translation: (0, 0, -3)"), [0; 3]);
    assert_eq!(by("translation: (0.8, 0, 0), strength: 4"), [0; 3]);
    // The light of two lamps adds up.
    let two = r#"sun: (strength: 0), ambient: (strength: 0), lamps: {
        "a": (translation: (0, 0, 2), distance: 3, strength: 0.5),
        "b": (translation: (0, 0, 2), distance: 3, strength: 0.5),
    }"#;
    assert_eq!(looks(two)[0], [188; 3]);
}

#[test]
fn the_sky_is_seen_and_lights_nothing() {
    let sky = "sky: (zenith: (0, 0.2, 0.8), horizon: (1, 1, 1)), ground: (0.4, 0.2, 0)";
    let dark = format!("{sky}, sun: (strength: 0), ambient: (strength: 0)");
    let [down, up, low] = looks(&dark);
    assert_eq!((down, up), ([0; 3], [0, 51, 204]));
    // Beyond the end of the floor, near the horizon, the ground fades into haze.
    assert!(low[0] > 150 && low[2] > 50 && low[2] < low[0], "{low:?}");
}
