//! Control of `joystick` actuators by connected gamepads and joysticks.
use std::collections::BTreeMap;

use bevy::{
    input::gamepad::{GamepadAxis, GamepadButton, GamepadEvent},
    prelude::*,
};
use serde_json::json;

use crate::command_panel::{self, CommandPanel};

/// Values of an actuator's axes, from -1 to 1 each: left stick to the left and forward, right stick to the left and forward,
/// left and right trigger (of joysticks: Z and RZ, such as throttle and twist, with the sign of the device).
type Axes = [f64; 6];

const AT_REST: Axes = [0.0; 6];

/// Returns the index in [`Axes`] of an axis of a gamepad, and its sign: the axes of gamepads are positive to the right.
fn axis_index(axis: GamepadAxis) -> Option<(usize, f64)> {
    match axis {
        GamepadAxis::LeftStickX => Some((0, -1.0)),
        GamepadAxis::LeftStickY => Some((1, 1.0)),
        GamepadAxis::RightStickX => Some((2, -1.0)),
        GamepadAxis::RightStickY => Some((3, 1.0)),
        GamepadAxis::LeftZ => Some((4, 1.0)),
        GamepadAxis::RightZ => Some((5, 1.0)),
        GamepadAxis::Other(_) => None,
    }
}

/// Returns the index in [`Axes`] of a trigger; most gamepads report triggers as analogue buttons.
fn button_index(button: GamepadButton) -> Option<usize> {
    match button {
        GamepadButton::LeftTrigger2 => Some(4),
        GamepadButton::RightTrigger2 => Some(5),
        _ => None,
    }
}

/// State of the gamepads, and the values that were sent.
#[derive(Default)]
pub(crate) struct Gamepads {
    /// Values of the gamepads, in the order of their first motion: some keyboards and receivers also register as gamepads,
    /// and must not displace a real one.
    moved: Vec<(Entity, Axes)>,
    /// Values that were last sent to each actuator.
    sent: BTreeMap<usize, Axes>,
}

impl Gamepads {
    /// Stores an event of a gamepad. Bevy has removed values within the dead zone.
    fn show_errors(&mut self, event: &GamepadEvent) {
        match event {
            GamepadEvent::Connection(event) if event.disconnected() => {
                self.moved.retain(|(pad, _)| *pad != event.gamepad);
            }
            GamepadEvent::Connection(_) => {}
            GamepadEvent::Axis(event) => {
                if let Some((index, sign)) = axis_index(event.axis) {
                    self.set(event.entity, index, sign * f64::from(event.value));
                }
            }
            GamepadEvent::Button(event) => {
                if let Some(index) = button_index(event.button) {
                    self.set(event.entity, index, f64::from(event.value));
                }
            }
        }
    }

    fn set(&mut self, pad: Entity, index: usize, value: f64) {
        // The addition converts -0 to 0.
        let value = value + 0.0;
        if let Some((_, axes)) = self.moved.iter_mut().find(|(known, _)| *known == pad) {
            axes[index] = value;
        } else if value != 0.0 {
            let mut axes = AT_REST;
            axes[index] = value;
            self.moved.push((pad, axes));
        }
    }

    /// Returns the values for an actuator. Gamepads are assigned to actuators in turn, so that a single gamepad drives all
    /// of them.
    fn axes(&self, actuator: usize) -> Axes {
        let pad = actuator.checked_rem(self.moved.len());
        pad.and_then(|pad| self.moved.get(pad))
            .map_or(AT_REST, |(_, axes)| *axes)
    }
}

