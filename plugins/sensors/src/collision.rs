//! Contact sensor: reports whether something is touched, and which bodies.
use std::collections::BTreeSet;

use morse_api::{
    contact::Touching,
    names::is_selected,
    object::{Object, Objects, Tracked},
    prelude::*,
};

/// Reports the bodies that touch the body that carries the sensor.
///
/// It always publishes, also without contacts; MORSE's sensor then publishes nothing, as this one does with the modifier
/// `silence`. MORSE's sensor detects contacts within 2 cm of itself; this one uses the whole body, so the ground is usually
/// excluded by `ignore`.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Touching, Tracked)]
pub struct Collision {
    /// Property of the objects and robots that count, which are then reported by their own names; by default all bodies
    /// count.
    #[reflect(@Property("only_objects_with_property"), @Changeable)]
    pub only_objects_with_property: String,
    /// Names that count; `*` stands for any text. By default all.
    #[reflect(@Changeable)]
    pub only: Vec<String>,
    /// Names that do not count.
    #[reflect(@Changeable)]
    pub ignore: Vec<String>,
}

/// One measurement.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CollisionData {
    /// True if anything is touched.
    #[reflect(@Unit(""))]
    pub collision: bool,
    /// Names of the bodies, or objects, that are touched, sorted and separated by commas.
    #[reflect(@Unit(""))]
    pub objects: String,
}

impl Sensor for Collision {
    const KIND: &'static str = "collision";
    const MORSE_CLASSES: &'static [&'static str] = &["Collision"];
    type Data = CollisionData;
}

pub(super) fn plugin(app: &mut App) {
    app.add_sensor::<Collision, _>(default_action)
        .init_resource::<Objects>();
}

fn default_action(
    objects: Res<Objects>,
    paths: Query<&ComponentPath>,
    mut sensors: Query<(
        &Collision,
        &Due,
        &Touching,
        &mut Tracked,
        &mut CollisionData,
    )>,
) {
    for (settings, due, touching, mut tracked, mut data) in &mut sensors {
        if !due.0 {
            continue;
        }
        let touched = &touching.0;
        if settings.only_objects_with_property.is_empty() {
            let names = touched
                .iter()
                .filter_map(|contact| paths.get(contact.other_body).ok());
            settings.measure(names.map(ComponentPath::as_str), &mut data);
        } else {
            let is_touched = |object: &&Object| {
                let mut others = touched.iter().map(|contact| contact.other_geometry);
                others.any(|geometry| object.owns(geometry))
            };
            let tag = &settings.only_objects_with_property;
            let names = tracked.of(&objects, tag).filter(is_touched);
            settings.measure(names.map(|object| object.name.as_str()), &mut data);
        }
    }
}

impl Collision {
    fn measure<'a>(&self, touched: impl Iterator<Item = &'a str>, data: &mut CollisionData) {
        // Two bodies may have several contacts.
        let names: BTreeSet<&str> = touched
            .filter(|name| is_selected(&self.only, &self.ignore, name))
            .collect();
        data.collision = !names.is_empty();
        data.objects.clear();
        for name in names {
            if !data.objects.is_empty() {
                data.objects.push(',');
            }
            data.objects.push_str(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use morse_testing::settings;

    use super::*;

    fn measured(text: &str, touched: &[&str]) -> CollisionData {
        let mut data = CollisionData {
            collision: true,
            objects: "old".to_owned(),
        };
        settings::<Collision>(text).measure(touched.iter().copied(), &mut data);
        data
    }

    #[test]
    fn each_object_once_in_order() {
        let data = measured("()", &["wall", "crate_1", "wall"]);
        assert!(data.collision);
        assert_eq!(data.objects, "crate_1,wall");
        assert_eq!(measured("()", &[]), CollisionData::default());
    }

    #[test]
    fn what_does_not_count_is_not_felt() {
        let touched = ["ground", "crate_1", "crate_2"];
        assert_eq!(
            measured(r#"(only: ["crate_*"])"#, &touched).objects,
            "crate_1,crate_2"
        );
        assert!(!measured(r#"(ignore: ["ground", "crate_*"])"#, &touched).collision);
    }
}
