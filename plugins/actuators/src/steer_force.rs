//! Drives a car by steering angle, force and brake (MORSE's `SteerForce`).
use morse_api::{
    prelude::*,
    state::Stateful,
    vehicle::{Vehicle, VehicleWheel},
};

/// Models a car on springs whose wheels are rays to the ground: MORSE's raycast vehicle, by default with the dimensions of
/// its Hummer. The robot heads along x, and its own shapes must not touch the ground.
///
/// As in MORSE the command's force is multiplied by 0.4 at each wheel, and its brake by 0.1 in front and 1.3 behind. Both
/// are forces; with MORSE's motion rules the brake is the impulse per step of the engine (N·s), and tyres lose a fifth of
/// their lateral slip in each step. A positive force drives forwards; MORSE's drove backwards, as with `reversed`.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Vehicle)]
pub struct SteerForce {
    /// The wheels.
    pub wheels: Vec<Wheel>,
    /// True if a negative force drives forwards, as in MORSE.
    pub reversed: bool,
}

/// Wheel of a car, and its fractions of the commands.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Wheel {
    /// Position of the upper end of its spring, in the robot's frame; the spring points down.
    #[reflect(@Unit("m"), @ValueRange(-1000.0, 1000.0))]
    pub at: [f64; 3],
    /// Radius of the wheel.
    #[reflect(@Unit("m"), @ValueRange(0.001, 100.0))]
    pub radius: f64,
    /// Length of the spring without load.
    #[reflect(@Unit("m"), @ValueRange(0.001, 100.0))]
    pub rest_length: f64,
    /// Stiffness of the spring, per kilogram of the robot.
    #[reflect(@Unit("N/m/kg"), @ValueRange(0.001, 1e6))]
    pub stiffness: f64,
    /// Damping while the spring is compressed, per kilogram of the robot.
    #[reflect(@Unit("N·s/m/kg"), @ValueRange(0.0, 1e6))]
    pub compression: f64,
    /// Damping while the spring extends, per kilogram of the robot.
    #[reflect(@Unit("N·s/m/kg"), @ValueRange(0.0, 1e6))]
    pub damping: f64,
    /// Maximum force along the ground, as a multiple of the spring's force.
    #[reflect(@Unit(""), @ValueRange(0.0, 1000.0))]
    pub friction: f64,
    /// Fraction of the steering angle.
    #[reflect(@Unit(""), @ValueRange(-10.0, 10.0))]
    pub steer: f64,
    /// Fraction of the force.
    #[reflect(@Unit(""), @ValueRange(-1000.0, 1000.0))]
    pub force: f64,
    /// Fraction of the brake.
    #[reflect(@Unit(""), @ValueRange(0.0, 1000.0))]
    pub brake: f64,
}

impl Default for Wheel {
    fn default() -> Self {
        Self {
            at: [0.0; 3],
            radius: 0.5,
            rest_length: 0.3,
            stiffness: 15.0,
            compression: 2.0,
            damping: 10.0,
            friction: 200.0,
            steer: 0.0,
            force: 0.4,
            brake: 0.1,
        }
    }
}

impl Default for SteerForce {
    fn default() -> Self {
        let wheel = |x: f64, y: f64| Wheel {
            at: [x, y, -0.5],
            steer: if x > 0.0 { 1.0 } else { 0.0 },
            brake: if x > 0.0 { 0.1 } else { 1.3 },
            ..Wheel::default()
        };
        Self {
            wheels: vec![
                wheel(1.6, 1.3),
                wheel(1.6, -1.3),
                wheel(-2.3, 1.3),
                wheel(-2.3, -1.3),
            ],
            reversed: false,
        }
    }
}

/// Controls of a driver.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SteerForceCommand {
    /// Angle of the steered wheels; positive to the left, as in MORSE.
    #[reflect(@Unit("rad"))]
    pub steer: f64,
    /// Driving force, multiplied by the fraction of each wheel.
    #[reflect(@Unit("N"))]
    pub force: f64,
    /// Maximum braking force, multiplied by the fraction of each wheel (N·s per step of the engine with MORSE's motion
    /// rules); has an effect only while there is no driving force.
    #[reflect(@Unit("N"))]
    pub brake: f64,
}

impl Stateful for SteerForceCommand {}

impl Actuator for SteerForce {
    const KIND: &'static str = "steer_force";
    const MOVES_ROBOT: bool = true;
    const MORSE_CLASS: Option<&'static str> = Some("SteerForce");
    type Command = SteerForceCommand;

    fn check(&self, _: &World, _: Entity) -> Result<(), CheckError> {
        if self.wheels.is_empty() {
            return Err(CheckError::setting("a car needs `wheels`"));
        }
        Ok(())
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_actuator::<SteerForce, _>(default_action)
        .register_state::<Vehicle>()
        .add_systems(Startup, begin);
}

fn begin(mut actuators: Query<(&SteerForce, &mut Vehicle)>) {
    for (settings, mut vehicle) in &mut actuators {
        let wheel = |wheel: &Wheel| VehicleWheel {
            at: wheel.at.into(),
            radius: wheel.radius,
            rest_length: wheel.rest_length,
            stiffness: wheel.stiffness,
            compression: wheel.compression,
            relaxation: wheel.damping,
            friction: wheel.friction,
            steer: 0.0,
            force: 0.0,
            brake: 0.0,
        };
        vehicle.wheels = settings.wheels.iter().map(wheel).collect();
    }
}

fn default_action(mut actuators: Query<(&SteerForce, &Due, &SteerForceCommand, &mut Vehicle)>) {
    for (settings, due, command, mut vehicle) in &mut actuators {
        if !due.0 {
            continue;
        }
        let sign = if settings.reversed { -1.0 } else { 1.0 };
        for (wheel, commanded) in settings.wheels.iter().zip(&mut vehicle.wheels) {
            commanded.steer = command.steer * wheel.steer;
            commanded.force = command.force * wheel.force * sign;
            commanded.brake = command.brake * wheel.brake;
        }
    }
}

#[cfg(test)]
mod tests {
    use morse_testing::TestWorld;

    use super::*;

    #[test]
    fn every_wheel_gets_its_share() {
        for (text, force) in [("()", 40.0), ("(reversed: true)", -40.0)] {
            let mut test = TestWorld::new(60.0, plugin, BodyState::default());
            let car = test.actuator::<SteerForce>("rover.car", text, Isometry3::identity());
            test.step(BodyState::default());
            test.send(
                car,
                SteerForceCommand {
                    steer: 0.3,
                    force: 100.0,
                    brake: 10.0,
                },
            );
            test.step(BodyState::default());
            let wheels = &test.get::<Vehicle>(car).wheels;
            let commanded = |index: usize| {
                [
                    wheels[index].steer,
                    wheels[index].force,
                    wheels[index].brake,
                ]
            };
            assert_eq!([commanded(0), commanded(1)], [[0.3, force, 1.0]; 2]);
            assert_eq!([commanded(2), commanded(3)], [[0.0, force, 13.0]; 2]);
        }
    }
}
