//! Descriptions of robots in URDF, with the names of their models.
use std::{collections::BTreeMap, sync::Arc};

use morse_api::world_view::{LinkInfo, RobotDescription, RobotDescriptions};
use morse_description::write::{Options, Paths, Target, write};
use morse_scene::{
    assembly::Assembly,
    model::{Joint, Scene},
};
use nalgebra::Isometry3;

use crate::scene::inertials::inertials;

/// Name of the root link (REP 105).
const BASE: &str = "base_link";

/// Returns the descriptions of the robots of an assembly.
pub(crate) fn descriptions(assembly: &Assembly) -> RobotDescriptions {
    if assembly.robots.is_empty() {
        return RobotDescriptions::default();
    }
    let assembly = Arc::new(assembly.clone());
    RobotDescriptions::new(move |robot| describe(&assembly, robot))
}

fn describe(assembly: &Assembly, robot: &str) -> Option<RobotDescription> {
    let base = &assembly.robots.get(robot)?.frame;
    let (scene, frames) = own_scene(&assembly.scene, base)?;
    // A scene that cannot be simulated has no world; without masses the description still has all links.
    let masses = inertials(&scene).unwrap_or_else(|_| vec![None; scene.frames().len()]);
    let paths = Paths {
        uris: true,
        ..Paths::default()
    };
    let flatten = false;
    let written = write(
        &scene,
        Target::Urdf,
        robot,
        &masses,
        Options { paths, flatten },
    );
    let links = scene.frames().iter().zip(frames).map(|(link, frame)| {
        let parent = link.parent.as_deref();
        LinkInfo {
            name: link.name.clone(),
            parent: parent.and_then(|parent| scene.frame_index(parent)),
            parent_from_link: link.pose,
            is_fixed: matches!(link.joint, Joint::Fixed),
            frame,
        }
    });
    Some(RobotDescription {
        links: links.collect(),
        urdf: written.text,
    })
}

/// Returns the frames of a robot as a scene of their own, with the names in the robot's model and the base at the origin, and
/// the name of each frame in the whole scene.
fn own_scene(whole: &Scene, base: &str) -> Option<(Scene, Vec<String>)> {
    let names = names(whole, base);
    let merged = merged_base(whole, base);
    let prefix = format!("{base}.");
    let (mut scene, mut frames) = (Scene::default(), Vec::new());
    for frame in whole.parents_first() {
        let Some(name) = names.get(&frame.name) else {
            continue;
        };
        if merged.is_some() && frame.name == base {
            continue;
        }
        let mut own = frame.clone();
        own.name.clone_from(name);
        own.parent = frame
            .parent
            .as_ref()
            .and_then(|parent| names.get(parent))
            .cloned();
        if own.name == BASE {
            own.parent = None;
            own.pose = Isometry3::identity();
            own.joint = Joint::Fixed;
        }
        if let Some(axis) = own.joint.axis_mut()
            && let Some(variable) = axis.variable.strip_prefix(&prefix)
        {
            axis.variable = variable.to_owned();
        }
        scene.add_frame(own).ok()?;
        frames.push(frame.name.clone());
    }
    Some((scene, frames))
}

/// Returns the names of the links of a robot, by the names of their frames: those of its model, and [`BASE`] for the base.
fn names(whole: &Scene, base: &str) -> BTreeMap<String, String> {
    let merged = merged_base(whole, base);
    let prefix = format!("{base}.");
    let named = whole.family(base).into_iter().map(|frame| {
        let own = frame.strip_prefix(&prefix).unwrap_or(&frame);
        let is_base = frame == base || merged.as_ref() == Some(&frame);
        let name = match own {
            _ if is_base => BASE.to_owned(),
            // Another frame than the base has the name of the base.
            BASE => format!("{BASE}_"),
            own => own.to_owned(),
        };
        (frame, name)
    });
    named.collect()
}

/// Returns the frame of the model that is the base itself: its `base_link`, if that is at the origin of the base.
fn merged_base(whole: &Scene, base: &str) -> Option<String> {
    let name = format!("{base}.{BASE}");
    let frame = whole.frame(&name)?;
    let parent = whole.frame(base)?;
    let is_same = frame.parent.as_deref() == Some(base)
        && matches!(frame.joint, Joint::Fixed)
        && frame.pose == Isometry3::identity()
        && parent.geometry.is_empty()
        && parent.mass.is_none();
    is_same.then_some(name)
}

#[cfg(test)]
mod tests {
    use morse_api::body::BodyKind;
    use morse_scene::{
        assembly::RobotBase,
        model::{Frame, Geometry, JointAxis, Shape},
    };

    use super::*;

    /// Returns the description of a robot `arm`, two metres above the ground, with these frames below its base.
    fn described(frames: impl IntoIterator<Item = Frame>) -> RobotDescription {
        let mut model = Scene::default();
        for frame in frames {
            model.add_frame(frame).unwrap();
        }
        let mut scene = Scene::default();
        scene.add_frame(Frame::new("ground")).unwrap();
        scene
            .add_frame(Frame::new("arm").at([0.0, 0.0, 2.0]))
            .unwrap();
        let origin = Isometry3::identity();
        scene.mount(&model, "arm", Some("arm"), origin).unwrap();
        let base = RobotBase::new("arm", BodyKind::Fixed);
        let assembly = Assembly {
            scene,
            robots: BTreeMap::from([("arm".to_owned(), base)]),
            ..Assembly::default()
        };
        describe(&assembly, "arm").unwrap()
    }

    fn tip() -> Frame {
        let dimension = [0.1, 0.1, 0.1];
        let joint = Joint::Revolute(JointAxis::new([0.0, 0.0, 1.0], "q1"));
        let frame = Frame::new("tip").under("base_link").at([0.0, 0.0, 0.5]);
        frame
            .joined(joint)
            .with(Geometry::new(Shape::Box { dimension }))
    }

    #[test]
    fn links_have_the_names_of_the_model() {
        let description = described([Frame::new("base_link"), tip()]);
        let links = description.links.iter();
        let links: Vec<_> = links
            .map(|link| (&*link.name, &*link.frame, link.parent, link.is_fixed))
            .collect();
        let expected = [
            ("base_link", "arm.base_link", None, true),
            ("tip", "arm.tip", Some(0), false),
        ];
        assert_eq!(links, expected);
        assert_eq!(description.links[0].parent_from_link, Isometry3::identity());
        assert_eq!(description.links[1].parent_from_link.translation.z, 0.5);
        let urdf = &description.urdf;
        assert!(urdf.contains(r#"<robot name="arm">"#), "{urdf}");
        assert!(urdf.contains(r#"<joint name="q1""#), "{urdf}");
        assert!(urdf.contains("<mass value"), "{urdf}");
        assert!(!urdf.contains("ground") && !urdf.contains("arm."), "{urdf}");
    }

    #[test]
    fn only_a_link_at_the_origin_is_the_base_itself() {
        let description = described([Frame::new("base_link").at([0.0, 0.0, 0.1]), tip()]);
        let links = description.links.iter();
        let links: Vec<_> = links.map(|link| (&*link.name, link.parent)).collect();
        let expected = [
            ("base_link", None),
            ("base_link_", Some(0)),
            ("tip", Some(1)),
        ];
        assert_eq!(links, expected);
    }
}
