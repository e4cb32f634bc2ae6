//! Paths of meshes with scale factors per axis, and with the upward axis of their files.

use std::path::{Path, PathBuf};

/// Separator between the path of a mesh and the factors.
const MARK: char = '#';

/// Word after the factors of a mesh that is turned.
const UPRIGHT: &str = ",upright";

/// Returns the path of a mesh with scale factors along its axes, which apply before all other scaling: `arm.stl#1,-1,1`. A
/// negative factor mirrors.
#[must_use]
pub fn stretch(file: &Path, [x, y, z]: [f64; 3]) -> PathBuf {
    let mut path = file.as_os_str().to_owned();
    path.push(format!("{MARK}{x},{y},{z}"));
    path.into()
}

/// Returns the path of a mesh that is turned, before it is scaled, so that the upward axis of its file becomes z:
/// `arm.dae#1,1,1,upright`.
#[must_use]
pub fn turn_upright(path: &Path) -> PathBuf {
    if is_upright(path) {
        return path.to_owned();
    }
    let (file, factors) = stretched(path);
    let mut path = stretch(file, factors.unwrap_or([1.0; 3])).into_os_string();
    path.push(UPRIGHT);
    path.into()
}

/// Returns true if a mesh is turned by the upward axis of its file.
#[must_use]
pub fn is_upright(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.ends_with(UPRIGHT)) && stretched(path).1.is_some()
}

/// Splits the path of a mesh into the file and the scale factors along its axes, if there are any.
#[must_use]
pub fn stretched(path: &Path) -> (&Path, Option<[f64; 3]>) {
    let halves = path.to_str().and_then(|text| text.rsplit_once(MARK));
    let read = halves.and_then(|(file, factors)| {
        let factors = factors.strip_suffix(UPRIGHT).unwrap_or(factors);
        let numbers: Result<Vec<f64>, _> = factors.split(',').map(str::parse).collect();
        let numbers: [f64; 3] = numbers.ok()?.try_into().ok()?;
        let is_sound = numbers.iter().all(|number| number.is_normal());
        is_sound.then_some((Path::new(file), numbers))
    });
    match read {
        Some((file, factors)) => (file, Some(factors)),
        None => (path, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_come_back() {
        let path = stretch(Path::new("a#b/c.stl"), [1.0, -0.001, 2e-7]);
        let factors = Some([1.0, -0.001, 2e-7]);
        assert_eq!(stretched(&path), (Path::new("a#b/c.stl"), factors));
        for plain in [
            "a.stl",
            "a#b.stl",
            "a.stl#1,2",
            "a.stl#1,0,1",
            "a.stl#1,nan,1",
        ] {
            assert_eq!(stretched(Path::new(plain)), (Path::new(plain), None));
        }
    }

    #[test]
    fn turned_meshes_keep_their_factors() {
        for (path, factors) in [
            (PathBuf::from("a.dae"), [1.0; 3]),
            (
                stretch(Path::new("a.dae"), [1.0, -2.0, 0.5]),
                [1.0, -2.0, 0.5],
            ),
        ] {
            let turned = turn_upright(&path);
            assert!(is_upright(&turned) && !is_upright(&path));
            assert_eq!(stretched(&turned), (Path::new("a.dae"), Some(factors)));
            assert_eq!(turn_upright(&turned), turned);
        }
        assert!(!is_upright(Path::new("a,upright")));
    }
}
