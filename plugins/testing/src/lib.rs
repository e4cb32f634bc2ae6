//! A bench for one component: the tick, the component, and a body that moves as the test says. No physics.
use std::sync::Arc;

use bevy::{
    prelude::{App, Entity, FixedUpdate, IntoScheduleConfigs as _, Res, Resource, Single, With},
    reflect::ReflectRef,
};
use morse_api::{
    actuator::insert_mailbox,
    body::Robot,
    command::Mailbox,
    joint::{JointState, JointTarget, JointVariable, RobotJoints},
    kind::{Kinds, Settings},
    modifier::{Fate, Side, Site},
    object::{Bounds, Object, Objects, Property, Zones},
    prelude::*,
    sensor::{LocalData, Modified},
    service::{Call, Services, call},
    state::sort_by_path,
};
use nalgebra::Point3;
use serde::de::DeserializeOwned;

use crate::{physics, tick};

/// The seed of every bench.
const SEED: u64 = 7;

/// What moves the robot in this tick.
#[derive(Resource)]
enum Next {
    /// The test does.
    To(BodyState),
    /// An actuator does.
    By(Entity),
}

/// A robot, called `rover`, with the components under test.
pub(crate) struct Bed {
    pub(crate) app: App,
    pub(crate) robot: Entity,
    is_started: bool,
}

/// Settings, read from text as in a simulation file.
pub(crate) fn settings<S: DeserializeOwned>(text: &str) -> S {
    ron::Options::default()
        .with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME)
        .from_str(text)
        .unwrap()
}

/// A body at a place, turned by a yaw, that moves with a velocity in the world; its centre of mass is its
/// origin.
pub(crate) fn moving(
    position: [f64; 3],
    yaw: f64,
    linear: [f64; 3],
    angular: [f64; 3],
) -> BodyState {
    let position = Vector3::from(position);
    BodyState {
        pose: Isometry3::new(position, Vector3::z() * yaw),
        linear_velocity: linear.into(),
        angular_velocity: angular.into(),
        center_of_mass: Point3::from(position),
        mass: 10.0,
    }
}

/// A body on a circle of a radius (m) about the origin, `turn` rad after the point (radius, 0, 0), heading
/// along it at `omega` rad/s.
pub(crate) fn circling(radius: f64, omega: f64, turn: f64) -> BodyState {
    let (sin, cos) = libm::sincos(turn);
    let speed = radius * omega;
    moving(
        [radius * cos, radius * sin, 0.0],
        turn + std::f64::consts::FRAC_PI_2,
        [-speed * sin, speed * cos, 0.0],
        [0.0, 0.0, omega],
    )
}

/// A state as a drive would leave it after `dt`, without inertia or friction.
fn driven(state: &BodyState, drive: &Drive, dt: f64) -> BodyState {
    let pose = match *drive {
        Drive::Velocity { linear, angular } => {
            state.pose * Isometry3::new(linear * dt, angular * dt)
        }
        Drive::Displacement(displacement) => state.pose * displacement,
        Drive::Pose(pose) => pose,
        Drive::Orientation(turned) => Isometry3::from_parts(state.pose.translation, turned),
        Drive::None | Drive::Wrench { .. } | Drive::Thrust { .. } => state.pose,
    };
    BodyState {
        pose,
        center_of_mass: pose.translation.vector.into(),
        linear_velocity: (pose.translation.vector - state.pose.translation.vector) / dt,
        ..*state
    }
}

fn move_robot(
    next: Res<Next>,
    clock: Res<Clock>,
    drives: Query<&Drive>,
    mut robot: Single<&mut BodyState, With<Robot>>,
) {
    **robot = match *next {
        Next::To(state) => state,
        Next::By(actuator) => driven(&robot, drives.get(actuator).unwrap(), clock.dt()),
    };
}

