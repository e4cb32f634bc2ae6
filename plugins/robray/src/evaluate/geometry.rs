//! Evaluation of geometry: shape and appearance from a block and its base classes.

use std::path::{Path, PathBuf};

use morse_api::range::ValueRange;
use morse_diagnostics::{Diagnostic, Span, nearest_file, printable};
use morse_scene::model::{Geometry, ImageFile, MeshFile, Origin, Shape, Value, shape_needs};
use morse_scene::shipped::Shipped;

use super::blocks::{Attributes, BlockKind, number, numbers, word};
use super::classes::Order;
use super::files::FileStatus;
use super::{Loader, OwnedName};
use crate::codes;
use crate::index::Symbol;
use crate::syntax::{Block, Word};

/// Size above which a shape is reported as large, m.
const LARGE: f64 = 1_000.0;

impl Loader<'_> {
    pub(super) fn geometry(&mut self, block: &Block<'_>, frame: &Word<'_>) {
        let (mut attributes, isa) = self.attributes(block, BlockKind::Geometry);
        let Some(tags) = self.inherit(&mut attributes, &isa, Order::LastFirst) else {
            return;
        };
        if !self.count(1 + tags.len(), block.head) {
            return;
        }
        let Some(shape) = self.shape(block, frame, &attributes) else {
            return;
        };
        let image = self.image(&attributes);
        let flag = |name, default| number(&attributes, name).map_or(default, |value| value != 0.0);
        let geometry = Geometry {
            tags,
            color: numbers(&attributes, "color").unwrap_or([0.8; 3]),
            alpha: number(&attributes, "alpha").unwrap_or(1.0),
            specular: numbers(&attributes, "specular").unwrap_or_default(),
            shininess: number(&attributes, "shininess"),
            image,
            checker: numbers(&attributes, "checker"),
            pattern_size: number(&attributes, "pattern_size"),
            scale: number(&attributes, "scale").unwrap_or(1.0),
            visual: flag("visual", true),
            collision: flag("collision", true),
            no_shadow: flag("no-shadow", false),
            friction: number(&attributes, "friction"),
            restitution: number(&attributes, "restitution"),
            density: number(&attributes, "density"),
            convex_parts: number(&attributes, "convex_parts"),
            source: Origin(Some(block.head)),
            ..Geometry::new(shape)
        };
        self.check_extent(&geometry, block);
        self.doubt_size(&geometry, block);
        self.attach(geometry, frame, &attributes);
    }

    fn check_extent(&mut self, geometry: &Geometry, block: &Block<'_>) {
        // After an error the value may be a consequence of it.
        let is_doubtful = self.problems.any_error();
        if geometry.collision && geometry.shape.is_flat() && !is_doubtful {
            let word = geometry.shape.word();
            let message = format!("this {word} has no extent, and therefore no contacts");
            let diagnostic = Diagnostic::warning(codes::NO_EXTENT, message)
                .at(block.head, "without extent")
                .help("make its sizes greater than 0, or write `collision 0;`");
            self.problems.push(diagnostic);
        }
    }

    /// Warns of shapes that are probably in millimetres. Grounds are exempt, since they are thin relative to their extent.
    fn doubt_size(&mut self, geometry: &Geometry, block: &Block<'_>) {
        let scaled = |size: f64| (size * geometry.scale).abs();
        let sizes = match geometry.shape {
            Shape::Box { dimension } => dimension.map(scaled).to_vec(),
            Shape::Sphere { radius } => vec![2.0 * scaled(radius)],
            Shape::Cylinder { radius, height } | Shape::Capsule { radius, height } => {
                vec![2.0 * scaled(radius), scaled(height)]
            }
            Shape::Cone {
                start_radius,
                end_radius,
                height,
            } => vec![
                2.0 * scaled(start_radius).max(scaled(end_radius)),
                scaled(height),
            ],
            Shape::Grid { .. } | Shape::Mesh(_) => Vec::new(),
        };
        let largest = sizes.iter().copied().fold(0.0, f64::max);
        let smallest = sizes.iter().copied().fold(f64::INFINITY, f64::min);
        if largest <= LARGE || smallest < LARGE / 10.0 || !geometry.collision {
            return;
        }
        let (word, size) = (geometry.shape.word(), ValueRange::shown(largest));
        let diagnostic =
            Diagnostic::warning(codes::LARGE, format!("the size of this {word} is {size} m"))
                .at(block.head, "sizes are in metres")
                .help("if millimetres were meant, write `scale 0.001;`");
        self.problems.push(diagnostic);
    }

    /// Attaches a geometry to its enclosing frame, or to the frame that a base class names, which may be declared later.
    fn attach(&mut self, geometry: Geometry, frame: &Word<'_>, attributes: &Attributes) {
        match (word(attributes, "parent"), attributes.get("parent")) {
            (Some(parent), Some(set)) if !parent.is_empty() => {
                let parent = OwnedName {
                    text: parent.to_owned(),
                    span: set.span,
                };
                self.index.refer(Symbol::Frame, &parent.text, parent.span);
                self.elsewhere.push((parent, geometry));
            }
            _ => {
                // The frame was refused, and that has been reported.
                if let Err(reason) = self.scene.add_geometry(frame.text, geometry) {
                    debug_assert!(self.problems.any_error(), "{reason}");
                }
            }
        }
    }

    fn shape(
        &mut self,
        block: &Block<'_>,
        frame: &Word<'_>,
        attributes: &Attributes,
    ) -> Option<Shape> {
        let kind = match attributes.get("shape") {
            // An invalid shape has been reported already.
            Some(_) => word(attributes, "shape")?,
            None if attributes.contains("mesh") => "mesh",
            None => {
                let message = format!("a geometry of frame `{}` has no shape", frame.shown());
                let diagnostic = Diagnostic::error(codes::MISSING_SHAPE, message)
                    .at(block.head, "neither `shape` nor `mesh`, own or inherited")
                    .help("for example: `shape sphere; radius 0.5;`");
                self.problems.push(diagnostic);
                return None;
            }
        };
        let mut complete = true;
        for needed in shape_needs(kind) {
            complete &= self.has(block, attributes, needed, kind);
        }
        if !complete {
            return None;
        }
        self.shape_of(block, kind, attributes)
    }

    fn has(
        &mut self,
        block: &Block<'_>,
        attributes: &Attributes,
        needed: &str,
        kind: &str,
    ) -> bool {
        if attributes.contains(needed) {
            return true;
        }
        let example = match needed {
            "dimension" if kind == "box" => "[1, 1, 1]",
            "dimension" | "delta" => "[1, 1]",
            "mesh" => "\"file.obj\"",
            _ => "0.1",
        };
        let message = format!("this {kind} has no `{needed}`");
        let diagnostic = Diagnostic::error(codes::MISSING_ATTRIBUTE, message)
            .at(block.head, format!("`{needed}` is missing"))
            .help(format!("add it, for example `{needed} {example};`"));
        self.problems.push(diagnostic);
        false
    }

    /// Returns the shape, or `None` after an error, which is reported.
    fn shape_of(
        &mut self,
        block: &Block<'_>,
        kind: &str,
        attributes: &Attributes,
    ) -> Option<Shape> {
        let size = |name| number(attributes, name);
        Some(match kind {
            "box" => Shape::Box {
                dimension: match attributes.get("dimension") {
                    Some(_) => self.dimension(attributes, kind)?,
                    None if self.options.simulated => {
                        self.has(block, attributes, "dimension", kind);
                        return None;
                    }
                    // The language's first implementation treats a box without dimensions as a point.
                    None => [0.0; 3],
                },
            },
            "sphere" => Shape::Sphere {
                radius: size("radius")?,
            },
            "cylinder" => Shape::Cylinder {
                radius: size("radius")?,
                height: size("height")?,
            },
            "cone" => Shape::Cone {
                start_radius: size("start_radius")?,
                end_radius: size("end_radius")?,
                height: size("height")?,
            },
            "capsule" => Shape::Capsule {
                radius: size("radius")?,
                height: size("height")?,
            },
            "grid" => Shape::Grid {
                dimension: self.dimension(attributes, kind)?,
                delta: numbers(attributes, "delta")?,
                thickness: size("thickness")?,
            },
            _ => self.mesh(attributes)?,
        })
    }

    /// Returns the dimension: three numbers for a box, two for a grid.
    fn dimension<const N: usize>(
        &mut self,
        attributes: &Attributes,
        kind: &str,
    ) -> Option<[f64; N]> {
        let set = attributes.get("dimension")?;
        let Some(Value::Numbers(written)) = &set.value else {
            return None;
        };
        if written.len() == N {
            return numbers(attributes, "dimension");
        }
        let actual = written.len();
        let message = format!("the `dimension` of a {kind} has {N} numbers, not {actual}");
        let example = if N == 3 { "[1, 1, 1]" } else { "[1, 1]" };
        let diagnostic = Diagnostic::error(codes::WRONG_VALUE, message)
            .at(set.span, format!("expected an array of {N} numbers"))
            .help(format!("for example: `dimension {example};`"));
        self.problems.push(diagnostic);
        None
    }

    /// Resolves the mesh file: relative to the directory of the top-level file, then among the embedded files. In an
    /// embedded scene, relative to that scene.
    fn mesh(&mut self, attributes: &Attributes) -> Option<Shape> {
        let file = word(attributes, "mesh")?;
        let span = attributes.get("mesh")?.span;
        let (file, resolved) = self.resolve(file);
        if !self.options.skip_mesh_check && self.options.shipped.content(&resolved).is_none() {
            self.check_file(&MESH, &file, &resolved, span);
        }
        Some(Shape::Mesh(MeshFile { file, resolved }))
    }

    /// Resolves the image file in the same way as a mesh. A missing image leaves the shape plain, and is always reported.
    fn image(&mut self, attributes: &Attributes) -> Option<ImageFile> {
        let file = word(attributes, "image")?;
        let span = attributes.get("image")?.span;
        let (file, resolved) = self.resolve(file);
        let is_shipped = self.options.shipped.content(&resolved).is_some();
        let may_open = is_shipped || self.check_file(&IMAGE, &file, &resolved, span);
        Some(ImageFile {
            file,
            resolved: may_open.then_some(resolved),
        })
    }

    /// Returns the name under which a file is written in a scene, and its path.
    fn resolve(&self, file: &str) -> (String, PathBuf) {
        let directory = self.files.shipped_directory().unwrap_or(&self.directory);
        let path = directory.join(file);
        let resolved = self.options.shipped.instead_of(path, file.as_ref());
        // The scene is written with the embedded name, so that it can be read on another machine.
        let file = Shipped::name(&resolved).unwrap_or_else(|| file.to_owned());
        (file, resolved)
    }

    /// Checks whether a file may be opened. Each file is checked and reported once.
    fn check_file(&mut self, kind: &FileKind, file: &str, resolved: &Path, span: Span) -> bool {
        let key = (kind.what, resolved.to_owned());
        if let Some(status) = self.looked_for.get(&key) {
            return *status != FileStatus::Outside;
        }
        let status = self.files.look(resolved);
        self.looked_for.insert(key, status);
        let may_open = status != FileStatus::Outside;
        if status == FileStatus::There {
            return true;
        }
        let FileKind { what, many, .. } = kind;
        let shown = printable(file);
        let diagnostic = if may_open {
            let message = format!("there is no {what} `{shown}`");
            let diagnostic = self
                .file_problem(kind, kind.missing, message)
                .at(span, "not found")
                .note(format!(
                    "{many} are found from the directory of the file that is loaded"
                ));
            if file.contains("://") {
                diagnostic.help("write a path: URLs such as `package://` are not understood")
            } else if let Some(near) = nearest_file(resolved, file) {
                diagnostic.help(format!("did you mean `{}`?", printable(&near)))
            } else {
                diagnostic.help(format!("check the path; {}", kind.without))
            }
        } else {
            let message = format!("the {what} `{shown}` lies outside the allowed directories");
            self.file_problem(kind, kind.outside, message)
                .at(span, "will not be opened")
                .note(
                    "allowed are the scene's directory, the current directory and the shipped assets",
                )
                .help("if you trust it, allow its directory: `--allow-path DIRECTORY`")
        };
        self.problems.push(diagnostic);
        may_open
    }

    /// Returns the diagnostic of an unusable file: a scene can be drawn without an image, but not simulated without a mesh.
    fn file_problem(&self, kind: &FileKind, code: &'static str, message: String) -> Diagnostic {
        if self.options.simulated && kind.is_needed {
            Diagnostic::error(code, message)
        } else {
            Diagnostic::warning(code, message)
        }
    }
}

/// A kind of file to which geometry refers.
struct FileKind {
    what: &'static str,
    many: &'static str,
    missing: &'static str,
    outside: &'static str,
    /// True if the simulation requires the file.
    is_needed: bool,
    /// Consequence of a missing file, as a phrase for messages.
    without: &'static str,
}

const MESH: FileKind = FileKind {
    what: "mesh",
    many: "meshes",
    missing: codes::MISSING_MESH,
    outside: codes::MESH_OUTSIDE,
    is_needed: true,
    without: "the scene cannot be run without it",
};

const IMAGE: FileKind = FileKind {
    what: "image",
    many: "images",
    missing: codes::MISSING_IMAGE,
    outside: codes::IMAGE_OUTSIDE,
    is_needed: false,
    without: "the shape is drawn in its `color`",
};
