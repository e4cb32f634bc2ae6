//! Lints of scenes: warnings about robots that start inside an obstacle, bodies below every floor, meshes in millimetres.
//! None of them keeps a simulation from running.
use bevy_rapier3d::{
    parry::{
        bounding_volume::{Aabb, BoundingVolume as _},
        query,
        shape::TypedShape,
    },
    rapier::math::Pose,
};
use morse_api::{body::BodyKind, range::ValueRange};
use morse_diagnostics::{Diagnostic, printable};
use morse_scene::{
    assembly::{BodyLayout, Layout},
    model::Scene,
};

use super::{
    PhysicsSettings,
    origin::{FAR, Origin},
    prepare::{Prepared, PreparedSolid},
};

/// Depth to which a robot may penetrate an obstacle at the start, m: wheels sink in a little.
const DEEPEST: f32 = 0.05;

/// Clearance of a robot whose origin is on the ground and whose geometry reaches below it, m: contacts push it out.
const GREATEST_CLEARANCE: f32 = 0.12;

/// Distance below the lowest static geometry from which a body has no floor, m.
const FAR_BELOW: f32 = 1.0;

/// Maximum plausible size of a mesh, m; larger ones are probably in millimetres.
const LONGEST_MESH: f32 = 1_000.0;

/// Maximum number of warnings per lint.
const MOST: usize = 8;

/// Maximum number of pairs of shapes that are compared.
const MOST_PAIRS: usize = 200_000;

/// Number of pairs from which contacts dominate the time of a tick, and take gigabytes.
const CROWD: usize = 10_000;

/// A solid at its initial pose.
struct Placed<'a> {
    body: usize,
    frame: usize,
    solid: &'a PreparedSolid,
    /// Height of its body above the engine's origin, m.
    height: f64,
    pose: Pose,
    around: Aabb,
}

/// Returns the warnings of a scene that can be simulated, and is probably a mistake.
#[must_use]
pub fn lints(
    layout: &Layout,
    scene: &Scene,
    prepared: &Prepared,
    settings: &PhysicsSettings,
) -> Vec<Diagnostic> {
    let origin = Origin::of(layout);
    let mut placed = Vec::new();
    for (body, (body_layout, made)) in layout.bodies.iter().zip(&prepared.bodies).enumerate() {
        for solid in &made.solids {
            let pose = body_layout.pose * solid.body_from_frame * solid.solid.frame_from_shape;
            let pose = origin.engine(&pose);
            let around = solid.solid.shape.compute_aabb(&pose);
            placed.push(Placed {
                body,
                frame: solid.indices.0,
                solid,
                height: body_layout.pose.translation.z - origin.vector().z,
                pose,
                around,
            });
        }
    }
    let mut warnings = large_meshes(layout, scene, &placed);
    warnings.extend(below_the_floor(layout, &placed, settings, &origin));
    warnings.extend(far_apart(layout, &origin));
    warnings.extend(inside_each_other(layout, scene, &placed));
    warnings
}

fn name(layout: &Layout, frame: usize) -> String {
    layout
        .frames
        .get(frame)
        .map_or_else(String::new, |frame| printable(&frame.name))
}

fn large_meshes(layout: &Layout, scene: &Scene, placed: &[Placed<'_>]) -> Vec<Diagnostic> {
    let is_mesh = |placed: &&Placed<'_>| {
        let shape = placed.solid.solid.shape.as_typed_shape();
        matches!(
            shape,
            TypedShape::TriMesh(_) | TypedShape::ConvexPolyhedron(_)
        )
    };
    let size = |placed: &Placed<'_>| placed.around.extents().max_element();
    let large = placed
        .iter()
        .filter(is_mesh)
        .filter(|placed| size(placed) > LONGEST_MESH);
    let warn = |placed: &Placed<'_>| {
        let (frame, size) = (
            name(layout, placed.frame),
            ValueRange::shown(f64::from(size(placed).round())),
        );
        let message = format!("a mesh of `{frame}` is {size} m long");
        let warning = Diagnostic::warning("scene::large-mesh", message)
            .note("is it in millimetres?")
            .help("if so, write `scale 0.001;` in its geometry");
        let in_scene = layout.frames.get(placed.frame).map(|frame| frame.in_scene);
        let frame = in_scene.and_then(|index| scene.frames().get(index));
        let geometry = frame.and_then(|frame| frame.geometry.get(placed.solid.indices.1));
        match geometry.and_then(|geometry| geometry.source.0) {
            Some(span) => warning.at(span, "this shape"),
            None => warning,
        }
    };
    large.take(MOST).map(warn).collect()
}

