//! Components that carry others: a pan-tilt unit with a camera on it, an arm with a gripper.
//!
//! A component on something that never moves has a fixed [`Mount`] and costs nothing. A component that sits, directly or
//! not, on a [`Carrier`] is [`Carried`]: its mount is composed anew before each tick and before sensors are stamped,
//! carriers before the components that they carry, so that a pan-tilt unit on a pan-tilt unit works.
use std::collections::BTreeSet;

use bevy::prelude::*;
use nalgebra::{Isometry3, Vector3};
use serde::{Deserialize, Serialize};

use crate::{
    body::BodyState,
    component::{Mount, WorldPose, WorldVelocity, stamp},
    state::Stateful,
};

/// Plate that a component moves and on which it carries others. Required by the kinds that have a plate, which write it in
/// their `default_action`. It is state.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Carrier {
    /// Pose of the plate in the component's frame.
    pub plate: Isometry3<f64>,
    /// Velocity of the plate's origin relative to the component, in the component's axes, m/s.
    pub linear: Vector3<f64>,
    /// Angular velocity of the plate relative to the component, in the component's axes, rad/s.
    pub angular: Vector3<f64>,
}

impl Stateful for Carrier {}

/// Body of the scene that is the plate of a [`Carrier`]: components on the plate sit on this body. Inserted at the start
/// (see [`Bind`]); computed from the scene and the settings.
#[derive(Component, Clone, Copy, Debug)]
pub struct CarrierBody {
    /// The body.
    pub body: Entity,
    /// Pose of the plate in the body's frame.
    pub body_from_plate: Isometry3<f64>,
}

/// Pose of a plate in the base of its carrier at rest, for example of an arm's end in the arm's first frame with all joints
/// at zero. Required by the kinds that have a base; inserted at the start, as [`CarrierBody`] is.
#[derive(Component, Clone, Copy, Debug, Default)]
pub struct RestingPlate(pub Isometry3<f64>);

/// The component on which a component sits, moving or not.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub struct On(pub Entity);

/// Marks a component that sits on another component which moves it.
#[derive(Component, Clone, Copy, Debug)]
#[require(Sway)]
pub struct Carried {
    /// The component on which it sits.
    pub carrier: Entity,
    /// Pose of the component on the carrier's plate.
    pub plate_from_component: Isometry3<f64>,
}

/// Marks a carried component whose pose was given relative to the carrier's base.
#[derive(Component, Clone, Copy, Debug)]
pub struct CountsFromBase;

/// Velocity of a carried component relative to its body, in the body's axes.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct Sway {
    /// Linear velocity of the component's origin, m/s.
    pub linear: Vector3<f64>,
    /// Angular velocity, rad/s.
    pub angular: Vector3<f64>,
}

impl Sway {
    /// Adds the relative velocity to the velocity that a component has from its body.
    pub fn add_to(&self, body: &BodyState, velocity: &mut WorldVelocity) {
        velocity.linear += body.pose.rotation * self.linear;
        velocity.angular += body.pose.rotation * self.angular;
    }
}

/// All carried components, carriers first.
#[derive(Resource, Default, Debug)]
pub struct CarriedOrder(Vec<Entity>);

/// Systems of `PreStartup` that insert [`CarrierBody`].
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bind;

/// A component that the simulation file puts on another.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The component.
    pub component: Entity,
    /// The component on which it sits.
    pub carrier: Entity,
    /// Pose of the component on the carrier.
    pub pose: Isometry3<f64>,
    /// True if the pose is relative to the carrier's base at rest (see [`RestingPlate`]), otherwise to its plate.
    pub counts_from_base: bool,
}

