//! Contact sensor: points of contact, with normals and forces.
use bevy::prelude::{Entity, World};
use morse_api::{
    contact::{TouchPoint, Touches},
    frame::Frame,
    names::{fits_any, is_selected, short_name},
    prelude::*,
    state::InPathOrder,
};
use nalgebra::Point3;

/// Measures the contacts of the body that carries the sensor: points, normals, forces with friction, and names of touched
/// bodies.
///
/// The body is that of the `mount`'s frame, for example a finger, a foot or a bumper. All vectors are in the sensor's axes,
/// and forces act on the sensed body: the mean over the last step of the engine. See `collision` for names only, and
/// `force_torque` for the force between two parts of a robot.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Touches)]
pub struct Contact {
    /// Names of the frames of the body that count; `*` stands for any text. By default all.
    pub parts: Vec<String>,
    /// Names of the bodies whose contacts count. By default all.
    #[reflect(@Changeable)]
    pub only: Vec<String>,
    /// Names of the bodies whose contacts do not count.
    #[reflect(@Changeable)]
    pub ignore: Vec<String>,
}

/// One measurement. The lists have one entry per point of contact, in the same order.
#[derive(Component, Reflect, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactData {
    /// True if anything is touched.
    #[reflect(@Unit(""))]
    pub contact: bool,
    /// Sum of the forces on the body.
    #[reflect(@Unit("N"))]
    pub force: [f64; 3],
    /// Torque of these forces about the sensor's origin.
    #[reflect(@Unit("N·m"))]
    pub torque: [f64; 3],
    /// Names of the bodies that are touched.
    #[reflect(@Unit(""))]
    pub objects: Vec<String>,
    /// Names of the own frames that are touched, without the robot's name.
    #[reflect(@Unit(""))]
    pub parts: Vec<String>,
    /// Positions.
    #[reflect(@Unit("m"))]
    pub points: Vec<[f64; 3]>,
    /// Unit normals, towards the sensed body.
    #[reflect(@Unit(""))]
    pub normals: Vec<[f64; 3]>,
    /// Forces on the sensed body.
    #[reflect(@Unit("N"))]
    pub forces: Vec<[f64; 3]>,
    /// Depths of penetration.
    #[reflect(@Unit("m"))]
    pub depths: Vec<f64>,
}

impl Clone for ContactData {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, source: &Self) {
        self.contact = source.contact;
        self.force = source.force;
        self.torque = source.torque;
        self.objects.clone_from(&source.objects);
        self.parts.clone_from(&source.parts);
        self.points.clone_from(&source.points);
        self.normals.clone_from(&source.normals);
        self.forces.clone_from(&source.forces);
        self.depths.clone_from(&source.depths);
    }
}

impl Sensor for Contact {
    const KIND: &'static str = "contact";
    const ROS: &'static [&'static [RosMessage]] = &[&[RosMessage::Contacts]];
    type Data = ContactData;

    fn check(&self, world: &World, sensor: Entity) -> Result<(), CheckError> {
        let (Some(mount), Some(order)) = (
            world.get::<Mount>(sensor),
            world.get_resource::<InPathOrder>(),
        ) else {
            return Ok(());
        };
        let robot = world.get::<ComponentPath>(mount.robot);
        let frames = order
            .0
            .iter()
            .filter_map(|entity| world.get::<Frame>(*entity));
        let own: Vec<&str> = frames
            .filter(|frame| frame.body == mount.body && !frame.is_bare)
            .map(|frame| short_name(&frame.name, robot))
            .collect();
        let is_known = |pattern: &&String| {
            let pattern = std::slice::from_ref(*pattern);
            own.iter().any(|name| fits_any(pattern, name))
        };
        match self.parts.iter().find(|pattern| !is_known(pattern)) {
            Some(pattern) => Err(CheckError::unmet(format!(
                "the body has no frame `{pattern}` with a geometry; it has: {}",
                if own.is_empty() {
                    "none".to_owned()
                } else {
                    own.join(", ")
                }
            ))),
            None => Ok(()),
        }
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_sensor::<Contact, _>(default_action);
}

fn default_action(
    paths: Query<&ComponentPath>,
    mut sensors: Query<(
        &Contact,
        &Due,
        &Mount,
        &WorldPose,
        &Touches,
        &mut ContactData,
    )>,
) {
    for (settings, due, mount, pose, touches, mut data) in &mut sensors {
        if !due.0 {
            continue;
        }
        data.start();
        let robot = paths.get(mount.robot).ok();
        for touch in &touches.0 {
            let (Ok(object), Ok(frame)) = (paths.get(touch.other_body), paths.get(touch.frame))
            else {
                continue;
            };
            let frame = short_name(frame.as_str(), robot);
            let counts = settings.parts.is_empty() || fits_any(&settings.parts, frame);
            if counts && is_selected(&settings.only, &settings.ignore, object.as_str()) {
                data.add(pose, touch, [object.as_str(), frame]);
            }
        }
        data.finish();
    }
}

impl ContactData {
    /// Begins a measurement. The texts are kept as buffers.
    fn start(&mut self) {
        (self.force, self.torque) = ([0.0; 3], [0.0; 3]);
        self.points.clear();
        self.normals.clear();
        self.forces.clear();
        self.depths.clear();
    }

    fn add(&mut self, pose: &WorldPose, touch: &TouchPoint, [object, frame]: [&str; 2]) {
        let index = self.points.len();
        let turn = pose.0.rotation.inverse();
        let point = pose
            .0
            .inverse_transform_point(&Point3::from(touch.point))
            .coords;
        let force = turn * touch.force;
        self.force = (Vector3::from(self.force) + force).into();
        self.torque = (Vector3::from(self.torque) + point.cross(&force)).into();
        self.points.push(point.into());
        self.normals.push((turn * touch.normal).into());
        self.forces.push(force.into());
        self.depths.push(touch.depth);
        for (list, name) in [(&mut self.objects, object), (&mut self.parts, frame)] {
            match list.get_mut(index) {
                Some(old) => name.clone_into(old),
                None => list.push(name.to_owned()),
            }
        }
    }

    fn finish(&mut self) {
        self.contact = !self.points.is_empty();
        self.objects.truncate(self.points.len());
        self.parts.truncate(self.points.len());
    }
}
