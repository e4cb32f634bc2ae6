//! Bit-identical results: runs, worlds in parallel, observers, snapshots; every bit of the input matters.
mod executors;

use std::path::Path;

use morse_api::port::Policy;
use morse_sim::{
    Simulation,
    actuator::v_omega::{VOmega, VOmegaCommand},
    sensor::collision::CollisionData,
    simulation::{
        Extensions, keep, kinds,
        load::{Options, Plan, load, parse},
        no_extensions,
        state::Snapshot,
    },
};

use crate::golden_runs::{self, scenes};

/// Returns the number of ticks for a scene; large scenes are slow without optimisation.
fn ticks(scene: &Path) -> u64 {
    match scene.file_stem().and_then(|name| name.to_str()) {
        Some("swarm") => 6,
        Some("fleet") => 12,
        _ => 90,
    }
}

#[test]
fn the_final_state_has_a_hash_of_its_own() {
    let scene = Path::new("scenes/drop.ron");
    let run = |ticks: u64| {
        let mut simulation = golden_runs::open(scene);
        simulation.run(ticks).expect("no observer to be lost");
        simulation.state_hash()
    };
    assert_eq!(run(40), run(40));
    assert_ne!(run(40), run(41));
    let mut chained = open(scene);
    chained.run(40).expect("no observer to be lost");
    assert_ne!(chained.state_hash(), run(40));
    // Only a chained hash depends on the past states.
    let mut restored = golden_runs::open(scene);
    restored.run(20).expect("no observer to be lost");
    restored.reset().expect("it has a start");
    restored.run(40).expect("no observer to be lost");
    assert_eq!(restored.state_hash(), run(40));
}

/// Returns a shipped scene without its log files, hashed from the first tick.
fn open(scene: &Path) -> Simulation {
    let mut simulation = golden_runs::open(scene);
    simulation.hash_every_tick();
    simulation
}

fn hashed(plan: Plan) -> Simulation {
    let mut simulation =
        Simulation::build(plan, &no_extensions).unwrap_or_else(|error| panic!("{error}"));
    simulation.hash_every_tick();
    simulation
}

/// Parameters of the small world, so that each can be changed separately.
struct Recipe {
    x: f64,
    seed: u64,
    frequency: f64,
    sigma: f64,
    command_at: u64,
    speed: f64,
    friction: f64,
}

const RECIPE: Recipe = Recipe {
    x: -2.0,
    seed: 7,
    frequency: 10.0,
    sigma: 0.1,
    command_at: 30,
    speed: 0.5,
    friction: 0.5,
};

/// Returns a rover with a noisy sensor that pushes a box.
fn small(recipe: &Recipe) -> Simulation {
    let Recipe {
        x,
        seed,
        frequency,
        sigma,
        friction,
        ..
    } = recipe;
    let text = format!(
        r#"Simulation(
            scene: "boxes.robray",
            environment: (seed: {seed}),
            bodies: {{ "BlueBox": (kind: dynamic, friction: {friction:?}) }},
            robots: {{
                "rover": (
                    model: "robots/atrv.robray", at: (translation: ({x:?}, -3, 0.1), rpy: (0, 0, 3.14)),
                    sensors: {{
                        "pose": (kind: "pose", frequency: {frequency:?},
                                 modifiers: [(kind: "position_noise", sigma: ({sigma:?}, 0.1, 0.1))]),
                    }},
                    actuators: {{ "motion": (kind: "v_omega", start: (v: 1)) }},
                ),
            }},
        )"#
    );
    let mut simulation = Simulation::parse(&text, "scenes", &no_extensions)
        .unwrap_or_else(|error| panic!("{error}"));
    simulation.hash_every_tick();
    simulation
}

/// Runs the small world to its end, with its only command on the way.
fn finish(simulation: &mut Simulation, recipe: &Recipe) -> u128 {
    while simulation.tick() < 60 {
        if simulation.tick() == recipe.command_at {
            let command = VOmegaCommand {
                v: recipe.speed,
                w: 0.2,
            };
            simulation
                .command::<VOmega>("rover.motion", command)
                .expect("an actuator");
        }
        simulation.step().expect("a tick");
    }
    simulation.state_hash()
}

