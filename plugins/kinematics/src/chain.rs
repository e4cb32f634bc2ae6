//! Kinematic chains: the joints of an arm, from root to tip.
use std::collections::BTreeMap;

use bevy::prelude::{Component, Entity, World};
use morse_api::{
    check::CheckError,
    component::{ComponentPath, Mount},
    frame::{Frame, RobotName, frame},
    joint::{BodyJoint, JointShape, JointVariable, RobotJoints},
    names::fits_any,
    state::InPathOrder,
};
use nalgebra::{Isometry3, Vector3};

/// One joint of a chain.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Name of the joint on the robot.
    pub name: String,
    /// Configuration variable.
    pub variable: Entity,
    /// True for a revolute joint; false for a prismatic joint.
    pub is_angle: bool,
    /// Minimum and maximum position; infinite where there is no limit.
    pub limits: [f64; 2],
    /// Maximum speed; infinite where there is no limit.
    pub max_velocity: f64,
    /// Index of the x, y or z axis of the joint's frame that is nearest to its axis.
    pub free_axis: usize,
    /// Distance to the next joint, or from the last joint to the tip, m.
    pub length: f64,
}

impl Joint {
    /// Returns a position clamped to the limits.
    #[must_use]
    pub fn limited(&self, position: f64) -> f64 {
        let [lower, upper] = self.limits;
        position.max(lower).min(upper)
    }
}

/// Joints of an arm, or of several arms on a trunk, those nearer to the root first. A component of the actuator that moves
/// them; computed from the scene and the settings, so it is no state.
#[derive(Component, Clone, Debug, Default)]
pub struct Chain {
    /// The joints.
    pub joints: Vec<Joint>,
    /// Tips, by name.
    pub tips: Vec<Tip>,
}

/// Tip of a chain: a frame behind its last joint.
#[derive(Clone, Debug)]
pub struct Tip {
    /// Name of the frame on the robot.
    pub name: String,
    /// Body of the frame.
    pub body: Entity,
    /// Pose on that body.
    pub body_from_tip: Isometry3<f64>,
    /// Body on which the first joint is.
    pub base: Entity,
    /// Pose on that body of the root frame of the arm: the chosen root, or else the parent of the first joint's frame.
    pub base_from_root: Isometry3<f64>,
    /// Joints between base and tip, from the base on.
    pub links: Vec<Link>,
}

/// A joint on the path to a tip.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Index in [`Chain::joints`]; `None` for a joint that is not in the chain, which stays at zero.
    pub joint: Option<usize>,
    /// Pose of the joint, and the motion that it allows.
    pub shape: JointShape,
}

impl Tip {
    /// Returns the pose of the tip in the frame of the base, for positions of the chain's joints.
    #[must_use]
    pub fn base_from_tip(&self, values: &[f64]) -> Isometry3<f64> {
        let mut pose = Isometry3::identity();
        for link in &self.links {
            pose *= link.shape.parent_from_child(link.value(values));
        }
        pose.rotation.renormalize();
        pose * self.body_from_tip
    }

    /// Returns the pose of the tip in the root frame, with all joints at zero.
    #[must_use]
    pub fn root_from_tip_at_rest(&self) -> Isometry3<f64> {
        self.base_from_root.inv_mul(&self.base_from_tip(&[]))
    }
}

impl Link {
    pub(super) fn value(&self, values: &[f64]) -> f64 {
        let value = self.joint.and_then(|joint| values.get(joint));
        value.copied().unwrap_or(0.0)
    }
}

/// Selection of a chain.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    /// Names of joints; `*` stands for any text. Empty for all joints of the robot.
    pub joints: &'a [String],
    /// Only joints at or below this frame, unless empty. If it belongs to a part of the robot, such as `left.kuka_base`,
    /// joints and tips have their names in that part.
    pub root: &'a str,
    /// Frame of the tip, unless empty: by default the frame behind each last joint with the most ancestors. Of several such
    /// frames one without geometry is taken, and the farthest from the joint.
    pub tip: &'a str,
}

