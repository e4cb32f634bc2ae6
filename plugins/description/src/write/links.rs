//! Links and joints of a scene in the terms of robot descriptions: each joint has its own position, and joints that share a
//! variable follow the first of them.
use std::collections::{BTreeMap, BTreeSet};

use morse_scene::model::{Frame, Geometry, Joint, JointAxis, Scene};
use nalgebra::{Isometry3, Vector3};

use super::{Inertial, Losses, Target, markup::unit};

/// Links of a scene, in the order of its frames.
pub(super) struct Links<'a> {
    pub(super) links: Vec<Link<'a>>,
    /// True if the scene has one frame without a parent.
    pub(super) has_one_root: bool,
}

/// A frame as a link, with the joint that connects it to its parent.
pub(super) struct Link<'a> {
    pub(super) frame: &'a Frame,
    /// Name of the frame, or another one if the format reserves that.
    pub(super) name: String,
    /// Index of the parent; `None` is the world.
    pub(super) parent: Option<usize>,
    /// Pose in the parent with the joint at position zero.
    pub(super) pose: Isometry3<f64>,
    pub(super) inertial: Option<Inertial>,
    /// Geometries with their poses in the link.
    pub(super) geometry: Vec<(Isometry3<f64>, &'a Geometry)>,
    /// Unique name of the joint.
    pub(super) joint: String,
    pub(super) motion: Motion,
}

/// Motion of a link relative to its parent.
pub(super) enum Motion {
    Fixed,
    Floating,
    Revolute(Axis),
    Prismatic(Axis),
}

impl Motion {
    /// Returns the axis of a joint with one coordinate.
    const fn axis(&self) -> Option<&Axis> {
        match self {
            Self::Revolute(axis) | Self::Prismatic(axis) => Some(axis),
            Self::Fixed | Self::Floating => None,
        }
    }

    const fn axis_mut(&mut self) -> Option<&mut Axis> {
        match self {
            Self::Revolute(axis) | Self::Prismatic(axis) => Some(axis),
            Self::Fixed | Self::Floating => None,
        }
    }
}

/// Axis of a joint; all numbers are for its own position, in rad or m.
pub(super) struct Axis {
    /// Unit vector in the axes of the link.
    pub(super) axis: Vector3<f64>,
    pub(super) limits: Option<[f64; 2]>,
    pub(super) velocity: Option<f64>,
    pub(super) effort: Option<f64>,
    pub(super) damping: Option<f64>,
    pub(super) friction: Option<f64>,
    pub(super) armature: Option<f64>,
    pub(super) mimic: Option<Mimic>,
}

/// Dependence of a joint on another: position = multiplier · position of the leader + offset.
pub(super) struct Mimic {
    /// Name of the leader.
    pub(super) joint: String,
    pub(super) multiplier: f64,
    pub(super) offset: f64,
}

/// The joint that stands for a variable.
struct Leader {
    frame: usize,
    /// Displacement per unit of the variable, positive.
    factor: f64,
}

impl<'a> Links<'a> {
    pub(super) fn new(
        scene: &'a Scene,
        inertials: &[Option<Inertial>],
        target: Target,
        losses: &mut Losses,
    ) -> Self {
        let leaders = leaders(scene, losses);
        let mut taken: BTreeSet<String> = scene
            .frames()
            .iter()
            .map(|frame| frame.name.clone())
            .collect();
        let mut names: BTreeSet<String> = leaders.keys().map(|name| (*name).to_owned()).collect();
        let frames = scene.frames().iter().enumerate();
        let mut links: Vec<Link<'_>> = frames
            .map(|(index, frame)| {
                let parent = scene.parent_of(frame);
                let name = if target != Target::Urdf && is_reserved(&frame.name) {
                    losses.note(
                        "the format reserves these names, so that the frames have others",
                        &frame.name,
                    );
                    free(&mut taken, &frame.name)
                } else {
                    frame.name.clone()
                };
                let mut link = Link {
                    frame,
                    name,
                    parent: parent.and_then(|parent| scene.frame_index(&parent.name)),
                    pose: frame.pose,
                    inertial: inertials.get(index).copied().flatten(),
                    geometry: frame
                        .geometry
                        .iter()
                        .map(|own| (Isometry3::identity(), own))
                        .collect(),
                    joint: String::new(),
                    motion: Motion::Fixed,
                };
                let leads = frame
                    .joint
                    .axis()
                    .is_some_and(|axis| leaders[&*axis.variable].frame == index);
                link.joint = match frame.joint.axis() {
                    Some(axis) if leads => axis.variable.clone(),
                    _ => free(&mut names, &format!("{}_joint", frame.name)),
                };
                link.set_motion(index, &leaders);
                link
            })
            .collect();
        // In MJCF the equality that couples the joints limits the follower.
        if target != Target::Mjcf {
            limit_followers(&mut links);
        }
        Self {
            has_one_root: links.iter().filter(|link| link.parent.is_none()).count() == 1,
            links,
        }
    }

