//! A robot with a prescribed motion, and the components under test. No physics.
use std::sync::Arc;

use bevy::{
    prelude::{App, Entity, FixedUpdate, IntoScheduleConfigs as _, Res, Resource, Single, With},
    reflect::ReflectRef,
};
use morse_api::{
    actuator::{SpeedLimits, insert_mailbox},
    body::Robot,
    command::Mailbox,
    joint::{JointState, JointTarget, JointVariable, RobotJoints},
    kind::{About, ErasedSettings, Kinds},
    modifier::{Side, Site},
    object::{Object, Objects, Zones},
    prelude::*,
    range::Violation,
    sensor::{LocalData, exported},
    service::{Call, Services, call},
    state::sort_by_path,
};

use crate::{settings, tick};

/// Seed of every world.
pub(crate) const SEED: u64 = 7;

/// Source of the robot's motion in this tick.
#[derive(Resource)]
enum Next {
    /// The test prescribes it.
    To(BodyState),
    /// An actuator drives it.
    By(Entity),
}

/// A robot with the name `rover` and the components under test.
pub struct TestWorld {
    /// The app, for access beyond this interface.
    pub app: App,
    /// Base body of the robot.
    pub robot: Entity,
    is_started: bool,
}

/// Returns the state that a drive leads to after `dt`, without inertia or friction.
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
        Next::By(actuator) => driven(
            &robot,
            drives.get(actuator).expect("an actuator"),
            clock.dt(),
        ),
    };
}

