//! Rate of ticks, 1/s.
use criterion::{Criterion, Throughput};
use morse_api::body::BodyKind;
use morse_sim::{
    Simulation,
    scene::{
        assembly::{Assembly, BodySettings},
        model::{Frame, Geometry, Scene, Shape},
    },
    simulation::{load::Plan, no_extensions},
};

fn bench(criterion: &mut Criterion, name: &str, elements: u64, mut simulation: Simulation) {
    let mut group = criterion.benchmark_group("tick");
    group.throughput(Throughput::Elements(elements));
    // The bodies have landed, and one-time allocations are done.
    simulation.run(60).expect("no observer to lose");
    group.bench_function(name, |bencher| bencher.iter(|| simulation.step()));
    group.finish();
}

/// Measures a tick of an empty world.
pub(crate) fn empty(criterion: &mut Criterion) {
    let simulation =
        Simulation::build(Plan::default(), &no_extensions).expect("nothing to go wrong");
    bench(criterion, "empty", 1, simulation);
}

/// Measures a thousand boxes in columns of ten, which never sleep; elements are boxes.
pub(crate) fn stack(criterion: &mut Criterion) {
    let mut scene = Scene::default();
    let mut add = |frame| scene.add_frame(frame).expect("a new name");
    let cube = |side: [f64; 3]| Geometry::new(Shape::Box { dimension: side });
    add(Frame::new("ground")
        .at([0.0, 0.0, -0.5])
        .with(cube([100.0, 100.0, 1.0])));
    let mut assembly = Assembly::default();
    for n in 0..1_000 {
        let (column, level) = (n / 10, f64::from(n % 10));
        let (x, y) = (f64::from(column % 10), f64::from(column / 10));
        let mut frame = Frame::new(format!("box_{n:03}"))
            .at([0.3 * x, 0.3 * y, 0.05 + 0.1005 * level])
            .with(cube([0.1; 3]));
        frame.mass = Some(1.0);
        let settings = BodySettings {
            kind: BodyKind::Dynamic,
            can_sleep: Some(false),
            ..BodySettings::default()
        };
        assembly.bodies.insert(frame.name.clone(), settings);
        add(frame);
    }
    assembly.scene = scene;
    let plan = Plan {
        assembly,
        ..Plan::default()
    };
    let simulation = Simulation::build(plan, &no_extensions).expect("a sound plan");
    bench(criterion, "stack of 1000", 1_000, simulation);
}

/// Measures the shipped fleet: fifty rovers, each with a scanner of 181 rays at 10 Hz; elements are rays.
pub(crate) fn fleet(criterion: &mut Criterion) {
    let simulation = Simulation::load("scenes/fleet.ron").expect("a shipped scene");
    bench(criterion, "fleet of 50", 50 * 181 / 6, simulation);
}