impl Bed {
    pub(crate) fn new(rate: f64, plugin: fn(&mut App), start: BodyState) -> Self {
        let mut app = App::new();
        tick::plugin(&mut app, rate);
        app.insert_resource(physics::Settings::default())
            .insert_resource(Next::To(start))
            .init_resource::<Services>()
            .init_resource::<Objects>()
            .init_resource::<Zones>()
            .add_plugins(plugin)
            .add_systems(FixedUpdate, move_robot.in_set(Tick::Physics));
        let robot = app
            .world_mut()
            .spawn((
                Path("rover".into()),
                Robot::default(),
                RobotJoints::default(),
                start,
            ))
            .id();
        Self {
            app,
            robot,
            is_started: false,
        }
    }

    /// Mounts a sensor.
    pub(crate) fn sensor<S: Sensor>(
        &mut self,
        path: &str,
        text: &str,
        frequency: f64,
        mount: Isometry3<f64>,
    ) -> Entity {
        let parsed: S = settings(text);
        let level = level_of(&parsed, S::LEVELS);
        let kind = self.app.world().resource::<Kinds>().sensors[S::KIND];
        let mut entity = self.app.world_mut().spawn_empty();
        let random = Random::new(SEED, path, "measurement");
        (kind.insert)(
            &mut entity,
            &(Arc::new(parsed) as Settings),
            morse_api::component::Level(level),
            random,
        );
        let entity = entity.id();
        self.mount(entity, path, frequency, mount);
        entity
    }

    /// Mounts an actuator.
    pub(crate) fn actuator<A: Actuator>(
        &mut self,
        path: &str,
        text: &str,
        mount: Isometry3<f64>,
    ) -> Entity {
        let kind = self.app.world().resource::<Kinds>().actuators[A::KIND];
        let mut entity = self.app.world_mut().spawn_empty();
        let parsed: A = settings(text);
        (kind.insert)(&mut entity, &(Arc::new(parsed) as Settings));
        insert_mailbox(&mut entity, &kind, A::KIND, path.into(), "rover".into());
        let entity = entity.id();
        let rate = self.clock().rate;
        self.mount(entity, path, rate, mount);
        entity
    }

    fn mount(&mut self, entity: Entity, path: &str, frequency: f64, pose: Isometry3<f64>) {
        let robot = self.robot;
        let body = self.body();
        let world_pose = body.pose * pose;
        self.app.world_mut().entity_mut(entity).insert((
            Path(path.into()),
            Mount {
                body: robot,
                robot,
                body_from_component: pose,
                robot_from_component: pose,
            },
            Period { frequency },
            WorldPose(world_pose),
            WorldVelocity {
                linear: body.velocity_at(&world_pose.translation.vector.into()),
                angular: body.angular_velocity,
            },
        ));
    }

    /// Puts things into the world, each on a body of its own.
    pub(crate) fn objects(&mut self, things: Vec<(Object, Isometry3<f64>)>) {
        let world = self.app.world_mut();
        let things = things.into_iter().map(|(mut object, pose)| {
            let state = BodyState {
                pose,
                ..BodyState::default()
            };
            object.body = world.spawn((Path(object.name.as_str().into()), state)).id();
            object.entity = object.body;
            object
        });
        let objects = Objects::new(things.collect());
        world.insert_resource(objects);
    }

    /// Gives the robot joints; they turn between -2 and 2 rad.
    pub(crate) fn joints(&mut self, names: &[&str]) {
        let world = self.app.world_mut();
        let joints = names.iter().map(|&name| {
            let variable = JointVariable {
                name: name.to_owned(),
                is_angle: true,
                limits: [-2.0, 2.0],
                max_velocity: 1.0,
                max_effort: 10.0,
            };
            let state = (JointState::default(), JointTarget::default());
            world.spawn((Path(name.into()), variable, state)).id()
        });
        let joints = RobotJoints(joints.collect());
        world.entity_mut(self.robot).insert(joints);
    }

