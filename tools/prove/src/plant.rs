//! Defects that can be planted into a run, so that each check of `morse-prove` shows that it detects them.
//!
//! Each is a real one: a system in the tick, or an error in the reading of files, that makes runs differ in one respect and
//! stores its result as state of the world. The option `--plant` accepts them; the help does not list it.
use std::{
    collections::HashMap,
    env,
    thread::{self, ScopedJoinHandle},
};

use bevy::prelude::{FixedUpdate, IntoScheduleConfigs as _, Local};
use clap::ValueEnum;
use morse_api::{
    prelude::*,
    sensor::{IsSensor, Modified, Outputs},
    state::InPathOrder,
    world_view::Viewers,
};
use morse_sensors::pose::PoseData;

use morse_sim::{run::clock::Stopwatch, simulation::load::Plan};

/// A defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Plant {
    /// Bodies are visited in the order of a hash map.
    HashOrder,
    /// A computation runs until a time is up, and its result is used.
    WallClock,
    /// A sum is divided among the threads, which changes its rounding.
    ThreadSum,
    /// Work is divided by the number of processors.
    Processors,
    /// Environment variables affect the result: the time zone, the locale, the home directory.
    Variables,
    /// The working directory affects the result.
    Directory,
    /// Sensors work differently while they are observed.
    Listeners,
    /// A counter is not part of the state that reset and snapshot cover.
    HiddenState,
    /// The wall-clock time between ticks affects the result.
    Patience,
    /// Sensors draw their noise from one stream, one after the other.
    SharedNoise,
    /// The seed is ignored.
    IgnoredSeed,
    /// Noise has a non-zero mean.
    BiasedNoise,
    /// Two systems write the same data in an ambiguous order.
    TwoOrders,
}

/// Result of a defect in the world, as registered state.
#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
struct Spoilt(u64);

impl Stateful for Spoilt {}

impl Spoilt {
    fn add(&mut self, number: u64) {
        self.0 = self.0.rotate_left(7).wrapping_add(number);
    }
}

/// Random stream that sensors share.
#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
struct Shared(Random);

impl Stateful for Shared {}

