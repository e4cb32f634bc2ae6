//! MJCF: bodies inside each other, with their joints and geoms.
use morse_scene::model::{ClosureKind, DEFAULT_FRICTION, Geometry, Shape};
use nalgebra::Isometry3;

use super::{
    CLOSURE_OF_MERGED, Context,
    links::{Axis, Links, Motion},
    markup::{Markup, number, numbers, six},
};

/// Mesh formats that MuJoCo reads.
const MESHES: [&str; 2] = ["stl", "obj"];

/// Mass (kg) and moments of inertia (kg·m²) of moving bodies without a mass, which MuJoCo refuses.
const LEAST: [f64; 2] = [1e-6, 1e-9];

/// Coefficients of torsional and rolling friction: MuJoCo's defaults.
const OTHER_FRICTION: &str = "0.005 0.0001";

/// Names and scales of the meshes of a model.
type Meshes = Vec<(String, [f64; 3])>;

/// Returns the text of a model.
pub(super) fn text(links: &Links<'_>, context: &mut Context<'_>) -> String {
    let mut bodies = Bodies {
        links,
        meshes: Vec::new(),
        markup: Markup::default(),
    };
    for root in bodies_at_the_top(links) {
        bodies.write(root, context);
    }
    let mut markup = Markup::new();
    markup.open("mujoco", &[("model", context.name.to_owned())]);
    markup.empty(
        "compiler",
        &[
            ("angle", "radian".to_owned()),
            ("autolimits", "true".to_owned()),
            // Masses are those of `inertial` alone.
            ("inertiafromgeom", "false".to_owned()),
        ],
    );
    if !bodies.meshes.is_empty() {
        markup.open("asset", &[]);
        for (index, (file, scale)) in bodies.meshes.iter().enumerate() {
            markup.empty(
                "mesh",
                &[
                    ("name", mesh_name(index)),
                    ("file", file.clone()),
                    ("scale", numbers(scale)),
                ],
            );
        }
        markup.close();
    }
    markup.open("worldbody", &[]);
    markup.include(&bodies.markup.finish());
    markup.close();
    constraints(&mut markup, links, context);
    markup.finish()
}

/// Returns the links that are children of the world: roots, and floating ones, which MuJoCo has nowhere else.
fn bodies_at_the_top(links: &Links<'_>) -> Vec<usize> {
    let all = links.links.iter().enumerate();
    let top =
        all.filter(|(_, link)| link.parent.is_none() || matches!(link.motion, Motion::Floating));
    top.map(|(at, _)| at).collect()
}

fn mesh_name(index: usize) -> String {
    format!("mesh_{index}")
}

/// Writer of bodies.
struct Bodies<'a> {
    links: &'a Links<'a>,
    meshes: Meshes,
    markup: Markup,
}

