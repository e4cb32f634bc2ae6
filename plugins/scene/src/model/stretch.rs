//! Paths of meshes that are stretched along their axes.

use std::path::{Path, PathBuf};

/// Mark between the path of a mesh and the factors.
const MARK: char = '#';

/// The path of a mesh that is stretched by factors along its axes, before all scaling: `arm.stl#1,-1,1`. A negative one
/// mirrors.
#[must_use]
pub fn stretch(file: &Path, [x, y, z]: [f64; 3]) -> PathBuf {
    let mut path = file.as_os_str().to_owned();
    path.push(format!("{MARK}{x},{y},{z}"));
    path.into()
}

/// The file of a mesh, and the factors along its axes, if it is stretched.
#[must_use]
pub fn stretched(path: &Path) -> (&Path, Option<[f64; 3]>) {
    let parts = path.to_str().and_then(|text| text.rsplit_once(MARK));
    let read = parts.and_then(|(file, factors)| {
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
}
