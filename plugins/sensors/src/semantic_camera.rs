//! Names and poses of the objects in view of a camera.
//!
//! - [`view`]: the view frustum;
//! - this file: settings, data, and occlusion.
use morse_api::{
    object::{Object, Objects, Tracked, grid_coordinates},
    prelude::*,
    rays::Rays,
};
use nalgebra::Quaternion;

pub mod view;

use view::View;

/// Width of the image sensor of MORSE's cameras, m.
const CHIP: f64 = 0.032;

/// Fraction of an object's box at which sample points lie: shapes are thin at the corners of the box.
const INSET: f64 = 0.9;

/// Rows and columns of sample points of the image, for objects that fill it.
const GRID: usize = 5;

/// Number of sample points of an object.
const POINTS: usize = 27;

/// Number of lines of sight to an object.
const RAYS: usize = POINTS + GRID * GRID;

/// Reports the objects in its view. Without a rotation it looks along the robot's x axis; its own axes, in which `relative`
/// poses are given, are those of images: z forward, x right, y down.
///
/// An object is in view if its box (in the axes of the object; MORSE ignores its rotation) intersects the view frustum
/// between `near` and `far`. It is visible unless all sample points are hidden: points of its box within the image, and
/// points of the image in front of its box. MORSE uses the object's origin alone. Objects without collision hide nothing,
/// and are hidden by objects in front of them.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Tracked)]
pub struct SemanticCamera {
    /// Columns of the image.
    #[reflect(@ValueRange(1.0, 16_384.0), @Property("cam_width"))]
    pub width: u32,
    /// Rows of the image.
    #[reflect(@ValueRange(1.0, 16_384.0), @Property("cam_height"))]
    pub height: u32,
    /// Focal length, for an image sensor 0.032 m wide.
    #[reflect(@Unit("m"), @ValueRange(1e-5, 100.0), @Property("cam_focal"), @Form::Millimetres)]
    pub focal: f64,
    /// Horizontal field of view, below π; instead of `focal`.
    #[reflect(@Unit("rad"), @ValueRange(0.001, 3.13), @Property("cam_fov"), @Form::Degrees)]
    pub fov: Option<f64>,
    /// Minimum depth.
    #[reflect(@Unit("m"), @ValueRange(1e-6, 1e6), @Property("cam_near"))]
    pub near: f64,
    /// Maximum depth.
    #[reflect(@Unit("m"), @ValueRange(1e-6, 1e8), @Property("cam_far"))]
    pub far: f64,
    /// True if poses are given in the camera's axes; otherwise in the world's.
    #[reflect(@Property("relative"))]
    pub relative: bool,
    /// True if occlusion is ignored.
    #[reflect(@Property("noocclusion"))]
    pub noocclusion: bool,
    /// Type of the objects to report, or a property that they have.
    #[reflect(@Property("tag"), @Changeable)]
    pub tag: String,
}

impl Default for SemanticCamera {
    fn default() -> Self {
        Self {
            width: 256,
            height: 256,
            focal: 0.035,
            fov: None,
            near: 0.1,
            far: 100.0,
            relative: false,
            noocclusion: false,
            tag: "Object".to_owned(),
        }
    }
}

/// One measurement.
#[derive(Component, Reflect, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SemanticCameraData {
    /// Visible objects, sorted by their names in the scene.
    pub visible_objects: Vec<VisibleObject>,
}

impl Clone for SemanticCameraData {
    fn clone(&self) -> Self {
        Self {
            visible_objects: self.visible_objects.clone(),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.visible_objects.clone_from(&source.visible_objects);
    }
}

/// A visible object.
#[derive(Reflect, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VisibleObject {
    /// Label of the object.
    pub name: String,
    /// Description of the object.
    pub description: String,
    /// Type of the object.
    pub r#type: String,
    /// Position of the object's origin.
    #[reflect(@Unit("m"))]
    pub position: [f64; 3],
    /// Orientation of the object's axes.
    pub orientation: Orientation,
}

impl Clone for VisibleObject {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, source: &Self) {
        self.name.clone_from(&source.name);
        self.description.clone_from(&source.description);
        self.r#type.clone_from(&source.r#type);
        self.position = source.position;
        self.orientation = source.orientation;
    }
}

/// Rotation as a quaternion.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Orientation {
    /// x component of the vector.
    #[reflect(@Unit(""))]
    pub x: f64,
    /// y component of the vector.
    #[reflect(@Unit(""))]
    pub y: f64,
    /// z component of the vector.
    #[reflect(@Unit(""))]
    pub z: f64,
    /// Real component.
    #[reflect(@Unit(""))]
    pub w: f64,
}

impl Sensor for SemanticCamera {
    const KIND: &'static str = "semantic_camera";
    const FREQUENCY: Option<f64> = Some(20.0);
    const MORSE_CLASSES: &'static [&'static str] = &["SemanticCamera"];
    type Data = SemanticCameraData;

    fn check(&self, _: &World, _: Entity) -> Result<(), CheckError> {
        if self.far > self.near {
            Ok(())
        } else {
            Err(CheckError::setting("`far` must be above `near`"))
        }
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_sensor::<SemanticCamera, _>(default_action)
        .init_resource::<Objects>();
}