/// Inserts the links into components, and marks the components that sit, directly or not, on a carrier that moves.
pub fn link(world: &mut World, links: &[Link]) {
    let mut waiting: BTreeSet<Entity> = links.iter().map(|link| link.component).collect();
    let mut left: Vec<&Link> = links.iter().collect();
    // Each round links the components whose carriers are linked; circles were refused when the file was read.
    while !left.is_empty() {
        let count = left.len();
        let (ready, later): (Vec<&Link>, Vec<&Link>) = left
            .into_iter()
            .partition(|link| !waiting.contains(&link.carrier));
        for link in ready {
            waiting.remove(&link.component);
            world.entity_mut(link.component).insert(On(link.carrier));
            let moves = world.get::<Carrier>(link.carrier).is_some()
                || world.get::<Carried>(link.carrier).is_some()
                || link.counts_from_base;
            if moves {
                let mut component = world.entity_mut(link.component);
                component.insert(Carried {
                    carrier: link.carrier,
                    plate_from_component: link.pose,
                });
                if link.counts_from_base {
                    component.insert(CountsFromBase);
                }
                let mut order = world.get_resource_or_init::<CarriedOrder>();
                order.0.push(link.component);
            }
        }
        if later.len() == count {
            break;
        }
        left = later;
    }
}

/// Converts poses relative to bases into poses relative to plates, at the start, once carriers have their plates.
pub fn hand_over(
    plates: Query<&RestingPlate>,
    mut carried: Query<&mut Carried, With<CountsFromBase>>,
) {
    for mut carried in &mut carried {
        if let Ok(RestingPlate(base_from_plate)) = plates.get(carried.carrier) {
            carried.plate_from_component = base_from_plate.inv_mul(&carried.plate_from_component);
        }
    }
}

type CarriedQuery<'w, 's> = Query<
    'w,
    's,
    (
        &'static mut Mount,
        Option<&'static mut Sway>,
        Option<&'static Carrier>,
        Option<&'static CarrierBody>,
        Option<&'static Carried>,
    ),
>;

/// Composes the mounts of all carried components.
pub fn follow(order: Res<CarriedOrder>, mut components: CarriedQuery<'_, '_>) {
    for &entity in &order.0 {
        let Ok((.., Some(&carried))) = components.get(entity) else {
            continue;
        };
        let Ok((carrier, sway, plate, body, _)) = components.get(carried.carrier) else {
            continue;
        };
        let sway = sway.copied().unwrap_or_default();
        let plate = plate.copied().unwrap_or_default();
        let is_on_body = body.is_some();
        let (mount, moves) = composed(carrier, &sway, &plate, body, &carried.plate_from_component);
        if let Ok((mut own, own_sway, ..)) = components.get_mut(entity) {
            *own = Mount {
                robot_from_component: if is_on_body {
                    own.robot_from_component
                } else {
                    mount.robot_from_component
                },
                ..mount
            };
            if let Some(mut own_sway) = own_sway {
                *own_sway = moves;
            }
        }
    }
}

/// Returns the mount of a component on its carrier, and its velocity relative to the body.
fn composed(
    carrier: &Mount,
    sway: &Sway,
    plate: &Carrier,
    body: Option<&CarrierBody>,
    own: &Isometry3<f64>,
) -> (Mount, Sway) {
    if let Some(attached) = body {
        let mount = Mount {
            body: attached.body,
            frame: attached.body,
            body_from_component: attached.body_from_plate * own,
            ..*carrier
        };
        return (mount, Sway::default());
    }
    let carrier_from_component = plate.plate * own;
    let turned = carrier.body_from_component.rotation;
    let lever = turned * carrier_from_component.translation.vector;
    let on_plate = turned * (plate.plate.rotation * own.translation.vector);
    let turning = turned * plate.angular;
    let sway = Sway {
        linear: sway.linear
            + sway.angular.cross(&lever)
            + turned * plate.linear
            + turning.cross(&on_plate),
        angular: sway.angular + turning,
    };
    let mount = Mount {
        body_from_component: carrier.body_from_component * carrier_from_component,
        robot_from_component: carrier.robot_from_component * carrier_from_component,
        ..*carrier
    };
    (mount, sway)
}

