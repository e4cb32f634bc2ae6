//! Raycast wheels as in MORSE's engine (Bullet's raycast vehicle), for MORSE's motion.
//!
//! Each wheel is a ray along its spring. The spring pushes along the ground's normal; then, with the resulting velocities,
//! each wheel applies a fifth of the impulse that would stop its lateral slip, and drives, rolls or brakes. The total
//! impulse along the ground is limited by friction times the spring's force.

use nalgebra::{Isometry3, Matrix3, Point3, Unit, UnitQuaternion, Vector3};

use morse_api::vehicle::VehicleWheel;

/// Fraction of the lateral slip that a wheel stops per step.
const SIDE_SHARE: f64 = 0.2;

/// Fraction of a driving impulse that counts against the grip of a tyre.
const DRIVE_SHARE: f64 = 0.5;

/// Fraction of the height of the centre of mass at which lateral impulses roll the car.
const ROLL_LEVER: f64 = 0.05;

/// Cosine of the angle between spring and ground below which the length of the spring is not corrected for its slant.
const STEEPEST: f64 = 0.1;

/// A car in a step of the engine.
#[derive(Clone, Debug)]
pub(super) struct Car {
    /// Pose of its frame.
    pub pose: Isometry3<f64>,
    pub center: Point3<f64>,
    /// Mass, kg.
    pub mass: f64,
    /// Inverse inertia, world axes, 1/(kg·m²).
    pub inverse_inertia: Matrix3<f64>,
    /// Velocity of the centre of mass, m/s.
    pub linear: Vector3<f64>,
    /// Angular velocity, rad/s.
    pub angular: Vector3<f64>,
}

/// Ground that the ray of a wheel hits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ground {
    /// Distance from the upper end of the spring, m.
    pub distance: f64,
    pub normal: Vector3<f64>,
}

/// A wheel in contact with the ground.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touching {
    /// Driving force, N, forward.
    force: f64,
    /// Maximum braking impulse, N·s.
    brake: f64,
    /// Maximum force along the ground, as a multiple of the load.
    friction: f64,
    /// Vector from the centre of mass to the contact point, m.
    arm: Vector3<f64>,
    normal: Vector3<f64>,
    /// Unit vector along the ground in the rolling direction.
    ahead: Vector3<f64>,
    /// Unit vector along the ground and the axle.
    left: Vector3<f64>,
    /// Load of its spring, N.
    load: f64,
    /// Impulse along the ground, forward and to the left, N·s.
    impulse: [f64; 2],
}

impl Car {
    /// Returns the ray of a wheel: origin, direction and length.
    pub(super) fn ray(&self, wheel: &VehicleWheel) -> (Point3<f64>, Vector3<f64>, f64) {
        let down = self.pose.rotation * -Vector3::z();
        (self.pose * wheel.at, down, wheel.rest_length + wheel.radius)
    }

    /// Returns the force and the torque about the centre of mass of all wheels for a step (s).
    pub(super) fn act(mut self, touching: &mut [Touching], step: f64) -> [Vector3<f64>; 2] {
        let before = (self.linear, self.angular);
        for wheel in &*touching {
            self.push(&(wheel.normal * (wheel.load * step)), &wheel.arm);
        }
        self.roll(touching, step);
        touching.iter_mut().for_each(|wheel| wheel.slide(step));
        let up = self.pose.rotation * Vector3::z();
        for wheel in touching {
            let [ahead, left] = wheel.impulse;
            self.push(&(wheel.ahead * ahead), &wheel.arm);
            let low = wheel.arm - up * (up.dot(&wheel.arm) * (1.0 - ROLL_LEVER));
            self.push(&(wheel.left * left), &low);
        }
        let turned = self.angular - before.1;
        let inertia = self.inverse_inertia.try_inverse().unwrap_or_default();
        [
            (self.linear - before.0) * (self.mass / step),
            inertia * turned / step,
        ]
    }

