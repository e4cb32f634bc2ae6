//! Validation of links and joints as a tree: unique names, one root, and a leader for each mimic joint.

use std::collections::{BTreeMap, BTreeSet};

use morse_diagnostics::{Diagnostic, printable};

use super::{
    codes,
    robot::{Joint, Kind, Link, Name, Robot},
};
use crate::problems::Problems;

/// Maximum number of names in a message.
const MOST_LISTED: usize = 8;

/// A robot whose links form a tree.
pub(super) struct Tree<'r> {
    /// Links in topological order, parents before children and otherwise in the order of the file; each with its parent
    /// joint.
    pub(super) links: Vec<(&'r Link, Option<&'r Joint>)>,
    /// Mimic joints, by name.
    pub(super) followers: BTreeMap<&'r str, Follower<'r>>,
}

/// A mimic joint: its position is `multiplier` times the leader's position plus `offset`.
#[derive(Clone, Copy)]
pub(super) struct Follower<'r> {
    pub(super) leader: &'r Joint,
    pub(super) multiplier: f64,
    pub(super) offset: f64,
}

/// Builds the tree of a robot. Returns `None` after an error, which is reported.
pub(super) fn tree<'r>(robot: &'r Robot, problems: &mut Problems) -> Option<Tree<'r>> {
    let links = unique(
        robot.links.iter().map(|link| (&link.name, link)),
        ("link", codes::DUPLICATE_LINK),
        problems,
    );
    let joints = unique(
        robot.joints.iter().map(|joint| (&joint.name, joint)),
        ("joint", codes::DUPLICATE_JOINT),
        problems,
    );
    if robot.links.is_empty() {
        let diagnostic = Diagnostic::error(codes::NO_LINKS, "this robot has no links")
            .at(robot.span, "nothing in it")
            .help("the smallest robot is one link: `<link name=\"base\"/>`");
        problems.push(diagnostic);
        return None;
    }
    let above = above(robot, &links, problems);
    let followers = followers(robot, &joints, problems);
    let order = order(robot, &above, problems);
    if problems.any_error() {
        return None;
    }
    let links = order.into_iter();
    Some(Tree {
        links: links
            .map(|link| (link, above.get(link.name.text.as_str()).copied()))
            .collect(),
        followers,
    })
}

/// Returns the elements by name; reports a repeated name as an error.
fn unique<'r, T>(
    all: impl Iterator<Item = (&'r Name, &'r T)>,
    (what, code): (&str, &'static str),
    problems: &mut Problems,
) -> BTreeMap<&'r str, &'r T> {
    let mut known: BTreeMap<&str, (&Name, &T)> = BTreeMap::new();
    for (name, one) in all {
        if let Some((first, _)) = known.get(name.text.as_str()) {
            let message = format!("there are two {what}s `{}`", printable(&name.text));
            let diagnostic = Diagnostic::error(code, message)
                .at(name.span, "again")
                .at(first.span, "first here")
                .help("rename one of them");
            problems.push(diagnostic);
        } else {
            known.insert(&name.text, (name, one));
        }
    }
    known
        .into_iter()
        .map(|(name, (_, one))| (name, one))
        .collect()
}

/// Returns the parent joint of each link.
fn above<'r>(
    robot: &'r Robot,
    links: &BTreeMap<&'r str, &'r Link>,
    problems: &mut Problems,
) -> BTreeMap<&'r str, &'r Joint> {
    let mut above: BTreeMap<&str, &Joint> = BTreeMap::new();
    for joint in &robot.joints {
        for end in [&joint.parent, &joint.child] {
            if !links.contains_key(end.text.as_str()) {
                let shown = printable(&end.text);
                let message = format!("there is no link `{shown}`");
                let diagnostic = Diagnostic::error(codes::UNKNOWN_LINK, message)
                    .at(end.span, "unknown link")
                    .suggest(&end.text, links.keys().copied());
                problems.push(match diagnostic.help.is_empty() {
                    true => diagnostic.help(format!("add it: `<link name=\"{shown}\"/>`")),
                    false => diagnostic,
                });
            }
        }
        match above.get(joint.child.text.as_str()) {
            Some(first) => {
                let child = printable(&joint.child.text);
                let message = format!("the link `{child}` has two parents");
                let diagnostic = Diagnostic::error(codes::TWO_PARENTS, message)
                    .at(joint.child.span, "this is the second one")
                    .at(first.child.span, "first here")
                    .note("links form a tree: loops cannot be described")
                    .help("remove one of the joints");
                problems.push(diagnostic);
            }
            None => {
                above.insert(&joint.child.text, joint);
            }
        }
    }
    above
}

