//! Materials of a glTF mesh: approximation of metallic-roughness materials by diffuse colour and highlights.
use std::{collections::BTreeMap, path::Path, sync::Arc};

use ::gltf::json::{
    Index,
    material::{AlphaMode, PbrMetallicRoughness},
    texture::Texture,
    validation::Checked,
};
use morse_api::{lighting::code, world_view::Gloss};
use morse_geometry::{
    files,
    mesh::{
        LARGEST_FILE, MeshError, Triangles,
        gltf::{File, Resource, resource, shown},
    },
};

use super::{Inside, Material, Source};

/// Reflectance of dielectrics at normal incidence (glTF 2.0, appendix B).
const DIELECTRIC: f64 = 0.04;

/// Minimum roughness that is drawn: the highlights of smoother surfaces are smaller than a pixel.
const SMOOTHEST: f64 = 0.089;

/// Returns the materials of the parts of a mesh. Problems with their images are reported as warnings.
pub(super) fn read(
    mesh: &Path,
    triangles: &Triangles,
    warnings: &mut Vec<String>,
) -> Result<BTreeMap<String, Material>, MeshError> {
    let bytes = files::bytes(mesh, LARGEST_FILE)?;
    let folder = mesh.parent().unwrap_or(Path::new(""));
    let file = File::parse(&bytes, folder)?;
    let mut images = BTreeMap::new();
    let mut materials = BTreeMap::new();
    for part in &triangles.parts {
        let index: usize = part.material.parse().unwrap_or(usize::MAX);
        let Some(material) = file.root.materials.get(index) else {
            continue;
        };
        let name = match &material.name {
            Some(name) => format!("`{}` of the mesh `{}`", shown(name), mesh.display()),
            None => format!("{index} of the mesh `{}`", mesh.display()),
        };
        let is_opaque = matches!(material.alpha_mode, Checked::Valid(AlphaMode::Opaque));
        if !is_opaque {
            warnings.push(format!(
                "the material {name} is not seen through: what is transparent in a mesh is drawn solid"
            ));
        }
        let look = &material.pbr_metallic_roughness;
        let [red, green, blue, _] = look.base_color_factor.0.map(share);
        let tint = [red, green, blue];
        let image = look.base_color_texture.as_ref().and_then(|texture| {
            let source = image(mesh, &file, texture.index, &mut images);
            let source = source.map_err(|why| {
                warnings.push(format!(
                    "the image of the material {name} is not shown: {why}"
                ));
            });
            Some(Source {
                tint: tint.map(|value| value as f32),
                is_opaque,
                ..source.ok()?
            })
        });
        let material = Material {
            color: tint.map(code),
            gloss: gloss(look, tint),
            image,
        };
        materials.insert(part.material.clone(), material);
    }
    Ok(materials)
}

fn share(number: f32) -> f64 {
    f64::from(number).clamp(0.0, 1.0)
}

/// Returns highlights of about the same size and, in their centre, the same intensity. With the square a of the roughness,
/// the exponent n is 2 / a² - 2 (Walter and others, 2007), and the centre of a highlight is n / 8 times as bright as a
/// mirror, so that a fully rough surface has no highlight.
fn gloss(look: &PbrMetallicRoughness, base: [f64; 3]) -> Gloss {
    let metal = share(look.metallic_factor.0);
    let roughness = share(look.roughness_factor.0).max(SMOOTHEST);
    let square = roughness * roughness;
    let shininess = 2.0 / (square * square) - 2.0;
    Gloss {
        color: base.map(|value| {
            let mirror = DIELECTRIC * (1.0 - metal) + value * metal;
            (mirror * shininess / 8.0).min(1.0)
        }),
        shininess,
    }
}

/// Returns the image of a texture; images inside the mesh file are cached by their index.
fn image(
    mesh: &Path,
    file: &File<'_>,
    texture: Index<Texture>,
    images: &mut BTreeMap<usize, Arc<[u8]>>,
) -> Result<Source, MeshError> {
    let index = file
        .root
        .get(texture)
        .map_or(usize::MAX, |texture| texture.source.value());
    let Some(image) = file.root.images.get(index) else {
        return Err(MeshError::Unsupported(
            "the mesh contains no such image; export it with PNG or JPEG images".to_owned(),
        ));
    };
    if let Some(content) = images.get(&index) {
        return Ok(inside(mesh, index, content.clone()));
    }
    let content: Arc<[u8]> = match (image.buffer_view, &image.uri) {
        (Some(view), _) => file.view(view)?.0.into(),
        (None, Some(uri)) => match resource(uri, file.folder)? {
            Resource::File(path) => return Ok(path.into()),
            Resource::Data(bytes) => bytes.into(),
        },
        (None, None) => {
            let why = "the file says nothing of where it is";
            return Err(MeshError::Name(why.to_owned()));
        }
    };
    images.insert(index, content.clone());
    Ok(inside(mesh, index, content))
}

