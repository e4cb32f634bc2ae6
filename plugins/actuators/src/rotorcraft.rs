//! Attitude control by rotors, shared by the flying actuators.
//!
//! The control law is MORSE's: PD control of roll, pitch and yaw, where the derivative is that of the error between two
//! actions. It yields an angular acceleration, which is multiplied by the body's inertia, so that gains do not depend on the
//! robot. The torque is proportional to the thrust.
//!
//! Unlike in MORSE there is no derivative at the first action, which has no previous error; differences of angles are
//! wrapped to the shorter direction; the full inertia tensor of the body is used, not its diagonal alone; and excessive
//! numbers are clamped, so that the law never yields a non-finite number.
use bevy::{
    ecs::system::SystemParam,
    prelude::{Entity, Query, Res, World},
};
use morse_api::{
    angles::{normalized, yaw_pitch_roll},
    body::{BodyState, Drive, Gravity, Inertia},
    check::CheckError,
    component::Mount,
};
use nalgebra::Vector3;

/// Limit to which numbers are clamped: m, m/s, rad, N, N·m.
const LARGEST: f64 = 1e6;

/// Clamps a number to a range where sums and products stay finite; returns zero for NaN.
#[must_use]
pub fn tamed(number: f64) -> f64 {
    if number.is_nan() {
        0.0
    } else {
        number.clamp(-LARGEST, LARGEST)
    }
}

/// Gains of the attitude control law.
#[derive(Clone, Copy, Debug)]
pub struct Gains {
    /// Gains of roll and pitch: proportional in 1/s², derivative in 1/s.
    pub roll_pitch: [f64; 2],
    /// Gains of yaw: proportional in 1/s², derivative in 1/s.
    pub yaw: [f64; 2],
}

impl Gains {
    /// Returns the angular acceleration (rad/s²) for errors of roll, pitch and yaw (rad) at this action and at the previous
    /// one, which is overwritten.
    pub fn turn(
        &self,
        error: [f64; 3],
        before: &mut Option<[f64; 3]>,
        frequency: f64,
    ) -> Vector3<f64> {
        let error = error.map(|value| normalized(tamed(value)));
        let rates = before.map_or([0.0; 3], |before| {
            [0, 1, 2].map(|axis| normalized(error[axis] - before[axis]) * frequency)
        });
        *before = Some(error);
        let gains = [self.roll_pitch, self.roll_pitch, self.yaw];
        let axes = [0, 1, 2].map(|axis| {
            let [proportional, derivative] = gains[axis];
            tamed(proportional * error[axis] + derivative * rates[axis])
        });
        Vector3::from(axes)
    }
}

/// Body that rotors carry.
#[derive(Clone, Copy, Debug)]
pub struct Airframe<'a> {
    /// Pose and velocity of the body.
    pub state: &'a BodyState,
    /// Inertia of the body.
    pub inertia: &'a Inertia,
    /// Weight of the body, N.
    pub weight: f64,
}

impl<'a> Airframe<'a> {
    /// Returns a body in the gravity of the scene.
    #[must_use]
    pub fn new(state: &'a BodyState, inertia: &'a Inertia, gravity: Vector3<f64>) -> Self {
        Self {
            state,
            inertia,
            weight: -state.mass * gravity.z,
        }
    }

    /// Returns roll, pitch and yaw, rad: about the x axis, about the y axis, and from the world's x axis to the left.
    #[must_use]
    pub fn attitude(&self) -> [f64; 3] {
        let [yaw, pitch, roll] = yaw_pitch_roll(&self.state.pose.rotation);
        [roll, pitch, yaw]
    }

    /// Returns the drive for a thrust (N) along the body's z axis and an angular acceleration (rad/s²).
    #[must_use]
    pub fn thrust(&self, thrust: f64, turn: &Vector3<f64>) -> Drive {
        Drive::Thrust {
            force: Vector3::z() * tamed(thrust),
            torque: (self.inertia.0 * turn).map(tamed),
        }
    }
}

/// System parameters: bodies that rotors may carry, in the gravity of the scene.
#[derive(SystemParam)]
pub struct Airframes<'w, 's> {
    gravity: Res<'w, Gravity>,
    bodies: Query<'w, 's, (&'static BodyState, &'static Inertia)>,
}

impl Airframes<'_, '_> {
    /// Returns the body that a component is mounted on; `None` if forces do not move it.
    #[must_use]
    pub fn of(&self, mount: &Mount) -> Option<Airframe<'_>> {
        let (state, inertia) = self.bodies.get(mount.body).ok()?;
        Some(Airframe::new(state, inertia, self.gravity.0))
    }
}