    /// Gives a component one more modifier.
    pub(crate) fn modifier<M: Modifier>(&mut self, entity: Entity, text: &str, fields: &Fields) {
        let kind = self.app.world().resource::<Kinds>().modifiers[M::KIND];
        let parsed: M = settings(text);
        let world = self.app.world_mut();
        let side = match world.get::<Mailbox>(entity) {
            Some(_) => Side::Command,
            None => Side::Measurement,
        };
        let site = Site { world, side };
        let bound = (kind.bind)(&(Arc::new(parsed) as Settings), fields, &site).unwrap();
        let path = world.get::<Path>(entity).unwrap().clone();
        let random = Random::new(SEED, path.as_str(), M::KIND);
        (kind.attach)(&mut world.entity_mut(entity), bound, Memory::new(random));
    }

    /// One tick, after which the robot is as given.
    pub(crate) fn step(&mut self, state: BodyState) {
        self.update(Next::To(state));
    }

    /// So many ticks in which the robot is moved by an actuator, and by nothing else.
    pub(crate) fn drive(&mut self, actuator: Entity, ticks: u32) {
        for _ in 0..ticks {
            self.update(Next::By(actuator));
        }
    }

    fn update(&mut self, next: Next) {
        self.start();
        self.app.insert_resource(next);
        self.app.update();
    }

    fn start(&mut self) {
        if !self.is_started {
            self.is_started = true;
            sort_by_path(self.app.world_mut());
            self.app.finish();
            self.app.cleanup();
            // The first update runs what plugins do at the start, and no tick.
            self.app.update();
        }
    }

    pub(crate) fn clock(&self) -> Clock {
        *self.app.world().resource::<Clock>()
    }

    pub(crate) fn body(&self) -> BodyState {
        *self.get(self.robot)
    }

    pub(crate) fn get<C: Component>(&self, entity: Entity) -> &C {
        self.app.world().get::<C>(entity).unwrap()
    }

    /// What a sensor exports.
    pub(crate) fn read<D: LocalData>(&self, sensor: Entity) -> D {
        self.get::<Modified<D>>(sensor).0.clone()
    }

    /// Sends a command by mailbox.
    pub(crate) fn send<C: morse_api::command::Command>(&self, actuator: Entity, command: C) {
        let sender = self.get::<Mailbox>(actuator).sender();
        sender.send(Box::new(command)).unwrap();
    }

    /// Calls a service.
    pub(crate) fn call(&mut self, path: &str, service: &str, arguments: serde_json::Value) -> Call {
        self.start();
        call(self.app.world_mut(), path, service, &arguments)
    }
}

/// A cube of 1 m with properties, which stands somewhere.
pub(crate) fn thing(
    name: &str,
    position: [f64; 3],
    properties: &[(&str, Property)],
) -> (Object, Isometry3<f64>) {
    let properties = properties.iter();
    let object = Object {
        name: name.into(),
        label: name.into(),
        description: String::new(),
        kind: "Object".into(),
        properties: properties
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect(),
        entity: Entity::PLACEHOLDER,
        body: Entity::PLACEHOLDER,
        body_from_object: Isometry3::identity(),
        robot: None,
        bounds: Some(Bounds {
            center: Point3::origin(),
            half: Vector3::repeat(0.5),
        }),
        geometry: Vec::new(),
        collides: false,
    };
    (
        object,
        Isometry3::from_parts(Vector3::from(position).into(), UnitQuaternion::identity()),
    )
}

/// The level that settings choose by a field `level`, whose variants are the levels in Rust's spelling.
fn level_of(settings: &dyn Reflect, levels: &'static [&'static str]) -> &'static str {
    let ReflectRef::Struct(settings) = settings.reflect_ref() else {
        return "";
    };
    let chosen = settings
        .field("level")
        .and_then(|level| match level.reflect_ref() {
            ReflectRef::Enum(level) => Some(level.variant_name().to_lowercase()),
            _ => None,
        });
    let matching = levels
        .iter()
        .copied()
        .find(|&level| Some(level) == chosen.as_deref());
    matching.or(levels.first().copied()).unwrap_or_default()
}

/// Data under one modifier, measured ten times a second.
pub(crate) struct Noisy<D> {
    bound: Box<dyn Modify>,
    memory: Memory,
    clock: Clock,
    data: std::marker::PhantomData<D>,
}

