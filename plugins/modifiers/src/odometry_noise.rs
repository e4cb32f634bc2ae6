//! Errors of odometry: wheel slip, and a drifting gyroscope.
use bevy::reflect::structs::Struct;
use morse_api::{
    angles::normalized,
    fields::at_mut,
    modifier::{Site, each_state},
    prelude::*,
    service::NoArguments,
};

/// Adds the errors of wheels that slip and of a gyroscope that drifts to odometry.
///
/// At each measurement the distance since the last one is multiplied by a random factor, and the drift of yaw grows by a
/// random angle. Raw: the distance. Differential: `dx` and `dy`, multiplied and rotated by the drift, and `dyaw`.
/// Integrated: the errors of `x` and `y` add up, `yaw` has the drift, and `vx`, `vy`, `wz` are those of the reported motion;
/// in MORSE they were noise-free, and divided by the frequency instead of multiplied. The service `reset_noise` sets the
/// errors to zero.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OdometryNoise {
    /// Mean factor of the distance.
    #[reflect(@Unit(""), @ValueRange(-1e6, 1e6))]
    pub factor: f64,
    /// Standard deviation of that factor.
    #[reflect(@Unit(""), @ValueRange(0.0, 1e6))]
    pub factor_sigma: f64,
    /// Mean drift of yaw per measurement.
    #[reflect(@Unit("rad"), @ValueRange(-6.3, 6.3))]
    pub gyro_drift: f64,
    /// Standard deviation of that drift.
    #[reflect(@Unit("rad"), @ValueRange(0.0, 6.3))]
    pub gyro_drift_sigma: f64,
    /// Direction in which the drift rotates the reported displacement.
    pub convention: Convention,
}

/// Direction in which the drift of yaw rotates the displacement.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Convention {
    /// With yaw: a robot that moves straight ahead reports a motion along its reported heading.
    #[default]
    Consistent,
    /// Against yaw, by MORSE's formula: dx cos d + dy sin d, dy cos d - dx sin d.
    Morse,
}

impl Default for OdometryNoise {
    fn default() -> Self {
        Self {
            factor: 1.05,
            factor_sigma: 0.0,
            gyro_drift: 0.0,
            gyro_drift_sigma: 0.0,
            convention: Convention::Consistent,
        }
    }
}

/// Fields of a level.
enum Indices {
    /// Distance.
    Raw(usize),
    /// `dx`, `dy`, `dyaw`.
    Differential([usize; 3]),
    /// `x`, `y`, `yaw`, and `vx`, `vy`, `wz`.
    Integrated([usize; 3], [usize; 3]),
}

impl Modifier for OdometryNoise {
    const KIND: &'static str = "odometry_noise";

    fn bind(&self, fields: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        let integrated = (
            fields.numbers(["x", "y", "yaw"]),
            fields.numbers(["vx", "vy", "wz"]),
        );
        let indices = if let (Ok(pose), Ok(velocity)) = integrated {
            Indices::Integrated(pose, velocity)
        } else if let Ok(step) = fields.numbers(["dx", "dy", "dyaw"]) {
            Indices::Differential(step)
        } else if let Ok([distance]) = fields.numbers(["dS"]) {
            Indices::Raw(distance)
        } else {
            return Err(BindError::needs(
                "odometry: a number `dS`; `dx`, `dy` and `dyaw`; or `x`, `y`, `yaw`, `vx`, `vy` and `wz`",
            ));
        };
        Ok(Box::new(Bound {
            indices,
            settings: self.clone(),
        }))
    }
}

/// Indices in the memory: errors of x, y and yaw, and the last true x, y and their time.
const ERRORS: usize = 3;
const ALL: usize = 6;

struct Bound {
    indices: Indices,
    settings: OdometryNoise,
}

impl Modify for Bound {
    fn modify(&self, data: &mut dyn Struct, state: &mut ModifierState, clock: &Clock) {
        let settings = &self.settings;
        let factor = settings.factor + state.random.gauss(settings.factor_sigma);
        // Always drawn, so that the noise does not depend on the level.
        let drift = settings.gyro_drift + state.random.gauss(settings.gyro_drift_sigma);
        state.values.resize(ALL, 0.0);
        let Some([x_error, y_error, yaw_error, last_x, last_y, last_time]) =
            state.values.first_chunk_mut::<ALL>()
        else {
            return;
        };
        let mut read = |index| at_mut::<f64>(data, index).map_or(0.0, |value| *value);
        match self.indices {
            Indices::Raw(distance) => {
                let noisy = factor * read(distance);
                write(data, [distance], [noisy]);
            }
            Indices::Differential(indices) => {
                let [dx, dy, dyaw] = indices.map(read);
                *yaw_error += drift;
                let [dx, dy] = settings.turned([dx, dy], *yaw_error);
                write(
                    data,
                    indices,
                    [factor * dx, factor * dy, normalized(dyaw + drift)],
                );
            }
            Indices::Integrated(pose, velocity) => {
                let [x, y, yaw] = pose.map(&mut read);
                let [vx, vy, wz] = velocity.map(read);
                *yaw_error += drift;
                let (dx, dy) = (x - *last_x, y - *last_y);
                let [noisy_dx, noisy_dy] = settings.turned([dx, dy], *yaw_error);
                *x_error += factor * noisy_dx - dx;
                *y_error += factor * noisy_dy - dy;
                let elapsed = clock.seconds() - *last_time;
                (*last_x, *last_y, *last_time) = (x, y, clock.seconds());
                let noisy = [x + *x_error, y + *y_error, normalized(yaw + *yaw_error)];
                write(data, pose, noisy);
                let drift_rate = if elapsed > 0.0 { drift / elapsed } else { 0.0 };
                write(data, velocity, [factor * vx, factor * vy, wz + drift_rate]);
            }
        }
    }
}

