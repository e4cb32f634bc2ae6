//! Conversion of visuals and collisions to geometry.

use std::{collections::BTreeMap, path::Path};

use morse_diagnostics::{Diagnostic, Span, printable_path};
use morse_scene::{
    bounds::Bounds,
    model::{Frame, Geometry, ImageFile, MeshFile, Origin, Shape, stretch},
};
use nalgebra::Isometry3;

use super::{Builder, Frames, contacts::Touchable, mass::Weight};
use crate::{
    packages::Finder,
    sdf::{
        codes,
        document::Link,
        fields::{self, VALUES, Written},
        geometry::{self, Form},
        looks, tree,
        walls::Walls,
    },
    urdf::Assets,
    xml::Element,
};

impl<'a> Builder<'a, '_> {
    /// Returns the outermost models without visuals.
    pub(super) fn undrawn(&self) -> std::collections::BTreeSet<usize> {
        let models = &self.document.models;
        let mut all: std::collections::BTreeSet<usize> =
            models.iter().map(|model| model.top).collect();
        for link in &self.document.links {
            if link.element.named("visual").next().is_some() {
                all.remove(&self.top(link));
            }
        }
        all
    }

    /// Adds the frame of a link with its mass and geometry.
    pub(super) fn finish(&mut self, mut frame: Frame, index: usize, frames: &mut Frames<'a>) {
        let Some(link) = self.document.links.get(index) else {
            return;
        };
        frames.links.insert(index, frame.name.clone());
        let density = load(&mut frame, index, frames);
        let has_mass = frame.mass.is_some();
        let name = frame.name.clone();
        let mut beside = Vec::new();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let is_split = names_collisions(link.element);
        let pieces = link.element.elements();
        for piece in pieces.filter(|piece| ["visual", "collision"].contains(&piece.name.as_str())) {
            let Some((geometry, pose, bits)) = self.piece(piece, link, density, frames) else {
                continue;
            };
            let count = counts.entry(piece.name.as_str()).or_default();
            *count += 1;
            let is_apart = is_split && bits.is_some();
            let own = match pose == Isometry3::identity() && !is_apart {
                true => {
                    frame.geometry.push(geometry);
                    name.clone()
                }
                false => {
                    let wanted = match *count {
                        1 => format!("{name}-{}", piece.name),
                        count => format!("{name}-{}-{count}", piece.name),
                    };
                    let mut own = Frame::new(frames.names.free(&wanted)).under(&*name);
                    own.pose = pose;
                    own.mass = has_mass.then_some(0.0);
                    own.geometry.push(geometry);
                    let wanted = own.name.clone();
                    beside.push((own, piece.span));
                    wanted
                }
            };
            if let Some(bits) = bits {
                let collision = piece
                    .attribute("name")
                    .map(|name| name.value.trim().to_owned());
                let collisions = frames.collisions.entry(index).or_default();
                collisions.push((collision.unwrap_or_default(), own.clone()));
                frames.touchable.push(Touchable {
                    frame: own,
                    link: index,
                    bits,
                });
            }
        }
        self.push(frame, link.node, frames);
        for (own, span) in beside {
            self.push_at(own, span, frames);
        }
    }

    /// Returns the geometry of a visual or collision, its pose in the link, and the contact bits of a collision.
    fn piece(
        &mut self,
        piece: &Element,
        link: &Link<'_>,
        density: Option<f64>,
        frames: &mut Frames<'a>,
    ) -> Option<(Geometry, Isometry3<f64>, Option<u32>)> {
        let is_visual = piece.name == "visual";
        let form = geometry::read(piece, self.problems, self.said)?;
        let pose = self.pose(piece, link);
        let mut convex_parts = None;
        let (shape, inner, scale) = match form {
            Form::Shape(shape, inner) => (shape, inner, 1.0),
            Form::Prism(shape, count) => {
                convex_parts = count.filter(|_| !is_visual);
                (shape, Isometry3::identity(), 1.0)
            }
            Form::Mesh(uri, scale, pose, count) => {
                convex_parts = count.filter(|_| !is_visual);
                let resolved = self.file("mesh", &uri, !is_visual, frames)?;
                let [x, y, z] = scale;
                let (resolved, scale) = match x > 0.0 && x == y && y == z {
                    true => (resolved, x),
                    false => (stretch(&resolved, scale), 1.0),
                };
                let file = uri.text;
                (Shape::Mesh(MeshFile { file, resolved }), pose, scale)
            }
            Form::Walls(walls) => {
                let shape = self.walls(&walls, !is_visual, frames)?;
                (shape, Isometry3::identity(), 1.0)
            }
        };
        let mut geometry = Geometry::new(shape);
        geometry.scale = scale;
        geometry.convex_parts = convex_parts;
        geometry.source = Origin(Some(piece.span));
        geometry.visual = is_visual || frames.undrawn.contains(&self.top(link));
        geometry.collision = !is_visual;
        if is_visual {
            self.paint(piece, &mut geometry, frames);
            return Some((geometry, pose * inner, None));
        }
        let surface = geometry::surface(piece, self.problems);
        if let Some(span) = surface.second_friction {
            let message = "friction is the same in all directions: `mu2` is not read";
            let help = "write the coefficient that counts into `mu`";
            self.said.approximate(message, span, help, self.problems);
        }
        geometry.friction = Some(surface.friction);
        geometry.restitution = surface.restitution;
        geometry.density = density.map(|usual| surface.density.unwrap_or(usual));
        if let Some(drawn) = link.element.named("visual").next() {
            self.paint(drawn, &mut geometry, frames);
        }
        Some((geometry, pose * inner, Some(surface.bits)))
    }

    /// Returns the mesh of the walls of an image.
    fn walls(&mut self, walls: &Walls, needed: bool, frames: &mut Frames<'a>) -> Option<Shape> {
        let path = self.file("image", &walls.uri, needed, frames)?;
        let read = (self.surface)(&path).and_then(|image| walls.shape(&image));
        if let Err(why) = &read {
            let file = printable_path(&walls.uri.text);
            let message = format!("the walls of `{file}` are not read: {why}");
            let diagnostic = Diagnostic::error(codes::IGNORED, message)
                .at(walls.uri.span, "named here")
                .help("write a PNG image whose dark pixels are walls, or adapt `<threshold>`");
            self.problems.push(diagnostic);
        }
        read.ok()
    }

    /// Returns the pose of a visual or collision in its link.
    pub(super) fn pose(&mut self, piece: &Element, link: &Link<'_>) -> Isometry3<f64> {
        let pose = fields::pose(piece, self.problems);
        let Some(written) = &pose.relative_to else {
            return pose.local;
        };
        match self.document.find(link.node, &written.text) {
            Some(frame) => {
                let own = self.document.pose(link.node);
                own.inv_mul(&self.document.pose(frame)) * pose.local
            }
            None => {
                let names = self.document.names(link.node);
                let text = (written.text.as_str(), written.span);
                self.problems.push(VALUES.unknown("frame", text, names));
                pose.local
            }
        }
    }

    fn paint(&mut self, visual: &Element, geometry: &mut Geometry, frames: &mut Frames<'a>) {
        let look = looks::read(visual, self.problems);
        if let Some(look) = &look {
            look.paint(geometry);
        }
        if let Some(image) = look.and_then(|look| look.image)
            && geometry.visual
            && !geometry.collision
        {
            let image_path = self.file("image", &image, false, frames);
            geometry.image = image_path.map(|path| ImageFile {
                file: image.text,
                resolved: Some(path),
            });
        }
        let unit = Bounds::between(0.0, 1.0);
        if let Some(clear) = fields::number(visual, "transparency", unit, self.problems) {
            geometry.alpha *= 1.0 - clear;
        }
        let shadows = fields::flag(visual, "cast_shadows", self.problems);
        geometry.no_shadow = shadows == Some(false);
    }

    /// Returns the path of a file, searched from the directory of the file that names it.
    fn file(
        &mut self,
        what: &'static str,
        uri: &Written,
        needed: bool,
        frames: &mut Frames<'a>,
    ) -> Option<std::path::PathBuf> {
        let directory = self.directory(uri.span).to_owned();
        let (packages, allowed, simulated) = (self.packages, self.allowed, self.simulated);
        let assets = frames
            .assets
            .entry(directory.clone())
            .or_insert_with(|| Assets::new(Finder::new(packages, &directory, allowed), simulated));
        assets.find(what, &uri.text, needed, uri.span, self.problems)
    }

    fn directory(&self, span: Span) -> &Path {
        let file = self.document.files.get(&span.source);
        file.map_or(Path::new(""), |file| &file.directory)
    }

    /// Returns true if a link moves.
    pub(super) fn moves(&self, link: usize) -> bool {
        !tree::is_static(self.document, link)
    }
}

/// Returns true if a contact sensor of a link names collisions, so that each needs a frame of its own.
fn names_collisions(link: &Element) -> bool {
    let sensors = link.named("sensor");
    let mut contacts = sensors.flat_map(|sensor| sensor.named("contact"));
    contacts.any(|contact| contact.named("collision").next().is_some())
        && link.named("collision").nth(1).is_some()
}

/// Sets the inertial properties of the frame of a link. Returns the density if they are computed.
fn load(frame: &mut Frame, link: usize, frames: &Frames<'_>) -> Option<f64> {
    match frames.weights.get(&link) {
        Some(Weight::Given {
            mass,
            center,
            inertia,
        }) if !frames.immovable.contains(&link) => {
            frame.mass = Some(*mass);
            frame.center_of_mass = (*mass > 0.0).then_some(*center);
            frame.inertia = *inertia;
            None
        }
        Some(Weight::Computed(density)) => Some(*density),
        Some(Weight::Given { .. }) | None => None,
    }
}
