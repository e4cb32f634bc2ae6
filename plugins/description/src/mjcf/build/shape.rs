//! Conversion of geoms to frames with geometry, and their solids.

use std::path::PathBuf;

use morse_diagnostics::{Diagnostic, Span, printable_path};
use morse_scene::model::{Frame, Geometry, ImageFile, MeshFile, Origin, Shape, stretch};
use nalgebra::Isometry3;

use super::{Builder, WORLD, contacts::Touchable};
use crate::{
    mjcf::{
        codes, fields,
        geom::{Form, Geom},
        looks::{Inertia, Texture},
        shell,
        solid::{self, Solid},
        source::Source,
    },
    outline::surface,
    shapes::{self, INFINITE, THICKNESS},
    xml::Attribute,
};

/// Highest group that is drawn, as in MuJoCo's viewer.
const DRAWN: f64 = 2.0;

/// Highest group that is drawn where a skin, which is not read, would cover the bodies: also the shapes of their contacts.
const DRAWN_UNDER_SKIN: f64 = 3.0;

impl Builder<'_, '_> {
    /// Adds the frame of a geom, and returns its solid in the frame of the body if it has mass. `has_looks` if other geoms are
    /// the looks of the body.
    pub(super) fn geom(
        &mut self,
        geom: Geom,
        body: &str,
        offset: Isometry3<f64>,
        has_looks: bool,
    ) -> Option<Solid> {
        if body == WORLD && self.fixes_root {
            return None;
        }
        let at = offset * geom.pose;
        let (shape, scale, inner) = self.shape(&geom)?;
        let solid = self.solid(&geom, &shape);
        let mut geometry = Geometry::new(shape);
        geometry.source = Origin(Some(geom.span));
        geometry.scale = scale;
        geometry.friction = Some(geom.friction);
        geometry.collision = geom.bits != [0, 0];
        // Models with meshes for their looks have their contacts in group 0, which their programs do not draw.
        let is_covered = has_looks && geometry.collision && geom.group <= 0.0;
        let drawn = match self.looks.has_skin {
            true => DRAWN_UNDER_SKIN,
            false => DRAWN,
        };
        geometry.visual = geom.group <= drawn && !is_covered;
        self.paint(&geom, &mut geometry);
        let wanted = match &geom.name {
            Some(name) if self.names.contains(name) => format!("{name}-geom"),
            Some(name) => name.clone(),
            None => format!("{body}-geom"),
        };
        let name = self.free(&wanted);
        if let Some(written) = geom.name.clone() {
            self.marks.insert(("geom", written), name.clone());
        }
        if geometry.collision {
            self.geoms.push(Touchable {
                frame: name.clone(),
                body: body.to_owned(),
                bits: geom.bits,
                friction: geom.friction,
                settings: [geom.dimensions, geom.priority],
                span: geom.span,
            });
        }
        let mut frame = Frame::new(name).under(body);
        frame.pose = at * inner;
        frame.mass = (body != WORLD).then_some(0.0);
        frame.geometry.push(geometry);
        self.push(frame, geom.span);
        let [lowest, highest] = self.settings.groups;
        let counts = (lowest..=highest).contains(&geom.group) && body != WORLD;
        solid.filter(|_| counts).map(|solid| solid.moved(&at))
    }

    /// Returns the shape of a geom, its uniform scale, and its pose in the frame of the geom.
    fn shape(&mut self, geom: &Geom) -> Option<(Shape, f64, Isometry3<f64>)> {
        let lift = |height: f64| Isometry3::translation(0.0, 0.0, height);
        let here = Isometry3::identity();
        Some(match &geom.form {
            Form::Plane(half) => {
                let [x, y] = half.map(|half| if half > 0.0 { 2.0 * half } else { INFINITE });
                let dimension = [x, y, THICKNESS];
                (Shape::Box { dimension }, 1.0, lift(-THICKNESS / 2.0))
            }
            Form::Sphere(radius) => (Shape::Sphere { radius: *radius }, 1.0, here),
            Form::Capsule([radius, half]) => {
                let (radius, height) = (*radius, 2.0 * half);
                (Shape::Capsule { radius, height }, 1.0, lift(-half))
            }
            Form::Cylinder([radius, half]) => {
                let (radius, height) = (*radius, 2.0 * half);
                (Shape::Cylinder { radius, height }, 1.0, lift(-half))
            }
            Form::Box(half) => {
                let dimension = half.map(|half| 2.0 * half);
                (Shape::Box { dimension }, 1.0, here)
            }
            Form::Ellipsoid(half) => (shapes::ellipsoid(*half), 1.0, here),
            Form::Mesh(name) => self.mesh(name, geom)?,
            Form::Field(name) => self.field(name)?,
        })
    }