/// Sends the values of the sticks to joystick actuators when they change, so that an idle gamepad does not disturb other
/// commands.
pub(crate) fn drive(
    mut events: MessageReader<GamepadEvent>,
    command_panel: Res<CommandPanel>,
    mut gamepads: Local<Gamepads>,
) {
    for event in events.read() {
        gamepads.show_errors(event);
    }
    for (actuator, sender) in command_panel.of_kind("joystick").enumerate() {
        let axes = gamepads.axes(actuator);
        let before = gamepads.sent.insert(actuator, axes).unwrap_or(AT_REST);
        if axes != before {
            // Cannot fail: the field exists, and finite numbers are not refused.
            command_panel::send(sender, "axes", json!(axes)).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bevy::input::{
        InputPlugin,
        gamepad::{
            GamepadConnection, GamepadConnectionEvent, RawGamepadAxisChangedEvent,
            RawGamepadButtonChangedEvent, RawGamepadEvent,
        },
    };
    use morse_api::{
        command::{ActuatorInfo, Mailbox},
        log::{CommandLog, LoggedAction},
        prelude::*,
        state::Stateful,
    };

    use super::*;

    /// An actuator that only receives commands.
    #[derive(Component, Reflect, Clone, Default, Deserialize)]
    struct Listener {}

    #[derive(Component, Reflect, Clone, Default, Serialize, Deserialize)]
    struct Heard {
        axes: Vec<f64>,
    }

    impl Stateful for Heard {}

    impl Actuator for Listener {
        const KIND: &'static str = "joystick";
        type Command = Heard;
    }

    /// Returns a window with gamepads, and joystick actuators with these names.
    fn window(actuators: &[&str]) -> App {
        let mut app = App::new();
        app.add_plugins(InputPlugin)
            .insert_resource(Clock::new(60.0))
            .init_resource::<CommandLog>()
            .add_actuator::<Listener, _>(|| ())
            .add_systems(Update, drive);
        let senders = actuators.iter().map(|path| {
            let mailbox = Mailbox::new(Arc::new(ActuatorInfo {
                path: (*path).into(),
                robot: "rover".into(),
                kind: Listener::KIND,
                command: <Heard as bevy::reflect::Typed>::type_info(),
                fields: Fields::of_type::<Heard>(None),
            }));
            let sender = mailbox.sender();
            let path = ComponentPath((*path).into());
            app.world_mut().spawn((Listener {}, path, mailbox));
            sender
        });
        let command_panel = CommandPanel::new(senders.collect());
        app.insert_resource(command_panel);
        app
    }

    /// Connects a gamepad, in the same way as Bevy's device reader.
    fn plug(app: &mut App) -> Entity {
        let pad = app.world_mut().spawn_empty().id();
        let connection = GamepadConnection::Connected {
            name: "pad".to_owned(),
            vendor_id: None,
            product_id: None,
        };
        connect(app, pad, connection);
        pad
    }

    fn connect(app: &mut App, pad: Entity, connection: GamepadConnection) {
        let event = GamepadConnectionEvent::new(pad, connection);
        app.world_mut().write_message(event.clone());
        app.world_mut().write_message(RawGamepadEvent::from(event));
    }

    fn push(app: &mut App, pad: Entity, axis: GamepadAxis, value: f32) {
        let event = RawGamepadAxisChangedEvent::new(pad, axis, value);
        app.world_mut().write_message(RawGamepadEvent::from(event));
    }

    /// Runs a frame of the window and a tick of the simulation. Returns the commands that each actuator received.
    fn sent(app: &mut App) -> Vec<(String, Vec<f64>)> {
        app.update();
        app.world_mut().run_schedule(FixedUpdate);
        let log = std::mem::take(&mut app.world_mut().resource_mut::<CommandLog>().0);
        log.into_iter()
            .map(|logged| match logged.action {
                LoggedAction::Command { actuator, value } => {
                    let heard = value.try_downcast_ref::<Heard>().unwrap();
                    (actuator.to_string(), heard.axes.clone())
                }
                other => panic!("{other:?}"),
            })
            .collect()
    }

    /// Returns the value that Bevy computes from a raw one: zero up to 0.05, and linear above.
    fn live(raw: f64) -> f64 {
        raw.signum() * (raw.abs() - 0.05) / 0.95
    }

    #[track_caller]
    fn assert_told(app: &mut App, expected: &[(&str, [f64; 6])]) {
        let sent = sent(app);
        let names: Vec<&str> = sent.iter().map(|(name, _)| &**name).collect();
        let wanted: Vec<&str> = expected.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, wanted, "{sent:?}");
        for ((_, sent), (_, wanted)) in sent.iter().zip(expected) {
            let is_near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-6;
            assert!(
                sent.len() == wanted.len() && sent.iter().zip(wanted).all(is_near),
                "{sent:?} is not {wanted:?}"
            );
            // The state hash distinguishes them.
            assert!(
                !sent
                    .iter()
                    .any(|axis| *axis == 0.0 && axis.is_sign_negative())
            );
        }
    }

    #[test]
    fn left_and_forward_are_positive_and_rest_is_told_once() {
        let mut app = window(&["rover.stick"]);
        let pad = plug(&mut app);
        assert_told(&mut app, &[]);
        push(&mut app, pad, GamepadAxis::LeftStickX, 0.5);
        push(&mut app, pad, GamepadAxis::LeftStickY, 1.0);
        let turned = [-live(0.5), 1.0, 0.0, 0.0, 0.0, 0.0];
        assert_told(&mut app, &[("rover.stick", turned)]);
        // The stick is held in its position.
        assert_told(&mut app, &[]);
        push(&mut app, pad, GamepadAxis::LeftStickX, -1.0);
        push(&mut app, pad, GamepadAxis::LeftStickY, -0.5);
        let back = [1.0, live(-0.5), 0.0, 0.0, 0.0, 0.0];
        assert_told(&mut app, &[("rover.stick", back)]);
        push(&mut app, pad, GamepadAxis::LeftStickX, 0.0);
        push(&mut app, pad, GamepadAxis::LeftStickY, 0.0);
        assert_told(&mut app, &[("rover.stick", AT_REST)]);
        assert_told(&mut app, &[]);
    }

    #[test]
    fn a_stick_that_trembles_at_rest_tells_nothing() {
        let mut app = window(&["rover.stick"]);
        let pad = plug(&mut app);
        for value in [0.04, -0.03, 0.0, 0.049] {
            push(&mut app, pad, GamepadAxis::LeftStickX, value);
            push(&mut app, pad, GamepadAxis::LeftStickY, -value);
            assert_told(&mut app, &[]);
        }
        push(&mut app, pad, GamepadAxis::LeftStickY, 0.24);
        let forward = [0.0, live(0.24), 0.0, 0.0, 0.0, 0.0];
        assert_told(&mut app, &[("rover.stick", forward)]);
        // The rest position of a worn stick.
        push(&mut app, pad, GamepadAxis::LeftStickY, 0.03);
        assert_told(&mut app, &[("rover.stick", AT_REST)]);
    }

    #[test]
    fn the_right_stick_and_the_triggers_follow() {
        let mut app = window(&["rover.stick"]);
        let pad = plug(&mut app);
        push(&mut app, pad, GamepadAxis::RightStickX, 1.0);
        push(&mut app, pad, GamepadAxis::RightStickY, 0.5);
        for (button, value) in [
            (GamepadButton::LeftTrigger2, 1.0),
            (GamepadButton::South, 1.0),
        ] {
            let event = RawGamepadButtonChangedEvent::new(pad, button, value);
            app.world_mut().write_message(RawGamepadEvent::from(event));
        }
        push(&mut app, pad, GamepadAxis::RightZ, -1.0);
        let axes = [0.0, 0.0, -1.0, live(0.5), 1.0, -1.0];
        assert_told(&mut app, &[("rover.stick", axes)]);
    }

    #[test]
    fn a_pad_that_is_pulled_out_lets_go() {
        let mut app = window(&["rover.stick"]);
        let pad = plug(&mut app);
        push(&mut app, pad, GamepadAxis::LeftStickY, 1.0);
        let forward = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        assert_told(&mut app, &[("rover.stick", forward)]);
        connect(&mut app, pad, GamepadConnection::Disconnected);
        assert_told(&mut app, &[("rover.stick", AT_REST)]);
        assert_told(&mut app, &[]);
        // A gamepad at rest has no values to reset.
        let pad = plug(&mut app);
        connect(&mut app, pad, GamepadConnection::Disconnected);
        assert_told(&mut app, &[]);
    }

    #[test]
    fn one_pad_drives_all_and_several_share() {
        let mut app = window(&["a.stick", "b.stick", "c.stick"]);
        // The first one registers as a gamepad, but never moves.
        let [_, first, second] = [(); 3].map(|()| plug(&mut app));
        push(&mut app, second, GamepadAxis::LeftStickX, 0.0);
        push(&mut app, first, GamepadAxis::LeftStickY, 1.0);
        let forward = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        let all = ["a.stick", "b.stick", "c.stick"].map(|name| (name, forward));
        assert_told(&mut app, &all);
        push(&mut app, second, GamepadAxis::LeftStickY, -1.0);
        let back = [0.0, -1.0, 0.0, 0.0, 0.0, 0.0];
        assert_told(&mut app, &[("b.stick", back)]);
        push(&mut app, first, GamepadAxis::LeftStickY, 0.0);
        assert_told(&mut app, &[("a.stick", AT_REST), ("c.stick", AT_REST)]);
        connect(&mut app, second, GamepadConnection::Disconnected);
        assert_told(&mut app, &[("b.stick", AT_REST)]);
    }
}
