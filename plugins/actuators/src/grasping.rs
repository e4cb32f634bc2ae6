//! Grasping by hands and grippers: taking and releasing objects.
//!
//! An object can be taken if it is `graspable` (or has a property `Graspable`), is dynamic and is not held. It is then fixed
//! to the hand's body at its current pose; when released, it keeps that body's velocity.
use bevy::prelude::{Component, Entity, World};
use morse_api::{
    body::BodyState,
    check::CheckError,
    component::{ComponentPath, Mount},
    frame::{Frame, RobotName, frame_entity},
    grasp::{can_hold, hold, let_go},
    object::{GRASPABLE, Object, Objects},
    service::{Outcome, ServiceError},
    state::Stateful,
};
use nalgebra::{Isometry3, Point3};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Name of the object that the component's hand holds. Part of the state.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grasped(pub Option<String>);

impl Stateful for Grasped {}

/// Hand on a robot.
#[derive(Clone, Copy, Debug)]
pub struct EndEffector {
    /// Base body of the robot, whose own bodies cannot be taken.
    pub robot: Entity,
    /// Body that holds objects.
    pub body: Entity,
    /// Frame of that body on which the hand is mounted.
    pub frame: Entity,
    /// Pose of the hand on that body.
    pub body_from_effector: Isometry3<f64>,
}

/// Name of a hand's frame that the robot does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown frame `{0}`: set another one as `hand`")]
pub struct FrameError(pub String);

impl From<FrameError> for CheckError {
    fn from(error: FrameError) -> Self {
        Self::Unmet(error.to_string())
    }
}

impl EndEffector {
    /// Returns the hand at the mount of a component.
    #[must_use]
    pub fn of(mount: &Mount) -> Self {
        Self {
            robot: mount.robot,
            body: mount.body,
            frame: mount.frame,
            body_from_effector: mount.body_from_component,
        }
    }

    /// Returns the hand at a frame of a robot.
    ///
    /// # Errors
    ///
    /// The robot has no frame with this name.
    pub fn at(world: &World, robot: Entity, name: &str) -> Result<Self, FrameError> {
        let own = world.get::<RobotName>(robot);
        let own = own.map_or("", |own| &*own.0);
        let entity = frame_entity(world, own, name);
        let entry = entity.and_then(|entity| Some((entity, world.get::<Frame>(entity)?)));
        let (entity, frame) = entry.ok_or_else(|| FrameError(name.to_owned()))?;
        Ok(Self {
            robot,
            body: frame.body,
            frame: entity,
            body_from_effector: frame.body_from_frame,
        })
    }

    /// Takes the nearest object in reach of the hand, and returns its name; nothing if there is none, or the hand is full.
    ///
    /// # Errors
    ///
    /// Physics cannot hold the object.
    pub fn grab(
        self,
        world: &mut World,
        owner: Entity,
        reaches: impl Fn(&Isometry3<f64>, &Object) -> bool,
    ) -> Result<Outcome, ServiceError> {
        let is_full = world
            .get::<Grasped>(owner)
            .is_some_and(|grasped| grasped.0.is_some());
        let nearest = self.nearest(world, reaches).filter(|_| !is_full);
        let Some((name, held)) = nearest else {
            return Ok(Outcome::NOTHING);
        };
        hold(world, self.body, self.frame, held).map_err(|why| {
            let path = world
                .get::<ComponentPath>(owner)
                .cloned()
                .unwrap_or_default();
            ServiceError::Failed(format!("`{path}` cannot hold `{name}`: {why}"))
        })?;
        let reply = Outcome::Done(json!(name));
        world.entity_mut(owner).insert(Grasped(Some(name)));
        Ok(reply)
    }

