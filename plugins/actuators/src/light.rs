//! A lamp that can be switched on and off.
use std::f64::consts::FRAC_PI_2;

use morse_api::{
    command::{Received, give},
    lighting::{Lamp, Shine},
    prelude::*,
    state::Stateful,
};
use serde_json::json;

/// Spot light along its x axis. It illuminates the images of cameras; without `shadows`, through obstacles.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Lamp, Switch)]
pub struct Light {
    /// True if the light is on, until a command or a request changes it.
    #[reflect(@Property("emit"))]
    pub emit: bool,
    /// Range of the light.
    #[reflect(@Unit("m"), @ValueRange(0.0, 1e6), @Property("distance"))]
    pub distance: f64,
    /// Red, green and blue, from 0 to 1. MORSE's lights are black by default.
    #[reflect(@Unit(""), @ValueRange(0.0, 1.0), @Property("color"), @Form::Tuple)]
    pub color: [f64; 3],
    /// Full opening angle of the cone.
    #[reflect(@Unit("rad"), @ValueRange(0.0, 6.3), @Property("size"))]
    pub size: f64,
    /// Brightness while the light is on, in Blender's units.
    #[reflect(@Unit(""), @ValueRange(0.0, 1e6), @Property("energy"))]
    pub energy: f64,
}

impl Default for Light {
    fn default() -> Self {
        Self {
            emit: true,
            distance: 10.0,
            color: [1.0; 3],
            size: FRAC_PI_2,
            energy: 1.0,
        }
    }
}

/// Command to switch the light, kept until the next one.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LightCommand {
    /// True to switch the light on.
    pub emit: bool,
    /// Fraction of the energy while the light is on.
    #[reflect(@Unit(""), @ValueRange(0.0, 1.0))]
    pub intensity: f64,
}

impl Default for LightCommand {
    fn default() -> Self {
        Self {
            emit: true,
            intensity: 1.0,
        }
    }
}

impl Stateful for LightCommand {}

/// Last value of `emit` in the settings. Part of the state.
#[derive(Component, Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Switch(bool);

impl Stateful for Switch {}

impl Actuator for Light {
    const KIND: &'static str = "light";
    const HAS_DRIVE: bool = false;
    const MORSE_CLASS: Option<&'static str> = Some("Light");
    type Command = LightCommand;
}

pub(super) fn plugin(app: &mut App) {
    app.add_actuator::<Light, _>(default_action)
        .register_state::<Shine>()
        .register_state::<Switch>()
        .add_systems(Startup, begin)
        .add_service::<Light>(Service::new(
            "toggle",
            "Switches the light on or off; without an argument, toggles it. Returns `true`.",
            toggle,
        ));
}

fn begin(
    mut lights: Query<(
        &Light,
        &mut LightCommand,
        &mut Received<LightCommand>,
        (&mut Lamp, &mut Shine),
        &mut Switch,
    )>,
) {
    for (settings, mut command, mut received, (mut lamp, mut shine), mut switch) in &mut lights {
        *lamp = settings.lamp();
        switch.0 = settings.emit;
        // Unless the first command in the simulation file switches it off.
        command.emit &= settings.emit;
        received.0 = *command;
        shine.0 = settings.brightness(*command);
    }
}

fn default_action(
    mut lights: Query<(
        &Light,
        &Due,
        &mut LightCommand,
        &mut Received<LightCommand>,
        (&mut Lamp, &mut Shine),
        &mut Switch,
    )>,
) {
    for (settings, due, mut command, mut received, (mut lamp, mut shine), mut switch) in &mut lights
    {
        *lamp = settings.lamp();
        if !due.0 {
            continue;
        }
        if settings.emit != switch.0 {
            switch.0 = settings.emit;
            command.emit = settings.emit;
            received.0 = *command;
        }
        shine.0 = settings.brightness(*command);
    }
}

impl Light {
    fn lamp(&self) -> Lamp {
        Lamp {
            color: self.color,
            distance: self.distance,
            size: self.size,
        }
    }

    fn brightness(&self, command: LightCommand) -> f64 {
        if command.emit {
            self.energy * command.intensity
        } else {
            0.0
        }
    }
}

/// Arguments of `toggle`.
#[derive(Reflect, Deserialize)]
struct Toggle {
    /// True to switch the light on; by default it is toggled. In MORSE `false` toggled it, too.
    #[serde(default)]
    emit: Option<bool>,
}

fn toggle(world: &mut World, entity: Entity, arguments: Toggle) -> Result<Outcome, ServiceError> {
    let is_on = world
        .get::<LightCommand>(entity)
        .is_some_and(|command| command.emit);
    let emit = arguments.emit.unwrap_or(!is_on);
    let intensity = world
        .get::<LightCommand>(entity)
        .map_or(1.0, |command| command.intensity);
    give(world, entity, LightCommand { emit, intensity })?;
    Ok(Outcome::Done(json!(true)))
}

#[cfg(test)]
mod tests {
    use morse_testing::TestWorld;

    use super::*;

    fn test_world(text: &str) -> (TestWorld, Entity) {
        let mut test = TestWorld::new(60.0, plugin, BodyState::default());
        let light = test.actuator::<Light>("rover.light", text, Isometry3::identity());
        test.step(BodyState::default());
        (test, light)
    }

    fn toggled(test: &mut TestWorld, light: Entity, argument: serde_json::Value) -> f64 {
        let reply = test
            .call("rover.light", "toggle", argument)
            .reply()
            .unwrap();
        assert_eq!(reply.value, json!(true));
        test.step(BodyState::default());
        test.get::<Shine>(light).0
    }

    #[test]
    fn off_is_off_however_often_it_is_said() {
        let (mut test, light) = test_world("(energy: 2.5)");
        assert_eq!(test.get::<Shine>(light).0, 2.5);
        assert_eq!(toggled(&mut test, light, json!([])), 0.0);
        assert_eq!(toggled(&mut test, light, json!([null])), 2.5);
        assert_eq!(toggled(&mut test, light, json!([false])), 0.0);
        assert_eq!(toggled(&mut test, light, json!([false])), 0.0);
        assert_eq!(toggled(&mut test, light, json!({"emit": true})), 2.5);
        assert_eq!(toggled(&mut test, light, json!([true])), 2.5);
    }

    #[test]
    fn it_begins_as_its_settings_say_and_obeys_commands() {
        let (mut test, light) = test_world("(emit: false)");
        assert_eq!(test.get::<Shine>(light).0, 0.0);
        test.send(light, LightCommand::default());
        test.step(BodyState::default());
        assert_eq!(test.get::<Shine>(light).0, 1.0);
    }

    #[test]
    fn its_intensity_is_a_fraction_of_the_energy() {
        let (mut test, light) = test_world("(energy: 2.0)");
        let dimmed = LightCommand {
            emit: true,
            intensity: 0.25,
        };
        test.send(light, dimmed);
        test.step(BodyState::default());
        assert_eq!(test.get::<Shine>(light).0, 0.5);
        assert_eq!(toggled(&mut test, light, json!([false])), 0.0);
        assert_eq!(toggled(&mut test, light, json!([true])), 0.5, "as before");
    }
}