    /// Merges links into the links to which they are fixed.
    pub(super) fn flatten(&mut self, losses: &mut Losses) {
        // Parents may follow their children: what is merged last has the most ancestors.
        let mut order: Vec<usize> = (0..self.links.len()).collect();
        order.sort_by_key(|index| std::cmp::Reverse(self.depth(*index)));
        let mut kept = vec![true; self.links.len()];
        for index in order {
            let link = &mut self.links[index];
            let (Some(parent), Motion::Fixed) = (link.parent, &link.motion) else {
                continue;
            };
            kept[index] = false;
            losses.note(
                "frames were merged into the links to which they are fixed",
                &link.name,
            );
            let pose = link.pose;
            let geometry = std::mem::take(&mut link.geometry);
            let inertial = link.inertial.take();
            for child in &mut self.links {
                if child.parent == Some(index) {
                    child.parent = Some(parent);
                    child.pose = pose * child.pose;
                }
            }
            let parent = &mut self.links[parent];
            parent.geometry.extend(
                geometry
                    .into_iter()
                    .map(|(own, geometry)| (pose * own, geometry)),
            );
            parent.inertial = match (
                parent.inertial,
                inertial.map(|inertial| inertial.moved(&pose)),
            ) {
                (Some(one), Some(other)) => Some(one.plus(&other)),
                (one, other) => one.or(other),
            };
        }
        let mut count = 0;
        let indices: Vec<usize> = kept
            .iter()
            .map(|kept| {
                count += usize::from(*kept);
                count - usize::from(*kept)
            })
            .collect();
        let mut visited = 0;
        self.links.retain(|_| {
            visited += 1;
            kept[visited - 1]
        });
        for link in &mut self.links {
            link.parent = link.parent.map(|parent| indices[parent]);
        }
    }

    /// Returns the number of links above a link.
    fn depth(&self, index: usize) -> usize {
        let next = |index: &usize| self.links[*index].parent;
        std::iter::successors(self.links[index].parent, next).count()
    }

    /// Returns the names of the links of two frames; `None` if one was merged into another link.
    pub(super) fn named(&self, frames: [&str; 2]) -> Option<[String; 2]> {
        let [one, other] = frames.map(|frame| {
            let mut links = self.links.iter();
            links
                .find(|link| link.frame.name == frame)
                .map(|link| link.name.clone())
        });
        Some([one?, other?])
    }

    /// Returns a name for the world that no frame has.
    pub(super) fn world_name(&self) -> String {
        let mut names = self.links.iter().map(|link| link.name.clone()).collect();
        free(&mut names, "world")
    }

    /// Iterates over the children of a link, or of the world.
    pub(super) fn children(&self, parent: Option<usize>) -> impl Iterator<Item = usize> {
        let links = self.links.iter().enumerate();
        links
            .filter(move |(_, link)| link.parent == parent)
            .map(|(at, _)| at)
    }

    /// Returns true if a link moves and neither it nor a link that is fixed to it has a mass: engines refuse that.
    pub(super) fn is_weightless(&self, index: usize) -> bool {
        let moves = !matches!(self.links[index].motion, Motion::Fixed);
        moves && !self.has_mass(index)
    }

    fn has_mass(&self, index: usize) -> bool {
        self.links[index].inertial.is_some()
            || self.children(Some(index)).any(|child| {
                matches!(self.links[child].motion, Motion::Fixed) && self.has_mass(child)
            })
    }
}

