//! Detection and healing of victims.
//!
//! - [`victim`]: requirements and severity of a victim;
//! - this file: the sensor, and its services.
use std::collections::BTreeMap;

use morse_api::{
    fields::assign_map,
    object::{Cone, Objects, Tracked},
    prelude::*,
    service::{NoArguments, Status},
    state::Stateful,
};
use serde_json::json;

pub mod victim;

use victim::{INJURED, Victim};

/// Number of measurements between a request to heal and its end, as in MORSE.
const EFFORT: u32 = 10;

/// Detects victims in a cone along its x axis, and heals those for which it has the abilities.
///
/// Victims are objects and robots with the property `Injured`. `Requirements` (a list of numbers, or text such as "1,2")
/// contains the abilities that they need, and `Severity` the severity of the injury. They stay `Injured` when they are
/// healed, as in MORSE. A victim is in the cone if a point of its box is (see `morse_api::object::Cone`); obstacles do not
/// hide it.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[require(Tracked, Healing, Task)]
pub struct SearchAndRescue {
    /// Maximum distance at which a victim can be healed.
    #[reflect(@Unit("m"), @ValueRange(0.0, 1e6), @Property("Heal_range"))]
    pub heal_range: f64,
    /// Abilities of the sensor to heal victims.
    #[reflect(@ValueRange(-1e9, 1e9), @Property("Abilities"), @Changeable)]
    pub abilities: Vec<i64>,
    /// Full opening angle of the cone; π is a half-space.
    #[reflect(@Unit("rad"), @ValueRange(0.0, 3.15), @Property("Angle"), @Form::Degrees)]
    pub angle: f64,
    /// Length of the cone.
    #[reflect(@Unit("m"), @ValueRange(0.0, 1e6), @Property("Distance"))]
    pub distance: f64,
}

impl Default for SearchAndRescue {
    fn default() -> Self {
        Self {
            heal_range: 2.0,
            abilities: vec![1, 2],
            angle: 60.0_f64.to_radians(),
            distance: 10.0,
        }
    }
}

/// One measurement.
#[derive(Component, Reflect, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchAndRescueData {
    /// Victims in the cone, by name.
    pub victim_dict: BTreeMap<String, VictimData>,
}

impl Clone for SearchAndRescueData {
    fn clone(&self) -> Self {
        Self {
            victim_dict: self.victim_dict.clone(),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        assign_map(&mut self.victim_dict, &source.victim_dict);
    }
}

/// A victim in the cone.
#[derive(Reflect, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VictimData {
    /// Position in the world.
    pub coordinate: Coordinate,
    /// Abilities that the victim needs.
    pub requirements: Vec<i64>,
    /// Severity of the injury.
    pub severity: i64,
}

/// A point in the world.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Coordinate {
    /// Position along the world's x axis.
    #[reflect(@Unit("m"))]
    pub x: f64,
    /// Position along the world's y axis.
    #[reflect(@Unit("m"))]
    pub y: f64,
    /// Position along the world's z axis.
    #[reflect(@Unit("m"))]
    pub z: f64,
}

/// Victim that is being healed, and number of measurements until it is. Part of the state.
#[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
struct Healing {
    victim: String,
    left: u32,
}

impl Stateful for Healing {}

impl Sensor for SearchAndRescue {
    const KIND: &'static str = "search_and_rescue";
    const FREQUENCY: Option<f64> = Some(6.0);
    const MORSE_CLASSES: &'static [&'static str] = &["SearchAndRescue"];
    type Data = SearchAndRescueData;
}

pub(super) fn plugin(app: &mut App) {
    victim::plugin(app);
    app.add_sensor::<SearchAndRescue, _>(default_action)
        .init_resource::<Objects>()
        .register_state::<Healing>()
        .add_service::<SearchAndRescue>(
            Service::new(
                "heal",
                "Heals the nearest victim in the cone, as far as the abilities allow.",
                heal,
            )
            .cancellable(|world, sensor| {
                world.entity_mut(sensor).insert(Healing::default());
            }),
        )
        .add_service::<SearchAndRescue>(
            Service::new(
                "get_robot_abilities",
                "Returns the abilities of the sensor.",
                get_robot_abilities,
            )
            .read_only(),
        )
        .add_service::<SearchAndRescue>(
            Service::new(
                "get_victim_requirements",
                "Returns the abilities that the nearest victim in the cone needs.",
                get_victim_requirements,
            )
            .read_only(),
        )
        .add_service::<SearchAndRescue>(
            Service::new(
                "get_victim_severity",
                "Returns the severity of the nearest victim's injury.",
                get_victim_severity,
            )
            .read_only(),
        );
}