    /// Returns the shape of a mesh asset. A file that is missing is reported once.
    fn mesh(&mut self, name: &Attribute, geom: &Geom) -> Option<(Shape, f64, Isometry3<f64>)> {
        let Some(mesh) = self.looks.meshes.get(name.value.trim()) else {
            let known = self.looks.meshes.keys().map(String::as_str);
            fields::unknown("mesh", name, known, self.problems);
            return None;
        };
        let (source, needed, span) = (mesh.source.clone()?, geom.bits != [0, 0], mesh.span);
        let (scale, origin) = (mesh.scale, mesh.origin);
        let (file, path) = self.triangles(&source, name, needed, span)?;
        let [x, y, z] = scale;
        let (resolved, scale) = match x > 0.0 && x == y && y == z {
            true => (path, x),
            false => (stretch(&path, scale), 1.0),
        };
        let shape = Shape::Mesh(MeshFile { file, resolved });
        Some((shape, scale, origin.inverse()))
    }

    /// Returns the name and the path of the triangles of an asset.
    pub(super) fn triangles(
        &mut self,
        source: &Source,
        name: &Attribute,
        needed: bool,
        span: Span,
    ) -> Option<(String, PathBuf)> {
        let (vertices, faces) = match source {
            Source::File(file) | Source::Heights(file) => {
                let path = self
                    .assets
                    .find("mesh", file, needed, span, self.problems)?;
                return Some((file.clone(), path));
            }
            Source::Vertices(vertices, faces) => (vertices, faces),
        };
        let hull = match faces.is_empty() {
            true => (self.options.hull)(vertices),
            false => None,
        };
        let shape = match &hull {
            Some(hull) => surface(name.value.trim(), &hull.vertices, &hull.faces),
            None if faces.is_empty() => {
                let diagnostic = Diagnostic::error(
                    codes::OUT_OF_RANGE,
                    "the vertices of a mesh enclose no volume",
                )
                .at(span, "on one plane, or fewer than four")
                .help("add vertices, or write the triangles as `face`");
                self.problems.push(diagnostic);
                return None;
            }
            None => surface(name.value.trim(), vertices, faces),
        };
        match shape {
            Shape::Mesh(mesh) => Some((mesh.file, mesh.resolved)),
            _ => None,
        }
    }

    /// Returns the solid of a geom in its own frame; `None` without mass.
    fn solid(&mut self, geom: &Geom, shape: &Shape) -> Option<Solid> {
        if geom.mass == Some(0.0) || (geom.mass.is_none() && geom.density <= 0.0) {
            return None;
        }
        let unit = match &geom.form {
            Form::Plane(_) | Form::Field(_) => return None,
            Form::Mesh(name) => self.mesh_solid(name, geom, shape)?,
            Form::Sphere(radius) if geom.is_shell => shell::sphere(*radius),
            Form::Capsule([radius, half]) if geom.is_shell => shell::capsule(*radius, 2.0 * half),
            Form::Cylinder([radius, half]) if geom.is_shell => shell::cylinder(*radius, 2.0 * half),
            Form::Ellipsoid(half) if geom.is_shell => shell::ellipsoid(*half),
            Form::Box(half) if geom.is_shell => shell::cuboid(*half),
            Form::Sphere(radius) => solid::ellipsoid([*radius; 3]),
            Form::Capsule([radius, half]) => solid::capsule(*radius, 2.0 * half),
            Form::Cylinder([radius, half]) => solid::cylinder(*radius, 2.0 * half),
            Form::Ellipsoid(half) => solid::ellipsoid(*half),
            Form::Box(half) => solid::cuboid(*half),
        };
        let mass = geom.mass.unwrap_or(geom.density * unit.mass);
        Some(unit.scaled(mass / unit.mass))
    }