impl Link<'_> {
    fn set_motion(&mut self, index: usize, leaders: &BTreeMap<&str, Leader>) {
        let (is_turn, joint) = match &self.frame.joint {
            Joint::Fixed => return,
            Joint::Floating => {
                self.motion = Motion::Floating;
                return;
            }
            Joint::Revolute(joint) => (true, joint),
            Joint::Prismatic(joint) => (false, joint),
        };
        let leader = &leaders[&*joint.variable];
        let own = factor(joint, is_turn);
        let mut axis = unit(&joint.axis);
        let mut mimic = None;
        if leader.frame == index {
            axis *= own.signum();
            self.pose *= displacement(&axis, is_turn, joint.offset * own.abs());
        } else {
            mimic = Some(Mimic {
                joint: joint.variable.clone(),
                multiplier: own / leader.factor,
                offset: joint.offset * own,
            });
        }
        let size = own.abs();
        let limits = joint.limits.position.map(|limits| {
            let [one, two] = match mimic {
                Some(_) => limits.map(|limit| (limit + joint.offset) * own),
                None => limits.map(|limit| limit * size),
            };
            [one.min(two), one.max(two)]
        });
        let axis = Axis {
            axis,
            limits,
            velocity: joint.limits.velocity.map(|velocity| velocity * size),
            effort: joint.limits.effort.map(|effort| effort / size),
            damping: joint.damping.map(|damping| damping / (size * size)),
            friction: joint.dry_friction.map(|friction| friction / size),
            armature: joint.armature.map(|armature| {
                let turns = joint.gear.unwrap_or(1.0) / size;
                armature * turns * turns
            }),
            mimic,
        };
        self.motion = if is_turn {
            Motion::Revolute(axis)
        } else {
            Motion::Prismatic(axis)
        };
    }
}

/// Gives joints that follow another one the limits that follow from those of their leader, where they have none of their
/// own: URDF demands limits, and a revolute joint without them is another type.
fn limit_followers(links: &mut [Link<'_>]) {
    let known: BTreeMap<String, (Option<[f64; 2]>, Option<f64>)> = links
        .iter()
        .filter_map(|link| {
            let axis = link.motion.axis()?;
            Some((link.joint.clone(), (axis.limits, axis.effort)))
        })
        .collect();
    for axis in links.iter_mut().filter_map(|link| link.motion.axis_mut()) {
        let Some(mimic) = &axis.mimic else {
            continue;
        };
        let Some((limits, effort)) = known.get(&mimic.joint) else {
            continue;
        };
        let implied = limits.map(|limits| {
            let [one, two] = limits.map(|limit| mimic.multiplier * limit + mimic.offset);
            [one.min(two), one.max(two)]
        });
        axis.limits = axis.limits.or(implied);
        let effort = effort.map(|effort| effort / mimic.multiplier.abs());
        axis.effort = axis.effort.or(effort);
    }
}

/// Returns the joint that stands for each variable: the first whose position is the variable itself, or else the first.
fn leaders<'a>(scene: &'a Scene, losses: &mut Losses) -> BTreeMap<&'a str, Leader> {
    let mut leaders: BTreeMap<&str, Leader> = BTreeMap::new();
    for (index, frame) in scene.frames().iter().enumerate() {
        let (is_turn, joint) = match &frame.joint {
            Joint::Revolute(joint) => (true, joint),
            Joint::Prismatic(joint) => (false, joint),
            Joint::Fixed | Joint::Floating => continue,
        };
        let factor = factor(joint, is_turn).abs();
        let leader = Leader {
            frame: index,
            factor,
        };
        match leaders.get_mut(&*joint.variable) {
            None => {
                leaders.insert(&joint.variable, leader);
            }
            Some(known) if known.factor != 1.0 && factor == 1.0 => *known = leader,
            Some(_) => {}
        }
    }
    for (variable, leader) in &leaders {
        if leader.factor != 1.0 {
            losses.note(
                "positions of joints are in rad or m, a multiple of the variable",
                variable,
            );
        }
    }
    leaders
}

/// Returns the displacement of a joint per unit of its variable, rad or m.
fn factor(joint: &JointAxis, is_turn: bool) -> f64 {
    let length = if is_turn { 1.0 } else { joint.axis.norm() };
    // Rounding of a unit vector is no scale.
    let length = if (length - 1.0).abs() < 1e-12 {
        1.0
    } else {
        length
    };
    joint.ratio.unwrap_or(1.0) * length
}

fn displacement(axis: &Vector3<f64>, is_turn: bool, by: f64) -> Isometry3<f64> {
    if is_turn {
        return Isometry3::rotation(axis * by);
    }
    let by = axis * by;
    Isometry3::translation(by.x, by.y, by.z)
}

/// Returns true if SDF and MJCF have a meaning for a name.
fn is_reserved(name: &str) -> bool {
    name == "world" || (name.starts_with("__") && name.ends_with("__"))
}

/// Takes a name, with a number if it is taken.
fn free(names: &mut BTreeSet<String>, wanted: &str) -> String {
    let mut name = wanted.to_owned();
    let mut count = 1;
    while !names.insert(name.clone()) {
        count += 1;
        name = format!("{wanted}_{count}");
    }
    name
}