impl Bodies<'_> {
    /// Writes a link with all below it. Descriptions may be deep chains, so that there is no recursion.
    fn write(&mut self, root: usize, context: &mut Context<'_>) {
        // A link to begin, or `None` to end the innermost one.
        let mut pending = vec![Some(root)];
        while let Some(next) = pending.pop() {
            let Some(at) = next else {
                self.markup.close();
                continue;
            };
            self.begin(at, context);
            pending.push(None);
            let children: Vec<usize> = self.links.children(Some(at)).collect();
            let children = children.into_iter().rev();
            let nested = children
                .filter(|child| !matches!(self.links.links[*child].motion, Motion::Floating));
            pending.extend(nested.map(Some));
        }
    }

    fn begin(&mut self, index: usize, context: &mut Context<'_>) {
        let link = &self.links.links[index];
        let name = &link.name;
        let pose = if matches!(link.motion, Motion::Floating) {
            self.pose_in_world(index)
        } else {
            link.pose
        };
        let mut attributes = vec![("name", name.clone())];
        attributes.extend(pose_attributes(&pose));
        self.markup.open("body", &attributes);
        match &link.motion {
            Motion::Fixed => {}
            Motion::Floating => self
                .markup
                .empty("freejoint", &[("name", link.joint.clone())]),
            Motion::Revolute(axis) => self.joint("hinge", &link.joint, axis, context),
            Motion::Prismatic(axis) => self.joint("slide", &link.joint, axis, context),
        }
        match &link.inertial {
            Some(inertial) => self.markup.empty(
                "inertial",
                &[
                    ("pos", numbers(inertial.center.iter())),
                    ("mass", number(inertial.mass)),
                    ("fullinertia", numbers(&six(&inertial.inertia))),
                ],
            ),
            None if self.links.is_weightless(index) => {
                context
                    .losses
                    .note("bodies that move without a mass get 1e-6 kg", name);
                self.markup.empty(
                    "inertial",
                    &[
                        ("pos", "0 0 0".to_owned()),
                        ("mass", number(LEAST[0])),
                        ("diaginertia", numbers(&[LEAST[1]; 3])),
                    ],
                );
            }
            None => {}
        }
        for (index, geometry) in &link.geometry {
            self.geom(index, geometry, name, context);
        }
    }

    /// Returns the pose of a link with all joints at zero.
    fn pose_in_world(&self, index: usize) -> Isometry3<f64> {
        let mut pose = Isometry3::identity();
        let mut next = Some(index);
        while let Some(link) = next.and_then(|index| self.links.links.get(index)) {
            pose = link.pose * pose;
            next = link.parent;
        }
        pose
    }

    fn joint(&mut self, kind: &str, name: &str, axis: &Axis, context: &mut Context<'_>) {
        let mut attributes = vec![
            ("name", name.to_owned()),
            ("type", kind.to_owned()),
            ("axis", numbers(axis.axis.iter())),
        ];
        attributes.extend(axis.limits.map(|limits| ("range", numbers(&limits))));
        let effort = axis.effort.map(|effort| numbers(&[-effort, effort]));
        attributes.extend(effort.map(|effort| ("actuatorfrcrange", effort)));
        let more = [
            ("damping", axis.damping),
            ("frictionloss", axis.friction),
            ("armature", axis.armature),
        ];
        attributes.extend(
            more.into_iter()
                .filter_map(|(name, value)| Some((name, number(value?)))),
        );
        if axis.velocity.is_some() {
            context
                .losses
                .note("MJCF has no limits of velocities", name);
        }
        self.markup.empty("joint", &attributes);
    }

    fn geom(
        &mut self,
        at: &Isometry3<f64>,
        geometry: &Geometry,
        frame: &str,
        context: &mut Context<'_>,
    ) {
        let Some((pose, mut attributes)) = self.shape(geometry, frame, context) else {
            return;
        };
        attributes.extend(pose_attributes(&(at * pose)));
        let [red, green, blue] = geometry.color;
        attributes.push(("rgba", numbers(&[red, green, blue, geometry.alpha])));
        if !geometry.collision {
            attributes.extend([("contype", "0".to_owned()), ("conaffinity", "0".to_owned())]);
            attributes.push(("group", "2".to_owned()));
        } else if !geometry.visual {
            // MuJoCo's viewer hides this group.
            attributes.push(("group", "3".to_owned()));
        }
        if geometry.collision {
            let friction = geometry.friction.unwrap_or(DEFAULT_FRICTION);
            attributes.push(("friction", format!("{} {OTHER_FRICTION}", number(friction))));
            if context.frictions_differ && geometry.friction.is_some() {
                let loss = "MuJoCo takes the greater friction of two surfaces, not their mean";
                context.losses.note(loss, frame);
            }
        }
        if geometry.restitution.is_some() {
            context
                .losses
                .note("MJCF has no coefficient of restitution", frame);
        }
        if geometry.image.is_some() || geometry.checker.is_some() {
            context
                .losses
                .note("images and patterns on surfaces are not written", frame);
        }
        self.markup.empty("geom", &attributes);
    }

    fn shape(
        &mut self,
        geometry: &Geometry,
        frame: &str,
        context: &mut Context<'_>,
    ) -> Option<(Isometry3<f64>, Vec<(&'static str, String)>)> {
        let shape = geometry
            .shape
            .scaled(geometry.scale, |mesh| Some(mesh.clone()))?;
        let here = Isometry3::identity();
        let kind = |name: &str| ("type", name.to_owned());
        let round = |name, radius: f64, height: f64| {
            let size = numbers(&[radius, height.abs() / 2.0]);
            let middle = Isometry3::translation(0.0, 0.0, height / 2.0);
            Some((middle, vec![kind(name), ("size", size)]))
        };
        match shape {
            Shape::Box { dimension } => {
                let half = dimension.map(|side| side / 2.0);
                Some((here, vec![kind("box"), ("size", numbers(&half))]))
            }
            Shape::Sphere { radius } => {
                Some((here, vec![kind("sphere"), ("size", number(radius))]))
            }
            Shape::Cylinder { radius, height } => round("cylinder", radius, height),
            Shape::Capsule { radius, height } => round("capsule", radius, height),
            Shape::Cone {
                start_radius,
                end_radius,
                height,
            } => {
                let file = context.cone(frame, [start_radius, end_radius], height)?;
                Some((here, self.mesh(file, [1.0; 3])))
            }
            Shape::Grid { .. } => {
                context.losses.note("MJCF has no grids of lines", frame);
                None
            }
            Shape::Mesh(mesh) => {
                let (file, factors) = context.mesh(frame, (&mesh, geometry.scale), &MESHES)?;
                Some((here, self.mesh(file, factors)))
            }
        }
    }

    /// Returns the attributes of a geom with a mesh.
    fn mesh(&mut self, file: String, scale: [f64; 3]) -> Vec<(&'static str, String)> {
        let wanted = (file, scale);
        let known = self.meshes.iter().position(|mesh| *mesh == wanted);
        let at = known.unwrap_or_else(|| {
            self.meshes.push(wanted);
            self.meshes.len() - 1
        });
        vec![("type", "mesh".to_owned()), ("mesh", mesh_name(at))]
    }
}

