//! Loads of contacts that share the weight of a body, against closed forms of rigid bodies on equal springs.
use nalgebra::Matrix3;

use super::*;

const GRAVITY: f64 = 9.81;
const DT: f64 = 1.0 / 240.0;

/// A table with legs at (x, y) from its centre of mass, some of them shorter, m.
struct Table {
    body: FreeBody,
    legs: Vec<[f64; 2]>,
    short: Vec<f64>,
    contacts: Vec<Contact>,
    /// Height of the centre of mass and rotation about x and y.
    state: [f64; 3],
}

impl Table {
    fn new(mass: f64, legs: &[[f64; 2]]) -> Self {
        let sides = [Side::Prescribed(Vector3::zeros()), Side::Body(0)];
        let contact = |[x, y]: &[f64; 2]| Contact {
            sides,
            friction_sides: sides,
            point: Vector3::new(*x, *y, 0.0),
            normal: Vector3::z(),
            separation_velocity: None,
            slip: None,
            distance: 0.0,
            friction: 0.6,
            restitution: 0.0,
            tangent_velocity: Vector3::zeros(),
            share: 1.0,
            impulse: Vector3::zeros(),
        };
        Self {
            body: FreeBody {
                inverse_mass: Vector3::repeat(1.0 / mass),
                inverse_inertia: Matrix3::from_diagonal(&Vector3::new(3.0, 1.0, 2.0)) / mass,
                center: Vector3::zeros(),
                before: Motion::ZERO,
                linear: Vector3::zeros(),
                angular: Vector3::zeros(),
                moving: Motion::ZERO,
            },
            legs: legs.to_vec(),
            short: vec![0.0; legs.len()],
            contacts: legs.iter().map(contact).collect(),
            state: [0.0; 3],
        }
    }

    /// Lets the table come to rest; returns the load of each leg, N.
    fn loads(&mut self) -> Vec<f64> {
        let mut island = Island::default();
        for _ in 0..2000 {
            let body = &mut self.body;
            body.before = Motion {
                angular: body.angular,
                linear: body.linear,
            };
            body.linear.z -= GRAVITY * DT;
            let speeds = [
                body.before.linear.z,
                body.before.angular.x,
                body.before.angular.y,
            ];
            let [height, about_x, about_y] =
                [0, 1, 2].map(|index| self.state[index] + speeds[index] * DT / 2.0);
            let legs = self.legs.iter().zip(&self.short);
            for (contact, ([x, y], short)) in self.contacts.iter_mut().zip(legs) {
                contact.distance = height + about_x * y - about_y * x + short;
            }
            body.center = Vector3::zeros();
            let bodies = std::slice::from_mut(body);
            island.step(&mut [], bodies, &mut self.contacts, &mut [], DT);
            let moving = self.body.moving;
            let speeds = [moving.linear.z, moving.angular.x, moving.angular.y];
            for (state, speed) in self.state.iter_mut().zip(speeds) {
                *state += speed * DT;
            }
        }
        let rest = self.body.linear.norm() + self.body.angular.norm();
        assert!(rest < 1e-9, "it rests: {rest}");
        let loads = self.contacts.iter().map(|contact| contact.impulse.z / DT);
        loads.collect()
    }
}

#[track_caller]
fn assert_loads(actual: &[f64], expected: &[f64]) {
    for (actual, expected) in actual.iter().zip(expected) {
        assert!(
            (actual - expected).abs() < 1e-4,
            "{actual:?}, not {expected:?}"
        );
    }
}

/// Returns the loads of equal springs under a rigid body: linear in x and y, with the sum and the moments of the weight.
/// The legs are placed symmetrically, or in a row.
fn springs(weight: f64, legs: &[[f64; 2]]) -> Vec<f64> {
    let count = legs.len() as f64;
    let mean = |axis: usize| legs.iter().map(|leg| leg[axis]).sum::<f64>() / count;
    let middle = [mean(0), mean(1)];
    let spread = |axis: usize| {
        legs.iter()
            .map(|leg| (leg[axis] - middle[axis]).powi(2))
            .sum::<f64>()
    };
    let load = |leg: &[f64; 2]| {
        let lever = |axis: usize| match spread(axis) > 0.0 {
            true => -middle[axis] * (leg[axis] - middle[axis]) / spread(axis),
            false => 0.0,
        };
        weight * (1.0 / count + lever(0) + lever(1))
    };
    legs.iter().map(load).collect()
}

/// Four legs are one more than statics determine.
#[test]
fn four_legs_carry_as_equal_springs_wherever_the_centre_of_mass_is() {
    for [x, y] in [[0.0, 0.0], [0.1, 0.0], [0.15, -0.1]] {
        let legs = [[-0.4, -0.3], [0.4, -0.3], [-0.4, 0.3], [0.4, 0.3]];
        let legs = legs.map(|leg| [leg[0] - x, leg[1] - y]);
        let loads = Table::new(12.0, &legs).loads();
        assert_loads(&loads, &springs(12.0 * GRAVITY, &legs));
    }
}

/// Three legs carry what the moments about the others require.
#[test]
fn three_legs_carry_what_statics_say() {
    let legs = [[-0.2, -0.3], [0.5, -0.1], [0.0, 0.4]];
    let area = |[a, b]: [[f64; 2]; 2]| a[0] * b[1] - a[1] * b[0];
    let areas = [[1, 2], [2, 0], [0, 1]].map(|pair| area(pair.map(|index| legs[index])));
    let expected = areas.map(|area| 8.0 * GRAVITY * area / areas.iter().sum::<f64>());
    assert_loads(&Table::new(8.0, &legs).loads(), &expected);
}

/// A beam on three points in a row at one end, and one at the other: as a tyre on its edges and its middle.
#[test]
fn three_points_in_a_row_carry_as_equal_springs() {
    let legs = [[0.0, 0.2], [0.0, 0.29], [0.0, 0.38], [0.0, -0.29]];
    let expected = springs(10.0 * GRAVITY, &legs);
    assert_loads(&Table::new(10.0, &legs).loads(), &expected);
}

#[test]
fn a_leg_that_is_too_short_carries_nothing() {
    let legs = [[-0.5, -0.3], [0.5, -0.3], [-0.4, 0.3], [0.4, 0.3]];
    let mut table = Table::new(12.0, &legs);
    table.short[3] = 0.01;
    table.legs[2] = [0.0, 0.3];
    table.contacts[2].point = Vector3::new(0.0, 0.3, 0.0);
    let weight = 12.0 * GRAVITY;
    assert_loads(
        &table.loads(),
        &[weight / 4.0, weight / 4.0, weight / 2.0, 0.0],
    );
}

/// A line that is loaded evenly presses with a quarter on each end and a half on the middle.
#[test]
fn points_carry_by_their_shares() {
    let legs = [[-0.3, -0.2], [-0.3, 0.0], [-0.3, 0.2], [0.3, 0.0]];
    let mut table = Table::new(8.0, &legs);
    for (contact, share) in table.contacts.iter_mut().zip([0.75, 1.5, 0.75, 3.0]) {
        contact.share = share;
    }
    let loads = [0.125, 0.25, 0.125, 0.5].map(|share| share * 8.0 * GRAVITY);
    assert_loads(&table.loads(), &loads);
}