/// Writes mounts, poses and velocities of components whose bodies are determined at the start.
pub fn set_poses(
    order: Res<CarriedOrder>,
    bodies: Query<&BodyState>,
    mut components: Query<(&mut Mount, &Sway, &mut WorldPose, &mut WorldVelocity), With<Carried>>,
) {
    for &entity in &order.0 {
        let Ok((mut mount, sway, mut pose, mut velocity)) = components.get_mut(entity) else {
            continue;
        };
        let (Ok(body), Ok(robot)) = (bodies.get(mount.body), bodies.get(mount.robot)) else {
            continue;
        };
        stamp(body, &mount, &mut pose, &mut velocity);
        sway.add_to(body, &mut velocity);
        mount.robot_from_component = robot.pose.inv_mul(&pose.0);
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;

    fn mount(pose: Isometry3<f64>) -> Mount {
        Mount {
            body: Entity::PLACEHOLDER,
            robot: Entity::PLACEHOLDER,
            frame: Entity::PLACEHOLDER,
            body_from_component: pose,
            robot_from_component: pose,
        }
    }

    /// Two turntables, the second at the rim of the first, and a point at the rim of the second.
    fn rim(first: f64, second: f64) -> (Mount, Sway) {
        let turned = |angle: f64, rate: f64| Carrier {
            plate: Isometry3::rotation(Vector3::z() * angle),
            linear: Vector3::zeros(),
            angular: Vector3::z() * rate,
        };
        let out = Isometry3::translation(1.0, 0.0, 0.0);
        let base = mount(Isometry3::translation(0.0, 0.0, 0.5));
        let (middle, sway) = composed(&base, &Sway::default(), &turned(first, 2.0), None, &out);
        composed(&middle, &sway, &turned(second, 3.0), None, &out)
    }

    #[test]
    fn a_unit_on_a_unit_moves_as_a_two_link_arm() {
        let (q1, q2) = (0.3, 0.9);
        let (mount, sway) = rim(q1, q2);
        let (s1, c1) = libm::sincos(q1);
        let (s12, c12) = libm::sincos(q1 + q2);
        let position = Vector3::new(c1 + c12, s1 + s12, 0.5);
        assert!((mount.body_from_component.translation.vector - position).norm() < 1e-12);
        // Of the planar arm with unit links: v = q1' z × p1 + (q1' + q2') z × p2.
        let velocity = Vector3::new(-2.0 * s1 - 5.0 * s12, 2.0 * c1 + 5.0 * c12, 0.0);
        assert!((sway.linear - velocity).norm() < 1e-12);
        assert!((sway.angular - Vector3::z() * 5.0).norm() < 1e-12);
    }

    #[test]
    fn velocities_are_the_derivatives_of_poses() {
        let step = 1e-6;
        let (before, sway) = rim(0.4, -1.1);
        let (after, _) = rim(0.4 + 2.0 * step, -1.1 + 3.0 * step);
        let moved = after.body_from_component.translation.vector
            - before.body_from_component.translation.vector;
        // Half a step of an acceleration of at most 2² + 5² m/s².
        assert!((moved / step - sway.linear).norm() < 2e-5);
    }

    #[test]
    fn links_are_followed_carriers_first() {
        let mut world = World::new();
        let [unit, upper, camera, plain, lamp] = [0; 5].map(|_| world.spawn_empty().id());
        world
            .entity_mut(unit)
            .insert((mount(Isometry3::identity()), Carrier::default()));
        for entity in [upper, camera, plain, lamp] {
            world
                .entity_mut(entity)
                .insert(mount(Isometry3::identity()));
        }
        world.entity_mut(upper).insert(Carrier {
            plate: Isometry3::rotation(Vector3::z() * FRAC_PI_2),
            ..Carrier::default()
        });
        let on = |component, carrier| Link {
            component,
            carrier,
            pose: Isometry3::translation(1.0, 0.0, 0.0),
            counts_from_base: false,
        };
        link(
            &mut world,
            &[on(camera, upper), on(lamp, plain), on(upper, unit)],
        );
        assert_eq!(world.resource::<CarriedOrder>().0, [upper, camera]);
        world.run_system_cached(follow).unwrap();
        let pose = world.get::<Mount>(camera).unwrap().body_from_component;
        let expected = Vector3::new(1.0, 1.0, 0.0);
        assert!((pose.translation.vector - expected).norm() < 1e-12);
        assert!(world.get::<Carried>(lamp).is_none());
    }
}