fn hash_of(recipe: &Recipe) -> u128 {
    finish(&mut small(recipe), recipe)
}

#[test]
fn every_scene_runs_twice_the_same_way() {
    for scene in scenes() {
        let run = || {
            let mut simulation = open(&scene);
            simulation
                .run(ticks(&scene))
                .expect("no observer to be lost");
            simulation.state_hash()
        };
        let hash = run();
        assert_ne!(hash, 0);
        assert_eq!(run(), hash, "{}", scene.display());
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    // Rays, islands with contacts, and arms that nothing touches.
    for name in ["fleet", "gallery/arms", "gallery/linkages"] {
        let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenes/{name}.ron"));
        let run = |threads| {
            let options = Options {
                threads,
                ..Options::default()
            };
            let plan = load(&scene, &options, &kinds(&no_extensions))
                .unwrap_or_else(|report| panic!("{report}"));
            let mut simulation = hashed(plan);
            simulation.run(8).expect("no observer to be lost");
            simulation.state_hash()
        };
        let hash = run(1);
        assert_eq!(run(2), hash, "{name}");
        assert_eq!(run(4), hash, "{name}");
    }
}

/// More arms than one thread integrates, and a rover that comes near to one of them.
const ARMS: &str = r#"Simulation(
    scene: "swarm.robray",
    robots: {
        "arm": (
            model: "arms/kuka_lwr.robray", base: fixed, at: (translation: (20, 20, 0)),
            repeat: (count: 272, pattern: grid(columns: 17, spacing: (2.5, 2.5))),
            joints: { "kuka_4": (damping: 0.5) },
            sensors: { "joints": (kind: "joint_state") },
            actuators: { "motors": (kind: "joints", start: (names: ["kuka_2", "kuka_4"], velocities: [0.4, -0.6])) },
        ),
        "rover": (
            model: "robots/atrv.robray", at: (translation: (18.9, 20, 0.1)),
            actuators: { "motion": (kind: "v_omega", start: (v: 1)) },
        ),
    },
)"#;

#[test]
fn arms_that_nothing_touches_move_alike_on_all_threads() {
    let run = |threads| {
        let options = Options {
            threads,
            ..Options::default()
        };
        let plan = parse(ARMS, Path::new("scenes"), &options, &kinds(&no_extensions))
            .unwrap_or_else(|report| panic!("{report}"));
        let mut simulation = hashed(plan);
        simulation.run(60).expect("no observer to be lost");
        simulation.state_hash()
    };
    let hash = run(1);
    for threads in [2, 3, 4] {
        assert_eq!(run(threads), hash, "{threads} threads");
    }
}

#[test]
fn every_bit_counts() {
    let hash = hash_of(&RECIPE);
    assert_eq!(hash_of(&RECIPE), hash);
    // The engine computes in single precision; one bit of double precision matters all the same.
    let x = RECIPE.x.next_up();
    let changed = [
        ("one bit of a start pose", Recipe { x, ..RECIPE }),
        ("the seed", Recipe { seed: 8, ..RECIPE }),
        (
            "a sensor's frequency",
            Recipe {
                frequency: 12.0,
                ..RECIPE
            },
        ),
        (
            "a setting of a modifier",
            Recipe {
                sigma: 0.11,
                ..RECIPE
            },
        ),
        (
            "a command one tick later",
            Recipe {
                command_at: 31,
                ..RECIPE
            },
        ),
        (
            "one bit of a command",
            Recipe {
                speed: RECIPE.speed.next_up(),
                ..RECIPE
            },
        ),
        (
            "the friction of a box that is pushed",
            Recipe {
                friction: 0.4,
                ..RECIPE
            },
        ),
    ];
    for (what, recipe) in changed {
        assert_ne!(hash_of(&recipe), hash, "{what}");
    }
}