    /// Returns the state of a wheel on the ground.
    pub(super) fn touching(&self, wheel: &VehicleWheel, ground: &Ground) -> Option<Touching> {
        let (from, down, _) = self.ray(wheel);
        let arm = from + down * ground.distance - self.center;
        let normal = ground.normal;
        let slant = -normal.dot(&down);
        let away = self.velocity_at(&arm).dot(&normal);
        let (length, speed) = if slant <= STEEPEST {
            (1.0 / STEEPEST, 0.0)
        } else {
            (1.0 / slant, away / slant)
        };
        let damping = if speed < 0.0 {
            wheel.compression
        } else {
            wheel.relaxation
        };
        let pressed = wheel.rest_length - (ground.distance - wheel.radius);
        let load = (wheel.stiffness * pressed * length - damping * speed) * self.mass;
        let axis = Unit::new_normalize(-down);
        let axle = UnitQuaternion::from_axis_angle(&axis, wheel.steer)
            * (self.pose.rotation * Vector3::y());
        let left = (axle - normal * normal.dot(&axle)).try_normalize(1e-6)?;
        Some(Touching {
            force: wheel.force,
            brake: wheel.brake.max(0.0),
            friction: wheel.friction,
            arm,
            normal,
            ahead: left.cross(&normal),
            left,
            load: load.max(0.0),
            impulse: [0.0; 2],
        })
    }

    /// Computes the impulses of the wheels along the ground, each independently; braking wheels stop the car together.
    fn roll(&self, touching: &mut [Touching], step: f64) {
        let brakes = |wheel: &&Touching| wheel.force == 0.0 && wheel.brake > 0.0;
        let braking = touching.iter().filter(brakes);
        let together: f64 = braking
            .map(|wheel| 1.0 / self.give(&wheel.arm, &wheel.ahead))
            .sum();
        let share = (self.mass / together).min(1.0);
        for wheel in touching {
            let slip = self.velocity_at(&wheel.arm);
            let side = -SIDE_SHARE * slip.dot(&wheel.left) / self.give(&wheel.arm, &wheel.left);
            let ahead = if wheel.force == 0.0 {
                let stop = -slip.dot(&wheel.ahead) / self.give(&wheel.arm, &wheel.ahead);
                (stop * share).clamp(-wheel.brake, wheel.brake)
            } else {
                wheel.force * step
            };
            wheel.impulse = [ahead, side];
        }
    }

    /// Returns the velocity of the point of application per unit of impulse, 1/kg.
    fn give(&self, arm: &Vector3<f64>, direction: &Vector3<f64>) -> f64 {
        let lever = arm.cross(direction);
        1.0 / self.mass + lever.dot(&(self.inverse_inertia * lever))
    }

    fn velocity_at(&self, arm: &Vector3<f64>) -> Vector3<f64> {
        self.linear + self.angular.cross(arm)
    }

    fn push(&mut self, impulse: &Vector3<f64>, arm: &Vector3<f64>) {
        self.linear += impulse / self.mass;
        self.angular += self.inverse_inertia * arm.cross(impulse);
    }
}

