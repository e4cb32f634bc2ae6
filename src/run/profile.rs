//! Profile of a tick: times of systems, kinds, components and middlewares.
//!
//! Systems are wrapped only in runs with a profile; their results do not depend on the measured times.
mod shares;
mod threads;

use std::{
    any::TypeId,
    collections::BTreeMap,
    mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use bevy::{
    ecs::{
        schedule::{ApplyDeferred, InternedSystemSet, SystemKey, SystemWithAccess},
        system::{Adapt, AdapterSystem, RunSystemError, SystemIn, SystemInput},
    },
    prelude::*,
};
use morse_api::{
    tick::{Inputs, Tick},
    turn::Turn,
};
use serde::Serialize;

use super::{Summary, clock::Stopwatch};
use crate::simulation::Simulation;
use shares::{Owners, share_out};
use threads::{Threads, cpu_nanos};

/// Times of a run, as means over its ticks.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Profile {
    /// Number of ticks.
    pub ticks: u64,
    /// Time of a tick, µs.
    pub tick_us: f64,
    /// Time that is available for a tick at the requested pace, or in real time, µs.
    pub real_time_us: f64,
    /// Phases of a tick.
    pub phases: Vec<Cost>,
    /// Systems, the most expensive one first.
    pub systems: Vec<SystemCost>,
    /// Kinds of sensors and actuators, the most expensive one first.
    pub kinds: Vec<KindCost>,
    /// Sensors and actuators, the most expensive one first.
    pub components: Vec<ComponentCost>,
    /// Middlewares, the most expensive one first.
    pub middlewares: Vec<MiddlewareCost>,
    /// Time between the systems: sorting them when kinds are added, calling them, and deferred commands.
    pub between: Cost,
    /// Time before and after the systems: the snapshot of the start, for resets, and the chain of hashes, if requested.
    pub hashes: Cost,
    /// Images and films between two ticks.
    pub pictures: Cost,
}

/// Time of a phase, a system, a kind or a component in a tick.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cost {
    /// Name.
    pub name: String,
    /// Time per tick, µs.
    pub us: f64,
    /// Fraction of the tick, 0 to 1.
    pub share: f64,
}

/// A system.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SystemCost {
    /// Name and cost.
    #[serde(flatten)]
    pub cost: Cost,
    /// Phase of the system; `other` for systems outside the phases.
    pub phase: &'static str,
    /// Kind to which it belongs, if any.
    pub kind: Option<&'static str>,
}

/// A kind of sensor or actuator.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct KindCost {
    /// Kind and cost.
    #[serde(flatten)]
    pub cost: Cost,
    /// Number of components of the kind.
    pub components: usize,
}

/// A sensor or an actuator.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ComponentCost {
    /// Path and cost.
    #[serde(flatten)]
    pub cost: Cost,
    /// Kind.
    pub kind: &'static str,
    /// True if the time of the kind was distributed by frequency over its components, which run in the same systems.
    pub is_shared: bool,
}

/// A kind of middleware.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MiddlewareCost {
    /// Kind, and its time in the tick: the time of readings of a kind of sensor is distributed over its ports.
    #[serde(flatten)]
    pub cost: Cost,
    /// Processor time of its own threads per tick, µs; if the system provides it.
    pub threads_us: Option<f64>,
}

/// Phases, in the order of a tick, and the one step that is outside of the phases in MORSE's motion.
const PHASES: [(&str, Tick); 9] = [
    ("Inputs", Tick::Inputs),
    ("Actuate", Tick::Actuate),
    ("Physics", Tick::Physics),
    ("Action", Tick::Action),
    ("DefaultAction", Tick::DefaultAction),
    ("Modifiers", Tick::Modifiers),
    ("Merge", Tick::Merge),
    ("Outputs", Tick::Outputs),
    ("Export", Tick::Export),
];
const OTHER: &str = "other";

/// A system that is timed.
struct Slot {
    key: SystemKey,
    name: String,
    nanos: Arc<AtomicU64>,
}

#[derive(Default)]
struct Slots {
    all: Vec<Slot>,
    ticks: u64,
    /// Start of the current update.
    began: Option<Stopwatch>,
    /// Time of all updates, s.
    updates: f64,
}

