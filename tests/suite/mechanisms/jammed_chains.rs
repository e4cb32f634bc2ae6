//! Folded chains of rods that hang down into the ground, where their links jam.
use std::fmt::Write as _;

use nalgebra::DVector;

use super::touching::{G, Test};

/// Numbers of chains whose links are pushed out of the ground on both of its sides, or cross. When friction acted on them as in the
/// step before, whatever the slip, they gained up to 730 J in a step.
const JAMMED: [u32; 5] = [17, 26, 40, 49, 58];

const RODS: u32 = 4;

/// Returns a number between 0 and 1: multiples of the golden ratio are spread evenly.
fn spread(index: u32) -> f64 {
    (0.618_033_988_749_894_9 * f64::from(index + 1)).fract()
}

/// Returns a chain of rods that turn in a plane.
fn chain(number: u32) -> String {
    let of = |rod: u32, property: u32| spread(16 * number + 4 * rod + property);
    let length = |rod| 0.2 + 0.4 * of(rod, 0);
    let mut scene = format!(
        "frame ground {{ translation [0, 0, -0.05]; geometry {{ shape box; dimension [10, 10, 0.1]; friction 0.6; }} }}
         frame chain {{ translation [0, 0, {}];\n",
        0.6 + 0.6 * of(0, 3)
    );
    for rod in 0..RODS {
        let below = rod.checked_sub(1).map_or(0.0, length);
        let (mass, angle) = (0.05 + 0.5 * of(rod, 1), 4.0 * of(rod, 2) - 2.0);
        let (middle, side) = (length(rod) / 2.0, 0.9 * length(rod));
        writeln!(
            scene,
            "frame link_{rod} {{ translation [0, 0, {}]; type revolute; axis [0, 1, 0]; variable turn_{rod}; offset {angle};
               frame rod_{rod} {{ translation [0, 0, {}]; mass {mass};
                 geometry {{ shape box; dimension [0.02, 0.02, {side}]; friction 0.6; }} }}",
            -below, -middle
        )
        .expect("text");
    }
    scene + &"}".repeat(RODS as usize + 1)
}

/// Returns the kinetic and the potential energy, J.
fn energies(test: &Test) -> [f64; 2] {
    let mut chain = test.0.mechanism("chain").expect("it has joints");
    let velocities = DVector::from_column_slice(chain.velocities());
    let kinetic = velocities.dot(&(chain.mass_matrix() * &velocities)) / 2.0;
    let (mass, center) = chain.center_of_mass();
    [kinetic, mass * G * center.z]
}

/// A chain gets no faster than by its weight, up to errors of the integration, which are of the order of a step.
#[test]
fn jammed_chains_gain_no_speed() {
    for rate in [30, 60, 240] {
        for number in JAMMED {
            let mut test = Test::at(rate, &chain(number), "");
            let mut before = energies(&test);
            let positions = |test: &Test| {
                test.0
                    .mechanism("chain")
                    .expect("it has joints")
                    .positions()
            };
            let first = positions(&test);
            for tick in 0..3 * rate {
                test.0.run(1).expect("a tick");
                let after = energies(&test);
                // A correction of a penetration lifts links and leaves their velocities as they are.
                let gained = after[0] - before[0] - (before[1] - after[1]).max(0.0);
                assert!(
                    gained < 3.0 / f64::from(rate),
                    "chain {number}, {rate} Hz, tick {tick}: {gained} J"
                );
                before = after;
            }
            let last = positions(&test);
            let turned = first
                .iter()
                .zip(&last)
                .any(|(first, last)| (last - first).abs() > 0.1);
            assert!(turned, "chain {number}: {first:?} to {last:?}");
        }
    }
}