fn inside(mesh: &Path, index: usize, content: Arc<[u8]>) -> Source {
    Source {
        inside: Some(Inside { index, content }),
        ..mesh.into()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use morse_geometry::mesh::{self};
    use morse_testing::gltf::{glb, square};
    use serde_json::{Value, json};

    use super::*;
    use crate::paint::Images;

    /// Returns a PNG file with one semi-transparent pixel.
    fn png() -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 1, 1);
        encoder.set_color(png::ColorType::Rgba);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&[255, 255, 200, 128]).unwrap();
        writer.finish().unwrap();
        bytes
    }

    /// Returns the material of a square with this material, and the warnings.
    fn read(material: Value, image: Value) -> (tempfile::TempDir, Material, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.png"), png()).unwrap();
        let (mut json, mut binary) = square();
        json["materials"] = json!([material]);
        json["textures"] = json!([{ "source": 0 }, {}]);
        json["images"] = json!([image]);
        json["bufferViews"]
            .as_array_mut()
            .unwrap()
            .push(json!({ "buffer": 0, "byteOffset": 140, "byteLength": png().len() }));
        binary.extend(png());
        json["buffers"][0]["byteLength"] = binary.len().into();
        let mesh = folder.path().join("square.glb");
        fs::write(&mesh, glb(&json, &binary)).unwrap();
        let triangles = mesh::read(&mesh).unwrap();
        let mut warnings = Vec::new();
        let mut materials = Material::read_all(&mesh, &triangles, &mut warnings);
        (folder, materials.remove("0").unwrap(), warnings)
    }

    #[test]
    fn colours_and_highlights_are_those_of_the_factors() {
        let look = json!({ "pbrMetallicRoughness": {
            "baseColorFactor": [0.5, 1, 0, 1], "metallicFactor": 0, "roughnessFactor": 0.5 } });
        let (_folder, material, warnings) = read(look, json!({ "uri": "a.png" }));
        // Half of the linear light is code 188 (IEC 61966-2-1).
        let codes = material.color.map(|value| (value * 255.0).round());
        assert_eq!(codes, [188.0, 255.0, 0.0]);
        // Roughness 0.5 is a² = 1 / 16: an exponent of 30, and 4 % of the light times 30 / 8.
        assert!((material.gloss.shininess - 30.0).abs() < 1e-9);
        assert!((material.gloss.color[2] - 0.15).abs() < 1e-9);
        assert_eq!(material.image, None);
        assert!(warnings.is_empty(), "{warnings:?}");
        let (_folder, plain, _) = read(json!({}), json!({ "uri": "a.png" }));
        assert_eq!(plain.color.map(|value| (value * 1e9).round()), [1e9; 3]);
        assert_eq!(plain.gloss, Gloss::default());
    }

    #[test]
    fn images_are_inside_beside_or_in_the_name() {
        let data = format!(
            "data:image/png;base64,{}",
            data_encoding::BASE64.encode(&png())
        );
        for image in [
            json!({ "bufferView": 2, "mimeType": "image/png" }),
            json!({ "uri": "a.png" }),
            json!({ "uri": data }),
        ] {
            let look = json!({ "pbrMetallicRoughness": {
                "baseColorFactor": [0.5, 1, 1, 1], "baseColorTexture": { "index": 0 } } });
            let (_folder, material, warnings) = read(look, image);
            assert!(warnings.is_empty(), "{warnings:?}");
            let image = Images::default().read(&material.image.unwrap()).unwrap();
            // Tinted, and opaque: an opaque material ignores the alpha channel.
            assert_eq!(*image.pixels, [188, 255, 200, 255]);
        }
    }

    #[test]
    fn images_that_are_not_shown_are_named() {
        let textured = |texture: u32| {
            json!({ "name": "wood", "alphaMode": "BLEND",
                "pbrMetallicRoughness": { "baseColorTexture": { "index": texture } } })
        };
        for (texture, image, why) in [
            (
                0,
                json!({ "uri": "../secret.png" }),
                "neither in the directory",
            ),
            (
                0,
                json!({ "uri": "https://example.org/a.png" }),
                "put the file",
            ),
            (0, json!({ "name": "nothing" }), "nothing of where"),
            (1, json!({ "uri": "a.png" }), "PNG or JPEG images"),
        ] {
            let (_folder, material, warnings) = read(textured(texture), image);
            assert_eq!(material.image, None);
            let [blend, image] = warnings.as_slice() else {
                panic!("{warnings:?}");
            };
            assert!(
                blend.contains("`wood`") && blend.contains("solid"),
                "{blend}"
            );
            assert!(image.contains(why), "{image}");
        }
    }
}