/// Reason why a robot does not have the selected joints.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChainError {
    /// The robot has no joints.
    #[error("the robot has no joints")]
    NoJoints,
    /// The frame has no joints at or below it.
    #[error("there is no joint below the frame `{0}`")]
    NothingBelow(String),
    /// The names match no joint.
    #[error("the robot has no joint `{}`", .0.join("` or `"))]
    NoneOf(Vec<String>),
    /// The name is not that of a frame.
    #[error("there is no frame `{0}`")]
    NoFrame(String),
    /// The frame is moved by none of the joints.
    #[error("no joint of this arm is above the frame `{0}`")]
    LooseTip(String),
}

impl From<ChainError> for CheckError {
    fn from(error: ChainError) -> Self {
        Self::Unmet(error.to_string())
    }
}

/// Components that work with joints of their robot.
pub trait OnJoints: Component + Clone {
    /// Returns the chain that the settings select.
    ///
    /// # Errors
    ///
    /// The robot does not have the joints that the settings select.
    fn chain(&self, world: &World, component: Entity) -> Result<Chain, CheckError>;
}

/// Returns all components of a kind with their chains, except those without one.
pub fn all<C: OnJoints>(world: &mut World) -> Vec<(Entity, C, Chain)> {
    let mut components = world.query::<(Entity, &C)>();
    let chain = |(entity, settings): (Entity, &C)| {
        let chain = settings.chain(world, entity).ok()?;
        Some((entity, settings.clone(), chain))
    };
    components.iter(world).filter_map(chain).collect()
}

/// A joint during the search.
struct Candidate<'a> {
    variable: Entity,
    about: &'a JointVariable,
    name: String,
    /// Child body of the first of its joints.
    body: Option<(Entity, &'a BodyJoint)>,
    depth: usize,
}

impl Chain {
    /// Returns the chain of a robot.
    ///
    /// # Errors
    ///
    /// There are no joints, or a name is unknown.
    pub fn find(world: &World, robot: Entity, choice: Choice<'_>) -> Result<Self, ChainError> {
        let search = Search::new(world, robot, choice.root);
        let mut candidates = search.joints(choice)?;
        candidates.sort_by(|one, other| (one.depth, &one.name).cmp(&(other.depth, &other.name)));
        let indices: BTreeMap<Entity, usize> = candidates
            .iter()
            .enumerate()
            .map(|(index, joint)| (joint.variable, index))
            .collect();
        let tips = search.tips(&candidates, &indices, choice)?;
        let mut joints: Vec<Joint> = candidates.iter().map(Candidate::joint).collect();
        search.measure(&candidates, &tips, &mut joints);
        Ok(Self { joints, tips })
    }

    /// Returns the chain of the robot to which a component belongs.
    ///
    /// # Errors
    ///
    /// The component has no robot, or the robot does not have these joints.
    pub fn around(
        world: &World,
        component: Entity,
        choice: Choice<'_>,
    ) -> Result<Self, CheckError> {
        let mount = world.get::<Mount>(component);
        let mount = mount.ok_or_else(|| CheckError::unmet("it has no robot"))?;
        Ok(Self::find(world, mount.robot, choice)?)
    }

    /// Returns the index of the joint of that name.
    #[must_use]
    pub fn index(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// Returns the joints' names.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.joints.iter().map(|joint| joint.name.clone()).collect()
    }
}

impl Candidate<'_> {
    fn joint(&self) -> Joint {
        let axis = self
            .body
            .map_or(Vector3::z(), |(_, joint)| joint.shape.axis.into_inner());
        Joint {
            name: self.name.clone(),
            variable: self.variable,
            is_angle: self.about.is_angle,
            limits: self.about.limits,
            max_velocity: self.about.max_velocity,
            free_axis: axis.iamax(),
            length: 0.0,
        }
    }
}

