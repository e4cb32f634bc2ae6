//! Trees and free bodies that touch, against closed forms.
use nalgebra::{Isometry3, Matrix3, UnitVector3};

use super::*;
use crate::{
    spatial::Inertia,
    step::Motor,
    test_run::GRAVITY,
    tree::{Axis, Joint, Link},
};

const DT: f64 = 1.0 / 240.0;

/// A slide along an axis, with a body of some kg.
fn slide(axis: UnitVector3<f64>, mass: f64) -> Tree {
    Tree::new(&[Link {
        parent: None,
        parent_from_joint: Isometry3::identity(),
        joint: Joint::Prismatic(Axis::new(axis, 0)),
        inertia: Inertia::new(mass, Vector3::zeros(), Matrix3::identity() * 0.01),
    }])
    .unwrap()
}

struct Mechanism {
    tree: Tree,
    integrator: Integrator,
    state: State,
}

impl Mechanism {
    fn new(tree: Tree) -> Self {
        Self {
            integrator: Integrator::new(&tree),
            state: tree.at_zero(),
            tree,
        }
    }

    fn member(&mut self) -> Member<'_> {
        Member {
            tree: &self.tree,
            integrator: &mut self.integrator,
            state: &mut self.state,
            base: Base::at_rest(GRAVITY),
            pose: Pose::identity(),
            external_forces: &[],
        }
    }
}

fn cube(mass: f64, side: f64) -> FreeBody {
    FreeBody {
        inverse_mass: Vector3::repeat(1.0 / mass),
        inverse_inertia: Matrix3::identity() * (6.0 / (mass * side * side)),
        center: Vector3::zeros(),
        before: Motion::ZERO,
        linear: Vector3::zeros(),
        angular: Vector3::zeros(),
        moving: Motion::ZERO,
    }
}

/// Begins a step of free bodies under a gravity.
fn fall(bodies: &mut [FreeBody], gravity: Vector3<f64>) {
    for body in bodies {
        body.before = Motion {
            angular: body.angular,
            linear: body.linear,
        };
        body.linear += gravity * DT;
    }
}

fn contact(sides: [Side; 2], point: Vector3<f64>, normal: Vector3<f64>) -> Contact {
    Contact {
        sides,
        friction_sides: sides,
        point,
        normal,
        separation_velocity: None,
        slip: None,
        distance: -1e-4,
        friction: 0.6,
        restitution: 0.0,
        tangent_velocity: Vector3::zeros(),
        share: 1.0,
        impulse: Vector3::zeros(),
    }
}

const GROUND: Side = Side::Prescribed(Vector3::new(0.0, 0.0, 0.0));

#[test]
fn a_press_presses_with_its_effort_and_weight() {
    let mut clamp = Mechanism::new(slide(Vector3::z_axis(), 3.0));
    clamp.integrator.motors[0] = Motor {
        effort: -20.0,
        ..Motor::default()
    };
    let tip = Side::Link { member: 0, link: 0 };
    let mut touching = [contact([GROUND, tip], Vector3::zeros(), Vector3::z())];
    let mut island = Island::default();
    for _ in 0..10 {
        island.step(&mut [clamp.member()], &mut [], &mut touching, &mut [], DT);
    }
    let force = touching[0].impulse.z / DT;
    assert!((force - (20.0 + 3.0 * 9.81)).abs() < 1e-9, "{force}");
    assert!(clamp.state.velocities[0].abs() < 1e-12);
}

#[test]
fn a_gripper_holds_by_friction_what_it_can_and_no_more() {
    // Two fingers of 0.1 kg clamp 0.5 kg from both sides with 6 N: 2·0.6·6 N hold up to 0.73 kg.
    for (mass, holds) in [(0.5, true), (0.9, false)] {
        let mut fingers = [Vector3::y_axis(), -Vector3::y_axis()].map(|axis| {
            let mut finger = Mechanism::new(slide(axis, 0.1));
            finger.integrator.motors[0].effort = 6.0;
            finger
        });
        let mut bodies = [cube(mass, 0.04)];
        let mut touching = Vec::new();
        for (member, side) in [(0, -1.0), (1, 1.0)] {
            let sides = [Side::Link { member, link: 0 }, Side::Body(0)];
            let at = Vector3::y() * (side * 0.02);
            touching.push(contact(sides, at, Vector3::y() * -side));
        }
        let mut island = Island::default();
        for _ in 0..100 {
            fall(&mut bodies, GRAVITY);
            let [one, two] = &mut fingers;
            let members = &mut [one.member(), two.member()];
            island.step(members, &mut bodies, &mut touching, &mut [], DT);
        }
        let time = 100.0 * DT;
        let falls = GRAVITY.z * time + 2.0 * 0.6 * 6.0 / mass * time;
        let wanted = if holds { 0.0 } else { falls };
        let speed = bodies[0].linear.z;
        assert!((speed - wanted).abs() < 1e-6 * time, "{mass} kg: {speed}");
        let pressed = touching[0].impulse.y;
        assert!((pressed / DT - 6.0).abs() < 1e-6, "{pressed}");
    }
}

