//! Settings of the element `<compiler>`, which determine how the other elements are read.
use morse_diagnostics::{Diagnostic, printable};
use nalgebra::{Isometry3, Matrix3, Quaternion, Rotation3, Unit, UnitQuaternion, Vector3};

use super::{codes, values};
use crate::{
    problems::Problems,
    xml::{Attribute, Element},
};

/// Settings of a model; the defaults are those of MuJoCo.
#[derive(Clone, Debug)]
pub(super) struct Compiler {
    /// Radians per unit of angle: angles are in degrees by default.
    pub(super) angle: f64,
    /// Axes of `euler`: lower case letters turn with the frame, upper case letters are fixed axes.
    pub(super) euler: [char; 3],
    /// Directories of meshes and textures.
    pub(super) mesh_directory: String,
    /// True if the directories in file names are ignored.
    pub(super) strip_path: bool,
    /// True if a joint with a `range` is limited.
    pub(super) auto_limits: bool,
    /// True if inertias are computed from geoms, false if they are not; `None` for bodies without `<inertial>` only.
    pub(super) inertia_from_geoms: Option<bool>,
    /// Groups of the geoms that have a mass.
    pub(super) inertia_groups: [f64; 2],
    /// Least mass of a body that moves, kg.
    pub(super) bound_mass: f64,
    /// Least moment of inertia of a body that moves, kg·m².
    pub(super) bound_inertia: f64,
}

impl Default for Compiler {
    fn default() -> Self {
        Self {
            angle: 1.0_f64.to_radians(),
            euler: ['x', 'y', 'z'],
            mesh_directory: String::new(),
            strip_path: false,
            auto_limits: true,
            inertia_from_geoms: None,
            inertia_groups: [0.0, 5.0],
            bound_mass: 0.0,
            bound_inertia: 0.0,
        }
    }
}

const ATTRIBUTES: &[&str] = &[
    "angle",
    "eulerseq",
    "meshdir",
    "assetdir",
    "texturedir",
    "strippath",
    "autolimits",
    "inertiafromgeom",
    "inertiagrouprange",
    "boundmass",
    "boundinertia",
    "coordinate",
];

/// Attributes without effect here.
const WITHOUT_EFFECT: &[&str] = &[
    "balanceinertia",
    "fitaabb",
    "usethread",
    "alignfree",
    "saveinertial",
    "discardvisual",
    "exactmeshinertia",
    "conflict",
    "fusestatic",
    "convexhull",
];

impl Compiler {
    /// Reads all elements `<compiler>` of a model.
    pub(super) fn of(root: &Element, problems: &mut Problems) -> Self {
        let mut compiler = Self::default();
        for element in root.named("compiler") {
            for attribute in &element.attributes {
                compiler.read(attribute, problems);
            }
            // The more special directory wins, wherever it is.
            if let Some(own) = element.attribute("meshdir") {
                compiler.mesh_directory.clone_from(&own.value);
            }
        }
        compiler
    }

    fn read(&mut self, attribute: &Attribute, problems: &mut Problems) {
        let name = attribute.name.as_str();
        match name {
            "angle" => {
                let words = [("degree", 1.0_f64.to_radians()), ("radian", 1.0)];
                self.angle = values::word(attribute, &words, problems).unwrap_or(self.angle);
            }
            "eulerseq" => self.read_euler(attribute, problems),
            "meshdir" | "assetdir" => self.mesh_directory.clone_from(&attribute.value),
            "texturedir" => {}
            "strippath" => values::set(&mut self.strip_path, values::truth(attribute, problems)),
            "autolimits" => values::set(&mut self.auto_limits, values::truth(attribute, problems)),
            "inertiafromgeom" => {
                let words = [("false", Some(false)), ("true", Some(true)), ("auto", None)];
                self.inertia_from_geoms =
                    values::word(attribute, &words, problems).unwrap_or(self.inertia_from_geoms);
            }
            "inertiagrouprange" => {
                if let Some(range) = values::numbers(attribute, 2..=2, problems) {
                    self.inertia_groups = [range[0], range[1]];
                }
            }
            "boundmass" => {
                values::set(&mut self.bound_mass, values::number(attribute, problems));
            }
            "boundinertia" => {
                values::set(&mut self.bound_inertia, values::number(attribute, problems));
            }
            "coordinate" if attribute.value == "local" => {}
            "coordinate" => {
                let message = "global coordinates are not read";
                let problem = Diagnostic::error(codes::BAD_WORD, message).at(
                    attribute.value_span,
                    "MuJoCo has removed them in version 2.3.4",
                );
                problems
                    .push(problem.help("save the model with an older MuJoCo, which converts it"));
            }
            _ if WITHOUT_EFFECT.contains(&name) => {}
            "settotalmass" | "inertiamass" => {
                let message = format!("`{name}` is not read");
                let problem = Diagnostic::warning(codes::NOT_TAKEN, message);
                problems.push(
                    problem
                        .at(attribute.span, "masses stay as they are written")
                        .help("write the masses that are meant"),
                );
            }
            _ => problems.push(values::unknown_attribute("compiler", attribute, ATTRIBUTES)),
        }
    }