impl Plant {
    /// Returns its name on the command line.
    pub(super) fn word(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Plants it into a plan.
    pub(crate) fn spoil(self, plan: &mut Plan) {
        if self == Self::IgnoredSeed {
            plan.simulation.environment.seed = 1;
        }
    }

    /// Plants it into a world with a number of threads.
    pub(crate) fn plugin(self, app: &mut App, threads: usize) {
        app.init_resource::<Spoilt>()
            .register_state_resource::<Spoilt>();
        let threads = threads.max(1);
        match self {
            Self::HashOrder => act(app, hash_order),
            Self::WallClock => act(app, wall_clock),
            Self::ThreadSum => act(
                app,
                move |spoilt: ResMut<Spoilt>, bodies: Query<&BodyState>| {
                    thread_sum(spoilt, &bodies, threads);
                },
            ),
            Self::Processors => act(app, processors),
            Self::Variables => act(app, variables),
            Self::Directory => act(app, directory),
            Self::Listeners => act(app, listeners),
            Self::HiddenState => act(app, hidden_state),
            Self::Patience => act(app, patience),
            Self::SharedNoise => {
                app.insert_resource(Shared(Random::new(1, "all", "noise")))
                    .register_state_resource::<Shared>();
                app.add_systems(
                    FixedUpdate,
                    shared_noise.after(Tick::Modifiers).before(Tick::Merge),
                );
            }
            Self::BiasedNoise => {
                let system = biased_noise.after(Tick::Modifiers).before(Tick::Merge);
                app.add_systems(FixedUpdate, system);
            }
            Self::TwoOrders => {
                app.add_systems(
                    FixedUpdate,
                    (double.in_set(Tick::Export), increase.in_set(Tick::Export)),
                );
            }
            Self::IgnoredSeed => {}
        }
    }
}

fn act<M>(app: &mut App, system: impl bevy::ecs::system::IntoSystem<(), (), M> + 'static) {
    app.add_systems(
        FixedUpdate,
        bevy::ecs::system::IntoSystem::into_system(system).before(Tick::Inputs),
    );
}

fn hash_order(mut spoilt: ResMut<Spoilt>, paths: Query<(Entity, &ComponentPath)>) {
    let lengths = paths.iter().map(|(entity, path)| (entity, path.0.len()));
    let lengths: HashMap<Entity, usize> = lengths.collect();
    #[expect(clippy::iter_over_hash_type, reason = "it is the defect")]
    for (entity, length) in &lengths {
        spoilt.add(entity.to_bits() + *length as u64);
    }
}

fn wall_clock(mut spoilt: ResMut<Spoilt>) {
    let watch = Stopwatch::start();
    let mut rounds = 0;
    while watch.seconds() < 20e-6 {
        rounds += 1;
    }
    spoilt.add(rounds);
}

fn thread_sum(mut spoilt: ResMut<Spoilt>, bodies: &Query<&BodyState>, threads: usize) {
    let coordinates = bodies.iter().flat_map(|body| {
        let position = body.pose.translation.vector;
        [position.x, position.y, position.z].map(|coordinate| coordinate as f32 * 1.1)
    });
    let mut numbers: Vec<f32> = coordinates.collect();
    // As many numbers as make the rounding visible.
    numbers.extend((0..997).map(|number| 1.0 / (1.0 + number as f32)));
    let length = numbers.len().div_ceil(threads);
    let sum: f32 = thread::scope(|scope| {
        let handles: Vec<ScopedJoinHandle<'_, f32>> = numbers
            .chunks(length)
            .filter_map(|chunk| {
                let thread = thread::Builder::new().name("sum".to_owned());
                thread.spawn_scoped(scope, move || chunk.iter().sum()).ok()
            })
            .collect();
        handles
            .into_iter()
            .filter_map(|handle| handle.join().ok())
            .sum()
    });
    spoilt.add(u64::from(sum.to_bits()));
}

fn processors(mut spoilt: ResMut<Spoilt>) {
    spoilt.add(thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64);
}

fn variables(mut spoilt: ResMut<Spoilt>) {
    for (name, value) in env::vars_os() {
        spoilt.add((name.len() + value.len()) as u64);
    }
}

fn directory(mut spoilt: ResMut<Spoilt>) {
    let length = env::current_dir().map_or(0, |path| path.as_os_str().len());
    spoilt.add(length as u64);
}

fn listeners(mut spoilt: ResMut<Spoilt>, sensors: Query<&Outputs>, viewers: Option<Res<Viewers>>) {
    let ports = sensors.iter().map(|outputs| outputs.0.len()).sum::<usize>();
    spoilt.add(ports as u64 + u64::from(viewers.is_some()));
}

fn hidden_state(mut spoilt: ResMut<Spoilt>, mut counter: Local<u64>) {
    *counter += 1;
    let counted = *counter;
    spoilt.add(counted / 3);
}

fn patience(mut spoilt: ResMut<Spoilt>, mut last: Local<Option<Stopwatch>>) {
    let since = last.replace(Stopwatch::start());
    let waited = since.map_or(0.0, Stopwatch::seconds);
    spoilt.add((waited / 3e-3) as u64);
}

fn shared_noise(
    order: Res<InPathOrder>,
    mut shared: ResMut<Shared>,
    sensors: Query<&Due, With<IsSensor>>,
    mut poses: Query<&mut Modified<PoseData>>,
) {
    for &entity in &order.0 {
        if sensors.get(entity).is_ok_and(|due| due.0) {
            let error = shared.0.gauss(0.01);
            if let Ok(mut pose) = poses.get_mut(entity) {
                pose.0.x += error;
            }
        }
    }
}

fn biased_noise(mut poses: Query<(&Due, &mut Modified<PoseData>)>) {
    for (_, mut pose) in poses.iter_mut().filter(|(due, _)| due.0) {
        pose.0.x += 0.03;
    }
}

fn double(mut spoilt: ResMut<Spoilt>) {
    spoilt.0 = spoilt.0.wrapping_mul(2);
}

fn increase(mut spoilt: ResMut<Spoilt>) {
    spoilt.0 = spoilt.0.wrapping_add(1);
}
