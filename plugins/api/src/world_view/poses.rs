//! Poses of bodies for viewers: each viewer that requests them receives those of the next tick.
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use bevy::prelude::*;
use crossbeam_channel::{Receiver, Sender, bounded};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::{body::BodyState, tick::Clock, wake::Waker};

/// Poses of all bodies at the end of a tick.
#[derive(Clone, Debug, Default)]
pub struct Poses {
    /// The tick.
    pub tick: u64,
    /// Time of the tick, ns.
    pub nanos: u64,
    /// Poses in the order of [`Scenery::bodies`](super::Scenery::bodies).
    pub bodies: Vec<Isometry3<f64>>,
    /// Contacts of bodies; empty unless [requested](PoseObserver::want_contacts).
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
    /// One port per viewer.
    pub ports: Vec<PosePort>,
    /// Contacts of bodies, if a viewer [requests](Viewers::want_contacts) them.
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
    wants_contacts: Arc<AtomicBool>,
    wake: Waker,
}

/// Outer end of a port for poses. It receives nothing without a request.
pub struct PoseObserver {
    receiver: Receiver<Poses>,
    home: Sender<Poses>,
    credit: Sender<()>,
    wants_contacts: Arc<AtomicBool>,
}

/// Returns the two ends of a port for poses.
#[must_use]
pub fn pose_port(wake: Waker) -> (PosePort, PoseObserver) {
    let (sender, receiver) = bounded(1);
    let (home, used) = bounded(2);
    let (credit, credits) = bounded(1);
    let wants_contacts = Arc::<AtomicBool>::default();
    let inner = PosePort {
        sender,
        oldest: receiver.clone(),
        used,
        credits,
        wants_contacts: wants_contacts.clone(),
        wake,
    };
    let outer = PoseObserver {
        receiver,
        home,
        credit,
        wants_contacts,
    };
    (inner, outer)
}

impl PoseObserver {
    /// Requests the poses of the next tick. Repeated requests count once.
    pub fn assert_ready(&self) {
        self.credit.try_send(()).ok();
    }

    /// Sets whether contacts of bodies are included. They cost some time in each tick.
    pub fn want_contacts(&self, wanted: bool) {
        self.wants_contacts.store(wanted, Ordering::Relaxed);
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

impl Viewers {
    /// Returns true if a viewer requests contacts of bodies.
    #[must_use]
    pub fn want_contacts(&self) -> bool {
        let wants = |port: &PosePort| port.wants_contacts.load(Ordering::Relaxed);
        self.ports.iter().any(wants)
    }

    /// Publishes the poses of bodies to the viewers that requested them.
    pub fn show<'a>(&self, clock: &Clock, state: impl Fn(Entity) -> Option<&'a BodyState>) {
        for port in &self.ports {
            if port.credits.try_recv().is_ok() {
                self.show_to(port, clock, &state);
            }
        }
    }

    /// Publishes the poses of bodies at the end of the run to all viewers, ready or not.
    pub fn show_last<'a>(&self, clock: &Clock, state: impl Fn(Entity) -> Option<&'a BodyState>) {
        for port in &self.ports {
            drop(port.oldest.try_recv());
            self.show_to(port, clock, &state);
        }
    }

    fn show_to<'a>(
        &self,
        port: &PosePort,
        clock: &Clock,
        state: impl Fn(Entity) -> Option<&'a BodyState>,
    ) {
        let mut poses = port.used.try_recv().unwrap_or_default();
        (poses.tick, poses.nanos) = (clock.tick, clock.nanos());
        poses.bodies.clear();
        let states = self.bodies.iter().map(|body| state(*body));
        poses
            .bodies
            .extend(states.map(|state| state.map(|state| state.pose).unwrap_or_default()));
        poses.contacts.clear();
        if port.wants_contacts.load(Ordering::Relaxed) {
            poses.contacts.extend(&self.contacts);
        }
        // Poses that were not received yet stay.
        if port.sender.try_send(poses).is_ok() {
            port.wake.wake();
        }
    }
}

/// Publishes each tick to the viewers that requested it. Runs in [`crate::tick::Tick::Export`].
pub fn show(clock: Res<Clock>, viewers: Res<Viewers>, bodies: Query<&BodyState>) {
    viewers.show(&clock, |body| bodies.get(body).ok());
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
        let (waker, wake) = Wake::new();
        let (port, observer) = pose_port(waker);
        world.insert_resource(Clock::new(10.0));
        world.insert_resource(Viewers {
            bodies: vec![body],
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
        let at = poses.bodies[0].translation.vector;
        assert_eq!(at, Vector3::new(1.0, 2.0, 3.0));
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
        viewers.show(&clock(1), |_| None);
        viewers.show(&clock(2), |_| None);
        viewers.show_last(&clock(3), |_| None);
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
            viewers.show(&Clock::new(10.0), |_| None);
            observer.try_recv().unwrap().contacts
        };
        assert!(!viewers.want_contacts());
        assert_eq!(seen(), []);
        observer.want_contacts(true);
        assert!(viewers.want_contacts());
        assert_eq!(seen(), [contact]);
    }
}
