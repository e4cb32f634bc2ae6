//! Sensors: settings, local data, and a `default_action` that measures.
use bevy::{
    ecs::{component::Mutable, schedule::IntoScheduleConfigs as _},
    prelude::*,
    reflect::{Typed, structs::Struct},
};
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    body::BodyState,
    check::CheckError,
    component::{Active, Due, Level, Mount, UpdateRate, WorldPose, WorldVelocity},
    fields::{self, Fields},
    kind::{
        About, Described, ErasedSettings, KindOf, Kinds, Role, SensorKind, at_level, claim, demand,
    },
    memory::{COPIES, Memory},
    modifier::{ModifierOutcome, ModifierStates, Modifiers},
    port::{LockstepLost, OutputPort},
    random::Random,
    reading::refill,
    ros::{RosMessage, demand_fields},
    settings::{self, SettingsOf},
    stamp::{Placed, stamp},
    state::{
        AddState as _, StateEntry, StateError, StateHasher, StateRegister, Stateful, candidates,
    },
    tick::{Clock, Tick},
    turn::{Systems, add_in_turn, require_turn, wait_for},
};

/// A kind of sensor. The type itself holds the settings, which no system ever writes.
///
/// ```
/// use morse_api::prelude::*;
/// use morse_testing::{TestWorld, moving};
///
/// /// Measures the height above the scene's origin.
/// #[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
/// #[serde(default, deny_unknown_fields)]
/// struct Altimeter {
///     /// Added to each measurement.
///     #[reflect(@Unit("m"), @ValueRange(-10.0, 10.0))]
///     offset: f64,
/// }
///
/// /// One measurement.
/// #[derive(Component, Reflect, Clone, Debug, Default, Serialize, Deserialize)]
/// struct AltimeterData {
///     /// Height of the sensor.
///     #[reflect(@Unit("m"))]
///     height: f64,
/// }
///
/// impl Sensor for Altimeter {
///     const KIND: &'static str = "altimeter";
///     type Data = AltimeterData;
/// }
///
/// fn default_action(mut sensors: Query<(&Due, &Altimeter, &WorldPose, &mut AltimeterData)>) {
///     for (due, settings, pose, mut data) in &mut sensors {
///         if due.0 {
///             data.height = pose.0.translation.z + settings.offset;
///         }
///     }
/// }
///
/// let plugin = |app: &mut App| { app.add_sensor::<Altimeter, _>(default_action); };
/// let state = moving([0.0, 0.0, 2.0], 0.0, [0.0; 3], [0.0; 3]);
/// let mut world = TestWorld::new(60.0, plugin, state);
/// let sensor = world.sensor::<Altimeter>("rover.altimeter", "(offset: 0.5)", 60.0, Isometry3::identity());
/// world.step(state);
/// assert_eq!(world.read::<AltimeterData>(sensor).height, 2.5);
/// ```
#[doc(alias("camera", "lidar", "sensordata"))]
pub trait Sensor: Component<Mutability = Mutable> + Clone + DeserializeOwned + Typed {
    /// Name of the kind in simulation files.
    const KIND: &'static str;
    /// Levels of detail, the default one first. A kind with levels declares a setting `level`.
    const LEVELS: &'static [&'static str] = &[];
    /// Default frequency of measurements, Hz; without it, or in a slower simulation, every tick.
    const FREQUENCY: Option<f64> = None;
    /// True if it combines the exports of other sensors. It then measures in [`Tick::Merge`].
    const MERGES: bool = false;
    /// Messages of ROS in which its readings are published, the main one first: one list for all levels, or one per level in
    /// the order of [`Sensor::LEVELS`]. The data must have the fields that the messages require.
    const ROS: &'static [&'static [RosMessage]] = &[&[RosMessage::Json]];
    /// Names of the class of MORSE that it replaces, for MORSE's clients: one for all levels, or one per level in the order of
    /// [`Sensor::LEVELS`]. Empty for a kind that MORSE does not have; its own name is then used.
    const MORSE_CLASSES: &'static [&'static str] = &[];
    /// Type of the data of one measurement.
    #[doc(alias("local_data"))]
    type Data: LocalData;

    /// Checks whether the sensor can work in this world, at its mount; for example whether the scene has an origin on Earth.
    ///
    /// # Errors
    ///
    /// The unmet requirement, and how to meet it, as a message for the user.
    fn check(&self, _world: &World, _entity: Entity) -> Result<(), CheckError> {
        Ok(())
    }

    /// Returns the maximum memory at a level of detail, besides the fixed size of its data, as its settings define it: for
    /// lists, images and workspace. It is checked against the budget before anything is allocated.
    fn memory(&self, _level: &str) -> Memory {
        Memory::default()
    }
}

