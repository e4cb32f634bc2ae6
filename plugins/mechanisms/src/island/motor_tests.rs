//! Motors of limited effort in mechanisms that hit the ground.
use nalgebra::Vector3;
use proptest::prelude::*;

use super::random_tests::{Rod, any_rods, rod_links, run};
use crate::step::Motor;

/// Maximum effort, N·m; whether it is stiff; damping, N·m·s/rad, which is also the rate at which its target changes.
type AnyMotor = (f64, bool, f64);

fn any_motors() -> impl Strategy<Value = Vec<AnyMotor>> {
    prop::collection::vec((0.1..8.0_f64, any::<bool>(), 1.0..10.0_f64), 5)
}

fn motor((max_effort, is_stiff, damping): AnyMotor) -> Motor {
    Motor {
        stiff: is_stiff.then_some(60.0),
        stiffness: 20.0 * damping,
        damping,
        max_effort,
        ..Motor::default()
    }
}

/// The end of each rod.
fn tips(rods: &[Rod]) -> Vec<(usize, Vector3<f64>)> {
    let tip = |(link, rod): (usize, &Rod)| (link, Vector3::new(0.0, 0.0, -rod.2[1]));
    rods.iter().enumerate().map(tip).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A motor that would hold its joint against an impact only by more than its maximum effort has that effort. Some rods
    /// begin in the ground.
    #[test]
    fn no_impact_lets_a_motor_exceed_its_maximum_effort(
        rods in any_rods(),
        motors in any_motors(),
        friction in 0.0..1.0_f64,
        height in -0.2..0.5_f64,
    ) {
        let mut run = run(&rod_links(None, &rods), &rods, 240.0);
        run.integrator.motors = motors.iter().take(rods.len()).copied().map(motor).collect();
        let tips = tips(&rods);
        run.predict();
        let heights = tips.iter().map(|(link, tip)| run.point(*link, *tip).z);
        let ground = heights.fold(0.0, f64::min) - height;
        let mut contacts = Vec::new();
        for tick in 0..480 {
            for (own, (.., rate)) in run.integrator.motors.iter_mut().zip(&motors) {
                own.position = 1.5 * libm::sin(rate * f64::from(tick / 60));
            }
            run.predict();
            contacts = run.touching(&tips, &contacts, friction);
            for contact in &mut contacts {
                contact.distance -= ground;
            }
            run.step_with(&mut [], &mut contacts, &mut []);
            for (number, variable) in run.tree.variables().iter().enumerate() {
                // An unsaturated motor had the effort of its law at the new velocity.
                let speed = run.state.velocities[variable.speed];
                let law = run.integrator.effort(number, variable, speed);
                let effort = run.integrator.saturated[number].unwrap_or(law);
                let most = run.integrator.motors[number].max_effort;
                prop_assert!(effort.abs() <= most * 1.0011, "tick {tick}, joint {number}: {effort} of {most}");
            }
        }
    }
}