#[test]
fn what_meets_without_a_bounce_goes_on_together() {
    // 2 kg at 3 m/s meet 1 kg: both go on with 2 m/s.
    let mut cart = Mechanism::new(slide(Vector3::x_axis(), 2.0));
    cart.state.velocities[0] = 3.0;
    let mut bodies = [cube(1.0, 0.1)];
    let sides = [Side::Link { member: 0, link: 0 }, Side::Body(0)];
    let mut touching = [contact(sides, Vector3::zeros(), Vector3::x())];
    let mut island = Island::default();
    island.step(
        &mut [cart.member()],
        &mut bodies,
        &mut touching,
        &mut [],
        DT,
    );
    assert!((cart.state.velocities[0] - 2.0).abs() < 1e-9);
    assert!((bodies[0].linear.x - 2.0).abs() < 1e-9);
}

#[test]
fn what_bounces_parts_with_its_share_of_the_speed() {
    let mut bodies = [cube(1.0, 0.1)];
    bodies[0].linear.z = -2.0;
    bodies[0].before.linear.z = -2.0;
    let mut touching = [contact(
        [GROUND, Side::Body(0)],
        Vector3::zeros(),
        Vector3::z(),
    )];
    touching[0].restitution = 0.5;
    Island::default().step(&mut [], &mut bodies, &mut touching, &mut [], DT);
    assert!((bodies[0].linear.z - 1.0).abs() < 1e-9);
    // On its way it stops at the middle of the step, and then parts.
    assert!((bodies[0].moving.linear.z + 1.0).abs() < 0.06);
}

#[test]
fn what_is_inside_another_body_comes_out_without_speed() {
    let mut bodies = [cube(1.0, 0.1)];
    let mut touching = [contact(
        [GROUND, Side::Body(0)],
        Vector3::zeros(),
        Vector3::z(),
    )];
    let mut deep = 0.01;
    for _ in 0..60 {
        touching[0].distance = -deep;
        fall(&mut bodies, Vector3::zeros());
        Island::default().step(&mut [], &mut bodies, &mut touching, &mut [], DT);
        assert!(bodies[0].linear.z.abs() < 1e-12);
        deep -= bodies[0].moving.linear.z * DT;
    }
    assert!(deep > 1e-4 && deep < 3e-4, "{deep}");
}

#[test]
fn a_step_in_substeps_is_not_made_beside_a_gap() {
    let mut arm = Mechanism::new(
        Tree::new(&[Link {
            parent: None,
            parent_from_joint: Isometry3::identity(),
            joint: Joint::Revolute(Axis::new(Vector3::z_axis(), 0)),
            inertia: Inertia::new(1.0, Vector3::x() * 0.3, Matrix3::identity() * 0.1),
        }])
        .unwrap(),
    );
    arm.state.velocities[0] = 30.0;
    let mut bodies = [cube(1.0, 0.1), cube(1.0, 0.1)];
    bodies[1].center = Vector3::x() * 0.11;
    let gap = Gap {
        bodies: [0, 1],
        normal: Vector3::x(),
        distance: 0.01,
        extents: [0.1; 2],
    };
    let mut island = Island::default();
    for (gaps, is_made) in [(&[gap][..], false), (&[], true)] {
        let (members, contacts, welds) = (&mut [arm.member()], &mut [][..], &mut [][..]);
        let of = (&mut members[..], &mut bodies[..], contacts, welds);
        assert_eq!(island.step_beside(of, gaps, DT), is_made);
        let turned = if is_made { 30.0 * DT } else { 0.0 };
        assert!((arm.state.positions[0] - turned).abs() < 1e-9);
    }
}

