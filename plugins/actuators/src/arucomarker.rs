//! A visual marker in front of a robot.
use morse_api::{prelude::*, service::NoArguments, state::Stateful};
use serde_json::json;

/// Places a visual marker relative to its robot, in the axes of a camera: x right, y down, z forward.
///
/// Its position is the robot's position + (z + xoffset, x + yoffset, -y + zoffset) along the world's axes: as in MORSE, it
/// moves with the robot, but does not rotate with it. R = Rx(roll) · Rz(yaw) · Ry(pitch), which is Blender's order YZX, in
/// the world's axes. The marker is 8 cm wide, on a white plate of 9 cm.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(MarkerPose)]
pub struct Arucomarker {
    /// Offset along the world's x axis.
    #[reflect(@Unit("m"), @ValueRange(-1e6, 1e6), @Property("xoffset"))]
    pub xoffset: f64,
    /// Offset along the world's y axis.
    #[reflect(@Unit("m"), @ValueRange(-1e6, 1e6), @Property("yoffset"))]
    pub yoffset: f64,
    /// Offset along the world's z axis.
    #[reflect(@Unit("m"), @ValueRange(-1e6, 1e6), @Property("zoffset"))]
    pub zoffset: f64,
}

/// Pose relative to the robot, kept until the next command.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ArucomarkerCommand {
    /// Position to the right in the image: along the world's y axis.
    #[reflect(@Unit("m"))]
    pub x: f64,
    /// Position downwards in the image: against the world's z axis.
    #[reflect(@Unit("m"))]
    pub y: f64,
    /// Distance from the camera: along the world's x axis.
    #[reflect(@Unit("m"))]
    pub z: f64,
    /// Rotation about the x axis, applied last.
    #[reflect(@Unit("rad"))]
    pub roll: f64,
    /// Rotation about the y axis, applied first.
    #[reflect(@Unit("rad"))]
    pub pitch: f64,
    /// Rotation about the z axis, applied second.
    #[reflect(@Unit("rad"))]
    pub yaw: f64,
}

impl Stateful for ArucomarkerCommand {}

/// Pose of the marker in the world: position, and rotation as a quaternion x, y, z, w. Part of the state.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MarkerPose(pub Isometry3<f64>);

impl Stateful for MarkerPose {}

impl Actuator for Arucomarker {
    const KIND: &'static str = "arucomarker";
    const HAS_DRIVE: bool = false;
    const MORSE_CLASS: Option<&'static str> = Some("Arucomarker");
    type Command = ArucomarkerCommand;
}

pub(super) fn plugin(app: &mut App) {
    let service = |name, docs, answer| Service::new(name, docs, answer).read_only();
    app.add_actuator::<Arucomarker, _>(default_action)
        .register_state::<MarkerPose>()
        .add_systems(Startup, begin)
        .add_service::<Arucomarker>(service(
            "get_local_position",
            "Where the marker is, in the robot's axes: [x, y, z] in m.",
            |world, entity, _: NoArguments| position(&in_robot(world, entity)),
        ))
        .add_service::<Arucomarker>(service(
            "get_world_position",
            "Where the marker is, in the world: [x, y, z] in m.",
            |world, entity, _: NoArguments| position(&in_world(world, entity)),
        ))
        .add_service::<Arucomarker>(service(
            "get_local_orientation",
            "The marker's rotation in the robot's axes, as the rows of a matrix.",
            |world, entity, _: NoArguments| orientation(&in_robot(world, entity)),
        ))
        .add_service::<Arucomarker>(service(
            "get_world_orientation",
            "The marker's rotation in the world, as the rows of a matrix.",
            |world, entity, _: NoArguments| orientation(&in_world(world, entity)),
        ));
}

type Markers<'w, 's> = Query<
    'w,
    's,
    (
        &'static Arucomarker,
        &'static Due,
        &'static Mount,
        &'static ArucomarkerCommand,
        &'static mut MarkerPose,
    ),
>;

fn begin(bodies: Query<&BodyState>, mut markers: Markers<'_, '_>) {
    for (settings, _, mount, command, mut marker) in &mut markers {
        if let Ok(robot) = bodies.get(mount.robot) {
            marker.0 = settings.pose(command, robot);
        }
    }
}

fn default_action(bodies: Query<&BodyState>, mut markers: Markers<'_, '_>) {
    for (settings, due, mount, command, mut marker) in &mut markers {
        if due.0
            && let Ok(robot) = bodies.get(mount.robot)
        {
            marker.0 = settings.pose(command, robot);
        }
    }
}

