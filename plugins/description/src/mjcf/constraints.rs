//! Sections `<equality>` and `<contact>`.
use std::collections::{BTreeMap, BTreeSet};

use morse_diagnostics::{Diagnostic, printable};
use morse_scene::model::{ClosureKind, Frame, LoopClosure, Origin, Scene};
use nalgebra::{Isometry3, Point3};

use super::{
    codes,
    compiler::{Compiler, shift},
    defaults::{Classes, MAIN},
    geom::is_true,
    item::Item,
    joint::Coupling,
    values,
};
use crate::{
    problems::Problems,
    xml::{Attribute, Element},
};

/// Least magnitude of the ratio of coupled joints.
const SMALLEST_RATIO: f64 = 1e-6;

const SOLVER: &[&str] = &["solref", "solimp"];

fn of<'a>(root: &'a Element, section: &'a str) -> impl Iterator<Item = &'a Element> {
    root.named(section).flat_map(Element::elements)
}

/// Returns true if a constraint is not switched off.
fn is_active(item: &Item<'_, '_>, problems: &mut Problems) -> bool {
    item.attribute("active").is_none() || is_true(item, "active", problems)
}

/// Returns the joints that follow others, by their names.
pub(super) fn couplings<'a>(
    root: &'a Element,
    (classes, compiler): (&Classes<'a>, &Compiler),
    problems: &mut Problems,
) -> BTreeMap<String, Coupling> {
    let mut couplings = BTreeMap::new();
    for element in of(root, "equality").filter(|element| element.name == "joint") {
        let known = (&["joint1", "joint2", "polycoef", "active"][..], SOLVER);
        let item = Item::new((element, "equality"), MAIN, classes, known, problems);
        if !is_active(&item, problems) {
            continue;
        }
        let Some(follower) = item.needed("joint1", "left", problems) else {
            continue;
        };
        let coefficients = item.numbers("polycoef", 1..=5, problems);
        let coefficients = coefficients.unwrap_or_else(|| vec![0.0, 1.0]);
        let at = |index: usize| coefficients.get(index).copied().unwrap_or(0.0);
        let is_linear = (2..5).all(|index| at(index) == 0.0);
        let leader = item
            .text("joint2")
            .filter(|_| is_linear && at(1).abs() > SMALLEST_RATIO);
        let Some(leader) = leader else {
            let message = "this coupling of joints is not read";
            let problem = Diagnostic::warning(codes::NOT_TAKEN, message)
                .at(element.span, "only `a0 + a1 · joint2` with a1 ≠ 0 is");
            problems.push(problem.help("hold the joint by a motor in the simulation file"));
            continue;
        };
        let coupling = Coupling {
            leader: leader.to_owned(),
            constant: at(0) - at(1) * start_of(root, leader, (classes, compiler), problems),
            ratio: at(1),
        };
        couplings.insert(follower.value.clone(), coupling);
    }
    couplings
}

/// Returns the value of a joint's variable at the start (`ref`), rad or m; zero for a joint that does not exist.
fn start_of<'a>(
    root: &'a Element,
    name: &str,
    (classes, compiler): (&Classes<'a>, &Compiler),
    problems: &mut Problems,
) -> f64 {
    let Some((joint, childclass)) = find(root, name, MAIN) else {
        return 0.0;
    };
    let attribute = |name| classes.attribute(joint, "joint", childclass, name);
    let is_slide = attribute("type").is_some_and(|kind| kind.value == "slide");
    let start = attribute("ref").and_then(|start| values::number(start, problems));
    let unit = if is_slide { 1.0 } else { compiler.angle };
    unit * start.unwrap_or(0.0)
}

/// Returns the joint with a name, and the default class of its body.
fn find<'a>(
    element: &'a Element,
    name: &str,
    childclass: &'a str,
) -> Option<(&'a Element, &'a str)> {
    element
        .elements()
        .find_map(|child| match child.name.as_str() {
            "joint" if child.attribute("name").is_some_and(|own| own.value == name) => {
                Some((child, childclass))
            }
            "worldbody" | "body" | "frame" => {
                let own = child.attribute("childclass");
                find(child, name, own.map_or(childclass, |own| &own.value))
            }
            _ => None,
        })
}

/// Bodies of the scene, by their names.
pub(super) struct Bodies<'b> {
    /// Pose of each body in the world at the start.
    pub(super) poses: &'b BTreeMap<String, Isometry3<f64>>,
    pub(super) sites: &'b BTreeSet<String>,
}

impl Bodies<'_> {
    fn check(&self, attribute: &Attribute, problems: &mut Problems) -> bool {
        let name = attribute.value.as_str();
        let is_known = self.poses.contains_key(name) || name == "world";
        if !is_known {
            let message = format!("there is no body `{}`", printable(name));
            let problem = Diagnostic::error(codes::UNKNOWN_NAME, message)
                .at(attribute.value_span, "this body")
                .suggest(name, self.poses.keys().map(String::as_str));
            problems.push(match problem.help.is_empty() {
                true => problem.help("name a `<body>` of the model"),
                false => problem,
            });
        }
        is_known
    }

    fn pose(&self, body: &str) -> Isometry3<f64> {
        self.poses.get(body).copied().unwrap_or_default()
    }
}

