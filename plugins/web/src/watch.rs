//! Observation of the simulation for the viewers: poses, readings, and the speed of the simulation.
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use morse_api::{
    middleware::RequestSender, port::Observer, reading::Reading, world_view::WorldView,
};
use serde_json::Value as Json;

use crate::{
    frames::{Frames, Moment, View},
    graphs::WatchedGraph,
    values::reading,
};

/// Minimum interval of a speed measurement.
const SPAN: Duration = Duration::from_millis(500);

/// Sensors and bodies of a world, observed for all viewers together.
pub(crate) struct Watch {
    world_view: WorldView,
    requests: RequestSender,
    frames: Frames,
    /// State of each sensor, in the order of the world's sensors.
    watched: Vec<WatchedSensor>,
    graphs: Vec<WatchedGraph>,
    interval: Duration,
    asked: Instant,
    speed: Speed,
}

/// Sensor, as far as viewers watch it.
#[derive(Default)]
struct WatchedSensor {
    /// Number of viewers.
    watchers: u32,
    /// Request for the last reading, which may be old.
    look: Option<Observer>,
    /// Reading of a tick whose poses have not arrived yet.
    early: Option<Reading>,
}

impl WatchedSensor {
    /// Returns the latest reading up to a tick. Later readings were measured before a reset if there was one, and are shown
    /// with the poses of their tick otherwise.
    fn take(&mut self, sensor: &Observer, tick: u64, is_reset: bool) -> Option<Reading> {
        let looked = self.look.as_ref().and_then(Observer::try_recv);
        if looked.is_some() {
            self.look = None;
        }
        let arrived = std::iter::from_fn(|| sensor.try_recv());
        let mut newest: Option<Reading> = None;
        for reading in looked.into_iter().chain(self.early.take()).chain(arrived) {
            if reading.tick <= tick {
                newest = Some(reading);
            } else if !is_reset {
                self.early = Some(reading);
            }
        }
        if newest.is_some() {
            self.look = None;
        }
        newest
    }
}

/// Measured speed of the simulation.
struct Speed {
    since: Instant,
    seconds: f64,
    value: f64,
}

impl Speed {
    fn measure(&mut self, seconds: f64, is_held: bool, now: Instant) -> f64 {
        let wall = now.duration_since(self.since);
        // Nothing was measured while there were no viewers.
        if seconds < self.seconds || is_held || wall > 20 * SPAN {
            (self.since, self.seconds) = (now, seconds);
        } else if wall >= SPAN {
            self.value = (seconds - self.seconds) / wall.as_secs_f64();
            (self.since, self.seconds) = (now, seconds);
        }
        if is_held { 0.0 } else { self.value }
    }
}

impl Watch {
    pub(crate) fn new(
        world_view: WorldView,
        requests: RequestSender,
        rate: f64,
        now: Instant,
    ) -> Self {
        let scenery = &world_view.scenery;
        let (sensors, graphs) = (world_view.sensors.len(), world_view.graphs.len());
        // Slightly shorter, so that each tick is shown if the simulation runs at this very rate.
        let interval = Duration::try_from_secs_f64(0.8 / rate).unwrap_or_default();
        Self {
            frames: Frames::new(scenery.bodies.len(), scenery.lamps.len(), sensors + graphs),
            watched: (0..sensors).map(|_| WatchedSensor::default()).collect(),
            graphs: world_view
                .graphs
                .iter()
                .map(|graph| WatchedGraph::new(graph, now))
                .collect(),
            world_view,
            requests,
            interval,
            asked: now,
            speed: Speed {
                since: now,
                seconds: 0.0,
                value: 0.0,
            },
        }
    }

    /// Continues with another world.
    pub(crate) fn change_world(&mut self, world_view: WorldView, rate: f64, now: Instant) {
        *self = Self::new(world_view, self.requests.clone(), rate, now);
    }

    /// Returns the time at which the next poses are to be requested.
    pub(crate) fn next(&self) -> Instant {
        self.asked + self.interval
    }