/// Returns all links in topological order, children in the order of their joints.
fn order<'r>(
    robot: &'r Robot,
    above: &BTreeMap<&'r str, &'r Joint>,
    problems: &mut Problems,
) -> Vec<&'r Link> {
    let mut below: BTreeMap<&str, Vec<&Link>> = BTreeMap::new();
    let mut roots = Vec::new();
    let mut jointed: BTreeMap<&str, &Link> = BTreeMap::new();
    for link in &robot.links {
        match above.get(link.name.text.as_str()) {
            Some(_) => drop(jointed.insert(&link.name.text, link)),
            None => roots.push(link),
        }
    }
    // In the order of the joints, on which other programs rely.
    for joint in &robot.joints {
        if let Some(link) = jointed.remove(joint.child.text.as_str()) {
            below.entry(&joint.parent.text).or_default().push(link);
        }
    }
    if let [first, second, ..] = roots.as_slice()
        // Unknown links have been reported.
        && !problems.any_error()
    {
        let names = roots.iter().map(|root| printable(&root.name.text));
        let mut names: Vec<String> = names.collect();
        if names.len() > MOST_LISTED {
            names.truncate(MOST_LISTED);
            names.push("…".to_owned());
        }
        let message = format!("{} links have no parent", roots.len());
        let diagnostic = Diagnostic::error(codes::TWO_ROOTS, message)
            .at(second.name.span, "no joint leads here")
            .at(first.name.span, "nor here")
            .note(format!("a robot has one root; here are: {}", names.join(", ")))
            .help(format!(
                "join it to the others: `<joint name=\"j\" type=\"fixed\"><parent link=\"{}\"/><child link=\"{}\"/></joint>`",
                printable(&first.name.text), printable(&second.name.text)
            ));
        problems.push(diagnostic);
    }
    let mut order = Vec::new();
    let mut pending: Vec<&Link> = roots.into_iter().rev().collect();
    let mut seen = BTreeSet::new();
    while let Some(link) = pending.pop() {
        if seen.insert(link.name.text.as_str()) {
            order.push(link);
            let children = below.get(link.name.text.as_str()).into_iter().flatten();
            pending.extend(children.rev());
        }
    }
    let left = robot.links.iter();
    let mut left = left.filter(|link| !seen.contains(link.name.text.as_str()));
    if let Some(first) = left.next()
        && !problems.any_error()
    {
        problems.push(circle(first, above));
    }
    order
}

/// Returns the error for a cycle that contains a link.
fn circle(link: &Link, above: &BTreeMap<&str, &Joint>) -> Diagnostic {
    let mut names = vec![link.name.text.as_str()];
    let mut at = link.name.text.as_str();
    while let Some(joint) = above.get(at) {
        at = &joint.parent.text;
        if let Some(start) = names.iter().position(|name| *name == at) {
            names.drain(..start);
            names.push(at);
            break;
        }
        names.push(at);
    }
    let mut shown: Vec<String> = names.iter().map(|name| printable(name)).collect();
    if shown.len() > MOST_LISTED + 1 {
        shown.splice(4..shown.len() - 4, ["…".to_owned()]);
    }
    let first = above.get(names.first().copied().unwrap_or_default());
    let span = first.map_or(link.name.span, |joint| joint.parent.span);
    Diagnostic::error(codes::CYCLE, "the parents of these links form a cycle")
        .at(span, "closes the cycle")
        .note(format!(
            "each is a child of the next: {}",
            shown.join(" → ")
        ))
        .help("give one of them another parent")
}

/// Resolves the leaders of all mimic joints, including chains of mimic joints.
fn followers<'r>(
    robot: &'r Robot,
    joints: &BTreeMap<&'r str, &'r Joint>,
    problems: &mut Problems,
) -> BTreeMap<&'r str, Follower<'r>> {
    let mut followers = BTreeMap::new();
    for joint in &robot.joints {
        let mut follower = Follower {
            leader: joint,
            multiplier: 1.0,
            offset: 0.0,
        };
        let mut visited = BTreeSet::from([joint.name.text.as_str()]);
        let mut is_sound = joint.mimic.is_some();
        while let Some(mimic) = &follower.leader.mimic {
            let Some(leader) = joints.get(mimic.joint.text.as_str()) else {
                is_sound = false;
                if std::ptr::eq(follower.leader, joint) {
                    problems.push(unknown_leader(&mimic.joint, joints));
                }
                break;
            };
            if !visited.insert(&leader.name.text) {
                is_sound = false;
                let names: Vec<String> = visited.iter().map(|name| printable(name)).collect();
                let diagnostic =
                    Diagnostic::error(codes::MIMIC_CYCLE, "these joints mimic each other")
                        .at(mimic.joint.span, "closes the cycle")
                        .note(names.join(", "))
                        .help("let one of them be free: remove its `<mimic>`");
                // Only one joint of a cycle reports it.
                if visited.first() == Some(&joint.name.text.as_str()) {
                    problems.push(diagnostic);
                }
                break;
            }
            follower = Follower {
                leader,
                multiplier: follower.multiplier * mimic.multiplier,
                offset: follower.offset + follower.multiplier * mimic.offset,
            };
        }
        if is_sound && follower.leader.kind.has_axis() {
            followers.insert(joint.name.text.as_str(), follower);
        } else if is_sound {
            problems.push(leader_without_axis(joint, follower.leader));
        }
    }
    followers
}

fn unknown_leader(name: &Name, joints: &BTreeMap<&str, &Joint>) -> Diagnostic {
    let message = format!("there is no joint `{}` to mimic", printable(&name.text));
    let moving = joints.iter().filter(|(_, joint)| joint.kind.has_axis());
    let diagnostic = Diagnostic::warning(codes::UNKNOWN_MIMIC, message)
        .at(name.span, "unknown joint")
        .note("it moves by itself")
        .suggest(&name.text, moving.map(|(name, _)| *name));
    match diagnostic.help.is_empty() {
        true => diagnostic.help("name a joint of this robot, or remove `<mimic>`"),
        false => diagnostic,
    }
}

fn leader_without_axis(joint: &Joint, leader: &Joint) -> Diagnostic {
    let span = joint
        .mimic
        .as_ref()
        .map_or(joint.name.span, |mimic| mimic.joint.span);
    let kind = Kind::ALL.iter().find(|(_, kind)| *kind == leader.kind);
    let message = format!(
        "`{}` cannot be mimicked: it is {}",
        printable(&leader.name.text),
        kind.map_or("fixed", |(word, _)| word)
    );
    Diagnostic::error(codes::UNKNOWN_MIMIC, message)
        .at(span, "has no position")
        .help("mimic a revolute, continuous or prismatic joint, or remove `<mimic>`")
}