/// Adds the loop closures `connect` and `weld`.
pub(super) fn close<'a>(
    root: &'a Element,
    (classes, compiler): (&Classes<'a>, &Compiler),
    bodies: &Bodies<'_>,
    scene: &mut Scene,
    problems: &mut Problems,
) {
    for (number, element) in of(root, "equality").enumerate() {
        let kind = match element.name.as_str() {
            "connect" => ClosureKind::Connect,
            "weld" => ClosureKind::Weld,
            _ => continue,
        };
        let known = [
            "body1", "body2", "anchor", "relpose", "site1", "site2", "active",
        ];
        let without = ["solref", "solimp", "torquescale"];
        let item = Item::new(
            (element, "equality"),
            MAIN,
            classes,
            (&known, &without),
            problems,
        );
        if !is_active(&item, problems) {
            continue;
        }
        let frames = match (item.attribute("site1"), item.attribute("site2")) {
            (Some(one), Some(other)) => of_sites([one, other], bodies, problems),
            _ => of_bodies(&item, (kind, number), compiler, bodies, (scene, problems)),
        };
        if let Some(frames) = frames {
            scene.add_closure(LoopClosure {
                kind,
                frames,
                source: Origin(Some(element.span)),
            });
        }
    }
}

/// Returns the frames of two sites.
fn of_sites(
    sites: [&Attribute; 2],
    bodies: &Bodies<'_>,
    problems: &mut Problems,
) -> Option<[String; 2]> {
    let mut all = sites.into_iter();
    if let Some(missing) = all.find(|site| !bodies.sites.contains(&site.value)) {
        let message = format!("there is no site `{}`", printable(&missing.value));
        let problem = Diagnostic::error(codes::UNKNOWN_NAME, message)
            .at(missing.value_span, "this site")
            .suggest(&missing.value, bodies.sites.iter().map(String::as_str));
        problems.push(match problem.help.is_empty() {
            true => problem.help("name a `<site>` of the model"),
            false => problem,
        });
        return None;
    }
    Some(sites.map(|site| site.value.clone()))
}

/// Adds the frames of a constraint of two bodies, and returns their names.
fn of_bodies(
    item: &Item<'_, '_>,
    (kind, number): (ClosureKind, usize),
    compiler: &Compiler,
    bodies: &Bodies<'_>,
    (scene, problems): (&mut Scene, &mut Problems),
) -> Option<[String; 2]> {
    let one = item.needed("body1", "hand", problems)?;
    let other = item.attribute("body2");
    let mut named = [Some(one), other].into_iter().flatten();
    if !named.all(|body| bodies.check(body, problems)) {
        return None;
    }
    let names = (&*one.value, other.map(|body| body.value.as_str()));
    let ends = ends(item, kind, names, bodies, compiler, problems);
    let mut letters = ["a", "b"].into_iter();
    let frames = ends.map(|(body, pose)| {
        let letter = letters.next().unwrap_or_default();
        let name = match item.text("name") {
            Some(name) => format!("{name}-{letter}"),
            None => format!("equality-{number}-{letter}"),
        };
        let mut frame = Frame::new(name.as_str());
        frame.mass = body.is_some().then_some(0.0);
        frame.parent = body;
        frame.pose = pose;
        frame.source = Origin(Some(item.span()));
        if let Err(error) = scene.add_frame(frame) {
            let problem = Diagnostic::error(codes::DUPLICATE_NAME, error.to_string());
            let problem = problem.at(item.span(), "a frame of this constraint");
            problems.push(problem.help("give the constraint another name"));
        }
        name
    });
    Some(frames)
}

/// Returns the two ends of a constraint: body and pose on it. Those on the world have no body.
fn ends(
    item: &Item<'_, '_>,
    kind: ClosureKind,
    (one, other): (&str, Option<&str>),
    bodies: &Bodies<'_>,
    compiler: &Compiler,
    problems: &mut Problems,
) -> [(Option<String>, Isometry3<f64>); 2] {
    let name = |body: &str| Some(body.to_owned()).filter(|body| body != "world");
    let anchor = item.vector("anchor", problems).unwrap_or_default();
    let (first, second) = (bodies.pose(one), bodies.pose(other.unwrap_or("world")));
    let other_name = other.and_then(name);
    match kind {
        ClosureKind::Connect => {
            // The anchor is in the first body; the second end is where it is at the start.
            let there = second.inverse() * (first * Point3::from(anchor));
            [
                (name(one), shift(anchor)),
                (other_name, shift(there.coords)),
            ]
        }
        ClosureKind::Weld => {
            let relative = item.numbers("relpose", 7..=7, problems);
            let rotation = relative
                .as_ref()
                .and_then(|numbers| compiler.rotation("quat", numbers.get(3..)?));
            // A quaternion of zeros stands for the pose at the start.
            let relative = match (relative, rotation) {
                (Some(numbers), Some(rotation)) => {
                    let place = nalgebra::Translation3::new(numbers[0], numbers[1], numbers[2]);
                    Isometry3::from_parts(place, rotation)
                }
                _ => first.inverse() * second,
            };
            [
                (name(one), relative * shift(anchor)),
                (other_name, shift(anchor)),
            ]
        }
    }
}

/// Returns the pairs of bodies that do not collide.
pub(super) fn excluded(
    root: &Element,
    bodies: &Bodies<'_>,
    problems: &mut Problems,
) -> BTreeSet<(String, String)> {
    let mut pairs = BTreeSet::new();
    for element in of(root, "contact").filter(|element| element.name == "exclude") {
        let ends = ["body1", "body2"].map(|name| element.attribute(name));
        let [Some(one), Some(other)] = ends else {
            let message = "`<exclude>` needs `body1` and `body2`";
            let problem = Diagnostic::error(codes::MISSING_ATTRIBUTE, message)
                .at(element.span, "one is missing");
            problems.push(problem.help("for example `<exclude body1=\"arm\" body2=\"hand\"/>`"));
            continue;
        };
        if [one, other]
            .into_iter()
            .all(|body| bodies.check(body, problems))
        {
            let (one, other) = (one.value.clone(), other.value.clone());
            pairs.insert((one.clone().min(other.clone()), one.max(other)));
        }
    }
    pairs
}