    /// Requests poses and readings, for viewers that are ready.
    pub(crate) fn request(&mut self, now: Instant) {
        if now < self.next() {
            return;
        }
        self.asked = now;
        self.world_view.poses.assert_ready();
        for (sensor, watched) in self.world_view.sensors.iter().zip(&self.watched) {
            if watched.watchers > 0 {
                sensor.assert_ready();
            }
        }
        for graph in &mut self.graphs {
            graph.request(now);
        }
    }

    /// Returns the warnings of the run from this index on.
    pub(crate) fn warnings(&self, since: usize) -> Vec<Arc<str>> {
        self.world_view.warnings.since(since)
    }

    /// Takes the poses and readings that have arrived.
    pub(crate) fn take(&mut self, now: Instant) {
        // In this order: once the run is seen as paused, no earlier measurement can arrive.
        let (is_held, factor) = self.world_view.pacing.get();
        let poses = self.world_view.poses.try_recv();
        let before = self.frames.moment();
        let (tick, seconds) = poses
            .as_ref()
            .map_or((before.tick, before.seconds), |poses| {
                (poses.tick, poses.nanos as f64 / 1e9)
            });
        let is_reset = tick < before.tick;
        if is_reset {
            self.frames.forget_all();
            self.graphs.iter_mut().for_each(WatchedGraph::forget);
        }
        let mut has_readings = self.take_readings(tick, is_reset);
        let first = self.watched.len();
        for (index, graph) in self.graphs.iter_mut().enumerate() {
            if let Some(bytes) = graph.take() {
                self.frames.keep(first + index, bytes);
                has_readings = true;
            }
        }
        let moment = Moment {
            tick,
            seconds,
            is_held,
            factor,
            measured: if poses.is_some() {
                self.speed.measure(seconds, is_held, now)
            } else {
                before.measured
            },
        };
        self.frames.advance(moment, poses.as_ref(), has_readings);
        // After a reset earlier measurements are invalid. A viewer may also have missed the measurements of the last tick
        // before a pause, and of single steps.
        let is_last = is_held && (!before.is_held || tick > before.tick);
        if is_reset || is_last {
            self.look_again();
        }
        if let Some(poses) = poses {
            self.world_view.poses.give_back(poses);
        }
    }

    /// Takes the readings up to a tick. Returns true if there were any.
    fn take_readings(&mut self, tick: u64, is_reset: bool) -> bool {
        let mut any = false;
        let sensors = self.world_view.sensors.iter().zip(&mut self.watched);
        for (index, (sensor, watched)) in sensors.enumerate() {
            if watched.watchers == 0 {
                continue;
            }
            if let Some(measured) = watched.take(sensor, tick, is_reset) {
                self.frames.keep(index, reading(&sensor.info, &measured));
                any = true;
            }
        }
        any
    }

    /// Returns the latest frame for a viewer, if it differs from the viewer's last one.
    pub(crate) fn frame(&mut self, view: &mut View) -> Option<Vec<u8>> {
        self.frames.take(view)
    }

    /// Sets the sensors that a viewer watches. Unknown sensors are ignored.
    pub(crate) fn set(&mut self, view: &mut View, paths: &[String]) {
        let index_of = |path: &String| {
            let known = |sensor: &Observer| *sensor.info.path == **path;
            self.world_view.sensors.iter().position(known)
        };
        let wanted = paths.iter().filter_map(index_of);
        let graphs = view.watched.range(self.watched.len()..).copied();
        let wanted = wanted.chain(graphs).collect();
        let before = std::mem::replace(&mut view.watched, wanted);
        for &sensor in before.difference(&view.watched) {
            view.lacks.remove(&sensor);
            self.leave(sensor);
        }
        let added: Vec<usize> = view.watched.difference(&before).copied().collect();
        for sensor in added {
            view.lacks.insert(sensor);
            if let Some(watched) = self.watched.get_mut(sensor) {
                watched.watchers += 1;
                if watched.watchers == 1 {
                    self.look(sensor);
                }
            }
        }
    }

    /// Sets the graphs that a viewer watches, by the names of their middlewares. Unknown names are ignored.
    pub(crate) fn set_graphs(&mut self, view: &mut View, names: &[String]) {
        let first = self.watched.len();
        for (index, graph) in self.graphs.iter_mut().enumerate() {
            let channel = first + index;
            if !names.contains(&graph.name) {
                if view.watched.remove(&channel) {
                    view.lacks.remove(&channel);
                    graph.watchers = graph.watchers.saturating_sub(1);
                }
            } else if view.watched.insert(channel) {
                view.lacks.insert(channel);
                graph.watchers += 1;
                graph.welcome();
            }
        }
    }

