//! Triangles from Collada files (`.dae`).
//!
//! The unit of the file is applied, and the axes are kept: robot descriptions place meshes as RViz and Gazebo display them,
//! which ignore `<up_axis>`. Most files that declare y as the upward direction have z there. [`parse_upright`] turns the mesh.
mod looks;
mod nodes;
mod shapes;

use std::collections::BTreeMap;

use nalgebra::{Matrix3, Matrix4, Point3, Vector3};
use roxmltree::{Document, Node, ParsingOptions};

use super::{MeshError, Part, Triangles, checked};
use shapes::Shape;

/// Maximum number of triangles in a file, counting those of each node.
const MOST_TRIANGLES: usize = 1 << 23;

/// Maximum number of elements and texts in a file.
const MOST_NODES: u32 = 4_000_000;

/// An element of the file.
type Xml<'a> = Node<'a, 'a>;

/// Elements of a file by their `id`.
struct Ids<'a>(BTreeMap<&'a str, Xml<'a>>);

impl<'a> Ids<'a> {
    /// Returns the element of a reference such as `#id`.
    fn at(&self, reference: Option<&str>) -> Option<Xml<'a>> {
        let reference = reference?.trim();
        let name = reference.strip_prefix('#').unwrap_or(reference);
        self.0.get(name).copied()
    }
}

/// Reads a Collada file, and keeps its axes.
///
/// # Errors
///
/// The reason why it cannot be read, in one line.
pub fn parse(bytes: &[u8]) -> Result<Triangles, MeshError> {
    read(bytes, false)
}

/// Reads a Collada file, and turns its upward axis to z. Without `<up_axis>` that is y, as the specification says.
///
/// # Errors
///
/// The reason why it cannot be read, in one line.
pub fn parse_upright(bytes: &[u8]) -> Result<Triangles, MeshError> {
    read(bytes, true)
}

fn read(bytes: &[u8], turns: bool) -> Result<Triangles, MeshError> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{FEFF}');
    let options = ParsingOptions {
        nodes_limit: MOST_NODES,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| broken(format!("it is no valid Collada file: {error}")))?;
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        return Err(broken(
            "it is no Collada file: its first element is another",
        ));
    }
    let named = root.descendants();
    let ids = Ids(named
        .filter_map(|node| Some((node.attribute("id")?, node)))
        .collect());
    let mut all = Builder {
        ids: &ids,
        shapes: BTreeMap::new(),
        triangles: Triangles::default(),
    };
    let mut unit = Matrix4::new_scaling(unit(root));
    if turns {
        unit = upward(root)? * unit;
    }
    for placed in nodes::placed(root, &ids)? {
        all.add(placed.geometry, &placed.materials, &(unit * placed.pose))?;
    }
    all.finish()
}

/// Returns a child element.
fn child<'a>(node: Xml<'a>, name: &str) -> Option<Xml<'a>> {
    node.children()
        .find(|child| child.tag_name().name() == name)
}

/// Iterates over child elements.
fn children<'a>(node: Xml<'a>, name: &'static str) -> impl Iterator<Item = Xml<'a>> {
    node.children()
        .filter(move |child| child.tag_name().name() == name)
}

/// Returns the length of the file's unit, m.
fn unit(root: Xml<'_>) -> f64 {
    let asset = child(root, "asset").and_then(|asset| child(asset, "unit"));
    let metres = asset.and_then(|unit| unit.attribute("meter")?.trim().parse().ok());
    metres
        .filter(|metres: &f64| metres.is_finite() && *metres > 0.0)
        .unwrap_or(1.0)
}

/// Returns the rotation that makes the upward axis of the file z. COLLADA 1.4.1, `up_axis`: with x up, the right is -y and
/// the inside z; with y up, x and z; with z up, x and -y.
fn upward(root: Xml<'_>) -> Result<Matrix4<f64>, MeshError> {
    let written = child(root, "asset").and_then(|asset| child(asset, "up_axis"));
    let written = written.and_then(|axis| axis.text()).map(str::trim);
    Ok(match written {
        Some("Z_UP") => Matrix4::identity(),
        // The right becomes x, and the inside, towards the viewer, -y.
        Some("X_UP") => Matrix4::new(
            0.0, -1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
        ),
        None | Some("Y_UP") => Matrix4::new(
            1.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
        ),
        Some(other) => {
            let axis: String = other.chars().take(20).collect();
            return Err(broken(format!(
                "its upward axis `{axis}` is none of X_UP, Y_UP and Z_UP"
            )));
        }
    })
}

