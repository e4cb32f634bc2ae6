//! Estimated memory of robots before they are created, since a few words in a file can create many copies.
use bevy::prelude::World;
use morse_api::memory::{MemoryBudget, RobotMemory, size};
use morse_diagnostics::Diagnostic;
use morse_scene::model::Scene;
use morse_simulation_file::Simulation;

/// Memory of a frame with its share of the body and its shapes, B: measured with the shipped robots.
const FRAME: u64 = 3600;
/// Memory of a joint's variable, B.
const VARIABLE: u64 = 8192;
/// Memory of a sensor or an actuator without its measurements, B.
const COMPONENT: u64 = 3300;

/// Inserts the estimated memory of the robots into a world; that of measurements is added later.
pub(super) fn insert(world: &mut World, simulation: &Simulation, scene: &Scene) {
    world.insert_resource(RobotMemory(bytes(simulation, scene)));
}

/// Returns the memory of a simulation on a scene with all its robots, B.
fn bytes(simulation: &Simulation, scene: &Scene) -> u64 {
    let frames = FRAME * scene.frames().len() as u64;
    let variables = VARIABLE * scene.variables().len() as u64;
    frames + variables + components(simulation)
}

fn components(simulation: &Simulation) -> u64 {
    let robots = simulation.robots.values().map(|robot| {
        let copies = robot.repeat.as_ref().map_or(1, |repeat| repeat.count.value);
        let components = robot.sensors.len() + robot.actuators.len();
        u64::from(copies) * (FRAME + COMPONENT * components as u64)
    });
    robots.sum()
}

/// Checks the robots against the budget: before they are added to the scene, and afterwards.
pub(super) fn check(
    simulation: &Simulation,
    scene: Option<&Scene>,
    budget: MemoryBudget,
) -> Option<Diagnostic> {
    let wanted = match scene {
        Some(scene) => bytes(simulation, scene),
        None => components(simulation),
    };
    if wanted <= budget.0 {
        return None;
    }
    let robots = simulation.robots.iter();
    let copied = robots.filter_map(|(name, robot)| Some((name, robot, robot.repeat.as_ref()?)));
    let most = copied.max_by_key(|(_, robot, repeat)| {
        u64::from(repeat.count.value) * (1 + robot.sensors.len() + robot.actuators.len()) as u64
    });
    let [wanted_size, budget] = [wanted, budget.0].map(size);
    let enough = wanted.div_ceil(1 << 30);
    let remedy = format!("or raise the budget by `--memory {enough}GiB`");
    let Some((name, _, repeat)) = most else {
        let message =
            format!("the scene would take {wanted_size} of memory, and the budget is {budget}");
        return Some(
            Diagnostic::error("simulation::memory", message)
                .help(format!("give it fewer frames, {remedy}")),
        );
    };
    let copies = repeat.count.value;
    let message = format!(
        "the robots would take {wanted_size} of memory, most of it the {copies} copies of `{name}`, and the budget is {budget}",
        name = name.value
    );
    let problem = Diagnostic::error("simulation::memory", message)
        .help(format!("repeat it less often, {remedy}"));
    Some(match repeat.count.span {
        Some(span) => problem.at(span, "this takes most"),
        None => problem,
    })
}
