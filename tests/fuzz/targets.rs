//! Fuzz targets, one for each reader of untrusted input. A panic is a bug; so is a failed assertion.
//!
//! The crate beside this file passes them to libFuzzer, and the suite runs them over the corpora: see CONTRIBUTING.md.
#![expect(clippy::missing_panics_doc, reason = "panics are what they find")]
use std::{path::Path, sync::LazyLock};

pub use crate::fuzz_readers::{
    collada_file, gltf_file, heights, mjcf, msh_file, obj, ply_file, sdf, stl, urdf, xacro,
};

use morse_api::paint::Image;
use morse_sim::{
    Simulation,
    render::paint,
    scene::{
        load::{LoadOptions, parse_str},
        robray::{context, format, outline, write},
        simulation::{format as format_simulation, outline as outline_simulation, slot::slot},
    },
    simulation::{
        kinds,
        load::{self, Options},
        no_extensions,
    },
};

/// A target: its name, which is also the name of its corpus, and its function.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 18] = [
    ("robray", robray),
    ("simulation_file", simulation_file),
    ("obj", obj),
    ("stl", stl),
    ("gltf", gltf_file),
    ("collada", collada_file),
    ("msh", msh_file),
    ("ply", ply_file),
    ("urdf", urdf),
    ("xacro", xacro),
    ("sdf", sdf),
    ("mjcf", mjcf),
    ("png", png),
    ("jpeg", jpeg),
    ("socket_request", socket_request),
    ("socket_command", socket_command),
    ("http", http),
    ("websocket", websocket),
];

/// A scene: a text that can be read can be written, and reads as the same scene; every error can be displayed.
pub fn robray(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let parse = |text: &str| parse_str(text, "fuzz", Path::new("nowhere"), &LoadOptions::default());
    match parse(&text) {
        Ok(loaded) => {
            if let Ok(written) = write(&loaded.scene) {
                let again = parse(&written).expect("a written scene can be read");
                assert_eq!(again.scene, loaded.scene, "{written}");
            }
        }
        Err(failed) => assert!(!failed.to_string().is_empty()),
    }
    if let Ok(tidy) = format(&text, Path::new("fuzz")) {
        let again = format(&tidy, Path::new("fuzz"));
        assert_eq!(again.expect("tidy text"), tidy);
    }
    for item in outline(&text) {
        assert!(item.whole.start <= item.whole.end && item.whole.end <= text.len());
    }
    for offset in [text.len() / 3, text.len() / 2, text.len()] {
        let word = context(&text, offset).word;
        assert!(word.start <= word.end && word.end <= text.len());
    }
}

/// A simulation file, read with all kinds of the catalogue; a formatted text stays as it is.
pub fn simulation_file(bytes: &[u8]) {
    static KINDS: LazyLock<morse_api::kind::Kinds> = LazyLock::new(|| kinds(&no_extensions));
    let text = String::from_utf8_lossy(bytes);
    let options = Options::default();
    if let Err(report) = load::parse(&text, Path::new("nowhere"), &options, &*KINDS) {
        assert!(report.has_errors(), "it says why");
    }
    if let Ok(tidy) = format_simulation(&text, Path::new("fuzz")) {
        let again = format_simulation(&tidy, Path::new("fuzz"));
        assert_eq!(again.expect("tidy text"), tidy);
    }
    for item in outline_simulation(&text) {
        assert!(item.whole.range().end <= text.len());
    }
    for offset in [text.len() / 3, text.len() / 2, text.len()] {
        let word = slot(&text, offset).word;
        assert!(word.start <= word.end && word.end <= text.len());
    }
}

/// An image in a PNG file.
pub fn png(bytes: &[u8]) {
    if let Ok(image) = paint::png(bytes, 1 << 20) {
        whole(&image);
    }
    heights(bytes);
}

/// An image in a JPEG file.
pub fn jpeg(bytes: &[u8]) {
    if let Ok(image) = paint::jpeg(bytes, 1 << 20) {
        whole(&image);
    }
}

/// An image has as many pixels as its size says.
fn whole(image: &Image) {
    let pixels = u64::from(image.width) * u64::from(image.height);
    assert_eq!(image.pixels.len() as u64, 4 * pixels);
}

/// Lines at a port for requests: a reply is one line, for any input.
pub fn socket_request(bytes: &[u8]) {
    for line in bytes.split(|byte| *byte == b'\n') {
        if let morse_socket::request::Line::Wrong(id, why) = morse_socket::request::parse(line) {
            let reply =
                morse_api::service::Reply::failed(morse_api::service::ServiceError::failed(why));
            let reply = morse_socket::request::reply_line(&id, &reply);
            let lines = reply.iter().filter(|byte| **byte == b'\n');
            assert_eq!(lines.count(), 1, "{}", String::from_utf8_lossy(&reply));
        }
    }
}

/// Actuators whose commands have numbers, lists, texts and joints.
const ROBOTS: &str = r#"Simulation(robots: {
    "arm": (model: "arms/kuka_lwr.robray", base: fixed, actuators: { "arm": (kind: "armature"), "joints": (kind: "joints") }),
    "rover": (model: "robots/atrv.robray", actuators: {
        "force": (kind: "force_torque"), "keys": (kind: "keyboard"), "motion": (kind: "v_omega"), "way": (kind: "waypoint"),
    }),
})"#;

/// Lines at the ports of actuators: a refusal contains the actuator's name.
pub fn socket_command(bytes: &[u8]) {
    static ACTUATORS: LazyLock<Vec<morse_api::command::CommandSender>> = LazyLock::new(|| {
        let simulation = Simulation::parse(ROBOTS, ".", &no_extensions).expect("robots");
        let paths = [
            "arm.arm",
            "arm.joints",
            "rover.force",
            "rover.keys",
            "rover.motion",
            "rover.way",
        ];
        let commander = |path| simulation.commander(path).expect("an actuator");
        paths.map(commander).into()
    });
    for line in bytes.split(|byte| *byte == b'\n') {
        for actuator in ACTUATORS.iter() {
            if let Err(why) = morse_socket::command::send(actuator, line) {
                assert!(why.to_string().contains(&*actuator.info.path), "{why}");
            }
        }
    }
}

/// The head of a request for a page.
pub fn http(bytes: &[u8]) {
    if let morse_web::http::Heard::Request(head, length) = morse_web::http::read(bytes) {
        assert!(length <= bytes.len() && head.path.starts_with('/'));
        assert!(!head.path.contains(".."), "{}", head.path);
    }
}

/// Frames of a browser after its upgrade to a WebSocket.
pub fn websocket(bytes: &[u8]) {
    // The head of a frame has six bytes.
    assert!(6 * morse_web::count_valid_messages(bytes) <= bytes.len());
}
