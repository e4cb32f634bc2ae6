//! An inertial measurement unit: turning rates and specific force.
use morse_api::{prelude::*, state::Stateful};

use crate::physics;

/// A gyroscope and an accelerometer in the sensor's axes, without error (see `imu_noise`).
///
/// The accelerometer gives the specific force a - g: level and at rest (0, 0, +g), in free fall zero. a is
/// the difference of the velocity of the mount point itself between two measurements, divided by the time
/// between them, so the lever arm (centripetal and tangential acceleration) is in it exactly. MORSE adds a
/// lever arm beyond 1 cm only, and has a magnetometer here, which is not simulated yet.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Before)]
pub struct Imu {}

/// One measurement.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ImuData {
    /// Turning rates about the sensor's x, y and z axes.
    #[reflect(@Unit("rad/s"))]
    pub angular_velocity: [f64; 3],
    /// Specific force along the sensor's x, y and z axes.
    #[reflect(@Unit("m/s²"))]
    pub linear_acceleration: [f64; 3],
}

/// The velocity of the mount point at the last measurement, world axes, and its tick. It is state.
#[derive(Component, Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Before {
    velocity: [f64; 3],
    tick: u64,
}

impl Stateful for Before {}

impl Sensor for Imu {
    const KIND: &'static str = "imu";
    type Data = ImuData;
}

pub(super) fn plugin(app: &mut App) {
    app.add_sensor::<Imu, _>(default_action)
        .register_state::<Before>()
        .add_systems(Startup, begin);
}

fn begin(clock: Res<Clock>, mut sensors: Query<(&WorldVelocity, &mut Before)>) {
    for (velocity, mut before) in &mut sensors {
        *before = Before {
            velocity: velocity.linear.into(),
            tick: clock.tick,
        };
    }
}

fn default_action(
    clock: Res<Clock>,
    physics: Res<physics::Settings>,
    mut sensors: Query<(&Due, &WorldPose, &WorldVelocity, &mut Before, &mut ImuData), With<Imu>>,
) {
    let gravity = Vector3::from(physics.gravity);
    for (due, pose, velocity, mut before, mut data) in &mut sensors {
        if !due.0 {
            continue;
        }
        // Where the frequency divides the rate this is the nominal period; elsewhere ticks are uneven.
        let elapsed = clock.tick.saturating_sub(before.tick).max(1) as f64 * clock.dt();
        let acceleration = (velocity.linear - Vector3::from(before.velocity)) / elapsed;
        let to_sensor = pose.0.rotation.inverse();
        data.angular_velocity = (to_sensor * velocity.angular).into();
        data.linear_acceleration = (to_sensor * (acceleration - gravity)).into();
        *before = Before {
            velocity: velocity.linear.into(),
            tick: clock.tick,
        };
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;
    use crate::testbed::{Bed, moving};

    const G: f64 = 9.81;

    fn near(found: [f64; 3], expected: [f64; 3], tolerance: f64) {
        let error = (Vector3::from(found) - Vector3::from(expected)).norm();
        assert!(error < tolerance, "{found:?} instead of {expected:?}");
    }

    #[test]
    fn at_rest_it_feels_the_ground() {
        let mut bed = Bed::new(60.0, plugin, BodyState::default());
        let level = bed.sensor::<Imu>("rover.level", "()", 60.0, Isometry3::identity());
        // Nose up: the sensor's x axis points to the sky.
        let nose_up = Isometry3::rotation(Vector3::y() * -FRAC_PI_2);
        let tilted = bed.sensor::<Imu>("rover.tilted", "()", 10.0, nose_up);
        bed.step(moving([0.0; 3], 0.7, [0.0; 3], [0.0; 3]));
        near(
            bed.read::<ImuData>(level).linear_acceleration,
            [0.0, 0.0, G],
            1e-12,
        );
        near(
            bed.read::<ImuData>(tilted).linear_acceleration,
            [G, 0.0, 0.0],
            1e-12,
        );
    }

    #[test]
    fn in_free_fall_it_feels_nothing() {
        let falling = |time: f64| {
            moving(
                [0.0, 0.0, 100.0 - G * time * time / 2.0],
                0.0,
                [0.0, 0.0, -G * time],
                [0.0; 3],
            )
        };
        let mut bed = Bed::new(60.0, plugin, falling(0.0));
        let imu = bed.sensor::<Imu>("rover.imu", "()", 10.0, Isometry3::identity());
        for tick in 1..=30 {
            bed.step(falling(f64::from(tick) / 60.0));
            near(bed.read::<ImuData>(imu).linear_acceleration, [0.0; 3], 1e-9);
        }
    }

    #[test]
    fn on_a_turntable_it_feels_the_lever_arm() {
        let (omega, arm, rate) = (3.0, 0.5, 1000.0);
        let turning = |tick: u32| {
            moving(
                [0.0; 3],
                omega * f64::from(tick) / rate,
                [0.0; 3],
                [0.0, 0.0, omega],
            )
        };
        let mut bed = Bed::new(rate, plugin, turning(0));
        let imu = bed.sensor::<Imu>(
            "rover.imu",
            "()",
            rate,
            Isometry3::translation(arm, 0.0, 0.0),
        );
        for tick in 1..=10 {
            bed.step(turning(tick));
            let data: ImuData = bed.read(imu);
            near(data.angular_velocity, [0.0, 0.0, omega], 1e-12);
            // ω²r towards the axis; the difference of two velocities is half a tick late.
            let late = omega * omega * arm * omega / rate / 2.0;
            near(
                data.linear_acceleration,
                [-omega * omega * arm, 0.0, G],
                1.01 * late,
            );
        }
    }

    #[test]
    fn a_table_that_spins_up_is_felt_sideways() {
        let (alpha, arm, rate) = (2.0, 0.5, 100.0);
        let spinning = |tick: u32| {
            let time = f64::from(tick) / rate;
            moving([0.0; 3], 0.0, [0.0; 3], [0.0, 0.0, alpha * time])
        };
        let mut bed = Bed::new(rate, plugin, spinning(0));
        let imu = bed.sensor::<Imu>(
            "rover.imu",
            "()",
            rate,
            Isometry3::translation(arm, 0.0, 0.0),
        );
        bed.step(spinning(1));
        near(
            bed.read::<ImuData>(imu).linear_acceleration,
            [0.0, alpha * arm, G],
            1e-9,
        );
    }

    #[test]
    fn uneven_ticks_do_not_change_a_steady_acceleration() {
        let speeding =
            |tick: u32| moving([0.0; 3], 0.0, [f64::from(tick) / 60.0, 0.0, 0.0], [0.0; 3]);
        let mut bed = Bed::new(60.0, plugin, speeding(0));
        let imu = bed.sensor::<Imu>("rover.imu", "()", 7.0, Isometry3::identity());
        for tick in 1..=60 {
            bed.step(speeding(tick));
            near(
                bed.read::<ImuData>(imu).linear_acceleration,
                [1.0, 0.0, G],
                1e-9,
            );
        }
    }
}
