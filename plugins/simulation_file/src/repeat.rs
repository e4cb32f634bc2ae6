//! Repeated robots: reader of `repeat`, and names and poses of the copies.

use morse_scene::model::rotation_from_rpy;
use nalgebra::{Isometry3, Translation3};

use super::fields::Fields;
use super::model::{Form, Named, Pattern, Repeat, Robot, Simulation};
use super::problem::{Wording as _, error, quoted};
use super::ranges;
use super::reader::Reader;
use super::span::Spanned;
use super::tree::{Kind, Node};

/// Maximum number of copies.
pub(super) const MOST_COPIES: u32 = 100_000;

const PATTERNS: [&str; 4] = ["grid", "line", "circle", "poses"];

/// One robot of the simulation: an entry of the file, or a copy of an entry.
#[derive(Clone, Debug)]
pub struct Instance<'s> {
    /// Name of the robot; `name_3` for the third copy.
    pub name: String,
    /// Entry of the file.
    pub robot: &'s Robot,
    /// Initial pose in the scene; for [`Form::Frame`] relative to the pose of the frame in the scene.
    pub at: Isometry3<f64>,
}

impl Simulation {
    /// Returns the robots, copies included, sorted by name, which is the order of their paths.
    pub fn expand(&self) -> Vec<Instance<'_>> {
        let mut instances = Vec::new();
        for (name, robot) in &self.robots {
            let Some(repeat) = &robot.repeat else {
                instances.push(Instance {
                    name: name.value.clone(),
                    robot,
                    at: robot.at,
                });
                continue;
            };
            let copies = repeat.poses().zip(1_u32..);
            instances.extend(copies.map(|(pose, number)| Instance {
                name: format!("{name}_{number}", name = name.value),
                robot,
                at: robot.at * pose,
            }));
        }
        instances.sort_by(|one, other| one.name.cmp(&other.name));
        instances
    }
}

impl Repeat {
    /// Returns the poses of the copies, relative to [`Robot::at`].
    pub fn poses(&self) -> impl Iterator<Item = Isometry3<f64>> {
        (0..self.count.value.min(MOST_COPIES))
            .map(|index| self.pattern.pose(index, self.count.value))
    }
}

impl Pattern {
    fn pose(&self, index: u32, count: u32) -> Isometry3<f64> {
        match self {
            Self::Grid { columns, spacing } => {
                let columns = (*columns).max(1);
                let (column, row) = (f64::from(index % columns), f64::from(index / columns));
                let [dx, dy] = *spacing;
                Isometry3::translation(column * dx, row * dy, 0.0)
            }
            Self::Line { step } => Isometry3::from(Translation3::from(*step * f64::from(index))),
            Self::Circle { radius } => {
                let angle = std::f64::consts::TAU * f64::from(index) / f64::from(count.max(1));
                let turned = rotation_from_rpy(0.0, 0.0, angle);
                turned * Isometry3::translation(*radius, 0.0, 0.0)
            }
            Self::Poses(poses) => poses.get(index as usize).copied().unwrap_or_default(),
        }
    }
}

/// Returns true if the robot is a frame of the scene, which cannot be copied.
pub(super) fn cannot_repeat(robot: &Robot) -> bool {
    matches!(robot.form, Form::Frame(_)) && robot.repeat.is_some()
}

/// Reads `(count: 4, pattern: grid(columns: 2, spacing: (1, 1)))`.
pub(super) fn repeat(reader: &mut Reader<'_>, node: &Node, name: &str) -> Option<Repeat> {
    let mut fields = Fields::open(reader, node, name)?;
    let count = fields.take("count").map(|field| &field.value);
    let help = "add `pattern: grid(…)`, `line(…)`, `circle(…)` or `poses([…])`";
    let number = count.and_then(|node| number_of_copies(reader, node));
    let pattern = fields.need(reader, "pattern", help, |reader, node, _| {
        pattern(reader, node, number.as_ref())
    });
    let counted = match &pattern {
        Some(Pattern::Poses(poses)) => {
            let counted = u32::try_from(poses.len()).unwrap_or(u32::MAX);
            disagreement(reader, number.as_ref(), counted);
            if !(1..=MOST_COPIES).contains(&counted) {
                let range = format!("from 1 to {MOST_COPIES} poses");
                return reader.out_of_range(node, "repeat", &range);
            }
            Some(Spanned::new(counted, node.span))
        }
        _ if count.is_none() => {
            fields.missing(reader, "count", "add `count: …`, the number of copies");
            None
        }
        _ => number,
    };
    fields.finish(reader);
    Some(Repeat {
        count: counted?,
        pattern: pattern?,
    })
}

