//! Conversion between east, north, up and north, east, down; and between forward, left, up and forward, right, down.
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2};

use bevy::reflect::{ReflectMut, structs::Struct};
use morse_api::{
    angles::normalized,
    fields::at_mut,
    modifier::{Direction, FrameChange, Site},
    prelude::*,
};
use nalgebra::Quaternion;

/// Converts the axes of data or of a command. The conversion is its own inverse: ENU becomes NED, and NED becomes ENU.
///
/// World axes: `x`, `y`, `z`, `world_linear_velocity` and a receiver's `velocity` exchange their first two numbers and
/// negate the third. Body axes: `linear_velocity`, `angular_velocity`, `linear_acceleration`, `magnetic_field` and a
/// magnetometer's `x`, `y`, `z` negate the last two. Angles: yaw becomes π/2 - yaw, pitch -pitch, and roll stays; angles,
/// and a quaternion `orientation`, describe the same attitude in the new axes. Yaw is measured from the scene's x axis,
/// which is taken to point east.
///
/// MORSE exchanges the names of yaw and roll as well, which `convention: morse` does, for its scripts; and its
/// `alter('NED')` leaves the angles of a pose unchanged, as `angles: false` does. Both are wrong for any attitude that is
/// not level. Odometry is refused: its positions are in the axes of the start, which may point anywhere.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ned {
    /// True to convert `x`, `y` and `z`.
    pub coordinates: bool,
    /// True to convert yaw, pitch and roll, or a quaternion.
    pub angles: bool,
    /// True to convert velocities and other vectors.
    pub vectors: bool,
    /// Rule for yaw, pitch and roll.
    pub convention: Convention,
    /// `to`: ENU becomes NED; `from`: NED becomes ENU. It matters for `convention: morse` only; all other conversions are
    /// their own inverses. By default, measurements become NED, and commands are taken as NED.
    pub direction: Option<Direction>,
}

impl Default for Ned {
    fn default() -> Self {
        Self {
            coordinates: true,
            angles: true,
            vectors: true,
            convention: Convention::Attitude,
            direction: None,
        }
    }
}

/// Rule for angles.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Convention {
    /// The angles describe the same attitude in the new axes.
    #[default]
    Attitude,
    /// MORSE's formula. To NED: roll = π/2 - yaw, yaw = roll, pitch = -pitch; from NED: yaw = π/2 - roll,
    /// roll = yaw, pitch = -pitch.
    Morse,
}

/// Vectors in world axes.
const WORLD: [&str; 2] = ["world_linear_velocity", "velocity"];
/// Vectors in body axes.
const BODY: [&str; 4] = [
    "linear_velocity",
    "angular_velocity",
    "linear_acceleration",
    "magnetic_field",
];

impl Modifier for Ned {
    const KIND: &'static str = "ned";

    fn bind(&self, fields: &Fields, site: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        let is_in_start_frame = fields.get("vx").is_some() || fields.get("dx").is_some();
        let xyz = fields.numbers(["x", "y", "z"]).ok();
        let is_field = fields.get("x").is_some_and(|x| x.unit == Some("nT"));
        let bound = Bound {
            position: xyz.filter(|_| self.coordinates && !is_field),
            field: xyz.filter(|_| self.vectors && is_field),
            angles: Angles::find(fields).filter(|_| self.angles),
            quaternion: fields
                .of_kind::<[f64; 4]>("orientation")
                .filter(|_| self.angles)
                .map(|field| field.index),
            world: vectors(fields, &WORLD, self.vectors),
            body: vectors(fields, &BODY, self.vectors),
            convention: self.convention,
            direction: site.direction(self.direction),
        };
        if bound.is_empty() || is_in_start_frame {
            return Err(BindError::needs(
                "something in the world's or the body's axes: `x`, `y` and `z`, or `yaw`, or a vector such as \
                 `angular_velocity`",
            ));
        }
        let lacks_roll = |angles: &Angles| angles.roll.is_none();
        if self.convention == Convention::Morse && bound.angles.as_ref().is_some_and(lacks_roll) {
            return Err(BindError::needs(
                "`yaw` and `roll`, which MORSE's formula exchanges",
            ));
        }
        Ok(Box::new(bound))
    }
}

