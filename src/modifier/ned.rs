//! North, east, down instead of east, north, up; and forward, right, down instead of forward, left, up.
use std::f64::consts::FRAC_PI_2;

use bevy::reflect::structs::Struct;
use morse_api::{fields::at_mut, modifier::Site, prelude::*};

use crate::frame::normalized;

/// Changes the axes of data or of a command, in both directions alike: what is ENU becomes NED, and what is
/// NED becomes ENU.
///
/// World axes: `x`, `y`, `z`, `world_linear_velocity` and a receiver's `velocity` exchange their first two
/// numbers and negate the third. Body axes: `linear_velocity`, `angular_velocity` and `linear_acceleration`
/// negate the last two. Angles: yaw becomes π/2 - yaw, pitch -pitch, and roll stays, so that they mean the
/// same attitude in the new axes.
///
/// MORSE exchanges the names of yaw and roll, and leaves the angles of a pose alone; both are wrong for any
/// attitude that is not level, so neither is copied. Odometry is refused: its positions are in the axes of
/// the start, which may point anywhere.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ned {}

/// Vectors in world axes.
const WORLD: [&str; 2] = ["world_linear_velocity", "velocity"];
/// Vectors in body axes.
const BODY: [&str; 3] = ["linear_velocity", "angular_velocity", "linear_acceleration"];

impl Modifier for Ned {
    const KIND: &'static str = "ned";

    fn bind(&self, fields: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, Misfit> {
        let bound = Bound {
            position: fields.numbers(["x", "y", "z"]).ok(),
            yaw: fields.numbers(["yaw"]).ok(),
            pitch: fields.numbers(["pitch"]).ok(),
            world: vectors(fields, &WORLD),
            body: vectors(fields, &BODY),
        };
        let is_in_start_frame = fields.get("vx").is_some() || fields.get("dx").is_some();
        if bound.is_empty() || is_in_start_frame {
            return Err(Misfit::needs(
                "something in the world's or the body's axes: `x`, `y` and `z`, or `yaw`, or a vector such as \
                 `angular_velocity`",
            ));
        }
        Ok(Box::new(bound))
    }
}

fn vectors(fields: &Fields, names: &[&str]) -> Vec<usize> {
    let found = names
        .iter()
        .filter_map(|name| fields.of_kind::<[f64; 3]>(name));
    found.map(|field| field.index).collect()
}

/// The places of what is changed.
struct Bound {
    position: Option<[usize; 3]>,
    yaw: Option<[usize; 1]>,
    pitch: Option<[usize; 1]>,
    world: Vec<usize>,
    body: Vec<usize>,
}

impl Bound {
    fn is_empty(&self) -> bool {
        self.position.is_none()
            && self.yaw.is_none()
            && self.world.is_empty()
            && self.body.is_empty()
    }
}

impl Modify for Bound {
    fn modify(&self, data: &mut dyn Struct, _: &mut Memory, _: &Clock) {
        if let Some(places) = self.position {
            let mut read = |index| at_mut::<f64>(data, index).map_or(0.0, |value| *value);
            let [x, y, z] = places.map(&mut read);
            for (index, new) in places.into_iter().zip([y, x, -z]) {
                change(data, index, |value: &mut f64| *value = new);
            }
        }
        if let Some([yaw]) = self.yaw {
            change(data, yaw, |yaw: &mut f64| {
                *yaw = normalized(FRAC_PI_2 - *yaw);
            });
        }
        if let Some([pitch]) = self.pitch {
            change(data, pitch, |pitch: &mut f64| *pitch = -*pitch);
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
    use nalgebra::{Matrix3, Rotation3};

    use super::*;
    use crate::{
        sensor::{imu::ImuData, odometry::OdometryData, pose::PoseData, velocity::VelocityData},
        testbed::Noisy,
    };

    fn rotation(yaw: f64, pitch: f64, roll: f64) -> Matrix3<f64> {
        *Rotation3::from_euler_angles(roll, pitch, yaw).matrix()
    }

    #[test]
    fn a_pose_means_the_same_attitude_in_the_new_axes() {
        let mut ned = Noisy::<PoseData>::new(&Ned {}, None, World::new());
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
        // And back: it serves commands as well.
        let back = ned.measure(data);
        assert!((back.yaw - enu.yaw).abs() < 1e-12 && (back.x, back.y, back.z) == (1.0, 2.0, 3.0));
    }

    #[test]
    fn vectors_follow_their_own_axes() {
        let mut ned = Noisy::<VelocityData>::new(&Ned {}, None, World::new());
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
        let site = Site { world: &world };
        let odometry = Fields::of_type::<OdometryData>(Some("integrated"));
        assert!(Ned {}.bind(&odometry, &site).is_err());
        assert!(
            Ned {}
                .bind(&Fields::of_type::<ImuData>(None), &site)
                .is_ok()
        );
    }
}
