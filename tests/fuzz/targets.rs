//! Fuzz targets, one for each reader of untrusted input. A panic is a bug; so is a failed assertion.
//!
//! The crate beside this file passes them to libFuzzer, and the suite runs them over the corpora: see CONTRIBUTING.md.
#![expect(clippy::missing_panics_doc, reason = "panics are what they find")]
use std::{path::Path, sync::LazyLock};

use morse_sim::{
    Simulation,
    geometry::mesh::{self, MeshError, Triangles, collada, elevation, gltf, msh, ply},
    render::paint,
    scene::{
        diagnostic::{Diagnostic, Sources, Style, render},
        load::{LoadOptions, parse_str},
        mjcf::{self as mujoco, Options as MujocoOptions},
        robray::{context, format, outline, write},
        sdf::{self as gazebo, Options as GazeboOptions},
        simulation::{format as format_simulation, outline as outline_simulation, slot::slot},
        urdf::{self as description, Root},
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
pub const TARGETS: [Target; 17] = [
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
    if let Err(report) = load::parse(&text, Path::new("nowhere"), &options, &KINDS) {
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

fn check_mesh(read: Result<Triangles, MeshError>) {
    match read {
        Ok(triangles) => {
            let count = triangles.vertices.len();
            let corners = triangles.faces.as_flattened();
            assert!(corners.iter().all(|corner| (*corner as usize) < count));
            for (list, what) in [
                (triangles.normals.len(), "normals"),
                (triangles.coordinates.len(), "coordinates"),
            ] {
                assert!(
                    list == 0 || list == count,
                    "{list} {what} of {count} corners"
                );
            }
            let last = triangles.parts.iter().map(|part| part.faces.end).max();
            assert!(last.unwrap_or(0) <= triangles.faces.len());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A mesh in OBJ.
pub fn obj(bytes: &[u8]) {
    check_mesh(mesh::parse_obj(bytes));
}

/// A mesh in STL, text or binary.
pub fn stl(bytes: &[u8]) {
    check_mesh(mesh::parse_stl(bytes));
}

/// A mesh in glTF, text or binary, with no files beside it.
pub fn gltf_file(bytes: &[u8]) {
    check_mesh(gltf::parse(bytes, Path::new("nowhere")));
}

/// A mesh in Collada.
pub fn collada_file(bytes: &[u8]) {
    check_mesh(collada::parse(bytes));
}

/// A mesh in MSH.
pub fn msh_file(bytes: &[u8]) {
    check_mesh(msh::parse(bytes));
}

/// A mesh in PLY.
pub fn ply_file(bytes: &[u8]) {
    check_mesh(ply::parse(bytes));
}

/// A robot description with macros.
pub fn xacro(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut sources = Sources::default();
    let source = sources.add("fuzz", &*text);
    let options = LoadOptions::default();
    let path = Path::new("nowhere/fuzz.urdf.xacro");
    let circumstances = options.circumstances();
    let read = description::expanded(
        source,
        &text,
        path,
        &options.urdf,
        circumstances,
        &mut sources,
    );
    let is_wrong = read.diagnostics.iter().any(Diagnostic::is_error);
    assert_eq!(read.scene.is_none(), is_wrong);
    for diagnostic in &read.diagnostics {
        assert!(!render(diagnostic, &sources, Style::Plain).is_empty());
    }
}

/// A robot description: a description that can be read can be written as a scene; every error can be displayed.
pub fn urdf(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut sources = Sources::default();
    let source = sources.add("fuzz", &*text);
    let options = LoadOptions::default();
    let path = Path::new("nowhere/fuzz.urdf");
    for is_alone in [true, false] {
        let own = description::Options {
            is_alone,
            ..options.urdf.clone()
        };
        let circumstances = options.circumstances();
        let read = description::parse(source, &text, path, &own, circumstances);
        described(&read, &sources);
        tidy(&read.components);
    }
}

/// Checks that a simulation file that was made has no errors of syntax.
fn tidy(components: &str) {
    if !components.is_empty() {
        let tidy = format_simulation(components, Path::new("fuzz"));
        assert!(tidy.is_ok(), "{components}");
    }
}

/// A world or model of Gazebo: as a robot description; the simulation file that is made of it has no errors of syntax.
pub fn sdf(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut sources = Sources::default();
    let source = sources.add("fuzz", &*text);
    let load = LoadOptions::default();
    let path = Path::new("nowhere/fuzz.sdf");
    for is_alone in [true, false] {
        let options = GazeboOptions {
            root: load.urdf.root,
            packages: &load.urdf.packages,
            is_alone,
        };
        let circumstances = load.circumstances();
        let read = gazebo::parse(source, &text, path, options, circumstances, &mut sources);
        described(&read, &sources);
        tidy(&read.components);
    }
}

/// A model of MuJoCo: as a robot description, with no files beside it.
pub fn mjcf(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut sources = Sources::default();
    let source = sources.add("fuzz", &*text);
    let load = LoadOptions::default();
    let path = Path::new("nowhere/fuzz.xml");
    for root in [Root::Fixed, Root::Free] {
        let options = MujocoOptions {
            root,
            is_alone: root == Root::Free,
            surface: |_| Err("there are no files".to_owned()),
            hull: |_| None,
        };
        let circumstances = load.circumstances();
        let read = mujoco::parse(source, &text, path, options, circumstances, &mut sources);
        tidy(&read.components);
        described(&read, &sources);
    }
}

/// Checks a description that was read: its scene can be written, or there is an error; every message can be displayed.
fn described(read: &description::Read, sources: &Sources) {
    match &read.scene {
        Some(scene) => {
            let written = write(scene).expect("a robot can be written");
            let simple = LoadOptions {
                skip_mesh_check: true,
                ..LoadOptions::default()
            };
            let again = parse_str(&written, "fuzz", Path::new("nowhere"), &simple);
            let again = again.expect("a written robot can be read").scene;
            assert_eq!(again.frames().len(), scene.frames().len(), "{written}");
        }
        None => assert!(read.diagnostics.iter().any(Diagnostic::is_error)),
    }
    for diagnostic in &read.diagnostics {
        assert!(!render(diagnostic, sources, Style::Plain).is_empty());
    }
}

/// An image.
pub fn png(bytes: &[u8]) {
    if let Ok(image) = paint::png(bytes, 1 << 20) {
        let pixels = u64::from(image.width) * u64::from(image.height);
        assert_eq!(image.pixels.len() as u64, 4 * pixels);
    }
    // The same bytes as a height map.
    check_mesh(elevation::parse(bytes));
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
