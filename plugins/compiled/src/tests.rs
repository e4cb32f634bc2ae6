//! Damaged, truncated, newer and hostile files.
use std::collections::BTreeMap;
use std::path::Path;

use morse_geometry::archive::{Archive as _, Hull};
use morse_geometry::mesh::{Look, Part, Triangles};
use morse_scene::model::{
    Class, ClosureKind, Frame, Geometry, Joint, JointAxis, LoopClosure, MeshFile, Origin, Scene,
    Shape, Value,
};

use crate::{Archive, CompiledError, Content, Source, content::resolved, encode, hash, header};

/// Number of mutations of each kind of test.
const MUTATIONS: u32 = 10_000;

const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

/// A scene with a mesh, a joint, an allowed pair and a loop closure.
fn scene(file: MeshFile) -> Scene {
    let mut scene = Scene::default();
    let class = Class::new("steel").with("density", Value::Number(7800.0));
    scene.add_class(class).unwrap();
    let base = Frame::new("base").turned([0.1, 0.2, 0.3]);
    scene
        .add_frame(base.with(Geometry::new(Shape::Mesh(file))))
        .unwrap();
    let joint = Joint::Revolute(JointAxis::new([0.0, 0.0, 1.0], "angle"));
    let arm = Frame::new("arm")
        .under("base")
        .at([1.0, 2.0, 3.0])
        .joined(joint);
    scene.add_frame(arm).unwrap();
    scene.allow_collision("arm", "base");
    scene.add_closure(LoopClosure {
        kind: ClosureKind::Weld,
        frames: ["arm".to_owned(), "base".to_owned()],
        source: Origin::default(),
    });
    scene
}

fn content() -> Content {
    let vertices = vec![
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
    ];
    let mesh = Triangles {
        vertices: vertices.clone(),
        faces: TETRAHEDRON.to_vec(),
        normals: vec![[0.0, 0.0, 1.0]; 4],
        coordinates: vec![[0.5, 0.25]; 4],
        parts: vec![Part {
            faces: 1..3,
            material: "red".to_owned(),
        }],
        libraries: vec!["a.mtl".to_owned()],
        looks: BTreeMap::from([(
            "red".to_owned(),
            Look {
                color: [1.0, 0.0, 0.0],
                image: None,
            },
        )]),
        remarks: vec!["its bones are not shown".to_owned()],
    };
    let scene = scene(MeshFile {
        file: "a.obj".to_owned(),
        resolved: "0/a.obj".into(),
    });
    Content {
        scene,
        meshes: BTreeMap::from([("0/a.obj".to_owned(), mesh)]),
        hulls: BTreeMap::from([(
            ("0/a.obj".to_owned(), 1.0_f64.to_bits()),
            Hull {
                vertices,
                faces: TETRAHEDRON.to_vec(),
            },
        )]),
        files: BTreeMap::from([("0/a.mtl".to_owned(), b"newmtl red\n".to_vec())]),
        sources: vec![Source {
            path: "a.robray".to_owned(),
            hash: hash(b"text"),
        }],
    }
}

/// Opens a file, and uses everything in it.
fn used(path: &Path) -> Result<(Scene, Option<Triangles>, Option<Hull>), CompiledError> {
    let (archive, stored, _) = Archive::map(path)?;
    let scene = resolved(stored, "test")?;
    archive.file("0/a.mtl");
    Ok((scene, archive.mesh("0/a.obj"), archive.hull("0/a.obj", 1.0)))
}

/// Pseudo-random numbers (Marsaglia's xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap() % limit.max(1)
    }

    /// Changes a file: bytes, its length, or the order of its sections.
    fn mutated(&mut self, file: &[u8]) -> Vec<u8> {
        let mut file = file.to_vec();
        for _ in 0..=self.below(3) {
            let length = file.len();
            let offset = self.below(length);
            match self.below(6) {
                0 => file[offset] ^= 1 << self.below(8),
                1 => file[offset] = [0, 1, 0x7f, 0x80, 0xff][self.below(5)],
                2 => file.truncate(offset.max(1)),
                3 => file.extend(vec![0; self.below(40)]),
                4 => file.rotate_left(offset),
                _ => {
                    let end = (offset + 4).min(length);
                    file[offset..end].fill(0xff);
                }
            }
        }
        file
    }
}

#[test]
fn a_scene_survives_compilation() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.msc");
    let content = content();
    std::fs::write(&path, encode(&content).unwrap()).unwrap();
    let (scene, mesh, hull) = used(&path).unwrap();
    assert_eq!(scene.frames().len(), 2);
    assert_eq!(scene.frame("arm"), content.scene.frame("arm"));
    assert_eq!(scene.classes(), content.scene.classes());
    assert_eq!(
        scene.allowed_collisions(),
        content.scene.allowed_collisions()
    );
    assert_eq!(scene.closures(), content.scene.closures());
    assert_eq!(mesh.as_ref(), content.meshes.get("0/a.obj"));
    assert_eq!(hull.as_ref(), content.hulls.values().next());
    let Shape::Mesh(file) = &scene.frames()[0].geometry[0].shape else {
        panic!("a mesh");
    };
    assert_eq!(file.resolved, Path::new("compiled:/test/0/a.obj"));
}

#[test]
fn every_damage_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.msc");
    let file = encode(&content()).unwrap();
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for _ in 0..MUTATIONS {
        let mutated = numbers.mutated(&file);
        if mutated == file {
            continue;
        }
        std::fs::write(&path, &mutated).unwrap();
        assert!(used(&path).is_err(), "{mutated:?}");
    }
}

/// The hash is no protection against files that are made to be hostile.
#[test]
fn hostile_files_with_a_valid_hash_cause_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.msc");
    let file = encode(&content()).unwrap();
    let length = usize::try_from(u64::from_le_bytes(file[24..32].try_into().unwrap())).unwrap();
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    let mut accepted = 0;
    for _ in 0..MUTATIONS {
        let mut mutated = vec![0; header::SIZE];
        mutated.extend(numbers.mutated(&file[header::SIZE..]));
        header::write(&mut mutated, length);
        std::fs::write(&path, &mutated).unwrap();
        accepted += u32::from(used(&path).is_ok());
    }
    assert!(accepted > 0, "changes of numbers are no errors");
}

#[test]
fn other_files_and_versions_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.msc");
    let refusal = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        used(&path).unwrap_err().to_string()
    };
    let mut file = encode(&content()).unwrap();
    assert!(refusal(b"frame a { }").contains("no compiled scene"));
    assert!(refusal(b"").contains("no compiled scene") || refusal(b"").contains("mmap"));
    assert!(refusal(&file[..40]).contains("header is incomplete"));
    assert!(refusal(&file[..file.len() - 1]).contains("length is wrong"));
    file[100] ^= 1;
    assert!(refusal(&file).contains("hash is wrong"));
    file[8] = 1;
    assert!(refusal(&file).contains("it has the format 1, and this program reads 2"));
    assert!(matches!(used(folder.path()), Err(CompiledError::Foreign)));
}

/// A change of this hash changes the format: [`header::VERSION`] has to increase with it.
#[test]
fn the_format_is_that_of_its_version() {
    let file = encode(&content()).unwrap();
    assert_eq!(
        (header::VERSION, hash(&file)),
        (2, 189_759_448_442_431_267_429_315_174_966_501_460_244)
    );
}
