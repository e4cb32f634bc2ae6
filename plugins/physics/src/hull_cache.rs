//! Cache of convex hulls and convex parts on the disk, by the content of their meshes. A program enables it; results do not depend on it.
use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use bevy::math::Vec3;
use morse_api::{state::StateHasher, whole_file::write_whole};
use morse_geometry::{archive::Hull, files};

/// Version of the engine that computes the hulls: another one may compute others.
const ENGINE: &str = "parry3d 0.30.2";
/// First bytes of a file.
const MAGIC: &[u8; 8] = b"msimhul2";
/// Bytes before the hulls: magic, and hash of the rest.
const HEAD: usize = 24;
/// Number of points from which a hull is stored: computing it takes longer than reading a file.
const FEWEST_POINTS: usize = 300;
/// Maximum size of a file, bytes.
const LARGEST: u64 = 64 << 20;
/// Maximum number of files; of more, the older half is removed.
const MOST_FILES: usize = 2000;

/// Directory of the cache.
static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();

/// Enables the cache in a directory, for the whole program. A later call has no effect.
pub fn enable(directory: PathBuf) {
    DIRECTORY.get_or_init(|| directory);
}

/// Returns hulls from the cache, or computes and stores them. They depend on points and numbers: none for the hull of the
/// points, faces and the maximum number for convex parts. A cache that cannot be read or written has no effect.
pub(crate) fn cached(
    points: &[Vec3],
    numbers: &[u32],
    compute: impl FnOnce() -> Option<Vec<Hull>>,
) -> Option<Vec<Hull>> {
    let is_slow = points.len() >= FEWEST_POINTS || !numbers.is_empty();
    match DIRECTORY.get() {
        Some(directory) if is_slow => look_up(directory, points, numbers, compute),
        _ => compute(),
    }
}

fn look_up(
    directory: &Path,
    points: &[Vec3],
    numbers: &[u32],
    compute: impl FnOnce() -> Option<Vec<Hull>>,
) -> Option<Vec<Hull>> {
    let path = directory.join(key(points, numbers));
    if let Some(hulls) = read(&path) {
        return Some(hulls);
    }
    let hulls = compute()?;
    store(&path, &hulls);
    Some(hulls)
}

/// Returns the name of the file for points and numbers.
fn key(points: &[Vec3], numbers: &[u32]) -> String {
    let mut hasher = StateHasher::default();
    hasher.bytes(ENGINE.as_bytes());
    hasher.bytes(&coordinates(points.iter().map(Vec3::to_array)));
    let numbers: Vec<u8> = numbers.iter().flat_map(|one| one.to_le_bytes()).collect();
    hasher.bytes(&numbers);
    format!("{:032x}", hasher.finish())
}

fn coordinates(points: impl Iterator<Item = [f32; 3]>) -> Vec<u8> {
    points.flatten().flat_map(f32::to_le_bytes).collect()
}

fn hash(bytes: &[u8]) -> u128 {
    let mut hasher = StateHasher::default();
    hasher.bytes(bytes);
    hasher.finish()
}

/// Returns the hulls of a file; `None` if there is none, or if it is damaged.
fn read(path: &Path) -> Option<Vec<Hull>> {
    let bytes = files::bytes(path, LARGEST).ok()?;
    let (magic, rest) = bytes.split_first_chunk::<8>()?;
    let (expected, body) = rest.split_first_chunk::<16>()?;
    if magic != MAGIC || u128::from_le_bytes(*expected) != hash(body) {
        return None;
    }
    let (words, rest) = body.as_chunks::<4>();
    if !rest.is_empty() {
        return None;
    }
    let mut words = words;
    let mut hulls = Vec::new();
    while !words.is_empty() {
        hulls.push(next(&mut words)?);
    }
    Some(hulls)
}

/// Reads a hull: numbers of vertices and faces, vertices and faces.
fn next(words: &mut &[[u8; 4]]) -> Option<Hull> {
    let mut take = |count: Option<usize>| {
        let (taken, rest) = words.split_at_checked(count?)?;
        *words = rest;
        Some(taken)
    };
    let counts = take(Some(2))?.iter();
    let counts: Vec<usize> = counts
        .map(|one| u32::from_le_bytes(*one) as usize)
        .collect();
    let vertices = take(counts.first()?.checked_mul(3))?
        .as_chunks::<3>()
        .0
        .iter();
    let faces = take(counts.last()?.checked_mul(3))?
        .as_chunks::<3>()
        .0
        .iter();
    Some(Hull {
        vertices: vertices
            .map(|point| point.map(f32::from_le_bytes))
            .collect(),
        faces: faces.map(|face| face.map(u32::from_le_bytes)).collect(),
    })
}

