//! Objects that components look up by name and property, and zones of space.
//!
//! A simulation file names them: `objects` with their properties, robots with theirs, and `zones`. They are constant while
//! the simulation runs; the pose of an object follows from its body.
use std::collections::BTreeMap;

use bevy::prelude::*;
use nalgebra::{Isometry3, Point3, Vector3};

use crate::body::BodyState;

/// The property that every robot has, as in MORSE.
pub const ROBOT_TAG: &str = "Robot_Tag";

/// Property of objects that grippers can grasp.
pub const GRASPABLE: &str = "Graspable";

/// Value of a property.
#[derive(Clone, Debug, PartialEq)]
pub enum Property {
    /// A boolean.
    Flag(bool),
    /// A number, in the unit that its reader defines.
    Number(f64),
    /// Text.
    Text(String),
    /// A list of numbers, such as the abilities that a victim requires.
    Numbers(Vec<f64>),
}

impl Property {
    /// Returns the number, if it is one.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Flag(_) | Self::Text(_) | Self::Numbers(_) => None,
        }
    }
}

/// A box, in axes that its owner defines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Centre, m.
    pub center: Point3<f64>,
    /// Half side lengths, not negative, m.
    pub half: Vector3<f64>,
}

impl Bounds {
    /// Returns the smallest box around points; `None` without points.
    pub fn around(points: impl IntoIterator<Item = Point3<f64>>) -> Option<Self> {
        let mut points = points.into_iter();
        let first = points.next()?;
        let (lower, upper) = points.fold((first, first), |(lower, upper), point| {
            (lower.inf(&point), upper.sup(&point))
        });
        Some(Self {
            center: nalgebra::center(&lower, &upper),
            half: (upper - lower) / 2.0,
        })
    }

    /// Returns the point at coordinates that run from -1 to 1 along each side.
    #[must_use]
    pub fn at(&self, coordinates: [f64; 3]) -> Point3<f64> {
        self.center + self.half.component_mul(&Vector3::from(coordinates))
    }

    /// Returns the point of the box that is nearest to another point.
    #[must_use]
    pub fn nearest(&self, point: &Point3<f64>) -> Point3<f64> {
        (*point)
            .sup(&(self.center - self.half))
            .inf(&(self.center + self.half))
    }
}

/// An object of the world, or a robot.
#[derive(Clone, Debug)]
pub struct Object {
    /// Name of its frame, or of the robot. Unique.
    pub name: String,
    /// Label for people; the name by default.
    pub label: String,
    /// Description for people.
    pub description: String,
    /// Type of the object: `Object` by default, `Robot` for robots.
    pub kind: String,
    /// Further properties.
    pub properties: BTreeMap<String, Property>,
    /// Entity of its frame, which has a path.
    pub entity: Entity,
    /// Body to which it is fixed.
    pub body: Entity,
    /// Pose on that body.
    pub body_from_object: Isometry3<f64>,
    /// Base body of the robot that it is, or to which it belongs.
    pub robot: Option<Entity>,
    /// Bounding box of all shapes that are fixed to it, in its own axes; `None` without shapes.
    pub bounds: Option<Bounds>,
    /// Entities of its geometries, sorted. Rays and contacts return these.
    pub geometry: Vec<Entity>,
    /// True if any of its geometries collides, and is visible to rays.
    pub collides: bool,
}

impl Object {
    /// Returns true if it has a property that is not `false`.
    #[must_use]
    pub fn has(&self, property: &str) -> bool {
        self.properties
            .get(property)
            .is_some_and(|value| *value != Property::Flag(false))
    }

    /// Returns the pose in the world, given the states of bodies.
    #[must_use]
    pub fn pose(&self, bodies: &Query<'_, '_, &BodyState>) -> Option<Isometry3<f64>> {
        let body = bodies.get(self.body).ok()?;
        Some(body.pose * self.body_from_object)
    }

    /// Returns the pose in the world, given the world.
    #[must_use]
    pub fn pose_in(&self, world: &World) -> Option<Isometry3<f64>> {
        Some(world.get::<BodyState>(self.body)?.pose * self.body_from_object)
    }

    /// Returns true if a geometry belongs to the object.
    #[must_use]
    pub fn owns(&self, geometry: Entity) -> bool {
        self.geometry.binary_search(&geometry).is_ok()
    }
}

/// All objects and robots, sorted by name. Computed from the files only.
#[derive(Resource, Clone, Debug, Default)]
pub struct Objects(Vec<Object>);

impl Objects {
    /// Returns the list of these objects.
    #[must_use]
    pub fn new(mut objects: Vec<Object>) -> Self {
        objects.sort_by(|one, two| one.name.cmp(&two.name));
        Self(objects)
    }

    /// Returns all objects, by name.
    #[must_use]
    pub fn all(&self) -> &[Object] {
        &self.0
    }

