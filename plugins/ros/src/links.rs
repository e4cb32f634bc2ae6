//! Links of robots in `/tf` and `/tf_static`, and descriptions of robots on topics.
use std::collections::{BTreeMap, BTreeSet};

use morse_api::world_view::{LinkInfo, Poses, RobotDescription, WorldView};
use nalgebra::Isometry3;

use crate::{
    frames,
    messages::{Header, TFMessage, Text, Time, TransformStamped},
    names,
};

/// Minimum interval of the poses of links in `/tf`, ns of simulated time.
const INTERVAL: u64 = 20_000_000;

/// Descriptions of the robots of a world, and the poses of their links.
#[derive(Clone, Debug, Default)]
pub struct RobotLinks {
    /// Topic and description of each robot, in path order.
    pub descriptions: Vec<(String, Text)>,
    /// Poses of links that do not move relative to their parents.
    pub fixed: Vec<TransformStamped>,
    moving: Vec<Moving>,
    /// Time of the next poses, ns.
    next: u64,
}

/// A link that moves relative to its parent.
#[derive(Clone, Debug)]
struct Moving {
    parent: OnBody,
    child: OnBody,
    names: [String; 2],
}

/// Frame on a body.
#[derive(Clone, Copy, Debug)]
struct OnBody {
    /// Index of the body.
    body: usize,
    body_from_frame: Isometry3<f64>,
}

impl OnBody {
    fn pose(&self, poses: &Poses) -> Option<Isometry3<f64>> {
        Some(poses.bodies.get(self.body)? * self.body_from_frame)
    }
}

impl RobotLinks {
    /// Returns the links of the robots of a world. A link with the name of a sensor of its robot is left out, since the frame of
    /// the sensor has that name.
    #[must_use]
    pub fn new(view: &WorldView) -> Self {
        let sensors = view.sensors.iter();
        let taken: BTreeSet<String> = sensors
            .map(|sensor| names::frame(&sensor.info.path))
            .collect();
        let frames = view.scenery.frames.iter();
        let frames: BTreeMap<&str, OnBody> = frames
            .map(|frame| {
                let (body, body_from_frame) = (frame.body, frame.body_from_frame);
                let on_body = OnBody {
                    body,
                    body_from_frame,
                };
                (frame.name.as_str(), on_body)
            })
            .collect();
        let mut links = Self::default();
        for robot in &view.scenery.robots {
            let Some(RobotDescription { urdf, links: own }) = view.descriptions.of(&robot.name)
            else {
                continue;
            };
            links.add(&robot.name, &own, &taken, &frames);
            let topic = names::description(&robot.name);
            links.descriptions.push((topic, Text { data: urdf }));
        }
        links
    }

    fn add(
        &mut self,
        robot: &str,
        links: &[LinkInfo],
        taken: &BTreeSet<String>,
        frames: &BTreeMap<&str, OnBody>,
    ) {
        let name = |link: &LinkInfo| names::link(robot, &link.name);
        for link in links {
            let own = name(link);
            if taken.contains(&own) {
                continue;
            }
            let mut pose = link.parent_from_link;
            let mut is_fixed = link.is_fixed;
            let mut above = link.parent.and_then(|parent| links.get(parent));
            // Parents come before their children, so that the loop ends.
            while let Some(skipped) = above.filter(|above| taken.contains(&name(above))) {
                pose = skipped.parent_from_link * pose;
                is_fixed &= skipped.is_fixed;
                above = skipped.parent.and_then(|parent| links.get(parent));
            }
            let Some(parent) = above else {
                continue;
            };
            if is_fixed {
                self.fixed.push(frames::fixed(name(parent), own, pose));
            } else if let (Some(from), Some(to)) =
                (frames.get(&*parent.frame), frames.get(&*link.frame))
            {
                self.moving.push(Moving {
                    parent: *from,
                    child: *to,
                    names: [name(parent), own],
                });
            }
        }
    }