/// Asserts that settings are in range, as a simulation file would check them.
#[track_caller]
fn assert_in_range(about: &About, settings: &ErasedSettings) {
    let violations = about.violations(settings);
    let text = |violation: &Violation| format!("`{}`: {violation}", violation.field());
    let violations: Vec<String> = violations.iter().map(text).collect();
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

impl TestWorld {
    /// Returns a world with a tick rate (Hz) and the plugin of a component, whose robot starts in the given state.
    #[must_use]
    pub fn new(rate: f64, plugin: fn(&mut App), start: BodyState) -> Self {
        let mut app = App::new();
        tick::plugin(&mut app, rate);
        app.init_resource::<Gravity>()
            .insert_resource(Next::To(start))
            .init_resource::<Services>()
            .init_resource::<Objects>()
            .init_resource::<Zones>()
            .add_plugins(plugin)
            .add_systems(FixedUpdate, move_robot.in_set(Tick::Physics));
        let robot = app
            .world_mut()
            .spawn((
                ComponentPath("rover".into()),
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
    ///
    /// # Panics
    ///
    /// The plugin does not register the kind, or its settings cannot be read or are out of range.
    pub fn sensor<S: Sensor>(
        &mut self,
        path: &str,
        text: &str,
        frequency: f64,
        mount: Isometry3<f64>,
    ) -> Entity {
        let parsed: S = settings(text);
        let level = level_of(&parsed, S::LEVELS);
        let kind = self.app.world().resource::<Kinds>().sensors[S::KIND];
        let parsed: ErasedSettings = Arc::new(parsed);
        assert_in_range(&kind.about, &parsed);
        let mut entity = self.app.world_mut().spawn_empty();
        let random = Random::new(SEED, path, "measurement");
        (kind.insert)(&mut entity, &parsed, Level(level), random);
        let entity = entity.id();
        self.mount(entity, path, frequency, mount);
        entity
    }

    /// Mounts an actuator.
    ///
    /// # Panics
    ///
    /// The plugin does not register the kind, or its settings cannot be read or are out of range.
    pub fn actuator<A: Actuator>(
        &mut self,
        path: &str,
        text: &str,
        mount: Isometry3<f64>,
    ) -> Entity {
        let kind = self.app.world().resource::<Kinds>().actuators[A::KIND];
        let mut entity = self.app.world_mut().spawn_empty();
        let parsed: ErasedSettings = Arc::new(settings::<A>(text));
        assert_in_range(&kind.about, &parsed);
        (kind.insert)(&mut entity, &parsed);
        let names = (path.into(), "rover".into());
        insert_mailbox(&mut entity, &kind, A::KIND, names, &SpeedLimits::default());
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
            ComponentPath(path.into()),
            Mount {
                body: robot,
                robot,
                frame: robot,
                body_from_component: pose,
                robot_from_component: pose,
            },
            UpdateRate { frequency },
            WorldPose(world_pose),
            WorldVelocity::on(&body, &world_pose.translation.vector.into()),
        ));
    }

    /// Adds objects to the world, each on a body of its own.
    pub fn objects(&mut self, things: Vec<(Object, Isometry3<f64>)>) {
        let world = self.app.world_mut();
        let things = things.into_iter().map(|(mut object, pose)| {
            let state = BodyState {
                pose,
                ..BodyState::default()
            };
            object.body = world
                .spawn((ComponentPath(object.name.as_str().into()), state))
                .id();
            object.entity = object.body;
            object
        });
        let objects = Objects::new(things.collect());
        world.insert_resource(objects);
    }

    /// Adds joints to the robot, with limits of -2 and 2 rad.
    pub fn joints(&mut self, names: &[&str]) {
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
            world
                .spawn((ComponentPath(name.into()), variable, state))
                .id()
        });
        let joints = RobotJoints(joints.collect());
        world.entity_mut(self.robot).insert(joints);
    }

    /// Appends a modifier to a component.
    ///
    /// # Panics
    ///
    /// The plugin does not register the kind, its settings are out of range, or it does not fit the fields.
    pub fn modifier<M: Modifier>(&mut self, entity: Entity, text: &str, fields: &Fields) {
        let kind = self.app.world().resource::<Kinds>().modifiers[M::KIND];
        let parsed: ErasedSettings = Arc::new(settings::<M>(text));
        assert_in_range(&kind.about, &parsed);
        let world = self.app.world_mut();
        let side = match world.get::<Mailbox>(entity) {
            Some(_) => Side::Command,
            None => Side::Measurement,
        };
        let path = world
            .get::<ComponentPath>(entity)
            .expect("a component")
            .clone();
        let site = Site {
            world,
            side,
            path: path.as_str(),
        };
        let bound = (kind.bind)(&parsed, fields, &site).expect("a modifier that fits");
        let random = Random::new(SEED, path.as_str(), M::KIND);
        let state = ModifierState::new(random);
        (kind.attach)(&mut world.entity_mut(entity), bound, state);
    }

    /// Makes one tick, after which the robot is in the given state.
    pub fn step(&mut self, state: BodyState) {
        self.update(Next::To(state));
    }

    /// Makes ticks in which only an actuator moves the robot.
    pub fn drive(&mut self, actuator: Entity, ticks: u32) {
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
            // The first update runs startup systems, and no tick.
            self.app.update();
        }
    }

    /// Returns the simulated time.
    #[must_use]
    pub fn clock(&self) -> Clock {
        *self.app.world().resource::<Clock>()
    }

    /// Returns pose and velocity of the robot.
    #[must_use]
    pub fn body(&self) -> BodyState {
        *self.get(self.robot)
    }

    /// Returns a component of an entity.
    ///
    /// # Panics
    ///
    /// The entity does not have the component.
    #[must_use]
    pub fn get<C: Component>(&self, entity: Entity) -> &C {
        self.app.world().get::<C>(entity).expect("such a component")
    }

    /// Returns the data that a sensor exported last.
    ///
    /// # Panics
    ///
    /// The entity is no sensor with that data, or has exported nothing yet.
    #[must_use]
    pub fn read<D: LocalData>(&self, sensor: Entity) -> D {
        exported::<D>(self.app.world(), sensor)
            .expect("data that were exported")
            .clone()
    }

    /// Sends a command through the mailbox.
    ///
    /// # Panics
    ///
    /// The entity is no actuator with that command, or the command is refused.
    pub fn send<C: morse_api::command::Command>(&self, actuator: Entity, command: C) {
        let sender = self.get::<Mailbox>(actuator).sender();
        sender
            .send(Box::new(command))
            .expect("a command that is taken");
    }

    /// Calls a service.
    pub fn call(&mut self, path: &str, service: &str, arguments: serde_json::Value) -> Call {
        self.start();
        call(self.app.world_mut(), path, service, &arguments)
    }
}

/// Returns the level that settings select by a field `level`, whose variants are the levels in Rust's spelling.
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
