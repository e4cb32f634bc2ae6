//! `morse-bodies [DIRECTORY]`: writes the meshes of the robots to `assets/meshes`, or to another directory. Other files there
//! stay; the tests name meshes that are no longer written.
mod glb;
mod hidden;
mod materials;
mod mesh;
mod outline;
mod robots;
mod shell;
mod solids;

use std::{fs, io, path::Path, process::ExitCode};

use mesh::Mesh;

/// Directory of the meshes.
const DIRECTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/meshes");

fn main() -> ExitCode {
    let directory = std::env::args()
        .nth(1)
        .unwrap_or_else(|| DIRECTORY.to_owned());
    match write(&robots::all(), Path::new(&directory)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            #[expect(
                clippy::print_stderr,
                reason = "this is a program for the command line"
            )]
            {
                eprintln!("error: `{directory}` cannot be written: {error}");
            }
            ExitCode::FAILURE
        }
    }
}

fn write(meshes: &[Mesh], directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    for mesh in meshes {
        fs::write(directory.join(file(mesh)), glb::write(mesh))?;
    }
    Ok(())
}

/// Returns the file name of a mesh.
fn file(mesh: &Mesh) -> String {
    format!("{}.glb", mesh.name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Maximum size of a file, and of all files together, bytes.
    const LARGEST: [usize; 2] = [150_000, 2 << 20];

    /// Maximum number of triangles of the meshes of a robot. A mesh that is drawn several times, such as a wheel, counts once.
    const TRIANGLES: usize = 6_000;

    #[test]
    fn the_committed_files_are_what_the_program_writes() {
        let written: BTreeMap<_, _> = robots::all()
            .iter()
            .map(|mesh| (file(mesh), glb::write(mesh)))
            .collect();
        let mut names: Vec<String> = fs::read_dir(DIRECTORY)
            .expect("a directory")
            .map(|entry| {
                let name = entry.expect("an entry").file_name();
                name.into_string().expect("a plain name")
            })
            .collect();
        names.sort();
        let expected: Vec<_> = written.keys().cloned().collect();
        assert_eq!(
            names, expected,
            "run `cargo run -p morse_bodies`; remove others"
        );
        for (name, bytes) in &written {
            let path = Path::new(DIRECTORY).join(name);
            let committed = fs::read(&path).expect("a mesh");
            assert!(
                committed == *bytes,
                "{name} differs; run `cargo run -p morse_bodies`"
            );
            let read = morse_geometry::mesh::read(&path).expect("a valid mesh");
            assert_eq!(read.normals.len(), read.vertices.len(), "{name}");
            assert!(bytes.len() <= LARGEST[0], "{name}: {} bytes", bytes.len());
        }
        let total: usize = written.values().map(Vec::len).sum();
        assert!(total <= LARGEST[1], "{total} bytes");
    }

    #[test]
    fn robots_have_few_triangles() {
        let mut of_robots = BTreeMap::<String, usize>::new();
        for mesh in robots::all() {
            let robot = mesh.name.split('_').next().unwrap_or_default().to_owned();
            *of_robots.entry(robot).or_default() += mesh.triangles();
        }
        for (robot, triangles) in of_robots {
            assert!(triangles <= TRIANGLES, "{robot} has {triangles} triangles");
        }
    }
}