#[test]
fn worlds_do_not_know_of_each_other() {
    let other = Recipe {
        seed: 8,
        x: 0.5,
        ..RECIPE
    };
    let alone = [hash_of(&RECIPE), hash_of(&other)];
    let mut worlds = [small(&RECIPE), small(&other)];
    for _ in 0..60 {
        for (world, recipe) in worlds.iter_mut().zip([&RECIPE, &other]) {
            if world.tick() == recipe.command_at {
                let command = VOmegaCommand {
                    v: recipe.speed,
                    w: 0.2,
                };
                world
                    .command::<VOmega>("rover.motion", command)
                    .expect("an actuator");
            }
            world.step().expect("a tick");
        }
    }
    assert_eq!(worlds.map(|world| world.state_hash()), alone, "in turn");
    let on_threads = std::thread::scope(|scope| {
        let both = [&RECIPE, &other].map(|recipe| scope.spawn(|| hash_of(recipe)));
        both.map(|thread| thread.join().expect("no panic"))
    });
    assert_eq!(on_threads, alone, "on two threads");
}

#[test]
fn observers_change_nothing() {
    let hash = hash_of(&RECIPE);
    let mut watched = small(&RECIPE);
    let ready = watched
        .observe("rover.pose", Policy::Queue(100))
        .expect("a sensor");
    let slow = watched
        .observe("rover.pose", Policy::Latest)
        .expect("a sensor");
    let unready = watched
        .observe("rover.pose", Policy::Latest)
        .expect("a sensor");
    ready.stay_ready();
    slow.stay_ready();
    assert_eq!(finish(&mut watched, &RECIPE), hash);
    assert_eq!(std::iter::from_fn(|| ready.try_recv()).count(), 10);
    assert_eq!((slow.drops().0, unready.drops().1), (9, 10));
}

#[test]
fn questions_change_nothing() {
    let hash = hash_of(&RECIPE);
    let mut asked = small(&RECIPE);
    let paths = asked.paths();
    for _ in 0..20 {
        asked.step().expect("a tick");
        assert!(
            asked
                .call("rover.pose", "get_local_data", &serde_json::Value::Null)
                .reply()
                .is_some()
        );
        asked.snapshot().expect("a snapshot");
        assert_eq!(asked.paths(), paths);
    }
    assert_eq!(finish(&mut asked, &RECIPE), hash);
}

#[test]
fn a_restored_scene_goes_on_as_if_nothing_had_been() {
    for scene in scenes() {
        let half = ticks(&scene) / 2;
        let mut simulation = open(&scene);
        simulation.run(half).expect("no observer to be lost");
        let snapshot = simulation.snapshot().expect("a snapshot");
        simulation.run(half).expect("no observer to be lost");
        let (hash, tick) = (simulation.state_hash(), simulation.tick());
        simulation.restore(&snapshot).expect("its own snapshot");
        assert_eq!(simulation.tick(), half);
        simulation.run(half).expect("no observer to be lost");
        assert_eq!(
            (simulation.state_hash(), simulation.tick()),
            (hash, tick),
            "{} goes back",
            scene.display()
        );
        // Through text, and into another world of the same files.
        let text = serde_json::to_string(&snapshot).expect("a snapshot has a text form");
        let snapshot: Snapshot = serde_json::from_str(&text).expect("the same snapshot");
        let mut other = open(&scene);
        other
            .restore(&snapshot)
            .expect("a snapshot of the same files");
        other.run(half).expect("no observer to be lost");
        assert_eq!(
            other.state_hash(),
            hash,
            "{} goes on elsewhere",
            scene.display()
        );
    }
}

/// Arms that move at different speeds, whose clearances are measured at different times.
const FLEET: &str = r#"Simulation(robots: {
    "slow": (
        model: "arms/kuka_lwr.robray", base: fixed, repeat: (count: 3, pattern: grid(columns: 3, spacing: (4, 4))),
        actuators: { "motors": (kind: "joints", start: (names: ["kuka_2", "kuka_4"], velocities: [0.1, -0.3])) },
    ),
    "fast": (
        model: "arms/kuka_lwr.robray", base: fixed, at: (translation: (0, 5, 0)),
        repeat: (count: 3, pattern: grid(columns: 3, spacing: (4, 4))),
        actuators: { "motors": (kind: "joints", start: (names: ["kuka_1", "kuka_4"], velocities: [0.9, 0.5])) },
    ),
})"#;

