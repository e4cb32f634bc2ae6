//! Writer of scenes as text, without loss: reading the text gives an equal scene.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use morse_scene::model::{Frame, Geometry, Joint, Scene, SceneError, Shape, Value};

use super::lexer::{Kind, Lexer};

/// Writes a scene as `.robray` text: classes, then frames, then allowed pairs, each in its order.
///
/// # Errors
///
/// Returns the errors of [`Scene::check`]: the text could not be read again.
pub fn write(scene: &Scene) -> Result<String, SceneError> {
    scene.check()?;
    let known = Known::of(scene);
    let mut geometry = scene.frames().iter().flat_map(|frame| &frame.geometry);
    // A class that is defined after its use adds its name, but no attributes. Therefore any tags can be written, even if
    // they contradict the attributes of their classes.
    let classes_first = geometry.all(|geometry| known.inherited(geometry).is_some());
    let mut text = String::new();
    if classes_first {
        classes(&mut text, scene);
    }
    let known = if classes_first {
        known
    } else {
        Known::default()
    };
    for item in scene.frames() {
        frame(&mut text, item, &known);
    }
    if !classes_first {
        classes(&mut text, scene);
    }
    for (one, other) in scene.allowed_collisions() {
        line(
            &mut text,
            0,
            &format!("allow_collision {} {};", quoted(one), quoted(other)),
        );
    }
    for closure in scene.closures() {
        let [one, other] = [0, 1].map(|index| quoted(&closure.frames[index]));
        let word = closure.kind.word();
        line(&mut text, 0, &format!("{word} {one} {other};"));
    }
    Ok(text)
}

type Attributes = BTreeMap<String, Value>;

/// Attributes and tags of each class, including inherited ones, resolved as the reader does.
#[derive(Default)]
struct Known<'a> {
    classes: BTreeMap<&'a str, (Attributes, BTreeSet<&'a str>)>,
}

impl<'a> Known<'a> {
    fn of(scene: &'a Scene) -> Self {
        let mut known = Self::default();
        for class in scene.classes() {
            let mut attributes = class.attributes.clone();
            let isa: Vec<&str> = class.isa.iter().map(String::as_str).collect();
            let mut tags = known.merge(&mut attributes, &isa);
            tags.insert(&class.name);
            known.classes.insert(&class.name, (attributes, tags));
        }
        known
    }