impl OdometryNoise {
    /// Returns a displacement rotated by a drift of yaw.
    fn turned(&self, [dx, dy]: [f64; 2], drift: f64) -> [f64; 2] {
        let (sin, cos) = libm::sincos(drift);
        let sin = match self.convention {
            Convention::Consistent => sin,
            Convention::Morse => -sin,
        };
        [dx * cos - dy * sin, dy * cos + dx * sin]
    }
}

fn write<const N: usize>(data: &mut dyn Struct, indices: [usize; N], values: [f64; N]) {
    for (index, new) in indices.into_iter().zip(values) {
        if let Some(value) = at_mut::<f64>(data, index) {
            *value = new;
        }
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<OdometryNoise>()
        .add_service::<Carries<OdometryNoise>>(Service::new(
            "reset_noise",
            "Forgets the errors that have added up: pose and drift are right again.",
            reset_noise,
        ));
}

fn reset_noise(world: &mut World, entity: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    each_state::<OdometryNoise>(world, entity, |state| {
        state
            .values
            .iter_mut()
            .take(ERRORS)
            .for_each(|error| *error = 0.0);
    });
    Ok(Outcome::NOTHING)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use morse_api::{modifier::Side, service::Status};
    use morse_sensors::odometry::{self, Odometry, OdometryData};
    use morse_testing::{TestModifier, TestWorld, circling, moving, settings, spread};
    use serde_json::Value as Json;

    use super::*;

    fn noisy(text: &str, level: &str) -> TestModifier<OdometryData> {
        TestModifier::new(&settings::<OdometryNoise>(text), Some(level), World::new())
    }

    #[test]
    fn the_way_is_multiplied() {
        let mut raw = noisy("(factor: 1.1, factor_sigma: 0.2)", "raw");
        let exact = OdometryData {
            dS: 2.0,
            ..OdometryData::default()
        };
        let draws: Vec<f64> = (0..20_000).map(|_| raw.measure(exact.clone()).dS).collect();
        spread(draws.into_iter()).assert_gauss(2.2, 0.4);
    }

    #[test]
    fn differences_are_multiplied_and_turned() {
        let step = OdometryData {
            dx: 1.0,
            dy: 0.5,
            dyaw: 0.1,
            ..OdometryData::default()
        };
        // A drift of a quarter turn at the first measurement, of a half at the second.
        let drift = format!("factor: 2, gyro_drift: {FRAC_PI_2}");
        let mut data = noisy(&format!("({drift})"), "differential");
        for expected in [[-1.0, 2.0], [-2.0, -1.0]] {
            let OdometryData { dx, dy, dyaw, .. } = data.measure(step.clone());
            assert!((dx - expected[0]).abs() < 1e-12 && (dy - expected[1]).abs() < 1e-12);
            assert!((dyaw - 0.1 - FRAC_PI_2).abs() < 1e-12);
        }
        // MORSE's formula: dx cos d + dy sin d, dy cos d - dx sin d.
        let mut data = noisy(&format!("({drift}, convention: morse)"), "differential");
        let OdometryData { dx, dy, .. } = data.measure(step);
        assert!((dx - 1.0).abs() < 1e-12 && (dy + 2.0).abs() < 1e-12);
    }

    #[test]
    fn drift_spreads_as_a_random_walk() {
        let ends: Vec<f64> = (0..3000)
            .map(|seed| {
                let noise: OdometryNoise = settings("(gyro_drift: 0.001, gyro_drift_sigma: 0.01)");
                let mut data =
                    TestModifier::with_seed(seed, &noise, Some("integrated"), World::new());
                (0..25)
                    .map(|_| data.measure(OdometryData::default()).yaw)
                    .last()
                    .unwrap()
            })
            .collect();
        spread(ends.into_iter()).assert_gauss(0.025, 0.05);
    }

    #[test]
    fn noisy_velocities_are_those_of_the_noisy_pose() {
        let mut data = noisy(
            "(factor: 1.2, factor_sigma: 0.05, gyro_drift: 0.01, gyro_drift_sigma: 0.02)",
            "integrated",
        );
        let mut before: Option<OdometryData> = None;
        let dt = 0.1;
        for step in 0..200 {
            // Straight ahead in a changing direction: the velocity is that of the following step.
            let time = f64::from(step) * dt;
            let truth = OdometryData {
                x: 3.0 * time,
                y: -time,
                yaw: libm::atan2(-1.0, 3.0),
                vx: f64::sqrt(10.0),
                ..OdometryData::default()
            };
            let now = data.measure(truth);
            if let Some(before) = before {
                let (dx, dy) = (now.x - before.x, now.y - before.y);
                let (sin, cos) = libm::sincos(now.yaw);
                // In the reported axes of the robot.
                let ahead = (dx * cos + dy * sin) / dt;
                let left = (dy * cos - dx * sin) / dt;
                assert!((ahead - now.vx).abs() < 1e-9, "{ahead} {}", now.vx);
                assert!((left - now.vy).abs() < 1e-9, "{left} {}", now.vy);
                let rate = normalized(now.yaw - before.yaw) / dt;
                assert!((rate - now.wz).abs() < 1e-9, "{rate} {}", now.wz);
            }
            before = Some(now);
        }
    }

    #[test]
    fn a_factor_scales_a_circle_about_its_start() {
        let plugins = |app: &mut App| {
            app.add_plugins((odometry::plugin, plugin));
        };
        let (radius, omega) = (2.0, 0.5);
        let mut test = TestWorld::new(60.0, plugins, circling(radius, omega, 0.0));
        let at = Isometry3::identity();
        let sensor = test.sensor::<Odometry>("rover.odometry", "()", 60.0, at);
        let fields = Fields::of_type::<OdometryData>(Some("integrated"));
        test.modifier::<OdometryNoise>(sensor, "(factor: 1.05)", &fields);
        for tick in 1..=300 {
            let turn = omega * f64::from(tick) / 60.0;
            test.step(circling(radius, omega, turn));
            let data: OdometryData = test.read(sensor);
            let scaled = 1.05 * radius;
            assert!((data.x - scaled * libm::sin(turn)).abs() < 1e-9);
            assert!((data.y - scaled * (1.0 - libm::cos(turn))).abs() < 1e-9);
            assert!((data.yaw - turn).abs() < 1e-9);
            assert!((data.vx - scaled * omega).abs() < 1e-9 && (data.wz - omega).abs() < 1e-9);
        }
    }

    #[test]
    fn the_component_resets_its_noise() {
        let plugins = |app: &mut App| {
            app.add_plugins((odometry::plugin, plugin));
        };
        let mut test = TestWorld::new(10.0, plugins, BodyState::default());
        let at = Isometry3::identity();
        let drifting = test.sensor::<Odometry>("rover.odometry", "()", 10.0, at);
        test.sensor::<Odometry>("rover.other", "()", 10.0, at);
        let fields = Fields::of_type::<OdometryData>(Some("integrated"));
        let text = "(factor: 1.5, gyro_drift: 0.1)";
        test.modifier::<OdometryNoise>(drifting, text, &fields);
        let ahead = |x: f64| moving([x, 0.0, 0.0], 0.0, [10.0, 0.0, 0.0], [0.0; 3]);
        for step in 1..=10 {
            test.step(ahead(f64::from(step)));
        }
        let data: OdometryData = test.read(drifting);
        assert!((data.yaw - 1.0).abs() < 1e-12 && (data.x - 10.0).abs() > 1.0);
        let reply = test
            .call("rover.odometry", "reset_noise", Json::Null)
            .reply();
        assert_eq!(reply.unwrap().status, Status::Success);
        test.step(ahead(10.0));
        let data: OdometryData = test.read(drifting);
        assert!((data.yaw - 0.1).abs() < 1e-12, "only the drift since");
        assert!(
            (data.x - 10.0).abs() < 1e-12 && data.y.abs() < 1e-12,
            "{data:?}"
        );
        let refused = test.call("rover.other", "reset_noise", Json::Null).reply();
        assert_eq!(refused.unwrap().status, Status::Failed, "it has no noise");
    }

    #[test]
    fn only_odometry_fits() {
        let world = World::new();
        let site = Site {
            world: &world,
            side: Side::Measurement,
            path: "rover.sensor",
        };
        let bind = |fields: Fields| OdometryNoise::default().bind(&fields, &site).is_ok();
        for level in ["raw", "differential", "integrated"] {
            assert!(bind(Fields::of_type::<OdometryData>(Some(level))));
        }
        assert!(!bind(Fields::of_type::<morse_sensors::pose::PoseData>(
            None
        )));
    }
}