    /// Returns the object of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Object> {
        let index = self
            .0
            .binary_search_by(|object| object.name.as_str().cmp(name))
            .ok()?;
        self.0.get(index)
    }
}

/// The objects with a property, for one component. They follow from the settings, and are looked up once per property.
#[derive(Component, Clone, Debug, Default)]
pub struct Tracked {
    tag: String,
    indices: Option<Vec<usize>>,
}

impl Tracked {
    /// Returns the objects with the property, by name.
    pub fn of<'a>(
        &mut self,
        objects: &'a Objects,
        tag: &str,
    ) -> impl Iterator<Item = &'a Object> + use<'_, 'a> {
        self.that(objects, tag, Object::has)
    }

    /// Returns the objects that `fits` accepts for the tag, by name. `fits` is called once per object, and again when the
    /// tag changes.
    pub fn that<'a>(
        &mut self,
        objects: &'a Objects,
        tag: &str,
        fits: fn(&Object, &str) -> bool,
    ) -> impl Iterator<Item = &'a Object> + use<'_, 'a> {
        if self.tag != tag {
            tag.clone_into(&mut self.tag);
            self.indices = None;
        }
        let indices = self.indices.get_or_insert_with(|| {
            let fitting = objects.0.iter().enumerate();
            fitting
                .filter(|(_, object)| fits(object, tag))
                .map(|(index, _)| index)
                .collect()
        });
        indices.iter().filter_map(|&index| objects.0.get(index))
    }
}

/// A region of space that is invisible and does not collide.
#[derive(Clone, Debug, PartialEq)]
pub struct Zone {
    /// Name. Unique.
    pub name: String,
    /// Purpose, such as `Charging`.
    pub kind: String,
    /// Box in world axes.
    pub bounds: Bounds,
}

impl Zone {
    /// Returns true if a point of the world is inside, or on the surface.
    #[must_use]
    pub fn contains(&self, point: &Point3<f64>) -> bool {
        let away = (point - self.bounds.center).abs();
        away.iter()
            .zip(&self.bounds.half)
            .all(|(away, half)| away <= half)
    }
}

/// All zones, sorted by name. Computed from the files only.
#[derive(Resource, Clone, Debug, Default)]
pub struct Zones(pub Vec<Zone>);

/// Field of view of a component: a cone with its apex at the component, around one of its axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// Unit vector along the cone's axis, in the component's axes.
    pub axis: Vector3<f64>,
    /// Full opening angle, rad; π and more is a half-space.
    pub angle: f64,
    /// Length along the axis, m.
    pub distance: f64,
}

/// Number of samples on the axis around which a box is searched.
const STEPS: u32 = 16;

impl Cone {
    /// Radius per metre of length; very large for a half-space.
    fn slope(&self) -> f64 {
        libm::tan((self.angle / 2.0).min(std::f64::consts::FRAC_PI_2))
    }

    /// Returns true if a point of the component's frame is inside.
    #[must_use]
    pub fn holds(&self, point: &Point3<f64>) -> bool {
        let along = point.coords.dot(&self.axis);
        let across = (point.coords - self.axis * along).norm();
        let widest = along * self.slope();
        (0.0..=self.distance).contains(&along) && across <= widest
    }

    /// Returns true if an object is inside, at least in part: its origin, or a point of its box. The tested points are those
    /// nearest to the cone's axis, sampled along it, and the corners and centres of the box, its sides and its edges.
    #[must_use]
    pub fn meets(&self, component_from_object: &Isometry3<f64>, object: &Object) -> bool {
        let origin = component_from_object * Point3::origin();
        if self.holds(&origin) {
            return true;
        }
        let Some(bounds) = &object.bounds else {
            return false;
        };
        let max_distance = bounds.half.norm() + self.distance * (1.0 + self.slope());
        if (component_from_object * bounds.center).coords.norm() > max_distance {
            return false;
        }
        let to_object = component_from_object.inverse();
        let on_axis = (0..=STEPS).map(|step| {
            let along = self.distance * f64::from(step) / f64::from(STEPS);
            bounds.nearest(&(to_object * Point3::from(self.axis * along)))
        });
        let mut points =
            on_axis.chain(grid_coordinates().map(|coordinates| bounds.at(coordinates)));
        points.any(|point| self.holds(&(component_from_object * point)))
    }
}