/// Data of one measurement: a struct of numbers, vectors, lists and text.
///
/// Data with lists should implement `Clone::clone_from` field by field, so that no tick allocates.
pub trait LocalData:
    Component<Mutability = Mutable> + Clone + Default + Struct + Typed + Serialize + DeserializeOwned
{
}

impl<T> LocalData for T where
    T: Component<Mutability = Mutable>
        + Clone
        + Default
        + Struct
        + Typed
        + Serialize
        + DeserializeOwned
{
}

/// Local data after the sensor's modifiers: the exported data, which `get_local_data` returns. Undefined while [`Exported`]
/// is nothing.
#[derive(Component, Clone, Default)]
pub struct Modified<D: LocalData>(pub D);

/// Copy of the data on which the modifiers of a sensor work, so that the previous reading stays if this one is not exported.
/// It is rewritten each time, so it is no state.
#[derive(Component, Clone, Default)]
struct Draft<D: LocalData>(D);

/// True if the modifiers kept the present measurement from being exported.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Withheld(pub bool);

/// The tick in which the modified data were last measured; 0 before the first measurement. It is saved with the data, and
/// not hashed: it follows from the sequence of hashed states.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported(pub u64);

impl Exported {
    /// Returns true if there is no data yet: no measurement has passed the sensor's modifiers.
    #[must_use]
    pub fn is_nothing(self) -> bool {
        self.0 == 0
    }
}

/// The ports of a sensor.
#[derive(Component, Default)]
pub struct Outputs(pub Vec<OutputPort>);

/// A lockstep observer that was lost in this run; the run ends with it.
#[derive(Resource, Default, Debug)]
pub struct LostObserver(pub Option<LockstepLost>);

/// Marks sensors, as opposed to actuators.
#[derive(Component, Default, Clone, Copy)]
pub struct IsSensor;

/// Registers sensors.
pub trait AddSensor {
    /// Registers the kind `S`. `default_action` runs in the ticks in which the sensor is due; several systems in a certain order
    /// are given by a function: `|| (first, second).chain()`.
    ///
    /// # Panics
    ///
    /// Two kinds of sensor have the same name; or settings or data have a field that makes runs differ from each other, such
    /// as an unordered map; or they lack a field that a message of [`Sensor::ROS`] requires.
    fn add_sensor<S: Sensor, M>(&mut self, default_action: impl Systems<M>) -> &mut Self;
}

impl AddSensor for App {
    fn add_sensor<S: Sensor, M>(&mut self, default_action: impl Systems<M>) -> &mut Self {
        demand(Role::Settings, S::KIND, S::type_info());
        demand(Role::Data, S::KIND, <S::Data as Typed>::type_info());
        demand_messages::<S>();
        let world = self.world_mut();
        world.register_required_components::<S, S::Data>();
        world.register_required_components::<S, Modified<S::Data>>();
        world.register_required_components::<S, Draft<S::Data>>();
        world.register_required_components::<S, Common>();
        claim(
            &mut world.get_resource_or_init::<Kinds>().sensors,
            S::KIND,
            SensorKind {
                about: About::of::<S>(),
                data: <S::Data as Typed>::type_info(),
                levels: S::LEVELS,
                frequency: S::FREQUENCY,
                ros: S::ROS,
                morse_classes: S::MORSE_CLASSES,
                insert: insert::<S>,
                check: check::<S>,
                memory: memory::<S>,
                is_on: |world, entity| world.get::<S>(entity).is_some(),
                local: |world, entity| Some(world.get::<S::Data>(entity)? as &dyn Struct),
                modified: |world, entity| {
                    let modified = exported::<S::Data>(world, entity)?;
                    Some(modified as &dyn Struct)
                },
                offer: offer_now::<S::Data>,
            },
        );
        self.register_state::<ModifierStates>()
            .register_state::<Random>()
            .register_state::<Active>();
        register_data::<S>(self.world_mut());
        settings::register(self.world_mut());
        self.init_resource::<LostObserver>();
        if S::MERGES {
            let both = || (default_action.configured(), modify::<S>.into_configs()).chain();
            add_in_turn(self, Tick::Merge, S::KIND, both);
        } else {
            add_in_turn(self, Tick::DefaultAction, S::KIND, default_action);
            add_in_turn(self, Tick::Modifiers, S::KIND, modify::<S>);
        }
        add_in_turn(self, Tick::Outputs, S::KIND, output::<S>);
        wait_for::<S>(self, S::KIND, |world, _| require_turn(world, S::KIND));
        self
    }
}