/// Profiler of a run.
pub struct Profiler {
    slots: Arc<Mutex<Slots>>,
    threads: Threads,
    pictures: f64,
}

impl Profiler {
    /// Wraps all systems of the following ticks.
    pub fn attach(simulation: &mut Simulation) -> Self {
        let slots = Arc::<Mutex<Slots>>::default();
        let kept = slots.clone();
        let mut schedules = simulation.world_mut().resource_mut::<Schedules>();
        let (begin, end) = (slots.clone(), slots.clone());
        schedules.add_systems(First, move || lock(&begin).began = Some(Stopwatch::start()));
        schedules.add_systems(Last, move || {
            let mut slots = lock(&end);
            slots.updates += slots.began.take().map_or(0.0, Stopwatch::seconds);
        });
        // Kinds that are added later bring new systems: each tick checks for them.
        schedules.add_systems(FixedPreUpdate, move |world: &mut World| wrap(world, &kept));
        Self {
            slots,
            threads: cpu_nanos(),
            pictures: 0.0,
        }
    }

    /// Calls a function between two ticks, and measures its time.
    pub fn picture<T>(&mut self, take: impl FnOnce() -> T) -> T {
        let watch = Stopwatch::start();
        let result = take();
        self.pictures += watch.seconds();
        result
    }

    /// Returns the times of the systems at the end of a run, before it is closed.
    #[must_use]
    pub fn read(&self, simulation: &Simulation) -> Measured {
        let slots = lock(&self.slots);
        let world = simulation.world();
        let owners = Owners::of(world);
        let phases = membership(world, PHASES.map(|(name, phase)| (name, phase.intern())));
        let requests = membership(world, [("Inputs", Inputs::Requests.intern())]);
        let turns = PHASES.iter().flat_map(|(_, phase)| {
            let kinds = owners.kinds.keys();
            kinds.map(move |&kind| (kind, Turn(*phase, kind).intern()))
        });
        let kinds = membership(world, turns);
        let times = slots.all.iter().map(|slot| {
            let phase = phases.get(&slot.key).or_else(|| requests.get(&slot.key));
            Time {
                name: slot.name.clone(),
                phase: phase.copied().unwrap_or(OTHER),
                kind: kinds.get(&slot.key).copied(),
                seconds: slot.nanos.load(Ordering::Relaxed) as f64 * 1e-9,
            }
        });
        Measured {
            ticks: slots.ticks,
            updates: slots.updates,
            times: times.collect(),
            owners,
            threads: cpu_nanos().since(&self.threads),
            pictures: self.pictures,
        }
    }
}

/// Time that a system took in a run.
struct Time {
    name: String,
    phase: &'static str,
    kind: Option<&'static str>,
    seconds: f64,
}

/// Measurements of a run.
pub struct Measured {
    ticks: u64,
    updates: f64,
    times: Vec<Time>,
    owners: Owners,
    threads: Threads,
    pictures: f64,
}

impl Measured {
    /// Returns the profile of the run with that summary; `requested` is the requested pace, simulated seconds per second.
    #[must_use]
    pub fn profile(self, summary: &Summary, rate: f64, requested: f64) -> Profile {
        let ticks = self.ticks.max(1) as f64;
        let tick_us = summary.tick_seconds * 1e6 / ticks;
        let cost = |name: &str, seconds: f64| Cost {
            name: name.to_owned(),
            us: seconds * 1e6 / ticks,
            share: if summary.tick_seconds > 0.0 {
                seconds / summary.tick_seconds
            } else {
                0.0
            },
        };
        let of = |is_in: &dyn Fn(&Time) -> bool| {
            let times = self.times.iter().filter(|time| is_in(time));
            times.map(|time| time.seconds).sum::<f64>()
        };
        let all = of(&|_| true);
        let phases = PHASES.iter().map(|(name, _)| *name).chain([OTHER]);
        let phases = phases.map(|name| cost(name, of(&|time| time.phase == name)));
        let systems = self.times.iter().map(|time| SystemCost {
            cost: cost(&time.name, time.seconds),
            phase: time.phase,
            kind: time.kind,
        });
        let shared = share_out(&self.owners, &self.times);
        let kinds = shared.kinds.iter().map(|(kind, seconds)| KindCost {
            cost: cost(kind, *seconds),
            components: self.owners.kinds.get(kind).map_or(0, Vec::len),
        });
        let components = shared.components.iter().map(|component| ComponentCost {
            cost: cost(&component.path, component.seconds),
            kind: component.kind,
            is_shared: component.is_shared,
        });
        let middlewares = shared.middlewares.iter().map(|(kind, seconds)| {
            let threads = self.threads.of(kind);
            MiddlewareCost {
                cost: cost(kind, *seconds),
                threads_us: threads.map(|nanos| nanos as f64 * 1e-3 / ticks),
            }
        });
        Profile {
            ticks: self.ticks,
            tick_us,
            real_time_us: 1e6 / (rate * requested),
            phases: phases.collect(),
            systems: sorted(systems, |system| system.cost.us),
            kinds: sorted(kinds, |kind| kind.cost.us),
            components: sorted(components, |component| component.cost.us),
            middlewares: sorted(middlewares, |middleware| middleware.cost.us),
            between: cost("between systems", (self.updates - all).max(0.0)),
            hashes: cost(
                "snapshot of the start, hashes",
                (summary.tick_seconds - self.updates).max(0.0),
            ),
            pictures: cost("pictures", self.pictures),
        }
    }
}