    /// Adds missing attributes of base classes, the last class first; returns the names of all of them.
    fn merge(&self, attributes: &mut Attributes, isa: &[&'a str]) -> BTreeSet<&'a str> {
        let mut tags = BTreeSet::new();
        for name in isa.iter().rev() {
            tags.insert(*name);
            if let Some((given, names)) = self.classes.get(name) {
                tags.extend(names);
                for (name, value) in given {
                    attributes
                        .entry(name.clone())
                        .or_insert_with(|| value.clone());
                }
            }
        }
        tags
    }

    /// Returns a minimal list of base classes that give a geometry its tags, with the attributes that they add, or `None` if
    /// they would add attributes that the geometry lacks.
    fn inherited<'g>(&'g self, geometry: &'g Geometry) -> Option<(Vec<&'g str>, Attributes)>
    where
        'a: 'g,
    {
        let reach = |tag: &&str| self.classes.get(*tag).map_or(1, |(_, tags)| tags.len());
        let mut tags: Vec<&str> = geometry.tags.iter().map(String::as_str).collect();
        tags.sort_by_key(|tag| std::cmp::Reverse(reach(tag)));
        let mut covered: BTreeSet<&str> = BTreeSet::new();
        let mut isa = Vec::new();
        for tag in tags {
            if covered.insert(tag) {
                isa.push(tag);
                let more = self.classes.get(tag).into_iter();
                covered.extend(more.flat_map(|(_, tags)| tags.iter().copied()));
            }
        }
        isa.sort_unstable();
        let mut attributes = Attributes::new();
        let known: &Known<'g> = self;
        known.merge(&mut attributes, &isa);
        let unwanted =
            |name: &str, own: Option<f64>| own.is_none() && attributes.contains_key(name);
        let too_much = covered.len() > geometry.tags.len()
            || attributes.contains_key("parent")
            || unwanted("friction", geometry.friction)
            || unwanted("restitution", geometry.restitution)
            || unwanted("density", geometry.density)
            || unwanted("shininess", geometry.shininess)
            || unwanted("pattern_size", geometry.pattern_size)
            || geometry.image.is_none() && attributes.contains_key("image")
            || geometry.checker.is_none() && attributes.contains_key("checker");
        (!too_much).then_some((isa, attributes))
    }
}

fn classes(text: &mut String, scene: &Scene) {
    for class in scene.classes() {
        let name = name(&class.name);
        if class.isa.is_empty() && class.attributes.is_empty() {
            line(text, 0, &format!("class {name} {{}}"));
            continue;
        }
        line(text, 0, &format!("class {name} {{"));
        for parent in &class.isa {
            attribute(text, 1, "isa", &Value::Name(parent.clone()));
        }
        for (name, value) in &class.attributes {
            attribute(text, 1, name, value);
        }
        line(text, 0, "}");
    }
}

fn frame(text: &mut String, frame: &Frame, known: &Known<'_>) {
    let attributes = frame_attributes(frame);
    let name = name(&frame.name);
    if attributes.is_empty() && frame.geometry.is_empty() {
        line(text, 0, &format!("frame {name} {{}}"));
        return;
    }
    line(text, 0, &format!("frame {name} {{"));
    for (name, value) in &attributes {
        attribute(text, 1, name, value);
    }
    for item in &frame.geometry {
        geometry(text, item, known);
    }
    line(text, 0, "}");
}

fn frame_attributes(frame: &Frame) -> Vec<(&'static str, Value)> {
    let mut attributes = Vec::new();
    if let Some(parent) = &frame.parent {
        attributes.push(("parent", Value::Name(parent.clone())));
    }
    let translation = frame.pose.translation.vector;
    if translation.amax() > 0.0 {
        attributes.push(("translation", numbers(translation.iter())));
    }
    let rotation = frame.pose.rotation.coords;
    if rotation.xyz().amax() > 0.0 {
        attributes.push(("quaternion", numbers(rotation.iter())));
    }
    joint_attributes(&mut attributes, frame);
    if let Some(mass) = frame.mass {
        attributes.push(("mass", Value::Number(mass)));
    }
    if let Some(center) = &frame.center_of_mass {
        attributes.push(("center_of_mass", numbers(center.iter())));
    }
    if let Some(inertia) = &frame.inertia {
        attributes.push(("inertia", numbers(inertia)));
    }
    attributes
}

fn joint_attributes(attributes: &mut Vec<(&'static str, Value)>, frame: &Frame) {
    if frame.joint != Joint::Fixed {
        attributes.push(("type", Value::Name(frame.joint.word().into())));
    }
    let Some(joint) = frame.joint.axis() else {
        return;
    };
    attributes.push(("axis", numbers(joint.axis.iter())));
    if joint.variable != frame.name {
        attributes.push(("variable", Value::Name(joint.variable.clone())));
    }
    if joint.offset != 0.0 {
        attributes.push(("offset", Value::Number(joint.offset)));
    }
    if let Some(position) = &joint.limits.position {
        attributes.push(("limit_position", numbers(position)));
    }
    let rest = [
        ("limit_velocity", joint.limits.velocity),
        ("limit_effort", joint.limits.effort),
        ("damping", joint.damping),
        ("dry_friction", joint.dry_friction),
        ("armature", joint.armature),
        ("gear", joint.gear),
        ("ratio", joint.ratio),
    ];
    for (name, value) in rest {
        attributes.extend(value.map(|value| (name, Value::Number(value))));
    }
}

fn geometry(text: &mut String, geometry: &Geometry, known: &Known<'_>) {
    let (isa, inherited) = known.inherited(geometry).unwrap_or_default();
    line(text, 1, "geometry {");
    for class in isa {
        attribute(text, 2, "isa", &Value::Name(class.into()));
    }
    let mut own = Vec::new();
    shape_attributes(&mut own, &geometry.shape, &inherited);
    looks(&mut own, geometry);
    for (name, value, default) in own {
        if inherited.get(name).or(default.as_ref()) != Some(&value) {
            attribute(text, 2, name, &value);
        }
    }
    line(text, 1, "}");
}

/// Name and value of an attribute, and the default that an absent attribute has.
type Own = (&'static str, Value, Option<Value>);

fn shape_attributes(own: &mut Vec<Own>, shape: &Shape, inherited: &Attributes) {
    let word = Value::Name(shape.word().into());
    let mut size = |name, value| own.push((name, value, None));
    if !matches!(shape, Shape::Mesh(_)) || inherited.contains_key("shape") {
        size("shape", word);
    }
    match shape {
        Shape::Box { dimension } => size("dimension", numbers(dimension)),
        Shape::Sphere { radius } => size("radius", Value::Number(*radius)),
        Shape::Cylinder { radius, height } | Shape::Capsule { radius, height } => {
            size("radius", Value::Number(*radius));
            size("height", Value::Number(*height));
        }
        Shape::Cone {
            start_radius,
            end_radius,
            height,
        } => {
            size("start_radius", Value::Number(*start_radius));
            size("end_radius", Value::Number(*end_radius));
            size("height", Value::Number(*height));
        }
        Shape::Grid {
            dimension,
            delta,
            thickness,
        } => {
            size("dimension", numbers(dimension));
            size("delta", numbers(delta));
            size("thickness", Value::Number(*thickness));
        }
        Shape::Mesh(mesh) => size("mesh", Value::Name(mesh.file.clone())),
    }
}

fn looks(own: &mut Vec<Own>, geometry: &Geometry) {
    let number = |value| Some(Value::Number(value));
    let flag = |value| Value::Number(f64::from(u8::from(value)));
    let usual = Geometry::new(geometry.shape.clone());
    own.extend([
        (
            "color",
            numbers(&geometry.color),
            Some(numbers(&usual.color)),
        ),
        ("alpha", Value::Number(geometry.alpha), number(usual.alpha)),
        (
            "specular",
            numbers(&geometry.specular),
            Some(numbers(&usual.specular)),
        ),
        ("scale", Value::Number(geometry.scale), number(usual.scale)),
        ("visual", flag(geometry.visual), Some(flag(true))),
        ("collision", flag(geometry.collision), Some(flag(true))),
        ("no-shadow", flag(geometry.no_shadow), Some(flag(false))),
    ]);
    let material = [
        ("friction", geometry.friction),
        ("restitution", geometry.restitution),
        ("density", geometry.density),
        ("convex_parts", geometry.convex_parts),
        ("shininess", geometry.shininess),
        ("pattern_size", geometry.pattern_size),
    ];
    for (name, value) in material {
        own.extend(value.map(|value| (name, Value::Number(value), None)));
    }
    let image = geometry.image.as_ref();
    let image = image.map(|image| ("image", Value::Name(image.file.clone()), None));
    let checker = geometry.checker.as_ref();
    let checker = checker.map(|color| ("checker", numbers(color), None));
    own.extend(image.into_iter().chain(checker));
}

fn numbers<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> Value {
    Value::Numbers(numbers.into_iter().copied().collect())
}

fn attribute(text: &mut String, depth: usize, attribute: &str, value: &Value) {
    let value = match value {
        Value::Number(number) => shortest(*number),
        Value::Numbers(numbers) => {
            let numbers: Vec<String> = numbers.iter().copied().map(shortest).collect();
            format!("[{}]", numbers.join(", "))
        }
        // Paths are written in quotes, keywords without.
        Value::Name(path) if ["mesh", "image"].contains(&attribute) => quoted(path),
        Value::Name(word) => name(word),
    };
    line(text, depth, &format!("{attribute} {value};"));
}

/// Returns the shortest text that parses to this number.
fn shortest(number: f64) -> String {
    if number != 0.0 && !(1e-5..1e15).contains(&number.abs()) {
        format!("{number:e}")
    } else {
        format!("{number}")
    }
}

/// Returns a name, in quotes if it requires them.
fn name(name: &str) -> String {
    let mut lexer = Lexer::new(name);
    let token = lexer.next();
    if token.kind == Kind::Identifier && token.start == 0 && token.end == name.len() {
        name.to_owned()
    } else {
        quoted(name)
    }
}

fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

fn line(text: &mut String, depth: usize, content: &str) {
    // Writing to a string cannot fail.
    let _unfailing = writeln!(text, "{:1$}{content}", "", depth * 2);
}