impl Touching {
    /// Limits the impulse of a wheel along the ground to its grip.
    fn slide(&mut self, step: f64) {
        let [ahead, left] = self.impulse;
        let wanted = libm::hypot(ahead * DRIVE_SHARE, left);
        let most = self.load * step * self.friction;
        if wanted > most && left != 0.0 {
            self.impulse = self.impulse.map(|coordinate| coordinate * most / wanted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: f64 = 1.0 / 120.0;

    /// A car of 10 kg at 1.1365 m, the rest height of its springs, on level ground, with a velocity.
    fn car(linear: [f64; 3], yaw_rate: f64) -> Car {
        Car {
            pose: Isometry3::translation(0.0, 0.0, 1.1365),
            center: Point3::new(0.0, 0.0, 1.1365),
            mass: 10.0,
            inverse_inertia: Matrix3::from_diagonal(&Vector3::new(0.11, 0.035, 0.032)),
            linear: linear.into(),
            angular: Vector3::z() * yaw_rate,
        }
    }

    fn wheels(steer: f64, force: f64, brake: f64) -> Vec<VehicleWheel> {
        let wheel = |x: f64, y: f64| VehicleWheel {
            at: Point3::new(x, y, -0.5),
            radius: 0.5,
            rest_length: 0.3,
            stiffness: 15.0,
            compression: 2.0,
            relaxation: 10.0,
            friction: 200.0,
            steer: if x > 0.0 { steer } else { 0.0 },
            force,
            brake: brake * if x > 0.0 { 0.1 } else { 1.3 },
        };
        vec![
            wheel(1.6, 1.3),
            wheel(1.6, -1.3),
            wheel(-2.3, 1.3),
            wheel(-2.3, -1.3),
        ]
    }

    /// Returns the changes of the velocities in a step.
    fn changes(car: &Car, wheels: &[VehicleWheel]) -> [Vector3<f64>; 2] {
        let ground = Ground {
            distance: 0.6365,
            normal: Vector3::z(),
        };
        let touching = wheels.iter().map(|wheel| car.touching(wheel, &ground));
        let mut touching: Vec<Touching> = touching.map(Option::unwrap).collect();
        let [force, torque] = car.clone().act(&mut touching, STEP);
        [
            force * (STEP / car.mass),
            car.inverse_inertia * torque * STEP,
        ]
    }

    #[track_caller]
    fn assert_near(actual: f64, expected: f64) {
        assert!(
            (actual - expected).abs() <= 1e-9 + 1e-6 * expected.abs(),
            "{actual} instead of {expected}"
        );
    }

    #[test]
    fn the_springs_carry_the_car() {
        let [gained, _] = changes(&car([0.0; 3], 0.0), &wheels(0.0, 0.0, 0.0));
        assert_near(gained.z, 4.0 * 15.0 * 0.1635 * STEP);
    }

    #[test]
    fn a_force_acts_on_each_wheel_and_the_brake_waits() {
        let [gained, _] = changes(&car([0.0; 3], 0.0), &wheels(0.0, 8.0, 100.0));
        assert_near(gained.x, 4.0 * 8.0 / 10.0 * STEP);
    }

    #[test]
    fn a_brake_is_an_impulse_of_each_step() {
        let [gained, _] = changes(&car([3.0, 0.0, 0.0], 0.0), &wheels(0.0, 0.0, 0.2));
        assert_near(gained.x, -0.2 * (2.0 * 0.1 + 2.0 * 1.3) / 10.0);
        // A brake that is stronger than needed stops the car and does not push it back.
        let [gained, _] = changes(&car([3.0, 0.0, 0.0], 0.0), &wheels(0.0, 0.0, 1e3));
        assert!((-3.0..-1.5).contains(&gained.x), "{gained}");
    }

    #[test]
    fn a_fifth_of_the_slip_of_each_wheel_is_stopped() {
        let car = car([0.0, 1.0, 0.0], 0.0);
        let [gained, _] = changes(&car, &wheels(0.0, 0.0, 0.0));
        let wheel = |x: f64| {
            // Arm × axle: (x, y, -1.1365) × (0, 1, 0) = (1.1365, 0, x).
            let lever: f64 = 1.1365 * 1.1365 * 0.11 + x * x * 0.032;
            0.2 / (0.1 + lever)
        };
        // The springs push the car straight up; the centre of mass is not midway between the axles, so they rotate it.
        let expected = -2.0 * (wheel(1.6) + wheel(-2.3)) / 10.0;
        assert!(
            (gained.y / expected - 1.0).abs() < 2e-3,
            "{gained} instead of {expected}"
        );
    }

    #[test]
    fn a_tyre_slides_where_it_has_no_load() {
        let mut car = car([0.0, 1.0, 0.0], 0.0);
        car.linear.z = 2.0; // It rises, so that the springs push no more.
        let [gained, turned] = changes(&car, &wheels(0.3, 0.0, 10.0));
        assert!(gained.norm() + turned.norm() < 1e-12, "{gained} {turned}");
    }
}
