//! The world as a component in Python sees it during a call.
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use bevy::prelude::*;
use morse_api::{
    component::{ComponentPath, Mount, UpdateRate, WorldPose, WorldVelocity},
    joint::{JointState, JointVariable, RobotJoints},
    random::Random,
    rays::Rays,
    tick::Clock,
};
use nalgebra::{Point3, Vector3};
use pyo3::{
    exceptions::{PyRuntimeError, PyValueError},
    prelude::*,
};

use crate::{reading, value};

scoped_tls::scoped_thread_local! {
    /// The world, on the thread of its simulation, during a call.
    static WORLD: World
}

/// Calls a function in which contexts have access to the world.
pub(crate) fn with_world<R>(world: &World, call: impl FnOnce() -> R) -> R {
    WORLD.set(world, call)
}

/// Access of a component in Python to its world, during a call.
#[pyclass(frozen, module = "morse_sim._native")]
pub(crate) struct Context {
    /// `None` for a modifier, which has access to time and random numbers only.
    entity: Option<Entity>,
    clock: Clock,
    random: Mutex<Option<Random>>,
}

impl Context {
    /// Context of a sensor or actuator.
    pub(crate) fn of(world: &World, entity: Entity) -> Self {
        Self {
            entity: Some(entity),
            clock: *world.resource::<Clock>(),
            random: Mutex::new(world.get::<Random>(entity).cloned()),
        }
    }

    /// Context of a modifier.
    pub(crate) fn of_modifier(clock: &Clock, random: &Random) -> Self {
        Self {
            entity: None,
            clock: *clock,
            random: Mutex::new(Some(random.clone())),
        }
    }

    /// Returns the random stream after the call.
    pub(crate) fn take_random(&self) -> Option<Random> {
        self.stream().take()
    }

    fn stream(&self) -> MutexGuard<'_, Option<Random>> {
        self.random.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn draw(&self, draw: impl FnOnce(&mut Random) -> f64) -> PyResult<f64> {
        let mut random = self.stream();
        let random = random.as_mut().ok_or_else(|| {
            PyRuntimeError::new_err(
                "only sensors and modifiers have random numbers, and only during a call",
            )
        })?;
        Ok(draw(random))
    }

    /// Calls a function with the world and the component.
    fn look<R>(&self, look: impl FnOnce(&World, Entity) -> PyResult<R>) -> PyResult<R> {
        let over = "a context can only be used in its own call, on the thread of that call";
        let entity = self.entity.ok_or_else(|| {
            PyRuntimeError::new_err(
                "a modifier has no pose: its context has time and random numbers",
            )
        })?;
        if !WORLD.is_set() {
            return Err(PyRuntimeError::new_err(over));
        }
        WORLD.with(|world| look(world, entity))
    }

    fn component<C: Component + Clone, R>(&self, read: impl FnOnce(C) -> R) -> PyResult<R> {
        self.look(|world, entity| {
            let component = world.get::<C>(entity).cloned();
            let component =
                component.ok_or_else(|| PyRuntimeError::new_err("the component has left"))?;
            Ok(read(component))
        })
    }
}

#[pymethods]
impl Context {
    /// Number of the tick; the first one is 1.
    #[getter]
    fn tick(&self) -> u64 {
        self.clock.tick
    }

    /// Simulated time of the state, s.
    #[getter]
    fn time(&self) -> f64 {
        self.clock.seconds()
    }

    /// Time between two calls, s.
    #[getter]
    fn period(&self) -> PyResult<f64> {
        self.component(|rate: UpdateRate| rate.period())
    }

    /// Position of the component in the world, m.
    #[getter]
    fn position(&self) -> PyResult<[f64; 3]> {
        self.component(|pose: WorldPose| pose.0.translation.vector.into())
    }

    /// Rotation of the component in the world, as a quaternion x, y, z, w.
    #[getter]
    fn rotation(&self) -> PyResult<[f64; 4]> {
        self.component(|pose: WorldPose| pose.0.rotation.coords.into())
    }