    fn read_euler(&mut self, attribute: &Attribute, problems: &mut Problems) {
        let letters: Vec<char> = attribute.value.chars().collect();
        let is_axis = |letter: &char| "xyzXYZ".contains(*letter);
        match <[char; 3]>::try_from(letters) {
            Ok(letters) if letters.iter().all(is_axis) => self.euler = letters,
            _ => {
                let shown = printable(&attribute.value);
                let message = format!("`{shown}` is no sequence of axes");
                let problem = Diagnostic::error(codes::BAD_WORD, message);
                problems.push(
                    problem
                        .at(attribute.value_span, "expected three of x, y, z, X, Y, Z")
                        .help("for example `eulerseq=\"xyz\"`"),
                );
            }
        }
    }

    /// Returns the rotation by three angles about the axes of `eulerseq`, in units of the file.
    pub(super) fn rotation_from_euler(&self, angles: [f64; 3]) -> UnitQuaternion<f64> {
        let mut rotation = UnitQuaternion::identity();
        for (letter, angle) in self.euler.into_iter().zip(angles) {
            let axis = match letter.to_ascii_lowercase() {
                'x' => Vector3::x_axis(),
                'y' => Vector3::y_axis(),
                _ => Vector3::z_axis(),
            };
            let turn = about(&axis, angle * self.angle);
            rotation = match letter.is_ascii_lowercase() {
                true => rotation * turn,
                false => turn * rotation,
            };
        }
        rotation
    }

    /// Returns the rotation of one of the attributes that describe it.
    pub(super) fn rotation(&self, name: &str, numbers: &[f64]) -> Option<UnitQuaternion<f64>> {
        match (name, numbers) {
            ("quat", &[w, x, y, z]) => {
                let quaternion = Quaternion::new(w, x, y, z);
                (quaternion.norm() > 1e-12).then(|| UnitQuaternion::new_normalize(quaternion))
            }
            ("axisangle", &[x, y, z, angle]) => {
                let axis = Unit::try_new(Vector3::new(x, y, z), 1e-12)?;
                Some(about(&axis, angle * self.angle))
            }
            ("euler", &[a, b, c]) => Some(self.rotation_from_euler([a, b, c])),
            ("xyaxes", &[a, b, c, d, e, f]) => {
                let x = Vector3::new(a, b, c).try_normalize(1e-12)?;
                let y = Vector3::new(d, e, f);
                let y = (y - x * x.dot(&y)).try_normalize(1e-12)?;
                let axes = Matrix3::from_columns(&[x, y, x.cross(&y)]);
                let axes = Rotation3::from_matrix_unchecked(axes);
                Some(UnitQuaternion::from_rotation_matrix(&axes))
            }
            ("zaxis", &[x, y, z]) => from_z(Vector3::new(x, y, z)),
            _ => None,
        }
    }
}

/// Returns the rotation about an axis.
pub(super) fn about(axis: &Unit<Vector3<f64>>, angle: f64) -> UnitQuaternion<f64> {
    let (sin, cos) = libm::sincos(angle / 2.0);
    let axis = axis.into_inner() * sin;
    UnitQuaternion::new_normalize(Quaternion::new(cos, axis.x, axis.y, axis.z))
}

/// Returns the least rotation of the z axis to a direction.
pub(super) fn from_z(direction: Vector3<f64>) -> Option<UnitQuaternion<f64>> {
    let direction = direction.try_normalize(1e-12)?;
    let cross = Vector3::z().cross(&direction);
    let (sin, cos) = (cross.norm(), direction.z);
    let axis = Unit::try_new(cross, 1e-12).unwrap_or_else(Vector3::x_axis);
    Some(about(&axis, libm::atan2(sin, cos)))
}

/// Returns a translation.
pub(super) fn shift(by: Vector3<f64>) -> Isometry3<f64> {
    Isometry3::from_parts(by.into(), UnitQuaternion::identity())
}
