//! Links that overlap: contacts separate them, and add no energy.
use nalgebra::Vector3;
use proptest::prelude::*;

use super::{
    energy_tests::GROUND,
    random_tests::{Rod, any_rods, rod_links, run},
    *,
};
use crate::test_run::{Run, rod};

/// Returns the points of two segments that are nearest to each other, given their beginnings and ends.
fn nearest(one: [Vector3<f64>; 2], other: [Vector3<f64>; 2]) -> [Vector3<f64>; 2] {
    let [along, across] = [one, other].map(|[begin, end]| end - begin);
    let between = one[0] - other[0];
    let (a, b, e) = (along.dot(&along), along.dot(&across), across.dot(&across));
    let (c, f) = (along.dot(&between), across.dot(&between));
    let square = a * e - b * b;
    let of_one = if square > 1e-12 {
        ((b * f - c * e) / square).clamp(0.0, 1.0)
    } else {
        0.5
    };
    let of_other = ((b * of_one + f) / e).clamp(0.0, 1.0);
    let of_one = ((b * of_other - c) / a).clamp(0.0, 1.0);
    [one[0] + along * of_one, other[0] + across * of_other]
}

/// Rods with round sides of these radii, m, and their contacts of the last step.
struct Chain {
    run: Run,
    lengths: Vec<f64>,
    radii: Vec<f64>,
    friction: f64,
    known: Vec<Contact>,
}

impl Chain {
    /// Returns the contact of two links, if it is nearer than 20 mm.
    fn contact(&self, [one, other]: [usize; 2]) -> Option<Contact> {
        let workspace = &self.run.integrator.workspace;
        let ends = [one, other].map(|link| {
            let pose = workspace.pose_of(link);
            [0.0, -self.lengths[link]].map(|z| pose.point(&Vector3::new(0.0, 0.0, z)))
        });
        let [one_point, other_point] = nearest(ends[0], ends[1]);
        let between = other_point - one_point;
        let gap = between.norm() - self.radii[one] - self.radii[other];
        if gap > 0.02 || between.norm() < 1e-6 {
            return None;
        }
        let normal = between.normalize();
        let surfaces =
            one_point + normal * self.radii[one] + other_point - normal * self.radii[other];
        let sides = [one, other].map(|link| Side::Link { member: 0, link });
        let before = self.known.iter().find(|known| known.sides == sides);
        Some(Contact {
            sides,
            friction_sides: sides,
            point: surfaces / 2.0,
            normal,
            separation_velocity: before.and_then(|known| known.separation_velocity),
            slip: before.and_then(|known| known.slip),
            distance: gap,
            friction: self.friction,
            restitution: 0.0,
            tangent_velocity: Vector3::zeros(),
            share: 1.0,
            impulse: before.map_or(Vector3::zeros(), |known| known.impulse),
        })
    }

    /// Makes a step with contacts between all links that are not neighbours.
    fn step(&mut self) {
        self.run.predict();
        let count = self.lengths.len();
        let pairs = (0..count).flat_map(|one| (one + 1..count).map(move |other| [one, other]));
        let parent = |link| self.run.tree.parent_of(link);
        let apart = pairs
            .filter(|[one, other]| parent(*other) != Some(*one) && parent(*other) != parent(*one));
        let mut contacts: Vec<Contact> = apart.filter_map(|pair| self.contact(pair)).collect();
        self.run.step_with(&mut [], &mut contacts, &mut []);
        self.known = contacts;
    }

    /// Returns the greatest energy within 2 s, relative to that of the start.
    fn greatest_energy(&mut self) -> f64 {
        let start = self.run.energy();
        let steps = 0..(2.0 / self.run.dt) as usize;
        let energies = steps.map(|_| {
            self.step();
            let energy = self.run.energy();
            if energy.is_finite() {
                energy
            } else {
                f64::INFINITY
            }
        });
        energies.fold(0.0, f64::max) / start
    }
}

