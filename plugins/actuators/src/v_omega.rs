//! Drives a robot by a forward speed and a turning rate (MORSE's `MotionVW`).
use morse_api::{command::give, prelude::*, service::NoArguments, state::Stateful};

/// Sets the robot's velocity along its x axis and about its z axis.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VOmega {
    /// Kind of control: the speed is given to physics, or the robot is moved past it.
    #[reflect(@Property("ControlType"), @Form::CONTROL)]
    pub control: Control,
}

/// A speed and a turning rate, kept until the next command.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[doc(alias("Twist", "cmd_vel", "MotionVW"))]
pub struct VOmegaCommand {
    /// Forward speed.
    #[reflect(@Unit("m/s"))]
    pub v: f64,
    /// Turning rate, to the left.
    #[reflect(@Unit("rad/s"))]
    pub w: f64,
}

impl Stateful for VOmegaCommand {}

impl Actuator for VOmega {
    const KIND: &'static str = "v_omega";
    const MOVES_ROBOT: bool = true;
    const MORSE_CLASS: Option<&'static str> = Some("MotionVW");
    type Command = VOmegaCommand;
}

pub(super) fn plugin(app: &mut App) {
    app.add_actuator::<VOmega, _>(default_action)
        .add_service::<VOmega>(Service::new(
            "set_speed",
            "Sets the forward speed and the turning rate.",
            set_speed,
        ))
        .add_service::<VOmega>(Service::new("stop", "Stops the robot.", stop));
}

fn default_action(mut actuators: Query<(&VOmega, &Due, &UpdateRate, &VOmegaCommand, &mut Drive)>) {
    for (settings, due, rate, command, mut drive) in &mut actuators {
        *drive = if due.0 {
            settings.control.drive(
                Vector3::x() * command.v,
                Vector3::z() * command.w,
                rate.period(),
            )
        } else {
            drive.between_actions()
        };
    }
}

/// Arguments of `set_speed`.
#[derive(Reflect, Deserialize)]
struct SetSpeed {
    /// Forward speed, m/s.
    v: f64,
    /// Turning rate, rad/s.
    w: f64,
}

fn set_speed(
    world: &mut World,
    entity: Entity,
    SetSpeed { v, w }: SetSpeed,
) -> Result<Outcome, ServiceError> {
    give(world, entity, VOmegaCommand { v, w })?;
    Ok(Outcome::NOTHING)
}

fn stop(world: &mut World, entity: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    give(world, entity, VOmegaCommand::default())?;
    Ok(Outcome::NOTHING)
}

#[cfg(test)]
mod tests {
    use morse_testing::{TestWorld, circling};

    use super::*;

    #[test]
    fn speed_and_turning_rate_make_a_circle() {
        let start = circling(2.0, 0.5, 0.0);
        let mut test = TestWorld::new(600.0, plugin, start);
        let motion = test.actuator::<VOmega>("rover.motion", "()", Isometry3::identity());
        drop(test.call("rover.motion", "set_speed", serde_json::json!([1.0, 0.5])));
        test.drive(motion, 600);
        let expected = circling(2.0, 0.5, 0.5).pose;
        assert!((test.body().pose.translation.vector - expected.translation.vector).norm() < 2e-3);
        assert!(test.body().pose.rotation.angle_to(&expected.rotation) < 1e-9);
    }

    #[test]
    fn services_are_served_and_bad_ones_refused() {
        let mut test = TestWorld::new(60.0, plugin, BodyState::default());
        let motion = test.actuator::<VOmega>("rover.motion", "()", Isometry3::identity());
        test.step(BodyState::default());
        let call = test.call("rover.motion", "set_speed", serde_json::json!([1.0, 0.5]));
        assert_eq!(
            call.reply().unwrap().status,
            morse_api::service::Status::Success
        );
        assert_eq!(
            *test.get::<VOmegaCommand>(motion),
            VOmegaCommand { v: 1.0, w: 0.5 }
        );
        let call = test.call("rover.motion", "set_speed", serde_json::json!([1.0]));
        assert!(matches!(
            call.reply().unwrap().error,
            Some(ServiceError::WrongArity {
                given: 1,
                expected: 2,
                ..
            })
        ));
        drop(test.call("rover.motion", "stop", serde_json::json!(null)));
        assert_eq!(*test.get::<VOmegaCommand>(motion), VOmegaCommand::default());
    }
}
