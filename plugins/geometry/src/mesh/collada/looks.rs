//! Materials of a Collada file.

use std::collections::BTreeMap;

use super::{Ids, Xml, child, children};
use crate::mesh::{Look, Part};

/// Returns the appearances of the materials of parts.
pub(super) fn looks(parts: &[Part], ids: &Ids<'_>) -> BTreeMap<String, Look> {
    let mut by_material = BTreeMap::new();
    for part in parts {
        if !by_material.contains_key(&part.material)
            && let Some(look) = look(&part.material, ids)
        {
            by_material.insert(part.material.clone(), look);
        }
    }
    by_material
}

fn look(material: &str, ids: &Ids<'_>) -> Option<Look> {
    let instance = child(ids.at(Some(material))?, "instance_effect")?;
    let profile = child(ids.at(instance.attribute("url"))?, "profile_COMMON")?;
    let technique = child(profile, "technique")?;
    let kinds = ["phong", "blinn", "lambert", "constant"];
    let shading = kinds.iter().find_map(|kind| child(technique, kind))?;
    let diffuse = child(shading, "diffuse").or_else(|| child(shading, "emission"))?;
    let color = child(diffuse, "color")
        .map(|color| super::shapes::numbers(color.text().unwrap_or_default()));
    let image = child(diffuse, "texture").and_then(|texture| image(texture, profile, ids));
    let color = match color.as_deref() {
        Some([red, green, blue, ..]) => [*red, *green, *blue].map(|value| value.clamp(0.0, 1.0)),
        _ if image.is_some() => [1.0; 3],
        _ => [0.8; 3],
    };
    Some(Look { color, image })
}

/// Returns the file of a texture: through its sampler and its surface, or directly.
fn image(texture: Xml<'_>, profile: Xml<'_>, ids: &Ids<'_>) -> Option<String> {
    let name = texture.attribute("texture")?;
    let parameter = |sid: &str, inside: &str, field: &str| {
        let mut all = children(profile, "newparam");
        let own = all.find(|own| own.attribute("sid") == Some(sid))?;
        child(child(own, inside)?, field)?.text().map(str::trim)
    };
    let surface = parameter(name, "sampler2D", "source").unwrap_or(name);
    let image = parameter(surface, "surface", "init_from").unwrap_or(surface);
    let init = child(ids.at(Some(image))?, "init_from")?;
    // Version 1.5 has an additional element.
    let file = child(init, "ref").unwrap_or(init).text()?.trim();
    Some(file.replace("%20", " "))
}