impl Arucomarker {
    fn pose(&self, command: &ArucomarkerCommand, robot: &BodyState) -> Isometry3<f64> {
        let away = Vector3::new(
            command.z + self.xoffset,
            command.x + self.yoffset,
            -command.y + self.zoffset,
        );
        let about = |axis, angle: f64| {
            let (sin, cos) = libm::sincos(angle / 2.0);
            let axis: Vector3<f64> = axis;
            UnitQuaternion::new_normalize(nalgebra::Quaternion::from_parts(cos, axis * sin))
        };
        let rotation = about(Vector3::x(), command.roll)
            * about(Vector3::z(), command.yaw)
            * about(Vector3::y(), command.pitch);
        Isometry3::from_parts((robot.pose.translation.vector + away).into(), rotation)
    }
}

fn in_world(world: &World, entity: Entity) -> Isometry3<f64> {
    let marker = world.get::<MarkerPose>(entity);
    marker.copied().unwrap_or_default().0
}

fn in_robot(world: &World, entity: Entity) -> Isometry3<f64> {
    let robot = world.get::<Mount>(entity).map(|mount| mount.robot);
    let robot = robot.and_then(|robot| world.get::<BodyState>(robot));
    robot.copied().unwrap_or_default().pose.inverse() * in_world(world, entity)
}

fn position(pose: &Isometry3<f64>) -> Result<Outcome, ServiceError> {
    let [x, y, z] = pose.translation.vector.into();
    Ok(Outcome::Done(json!([x, y, z])))
}

fn orientation(pose: &Isometry3<f64>) -> Result<Outcome, ServiceError> {
    let matrix = pose.rotation.to_rotation_matrix();
    // nalgebra stores matrices by columns: the transposed matrix contains the rows one after the other.
    let rows: [[f64; 3]; 3] = matrix.transpose().into_inner().into();
    Ok(Outcome::Done(json!(rows)))
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use morse_testing::{TestWorld, moving};

    use super::*;

    fn requested(test: &mut TestWorld, service: &str) -> Vec<f64> {
        let value = test
            .call("rover.marker", service, json!([]))
            .reply()
            .unwrap()
            .value;
        let mut numbers = Vec::new();
        for entry in value.as_array().unwrap() {
            match entry.as_array() {
                Some(row) => numbers.extend(row.iter().map(|value| value.as_f64().unwrap())),
                None => numbers.push(entry.as_f64().unwrap()),
            }
        }
        numbers
    }

    #[track_caller]
    fn assert_near(actual: &[f64], expected: &[f64]) {
        let is_near = |(one, other): (&f64, &f64)| (one - other).abs() < 1e-12;
        assert_eq!(actual.len(), expected.len());
        assert!(actual.iter().zip(expected).all(is_near), "{actual:?}");
    }

    #[test]
    fn it_is_held_before_the_robot() {
        // The robot looks along the world's y axis.
        let at = moving([10.0, 20.0, 1.0], FRAC_PI_2, [0.0; 3], [0.0; 3]);
        let mut test = TestWorld::new(60.0, plugin, at);
        let text = "(xoffset: 0.5, zoffset: 0.25)";
        let marker = test.actuator::<Arucomarker>("rover.marker", text, Isometry3::identity());
        let command = ArucomarkerCommand {
            x: 0.1,
            y: 0.2,
            z: 2.0,
            roll: FRAC_PI_2,
            pitch: FRAC_PI_2,
            yaw: FRAC_PI_2,
        };
        test.send(marker, command);
        // Actuators act on the state before the tick, which is the state of the previous tick.
        test.step(at);
        test.step(at);
        assert_near(
            &requested(&mut test, "get_world_position"),
            &[12.5, 20.1, 1.05],
        );
        // The robot's x axis is the world's y; its left is the world's -x.
        assert_near(
            &requested(&mut test, "get_local_position"),
            &[0.1, -2.5, 0.05],
        );
        // Ry(90°) maps x to -z, y to y, z to x; Rz(90°) maps x to y, y to -x; Rx(90°) maps y to z, z to -y. So x → -z → -z →
        // y; y → y → -x → -x; z → x → y → z: these are the columns.
        assert_near(
            &requested(&mut test, "get_world_orientation"),
            &[0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        );
        // The robot's own quarter turn cancels that.
        assert_near(
            &requested(&mut test, "get_local_orientation"),
            &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        );
    }
}
