//! Conversion of height fields to meshes.

use morse_diagnostics::{Diagnostic, Span, printable_path};
use morse_scene::model::{MeshFile, Shape, stretch};
use nalgebra::Isometry3;

use super::Builder;
use crate::{
    mjcf::{codes, fields, heights, source::Source},
    xml::Attribute,
};

impl Builder<'_, '_> {
    /// Returns the mesh of a height field, whose lowest point is at 0 and whose highest one at its height, as in MuJoCo.
    pub(super) fn field(&mut self, name: &Attribute) -> Option<(Shape, f64, Isometry3<f64>)> {
        let Some(field) = self.looks.fields.get(name.value.trim()).cloned() else {
            let known = self.looks.fields.keys().map(String::as_str);
            fields::unknown("height field", name, known, self.problems);
            return None;
        };
        let mut field = field?;
        let (mut file, mut path) = self.triangles(&field.source, name, true, field.span)?;
        if let Source::Heights(_) = field.source {
            match heights::binary(&path) {
                Ok(source) => field.source = source,
                Err(why) => return self.unread(&file, &why, field.span),
            }
            (file, path) = self.triangles(&field.source, name, true, field.span)?;
        }
        let surface = match (self.options.surface)(&path) {
            Ok(surface) => surface,
            Err(why) => return self.unread(&file, &why, field.span),
        };
        let heights = surface.vertices.iter().map(|[_, _, height]| *height);
        let ends = [f64::INFINITY, f64::NEG_INFINITY];
        let [lowest, highest] = heights.fold(ends, |[lowest, highest], height| {
            [lowest.min(height), highest.max(height)]
        });
        let [x, y, top, _] = field.size;
        let range = highest - lowest;
        let factor = if range > 0.0 { top / range } else { top };
        let below = Isometry3::translation(0.0, 0.0, -lowest * factor);
        let resolved = stretch(&path, [2.0 * x, 2.0 * y, factor]);
        Some((Shape::Mesh(MeshFile { file, resolved }), 1.0, below))
    }

    /// Reports a height field that cannot be read.
    fn unread<T>(&mut self, file: &str, why: &str, span: Span) -> Option<T> {
        let file = printable_path(file);
        let message = format!("the height field `{file}` is not read: {why}");
        let diagnostic = Diagnostic::error(codes::IGNORED, message)
            .at(span, "named here")
            .help(
                "write the heights as grey values into a PNG image, or in MuJoCo's binary format",
            );
        self.problems.push(diagnostic);
        None
    }
}