#[test]
fn a_fleet_of_arms_goes_on_from_a_snapshot_of_any_tick() {
    let plan = || {
        let kinds = kinds(&no_extensions);
        parse(FLEET, Path::new("scenes"), &Options::default(), &kinds)
            .unwrap_or_else(|report| panic!("{report}"))
    };
    let (mut one, mut other) = (hashed(plan()), hashed(plan()));
    for tick in 0..120 {
        if tick % 7 == 3 {
            let snapshot = one.snapshot().expect("a snapshot");
            other.restore(&snapshot).expect("one of the same files");
        }
        one.step().expect("a tick");
        other.step().expect("a tick");
        assert_eq!(one.state_hash(), other.state_hash(), "tick {tick}");
    }
}

/// The engine makes no step while the boxes sleep and the arm is far from them.
#[test]
fn a_world_without_steps_of_the_engine_goes_on_alike_after_a_restore() {
    let text = r#"Simulation(
        scene: "boxes.robray",
        bodies: { "BlueBox": (kind: dynamic), "RedBox": (kind: dynamic) },
        robots: { "arm": (
            model: "arms/kuka_lwr.robray", base: fixed, at: (translation: (-4.9, -3, 0)),
            sensors: { "touch": (kind: "collision", mount: (frame: "kuka_7")) },
            actuators: { "motors": (kind: "joints", start: (velocities: [0, -0.35, 0, 0, 0, 0, 0])) },
        ) },
    )"#;
    let world = || {
        let world = Simulation::parse(text, "scenes", &no_extensions);
        let mut world = world.unwrap_or_else(|error| panic!("{error}"));
        world.hash_every_tick();
        world
    };
    let touches = |world: &Simulation| {
        let data = world.read::<CollisionData>("arm.touch");
        data.expect("a collision sensor").collision
    };
    let mut whole = world();
    whole.run(120).expect("no observer to be lost");
    let snapshot = whole.snapshot().expect("a snapshot");
    assert!(!touches(&whole));
    let mut restored = world();
    restored
        .restore(&snapshot)
        .expect("a snapshot of the same files");
    for world in [&mut whole, &mut restored] {
        let touched = (0..240).filter(|_| {
            world.step().expect("no observer to be lost");
            touches(world)
        });
        assert!(touched.count() > 0, "the arm hits the box");
    }
    assert_eq!(restored.state_hash(), whole.state_hash());
}

#[test]
fn a_snapshot_of_another_world_is_refused() {
    let other = open(&scenes()[0]).snapshot().expect("a snapshot");
    assert!(small(&RECIPE).restore(&other).is_err());
}

#[test]
fn a_reset_scene_is_a_fresh_one() {
    for scene in scenes() {
        let mut simulation = open(&scene);
        simulation
            .run(ticks(&scene))
            .expect("no observer to be lost");
        let hash = simulation.state_hash();
        simulation.reset().expect("the start");
        assert_eq!(simulation.tick(), 0);
        simulation
            .run(ticks(&scene))
            .expect("no observer to be lost");
        assert_eq!(simulation.state_hash(), hash, "{}", scene.display());
    }
}

#[test]
fn kinds_that_are_not_used_change_nothing() {
    use morse_sim::prelude::*;

    /// Does nothing.
    #[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
    struct Idle {}

    /// No data.
    #[derive(Component, Reflect, Clone, Debug, Default, Serialize, Deserialize)]
    struct IdleData {}

    impl Sensor for Idle {
        const KIND: &'static str = "idle";
        type Data = IdleData;
    }

    let run = |extensions: Extensions| {
        let text = r#"Simulation(robots: { "rover": (model: "robots/atrv.robray", sensors: { "pose": (kind: "pose") }) })"#;
        let mut simulation =
            Simulation::parse(text, ".", extensions).unwrap_or_else(|error| panic!("{error}"));
        simulation.hash_every_tick();
        simulation.run(20).expect("no observer to be lost");
        simulation.state_hash()
    };
    let with_idle = |app: &mut App| {
        app.add_sensor::<Idle, _>(|| {});
    };
    assert_eq!(run(keep(with_idle)), run(&no_extensions));
}