fn default_action(
    objects: Res<Objects>,
    bodies: Query<&BodyState>,
    mut victims: Query<&mut Victim>,
    mut sensors: Query<(
        &SearchAndRescue,
        (&Due, &Mount, &WorldPose),
        &mut Tracked,
        (&mut Healing, &mut Task),
        &mut SearchAndRescueData,
    )>,
) {
    for (settings, (due, mount, pose), mut tracked, (mut healing, mut task), mut data) in
        &mut sensors
    {
        if !due.0 {
            continue;
        }
        if healing.left > 0 {
            healing.left -= 1;
            let patient = objects.get(&healing.victim);
            if healing.left == 0
                && let Some(mut victim) = patient.and_then(|one| victims.get_mut(one.entity).ok())
            {
                task.end(Status::Success, victim.treat(&settings.abilities));
            }
        }
        let to_sensor = pose.0.inverse();
        data.victim_dict.retain(|name, _| {
            let known = objects
                .get(name)
                .and_then(|one| one.pose(&bodies).zip(Some(one)));
            known.is_some_and(|(at, one)| settings.cone().meets(&(to_sensor * at), one))
        });
        for object in tracked.of(&objects, INJURED) {
            let (Some(at), Ok(victim)) = (object.pose(&bodies), victims.get(object.entity)) else {
                continue;
            };
            let is_own = object.robot == Some(mount.robot);
            if is_own || !settings.cone().meets(&(to_sensor * at), object) {
                continue;
            }
            let seen = match data.victim_dict.get_mut(&object.name) {
                Some(seen) => seen,
                None => data.victim_dict.entry(object.name.clone()).or_default(),
            };
            let [x, y, z] = at.translation.vector.into();
            seen.coordinate = Coordinate { x, y, z };
            seen.requirements.clone_from(&victim.requirements);
            seen.severity = victim.severity;
        }
    }
}

impl SearchAndRescue {
    fn cone(&self) -> Cone {
        Cone {
            axis: Vector3::x(),
            angle: self.angle,
            distance: self.distance,
        }
    }
}

/// Returns the nearest of the victims that were in the cone at the last measurement, and its distance from the sensor.
fn nearest(world: &World, entity: Entity) -> Result<(String, VictimData, f64), ServiceError> {
    let range = world
        .get::<SearchAndRescue>(entity)
        .map_or(0.0, |settings| settings.distance);
    let victim = world.get::<SearchAndRescueData>(entity).and_then(|data| {
        let own = world.get::<WorldPose>(entity)?.0.translation.vector;
        let victims = data.victim_dict.iter().map(|(name, victim)| {
            let Coordinate { x, y, z } = victim.coordinate;
            let away = (Vector3::new(x, y, z) - own).norm();
            (name.clone(), victim.clone(), away)
        });
        victims.min_by(|(_, _, one), (_, _, other)| one.total_cmp(other))
    });
    victim.ok_or_else(|| ServiceError::Failed(format!("No victim within range ({range})")))
}

fn heal(world: &mut World, entity: Entity, _: NoArguments) -> Result<Outcome, ServiceError> {
    let (name, victim, away) = nearest(world, entity)?;
    let settings = world.get::<SearchAndRescue>(entity).cloned();
    let settings = settings.unwrap_or_default();
    if away >= settings.heal_range {
        return Err(ServiceError::Failed(format!(
            "Victim `{name}` is too far to be healed: {away} m, where {} m are near enough",
            settings.heal_range
        )));
    }
    let can = |needed: &i64| settings.abilities.contains(needed);
    if !victim.requirements.iter().any(can) {
        return Err(ServiceError::Failed(format!(
            "Victim `{name}` requires {:?}, and the abilities are {:?}",
            victim.requirements, settings.abilities
        )));
    }
    world.entity_mut(entity).insert(Healing {
        victim: name,
        left: EFFORT,
    });
    Ok(Outcome::Pending)
}

fn get_robot_abilities(
    world: &mut World,
    entity: Entity,
    _: NoArguments,
) -> Result<Outcome, ServiceError> {
    let settings = world.get::<SearchAndRescue>(entity);
    let abilities = settings.map(|settings| &settings.abilities);
    Ok(Outcome::Done(json!(abilities)))
}

fn get_victim_requirements(
    world: &mut World,
    entity: Entity,
    _: NoArguments,
) -> Result<Outcome, ServiceError> {
    let (_, victim, _) = nearest(world, entity)?;
    Ok(Outcome::Done(json!(victim.requirements)))
}

fn get_victim_severity(
    world: &mut World,
    entity: Entity,
    _: NoArguments,
) -> Result<Outcome, ServiceError> {
    let (_, victim, _) = nearest(world, entity)?;
    Ok(Outcome::Done(json!(victim.severity)))
}

#[cfg(test)]
mod tests;