    /// Returns the layout of a graph as JSON, by its index.
    pub(crate) fn graph_layout(&self, index: usize) -> Option<Json> {
        self.graphs.get(index)?.layout()
    }

    /// Removes a viewer that has disconnected.
    pub(crate) fn forget(&mut self, view: &View) {
        for &channel in &view.watched {
            self.leave(channel);
        }
    }

    fn leave(&mut self, sensor: usize) {
        let graph = sensor.checked_sub(self.watched.len());
        if let Some(graph) = graph.and_then(|index| self.graphs.get_mut(index)) {
            graph.watchers = graph.watchers.saturating_sub(1);
            if graph.watchers == 0 {
                self.frames.forget(sensor);
            }
            return;
        }
        let (Some(watched), Some(observer)) = (
            self.watched.get_mut(sensor),
            self.world_view.sensors.get(sensor),
        ) else {
            return;
        };
        watched.watchers = watched.watchers.saturating_sub(1);
        if watched.watchers == 0 {
            (watched.look, watched.early) = (None, None);
            observer.deassert_ready();
            while observer.try_recv().is_some() {}
            self.frames.forget(sensor);
        }
    }

    /// Requests the last readings of all watched sensors.
    fn look_again(&mut self) {
        for sensor in 0..self.watched.len() {
            if self
                .watched
                .get(sensor)
                .is_some_and(|watched| watched.watchers > 0)
            {
                self.look(sensor);
            }
        }
    }

    /// Requests the last reading of a sensor, which may be old.
    fn look(&mut self, sensor: usize) {
        if let (Some(observer), Some(watched)) = (
            self.world_view.sensors.get(sensor),
            self.watched.get_mut(sensor),
        ) {
            // If too many requests are pending, the next measurement is shown.
            watched.look = self.requests.look(observer.info.clone()).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use bevy::reflect::structs::DynamicStruct;
    use morse_api::{
        fields::Fields,
        port::{OutputPort, Policy, port},
        reading::SensorInfo,
    };
    use nalgebra::{Isometry3, Rotation3};

    use super::*;

    /// Returns both ends of a port whose observer stays ready.
    fn sensor() -> (OutputPort, Observer) {
        let info = SensorInfo {
            path: "rover.pose".into(),
            robot: "rover".into(),
            kind: "pose",
            level: None,
            fields: Fields(Vec::new()),
            ros: &[],
            frequency: 60.0,
            settings: Json::Null,
            modifiers: Vec::new(),
            robot_from_sensor: Isometry3::identity(),
            is_moving: false,
            enu_from_scene: Rotation3::identity(),
        };
        let (output, observer) = port(Arc::new(info), Policy::Queue(4), None);
        observer.stay_ready();
        (output, observer)
    }

    fn measure(output: &OutputPort, tick: u64) {
        let stamp = (tick, tick, Isometry3::identity());
        let data = Box::new(DynamicStruct::default());
        output.offer(stamp, |_| data).unwrap();
    }

    #[test]
    fn readings_are_shown_with_the_poses_of_their_tick() {
        let (output, observer) = sensor();
        let mut watched = WatchedSensor::default();
        let mut take = |tick, is_reset| {
            let reading = watched.take(&observer, tick, is_reset);
            reading.map(|reading| reading.tick)
        };
        measure(&output, 60);
        measure(&output, 61);
        assert_eq!(take(60, false), Some(60));
        assert_eq!(
            take(60, false),
            None,
            "the poses of tick 61 have not arrived"
        );
        assert_eq!(take(61, false), Some(61));
        measure(&output, 62);
        assert_eq!(take(61, false), None);
        measure(&output, 63);
        assert_eq!(take(63, false), Some(63), "the latest one");
        // Readings from before a reset are discarded.
        measure(&output, 64);
        assert_eq!(take(63, false), None);
        measure(&output, 65);
        measure(&output, 0);
        assert_eq!(take(0, true), Some(0));
        assert_eq!(take(65, false), None);
    }
}
