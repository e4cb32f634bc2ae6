//! Poses of bodies for viewers: each viewer that requests them receives those of the next tick.
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use bevy::{ecs::system::SystemParam, prelude::*};
use crossbeam_channel::{Receiver, Sender, bounded};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::{
    body::BodyState,
    lighting::{Lamp, Shine},
    tick::Clock,
    wake::Waker,
};

/// Poses of all bodies at the end of a tick.
#[derive(Clone, Debug, Default)]
pub struct Poses {
    /// The tick.
    pub tick: u64,
    /// Time of the tick, ns.
    pub nanos: u64,
    /// Poses in the order of [`Scenery::bodies`](super::Scenery::bodies).
    pub bodies: Vec<Isometry3<f64>>,
    /// Lamps in the order of [`Scenery::lamps`](super::Scenery::lamps), with their brightness.
    pub lamps: Vec<(Lamp, Shine)>,
    /// Contacts of bodies; empty unless [requested](PoseObserver::request_contacts).
    pub contacts: Vec<ContactInfo>,
}

/// A contact of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactInfo {
    /// Mean of the contact points, in the world, m.
    pub point: Point3<f64>,
    /// Force that the second body exerts on the first one along the normals, world axes, N.
    pub force: Vector3<f64>,
    /// Indices of the two bodies.
    pub bodies: [usize; 2],
}

/// Ports through which a world publishes the poses of its bodies.
#[derive(Resource, Default)]
pub struct Viewers {
    /// Bodies in the order of [`Scenery::bodies`](super::Scenery::bodies).
    pub bodies: Vec<Entity>,
    /// Lamps in the order of [`Scenery::lamps`](super::Scenery::lamps).
    pub lamps: Vec<Entity>,
    /// One port per viewer.
    pub ports: Vec<PosePort>,
    /// Contacts of bodies, if a viewer [requests](Viewers::requests_contacts) them.
    pub contacts: Vec<ContactInfo>,
    /// Ports for readings: the sensor, and the port's index in its [`Outputs`](crate::sensor::Outputs).
    pub readings: Vec<(Entity, usize)>,
}

/// The world's end of a port for poses.
pub struct PosePort {
    sender: Sender<Poses>,
    oldest: Receiver<Poses>,
    used: Receiver<Poses>,
    credits: Receiver<()>,
    requests_contacts: Arc<AtomicBool>,
    wake: Waker,
}

/// Outer end of a port for poses. It receives nothing without a request.
pub struct PoseObserver {
    receiver: Receiver<Poses>,
    home: Sender<Poses>,
    credit: Sender<()>,
    requests_contacts: Arc<AtomicBool>,
}

/// Returns the two ends of a port for poses.
#[must_use]
pub fn pose_port(wake: Waker) -> (PosePort, PoseObserver) {
    let (sender, receiver) = bounded(1);
    let (home, used) = bounded(2);
    let (credit, credits) = bounded(1);
    let requests_contacts = Arc::<AtomicBool>::default();
    let inner = PosePort {
        sender,
        oldest: receiver.clone(),
        used,
        credits,
        requests_contacts: requests_contacts.clone(),
        wake,
    };
    let outer = PoseObserver {
        receiver,
        home,
        credit,
        requests_contacts,
    };
    (inner, outer)
}

impl PoseObserver {
    /// Requests the poses of the next tick. Repeated requests count once.
    pub fn assert_ready(&self) {
        self.credit.try_send(()).ok();
    }

    /// Sets whether contacts of bodies are included. They cost some time in each tick.
    pub fn request_contacts(&self, wanted: bool) {
        self.requests_contacts.store(wanted, Ordering::Relaxed);
    }

    /// Returns the poses, if they have arrived.
    #[must_use]
    pub fn try_recv(&self) -> Option<Poses> {
        self.receiver.try_recv().ok()
    }

    /// Returns memory for later poses.
    pub fn give_back(&self, used: Poses) {
        drop(self.home.try_send(used));
    }
}

/// States of the entities of a world.
pub trait EntityStates {
    /// Returns the state of a body.
    fn body(&self, body: Entity) -> Option<&BodyState>;

    /// Returns the state of a lamp.
    fn lamp(&self, lamp: Entity) -> Option<(&Lamp, &Shine)>;
}

impl EntityStates for World {
    fn body(&self, body: Entity) -> Option<&BodyState> {
        self.get(body)
    }

    fn lamp(&self, lamp: Entity) -> Option<(&Lamp, &Shine)> {
        self.get(lamp).zip(self.get(lamp))
    }
}

impl Viewers {
    /// Returns true if a viewer requests contacts of bodies.
    #[must_use]
    pub fn requests_contacts(&self) -> bool {
        let requests = |port: &PosePort| port.requests_contacts.load(Ordering::Relaxed);
        self.ports.iter().any(requests)
    }

    /// Publishes the poses of bodies to the viewers that requested them.
    pub fn show(&self, clock: &Clock, states: &impl EntityStates) {
        for port in &self.ports {
            if port.credits.try_recv().is_ok() {
                self.show_to(port, clock, states);
            }
        }
    }

    /// Publishes the poses of bodies at the end of the run to all viewers, ready or not.
    pub fn show_last(&self, clock: &Clock, states: &impl EntityStates) {
        for port in &self.ports {
            drop(port.oldest.try_recv());
            self.show_to(port, clock, states);
        }
    }