/// Set point of a robot that tilts in the direction of its acceleration.
#[derive(Clone, Copy, Debug)]
pub struct Setpoint {
    /// Angles of tilt along the world's x and y axes, rad.
    pub lean: [f64; 2],
    /// Thrust in addition to the weight, N.
    pub climb: f64,
    /// Heading, from the world's x axis to the left, rad.
    pub yaw: f64,
}

/// Bank above which the thrust no longer compensates the weight, whatever the maximum bank, rad; otherwise the thrust would
/// be unbounded.
const STEEPEST: f64 = 1.5;

/// Flight control by tilting, shared by MORSE's velocity and waypoint laws.
#[derive(Clone, Copy, Debug)]
pub struct Pilot {
    /// Gains of the attitude control law.
    pub gains: Gains,
    /// Maximum bank about each axis, rad.
    pub max_bank_angle: f64,
}

impl Pilot {
    /// Returns the drive for a set point; `before` is the attitude error at the previous action.
    pub fn fly(
        &self,
        airframe: &Airframe<'_>,
        setpoint: &Setpoint,
        before: &mut Option<[f64; 3]>,
        frequency: f64,
    ) -> Drive {
        let [roll, pitch, yaw] = airframe.attitude();
        let (sin, cos) = libm::sincos(yaw);
        let [x, y] = setpoint.lean.map(tamed);
        let bank = |angle: f64| angle.clamp(-self.max_bank_angle, self.max_bank_angle);
        let error = [
            bank(sin * x - cos * y) - roll,
            bank(cos * x + sin * y) - pitch,
            tamed(setpoint.yaw) - yaw,
        ];
        let turn = self.gains.turn(error, before, frequency);
        // A tilted thrust carries less weight; this is compensated up to the maximum bank.
        let least = libm::cos(self.max_bank_angle.min(STEEPEST));
        let upright = (libm::cos(roll) * libm::cos(pitch)).max(least * least);
        let thrust = tamed(airframe.weight / upright + tamed(setpoint.climb)).max(0.0);
        airframe.thrust(thrust, &(turn * (thrust / airframe.weight)))
    }
}

/// Checks that a component is mounted on a body that rotors can carry.
///
/// # Errors
///
/// Forces do not move the body.
pub fn check_body(world: &World, entity: Entity) -> Result<(), CheckError> {
    let body = world.get::<Mount>(entity).map(|mount| mount.body);
    if body.is_some_and(|body| world.get::<Inertia>(body).is_some()) {
        Ok(())
    } else {
        Err(CheckError::unmet(
            "forces do not move this robot; give it `base: dynamic`",
        ))
    }
}