fn chain(rods: &[Rod], radii: &[f64], speeds: &[f64], (friction, rate): (f64, f64)) -> Chain {
    let mut run = run(&rod_links(None, rods), rods, rate);
    run.base.gravity = Vector3::zeros();
    for (number, speed) in speeds.iter().take(rods.len()).enumerate() {
        let variable = run.tree.variable(number).unwrap();
        run.state.velocities[variable.speed] = *speed;
        // Turned twice as far, rods overlap more often.
        run.state.positions[variable.position] *= 2.0;
    }
    Chain {
        run,
        lengths: rods.iter().map(|rod| rod.2[1]).collect(),
        radii: radii.to_vec(),
        friction,
        known: Vec::new(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// The energy of one of twenty such chains rose by more than that, of some without limit.
    #[test]
    fn links_that_overlap_gain_no_energy(
        rods in any_rods(),
        radii in prop::collection::vec(0.02..0.15_f64, 5),
        speeds in prop::collection::vec(-2.0..2.0_f64, 5),
        friction in 0.0..1.5_f64,
        rate in prop::sample::select(vec![60.0, 120.0, 240.0]),
    ) {
        let mut chain = chain(&rods, &radii, &speeds, (friction, rate));
        prop_assume!(chain.run.energy() > 0.01);
        let greatest = chain.greatest_energy();
        prop_assert!(greatest < 1.05, "{greatest} times the energy at {rate} Hz");
    }
}

/// Rods, their radii and speeds, friction, and rate of chains that friction along a short lever wedges: the impulses hold each
/// other, and each of them alone has up to a thousand times the energy of the rods.
const WEDGED: &[(&[Rod], [f64; 5], [f64; 5], f64, f64)] = &[
    (
        &[
            (
                0.0,
                [0.0, 0.0, -0.950915553158914],
                [1.4413290365514002, 0.27617209319443525],
                1.1940402500113974,
            ),
            (
                0.6835463150340074,
                [-0.3081059203161119, 0.9497253381322472, -0.5198146561213591],
                [1.8600552442566738, 0.33112979972765627],
                1.2495915006766674,
            ),
            (
                0.0,
                [0.361481268871801, 0.7386954754082127, -0.22458460154570714],
                [1.0599883810509185, 0.4924229959317812],
                0.5512474504116809,
            ),
            (
                0.5233837166872056,
                [
                    -0.1648277863707184,
                    0.5787984009367535,
                    -0.06370630844889683,
                ],
                [1.282785025828726, 0.28294234506704463],
                -0.8854763691213091,
            ),
        ],
        [0.02, 0.12247973565605666, 0.14368769945534116, 0.02, 0.02],
        [
            -0.23530797186331232,
            1.234410013887523,
            0.6497691811826724,
            0.0,
            0.0,
        ],
        0.5167824475255699,
        240.0,
    ),
    (
        &[
            (
                0.0,
                [
                    -0.05456671904793228,
                    -0.7517982041820713,
                    -0.3542680036935743,
                ],
                [0.42077792651546464, 0.2691522928331381],
                -1.1629441539432275,
            ),
            (
                0.0,
                [-0.4897947646671965, 0.2174566954361105, 0.5369513142711747],
                [0.9527367709299264, 0.24666699271727763],
                0.8159238573811286,
            ),
            (
                0.9893629462612433,
                [
                    -0.9970181857862024,
                    -0.45971719481151657,
                    0.2744428396659521,
                ],
                [1.8818850476919886, 0.3787820332035781],
                1.388869354925127,
            ),
        ],
        [0.08854929080218929, 0.02, 0.1412726872513237, 0.02, 0.02],
        [
            1.43835520818713,
            -1.5370108596790644,
            0.4890132448772327,
            0.0,
            0.0,
        ],
        0.6968661613824002,
        60.0,
    ),
    (
        &[
            (
                0.0,
                [-0.9821702075060412, -0.3764999335352894, 0.0],
                [0.2, 0.2],
                0.9832846439399349,
            ),
            (
                0.0,
                [0.0, -0.5127040446023913, 0.04709873163484834],
                [0.2, 0.22462257215445625],
                -0.3705042726979132,
            ),
            (
                0.6709086959928874,
                [-0.2589467943843086, 0.22065267888497342, 0.6808303414133041],
                [1.126926359899423, 0.4839788589673694],
                0.0,
            ),
        ],
        [0.12584243250804872, 0.02, 0.09908810672040934, 0.02, 0.02],
        [-0.9794862121399119, 0.0, -1.6651168254362438, 0.0, 0.0],
        0.03984209754102833,
        60.0,
    ),
    (
        &[
            (
                0.0,
                [
                    -0.0223647212818251,
                    0.01899383627948399,
                    -0.41669682881484765,
                ],
                [0.533008969778945, 0.24264717295307886],
                -0.9916139185862288,
            ),
            (
                0.5087098523186012,
                [0.1405011106588137, -0.9351481297777675, -0.9662682205176172],
                [1.8135149117084397, 0.33916128726733935],
                -0.22944891714503987,
            ),
            (
                0.0,
                [
                    -0.04552285956687963,
                    0.07242867854914312,
                    0.8973823270959688,
                ],
                [0.6716890959861762, 0.33695832694928235],
                0.871772153654802,
            ),
            (
                0.6668349573886281,
                [0.9392691906045461, 0.1250699733517512, 0.7477635760091262],
                [0.9747228433016789, 0.2319349749155351],
                0.16598112009930396,
            ),
        ],
        [0.02, 0.053626740809537096, 0.14008306182519692, 0.02, 0.02],
        [
            1.2189065759519981,
            -0.7120231033249458,
            0.887589763196239,
            -0.41004764293159257,
            0.0,
        ],
        1.085261684132957,
        60.0,
    ),
];

/// Their energies rose to 1.09 to 5.5 times that of the start.
#[test]
fn links_that_wedge_each_other_gain_no_energy() {
    for (number, (rods, radii, speeds, friction, rate)) in WEDGED.iter().enumerate() {
        for rate in [*rate, 60.0, 120.0, 480.0] {
            let greatest = chain(rods, radii, speeds, (*friction, rate)).greatest_energy();
            assert!(
                greatest < 1.05,
                "chain {number}: {greatest} times the energy at {rate} Hz"
            );
        }
    }
}

/// An elbow of two rods that a contact stretches. The inertia about the axis of the shoulder rises with it, and the energy at equal
/// velocities.
#[test]
fn a_correction_adds_no_energy_to_an_elbow_that_turns() {
    for rate in [60.0, 240.0] {
        let z = Vector3::z();
        let links = [
            rod(None, [0.0, 0.0, 0.0], Vector3::y(), [1.0, 0.4], 0),
            rod(Some(0), [0.0, 0.0, -0.4], Vector3::x(), [1.0, 0.4], 1),
        ];
        let mut run = Run::of(&links, rate);
        run.base.gravity = Vector3::zeros();
        run.state.positions.copy_from_slice(&[0.0, 2.0]);
        run.state.velocities.copy_from_slice(&[1.0, 0.0]);
        let start = run.energy();
        let mut known: Vec<Contact> = Vec::new();
        for _ in 0..(0.2 * rate) as usize {
            run.predict();
            let tip = run.point(1, Vector3::new(0.0, 0.0, -0.4));
            let sides = [GROUND, Side::Link { member: 0, link: 1 }];
            let contact = Contact {
                sides,
                friction_sides: sides,
                point: tip,
                normal: -z,
                separation_velocity: None,
                slip: None,
                distance: -0.5 - tip.z,
                friction: 0.0,
                restitution: 0.0,
                tangent_velocity: Vector3::zeros(),
                share: 1.0,
                impulse: Vector3::zeros(),
            };
            known.clear();
            known.push(contact);
            run.step_with(&mut [], &mut known, &mut []);
            let energy = run.energy();
            assert!(energy < 1.01 * start, "{rate} Hz: {energy} J of {start} J");
        }
    }
}

/// A contact whose normal passes through the axis of the only joint does not act on it.
#[test]
fn a_contact_on_the_axis_of_a_hinge_changes_nothing() {
    let axis = Vector3::new(1.0, 0.7, 0.3).normalize();
    let links = [rod(None, [0.1, 0.2, 0.3], axis, [1.0, 0.4], 0)];
    let [mut alone, mut with] = [(); 2].map(|()| Run::of(&links, 240.0));
    for run in [&mut alone, &mut with] {
        run.state.positions[0] = 1.0;
    }
    let mut known: Vec<Contact> = Vec::new();
    for tick in 0..480 {
        alone.step();
        with.predict();
        let sides = [GROUND, Side::Link { member: 0, link: 0 }];
        let axis = with.point(0, axis * 0.05) - with.point(0, Vector3::zeros());
        let before = known.first();
        known = vec![Contact {
            sides,
            friction_sides: sides,
            point: with.point(0, Vector3::zeros()) + axis,
            normal: Vector3::new(0.6, 0.0, 0.8),
            separation_velocity: before.and_then(|known| known.separation_velocity),
            slip: before.and_then(|known| known.slip),
            distance: -0.09,
            friction: 0.6,
            restitution: 0.0,
            tangent_velocity: Vector3::zeros(),
            share: 1.0,
            impulse: before.map_or(Vector3::zeros(), |known| known.impulse),
        }];
        with.step_with(&mut [], &mut known, &mut []);
        let [one, other] = [&alone, &with].map(|run| run.state.positions[0]);
        assert!((one - other).abs() < 1e-9, "tick {tick}: {one} {other}");
    }
}