    fn show_to(&self, port: &PosePort, clock: &Clock, states: &impl EntityStates) {
        let mut poses = port.used.try_recv().unwrap_or_default();
        (poses.tick, poses.nanos) = (clock.tick, clock.nanos());
        poses.bodies.clear();
        let bodies = self.bodies.iter().map(|body| states.body(*body));
        poses
            .bodies
            .extend(bodies.map(|state| state.map(|state| state.pose).unwrap_or_default()));
        poses.lamps.clear();
        let lamps = self.lamps.iter().map(|lamp| states.lamp(*lamp));
        poses.lamps.extend(lamps.map(|state| {
            state
                .map(|(lamp, shine)| (*lamp, *shine))
                .unwrap_or_default()
        }));
        poses.contacts.clear();
        if port.requests_contacts.load(Ordering::Relaxed) {
            poses.contacts.extend(&self.contacts);
        }
        // Poses that were not received yet stay.
        if port.sender.try_send(poses).is_ok() {
            port.wake.wake();
        }
    }
}

/// States of bodies and lamps, as systems read them.
#[derive(SystemParam)]
pub struct Shown<'w, 's> {
    bodies: Query<'w, 's, &'static BodyState>,
    lamps: Query<'w, 's, (&'static Lamp, &'static Shine)>,
}

impl EntityStates for Shown<'_, '_> {
    fn body(&self, body: Entity) -> Option<&BodyState> {
        self.bodies.get(body).ok()
    }

    fn lamp(&self, lamp: Entity) -> Option<(&Lamp, &Shine)> {
        self.lamps.get(lamp).ok()
    }
}

/// Publishes each tick to the viewers that requested it. Runs in [`crate::tick::Tick::Export`].
pub fn show(clock: Res<Clock>, viewers: Res<Viewers>, states: Shown<'_, '_>) {
    viewers.show(&clock, &states);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::middleware::Wake;

    #[test]
    fn poses_are_shown_to_who_asks_and_their_memory_comes_back() {
        let mut world = World::new();
        let state = BodyState {
            pose: Isometry3::translation(1.0, 2.0, 3.0),
            ..BodyState::default()
        };
        let body = world.spawn(state).id();
        let lamp = Lamp {
            color: [1.0, 0.5, 0.0],
            distance: 2.0,
            size: 1.0,
        };
        let lamps = vec![world.spawn((lamp, Shine(0.25))).id()];
        let (waker, wake) = Wake::new();
        let (port, observer) = pose_port(waker);
        world.insert_resource(Clock::new(10.0));
        world.insert_resource(Viewers {
            bodies: vec![body],
            lamps,
            ports: vec![port],
            ..Viewers::default()
        });
        world.run_system_cached(show).unwrap();
        assert!(observer.try_recv().is_none(), "nobody asked");
        observer.assert_ready();
        observer.assert_ready();
        world.resource_mut::<Clock>().tick = 7;
        world.run_system_cached(show).unwrap();
        world.run_system_cached(show).unwrap();
        assert!(wake.wait(std::time::Duration::ZERO).is_token());
        let poses = observer.try_recv().unwrap();
        assert_eq!((poses.tick, poses.nanos), (7, 700_000_000));
        let position = poses.bodies[0].translation.vector;
        assert_eq!(position, Vector3::new(1.0, 2.0, 3.0));
        assert_eq!(poses.lamps, [(lamp, Shine(0.25))]);
        assert!(observer.try_recv().is_none(), "asked once, shown once");
        let memory = poses.bodies.as_ptr();
        observer.give_back(poses);
        observer.assert_ready();
        world.run_system_cached(show).unwrap();
        assert_eq!(observer.try_recv().unwrap().bodies.as_ptr(), memory);
    }

    #[test]
    fn the_end_is_shown_to_who_was_slow() {
        let (waker, _wake) = Wake::new();
        let (port, observer) = pose_port(waker);
        let viewers = Viewers {
            ports: vec![port],
            ..Viewers::default()
        };
        let clock = |tick| Clock { tick, rate: 10.0 };
        observer.assert_ready();
        let world = World::new();
        viewers.show(&clock(1), &world);
        viewers.show(&clock(2), &world);
        viewers.show_last(&clock(3), &world);
        let seen = std::iter::from_fn(|| observer.try_recv()).map(|poses| poses.tick);
        assert_eq!(seen.collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn contacts_are_for_who_wants_them() {
        let (waker, _wake) = Wake::new();
        let (port, observer) = pose_port(waker);
        let contact = ContactInfo {
            point: Point3::new(1.0, 0.0, 0.0),
            force: Vector3::z(),
            bodies: [0, 1],
        };
        let viewers = Viewers {
            ports: vec![port],
            contacts: vec![contact],
            ..Viewers::default()
        };
        let seen = || {
            observer.assert_ready();
            viewers.show(&Clock::new(10.0), &World::new());
            observer.try_recv().unwrap().contacts
        };
        assert!(!viewers.requests_contacts());
        assert_eq!(seen(), []);
        observer.request_contacts(true);
        assert!(viewers.requests_contacts());
        assert_eq!(seen(), [contact]);
    }
}
