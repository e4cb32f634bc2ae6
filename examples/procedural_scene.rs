//! A scene that a program builds: forty dominoes in an arc, the first of which is pushed.
//!
//! Both the scene and the simulation file can be built in Rust. The scene is also printed as a scene file, for inspection
//! and for other runs.
#![expect(clippy::print_stdout, reason = "an example talks")]
use std::error::Error;

use morse_api::body::BodyState;
use morse_sim::{
    prelude::*,
    scene::{
        assembly::{Assembly, BodySettings},
        model::{Frame, Geometry, Scene, Shape},
        robray,
    },
    simulation::{Simulation, load::Plan, no_extensions},
};

const COUNT: usize = 40;
const SIZE: [f64; 3] = [0.02, 0.1, 0.2];
const RADIUS: f64 = 1.5;
const SPACING: f64 = 0.1;

fn name(number: usize) -> String {
    format!("domino_{number:02}")
}

fn assembly() -> Result<Assembly, Box<dyn Error>> {
    let mut scene = Scene::default();
    let floor = Geometry::new(Shape::Box {
        dimension: [8.0, 8.0, 0.1],
    });
    scene.add_frame(Frame::new("floor").at([0.0, 0.0, -0.05]).with(floor))?;
    let mut assembly = Assembly::default();
    for number in 0..COUNT {
        let angle = number as f64 * SPACING / RADIUS;
        let (sin, cos) = libm::sincos(angle);
        let mut domino = Geometry::new(Shape::Box { dimension: SIZE });
        domino.density = Some(600.0);
        // Each domino faces along the arc.
        let frame =
            Frame::new(name(number)).at([RADIUS * sin, RADIUS * (1.0 - cos), SIZE[2] / 2.0]);
        scene.add_frame(frame.turned([0.0, 0.0, angle]).with(domino))?;
        let mut settings = BodySettings::default();
        if number == 0 {
            settings.linear_velocity.x = 0.5;
            settings.angular_velocity.y = 5.0;
        }
        assembly.bodies.insert(name(number), settings);
    }
    assembly.scene = scene;
    Ok(assembly)
}

/// Returns the number of dominoes that have fallen.
fn fallen(simulation: &Simulation) -> usize {
    let is_down = |state: &BodyState| (state.pose * Vector3::z()).z < 0.7;
    (0..COUNT)
        .filter(|&number| simulation.body(&name(number)).is_some_and(is_down))
        .count()
}

fn main() -> Result<(), Box<dyn Error>> {
    let assembly = assembly()?;
    let text = robray::write(&assembly.scene)?;
    println!(
        "{} lines of scene, such as\n{}\n",
        text.lines().count(),
        text.lines().take(4).collect::<Vec<_>>().join("\n")
    );
    let mut simulation = Simulation::build(
        Plan {
            assembly,
            ..Plan::default()
        },
        &no_extensions,
    )?;
    println!("{}", simulation.warnings());
    while simulation.seconds() < 6.0 {
        simulation.run(30)?;
        println!(
            "{:3.1} s  {}",
            simulation.seconds(),
            "_".repeat(fallen(&simulation))
        );
    }
    assert_eq!(fallen(&simulation), COUNT, "they all fall");
    Ok(())
}