/// Returns the centre of a box, and the centres of its sides and edges and its corners, as coordinates for [`Bounds::at`].
pub fn grid_coordinates() -> impl Iterator<Item = [f64; 3]> {
    let step = |digit: u32| f64::from(digit % 3) - 1.0;
    (0..27).map(move |number: u32| [step(number), step(number / 3), step(number / 9)])
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_3;

    use super::*;

    fn object(name: &str, properties: &[(&str, Property)]) -> Object {
        let properties = properties.iter();
        Object {
            name: name.into(),
            label: name.into(),
            description: String::new(),
            kind: "Object".into(),
            properties: properties
                .map(|(name, value)| ((*name).to_owned(), value.clone()))
                .collect(),
            entity: Entity::PLACEHOLDER,
            body: Entity::PLACEHOLDER,
            body_from_object: Isometry3::identity(),
            robot: None,
            bounds: Bounds::around([Point3::new(-0.5, -0.5, -0.5), Point3::new(0.5, 0.5, 0.5)]),
            geometry: Vec::new(),
            collides: false,
        }
    }

    #[test]
    fn a_zone_holds_its_surface_and_no_more() {
        let zone = Zone {
            name: "charger".into(),
            kind: "Charging".into(),
            bounds: Bounds {
                center: Point3::new(1.0, 2.0, 3.0),
                half: Vector3::new(0.5, 1.0, 0.25),
            },
        };
        assert!(zone.contains(&Point3::new(1.5, 1.0, 3.25)));
        assert!(!zone.contains(&Point3::new(1.500001, 2.0, 3.0)));
        assert!(!zone.contains(&Point3::new(1.0, 2.0, 2.7)));
        assert!(!zone.contains(&Point3::new(f64::NAN, 2.0, 3.0)));
    }

    #[test]
    fn what_is_tracked_is_looked_up_anew_for_a_new_tag() {
        let objects = Objects::new(vec![
            object("b", &[("Fire", Property::Number(200.0))]),
            object(
                "a",
                &[
                    ("Fire", Property::Flag(true)),
                    ("Wet", Property::Flag(false)),
                ],
            ),
            object("c", &[("Wet", Property::Text("very".into()))]),
        ]);
        let mut tracked = Tracked::default();
        let mut names = |tag: &str| {
            let objects_of_tag = tracked.of(&objects, tag);
            objects_of_tag
                .map(|object| object.name.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(names(""), [""; 0]);
        assert_eq!(names("Fire"), ["a", "b"]);
        assert_eq!(names("Wet"), ["c"]);
        assert_eq!(names("Fire"), ["a", "b"]);
        assert_eq!(objects.get("b").unwrap().name, "b");
        assert!(objects.get("d").is_none());
    }

    #[test]
    fn a_cone_of_sixty_degrees() {
        let cone = Cone {
            axis: Vector3::x(),
            angle: FRAC_PI_3,
            distance: 10.0,
        };
        // The half-width is tan 30° = 0.57735 times the distance.
        assert!(cone.holds(&Point3::new(10.0, 5.77, 0.0)));
        assert!(!cone.holds(&Point3::new(10.0, 5.78, 0.0)));
        assert!(!cone.holds(&Point3::new(10.01, 0.0, 0.0)));
        assert!(!cone.holds(&Point3::new(-1.0, 0.0, 0.0)));
        // The near side of a cube of 1 m is half a metre before its centre.
        let cube = object("cube", &[]);
        let at = |x, y| cone.meets(&Isometry3::translation(x, y, 0.0), &cube);
        assert!(at(10.49, 0.0) && !at(10.51, 0.0));
        assert!(at(5.0, 3.6) && !at(5.0, 3.8));
        // The component is inside the cube, or beside it. The corner at (0.5, 0.28) is inside, where the cone is 0.289 m
        // wide; that at (0.5, 0.3) is not.
        assert!(at(0.0, 0.0) && at(0.0, 0.78) && !at(0.0, 0.8) && !at(-0.6, 0.0));
    }

    #[test]
    fn a_box_around_points() {
        assert_eq!(Bounds::around([]), None);
        let bounds = Bounds::around([Point3::new(1.0, 0.0, 0.0), Point3::new(3.0, -2.0, 0.0)]);
        let bounds = bounds.unwrap();
        assert_eq!(bounds.center, Point3::new(2.0, -1.0, 0.0));
        assert_eq!(bounds.at([1.0, -1.0, 1.0]), Point3::new(3.0, -2.0, 0.0));
        assert_eq!(
            bounds.nearest(&Point3::new(0.0, -1.5, 7.0)),
            Point3::new(1.0, -1.5, 0.0)
        );
        assert_eq!(grid_coordinates().count(), 27);
    }

    #[test]
    fn a_cone_of_half_a_turn_is_half_of_space() {
        for angle in [std::f64::consts::PI, std::f64::consts::PI + 1e-5] {
            let cone = Cone {
                axis: Vector3::x(),
                angle,
                distance: 2.0,
            };
            assert!(cone.holds(&Point3::new(0.01, 50.0, -3.0)));
            assert!(!cone.holds(&Point3::new(-0.01, 0.0, 0.0)));
            assert!(!cone.holds(&Point3::new(2.01, 0.0, 0.0)));
        }
    }
}