/// Components that all sensors have besides their own.
#[derive(Component, Default, Clone, Copy)]
#[require(
    Active,
    Due,
    WorldPose,
    WorldVelocity,
    Modifiers,
    ModifierStates,
    Outputs,
    Withheld,
    Exported,
    Level,
    IsSensor
)]
pub struct Common;

impl Stateful for Random {}

/// Checks the messages of a sensor: their number at compile time, and their fields at each level.
#[track_caller]
fn demand_messages<S: Sensor>() {
    const {
        let levels = S::LEVELS.len();
        let (lists, classes) = (S::ROS.len(), S::MORSE_CLASSES.len());
        assert!(
            lists == 1 || lists == levels,
            "`ROS` has one list, or one per level"
        );
        assert!(
            classes < 2 || classes == levels,
            "`MORSE_CLASSES` has at most one name, or one per level"
        );
    }
    let data = <S::Data as Typed>::type_info();
    let levels = S::LEVELS.iter().copied().map(Some);
    for level in levels.chain(S::LEVELS.is_empty().then_some(None)) {
        let messages = at_level(S::ROS, S::LEVELS, level);
        demand_fields(
            S::KIND,
            messages.copied().unwrap_or_default(),
            &Fields::of(data, level),
            S::type_info(),
        );
    }
}

fn insert<S: Sensor>(
    entity: &mut EntityWorldMut<'_>,
    settings: &ErasedSettings,
    level: Level,
    random: Random,
) {
    if let Some(own) = settings.downcast_ref::<S>() {
        let access = SettingsOf::new::<S>(settings.clone(), check::<S>);
        entity.insert((own.clone(), access, level, random, KindOf(S::KIND)));
    }
}

fn check<S: Sensor>(world: &World, entity: Entity) -> Result<(), CheckError> {
    let sensor = world.get::<S>(entity);
    sensor.map_or(Ok(()), |sensor| sensor.check(world, entity))
}

/// Returns the maximum memory of a sensor with the copies of its data, B.
fn memory<S: Sensor>(world: &World, entity: Entity) -> u64 {
    let Some(sensor) = world.get::<S>(entity) else {
        return 0;
    };
    let level = world.get::<Level>(entity).map_or("", |level| level.0);
    let Memory {
        measurement,
        workspace,
    } = sensor.memory(level);
    let measurement = measurement.saturating_add(size_of::<S::Data>() as u64);
    let frequency = world.get::<UpdateRate>(entity).map(|rate| rate.frequency);
    let modifiers = world.get::<Modifiers>(entity).into_iter();
    let ports = world.get::<Outputs>(entity).into_iter();
    let waiting = ports
        .flat_map(|ports| &ports.0)
        .map(|port| port.most_waiting() as u64);
    let held = modifiers
        .flat_map(|modifiers| &modifiers.0)
        .map(|modifier| modifier.most_held(frequency.unwrap_or_default()))
        .chain(waiting)
        .fold(COPIES, u64::saturating_add);
    workspace.saturating_add(measurement.saturating_mul(held))
}

/// Copies due local data and runs the modifiers on the copy.
fn modify<S: Sensor>(
    clock: Res<Clock>,
    mut sensors: Query<
        (
            &Due,
            &S::Data,
            &mut Modified<S::Data>,
            &mut Draft<S::Data>,
            (&mut Withheld, &mut Exported),
            &Modifiers,
            &mut ModifierStates,
        ),
        With<S>,
    >,
) {
    for (due, local, mut modified, mut draft, marks, modifiers, mut states) in &mut sensors {
        if !due.0 {
            continue;
        }
        let (mut withheld, mut exported) = marks;
        if modifiers.0.is_empty() {
            modified.0.clone_from(local);
            exported.0 = clock.tick;
            continue;
        }
        draft.0.clone_from(local);
        let outcome = modifiers.measure(&mut draft.0, &mut states, &clock);
        withheld.0 = outcome != ModifierOutcome::Passed;
        if !withheld.0 {
            std::mem::swap(&mut modified.0, &mut draft.0);
            exported.0 = clock.tick;
        }
    }
}

