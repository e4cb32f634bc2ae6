//! Visitor of all numbers of a scene, each with its attribute, and the detection of numbers that are out of range.

use super::{Attribute, Frame, Geometry, JointAxis, Limits, Origin, Scene, Shape};

/// Callback that receives an attribute and its numbers.
pub(super) type Visit<'v> = &'v mut dyn FnMut(&'static Attribute, &[f64]);

/// A number of a scene that is out of its attribute's range.
#[derive(Clone, Copy, Debug)]
pub struct Violation<'s> {
    /// Name of the frame to which the number belongs.
    pub frame: &'s str,
    /// Attribute of the number.
    pub attribute: &'static Attribute,
    /// The number.
    pub number: f64,
    /// Source position of the declaration of the frame or geometry.
    pub source: Origin,
}

impl Scene {
    /// Returns the numbers that are out of the ranges of their attributes, at most `most`, without those that affect the
    /// appearance only.
    #[must_use]
    pub fn violations(&self, most: usize) -> Vec<Violation<'_>> {
        let mut violations = Vec::new();
        for frame in &self.frames {
            let mut check = |source: Origin, attribute: &'static Attribute, numbers: &[f64]| {
                if let Some(number) = attribute.violation(numbers)
                    && !attribute.is_of_looks()
                {
                    violations.push(Violation {
                        frame: &frame.name,
                        attribute,
                        number,
                        source,
                    });
                }
            };
            frame.numbers(&mut |attribute, numbers| check(frame.source, attribute, numbers));
            for geometry in &frame.geometry {
                geometry.numbers(&mut |attribute, numbers| {
                    check(geometry.source, attribute, numbers);
                });
            }
            if violations.len() >= most {
                break;
            }
        }
        violations.truncate(most);
        violations
    }
}

/// Passes the numbers of an attribute to the visitor; the attribute's name is resolved at compile time.
macro_rules! visit {
    ($visit:ident, $($name:literal: $numbers:expr),+ $(,)?) => {
        {
            $($visit(const { Attribute::named($name) }, $numbers);)+
        }
    };
}

// The patterns have no `..`, so that the compiler requires a visit of each new field.
impl Frame {
    pub(super) fn numbers(&self, visit: Visit<'_>) {
        let Self {
            name: _,
            parent: _,
            pose,
            joint,
            mass,
            center_of_mass,
            inertia,
            geometry: _,
            source: _,
        } = self;
        visit!(visit,
            "translation": pose.translation.vector.as_slice(),
            "quaternion": pose.rotation.coords.as_slice(),
            "mass": mass.as_slice(),
            "center_of_mass": center_of_mass.as_ref().map_or(&[], |center| center.as_slice()),
            "inertia": inertia.as_slice().as_flattened(),
        );
        if let Some(axis) = joint.axis() {
            axis.numbers(visit);
        }
    }
}

impl JointAxis {
    fn numbers(&self, visit: Visit<'_>) {
        let Self {
            axis,
            variable: _,
            offset,
            limits,
            damping,
            dry_friction,
            armature,
            gear,
            ratio,
        } = self;
        let Limits {
            position,
            velocity,
            effort,
        } = limits;
        visit!(visit,
            "axis": axis.as_slice(),
            "offset": &[*offset],
            "limit_position": position.as_slice().as_flattened(),
            "limit_velocity": velocity.as_slice(),
            "limit_effort": effort.as_slice(),
            "damping": damping.as_slice(),
            "dry_friction": dry_friction.as_slice(),
            "armature": armature.as_slice(),
            "gear": gear.as_slice(),
            "ratio": ratio.as_slice(),
        );
    }
}

impl Geometry {
    pub(super) fn numbers(&self, visit: Visit<'_>) {
        let Self {
            shape,
            tags: _,
            color,
            alpha,
            specular,
            shininess,
            image: _,
            checker,
            pattern_size,
            scale,
            visual: _,
            collision: _,
            no_shadow: _,
            friction,
            restitution,
            density,
            convex_parts,
            source: _,
        } = self;
        visit!(visit,
            "color": color,
            "alpha": &[*alpha],
            "specular": specular,
            "shininess": shininess.as_slice(),
            "checker": checker.as_slice().as_flattened(),
            "pattern_size": pattern_size.as_slice(),
            "scale": &[*scale],
            "friction": friction.as_slice(),
            "restitution": restitution.as_slice(),
            "density": density.as_slice(),
            "convex_parts": convex_parts.as_slice(),
        );
        shape_numbers(shape, visit);
    }
}

/// Visits the numbers of a shape.
fn shape_numbers(shape: &Shape, visit: Visit<'_>) {
    match shape {
        Shape::Box { dimension } => visit!(visit, "dimension": dimension),
        Shape::Sphere { radius } => visit!(visit, "radius": &[*radius]),
        Shape::Cylinder { radius, height } | Shape::Capsule { radius, height } => {
            visit!(visit, "radius": &[*radius], "height": &[*height]);
        }
        Shape::Cone {
            start_radius,
            end_radius,
            height,
        } => visit!(visit,
            "start_radius": &[*start_radius],
            "end_radius": &[*end_radius],
            "height": &[*height],
        ),
        Shape::Grid {
            dimension,
            delta,
            thickness,
        } => visit!(visit,
            "dimension": dimension,
            "delta": delta,
            "thickness": &[*thickness],
        ),
        Shape::Mesh(_) => {}
    }
}