struct Search<'a> {
    world: &'a World,
    robot: Entity,
    name: String,
    /// Prefix of the names in the part of the robot, with its dot, or empty.
    prefix: &'a str,
    /// Joints of the scene, by child body.
    jointed: Vec<(Entity, &'a BodyJoint)>,
    frames: Vec<(Entity, &'a Frame)>,
}

impl<'a> Search<'a> {
    fn new(world: &'a World, robot: Entity, root: &'a str) -> Self {
        let all = world.get_resource::<InPathOrder>();
        let all = all.map_or(&[][..], |all| all.0.as_slice());
        let joint = |&entity: &Entity| Some((entity, world.get::<BodyJoint>(entity)?));
        let frame = |&entity: &Entity| Some((entity, world.get::<Frame>(entity)?));
        let name = world.get::<RobotName>(robot);
        Self {
            world,
            robot,
            name: name.map_or_else(String::new, |name| name.0.to_string()),
            prefix: root.rfind('.').map_or("", |dot| &root[..=dot]),
            jointed: all.iter().filter_map(joint).collect(),
            frames: all.iter().filter_map(frame).collect(),
        }
    }

    fn frame(&self, name: &str) -> Result<&'a Frame, ChainError> {
        frame(self.world, &self.name, name).ok_or_else(|| ChainError::NoFrame(name.to_owned()))
    }

    fn joints(&self, choice: Choice<'_>) -> Result<Vec<Candidate<'a>>, ChainError> {
        let path = self.world.get::<ComponentPath>(self.robot);
        let own = self.world.get::<RobotJoints>(self.robot);
        let root = match choice.root {
            "" => None,
            name => Some(self.frame(name)?),
        };
        let find = |&variable: &Entity| {
            let about = self.world.get::<JointVariable>(variable)?;
            let name = self.without_prefix(about.short_name(path)).to_owned();
            let bodies = self.jointed.iter().copied();
            let body = bodies
                .filter(|(_, joint)| joint.variable == variable)
                .min_by_key(|(body, _)| self.depth(*body));
            let is_below = root
                .is_none_or(|root| body.is_some_and(|(body, _)| self.is_below(body, &root.name)));
            let is_meant = choice.joints.is_empty() || fits_any(choice.joints, &name);
            (is_meant && is_below).then(|| Candidate {
                variable,
                about,
                name,
                depth: body.map_or(0, |(body, _)| self.depth(body)),
                body,
            })
        };
        let candidates: Vec<Candidate<'a>> =
            own.iter().flat_map(|own| &own.0).filter_map(find).collect();
        if candidates.is_empty() {
            return Err(match (choice.joints, choice.root) {
                ([], "") => ChainError::NoJoints,
                ([], root) => ChainError::NothingBelow(root.to_owned()),
                (names, _) => ChainError::NoneOf(names.to_vec()),
            });
        }
        Ok(candidates)
    }

    /// Returns a name without the prefix of the chosen part.
    fn without_prefix<'n>(&self, name: &'n str) -> &'n str {
        name.strip_prefix(self.prefix).unwrap_or(name)
    }

    fn joint_of(&self, body: Entity) -> Option<&'a BodyJoint> {
        self.world.get::<BodyJoint>(body)
    }

    /// Returns the number of joints above a body.
    fn depth(&self, mut body: Entity) -> usize {
        let mut depth = 0;
        while let Some(joint) = self.joint_of(body)
            && depth <= self.jointed.len()
        {
            depth += 1;
            body = joint.parent;
        }
        depth
    }

    /// Returns true if a body's head frame is a frame or a descendant of it.
    fn is_below(&self, body: Entity, root: &str) -> bool {
        let mut next = Some(body);
        for _ in 0..=self.frames.len() {
            let frame = next.and_then(|entity| self.world.get::<Frame>(entity));
            match frame {
                Some(frame) if frame.name == root => return true,
                Some(frame) => next = frame.parent,
                None => return false,
            }
        }
        false
    }

    fn tips(
        &self,
        candidates: &[Candidate<'_>],
        indices: &BTreeMap<Entity, usize>,
        Choice {
            root, tip: wanted, ..
        }: Choice<'_>,
    ) -> Result<Vec<Tip>, ChainError> {
        let root = match root {
            "" => None,
            name => Some(self.frame(name)?),
        };
        if !wanted.is_empty() {
            let frame = self.frame(wanted)?;
            let tip = self.tip(frame, indices, root);
            return Ok(vec![
                tip.ok_or_else(|| ChainError::LooseTip(wanted.to_owned()))?,
            ]);
        }
        let bodies: Vec<Entity> = candidates
            .iter()
            .filter_map(|joint| Some(joint.body?.0))
            .collect();
        let is_last = |body: &&Entity| {
            bodies
                .iter()
                .all(|other| other == *body || !self.hangs_on(*other, **body))
        };
        let mut tips: Vec<Tip> = bodies
            .iter()
            .filter(is_last)
            .filter_map(|body| self.tip(self.last_frame(*body)?, indices, root))
            .collect();
        tips.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(tips)
    }

    fn hangs_on(&self, mut body: Entity, above: Entity) -> bool {
        for _ in 0..=self.jointed.len() {
            let Some(joint) = self.joint_of(body) else {
                return false;
            };
            if joint.parent == above {
                return true;
            }
            body = joint.parent;
        }
        false
    }

    /// Returns the frame of a body with the most ancestors; of several one without geometry, of those the farthest from the
    /// body's origin, and then the first by name.
    fn last_frame(&self, body: Entity) -> Option<&'a Frame> {
        let own = self.frames.iter().filter(|(_, frame)| frame.body == body);
        let last = own.rev().max_by(|(_, one), (_, other)| {
            let far = |frame: &Frame| frame.body_from_frame.translation.vector.norm();
            let rank = |frame: &Frame| (self.frames_above(frame), frame.is_bare);
            let ranks = rank(one).cmp(&rank(other));
            ranks.then_with(|| far(one).total_cmp(&far(other)))
        });
        last.map(|(_, frame)| *frame)
    }

    /// Returns the number of ancestors of a frame.
    fn frames_above(&self, frame: &Frame) -> usize {
        let mut above = 0;
        let mut next = frame.parent;
        while let Some(parent) = next.and_then(|parent| self.world.get::<Frame>(parent))
            && above <= self.frames.len()
        {
            above += 1;
            next = parent.parent;
        }
        above
    }

    /// Returns the path to a frame from the first joint of the chain above it.
    fn tip(
        &self,
        frame: &Frame,
        indices: &BTreeMap<Entity, usize>,
        root: Option<&Frame>,
    ) -> Option<Tip> {
        let mut links = Vec::new();
        let (mut body, mut base, mut count) = (frame.body, None, 0);
        while let Some(joint) = self.joint_of(body)
            && links.len() <= self.jointed.len()
        {
            let joint_index = indices.get(&joint.variable).copied();
            links.push(Link {
                joint: joint_index,
                shape: joint.shape,
            });
            let below = body;
            body = joint.parent;
            if joint_index.is_some() {
                (base, count) = (Some((body, below)), links.len());
            }
        }
        links.truncate(count);
        links.reverse();
        let own = frame.name.strip_prefix(self.name.as_str());
        let own = own.and_then(|rest| rest.strip_prefix('.'));
        let (base, first) = base?;
        let above = self.world.get::<Frame>(first).and_then(|head| head.parent);
        let above = above.and_then(|above| self.world.get::<Frame>(above));
        let begins = root.filter(|root| root.body == base).or(above);
        Some(Tip {
            name: self.without_prefix(own.unwrap_or(&frame.name)).to_owned(),
            body: frame.body,
            body_from_tip: frame.body_from_frame,
            base,
            base_from_root: begins
                .map_or_else(Isometry3::identity, |begins| begins.body_from_frame),
            links,
        })
    }

    /// Computes the lengths of the links.
    fn measure(&self, candidates: &[Candidate<'_>], tips: &[Tip], joints: &mut [Joint]) {
        for (joint, candidate) in joints.iter_mut().zip(candidates) {
            let Some((body, _)) = candidate.body else {
                continue;
            };
            let next = self.jointed.iter().find(|(_, next)| next.parent == body);
            let tip = tips.iter().find(|tip| tip.body == body);
            let end = match (tip, next) {
                (Some(tip), _) => tip.body_from_tip.translation.vector,
                (None, Some((_, next))) => next.shape.parent_from_joint.translation.vector,
                (None, None) => Vector3::zeros(),
            };
            joint.length = end.norm();
        }
    }
}
