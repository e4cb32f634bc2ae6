//! Conversion of colours, textures and mesh scales.

use std::path::PathBuf;

use morse_diagnostics::{Diagnostic, printable};
use morse_scene::model::{Geometry, ImageFile, stretch};

use crate::{
    problems::Problems,
    urdf::{
        assets::Assets,
        codes,
        robot::{Link, Material, Piece, Robot},
    },
};

/// Sets the appearance of a geometry. Collision geometry that is drawn gets the appearance of the link's first visual.
pub(super) fn paint(
    link: &Link,
    piece: &Piece,
    robot: &Robot,
    geometry: &mut Geometry,
    assets: &mut Assets<'_>,
    problems: &mut Problems,
) {
    let first = link.pieces.iter().find_map(|piece| piece.material.as_ref());
    let Some(material) = piece
        .material
        .as_ref()
        .or(first.filter(|_| !piece.is_visual))
    else {
        return;
    };
    let own = material.rgba.is_some() || material.texture.is_some();
    let material = match &material.name {
        Some(name) if !own => match robot.materials.get(&name.text) {
            Some(known) => known,
            None => {
                if piece.is_visual {
                    problems.push(unknown(material, robot));
                }
                return;
            }
        },
        _ => material,
    };
    if let Some([red, green, blue, alpha]) = material.rgba {
        geometry.color = [red, green, blue];
        geometry.alpha = alpha;
    }
    geometry.specular = material.specular.unwrap_or(geometry.specular);
    if let Some(texture) = material.texture.as_ref().filter(|_| piece.is_visual) {
        let image = assets.find("image", &texture.text, false, texture.span, problems);
        geometry.image = image.map(|path| ImageFile {
            file: texture.text.clone(),
            resolved: Some(path),
        });
    }
}

fn unknown(material: &Material, robot: &Robot) -> Diagnostic {
    let name = material.name.as_ref();
    let text = name.map_or("", |name| name.text.as_str());
    let message = format!("there is no material `{}`", printable(text));
    let mut diagnostic = Diagnostic::warning(codes::UNKNOWN_MATERIAL, message);
    if let Some(name) = name {
        diagnostic = diagnostic.at(name.span, "the shape is grey");
    }
    let diagnostic = diagnostic.suggest(text, robot.materials.keys().map(String::as_str));
    match diagnostic.help.is_empty() {
        true => diagnostic.help("give it a colour: `<color rgba=\"0.2 0.4 0.8 1\"/>`"),
        false => diagnostic,
    }
}

/// Returns the uniform scale of a mesh; a non-uniform scale becomes a segment of its path.
pub(super) fn scale(piece: &Piece, resolved: &mut PathBuf) -> f64 {
    let [x, y, z] = piece.scale;
    if x > 0.0 && x == y && y == z {
        return x;
    }
    *resolved = stretch(resolved, piece.scale);
    1.0
}
