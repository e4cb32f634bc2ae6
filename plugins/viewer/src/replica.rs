//! Replica of the simulation's state in the window: poses, readings, and the speed of time.
use std::collections::BTreeSet;

use bevy::prelude::*;
use morse_api::{
    middleware::{RequestSender, Wake},
    port::Observer,
    reading::Reading,
    world_view::{GraphExchange, Lens, LookAt, PoseObserver, Poses, Scenery},
};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::channel::WindowContext;

/// Minimum duration over which the speed of time is measured, s.
const SPAN: f64 = 0.5;

/// Latest known state of the simulation.
#[derive(Resource)]
pub(crate) struct Replica {
    /// Description of the things in the world.
    pub(crate) scenery: std::sync::Arc<Scenery>,
    /// Poses of the bodies.
    pub(crate) poses: Poses,
    /// Point of the simulation's world that is the origin of the window's world, since single precision is too coarse far
    /// from the origin.
    pub(crate) origin: Vector3<f64>,
    /// Sensors, in path order.
    pub(crate) sensors: Vec<SensorReplica>,
    /// Speed of simulated time.
    pub(crate) pace: Pace,
    /// Initial viewpoint.
    pub(crate) view: LookAt,
    /// Lens of the initial view.
    pub(crate) lens: Lens,
    /// Path of the initially selected component.
    pub(crate) selected: Option<String>,
    /// Graphs of the middlewares that run objects, by name.
    pub(crate) graphs: Vec<(String, GraphExchange)>,
    /// True once the simulation has ended; the replica then shows its last tick.
    pub(crate) is_over: bool,
    observer: PoseObserver,
    pacing: std::sync::Arc<morse_api::world_view::Pacing>,
    requests: RequestSender,
    wake: Wake,
}

/// A sensor with its readings.
pub(crate) struct SensorReplica {
    /// Receiver of the sensor's readings.
    pub(crate) observer: Observer,
    /// Last reading, if the sensor is watched.
    pub(crate) reading: Option<Reading>,
    /// Request for the measurement that the sensor made before it was watched.
    look: Option<Observer>,
    is_watched: bool,
}

/// Requested and measured speed of simulated time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Pace {
    /// True while the run is paused.
    pub(crate) is_held: bool,
    /// Requested factor of simulated time to real time; infinite for as fast as possible.
    pub(crate) factor: f64,
    /// Measured factor of simulated time to real time.
    pub(crate) measured: f64,
    since: (f64, f64),
}

impl Pace {
    /// Updates the measured factor from simulated and wall-clock time, s.
    fn measure(&mut self, simulated: f64, wall: f64) {
        let (simulated_before, wall_before) = self.since;
        let passed = wall - wall_before;
        if self.is_held || simulated < simulated_before {
            self.since = (simulated, wall);
        } else if passed >= SPAN {
            self.measured = (simulated - simulated_before) / passed;
            self.since = (simulated, wall);
        }
    }
}

/// Indices of the watched sensors; set again in every frame.
#[derive(Resource, Default)]
pub(crate) struct Watched(pub(crate) BTreeSet<usize>);

impl Replica {
    pub(crate) fn new(context: WindowContext) -> Self {
        let WindowContext {
            world_view,
            requests,
            wake,
            ..
        } = context;
        let scenery = world_view.scenery;
        let bodies: Vec<_> = scenery.bodies.iter().map(|body| body.pose).collect();
        let first = scenery.robots.first().map_or(0, |robot| robot.body);
        let origin = bodies.get(first).map_or_else(Vector3::zeros, |pose| {
            // Whole kilometres, so that the offset causes no rounding near the scene's own origin.
            pose.translation
                .vector
                .map(|coordinate| (coordinate / 1000.0).round() * 1000.0)
        });
        let sensors = world_view
            .sensors
            .into_iter()
            .map(|observer| SensorReplica {
                observer,
                reading: None,
                look: None,
                is_watched: false,
            });
        Self {
            poses: Poses {
                bodies,
                ..Poses::default()
            },
            origin,
            sensors: sensors.collect(),
            pace: Pace::default(),
            view: world_view.view,
            lens: world_view.lens,
            selected: world_view.selected,
            graphs: world_view.graphs,
            is_over: false,
            observer: world_view.poses,
            pacing: world_view.pacing,
            scenery,
            requests,
            wake,
        }
    }

    /// Returns the sender of requests to the simulation.
    pub(crate) fn requests(&self) -> &RequestSender {
        &self.requests
    }

    /// Requests or cancels contact data from the simulation.
    pub(crate) fn request_contacts(&self, wanted: bool) {
        self.observer.request_contacts(wanted);
    }

    /// Returns the simulated time of the replica, s.
    pub(crate) fn seconds(&self) -> f64 {
        self.poses.nanos as f64 / 1e9
    }

    /// Returns the pose of a body in the window's world.
    pub(crate) fn body(&self, index: usize) -> Transform {
        self.poses
            .bodies
            .get(index)
            .map_or(Transform::IDENTITY, |pose| self.transform(pose))
    }