/// Checks that a component is mounted on a body with weight, for control laws that compensate it.
///
/// # Errors
///
/// Forces do not move the body, or it has no weight.
pub fn check_weight(world: &World, entity: Entity) -> Result<(), CheckError> {
    check_body(world, entity)?;
    let gravity = world.get_resource::<Gravity>();
    if gravity.is_some_and(|gravity| gravity.0.z < 0.0) {
        Ok(())
    } else {
        Err(CheckError::unmet(
            "the control law requires gravity; give `environment` a `gravity` with a negative z",
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use morse_api::angles::from_yaw_pitch_roll;
    use nalgebra::{Isometry3, Matrix3};
    use proptest::prelude::*;

    use super::*;

    const GAINS: Gains = Gains {
        roll_pitch: [9.7, 2.0],
        yaw: [12.0, 6.0],
    };
    const PILOT: Pilot = Pilot {
        gains: GAINS,
        max_bank_angle: std::f64::consts::FRAC_PI_6,
    };

    fn leaning(yaw: f64, pitch: f64, roll: f64) -> BodyState {
        BodyState {
            pose: Isometry3::from_parts(
                Vector3::zeros().into(),
                from_yaw_pitch_roll([yaw, pitch, roll]),
            ),
            mass: 2.0,
            ..BodyState::default()
        }
    }

    fn fly(state: &BodyState, inertia: Matrix3<f64>, setpoint: &Setpoint) -> [Vector3<f64>; 2] {
        let inertia = Inertia(inertia);
        let airframe = Airframe::new(state, &inertia, Vector3::new(0.0, 0.0, -9.81));
        let Drive::Thrust { force, torque } = PILOT.fly(&airframe, setpoint, &mut None, 60.0)
        else {
            panic!("no thrust")
        };
        [force, torque]
    }

    #[test]
    fn a_step_of_the_law_by_hand() {
        let mut before = Some([0.1, -0.2, 3.0]);
        let turn = GAINS.turn([0.2, -0.2, -3.0], &mut before, 50.0);
        // 9.7·0.2 + 2·0.1·50; 9.7·-0.2; and the change of yaw is 2π - 6, not -6.
        let wrap = std::f64::consts::TAU - 6.0;
        let expected = Vector3::new(11.94, -1.94, 12.0 * -3.0 + 6.0 * wrap * 50.0);
        assert!((turn - expected).norm() < 1e-9, "{turn}");
        let kept = Vector3::from(before.unwrap());
        assert!((kept - Vector3::new(0.2, -0.2, -3.0)).norm() < 1e-12);
        let first = GAINS.turn([0.2, -0.2, -3.0], &mut None, 50.0);
        assert!(
            (first - Vector3::new(1.94, -1.94, -36.0)).norm() < 1e-9,
            "{first}"
        );
    }

    #[test]
    fn level_it_carries_its_weight_and_leaning_more() {
        let setpoint = Setpoint {
            lean: [0.0; 2],
            climb: 0.0,
            yaw: 0.0,
        };
        let [force, torque] = fly(&leaning(0.0, 0.0, 0.0), Matrix3::identity(), &setpoint);
        assert!((force - Vector3::z() * 2.0 * 9.81).norm() < 1e-9, "{force}");
        assert!(torque.norm() < 1e-12);
        let up = |roll: f64, pitch: f64| {
            let [force, _] = fly(&leaning(0.4, pitch, roll), Matrix3::identity(), &setpoint);
            force.z / 19.62
        };
        assert!((up(0.3, -0.2) * libm::cos(0.3) * libm::cos(0.2) - 1.0).abs() < 1e-12);
        // cos² of 30 degrees is 3/4.
        assert!((up(1.2, 0.0) * 0.75 - 1.0).abs() < 1e-12);
        assert!((up(2.0, 0.5) * 0.75 - 1.0).abs() < 1e-12, "upside down");
    }

    #[test]
    fn it_leans_towards_where_it_wants_to_go() {
        // Level, with a heading; the set point tilts by 0.1 rad in the direction of the world's +x.
        for (yaw, roll, pitch) in [
            (0.0, 0.0, 0.1),
            (FRAC_PI_2, 0.1, 0.0),
            (-FRAC_PI_2, -0.1, 0.0),
        ] {
            let setpoint = Setpoint {
                lean: [0.1, 0.0],
                climb: 0.0,
                yaw,
            };
            let inertia = Vector3::new(0.088, 0.09, 0.16);
            let [_, torque] = fly(
                &leaning(yaw, 0.0, 0.0),
                Matrix3::from_diagonal(&inertia),
                &setpoint,
            );
            let expected = Vector3::new(roll * 9.7 * 0.088, pitch * 9.7 * 0.09, 0.0);
            assert!((torque - expected).norm() < 1e-9, "{yaw}: {torque}");
        }
    }

    #[test]
    fn more_thrust_turns_harder_and_none_not_at_all() {
        let setpoint = |climb| Setpoint {
            lean: [0.2, 0.0],
            climb,
            yaw: 0.0,
        };
        let state = leaning(0.0, 0.0, 0.0);
        let torque = |climb| fly(&state, Matrix3::identity(), &setpoint(climb));
        let [_, twice] = torque(19.62);
        assert!((twice.y - 2.0 * 9.7 * 0.2).abs() < 1e-9, "{twice}");
        assert_eq!(torque(-30.0), [Vector3::zeros(); 2], "rotors do not pull");
    }

    proptest! {
        #[test]
        fn what_comes_out_is_a_number(
            numbers in prop::array::uniform12(prop::num::f64::NORMAL | prop::num::f64::ZERO),
            frequency in 0.1..1e4_f64,
        ) {
            let [yaw, pitch, roll, x, y, climb, setpoint_yaw, p, d, e1, e2, e3] = numbers;
            let pilot = Pilot {
                gains: Gains { roll_pitch: [p.abs(), d.abs()], yaw: [d.abs(), p.abs()] },
                ..PILOT
            };
            let state = leaning(normalized(tamed(yaw)), normalized(tamed(pitch)), normalized(tamed(roll)));
            let inertia = Inertia(Matrix3::identity() * 0.1);
            let airframe = Airframe::new(&state, &inertia, Vector3::new(0.0, 0.0, -9.81));
            let setpoint = Setpoint { lean: [x, y], climb, yaw: setpoint_yaw };
            let mut before = Some([e1, e2, e3].map(|value| normalized(tamed(value))));
            for _ in 0..3 {
                let Drive::Thrust { force, torque } = pilot.fly(&airframe, &setpoint, &mut before, frequency) else {
                    panic!("no thrust")
                };
                prop_assert!(force.iter().chain(&torque).all(|value| value.is_finite()), "{force} {torque}");
                prop_assert!(force.z >= 0.0);
                prop_assert!(before.unwrap().iter().all(|value| value.is_finite()));
            }
        }
    }
}
