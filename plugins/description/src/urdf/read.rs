//! Conversion of XML elements to a [`Robot`]: links, joints and materials, with all errors in each of them.

mod joint;
mod link;

use std::collections::BTreeMap;

use morse_diagnostics::{Diagnostic, printable};
use morse_scene::bounds::Bounds;

use super::{
    codes,
    fields::Fields,
    gazebo,
    robot::{Material, Robot},
};
use crate::{problems::Problems, xml::Element};

/// Maximum number of links and joints of a robot.
const MOST_ELEMENTS: usize = 20_000;

/// Elements that other programs read.
const OTHERS: &[&str] = &["gazebo", "transmission", "ros2_control", "sensor"];

/// Range of colour components.
const UNIT: Bounds = Bounds::within(1e3);

/// Reads a robot. Elements that cannot be read are reported and left out.
pub(super) fn robot(root: &Element, problems: &mut Problems) -> Option<Robot> {
    if root.name != "robot" {
        let message = format!("`<{}>` is no robot description", printable(&root.name));
        let diagnostic = Diagnostic::error(codes::NOT_A_ROBOT, message)
            .at(root.span, "expected `<robot>`")
            .help(match root.name.as_str() {
                "sdf" => "this is a description of Gazebo: name the file `.sdf`",
                "mujoco" => "this is a model of MuJoCo: name the file `.xml`",
                _ => "a robot description is `<robot name=\"r\"> … </robot>`",
            });
        problems.push(diagnostic);
        return None;
    }
    let mut elements = vec!["link", "joint", "material"];
    elements.extend(OTHERS);
    let mut fields = Fields::new(root, &["name", "version"], &elements, problems);
    let count = root.elements().count();
    if count > MOST_ELEMENTS {
        let message = format!("this robot has {count} parts, more than {MOST_ELEMENTS}");
        let diagnostic = Diagnostic::error(codes::TOO_LARGE, message)
            .at(root.span, "too large")
            .help("split it into several robots");
        problems.push(diagnostic);
        return None;
    }
    fields.expect("name", "arm");
    let mut robot = Robot {
        span: root.span,
        links: Vec::new(),
        joints: Vec::new(),
        materials: BTreeMap::new(),
    };
    for element in root.elements() {
        match element.name.as_str() {
            "link" => robot.links.extend(link::link(element, problems)),
            "joint" => robot.joints.extend(joint::joint(element, problems)),
            "material" => {
                let material = material(element, problems);
                define(&mut robot.materials, &material);
            }
            _ => {}
        }
    }
    for piece in robot.links.iter().flat_map(|link| &link.pieces) {
        if let Some(material) = &piece.material {
            define(&mut robot.materials, material);
        }
    }
    let frictions = gazebo::frictions(root, problems);
    for link in &mut robot.links {
        let friction = frictions.get(&link.name.text).copied();
        link.contact[0] = link.contact[0].or(friction);
    }
    Some(robot)
}

/// Adds a material with a content; of several with the same name the first is used.
fn define(materials: &mut BTreeMap<String, Material>, material: &Material) {
    if let Some(name) = &material.name
        && (material.rgba.is_some() || material.texture.is_some())
    {
        let known = materials.entry(name.text.clone());
        known.or_insert_with(|| material.clone());
    }
}

fn material(element: &Element, problems: &mut Problems) -> Material {
    let mut fields = Fields::new(
        element,
        &["name"],
        &["color", "texture", "specular"],
        problems,
    );
    let name = element
        .attribute("name")
        .is_some_and(|name| !name.value.trim().is_empty());
    let name = name.then(|| fields.name("name", "grey")).flatten();
    let color = fields.only("color");
    let texture = fields.only("texture");
    let specular = fields.only("specular");
    Material {
        name,
        rgba: color.and_then(|color| {
            let mut fields = Fields::new(color, &["rgba"], &[], problems);
            fields.attribute("rgba", "0.8 0.8 0.8 1")?;
            let rgba = fields.numbers::<4>("rgba", UNIT)?;
            Some(rgba.map(|channel| channel.clamp(0.0, 1.0)))
        }),
        texture: texture.and_then(|texture| {
            let mut fields = Fields::new(texture, &["filename"], &[], problems);
            fields.expect("filename", "wood.png");
            texture.attribute("filename")?;
            fields.name("filename", "wood.png")
        }),
        specular: specular.and_then(|specular| {
            let mut fields = Fields::new(specular, &["rgb"], &[], problems);
            let rgb = fields.numbers::<3>("rgb", UNIT)?;
            Some(rgb.map(|channel| channel.clamp(0.0, 1.0)))
        }),
    }
}
