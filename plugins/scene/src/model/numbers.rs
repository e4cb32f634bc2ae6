//! The numbers of a scene, each under the attribute that sets it, and those that no simulation can bear.

use super::{Attribute, Frame, Geometry, JointAxis, Limits, Origin, Scene, Shape};

/// Taker of numbers, and of the attribute that sets them.
pub(super) type Visit<'v> = &'v mut dyn FnMut(&'static Attribute, &[f64]);

/// A number of a scene that its attribute cannot have.
#[derive(Clone, Copy, Debug)]
pub struct Violation<'s> {
    /// Name of the frame that it belongs to.
    pub frame: &'s str,
    /// Attribute that sets it.
    pub attribute: &'static Attribute,
    /// The number.
    pub number: f64,
    /// Place of the declaration of the frame or geometry.
    pub source: Origin,
}

impl Scene {
    /// Numbers that are out of the ranges of their attributes, at most so many; those aside that change the looks alone.
    #[must_use]
    pub fn violations(&self, most: usize) -> Vec<Violation<'_>> {
        let mut found = Vec::new();
        for frame in &self.frames {
            let mut check = |source: Origin, attribute: &'static Attribute, numbers: &[f64]| {
                if let Some(number) = attribute.violation(numbers)
                    && !attribute.is_of_looks()
                {
                    found.push(Violation {
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
            if found.len() >= most {
                break;
            }
        }
        found.truncate(most);
        found
    }
}

/// Hands the numbers of an attribute on; the name is looked up when the program is built.
macro_rules! visit {
    ($visit:ident, $($name:literal: $numbers:expr),+ $(,)?) => {
        {
            $($visit(const { Attribute::named($name) }, $numbers);)+
        }
    };
}

// Nothing is left out of the patterns here, so that a new field is thought of.
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
        );
        shape.numbers(visit);
    }
}

impl Shape {
    fn numbers(&self, visit: Visit<'_>) {
        match self {
            Self::Box { dimension } => visit!(visit, "dimension": dimension),
            Self::Sphere { radius } => visit!(visit, "radius": &[*radius]),
            Self::Cylinder { radius, height } | Self::Capsule { radius, height } => {
                visit!(visit, "radius": &[*radius], "height": &[*height]);
            }
            Self::Cone {
                start_radius,
                end_radius,
                height,
            } => visit!(visit,
                "start_radius": &[*start_radius],
                "end_radius": &[*end_radius],
                "height": &[*height],
            ),
            Self::Grid {
                dimension,
                delta,
                thickness,
            } => visit!(visit,
                "dimension": dimension,
                "delta": delta,
                "thickness": &[*thickness],
            ),
            Self::Mesh {
                file: _,
                resolved: _,
            } => {}
        }
    }

    /// True for a shape that takes up no space, so that nothing can touch it.
    #[must_use]
    pub fn is_flat(&self) -> bool {
        match *self {
            Self::Box { dimension } => dimension.iter().any(|side| side.abs() <= 0.0),
            Self::Sphere { radius } | Self::Capsule { radius, .. } => radius.abs() <= 0.0,
            Self::Cylinder { radius, height } => radius.abs().min(height.abs()) <= 0.0,
            Self::Cone {
                start_radius,
                end_radius,
                height,
            } => start_radius.abs().max(end_radius.abs()).min(height.abs()) <= 0.0,
            Self::Grid { .. } | Self::Mesh { .. } => false,
        }
    }
}