/// Returns the rotation from the axes of an image to the axes of a mount that looks along x.
fn mount_from_camera() -> UnitQuaternion<f64> {
    UnitQuaternion::new_unchecked(Quaternion::new(0.5, -0.5, 0.5, -0.5))
}

fn default_action(
    rays: Option<Res<Rays>>,
    objects: Res<Objects>,
    bodies: Query<&BodyState>,
    mut sensors: Query<(
        &SemanticCamera,
        &Due,
        &Mount,
        &WorldPose,
        &mut Tracked,
        &mut SemanticCameraData,
    )>,
) {
    for (settings, due, mount, pose, mut tracked, mut data) in &mut sensors {
        if !due.0 {
            continue;
        }
        let check = VisibilityCheck {
            view: settings.view(),
            rays: rays.as_deref().filter(|_| !settings.noocclusion),
            camera: pose.0 * mount_from_camera(),
            robot: mount.robot,
        };
        let mut count = 0;
        let is_known = |object: &Object, tag: &str| object.kind == tag || object.has(tag);
        for object in tracked.that(&objects, &settings.tag, is_known) {
            let Some(at) = object.pose(&bodies) else {
                continue;
            };
            if !check.sees(object, &at) {
                continue;
            }
            let shown = if settings.relative {
                check.camera.inverse() * at
            } else {
                at
            };
            let seen = &mut data.visible_objects;
            if seen.len() <= count {
                seen.resize_with(count + 1, VisibleObject::default);
            }
            if let Some(seen) = seen.get_mut(count) {
                seen.set(object, &shown);
            }
            count += 1;
        }
        data.visible_objects.truncate(count);
    }
}

impl SemanticCamera {
    fn view(&self) -> View {
        let half_width = self
            .fov
            .map_or(CHIP / 2.0 / self.focal, |fov| libm::tan(fov / 2.0));
        View {
            near: self.near,
            far: self.far,
            half_width,
            half_height: half_width * f64::from(self.height) / f64::from(self.width),
        }
    }
}

impl VisibleObject {
    fn set(&mut self, object: &Object, pose: &Isometry3<f64>) {
        self.name.clone_from(&object.label);
        self.description.clone_from(&object.description);
        self.r#type.clone_from(&object.kind);
        self.position = pose.translation.vector.into();
        let [x, y, z, w] = pose.rotation.coords.into();
        self.orientation = Orientation { x, y, z, w };
    }
}

/// State of a camera at one measurement.
struct VisibilityCheck<'a> {
    view: View,
    /// Rays for the test of occlusion; without them no object is hidden.
    rays: Option<&'a Rays>,
    /// Pose in the world.
    camera: Isometry3<f64>,
    robot: Entity,
}

impl VisibilityCheck<'_> {
    fn sees(&self, object: &Object, at: &Isometry3<f64>) -> bool {
        let (center, half) = object
            .bounds
            .map_or((Point3::origin(), Vector3::zeros()), |bounds| {
                (bounds.center, bounds.half)
            });
        let centered = nalgebra::Translation3::from(center.coords);
        let camera_from_box = self.camera.inverse() * at * centered;
        self.view.meets(&camera_from_box, &half)
            && self
                .rays
                .is_none_or(|rays| self.is_clear(rays, object, &camera_from_box, &half))
    }

    /// Returns true if at least one line of sight reaches the object.
    fn is_clear(
        &self,
        rays: &Rays,
        object: &Object,
        camera_from_box: &Isometry3<f64>,
        half: &Vector3<f64>,
    ) -> bool {
        let mut directions = [Vector3::z(); RAYS];
        // Distance along each ray of an object without collision.
        let mut depths = [0.0; RAYS];
        let mut count = 0;
        let on_box = grid_coordinates().map(|coordinates| {
            let point = half.component_mul(&Vector3::from(coordinates)) * INSET;
            camera_from_box * Point3::from(point)
        });
        let in_picture = self.view.grid::<GRID>().filter_map(|direction| {
            let distance = view::entry(camera_from_box, half, &direction)?;
            Some(Point3::from(direction * distance))
        });
        for point in on_box.chain(in_picture) {
            let away = point.coords.norm();
            if self.view.holds(&point)
                && away > 0.0
                && let (Some(direction), Some(depth)) =
                    (directions.get_mut(count), depths.get_mut(count))
            {
                *direction = self.camera.rotation * (point.coords / away);
                *depth = away;
                count += 1;
            }
        }
        let farthest = camera_from_box.translation.vector.norm() + half.norm();
        let mut hits = [None; RAYS];
        let (Some(directions), Some(hits)) = (directions.get(..count), hits.get_mut(..count))
        else {
            return false;
        };
        let origin = self.camera.translation.vector.into();
        rays.cast_fan(origin, directions, farthest, Some(self.robot), hits);
        hits.iter().zip(&depths).any(|(hit, depth)| match hit {
            Some(hit) => object.owns(hit.entity) || !object.collides && hit.distance >= *depth,
            None => !object.collides,
        })
    }
}

#[cfg(test)]
mod tests;
