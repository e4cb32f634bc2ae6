//! Floor under a robot description that runs by itself: a description has no surroundings, and its robot would fall without
//! end.

use morse_api::body::BodyKind;
use morse_geometry::mesh;
use morse_scene::{
    assembly::{Assembly, Layout, layout},
    model::{Frame, Geometry, Scene, Shape},
};
use nalgebra::{Isometry3, Point3, Vector3};

/// Side of the floor, m.
const SIDE: f64 = 200.0;

/// Thickness of the floor, m.
const THICKNESS: f64 = 1.0;

/// Name of the frame of the floor.
const NAME: &str = "floor";

/// Floor that was added to a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Floor {
    /// Name of its frame.
    pub frame: String,
    /// Height of its upper side in the world, m.
    pub height: f64,
    /// Contacts of the robot with it.
    pub contacts: Contacts,
}

/// Contacts of a robot with the floor that was added for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contacts {
    /// The robot stands on it.
    Stands,
    /// None: the robot is fixed to the world, and its links may swing below the floor.
    Fixed,
    /// None: the robot has no collision geometry, and falls through the floor.
    Falls,
}

/// Adds a floor under the lowest point of a scene in which something can move. Returns nothing if the scene has surroundings
/// of its own, or no geometry.
pub(super) fn add(assembly: &mut Assembly) -> Option<Floor> {
    // Errors of the layout are reported when the world is spawned.
    let layout = layout(assembly).ok()?;
    let moves = layout
        .bodies
        .iter()
        .any(|body| body.kind != BodyKind::Fixed);
    if !moves || has_surroundings(&assembly.scene, &layout) {
        return None;
    }
    let solid = lowest(&assembly.scene, &layout, |geometry| geometry.collision);
    let lowest = solid.or_else(|| lowest(&assembly.scene, &layout, |geometry| geometry.visual))?;
    let is_free = layout
        .bodies
        .iter()
        .any(|body| body.kind == BodyKind::Dynamic && body.attachment.is_none());
    let contacts = match (is_free, solid) {
        (true, Some(_)) => Contacts::Stands,
        (true, None) => Contacts::Falls,
        (false, _) => Contacts::Fixed,
    };
    let mut name = NAME.to_owned();
    while assembly.scene.frame(&name).is_some() {
        name.push('_');
    }
    let mut geometry = Geometry::new(Shape::Box {
        dimension: [SIDE, SIDE, THICKNESS],
    });
    geometry.color = [0.5, 0.52, 0.55];
    geometry.checker = Some([0.58, 0.6, 0.63]);
    geometry.pattern_size = Some(1.0);
    geometry.collision = is_free;
    let frame = Frame::new(name.as_str())
        .at([0.0, 0.0, lowest - THICKNESS / 2.0])
        .with(geometry);
    assembly.scene.add_frame(frame).ok()?;
    Some(Floor {
        frame: name,
        height: lowest,
        contacts,
    })
}

/// True if a part of the scene that is fixed to the world has geometry and carries nothing that moves, such as a floor, a
/// wall or a table.
fn has_surroundings(scene: &Scene, layout: &Layout) -> bool {
    let fixed = |index: usize| {
        let body = layout
            .frames
            .get(index)
            .and_then(|frame| layout.bodies.get(frame.body));
        body.is_some_and(|body| body.kind == BodyKind::Fixed)
    };
    let parent = |index: usize| layout.frames.get(index).and_then(|frame| frame.parent);
    let mut carries = vec![false; layout.frames.len()];
    for index in (0..layout.frames.len()).filter(|index| !fixed(*index)) {
        let mut above = parent(index);
        while let Some(frame) = above {
            match carries.get_mut(frame) {
                Some(carries) if !*carries => *carries = true,
                _ => break,
            }
            above = parent(frame);
        }
    }
    let is_shown = |index: usize| {
        let frame = layout.frames.get(index);
        let frame = frame.and_then(|frame| scene.frames().get(frame.in_scene));
        frame.is_some_and(|frame| !frame.geometry.is_empty())
    };
    // The geometry of a link is on frames below it, which carry nothing themselves.
    let is_above_link = |index: usize| {
        let mut up = Some(index);
        std::iter::from_fn(|| {
            let here = up?;
            up = parent(here);
            Some(here)
        })
        .any(|frame| carries.get(frame) == Some(&true) && !is_root(scene, layout, frame))
    };
    (0..layout.frames.len()).any(|at| fixed(at) && is_shown(at) && !is_above_link(at))
}

/// True for a frame that stands for the world: it has the name of the world, and no parent.
fn is_root(scene: &Scene, layout: &Layout, index: usize) -> bool {
    let frame = layout.frames.get(index);
    let frame = frame.and_then(|frame| scene.frames().get(frame.in_scene));
    frame.is_some_and(|frame| frame.parent.is_none() && frame.name == "world")
}

/// Returns the z coordinate of the lowest point of some geometry at the start.
fn lowest(scene: &Scene, layout: &Layout, is_meant: fn(&Geometry) -> bool) -> Option<f64> {
    let mut lowest: Option<f64> = None;
    for frame_layout in &layout.frames {
        let (Some(frame), Some(body)) = (
            scene.frames().get(frame_layout.in_scene),
            layout.bodies.get(frame_layout.body),
        ) else {
            continue;
        };
        let pose = body.pose * frame_layout.body_from_frame;
        for geometry in frame.geometry.iter().filter(|geometry| is_meant(geometry)) {
            let own = depth(geometry, &pose).filter(|own| own.is_finite());
            lowest = match (lowest, own) {
                (Some(known), Some(own)) => Some(known.min(own)),
                (known, own) => known.or(own),
            };
        }
    }
    lowest
}

