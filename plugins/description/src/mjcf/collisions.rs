//! Pairs of geoms that do not collide in MuJoCo.
use std::collections::BTreeSet;

use morse_diagnostics::{Diagnostic, Span};
use morse_scene::model::Scene;

use super::{codes, geom::Filter};
use crate::problems::Problems;

/// Name of the world, and of the frame at the root of a model that stands in it.
pub(super) const WORLD: &str = "world";

/// Maximum number of geoms with collisions, since the scene stores their pairs.
const MOST_TOUCHABLE: usize = 600;

/// A geom that collides.
struct Touchable {
    frame: String,
    body: usize,
    filter: Filter,
}

/// A body.
struct Known {
    name: String,
    /// Index of the body to which it is fixed, itself if it has a joint; 0 is the world.
    rigid: usize,
    /// Rigid group of its parent.
    above: usize,
}

/// Bodies, by index, and geoms that collide.
pub(super) struct Collisions {
    bodies: Vec<Known>,
    touchable: Vec<Touchable>,
}

impl Default for Collisions {
    fn default() -> Self {
        let world = Known {
            name: WORLD.to_owned(),
            rigid: 0,
            above: 0,
        };
        Self {
            bodies: vec![world],
            touchable: Vec::new(),
        }
    }
}

impl Collisions {
    /// Returns the number of bodies, with the world.
    pub(super) fn count(&self) -> usize {
        self.bodies.len()
    }

    pub(super) fn name(&self, body: usize) -> &str {
        self.bodies.get(body).map_or(WORLD, |body| &body.name)
    }

    /// Adds a body on another one, and returns its index.
    pub(super) fn add_body(&mut self, name: &str, parent: usize, has_joint: bool) -> usize {
        let number = self.bodies.len();
        let above = self.bodies.get(parent).map_or(0, |body| body.rigid);
        self.bodies.push(Known {
            name: name.to_owned(),
            rigid: if has_joint { number } else { above },
            above,
        });
        number
    }

    pub(super) fn add_geom(&mut self, frame: &str, body: usize, filter: Filter) {
        self.touchable.push(Touchable {
            frame: frame.to_owned(),
            body,
            filter,
        });
    }

    /// Permits contacts of geoms that do not collide in MuJoCo: of one rigid group, of a group and the one that carries it, by
    /// their types, and of excluded bodies.
    pub(super) fn permit(
        &self,
        excluded: &BTreeSet<(String, String)>,
        span: Span,
        scene: &mut Scene,
        problems: &mut Problems,
    ) {
        if self.touchable.len() > MOST_TOUCHABLE {
            let message = format!(
                "this model has {} geoms with collisions, more than {MOST_TOUCHABLE}",
                self.touchable.len()
            );
            let problem = Diagnostic::error(codes::TOO_LARGE, message).at(span, "too large");
            problems.push(
                problem
                    .help("switch off the collisions of some: `contype=\"0\" conaffinity=\"0\"`"),
            );
            return;
        }
        for (index, one) in self.touchable.iter().enumerate() {
            for other in self.touchable.iter().skip(index + 1) {
                if !self.collide((one, other), excluded) {
                    scene.allow_collision(&*one.frame, &*other.frame);
                }
            }
        }
    }

    fn collide(
        &self,
        (one, other): (&Touchable, &Touchable),
        excluded: &BTreeSet<(String, String)>,
    ) -> bool {
        let bodies = self.bodies.get(one.body).zip(self.bodies.get(other.body));
        let Some((first, second)) = bodies else {
            return true;
        };
        let (name, other_name) = (&first.name, &second.name);
        let pair = (name.min(other_name).clone(), name.max(other_name).clone());
        let is_carried = |one: &Known, other: &Known| one.above == other.rigid && other.rigid != 0;
        one.filter.collides(other.filter)
            && first.rigid != second.rigid
            && !is_carried(first, second)
            && !is_carried(second, first)
            && !excluded.contains(&pair)
    }
}