impl<D: LocalData> Noisy<D> {
    pub(crate) fn new(modifier: &impl Modifier, level: Option<&str>, world: World) -> Self {
        Self::with_seed(SEED, modifier, level, world)
    }

    pub(crate) fn with_seed(
        seed: u64,
        modifier: &impl Modifier,
        level: Option<&str>,
        world: World,
    ) -> Self {
        Self::on(Side::Measurement, seed, modifier, level, world)
    }

    /// Data of an actuator.
    pub(crate) fn command(modifier: &impl Modifier, world: World) -> Self {
        Self::on(Side::Command, SEED, modifier, None, world)
    }

    fn on(
        side: Side,
        seed: u64,
        modifier: &impl Modifier,
        level: Option<&str>,
        world: World,
    ) -> Self {
        let site = Site {
            world: &world,
            side,
        };
        let bound = modifier.bind(&Fields::of_type::<D>(level), &site).unwrap();
        Self {
            bound,
            memory: Memory::new(Random::new(seed, "rover.sensor", "noise")),
            clock: Clock::new(10.0),
            data: std::marker::PhantomData,
        }
    }

    /// The next measurement of the true data.
    pub(crate) fn measure(&mut self, truth: D) -> D {
        let mut data = truth;
        self.clock.tick += 1;
        self.memory.fate = Fate::Passed;
        self.bound.modify(&mut data, &mut self.memory, &self.clock);
        data
    }

    /// What the modifier remembers.
    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The next measurement, if it is exported.
    pub(crate) fn export(&mut self, truth: D) -> Option<D> {
        let data = self.measure(truth);
        (self.memory.fate == Fate::Passed).then_some(data)
    }
}

/// Mean and standard deviation of a sample.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    count: f64,
    mean: f64,
    sigma: f64,
}

pub(crate) fn spread(values: impl Iterator<Item = f64> + Clone) -> Spread {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let squares = values.map(|value| (value - mean) * (value - mean));
    let sigma = (squares.sum::<f64>() / (count - 1.0)).sqrt();
    Spread { count, mean, sigma }
}

impl Spread {
    /// Mean and standard deviation are within three sigma of the estimators of a normal distribution.
    #[track_caller]
    pub(crate) fn assert_gauss(self, mean: f64, sigma: f64) {
        let of_mean = sigma / self.count.sqrt();
        let of_sigma = sigma / (2.0 * (self.count - 1.0)).sqrt();
        assert!((self.mean - mean).abs() < 3.0 * of_mean, "{self:?}");
        assert!((self.sigma - sigma).abs() < 3.0 * of_sigma, "{self:?}");
    }
}

impl Spread {
    /// The mean is within three sigma of that of numbers of this mean and standard deviation.
    #[track_caller]
    pub(crate) fn assert_mean(self, mean: f64, sigma: f64) {
        let of_mean = sigma / self.count.sqrt();
        assert!((self.mean - mean).abs() < 3.0 * of_mean, "{self:?}");
    }
}

/// An estimate of an Allan variance, and how many differences it is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allan {
    variance: f64,
    count: f64,
}

/// Half the mean square difference of neighbouring means of `m` values.
pub(crate) fn allan_variance(values: &[f64], m: usize) -> Allan {
    let means: Vec<f64> = values
        .chunks_exact(m)
        .map(|chunk| chunk.iter().sum::<f64>() / m as f64)
        .collect();
    let squares = means.windows(2).map(|pair| (pair[1] - pair[0]).powi(2));
    let count = (means.len() - 1) as f64;
    Allan {
        variance: squares.sum::<f64>() / (2.0 * count),
        count,
    }
}

impl Allan {
    /// The estimate is within three of its own sigma, which are at most √(3 / count) of the value: squares
    /// of normal numbers, of which neighbours are correlated by half.
    #[track_caller]
    pub(crate) fn assert_is(self, variance: f64) {
        let of_variance = variance * (3.0 / self.count).sqrt();
        assert!(
            (self.variance - variance).abs() < 3.0 * of_variance,
            "{self:?}, not {variance}"
        );
    }
}