fn store(path: &Path, hulls: &[Hull]) {
    let mut body = Vec::new();
    for hull in hulls {
        for count in [hull.vertices.len(), hull.faces.len()] {
            body.extend((count as u32).to_le_bytes());
        }
        body.extend(coordinates(hull.vertices.iter().copied()));
        let corners = hull.faces.as_flattened().iter();
        body.extend(corners.flat_map(|corner| corner.to_le_bytes()));
    }
    if (HEAD + body.len()) as u64 > LARGEST {
        return;
    }
    let Some(directory) = path.parent() else {
        return;
    };
    let written = fs::create_dir_all(directory).and_then(|()| {
        write_whole(path, |file| {
            file.write_all(MAGIC)?;
            file.write_all(&hash(&body).to_le_bytes())?;
            file.write_all(&body)
        })
    });
    if written.is_ok() {
        evict(directory, MOST_FILES);
    }
}

/// Removes the older half of the files if there are more than a number.
fn evict(directory: &Path, most: usize) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    let entries = entries.flatten().map(|entry| {
        let time = entry.metadata().and_then(|about| about.modified());
        (time.ok(), entry.path())
    });
    let mut files: Vec<_> = entries.collect();
    if files.len() > most {
        files.sort();
        for (_, path) in files.iter().take(files.len() / 2) {
            fs::remove_file(path).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(count: usize) -> Vec<Vec3> {
        (0..count).map(|index| Vec3::splat(index as f32)).collect()
    }

    fn hull(height: f32) -> Hull {
        Hull {
            vertices: vec![
                [0.0; 3],
                [1.0, 0.0, 0.0],
                [0.0, 1.0, 0.0],
                [0.0, 0.0, height],
            ],
            faces: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
        }
    }

    #[test]
    fn a_hull_is_computed_once_and_a_damaged_file_again() {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().join("hulls");
        let points = points(400);
        let look = |height: f32| {
            let mut is_computed = false;
            let parts = look_up(&directory, &points, &[7], || {
                is_computed = true;
                Some(vec![hull(0.5), hull(height)])
            });
            (parts.unwrap()[1].vertices[3][2], is_computed)
        };
        assert_eq!(look(1.0), (1.0, true));
        assert_eq!(look(2.0), (1.0, false), "from the file");
        let path = directory.join(key(&points, &[7]));
        let whole = fs::read(&path).unwrap();
        for damage in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[damage] ^= 1;
            fs::write(&path, &bytes).unwrap();
            assert_eq!(read(&path), None, "byte {damage}");
            fs::write(&path, &whole[..damage]).unwrap();
            assert_eq!(read(&path), None, "{damage} bytes");
        }
        assert_eq!(look(2.0), (2.0, true), "written again");
        assert_eq!(look(3.0), (2.0, false));
        let mut other = points.clone();
        other[7].x += 1e-3;
        assert_ne!(key(&points, &[7]), key(&other, &[7]));
        assert_ne!(key(&points, &[7]), key(&points, &[8]));
    }

    #[test]
    fn the_older_half_of_too_many_files_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        for index in 0..6 {
            let file = fs::File::create(folder.path().join(index.to_string())).unwrap();
            let now = file.metadata().unwrap().modified().unwrap();
            let time = now - std::time::Duration::from_secs(100 * index);
            file.set_modified(time).unwrap();
        }
        evict(folder.path(), 6);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 6);
        evict(folder.path(), 5);
        let left = fs::read_dir(folder.path()).unwrap().flatten();
        let mut left: Vec<_> = left.map(|entry| entry.file_name()).collect();
        left.sort();
        assert_eq!(left, ["0", "1", "2"], "the newest");
    }

    #[test]
    fn the_engine_is_that_of_the_lock_file() {
        let lock = include_str!("../../../Cargo.lock");
        let (name, version) = ENGINE.split_once(' ').unwrap();
        let entry = format!("name = \"{name}\"\nversion = \"{version}");
        assert!(lock.contains(&entry), "`ENGINE` is {ENGINE}");
    }
}
