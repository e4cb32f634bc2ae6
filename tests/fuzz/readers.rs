//! Fuzz targets of meshes and robot descriptions, without the simulator, so that they are built soon. A panic is a bug; so is
//! a failed assertion.
#![expect(clippy::missing_panics_doc, reason = "panics are what they find")]
use std::path::{Path, PathBuf};

use morse_description::{
    mjcf::{self as mujoco, Options as MujocoOptions},
    packages::Packages,
    sdf::{self as gazebo, Options as GazeboOptions},
    urdf::{self as description, Circumstances, Root},
};
use morse_diagnostics::{Diagnostic, Overlay, Sources, Style, render};
use morse_geometry::mesh::{self, MeshError, Triangles, collada, elevation, gltf, msh, ply};
use morse_robray::{Included, Inclusions, NotFound, Options, write};
use morse_scene::shipped::Shipped;
use morse_simulation_file::format as format_simulation;

/// A scene without files around it.
struct Alone;

impl Inclusions for Alone {
    fn read(&mut self, _path: &Path, _sources: &mut Sources) -> Included {
        Included::default()
    }

    fn find(&self, _written: &str, _directory: &Path) -> Result<PathBuf, NotFound> {
        Err(NotFound::default())
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

/// Returns circumstances in which no file may be read.
fn circumstances(overlay: &Overlay) -> Circumstances<'_> {
    Circumstances {
        strict: false,
        simulated: false,
        allow_paths: &[],
        overlay,
    }
}

/// A robot description with macros.
pub fn xacro(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut sources = Sources::default();
    let source = sources.add("fuzz", &*text);
    let path = Path::new("nowhere/fuzz.urdf.xacro");
    let options = description::Options::default();
    let overlay = Overlay::default();
    let own = circumstances(&overlay);
    let read = description::expanded(source, &text, path, &options, own, &mut sources);
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
    let path = Path::new("nowhere/fuzz.urdf");
    let overlay = Overlay::default();
    for is_alone in [true, false] {
        let own = description::Options {
            is_alone,
            ..description::Options::default()
        };
        let read = description::parse(source, &text, path, &own, circumstances(&overlay));
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
    let packages = Packages::default();
    let overlay = Overlay::default();
    let path = Path::new("nowhere/fuzz.sdf");
    for is_alone in [true, false] {
        let options = GazeboOptions {
            root: Root::default(),
            packages: &packages,
            is_alone,
            surface: |_| Err("there are no files".to_owned()),
        };
        let own = circumstances(&overlay);
        let read = gazebo::parse(source, &text, path, options, own, &mut sources);
        described(&read, &sources);
        tidy(&read.components);
    }
}

/// A model of MuJoCo: as a robot description, with no files beside it.
pub fn mjcf(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut sources = Sources::default();
    let source = sources.add("fuzz", &*text);
    let overlay = Overlay::default();
    let path = Path::new("nowhere/fuzz.xml");
    for root in [Root::Fixed, Root::Free] {
        let options = MujocoOptions {
            root,
            is_alone: root == Root::Free,
            surface: |_| Err("there are no files".to_owned()),
            hull: |_| None,
        };
        let own = circumstances(&overlay);
        let read = mujoco::parse(source, &text, path, options, own, &mut sources);
        tidy(&read.components);
        described(&read, &sources);
    }
}

/// Checks a description that was read: its scene can be written, or there is an error; every message can be displayed.
fn described(read: &description::Read, sources: &Sources) {
    match &read.scene {
        Some(scene) => {
            let written = write(scene).expect("a robot can be written");
            let options = Options {
                strict: false,
                strict_amino: false,
                allow_paths: &[],
                shipped: Shipped::default(),
                skip_mesh_check: true,
                simulated: false,
                sources: &Sources::default(),
                overlay: &Overlay::default(),
            };
            let nowhere = Path::new("nowhere");
            let again = morse_robray::parse_str(&written, "fuzz", nowhere, options, &mut Alone);
            let again = again.expect("a written robot can be read").scene;
            assert_eq!(again.frames().len(), scene.frames().len(), "{written}");
        }
        None => assert!(read.diagnostics.iter().any(Diagnostic::is_error)),
    }
    for diagnostic in &read.diagnostics {
        assert!(!render(diagnostic, sources, Style::Plain).is_empty());
    }
}

/// A height map.
pub fn heights(bytes: &[u8]) {
    check_mesh(elevation::parse(bytes));
}
