//! Materials of a mesh: of an OBJ mesh from its MTL files, of a glTF mesh from the file itself.
use std::{collections::BTreeMap, path::Path};

use morse_api::world_view::Gloss;
use morse_geometry::{
    files::{beside, bytes},
    mesh::Triangles,
};
use morse_scene::model::stretched;

use super::{Source, pbr};

/// Name of the material that Blender writes into MTL files for meshes without a material.
const DUMMY: &str = "None";

/// Maximum size of an MTL file, bytes.
const LARGEST_FILE: u64 = 4 << 20;

/// Material of a part of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Diffuse colour, red, green and blue, 0 to 1: `Kd`.
    pub color: [f64; 3],
    /// Highlights: `Ks` and `Ns`.
    pub gloss: Gloss,
    /// Texture image: `map_Kd`.
    pub image: Option<Source>,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            color: [0.8; 3],
            gloss: Gloss::default(),
            image: None,
        }
    }
}

impl Material {
    /// Returns the materials of a mesh by name, from its own file or from the files that it names, which must be in the
    /// directory of the mesh or below. Problems with the materials, and features of the mesh that are not drawn, are
    /// reported as warnings.
    pub fn read_all(
        mesh: &Path,
        triangles: &Triangles,
        warnings: &mut Vec<String>,
    ) -> BTreeMap<String, Self> {
        let mut materials = BTreeMap::new();
        let (mesh, _) = stretched(mesh);
        let name = mesh.display();
        let remarks = triangles.remarks.iter();
        warnings.extend(remarks.map(|remark| format!("of the mesh `{name}` {remark}")));
        if triangles.parts.is_empty() {
            return materials;
        }
        let ending = mesh.extension().unwrap_or_default().to_ascii_lowercase();
        if ["glb", "gltf"].iter().any(|known| ending == *known) {
            return pbr::read(mesh, triangles, warnings).unwrap_or_else(|why| {
                warnings.push(format!("the materials of `{name}` cannot be read: {why}"));
                materials
            });
        }
        let folder = mesh.parent().unwrap_or(Path::new(""));
        for (name, look) in &triangles.looks {
            let image = look.image.as_ref().and_then(|image| {
                let path = beside(folder, image);
                let path = path.map_err(|why| {
                    warnings.push(format!("the image `{image}` is not shown: {why}"));
                });
                path.ok()
            });
            let own = Self {
                color: look.color,
                image: image.map(Into::into),
                ..Self::default()
            };
            materials.insert(name.clone(), own);
        }
        for library in &triangles.libraries {
            let read = beside(folder, library).and_then(|file| bytes(&file, LARGEST_FILE));
            match read {
                Ok(text) => parse(
                    &String::from_utf8_lossy(&text),
                    folder,
                    &mut materials,
                    warnings,
                ),
                Err(why) => warnings.push(format!(
                    "the materials `{library}` of `{name}` cannot be read: {why}"
                )),
            }
        }
        materials
    }
}

/// Parses the text of an MTL file. Keywords without effect on the drawn appearance are ignored.
fn parse(
    text: &str,
    folder: &Path,
    materials: &mut BTreeMap<String, Material>,
    warnings: &mut Vec<String>,
) {
    let mut current: Option<&mut Material> = None;
    for line in text.lines() {
        let line = line.trim();
        let (word, rest) = line
            .split_once(|space: char| space.is_ascii_whitespace())
            .unwrap_or((line, ""));
        let rest = rest.trim();
        match (word, &mut current) {
            ("newmtl", _) => current = Some(materials.entry(rest.to_owned()).or_default()),
            ("Kd", Some(material)) => material.color = color(rest).unwrap_or(material.color),
            ("Ks", Some(material)) => {
                material.gloss.color = color(rest).unwrap_or(material.gloss.color);
            }
            ("Ns", Some(material)) => {
                let number = rest.parse().ok();
                let number = number.filter(|number: &f64| number.is_finite() && *number >= 0.0);
                material.gloss.shininess = number.unwrap_or(material.gloss.shininess);
            }
            ("map_Kd", Some(material)) => match beside(folder, file_of(rest)) {
                Ok(image) => material.image = Some(image.into()),
                Err(why) => warnings.push(format!("the image `{rest}` is not shown: {why}")),
            },
            _ => {}
        }
    }
    // The colour of the geometry is that of the mesh.
    if materials
        .get(DUMMY)
        .is_some_and(|dummy| dummy.image.is_none())
    {
        materials.remove(DUMMY);
    }
}

/// Returns the file name of a texture map. It follows the options, which most files lack, and may contain blanks.
fn file_of(rest: &str) -> &str {
    if rest.starts_with('-') {
        rest.split_ascii_whitespace().next_back().unwrap_or(rest)
    } else {
        rest
    }
}

/// Parses a colour; a single number is used for all three components.
fn color(text: &str) -> Option<[f64; 3]> {
    let numbers: Vec<f64> = text
        .split_ascii_whitespace()
        .map_while(|value| value.parse().ok())
        .collect();
    let color = match numbers.as_slice() {
        [gray] => [*gray; 3],
        [red, green, blue, ..] => [*red, *green, *blue],
        _ => return None,
    };
    color
        .iter()
        .all(|value| value.is_finite())
        .then(|| color.map(|value| value.clamp(0.0, 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn materials_have_colours_highlights_and_images() {
        let text = "# made by hand\nnewmtl red brick\n Kd 0.8 0.1 2\nKs 0.5\nNs 90\nillum 2\n\
                    map_Kd -s 1 1 1 sub\\wall.png\nnewmtl plain\nmap_Kd my wall.png\nKd x\nNs -3\n";
        let (mut materials, mut warnings) = (BTreeMap::new(), Vec::new());
        parse(text, Path::new("models"), &mut materials, &mut warnings);
        let brick = Material {
            color: [0.8, 0.1, 1.0],
            gloss: Gloss {
                color: [0.5; 3],
                shininess: 90.0,
            },
            image: Some(Path::new("models/sub/wall.png").into()),
        };
        assert_eq!(materials["red brick"], brick);
        let plain = Material {
            image: Some(Path::new("models/my wall.png").into()),
            ..Material::default()
        };
        assert_eq!(materials["plain"], plain);
        assert!(warnings.is_empty());
    }

    #[test]
    fn materials_that_stand_for_none_are_not_used() {
        let (mut materials, mut warnings) = (BTreeMap::new(), Vec::new());
        let text = "newmtl None\nNs 0\nKa 0 0 0\nKd 0.8 0.8 0.8\nKs 0.8 0.8 0.8\nd 1\nillum 2\n";
        parse(text, Path::new(""), &mut materials, &mut warnings);
        assert!(materials.is_empty());
        let text = format!("{text}map_Kd wood.png\n");
        parse(&text, Path::new(""), &mut materials, &mut warnings);
        assert!(materials["None"].image.is_some());
    }

    #[test]
    fn materials_that_lie_elsewhere_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let mesh = folder.path().join("mesh");
        std::fs::create_dir(&mesh).unwrap();
        std::fs::write(folder.path().join("secret.mtl"), "newmtl a\n").unwrap();
        let triangles = Triangles {
            parts: vec![morse_geometry::mesh::Part {
                faces: 0..1,
                material: "a".to_owned(),
            }],
            libraries: vec!["../secret.mtl".to_owned(), "missing.mtl".to_owned()],
            ..Triangles::default()
        };
        let mut warnings = Vec::new();
        let materials = Material::read_all(&mesh.join("a.obj"), &triangles, &mut warnings);
        assert!(materials.is_empty());
        assert_eq!(warnings.len(), 2, "{warnings:?}");
    }
}