fn broken(why: impl Into<String>) -> MeshError {
    MeshError::Broken(why.into())
}

struct Builder<'a, 'i> {
    ids: &'i Ids<'a>,
    /// Shapes of geometries that were read, by id: nodes may share them.
    shapes: BTreeMap<&'a str, Vec<Shape<'a>>>,
    triangles: Triangles,
}

impl<'a> Builder<'a, '_> {
    /// Adds the triangles of a geometry, with the materials of its symbols.
    fn add(
        &mut self,
        geometry: Xml<'a>,
        materials: &BTreeMap<&'a str, &'a str>,
        pose: &Matrix4<f64>,
    ) -> Result<(), MeshError> {
        let id = geometry.attribute("id").unwrap_or_default();
        if !self.shapes.contains_key(id) || id.is_empty() {
            let read = shapes::shapes(geometry, self.ids)?;
            self.shapes.insert(id, read);
        }
        let linear: Matrix3<f64> = pose.fixed_view::<3, 3>(0, 0).into();
        let turned = linear.try_inverse().map(|inverse| inverse.transpose());
        let is_mirrored = linear.determinant() < 0.0;
        for shape in self.shapes.get(id).into_iter().flatten() {
            let all = &mut self.triangles;
            if all.faces.len() + shape.faces.len() > MOST_TRIANGLES {
                let why = format!("it has more than {MOST_TRIANGLES} triangles");
                return Err(MeshError::TooLarge(why));
            }
            let first = u32::try_from(all.vertices.len()).map_err(|error| {
                MeshError::TooLarge(format!("it has too many corners: {error}"))
            })?;
            let vertices = shape.vertices.iter().map(|vertex| {
                let point = Point3::from(vertex.map(f64::from));
                let moved = pose.transform_point(&point);
                [moved.x as f32, moved.y as f32, moved.z as f32]
            });
            all.vertices.extend(vertices);
            if let Some(turned) = &turned {
                let normals = shape.normals.iter().map(|normal| {
                    let moved = turned * Vector3::from(normal.map(f64::from));
                    // The length is arbitrary, and mirroring flips faces and normals alike.
                    let length = moved.norm();
                    let moved = if length > 0.0 { moved / length } else { moved };
                    [moved.x as f32, moved.y as f32, moved.z as f32]
                });
                all.normals.extend(normals);
            }
            all.normals.resize(all.vertices.len(), [0.0; 3]);
            all.coordinates.extend(&shape.coordinates);
            all.coordinates.resize(all.vertices.len(), [0.0; 2]);
            let begin = all.faces.len();
            all.faces.extend(shape.faces.iter().map(|face| {
                let [a, b, c] = face.map(|corner| corner + first);
                if is_mirrored { [a, c, b] } else { [a, b, c] }
            }));
            let symbol = shape.material.unwrap_or_default();
            let material = materials.get(symbol).copied().unwrap_or(symbol);
            if !material.is_empty() {
                all.parts.push(Part {
                    faces: begin..all.faces.len(),
                    material: material.to_owned(),
                });
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Triangles, MeshError> {
        let mut all = self.triangles;
        let is_zero = |numbers: &[f32]| numbers.iter().all(|number| *number == 0.0);
        if is_zero(all.normals.as_flattened()) {
            all.normals.clear();
        }
        if is_zero(all.coordinates.as_flattened()) {
            all.coordinates.clear();
        }
        all.looks = looks::looks(&all.parts, self.ids);
        checked(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square of two units, which are centimetres, as a polygon on a node that is translated, rotated and mirrored.
    fn square(nodes: &str, primitive: &str) -> String {
        format!(
            r##"<?xml version="1.0"?>
            <COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
            <asset><unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
            <library_images><image id="wood"><init_from>wood%20a.png</init_from></image></library_images>
            <library_effects><effect id="e"><profile_COMMON>
              <newparam sid="s"><surface type="2D"><init_from>wood</init_from></surface></newparam>
              <newparam sid="p"><sampler2D><source>s</source></sampler2D></newparam>
              <technique sid="t"><phong><diffuse><texture texture="p" texcoord="u"/></diffuse></phong></technique>
            </profile_COMMON></effect>
            <effect id="f"><profile_COMMON><technique sid="t"><lambert>
              <diffuse><color>0.1 0.2 0.3 1</color></diffuse></lambert></technique></profile_COMMON></effect>
            </library_effects>
            <library_materials><material id="m"><instance_effect url="#e"/></material>
              <material id="n"><instance_effect url="#f"/></material></library_materials>
            <library_geometries><geometry id="g"><mesh>
              <source id="c"><float_array id="ca" count="12">-1 -1 0 1 -1 0 1 1 0 -1 1 0</float_array>
                <technique_common><accessor source="#ca" count="4" stride="3"/></technique_common></source>
              <source id="k"><float_array id="ka" count="3">0 0 1</float_array>
                <technique_common><accessor source="#ka" count="1" stride="3"/></technique_common></source>
              <vertices id="v"><input semantic="POSITION" source="#c"/></vertices>
              {primitive}
            </mesh></geometry></library_geometries>
            <library_visual_scenes><visual_scene id="w">{nodes}</visual_scene></library_visual_scenes>
            <scene><instance_visual_scene url="#w"/></scene></COLLADA>"##
        )
    }

    const POLYLIST: &str = r##"<polylist count="1" material="S"><input semantic="VERTEX" source="#v" offset="0"/>
        <input semantic="NORMAL" source="#k" offset="1"/><vcount>4</vcount><p>0 0 1 0 2 0 3 0</p></polylist>"##;

    const INSTANCE: &str = r##"<instance_geometry url="#g"><bind_material><technique_common>
        <instance_material symbol="S" target="#m"/></technique_common></bind_material></instance_geometry>"##;

    #[test]
    fn units_nodes_and_polygons_are_heeded_and_the_axis_is_not() {
        let nodes = format!(
            "<node><translate>100 0 0</translate><node><rotate>0 0 1 90</rotate><scale>1 2 1</scale>{INSTANCE}</node></node>"
        );
        let read = parse(square(&nodes, POLYLIST).as_bytes()).unwrap();
        assert_eq!(read.faces, [[0, 1, 2], [0, 2, 3]]);
        // (-1, -1) is scaled to (-1, -2), rotated to (2, -1), translated to (102, -1).
        let [x, y, z] = read.vertices[0];
        assert!((x - 1.02).abs() < 1e-6 && (y + 0.01).abs() < 1e-6 && z == 0.0);
        assert!((read.normals[0][2] - 1.0).abs() < 1e-6);
        assert_eq!(read.parts[0].material, "m");
        assert_eq!(read.looks["m"].image.as_deref(), Some("wood a.png"));
    }

    #[test]
    fn upright_meshes_have_their_upward_axis_along_z() {
        // The corner (-1, -1, 0) and the normal (0, 0, 1) of the file, by the table of axes in the specification.
        for (axis, corner, normal) in [
            (
                "<up_axis>Y_UP</up_axis>",
                [-0.01, 0.0, -0.01],
                [0.0, -1.0, 0.0],
            ),
            ("", [-0.01, 0.0, -0.01], [0.0, -1.0, 0.0]),
            (
                "<up_axis> Z_UP </up_axis>",
                [-0.01, -0.01, 0.0],
                [0.0, 0.0, 1.0],
            ),
            (
                "<up_axis>X_UP</up_axis>",
                [0.01, 0.0, -0.01],
                [0.0, -1.0, 0.0],
            ),
        ] {
            let text = square(&format!("<node>{INSTANCE}</node>"), POLYLIST);
            let text = text.replace("<up_axis>Y_UP</up_axis>", axis);
            let read = parse_upright(text.as_bytes()).unwrap();
            let near = |own: [f32; 3], expected: [f32; 3]| {
                own.iter()
                    .zip(expected)
                    .all(|(own, expected)| (own - expected).abs() < 1e-7)
            };
            assert!(
                near(read.vertices[0], corner) && near(read.normals[0], normal),
                "{axis} {read:?}"
            );
        }
        let text = square("", POLYLIST).replace("Y_UP", "UP");
        let why = parse_upright(text.as_bytes()).unwrap_err().to_string();
        assert!(why.contains("`UP`"), "{why}");
    }

    #[test]
    fn mirrored_nodes_turn_their_triangles() {
        let nodes = format!("<node><scale>-1 1 1</scale>{INSTANCE}</node>");
        let read = parse(square(&nodes, POLYLIST).as_bytes()).unwrap();
        assert_eq!(read.faces[0], [0, 2, 1]);
        let corners = read.faces[0].map(|index| read.vertices[index as usize]);
        let edge = |to: usize| [0, 1].map(|axis| corners[to][axis] - corners[0][axis]);
        let [[a, b], [c, d]] = [edge(1), edge(2)];
        assert!(a * d - b * c > 0.0, "its upper side is up, as its normal");
    }

    #[test]
    fn colours_are_those_of_effects_and_symbols_may_be_unbound() {
        let primitive = POLYLIST.replace("material=\"S\"", "material=\"n\"");
        let nodes = "<node><matrix>1 0 0 0 0 1 0 0 0 0 1 5 0 0 0 1</matrix><instance_geometry url='#g'/></node>";
        let read = parse(square(nodes, &primitive).as_bytes()).unwrap();
        assert!((read.vertices[0][2] - 0.05).abs() < 1e-6);
        assert_eq!(read.looks["n"].color, [0.1, 0.2, 0.3]);
    }

    #[test]
    fn strips_fans_and_polygons_are_triangles() {
        let inputs = r##"<input semantic="VERTEX" source="#v" offset="0"/>"##;
        let nodes = format!("<node>{INSTANCE}</node>");
        for (primitive, faces) in [
            (
                format!("<triangles count='2'>{inputs}<p>0 1 2 0 2 3</p></triangles>"),
                2,
            ),
            (
                format!("<tristrips count='1'>{inputs}<p>0 1 3 2</p></tristrips>"),
                2,
            ),
            (
                format!("<trifans count='1'>{inputs}<p>0 1 2 3</p></trifans>"),
                2,
            ),
            (
                format!("<polygons count='2'>{inputs}<p>0 1 2</p><p>0 1 2 3</p></polygons>"),
                3,
            ),
        ] {
            let read = parse(square(&nodes, &primitive).as_bytes()).unwrap();
            assert_eq!(read.faces.len(), faces, "{primitive}");
            let up = |face: &[u32; 3]| {
                let [a, b, c] = face.map(|index| read.vertices[index as usize]);
                (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0.0
            };
            assert!(read.faces.iter().all(up), "{primitive}");
        }
    }

    #[test]
    fn broken_files_are_refused() {
        let nodes = format!("<node>{INSTANCE}</node>");
        let beyond = POLYLIST.replace("3 0</p>", "9 0</p>");
        let unknown = POLYLIST.replace("#v", "#nothing");
        let circle = "<node id='a'><instance_node url='#a'/></node>";
        let many = "<node id='a'>".to_owned()
            + &INSTANCE.repeat(2)
            + "</node>"
            + &"<node><instance_node url='#a'/></node>".repeat(3);
        assert_eq!(
            parse(square(&many, POLYLIST).as_bytes())
                .unwrap()
                .faces
                .len(),
            16
        );
        for bad in [
            String::new(),
            "<a/>".to_owned(),
            "<COLLADA/>".to_owned(),
            square(&nodes, &beyond),
            square(&nodes, &unknown),
            square(&nodes, ""),
            square(circle, POLYLIST),
            square(&nodes, &POLYLIST.replace("<vcount>4", "<vcount>4000000000")),
        ] {
            assert!(parse(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