/// Warns about falling bodies that start below all static geometry. In water they may float.
fn below_the_floor(
    layout: &Layout,
    placed: &[Placed<'_>],
    settings: &PhysicsSettings,
    origin: &Origin,
) -> Vec<Diagnostic> {
    let above = |height: f32| ValueRange::shown((f64::from(height) + origin.vector().z).round());
    let [x, y, z] = settings.gravity;
    let is_downwards = z < 0.0 && x.abs().max(y.abs()) <= 0.0;
    let kind = |placed: &Placed<'_>| layout.bodies.get(placed.body).map(|body| body.kind);
    let still = placed
        .iter()
        .filter(|placed| kind(placed) == Some(BodyKind::Fixed));
    let floor = still.map(|placed| placed.around.mins.z).reduce(f32::min);
    let Some(floor) = floor.filter(|_| is_downwards && settings.water.is_none()) else {
        return Vec::new();
    };
    let falls = |body: &BodyLayout| {
        body.kind == BodyKind::Dynamic && body.settings.gravity && body.attachment.is_none()
    };
    let mut tops = vec![f32::NEG_INFINITY; layout.bodies.len()];
    for solid in placed {
        if let Some(top) = tops.get_mut(solid.body) {
            *top = top.max(solid.around.maxs.z);
        }
    }
    let mut warnings = Vec::new();
    let falling = layout
        .bodies
        .iter()
        .zip(tops)
        .filter(|(body, _)| falls(body));
    for (body, top) in falling {
        if top.is_finite() && top < floor - FAR_BELOW {
            let message = format!("`{}` starts below every floor", name(layout, body.head));
            let note = format!(
                "it reaches up to {} m, and the lowest thing that stands still down to {} m",
                above(top),
                above(floor)
            );
            let warning = Diagnostic::warning("scene::below-floor", message)
                .note(note)
                .help("move it up, or give it `gravity: false`");
            warnings.push(warning);
        }
        if warnings.len() >= MOST {
            break;
        }
    }
    warnings
}

/// Warns about moving bodies that are so far from each other that their contacts are inaccurate.
fn far_apart(layout: &Layout, origin: &Origin) -> Option<Diagnostic> {
    let far = |body: &&BodyLayout| {
        let position = body.pose.translation.vector - origin.vector();
        body.kind != BodyKind::Fixed && position.amax() > FAR
    };
    let mut all = layout.bodies.iter().filter(far);
    let (first, more) = (all.next()?, all.count());
    let more = match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!(
        "`{}`{more} starts more than {} km from the middle of what moves",
        name(layout, first.head),
        ValueRange::shown((FAR / 1e3).round()),
    );
    let warning = Diagnostic::warning("scene::far-apart", message)
        .note("contacts are found in single precision about that middle: a millimetre is lost there at this distance")
        .help("put what touches each other nearer to the rest, or into a simulation of its own");
    Some(warning)
}

/// Warns about dynamic robots that start inside an obstacle: physics throws them out.
fn inside_each_other(layout: &Layout, scene: &Scene, placed: &[Placed<'_>]) -> Vec<Diagnostic> {
    let moves = |placed: &Placed<'_>| {
        let body = layout.bodies.get(placed.body);
        body.is_some_and(|body| body.robot.is_some() && body.kind == BodyKind::Dynamic)
    };
    let is_pushed = |placed: &Placed<'_>| {
        let body = layout.bodies.get(placed.body);
        body.is_some_and(|body| body.kind == BodyKind::Dynamic)
    };
    let robot = |placed: &Placed<'_>| layout.bodies.get(placed.body)?.robot.as_deref();
    let mut order: Vec<&Placed<'_>> = placed.iter().collect();
    order.sort_by(|one, other| one.around.mins.x.total_cmp(&other.around.mins.x));
    let mut overlaps: Vec<(usize, usize, f32)> = Vec::new();
    let (mut pairs, mut near) = (0, 0);
    for (index, one) in order.iter().enumerate() {
        for other in order.iter().skip(index + 1) {
            if other.around.mins.x > one.around.maxs.x || pairs > MOST_PAIRS {
                break;
            }
            pairs += 1;
            let may_touch = one.body != other.body && one.around.intersects(&other.around);
            if !may_touch
                || !(is_pushed(one) || is_pushed(other))
                || is_allowed(layout, scene, one, other)
            {
                continue;
            }
            near += 1;
            let is_own = robot(one).is_some() && robot(one) == robot(other);
            if is_own || overlaps.len() >= MOST || !(moves(one) || moves(other)) {
                continue;
            }
            let depth = depth(one, other);
            let bodies = (one.body.min(other.body), one.body.max(other.body));
            let is_known = |known: &(usize, usize, f32)| (known.0, known.1) == bodies;
            let deepest = clearance(layout, one).max(clearance(layout, other));
            if depth > deepest && !overlaps.iter().any(is_known) {
                overlaps.push((bodies.0, bodies.1, depth));
            }
        }
    }
    let mut warnings: Vec<Diagnostic> = overlaps.iter().map(|pair| inside(layout, pair)).collect();
    warnings.extend((near > CROWD).then(|| crowded(near)));
    warnings
}