/// Returns the z coordinate of the lowest point of a geometry whose frame is at a pose; `None` without a volume.
fn depth(geometry: &Geometry, pose: &Isometry3<f64>) -> Option<f64> {
    let scale = geometry.scale;
    // Direction of down in the frame.
    let down = pose.inverse_transform_vector(&-Vector3::z());
    let across = libm::hypot(down.x, down.y);
    let along = |z: f64| z * scale * down.z;
    let extent = match &geometry.shape {
        Shape::Box { dimension } => {
            let half = dimension.map(|side| side.abs() * scale.abs() / 2.0);
            half[0] * down.x.abs() + half[1] * down.y.abs() + half[2] * down.z.abs()
        }
        Shape::Sphere { radius } => radius * scale,
        Shape::Cylinder { radius, height } => {
            along(0.0).max(along(*height)) + radius * scale * across
        }
        Shape::Cone {
            start_radius,
            end_radius,
            height,
        } => {
            let start = start_radius * scale * across;
            start.max(along(*height) + end_radius * scale * across)
        }
        Shape::Capsule { radius, height } => along(0.0).max(along(*height)) + radius * scale,
        Shape::Grid { .. } => return None,
        Shape::Mesh(file) => {
            // Errors of the file are reported when the world is spawned.
            let mesh = mesh::read(&file.resolved).ok()?;
            let reaches = mesh
                .vertices
                .iter()
                .map(|vertex| Vector3::from(vertex.map(f64::from)).dot(&down) * scale);
            reaches.fold(f64::NEG_INFINITY, f64::max)
        }
    };
    let origin = pose * Point3::origin();
    Some(origin.z - extent)
}

#[cfg(test)]
mod tests {
    use morse_scene::model::{Joint, JointAxis};

    use super::*;

    fn assembly(frames: Vec<Frame>) -> Assembly {
        let mut scene = Scene::default();
        for frame in frames {
            scene.add_frame(frame).unwrap();
        }
        Assembly {
            scene,
            ..Assembly::default()
        }
    }

    #[test]
    fn the_lowest_points_of_tilted_shapes() {
        let tilted = Isometry3::from_parts(
            [0.0, 0.0, 1.0].into(),
            nalgebra::UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 0.6),
        );
        let [sin, cos] = [libm::sin(0.6), libm::cos(0.6)];
        let dimension = [1.0, 2.0, 3.0];
        let [radius, height] = [0.25, 2.0];
        for (shape, extent) in [
            (Shape::Box { dimension }, sin + 1.5 * cos),
            (Shape::Sphere { radius }, radius),
            (Shape::Cylinder { radius, height }, radius * sin),
            (
                Shape::Cylinder {
                    radius,
                    height: -2.0,
                },
                radius * sin + 2.0 * cos,
            ),
            (Shape::Capsule { radius, height }, radius),
        ] {
            let geometry = Geometry::new(shape.clone());
            let own = depth(&geometry, &tilted).unwrap();
            assert!((own - (1.0 - extent)).abs() < 1e-12, "{shape:?}: {own}");
        }
    }

    #[test]
    fn a_table_is_a_surrounding_and_a_base_is_none() {
        let ball = || Geometry::new(Shape::Sphere { radius: 0.1 });
        let hinge = || Joint::Revolute(JointAxis::new([1.0, 0.0, 0.0], "q"));
        let arm = || {
            vec![
                Frame::new("world"),
                Frame::new("base").under("world").at([0.0, 0.0, 0.3]),
                Frame::new("base-geom").under("base").with(ball()),
                Frame::new("link")
                    .under("base")
                    .joined(hinge())
                    .with(ball()),
            ]
        };
        let floor = add(&mut assembly(arm())).unwrap();
        assert_eq!(
            (floor.frame.as_str(), floor.contacts),
            ("floor", Contacts::Fixed)
        );
        assert!((floor.height - 0.2).abs() < 1e-12, "{floor:?}");
        let mut with_table = arm();
        with_table.push(Frame::new("table").under("world").with(ball()));
        assert_eq!(add(&mut assembly(with_table)), None);
        let still = vec![Frame::new("a").with(ball())];
        assert_eq!(add(&mut assembly(still)), None);
    }

    #[test]
    fn a_free_body_stands_on_the_floor() {
        let ball = Geometry::new(Shape::Sphere { radius: 0.1 });
        let frame = Frame::new("floor").joined(Joint::Floating).with(ball);
        let mut assembly = assembly(vec![frame.at([0.0, 0.0, 2.0])]);
        let floor = add(&mut assembly).unwrap();
        assert_eq!(
            (floor.frame.as_str(), floor.contacts),
            ("floor_", Contacts::Stands)
        );
        assert!((floor.height - 1.9).abs() < 1e-12, "{floor:?}");
        let top = assembly.scene.frame("floor_").unwrap();
        assert!((top.pose.translation.z - 1.4).abs() < 1e-12);
    }
}