/// Indices of yaw, pitch and roll.
struct Angles {
    /// Index of the struct that contains them, if they are not fields of the data itself.
    inside: Option<usize>,
    yaw: usize,
    pitch: Option<usize>,
    roll: Option<usize>,
}

impl Angles {
    fn find(fields: &Fields) -> Option<Self> {
        Self::among(fields, None).or_else(|| {
            let rotation = fields.get("rotation")?;
            Self::among(&Fields::of(rotation.info?, None), Some(rotation.index))
        })
    }

    fn among(fields: &Fields, inside: Option<usize>) -> Option<Self> {
        let index_of = |name: &str| {
            // A rate may be named yaw as well.
            let field = fields.of_kind::<f64>(name)?;
            (field.unit == Some("rad")).then_some(field.index)
        };
        Some(Self {
            inside,
            yaw: index_of("yaw")?,
            pitch: index_of("pitch"),
            roll: index_of("roll"),
        })
    }

    /// Converts an attitude.
    fn turn(&self, convention: Convention, direction: Direction, data: &mut dyn Struct) {
        let data = match self.inside {
            None => data,
            Some(index) => match data.field_at_mut(index).map(|field| field.reflect_mut()) {
                Some(ReflectMut::Struct(inside)) => inside,
                _ => return,
            },
        };
        if let Some(pitch) = self.pitch {
            change(data, pitch, |pitch: &mut f64| *pitch = -*pitch);
        }
        match (convention, self.roll) {
            (Convention::Morse, Some(roll)) => {
                let mut read = |index| at_mut::<f64>(data, index).map_or(0.0, |value| *value);
                let (before_yaw, before_roll) = (read(self.yaw), read(roll));
                let (new_yaw, new_roll) = match direction {
                    Direction::To => (before_roll, FRAC_PI_2 - before_yaw),
                    Direction::From => (FRAC_PI_2 - before_roll, before_yaw),
                };
                change(data, self.yaw, |yaw: &mut f64| *yaw = new_yaw);
                change(data, roll, |roll: &mut f64| *roll = new_roll);
            }
            _ => change(data, self.yaw, |yaw: &mut f64| {
                *yaw = normalized(FRAC_PI_2 - *yaw);
            }),
        }
    }
}

fn vectors(fields: &Fields, names: &[&str], are_wanted: bool) -> Vec<usize> {
    let present = names
        .iter()
        .filter(|_| are_wanted)
        .filter_map(|name| fields.of_kind::<[f64; 3]>(name));
    present.map(|field| field.index).collect()
}

/// Indices of the converted fields.
struct Bound {
    position: Option<[usize; 3]>,
    field: Option<[usize; 3]>,
    angles: Option<Angles>,
    quaternion: Option<usize>,
    world: Vec<usize>,
    body: Vec<usize>,
    convention: Convention,
    direction: Direction,
}

impl Bound {
    fn is_empty(&self) -> bool {
        let is_still = self.position.is_none() && self.field.is_none();
        is_still
            && self.angles.is_none()
            && self.quaternion.is_none()
            && self.world.is_empty()
            && self.body.is_empty()
    }

    fn apply(&self, direction: Direction, data: &mut dyn Struct) {
        let mut read = |index| at_mut::<f64>(data, index).map_or(0.0, |value| *value);
        let position = self.position.map(|indices| {
            let [x, y, z] = indices.map(&mut read);
            (indices, [y, x, -z])
        });
        let field = self.field.map(|indices| {
            let [x, y, z] = indices.map(&mut read);
            (indices, [x, -y, -z])
        });
        for (indices, values) in position.into_iter().chain(field) {
            for (index, new) in indices.into_iter().zip(values) {
                change(data, index, |value: &mut f64| *value = new);
            }
        }
        if let Some(angles) = &self.angles {
            angles.turn(self.convention, direction, data);
        }
        if let Some(index) = self.quaternion {
            change(data, index, turn_quaternion);
        }
        for &index in &self.world {
            change(data, index, |[x, y, z]: &mut [f64; 3]| {
                std::mem::swap(x, y);
                *z = -*z;
            });
        }
        for &index in &self.body {
            change(data, index, |[_, y, z]: &mut [f64; 3]| {
                (*y, *z) = (-*y, -*z);
            });
        }
    }
}