/// Returns the attributes of a pose.
fn pose_attributes(pose: &Isometry3<f64>) -> [(&'static str, String); 2] {
    let turn = pose.rotation.quaternion();
    [
        ("pos", numbers(pose.translation.vector.iter())),
        ("quat", numbers(&[turn.w, turn.i, turn.j, turn.k])),
    ]
}

/// Writes coupled joints, loop closures and pairs without contacts.
fn constraints(markup: &mut Markup, links: &Links<'_>, context: &mut Context<'_>) {
    let allowed = context.scene.allowed_collisions();
    let pairs = allowed
        .iter()
        .filter_map(|(one, other)| links.named([one, other]));
    let mut pairs = pairs.peekable();
    if pairs.peek().is_some() {
        markup.open("contact", &[]);
        for [one, other] in pairs {
            markup.empty("exclude", &[("body1", one), ("body2", other)]);
        }
        markup.close();
    }
    let axes = links.links.iter().filter_map(|link| match &link.motion {
        Motion::Revolute(axis) | Motion::Prismatic(axis) => {
            Some((&link.joint, axis.mimic.as_ref()?))
        }
        Motion::Fixed | Motion::Floating => None,
    });
    let mut followers = axes.peekable();
    let closures = context.scene.closures();
    if followers.peek().is_none() && closures.is_empty() {
        return;
    }
    markup.open("equality", &[]);
    for (joint, mimic) in followers {
        markup.empty(
            "joint",
            &[
                ("joint1", joint.clone()),
                ("joint2", mimic.joint.clone()),
                (
                    "polycoef",
                    numbers(&[mimic.offset, mimic.multiplier, 0.0, 0.0, 0.0]),
                ),
            ],
        );
    }
    for closure in closures {
        let [one, other] = &closure.frames;
        let Some([one, other]) = links.named([one, other]) else {
            context
                .losses
                .note(CLOSURE_OF_MERGED, &closure.frames.join(" to "));
            continue;
        };
        let (kind, attribute) = match closure.kind {
            ClosureKind::Connect => ("connect", ("anchor", "0 0 0")),
            ClosureKind::Weld => ("weld", ("relpose", "0 0 0 1 0 0 0")),
        };
        let attribute = (attribute.0, attribute.1.to_owned());
        markup.empty(kind, &[("body1", one), ("body2", other), attribute]);
    }
    markup.close();
}