    fn mesh_solid(&mut self, name: &Attribute, geom: &Geom, shape: &Shape) -> Option<Solid> {
        let mesh = self.looks.meshes.get(name.value.trim())?;
        let Shape::Mesh(file) = shape else {
            return None;
        };
        let (path, _) = morse_scene::model::stretched(&file.resolved);
        let read = (self.options.surface)(path);
        let mut defect = None;
        let solid = read.and_then(|surface| {
            let (solid, why) = match mesh.inertia {
                Inertia::Legacy => (
                    solid::mesh(&surface, mesh.scale, false),
                    "its volume is zero",
                ),
                Inertia::Exact => {
                    defect = solid::defect(&surface);
                    let solid = solid::mesh(&surface, mesh.scale, true);
                    (solid, "its triangles are inside out")
                }
                Inertia::Convex => {
                    let hull = (self.options.hull)(&surface.vertices);
                    let solid = hull.and_then(|hull| solid::mesh(&hull, mesh.scale, false));
                    (solid, "it has no convex hull")
                }
                Inertia::Shell => (shell::mesh(&surface, mesh.scale), "its area is zero"),
            };
            solid.ok_or_else(|| why.to_owned())
        });
        if let Some(defect) = defect.filter(|_| solid.is_ok()) {
            let file = printable_path(&file.file);
            let message = format!("the mass of `{file}` is inexact: {defect}");
            let diagnostic = Diagnostic::warning(codes::MASS, message)
                .at(geom.span, "computed from this mesh")
                .help("repair the mesh, leave `inertia=\"exact\"` out, or give the body an `<inertial>`");
            self.problems.push(diagnostic);
        }
        match solid {
            Ok(solid) => Some(solid.moved(&mesh.origin.inverse())),
            Err(why) => {
                let file = printable_path(&file.file);
                let message = format!("the mass of `{file}` cannot be computed: {why}");
                let diagnostic = Diagnostic::warning(codes::MASS, message)
                    .at(geom.span, "this geom has no mass")
                    .help("give the body an `<inertial>`, or repair the mesh");
                self.problems.push(diagnostic);
                None
            }
        }
    }

    fn paint(&mut self, geom: &Geom, geometry: &mut Geometry) {
        let mut rgba = geom.rgba;
        if let Some(name) = &geom.material {
            let materials = &self.looks.materials;
            match materials.get(name.value.trim()) {
                Some(material) => {
                    rgba = rgba.or(material.rgba).or(Some([1.0; 4]));
                    let material = material.clone();
                    self.texture(&material, geom, geometry);
                }
                None => {
                    let known = materials.keys().map(String::as_str);
                    fields::unknown("material", name, known, self.problems);
                }
            }
        }
        let [red, green, blue, alpha] = rgba.unwrap_or([0.5, 0.5, 0.5, 1.0]);
        let color = [red, green, blue].map(|channel| channel.clamp(0.0, 1.0));
        geometry.alpha = alpha.clamp(0.0, 1.0);
        match &mut geometry.checker {
            Some(other) => {
                let tint = |own: [f64; 3]| [0, 1, 2].map(|index| own[index] * color[index]);
                geometry.color = tint(geometry.color);
                *other = tint(*other);
            }
            None => geometry.color = color,
        }
    }

    fn texture(
        &mut self,
        material: &crate::mjcf::looks::Material,
        geom: &Geom,
        geometry: &mut Geometry,
    ) {
        // Repetitions are per metre, or per side of the plane.
        let [repeat, _] = material.repeat;
        let side = match &geom.form {
            _ if material.uniform => Some(1.0),
            Form::Plane([half, _]) if *half > 0.0 => Some(2.0 * half),
            _ => None,
        };
        let size = side.filter(|_| repeat > 0.0).map(|side| side / repeat);
        let size = size.filter(|size| (1e-5..=1e6).contains(size));
        match &material.texture {
            Some(Texture::Checker([one, other])) => {
                geometry.color = *one;
                geometry.checker = Some(*other);
                // A texture has two squares along each side.
                geometry.pattern_size = size.map(|size| size / 2.0);
            }
            Some(Texture::Image(file, span)) => {
                let image = self.assets.find("image", file, false, *span, self.problems);
                geometry.image = image.map(|path| ImageFile {
                    file: file.clone(),
                    resolved: Some(path),
                });
                geometry.pattern_size = size;
            }
            None => {}
        }
    }
}