/// Converts between a body's attitude (forward, left, up) in ENU and (forward, right, down) in NED: a half turn about the
/// bisector of north and east, and one about the body's own x axis.
fn turn_quaternion(orientation: &mut [f64; 4]) {
    let world = Quaternion::new(0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2, 0.0);
    let body = Quaternion::new(0.0, 1.0, 0.0, 0.0);
    let [x, y, z, w] = *orientation;
    // Of the two quaternions of a rotation, the one that makes the conversion its own inverse.
    *orientation = (-(world * Quaternion::new(w, x, y, z) * body))
        .coords
        .into();
}

impl Modify for Bound {
    fn modify(&self, data: &mut dyn Struct, _: &mut ModifierState, _: &Clock) {
        self.apply(self.direction, data);
    }

    fn frame_change(&self) -> Option<&dyn FrameChange> {
        Some(self)
    }
}

impl FrameChange for Bound {
    fn change(&self, data: &mut dyn Struct) {
        self.apply(self.direction, data);
    }

    fn undo(&self, data: &mut dyn Struct) {
        self.apply(self.direction.opposite(), data);
    }
}

fn change<T: Reflect>(data: &mut dyn Struct, index: usize, change: impl FnOnce(&mut T)) {
    if let Some(value) = at_mut::<T>(data, index) {
        change(value);
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<Ned>();
}

#[cfg(test)]
mod tests {
    use morse_api::modifier::Side;
    use morse_sensors::{
        attitude::AttitudeData, imu::ImuData, magnetometer::MagnetometerData,
        odometry::OdometryData, pose::PoseData, velocity::VelocityData,
    };
    use morse_testing::{TestModifier, settings};
    use nalgebra::{Matrix3, Rotation3};

    use super::*;

    fn rotation(yaw: f64, pitch: f64, roll: f64) -> Matrix3<f64> {
        *Rotation3::from_euler_angles(roll, pitch, yaw).matrix()
    }

    #[test]
    fn a_pose_means_the_same_attitude_in_the_new_axes() {
        let mut ned = TestModifier::<PoseData>::new(&Ned::default(), None, World::new());
        let (yaw, pitch, roll) = (0.4, -0.3, 1.1);
        let enu = PoseData {
            x: 1.0,
            y: 2.0,
            z: 3.0,
            yaw,
            pitch,
            roll,
        };
        let data = ned.measure(enu.clone());
        assert_eq!((data.x, data.y, data.z), (2.0, 1.0, -3.0));
        let ned_from_enu = Matrix3::new(0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, -1.0);
        let flu_from_frd = Matrix3::from_diagonal(&Vector3::new(1.0, -1.0, -1.0));
        let expected = ned_from_enu * rotation(yaw, pitch, roll) * flu_from_frd;
        assert!((rotation(data.yaw, data.pitch, data.roll) - expected).norm() < 1e-12);
        // The inverse: it also converts commands.
        let back = ned.measure(data);
        assert!((back.yaw - enu.yaw).abs() < 1e-12 && (back.x, back.y, back.z) == (1.0, 2.0, 3.0));
    }

    #[test]
    fn a_quaternion_turns_as_the_angles_do() {
        let (yaw, pitch, roll) = (0.4, -0.3, 1.1);
        let attitude = UnitQuaternion::from_euler_angles(roll, pitch, yaw);
        let mut orientation: [f64; 4] = attitude.coords.into();
        turn_quaternion(&mut orientation);
        let [x, y, z, w] = orientation;
        let actual = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
        let expected = UnitQuaternion::from_euler_angles(roll, -pitch, FRAC_PI_2 - yaw);
        assert!(actual.angle_to(&expected) < 1e-7, "{actual}");
        turn_quaternion(&mut orientation);
        assert!((Vector3::from_row_slice(&orientation[..3]) - attitude.imag()).norm() < 1e-12);
        assert!((orientation[3] - attitude.w).abs() < 1e-12);
    }

    #[test]
    fn the_formula_of_morse_is_there_for_its_scripts() {
        let settings: Ned = settings("(convention: morse)");
        let mut to = TestModifier::<PoseData>::new(&settings, None, World::new());
        let enu = PoseData {
            x: 1.0,
            y: 2.0,
            z: 3.0,
            yaw: 0.4,
            pitch: -0.3,
            roll: 1.1,
        };
        // By hand, from the formula.
        let ned = to.measure(enu.clone());
        assert_eq!((ned.x, ned.y, ned.z), (2.0, 1.0, -3.0));
        assert_eq!((ned.yaw, ned.pitch), (1.1, 0.3));
        assert!((ned.roll - 1.170_796_326_794_896_6).abs() < 1e-15);
        let mut from = TestModifier::<PoseData>::command(&settings, World::new());
        let back = from.measure(ned);
        assert!((back.yaw - 0.4).abs() < 1e-15 && (back.roll, back.pitch) == (1.1, -0.3));
    }

    #[test]
    fn angles_may_be_left_alone() {
        let mut ned =
            TestModifier::<PoseData>::new(&settings::<Ned>("(angles: false)"), None, World::new());
        let data = ned.measure(PoseData {
            x: 1.0,
            yaw: 0.4,
            pitch: 0.2,
            ..PoseData::default()
        });
        assert_eq!((data.x, data.y), (0.0, 1.0));
        assert_eq!((data.yaw, data.pitch), (0.4, 0.2));
    }

    #[test]
    fn angles_in_a_struct_and_a_magnetic_field() {
        let mut ned = TestModifier::<AttitudeData>::new(&Ned::default(), None, World::new());
        let mut data = AttitudeData::default();
        (data.rotation.yaw, data.rotation.pitch, data.rotation.roll) = (0.5, 0.25, 1.0);
        data.angular_velocity = [1.0, 2.0, 3.0];
        let data = ned.measure(data);
        assert_eq!(data.rotation.yaw, FRAC_PI_2 - 0.5);
        assert_eq!((data.rotation.pitch, data.rotation.roll), (-0.25, 1.0));
        assert_eq!(data.angular_velocity, [1.0, -2.0, -3.0]);
        // In the sensor's axes, not in those of the world.
        let mut ned = TestModifier::<MagnetometerData>::new(&Ned::default(), None, World::new());
        let data = ned.measure(MagnetometerData {
            x: 1.0,
            y: 2.0,
            z: 3.0,
        });
        assert_eq!((data.x, data.y, data.z), (1.0, -2.0, -3.0));
    }

    #[test]
    fn vectors_follow_their_own_axes() {
        let mut ned = TestModifier::<VelocityData>::new(&Ned::default(), None, World::new());
        let data = ned.measure(VelocityData {
            linear_velocity: [1.0, 2.0, 3.0],
            angular_velocity: [4.0, 5.0, 6.0],
            world_linear_velocity: [7.0, 8.0, 9.0],
        });
        assert_eq!(data.linear_velocity, [1.0, -2.0, -3.0]);
        assert_eq!(data.angular_velocity, [4.0, -5.0, -6.0]);
        assert_eq!(data.world_linear_velocity, [8.0, 7.0, -9.0]);
    }

    #[test]
    fn odometry_is_refused_and_an_imu_is_not() {
        let world = World::new();
        let site = Site {
            world: &world,
            side: Side::Measurement,
            path: "rover.sensor",
        };
        let odometry = Fields::of_type::<OdometryData>(Some("integrated"));
        assert!(Ned::default().bind(&odometry, &site).is_err());
        assert!(
            Ned::default()
                .bind(&Fields::of_type::<ImuData>(None), &site)
                .is_ok()
        );
    }
}