    /// Returns the pose, in the simulation's world, of an object that a body carries.
    pub(crate) fn carried(&self, body: usize, body_from_it: &Isometry3<f64>) -> Isometry3<f64> {
        self.poses
            .bodies
            .get(body)
            .map_or(*body_from_it, |pose| pose * body_from_it)
    }

    /// Converts a pose from the simulation's world to the window's.
    pub(crate) fn transform(&self, pose: &Isometry3<f64>) -> Transform {
        let local = Isometry3::from_parts(
            (pose.translation.vector - self.origin).into(),
            pose.rotation,
        );
        transform(&local)
    }

    /// Converts a point from the simulation's world to the window's.
    pub(crate) fn point(&self, point: &Point3<f64>) -> Vec3 {
        let [x, y, z]: [f64; 3] = (point.coords - self.origin).into();
        Vec3::new(x as f32, y as f32, z as f32)
    }

    /// Returns the index of a sensor.
    pub(crate) fn sensor(&self, path: &str) -> Option<usize> {
        let is_it = |seen: &SensorReplica| *seen.observer.info.path == *path;
        self.sensors.iter().position(is_it)
    }

    fn take(&mut self, wall: f64) {
        // Read first: if the run is paused now, all measurements before the pause have arrived.
        let (is_held, factor) = self.pacing.get();
        let (was_held, tick_before) = (self.pace.is_held, self.poses.tick);
        (self.pace.is_held, self.pace.factor) = (is_held, factor);
        if let Some(poses) = self.observer.try_recv() {
            let is_new_start = poses.tick < self.poses.tick;
            self.observer
                .give_back(std::mem::replace(&mut self.poses, poses));
            if is_new_start {
                self.sensors.iter_mut().for_each(|seen| seen.reading = None);
            }
        }
        self.pace.measure(self.seconds(), wall);
        // A busy window may have missed the measurements of the last tick, or of single steps.
        let is_last = is_held && (!was_held || self.poses.tick > tick_before);
        for seen in self.sensors.iter_mut().filter(|seen| seen.is_watched) {
            let looked = seen.look.as_ref().and_then(Observer::try_recv);
            let newest = std::iter::from_fn(|| seen.observer.try_recv()).last();
            if let Some(reading) = newest.or(looked) {
                (seen.reading, seen.look) = (Some(reading), None);
            }
            if is_last {
                seen.look = self.requests.look(seen.observer.info.clone()).ok();
            }
        }
        self.is_over = self.wake.is_over();
    }

    fn request(&mut self, watched: &BTreeSet<usize>) {
        self.observer.assert_ready();
        for (index, seen) in self.sensors.iter_mut().enumerate() {
            let is_watched = watched.contains(&index);
            if is_watched {
                seen.observer.assert_ready();
            }
            if is_watched && (!seen.is_watched || seen.reading.is_none() && seen.look.is_none()) {
                // If too many requests are pending, the next measurement is shown.
                seen.look = self.requests.look(seen.observer.info.clone()).ok();
            }
            if seen.is_watched && !is_watched {
                seen.observer.deassert_ready();
                (seen.reading, seen.look) = (None, None);
            }
            seen.is_watched = is_watched;
        }
    }
}

/// Converts an isometry to single precision.
pub(crate) fn transform(pose: &Isometry3<f64>) -> Transform {
    let [x, y, z]: [f64; 3] = pose.translation.vector.into();
    let [i, j, k, w]: [f64; 4] = pose.rotation.coords.into();
    Transform {
        translation: Vec3::new(x as f32, y as f32, z as f32),
        rotation: Quat::from_xyzw(i as f32, j as f32, k as f32, w as f32).normalize(),
        scale: Vec3::ONE,
    }
}

/// Receives poses and readings at the start of each frame.
pub(crate) fn take(mut replica: ResMut<Replica>, time: Res<Time<Real>>) {
    replica.take(time.elapsed_secs_f64());
}

/// Requests the data for the next frame, at the end of each frame.
pub(crate) fn request(mut replica: ResMut<Replica>, mut watched: ResMut<Watched>) {
    replica.request(&watched.0);
    watched.0.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speed_is_simulated_time_by_time() {
        let mut pace = Pace::default();
        pace.measure(0.0, 10.0);
        pace.measure(0.2, 10.1);
        assert_eq!(pace.measured, 0.0, "too early to say");
        pace.measure(2.0, 11.0);
        assert!((pace.measured - 2.0).abs() < 1e-12, "{pace:?}");
        // Simulated time was reset to the start.
        pace.measure(0.1, 11.1);
        pace.measure(0.6, 12.1);
        assert!((pace.measured - 0.5).abs() < 1e-12, "{pace:?}");
    }

    #[test]
    fn an_isometry_keeps_its_turn() {
        let pose = Isometry3::new(Vector3::new(1.0, -2.0, 3.0), Vector3::new(0.1, 0.2, 2.0));
        let point = transform(&pose).transform_point(Vec3::new(0.5, 0.25, -1.0));
        let expected = pose * Point3::new(0.5, 0.25, -1.0);
        for (actual, expected) in point.to_array().into_iter().zip(expected.coords.iter()) {
            assert!((f64::from(actual) - expected).abs() < 1e-6);
        }
    }
}