fn crowded(pairs: usize) -> Diagnostic {
    let message = format!(
        "more than {} pairs of shapes touch at the start",
        pairs / CROWD * CROWD
    );
    Diagnostic::warning("scene::crowded", message)
        .note("each of them takes time in every tick, and memory")
        .help("space the bodies out, or let them pass through each other: `collision 0;` or `allow_collision`")
}

fn is_allowed(layout: &Layout, scene: &Scene, one: &Placed<'_>, other: &Placed<'_>) -> bool {
    let frame = |placed: &Placed<'_>| {
        layout
            .frames
            .get(placed.frame)
            .map(|frame| frame.name.clone())
    };
    let (Some(one), Some(other)) = (frame(one), frame(other)) else {
        return false;
    };
    let pairs = scene.allowed_collisions();
    pairs.contains(&(one.clone(), other.clone())) || pairs.contains(&(other, one))
}

/// Returns the depth to which a solid may start inside of another, m.
fn clearance(layout: &Layout, placed: &Placed<'_>) -> f32 {
    let body = layout.bodies.get(placed.body);
    let is_base = body.is_some_and(|body| body.actuated && body.kind == BodyKind::Dynamic);
    let below = if is_base {
        placed.height as f32 - placed.around.mins.z
    } else {
        0.0
    };
    DEEPEST.max(below.min(GREATEST_CLEARANCE) + 1e-3)
}

fn depth(one: &Placed<'_>, other: &Placed<'_>) -> f32 {
    let shapes = (&*one.solid.solid.shape, &*other.solid.solid.shape);
    let contact = query::contact(&one.pose, shapes.0, &other.pose, shapes.1, 0.0);
    contact.ok().flatten().map_or(0.0, |contact| -contact.dist)
}

fn inside(layout: &Layout, &(one, other, depth): &(usize, usize, f32)) -> Diagnostic {
    let body = |body_index: usize| layout.bodies.get(body_index);
    let robot = |body_index: usize| body(body_index).and_then(|body| body.robot.clone());
    let of = |body_index: usize| match robot(body_index) {
        Some(robot) => format!("the robot `{}`", printable(&robot)),
        None => format!(
            "`{}`",
            body(body_index).map_or_else(String::new, |body| name(layout, body.head))
        ),
    };
    let (one, other) = if robot(one).is_some() {
        (one, other)
    } else {
        (other, one)
    };
    let message = format!("{} starts inside of {}", of(one), of(other));
    let depth = (f64::from(depth) * 100.0).round() / 100.0;
    Diagnostic::warning("scene::start-inside", message)
        .note(format!(
            "they overlap by {depth} m: the contact forces push them apart at the start"
        ))
        .help("move one of them, for example with the robot's `at`")
}