fn number_of_copies(reader: &mut Reader<'_>, node: &Node) -> Option<Spanned<u32>> {
    let count = reader.count(node, "count", MOST_COPIES)?;
    Some(Spanned::new(count, node.span))
}

/// Reports robots whose copies together exceed the limit.
pub(super) fn too_many_together(reader: &mut Reader<'_>, robots: &Named<Robot>) {
    let mut copies = 0_u32;
    for repeat in robots.values().filter_map(|robot| robot.repeat.as_ref()) {
        copies = copies.saturating_add(repeat.count.value);
        if copies > MOST_COPIES
            && let Some(span) = repeat.count.span
        {
            let message = format!("more than {MOST_COPIES} copies of robots in total");
            let problem = error("simulation::too-large", span, message)
                .label("with these")
                .help("repeat fewer robots");
            reader.problems.push(problem);
            return;
        }
    }
}

fn disagreement(reader: &mut Reader<'_>, given: Option<&Spanned<u32>>, counted: u32) {
    let Some((given, span)) = given.and_then(|given| Some((given.value, given.span?))) else {
        return;
    };
    if given != counted {
        let message = format!("`count` is {given}, the number of poses is {counted}");
        let problem = error("simulation::conflict", span, message)
            .help("leave `count` out: the poses are counted");
        reader.problems.push(problem);
    }
}

fn pattern(reader: &mut Reader<'_>, node: &Node, count: Option<&Spanned<u32>>) -> Option<Pattern> {
    let name = match (&node.kind, node.name()) {
        (_, Some(name)) => name.clone(),
        (Kind::Word(word), None) => Spanned::new(word.clone(), node.span),
        _ => return reader.refuse(node, "pattern", "grid(…), line(…), circle(…) or poses([…])"),
    };
    match name.value.as_str() {
        "grid" => grid(reader, node, count),
        "line" => {
            let step = only(reader, node, "line", "step", |reader, node, name| {
                reader.vector(node, name, &ranges::LINE_STEP)
            });
            step.map(|step| Pattern::Line { step })
        }
        "circle" => {
            let radius = only(reader, node, "circle", "radius", |reader, node, name| {
                reader.number(node, name, &ranges::CIRCLE_RADIUS)
            });
            radius.map(|radius| Pattern::Circle { radius })
        }
        "poses" => only(reader, node, "poses", "poses", |reader, node, name| {
            let list = reader.list(node, name);
            list.iter().map(|node| reader.pose(node, name)).collect()
        })
        .map(Pattern::Poses),
        word => {
            let message = format!("unknown pattern {}", quoted(word));
            let problem =
                error("simulation::unknown-word", node.name_span(), message).known(word, PATTERNS);
            reader.problems.push(problem);
            None
        }
    }
}

fn grid(reader: &mut Reader<'_>, node: &Node, count: Option<&Spanned<u32>>) -> Option<Pattern> {
    let mut fields = Fields::open_variant(reader, node, "grid")?;
    let columns = fields.read(reader, "columns", |reader, node, name| {
        reader.count(node, name, MOST_COPIES)
    });
    let help = "add `spacing: (1, 1)`, in metres";
    let spacing = fields.need(reader, "spacing", help, |reader, node, name| {
        reader.numbers::<2>(node, name, &ranges::GRID_SPACING)
    });
    fields.finish(reader);
    // By default, the grid is approximately square.
    let count = count.map_or(1, |count| count.value.min(MOST_COPIES));
    let side = (1..=count).find(|side| side * side >= count).unwrap_or(1);
    Some(Pattern::Grid {
        columns: columns.unwrap_or(side),
        spacing: spacing?,
    })
}

/// Reads the only parameter of a pattern: `circle(2)` or `circle(radius: 2)`.
fn only<'r, 'n, T>(
    reader: &mut Reader<'r>,
    node: &'n Node,
    pattern: &str,
    name: &'static str,
    read: impl FnOnce(&mut Reader<'r>, &'n Node, &str) -> Option<T>,
) -> Option<T> {
    if let Kind::Tuple(Some(_), items) = &node.kind
        && let [item] = items.as_slice()
    {
        return read(reader, item, name);
    }
    let mut fields = Fields::open_variant(reader, node, pattern)?;
    let help = format!("write `{pattern}({name}: …)`");
    let value = fields.need(reader, name, &help, read);
    fields.finish(reader);
    value
}