/// Sorts by cost, the most expensive one first.
fn sorted<T>(items: impl Iterator<Item = T>, cost: impl Fn(&T) -> f64) -> Vec<T> {
    let mut sorted: Vec<T> = items.collect();
    sorted.sort_by(|a, b| cost(b).total_cmp(&cost(a)));
    sorted
}

fn lock(slots: &Mutex<Slots>) -> MutexGuard<'_, Slots> {
    slots.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Wraps new systems of the tick, and counts the tick.
fn wrap(world: &mut World, slots: &Mutex<Slots>) {
    let mut slots = lock(slots);
    slots.ticks += 1;
    let mut schedules = world.resource_mut::<Schedules>();
    let Some(schedule) = schedules.get_mut(FixedUpdate) else {
        return;
    };
    if !schedule.is_changed() {
        return;
    }
    // Systems that have run before are in the executor, not in the graph.
    let systems = &mut schedule.graph_mut().systems;
    let is_timed = |system: &dyn System<In = (), Out = ()>| {
        system.system_type() != TypeId::of::<ApplyDeferred>()
    };
    let new = systems.iter().filter(|(_, system, _)| is_timed(&***system));
    let new: Vec<SystemKey> = new.map(|(key, ..)| key).collect();
    for key in new {
        let Some(node) = systems.get_mut(key) else {
            continue;
        };
        let name = node.name();
        let nanos = Arc::<AtomicU64>::default();
        slots.all.push(Slot {
            key,
            name: name.to_string(),
            nanos: nanos.clone(),
        });
        let nothing = SystemWithAccess::new(Box::new(IntoSystem::into_system(|| {})));
        let inner = mem::replace(node, nothing);
        let timed = AdapterSystem::new(Timed(nanos), inner, name);
        *node = SystemWithAccess::new(Box::new(timed));
    }
}

/// Accumulates the running time of a system.
struct Timed(Arc<AtomicU64>);

impl<S: System> Adapt<S> for Timed {
    type In = S::In;
    type Out = S::Out;

    fn adapt(
        &mut self,
        input: <Self::In as SystemInput>::Inner<'_>,
        run: impl FnOnce(SystemIn<'_, S>) -> Result<S::Out, RunSystemError>,
    ) -> Result<S::Out, RunSystemError> {
        let watch = Stopwatch::start();
        let result = run(input);
        self.0.fetch_add(watch.nanos(), Ordering::Relaxed);
        result
    }
}

/// Returns the systems of the tick that are in sets, each with the name of the set.
fn membership(
    world: &World,
    sets: impl IntoIterator<Item = (&'static str, InternedSystemSet)>,
) -> BTreeMap<SystemKey, &'static str> {
    let schedules = world.resource::<Schedules>();
    let Some(schedule) = schedules.get(FixedUpdate) else {
        return BTreeMap::new();
    };
    let mut owners = BTreeMap::new();
    for (name, set) in sets {
        // Before the first tick, and for kinds without components, there are none.
        if let Ok(systems) = schedule.graph().systems_in_set(set) {
            owners.extend(systems.iter().map(|&key| (key, name)));
        }
    }
    owners
}
