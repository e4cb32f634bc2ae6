//! A scale error: a modifier for morse-sim. Replace this by the description of yours.
use bevy::reflect::structs::Struct;
use morse_api::{modifier::Site, numbers::Numbers, prelude::*};

/// Multiplies numbers by a factor, as a sensor with a scale error does.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NewComponent {
    /// Fields to change, such as `["x", "velocity.0"]`; all numbers by default.
    pub fields: Vec<String>,
    /// Error of the scale: 0.01 makes 2 of a hundred 2.02.
    #[reflect(@Unit(""), @ValueRange(-1.0, 1.0))]
    pub error: f64,
    /// Standard deviation of the noise that is added at each measurement, in the unit of the field.
    #[reflect(@Unit("field's"), @ValueRange(0.0, 1e9))]
    pub sigma: f64,
}

impl Default for NewComponent {
    fn default() -> Self {
        Self {
            fields: Vec::new(),
            error: 0.01,
            sigma: 0.0,
        }
    }
}

impl Modifier for NewComponent {
    const KIND: &'static str = "new_component";

    // The indices of the fields are looked up once.
    fn bind(&self, fields: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        let numbers = Numbers::of(fields, &self.fields)?;
        let (scale, sigma) = (1.0 + self.error, self.sigma);
        Ok(Box::new(
            move |data: &mut dyn Struct, state: &mut ModifierState, _: &Clock| {
                let random = &mut state.random;
                numbers.each(data, |_, number| {
                    *number = *number * scale + random.gauss(sigma);
                });
            },
        ))
    }
}

/// Registers the kind `new_component`.
pub fn plugin(app: &mut App) {
    app.add_modifier::<NewComponent>();
}

#[cfg(test)]
mod tests {
    use morse_testing::{TestModifier, settings};

    use super::*;

    /// Data of a sensor.
    #[derive(Component, Reflect, Clone, Debug, Default, Serialize, Deserialize)]
    struct Position {
        x: f64,
        y: f64,
    }

    fn modified(text: &str) -> Position {
        let modifier: NewComponent = settings(text);
        let mut modifier = TestModifier::<Position>::new(&modifier, None, World::new());
        modifier.measure(Position { x: 100.0, y: 200.0 })
    }

    #[test]
    fn it_scales_what_it_is_told_to() {
        let position = modified("(error: 0.5)");
        assert_eq!((position.x, position.y), (150.0, 300.0));
        let position = modified("(error: 0.5, fields: [\"y\"])");
        assert_eq!((position.x, position.y), (100.0, 300.0));
    }

    #[test]
    fn its_noise_is_the_same_on_every_run() {
        let position = modified("(error: 0, sigma: 1)");
        assert_ne!(position.x, 100.0);
        assert_eq!(modified("(error: 0, sigma: 1)").x, position.x);
    }
}
