//! Conversion of the equality constraints `connect` and `weld` to loop closures.

use morse_scene::model::{ClosureKind, Frame, LoopClosure, Origin, Scene, rotation_from_xyzw};
use nalgebra::{Isometry3, Translation3, Vector3};

use super::{Builder, WORLD};
use crate::{mjcf::fields, xml::Element};

impl Builder<'_, '_> {
    /// Adds the loop closures of a model.
    pub(super) fn close_loops(&mut self, root: &Element, scene: &mut Scene) {
        for element in root.named("equality").flat_map(Element::elements) {
            let kind = match element.name.as_str() {
                "connect" => ClosureKind::Connect,
                "weld" => ClosureKind::Weld,
                _ => continue,
            };
            let element = self.merged(element, None);
            if fields::flag(&element, "active", self.problems) == Some(false) {
                continue;
            }
            let frames = match element.attribute("site1") {
                Some(_) => self.sites_of(&element),
                None => self.bodies_of(&element, kind, scene),
            };
            if let Some(frames) = frames {
                scene.add_closure(LoopClosure {
                    kind,
                    frames,
                    source: Origin(Some(element.span)),
                });
            }
        }
    }

    /// Returns the two sites of a constraint.
    fn sites_of(&mut self, element: &Element) -> Option<[String; 2]> {
        let mut site = |name| {
            let written = fields::needed(element, name, "tip", self.problems)?;
            let text = written.value.trim();
            // A site whose name a body has is a frame with another name.
            let frame = self.marks.get(&("site", text.to_owned())).cloned();
            if frame.is_none() {
                let known = self.marks.keys().filter(|(kind, _)| *kind == "site");
                let known = known.map(|(_, name)| name.as_str());
                fields::unknown("site", written, known, self.problems);
            }
            frame
        };
        let first = site("site1");
        Some([first?, site("site2")?])
    }

    /// Adds a frame on each of the two bodies of a constraint, and returns their names.
    fn bodies_of(
        &mut self,
        element: &Element,
        kind: ClosureKind,
        scene: &mut Scene,
    ) -> Option<[String; 2]> {
        let mut body = |name: &str| {
            let written = match element.attribute(name) {
                None if name == "body2" => return Some(WORLD.to_owned()),
                None => fields::needed(element, name, "arm", self.problems)?,
                Some(written) => written,
            };
            let text = written.value.trim();
            if !self.bodies.contains_key(text) {
                let known = self.bodies.keys().map(String::as_str);
                fields::unknown("body", written, known, self.problems);
                return None;
            }
            Some(text.to_owned())
        };
        let first = body("body1");
        let bodies = [first?, body("body2")?];
        let [one, two] = [0, 1].map(|at| self.bodies.get(&bodies[at]).map(|body| body.pose));
        let (one, two) = (one?, two?);
        let relative = one.inverse() * two;
        let poses = match kind {
            ClosureKind::Connect => {
                let anchor = fields::array::<3>(element, "anchor", fields::POSITION, self.problems);
                let anchor = Translation3::from(Vector3::from(anchor.unwrap_or_default()));
                let anchor = Isometry3::from_parts(anchor, one.rotation.inverse());
                [anchor, two.inverse() * one * anchor]
            }
            ClosureKind::Weld => {
                let written = fields::array(element, "relpose", fields::POSITION, self.problems);
                let turned = written.and_then(|[x, y, z, w, i, j, k]: [f64; 7]| {
                    let turn = rotation_from_xyzw([i, j, k, w])?;
                    Some(Isometry3::from_parts(Vector3::new(x, y, z).into(), turn))
                });
                [turned.unwrap_or(relative), Isometry3::identity()]
            }
        };
        let mut names = Vec::new();
        for (body, pose) in bodies.iter().zip(poses) {
            let name = self.free(&format!("{body}-{}", kind.word()));
            let mut frame = Frame::new(&*name).under(&**body);
            frame.pose = pose;
            frame.mass = (body != WORLD).then_some(0.0);
            frame.source = Origin(Some(element.span));
            scene.add_frame(frame).ok()?;
            names.push(name);
        }
        names.try_into().ok()
    }
}
