//! Points of contact and wrenches, for components that sense them.
use std::collections::BTreeSet;

use bevy::prelude::*;
use morse_api::{
    component::{ComponentPath, Due, Mount},
    contact::{Touches, Wrench},
    warning::Warnings,
};
use morse_mechanisms::{Force, Inertia};

use super::{
    PhysicsSettings,
    engine::{BodyIndex, Tables},
    trees::{Cut, Trees},
};

/// Finds the bodies whose contacts are sensed, and the cuts, at the start.
pub(super) fn begin(
    tables: Res<Tables>,
    sensing: Query<(Entity, &ComponentPath, &Mount, Has<Touches>, Has<Wrench>)>,
    bodies: Query<&BodyIndex>,
    mut trees: ResMut<Trees>,
    mut warnings: ResMut<Warnings>,
) {
    let (mut sensed, mut cuts) = (Vec::new(), Vec::new());
    for (sensor, path, mount, touches, wrench) in &sensing {
        let Ok(body) = bodies.get(mount.body).map(|index| index.0) else {
            continue;
        };
        if touches {
            sensed.push(body);
        }
        if wrench {
            let cut = tables.cut(sensor, mount, body);
            sensed.push(body);
            sensed.extend(&cut.beyond);
            if tables.poses_any(&cut.beyond) {
                warnings.add(
                    path,
                    "bodies behind joints with the mode `kinematic` have no share in the measured wrench",
                );
            }
            cuts.push(cut);
        }
    }
    trees.set_sensed(sensed);
    trees.set_cuts(cuts);
}

/// Writes contacts to the components that are due, and the wrenches.
pub(super) fn publish(
    settings: Res<PhysicsSettings>,
    tables: Res<Tables>,
    bodies: Query<&BodyIndex>,
    mut trees: ResMut<Trees>,
    mut touching: Query<(&Due, &Mount, &mut Touches)>,
    mut wrenches: Query<&mut Wrench>,
) {
    for (due, mount, mut touches) in &mut touching {
        if due.0
            && let Ok(body) = bodies.get(mount.body)
        {
            touches.0.clear();
            trees.touch_points(body.0, &tables, settings.substep(), &mut touches.0);
        }
    }
    trees.take_wrenches(|sensor, wrench| {
        if let Ok(mut known) = wrenches.get_mut(sensor) {
            *known = wrench;
        }
    });
}

impl Tables {
    /// Returns the cut of a component at the frame of its mount, which belongs to a body.
    fn cut(&self, sensor: Entity, mount: &Mount, body: usize) -> Cut {
        let mount_frame = self.frames.iter().position(|row| row.entity == mount.frame);
        let is_beyond = |frame: usize| {
            let mut above = Some(frame);
            while above.is_some() && above != mount_frame {
                above = self
                    .frames
                    .get(above.unwrap_or_default())
                    .and_then(|row| row.parent);
            }
            above == mount_frame
        };
        let mut inertia = Inertia::default();
        let mut is_whole = true;
        let mut frames = BTreeSet::new();
        for (number, row) in self.frames.iter().enumerate() {
            if row.body != body {
                continue;
            }
            if is_beyond(number) {
                frames.insert(number);
                inertia += row.inertia;
            } else {
                is_whole = false;
            }
        }
        let geometry = self.geometry.iter().enumerate();
        let geometry = geometry.filter(|(_, row)| {
            row.body == body
                && usize::try_from(row.frame).is_ok_and(|frame| frames.contains(&frame))
        });
        let children: Vec<usize> = self
            .heads_on(body)
            .filter(|(_, frame)| frames.contains(frame))
            .map(|(child, _)| child)
            .collect();
        let mut beyond = BTreeSet::new();
        let mut open = children.clone();
        while let Some(child) = open.pop() {
            beyond.insert(child);
            open.extend(self.heads_on(child).map(|(child, _)| child));
        }
        Cut {
            sensor,
            body,
            body_from_sensor: mount.body_from_component,
            is_whole,
            inertia,
            geometry: geometry.map(|(index, _)| index).collect(),
            frames,
            children,
            beyond: beyond.into_iter().collect(),
            impulse: Force::default(),
            time: 0.0,
        }
    }

    /// Iterates over the bodies that dynamic joints attach to a body, with the frames of that body to which they are
    /// attached.
    fn heads_on(&self, parent: usize) -> impl Iterator<Item = (usize, usize)> {
        self.bodies
            .iter()
            .enumerate()
            .filter_map(move |(index, row)| {
                let is_on = |joint: &&morse_scene::assembly::Attachment| joint.parent == parent;
                row.attachment.as_ref().filter(is_on)?;
                let head = self.frames.get(row.head)?;
                Some((index, head.parent?))
            })
    }

    /// Returns true if a kinematic joint moves any of these bodies.
    fn poses_any(&self, bodies: &[usize]) -> bool {
        let mut rows = bodies.iter().filter_map(|body| self.bodies.get(*body));
        rows.any(|row| row.is_posed)
    }
}
