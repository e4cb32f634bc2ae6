//! Requirements of victims, and severity of their injuries.
use morse_api::{
    object::{Objects, Property},
    prelude::*,
    service::NoArguments,
    state::Stateful,
};

/// Property of victims.
pub(super) const INJURED: &str = "Injured";

/// Severity of an injury without the property `Severity`.
const SEVERITY: i64 = 10;

/// Injury of an object or robot, as a component of its entity. Part of the state.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Victim {
    /// Abilities that the victim needs.
    pub requirements: Vec<i64>,
    /// Severity of the injury; 0 once the victim is healed.
    pub severity: i64,
}

impl Stateful for Victim {}

pub(super) fn plugin(app: &mut App) {
    app.register_state::<Victim>()
        .add_systems(Startup, begin)
        .add_service::<Victim>(Service::new(
            "heal",
            "Makes the victim's need less severe by one.",
            heal,
        ));
}

fn begin(world: &mut World) {
    let Some(objects) = world.get_resource::<Objects>() else {
        return;
    };
    let injured = objects.all().iter().filter(|object| object.has(INJURED));
    let victims: Vec<_> = injured
        .map(|object| {
            let property = |name: &str| object.properties.get(name);
            let victim = Victim {
                requirements: property("Requirements").map_or_else(Vec::new, requirements),
                severity: property("Severity")
                    .and_then(Property::number)
                    .map_or(SEVERITY, |severity| severity as i64),
            };
            (object.entity, victim)
        })
        .collect();
    for (entity, victim) in victims {
        world.entity_mut(entity).insert(victim);
    }
}

/// Parses whole numbers from a list or from text with commas.
fn requirements(property: &Property) -> Vec<i64> {
    match property {
        Property::Numbers(numbers) => numbers.iter().map(|number| *number as i64).collect(),
        Property::Number(number) => vec![*number as i64],
        Property::Text(text) => {
            let words = text.split(',');
            words.filter_map(|word| word.trim().parse().ok()).collect()
        }
        Property::Flag(_) => Vec::new(),
    }
}

impl Victim {
    /// Removes the requirements that these abilities meet, and returns the result as a text, as MORSE does.
    pub(super) fn treat(&mut self, abilities: &[i64]) -> &'static str {
        self.requirements
            .retain(|needed| !abilities.contains(needed));
        if self.requirements.is_empty() {
            self.severity = 0;
            "healed"
        } else {
            "partially healed"
        }
    }
}

fn heal(world: &mut World, entity: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    if let Some(mut victim) = world.get_mut::<Victim>(entity) {
        victim.severity = (victim.severity - 1).max(0);
    }
    Ok(Outcome::NOTHING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_lists_or_text() {
        assert_eq!(requirements(&Property::Text("1, 2,3".into())), [1, 2, 3]);
        assert_eq!(requirements(&Property::Numbers(vec![4.0, 5.0])), [4, 5]);
        assert_eq!(requirements(&Property::Number(6.0)), [6]);
        assert!(requirements(&Property::Text("x,".into())).is_empty());
    }

    #[test]
    fn what_is_treated_is_no_longer_required() {
        let mut victim = Victim {
            requirements: vec![1, 2, 3],
            severity: 7,
        };
        assert_eq!(victim.treat(&[1, 3, 9]), "partially healed");
        assert_eq!(
            (victim.requirements.as_slice(), victim.severity),
            (&[2][..], 7)
        );
        assert_eq!(victim.treat(&[2]), "healed");
        assert_eq!(victim, Victim::default());
    }
}