/// Offers due modified data to the sensor's ports.
fn output<S: Sensor>(
    clock: Res<Clock>,
    mut lost: ResMut<LostObserver>,
    bodies: Query<&BodyState>,
    sensors: Query<(&Due, &Withheld, Placed, &Modified<S::Data>, &Outputs), With<S>>,
) {
    for (due, withheld, placed, modified, outputs) in &sensors {
        if !due.0 || withheld.0 || outputs.0.is_empty() {
            continue;
        }
        let stamp = stamp(&clock, placed, |robot| bodies.get(robot).ok());
        for port in &outputs.0 {
            if let Err(error) = port.offer(stamp, |used| refill(used, &modified.0)) {
                lost.0.get_or_insert(error);
            }
        }
    }
}

/// Returns the data that a sensor exported last; `None` before the first export, and for entities without such data.
#[must_use]
pub fn exported<D: LocalData>(world: &World, entity: Entity) -> Option<&D> {
    let tick = world.get::<Exported>(entity)?;
    let modified = world.get::<Modified<D>>(entity)?;
    (!tick.is_nothing()).then_some(&modified.0)
}

/// Offers the last exported data of a sensor, if there are any, to one port.
fn offer_now<D: LocalData>(world: &World, entity: Entity, port: &OutputPort) {
    let placed = world
        .get::<Mount>(entity)
        .zip(world.get(entity))
        .zip(world.get(entity));
    let (Some(modified), Some(((mount, pose), described))) = (exported::<D>(world, entity), placed)
    else {
        return;
    };
    let clock = world.resource::<Clock>();
    let stamp = stamp(clock, (mount, pose, described), |robot| world.get(robot));
    // No client waits for this reading; the next reading detects a lost observer.
    drop(port.offer(stamp, |used| refill(used, modified)));
}

/// Registers local and modified data as state. Only the fields of the component's level are hashed.
fn register_data<S: Sensor>(world: &mut World) {
    world
        .get_resource_or_init::<StateRegister>()
        .0
        .push(StateEntry {
            name: std::any::type_name::<S::Data>(),
            hash: |world, hasher| {
                each::<S>(world, |_, described, local, modified| {
                    hash_data(described, local, hasher);
                    hash_data(described, modified, hasher);
                });
            },
            save: |world| {
                let mut all = Vec::new();
                each::<S>(world, |entity, _, local, modified| {
                    let exported = world.get::<Exported>(entity).map_or(0, |tick| tick.0);
                    all.push((local, modified, exported));
                });
                postcard::to_stdvec(&all).map_err(|error| encoding::<S>(&error))
            },
            restore: restore_data::<S>,
            copy: None,
            carry: |from, to, kept| {
                kept.carry::<S::Data>(from, to);
                kept.carry::<Modified<S::Data>>(from, to);
                kept.carry::<Exported>(from, to);
            },
        });
}

/// Iterates over all sensors of a kind, in path order.
fn each<'w, S: Sensor>(
    world: &'w World,
    mut visit: impl FnMut(Entity, &'w Described, &'w S::Data, &'w S::Data),
) {
    for &entity in candidates::<S>(world) {
        let components = (
            world.get::<S>(entity),
            world.get::<Described>(entity),
            world.get::<S::Data>(entity),
            world.get::<Modified<S::Data>>(entity),
        );
        if let (Some(_), Some(described), Some(local), Some(modified)) = components {
            visit(entity, described, local, &modified.0);
        }
    }
}

fn hash_data(described: &Described, data: &dyn Struct, hasher: &mut StateHasher) {
    for field in &described.0.fields.0 {
        if let Some(value) = field.view(data) {
            fields::hash_value(value, hasher);
        }
    }
}

fn restore_data<S: Sensor>(world: &mut World, bytes: &[u8]) -> Result<(), StateError> {
    let saved: Vec<(S::Data, S::Data, u64)> =
        postcard::from_bytes(bytes).map_err(|error| encoding::<S>(&error))?;
    let mut entities = Vec::new();
    each::<S>(world, |entity, _, _, _| entities.push(entity));
    if saved.len() != entities.len() {
        return Err(StateError::OtherWorld {
            name: std::any::type_name::<S::Data>(),
            saved: saved.len(),
            here: entities.len(),
        });
    }
    for (entity, (local, modified, exported)) in entities.into_iter().zip(saved) {
        let exported = Exported(exported);
        world
            .entity_mut(entity)
            .insert((local, Modified(modified), exported));
    }
    Ok(())
}

fn encoding<S: Sensor>(error: &postcard::Error) -> StateError {
    StateError::Encoding {
        name: std::any::type_name::<S::Data>(),
        cause: error.to_string(),
    }
}