#[test]
fn a_weld_carries_and_pulls_back() {
    // 2 kg at the end of 0.5 m: 9.81 N·m besides the weight.
    let mut arm = Mechanism::new(
        Tree::new(&[Link {
            parent: None,
            parent_from_joint: Isometry3::identity(),
            joint: Joint::Revolute(Axis::new(Vector3::y_axis(), 0)),
            inertia: Inertia::new(1.0, Vector3::zeros(), Matrix3::identity() * 0.1),
        }])
        .unwrap(),
    );
    arm.integrator.motors[0].stiff = Some(0.0);
    let mut bodies = [cube(2.0, 0.1)];
    bodies[0].center = Vector3::x() * 0.5;
    let weld = Weld {
        sides: [Side::Link { member: 0, link: 0 }, Side::Body(0)],
        point: bodies[0].center,
        error: Motion {
            linear: Vector3::new(0.0, 0.0, -0.01),
            angular: Vector3::new(0.1, 0.0, 0.0),
        },
        holds: [true; 6],
        turning: Vector3::zeros(),
        velocity: None,
        impulse: Force::default(),
    };
    let mut welds = [weld];
    let mut island = Island::default();
    for _ in 0..20 {
        fall(&mut bodies, GRAVITY);
        bodies[0].center = weld.point;
        island.step(&mut [arm.member()], &mut bodies, &mut [], &mut welds, DT);
    }
    assert!(bodies[0].linear.norm() < 1e-6 && bodies[0].angular.norm() < 1e-6);
    assert!((bodies[0].moving.linear.z - 0.01 * 0.2 / DT).abs() < 1e-4);
    assert!((bodies[0].moving.angular.x + 0.1 * 0.2 / DT).abs() < 1e-4);
    let effort = arm.integrator.efforts[0];
    assert!((effort + 9.81).abs() < 1e-3, "{effort}");
    // The weld carries the weight of the body.
    let lift = welds[0].impulse.force.z / DT;
    assert!((lift - 2.0 * 9.81).abs() < 1e-3, "{lift}");
}

/// A ball that slides while it bounces has the friction of the whole impulse, μ m (1 + e) v, also if it reaches the ground
/// within the step.
#[test]
fn what_bounces_has_the_friction_of_its_whole_impulse() {
    const RADIUS: f64 = 0.1;
    for (distance, mass) in [(0.0, 1.0), (0.0125, 4.2), (0.0, 1e-3), (0.001, 1e3)] {
        let mut bodies = [cube(mass, f64::sqrt(2.4) * RADIUS)];
        bodies[0].center.z = RADIUS + distance;
        bodies[0].linear = Vector3::new(2.0, 0.0, -3.0);
        bodies[0].before.linear = bodies[0].linear;
        let mut touching = [contact(
            [GROUND, Side::Body(0)],
            Vector3::z() * distance,
            Vector3::z(),
        )];
        touching[0].restitution = 0.8;
        touching[0].friction = 0.1;
        touching[0].distance = distance;
        Island::default().step(&mut [], &mut bodies, &mut touching, &mut [], 1.0 / 120.0);
        let linear = bodies[0].linear;
        assert!(
            (linear.z - 2.4).abs() < 1e-6,
            "{distance}, {mass}: {linear}"
        );
        assert!(
            (linear.x - 1.46).abs() < 1e-6,
            "{distance}, {mass}: {linear}"
        );
        assert!(
            (bodies[0].angular.y - 13.5).abs() < 1e-5,
            "{distance}, {mass}"
        );
    }
}

/// A box meets the ground below it, and the one above it parts from it: nothing but an elastic impact.
#[test]
fn a_bounce_is_not_handed_on_to_what_parts() {
    for restitution in [0.5, 1.0] {
        let mut bodies = [cube(7.0, 0.2), cube(23.0, 0.2)];
        for (body, speed) in bodies.iter_mut().zip([-7.7, -0.15]) {
            body.linear.z = speed;
        }
        fall(&mut bodies, Vector3::zeros());
        bodies[1].center.z = 0.2;
        let touching = [
            contact([GROUND, Side::Body(0)], -Vector3::z() * 0.1, Vector3::z()),
            contact(
                [Side::Body(0), Side::Body(1)],
                Vector3::z() * 0.1,
                Vector3::z(),
            ),
        ];
        let mut touching = touching.map(|contact| Contact {
            restitution,
            ..contact
        });
        let energy = |bodies: &[FreeBody]| -> f64 {
            let energies = bodies.iter();
            let energies =
                energies.map(|body| body.linear.norm_squared() / body.inverse_mass.z / 2.0);
            energies.sum()
        };
        let before = energy(&bodies);
        Island::default().step(&mut [], &mut bodies, &mut touching, &mut [], DT);
        let after = energy(&bodies);
        assert!(
            after <= before * (1.0 + 1e-9),
            "{restitution}: {before} J, then {after} J"
        );
        assert!(bodies[0].linear.z > 0.0 && bodies[1].linear.z >= bodies[0].linear.z - 1e-9);
    }
}