    /// Velocity of the component's origin in world axes, m/s.
    #[getter]
    fn linear_velocity(&self) -> PyResult<[f64; 3]> {
        self.component(|velocity: WorldVelocity| velocity.linear.into())
    }

    /// Angular velocity of the component in world axes, rad/s.
    #[getter]
    fn angular_velocity(&self) -> PyResult<[f64; 3]> {
        self.component(|velocity: WorldVelocity| velocity.angular.into())
    }

    /// Position, velocity and effort of each joint of the robot, by name.
    #[getter]
    fn joints(&self) -> PyResult<BTreeMap<String, (f64, f64, f64)>> {
        self.look(|world, entity| {
            let joints = joints_of(world, entity).into_iter();
            let states = joints.filter_map(|(name, joint)| {
                let state = world.get::<JointState>(joint)?;
                Some((name, (state.position, state.velocity, state.effort)))
            });
            Ok(states.collect())
        })
    }

    /// A random number, uniformly distributed in [0, 1).
    fn uniform(&self) -> PyResult<f64> {
        self.draw(Random::uniform)
    }

    /// A random number with normal distribution, mean 0 and standard deviation 1.
    fn normal(&self) -> PyResult<f64> {
        self.draw(Random::normal)
    }

    /// Distances that rays travel from the component's origin, m; infinite beyond `range_max`. Directions are in the
    /// component's axes; the component's robot is left out.
    fn cast(&self, directions: Vec<[f64; 3]>, range_max: f64) -> PyResult<Vec<f64>> {
        let mut lengths = directions.iter().map(|each| Vector3::from(*each).norm());
        if !lengths.all(|length| length.is_finite() && length > 0.0) {
            return Err(PyValueError::new_err(
                "expected finite directions that are not zero",
            ));
        }
        if !range_max.is_finite() || range_max < 0.0 {
            return Err(PyValueError::new_err(
                "expected a finite range of 0 or more",
            ));
        }
        self.look(|world, entity| {
            let pose = world
                .get::<WorldPose>(entity)
                .copied()
                .unwrap_or_default()
                .0;
            let robot = world.get::<Mount>(entity).map(|mount| mount.robot);
            let axes = directions
                .iter()
                .map(|direction| pose.rotation * Vector3::from(*direction).normalize());
            let axes: Vec<Vector3<f64>> = axes.collect();
            let mut hits = vec![None; axes.len()];
            let origin = Point3::from(pose.translation.vector);
            world
                .resource::<Rays>()
                .cast_fan(origin, &axes, range_max, robot, &mut hits);
            let distance =
                |hit: Option<morse_api::rays::Hit>| hit.map_or(f64::INFINITY, |hit| hit.distance);
            Ok(hits.into_iter().map(distance).collect())
        })
    }

    /// The last exported data of another sensor.
    fn read<'py>(&self, py: Python<'py>, path: &str) -> PyResult<Bound<'py, PyAny>> {
        self.look(|world, _| {
            let reading = reading::of_world(world, path);
            let reading = reading.map_err(|failure| failure.into_error(py))?;
            let fields = value::to_python(py, &reading)?;
            py.import("morse_sim.kinds")?
                .getattr("_reading")?
                .call1((fields,))
        })
    }
}

/// Returns the joints of a component's robot, by their names within the robot.
pub(crate) fn joints_of(world: &World, entity: Entity) -> Vec<(String, Entity)> {
    let robot = world.get::<Mount>(entity).map(|mount| mount.robot);
    let Some(joints) = robot.and_then(|robot| world.get::<RobotJoints>(robot)) else {
        return Vec::new();
    };
    let path = robot.and_then(|robot| world.get::<ComponentPath>(robot));
    let named = joints.0.iter().filter_map(|&joint| {
        let variable = world.get::<JointVariable>(joint)?;
        Some((variable.short_name(path).to_owned(), joint))
    });
    named.collect()
}
