//! Withholds measurements while a flag in them is false.
use std::any::TypeId;

use bevy::reflect::structs::Struct;
use morse_api::{
    fields::{Field, at_mut},
    modifier::{ModifierOutcome, Site},
    prelude::*,
};

/// Withholds measurements while a flag in them is false; for example those of a `collision` sensor without a collision, as
/// MORSE's sensor does.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Silence {
    /// Name of the flag.
    pub unless: String,
}

impl Default for Silence {
    fn default() -> Self {
        Self {
            unless: "collision".to_owned(),
        }
    }
}

impl Modifier for Silence {
    const KIND: &'static str = "silence";

    fn bind(&self, fields: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        let is_flag = |field: &&Field| field.type_id == TypeId::of::<bool>();
        let Some(flag) = fields.get(&self.unless).filter(is_flag) else {
            return Err(BindError::needs(format!(
                "a field `{}` that is true or false",
                self.unless
            )));
        };
        let index = flag.index;
        Ok(Box::new(
            move |data: &mut dyn Struct, state: &mut ModifierState, _: &Clock| {
                if at_mut::<bool>(data, index).is_some_and(|flag| !*flag) {
                    state.outcome = ModifierOutcome::Lost;
                }
            },
        ))
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_modifier::<Silence>();
}

#[cfg(test)]
mod tests {
    use morse_sensors::{collision::CollisionData, pose::PoseData};
    use morse_testing::settings;

    use super::*;

    fn bound(text: &str, fields: &Fields) -> Result<Box<dyn Modify>, BindError> {
        let site = Site {
            world: &World::new(),
            side: morse_api::modifier::Side::Measurement,
            path: "rover.sensor",
        };
        settings::<Silence>(text).bind(fields, &site)
    }

    #[test]
    fn nothing_is_said_while_the_flag_is_down() {
        let fields = Fields::of_type::<CollisionData>(None);
        let silence = bound(r#"(unless: "collision")"#, &fields).unwrap();
        for collision in [false, true] {
            let mut data = CollisionData {
                collision,
                ..CollisionData::default()
            };
            let mut state = ModifierState::new(Random::new(0, "rover.sensor", "silence"));
            silence.modify(&mut data, &mut state, &Clock::new(60.0));
            assert_eq!(state.outcome == ModifierOutcome::Lost, !collision);
        }
    }

    #[test]
    fn it_needs_a_flag() {
        let fields = Fields::of_type::<CollisionData>(None);
        assert!(bound(r#"(unless: "objects")"#, &fields).is_err());
        let fields = Fields::of_type::<PoseData>(None);
        assert!(bound(r#"(unless: "collision")"#, &fields).is_err());
    }
}