    /// Returns the object that would be taken: its name and its body.
    fn nearest(
        self,
        world: &World,
        reaches: impl Fn(&Isometry3<f64>, &Object) -> bool,
    ) -> Option<(String, Entity)> {
        let body = world.get::<BodyState>(self.body)?;
        let to_hand = (body.pose * self.body_from_effector).inverse();
        let objects = world.get_resource::<Objects>()?.all().iter();
        let within_reach = objects.filter_map(|object| {
            let at = to_hand * object.pose_in(world)?;
            let fits = object.has(GRASPABLE)
                && object.robot != Some(self.robot)
                && reaches(&at, object)
                && can_hold(world, self.body, object.body).is_ok();
            fits.then(|| (at.translation.vector.norm(), object))
        });
        let (_, object) = within_reach.min_by(|(one, _), (other, _)| one.total_cmp(other))?;
        Some((object.name.clone(), object.body))
    }

    /// Releases the held object, and returns `true`; nothing if the hand is empty.
    pub fn release(self, world: &mut World, owner: Entity) -> Outcome {
        let held = world
            .get_mut::<Grasped>(owner)
            .and_then(|mut grasped| grasped.0.take());
        let Some(name) = held else {
            return Outcome::NOTHING;
        };
        let objects = world.get_resource::<Objects>();
        let held = objects.and_then(|objects| objects.get(&name));
        if let Some(body) = held.map(|object| object.body) {
            let_go(world, self.body, body);
        }
        Outcome::Done(json!(true))
    }

    /// Implements MORSE's service `grasp` of humans and of the PR2: takes the object with a name, or the nearest one, if its
    /// distance is at most `distance` (m); or releases it.
    ///
    /// # Errors
    ///
    /// There is no such object, or it cannot be taken.
    pub fn grasp(
        self,
        world: &mut World,
        owner: Entity,
        GraspArguments { grab, obj_name }: GraspArguments,
        distance: f64,
    ) -> Result<Outcome, ServiceError> {
        if !grab {
            return Ok(self.release(world, owner));
        }
        let within = |at: &Isometry3<f64>, object: &Object| {
            let is_meant = obj_name.as_ref().is_none_or(|name| *name == object.name);
            is_meant && gap(at, object) <= distance
        };
        let outcome = self.grab(world, owner, within)?;
        match obj_name {
            Some(name) if outcome == Outcome::NOTHING => Err(ServiceError::Failed(
                self.why_not(world, owner, &name, distance),
            )),
            _ => Ok(outcome),
        }
    }

    /// Returns the reason why an object was not taken.
    fn why_not(self, world: &World, owner: Entity, name: &str, distance: f64) -> String {
        if let Some(Grasped(Some(held))) = world.get(owner) {
            return format!("it holds `{held}` already");
        }
        let objects = world.get_resource::<Objects>();
        let Some(object) = objects.and_then(|objects| objects.get(name)) else {
            return format!("there is no object `{name}`");
        };
        if !object.has(GRASPABLE) {
            return format!("`{name}` is not graspable");
        }
        if let Err(why) = can_hold(world, self.body, object.body) {
            return format!("`{name}` cannot be held: {why}");
        }
        let body = world.get::<BodyState>(self.body);
        let at = body
            .zip(object.pose_in(world))
            .map(|(body, object)| (body.pose * self.body_from_effector).inverse() * object);
        let away = at.map_or(f64::NAN, |at| gap(&at, object));
        format!("`{name}` is {away:.2} m away, and the hand reaches {distance} m")
    }
}

/// Arguments of `grasp`.
#[derive(bevy::reflect::Reflect, Clone, Debug, Deserialize)]
pub struct GraspArguments {
    /// True to take an object, false to release it.
    pub grab: bool,
    /// Name of the object to take; the nearest one by default.
    #[serde(default)]
    pub obj_name: Option<String>,
}

/// Returns the distance from a hand to the box of an object, whose pose is relative to the hand, m.
fn gap(at: &Isometry3<f64>, object: &Object) -> f64 {
    let hand = at.inverse() * Point3::origin();
    let nearest = object
        .bounds
        .map_or(Point3::origin(), |bounds| bounds.nearest(&hand));
    (nearest - hand).norm()
}