    /// Returns true if links move, so that poses of bodies are needed.
    #[must_use]
    pub fn is_moving(&self) -> bool {
        !self.moving.is_empty()
    }

    /// Returns the present poses of the links that move; none within 20 ms of simulated time since the last ones.
    pub fn moving(&mut self, poses: &Poses) -> Option<TFMessage> {
        // After a reset the time is earlier than that of the last poses.
        let is_reset = self.next > poses.nanos + INTERVAL;
        if self.moving.is_empty() || (poses.nanos < self.next && !is_reset) {
            return None;
        }
        self.next = poses.nanos + INTERVAL;
        let stamp = Time::of_nanos(poses.nanos);
        let transforms = self.moving.iter().filter_map(|link| {
            let pose = link.parent.pose(poses)?.inv_mul(&link.child.pose(poses)?);
            let [parent, child] = link.names.clone();
            Some(TransformStamped {
                header: Header {
                    stamp: stamp.clone(),
                    frame_id: parent,
                },
                child_frame_id: child,
                transform: pose.into(),
            })
        });
        Some(TFMessage {
            transforms: transforms.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(name: &str, parent: Option<usize>, z: f64, is_fixed: bool) -> LinkInfo {
        LinkInfo {
            name: name.to_owned(),
            parent,
            parent_from_link: Isometry3::translation(0.0, 0.0, z),
            is_fixed,
            frame: name.to_owned(),
        }
    }

    /// Returns the links of an arm: `elbow` and `hand` are bodies of their own.
    fn arm(taken: &[&str]) -> RobotLinks {
        let on_body = |body| OnBody {
            body,
            body_from_frame: Isometry3::identity(),
        };
        let frames = BTreeMap::from([
            ("base_link", on_body(0)),
            ("plate", on_body(0)),
            ("elbow", on_body(1)),
            ("hand", on_body(2)),
        ]);
        let links = [
            link("base_link", None, 0.0, true),
            link("plate", Some(0), 0.25, true),
            link("elbow", Some(1), 0.5, false),
            link("hand", Some(2), 0.125, true),
        ];
        let taken = taken.iter().map(|&name| name.to_owned()).collect();
        let mut arm = RobotLinks::default();
        arm.add("arm", &links, &taken, &frames);
        arm
    }

    fn poses(nanos: u64) -> Poses {
        Poses {
            nanos,
            bodies: [0.0, 1.0, 1.5]
                .map(|x| Isometry3::translation(x, 0.0, 0.0))
                .to_vec(),
            ..Poses::default()
        }
    }

    #[test]
    fn links_have_their_own_names_and_parents() {
        let mut arm = arm(&[]);
        let fixed: Vec<_> = arm
            .fixed
            .iter()
            .map(|fixed| (&*fixed.header.frame_id, &*fixed.child_frame_id))
            .collect();
        assert_eq!(
            fixed,
            [("arm/base_link", "arm/plate"), ("arm/elbow", "arm/hand")]
        );
        let moving = arm.moving(&poses(0)).unwrap().transforms;
        assert_eq!(moving[0].header.frame_id, "arm/plate");
        assert_eq!(moving[0].child_frame_id, "arm/elbow");
        assert_eq!(moving[0].transform.translation.x, 1.0);
        assert!(arm.moving(&poses(19_999_999)).is_none());
        assert!(arm.moving(&poses(20_000_000)).is_some());
        assert!(arm.moving(&poses(60_000_000)).is_some());
        assert!(arm.moving(&poses(0)).is_some(), "after a reset");
    }

    #[test]
    fn names_of_sensors_are_not_given_twice() {
        let mut arm = arm(&["arm/plate", "arm/elbow"]);
        assert!(arm.fixed.is_empty());
        let moving = arm.moving(&poses(0)).unwrap().transforms;
        assert_eq!(moving.len(), 1);
        assert_eq!(moving[0].header.frame_id, "arm/base_link");
        assert_eq!(moving[0].child_frame_id, "arm/hand");
        assert_eq!(moving[0].transform.translation.x, 1.5);
    }
}
